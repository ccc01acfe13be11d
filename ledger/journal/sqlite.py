"""SQLite: an open campaign in a file or in memory, with its transactions, its version and its copies.

`entries` has the record itself: the canonical bytes of each entry and their leaf hash. Beside it are `postings`,
`marks`, `words`, the nodes of the tree and the signed heads. Three triggers protect against mistakes: they make sure
that entries are only appended, and never changed or deleted. The hashes protect against deliberate changes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from os import O_CREAT, O_EXCL, O_WRONLY, close
from os import open as open_new
from typing import TYPE_CHECKING, Self

from ledger import errors
from ledger.journal.failures import BUSY_SECONDS, moved_away, plain_errors
from ledger.journal.locking import FairLock
from ledger.journal.opening import APPLICATION_ID, closing_on_error, connect, open_file
from ledger.journal.schema import SCHEMA_VERSION, SCHEMAS, VERSION_WITH_NEW_ADDRESS, VERSION_WITH_WAITING, WAITING_TABLE
from ledger.journal.tables import SQLCheckpoints, SQLEntries, SQLNodes, SQLRows, SQLWords, Statements, statements

if TYPE_CHECKING:
    from ledger.journal.guards import Guards
    from ledger.journal.storage import Storage

OWNER_ONLY_MODE = 0o600
"""The permissions of a new file, which contains the GM's secrets."""


class SQLite(Statements):
    """A campaign in one SQLite file; see `ledger.journal.storage.Storage`."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        refusal: errors.LedgerError | None = None,
        back_up: Callable[[SQLite], str | None] | None = None,
    ) -> None:
        """Wrap a connection. If this process cannot write the file, `refusal` is the error that says why.

        `back_up` makes a backup of an older file, and returns the path of the backup.
        """
        super().__init__(connection)
        self._refusal = refusal
        self._make_backup = back_up
        self._backup: str | None = None
        self.entries = SQLEntries(connection)
        self.rows = SQLRows(connection)
        self.words = SQLWords(connection)
        self.nodes = SQLNodes(connection)
        self.checkpoints = SQLCheckpoints(connection)
        self._known_version = 0
        self._turns = FairLock()

    @classmethod
    def open(cls, file: str, back_up: Callable[[SQLite], str | None] | None = None) -> Self:
        """Open a file. If the file or its folder is not writable, only read the file; see `ledger.journal.opening`.

        Before the first write to an older file, call `back_up`.
        """
        return cls(*open_file(file), back_up)

    @classmethod
    def create(cls, file: str) -> Self:
        """Make a file with empty tables. A failure may leave a partial file."""
        connection = _new_file(file)
        with closing_on_error(connection), plain_errors():
            _set_first_counter(connection)
            connection.execute("PRAGMA journal_mode = WAL")
            _prepare(connection)
        return cls(connection)

    @classmethod
    def memory(cls, version: int = SCHEMA_VERSION) -> Self:
        """Make a database in memory, with the tables of a version."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        _prepare(connection, version)
        return cls(connection)

    @classmethod
    def copy_into(cls, source: Storage, file: str) -> Self:
        """Copy a campaign, as it is now, into a new file. A failure may leave a partial file."""
        if isinstance(source, SQLite):
            source.copy(file)
            return cls.open(file)
        return cls.create(file)._fill_from(source)

    @classmethod
    def copy_in_memory(cls, source: Storage) -> Self:
        """Copy a campaign, as it is now, into memory."""
        if not isinstance(source, SQLite):
            return cls.memory()._fill_from(source)
        copy = cls(sqlite3.connect(":memory:", isolation_level=None))
        with source.reading(), plain_errors():
            source.connection.backup(copy.connection)
        return copy

    def _fill_from(self, source: Storage) -> Self:
        from ledger.journal.storage import copy_all  # only needed for another engine

        copy_all(source, self)
        return self

    def address(self) -> str | None:
        try:
            ((_, _, file), *_) = self.connection.execute("PRAGMA database_list")
        except sqlite3.Error:  # the path is not UTF-8
            return None
        return file or None

    def close(self) -> None:
        """Close the file. If no other process uses the file, SQLite then merges the log into the file."""
        self.connection.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Take the write lock before the first read: `BEGIN IMMEDIATE`."""
        if self._refusal is not None:
            raise self._refusal
        self._lock()
        try:
            self._back_up()
            before = self.connection.total_changes
            if (address := self.moved_to()) is not None:
                raise moved_away(address)
            yield
            if self.connection.total_changes > before:  # puts the file's number into every log
                self._run(f"PRAGMA user_version = {self.version()}")
            self._commit()
        finally:
            self._roll_back()

    def _lock(self) -> None:
        patience = self._scalar("PRAGMA busy_timeout")
        self._run("PRAGMA busy_timeout = 0")
        try:
            self._turns.take(lambda: self._run("BEGIN IMMEDIATE"), patience / 1000)
        finally:
            self._run(f"PRAGMA busy_timeout = {patience}")

    def _back_up(self) -> None:
        """Before the first write to an older file, copy the file. The lock is free meanwhile, so others may write."""
        copied, self._known_version = None, 0  # meanwhile, somebody may have restored an older backup
        while self._make_backup is not None and self.version() < SCHEMA_VERSION:
            state = self._scalar("PRAGMA data_version")  # changes if another process writes
            if state == copied:
                return
            copied = state
            self._roll_back()  # SQLite copies nothing while this connection has the lock
            self._backup = self._make_backup(self) or self._backup
            self._lock()

    def _roll_back(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # an interruption may have closed the file
            if self.connection.in_transaction:
                self._run("ROLLBACK")
                self._known_version = 0

    def _commit(self) -> None:
        """Commit. Raise `Unsettled` if the disk fails and the log may still contain the commit."""
        try:
            self._run("COMMIT")
        except errors.DiskRefused as error:
            self._roll_back()
            code = getattr(error.__cause__, "sqlite_errorcode", 0)
            is_partial = code == sqlite3.SQLITE_IOERR_WRITE  # the log has only part of the commit, and ignores it
            if code & 0xFF == sqlite3.SQLITE_IOERR and not is_partial and not self._clear_log():
                says = "The disk failed at the last step. What you entered may or may not be in the record."
                hint = f"When the disk works again, check with {errors.Run('log')} before you repeat the command."
                raise errors.Unsettled(says, hint) from error
            raise

    def _clear_log(self) -> bool:
        """Empty the write-ahead log, so that a failed commit cannot come back. Return True if that worked."""
        with suppress(sqlite3.Error):
            return not self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        return False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let all reads in the block see the file as it is now. `BEGIN` alone would show it as of the first read."""
        if self.connection.in_transaction:
            yield
            return
        self._run("BEGIN")
        try:
            self._scalar("PRAGMA schema_version")
            yield
        finally:
            self._run("ROLLBACK")

    @contextmanager
    def paused(self) -> Iterator[None]:
        reads = self.connection.in_transaction
        if reads:
            self._run("ROLLBACK")
        try:
            yield
        finally:
            if reads:
                self._run("BEGIN")
                self._scalar("PRAGMA schema_version")

    def has_nodes(self) -> bool:
        return self.version() > 1

    def version(self) -> int:
        if self._known_version < SCHEMA_VERSION:
            self._known_version = self._scalar("PRAGMA user_version")
        return self._known_version

    def upgrade(self) -> bool:
        before, had_nodes = self.version(), self.has_nodes()
        if before < SCHEMA_VERSION:
            self._scalar("SELECT count(*) FROM sqlite_schema")  # loads the names again if another process changed them
            with plain_errors():
                _prepare(self.connection, first=before)
        return not had_nodes

    def upgrade_backup(self) -> str | None:
        return self._backup

    def entry_limit(self) -> None:
        """Return None: a file has no host."""

    def moved_to(self) -> str | None:
        self._known_version = 0  # meanwhile, somebody may have moved the campaign, or restored an older backup
        return (
            None
            if self.version() < VERSION_WITH_NEW_ADDRESS
            else self._value("moved", str, "SELECT address FROM moved")
        )

    def mark_moved(self, address: str) -> None:
        with plain_errors():
            _prepare(self.connection, VERSION_WITH_NEW_ADDRESS, first=self.version())
        self._known_version = 0
        self._run("INSERT INTO moved (address) VALUES (?)", address)

    def check_guards(self) -> str:
        """Check the tables and the whole file, and describe a fault in a derived table; see `Guards.check`."""
        return self._guards().check()

    def digests(self, sizes: Sequence[int]) -> list[str]:
        from ledger.journal.digests import digests  # only needed to check the whole file

        with plain_errors():
            return digests(self.connection, sizes, has_nodes=self.has_nodes())

    def foreign_names(self) -> list[str]:
        return sorted(self._guards().foreign_names())

    def _guards(self) -> Guards:
        from ledger.journal.guards import Guards  # only needed to check the whole file

        with closing(self.memory(self.version())) as empty:
            return Guards(self.connection, empty.connection)

    def copy(self, file: str) -> None:
        """Copy the campaign with SQLite's online backup, in one transaction. Copying the file would drop its locks."""
        with closing(_new_file(file)) as copy, self.reading(), plain_errors():
            copy.execute("PRAGMA journal_mode = OFF")  # an incomplete copy is useless, so no journal is needed
            _set_first_counter(copy)
            self.connection.backup(copy)

    def scrub(self) -> None:
        try:
            with plain_errors():
                for statement in ("PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                    rows = self.connection.execute(statement).fetchall()
                    if rows and rows[0][0]:
                        raise errors.Busy(BUSY_SECONDS)
        except errors.Busy:
            raise errors.Unscrubbed(
                "while somebody else is reading the file", "when nobody is reading the file"
            ) from None
        except errors.DiskRefused as error:
            full = getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL
            why = (
                ("because the disk is full", "when there is room on the disk")
                if full
                else ("because the disk failed", "when the disk works again")
            )
            raise errors.Unscrubbed(*why) from None

    def remains_of_deleted_texts(self) -> str:
        return ""


def _new_file(file: str) -> sqlite3.Connection:
    close(open_new(file, O_WRONLY | O_CREAT | O_EXCL, OWNER_ONLY_MODE))
    return connect(file, "mode=rw")


def _set_first_counter(connection: sqlite3.Connection) -> None:
    """Start the counter of an empty file at a random number, so that the log of another file can be recognized."""
    from secrets import choice  # few commands make a file

    from ledger.journal.foreign import FIRST_COUNTERS

    connection.execute(f"PRAGMA schema_version = {choice(FIRST_COUNTERS)}")


def _prepare(connection: sqlite3.Connection, version: int = SCHEMA_VERSION, *, first: int = 0) -> None:
    """Upgrade a database from version `first` to `version`: add tables and triggers, and set the version number."""
    for schema in SCHEMAS[first:version]:
        for statement in statements(schema):
            connection.execute(statement)
    if first < VERSION_WITH_WAITING <= version:
        try:
            for statement in statements(WAITING_TABLE):
                connection.execute(statement)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:  # there is no table of marks; `rebuild` makes it
                raise
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {version}")
