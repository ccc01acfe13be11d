"""Storage: the port between the journal and the database engine that keeps it, row by row.

An engine keeps five tables and does not know what they mean: strikes, sums as of a time, the tree and the checks are
above this port. It compares and orders names bytewise, as UTF-8. It keeps a body as text, and hands over the same
bytes: one canonical JSON object (RFC 8785) with the fields `seq`, `since` and `once`. When the disk, another process
or a damaged file gets in its way, it raises a `LedgerError`: `Busy`, `NoRoom`, `Damaged`, `TablesDiffer`.

A caller writes only within `writing`, one entry after the other and each row once; reads an iterator to its end
before it writes; and asks `has_nodes` before it asks for nodes or signed heads.

The tables are separate objects, so that one of them can be replaced: rows in memory over a snapshot of the others.

Only a type checker needs these protocols; the records that an engine hands over are in `records`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol

from ledger.events.rows import BOUND, MarkRow, PostingRow
from ledger.journal.records import Backdated, Stamp, StoredEntry, StoredNode, StoredWord


class EntryTable(Protocol):
    """The entries, in order, without gaps; nothing is ever changed or deleted here."""

    def head(self) -> int:
        """Number of the last entry, 0 if there is none."""

    def append(self, entry: StoredEntry) -> None:
        """Keep the entry after the last; the write lock is held."""

    def stored(self, first: int = 1, last: int = BOUND) -> Iterator[StoredEntry]:
        """Entries from first to last, both included, in order."""

    def once(self, once: str) -> int | None:
        """Number of the entry with this idempotency key."""

    def last_on_clock(self, moment: str, last: int = BOUND) -> int | None:
        """Return the last entry up to `last` whose `clock` is this moment or earlier; None if there isn't one."""

    def naming(
        self, types: Sequence[str], first: int, names: Iterable[str], last: int = BOUND
    ) -> Iterator[StoredEntry]:
        """Candidates: entries from first to last whose text has any of these types and any of these keys, in order.

        The text may be anywhere in the body, so the caller checks again.
        """

    def of_type(self, kind: str, seqs: Iterable[int]) -> Iterator[int]:
        """Return which of these entries have this type, in order."""

    def late(self, first: int, last: int) -> Iterator[StoredEntry]:
        """Entries written after the entry from which they count, which is one from first to last; in order."""


class RowTable(Protocol):
    """Postings and marks: the rows that entries added."""

    def put(self, postings: Iterable[PostingRow], marks: Iterable[MarkRow]) -> None:
        """Add the rows of an entry, in the order of their keys; the write lock is held."""

    def balance_at(self, who: str, score: str, seq: int = BOUND) -> int | None:
        """Balance after the last posting written up to an entry, None if there is none."""

    def late_sum(self, who: str, score: str, since: int, last: int) -> int | None:
        """Sum of the postings written after `since`, up to `last`, that count from `since` or before; None for none."""

    def posting_rows(self, who: str, score: str, first: int = 1, last: int = BOUND) -> Iterator[PostingRow]:
        """Postings of a score that were written from first to last, in order of `seq`, then `since`."""

    def latest_rows(self, who: str, score: str, last: int = BOUND) -> Iterator[PostingRow]:
        """Postings of a score that were written up to an entry, the latest first."""

    def on_time(self, who: str, score: str, last: int = BOUND) -> int:
        """Number of the postings of a score, up to `last`, that count from the entry that wrote them."""

    def late_rows(self, who: str, score: str, since: int = BOUND, last: int = BOUND) -> Iterator[PostingRow]:
        """Postings of a score written after the entry from which they count; greatest `since`, then `seq`, first.

        They count from `since` or before, and were written up to `last`.
        """

    def places(self, who: str, score: str, since: int = BOUND, last: int = BOUND) -> Iterator[int]:
        """Places up to `since`, in order, whose postings of a score, as written up to `last`, do not cancel out."""

    def sinces(self, who: str, name: str, value: str) -> Iterator[int]:
        """Places from which a mark ever had a value, given as its JSON, in order."""

    def mark_rows(self, who: str, name: str, since: int = BOUND, last: int = BOUND) -> Iterator[MarkRow]:
        """Rows of a mark counting from `since` or before, written up to `last`; greatest `since`, then `seq`, first."""

    def marks_of(self, who: str, since: int = BOUND, last: int = BOUND) -> Iterator[MarkRow]:
        """Rows of all marks of a subject, as `mark_rows` has those of one, mark by mark in the order of the names."""

    def names(self, table: Literal["postings", "marks"], who: str, prefix: str = "") -> Iterator[str]:
        """Names of the scores or marks of a subject that begin with a prefix, each once, in order."""

    def subjects_with(self, table: Literal["postings", "marks"], prefix: str) -> Iterator[str]:
        """Return the subjects that ever had a score or mark with this prefix, each once, in order.

        The time grows with the number of subjects, not with the number of rows.
        """

    def named_with(self, who: str, least: str, most: str) -> Iterator[str]:
        """Names of the marks of a subject that ever had a value from `least` to `most`, each once, in order."""

    def waiting(self) -> Iterator[str]:
        """Names of the marks of `#questions`, those whose value is now false among them."""

    def late(self, head: int, last: int = BOUND) -> Iterator[Backdated]:
        """Rows written after an entry, up to `last`, that count from it or before.

        Only of characters and of the campaign, whose names begin with a small letter.
        """

    def postings(self) -> Iterator[PostingRow]:
        """All postings, in order of `seq`, `who`, `score`, `since`."""

    def marks(self) -> Iterator[MarkRow]:
        """All rows of marks, in order of `seq`, `who`, `name`, `since`."""

    def clear(self) -> None:
        """Drop all rows, and make empty tables; the write lock is held."""


class WordTable(Protocol):
    """Words and secrets, beside the entries that commit to them."""

    def keep(self, word: StoredWord) -> None:
        """Keep a text; the write lock is held."""

    def of(self, seq: int) -> dict[str, str]:
        """Texts of an entry, by field."""

    def kept(self, seq: int) -> dict[str, tuple[bytes, str]]:
        """Salts and texts of an entry, by field."""

    def delete(self, seq: int, fields: Iterable[str]) -> None:
        """Delete texts and salts, so that no page in use contains them; the write lock is held."""

    def all(self) -> Iterator[StoredWord]:
        """All texts, in order of `seq`, `field`."""


class NodeTable(Protocol):
    """The inner nodes of the tree; its leaves are in the entries."""

    def get(self, level: int, place: int) -> bytes | None:
        """Hash of a node, None if it is not kept; level 0 is the leaves."""

    def put(self, node: StoredNode) -> None:
        """Keep a node; the write lock is held."""

    def all(self) -> Iterator[StoredNode]:
        """All nodes, in the order in which leaves complete them."""

    def clear(self) -> None:
        """Drop all nodes, and make an empty table; the write lock is held."""


class CheckpointTable(Protocol):
    """Signed heads, one for each size."""

    def get(self, size: int) -> str | None:
        """Note of the first `size` entries."""

    def put(self, size: int, note: str) -> None:
        """Keep a note, in place of an earlier one of the same size; the write lock is held."""

    def all(self) -> dict[int, str]:
        """All notes by size, in order."""


class Storage(Protocol):
    """An open campaign. When `writing` returns, everything written in it is on disk, or nothing."""

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

    def writing(self) -> AbstractContextManager[None]:
        """Take the write lock; refuses with `Busy` after a few seconds."""

    def reading(self) -> AbstractContextManager[None]:
        """See the campaign as it is now for the whole block, whoever writes in the meantime."""

    def paused(self) -> AbstractContextManager[None]:
        """Release the view of `reading` until this ends. Afterwards `reading` sees the campaign's new state."""

    def has_nodes(self) -> bool:
        """Return True if there are tables for nodes and signed heads. A campaign of the first version has none."""

    def version(self) -> int:
        """Return the campaign's current version."""

    def upgrade(self) -> bool:
        """Bring the tables to this version; True if the caller has to make the nodes. The write lock is held."""

    def check_guards(self) -> str:
        """Refuse a campaign whose tables or triggers differ from those of this engine (`NotGuarded`, `Damaged`).

        If only derived tables are wrong, return their faults instead; "" without any.
        """

    def also_holds(self) -> list[str]:
        """Name the tables of other programs beside the campaign, in order. None of them changes our tables."""

    def scrub(self) -> None:
        """Remove every trace of deleted texts; refuses (`Unscrubbed`) while somebody reads, or for lack of room."""


class Engine(Protocol):
    """One address, and all operations on a whole campaign there: to make it, replace it, look for it.

    No other part of the program knows whether an address is a path.
    """

    def open(self) -> Storage:
        """Open the campaign; refuses with `NoCampaign`, `NotACampaign`, `NewerCampaign`."""

    def creating(self, source: Storage | None = None, *, read_only: bool = False) -> AbstractContextManager[Storage]:
        """Make a campaign, empty or with all that `source` has now; it is open until the block ends.

        Only then does it get its address, and is on disk; after an error or a kill nothing is at the address. Nobody
        may write one that is `read_only` later. Refuses with `Taken`, `NotMade`, `NoRoom`; `Busy` while another command
        makes something in the same place.
        """

    def replace(self, new: Storage, day: str, check: Callable[[], None]) -> str | None:
        """Put the content of `new`, which is in memory, in place of the campaign here, in one step.

        The old campaign is kept at an address with this day in it. Return that address, None if there was nothing. The
        `check` runs under the write lock, and may refuse. Raise `Busy`, `NotMade` or `NoRoom`; then nothing changes.
        """

    def exists(self) -> bool:
        """Return True if there is anything at this address."""

    def check_free(self) -> None:
        """Refuse (`Taken`) an address at which no campaign can be made."""

    def tidy(self) -> None:
        """Remove what a killed command left unfinished; a command that makes something here does so itself."""

    def campaigns(self) -> list[str]:
        """Name the campaigns in this place, such as a folder, in order."""

    def nearest(self) -> str:
        """Find the campaign in this place, or in the nearest around it.

        Refuses with `NoCampaign`, or `NotACampaign` if there are several.
        """

    def resolved(self) -> str:
        """Return the address that this one leads to, if it is a link; else this one."""

    def canonical(self) -> str:
        """Return the one way to write this address, for all who use it on this computer."""

    def name(self) -> str:
        """Return a short name for messages."""

    def stamp(self) -> Stamp:
        """Return the state by which a later write is noticed; costs much less than to open the campaign."""

    def owns(self, address: str) -> bool:
        """Return True if an address, or a file on this computer, is this campaign or a part of it."""

    def read_by_others(self) -> bool:
        """Return True if others on this computer can read this person's campaign, with the GM's secrets."""

    def recognizes(self) -> bool:
        """Return True if there may be a campaign here, and no text."""


def copy_all(source: Storage, target: Storage) -> None:
    """Copy everything that a campaign has now into an empty one of another engine."""
    with source.reading(), target.writing():
        for entry in source.entries.stored():
            target.entries.append(entry)
        target.rows.put(source.rows.postings(), source.rows.marks())
        for word in source.words.all():
            target.words.keep(word)
        for node in source.nodes.all():
            target.nodes.put(node)
        for size, note in source.checkpoints.all().items():
            target.checkpoints.put(size, note)
