"""SQLite: an open campaign in a file or in memory, with its transactions, its version and its copies.

`entries` has the record itself: the canonical bytes of each entry and their leaf hash. Beside it are `postings`,
`marks`, `words`, the nodes of the tree and the signed heads. Three triggers protect against mistakes: they make sure
that entries are only appended, and never changed or deleted. The hashes protect against deliberate changes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from os import O_CREAT, O_EXCL, O_WRONLY, close
from os import open as open_new
from typing import TYPE_CHECKING, Self

from ledger import errors
from ledger.journal.failures import BUSY_SECONDS, plain_errors
from ledger.journal.locking import FairLock
from ledger.journal.opening import APPLICATION_ID, closing_on_error, connect, open_file
from ledger.journal.schema import SCHEMAS, VERSION, WAITING_TABLE, WITH_WAITING
from ledger.journal.tables import SQLCheckpoints, SQLEntries, SQLNodes, SQLRows, SQLWords, Statements, statements

if TYPE_CHECKING:
    from ledger.journal.guards import Guards
    from ledger.journal.storage import Storage

OWNER_ONLY_MODE = 0o600
"""The permissions of a new file, which contains the GM's secrets."""


class SQLite(Statements):
    """A campaign in one SQLite file; see `ledger.journal.storage.Storage`."""

    def __init__(self, connection: sqlite3.Connection, refusal: errors.LedgerError | None = None) -> None:
        """Wrap a connection. `refusal` is the reason if this process cannot write the file."""
        super().__init__(connection)
        self._refusal = refusal
        self.entries = SQLEntries(connection)
        self.rows = SQLRows(connection)
        self.words = SQLWords(connection)
        self.nodes = SQLNodes(connection)
        self.checkpoints = SQLCheckpoints(connection)
        self._known_version = 0
        self._turns = FairLock()

    @classmethod
    def open(cls, file: str) -> Self:
        """Open a file. If the file or its folder is not writable, only read the file; see `ledger.journal.opening`."""
        return cls(*open_file(file))

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
    def memory(cls, version: int = VERSION) -> Self:
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
        return cls.create(file)._filled_from(source)

    @classmethod
    def copy_in_memory(cls, source: Storage) -> Self:
        """Copy a campaign, as it is now, into memory."""
        if not isinstance(source, SQLite):
            return cls.memory()._filled_from(source)
        copy = cls(sqlite3.connect(":memory:", isolation_level=None))
        with source.reading(), plain_errors():
            source.connection.backup(copy.connection)
        return copy

    def _filled_from(self, source: Storage) -> Self:
        from ledger.journal.storage import copy_all  # only needed for another engine

        copy_all(source, self)
        return self

    def close(self) -> None:
        """Close the file. If no other process uses the file, SQLite then merges the log into the file."""
        self.connection.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Take the write lock before the first read: `BEGIN IMMEDIATE`."""
        if self._refusal is not None:
            raise self._refusal
        self._lock()
        self._known_version = 0  # a backup of an older version may have been restored meanwhile
        before = self.connection.total_changes
        try:
            yield
            if self.connection.total_changes > before:  # puts the file's number into every log
                self._run(f"PRAGMA user_version = {self.version()}")
            self._commit()
        finally:
            self._undo()

    def _lock(self) -> None:
        patience = self._scalar("PRAGMA busy_timeout")
        self._run("PRAGMA busy_timeout = 0")
        try:
            self._turns.take(lambda: self._run("BEGIN IMMEDIATE"), patience / 1000)
        finally:
            self._run(f"PRAGMA busy_timeout = {patience}")

    def _undo(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # an interruption may have closed the file
            if self.connection.in_transaction:
                self._run("ROLLBACK")
                self._known_version = 0

    def _commit(self) -> None:
        """Commit. Raise `Unsettled` if the disk fails and the log may still contain the commit."""
        try:
            self._run("COMMIT")
        except errors.DiskRefused as error:
            self._undo()
            code = getattr(error.__cause__, "sqlite_errorcode", 0)
            is_partial = code == sqlite3.SQLITE_IOERR_WRITE  # the log has only part of the commit, and ignores it
            if code & 0xFF == sqlite3.SQLITE_IOERR and not is_partial and not self._empty_log():
                says = "The disk failed at the last step. What you entered may or may not be in the record."
                hint = f"When the disk works again, check with {errors.Run('log')} before you repeat the command."
                raise errors.Unsettled(says, hint) from error
            raise

    def _empty_log(self) -> bool:
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
        if self._known_version < VERSION:
            self._known_version = self._scalar("PRAGMA user_version")
        return self._known_version

    def upgrade(self) -> bool:
        before, had_nodes = self.version(), self.has_nodes()
        if before < VERSION:
            self._scalar("SELECT count(*) FROM sqlite_schema")  # loads the names again if another process changed them
            with plain_errors():
                _prepare(self.connection, first=before)
        return not had_nodes

    def check_guards(self) -> str:
        """Check the tables and the whole file, and describe a fault in a derived table; see `Guards.check`."""
        return self._guards().check()

    def foreign_names(self) -> list[str]:
        return sorted(self._guards().foreign_names())

    def _guards(self) -> Guards:
        from ledger.journal.guards import Guards  # only needed to check the whole file

        with closing(self.memory(self.version())) as empty:
            return Guards(self.connection, empty.connection)

    def copy(self, file: str) -> None:
        """Copy the campaign with SQLite's online backup, in one transaction. A plain copy would lose SQLite's locks."""
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


def _new_file(file: str) -> sqlite3.Connection:
    close(open_new(file, O_WRONLY | O_CREAT | O_EXCL, OWNER_ONLY_MODE))
    return connect(file, "mode=rw")


def _set_first_counter(connection: sqlite3.Connection) -> None:
    """Start the counter of an empty file at a random number, so that the log of another file can be recognized."""
    from secrets import choice  # few commands make a file

    from ledger.journal.foreign import FIRST_COUNTERS

    connection.execute(f"PRAGMA schema_version = {choice(FIRST_COUNTERS)}")


def _prepare(connection: sqlite3.Connection, version: int = VERSION, *, first: int = 0) -> None:
    """Upgrade a database from version `first` to `version`: add tables and triggers, and set the version number."""
    for schema in SCHEMAS[first:version]:
        for statement in statements(schema):
            connection.execute(statement)
    if first < WITH_WAITING <= version:
        try:
            for statement in statements(WAITING_TABLE):
                connection.execute(statement)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:  # there is no table of marks; `rebuild` makes it
                raise
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {version}")
