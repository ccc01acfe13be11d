"""Checks that sealed rolls were revealed in time, and that each revealed roll is the one that was sealed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from ledger.audit.check import Before, EntryCheck, Fault
from ledger.corrections.seals import SESSION_END, unsealed
from ledger.errors import Away
from ledger.events.canonical import substitute, walk
from ledger.events.commitments import CommittedText, Secret
from ledger.events.entry import Entry, plain, type_of
from ledger.events.facts import Position
from ledger.events.types import Event, RollSealed, SecretRevealed, SessionClosed
from ledger.journal.book import Book
from ledger.rules.system import Remark, Stands


def secrets_of_seal(event: RollSealed) -> tuple[Secret, Secret, Secret]:
    """Return the dice, the ruling and the consequences of a sealed roll."""
    return event.thrown, event.ruling, event.consequences


class MatchesSeal(EntryCheck):
    """A check that each revealed roll matches its seal. It runs at the end, when all entries have been checked."""

    of = (SecretRevealed,)

    def __init__(self, book: Book) -> None:
        self._book = book
        self._reveals: list[tuple[int, int]] = []

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        match entry.event:
            case SecretRevealed(about=sealed) if before.entry(sealed).type == RollSealed.type:
                self._reveals.append((entry.seq, sealed))
        yield from ()

    def end(self) -> Iterator[Fault]:
        """Yield wrong reveals. Raise `WrongEntry` if a seal contains no roll, and `Away` if a secret is missing."""
        for reveal, seq in self._reveals:
            sealed = self._book.entry(seq, secrets=True)
            if isinstance(sealed.event, RollSealed) and all(
                part.state == "open" for part in secrets_of_seal(sealed.event)
            ):
                yield from self._differences(self._book.journal.entry(reveal), sealed)

    def _differences(self, reveal: Entry, sealed: Entry) -> Iterator[Fault]:
        events = list(unsealed(sealed, reveal.seq + 1))
        entries = self._book.journal.entries(reveal.seq + 1, reveal.seq + len(events))
        for (event, cause), entry in zip_longest(events, entries):
            place = sealed.seq, reveal.act, cause or reveal.seq
            if entry is None or (entry.since, entry.act, entry.cause) != place or not self._matches(event, entry):
                yield reveal.seq, f"reveals something different from what #{sealed.seq} sealed"

    def _matches(self, event: Event, entry: Entry) -> bool:
        """Return True if an entry contains this event. Texts that are missing from the file are not compared."""
        marks = event.all_marks(Position(entry.seq, entry.since), self._book)
        if len(marks) != len(event.marks):
            return False
        event, facts, texts = event.replace(marks=marks), plain(entry.event), self._book.words.of(entry.seq)
        words = {path: value for path, value in walk(facts) if isinstance(value, CommittedText)}
        if any(isinstance(word, Secret) and path not in texts for path, word in words.items()):
            raise Away(entry.seq)
        gone = {path: "" for path in words if path not in texts}
        here = {path: type(word)(text=texts[path]) for path, word in words.items() if path in texts}
        return type_of(event) == entry.type and bool(substitute(plain(event), gone) == substitute(facts, gone | here))


class Seals(EntryCheck):
    """A check that sealed rolls were revealed in time and not canceled."""

    def __init__(self, book: Book, today: str, stands: Stands) -> None:
        self._book = book
        self._today = today
        self._stands = stands
        self._sealed: list[int] = []
        self._revealed: dict[int, int] = {}  # by entry with secrets, the action that revealed them
        self._closed = 0  # the last entry that closed a session

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        match entry.event:
            case RollSealed():
                self._sealed.append(entry.seq)
            case SecretRevealed(about=about):
                self._revealed[about] = entry.act
            case SessionClosed() if self._stands(entry):
                self._closed = entry.seq
        yield from ()

    def end(self) -> Iterator[Fault]:
        for seq in self._sealed:
            entry = self._book.entry(seq, secrets=True)
            assert isinstance(entry.event, RollSealed)  # noqa: S101  `look` collects no others
            yield from (Remark(seq, says) for says in self._wrong(entry, entry.event))

    def _wrong(self, entry: Entry, sealed: RollSealed) -> Iterator[str]:
        seq, until, question = entry.seq, sealed.until, self._book.question(entry.seq)
        ended = self._closed > seq if until == SESSION_END else until is not None and until < self._today
        reveal = self._revealed.get(seq)
        if question.waits and ended:
            yield "This sealed roll should have been revealed by now."
        elif question.struck and reveal is None:
            yield "This sealed roll was canceled before it was revealed."
        elif question.struck and reveal:
            yield "This sealed roll was canceled after it was revealed, so it no longer counts."
        if reveal and any(secret.state == "away" for secret in secrets_of_seal(sealed)):
            yield "The sealed text is not in this file, so nobody can compare it with what was revealed."
