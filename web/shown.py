"""Shown: actions, sheets and answers as HTML, the same for everybody; and the pages around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ledger.corrections.questions import taken_up
from ledger.corrections.strike import targets_of
from ledger.errors import minus, visible
from ledger.events.entry import Entry, struck_in
from ledger.events.subjects import ABOUT, CAMPAIGN, QUESTIONS, REVEALED, STRUCK
from ledger.events.table import SessionClosed, SessionOpened, TurnAdded, TurnBegan, TurnsEnded
from ledger.events.types import ActionStruck, TurnRolled
from ledger.journal.book import Book
from projections.following import waits_for
from projections.log import Line, line, working_of
from projections.questions import questions
from projections.sheets import Sheet, rows_shown, sheets, table_sheets
from projections.status import moment, turns
from projections.wording import plainly, short

HERE = path.dirname(__file__)
EVENING = SessionOpened | SessionClosed | TurnAdded | TurnRolled | TurnBegan | TurnsEnded | ActionStruck
"""What may change whether a session is open, or whose turn it is."""

MOST_LINES = 50
"""So many actions the page shows at first."""

MOST_SAID = 300
"""So many characters of what is said are in a line; a tap shows the rest."""


def _finalized(value: Any) -> Any:
    """Text as a page may show it: what would turn the reading direction is made visible."""
    return visible(value) if type(value) is str else value


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(path.join(HERE, "templates")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_finalized,
    )
    made.filters |= {"minus": minus, "short": short, "value": plainly, "label": _label, "brief": brief}
    made.globals |= {"CAMPAIGN": CAMPAIGN, "rows_of": rows_shown, "waits_for": waits_for, "working_of": working_of}
    return made


def _label(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def brief(text: str) -> str:
    """The beginning of a long text."""
    return text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]} …"


def render(template: str, **values: Any) -> str:
    """A template with these values."""
    return ENVIRONMENT.get_template(template).render(**values)


def all_sheets(book: Book, first: Sequence[str]) -> list[Sheet]:
    """All sheets: one's own characters first, then the table's, then the others'."""
    cast = book.cast()
    own = [who for who in cast if who in first]
    return [*sheets(book, own), *table_sheets(book), *sheets(book, [who for who in cast if who not in own])]


def brought(book: Book, actions: Sequence[Sequence[Entry]]) -> list[str]:
    """What each of the latest actions brings to an open page: its line, and the earlier lines that read otherwise.

    The last brings the sheets that any of them changed, and the moment: those are as the book has them now.
    """
    lines = [(line(book, entries), _earlier(book, entries)) for entries in actions]
    made = [render("brought.html", action=action, earlier=earlier) for action, earlier in lines[:-1]]
    subjects = {who for entries in actions for who in _subjects(book, entries)}
    pages = sheets(book, [who for who in book.cast() if who in subjects])
    pages += table_sheets(book) if CAMPAIGN in subjects else []
    waiting = questions(book, facts=False)
    evening = any(isinstance(entry.event, EVENING) for entries in actions for entry in entries)
    now = {
        "sheets": pages,
        "moment": moment(book, waits=waiting),
        "turns": turns(book),
        "waiting": waiting,
        "evening": evening,
    }
    made += [render("brought.html", action=action, earlier=earlier, **now) for action, earlier in lines[-1:]]
    return made


def _earlier(book: Book, entries: Sequence[Entry]) -> list[Line]:
    act = entries[0].act
    return [line(book, book.action(touched)) for touched in sorted({*_touched(book, entries)} - {act})]


def _subjects(book: Book, entries: Sequence[Entry]) -> Iterator[str]:
    """Whose sheets an action changes."""
    fallen = [entry for act in _struck(entries) for entry in book.journal.action(act)]
    for entry in (*entries, *fallen):
        yield from (posting.who for posting in entry.event.postings)
        yield from (mark.who for mark in entry.event.marks)


def _struck(entries: Sequence[Entry]) -> list[int]:
    return [act for entry in entries if isinstance(entry.event, ActionStruck) for act in struck_in(entry.event)]


def _touched(book: Book, entries: Sequence[Entry]) -> Iterator[int]:
    """The earlier actions whose lines read otherwise after an action."""
    for act in _struck(entries):
        yield act
        yield from targets_of(book, act)
    for entry in entries:
        for mark in entry.event.marks:
            if mark.who in {QUESTIONS, REVEALED}:
                yield book.journal.entry(int(mark.name)).act
            elif mark.who in {STRUCK, ABOUT}:
                yield int(mark.name.partition(":")[0])
        if isinstance(entry.event, ActionStruck) and entry.event.how == "choose":
            yield book.journal.entry(taken_up(book, entry.event)).act


ENVIRONMENT = _environment()
