"""The journal: an append-only list of entries, and the tree (RFC 6962) over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import chain, product, takewhile
from json import loads
from operator import itemgetter
from types import NoneType
from typing import TYPE_CHECKING, Any

from ledger.errors import BadInput, CampaignFull, Damaged, Refused, TablesDiffer, WrongEntry, entry_count, quoted
from ledger.events.entry import Entry
from ledger.events.rows import BOUND
from ledger.hints import install_hint
from ledger.journal.records import StoredEntry, StoredNode
from ledger.journal.schema import VERSION_WITH_CLOCKS

if TYPE_CHECKING:
    from ledger.journal.overlay import Overlay
    from ledger.journal.storage import Club, Engine, Storage


RESERVED_ENTRIES = 1000
"""The number of entries above a campaign's limit for corrections, answers, and the end of the session."""


def _postgres(address: str) -> Engine:
    try:
        from ledger.journal.postgres import PostgresEngine  # most campaigns are files
    except ImportError as missing:
        raise BadInput(f"This address needs {missing.name}, which is not installed here.", install_hint()) from None
    return PostgresEngine(address)


OTHER_ENGINES: Mapping[str, Callable[[str], Engine]] = {"postgresql": _postgres, "postgres": _postgres}
"""The engines for addresses like `scheme://…`, by scheme. Every other address is the path of a file."""


def engine_for(address: str) -> Engine:
    """Return the engine for an address, even if no campaign is there."""
    scheme, is_url, _ = address.partition("://")
    if is_url and scheme in OTHER_ENGINES:
        return OTHER_ENGINES[scheme](address)
    from ledger.journal.files import FileEngine

    return FileEngine(address)


def club_for(address: str) -> Club:
    """Return the campaigns of a whole database. Raise `BadInput` unless its address begins with `postgresql://`."""
    if address.partition("://")[0] not in OTHER_ENGINES:
        hint = "An address looks like this: postgresql://host/database"
        raise BadInput(f"{quoted(address)} is not the address of a database.", hint)
    try:
        from ledger.journal.postgres_club import PostgresClub  # few people host a club
    except ImportError as missing:
        raise BadInput(f"This address needs {missing.name}, which is not installed here.", install_hint()) from None
    return PostgresClub(address)


class Journal:
    """The entries of an open campaign, and their tree. `read` parses a stored entry, and may cache it."""

    def __init__(self, storage: Storage, read: Callable[[StoredEntry], Entry] | None = None) -> None:
        self.storage = storage
        self.read = read or entry_of

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Take the write lock. When this block ends, either all appended entries are on disk or none.

        Raise `Busy` if the lock is not free within a few seconds, and `DiskRefused` if the disk refuses the write.
        """
        with self.storage.writing():
            if self.storage.upgrade():
                for seq, _, leaf in self.stored():
                    self.store_nodes(seq, leaf)
            yield

    def reading(self) -> AbstractContextManager[None]:
        """Hold a snapshot: all reads in the block see the campaign as it is now, even if somebody writes meanwhile."""
        return self.storage.reading()

    def paused(self) -> AbstractContextManager[None]:
        """Let others write while a person decides. When this block ends, `reading` holds a new snapshot."""
        return self.storage.paused()

    def head(self) -> int:
        """Return the number of the last entry, 0 if there is none."""
        return self.storage.entries.head()

    def append(self, seq: int, stored: bytes) -> StoredEntry:
        """Append an entry's canonical bytes, with the nodes that it completes. The caller holds the write lock."""
        from ledger.tlog.tree import leaf_hash  # only needed to write

        entry = StoredEntry(seq, stored, leaf_hash(stored))
        self.storage.entries.append(entry)
        if self.storage.has_nodes():
            self.store_nodes(seq, entry.leaf)
        return entry

    def check_room(self, new: int, *, reserve: bool) -> None:
        """Raise `CampaignFull` if the host does not allow `new` more entries. The caller holds the write lock.

        With `reserve`, they may be among the `RESERVED_ENTRIES` above the limit.
        """
        limit = self.storage.entry_limit()
        if limit is None or self.head() + new <= limit + RESERVED_ENTRIES * reserve:
            return
        says = f"The host allows this campaign {entry_count(limit)}."
        says += f" With this command, it would have {self.head() + new:,}."
        hint = "Ask the host to allow more."
        if not reserve:
            hint += " You can still undo and correct actions, answer questions, and close the session."
        raise CampaignFull(f"{says} Nothing was written.", hint)

    def append_all(self, planned: Overlay, *, reserve: bool = False) -> None:
        """Append all that was added to an overlay. Raise the error of `check_room`.

        The caller holds the write lock, and has checked that nobody wrote to the journal after the overlay was made.
        """
        self.check_room(len(planned.entries.added), reserve=reserve)
        for entry in planned.entries.added:
            self.append(entry.seq, entry.body)
        self.storage.rows.put(planned.rows.added.postings(), planned.rows.added.marks())
        for word in planned.words.added:
            self.storage.words.keep(word)

    def store_nodes(self, seq: int, leaf: bytes) -> None:
        """Store the nodes that a leaf completes, the lowest first."""
        from ledger.tlog.tree import completed_nodes, node_hash

        below = leaf
        for level, place in completed_nodes(seq - 1):
            below = node_hash(self.node(level - 1, 2 * place), below)
            self.storage.nodes.put(StoredNode(level, place, below))

    # The tree

    def node(self, level: int, place: int) -> bytes:
        """Return the hash of a complete subtree of 2^level leaves. `place` is the position within the level."""
        if level and not self.storage.has_nodes():
            from ledger.tlog.tree import node_hash  # a file of the first version has only leaves

            return node_hash(self.node(level - 1, 2 * place), self.node(level - 1, 2 * place + 1))
        digest = self.storage.nodes.get(level, place)
        if digest is None and level:
            raise TablesDiffer(f"the check value that protects entry {(place + 1) << level} is missing")
        if digest is None:
            raise WrongEntry(place + 1, "is missing")
        return digest

    def nodes(self, first: int | None = None, last: int = BOUND) -> Iterator[StoredNode]:
        """Yield the inner nodes that the entries from `first` to `last` completed, in the order of their completion."""
        if self.storage.has_nodes():
            yield from self.storage.nodes.all(first, last)

    def root(self, size: int) -> bytes:
        """Return the root of the tree (RFC 6962) of the first `size` entries. This reads O(log n) rows."""
        from ledger.tlog.tree import root_hash  # not needed to show a sheet

        return root_hash(self.node, self._check_size(size))

    def inclusion_proof(self, index: int, size: int) -> list[bytes]:
        """Return the proof that entry `index + 1` is among the first `size` entries. This reads O(log n) rows."""
        from ledger.tlog.tree import prove_inclusion

        return prove_inclusion(self.node, index, self._check_size(size))

    def consistency_proof(self, size1: int, size2: int) -> list[bytes]:
        """Return the proof that the tree of `size2` entries continues that of `size1`. This reads O(log n) rows."""
        from ledger.tlog.tree import prove_consistency

        return prove_consistency(self.node, size1, self._check_size(size2))

    def _check_size(self, size: int) -> int:
        if not 0 <= size <= self.head():
            raise Refused(f"There is no entry {size}. The last one is #{self.head()}.")
        return size

    def keep_checkpoint(self, size: int, note: str) -> None:
        """Store or replace the signed head (`note`) of the first `size` entries. The caller holds the write lock."""
        self.storage.checkpoints.put(size, note)

    def checkpoint(self, size: int) -> str | None:
        """Return the signed head of the first `size` entries, None if there is none."""
        return self.storage.checkpoints.get(size) if self.storage.has_nodes() else None

    def checkpoints(self) -> dict[int, str]:
        """Map each size to its signed head, in order of size."""
        return self.storage.checkpoints.all() if self.storage.has_nodes() else {}

    # The entries

    def entry(self, seq: int) -> Entry:
        """Return an entry. Raise `Refused` for a number beyond the last entry, and `Damaged` for a missing entry."""
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

    def search(self, types: Iterable[str], first: int, names: Iterable[str]) -> Iterator[Entry]:
        """Yield the entries of these types, from `first` on, whose JSON has one of these names as a key."""
        wanted = tuple(types)
        entries = map(self.read, self.storage.entries.search(wanted, first, names))
        return (entry for entry in entries if entry.type in wanted)  # other text in an entry may look like its type

    def of_type(self, kind: str, seqs: Iterable[int]) -> list[int]:
        """Return the entries in `seqs` that have this type, in order."""
        return list(self.storage.entries.of_type(kind, seqs))

    def entries_since(self, first: int, last: int) -> Iterator[Entry]:
        """Yield the entries that take effect at an entry from `first` to `last`, in order of `seq`.

        An entry's `since` is the number of the entry at which it takes effect.
        """
        original = (entry for entry in self.entries(first, last) if entry.since >= first)
        yield from chain(original, self.later_corrections(first, last))

    def later_corrections(self, first: int, last: int) -> Iterator[Entry]:
        """Yield the entries after `last` that take effect at an entry from `first` to `last`, in order of `seq`."""
        backdated = self.storage.entries.backdated_entries(first, last)
        return (self.read(stored) for stored in backdated if stored.seq > last)

    def stored(self, first: int = 1, last: int | None = None) -> Iterator[StoredEntry]:
        """Yield the entries as stored, without parsing. Raise `WrongEntry` for a gap between entries."""
        rows = self.storage.entries.stored(first, BOUND if last is None else last)
        for seq, row in enumerate(rows, first):
            if row.seq != seq:
                raise WrongEntry(seq, "is missing")
            yield row

    def action(self, act: int) -> list[Entry]:
        """Return the entries of the action that starts at this entry."""
        return list(takewhile(lambda entry: entry.act == act, self.entries(act)))

    def find_by_once_id(self, once: str) -> int | None:
        """Return the number of the entry with this idempotency key, None if there is none."""
        # SQLite refuses lone surrogates
        return self.storage.entries.find_by_once_id(once) if once.isprintable() else None

    def last_entry_at(self, moment: str) -> int:
        """Return the number of the last entry at or before `moment` (UTC, as in `Entry.at`), 0 if there is none."""
        low, high = 0, self.head()  # `at` never decreases; an entry has a `clock` only if it differs from `at`
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.entry(middle).at <= moment else (low, middle - 1)
        if self.storage.version() < VERSION_WITH_CLOCKS:
            return low
        return max(low, self.storage.entries.last_on_clock(moment) or 0)


def memory_journal(source: Storage | None = None) -> Journal:
    """Make a journal in memory, empty or with the current content of another campaign."""
    from ledger.journal.sqlite import SQLite

    return Journal(SQLite.memory() if source is None else SQLite.copy_in_memory(source))


def entry_of(row: StoredEntry, parse: Callable[[bytes], Any] = loads) -> Entry:
    """Parse a stored row. Raise `WrongEntry` if its body is not an entry, or is an entry with a different number."""
    return Entry.of_body(row.seq, body_of(row.seq, row.body, parse), row.body, row.leaf)


_REQUIRED_FIELDS = itemgetter("seq", "since", "act", "at", "by", "type", "postings", "marks", "cause")
"""The required fields of every entry, whatever its type."""

_FIELD_TYPES = {
    (int, int, int, str, str, str, list, list, cause, clock, line)
    for cause, clock, line in product((int, NoneType), (str, NoneType), (int, NoneType))
}
"""The possible JSON types of `_REQUIRED_FIELDS`, followed by those of `clock` and `line`."""


def body_of(seq: int, stored: bytes, parse: Callable[[bytes], Any]) -> dict[str, Any]:
    """Parse an entry with `parse`. Raise `WrongEntry` if the bytes are not an entry with the number `seq`."""
    try:
        body: dict[str, Any] = parse(stored)
    except (ValueError, RecursionError):
        raise WrongEntry(seq, "is not valid JSON") from None
    try:
        kinds = (*map(type, _REQUIRED_FIELDS(body)), type(body.get("clock")), type(body.get("line")))
    except (TypeError, KeyError):
        raise WrongEntry(seq, "is not in the form of an entry") from None
    if kinds not in _FIELD_TYPES:
        raise WrongEntry(seq, "is not in the form of an entry")
    since, act, cause = body["since"], body["act"], body["cause"]
    if not (body["seq"] == seq and 0 < since <= seq and 0 < act <= seq and (cause is None or 0 < cause < seq)):
        raise WrongEntry(seq, "is in the wrong place")
    return body
