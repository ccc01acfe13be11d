"""Who plays: non-player characters until the session closes, and characters that leave and come back."""

from collections.abc import Iterator

import pytest

from audits import decided
from engine import connection_of
from ledger.audit.verify import verify
from ledger.commands.at_table import CloseSession, Join, OpenSession
from ledger.commands.days import NextDay
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.commands.seats import Leave, ReturnToTable, Seat, SeatNpcs
from ledger.corrections.undoing import Amend, Redo, Rewind, Undo, Void
from ledger.errors import Held, LedgerError, Nobody, Refused, WrongEntry
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.systems.edge.moves_check import Check
from table import check_refused, hashed_anew, opened_book, scribe
from tampering import fields, rewritten

EVENING = OpenSession(title="An evening", present=())
BANDITS = SeatNpcs(names=("bandit-1", "bandit-2"))
JOIN = Join(who="bandit-1", system="edge", scores={"maximum": 2})


@pytest.fixture
def book() -> Iterator[Book]:
    """A campaign with mara and brak, in its first session; what was done in it is whole, and is decided so again."""
    with opened_book(games=("edge",)) as book:
        write(book, EVENING)
        yield book
        verify(book)
        assert decided(book)[0] == []


def write(book: Book, *commands: Command) -> int:
    """Write commands; return the first entry of the last one."""
    return [scribe(book).write(command, faces=None).entries[0].seq for command in commands][-1]


def test_a_non_player_character_rolls_until_the_session_closes(book: Book) -> None:
    write(book, BANDITS, Roll(who="bandit-1", notation="d6"))
    assert book.cast() == ["bandit-1", "bandit-2", "brak", "mara"]
    write(book, CloseSession())
    assert book.cast() == ["brak", "mara"]
    with pytest.raises(Nobody):
        write(book, Roll(who="bandit-1", notation="d6"))
    write(book, EVENING)
    assert book.cast() == ["brak", "mara"]


def test_its_name_is_free_in_the_next_session(book: Book) -> None:
    write(book, BANDITS, CloseSession(), EVENING, SeatNpcs(names=("bandit-2",)))
    assert book.cast() == ["bandit-2", "brak", "mara"]


def test_its_sheet_goes_with_it_and_comes_back_with_it(book: Book) -> None:
    head = write(book, BANDITS, JOIN, PlayMove(system="edge", move=Check(who="bandit-1", skill=4)))
    assert ("bandit-1", "edge") in book.sheets()
    write(book, CloseSession())
    assert book.sheets() == [("brak", "edge"), ("mara", "edge")]
    assert "bandit-1" in book.cast(AsOf(seq=head))
    with pytest.raises(Nobody):
        write(book, PlayMove(system="edge", move=Check(who="bandit-1", skill=4)))
    write(book, EVENING, BANDITS)
    assert book.balance("bandit-1", "edge/maximum") == 2
    with pytest.raises(Refused, match="bandit-1 already has a sheet in edge"):
        write(book, JOIN)


def test_who_joins_without_a_seat_for_the_session_stays(book: Book) -> None:
    write(book, BANDITS, CloseSession(), JOIN)
    assert book.cast() == ["bandit-1", "brak", "mara"]


def test_a_session_that_is_open_again_has_its_non_player_characters(book: Book) -> None:
    write(book, BANDITS, CloseSession(), Undo())
    assert "bandit-1" in book.cast()


def test_a_rewind_leaves_who_plays_alone(book: Book) -> None:
    seated = write(book, BANDITS)
    write(book, Leave(who="bandit-1"), Leave(who="brak"), ReturnToTable(who="brak"), Roll(who="mara", notation="d6"))
    write(book, Rewind(to=seated - 1))
    assert book.cast() == ["bandit-2", "brak", "mara"]


def test_an_amended_sheet_of_a_non_player_character_still_goes_with_it(book: Book) -> None:
    joined = write(book, BANDITS, JOIN)
    write(
        book, CloseSession(), Amend(named=joined, inputs={"scores": {"maximum": 3}}, faces=None, cascade=False, why="x")
    )
    assert book.balance("bandit-1", "edge/maximum") == 3
    assert "bandit-1" not in book.cast()


def test_a_character_that_left_keeps_the_sheet_and_comes_back_with_it(book: Book) -> None:
    write(book, Leave(who="mara"))
    assert book.cast() == ["brak"]
    assert book.sheets() == [("brak", "edge")]
    with pytest.raises(Nobody):
        write(book, Roll(who="mara", notation="d6"))
    with pytest.raises(Refused, match="mara already has a sheet in edge") as refused:
        write(book, Join(who="mara", system="edge", scores={}))
    assert refused.value.hint == "Bring mara back with 'campaign join mara'."
    edge = book.balance("mara", "edge/maximum")
    write(book, ReturnToTable(who="mara"))
    assert book.cast() == ["brak", "mara"]
    assert book.balance("mara", "edge/maximum") == edge


def test_to_leave_and_to_return_can_be_undone_and_redone(book: Book) -> None:
    write(book, Leave(who="mara"), Undo())
    assert "mara" in book.cast()
    write(book, Redo())
    assert "mara" not in book.cast()
    write(book, ReturnToTable(who="mara"), Undo(), Redo())
    assert "mara" in book.cast()


def test_who_left_sees_no_dawn(book: Book) -> None:
    write(book, Join(who="brak", system="byzantine", scores={"output.workshop": 5}), Leave(who="brak"))
    done = scribe(book).write(NextDay(count=1, until=None))
    assert [entry.type for entry in done.entries] == ["day-begun"]


def test_a_non_player_character_that_left_may_come_again(book: Book) -> None:
    write(book, BANDITS, Leave(who="bandit-1"))
    assert book.cast() == ["bandit-2", "brak", "mara"]
    write(book, SeatNpcs(names=("bandit-1",)))
    assert "bandit-1" in book.cast()


REFUSED: list[tuple[str, list[Command], type[LedgerError], str]] = [
    ("no session", [CloseSession(), BANDITS], Refused, "No session is open."),
    ("a name twice in play", [SeatNpcs(names=("bandit-3", "mara"))], Refused, "The name mara is already taken."),
    ("the name of who left", [Leave(who="brak"), SeatNpcs(names=("brak",))], Refused, "brak is the name of a player's character."),
    ("the name of a character to come", [Seat(name="Ben", plays=("sam",), gm=False), SeatNpcs(names=("sam",))], Refused, "The name sam is already taken."),
    ("the character of a player who left", [Seat(name="Ben", plays=("sam",), gm=False), Leave(who="p3"), SeatNpcs(names=("sam",))], Refused, "sam is the name of a player's character."),
    ("no handle", [SeatNpcs(names=("Bandit",))], LedgerError, "Bandit"),
    ("a player for it", [BANDITS, Seat(name="Ben", plays=("bandit-1",), gm=False)], Refused, "bandit-1 is a non-player character, played by the GM."),
    ("who does not play leaves", [Leave(who="sam")], Nobody, "Nobody called 'sam'"),
    ("who is here returns", [ReturnToTable(who="mara")], Refused, "mara is already at the table."),
    ("who is held leaves", [PlayMove(system="edge", move=Check(who="mara", skill=4, edge=True)), Leave(who="mara")], Held, "mara"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "commands", "error", "says"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_cannot_be_is_refused(
    book: Book, what: str, commands: list[Command], error: type[LedgerError], says: str
) -> None:
    check_refused(book, commands, error, says)


def test_a_seat_in_the_cast_that_its_entry_does_not_speak_of_is_found() -> None:
    with opened_book(games=("edge",)) as book:
        seated = write(book, EVENING, BANDITS)
        mark = {"who": "#cast", "name": "bandit-1", "value": {"session": 2}}
        rewritten(seated, fields(marks=[mark]))(connection_of(book))
        hashed_anew(book.journal)
        with pytest.raises(WrongEntry, match="has stored values that do not match its content"):
            verify(book)


def test_a_void_of_its_seat_leaves_a_non_player_character_with_a_sheet_at_the_table(book: Book) -> None:
    seated = write(book, BANDITS)
    write(book, JOIN, Void(strikes=seated, why="x"))
    assert book.cast() == ["bandit-1", "brak", "mara"]
    write(book, CloseSession())
    assert book.cast() == ["brak", "mara"]
