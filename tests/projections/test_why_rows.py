"""Every row of every sheet can be asked why it is so, whatever was played."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byzantine_city import in_the_city
from evenings import evening
from examples import examples
from ledger.commands.at_table import Join
from ledger.commands.play import PlayMove
from ledger.errors import UnknownName
from ledger.events.subjects import HOLD
from ledger.journal.book import Book
from ledger.reading.names import Names
from ledger.systems.edge.moves_check import Check
from projections.sheets import rows_shown, sheets
from projections.why import names_in_row, why, why_mark
from table import every_game, opened_book, scribe


def asked(book: Book, who: str, label: str) -> list[str]:
    """The scores and marks that answer why a row is what it is; refuses like the page."""
    found = names_in_row(book, who, label) or [Names(book).posted_score(who, label)]
    for full in found:
        if full in book.accounts.scores(who):
            assert why(book, who, full).score == full
        else:
            assert why_mark(book, who, full).mark == full
    return found


@examples(30)
@given(st.data())
def test_every_row_of_every_sheet_can_be_asked_why(data: st.DataObject) -> None:
    with every_game() as book:
        evening(data.draw, book, 20)
        for page in sheets(book, book.cast()):
            assert all(asked(book, page.who, row.label) for row in rows_shown(page))


def test_the_net_of_a_day_comes_from_all_connections() -> None:
    assert asked(in_the_city(), "mara", "net") == ["byzantine/input.workshop", "byzantine/output.workshop"]
    assert asked(in_the_city(brak={"energy": 3}), "brak", "net") == ["byzantine/sheet"], "there is none yet"


def test_what_the_journal_keeps_for_itself_is_no_score() -> None:
    with every_game() as book:
        scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=3, edge=True)), faces=(7, 3, 7))
        assert book.accounts.balance("mara", HOLD) == 1
        for typed in ("", HOLD):
            with pytest.raises(UnknownName, match="mara has no score called"):
                asked(book, "mara", typed)


def test_a_row_that_nothing_moved_yet_is_as_the_sheet_was_made() -> None:
    book = opened_book(games=())
    scribe(book).write(Join(who="mara", system="syscards", scores={"efficiency": 40}))
    assert asked(book, "mara", "capacity") == ["syscards/sheet"]
    (line,) = why_mark(book, "mara", "syscards/sheet").lines
    assert line.says == "joins syscards"
