"""Rounds: each character has one turn in each, whatever happens to its number, and people decide the order."""

from collections.abc import Iterator

import pytest

from audits import decided
from ledger.audit.verify import verify
from ledger.commands.at_table import Join, OpenSession
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.commands.seats import Leave, ReturnToTable, SeatNpcs
from ledger.commands.turns import (
    AddTurn,
    DelayTurn,
    EndTurns,
    NextTurn,
    RollTurn,
    SetInitiative,
    SkipTurn,
    turn_order,
)
from ledger.corrections.undoing import Amend, BackTurn, Undo
from ledger.errors import LedgerError, Refused
from ledger.events.subjects import CAMPAIGN, TURN
from ledger.journal.book import Book
from ledger.systems.multicheck.moves import Afflict
from table import check_refused, every_game, scribe

MARA, BRAK = AddTurn(who="mara", number=12), AddTurn(who="brak", number=15)
NPC = SeatNpcs(names=("guard",))
GUARD, LAST = AddTurn(who="guard", number=12), AddTurn(who="guard", number=3)
NEXT, EACH_ROUND = NextTurn(), SetInitiative(each_round=True)
BEFORE = NextTurn(by_round=False)
"""A turn as earlier versions wrote it."""

BLIND = PlayMove(system="multicheck", move=Afflict(who="brak", condition="blind", charges=9, why="sand"))


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


def written(book: Book, command: Command) -> list[str]:
    """Write a command; return the types of its entries."""
    return [entry.type for entry in scribe(book).write(command).entries]


def order(book: Book) -> list[str]:
    return [f"{place.who} {place.number}" for place in turn_order(book)]


def turn(book: Book) -> str:
    at = book.mark(CAMPAIGN, TURN)
    return f"{at['round']} {at['who']}"


def turns(book: Book, count: int, following: Command = NEXT) -> list[str]:
    """Start as many turns, and return the round and the character of each."""
    return [(write(book, following), turn(book))[1] for _ in range(count)]


def blind(book: Book) -> int:
    """The charges of brak's condition."""
    return book.balance("brak", "multicheck/condition.blind") or 0


def test_a_character_that_is_added_during_a_round_still_acts_in_it(book: Book) -> None:
    write(book, NPC, MARA, BRAK, NEXT, AddTurn(who="guard", number=20))
    assert turns(book, 4) == ["1 guard", "1 mara", "2 guard", "2 brak"]


def test_a_new_number_never_gives_a_second_turn_in_the_round(book: Book) -> None:
    write(book, MARA, BRAK, BLIND, NEXT, NEXT)
    before = blind(book)
    write(book, AddTurn(who="brak", number=3))
    assert turns(book, 1) == ["2 mara"]
    assert blind(book) == before
    assert turns(book, 1) == ["2 brak"]


def test_a_higher_number_takes_no_turn_away(book: Book) -> None:
    write(book, MARA, BRAK, NEXT, AddTurn(who="mara", number=20))
    assert turns(book, 2) == ["1 mara", "2 mara"]


def test_who_leaves_and_comes_back_in_the_round_has_no_second_turn(book: Book) -> None:
    write(book, MARA, BRAK, NEXT, Leave(who="brak"), ReturnToTable(who="brak"))
    assert turns(book, 2) == ["1 mara", "2 brak"]


def test_people_decide_who_of_equal_numbers_acts_first(book: Book) -> None:
    write(book, NPC, MARA, GUARD, AddTurn(who="guard", number=12, before="mara"))
    assert order(book) == ["guard 12", "mara 12"]
    write(book, AddTurn(who="brak", number=12, before="mara"))
    assert order(book) == ["guard 12", "brak 12", "mara 12"]
    write(book, Undo(), MARA)
    assert order(book) == ["guard 12", "mara 12"]


def test_an_amended_number_keeps_the_place_before_another(book: Book) -> None:
    write(book, NPC, MARA)
    seq = write(book, AddTurn(who="guard", number=12, before="mara"))
    write(book, Amend(named=seq, inputs={"who": "brak"}, faces=None, cascade=False, why="a slip"))
    assert order(book) == ["brak 12", "mara 12"]


def test_a_skipped_turn_counts_and_the_turn_stays_where_it_is(book: Book) -> None:
    write(book, NPC, MARA, BRAK, LAST, NEXT, SkipTurn(who="guard"))
    assert turn(book) == "1 brak"
    assert turns(book, 2) == ["1 mara", "2 brak"]


def test_a_skip_without_a_name_is_for_the_next_turn(book: Book) -> None:
    write(book, MARA, BRAK, SkipTurn())
    assert turn(book) == "1 "
    assert turns(book, 1) == ["1 mara"]
    write(book, SkipTurn())
    assert turn(book) == "2 "
    assert turns(book, 2) == ["2 mara", "3 brak"]


def test_who_is_stunned_recovers_in_a_skipped_turn(book: Book) -> None:
    write(book, MARA, BRAK, BLIND)
    before = blind(book)
    assert written(book, SkipTurn())[:2] == ["turn-skipped", "move-played"]
    assert blind(book) == before - 2


def test_a_skip_that_was_for_another_character_is_amended(book: Book) -> None:
    write(book, MARA, BRAK)
    seq = scribe(book).write(SkipTurn()).entries[0].seq
    write(book, Amend(named=seq, inputs={"who": "mara"}, faces=None, cascade=False, why="a slip"))
    assert turns(book, 2) == ["1 brak", "2 brak"]


def test_who_is_skipped_always_is_out_of_the_order_until_a_new_number(book: Book) -> None:
    write(book, MARA, BRAK, BLIND, NEXT)
    before = blind(book)
    write(book, SkipTurn(who="brak", always=True))
    assert blind(book) == before
    assert order(book) == ["mara 12"]
    assert turn(book) == "1 "
    assert turns(book, 2) == ["1 mara", "2 mara"]
    write(book, BRAK)
    assert turns(book, 2) == ["2 brak", "3 brak"]


def test_who_has_acted_may_be_skipped_always_after_the_last_turn_of_the_round(book: Book) -> None:
    write(book, MARA, BRAK, NEXT, NEXT, SkipTurn(who="brak", always=True))
    assert turn(book) == "1 mara"
    assert turns(book, 2) == ["2 mara", "3 mara"]


def test_a_delayed_turn_comes_after_the_next(book: Book) -> None:
    write(book, NPC, MARA, GUARD, BRAK, NEXT, DelayTurn(who="brak"))
    assert turn(book) == "1 "
    assert order(book) == ["mara 12", "brak 12", "guard 12"]
    assert turns(book, 4) == ["1 mara", "1 brak", "1 guard", "2 mara"]


def test_a_delayed_turn_comes_right_after_the_next_even_if_others_have_its_number(book: Book) -> None:
    write(book, NPC, GUARD, MARA, BRAK, NEXT, DelayTurn(who="brak"))
    assert order(book) == ["guard 12", "brak 12", "mara 12"]
    assert turns(book, 3) == ["1 guard", "1 brak", "1 mara"]


def test_a_turn_is_delayed_until_after_a_named_character(book: Book) -> None:
    write(book, NPC, MARA, BRAK, LAST, NEXT, DelayTurn(who="brak", after="guard"))
    assert turns(book, 3) == ["1 mara", "1 guard", "1 brak"]


def test_a_turn_is_delayed_to_a_number(book: Book) -> None:
    write(book, NPC, MARA, BRAK, LAST, NEXT, DelayTurn(who="brak", number=5))
    assert turns(book, 3) == ["1 mara", "1 brak", "1 guard"]


def test_a_turn_that_has_not_begun_is_delayed_too(book: Book) -> None:
    write(book, NPC, MARA, BRAK, LAST, NEXT, DelayTurn(who="mara"))
    assert turn(book) == "1 brak"
    assert turns(book, 2) == ["1 guard", "1 mara"]


def test_an_amended_delay_keeps_the_order(book: Book) -> None:
    write(book, NPC, MARA, BRAK, LAST, NEXT)
    seq = write(book, DelayTurn(who="brak"))
    write(book, Amend(named=seq, inputs={"number": 2}, faces=None, cascade=False, why="a slip"))
    assert turns(book, 3) == ["1 mara", "1 guard", "1 brak"]


def test_the_rules_for_the_start_of_a_turn_apply_once_to_a_delayed_turn(book: Book) -> None:
    write(book, MARA, BRAK, BLIND, NEXT)
    begun = blind(book)
    write(book, DelayTurn(who="brak"))
    assert turns(book, 2) == ["1 mara", "1 brak"]
    assert blind(book) == begun
    assert turns(book, 2) == ["2 mara", "2 brak"]
    assert blind(book) == begun - 2


def test_a_delayed_turn_may_be_skipped(book: Book) -> None:
    write(book, MARA, BRAK, NEXT, DelayTurn(who="brak"), SkipTurn(who="brak"))
    assert turns(book, 2) == ["1 mara", "2 mara"]


def test_back_returns_to_the_turn_before_and_keeps_what_was_entered_since(book: Book) -> None:
    write(book, MARA, BRAK, BLIND)
    before = blind(book)
    write(book, NEXT)
    rolled = write(book, Roll(who="brak", notation="d20"))
    write(book, BackTurn())
    assert book.mark(CAMPAIGN, TURN) is None
    assert blind(book) == before
    assert not book.is_struck(book.entry(rolled).act)


def test_back_takes_back_a_delay_and_undo_takes_back_the_way_back(book: Book) -> None:
    write(book, MARA, BRAK, NEXT, DelayTurn(who="brak"), BackTurn())
    assert turn(book) == "1 brak"
    write(book, Undo())
    assert turn(book) == "1 "


def test_back_does_not_tear_a_corrected_turn_apart(book: Book) -> None:
    write(book, MARA, BRAK)
    seq = scribe(book).write(SkipTurn(who="brak")).entries[0].seq
    amended = Amend(named=seq, inputs={"who": "mara"}, faces=None, cascade=False, why="a slip")
    first = scribe(book).write(amended).entries[0].seq
    check_refused(book, [BackTurn()], Refused, f"The last turn is part of correction #{first}.")


def test_initiative_can_be_rolled_again_each_round(book: Book) -> None:
    write(book, NPC, EACH_ROUND, AddTurn(who="mara", number=40))
    write(book, RollTurn(who="guard", notation="d20"), RollTurn(who="brak", notation="d20"))
    assert turns(book, 1) == ["1 mara"]
    write(book, NEXT, NEXT)
    assert written(book, NEXT) == ["round-began", *["dice-thrown", "turn-rolled"] * 2]
    assert turn(book) == "2 "
    assert {place.who for place in turn_order(book)} == {"brak", "guard"}
    write(book, AddTurn(who="mara", number=40))
    assert turns(book, 1) == ["2 mara"]


def test_initiative_is_kept_again_once_the_setting_says_so(book: Book) -> None:
    write(book, EACH_ROUND, MARA, BRAK, NEXT, SetInitiative(each_round=False), NEXT)
    assert turns(book, 1) == ["2 brak"]


def test_players_roll_their_own_dice_again(book: Book) -> None:
    write(book, EACH_ROUND)
    write(book, RollTurn(who="mara", notation="d20"), faces=(7,))
    write(book, NEXT)
    assert written(book, NEXT) == ["round-began"]
    assert order(book) == []
    write(book, BackTurn())
    assert order(book) == ["mara 7"]


def test_a_roll_that_the_sheet_no_longer_allows_is_not_repeated(book: Book) -> None:
    write(book, NPC, Join(who="guard", system="free", scores={"strength": 2}))
    write(book, EACH_ROUND, RollTurn(who="guard", notation="d20+strength"), NEXT)
    write(book, Join(who="guard", system="edge", scores={"strength": 1}))
    assert written(book, NEXT) == ["round-began"]


def test_an_earlier_order_gives_no_dice_for_a_new_round(book: Book) -> None:
    write(book, EACH_ROUND, RollTurn(who="brak", notation="d20"), EndTurns(), BRAK, NEXT)
    assert written(book, NEXT) == ["round-began"]


def test_a_new_round_has_no_roll_for_a_character_that_left(book: Book) -> None:
    write(book, EACH_ROUND, NPC, RollTurn(who="guard", notation="d20"), RollTurn(who="brak", notation="d20"))
    write(book, Leave(who="brak"), NEXT, ReturnToTable(who="brak"), NEXT, Leave(who="guard"))
    assert written(book, NEXT) == ["round-began", "dice-thrown", "turn-rolled"]


def test_a_canceled_roll_is_not_repeated(book: Book) -> None:
    write(book, EACH_ROUND, MARA, BRAK, RollTurn(who="brak", notation="d20"), Undo(), NEXT, NEXT)
    assert written(book, NEXT) == ["round-began"]


def test_a_round_that_began_is_not_over_for_want_of_numbers(book: Book) -> None:
    write(book, EACH_ROUND, MARA, NEXT, NEXT)
    check_refused(book, [NEXT], Refused, "Nobody has a number in round 2.")


def test_turns_of_an_earlier_version_go_on_as_they_did(book: Book) -> None:
    write(book, NPC, MARA, GUARD, BRAK, BEFORE, BEFORE)
    assert "acted" not in book.mark(CAMPAIGN, TURN)
    assert turns(book, 2) == ["1 guard", "2 brak"]


def test_an_order_of_an_earlier_version_falls_as_it_did(book: Book) -> None:
    write(book, MARA, BRAK)
    assert turns(book, 3, BEFORE) == ["1 brak", "1 mara", "2 brak"]


def test_who_acted_in_a_turn_of_an_earlier_version_has_no_second_one(book: Book) -> None:
    write(book, MARA, BRAK, BEFORE, AddTurn(who="brak", number=3))
    assert turns(book, 2) == ["1 mara", "2 mara"]


REFUSED: list[tuple[str, list[Command], type[LedgerError], str]] = [
    ("nobody to skip", [SkipTurn()], Refused, "The turn order is empty."),
    ("not in the order", [MARA, SkipTurn(who="brak")], Refused, "brak is not in the turn order."),
    ("whose turn it is", [MARA, BRAK, NEXT, SkipTurn(who="brak")], Refused, "It is already brak's turn."),
    ("after the turn", [MARA, BRAK, SkipTurn(), SkipTurn(who="brak")], Refused, "brak's turn in round 1 is over."),
    ("a skip without numbers", [EACH_ROUND, MARA, NEXT, SkipTurn()], Refused, "Round 1 is over."),
    ("before oneself", [MARA, AddTurn(who="mara", number=12, before="mara")], Refused, "mara cannot act before mara."),
    ("other numbers", [MARA, AddTurn(who="brak", number=3, before="mara")], Refused, "mara has 12."),
    ("before nobody", [AddTurn(who="brak", number=3, before="mara")], Refused, "mara is not in the turn order."),
    ("a delay before the first turn", [MARA, DelayTurn(who="mara")], Refused, "Nobody has had a turn yet"),
    ("a delay of the last", [MARA, BRAK, NEXT, NEXT, DelayTurn(who="mara")], Refused, "Nobody acts after mara"),
    ("a delay after the turn", [MARA, BRAK, NEXT, NEXT, DelayTurn(who="brak")], Refused, "brak's turn in round 1 is over"),
    ("after who has acted", [MARA, BRAK, NEXT, DelayTurn(who="brak", after="brak")], Refused, "brak does not act"),
    ("a delay that is none", [MARA, BRAK, NEXT, DelayTurn(who="brak", number=13)], Refused, "mara acts next, at 12. You cannot delay a turn to 13, because that is earlier."),
    ("no turn to go back", [MARA, BackTurn()], Refused, "No turn has started"),
    ("the same setting", [SetInitiative()], Refused, "Initiative is already set to once."),
]  # fmt: skip


@pytest.mark.parametrize(("what", "commands", "error", "says"), REFUSED, ids=[row[0] for row in REFUSED])
def test_a_turn_that_cannot_be_is_refused(
    book: Book, what: str, commands: list[Command], error: type[LedgerError], says: str
) -> None:
    check_refused(book, commands, error, says)
