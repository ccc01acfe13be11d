"""Storage: the port between the journal and the database engine that keeps it, row by row.

An engine keeps five tables and knows nothing of what they mean: strikes, sums as of a time, the tree and the checks
stand above this port. Names are compared and ordered bytewise, as UTF-8. A body is kept as text, and handed over as
the same bytes: one canonical JSON object (RFC 8785) with the fields `seq`, `since` and `once`. What the disk, another
process or a damaged file makes impossible is said as a `LedgerError`: `Busy`, `NoRoom`, `Damaged`, `TablesDiffer`.

A caller writes within `writing` alone, one entry after the other and each row once; reads an iterator to its end
before it writes; and asks `has_nodes` before it asks for nodes or signed heads.

The tables are separate objects, so that one of them can be replaced: rows in memory over a snapshot of the others.

Only a type checker needs these protocols; what an engine hands over stands in `stored`.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol

from ledger.events.rows import BOUND, MarkRow, PostingRow
from ledger.journal.stored import Late, StoredEntry, StoredNode, StoredWord


class EntryTable(Protocol):
    """The entries, in order, without gaps; nothing is ever changed or deleted here."""

    def head(self) -> int:
        """Number of the last entry, 0 for none."""

    def append(self, entry: StoredEntry) -> None:
        """Keep the entry after the last; the write lock is held."""

    def stored(self, first: int = 1, last: int = BOUND) -> Iterator[StoredEntry]:
        """Entries from first to last, both included, in order."""

    def once(self, once: str) -> int | None:
        """Number of the entry that bears an idempotency key."""

    def naming(self, types: Sequence[str], first: int, names: Iterable[str]) -> Iterator[StoredEntry]:
        """Candidates: entries from `first` on in whose text any of these types and any of these keys stand, in order.

        The text may stand in some other place of the body; whoever asks looks again.
        """

    def counting_since(self, place: int) -> Iterator[StoredEntry]:
        """Entries that count from an entry, in order."""


class RowTable(Protocol):
    """Postings and marks: the rows that entries added."""

    def put(self, postings: Iterable[PostingRow], marks: Iterable[MarkRow]) -> None:
        """Add the rows of an entry, in the order of their keys; the write lock is held."""

    def balance_at(self, who: str, score: str, seq: int = BOUND) -> int | None:
        """Balance after the last posting that was written up to an entry, None if there is none."""

    def late_sum(self, who: str, score: str, since: int, last: int) -> int | None:
        """Sum of what was written after `since`, up to `last`, and counts from `since` or before; None for no rows."""

    def posting_rows(self, who: str, score: str, first: int = 1, last: int = BOUND) -> Iterator[PostingRow]:
        """Postings of a score that were written from first to last, in order of `seq`, then `since`."""

    def mark_rows(self, who: str, name: str, since: int = BOUND, last: int = BOUND) -> Iterator[MarkRow]:
        """Rows of a mark that count from `since` or before, written up to `last`; the greatest `since`, `seq` first."""

    def names(self, table: Literal["postings", "marks"], who: str, prefix: str = "") -> Iterator[str]:
        """Names of the scores or marks of a subject that begin with a prefix, each once, in order."""

    def late(self, head: int) -> Iterator[Late]:
        """Rows written after an entry that count from it or before: all postings, then all marks.

        Only of characters and of the campaign, whose names begin with a small letter.
        """

    def postings(self) -> Iterator[PostingRow]:
        """All postings, in order of `seq`, `who`, `score`, `since`."""

    def marks(self) -> Iterator[MarkRow]:
        """All rows of marks, in order of `seq`, `who`, `name`, `since`."""

    def clear(self) -> None:
        """Drop all rows, and make the empty tables anew; the write lock is held."""


class WordTable(Protocol):
    """What people typed, and what the GM keeps, beside the entries that commit to it."""

    def keep(self, word: StoredWord) -> None:
        """Keep a text; the write lock is held."""

    def of(self, seq: int) -> dict[str, str]:
        """Texts of an entry, by field."""

    def kept(self, seq: int) -> dict[str, tuple[bytes, str]]:
        """Salts and texts of an entry, by field."""

    def delete(self, seq: int, fields: Iterable[str]) -> None:
        """Delete texts and salts, so that nothing is left in the pages that are in use; the write lock is held."""

    def all(self) -> Iterator[StoredWord]:
        """All texts, in order of `seq`, `field`."""


class NodeTable(Protocol):
    """The inner nodes of the tree; its leaves stand with the entries."""

    def get(self, level: int, place: int) -> bytes | None:
        """Hash of a node, None if it is not kept; of level 0, that of a leaf."""

    def put(self, node: StoredNode) -> None:
        """Keep a node; the write lock is held."""

    def all(self) -> Iterator[StoredNode]:
        """All nodes, in the order in which leaves complete them."""

    def clear(self) -> None:
        """Drop all nodes, and make the empty table anew; the write lock is held."""


class CheckpointTable(Protocol):
    """Signed heads, one for each size."""

    def get(self, size: int) -> str | None:
        """Note of the first `size` entries."""

    def put(self, size: int, note: str) -> None:
        """Keep a note, in place of an earlier one of the same size; the write lock is held."""

    def all(self) -> dict[int, str]:
        """All notes by size, in order."""


class Storage(Protocol):
    """An open campaign. What was written in `writing` is on disk when that returns, or nothing of it is."""

    @property
    def entries(self) -> EntryTable:
        """The entries."""

    @property
    def rows(self) -> RowTable:
        """The postings and marks."""

    @property
    def words(self) -> WordTable:
        """The texts."""

    @property
    def nodes(self) -> NodeTable:
        """The inner nodes of the tree."""

    @property
    def checkpoints(self) -> CheckpointTable:
        """The signed heads."""

    def close(self) -> None:
        """Close it, and leave it whole."""

    def writing(self, *, dry: bool = False) -> AbstractContextManager[None]:
        """Hold the write lock; refuses with `Busy` after five seconds. What a dry run wrote is undone."""

    def reading(self) -> AbstractContextManager[None]:
        """See the campaign as it is now until this ends, whoever writes meanwhile."""

    def has_nodes(self) -> bool:
        """Whether the tree's nodes and signed heads are kept; a campaign of the first version has no room for them."""

    def upgrade(self) -> bool:
        """Bring the tables to this version; return whether nodes are to be made. The write lock is held."""

    def check_guards(self) -> str:
        """Refuse a campaign whose tables or triggers are not as this engine makes them (`NotGuarded`, `Damaged`).

        Where that is so of the derived tables alone, it is not refused: return what is wrong with them, else "".
        """

    def scrub(self) -> None:
        """Leave nothing of what was deleted; refuses (`Unscrubbed`) while somebody reads, or for want of room."""


class Engine(Protocol):
    """What opens and makes campaigns at an address of its own kind."""

    def open(self, address: str) -> Storage:
        """Open a campaign; refuses with `NoCampaign`, `NotACampaign`, `NewerCampaign`."""

    def create(self, address: str) -> Storage:
        """Make an empty campaign; refuses (`Refused`) where there is something already, `NoRoom`."""

    def memory(self) -> Storage:
        """Make an empty campaign that lies in memory alone."""

    def recognizes(self, address: str) -> bool:
        """Whether there is something that may be a campaign of this engine, and no text."""
