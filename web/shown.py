"""Shown: actions, sheets and answers as HTML, the same for everybody; and the pages around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ledger import systems
from ledger.corrections.questions import taken_up
from ledger.corrections.strike import targets_of
from ledger.errors import minus, visible
from ledger.events.entry import Entry, struck_in
from ledger.events.subjects import ABOUT, CAMPAIGN, QUESTIONS, REVEALED, STRUCK
from ledger.events.types import ActionStruck, QuestionAsked, RollSealed
from ledger.journal.book import Book
from ledger.values import Struct
from projections.log import Line, line, working_of
from projections.questions import questions
from projections.sheets import Sheet, sheets, table_sheets
from projections.status import moment
from projections.wording import short, value_text

HERE = path.dirname(__file__)
MOST_LINES = 50
"""So many actions the page shows at first."""


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
    made.filters |= {"minus": minus, "short": short, "value": value_text, "label": _label}
    made.globals |= {"CAMPAIGN": CAMPAIGN, "rows_of": rows_of, "waits_for": waits_for, "working_of": working_of}
    return made


def _label(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def render(template: str, **values: Any) -> str:
    """A template with these values."""
    return ENVIRONMENT.get_template(template).render(**values)


class SheetRow(Struct):
    """A line of a sheet: its label and value, and the score or mark that it is asked about by."""

    label: str
    value: str
    asks: str


def rows_of(sheet: Sheet) -> list[SheetRow]:
    """A sheet as people read it: the game's own rows, then scores and marks by their names."""
    most = {score.name: "" if score.most is None else f" of {score.most}" for score in sheet.scores}
    named = [(score.name, minus(score.value) + most[score.name]) for score in sheet.scores]
    named += [(name, value_text(value)) for name, value in sheet.marks]
    own = [SheetRow(label=row.label, value=row.value, asks=row.label) for row in sheet.rows]
    bare = [(name, value) for name, value in named if name in sheet.bare]
    return own + [SheetRow(label=name, value=value, asks=name) for name, value in bare]


def waits_for(action: Line) -> str:
    """What an action waits for, in words."""
    if isinstance(action.event, QuestionAsked):
        return "waits for a choice"
    if action.waits == (action.seq,):
        return "waits to be revealed" if isinstance(action.event, RollSealed) else "waits for a decision"
    return "waits for an answer"


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
    now = {"sheets": pages, "moment": moment(book, waits=waiting), "waiting": waiting}
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


def game_titles() -> dict[str, str]:
    """The titles of the games, by their names."""
    return {name: systems.find(name).title for name in systems.names()}


def safe(html: str) -> Markup:
    """HTML that was made here."""
    return Markup(html)  # noqa: S704  its values were escaped when it was made


ENVIRONMENT = _environment()
