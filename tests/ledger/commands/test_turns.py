"""Turns: an order from any numbers, whose turn it is, and what a game does when a turn begins."""

from collections.abc import Iterator

import pytest

from audits import decided
from ledger.audit.verify import verify
from ledger.commands.at_table import CloseSession, Join, OpenSession
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.commands.seats import Leave, SeatNpcs
from ledger.commands.turns import AddTurn, EndTurns, NextTurn, RollTurn, turn_order
from ledger.corrections.undoing import Amend, Redo, Rewind, Undo, Void
from ledger.errors import Held, LedgerError, Nobody, Refused
from ledger.events.subjects import CAMPAIGN, TURN
from ledger.journal.accounts import AsOf
from ledger.journal.book import AsOfBook, Book
from ledger.systems.edge.moves_check import Check
from ledger.systems.multicheck.moves import Afflict
from table import check_refused, every_game, opened_book, scribe

MARA, BRAK = AddTurn(who="mara", number=12), AddTurn(who="brak", number=15)
NPC = SeatNpcs(names=("guard",))
GUARD = AddTurn(who="guard", number=12)


@pytest.fixture
def book() -> Iterator[Book]:
    """A campaign whose cast plays every game, in a session; what is done in it is whole, and decided so again."""
    with every_game() as book:
        write(book, OpenSession(title="An evening", present=()))
        yield book
        verify(book)
        assert decided(book)[0] == []


def write(book: Book, *commands: Command, faces: tuple[int, ...] | None = None) -> int:
    """Write commands; return the last entry of the last one."""
    return [scribe(book).write(command, faces=faces).entries[-1].seq for command in commands][-1]


def order(book: Book) -> list[str]:
    return [f"{place.who} {place.number}" for place in turn_order(book)]


def turn(book: Book) -> str:
    at = book.mark(CAMPAIGN, TURN)
    return f"{at['round']} {at['who']}"


def test_the_highest_number_comes_first_and_of_equal_ones_who_was_added_first(book: Book) -> None:
    write(book, NPC, MARA, BRAK, GUARD)
    assert order(book) == ["brak 15", "mara 12", "guard 12"]


def test_a_roll_of_any_pool_is_a_number_typed_or_thrown(book: Book) -> None:
    write(book, RollTurn(who="mara", notation="d20+2"), faces=(13,))
    write(book, RollTurn(who="brak", notation="3d6-20"))
    assert order(book)[0] == "mara 15"
    assert order(book)[1].startswith("brak -")


def test_a_number_that_is_said_again_takes_the_place_of_the_first(book: Book) -> None:
    write(book, MARA, BRAK, AddTurn(who="mara", number=15), AddTurn(who="mara", number=15))
    assert order(book) == ["mara 15", "brak 15"]


def test_turns_go_round_and_the_round_counts(book: Book) -> None:
    write(book, MARA, BRAK)
    turns = [(write(book, NextTurn()), turn(book))[1] for _ in range(5)]
    assert turns == ["1 brak", "1 mara", "2 brak", "2 mara", "3 brak"]


def test_who_left_or_was_taken_back_is_passed_over(book: Book) -> None:
    seq = write(book, NPC, MARA, BRAK, GUARD)
    write(book, NextTurn(), NextTurn(), Leave(who="mara"), NextTurn())
    assert turn(book) == "1 guard"
    write(book, Void(strikes=seq, why="fled"), NextTurn())
    assert turn(book) == "2 brak"
    assert order(book) == ["brak 15"]


def test_after_who_is_taken_back_in_the_own_turn_come_all_others_of_the_same_number(book: Book) -> None:
    seq = write(book, NPC, MARA)
    write(book, GUARD, AddTurn(who="brak", number=5), NextTurn(), Void(strikes=seq, why="fled"), NextTurn())
    assert turn(book) == "1 guard"


def test_who_leaves_in_the_own_turn_gives_nobody_of_the_same_number_a_second_one(book: Book) -> None:
    write(book, NPC, AddTurn(who="guard", number=12), MARA, AddTurn(who="brak", number=5))
    write(book, NextTurn(), NextTurn(), Leave(who="mara"), NextTurn())
    assert turn(book) == "1 brak"


def test_who_takes_another_number_in_the_own_turn_takes_no_turn_from_others(book: Book) -> None:
    write(book, NPC, MARA, GUARD, AddTurn(who="brak", number=5), NextTurn(), AddTurn(who="mara", number=1))
    turns = [(write(book, NextTurn()), turn(book))[1] for _ in range(4)]
    assert turns == ["1 guard", "1 brak", "2 guard", "2 brak"]


def test_a_typed_face_that_is_amended_changes_the_order(book: Book) -> None:
    rolled = write(book, RollTurn(who="mara", notation="d20"), faces=(3,))
    write(book, BRAK, NextTurn(), Amend(named=rolled, inputs={}, faces=(19,), cascade=False, why="read wrong"))
    assert order(book) == ["mara 19", "brak 15"]
    write(book, NextTurn())
    assert turn(book) == "1 mara"


def test_undo_gives_the_turn_back(book: Book) -> None:
    write(book, MARA, BRAK, NextTurn(), NextTurn(), Undo())
    assert turn(book) == "1 brak"
    write(book, Redo())
    assert turn(book) == "1 mara"


def test_a_rewind_takes_the_order_back(book: Book) -> None:
    seq = write(book, MARA)
    write(book, BRAK, NextTurn(), Rewind(to=seq))
    assert order(book) == ["mara 12"]
    assert book.mark(CAMPAIGN, TURN) is None


def test_the_order_ends_by_itself_or_with_the_session(book: Book) -> None:
    for end in (EndTurns(), CloseSession()):
        write(book, MARA, NextTurn(), end)
        assert order(book) == []
        assert book.mark(CAMPAIGN, TURN) is None
    write(book, Undo())
    assert order(book) == ["mara 12"]


def test_no_number_of_an_earlier_order_comes_back(book: Book) -> None:
    write(book, MARA, EndTurns())
    seq = write(book, AddTurn(who="mara", number=5))
    write(book, BRAK, Void(strikes=seq, why="x"))
    assert order(book) == ["brak 15"]


def test_the_order_was_as_it_was(book: Book) -> None:
    seq = write(book, MARA)
    write(book, BRAK, EndTurns())
    assert [place.who for place in turn_order(AsOfBook(book, AsOf(seq=seq)))] == ["mara"]


def test_mul_17_a_turn_lessens_the_conditions_of_whose_turn_it_is(book: Book) -> None:
    write(book, PlayMove(system="multicheck", move=Afflict(who="brak", condition="blind", charges=3, why="sand")))
    before = book.balance("brak", "multicheck/condition.blind")
    write(book, MARA, BRAK)
    done = scribe(book).write(NextTurn())
    assert [entry.type for entry in done.entries][:2] == ["turn-began", "move-played"]
    assert book.balance("brak", "multicheck/condition.blind") == before - 2  # type: ignore[operator]
    write(book, Undo())
    assert book.balance("brak", "multicheck/condition.blind") == before


def test_a_turn_is_played_in_the_games_of_whose_turn_it_is() -> None:
    with opened_book() as book:
        write(book, Join(who="brak", system="multicheck", scores={"condition.serious": 4}), BRAK)
        assert [entry.type for entry in scribe(book).write(NextTurn()).entries][:2] == ["turn-began", "move-played"]


def test_a_turn_of_who_has_no_condition_is_the_turn_alone(book: Book) -> None:
    write(book, SeatNpcs(names=("guard",)), GUARD)
    assert [entry.type for entry in scribe(book).write(NextTurn()).entries] == ["turn-began"]


def test_a_condition_that_was_amended_is_lessened_again_in_its_turn(book: Book) -> None:
    afflicted = write(
        book, PlayMove(system="multicheck", move=Afflict(who="brak", condition="blind", charges=3, why="sand"))
    )
    write(book, BRAK, NextTurn())
    write(book, Amend(named=afflicted, inputs={"charges": 9}, faces=None, cascade=True, why="x"))
    assert turn(book) == "1 brak"


REFUSED: list[tuple[str, list[Command], type[LedgerError], str]] = [
    ("who does not play", [AddTurn(who="sam", number=3)], Nobody, "Nobody called 'sam'"),
    ("a player's roll", [RollTurn(who="p1", notation="d20")], Nobody, "Nobody called 'p1'"),
    ("nobody in the order", [NextTurn()], Refused, "The turn order is empty."),
    ("no order to end", [EndTurns()], Refused, "There is no turn order."),
    ("who is held", [PlayMove(system="edge", move=Check(who="brak", skill=4, edge=True)), BRAK, NextTurn()], Held, "brak"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "commands", "error", "says"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_cannot_be_is_refused(
    book: Book, what: str, commands: list[Command], error: type[LedgerError], says: str
) -> None:
    check_refused(book, commands, error, says)


def test_loose_dice_have_no_place_in_the_order(book: Book) -> None:
    write(book, Roll(who="mara", notation="d20"))
    assert order(book) == []
