"""Checks that sealed rolls were revealed in time, and that each revealed roll is the one that was sealed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from ledger.audit.check import EntryCheck, Fault, PastEntries, event_with_texts, is_same
from ledger.corrections.seals import SESSION_END, sealed_events_and_causes
from ledger.errors import SecretNotHere
from ledger.events.commitments import lacks_secret_text
from ledger.events.entry import Entry, jsonable, type_of
from ledger.events.facts import Position
from ledger.events.subjects import Question
from ledger.events.types import Event, RollSealed, SecretRevealed, SessionClosed
from ledger.journal.book import Book
from ledger.rules.system import Remark


class SealMatchCheck(EntryCheck):
    """A check that each revealed roll matches its seal. It runs after all entries have been checked."""

    def __init__(self) -> None:
        self._reveals: list[tuple[int, int]] = []

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        match entry.event:
            case SecretRevealed(about=sealed) if past.entry(sealed).type == RollSealed.type:
                self._reveals.append((entry.seq, sealed))
        yield from ()

    def final_faults(self, past: PastEntries) -> Iterator[Fault]:
        """Yield the reveals that differ from their seals.

        Raise `WrongEntry` if a seal has no roll, and `SecretNotHere` if a secret is missing.
        """
        for reveal, seq in self._reveals:
            sealed = past.book.entry(seq, secrets=True)
            if not sealed.lacks_secret:
                yield from _differences(past.book, past.book.journal.entry(reveal), sealed)


def _differences(book: Book, reveal: Entry, sealed: Entry) -> Iterator[Fault]:
    events = list(sealed_events_and_causes(sealed, reveal.seq + 1))
    entries = book.journal.entries(reveal.seq + 1, reveal.seq + len(events))
    for (event, cause), entry in zip_longest(events, entries):
        place = sealed.seq, reveal.act, cause or reveal.seq
        if entry is None or (entry.since, entry.act, entry.cause) != place or not _contains_event(book, event, entry):
            yield reveal.seq, f"reveals something different from what #{sealed.seq} sealed"


def _contains_event(book: Book, event: Event, entry: Entry) -> bool:
    """Return True if an entry contains this event. Raise `SecretNotHere` if the file lacks one of its secrets."""
    marks = event.all_marks(Position(entry.seq, entry.since), book)
    if len(marks) != len(event.marks) or type_of(event) != entry.type:
        return False
    written = jsonable(event_with_texts(book, entry))
    if lacks_secret_text(written):
        raise SecretNotHere(entry.seq)
    return is_same(jsonable(event.replace(marks=marks)), written)


class SealsCheck(EntryCheck):
    """A check that sealed rolls were revealed in time and not canceled."""

    kept = "_sealed", "_revealed", "_closed"

    def __init__(self, today: str) -> None:
        self._today = today
        self._sealed: list[int] = []
        self._revealed: dict[int, int] = {}  # by entry with secrets, the action that revealed it
        self._closed = 0  # the last entry that closed a session

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        match entry.event:
            case RollSealed():
                self._sealed.append(entry.seq)
            case SecretRevealed(about=about):
                self._revealed[about] = entry.act
            case SessionClosed() if past.is_in_force(entry):
                self._closed = entry.seq
        yield from ()

    def final_faults(self, past: PastEntries) -> Iterator[Fault]:
        for seq in self._sealed:
            sealed = past.book.entry(seq, secrets=True).event
            assert isinstance(sealed, RollSealed)  # noqa: S101  `check` collects no others
            yield from (Remark(seq, says) for says in self._errors(seq, sealed, past.book.question(seq)))

    def _errors(self, seq: int, sealed: RollSealed, question: Question) -> Iterator[str]:
        until, reveal = sealed.until, self._revealed.get(seq)
        ended = self._closed > seq if until == SESSION_END else until is not None and until < self._today
        if question.is_open and ended:
            yield "This sealed roll should have been revealed by now."
        elif question.canceled and reveal is None:
            yield "This sealed roll was canceled before it was revealed."
        elif question.canceled and reveal:
            yield "This sealed roll was canceled after it was revealed, so it no longer counts."
        if reveal and "away" in {sealed.thrown.state, sealed.ruling.state, sealed.consequences.state}:
            yield "The sealed text is not in this file, so nobody can compare it with what was revealed."
