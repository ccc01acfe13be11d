"""Edge: an attack as one action: what follows from each ruling, where it stops, and how corrections treat its parts."""

from collections.abc import Mapping

import pytest

from edge_table import edge, has, play
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, SetMarks
from ledger.commands.play import PlayMove, resumed_move
from ledger.corrections.answers import AcceptOffer, Choose
from ledger.corrections.seals import Sealed
from ledger.corrections.undoing import Amend, Redo, Undo, Void
from ledger.errors import BadInput, LedgerError, OnceDiffers, Refused
from ledger.events.subjects import OFFER
from ledger.journal.book import Book
from ledger.rules.move import Move
from ledger.scribe import Written
from ledger.systems.edge.moves import Wear
from ledger.systems.edge.moves_fights import Attack, AttackRoll, Damage, DamageRoll, Soak
from projections.sheets import sheet
from table import TODAY, last, scribe

GO_ON = Attack(who="mara", go_on=True)
SHOT = Attack(who="mara", weapon="pistol", whom="brak", skill=11)


@pytest.fixture
def armed(book: Book) -> Book:
    """Mara has a pistol and no edge, so that nothing is offered."""
    has(book, weapon__pistol="2d6+4", weapon__smg="2d6+4,burst=1,skill=deception", on__deception="cunning,presence")
    scribe(book).write(Adjust(who="mara", amounts={"edge/edge": -4}, why="tired"))
    return book


def attack(book: Book, move: Move, *faces: int) -> Written:
    return scribe(book).write(PlayMove(system="edge", move=move), faces=faces or None)


def played(done: Written) -> dict[str, str]:
    return {entry.body["move"]: entry.body["verdict"]["says"] for entry in done.entries if entry.type == "move-played"}


def seq_of(done: Written, move: str) -> int:
    return next(entry.seq for entry in done.entries if entry.body.get("move") == move)


def sound(book: Book) -> bool:
    verify(book)
    return audit(book, TODAY).findings == ()


def take(book: Book, chosen: Mapping[str, int], *faces: int) -> Written:
    return scribe(book).write(AcceptOffer(ruling=int(book.mark("mara", OFFER)), chosen=chosen), faces=faces or None)


def choose(book: Book, asked: Written, drop: int, *faces: int) -> Written:
    choice = Choose(question=seq_of(asked, "attack-roll"), chosen={"drop": drop})
    return scribe(book).write(choice, faces=faces or None)


def with_edge(book: Book) -> None:
    scribe(book).write(Adjust(who="mara", amounts={"edge/edge": 2}, why="rested"))


def test_edg_09_an_attack_is_check_damage_and_armor_in_one_action(armed: Book) -> None:
    done = attack(armed, SHOT, 7, 6, 6, 5)
    assert played(done) == {
        "attack": "attacks brak with pistol",
        "attack-roll": "marginal success",
        "damage-roll": "15 damage",
        "soak": "11 of 15 damage passes",
    }
    assert {entry.act for entry in done.entries} == {done.entries[0].seq}
    assert edge(armed, "brak", "damage.physical") == 11
    assert sound(armed)


def test_edg_09_a_miss_ends_the_attack_and_a_good_hit_adds_dice(armed: Book) -> None:
    assert list(played(attack(armed, SHOT, 2, 3))) == ["attack", "attack-roll"]
    burst = SHOT.replace(weapon="smg", skill=None, burst=True)
    assert played(attack(armed, burst, 5, 5, 1, 1, 1, 1, 1))["damage-roll"] == "9 damage"
    assert armed.mark("mara", "edge/attacking")["rolled"] is True
    attack(armed, SHOT, 2, 3)
    assert armed.mark("mara", "edge/attacking") is None
    assert sound(armed)


def test_edg_09_an_attack_stops_at_an_offer_and_goes_on(armed: Book) -> None:
    with_edge(armed)
    high = SHOT.replace(advantage=("high ground",))
    assert list(played(attack(armed, high, 7, 3, 8))) == ["attack", "attack-roll"]
    assert played(attack(armed, GO_ON, 6, 5, 4)) == {"attack": "goes on", "damage-roll": "19 damage"}
    done = take(armed, {"boost": 1}, 6)
    assert played(done)["damage-roll"] == "25 damage"
    assert played(done)["soak"] == "18 of 25 damage passes"
    assert sound(armed)
    with pytest.raises(Refused, match="mara has no unfinished attack"):
        attack(armed, GO_ON)
    for _ in range(3):
        scribe(armed).write(Undo())
    scribe(armed).write(Redo())
    assert sound(armed)


def test_edg_04_edg_09_an_attack_goes_on_in_the_action_that_chooses_a_face(armed: Book) -> None:
    with_edge(armed)
    scribe(armed).write(Adjust(who="mara", amounts={"edge/edge": -1}, why="tired"))
    asked = attack(armed, SHOT.replace(edge=True), 7, 3, 7)
    assert asked.entries[-2].type == "question-asked"
    done = choose(armed, asked, 3, 6, 6, 6, 6)
    assert played(done) == {
        "attack-roll": "complete success",
        "damage-roll": "28 damage",
        "soak": "20 of 28 damage passes",
    }
    assert {entry.act for entry in done.entries} == {done.entries[0].seq}
    assert sound(armed)


def test_edg_04_edg_09_an_attack_goes_on_in_the_action_that_names_another_die_after_them(armed: Book) -> None:
    with_edge(armed)
    attack(armed, SHOT.replace(advantage=("map",)), 3, 9, 3)
    assert list(played(take(armed, {"drop_instead": 9}))) == ["attack", "attack-roll"]
    assert armed.mark("mara", "edge/attacking") is None
    attack(armed, SHOT.replace(advantage=("map",), target=10), 3, 9, 3)
    done = take(armed, {"drop_instead": 9}, 5, 6, 1, 1)
    assert played(done)["soak"] == "12 of 17 damage passes"
    assert {entry.act for entry in done.entries} == {done.entries[0].seq}
    assert sound(armed)


def test_edg_09_dice_of_the_computer_go_on_by_themselves_and_typed_ones_wait_for_typed_ones(armed: Book) -> None:
    assert list(played(attack(armed, SHOT.replace(target=0)))) == ["attack", "attack-roll", "damage-roll", "soak"]
    assert list(played(attack(armed, SHOT, 7, 6))) == ["attack", "attack-roll"]
    assert played(attack(armed, GO_ON, 6, 5)) == {
        "attack": "goes on",
        "damage-roll": "15 damage",
        "soak": "11 of 15 damage passes",
    }
    with_edge(armed)
    asked = attack(armed, SHOT.replace(edge=True), 7, 3, 7)
    assert list(played(choose(armed, asked, 3))) == ["attack-roll"]
    assert list(played(attack(armed, GO_ON))) == ["attack", "damage-roll"]
    assert list(played(attack(armed, GO_ON))) == ["attack", "soak"]
    asked = attack(armed, SHOT.replace(edge=True, target=0))
    face = asked.entries[1].body["dice"][0]["face"]
    assert list(played(choose(armed, asked, face))) == ["attack-roll", "damage-roll", "soak"]
    assert sound(armed)


def test_edg_09_dice_that_lie_are_kept_where_the_armor_that_was_worn_is_gone(armed: Book) -> None:
    has(armed, "brak", armor__vest="5/5")
    attack(armed, Wear(who="brak", armor="vest"))
    has(armed, "brak", armor__vest="none")
    done = attack(armed, SHOT.replace(target=0))
    assert list(played(done)) == ["attack", "attack-roll", "damage-roll"]
    waits = resumed_move(armed, seq_of(done, "damage-roll"))
    assert waits is not None
    assert (waits.words, waits.pool) == ("edge attack mara --go-on", None)
    assert waits.refused == "brak has no armor called vest on the sheet."
    has(armed, "brak", armor__vest="5/5")
    assert list(played(attack(armed, GO_ON))) == ["attack", "soak"]
    assert sound(armed)


def test_what_followed_from_a_choice_falls_with_it_and_is_kept_when_a_part_is_amended(armed: Book) -> None:
    with_edge(armed)
    scribe(armed).write(Adjust(who="mara", amounts={"edge/edge": -1}, why="tired"))
    asked = attack(armed, SHOT.replace(edge=True), 7, 3, 7)
    choose(armed, asked, 3, 6, 6, 6, 6)
    scribe(armed).write(Undo())
    assert armed.questions() == [seq_of(asked, "attack-roll")]
    done = choose(armed, asked, 3, 6, 6, 6, 6)
    for move, inputs, taken in (
        ("attack-roll", {"target": 19}, 20),
        ("damage-roll", {"modifier": 9}, 24),
        ("soak", {"armor": "none"}, 28),
    ):
        scribe(armed).write(Amend(named=seq_of(done, move), inputs=inputs, faces=None, cascade=False, why="so"))
        assert edge(armed, "brak", "damage.physical") == taken
        assert sound(armed)
        scribe(armed).write(Undo())
    scribe(armed).write(Void(strikes=asked.entries[0].seq, why="so"))
    assert edge(armed, "brak", "damage.physical") == 0
    assert armed.questions() == []
    assert sound(armed)


def test_edge_on_the_damage_that_followed_from_a_choice_plays_it_again_and_goes_on(armed: Book) -> None:
    with_edge(armed)
    asked = attack(armed, SHOT.replace(edge=True), 7, 3, 7)
    done = choose(armed, asked, 3, 6, 6, 6, 6)
    assert list(played(done)) == ["attack-roll", "damage-roll"]
    done = take(armed, {"boost": 1}, 1)
    assert played(done)["soak"] == "21 of 29 damage passes"
    assert edge(armed) == 0
    assert sound(armed)
    scribe(armed).write(Undo())
    assert (edge(armed), edge(armed, "brak", "damage.physical")) == (1, 0)
    assert sound(armed)


def test_the_same_choice_under_the_same_id_is_written_once(armed: Book) -> None:
    with_edge(armed)
    attack(armed, SHOT.replace(advantage=("map",), target=10), 3, 9, 3)
    chosen = AcceptOffer(ruling=int(armed.mark("mara", OFFER)), chosen={"drop_instead": 9})
    for again in (False, True):
        assert scribe(armed).write(chosen, faces=[5, 6, 1, 1], once="a").again is again
    with pytest.raises(OnceDiffers, match="drop_instead"):
        scribe(armed).write(chosen.replace(chosen={"drop_instead": 3}), faces=[5, 6, 1, 1], once="a")


@pytest.mark.parametrize(
    ("move", "error"),
    [
        (Attack(who="mara"), BadInput),
        (Attack(who="mara", go_on=True), Refused),
        (SHOT.replace(go_on=True), BadInput),
        (Attack(who="mara", go_on=True, edge=True), BadInput),
        (SHOT.replace(drop=3), Refused),
        (SHOT.replace(skill=None), Refused),
        (SHOT.replace(burst=True), Refused),
        (SHOT.replace(bonus=1), BadInput),
        (SHOT.replace(weapon="bow"), Refused),
        (AttackRoll(who="mara", skill=11), BadInput),
        (DamageRoll(who="mara", item="pistol", to="brak"), Refused),
    ],
)
def test_edg_09_what_is_no_attack_is_refused_and_nothing_is_written(
    armed: Book, move: Move, error: type[LedgerError]
) -> None:
    head = armed.journal.head()
    with pytest.raises(error):
        attack(armed, move)
    assert armed.journal.head() == head


def test_an_attack_leads_to_other_moves_and_is_not_sealed(armed: Book) -> None:
    with pytest.raises(Refused, match="leads to other rolls"):
        scribe(armed).write(Sealed(command=PlayMove(system="edge", move=SHOT), until=None, unseen=False))


def test_undo_and_void_take_back_the_whole_attack(armed: Book) -> None:
    for correction in (Undo(), None):
        done = attack(armed, SHOT, 7, 6, 6, 5)
        scribe(armed).write(correction or Void(strikes=done.entries[0].seq, why="so"))
        assert edge(armed, "brak", "damage.physical") == 0
        assert armed.mark("mara", "edge/attacking") is None
        assert sound(armed)


@pytest.mark.parametrize(
    ("move", "inputs", "taken"),
    [
        ("attack-roll", {"skill": 12}, 11),
        ("attack", {"skill": 12}, 11),
        ("attack-roll", {"target": 24}, 11),
        ("damage-roll", {"modifier": 7}, 13),
        ("soak", {"armor": "none"}, 15),
    ],
)
def test_each_part_of_an_attack_can_be_amended(armed: Book, move: str, inputs: dict[str, object], taken: int) -> None:
    done = attack(armed, SHOT, 7, 6, 6, 5)
    scribe(armed).write(Amend(named=seq_of(done, move), inputs=inputs, faces=None, cascade=False, why="so"))
    assert edge(armed, "brak", "damage.physical") == taken
    assert sound(armed)
    again = next(entry.seq for entry in reversed(list(armed.journal.entries())) if entry.body.get("move") == "soak")
    scribe(armed).write(Amend(named=again, inputs={"threshold": 99}, faces=None, cascade=False, why="so"))
    assert sound(armed)


def test_a_hit_that_becomes_a_miss_takes_its_damage_along(armed: Book) -> None:
    done = attack(armed, SHOT, 7, 6, 6, 5)
    scribe(armed).write(
        Amend(named=seq_of(done, "attack-roll"), inputs={"target": 40}, faces=None, cascade=False, why="so")
    )
    assert (edge(armed, "brak", "damage.physical"), armed.questions()) == (0, [])
    assert sound(armed)


def test_a_miss_that_becomes_a_hit_goes_on(armed: Book) -> None:
    done = attack(armed, SHOT, 2, 3)
    scribe(armed).write(
        Amend(named=seq_of(done, "attack-roll"), inputs={"target": 10}, faces=None, cascade=False, why="so")
    )
    assert last(attack(armed, Attack(who="mara", go_on=True), 6, 6, 1), "damage-soaked")["facts"]["damage"] == 12
    assert sound(armed)
    assert play(armed, Soak(who="brak", damage=1))["verdict"]["says"] == "stopped (1 under 15)"


# What waits is not lost


def test_edg_09_damage_that_waits_for_armor_is_not_replaced_by_another_hit(armed: Book) -> None:
    hit = Damage(who="mara", item="pistol", to="brak")
    scribe(armed).write(PlayMove(system="edge", move=hit), faces=(6, 6))
    for move in (hit, SHOT):
        with pytest.raises(Refused, match="16 damage from mara must still be checked against brak's armor"):
            scribe(armed).write(PlayMove(system="edge", move=move), faces=(6, 6))
    scribe(armed).write(PlayMove(system="edge", move=Soak(who="brak")))
    assert scribe(armed).write(PlayMove(system="edge", move=hit), faces=(6, 6))


def test_edg_09_a_hit_that_waits_for_its_damage_is_not_replaced_by_another_attack(armed: Book) -> None:
    attack(armed, SHOT, 7, 6)
    with pytest.raises(Refused, match="mara hit brak and has not rolled the damage yet") as refused:
        attack(armed, SHOT, 7, 6)
    assert "attack mara --go-on" in refused.value.hint
    (waits,) = [row.value for row in sheet(armed, "mara", "edge").rows if row.label == "attack"]
    assert waits.startswith("hit brak with pistol; damage not rolled yet")
    scribe(armed).write(SetMarks(who="mara", values={"edge/attacking": "none"}, why="no"))
    attack(armed, SHOT, 7, 6)


def test_edg_08_edg_09_a_row_says_what_waits_for_damage_and_the_dice_of_the_margin(armed: Book) -> None:
    attack(armed, SHOT, 10, 9)
    for says in (
        "hit brak with pistol; damage not rolled yet, 2d6 extra damage",
        "2d6 extra damage",
    ):
        found = sheet(armed, "mara", "edge")
        assert [row.value for row in found.rows if row.label == "attack"] == [says]
        assert {"attacking", "attack-dice"}.isdisjoint(found.bare), "the row says both"
        scribe(armed).write(SetMarks(who="mara", values={"edge/attacking": "none"}, why="no"))


def test_what_waits_for_armor_stands_on_the_sheet(armed: Book) -> None:
    hit = Damage(who="mara", item="pistol", to="brak")
    scribe(armed).write(PlayMove(system="edge", move=hit), faces=(6, 6))
    rows = {row.label: row.value for row in sheet(armed, "brak", "edge").rows}
    assert rows["incoming damage"] == "16 physical from mara, not yet checked against armor"
