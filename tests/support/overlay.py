"""Overlay: a storage over a snapshot of another one, with everything that is added kept in memory.

Nothing reaches the storage below, and its write lock is never taken. The storage below has to hold still as long as the
overlay is used: within its `reading`, or where nobody else writes. The tables here never change a value in place, so that their
attributes as they were are all that it takes to undo what was written.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal

from ledger.events.rows import BOUND, MarkRow, PostingRow
from ledger.journal.storage import CheckpointTable, EntryTable, NodeTable, RowTable, Storage, WordTable
from ledger.journal.stored import Late, StoredEntry, StoredNode, StoredWord


class _Entries:
    def __init__(self, below: EntryTable) -> None:
        self._below = below
        self._added: tuple[StoredEntry, ...] = ()

    def head(self) -> int:
        return self._added[-1].seq if self._added else self._below.head()

    def append(self, entry: StoredEntry) -> None:
        if entry.seq != self.head() + 1:
            raise ValueError(f"entry {entry.seq} does not follow entry {self.head()}")
        self._added = (*self._added, entry)

    def stored(self, first: int = 1, last: int = BOUND) -> Iterator[StoredEntry]:
        yield from self._below.stored(first, last)
        yield from (entry for entry in self._added if first <= entry.seq <= last)

    def once(self, once: str) -> int | None:
        added = (entry.seq for entry in self._added if _body(entry).get("once") == once)
        return next(added, self._below.once(once))

    def naming(self, types: Sequence[str], first: int, names: Iterable[str]) -> Iterator[StoredEntry]:
        own = list(names)
        keys, kinds = [f'"{name}":'.encode() for name in own], [f'"type":"{kind}"'.encode() for kind in types]
        yield from self._below.naming(types, first, own)
        for entry in self._added:
            if entry.seq >= first and all(any(each in entry.body for each in some) for some in (keys, kinds)):
                yield entry

    def counting_since(self, place: int) -> Iterator[StoredEntry]:
        yield from self._below.counting_since(place)
        yield from (entry for entry in self._added if _body(entry).get("since") == place)


def _body(entry: StoredEntry) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(entry.body)
    return body


class _Rows:
    """Rows over those of a storage below, until `clear` takes these away."""

    def __init__(self, below: RowTable) -> None:
        self._below: tuple[RowTable, ...] = (below,)
        self._postings: tuple[PostingRow, ...] = ()
        self._marks: tuple[MarkRow, ...] = ()

    def put(self, postings: Iterable[PostingRow], marks: Iterable[MarkRow]) -> None:
        self._postings += tuple(postings)
        self._marks += tuple(marks)

    def balance_at(self, who: str, score: str, seq: int = BOUND) -> int | None:
        rows = list(self.posting_rows(who, score, last=seq))
        return rows[-1].balance if rows else None

    def late_sum(self, who: str, score: str, since: int, last: int) -> int | None:
        late = [row.amount for row in self.posting_rows(who, score, since + 1, last) if row.since <= since]
        return sum(late) if late else None

    def posting_rows(self, who: str, score: str, first: int = 1, last: int = BOUND) -> Iterator[PostingRow]:
        rows = [row for table in self._below for row in table.posting_rows(who, score, first, last)]
        rows += [row for row in self._postings if row[:2] == (who, score) and first <= row.seq <= last]
        yield from sorted(rows, key=lambda row: (row.seq, row.since))

    def mark_rows(self, who: str, name: str, since: int = BOUND, last: int = BOUND) -> Iterator[MarkRow]:
        rows = [row for table in self._below for row in table.mark_rows(who, name, since, last)]
        rows += [row for row in self._marks if row[:2] == (who, name) and row.since <= since and row.seq <= last]
        yield from sorted(rows, key=lambda row: (row.since, row.seq), reverse=True)

    def names(self, table: Literal["postings", "marks"], who: str, prefix: str = "") -> Iterator[str]:
        added: tuple[PostingRow | MarkRow, ...] = self._postings if table == "postings" else self._marks
        found = {row[1] for row in added if row.who == who and row[1].startswith(prefix)}
        yield from sorted(found.union(*(below.names(table, who, prefix) for below in self._below)))

    def late(self, head: int) -> Iterator[Late]:
        for table in self._below:
            yield from table.late(head)
        postings = ((row.seq, Late(row.who, row.score, row.since)) for row in self._postings)
        marks = ((row.seq, Late(row.who, row.name, row.since)) for row in self._marks)
        for seq, row in (*postings, *marks):
            if row.since <= head < seq and not row.who.startswith("#"):
                yield row

    def postings(self) -> Iterator[PostingRow]:
        rows = [*self._postings, *(row for table in self._below for row in table.postings())]
        yield from sorted(rows, key=lambda row: (row.seq, row.who, row.score, row.since))

    def marks(self) -> Iterator[MarkRow]:
        rows = [*self._marks, *(row for table in self._below for row in table.marks())]
        yield from sorted(rows, key=lambda row: (row.seq, row.who, row.name, row.since))

    def clear(self) -> None:
        self._below, self._postings, self._marks = (), (), ()


class _Words:
    def __init__(self, below: WordTable) -> None:
        self._below = below
        self._added: dict[tuple[int, str], StoredWord] = {}
        self._deleted: frozenset[tuple[int, str]] = frozenset()

    def keep(self, word: StoredWord) -> None:
        self._added = {**self._added, (word.seq, word.field): word}

    def of(self, seq: int) -> dict[str, str]:
        return {field: text for field, (_, text) in self.kept(seq).items()}

    def kept(self, seq: int) -> dict[str, tuple[bytes, str]]:
        below = {field: kept for field, kept in self._below.kept(seq).items() if (seq, field) not in self._deleted}
        return below | {word.field: (word.salt, word.text) for word in self._added.values() if word.seq == seq}

    def delete(self, seq: int, fields: Iterable[str]) -> None:
        deleted = {(seq, field) for field in fields}
        self._deleted |= deleted
        self._added = {key: word for key, word in self._added.items() if key not in deleted}

    def all(self) -> Iterator[StoredWord]:
        below = [word for word in self._below.all() if (word.seq, word.field) not in self._deleted]
        yield from sorted([*below, *self._added.values()])


class _Nodes:
    """Nodes over those of a storage below, until they are cleared; the leaves are those of the overlay."""

    def __init__(self, below: NodeTable, entries: EntryTable) -> None:
        self.below: tuple[NodeTable, ...] = (below,)
        self._entries = entries
        self._added: dict[tuple[int, int], bytes] = {}

    def get(self, level: int, place: int) -> bytes | None:
        if not level:
            return next((entry.leaf for entry in self._entries.stored(place + 1, place + 1)), None)
        found = self._added.get((level, place))
        return found or next((table.get(level, place) for table in self.below), None)

    def put(self, node: StoredNode) -> None:
        self._added = {**self._added, (node.level, node.place): node.hash}

    def all(self) -> Iterator[StoredNode]:
        nodes = [node for table in self.below for node in table.all()]
        nodes += [StoredNode(level, place, found) for (level, place), found in self._added.items()]
        yield from sorted(nodes, key=lambda node: ((node.place + 1) << node.level, node.level))

    def clear(self) -> None:
        self.below, self._added = (), {}


class _Checkpoints:
    def __init__(self, below: CheckpointTable) -> None:
        self.below: tuple[CheckpointTable, ...] = (below,)
        self._added: dict[int, str] = {}

    def get(self, size: int) -> str | None:
        return self.all().get(size)

    def put(self, size: int, note: str) -> None:
        self._added = {**self._added, size: note}

    def all(self) -> dict[int, str]:
        below = {size: note for table in self.below for size, note in table.all().items()}
        return dict(sorted((below | self._added).items()))


class Overlay:
    """A storage over another; see `ledger.journal.storage.Storage` for what is promised."""

    def __init__(self, below: Storage) -> None:
        self._below = below
        self.entries = _Entries(below.entries)
        self.rows = _Rows(below.rows)
        self.words = _Words(below.words)
        self.nodes = _Nodes(below.nodes, self.entries)
        self.checkpoints = _Checkpoints(below.checkpoints)

    def close(self) -> None:
        """Whoever opened the storage below closes it."""

    @contextmanager
    def writing(self, *, dry: bool = False) -> Iterator[None]:
        tables = [vars(table) for table in (self.entries, self.rows, self.words, self.nodes, self.checkpoints)]
        undo = [dict(table) for table in tables]
        try:
            yield
            undo = undo if dry else []
        finally:
            for table, before in zip(tables, undo, strict=False):
                table.update(before)

    def reading(self) -> AbstractContextManager[None]:
        return self._below.reading()

    def has_nodes(self) -> bool:
        return not self.checkpoints.below or self._below.has_nodes()

    def upgrade(self) -> bool:
        if self.has_nodes():
            return False
        self.nodes.below, self.checkpoints.below = (), ()
        return True

    def check_guards(self) -> str:
        return self._below.check_guards()

    def scrub(self) -> None:
        """Memory forgets by itself, and the storage below is not ours to scrub."""
