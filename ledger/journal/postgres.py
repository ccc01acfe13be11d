"""PostgreSQL: the engine for campaigns at an address such as `postgresql://host1,host2/db?campaign=salt-road`.

One database has many campaigns. A writer locks the campaign's own row, so writers of different campaigns never wait for
each other. The program reports a write only if PostgreSQL confirmed it. If the connection is lost during a
write, `PostgresStorage` connects again and finds out whether the write was saved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import count
from time import monotonic, sleep
from uuid import uuid4

import psycopg
from psycopg import errors as pg

from ledger import errors
from ledger.journal.failures import moved_away
from ledger.journal.postgres_ahead import ReadAhead
from ledger.journal.postgres_failures import LOST_MESSAGE, PLAIN_ERRORS, is_connection_lost, plain_error
from ledger.journal.postgres_limits import campaign_use, check_writes, with_limits
from ledger.journal.postgres_logins import PostgresLogins
from ledger.journal.postgres_schema import LIMITS_TABLE, LOGIN_TABLES, SCHEMA, TABLE_NAMES, TRIGGERS
from ledger.journal.postgres_session import Address, Session
from ledger.journal.postgres_tables import (
    PostgresCheckpoints,
    PostgresEntries,
    PostgresNodes,
    PostgresRows,
    PostgresWords,
    rows_for_digest,
)
from ledger.journal.records import Stamp
from ledger.journal.replacing import KEPT_SUFFIX
from ledger.journal.schema import NEWEST_VERSION, SCHEMA_VERSION, VERSION_WITH_NEW_ADDRESS
from ledger.journal.storage import Storage, copy_all

COMMIT_SECONDS = 15
"""The longest wait for a commit, which may wait for other servers. No limit of PostgreSQL ends this wait."""

SETTLE_SECONDS = 60
"""The longest time in which the program tries to find out whether a write was saved, after it lost the connection."""

RETRY_SECONDS = 0.2

SCHEMA_LOCK = 0x6C6564676572
"""The key of the lock under which one process makes the tables of a database."""

BEGIN = """
BEGIN;
SELECT set_config('synchronous_commit', 'on', true)
WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')
"""
"""The start of a transaction whose commit waits for the disks, even if the login or the address has other settings."""

LOCK_CAMPAIGN = """
UPDATE campaigns SET writes = writes + 1 WHERE campaign = $1 AND name = $2 RETURNING read_only, moved_to, head
"""
"""The statement that locks a campaign. It changes the campaign's row, and PostgreSQL locks a changed row."""

LOCK_WITHIN_LIMITS = with_limits(LOCK_CAMPAIGN)

INSERT_COMMAND = "INSERT INTO commands (campaign, id, saved) VALUES ($1, $2, $3)"


class PostgresStorage:
    """An open campaign; see `ledger.journal.storage.Storage`."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._is_new = False
        self._entry_limit: int | None = None
        self._ahead = ReadAhead(session)
        self.entries = PostgresEntries(session, self._ahead)
        self.rows = PostgresRows(session, self._ahead)
        self.words = PostgresWords(session, self._ahead)
        self.nodes = PostgresNodes(session, self._ahead)
        self.checkpoints = PostgresCheckpoints(session, self._ahead)

    def address(self) -> str | None:
        return None if self._is_new else self._session.address.standard_address(self._session.address.campaign)

    def close(self) -> None:
        """Give back the connection. There is nothing to merge."""
        self._session.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Lock the campaign's row. For a new campaign, use a part of the transaction that makes the campaign."""
        if self._is_new:
            with PLAIN_ERRORS, self._session.connection.transaction():
                yield
                self._session.send()
            return
        with self._transaction():
            self._ahead.start_writing(self._lock(self._session, LOCK_WITHIN_LIMITS))
            try:
                yield
            finally:
                self._entry_limit = None  # the host may change it

    def entry_limit(self) -> int | None:
        return self._entry_limit

    def _lock(self, session: Session, sql: str) -> int:
        """Lock the campaign. Return the number of its last entry.

        Raise `TooManyWrites` if the limits do not allow the write.
        """
        row = session.run(sql if session.has_limits else LOCK_CAMPAIGN, session.address.campaign).fetchone()
        if row is None:  # somebody restored a backup
            raise errors.OtherCampaign(session.address.campaign)
        if row[0]:
            raise errors.DiskRefused("This campaign is read-only. Nothing was written.")
        if row[1] is not None:
            raise moved_away(row[1])
        self._entry_limit = check_writes(session, row[3:])
        return int(row[2])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Run the block in a transaction. Raise `Unsettled` if nobody can say whether it was saved."""
        session, command = self._session, str(uuid4())
        try:
            session.command(BEGIN)
            yield
            session.insert("commands", [(command, True)])
            session.send()
        except BaseException as error:
            self._roll_back()
            if type(error) is errors.Unreadable:  # the connection was lost before the commit
                raise _not_saved_error() from None
            raise
        self._ahead.stop()
        try:
            if not self._commit(session):
                self._settle(command)
        except KeyboardInterrupt:  # a commit that Ctrl-C canceled can be seen, but other servers may not have it
            session.connection.close()
            raise _unsettled_error("You stopped the command while the database saved it.") from None

    def _roll_back(self) -> None:
        self._session.forget_unsent()
        self._ahead.stop()
        try:
            self._session.connection.execute("ROLLBACK")
        except psycopg.Error:
            self._session.connection.close()

    def _commit(self, session: Session) -> bool:
        """Commit. Return False if nobody confirmed that the commit is safe. The write may be saved nevertheless."""
        warnings: list[str | None] = []
        connection = session.connection

        def warn(notice: psycopg.errors.Diagnostic) -> None:
            warnings.append(notice.message_primary)

        connection.add_notice_handler(warn)
        connection.patience, patience = COMMIT_SECONDS, connection.patience
        try:
            connection.execute("COMMIT")
        except psycopg.Error as error:
            if is_connection_lost(error):
                return False
            raise plain_error(error) from error
        finally:
            connection.patience = patience
            connection.remove_notice_handler(warn)
        # a commit that no longer waits for another server reports success, with a warning
        return not warnings

    def _settle(self, command: str) -> None:
        """Find out on a new connection whether a write was saved. `command` is the id of the write.

        Insert the id again, as not saved. The statement waits for the end of the old transaction, and changes nothing
        if the old transaction saved the id. Also insert a new id, the marker. When the other servers confirm the
        marker, they have confirmed all earlier writes.

        Raise `WriteFailed` if the write was not saved, and `Unsettled` if the marker is not confirmed in time.
        """
        session, ends = self._session, monotonic() + SETTLE_SECONDS
        while monotonic() < ends:
            # a failure here says nothing about the write, not even that the disk is full
            with suppress(psycopg.Error, errors.LedgerError):
                session.reconnect()
                session.command(BEGIN)
                session.run(f"{INSERT_COMMAND} ON CONFLICT DO NOTHING", command, False)
                session.run(INSERT_COMMAND, str(uuid4()), False)
                if self._commit(session):
                    saved = session.value("SELECT saved FROM commands WHERE campaign = $1 AND id = $2", command)
                    break
            session.connection.close()
            sleep(RETRY_SECONDS)
        else:
            raise _unsettled_error("The connection to the database was lost during the write.")
        if not saved:
            raise _not_saved_error()

    @contextmanager
    def reading(self) -> Iterator[None]:
        if self._session.in_transaction:
            yield
            return
        self._take_snapshot()
        try:
            yield
        finally:
            self._roll_back()

    def _take_snapshot(self) -> None:
        # the first statement takes the snapshot
        self._session.command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1")
        self._ahead.start()

    @contextmanager
    def paused(self) -> Iterator[None]:
        reads = self._session.in_transaction
        if reads:
            self._roll_back()
        try:
            yield
        finally:
            if reads:
                self._take_snapshot()

    def has_nodes(self) -> bool:
        return True

    def version(self) -> int:
        return self._session.version

    def upgrade(self) -> bool:
        return False

    def upgrade_backup(self) -> None:
        """Return None: all campaigns in a database have the newest version."""

    def moved_to(self) -> str | None:
        address: str | None = self._session.value("SELECT moved_to FROM campaigns WHERE campaign = $1")
        return address

    def mark_moved(self, address: str) -> None:
        sql = "UPDATE campaigns SET moved_to = $2, version = $3 WHERE campaign = $1"
        self._session.run(sql, address, VERSION_WITH_NEW_ADDRESS)

    def make_read_only(self) -> None:
        """Let nobody write to this campaign later. The caller holds the write lock."""
        self._session.run("UPDATE campaigns SET read_only = true WHERE campaign = $1")

    def end(self) -> None:
        """Let nobody write to this campaign later, even if the limits do not allow a write now."""
        with self._transaction():
            self._lock(self._session, LOCK_CAMPAIGN)
            self.make_read_only()

    def check_guards(self) -> str:
        """Check the triggers, the policies and the number of entries. There is no file to check."""
        triggers = self._session.rows(
            "SELECT tgname FROM pg_trigger WHERE $1 <> '' AND tgrelid = 'entries'::regclass AND tgenabled IN ('O', 'A')"
        )
        tables = self._session.rows(
            "SELECT relname FROM pg_class JOIN pg_policy ON polrelid = pg_class.oid AND polname = 'own_rows'"
            " WHERE $1 <> '' AND relnamespace = 'ledger'::regnamespace AND relrowsecurity AND relforcerowsecurity"
        )
        missing = {*TRIGGERS, *TABLE_NAMES} - {name for (name,) in (*triggers, *tables)}
        if missing:
            raise errors.NotGuarded(min(missing))
        sql = "SELECT count(*), coalesce(max(seq), 0) FROM entries WHERE campaign = $1"
        ((entries, last),) = self._session.rows(sql)
        if not entries == last == self.entries.head():
            raise errors.Damaged(f"it should have {errors.entry_count(self.entries.head())}, but has {entries}")
        return ""

    def digests(self, sizes: Sequence[int]) -> list[str]:
        of_sizes, after = [sha256() for _ in sizes], -(2**62)
        hashed = [sha256() for _ in range(5)]
        for of_size, size in zip(of_sizes, sizes, strict=True):
            for table, rows in zip(hashed, rows_for_digest(self._session, after, size), strict=True):
                for row in rows:
                    table.update(repr(row).encode())
                of_size.update(table.digest())
            after = size
        return [of_size.hexdigest() for of_size in of_sizes]

    def foreign_names(self) -> list[str]:
        sql = "SELECT relname FROM pg_class WHERE $1 <> '' AND relnamespace = 'ledger'::regnamespace AND relkind = 'r'"
        return sorted({name for (name,) in self._session.rows(sql)} - {*TABLE_NAMES, *LOGIN_TABLES, LIMITS_TABLE})

    def scrub(self) -> None:
        """Do nothing: the server removes deleted rows by itself, and no client can reach its log and its copies."""

    def remains_of_deleted_texts(self) -> str:
        return (
            "Copies of the texts may remain on the database server for some time, and longer in its write-ahead log, on"
            " its standby servers and in backups of the database. No command can erase these copies."
        )


def _not_saved_error() -> errors.WriteFailed:
    return errors.WriteFailed(f"{LOST_MESSAGE} Nothing was written.")


def _unsettled_error(why: str) -> errors.Unsettled:
    hint = f"When the database works again, check with {errors.Run('log')} before you repeat the command."
    return errors.Unsettled(f"{why} What you entered may or may not be saved.", hint)


class PostgresEngine:
    """The engine for a campaign in a PostgreSQL database; see `ledger.journal.storage.Engine`."""

    def __init__(self, address: str) -> None:
        self._address = Address(address)

    def open(self) -> PostgresStorage:
        session = Session.of_campaign(self._address)
        if session.version > NEWEST_VERSION:
            session.close()
            raise errors.NewerCampaign(session.version, NEWEST_VERSION)
        return PostgresStorage(session)

    @contextmanager
    def creating(self, source: Storage | None = None, *, read_only: bool = False) -> Iterator[PostgresStorage]:
        self._make_tables()
        session = Session.enter(self._address)
        storage = PostgresStorage(session)
        try:
            with storage._transaction():
                self._insert(session)
                storage._is_new = True
                if source is not None:
                    copy_all(source, storage)
                yield storage
                if read_only:
                    storage.make_read_only()
        finally:
            session.close()

    def _make_tables(self) -> None:
        """Make the tables and roles, if the database has none and this login is its owner."""
        try:
            self.exists()
        except errors.NotACampaign as refusal:
            try:
                with self._address.connect(as_program=False) as connection, connection.transaction():
                    connection.execute("SELECT pg_advisory_xact_lock($1)", (SCHEMA_LOCK,))
                    if connection.execute("SELECT to_regnamespace('ledger')").fetchone() == (None,):
                        connection.execute(SCHEMA)
            except psycopg.Error:
                raise refusal from None

    def _insert(self, session: Session) -> None:
        """Insert a new campaign, and let the session see it. Raise `Taken` if the name is in use."""
        session.campaign = str(uuid4())
        session.value("SELECT set_config('ledger.campaign', $1, false)")
        sql = "INSERT INTO campaigns (campaign, name, version) VALUES ($1, $2, $3)"
        try:
            session.run(sql, self._address.campaign, SCHEMA_VERSION)
        except pg.UniqueViolation:
            raise self._taken_error() from None

    def _taken_error(self) -> errors.Taken:
        return errors.Taken(
            self._address.standard_address(self._address.campaign), "Choose a different name after campaign=."
        )

    def replace(self, new: Storage, day: str, check: Callable[[], None]) -> str | None:
        session = Session.enter(self._address)
        storage, kept = PostgresStorage(session), None
        try:
            if not session.find_campaign():
                check()
                with self.creating(new):
                    return None
            with storage._transaction():
                storage._lock(session, LOCK_CAMPAIGN)
                check()
                kept = self._rename(session, f"{self._address.campaign}{KEPT_SUFFIX}{day}")
                has_logins = session.value("SELECT to_regclass('visits') IS NOT NULL AND $1 <> ''")
                for table in LOGIN_TABLES if has_logins else ():  # nobody may enter the old campaign on a page
                    session.run(f"DELETE FROM {table} WHERE campaign = $1")
                self._insert(session)
                storage._is_new = True
                copy_all(new, storage)
            return self._address.standard_address(kept)
        finally:
            session.close()

    def _rename(self, session: Session, name: str) -> str:
        """Give the campaign this name, or the next one that is not in use. Return the name."""
        names = (name if number == 1 else f"{name}-{number}" for number in count(1))
        while True:
            new = next(names)
            with suppress(pg.UniqueViolation), session.connection.transaction():
                session.run("UPDATE campaigns SET name = $2 WHERE campaign = $1", new)
                return new

    def exists(self) -> bool:
        session = Session.enter(self._address)
        try:
            return session.find_campaign()
        finally:
            session.close()

    def check_free(self) -> None:
        try:
            if self.exists():
                raise self._taken_error()
        except errors.NotACampaign:  # the database has no tables yet
            return

    def tidy(self) -> None:
        """Do nothing: a killed command leaves nothing in the database."""

    def campaigns(self) -> list[str]:
        """Return no names: the program may not list the campaigns of others."""
        return []

    def nearest(self) -> str:
        raise errors.NoCampaign

    def resolved(self) -> str:
        return self.canonical()

    def canonical(self) -> str:
        return self._address.standard_address(self._address.campaign)

    def name(self) -> str:
        return self._address.campaign

    def stamp(self) -> Stamp:
        session = Session.of_campaign(self._address)
        try:
            version = session.value("SELECT writes FROM campaigns WHERE campaign = $1")
            return Stamp(session.campaign, version, is_settled=True)
        finally:
            session.close()

    def owns(self, address: str) -> bool:
        return address.partition("://")[0] in {"postgresql", "postgres"} and self._address.is_same_campaign(
            Address(address)
        )

    def kept_copies(self) -> list[str]:
        """Return no addresses: the program may not list the campaigns of others."""
        return []

    def read_by_others(self) -> bool:
        return False

    def let_others_read(self) -> None:
        """Do nothing: the database decides who may read."""

    @property
    def asks_server(self) -> bool:
        return True

    def login_tables(self) -> PostgresLogins | None:
        return PostgresLogins.of_campaign(self._address)

    def stream_limit(self) -> int | None:
        session = Session.of_campaign(self._address)
        try:
            return campaign_use(session).limits.streams
        finally:
            session.close()

    def looks_like_campaign(self) -> bool:
        return self.exists()
