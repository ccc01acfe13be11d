"""Edge: what edge may still do after the dice, and which moves end that."""

import pytest

from edge_table import edge, has, kinds, play
from ledger.audit.report import audit
from ledger.commands.play import PlayMove
from ledger.corrections.answers import AcceptOffer, Choose
from ledger.corrections.questions import is_offer_open
from ledger.corrections.undoing import Amend, Undo, Void
from ledger.errors import NotEnough, OutOfRange, Refused, UnknownName, WrongFaces
from ledger.events.subjects import OFFER
from ledger.events.types import MovePlayed
from ledger.journal.book import Book
from ledger.rules.move import Move, Table
from ledger.scribe import Written
from ledger.systems.edge import audit as checks
from ledger.systems.edge.moves import Award, Degrade, Heal, Injure, Rest, Wear
from ledger.systems.edge.moves_check import Check, Grant
from ledger.systems.edge.moves_fights import Damage, Soak
from table import TODAY, last, scribe

HIGH = Check(who="mara", skill=11, advantage=("high ground",))


def offer(book: Book) -> int:
    return int(book.mark("mara", OFFER))


def take(book: Book, faces: tuple[int, ...] | None = None, **chosen: int) -> Written:
    return scribe(book).write(AcceptOffer(ruling=offer(book), chosen=chosen), faces=faces)


def test_edg_04_after_plain_advantage_one_edge_names_the_die_to_drop_and_the_dice_stay(book: Book) -> None:
    assert play(book, HIGH, (7, 3, 7))["verdict"]["margin"] == 10
    assert play(book, HIGH, (3, 9, 3))["verdict"]["margin"] == 3
    done = take(book, drop_instead=9)
    played = last(done, "move-played")
    assert (played["verdict"]["margin"], edge(book)) == (-8, 3)
    assert [die["face"] for die in played["dice"]] == [3, 9, 3]
    assert [die["dropped"] for die in played["dice"]] == [None, "named", None]
    assert book.mark("mara", OFFER) is None
    assert audit(book, TODAY).findings == ()


def test_edg_04_a_face_that_was_not_thrown_is_refused_also_after_the_dice(book: Book) -> None:
    play(book, HIGH, (7, 3, 8))
    with pytest.raises(Refused, match="No die shows 9"):
        take(book, drop_instead=9)
    take(book, drop_instead=8)
    assert edge(book) == 3


def test_edg_04_the_die_that_is_dropped_already_costs_no_edge(book: Book) -> None:
    before = edge(book)
    play(book, HIGH, (7, 3, 8))
    with pytest.raises(Refused, match="The die that shows 3 is already dropped"):
        take(book, drop_instead=3)
    assert edge(book) == before


@pytest.mark.parametrize(
    ("move", "faces"),
    [
        (Check(who="mara", skill=11), (7, 6)),
        (HIGH.replace(disadvantage=("rain",)), (7, 6)),
        (Check(who="mara", skill=11, disadvantage=("rain",)), (7, 6, 1)),
        (HIGH.replace(edge=True, drop=1), (7, 6, 1)),
        (HIGH.replace(who="brak", skill=1), (7, 6, 1)),
        (HIGH, (4, 4, 4)),
    ],
)
def test_edg_04_nothing_else_is_offered_after_the_dice(book: Book, move: Move, faces: tuple[int, ...]) -> None:
    scribe(book).write(PlayMove(system="edge", move=Rest(who="mara", kind="long")))
    has(book, "brak", care="no")
    if move.who == "brak":
        play(book, Check(who="brak", skill=20, edge=True, drop=1), (7, 6, 1))
    play(book, move, faces)
    assert book.mark(move.who, OFFER) is None


def test_edg_04_edge_after_the_dice_is_no_input_of_a_first_throw(book: Book) -> None:
    with pytest.raises(Refused, match="chosen between the roll and"):
        play(book, HIGH.replace(drop_instead=3), (7, 3, 8))


def test_edg_09_edge_after_the_dice_adds_d6s_and_only_they_are_thrown(book: Book) -> None:
    has(book, weapon__pistol="2d6+4")
    play(book, Damage(who="mara", item="pistol", to="brak"), (3, 3))
    played = last(take(book, (6, 5), boost=2), "move-played")
    assert (played["verdict"]["says"], [die["face"] for die in played["dice"]]) == ("21 damage", [3, 3, 6, 5])
    assert (edge(book), book.mark("brak", "edge/dealt")["damage"], book.mark("mara", OFFER)) == (2, 21, None)
    play(book, Soak(who="brak"))
    assert edge(book, "brak", "damage.physical") == 15
    assert audit(book, TODAY).findings == ()


def test_edg_09_more_edge_than_there_is_is_refused_and_nothing_is_thrown(book: Book) -> None:
    play(book, Damage(who="mara", weapon=1, modifier=0, edge=3), (1, 1, 1, 1))
    with pytest.raises((NotEnough, OutOfRange, WrongFaces)):
        take(book, (6, 5), boost=2)
    assert edge(book) == 1
    take(book, (6,), boost=1)
    assert edge(book) == 0


def test_edg_09_what_a_ruling_does_not_offer_is_refused_and_nothing_is_written(book: Book) -> None:
    play(book, Damage(who="mara", weapon=1, modifier=0), [3])
    ruling, head = offer(book), book.head()
    with pytest.raises(Refused, match=f"#{ruling} does not offer --drop-instead"):
        scribe(book).write(AcceptOffer(ruling=ruling, chosen={"drop_instead": 3}))
    assert book.head() == head


@pytest.mark.parametrize("ends", [Soak(who="brak"), Soak(who="brak", damage=3)])
def test_edg_09_the_offer_ends_when_the_damage_is_soaked(book: Book, ends: Move) -> None:
    play(book, Damage(who="mara", weapon=1, modifier=4, to="brak"), [3])
    ruling = offer(book)
    play(book, ends)
    with pytest.raises(Refused, match="has expired"):
        scribe(book).write(AcceptOffer(ruling=ruling, chosen={"boost": 1}), faces=[3])
    scribe(book).write(Undo())
    take(book, (3,), boost=1)
    assert book.mark("brak", "edge/dealt")["damage"] == 10


@pytest.mark.parametrize(
    "move",
    [
        Grant(who="mara", what="advantage", why="x"),
        Injure(who="mara", severity="minor", why="x"),
        Soak(who="mara", damage=3),
        Degrade(who="mara", armor="vest", threshold=1, why="x"),
        Heal(who="mara", kind="stun", amount=1, why="x"),
    ],
)
def test_edg_04_edg_09_moves_of_the_gm_end_no_offer(book: Book, move: Move) -> None:
    has(book, armor__vest="5/5")
    play(book, Soak(who="mara", damage=9, kind="stun"))
    for first, faces, chosen in (
        (HIGH, (7, 3, 8), {"drop_instead": 8}),
        (Damage(who="mara", weapon=1, modifier=1), (2,), {}),
    ):
        play(book, first, faces)
        play(book, move)
        take(book, None if chosen else (4,), **(chosen or {"boost": 1}))
    assert edge(book) == 2


def test_a_move_of_the_gm_that_waits_for_a_choice_ends_no_offer(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    play(book, HIGH, (7, 3, 8))
    ruling = offer(book)
    monkeypatch.setattr(Check, "by_gm", True)
    asked = scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True)))
    assert last(asked, "question-asked")["asks"] == ["drop"]
    assert offer(book) == ruling


@pytest.mark.parametrize(
    ("between", "is_open"),
    [(Grant(who="mara", what="advantage", why="x"), True), (Rest(who="mara", kind="short"), False)],
)
def test_an_offer_of_an_amendment_is_open_until_the_next_move_of_the_character(
    book: Book, between: Move, is_open: bool
) -> None:
    done = scribe(book).write(PlayMove(system="edge", move=HIGH.replace(edge=True, drop=3)), faces=(7, 3, 8))
    play(book, between)
    amended = Amend(
        named=done.entries[1].seq, inputs={"edge": False, "drop": None}, faces=None, cascade=False, why="not spent"
    )
    scribe(book).write(amended)
    assert is_offer_open(book, book.entry(offer(book))) is is_open


def test_a_redone_offer_stays_ended_by_a_move_that_was_played_while_it_was_undone(book: Book) -> None:
    play(book, HIGH, (7, 3, 8))
    ruling = offer(book)
    strike = scribe(book).write(Undo()).entries[0].seq
    play(book, Rest(who="mara", kind="short"))
    scribe(book).write(Void(strikes=strike, why="it counts"))
    assert offer(book) == ruling
    assert not is_offer_open(book, book.entry(ruling))


@pytest.mark.parametrize(
    "move", [Wear(who="mara", armor="none"), Award(who="mara", amount=1, why="x"), Rest(who="mara", kind="short")]
)
def test_edg_04_the_next_move_of_the_character_ends_the_offer(book: Book, move: Move) -> None:
    play(book, Check(who="mara", skill=11, edge=True, drop=3), (7, 3, 7))
    play(book, HIGH, (7, 3, 8))
    ruling = offer(book)
    kinds(book, move)
    with pytest.raises(Refused, match="has expired"):
        scribe(book).write(AcceptOffer(ruling=ruling, chosen={"drop_instead": 8}))
    with pytest.raises((Refused, UnknownName)):
        scribe(book).write(Choose(question=ruling, chosen={"drop": 8}))


def test_edg_04_edge_after_the_dice_is_for_plain_advantage_alone(book: Book) -> None:
    table = Table("edge", lambda who, name: 4, {})
    with pytest.raises(Refused, match="only if the check had advantage"):
        HIGH.replace(disadvantage=("rain",), drop_instead=3, not_related=True, why="x").dice(table)


def test_edg_04_the_audit_finds_edge_after_dice_that_did_not_lie_yet(book: Book) -> None:
    done = scribe(book).write(PlayMove(system="edge", move=HIGH), faces=(7, 3, 8))
    played = next(entry for entry in done.entries if entry.type == "move-played")
    assert isinstance(played.event, MovePlayed)
    forged = played.with_event(played.event.replace(inputs={**played.event.inputs, "drop_instead": 3}))
    assert [seq for seq, _ in checks.EarlyInputsCheck().check([forged], [])] == [played.seq]
    assert [seq for seq, _ in checks.CostsCheck().check([forged], [])] == [played.seq]
