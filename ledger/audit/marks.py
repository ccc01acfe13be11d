"""Checks that an entry has exactly the marks and the score changes of its event."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from ledger.audit.check import EntryCheck, Fault, PastEntries
from ledger.events import types as events
from ledger.events.entry import Entry
from ledger.events.facts import Mark, Position, Posting
from ledger.events.subjects import (
    ABOUT,
    ASSERTED,
    FULL_NAMES,
    PLAYERS,
    QUESTIONS,
    REVEALED,
    SHORT_NAMES,
    STRUCK,
    entry_number,
)
from ledger.rules.inputs import HANDLE_PATTERN, RESERVED_PATTERN

NAME_PATTERNS = {
    FULL_NAMES: HANDLE_PATTERN,
    PLAYERS: re.compile(r"p[1-9][0-9]*"),
    SHORT_NAMES: HANDLE_PATTERN,
    QUESTIONS: re.compile(r"[1-9][0-9]*"),
    STRUCK: re.compile(r"[1-9][0-9]*"),
    REVEALED: re.compile(r"[1-9][0-9]*"),
    ABOUT: re.compile(r"[1-9][0-9]*:[1-9][0-9]*"),
    ASSERTED: re.compile(r"[a-z0-9-]+:.+"),
}
"""The patterns for the names of marks, by subject."""

FULL_NAME_PATTERN = re.compile(r"[^/]+/(?!sheet$)[^/]+")
"""A pattern for the full name of a score or mark, with its game. Nobody can set the mark `sheet` by hand."""


class RowsCheck(EntryCheck):
    """A check of the marks and score changes of an entry, and of the questions that the entry settles."""

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        """Yield impossible marks, wrongly settled questions, the first wrong mark, and the first wrong score change."""
        seq, event = entry.seq, entry.event
        expected = event.all_marks(Position(seq, entry.since), past)
        for mark in event.marks:
            if mark.who in NAME_PATTERNS and not NAME_PATTERNS[mark.who].fullmatch(mark.name):
                yield seq, f"sets a value that cannot exist ({mark.who} {mark.name})"
            settles = mark.who == QUESTIONS and mark.value is not False
            if settles and (mark not in expected or (event.takeover_subjects() and not _may_settle(entry, mark, past))):
                yield seq, f"marks question #{mark.name} as settled, but does not answer it"
        if (event.marks or expected) and (row := _first_difference(_mark_rows(event.marks), _mark_rows(expected))):
            who, name, _ = row
            yield seq, f"has stored values that do not match its content ({who} {name})"
        changes = event.own_postings()
        if (event.postings or changes) and (row := _first_difference(_totals(event.postings), _totals(changes))):
            who, score, _ = row
            yield seq, f"has score changes that do not match its content ({who} {score})"


class HandSetCheck(EntryCheck):
    """A check that the GM set only scores and marks that a character's sheet can have."""

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        match entry.event:
            case events.ScoreAdjusted(who=who, amounts=names) | events.MarksSet(who=who, values=names):
                is_character = HANDLE_PATTERN.fullmatch(who) and not RESERVED_PATTERN.fullmatch(who)
                if not is_character or not all(map(FULL_NAME_PATTERN.fullmatch, names)):
                    yield entry.seq, "sets by hand a value that does not belong on a character's sheet"


ComparedRow = tuple[str, str, str | int]


def _mark_rows(marks: Iterable[Mark]) -> list[ComparedRow]:
    """Return the marks as sorted rows, ready to compare.

    `repr` turns their values into texts. It distinguishes True from 1, and also accepts secrets.
    """
    return sorted((mark.who, mark.name, repr(mark.value)) for mark in marks)


def _totals(postings: Iterable[Posting]) -> list[ComparedRow]:
    """Return sorted rows with the total change of each score."""
    totals: dict[tuple[str, str], int] = {}
    for posting in postings:
        account = posting.who, posting.score
        totals[account] = totals.get(account, 0) + posting.amount
    return sorted((*account, amount) for account, amount in totals.items())


def _first_difference(stored: Sequence[ComparedRow], expected: Sequence[ComparedRow]) -> ComparedRow | None:
    """Return the first row that is in only one of these sorted lists."""
    pairs = ((one, other) for one, other in zip_longest(stored, expected) if one != other)
    return next((min(filter(None, pair)) for pair in pairs), None)


def _may_settle(entry: Entry, mark: Mark, past: PastEntries) -> bool:
    """Return True if an entry of a correction may settle the question that a mark names.

    An entry of the type `KnockOnFound` may settle only questions of this type.
    """
    question = entry_number(mark.name)
    if mark.value != entry.seq or not 0 < question < entry.seq:
        return False
    event = past.entry(question).event
    return isinstance(event, events.KnockOnFound) if isinstance(entry.event, events.KnockOnFound) else event.may_wait
