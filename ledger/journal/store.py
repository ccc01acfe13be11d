"""The journal: an append-only list of entries, and the tree (RFC 6962) over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import chain, takewhile
from operator import itemgetter
from types import NoneType
from typing import TYPE_CHECKING, Any

from ledger.errors import Damaged, Refused, TablesDiffer, WrongEntry
from ledger.events.entry import Entry
from ledger.events.rows import BOUND
from ledger.journal.records import StoredEntry, StoredNode
from ledger.journal.schema import WITH_CLOCKS

if TYPE_CHECKING:
    from ledger.journal.overlay import Overlay
    from ledger.journal.storage import Engine, Storage


OTHER_ENGINES: Mapping[str, Callable[[str], Engine]] = {}
"""The engines of addresses like `scheme://…`, by scheme; every other address is the path of a file."""


def engine_for(address: str) -> Engine:
    """The engine for an address, whether a campaign is there or not."""
    scheme, is_url, _ = address.partition("://")
    if is_url and scheme in OTHER_ENGINES:
        return OTHER_ENGINES[scheme](address)
    from ledger.journal.files import File

    return File(address)


class Journal:
    """The entries of an open campaign, and their tree; `read` may remember the entries that it was asked for."""

    def __init__(self, storage: Storage, read: Callable[[StoredEntry], Entry] | None = None) -> None:
        self.storage = storage
        self.read = read or entry_of

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Take the write lock; when this returns, everything appended is on disk, or nothing.

        Refuses with `Busy` after a few seconds, `NoRoom` if the disk did not take it.
        """
        with self.storage.writing():
            if self.storage.upgrade():
                for seq, _, leaf in self.stored():
                    self.complete(seq, leaf)
            yield

    def reading(self) -> AbstractContextManager[None]:
        """See the campaign as it is now for the whole block, whoever writes in the meantime."""
        return self.storage.reading()

    def paused(self) -> AbstractContextManager[None]:
        """Let others write while a person decides. Afterwards `reading` sees the campaign's new state."""
        return self.storage.paused()

    def head(self) -> int:
        """The number of the last entry, 0 if there is none."""
        return self.storage.entries.head()

    def append(self, seq: int, stored: bytes) -> StoredEntry:
        """Append an entry by its canonical bytes, with the nodes that it completes; the write lock is held."""
        from ledger.tlog.tree import leaf_hash  # only writing hashes

        entry = StoredEntry(seq, stored, leaf_hash(stored))
        self.storage.entries.append(entry)
        if self.storage.has_nodes():
            self.complete(seq, entry.leaf)
        return entry

    def adopt(self, planned: Overlay) -> None:
        """Append all that was added over this journal, which must not have moved meanwhile; the write lock is held."""
        for entry in planned.entries.added:
            self.append(entry.seq, entry.body)
        self.storage.rows.put(planned.rows.added.postings(), planned.rows.added.marks())
        for word in planned.words.added:
            self.storage.words.keep(word)

    def complete(self, seq: int, leaf: bytes) -> None:
        """Keep the nodes that a leaf completes, the lowest first."""
        from ledger.tlog.tree import completed, node_hash

        below = leaf
        for level, place in completed(seq - 1):
            below = node_hash(self.node(level - 1, 2 * place), below)
            self.storage.nodes.put(StoredNode(level, place, below))

    # The tree

    def node(self, level: int, place: int) -> bytes:
        """The hash of a complete subtree of 2^level leaves, by its place among those of its level."""
        if level and not self.storage.has_nodes():
            from ledger.tlog.tree import node_hash  # a file of the first version has leaves alone

            return node_hash(self.node(level - 1, 2 * place), self.node(level - 1, 2 * place + 1))
        digest = self.storage.nodes.get(level, place)
        if digest is None and level:
            raise TablesDiffer(f"the check value that protects entry {(place + 1) << level} is missing")
        if digest is None:
            raise WrongEntry(place + 1, "is missing")
        return digest

    def nodes(self) -> Iterator[StoredNode]:
        """Yield the stored inner nodes, in the order of their completion."""
        if self.storage.has_nodes():
            yield from self.storage.nodes.all()

    def root(self, size: int) -> bytes:
        """The root of the tree (RFC 6962) of the first `size` entries; reads O(log n) rows."""
        from ledger.tlog.tree import root_hash  # not needed to show a sheet

        return root_hash(self.node, self._existing(size))

    def inclusion_proof(self, index: int, size: int) -> list[bytes]:
        """The proof that the entry `index + 1` is in the tree of the first `size`; reads O(log n) rows."""
        from ledger.tlog.tree import inclusion_of

        return inclusion_of(self.node, index, self._existing(size))

    def consistency_proof(self, size1: int, size2: int) -> list[bytes]:
        """Return the proof that the tree of `size2` entries continues that of `size1`; reads O(log n) rows."""
        from ledger.tlog.tree import consistency_of

        return consistency_of(self.node, size1, self._existing(size2))

    def _existing(self, size: int) -> int:
        if not 0 <= size <= self.head():
            raise Refused(f"There are fewer than {size} entries. The last one is #{self.head()}.")
        return size

    def keep_checkpoint(self, size: int, note: str) -> None:
        """Keep the signed head of the first `size` entries, in place of an earlier note; the write lock is held."""
        self.storage.checkpoints.put(size, note)

    def checkpoint(self, size: int) -> str | None:
        """The signed head of the first `size` entries, None if there is none."""
        return self.storage.checkpoints.get(size) if self.storage.has_nodes() else None

    def checkpoints(self) -> dict[int, str]:
        """The signed heads by size, in order."""
        return self.storage.checkpoints.all() if self.storage.has_nodes() else {}

    # The entries

    def entry(self, seq: int) -> Entry:
        """One entry; refuses (`Refused`) a number that no entry has, and (`Damaged`) one that it should have."""
        entry = next(self.entries(seq, seq), None)
        if entry is None:
            head = self.head()
            if not 0 < seq <= head:
                raise Refused(f"There is no entry #{seq}. The last one is #{head}.")
            entry = next(self.entries(seq, seq), None)  # another process may have written it before the head was read
        if entry is None:
            raise Damaged(f"entry {seq} is missing")
        return entry

    def entries(self, first: int = 1, last: int | None = None) -> Iterator[Entry]:
        """Yield the entries from first to last, both included."""
        yield from map(self.read, self.stored(first, last))

    def naming(self, types: Iterable[str], first: int, names: Iterable[str]) -> Iterator[Entry]:
        """Yield the entries of these types, from `first` on, that have any of these names among their keys."""
        own = tuple(types)
        entries = map(self.read, self.storage.entries.naming(own, first, names))
        return (entry for entry in entries if entry.type in own)  # a fact may look like a type

    def of_type(self, kind: str, seqs: Iterable[int]) -> list[int]:
        """Return which of these entries have this type, in order."""
        return list(self.storage.entries.of_type(kind, seqs))

    def since(self, first: int, last: int) -> Iterator[Entry]:
        """Yield the entries that count from an entry between first and last, in order of `seq`."""
        on_time = (entry for entry in self.entries(first, last) if entry.since >= first)
        late = (entry for entry in map(self.read, self.storage.entries.late(first, last)) if entry.seq > last)
        yield from chain(on_time, late)

    def stored(self, first: int = 1, last: int | None = None) -> Iterator[StoredEntry]:
        """Yield the entries as stored, unread; refuses (`WrongEntry`) a gap between them."""
        rows = self.storage.entries.stored(first, BOUND if last is None else last)
        for seq, row in enumerate(rows, first):
            if row.seq != seq:
                raise WrongEntry(seq, "is missing")
            yield row

    def action(self, act: int) -> list[Entry]:
        """The entries of the action that begins at this entry."""
        return list(takewhile(lambda entry: entry.act == act, self.entries(act)))

    def once(self, once: str) -> int | None:
        """The entry written under the caller's own id, None if there is none."""
        return self.storage.entries.once(once) if once.isprintable() else None  # SQLite takes no lone surrogate

    def last_by(self, moment: str) -> int:
        """Return the last entry whose clock is this moment (UTC, in the form of `at`) or earlier; 0 without one.

        It compares `clock`, not `at`, which keeps the order and may be later.
        """
        low, high = 0, self.head()
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.entry(middle).at <= moment else (low, middle - 1)
        if self.storage.version() < WITH_CLOCKS:
            return low
        return max(low, self.storage.entries.last_on_clock(moment) or 0)


def open_journal(address: str) -> Journal:
    """Open a campaign; refuses with `NoCampaign`, `NotACampaign` or `NewerCampaign`. Closing it leaves it whole."""
    return Journal(engine_for(address).open())


def memory_journal(source: Storage | None = None) -> Journal:
    """Make a journal in memory, empty or with all that another campaign has now."""
    from ledger.journal.sqlite import SQLite

    return Journal(SQLite.memory() if source is None else SQLite.in_memory(source))


def entry_of(row: StoredEntry) -> Entry:
    """Read a stored entry. Refuse (`WrongEntry`) what is no entry, or is in the place of another one."""
    body = _object(row.seq, row.body)
    return Entry(
        seq=row.seq,
        since=body["since"],
        at=body["at"],
        by=body["by"],
        act=body["act"],
        cause=body["cause"],
        type=body["type"],
        closed=body,
        stored=row.body,
        leaf=row.leaf,
    )


_PLACED = itemgetter("seq", "since", "act", "at", "by", "type", "postings", "marks", "cause")
"""The fields of every entry, whatever its type."""

_KINDS = (int, int, int, str, str, str, list, list)
"""The JSON types of these fields, but for the last, which may be absent."""


def _object(seq: int, stored: bytes) -> dict[str, Any]:
    from json import loads  # not needed to show a sheet

    return body_of(seq, stored, loads)


def body_of(seq: int, stored: bytes, loads: Callable[[bytes], Any]) -> dict[str, Any]:
    """The JSON of a stored entry, read by `loads`.

    Refuse (`WrongEntry`) what is no entry, or is in the place of another one.
    """
    try:
        body: dict[str, Any] = loads(stored)
    except (ValueError, RecursionError):
        raise WrongEntry(seq, "is not valid JSON") from None
    try:
        *kinds, caused = map(type, _PLACED(body))
    except (TypeError, KeyError):
        raise WrongEntry(seq, "is not an entry") from None
    if (*kinds,) != _KINDS or caused not in {int, NoneType} or type(body.get("clock")) not in {str, NoneType}:
        raise WrongEntry(seq, "is not an entry")
    since, act, cause = body["since"], body["act"], body["cause"]
    if not (body["seq"] == seq and 0 < since <= seq and 0 < act <= seq and (cause is None or 0 < cause < seq)):
        raise WrongEntry(seq, "is in the wrong place")
    return body
