"""Checks that an entry has exactly the marks and the score changes of its event."""

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
"""The patterns for the names of marks, by subject."""

FULL_NAME = re.compile(r"[^/]+/(?!sheet$)[^/]+")
"""The full name of a score or mark, with its game. `sheet` does not match, because only joining sets that mark."""


class OwnRows(EntryCheck):
    """A check that an entry has the marks and score changes of its event, and takes over only what it may take over."""

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Yield impossible marks and wrongly settled questions, then the first missing or extra mark and score."""
        seq, event = entry.seq, entry.event
        expected = event.all_marks(Position(seq, entry.since), before)
        for mark in event.marks:
            if mark.who in NAMES and not NAMES[mark.who].fullmatch(mark.name):
                yield seq, f"sets a mark that cannot exist ({mark.who} {mark.name})"
            settles = mark.who == QUESTIONS and mark.value is not False
            if settles and (mark not in expected or (event.takes_over() and not _may_settle(entry, mark, before))):
                yield seq, f"marks question #{mark.name} as settled, but does not answer it"
        if (event.marks or expected) and (differs := _first_difference(_marks(event.marks), _marks(expected))):
            yield seq, f"has marks that do not match its content ({differs[0]} {differs[1]})"
        moves = event.own_postings()
        if (event.postings or moves) and (differs := _first_difference(_moves(event.postings), _moves(moves))):
            yield seq, f"has score changes that do not match its content ({differs[0]} {differs[1]})"


class ByHand(EntryCheck):
    """A check that the GM set only scores and marks that a character's sheet can have."""

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        match entry.event:
            case events.ScoreAdjusted(who=who, amounts=names) | events.MarksSet(who=who, values=names):
                is_character = HANDLE.fullmatch(who) and not RESERVED.fullmatch(who)
                if not is_character or not all(map(FULL_NAME.fullmatch, names)):
                    yield entry.seq, "sets something by hand that is not on a character's sheet"


Row = tuple[str, str, str | int]


def _marks(marks: Iterable[Mark]) -> list[Row]:
    """Return marks in a form that can be compared. `repr` distinguishes True from 1, and also accepts secrets."""
    return sorted((mark.who, mark.name, repr(mark.value)) for mark in marks)


def _moves(postings: Iterable[Posting]) -> list[Row]:
    """Return the total change of each score, sorted."""
    moved: dict[tuple[str, str], int] = {}
    for posting in postings:
        account = posting.who, posting.score
        moved[account] = moved.get(account, 0) + posting.amount
    return sorted((*account, amount) for account, amount in moved.items())


def _first_difference(stored: Sequence[Row], expected: Sequence[Row]) -> Row | None:
    """Return the first row that is in only one of two sorted lists."""
    pairs = ((one, other) for one, other in zip_longest(stored, expected) if one != other)
    return next((min(filter(None, pair)) for pair in pairs), None)


def _may_settle(entry: Entry, mark: Mark, before: Before) -> bool:
    """Return True if a correction may take over an open question. A knock-on may take over only knock-ons."""
    question = entry_number(mark.name)
    if mark.value != entry.seq or not 0 < question < entry.seq:
        return False
    asked = before.entry(question).event
    return isinstance(asked, events.KnockOnFound) if isinstance(entry.event, events.KnockOnFound) else asked.may_wait
