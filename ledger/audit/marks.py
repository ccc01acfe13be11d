"""Marks: whether an entry has exactly the marks and the score changes of its event."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from ledger.audit.check import Before, EntryCheck, Fault
from ledger.events import types as events
from ledger.events.entry import Entry
from ledger.events.facts import Mark, Position, Posting
from ledger.events.subjects import ABOUT, ASSERTED, PLAYERS, QUESTIONS, REVEALED, STRUCK, entry_number
from ledger.rules.inputs import HANDLE, RESERVED

NAMES = {
    PLAYERS: re.compile(r"p[1-9][0-9]*"),
    QUESTIONS: re.compile(r"[1-9][0-9]*"),
    STRUCK: re.compile(r"[1-9][0-9]*"),
    REVEALED: re.compile(r"[1-9][0-9]*"),
    ABOUT: re.compile(r"[1-9][0-9]*:[1-9][0-9]*"),
    ASSERTED: re.compile(r"[a-z0-9-]+:.+"),
}
"""How the marks of each of the journal's own subjects are named."""

FULL_NAME = re.compile(r"[^/]+/(?!sheet$)[^/]+")
"""The full name of a score or mark, with its game. `sheet` is left out: only a join gives that mark."""


class Marks(EntryCheck):
    """Whether an entry has the marks of its event, and takes over only marks that it may take over."""

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Marks that cannot be, then questions that it cannot settle, then a mark too many or too few."""
        seq, event = entry.seq, entry.event
        due = event.all_marks(Position(seq, entry.since), before)
        for mark in event.marks:
            if mark.who in NAMES and not NAMES[mark.who].fullmatch(mark.name):
                yield seq, f"sets a mark that cannot exist ({mark.who} {mark.name})"
            settles = mark.who == QUESTIONS and mark.value is not False
            if settles and (mark not in due or (event.takes_over() and not _may_settle(entry, mark, before))):
                yield seq, f"marks question #{mark.name} as settled, but does not answer it"
        if (event.marks or due) and (differs := _first_difference(_marks(event.marks), _marks(due))):
            yield seq, f"has marks that do not match its content ({differs[0]} {differs[1]})"


class Moves(EntryCheck):
    """Whether an entry moves the scores of its event."""

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        event = entry.event
        due = event.own_postings()
        if (event.postings or due) and (differs := _first_difference(_moves(event.postings), _moves(due))):
            yield entry.seq, f"has score changes that do not match its content ({differs[0]} {differs[1]})"


class ByHand(EntryCheck):
    """Whether the GM sets only what may be on the sheet of a character."""

    of = (events.ScoreAdjusted, events.MarksSet)

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        event = entry.event
        assert isinstance(event, events.ScoreAdjusted | events.MarksSet)  # noqa: S101  of no others
        names = event.amounts if isinstance(event, events.ScoreAdjusted) else event.values
        is_character = HANDLE.fullmatch(event.who) and not RESERVED.fullmatch(event.who)
        if not is_character or not all(map(FULL_NAME.fullmatch, names)):
            yield entry.seq, "sets something by hand that is not on a character's sheet"


Row = tuple[str, str, str | int]


def _marks(marks: Iterable[Mark]) -> list[Row]:
    """Marks in a form to compare; `repr` tells true from 1, and takes secrets."""
    return sorted((mark.who, mark.name, repr(mark.value)) for mark in marks)


def _moves(postings: Iterable[Posting]) -> list[Row]:
    """The amounts by which postings move each score."""
    moved: dict[tuple[str, str], int] = {}
    for posting in postings:
        account = posting.who, posting.score
        moved[account] = moved.get(account, 0) + posting.amount
    return sorted((*account, amount) for account, amount in moved.items())


def _first_difference(stored: Sequence[Row], due: Sequence[Row]) -> Row | None:
    """The first row that is stored and not due, or due and not stored."""
    pairs = ((one, other) for one, other in zip_longest(stored, due) if one != other)
    return next((min(filter(None, pair)) for pair in pairs), None)


def _may_settle(entry: Entry, mark: Mark, before: Before) -> bool:
    """Whether a correction may take over the answer to a question; a knock-on replaces an earlier one."""
    question = entry_number(mark.name)
    if mark.value != entry.seq or not 0 < question < entry.seq:
        return False
    asked = before.entry(question).event
    return isinstance(asked, events.KnockOnFound) if isinstance(entry.event, events.KnockOnFound) else asked.may_wait
