"""Storage: the port between the journal and a database engine.

An engine stores five tables and does not interpret them. The callers work out strikes, balances and the tree, and make
the checks. The engine orders names by their UTF-8 bytes. A body is one canonical JSON object (RFC 8785) with the fields
`seq`, `since` and `once`. The engine stores it as text, and returns the same bytes. If the disk, another process or a
damaged file causes a failure, the engine raises a `LedgerError`: `Busy`, `DiskRefused`, `Damaged`, `TablesDiffer`.

A caller writes only within `writing`, one entry after the other and each row once. It reads an iterator to its end
before it writes, and calls `has_nodes` before it reads nodes or signed heads.

The tables are separate objects, so that one of them can be replaced, such as the rows by rows in memory.

Only a type checker needs these protocols. The records that an engine returns are in `records`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

from ledger.events.rows import BOUND, MarkRow, PostingRow
from ledger.journal.records import (
    Backdated,
    CampaignHead,
    CampaignUse,
    Stamp,
    StoredEntry,
    StoredNode,
    StoredWord,
    WatchedHead,
)


class EntryTable(Protocol):
    """The entries, in order and without gaps. No entry is ever changed or deleted."""

    def head(self) -> int:
        """Return the number of the last entry, 0 if there is none."""

    def append(self, entry: StoredEntry) -> None:
        """Store the entry after the last one. The caller holds the write lock."""

    def stored(self, first: int = 1, last: int = BOUND) -> Iterator[StoredEntry]:
        """Yield the entries from first to last, both included, in order."""

    def find_by_once_id(self, once: str) -> int | None:
        """Return the number of the entry with this idempotency key, None if there is none."""

    def last_on_clock(self, moment: str, last: int = BOUND) -> int | None:
        """Return the last entry up to `last` whose `clock` is this moment or earlier; None if there isn't one."""

    def search(self, types: Sequence[str], first: int, keys: Iterable[str], last: int = BOUND) -> Iterator[StoredEntry]:
        """Yield, in order, the entries that have one of these types and one of these keys, even in a nested object.

        An engine may have an index for this, or may read all entries from `first` to `last`.
        """

    def of_type(self, kind: str, seqs: Iterable[int]) -> Iterator[int]:
        """Yield the entries in `seqs` that have this type, in order."""

    def backdated_entries(self, first: int, last: int) -> Iterator[StoredEntry]:
        """Yield, in order, the corrections (`since` < `seq`) whose `since` is from `first` to `last`."""


class RowTable(Protocol):
    """The rows that entries added: postings and marks. An engine reads rows lazily, because callers may stop early.

    The rows of a mark, and the corrections of a score, are sorted by `since`, then `seq`, both from high to low.
    """

    def put(self, postings: Iterable[PostingRow], marks: Iterable[MarkRow]) -> None:
        """Add rows. The caller holds the write lock, and has sorted each entry's rows by `who`, name and `since`."""

    def balance_at(self, who: str, score: str, seq: int = BOUND) -> int | None:
        """Return the balance after the last posting written in entry `seq` or earlier, None if there is none."""

    def posting_rows(self, who: str, score: str, first: int = 1, last: int = BOUND) -> Iterator[PostingRow]:
        """Yield a score's postings in entries `first` to `last`, sorted by `seq`, then `since`, both descending."""

    def original_count(self, who: str, score: str, last: int = BOUND) -> int:
        """Count a score's postings in entries up to `last`. Leave out postings that correct an earlier entry."""

    def corrections(self, who: str, score: str, since: int, first: int = 1, last: int = BOUND) -> Iterator[PostingRow]:
        """Yield a score's corrections written in entries `first` to `last` that take effect at `since` or earlier."""

    def mark_rows(
        self, who: str, name: str, since: int = BOUND, last: int = BOUND, first: int = 1
    ) -> Iterator[MarkRow]:
        """Yield a mark's rows that take effect at `since` or earlier and were written in entries `first` to `last`."""

    def entries_with_value(self, who: str, name: str, value: str) -> Iterator[int]:
        """Yield the entries at which a mark's rows with this value (JSON text) take effect, the last first."""

    def marks_of(self, who: str, since: int = BOUND, last: int = BOUND) -> Iterator[MarkRow]:
        """Yield the `mark_rows` of all marks of a subject, sorted by the name of the mark."""

    def names(self, table: Literal["postings", "marks"], who: str, prefix: str = "", suffix: str = "") -> Iterator[str]:
        """Yield the names of a subject's scores or marks with a prefix and a suffix, each once, in order."""

    def subjects_with(self, table: Literal["postings", "marks"], prefix: str) -> Iterator[str]:
        """Yield, in order, the subjects with a score or mark whose name starts with `prefix`, in O(subjects) time."""

    def mark_names_between(self, who: str, least: str, most: str) -> Iterator[str]:
        """Yield the names of a subject's marks that ever had a value from `least` to `most`, each once, in order."""

    def waiting(self) -> Iterator[str]:
        """Yield the names of all open questions, and perhaps of some closed questions."""

    def backdated_rows(self, head: int, last: int = BOUND) -> Iterator[Backdated]:
        """Yield the rows written after `head`, up to `last`, that take effect at `head` or earlier.

        Yield only rows of subjects whose names start with a lowercase letter: characters and the campaign.
        """

    def postings(self, first: int | None = None) -> Iterator[PostingRow]:
        """Yield all postings, or those from entry `first` on, in order of `seq`, `who`, `score`, `since`."""

    def marks(self, first: int | None = None) -> Iterator[MarkRow]:
        """Yield all rows of marks, or those from entry `first` on, in order of `seq`, `who`, `name`, `since`."""

    def clear(self) -> None:
        """Delete all rows, and make empty tables. The caller holds the write lock."""


class WordTable(Protocol):
    """The texts and secrets. The entries have only commitments (hashes) to these."""

    def keep(self, word: StoredWord) -> None:
        """Store a text. The caller holds the write lock."""

    def texts_of(self, seq: int) -> dict[str, str]:
        """Map the fields of an entry to their texts."""

    def salts_and_texts(self, seq: int) -> dict[str, tuple[bytes, str]]:
        """Map the fields of an entry to their salts and texts."""

    def delete(self, seq: int, fields: Iterable[str]) -> None:
        """Delete the texts and salts of these fields, and overwrite their bytes. The caller holds the write lock."""

    def all(self, first: int | None = None) -> Iterator[StoredWord]:
        """Yield all texts, or those from entry `first` on, in order of `seq`, `field`."""


class NodeTable(Protocol):
    """The inner nodes of the tree of hashes. The table of entries has the leaves."""

    def get(self, level: int, place: int) -> bytes | None:
        """Return the hash of a node, None if it is not stored. For level 0, return the leaf hash of an entry."""

    def put(self, node: StoredNode) -> None:
        """Store a node. The caller holds the write lock."""

    def all(self, first: int | None = None, last: int = BOUND) -> Iterator[StoredNode]:
        """Yield the nodes that the entries from `first` to `last` completed, in the order of their completion.

        A new entry can complete several nodes. These come with the lowest level first.
        """

    def clear(self) -> None:
        """Delete all nodes, and make an empty table. The caller holds the write lock."""


class CheckpointTable(Protocol):
    """The signed heads, one for each size. Each is a text in the note format."""

    def get(self, size: int) -> str | None:
        """Return the signed head of the first `size` entries, None if there is none."""

    def put(self, size: int, note: str) -> None:
        """Store or replace the signed head (`note`) of this size. The caller holds the write lock."""

    def all(self) -> dict[int, str]:
        """Map each size to its signed head, in order of size."""


class Storage(Protocol):
    """An open campaign. A `writing` block is a transaction: either all its changes reach the disk, or none."""

    @property
    def entries(self) -> EntryTable:
        """The table of entries, one row each."""

    @property
    def rows(self) -> RowTable:
        """The postings and marks."""

    @property
    def words(self) -> WordTable:
        """The texts of the entries. Each text can be erased separately."""

    @property
    def nodes(self) -> NodeTable:
        """The inner nodes of the tree."""

    @property
    def checkpoints(self) -> CheckpointTable:
        """The signed heads."""

    def address(self) -> str | None:
        """Return the address at which another process can open this campaign, None for a campaign in memory."""

    def close(self) -> None:
        """Close the campaign. If no other process uses the campaign, merge all pending changes into the main file."""

    def writing(self) -> AbstractContextManager[None]:
        """Take the write lock for this block.

        Raise `Busy` if the lock is not free within a few seconds, and `ReadOnly` if the campaign has moved.
        """

    def reading(self) -> AbstractContextManager[None]:
        """Hold a snapshot: all reads in the block see the campaign as it is now, even if somebody writes meanwhile."""

    def paused(self) -> AbstractContextManager[None]:
        """Release the snapshot of `reading` until this block ends. Then `reading` holds a new snapshot."""

    def has_nodes(self) -> bool:
        """Return True if there are tables for nodes and signed heads. Version 1 of the tables has none."""

    def version(self) -> int:
        """Return the version of the campaign's tables, from 1."""

    def upgrade(self) -> bool:
        """Upgrade the tables to the newest version.

        Return True if the tables had no nodes before. The caller must then store all nodes, under the same write
        lock.
        """

    def upgrade_backup(self) -> str | None:
        """Return the address of the backup that `writing` made before the first write to an older campaign, or None.

        An older program can read this backup, but not the upgraded campaign.
        """

    def moved_to(self) -> str | None:
        """Return the address to which this campaign has moved, None if it has not. If it has, `writing` refuses."""

    def entry_limit(self) -> int | None:
        """Return the maximum number of entries that the host allows, None if there is none.

        The caller holds the write lock.
        """

    def mark_moved(self, address: str) -> None:
        """Record that this campaign has moved to `address`. It is now read-only. The caller holds the write lock."""

    def check_guards(self) -> str:
        """Check the tables, and describe a fault in a derived table.

        Return "" if there is no fault. For a fault that is not in a derived table, raise `NotGuarded` or `Damaged`.
        """

    def digests(self, sizes: Sequence[int]) -> list[str]:
        """Return, for each size, a digest of all that is stored for the first `size` entries. The sizes must increase.

        The digest covers the entries, rows, texts and nodes, but not the signed heads. The same content has the same
        digest, whatever is stored for later entries. Only this engine can compare the digest.
        """

    def foreign_names(self) -> list[str]:
        """Return, in order, the names of harmless additions by other programs, such as tables and indexes."""

    def scrub(self) -> None:
        """Remove every trace of deleted texts. Raise `Unscrubbed` if somebody is reading, or if there is no room."""

    def remains_of_deleted_texts(self) -> str:
        """Say in a sentence where deleted texts may remain that `scrub` cannot reach; "" if there is no such place."""


class Engine(Protocol):
    """The operations on a campaign at one address. Only an engine knows whether the address is a path."""

    def open(self) -> Storage:
        """Open the campaign. Raise `NoCampaign`, `NotACampaign` or `NewerCampaign`."""

    def creating(self, source: Storage | None = None, *, read_only: bool = False) -> AbstractContextManager[Storage]:
        """Make a campaign, empty or with the current content of `source`. It is open until the block ends.

        At the end of the block, the campaign gets its address. A block that fails or is killed leaves nothing there.
        Nobody can write to a `read_only` campaign later. Only its owner can read it, until `let_others_read`.

        Raise `Taken`, `NotMade` or `DiskRefused`. Raise `Busy` while another command makes a file in the same folder.
        """

    def replace(self, new: Storage, day: str, check: Callable[[], None]) -> str | None:
        """Replace the campaign at this address, in one step, with the content of `new`, which is in memory.

        The old campaign moves to another address, which contains `day`. Return that address, or None if there was no
        campaign. `check` is called under the write lock. If it raises an error, nothing is replaced. After `Busy`,
        `NotMade` or `DiskRefused`, nothing has changed.
        """

    def exists(self) -> bool:
        """Return True if there is anything at this address."""

    def check_free(self) -> None:
        """Raise `Taken` if something already exists at this address."""

    def tidy(self) -> None:
        """Remove the unfinished files of a killed command. `creating` calls this method."""

    def campaigns(self) -> list[str]:
        """Return the names of the campaigns in this place, such as a folder, in order."""

    def nearest(self) -> str:
        """Return the address of the campaign in this folder, or in the nearest folder above that has one.

        Raise `NotACampaign` if that folder has several campaigns. Raise `NoCampaign` if no folder has one.
        """

    def resolved(self) -> str:
        """Return the address that this one links to. If this address is not a link, return it unchanged."""

    def canonical(self) -> str:
        """Return the standard form of this address, the same for all users of this computer."""

    def name(self) -> str:
        """Return a short name of the campaign, for messages."""

    def stamp(self) -> Stamp:
        """Return a stamp, which reveals later writes. This is much cheaper than opening the campaign."""

    def owns(self, address: str) -> bool:
        """Return True if an address, or a path on this computer, leads to this campaign or to one of its files."""

    def kept_copies(self) -> list[str]:
        """Return the addresses of the copies that upgrades and restores kept, in order, as far as they are known."""

    def read_by_others(self) -> bool:
        """Return True if the user owns this campaign and can write to it, but others on this computer can read it."""

    def let_others_read(self) -> None:
        """Let others on this computer read a read-only campaign that has no secrets."""

    @property
    def asks_server(self) -> bool:
        """Return True if `stamp` asks a server, so that a program that must not wait needs a thread for it."""

    def login_tables(self) -> LoginTables | None:
        """Return the tables with the logins of this campaign's page. Return None if they are in a home instead."""

    def stream_limit(self) -> int | None:
        """Return the maximum number of open pages at each server that the host allows, None if there is none."""

    def looks_like_campaign(self) -> bool:
        """Return True if the content at this address looks like a campaign."""


class RunSql(Protocol):
    """A function that runs an SQL statement and returns the rows of its result. `$1` is the first value."""

    def __call__(self, sql: str, *values: Any) -> list[dict[str, Any]]: ...


class LoginTables(Protocol):
    """The tables in which the logins of one campaign are stored: `visits`, `invitations` and `tokens`."""

    campaign: str
    """The value of the column `campaign` in all rows."""

    def reading(self) -> AbstractContextManager[RunSql]:
        """Open the tables for reading. Raise a `LedgerError` if this fails."""

    def writing(self) -> AbstractContextManager[RunSql]:
        """Open the tables for writing, in one transaction if possible. Raise a `LedgerError` if this fails."""

    def stamp(self) -> tuple[Hashable, float]:
        """Return a value, and the `monotonic` time until which it can be relied on.

        Until then, the value changes when the tables change, or the tables may have changed only recently.
        """


class Club(Protocol):
    """The campaigns of one database. A person hosts these campaigns for others."""

    def address(self, campaign: str) -> str:
        """Return the address of one of the campaigns, which need not be there."""

    def campaigns(self) -> list[CampaignHead]:
        """Return all campaigns, sorted by name. The list is read with one statement."""

    def heads(self, campaigns: Sequence[str]) -> dict[str, WatchedHead]:
        """Return the heads of some campaigns, by name. They are read with one statement."""

    def head(self, campaign: str) -> int:
        """Return the number of a campaign's last entry. Raise `NoCampaign` if there is no such campaign."""

    def end(self, campaign: str) -> None:
        """Make a campaign read-only. Raise `DiskRefused` if it is read-only already, and `ReadOnly` if it has moved."""

    def use(self, campaign: str) -> CampaignUse:
        """Return the limits of a campaign, and how much of them it uses. Raise `NoCampaign` if there is no campaign."""

    def limit(self, campaign: str, changes: Mapping[str, int | None]) -> None:
        """Change limits of a campaign, by the names of the fields of `Limits`. None takes a limit away.

        Raise `Refused` if the database has no limits, and `NoCampaign` if there is no such campaign.
        """


def copy_all(source: Storage, target: Storage) -> None:
    """Copy the current content of a campaign into an empty campaign of another engine."""
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
