"""Edge: the vectors, the examples of the book, and every move."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product

import pytest
from click import Command, Context, Option

from cli.param_types import WholeNumber
from edge_table import edge, kinds, play
from ledger.commands.at_table import Adjust, ChangeSettings, SetMarks
from ledger.commands.play import PlayMove
from ledger.corrections.answers import Choose, Decide
from ledger.corrections.undoing import Amend, Void
from ledger.errors import BadInput, Held, LedgerError, NotEnough, Refused, UnknownName
from ledger.journal.book import Book
from ledger.rules.move import Move
from ledger.systems.edge import SYSTEM, moves, rules
from ledger.systems.edge.moves import Award, Burn, Degrade, Heal, Injure, Lessen, Rest, Wear
from ledger.systems.edge.moves_check import Check, Grant
from ledger.systems.edge.moves_fights import Attack, AttackRoll, Damage, DamageRoll, Soak
from ledger.systems.edge.sheet import SEVERITIES
from projections.sheets import sheet
from table import counting_dice, last, scribe, worked_out
from terminal import Type


@pytest.mark.parametrize(
    ("name", "worked", "says"),
    [
        ("advantage: 7, 4 and 3 without the 3 are 11 (EDG-03)", rules.check(dice=(7, 4, 3), mode="advantage", bonus=0).total, 11),
        ("disadvantage: 8, 5 and 2 without the 8 are 7 (EDG-03)", rules.check(dice=(8, 5, 2), mode="disadvantage", bonus=0).total, 7),
        ("a swordsman with strength 6 throws 2d6+6 (EDG-09)", rules.damage(dice=(1, 1), modifier=6), 8),
        ("a burst from 2d6+4 throws 3d6+4 (EDG-09)", rules.damage_dice(weapon=2, extra=1), 3),
        ("of 16 damage light armor at 15/30 soaks 4 (EDG-10)", rules.armor(damage=16, penetration_threshold=15, damage_reduction=30).damage, 12),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_the_examples_of_the_book_hold(name: str, worked: int, says: int) -> None:
    assert says == worked


CALLS: dict[str, list[str]] = {
    "edge.dice_mode": ["check", "attack", "attack-roll"],
    "edge.skill_bonus": ["check"],
    "edge.check": ["check", "attack", "attack-roll"],
    "edge.damage_dice": ["damage-roll", "damage"],
    "edge.damage": ["damage-roll", "damage"],
    "edge.armor": ["soak"],
    "edge.edge_burn": ["burn"],
    "edge.rest": ["rest"],
    "edge.award": ["award"],
    "edge.lessen_injury": ["lessen"],
    "edge.chance": [],
    "edge.damage_chance": [],
}


def test_every_rule_that_try_answers_is_called_by_the_moves_named_here(book: Book) -> None:
    examples: list[tuple[Move, Sequence[int] | None]] = [
        (Check(who="mara", ranks="deception", attributes=("cunning", "presence")), (7, 6)),
        (Grant(who="mara", what="advantage", why="x"), None),
        (Attack(who="mara", weapon="fist", whom="brak", skill=9), (2, 3, 1)),
        (AttackRoll(who="mara", item="fist", whom="brak", skill=9, advantage=("map",)), (9, 8, 7)),
        (DamageRoll(who="mara", item="fist", to="brak"), (3,)),
        (Damage(who="mara", weapon=1, modifier=0, edge=1), (3, 3)),
        (Soak(who="brak", damage=16), None),
        (Wear(who="brak", armor="none"), None),
        (Degrade(who="mara", armor="vest", threshold=1, why="x"), None),
        (Heal(who="brak", kind="physical", amount=1, why="x"), None),
        (Injure(who="mara", severity="minor", why="x"), None),
        (Lessen(who="mara", severity="serious"), None),
        (Award(who="mara", amount=1, why="the way out"), None),
        (Rest(who="mara", kind="long"), None),
        (Burn(who="mara", against="a fall"), None),
    ]
    assert {type(move) for move, _ in examples} == set(moves.MOVES)
    scribe(book).write(SetMarks(who="mara", values={"edge/armor.vest": "15/30", "edge/weapon.fist": "1d6+1"}, why="so"))
    found: dict[str, list[str]] = {rule.name: [] for rule in SYSTEM.rulebook().rules}
    for move, faces in examples:
        for rule in called_by(book, move, faces):
            found[rule].append(move.name())
    assert found == CALLS


@pytest.mark.parametrize("mode", ["normal", "advantage", "disadvantage"])
def test_edg_16_the_odds_of_a_check_are_those_of_every_throw(mode: rules.Mode) -> None:
    throws = list(product(range(1, 11), repeat=2 if mode == "normal" else 3))
    checks = [rules.check(dice=throw, mode=mode, bonus=9, target_number=20) for throw in throws]
    odds = rules.chance(mode=mode, bonus=9)
    assert (odds.of, odds.success) == (len(throws), sum(check.success for check in checks))
    assert {name: ways for name, ways in odds.ways.items() if ways} == Counter(check.magnitude for check in checks)


def test_edg_16_the_odds_of_damage_are_those_of_every_throw() -> None:
    throws = product(range(1, 7), repeat=3)
    dealt = (rules.damage(dice=throw, modifier=4) for throw in throws)
    armor = {"penetration_threshold": 15, "damage_reduction": 30}
    passing = Counter(str(rules.armor(damage=damage, **armor).damage) for damage in dealt)
    odds = rules.damage_chance(dice=3, modifier=4, **armor)
    assert (odds.of, odds.ways) == (6**3, passing)


def test_edg_01_a_target_number_may_be_typed_by_its_name(evening: Type) -> None:
    assert "26 against 25" in evening("edge check mara --skill 15 --target challenging --faces 7,4").output
    named = evening("edge check mara --skill 15 --target near-impossible --faces 7,4 -v").output
    assert "26 against 40" in named
    wrong = evening("edge check mara --skill 15 --target hard --faces 7,4")
    assert wrong.exit_code == 2
    assert "You can also type: very-easy, easy, moderate, challenging" in wrong.output
    assert (
        WholeNumber(named={"easy": 15}).shell_complete(Context(Command("x")), Option(["--x"]), "ea")[0].value == "easy"
    )


def called_by(book: Book, move: Move, faces: Sequence[int] | None) -> list[str]:
    """Play a move, and watch which rules are worked out."""
    return worked_out(
        SYSTEM.rulebook().rules, lambda: scribe(book).write(PlayMove(system="edge", move=move), faces=faces)
    )


@pytest.mark.parametrize(
    ("target", "faces", "says", "good", "margin"),
    [
        (24, (7, 6), "marginal success", True, 0),
        (25, (7, 6), "marginal failure", False, -1),
        (20, (5, 5), "significant success", True, 6),
        (22, (5, 5), "significant failure", False, -6),
        (10, (9, 8), "complete success", True, 18),
        (35, (6, 5), "complete failure", False, -13),
    ],
)
def test_edg_01_to_07_a_check_is_ruled_by_its_margin(
    book: Book, target: int, faces: tuple[int, int], says: str, good: bool, margin: int
) -> None:
    verdict = play(book, Check(who="mara", skill=11, target=target), faces)["verdict"]
    assert verdict == {"says": says, "good": good, "margin": margin}


def test_edg_02_the_bonus_is_two_attributes_and_the_ranks(book: Book) -> None:
    move = Check(who="mara", ranks="deception", attributes=("cunning", "presence"), bonus=-2, why="rain")
    steps = play(book, move, (7, 6))["steps"]
    assert steps[0] == {"name": "skill", "says": "{} + {} + {} + {} = {}", "numbers": [5, 6, 4, -2, 13]}
    steps = play(book, Check(who="mara", skill=11, bonus=2, why="a map"), (7, 6))["steps"]
    assert steps[0]["numbers"] == [11, 2, 13]


@pytest.mark.parametrize(
    ("move", "error"),
    [
        (Check(who="mara"), BadInput),
        (Check(who="mara", skill=1, ranks="deception", attributes=("cunning", "presence")), BadInput),
        (Check(who="mara", ranks="deception"), Refused),
        (Check(who="mara", ranks="deception", attributes=("cunning", "cunning")), Refused),
        (Check(who="mara", skill=1, not_related=True), BadInput),
        (Check(who="mara", skill=1, not_related=True, related=True, why="x"), BadInput),
        (Check(who="mara", skill=1, related_to=("any",)), BadInput),
        (Grant(who="mara", what="advantage", related_to="related", why="x"), BadInput),
        (Check(who="mara", attributes=("cunning", "presence")), BadInput),
        (Check(who="mara", skill=1, bonus=1), BadInput),
        (Check(who="mara", skill=1, why="no bonus"), BadInput),
        (Check(who="mara", ranks="deception", attributes=("cunning",)), Refused),
        (Check(who="mara", ranks="flying", attributes=("cunning", "presence")), Refused),
        (Check(who="mara", skill=1, drop=3), Refused),
        (Check(who="mara", skill=1, edge=True, disadvantage=("wounded",), drop=3), Refused),
        (Damage(who="mara", weapon=1), BadInput),
        (Damage(who="mara", weapon=1, modifier=0, melee=True), BadInput),
        (Damage(who="mara", modifier=0), BadInput),
        (Damage(who="mara", item="pistol", modifier=0, melee=True), BadInput),
        (Damage(who="mara", item="pistol"), Refused),
        (Damage(who="mara", weapon=1, modifier=0, burst=True), Refused),
        (Soak(who="mara"), Refused),
        (Soak(who="mara", damage=3, armor="vest"), Refused),
        (Wear(who="mara", armor="vest"), Refused),
        (Wear(who="mara", armor="light"), Refused),
        (Degrade(who="mara", armor="heavy", threshold=1, why="x"), Refused),
        (Degrade(who="brak", armor="heavy", threshold=1, why="x"), Refused),
        (Heal(who="mara", kind="stun", amount=1, why="x"), Refused),
        (Damage(who="mara", weapon=1, modifier=0, edge=5), NotEnough),
        (Damage(who="mara", weapon=101, modifier=0), Refused),
        (Degrade(who="brak", why="x"), BadInput),
        (Degrade(who="brak", threshold=16, why="x"), Refused),
        (Injure(who="mara", severity="deadly", why="x"), Refused),
        (Lessen(who="mara", severity="deadly"), Refused),
        (Lessen(who="mara", severity="critical"), Refused),
        (Lessen(who="mara", severity="serious", edge=2), Refused),
        (Award(who="mara", amount=1, why="x"), Refused),
        (Check(who="ghost", skill=1), UnknownName),
        (Injure(who="mara", severity="minor", why=" "), BadInput),
        (Injure(who="mara", severity="minor", why="bell\a"), BadInput),
        (Injure(who="mara", severity="minor", why="x" * 10_001), BadInput),
    ],
)  # fmt: skip
def test_edg_15_what_cannot_be_played_is_refused_and_nothing_is_written(
    book: Book, move: Move, error: type[LedgerError]
) -> None:
    head = book.journal.head()
    with pytest.raises(error):
        scribe(book).write(PlayMove(system="edge", move=move))
    assert book.journal.head() == head


def test_edg_03_advantage_and_disadvantage_are_recorded_with_where_they_come_from(book: Book) -> None:
    move = Check(who="mara", skill=11, advantage=("high ground", "surprise"), disadvantage=("wounded",))
    assert [die["face"] for die in play(book, move, (7, 6))["dice"]] == [7, 6]
    played = play(book, move.replace(disadvantage=()), (3, 7, 3))
    assert played["inputs"]["advantage"] == ["high ground", "surprise"]
    assert [die["dropped"] for die in played["dice"]] == ["lowest", None, None]


def test_edg_04_edge_lets_the_player_drop_a_die_beforehand_only_beside_typed_dice(book: Book) -> None:
    move = Check(who="mara", skill=11, edge=True, drop=3)
    with pytest.raises(Refused, match="add your dice with --faces"):
        scribe(book).write(PlayMove(system="edge", move=move))
    played = play(book, move, (7, 3, 7))
    assert [die["dropped"] for die in played["dice"]] == [None, "named", None]
    assert edge(book) == 3


def test_edg_04_the_dice_and_the_cost_are_written_before_the_player_is_asked(book: Book) -> None:
    asked = scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True)), faces=(7, 3, 7))
    assert [entry.type for entry in asked.entries] == ["dice-thrown", "question-asked", "edge-spent"]
    assert edge(book) == 3
    with pytest.raises(Held):
        play(book, Rest(who="mara", kind="short"))
    play(book, Rest(who="brak", kind="short"))
    question = asked.entries[1].seq
    with pytest.raises(Refused, match="No die shows 9"):
        scribe(book).write(Choose(question=question, chosen={"drop": 9}))
    answer = last(scribe(book).write(Choose(question=question, chosen={"drop": 3})), "move-played")
    assert (answer["answers"], answer["verdict"]["margin"], edge(book)) == (question, 10, 3)
    with pytest.raises(Refused, match="answered"):
        scribe(book).write(Choose(question=question, chosen={"drop": 3}))
    play(book, Rest(who="mara", kind="short"))
    assert edge(book) == 4


def test_edg_04_edge_removes_a_disadvantage_and_gains_where_none_weighs(book: Book) -> None:
    played = play(book, Check(who="mara", skill=11, edge=True, disadvantage=("rain",)), (7, 6))
    assert {"name": "edge", "says": "removes the disadvantage", "numbers": []} in played["steps"]
    move = Check(who="mara", skill=11, edge=True, advantage=("map",), disadvantage=("rain",), drop=2)
    assert len(play(book, move, (7, 6, 2))["dice"]) == 3
    assert edge(book) == 2


def test_edg_04_edge_that_is_not_there_is_refused_before_any_die_is_thrown(book: Book) -> None:
    play(book, Burn(who="brak", against="a fall"))
    thrown = counting_dice()
    hand = scribe(book, chance=thrown)
    with pytest.raises(NotEnough, match=r"^brak has 0 edge and needs 1\.$"):
        hand.write(PlayMove(system="edge", move=Check(who="brak", skill=1, edge=True)))
    assert thrown.count == 0


def test_edg_04_a_die_named_without_edge_is_refused(book: Book) -> None:
    for move in (
        Check(who="mara", skill=1, drop=3),
        Check(who="mara", skill=1, disadvantage=("x",), edge=True, drop=3),
    ):
        with pytest.raises(Refused, match="You cannot choose a die to drop"):
            play(book, move, (3, 4))


def test_edg_06_edg_07_a_simple_check_has_no_margin_and_nothing_follows_from_one(book: Book) -> None:
    played = play(book, Check(who="mara", skill=0, target=40, simple=True), (1, 1))
    assert played["verdict"] == {"says": "failure", "good": False, "margin": None}
    assert kinds(book, Check(who="mara", skill=0, target=40, simple=True, attack=True), (1, 1)) == []


def test_edg_08_a_bad_failure_leaves_a_disadvantage_and_the_next_check_that_it_fits_uses_all_of_it(book: Book) -> None:
    assert kinds(book, Check(who="mara", skill=3), (5, 4)) == ["disadvantage-granted"]
    assert (edge(book, score="disadvantage.related"), edge(book, score="disadvantage.any")) == (1, 0)
    assert kinds(book, Check(who="mara", skill=0), (5, 4)) == ["disadvantage-granted"]
    play(book, Grant(who="mara", what="disadvantage", scope="any", why="the GM says so"))
    assert edge(book, score="disadvantage.any") == 2
    assert kinds(book, Check(who="mara", skill=19), (5, 4, 4)) == ["disadvantage-used"]
    assert (edge(book, score="disadvantage.related"), edge(book, score="disadvantage.any")) == (1, 0)
    assert kinds(book, Check(who="mara", skill=19, related=True), (5, 4, 4)) == ["disadvantage-used"]
    assert edge(book, score="disadvantage.related") == 0


def test_edg_08_an_advantage_that_the_gm_grants_waits_for_its_check(book: Book) -> None:
    play(book, Grant(who="mara", what="advantage", scope="related", why="she knows him"))
    assert kinds(book, Check(who="mara", skill=11), (7, 6)) == []
    assert kinds(book, Check(who="mara", skill=11, related=True), (7, 6, 1)) == ["advantage-used"]


def test_edg_08_edg_09_a_good_attack_adds_dice_to_the_next_damage(book: Book) -> None:
    assert kinds(book, Check(who="mara", skill=11, attack=True), (9, 8)) == ["attack-dice-granted"]
    assert kinds(book, Check(who="mara", skill=21, attack=True), (9, 8)) == [
        "attack-dice-lapsed",
        "attack-dice-granted",
    ]
    played = play(book, Damage(who="mara", weapon=2, melee=True, extra=1, edge=1), (1, 2, 3, 4, 5, 6))
    assert played["verdict"]["says"] == "27 damage"
    assert (edge(book, score="attack-dice"), edge(book)) == (0, 3)
    assert kinds(book, Check(who="mara", skill=11, attack=True), (2, 3)) == []
    assert len(play(book, Damage(who="mara", weapon=2, modifier=4, margin=5), (1, 1, 1))["dice"]) == 3


def test_edg_15_damage_that_spends_no_edge_needs_none_also_where_a_correction_left_edge_below_0(book: Book) -> None:
    scribe(book).write(Adjust(who="mara", amounts={"edge/edge": -3}, why="so"))
    joined = next(entry.seq for entry in book.journal.entries() if getattr(entry.event, "who", "") == "mara")
    scribe(book).write(Amend(named=joined, inputs={"scores": {"edge": 1}}, faces=None, cascade=False, why="so"))
    assert edge(book) == -2
    assert play(book, Damage(who="mara", weapon=1, modifier=2), [4])["verdict"]["says"] == "6 damage"
    with pytest.raises(NotEnough):
        play(book, Damage(who="mara", weapon=1, modifier=2, edge=1), [4, 4])


def test_edg_08_attack_dice_that_a_correction_left_below_0_are_neither_used_nor_lapse(book: Book) -> None:
    granted = scribe(book).write(Adjust(who="mara", amounts={"edge/attack-dice": 1}, why="so")).entries[0].seq
    scribe(book).write(Adjust(who="mara", amounts={"edge/attack-dice": -1}, why="so"))
    scribe(book).write(Void(strikes=granted, why="so"))
    assert edge(book, score="attack-dice") == -1
    assert [row.value for row in sheet(book, "mara", "edge").rows if row.label == "attack"] == [
        "no extra damage (−1d6)"
    ]
    assert play(book, Damage(who="mara", weapon=1, modifier=2))["verdict"]["says"].endswith("damage")
    assert kinds(book, Check(who="mara", skill=9, attack=True), [4, 5]) == []
    assert edge(book, score="attack-dice") == -1


def test_edg_09_damage_without_dice_is_its_modifier(book: Book) -> None:
    played = play(book, Damage(who="mara", weapon=0, modifier=3))
    assert (played["dice"], played["throws"], played["verdict"]["says"]) == ([], [], "3 damage")


def test_edg_10_armor_counts_by_its_own_numbers_and_can_be_degraded(book: Book) -> None:
    assert play(book, Soak(who="brak", damage=16))["verdict"]["says"] == "12 of 16 damage passes"
    assert play(book, Soak(who="brak", damage=14))["verdict"]["says"] == "stopped (14 under 15)"
    assert (
        play(book, Soak(who="mara", damage=14, threshold=10, reduction=50))["verdict"]["says"]
        == "7 of 14 damage passes"
    )
    play(book, Degrade(who="brak", threshold=5, reduction=10, why="three bursts"))
    assert (edge(book, "brak", "armor.threshold"), edge(book, "brak", "armor.reduction")) == (10, 20)


def test_edg_11_edge_lessens_an_injury_a_step_each(book: Book) -> None:
    play(book, Injure(who="mara", severity="life-threatening", why="a blade"))
    assert kinds(book, Lessen(who="mara", severity="life-threatening", edge=2)) == ["edge-spent", "injury-lessened"]
    assert [edge(book, score=f"injury.{step}") for step in SEVERITIES] == [0, 2, 0, 0]
    assert edge(book) == 2


def test_edg_11_an_injury_with_too_few_steps_below_it_is_refused_before_the_edge_is_counted(book: Book) -> None:
    play(book, Injure(who="mara", severity="minor", why="a blade"))
    with pytest.raises(Refused, match="An injury cannot be less severe than minor"):
        play(book, Lessen(who="mara", severity="minor", edge=9))


def test_edg_11_the_steps_are_a_setting_and_a_ruling_names_those_in_force(book: Book) -> None:
    scribe(book).write(ChangeSettings(system="edge", values={"injuries": "scratch,serious"}))
    played = play(book, Lessen(who="mara", severity="serious"))
    assert played["settings"] == {"injuries": ["scratch", "serious"], "burn-at-zero": "off"}
    assert edge(book, score="injury.scratch") == 1


def test_edg_12_a_short_rest_gives_one_edge_and_a_long_one_all(book: Book) -> None:
    assert kinds(book, Rest(who="mara", kind="long")) == []
    scribe(book).write(Adjust(who="mara", amounts={"edge/edge": -3}, why="x"))
    play(book, Rest(who="mara", kind="short"))
    assert edge(book) == 2
    assert kinds(book, Rest(who="mara", kind="long")) == ["edge-gained"]
    assert edge(book) == 4


def test_edg_13_an_award_is_up_to_the_maximum(book: Book) -> None:
    scribe(book).write(Adjust(who="mara", amounts={"edge/edge": -2}, why="x"))
    assert rules.award(amount=2, current=2, maximum=4) == 4
    play(book, Award(who="mara", amount=2, why="the way out"))
    assert edge(book) == 4


def test_edg_14_a_burn_takes_one_of_the_current_and_one_of_the_maximum_for_good(book: Book) -> None:
    assert kinds(book, Burn(who="mara", against="the fall")) == ["edge-burned"]
    assert (edge(book), edge(book, score="maximum"), book.mark("mara", "edge/care")) == (3, 3, True)
    play(book, Rest(who="mara", kind="long"))
    assert edge(book) == 3


def test_edg_14_a_burn_needs_edge_unless_a_setting_lets_it_take_the_maximum_alone(book: Book) -> None:
    scribe(book).write(Adjust(who="mara", amounts={"edge/edge": -4}, why="so"))
    with pytest.raises(Refused, match="costs 1 edge, but the character has none") as refused:
        play(book, Burn(who="mara", against="the fall"))
    assert refused.value.hint == "To allow burns without edge: campaign settings edge burn-at-zero=on"
    scribe(book).write(ChangeSettings(system="edge", values={"burn-at-zero": "on"}))
    assert kinds(book, Burn(who="mara", against="the fall")) == ["edge-burned"]
    assert (edge(book), edge(book, score="maximum"), book.mark("mara", "edge/care")) == (0, 3, True)
    scribe(book).write(Adjust(who="mara", amounts={"edge/maximum": -3}, why="so"))
    with pytest.raises(Refused, match="the maximum is already 0"):
        play(book, Burn(who="mara", against="the fall"))
    assert rules.edge_burn(current=2, maximum=3, at_zero=True) == rules.BurnOutcome(current=1, maximum=2)


def above_the_maximum(book: Book) -> None:
    """Mara has 5 edge of 5; of her maximum 3 points are taken back, and the GM lets the edge stand."""
    gift = scribe(book).write(Adjust(who="mara", amounts={"edge/maximum": 3}, why="x")).entries[0].seq
    scribe(book).write(Adjust(who="mara", amounts={"edge/maximum": -2, "edge/edge": 1}, why="x"))
    done = scribe(book).write(Void(strikes=gift, why="so"))
    question = next(entry.seq for entry in done.entries if entry.type == "limit-crossed")
    scribe(book).write(Decide(question=question, choice="stand", why="so", inputs={}, faces=None, cascade=False))


def test_edg_15_what_the_gm_let_stand_above_the_maximum_stays_in_a_rest_and_can_be_burned(book: Book) -> None:
    above_the_maximum(book)
    assert (edge(book), edge(book, score="maximum")) == (5, 2)
    for kind in ("short", "long"):
        assert kinds(book, Rest(who="mara", kind=kind)) == []
    play(book, Burn(who="mara", against="the fall"))
    assert (edge(book), edge(book, score="maximum")) == (4, 1)
    play(book, Burn(who="mara", against="the fall"))
    with pytest.raises(Refused, match="the maximum is already 0"):
        play(book, Burn(who="mara", against="the fall"))
    with pytest.raises(Refused, match="above the maximum"):
        play(book, Award(who="mara", amount=1, why="the way out"))


def test_a_target_that_the_gm_keeps_secret_stands_nowhere_in_the_entry(book: Book) -> None:
    done = scribe(book).write(
        PlayMove(system="edge", move=Check(who="mara", skill=11, target=1234, secret=True)), faces=(7, 6)
    )
    played = last(done, "move-played")
    for told in (played["inputs"]["target"], played["verdict"]["margin"], played["steps"][1]["numbers"][1]):
        assert list(told) == ["secret"]
    stored = b"".join(entry.stored for entry in done.entries)
    assert b"1234" not in stored
    assert b"1210" not in stored


@pytest.mark.parametrize(
    "refused",
    [
        lambda: rules.award(amount=0, current=0, maximum=1),
        lambda: rules.award(amount=1, current=1, maximum=1),
        lambda: rules.lessen_injury(severity="deadly"),
        lambda: rules.rest(kind="short", current=2, maximum=1),
    ],
)
def test_edg_15_a_rule_refuses_impossible_numbers_by_itself(refused: Callable[[], object]) -> None:
    with pytest.raises(Refused):
        refused()


def test_every_move_is_one_that_the_module_lists() -> None:
    own = {
        Check,
        Grant,
        Attack,
        AttackRoll,
        DamageRoll,
        Damage,
        Soak,
        Wear,
        Degrade,
        Heal,
        Injure,
        Lessen,
        Rest,
        Award,
        Burn,
    }
    assert own == set(moves.MOVES)
