"""Overlay: a campaign as it was after one of its entries. Additions are kept in memory.

The storage below is only read. It must not change meanwhile, so use an overlay within `reading` or under the lock.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from heapq import merge
from itertools import takewhile
from typing import Any, Literal

from ledger.errors import TablesDiffer
from ledger.events.rows import BOUND, MarkRow, PostingRow
from ledger.events.subjects import QUESTIONS
from ledger.journal.accounts import row_in_effect, since_and_seq
from ledger.journal.memory import MemoryRows, StorageWrapper
from ledger.journal.records import NUMBER_TOO_LARGE, Backdated, StoredEntry, StoredWord
from ledger.journal.storage import EntryTable, RowTable, Storage, WordTable


class OverlayEntries:
    """The entries up to `last`, then the added ones; see `ledger.journal.storage.EntryTable`."""

    def __init__(self, below: EntryTable, last: int) -> None:
        self._below = below
        self.last = last
        self.added: list[StoredEntry] = []

    def head(self) -> int:
        return self.last + len(self.added)

    def append(self, entry: StoredEntry) -> None:
        self.added.append(entry)

    def stored(self, first: int = 1, last: int = BOUND) -> Iterator[StoredEntry]:
        if first <= self.last:
            yield from self._below.stored(first, min(last, self.last))
        yield from self.added[max(first - self.last - 1, 0) : max(last - self.last, 0)]

    def find_by_once_id(self, once: str) -> int | None:
        seq = self._below.find_by_once_id(once)
        added = (entry.seq for entry in self.added if _field(entry, "once") == once)
        return seq if seq is not None and seq <= self.last else next(added, None)

    def last_on_clock(self, moment: str, last: int = BOUND) -> int | None:
        clocks = ((entry.seq, _field(entry, "clock")) for entry in self.added if entry.seq <= last)
        added = [seq for seq, clock in clocks if clock is not None and clock <= moment]
        return added[-1] if added else self._below.last_on_clock(moment, min(last, self.last))

    def search(self, types: Sequence[str], first: int, keys: Iterable[str], last: int = BOUND) -> Iterator[StoredEntry]:
        keys = list(keys)
        if first <= self.last:
            yield from self._below.search(types, first, keys, min(last, self.last))
        texts = [[f'"{key}":'.encode() for key in keys], [f'"type":"{kind}"'.encode() for kind in types]]
        for entry in self.added[max(first - self.last - 1, 0) : max(last - self.last, 0)]:
            if all(any(text in entry.body for text in either) for either in texts):
                yield entry

    def of_type(self, kind: str, seqs: Iterable[int]) -> Iterator[int]:
        numbers = sorted(seqs)
        yield from self._below.of_type(kind, [seq for seq in numbers if seq <= self.last])
        added = (self.added[seq - self.last - 1] for seq in numbers if self.last < seq <= self.head())
        yield from (entry.seq for entry in added if _field(entry, "type") == kind)

    def backdated_entries(self, first: int, last: int) -> Iterator[StoredEntry]:
        yield from takewhile(lambda entry: entry.seq <= self.last, self._below.backdated_entries(first, last))
        yield from (entry for entry in self.added if first <= _field(entry, "since") <= min(last, entry.seq - 1))


class OpenQuestions:
    """The questions that are open at an entry. The object can only move forward."""

    def __init__(self, rows: RowTable) -> None:
        self._later = deque(sorted(rows.marks_of(QUESTIONS), key=lambda row: row.seq))
        self._marks = MemoryRows()
        self._names = set[str]()

    def advance_to(self, seq: int) -> None:
        """Advance to the state before entry `seq`. The object cannot go back."""
        while self._later and self._later[0].seq < seq:
            row = self._later.popleft()
            self._marks.put((), [row])
            counts = row_in_effect(self._marks.mark_rows(QUESTIONS, row.name))
            if counts is not None and counts.value == "false":
                self._names.add(row.name)
            else:
                self._names.discard(row.name)

    def open_at(self, last: int) -> set[str]:
        """Return the questions that are open after entry `last`, and perhaps some closed ones.

        Call `advance_to` first. `last` may be the entry before the one passed to `advance_to`, or any later entry.
        """
        return self._names | {row.name for row in takewhile(lambda row: row.seq <= last, self._later)}


class OverlayRows:
    """The rows of the entries up to `last`, then the added ones; see `ledger.journal.storage.RowTable`."""

    def __init__(self, below: RowTable, last: int, *, covers_all: bool, waiting: OpenQuestions | None) -> None:
        self._below = below
        self.last = last
        self._is_whole = covers_all
        self._waiting = waiting
        self.added = MemoryRows()

    def put(self, postings: Iterable[PostingRow], marks: Iterable[MarkRow]) -> None:
        """Add the rows of an entry. Raise `TablesDiffer` for a balance that is too large for a storage."""
        rows = list(postings)
        if any(not -BOUND <= row.balance <= BOUND for row in rows):
            raise TablesDiffer(NUMBER_TOO_LARGE)
        self.added.put(rows, marks)

    def balance_at(self, who: str, score: str, seq: int = BOUND) -> int | None:
        balance = self.added.balance_at(who, score, seq)
        return self._below.balance_at(who, score, min(seq, self.last)) if balance is None else balance

    def posting_rows(self, who: str, score: str, first: int = 1, last: int = BOUND) -> Iterator[PostingRow]:
        yield from self.added.posting_rows(who, score, first, last)
        yield from self._below.posting_rows(who, score, first, min(last, self.last))

    def original_count(self, who: str, score: str, last: int = BOUND) -> int:
        below = self._below.original_count(who, score, min(last, self.last))
        return below + self.added.original_count(who, score, last)

    def corrections(self, who: str, score: str, since: int, first: int = 1, last: int = BOUND) -> Iterator[PostingRow]:
        below = self._below.corrections(who, score, since, first, min(last, self.last))
        yield from merge(self.added.corrections(who, score, since, first, last), below, key=since_and_seq, reverse=True)

    def mark_rows(
        self, who: str, name: str, since: int = BOUND, last: int = BOUND, first: int = 1
    ) -> Iterator[MarkRow]:
        below = self._below.mark_rows(who, name, since, min(last, self.last), first)
        added = [*self.added.mark_rows(who, name, since, last, first)]
        yield from merge(added, below, key=since_and_seq, reverse=True) if added else below

    def entries_with_value(self, who: str, name: str, value: str) -> Iterator[int]:
        return (row.since for row in self.mark_rows(who, name) if row.value == value)

    def marks_of(self, who: str, since: int = BOUND, last: int = BOUND) -> Iterator[MarkRow]:
        below = self._below.marks_of(who, since, min(last, self.last))
        added = self.added.marks_of(who, since, last)
        yield from merge(added, below, key=lambda row: (row.name, -row.since, -row.seq))

    def names(self, table: Literal["postings", "marks"], who: str, prefix: str = "", suffix: str = "") -> Iterator[str]:
        """Yield these names, each once, in order. Leave out names that appear only after `self.last`."""
        rows = self.posting_rows if table == "postings" else self.mark_rows
        below = (name for name in self._below.names(table, who, prefix, suffix) if next(iter(rows(who, name)), None))
        yield from sorted({*below, *self.added.names(table, who, prefix, suffix)})

    def subjects_with(self, table: Literal["postings", "marks"], prefix: str) -> Iterator[str]:
        """Yield, in order, each subject with a score or mark of this prefix, even one added after entry `self.last`."""
        yield from sorted({*self._below.subjects_with(table, prefix), *self.added.subjects_with(table, prefix)})

    def mark_names_between(self, who: str, least: str, most: str) -> Iterator[str]:
        """Yield, in order, each mark that ever had a value from `least` to `most`, even one set after `self.last`."""
        yield from sorted(
            {*self._below.mark_names_between(who, least, most), *self.added.mark_names_between(who, least, most)}
        )

    def waiting(self) -> Iterator[str]:
        below: Iterable[str]
        if self._waiting is not None:
            below = self._waiting.open_at(self.last)
        else:
            below = (
                self._below.waiting() if self._is_whole else self._below.mark_names_between(QUESTIONS, "false", "false")
            )
        yield from {*below, *self.added.names("marks", QUESTIONS)}

    def backdated_rows(self, head: int, last: int = BOUND) -> Iterator[Backdated]:
        if head < self.last:
            yield from self._below.backdated_rows(head, min(last, self.last))
        yield from self.added.backdated_rows(head, last)

    def postings(self, first: int | None = None) -> Iterator[PostingRow]:
        yield from takewhile(lambda row: row.seq <= self.last, self._below.postings(first))
        yield from self.added.postings(first)

    def marks(self, first: int | None = None) -> Iterator[MarkRow]:
        yield from takewhile(lambda row: row.seq <= self.last, self._below.marks(first))
        yield from self.added.marks(first)

    def clear(self) -> None:
        self._below, self.added = MemoryRows(), MemoryRows()


class OverlayWords:
    """The texts of the entries up to `last`, then the added ones; see `ledger.journal.storage.WordTable`."""

    def __init__(self, below: WordTable, last: int) -> None:
        self._below = below
        self.last = last
        self._added: dict[tuple[int, str], StoredWord | None] = {}  # None for a deleted text

    def keep(self, word: StoredWord) -> None:
        self._added[word.seq, word.field] = word

    def texts_of(self, seq: int) -> dict[str, str]:
        return {field: text for field, (_, text) in self.salts_and_texts(seq).items()}

    def salts_and_texts(self, seq: int) -> dict[str, tuple[bytes, str]]:
        below = self._below.salts_and_texts(seq) if seq <= self.last else {}
        added = {field: word and (word.salt, word.text) for (at, field), word in self._added.items() if at == seq}
        return {field: word for field, word in {**below, **added}.items() if word is not None}

    def delete(self, seq: int, fields: Iterable[str]) -> None:
        self._added |= {(seq, field): None for field in fields}

    @property
    def added(self) -> Iterator[StoredWord]:
        """Yield the texts that were added here and not deleted."""
        yield from (word for word in self._added.values() if word is not None)

    def all(self, first: int | None = None) -> Iterator[StoredWord]:
        below = takewhile(lambda word: word.seq <= self.last, self._below.all(first))
        words = {(word.seq, word.field): word for word in below} | self._added
        yield from sorted(word for word in words.values() if word is not None and word.seq >= (first or word.seq))


class Overlay(StorageWrapper):
    """The storage `below` as it was after entry `last`, plus new entries in memory. `waiting` finds open questions."""

    entries: OverlayEntries
    rows: OverlayRows
    words: OverlayWords

    def __init__(self, below: Storage, last: int | None = None, waiting: OpenQuestions | None = None) -> None:
        super().__init__(below)
        self.last = below.entries.head() if last is None else last
        self.entries = OverlayEntries(below.entries, self.last)
        self.rows = OverlayRows(below.rows, self.last, covers_all=last is None, waiting=waiting)
        self.words = OverlayWords(below.words, self.last)

    def advance(self) -> None:
        """Include the next entry of the storage below. Nothing may have been added yet."""
        self.last += 1
        for table in (self.entries, self.rows, self.words):
            table.last = self.last

    def writing(self) -> AbstractContextManager[None]:
        """Take no lock. After an error, the overlay must not be used again."""
        return nullcontext()

    def has_nodes(self) -> bool:
        return False

    def upgrade(self) -> bool:
        """Return False: tables in memory are always new."""
        return False

    def scrub(self) -> None:
        """Do nothing: deleted texts leave no trace in memory."""


def _field(entry: StoredEntry, name: str) -> Any:
    return json.loads(entry.body).get(name)
