"""A look reads as much of a long campaign as of a short one, where it shows as much."""

from collections.abc import Callable
from functools import cache

import pytest

from engine import connection_of
from ledger.commands.at_table import Adjust, CloseSession, OpenSession
from ledger.commands.days import NextDay
from ledger.commands.play import PlayMove
from ledger.commands.seats import SeatNpcs
from ledger.corrections.answers import Decide, Dispute
from ledger.corrections.undoing import Amend, Undo
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.journal.store import memory_journal
from ledger.reading.points import stretch_of
from ledger.systems.edge.moves_check import Check
from projections.chronicle import chronicle, full_chronicle, session_spans
from projections.diff import changes
from projections.log import lines
from projections.questions import questions
from projections.recap import recap
from projections.register import register_lines
from projections.replay import actions_of, replay_frame
from projections.sheets import sheets
from projections.status import moment, party, status
from projections.why import why
from table import opened_book, scribe

SHORT, LONG = 4, 24
"""Evenings."""

MOST = 1.5
"""Times as many steps of SQLite may the longer campaign take; a pass over it takes six times as many."""


def evening(book: Book, number: int) -> None:
    """A session with moves, a gift, a question and its answer, and a correction."""
    write = scribe(book).write
    write(OpenSession(title="An evening", present=()))
    write(SeatNpcs(names=(f"wolf-{number}",)))
    write(NextDay(count=1, until=None))
    for _ in range(4):
        ruled = write(PlayMove(system="edge", move=Check(who="mara", skill=11, target=20)), faces=(7, 6)).entries[-1]
    gift = write(Adjust(who="mara", amounts={"edge/strength": 1}, why="a gift")).entries[0]
    write(Adjust(who="mara", amounts={"edge/strength": -1}, why="a fall"))
    asked = write(Dispute(about=ruled.seq, player="p2", claim="no")).entries[0]
    write(Decide(question=asked.seq, choice="uphold", why="so", inputs={}, faces=None, cascade=False))
    if number % 12 == 0:
        write(Amend(named=gift.seq, inputs={"amounts": {"edge/strength": 2}}, faces=None, cascade=False, why="two"))
        write(Adjust(who="mara", amounts={"edge/strength": -1}, why="a fall"))
        write(Undo())
    write(CloseSession())


@cache
def campaign(evenings: int) -> bytes:
    with opened_book() as book:
        for number in range(evenings):
            evening(book, number)
        return connection_of(book).serialize()


def replayed(book: Book, when: AsOf) -> None:
    for entries in actions_of(book, *stretch_of(book, 2, None, None, lambda local: local), when):
        replay_frame(book, entries, when)


CORRECTED = AsOf(corrected=True)

LOOKS: dict[str, Callable[[Book], object]] = {
    "why": lambda book: why(book, "mara", "edge/strength", most=4),
    "register": lambda book: register_lines(book, "mara", "edge/strength", most=4),
    "register, corrected": lambda book: register_lines(book, "mara", "edge/strength", CORRECTED, most=4),
    "log --open": lambda book: lines(book, 20, waiting=True),
    "questions": questions,
    "where one is": moment,
    "status": status,
    "the party": party,
    "a sheet as it was": lambda book: sheets(book, ["mara"], AsOf(seq=60)),
    "a sheet, corrected": lambda book: sheets(book, ["mara"], AsOf(seq=60, corrected=True)),
    "the first chapter": lambda book: next(chronicle(book)),
    "the first chapter with everything": lambda book: next(full_chronicle(book)),
    "a chapter": lambda book: [*chronicle(book, NOW, 2)],
    "recap": recap,
    "diff": lambda book: changes(book, AsOf(seq=book.head() - 20), AsOf(seq=book.head())),
    "diff, corrected": lambda book: changes(
        book, AsOf(seq=book.head() - 20, corrected=True), AsOf(seq=book.head(), corrected=True)
    ),
    "replay": lambda book: replayed(book, NOW),
    "replay, corrected": lambda book: replayed(book, CORRECTED),
}


def steps(evenings: int, look: Callable[[Book], object]) -> int:
    """The steps that SQLite takes for a look, in tens."""
    journal, count = memory_journal(), 0

    def counted() -> None:
        nonlocal count
        count += 1

    with Book(journal) as book:
        connection_of(book).deserialize(campaign(evenings))
        connection_of(book).set_progress_handler(counted, 10)
        look(book)
    return count


@pytest.mark.parametrize("look", LOOKS)
def test_a_look_reads_as_much_of_a_long_campaign_as_of_a_short_one(look: str) -> None:
    assert steps(LONG, LOOKS[look]) <= MOST * steps(SHORT, LOOKS[look])


def test_a_session_that_nobody_opened_has_no_chapters(book: Book) -> None:
    assert [*chronicle(book, NOW, 99)] == []


def test_a_session_whose_mark_is_missing_from_the_tables_has_no_span(book: Book) -> None:
    scribe(book).write(OpenSession(title="One", present=()))
    assert [span.number for span in session_spans(book)] == [1]
    connection_of(book).execute("DELETE FROM marks WHERE who = 'campaign' AND name = 'session'")
    assert [*session_spans(book)] == []
