"""The journal: an append-only list of entries, and the tree (RFC 6962) over them."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from os import R_OK, W_OK, access, path, unlink
from typing import Any

from ledger.errors import (
    Busy,
    Damaged,
    NewerCampaign,
    NoCampaign,
    NoRoom,
    NotACampaign,
    Refused,
    Unscrubbed,
    WrongEntry,
)
from ledger.events.entry import Entry
from ledger.journal.schema import APPLICATION_ID, SCHEMAS, VERSION, check_tables, prepare
from ledger.journal.sqlite import BUSY_SECONDS, MAGIC, connect, header_of, plain_errors, statements

LEAF = "SELECT leaf FROM entries WHERE seq = ?"


class Journal:
    """An open campaign file; the only door to its entries."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self._known_version = 0

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    @contextmanager
    def writing(self, *, dry: bool = False) -> Iterator[None]:
        """Hold the write lock; what was appended is on disk when this returns, or nothing of it is.

        Refuses with `Busy` after five seconds, `NoRoom` where the disk did not take it. A dry run is undone.
        """
        with plain_errors():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                if not dry:
                    self._upgrade()
                yield
                self.connection.execute("ROLLBACK" if dry else "COMMIT")
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                    self._known_version = 0

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See the file as it is now until this ends, whoever writes meanwhile: `BEGIN` alone would see it as it is when
        it is read first.
        """
        if self.connection.in_transaction:
            yield
            return
        with plain_errors():
            self.connection.execute("BEGIN")
            try:
                self.connection.execute("PRAGMA schema_version").fetchone()
                yield
            finally:
                self.connection.execute("ROLLBACK")

    def head(self) -> int:
        """Return the number of the last entry, 0 where there is none."""
        (head,) = self.connection.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()
        return int(head)

    def append(self, seq: int, stored: bytes) -> None:
        """Append an entry by its canonical bytes, with the nodes that it completes; the write lock is held."""
        from ledger.tlog.tree import leaf_hash  # a look hashes nothing

        leaf = leaf_hash(stored)
        self.connection.execute("INSERT INTO entries (seq, body, leaf) VALUES (?, ?, ?)", (seq, stored.decode(), leaf))
        if self.upgraded():
            self._complete(seq, leaf)

    def _complete(self, seq: int, leaf: bytes) -> None:
        """Store the nodes that a leaf completes, the lowest first."""
        from ledger.tlog.tree import completed, node_hash

        below = leaf
        for level, place in completed(seq - 1):
            below = node_hash(self.node(level - 1, 2 * place), below)
            self.connection.execute("INSERT INTO nodes VALUES (?, ?, ?)", (level, place, below))

    def upgraded(self) -> bool:
        """Whether the file holds the nodes of its tree; one of the first version has none till it is written."""
        return self._version() > 1

    def _version(self) -> int:
        if self._known_version < VERSION:  # it goes back only where what was written is undone
            (self._known_version,) = self.connection.execute("PRAGMA user_version").fetchone()
        return self._known_version

    def _upgrade(self) -> None:
        """Bring a file of an earlier version to this one, within the lock."""
        for version in range(self._version(), VERSION):
            for statement in statements(SCHEMAS[version]):
                self.connection.execute(statement)
            self.connection.execute(f"PRAGMA user_version = {version + 1}")
            for seq, _, leaf in self.stored():
                self._complete(seq, leaf)

    # The tree

    def node(self, level: int, place: int) -> bytes:
        """Return the hash of a complete subtree of 2^level leaves, by its place among those of its level."""
        if level and not self.upgraded():
            from ledger.tlog.tree import node_hash  # a file of the first version has leaves alone

            return node_hash(self.node(level - 1, 2 * place), self.node(level - 1, 2 * place + 1))
        sql = "SELECT hash FROM nodes WHERE level = ? AND place = ?" if level else LEAF
        with plain_errors():
            found = self.connection.execute(sql, (level, place) if level else (place + 1,)).fetchone()
        if found is None:
            raise WrongEntry((place + 1) << level, "has lost a node of the tree")
        return bytes(found[0])

    def nodes(self) -> Iterator[tuple[int, int, bytes]]:
        """Yield the inner nodes that are stored: level, place and hash, in the order in which they were completed."""
        if self.upgraded():
            sql = "SELECT level, place, hash FROM nodes ORDER BY (place + 1) << level, level"
            with plain_errors():
                yield from self.connection.execute(sql)

    def root(self, size: int) -> bytes:
        """Return the root of the tree (RFC 6962) of the first so many entries; O(log n) rows are read."""
        from ledger.tlog.tree import root_of  # a look proves nothing

        return root_of(self.node, self._reached(size))

    def inclusion_proof(self, index: int, size: int) -> list[bytes]:
        """Return the proof that the entry `index + 1` is in the tree of the first `size`; O(log n) rows are read."""
        from ledger.tlog.tree import inclusion_of

        return inclusion_of(self.node, index, self._reached(size))

    def consistency_proof(self, size1: int, size2: int) -> list[bytes]:
        """Return the proof that the tree of `size2` entries goes on from that of `size1`; O(log n) rows are read."""
        from ledger.tlog.tree import consistency_of

        return consistency_of(self.node, size1, self._reached(size2))

    def _reached(self, size: int) -> int:
        if not 0 <= size <= self.head():
            raise Refused(f"There is no tree of {size} entries; the last one is {self.head()}.")
        return size

    def scrub(self) -> None:
        """Leave nothing of what was deleted: in the log of writes, and in the pages that nothing uses any more."""
        try:
            with plain_errors():
                for statement in ("PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                    rows = self.connection.execute(statement).fetchall()
                    if rows and rows[0][0]:
                        raise Busy(BUSY_SECONDS)
        except Busy:
            raise Unscrubbed("while somebody else reads the file", "When nobody does") from None
        except NoRoom:
            raise Unscrubbed("for want of room on the disk", "When there is room") from None

    def keep_checkpoint(self, size: int, note: str) -> None:
        """Keep the signed head of the first so many entries, in place of an earlier note of it; the lock is held."""
        self.connection.execute("INSERT OR REPLACE INTO checkpoints VALUES (?, ?)", (size, note))

    def checkpoints(self, size: int | None = None) -> dict[int, str]:
        """Return the signed heads that are kept, by size in order; of one size alone, where that is asked for."""
        if not self.upgraded():
            return {}
        sql = "SELECT size, note FROM checkpoints WHERE ?1 IS NULL OR size = ?1 ORDER BY size"
        with plain_errors():
            return dict(self.connection.execute(sql, (size,)).fetchall())

    def entry(self, seq: int) -> Entry:
        """Return one entry; refuses (`Refused`) where there is none of that number."""
        for found in self.entries(seq, seq):
            return found
        raise Refused(f"There is no entry {seq}; the last one is {self.head()}.")

    def entries(self, first: int = 1, last: int | None = None) -> Iterator[Entry]:
        """Yield the entries from first to last, both included."""
        for seq, stored, leaf in self.stored(first, last):
            yield _entry(seq, stored, leaf)

    def naming(self, types: Iterable[str], first: int, names: Iterable[str]) -> Iterator[Entry]:
        """Yield the entries of some types, from one on, that have any of these names among their keys.

        SQLite reads through the bodies; that is a hundred times quicker than to take each of them apart. Those that it
        finds are taken apart, since an entry may hold in its facts what is written like a type.
        """
        own = tuple(types)
        keys, kinds = [f'"{name}":' for name in names], [f'"type":"{kind}"' for kind in own]
        one_of = "(SELECT 1 FROM json_each(?) WHERE instr(entries.body, value))"
        sql = (
            "SELECT seq, CAST(body AS BLOB), leaf FROM entries WHERE seq >= ?"  # noqa: S608  ours
            f" AND EXISTS {one_of} AND EXISTS {one_of} ORDER BY seq"
        )
        with plain_errors():
            for seq, stored, leaf in self.connection.execute(sql, (first, _listed(keys), _listed(kinds))):
                found = _entry(seq, stored, leaf)
                if found.type in own:  # what it holds may be called so too
                    yield found

    def since(self, place: int) -> Iterator[Entry]:
        """Yield the entries that count since an entry."""
        sql = (
            "SELECT seq, CAST(body AS BLOB), leaf FROM entries WHERE seq >= ?1 AND body ->> '$.since' = ?1 ORDER BY seq"
        )
        with plain_errors():
            for seq, stored, leaf in self.connection.execute(sql, (place,)):
                yield _entry(seq, stored, leaf)

    def stored(self, first: int = 1, last: int | None = None) -> Iterator[tuple[int, bytes, bytes]]:
        """Yield number, stored bytes and leaf of the entries, as they are, without a look at what they say."""
        sql = "SELECT seq, CAST(body AS BLOB), leaf FROM entries WHERE seq BETWEEN ? AND ? ORDER BY seq"
        with plain_errors():
            yield from self.connection.execute(sql, (first, 2**62 if last is None else last))

    def action(self, act: int) -> list[Entry]:
        """Return the entries of the action that begins at this entry."""
        found: list[Entry] = []
        for entry in self.entries(act):
            if entry.act != act:
                break
            found.append(entry)
        return found

    def once(self, once: str) -> int | None:
        """Return the entry that was written under an id of the caller's."""
        found = self.connection.execute("SELECT seq FROM entries WHERE body ->> '$.once' = ?", (once,)).fetchone()
        return None if found is None else int(found[0])

    def last_by(self, moment: str) -> int:
        """Return the last entry written at or before a moment (UTC, as entries have it), 0 where there is none."""
        low, high = 0, self.head()
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.entry(middle).at <= moment else (low, middle - 1)
        return low


def open_journal(file: str) -> Journal:
    """Open a campaign file; refuses with `NoCampaign`, `NotACampaign` or `NewerCampaign`. It is left whole by close.

    In a folder where nothing can be written a file is read as it is, since its companion files cannot be made.
    """
    if not path.exists(file):
        raise NoCampaign(file)
    if not path.isfile(file):
        raise NotACampaign(f"{file} is {'a directory' if path.isdir(file) else 'no file'}, not a campaign.")
    if not access(file, R_OK):
        raise NotACampaign(f"{file} cannot be read.")
    writable = access(file, W_OK) and access(path.dirname(path.abspath(file)), W_OK)
    query = "mode=rw" if writable else "mode=ro" if path.exists(f"{file}-wal") else "immutable=1"
    try:
        connection = connect(file, query)
    except Damaged:
        if header_of(file)[68:] == APPLICATION_ID.to_bytes(4, "big"):
            raise
        raise NotACampaign(f"{file} is not a campaign.") from None
    try:
        with plain_errors(file):
            ((application,),) = connection.execute("PRAGMA application_id").fetchall()
            ((version,),) = connection.execute("PRAGMA user_version").fetchall()
        if application != APPLICATION_ID:
            raise NotACampaign(f"{file} is not a campaign.")
        if version > VERSION:
            raise NewerCampaign(version, VERSION)
        with plain_errors():
            check_tables(connection)
            ((last,),) = connection.execute("SELECT max(seq) FROM entries").fetchall()
        if last is None:
            raise NotACampaign(f"{file} is not a campaign: its first entry was never written.", "Remove it.")
    except BaseException:
        connection.close()
        raise
    return Journal(connection)


def may_be_campaign(file: str) -> bool:
    """Whether a file is one of SQLite's, so that it is opened as a campaign and not read as a text."""
    return path.isfile(file) and header_of(file).startswith(MAGIC)


def create_journal(file: str) -> Journal:
    """Make a campaign file; refuses (`Refused`) where there is already something of that name."""
    from sqlite_utils import Database  # only a new file needs it

    try:
        open(file, "xb").close()
    except FileExistsError:
        raise Refused(f"There is already something called {file}.", "Name another file with -f FILE.") from None
    except OSError as error:
        raise NoRoom(f"{file} cannot be made: {error.strerror}; nothing was written.") from None
    connection = connect(file, "mode=rw")
    try:
        with plain_errors():
            database = Database(connection, execute_plugins=False)
            database.enable_wal()
            prepare(database)
    except BaseException:
        connection.close()
        for begun in (file, f"{file}-wal", f"{file}-shm"):
            with suppress(FileNotFoundError):
                unlink(begun)
        raise
    return Journal(connection)


def memory_journal() -> Journal:
    """Make a journal that lies in memory alone, to work a journal out anew beside the one on disk."""
    from sqlite_utils import Database  # only verify asks

    connection = sqlite3.connect(":memory:", isolation_level=None)
    prepare(Database(connection, execute_plugins=False))
    return Journal(connection)


def _entry(seq: int, stored: bytes, leaf: bytes) -> Entry:
    body = _object(seq, stored)
    return Entry(
        seq=seq,
        since=body["since"],
        at=body["at"],
        by=body["by"],
        act=body["act"],
        cause=body["cause"],
        type=body["type"],
        body=body,
        stored=stored,
        leaf=leaf,
    )


def _listed(texts: list[str]) -> str:
    import json  # a look at a sheet searches for nothing

    return json.dumps(texts)


def _object(seq: int, stored: bytes) -> dict[str, Any]:
    import json  # a look at a sheet reads no entry

    try:
        body = json.loads(stored)
    except (ValueError, RecursionError):
        raise WrongEntry(seq, "is no JSON") from None
    if not isinstance(body, dict) or not {"since", "at", "by", "act", "cause", "type"} <= body.keys():
        raise WrongEntry(seq, "is no entry")
    return body
