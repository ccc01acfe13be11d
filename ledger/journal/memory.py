"""Memory: postings, marks and nodes in plain lists, made only from the entries of another storage.

They replace the derived tables on disk if those may be wrong or must not change.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from heapq import merge
from itertools import takewhile
from operator import attrgetter
from typing import Literal

from ledger.events.rows import BOUND, MarkRow, PostingRow
from ledger.journal.accounts import since_and_seq
from ledger.journal.records import Backdated, StoredNode
from ledger.journal.storage import EntryTable, NodeTable, RowTable, Storage, WordTable

_seq = attrgetter("seq")


class MemoryRows:
    """Postings and marks in memory; see `ledger.journal.storage.RowTable`."""

    def __init__(self) -> None:
        self._postings: dict[str, dict[str, list[PostingRow]]] = {}
        self._marks: dict[str, dict[str, list[MarkRow]]] = {}
        self._sorted_names: dict[tuple[str, str], list[str]] = {}  # until the next `put`

    def put(self, postings: Iterable[PostingRow], marks: Iterable[MarkRow]) -> None:
        self._sorted_names.clear()
        for posting in postings:
            self._postings.setdefault(posting.who, {}).setdefault(posting.score, []).append(posting)
        for mark in marks:
            history = self._marks.setdefault(mark.who, {}).setdefault(mark.name, [])
            if history and since_and_seq(history[-1]) > since_and_seq(mark):
                insort(history, mark, key=since_and_seq)
            else:  # most marks are the last ones, which need no search
                history.append(mark)

    def balance_at(self, who: str, score: str, seq: int = BOUND) -> int | None:
        rows = self._rows_of(who, score)
        place = bisect_right(rows, seq, key=_seq)
        return rows[place - 1].balance if place else None

    def posting_rows(self, who: str, score: str, first: int = 1, last: int = BOUND) -> Iterator[PostingRow]:
        rows = self._rows_of(who, score)
        yield from reversed(rows[bisect_right(rows, first - 1, key=_seq) : bisect_right(rows, last, key=_seq)])

    def original_count(self, who: str, score: str, last: int = BOUND) -> int:
        return sum(row.since == row.seq for row in self.posting_rows(who, score, last=last))

    def corrections(self, who: str, score: str, since: int, first: int = 1, last: int = BOUND) -> Iterator[PostingRow]:
        late = (row for row in self.posting_rows(who, score, first, last) if row.since <= since and row.since < row.seq)
        yield from sorted(late, key=since_and_seq, reverse=True)

    def mark_rows(
        self, who: str, name: str, since: int = BOUND, last: int = BOUND, first: int = 1
    ) -> Iterator[MarkRow]:
        rows = self._marks.get(who, {}).get(name, [])
        yield from (row for row in reversed(rows) if row.since <= since and first <= row.seq <= last)

    def entries_with_value(self, who: str, name: str, value: str) -> Iterator[int]:
        return (row.since for row in self.mark_rows(who, name) if row.value == value)

    def marks_of(self, who: str, since: int = BOUND, last: int = BOUND) -> Iterator[MarkRow]:
        for name in self.names("marks", who):
            yield from self.mark_rows(who, name, since, last)

    def names(self, table: Literal["postings", "marks"], who: str, prefix: str = "", suffix: str = "") -> Iterator[str]:
        names = self._sorted_names.get((table, who))
        if names is None:
            own = self._postings.get(who, {}) if table == "postings" else self._marks.get(who, {})
            names = self._sorted_names[table, who] = sorted(own)
        first = bisect_left(names, prefix)
        found = takewhile(lambda name: name.startswith(prefix), map(names.__getitem__, range(first, len(names))))
        yield from (name for name in found if name.endswith(suffix))

    def subjects_with(self, table: Literal["postings", "marks"], prefix: str) -> Iterator[str]:
        subjects = self._postings if table == "postings" else self._marks
        yield from sorted(who for who in subjects if next(self.names(table, who, prefix), None) is not None)

    def mark_names_between(self, who: str, least: str, most: str) -> Iterator[str]:
        for name, rows in sorted(self._marks.get(who, {}).items()):
            if any(row.value is not None and least <= row.value <= most for row in rows):
                yield name

    def waiting(self) -> Iterator[str]:
        yield from self.mark_names_between("#questions", "false", "false")

    def backdated_rows(self, head: int, last: int = BOUND) -> Iterator[Backdated]:
        rows: list[PostingRow | MarkRow] = [*self.postings(), *self.marks()]
        for row in rows:
            if row.since <= head < row.seq <= last and row.who >= "a":
                yield Backdated(row.who, row.score if isinstance(row, PostingRow) else row.name, row.since)

    def postings(self, first: int | None = None) -> Iterator[PostingRow]:
        accounts = (rows for scores in self._postings.values() for rows in scores.values())
        rows = merge(*accounts, key=lambda row: (row.seq, row.who, row.score, row.since))
        yield from (row for row in rows if row.seq >= (first or row.seq))

    def marks(self, first: int | None = None) -> Iterator[MarkRow]:
        rows = (row for names in self._marks.values() for history in names.values() for row in history)
        own = (row for row in rows if row.seq >= (first or row.seq))
        yield from sorted(own, key=lambda row: (row.seq, row.who, row.name, row.since))

    def clear(self) -> None:
        self._postings.clear()
        self._marks.clear()
        self._sorted_names.clear()

    def _rows_of(self, who: str, score: str) -> list[PostingRow]:
        return self._postings.get(who, {}).get(score, [])


class MemoryNodes:
    """The inner nodes of the tree in memory. The leaves are read from a storage."""

    def __init__(self, leaves: Storage) -> None:
        self._leaves = leaves.nodes
        self._nodes: dict[tuple[int, int], bytes] = {}

    def get(self, level: int, place: int) -> bytes | None:
        return self._nodes.get((level, place)) if level else self._leaves.get(0, place)

    def put(self, node: StoredNode) -> None:
        self._nodes[node.level, node.place] = node.hash

    def all(self, first: int | None = None, last: int = BOUND) -> Iterator[StoredNode]:
        nodes = (StoredNode(*place, digest) for place, digest in self._nodes.items())
        yield from (node for node in nodes if (first or 0) <= (node.place + 1) << node.level <= last)

    def clear(self) -> None:
        self._nodes.clear()


class StorageWrapper:
    """A storage that uses the tables of another one. Subclasses replace some tables."""

    def __init__(self, below: Storage) -> None:
        self._below = below
        self.entries: EntryTable = below.entries
        self.rows: RowTable = below.rows
        self.words: WordTable = below.words
        self.nodes: NodeTable = below.nodes
        self.checkpoints = below.checkpoints
        self.reading, self.paused = below.reading, below.paused
        self.version, self.check_guards, self.foreign_names = below.version, below.check_guards, below.foreign_names
        self.moved_to, self.mark_moved, self.upgrade_backup = below.moved_to, below.mark_moved, below.upgrade_backup
        self.digests, self.remains_of_deleted_texts = below.digests, below.remains_of_deleted_texts
        self.entry_limit = below.entry_limit

    def address(self) -> str | None:
        """Return None, because another process cannot see what this storage has in memory."""
        return None

    def close(self) -> None:
        """Do nothing: the storage below stays open."""

    def writing(self) -> AbstractContextManager[None]:
        return self._below.writing()

    def has_nodes(self) -> bool:
        return self._below.has_nodes()

    def upgrade(self) -> bool:
        return self._below.upgrade()

    def scrub(self) -> None:
        self._below.scrub()


class LoadedWords:
    """The texts of another word table, copied into memory; see `ledger.journal.storage.WordTable`."""

    def __init__(self, below: WordTable) -> None:
        self.keep, self.salts_and_texts, self.delete, self.all = (
            below.keep,
            below.salts_and_texts,
            below.delete,
            below.all,
        )
        self._texts: dict[int, dict[str, str]] = {}
        for word in below.all():
            self._texts.setdefault(word.seq, {})[word.field] = word.text

    def texts_of(self, seq: int) -> dict[str, str]:
        return self._texts.get(seq, {})


class LoadedStorage(StorageWrapper):
    """A storage with the entries of another one, and with copies of the other one's rows and texts in memory."""

    def __init__(self, below: Storage) -> None:
        super().__init__(below)
        self.rows, self.words = MemoryRows(), LoadedWords(below.words)
        self.rows.put(below.rows.postings(), below.rows.marks())


class RecomputedStorage(StorageWrapper):
    """A storage with the entries, words and signed heads of another one. The rows and nodes are in memory."""

    def __init__(self, below: Storage) -> None:
        super().__init__(below)
        self.rows = MemoryRows()
        self.nodes = MemoryNodes(below)
