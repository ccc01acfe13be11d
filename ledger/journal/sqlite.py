"""SQLite: the engine that keeps a campaign in one file. All SQL, and SQLite's errors in words for a reader.

`entries` has the truth: the canonical bytes of each entry and their leaf hash. Beside it are `postings`, `marks`,
`words`, the nodes of the tree and the signed heads. Three triggers keep honest programs honest: they append an entry
after the last, and let nobody change or delete one. The hashes are for the others.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from os import O_CREAT, O_EXCL, O_WRONLY, close, path, stat, unlink
from os import open as open_new
from typing import TYPE_CHECKING, Any, Literal, Self

from ledger import errors
from ledger.events.rows import BOUND, MarkRow, PostingRow
from ledger.journal import column_types
from ledger.journal.failures import BUSY_SECONDS, FAILURES, plain_error, plain_errors
from ledger.journal.locking import FairLock
from ledger.journal.opening import (
    APPLICATION_ID,
    MAGIC,
    check_tables,
    connect,
    header_of,
    may_be_read_by_others,
    open_file,
)
from ledger.journal.records import Backdated, StoredEntry, StoredNode, StoredWord
from ledger.journal.schema import (
    NODES_TABLE,
    ROWS_TABLES,
    SCHEMAS,
    VERSION,
    WAITING,
    WAITING_TABLE,
    WITH_WAITING,
)
from ledger.values import BIGGEST

if TYPE_CHECKING:
    from ledger.journal.guards import Guards

FOR_ITS_OWNER = 0o600
"""The mode of a new file: it holds the GM's secrets."""

ENTRY = "SELECT seq, CAST(body AS BLOB), leaf FROM entries"
POSTING = "SELECT who, score, seq, since, amount, balance FROM postings"
MARK = "SELECT who, name, since, seq, value FROM marks"


class _Table:
    """Statements on one connection, with SQLite's errors turned into ours."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def _do(self, sql: str, *values: Any) -> None:
        try:
            self._connection.execute(sql, values)
        except FAILURES as error:
            raise plain_error(error) from error

    def _one(self, sql: str, *values: Any) -> Any:
        """The first column of the first row, None if there is no row."""
        try:
            row = self._connection.execute(sql, values).fetchone()
        except FAILURES as error:
            raise plain_error(error) from error
        return None if row is None else row[0]

    def _each(self, sql: str, *values: Any) -> Iterator[Any]:
        try:
            for row in self._connection.execute(sql, values):  # noqa: UP028  a rest is not closed after the file
                yield row
        except FAILURES as error:
            raise plain_error(error) from error

    def _script(self, script: str) -> None:
        for statement in _statements(script):
            self._do(statement)


class _Entries(_Table):
    def head(self) -> int:
        return int(self._one("SELECT coalesce(max(seq), 0) FROM entries"))

    def append(self, entry: StoredEntry) -> None:
        self._do("INSERT INTO entries (seq, body, leaf) VALUES (?, ?, ?)", entry.seq, entry.body.decode(), entry.leaf)

    def stored(self, first: int = 1, last: int = BOUND) -> Iterator[StoredEntry]:
        yield from map(
            StoredEntry._make,
            column_types.ENTRY.checked(self._each(f"{ENTRY} WHERE seq BETWEEN ? AND ? ORDER BY seq", first, last)),
        )

    def once(self, once: str) -> int | None:
        found = self._one("SELECT seq FROM entries WHERE body ->> '$.once' = ?", once)
        seq: int | None = column_types.ENTRY_NUMBER.value(found)
        return seq

    def last_on_clock(self, moment: str, last: int = BOUND) -> int | None:
        clock = "body ->> '$.clock' IS NOT NULL AND body ->> '$.clock' <= ?1"  # by `entries_clock`
        seq: int | None = self._one(f"SELECT max(seq) FROM entries WHERE {clock} AND +seq <= ?2", moment, last)  # noqa: S608  ours
        return seq

    def naming(
        self, types: Sequence[str], first: int, names: Iterable[str], last: int = BOUND
    ) -> Iterator[StoredEntry]:
        keys, typed = [f'"{name}":' for name in names], [f'"type":"{kind}"' for kind in types]
        (has_kind, one_kind), (has_key, one_key) = _has_one_of(typed), _has_one_of(keys)
        sql = f"{ENTRY} WHERE seq BETWEEN ? AND ? AND {has_kind} AND {has_key} ORDER BY seq"
        yield from map(StoredEntry._make, column_types.ENTRY.checked(self._each(sql, first, last, one_kind, one_key)))

    def of_type(self, kind: str, seqs: Iterable[int]) -> Iterator[int]:
        from json import dumps  # a look at a sheet does not need it

        numbered = "seq IN (SELECT value FROM json_each(?))"
        sql = f"SELECT seq FROM entries WHERE {numbered} AND body ->> '$.type' = ? ORDER BY seq"  # noqa: S608  ours
        yield from (seq for (seq,) in column_types.ENTRY_NUMBER.checked(self._each(sql, dumps(list(seqs)), kind)))

    def late(self, first: int, last: int) -> Iterator[StoredEntry]:
        late = "body ->> '$.since' < seq AND body ->> '$.since' BETWEEN ?1 AND ?2"
        sql = f"{ENTRY} WHERE +seq > ?1 AND {late} ORDER BY seq"  # by `entries_late`, if the file has it yet
        yield from map(StoredEntry._make, column_types.ENTRY.checked(self._each(sql, first, last)))


def _has_one_of(texts: list[str]) -> tuple[str, str]:
    """A condition that a body contains one of these texts, and its value."""
    from json import dumps  # a look at a sheet does not need it

    if len(texts) == 1:
        return "instr(entries.body, ?)", texts[0]
    return "EXISTS (SELECT 1 FROM json_each(?) WHERE instr(entries.body, value))", dumps(texts)


class _Rows(_Table):
    def put(self, postings: Iterable[PostingRow], marks: Iterable[MarkRow]) -> None:
        with plain_errors():
            self._connection.executemany("INSERT INTO postings VALUES (?, ?, ?, ?, ?, ?)", postings)
            self._connection.executemany("INSERT INTO marks VALUES (?, ?, ?, ?, ?)", marks)

    def balance_at(self, who: str, score: str, seq: int = BOUND) -> int | None:
        sql = (
            "SELECT balance FROM postings WHERE who = ? AND score = ? AND seq <= ?"
            " ORDER BY seq DESC, since DESC LIMIT 1"
        )
        balance: int | None = column_types.POSTED.value(self._one(sql, who, score, seq))
        return balance

    def late_sum(self, who: str, score: str, since: int, last: int) -> int | None:
        sql = (
            "SELECT sum(amount) FROM postings WHERE who = ?1 AND score = ?2 AND since <= ?3 AND since < seq"
            " AND +seq > ?3 AND +seq <= ?4"  # by `postings_late`: corrections are few, and later postings are many
        )
        amount: int | None = column_types.POSTED.value(self._one(sql, who, score, since, last))
        return amount

    def posting_rows(self, who: str, score: str, first: int = 1, last: int = BOUND) -> Iterator[PostingRow]:
        sql = f"{POSTING} WHERE who = ? AND score = ? AND seq BETWEEN ? AND ? ORDER BY seq, since"
        yield from map(PostingRow._make, column_types.POSTING.checked(self._each(sql, who, score, first, last)))

    def latest_rows(self, who: str, score: str, last: int = BOUND) -> Iterator[PostingRow]:
        sql = f"{POSTING} WHERE who = ? AND score = ? AND seq <= ? ORDER BY seq DESC, since DESC"
        yield from map(PostingRow._make, column_types.POSTING.checked(self._each(sql, who, score, last)))

    def on_time(self, who: str, score: str, last: int = BOUND) -> int:
        sql = "SELECT count(*) FROM postings WHERE who = ? AND score = ? AND seq <= ? AND since = seq"
        return int(self._one(sql, who, score, last))

    def late_rows(self, who: str, score: str, since: int = BOUND, last: int = BOUND) -> Iterator[PostingRow]:
        sql = (
            f"{POSTING} WHERE who = ? AND score = ? AND since <= ? AND since < seq AND +seq <= ?"
            " ORDER BY since DESC, seq DESC"
        )
        yield from map(PostingRow._make, column_types.POSTING.checked(self._each(sql, who, score, since, last)))

    def places(self, who: str, score: str, since: int = BOUND, last: int = BOUND) -> Iterator[int]:
        sql = (
            "SELECT since FROM postings WHERE who = ? AND score = ? AND since <= ? AND seq <= ?"
            " GROUP BY since HAVING sum(amount) <> 0 ORDER BY since"
        )
        yield from (place for (place,) in column_types.POSTED.checked(self._each(sql, who, score, since, last)))

    def sinces(self, who: str, name: str, value: str) -> Iterator[int]:
        sql = "SELECT DISTINCT since FROM marks WHERE who = ? AND name = ? AND value = ? ORDER BY since"
        yield from (since for (since,) in column_types.MARKED.checked(self._each(sql, who, name, value)))

    def mark_rows(self, who: str, name: str, since: int = BOUND, last: int = BOUND) -> Iterator[MarkRow]:
        sql = f"{MARK} WHERE who = ? AND name = ? AND since <= ? AND seq <= ? ORDER BY since DESC, seq DESC"
        yield from map(MarkRow._make, column_types.MARK.checked(self._each(sql, who, name, since, last)))

    def marks_of(self, who: str, since: int = BOUND, last: int = BOUND) -> Iterator[MarkRow]:
        sql = f"{MARK} WHERE who = ? AND since <= ? AND seq <= ? ORDER BY name, since DESC, seq DESC"
        yield from map(MarkRow._make, column_types.MARK.checked(self._each(sql, who, since, last)))

    def names(self, table: Literal["postings", "marks"], who: str, prefix: str = "") -> Iterator[str]:
        column, kind = ("score", column_types.SCORE) if table == "postings" else ("name", column_types.MARK_NAME)
        sql = f"SELECT min({column}) FROM {table} WHERE who = ? AND {column}"  # noqa: S608  ours
        name = kind.value(self._one(f"{sql} >= ?", who, prefix))
        while name is not None and name.startswith(prefix):
            yield name
            name = kind.value(self._one(f"{sql} > ?", who, name))

    def subjects_with(self, table: Literal["postings", "marks"], prefix: str) -> Iterator[str]:
        column, kind = ("score", column_types.SCORE) if table == "postings" else ("name", column_types.MARK_NAME)
        sql = (
            f"WITH RECURSIVE subjects(who) AS (SELECT min(who) FROM {table} UNION ALL"  # noqa: S608  ours
            f" SELECT (SELECT min(who) FROM {table} WHERE who > subjects.who) FROM subjects WHERE who IS NOT NULL)"
            f" SELECT who FROM subjects WHERE substr((SELECT min({column}) FROM {table} WHERE who = subjects.who"
            f" AND {column} >= ?1), 1, length(?1)) = ?1"
        )
        yield from (who for (who,) in kind.checked(self._each(sql, prefix)))

    def named_with(self, who: str, least: str, most: str) -> Iterator[str]:
        seats = "who = '#cast' AND " if who == "#cast" else ""  # by `marks_seats`, which no other subject has
        sql = f"SELECT DISTINCT name FROM marks WHERE {seats}who = ? AND value BETWEEN ? AND ? ORDER BY name"  # noqa: S608  ours
        yield from (name for (name,) in column_types.MARK_NAME.checked(self._each(sql, who, least, most)))

    def waiting(self) -> Iterator[str]:
        has_table = self._one("PRAGMA user_version") >= WITH_WAITING
        sql = "SELECT name FROM waiting" if has_table else WAITING
        yield from (name for (name,) in column_types.WAITING.checked(self._each(sql)))

    def late(self, head: int, last: int = BOUND) -> Iterator[Backdated]:
        for kind, name in ((column_types.LATE_POSTING, "score"), (column_types.LATE_MARK, "name")):
            sql = (
                f"SELECT who, {name}, since FROM {kind.table}"  # noqa: S608  ours
                " WHERE since < seq AND since <= ?1 AND seq > ?1 AND seq <= ?2 AND who >= 'a'"
            )
            yield from map(Backdated._make, kind.checked(self._each(sql, head, last)))

    def postings(self) -> Iterator[PostingRow]:
        yield from map(
            PostingRow._make, column_types.POSTING.checked(self._each(f"{POSTING} ORDER BY seq, who, score, since"))
        )

    def marks(self) -> Iterator[MarkRow]:
        yield from map(MarkRow._make, column_types.MARK.checked(self._each(f"{MARK} ORDER BY seq, who, name, since")))

    def clear(self) -> None:
        for table in ("postings", "marks", "waiting"):
            self._do(f"DROP TABLE IF EXISTS {table}")
        self._script(ROWS_TABLES + WAITING_TABLE)


class _Words(_Table):
    def keep(self, word: StoredWord) -> None:
        self._do("INSERT INTO words VALUES (?, ?, ?, ?)", *word)

    def of(self, seq: int) -> dict[str, str]:
        return dict(column_types.TEXT.checked(self._each("SELECT field, text FROM words WHERE seq = ?", seq)))

    def kept(self, seq: int) -> dict[str, tuple[bytes, str]]:
        rows = column_types.SALTED.checked(self._each("SELECT field, salt, text FROM words WHERE seq = ?", seq))
        return {field: (salt, text) for field, salt, text in rows}

    def delete(self, seq: int, fields: Iterable[str]) -> None:
        self._do("PRAGMA secure_delete = ON")
        for field in fields:
            self._do("DELETE FROM words WHERE seq = ? AND field = ?", seq, field)

    def all(self) -> Iterator[StoredWord]:
        yield from map(
            StoredWord._make,
            column_types.WORD.checked(self._each("SELECT seq, field, salt, text FROM words ORDER BY seq, field")),
        )


class _Nodes(_Table):
    def get(self, level: int, place: int) -> bytes | None:
        digest: bytes | None
        if level:
            digest = column_types.NODE_HASH.value(
                self._one("SELECT hash FROM nodes WHERE level = ? AND place = ?", level, place)
            )
        else:
            digest = column_types.LEAF.value(self._one("SELECT leaf FROM entries WHERE seq = ?", place + 1))
        return digest

    def put(self, node: StoredNode) -> None:
        self._do("INSERT INTO nodes VALUES (?, ?, ?)", *node)

    def all(self) -> Iterator[StoredNode]:
        sql = "SELECT level, place, hash FROM nodes ORDER BY (place + 1) << level, level"
        yield from map(StoredNode._make, column_types.NODE.checked(self._each(sql)))

    def clear(self) -> None:
        self._script(f"DROP TABLE IF EXISTS nodes;\n{NODES_TABLE}")


class _Checkpoints(_Table):
    def get(self, size: int) -> str | None:
        note: str | None = column_types.NOTE.value(self._one("SELECT note FROM checkpoints WHERE size = ?", size))
        return note

    def put(self, size: int, note: str) -> None:
        self._do("INSERT OR REPLACE INTO checkpoints VALUES (?, ?)", size, note)

    def all(self) -> dict[int, str]:
        return dict(column_types.HEAD.checked(self._each("SELECT size, note FROM checkpoints ORDER BY size")))


class SQLite(_Table):
    """A campaign in one SQLite file; see `ledger.journal.storage.Storage`."""

    def __init__(self, connection: sqlite3.Connection, refusal: errors.LedgerError | None = None) -> None:
        """Wrap a connection. `refusal` is the reason if this process cannot write the file."""
        super().__init__(connection)
        self.connection = connection
        self._refusal = refusal
        self.entries = _Entries(connection)
        self.rows = _Rows(connection)
        self.words = _Words(connection)
        self.nodes = _Nodes(connection)
        self.checkpoints = _Checkpoints(connection)
        self._known_version = 0
        self._turns = FairLock()

    @classmethod
    def open(cls, address: str) -> Self:
        """Open a file, only for reading if it or its folder cannot be written; see `ledger.journal.opening`."""
        return cls(*open_file(address, _check_header))

    @classmethod
    def create(cls, address: str) -> Self:
        """Make a file; a failure leaves nothing of it."""
        _make(address)
        connection = connect(address, "mode=rw")
        try:
            with plain_errors():
                _give_number(connection)
                connection.execute("PRAGMA journal_mode = WAL")
                _prepare(connection)
        except BaseException:
            connection.close()
            for created in (address, f"{address}-wal", f"{address}-shm"):
                with suppress(FileNotFoundError):
                    unlink(created)
            raise
        return cls(connection)

    @classmethod
    def memory(cls, version: int = VERSION) -> Self:
        """Make a database in memory, with the tables as of a version."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        _prepare(connection, version)
        return cls(connection)

    @classmethod
    def recognizes(cls, address: str) -> bool:
        """Whether this is a SQLite file."""
        return path.isfile(address) and header_of(address).startswith(MAGIC)

    @classmethod
    def read_by_others(cls, address: str) -> bool:
        """Return True if others on this computer can read this file, False for a read-only copy."""
        return may_be_read_by_others(address)

    def close(self) -> None:
        """Close the file; the last process to do so leaves one whole file."""
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
            if self.connection.total_changes > before:  # the first page, with the file's number, is then in every log
                self._do(f"PRAGMA user_version = {self.version()}")
            self._commit()
        finally:
            self._undo()

    def _lock(self) -> None:
        patience = self._one("PRAGMA busy_timeout")
        self._do("PRAGMA busy_timeout = 0")
        try:
            self._turns.take(lambda: self._do("BEGIN IMMEDIATE"), patience / 1000)
        finally:
            self._do(f"PRAGMA busy_timeout = {patience}")

    def _undo(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # an interruption closed the file before
            if self.connection.in_transaction:
                self._do("ROLLBACK")
                self._known_version = 0

    def _commit(self) -> None:
        """Commit. Refuses (`Unsettled`) if the disk fails, and the log, which may be read again, cannot be emptied."""
        try:
            self._do("COMMIT")
        except errors.NoRoom as error:
            self._undo()
            code = getattr(error.__cause__, "sqlite_errorcode", 0)
            begun = code == sqlite3.SQLITE_IOERR_WRITE  # it is not there whole, and so not at all
            if code & 0xFF == sqlite3.SQLITE_IOERR and not begun and not self._emptied():
                says = "The disk failed at the last step, so what you entered may or may not be in the record."
                hint = "When the disk works again, check with 'campaign log' before you type it again."
                raise errors.Unsettled(says, hint) from error
            raise

    def _emptied(self) -> bool:
        """Whether the write-ahead log is empty, and so nothing of what failed comes back."""
        with suppress(sqlite3.Error):
            return not self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        return False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See the file as it is now: `BEGIN` alone would see it as of the first read."""
        if self.connection.in_transaction:
            yield
            return
        self._do("BEGIN")
        try:
            self._one("PRAGMA schema_version")
            yield
        finally:
            self._do("ROLLBACK")

    @contextmanager
    def paused(self) -> Iterator[None]:
        """End the read transaction, and start another one afterwards."""
        reads = self.connection.in_transaction
        if reads:
            self._do("ROLLBACK")
        try:
            yield
        finally:
            if reads:
                self._do("BEGIN")
                self._one("PRAGMA schema_version")

    def has_nodes(self) -> bool:
        """Whether the file has the second version, or a later one."""
        return self.version() > 1

    def version(self) -> int:
        """Return the version in the file's header."""
        if self._known_version < VERSION:
            self._known_version = self._one("PRAGMA user_version")
        return self._known_version

    def upgrade(self) -> bool:
        """Make the tables and indexes that later versions added."""
        before, had_nodes = self.version(), self.has_nodes()
        if before < VERSION:
            self._one("SELECT count(*) FROM sqlite_schema")  # reads names again after another process changed them
            with plain_errors():
                _prepare(self.connection, first=before)
        return not had_nodes

    def check_guards(self) -> str:
        """Compare the tables with those of this program, then read the whole file."""
        return self._guards().check()

    def also_holds(self) -> list[str]:
        """Name the tables, views and indexes that other programs made, such as statistics; in order."""
        return sorted(self._guards().others())

    def _guards(self) -> Guards:
        from ledger.journal.guards import Guards  # a roll and a look do not check the whole file

        return Guards(self.connection, self.memory(self.version()).connection)

    def copy(self, address: str) -> None:
        """Copy the file by SQLite's online backup, in one read transaction, so that none of its locks is lost."""
        _make(address)
        copy = connect(address, "mode=rw")
        try:
            with self.reading(), plain_errors():
                copy.execute("PRAGMA journal_mode = OFF")  # half a copy is of no use
                _give_number(copy)
                self.connection.backup(copy)
        finally:
            copy.close()

    def scrub(self) -> None:
        """Empty the write-ahead log, and free unused pages."""
        try:
            with plain_errors():
                for statement in ("PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                    rows = self.connection.execute(statement).fetchall()
                    if rows and rows[0][0]:
                        raise errors.Busy(BUSY_SECONDS)
        except errors.Busy:
            raise errors.Unscrubbed("while somebody else is reading the file", "When nobody is reading it") from None
        except errors.NoRoom as error:
            full = getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL
            why = (
                ("because the disk is full", "When there is room")
                if full
                else ("because the disk failed", "When the disk works")
            )
            raise errors.Unscrubbed(*why) from None


def _make(file: str) -> None:
    """Make an empty file that only its owner can read. Raise `Taken` if the name is in use."""
    try:
        close(open_new(file, O_WRONLY | O_CREAT | O_EXCL, FOR_ITS_OWNER))
    except FileExistsError:
        raise errors.Taken(file, "Choose a different file name with -f FILE.") from None
    except OSError as error:
        raise errors.NotMade(file, error) from None


def _give_number(connection: sqlite3.Connection) -> None:
    """Give an empty file a random number, by which its log is known."""
    from secrets import choice  # few commands make a file

    from ledger.journal.foreign import NUMBERS

    connection.execute(f"PRAGMA schema_version = {choice(NUMBERS)}")


def _prepare(connection: sqlite3.Connection, version: int = VERSION, *, first: int = 0) -> None:
    """Give a database the tables, triggers and numbers of a campaign, without those of the versions up to `first`."""
    for schema in SCHEMAS[first:version]:
        for statement in _statements(schema):
            connection.execute(statement)
    if first < WITH_WAITING <= version:
        try:
            for statement in _statements(WAITING_TABLE):
                connection.execute(statement)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:  # there are no marks; `rebuild` makes them again
                raise
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {version}")


def _check_header(connection: sqlite3.Connection, file: str) -> None:
    """Refuse a file that is no campaign, is of a newer program, or has something else in place of a table."""
    with plain_errors():
        ((application,),) = connection.execute("PRAGMA application_id").fetchall()
        ((version,),) = connection.execute("PRAGMA user_version").fetchall()
    if application != APPLICATION_ID:
        if stat(file).st_size == 0:
            raise errors.NotACampaign(
                f"{file} is empty.", "Use another copy of it, or a backup: campaign restore BACKUP"
            )
        raise errors.NotACampaign(f"{file} is not a campaign.")
    if version > VERSION:
        raise errors.NewerCampaign(version, VERSION)
    with plain_errors():
        check_tables(connection)
        ((last,),) = connection.execute("SELECT max(seq) FROM entries").fetchall()
    if last is None:
        raise errors.NotACampaign(f"{file} is not a campaign: its first entry was never written.", "Remove the file.")
    if last > BIGGEST:
        raise errors.Damaged(f"its last entry has the number {last}, which is too large")


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script, one by one."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
