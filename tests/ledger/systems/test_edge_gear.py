"""Edge: what the sheet knows (skills, weapons, armor), what waits and for which check, and what edge/1 left there."""

from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

from edge_table import edge, has, kinds, play
from ledger.audit.report import audit
from ledger.commands.at_table import Adjust, SetMarks
from ledger.commands.sheet import table_of
from ledger.corrections.answers import Choose
from ledger.corrections.undoing import Amend, Void
from ledger.errors import BadInput, Refused, UnknownName, WrongFaces
from ledger.journal.book import Book, open_book
from ledger.rules import MOST_DICE, SheetView
from ledger.systems.edge import SYSTEM
from ledger.systems.edge.moves import Burn, Degrade, Heal, Wear
from ledger.systems.edge.moves_check import Check, Grant
from ledger.systems.edge.moves_fights import Attack, Damage, Soak
from ledger.systems.edge.sheet import Weapon, read_weapon
from ledger.systems.edge.sheet import rows as rows_of
from paths import ROOT
from projections.sheets import sheet
from table import TODAY, last, scribe

FIRST = ROOT / "tests" / "golden" / "campaigns" / "first-editions.campaign"


def rows(book: Book, who: str = "mara") -> dict[str, str]:
    return {row.label: row.value for row in sheet(book, who, "edge").rows}


# Skills


def test_edg_02_a_skill_takes_its_two_attributes_from_the_sheet_and_others_may_be_named_for_one_check(
    book: Book,
) -> None:
    has(book, on__deception="cunning,presence")
    played = play(book, Check(who="mara", ranks="deception"), (7, 6))
    assert played["steps"][0]["numbers"] == [5, 6, 4, 15]
    assert played["looked"]["mara"]["edge/on.deception"] == ["cunning", "presence"]
    with pytest.raises(Refused, match=r"mara has no attribute\.agility on the sheet"):
        play(book, Check(who="mara", ranks="deception", attributes=("cunning", "agility")), (7, 6))
    assert "steps" in play(book, Check(who="mara", ranks="deception", skill=20), (7, 6))


@pytest.mark.parametrize("typed", ["cunning", "cunning,cunning", "cunning,presence,luck", "Cunning,presence"])
def test_edg_02_a_skill_stands_on_two_different_attributes(book: Book, typed: str) -> None:
    with pytest.raises(BadInput):
        has(book, on__deception=typed)


def test_edg_02_edg_09_strength_stands_on_the_sheet_once_for_melee_and_as_an_attribute(book: Book) -> None:
    has(book, on__deception="strength,cunning", weapon__sword="2d6+melee")
    assert play(book, Check(who="mara", ranks="deception"), (7, 6))["steps"][0]["numbers"] == [6, 5, 4, 15]
    assert rows(book)["deception"] == "15  (strength 6 + cunning 5 + 4 ranks)"
    has(book, "brak", weapon__sword="2d6+melee")
    scribe(book).write(Adjust(who="brak", amounts={"edge/attribute.strength": 7}, why="the sheet"))
    assert play(book, Damage(who="brak", item="sword"), (1, 2))["verdict"]["says"] == "10 damage"
    scribe(book).write(Adjust(who="mara", amounts={"edge/attribute.strength": 9}, why="a spell"))
    assert play(book, Check(who="mara", ranks="deception"), (7, 6))["steps"][0]["numbers"] == [9, 5, 4, 18]
    assert play(book, Damage(who="mara", item="sword"), (1, 2))["verdict"]["says"] == "9 damage"


def test_edg_09_a_weapon_with_other_dice_is_refused_with_the_reason(book: Book) -> None:
    with pytest.raises(BadInput, match=r"'1d10\+melee' uses d10, but damage dice are d6\.$"):
        read_weapon("1d10+melee")
    with pytest.raises(BadInput, match=r"'2d6-1' does not describe a weapon\.$"):
        read_weapon("2d6-1")


def test_edg_08_dice_that_do_not_fit_are_refused_with_what_waits_on_the_sheet(book: Book) -> None:
    play(book, Grant(who="mara", what="disadvantage", why="rain"))
    with pytest.raises(WrongFaces, match=r"has disadvantage from #\d+ on the next check of any kind\)\.$"):
        play(book, Check(who="mara", skill=11), (7, 6))
    play(book, Check(who="mara", skill=20, attack=True), (1, 7, 6))
    with pytest.raises(WrongFaces, match=r"needs 2d6, but you typed 1 die \(the attack adds 1d6 of damage\)\.$"):
        play(book, Damage(who="mara", weapon=1, modifier=0), (5,))
    with pytest.raises(WrongFaces, match=r"needs 2d10, but you typed 1 die\.$"):
        play(book, Check(who="mara", skill=11), (5,))


@pytest.mark.parametrize(
    ("inputs", "why"),
    [
        ({"edge": True}, "the edge removes the disadvantage"),
        ({"advantage": ("rope",)}, "advantage and disadvantage cancel each other"),
    ],
)
def test_edg_03_an_error_about_dice_says_what_cancels_a_disadvantage(
    book: Book, inputs: dict[str, Any], why: str
) -> None:
    play(book, Grant(who="mara", what="disadvantage", why="rain"))
    waits = rf"mara has disadvantage from #\d+ on the next check of any kind; {why}"
    with pytest.raises(WrongFaces, match=rf"needs 2d10, but you typed 3 dice\. The check took 2d10: {waits}\.$"):
        play(book, Check(who="mara", skill=11, **inputs), (7, 6, 5))
    with pytest.raises(WrongFaces, match=rf"a d10 cannot show 19 \({waits}\)\.$"):
        play(book, Check(who="mara", skill=11, **inputs), (7, 19))


def test_edg_09_an_error_about_damage_dice_says_how_many_the_attack_roll_took(book: Book) -> None:
    has(book, weapon__knife="1d6+2")
    play(book, Grant(who="mara", what="disadvantage", why="rain"))
    attack = Attack(who="mara", weapon="knife", whom="brak", skill=11)
    with pytest.raises(WrongFaces, match=r"cannot show 9\. The attack roll took 3d10: mara has disadvantage from #\d+"):
        play(book, attack, (7, 6, 5, 9))
    play(book, Check(who="mara", skill=11), (5, 5, 5))
    with pytest.raises(WrongFaces, match=r"needs 1d6, but a d6 cannot show 9\.$"):
        play(book, attack, (9, 3, 9))
    with pytest.raises(WrongFaces, match=r"This command does not roll dice"):
        play(book, Grant(who="mara", what="disadvantage", why="rain"), (7,))


@pytest.mark.parametrize(
    ("move", "count", "says"),
    [
        (Damage(who="mara", weapon=2, modifier=0), 2, "weapon {} = {}d6"),
        (Damage(who="mara", weapon=2, modifier=0, margin=10, extra=1, edge=1), 6, "weapon {} + attack {} + burst {} + edge {} = {}d6"),
        (Damage(who="mara", weapon=0, modifier=3), 0, "nothing = {}d6"),
    ],
)  # fmt: skip
def test_edg_09_the_working_says_where_the_dice_of_damage_come_from(
    book: Book, move: Damage, count: int, says: str
) -> None:
    step = play(book, move, (1,) * count or None)["steps"][0]
    assert (step["name"], step["says"], step["numbers"][-1]) == ("pool", says, count)


def test_edg_08_an_advantage_that_a_correction_left_below_0_is_shown_as_none(book: Book) -> None:
    granted = scribe(book).write(Adjust(who="mara", amounts={"edge/advantage.any": 1}, why="so")).entries[0].seq
    scribe(book).write(Adjust(who="mara", amounts={"edge/advantage.any": -1}, why="so"))
    scribe(book).write(Void(strikes=granted, why="so"))
    assert rows(book)["advantage"] == "none on the next check of any kind (−1)"


def test_edg_14_the_sheet_says_who_needs_care(book: Book) -> None:
    play(book, Burn(who="mara", against="the fall"))
    assert rows(book)["care"] == "needs medical care"
    has(book, care="no")
    assert "care" not in rows(book)


# Weapons


@pytest.mark.parametrize(
    ("typed", "weapon", "says"),
    [
        ("2d6+4", Weapon(dice=2, strength=4), "2d6 + 4, physical"),
        ("1d6+melee,stun", Weapon(dice=1, strength=None, kind="stun"), "1d6 + strength, stun"),
        ("0d6", Weapon(dice=0, strength=0), "0d6 + 0, physical"),
        ("20d6+1000", Weapon(dice=20, strength=1000), "20d6 + 1000, physical"),
        (
            "2d6+4,burst=1,physical,skill=guns",
            Weapon(dice=2, strength=4, burst=1, skill="guns"),
            "2d6 + 4, physical, burst +1d6, guns",
        ),
    ],
)
def test_edg_09_a_weapon_is_typed_as_one_word(typed: str, weapon: Weapon, says: str) -> None:
    assert (read_weapon(typed), str(weapon)) == (weapon, says)


@pytest.mark.parametrize(
    "typed", ["2d8+4", "sword", "2d6+4,loud", "2d6+4,burst=0", "2d6+4,burst", "2d6+4,skill=", "21d6", "2d6+1001"]
)
def test_edg_09_what_is_no_weapon_is_refused(typed: str) -> None:
    with pytest.raises(BadInput):
        read_weapon(typed)


def test_edg_09_damage_takes_dice_strength_burst_and_kind_from_the_weapon_on_the_sheet(book: Book) -> None:
    has(book, weapon__smg="2d6+4,burst=1", weapon__fist="1d6+melee,stun")
    assert play(book, Damage(who="mara", item="smg"), (3, 3))["verdict"]["says"] == "10 damage"
    assert play(book, Damage(who="mara", item="smg", burst=True), (3, 3, 3))["verdict"]["says"] == "13 damage"
    assert play(book, Damage(who="mara", item="fist"), [2])["verdict"]["says"] == "8 stun damage"
    other = Damage(who="mara", item="smg", weapon=1, modifier=9, kind="stun")
    assert play(book, other, [1])["verdict"]["says"] == "10 stun damage"
    assert play(book, Damage(who="mara", item="smg", melee=True), (1, 1))["verdict"]["says"] == "8 damage"
    with pytest.raises(Refused, match="no burst dice"):
        play(book, Damage(who="mara", item="fist", burst=True))


# Armor, and damage taken


def test_edg_10_damage_that_hits_somebody_waits_to_be_soaked_and_what_passes_is_taken(book: Book) -> None:
    has(book, weapon__pistol="2d6+4", weapon__fist="1d6+4,stun")
    play(book, Damage(who="mara", item="pistol", to="brak"), (6, 6))
    assert book.mark("brak", "edge/dealt") == {"damage": 16, "kind": "physical", "by": "mara"}
    assert kinds(book, Soak(who="brak")) == ["damage-soaked", "damage-taken"]
    assert (edge(book, "brak", "damage.physical"), book.mark("brak", "edge/dealt")) == (12, None)
    with pytest.raises(Refused, match="brak has no damage to check against armor"):
        play(book, Soak(who="brak"))
    play(book, Damage(who="mara", item="fist", to="brak"), [6])
    assert play(book, Soak(who="brak", armor="none"))["verdict"]["says"] == "10 of 10 damage passes"
    play(book, Damage(who="mara", item="pistol", to="brak"), (6, 6))
    play(book, Soak(who="brak", damage=3, kind="stun", armor="none"))
    assert (edge(book, "brak", "damage.stun"), book.mark("brak", "edge/dealt")) == (13, None)
    assert rows(book, "brak")["damage taken"] == "12 physical, 13 stun"
    assert kinds(book, Soak(who="brak", damage=0, threshold=0, reduction=0)) == ["damage-soaked"]


@pytest.mark.parametrize(
    ("armor", "damage", "says"),
    [
        ("light", 14, "stopped (14 under 15)"),
        ("light", 15, "12 of 15 damage passes"),
        ("medium", 24, "stopped (24 under 25)"),
        ("medium", 25, "15 of 25 damage passes"),
        ("heavy", 34, "stopped (34 under 35)"),
        ("heavy", 35, "14 of 35 damage passes"),
    ],
)
def test_edg_10_light_medium_and_heavy_stand_for_their_numbers(book: Book, armor: str, damage: int, says: str) -> None:
    assert play(book, Soak(who="mara", armor=armor, damage=damage))["verdict"]["says"] == says


def test_edg_10_a_piece_of_armor_counts_each_hit_also_one_that_it_stops(book: Book) -> None:
    has(book, "brak", armor__vest="15/30", armor__coat="5/10")
    play(book, Wear(who="brak", armor="vest"))
    for damage in (0, 14, 40):
        play(book, Soak(who="brak", damage=damage))
    typed = play(book, Soak(who="brak", damage=16, threshold=0))
    assert typed["verdict"]["says"] == "12 of 16 damage passes"
    assert rows(book, "brak")["vest"] == "threshold 15, reduction 30%, worn, 4 hits"
    for move in (Soak(who="brak", damage=16, armor="light"), Soak(who="brak", damage=16, threshold=1, reduction=1)):
        assert kinds(book, move) == ["damage-soaked", "damage-taken"]
    assert (edge(book, "brak", "hits.vest"), rows(book, "brak")["coat"]) == (4, "threshold 5, reduction 10%")


def test_edg_10_one_piece_is_worn_and_can_be_degraded_by_its_name(book: Book) -> None:
    has(book, "brak", armor__vest="25/40", armor__coat="5/10")
    assert play(book, Soak(who="brak", damage=16))["verdict"]["says"] == "12 of 16 damage passes"
    play(book, Wear(who="brak", armor="vest"))
    assert play(book, Soak(who="brak", damage=16))["verdict"]["says"] == "stopped (16 under 25)"
    assert play(book, Soak(who="brak", damage=16, armor="coat"))["verdict"]["says"] == "15 of 16 damage passes"
    assert play(book, Soak(who="brak", damage=16, threshold=0))["verdict"]["says"] == "10 of 16 damage passes"
    assert play(book, Degrade(who="brak", threshold=5, why="hits"))["verdict"]["says"] == "armor degraded to 20/40"
    play(book, Degrade(who="brak", armor="coat", reduction=10, why="hits"))
    assert rows(book, "brak") | {"edge": ""} == {
        "edge": "",
        "coat": "threshold 5, reduction 0%, 1 hit",
        "vest": "threshold 20, reduction 40%, worn, 2 hits",
        "armor": "threshold 15, reduction 30%",
        "damage taken": "37 physical",
    }
    with pytest.raises(Refused, match=r"The armor has a reduction of 0"):
        play(book, Degrade(who="brak", armor="coat", reduction=1, why="hits"))
    play(book, Wear(who="brak", armor="none"))
    assert play(book, Soak(who="brak", damage=2))["verdict"]["says"] == "2 of 2 damage passes"
    play(book, Wear(who="brak", armor="vest"))
    has(book, "brak", armor__vest="none")
    with pytest.raises(Refused, match="brak has no armor called vest"):
        play(book, Soak(who="brak", damage=2))


@pytest.mark.parametrize("name", ["light", "medium", "heavy", "none", "threshold", "reduction"])
def test_edg_10_no_piece_has_a_name_that_means_something_else(book: Book, name: str) -> None:
    with pytest.raises(UnknownName):
        scribe(book).write(SetMarks(who="brak", values={f"edge/armor.{name}": "15/30"}, why="so"))


@pytest.mark.parametrize("typed", ["15", "15/101", "x/3", "15/"])
def test_edg_10_what_is_no_armor_is_refused(book: Book, typed: str) -> None:
    with pytest.raises(BadInput):
        has(book, armor__vest=typed)


def test_edg_10_the_gm_heals_damage_that_was_taken(book: Book) -> None:
    play(book, Soak(who="mara", damage=9, kind="stun"))
    assert kinds(book, Heal(who="mara", kind="stun", amount=4, why="rest")) == ["damage-healed"]
    assert edge(book, score="damage.stun") == 5
    with pytest.raises(Refused, match="mara has 5 stun damage and cannot heal 6"):
        play(book, Heal(who="mara", kind="stun", amount=6, why="rest"))
    play(book, Heal(who="mara", kind="stun", amount=5, why="rest"))
    assert edge(book, score="damage.stun") == 0


def test_damage_that_waits_is_written_by_moves_and_only_taken_off_by_hand(book: Book) -> None:
    with pytest.raises(BadInput, match="Only moves can set this"):
        has(book, dealt="9")
    play(book, Damage(who="brak", weapon=1, modifier=-9, to="mara"), [1])
    assert book.mark("mara", "edge/dealt") == {"damage": 0, "kind": "physical", "by": "brak"}
    has(book, dealt="none")
    assert book.mark("mara", "edge/dealt") is None


# What waits for a check


def test_edg_08_what_waits_says_what_it_is_related_to_and_the_next_check_that_fits_uses_it(book: Book) -> None:
    has(book, on__deception="cunning,presence")
    assert kinds(book, Check(who="mara", ranks="deception", target=28), (5, 2)) == ["disadvantage-granted"]
    assert edge(book, score="disadvantage.deception") == 1
    play(book, Grant(who="mara", what="advantage", related_to="climbing", why="a rope"))
    assert rows(book)["disadvantage"] == "on the next check related to deception"
    assert kinds(book, Check(who="mara", skill=30), (5, 4)) == []
    reasoned = Check(who="mara", ranks="deception", target=0, not_related=True, why="another town")
    assert kinds(book, reasoned, (5, 4)) == []
    assert kinds(book, Check(who="mara", ranks="deception", target=0), (5, 4, 3)) == ["disadvantage-used"]
    assert kinds(book, Check(who="mara", skill=30, related_to=("climbing", "ropes")), (5, 4, 3)) == ["advantage-used"]
    assert (edge(book, score="disadvantage.deception"), edge(book, score="advantage.climbing")) == (0, 0)


def test_edg_08_a_check_with_several_words_uses_what_waits_for_each(book: Book) -> None:
    for word in ("climbing", "ropes"):
        play(book, Grant(who="mara", what="advantage", related_to=word, why="a rope"))
    play(book, Grant(who="mara", what="advantage", why="luck"))
    check = Check(who="mara", skill=30, related_to=("climbing", "ropes"))
    play(book, check, (5, 4, 3))
    assert [edge(book, score=f"advantage.{word}") for word in ("climbing", "ropes", "any")] == [0, 0, 0]


def test_edg_08_a_failure_without_a_skill_waits_for_the_word_or_for_related(book: Book) -> None:
    play(book, Check(who="mara", skill=3, related_to=("climbing",)), (5, 4))
    assert edge(book, score="disadvantage.climbing") == 1
    play(book, Check(who="mara", skill=3), (5, 4))
    assert edge(book, score="disadvantage.related") == 1


def test_the_sheet_has_rows_in_the_players_words(book: Book) -> None:
    has(book, on__deception="cunning,presence", weapon__pistol="2d6+4", armor__vest="15/30", worn="vest")
    play(book, Grant(who="mara", what="advantage", why="luck"))
    play(book, Grant(who="mara", what="advantage", why="luck"))
    play(book, Check(who="mara", skill=11, attack=True, target=15), (3, 8, 9))
    play(book, Grant(who="mara", what="disadvantage", scope="related", why="rain"))
    assert rows(book) == {
        "edge": "4 of 4",
        "strength": "6",
        "attributes": "cunning 5, presence 6",
        "deception": "15  (cunning 5 + presence 6 + 4 ranks)",
        "pistol": "2d6 + 4, physical",
        "vest": "threshold 15, reduction 30%, worn",
        "injuries": "1 serious",
        "disadvantage": "on the next related check",
        "attack": "2d6 extra damage",
    }
    assert sheet(book, "mara", "edge").bare == ()
    play(book, Grant(who="brak", what="advantage", why="luck"))
    play(book, Grant(who="brak", what="advantage", why="luck"))
    assert rows(book, "brak")["advantage"] == "on the next check of any kind (2)"


# What edge/1 left


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """A copy of the kept campaign of first editions."""
    copyfile(FIRST, tmp_path / "first.campaign")
    return tmp_path / "first.campaign"


def test_edg_08_edg_10_what_the_first_edition_left_on_sheets_is_used(first: Path) -> None:
    with open_book(str(first)) as book:
        scribe(book).write(Choose(question=91, chosen={"drop": book.entry(91).body["dice"][0]["face"]}))
        assert rows(book, "brak")["light"] == "threshold 15, reduction 30%, worn"
        assert play(book, Soak(who="brak", damage=16))["verdict"]["says"] == "12 of 16 damage passes"
        play(book, Wear(who="brak", armor="light"))
        assert play(book, Soak(who="brak", damage=16))["verdict"]["says"] == "12 of 16 damage passes"
        scribe(book).write(SetMarks(who="brak", values={"edge/worn": "none"}, why="so"))
        play(book, Wear(who="brak", armor="light"))
        has(book, "brak", armor="leather", armor__vest="25/40")
        play(book, Wear(who="brak", armor="leather"))
        assert play(book, Soak(who="brak", damage=16))["verdict"]["says"] == "12 of 16 damage passes"
        play(book, Wear(who="brak", armor="vest"))
        says = play(book, Soak(who="brak", damage=16, armor="leather"))["verdict"]["says"]
        assert says == "12 of 16 damage passes"
        play(book, Wear(who="brak", armor="leather"))
        play(book, Degrade(who="brak", threshold=1, why="hits"))
        assert edge(book, "brak", "armor.threshold") == 14
        assert rows(book, "brak")["leather"] == "threshold 14, reduction 30%, worn"
        assert kinds(book, Check(who="mara", skill=20, related=True), (5, 4)) == ["advantage-used", "disadvantage-used"]


def test_an_amendment_of_a_first_ruling_says_which_edition_rules_it(first: Path) -> None:
    with open_book(str(first)) as book:
        inputs = {"damage": 20}
        done = scribe(book).write(Amend(named=27, inputs=inputs, faces=None, cascade=False, why="so"))
        assert last(done, "move-played")["edition"] == SYSTEM.edition
        assert edge(book, "brak", "damage.physical") == 14
        assert audit(book, TODAY).findings == ()


def test_a_sheet_without_edge_or_with_a_weapon_that_is_none_is_shown_without_them() -> None:
    view = SheetView(scores={"strength": 3}, marks={"weapon.rock": "heavy"})
    assert [(row.label, row.value) for row in rows_of(view)] == [("strength", "3")]
    for scores, says in (({"edge": 2}, "2 of 0"), ({"maximum": 3}, "0 of 3")):
        assert [row.value for row in rows_of(SheetView(scores=scores, marks={}))] == [says]


@pytest.mark.parametrize(("ranks", "says"), [(-1, "−1 ranks"), (0, "0 ranks"), (1, "1 rank"), (2, "2 ranks")])
def test_the_sheet_counts_one_rank_or_several(ranks: int, says: str) -> None:
    assert [row.value for row in rows_of(SheetView(scores={"skill.stealth": ranks}, marks={}))] == [says]


def test_a_move_leads_to_no_other_and_has_nothing_to_know_unless_its_game_says_so(book: Book) -> None:
    move, table = Heal(who="mara", kind="stun", amount=1, why="x"), table_of(book, "edge")
    assert (move.may_continue, move.shows_sheet) == (False, False)
    assert (move.next_moves(table, ()), move.facts_text(table, ())) == ((), "")
    assert (move.proposals(table), move.blocked_characters(table)) == ((), ("mara",))


def test_as_many_dice_of_damage_are_thrown_as_a_table_holds_and_no_more(book: Book) -> None:
    table = table_of(book, "edge")
    pool = Damage(who="mara", weapon=MOST_DICE, modifier=0).dice(table)
    assert pool is not None
    assert len(pool.sides) == MOST_DICE
    with pytest.raises(Refused, match="This would be 101 dice"):
        Damage(who="mara", weapon=MOST_DICE, modifier=0, extra=1).dice(table)
