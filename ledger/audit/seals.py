"""Seals: whether sealed rolls were told, and what was told of them is what was sealed."""

from collections.abc import Iterator
from itertools import zip_longest

from ledger.audit.check import Before, Check, Fault
from ledger.corrections.seals import SESSION_END, unsealed
from ledger.errors import Away
from ledger.events.canonical import changed, nodes
from ledger.events.commitments import Said, Secret
from ledger.events.entry import Entry, plain, type_of
from ledger.events.subjects import STRUCK
from ledger.events.types import Event, RollSealed, SecretRevealed, SessionClosed
from ledger.journal.book import Book
from ledger.rules.system import Stands


def sealed_in(event: RollSealed) -> tuple[Secret, Secret, Secret]:
    """The three secrets of a sealed roll."""
    return event.thrown, event.ruling, event.consequences


class Told(Check):
    """Whether the entries after a telling are what was sealed; they are read from the book once all are there."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._tellings: list[tuple[int, int]] = []

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Note that a sealed roll is told."""
        match entry.event:
            case SecretRevealed(about=sealed) if before.entry(sealed).type == RollSealed.type:
                self._tellings.append((entry.seq, sealed))
        yield from ()

    def end(self) -> Iterator[Fault]:
        """Yield seals of no roll, and tellings of another; refuses (`Away`) one of which a secret is not here."""
        for telling, seq in self._tellings:
            sealed = self._book.entry(seq, secrets=True)
            if isinstance(sealed.event, RollSealed) and all(each.state == "open" for each in sealed_in(sealed.event)):
                yield from self._compared(self._book.journal.entry(telling), sealed)

    def _compared(self, telling: Entry, sealed: Entry) -> Iterator[Fault]:
        events = list(unsealed(sealed, telling.seq + 1))
        told = self._book.journal.entries(telling.seq + 1, telling.seq + len(events))
        for (event, cause), entry in zip_longest(events, told):
            place = sealed.seq, telling.act, cause or telling.seq
            if entry is None or (entry.since, entry.act, entry.cause) != place or not self._is_told(event, entry):
                yield telling.seq, f"does not tell what #{sealed.seq} had sealed"

    def _is_told(self, event: Event, entry: Entry) -> bool:
        """Whether an entry says what an event does, as far as its words are still in the file."""
        said, left = plain(entry.event), self._book.words.of(entry.seq)
        words = {path: held for path, held in nodes(said) if isinstance(held, Said)}
        if any(isinstance(held, Secret) and path not in left for path, held in words.items()):
            raise Away(entry.seq)
        gone = {path: "" for path in words if path not in left}
        here = {path: type(held)(text=left[path]) for path, held in words.items() if path in left}
        return type_of(event) == entry.type and bool(changed(plain(event), gone) == changed(said, gone | here))


class Seals(Check):
    """Whether sealed rolls were told in time, and what was told of them stands."""

    def __init__(self, book: Book, today: str, stands: Stands) -> None:
        self._book = book
        self._today = today
        self._stands = stands
        self._sealed: list[int] = []
        self._told: dict[int, int] = {}  # by entry, the action in which it was told
        self._closed = 0  # the last entry with which a session ended

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Note what is sealed, what is told, and that a session ends."""
        match entry.event:
            case RollSealed():
                self._sealed.append(entry.seq)
            case SecretRevealed(about=about):
                self._told[about] = entry.act
            case SessionClosed() if self._stands(entry):
                self._closed = entry.seq
        yield from ()

    def end(self) -> Iterator[Fault]:
        """Yield what is wrong with sealed rolls."""
        for seq in self._sealed:
            entry = self._book.entry(seq, secrets=True)
            assert isinstance(entry.event, RollSealed)  # noqa: S101  nothing else was noted
            yield from ((seq, says) for says in self._wrong(entry, entry.event))

    def _wrong(self, entry: Entry, sealed: RollSealed) -> Iterator[str]:
        seq, until, question = entry.seq, sealed.until, self._book.question(entry.seq)
        ended = self._closed > seq if until == SESSION_END else until is not None and until < self._today
        told = self._told.get(seq)
        if question.waits and ended:
            yield "This sealed roll was to be revealed by now."
        elif question.struck and told is None:
            yield "This sealed roll was struck before it was revealed."
        elif question.struck and told and self._struck_in(entry.act) != self._struck_in(told):
            yield "This sealed roll was struck, and what was told of it does not stand."
        if told and any(kept.state == "away" for kept in sealed_in(sealed)):
            yield "What was sealed here is not in this file, so that what was told of it cannot be compared."

    def _struck_in(self, act: int) -> int:
        """The action in which an action that does not stand was struck; a rewind strikes a seal with its telling."""
        return self._book.journal.entry(self._book.mark(STRUCK, str(act))).act
