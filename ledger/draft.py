"""The draft that a command works on. It gives access to the open book, and writes each new event immediately."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Protocol

from ledger.commands.decider import StopDryRun
from ledger.errors import BadInput, Flag, WrongFaces
from ledger.events.canonical import canonical_json
from ledger.events.commitments import SaltSource
from ledger.events.entry import LARGEST_ENTRY, Entry, entry_json
from ledger.events.facts import BOOK_EDITION, Header, Position
from ledger.events.rows import Rows
from ledger.events.types import (
    ActionAmended,
    ActionStruck,
    Correction,
    Event,
    FollowUp,
    OfImport,
    PlayRewound,
    QuestionAsked,
    QuestionDecided,
    SecretRevealed,
    WordsErased,
)
from ledger.journal.book import Book
from ledger.journal.records import Backdated
from ledger.journal.store import entry_of
from ledger.journal.words import separate_words
from ledger.rules.dice import Digits, Pool, RandomBelow, ThrownDice, os_random, throw, typed_dice
from ledger.rules.rulings import Effect

SELF_CHECKING_EVENTS = (ActionAmended, ActionStruck, PlayRewound, QuestionDecided, SecretRevealed, OfImport)
"""The first events of corrections and imports. `questions_to_check` skips actions that start with one of these."""

FIRST_EDITION_SETTLED_IN_PLAY = 7
"""The first edition of the book's rules in which an action in play can close a question that a correction asked."""


class DiceSource(Protocol):
    """The source of the dice for one command: typed faces, or the computer."""

    @property
    def is_typed(self) -> bool:
        """True if somebody typed the dice."""

    @property
    def has_faces(self) -> bool:
        """True if some typed faces are not used yet."""

    def throw(self, pool: Pool) -> ThrownDice:
        """Throw the dice of a pool. Raise `WrongFaces` for typed faces that these dice cannot show."""


class TableDice:
    """A source of dice: typed faces in order, or computer dice if `faces` is None."""

    def __init__(self, faces: Sequence[int] | Digits | None, chance: RandomBelow | None) -> None:
        self._faces = faces
        self._chance = chance
        self._pool: Pool | None = None
        self._dealt = 0

    @property
    def is_typed(self) -> bool:
        return self._faces is not None

    @property
    def has_faces(self) -> bool:
        return self._faces is not None and self._dealt < len(self._faces)

    def throw(self, pool: Pool) -> ThrownDice:
        if self._faces is None:
            return throw(pool, self._chance or os_random())
        if isinstance(self._faces, Digits):
            self._faces = self._faces.faces(pool)
        first = self._dealt
        self._pool = pool.after(self._faces[first:])
        self._dealt += len(self._pool.sides)
        return typed_dice(pool, self._faces[first : self._dealt], earlier=first)

    def check_all_used(self, draft: LiveDraft) -> None:
        """Raise `WrongFaces` if typed faces are unused after the command wrote its draft."""
        if self._faces is None:
            return
        if self._pool is None:
            if any(isinstance(event, QuestionAsked) for event in draft.events_so_far()):
                hint = f"Repeat the command without {Flag('faces')}. Enter the dice later, when you answer."
                raise WrongFaces("This command first asks a question. It rolls the dice after the answer.", hint)
            raise WrongFaces("This command does not roll dice, so there are no dice to enter.")
        assert not isinstance(self._faces, Digits)  # noqa: S101  a throw used some
        earlier = self._dealt - len(self._pool.sides)
        typed_dice(self._pool, self._faces[earlier:], earlier=earlier)


class LiveDraft(Book):
    """The book while a command writes into it. `first` is the header of the command's first entry.

    The caller holds the lock, and rolls back if the command is refused.
    """

    def __init__(
        self,
        book: Book,
        dice_source: DiceSource,
        first: Header,
        salts: SaltSource,
        *,
        dry: bool = False,
        shows_secrets: bool = False,
    ) -> None:
        super().__init__(book.journal)
        self.first = first
        self.head_before = first.seq - 1
        self.next = first.seq
        self.has_known_dice = dice_source.is_typed
        self._dice_source = dice_source
        self._salts = salts
        self._dry = dry
        self._hides = dry and not shows_secrets
        self._added: list[tuple[Entry, dict[str, str]]] = []  # entries, with their texts by field
        self._balances: dict[tuple[str, str], int | None] = {}
        self._marks: dict[tuple[str, str], Any] = {}
        self._corrected_rows: list[Backdated] = []

    @property
    def by(self) -> str:
        return self.first.by

    @property
    def has_faces(self) -> bool:
        return self._dice_source.has_faces

    def head(self) -> int:
        return self.next - 1

    def balance(self, who: str, score: str) -> int | None:
        """Return a score's balance; None if it has no postings. Only the first call for a score reads the file."""
        key = (who, score)
        if key not in self._balances:
            self._balances[key] = super().balance(who, score)
        return self._balances[key]

    def mark(self, who: str, name: str) -> Any:
        """Return a mark's value; None if it is not set. A repeated call reads the file only if the mark changed."""
        key = (who, name)
        if key not in self._marks:
            self._marks[key] = super().mark(who, name)
        return self._marks[key]

    def entry(self, seq: int, *, secrets: bool = False) -> Entry:
        if not self.head_before < seq < self.next:
            return super().entry(seq, secrets=secrets)
        entry, texts = self._added[seq - self.head_before - 1]
        return self.fill_words(entry, texts, secrets=secrets)

    def added_entries(self, *, secrets: bool = False) -> tuple[Entry, ...]:
        """Return the entries added so far, with their texts. If `secrets` is True, include their secrets."""
        return tuple(self.entry(seq, secrets=secrets) for seq in range(self.head_before + 1, self.next))

    def events_so_far(self) -> Iterator[Event]:
        """Yield the events added so far, without their texts."""
        yield from (entry.event for entry, _ in self._added)

    def corrected_rows(self, head: int) -> Iterator[Backdated]:
        return iter([*self._corrected_rows]) if head == self.head_before else super().corrected_rows(head)

    def questions_to_check(self) -> list[int]:
        """Return the open questions of corrections that this action may settle: those about the action's characters.

        Return nothing if the action is an import or a correction. A correction checks all questions itself.
        """
        open_questions = [seq for seq in self.questions() if seq <= self.head_before]
        if not open_questions:  # usually
            return []
        later = self.events_so_far()
        if isinstance(first := next(later), SELF_CHECKING_EVENTS):
            return []
        added = [first, *later]
        about = {event.subject for event in added} | {posting.who for event in added for posting in event.postings}
        if not about - {""}:
            return []
        asked = ((seq, self.entry(seq).event) for seq in open_questions)
        return [seq for seq, event in asked if isinstance(event, FollowUp) and _may_settle(event, about)]

    def roll(self, pool: Pool | None, cost: tuple[Effect, ...] = ()) -> ThrownDice | None:
        if pool is not None and self._dry and not self.has_known_dice:
            raise StopDryRun(pool, cost)
        return None if pool is None else self._dice_source.throw(pool)

    def declare_secret(self, cost: tuple[Effect, ...] = ()) -> None:
        if self._hides:
            raise StopDryRun(Pool(sides=()), cost)

    def add(self, event: Event, cause: int | None = None, since: int | None = None) -> int:
        """Write an event as the next entry, and return the entry's number.

        `cause` is the entry that led to the event. `since` is the entry at which the event takes effect (default: its
        own entry). Raise `BadInput` if the entry is too large.
        """
        if isinstance(event, Correction):
            event = event.replace(edition=BOOK_EDITION)
        seq, first = self.next, self.next == self.first.act
        place = self.first.replace(seq=seq, since=since or seq, cause=cause, once=self.first.once if first else None)
        event = event.with_rows(Position(seq, place.since), self)
        closed, words = separate_words(seq, entry_json(event, place), self._salts)
        stored = canonical_json(closed)
        if len(stored) > LARGEST_ENTRY:
            raise BadInput(f"This is too long for one entry ({LARGEST_ENTRY:,} bytes at most).")
        for word in words:
            self.words.keep(word)
        entry = entry_of(self.journal.append(seq, stored))
        self._added.append((entry, {word.field: word.text for word in words}))
        rows = self.accounts.post(closed)
        self._corrected_rows += _backdated_rows(rows, self.head_before)
        self._balances |= {(row.who, row.score): row.balance for row in rows.postings}
        for mark in rows.marks:
            self._marks.pop((mark.who, mark.name), None)
        if isinstance(event, WordsErased):
            for erased, fields in event.erased.items():
                self.words.delete(int(erased), fields)
        self.next += 1
        return seq


def _may_settle(question: FollowUp, about: Collection[str]) -> bool:
    """Return True if play may settle a question: it is about one of these characters, and its edition is new enough."""
    return question.subject in about and question.edition >= FIRST_EDITION_SETTLED_IN_PLAY


def _backdated_rows(rows: Rows, head: int) -> list[Backdated]:
    """Return the rows of characters and of the campaign that take effect at or before entry `head`."""
    postings = (Backdated(row.who, row.score, row.since) for row in rows.postings)
    marks = (Backdated(row.who, row.name, row.since) for row in rows.marks)
    return [row for row in (*postings, *marks) if row.since <= head and row.who >= "a"]
