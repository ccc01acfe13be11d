"""Edge: an attack as one action: what follows from each ruling, where it stops, and how corrections treat its parts."""

import pytest

from edge_table import edge, has, play
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.play import PlayMove
from ledger.commands.table import Adjust
from ledger.corrections.answers import Choose, Take
from ledger.corrections.commands import Amend, Redo, Undo, Void
from ledger.corrections.seals import Sealed
from ledger.errors import BadInput, LedgerError, Refused
from ledger.events.subjects import OFFER
from ledger.journal.book import Book
from ledger.rules.move import Move
from ledger.scribe import Written
from ledger.systems.edge.moves_attack import Attack, Blow, Wound
from ledger.systems.edge.moves_fights import Soak
from table import TODAY, last, scribe

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


def with_edge(book: Book) -> None:
    scribe(book).write(Adjust(who="mara", amounts={"edge/edge": 2}, why="rested"))


def test_edg_09_an_attack_is_check_damage_and_armor_in_one_action(armed: Book) -> None:
    done = attack(armed, SHOT, 7, 6, 6, 5)
    assert played(done) == {
        "attack": "attacks brak with pistol",
        "blow": "marginal success",
        "wound": "15 damage",
        "soak": "11 of 15 damage passes",
    }
    assert {entry.act for entry in done.entries} == {done.entries[0].seq}
    assert edge(armed, "brak", "damage.physical") == 11
    assert sound(armed)


def test_edg_09_a_miss_ends_the_attack_and_a_good_hit_adds_dice(armed: Book) -> None:
    assert list(played(attack(armed, SHOT, 2, 3))) == ["attack", "blow"]
    burst = SHOT.replace(weapon="smg", skill=None, burst=True)
    assert played(attack(armed, burst, 5, 5, 1, 1, 1, 1, 1))["wound"] == "9 damage"
    assert armed.mark("mara", "edge/attacking")["rolled"] is True
    attack(armed, SHOT, 2, 3)
    assert armed.mark("mara", "edge/attacking") is None
    assert sound(armed)


def test_edg_09_an_attack_stops_at_an_offer_and_goes_on(armed: Book) -> None:
    with_edge(armed)
    high = SHOT.replace(advantage=("high ground",))
    assert list(played(attack(armed, high, 7, 3, 8))) == ["attack", "blow"]
    go_on = Attack(who="mara", go_on=True)
    assert played(attack(armed, go_on, 6, 5, 4)) == {"attack": "goes on", "wound": "19 damage"}
    offered = int(armed.mark("mara", OFFER))
    scribe(armed).write(Take(ruling=offered, chosen={"boost": 1}), faces=[6])
    assert played(attack(armed, go_on)) == {"attack": "goes on", "soak": "18 of 25 damage passes"}
    assert sound(armed)
    with pytest.raises(Refused, match="No damage waits for brak"):
        attack(armed, go_on)
    for _ in range(4):
        scribe(armed).write(Undo())
    scribe(armed).write(Redo())
    assert sound(armed)


def test_edg_04_edg_09_a_choice_of_a_face_counts_for_the_damage_that_follows(armed: Book) -> None:
    with_edge(armed)
    asked = attack(armed, SHOT.replace(edge=True), 7, 3, 7)
    assert asked.entries[-2].type == "question-asked"
    scribe(armed).write(Choose(question=seq_of(asked, "blow"), chosen={"drop": 3}))
    assert played(attack(armed, Attack(who="mara", go_on=True), 1, 1, 1, 1))["wound"] == "8 damage"
    attack(armed, SHOT.replace(advantage=("map",)), 9, 3, 3)
    scribe(armed).write(Take(ruling=int(armed.mark("mara", OFFER)), chosen={"drop_instead": 9}))
    assert armed.mark("mara", "edge/attacking") is None
    with pytest.raises(Refused, match="No attack of mara waits"):
        attack(armed, Attack(who="mara", go_on=True))
    assert sound(armed)


@pytest.mark.parametrize(
    ("move", "error"),
    [
        (Attack(who="mara"), BadInput),
        (Attack(who="mara", go_on=True), Refused),
        (SHOT.replace(go_on=True), BadInput),
        (SHOT.replace(skill=None), Refused),
        (SHOT.replace(burst=True), Refused),
        (SHOT.replace(bonus=1), BadInput),
        (SHOT.replace(weapon="bow"), Refused),
        (Blow(who="mara", skill=11), BadInput),
        (Wound(who="mara", item="pistol", to="brak"), Refused),
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
    with pytest.raises(Refused, match="leads to others"):
        scribe(armed).write(Sealed(said=PlayMove(system="edge", move=SHOT), until=None, unseen=False))


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
        ("attack", {"skill": 12}, 11),
        ("blow", {"skill": 12}, 11),
        ("blow", {"target": 24}, 11),
        ("wound", {"modifier": 7}, 13),
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
    scribe(armed).write(Amend(named=seq_of(done, "blow"), inputs={"target": 40}, faces=None, cascade=False, why="so"))
    assert (edge(armed, "brak", "damage.physical"), armed.questions()) == (0, [])
    assert sound(armed)


def test_a_miss_that_becomes_a_hit_goes_on(armed: Book) -> None:
    done = attack(armed, SHOT, 2, 3)
    scribe(armed).write(Amend(named=seq_of(done, "blow"), inputs={"target": 10}, faces=None, cascade=False, why="so"))
    assert last(attack(armed, Attack(who="mara", go_on=True), 6, 6, 1), "damage-soaked")["facts"]["damage"] == 12
    assert sound(armed)
    assert play(armed, Soak(who="brak", damage=1))["verdict"]["says"] == "stopped (1 under 15)"
