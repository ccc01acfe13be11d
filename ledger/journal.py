"""The journal: an append-only file of entries.

The file is SQLite: `entries` hold the truth, the canonical bytes of each entry and their leaf hash; `postings`,
`marks` and `words` lie beside it. Three triggers keep honest programs honest: an entry is appended after the last,
none is changed, none is deleted. The hashes are for the others.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import W_OK, access, path, unlink
from typing import Any

from ledger.entries import Entry
from ledger.errors import (
    Busy,
    Damaged,
    NewerCampaign,
    NoCampaign,
    NoRoom,
    NotACampaign,
    NotGuarded,
    Refused,
    WrongEntry,
)

APPLICATION_ID = 0x43414D50
"""`CAMP`: the file's application id."""

VERSION = 1
"""The schema that this program writes, and the newest that it reads."""

BUSY_SECONDS = 5

SCHEMA = """
CREATE TABLE entries (
  seq   INTEGER PRIMARY KEY CHECK (seq > 0 AND seq = body ->> '$.seq'),
  body  TEXT NOT NULL CHECK (length(CAST(body AS BLOB)) <= 60000),
  leaf  BLOB NOT NULL CHECK (length(leaf) = 32)
) STRICT;
CREATE UNIQUE INDEX entries_once ON entries (body ->> '$.once') WHERE body ->> '$.once' IS NOT NULL;
CREATE TRIGGER entries_are_appended BEFORE INSERT ON entries
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entries)
BEGIN SELECT raise(ABORT, 'an entry is appended after the last one'); END;
CREATE TRIGGER entries_stay BEFORE UPDATE ON entries
BEGIN SELECT raise(ABORT, 'an entry is never changed'); END;
CREATE TRIGGER entries_remain BEFORE DELETE ON entries
BEGIN SELECT raise(ABORT, 'an entry is never deleted'); END;
CREATE TABLE postings (
  who     TEXT NOT NULL,
  score   TEXT NOT NULL,
  seq     INTEGER NOT NULL,
  since   INTEGER NOT NULL,
  amount  INTEGER NOT NULL,
  balance INTEGER NOT NULL,
  PRIMARY KEY (who, score, seq, since)
) STRICT, WITHOUT ROWID;
CREATE INDEX postings_late ON postings (who, score, since) WHERE since < seq;
CREATE TABLE marks (
  who   TEXT NOT NULL,
  name  TEXT NOT NULL,
  since INTEGER NOT NULL,
  seq   INTEGER NOT NULL,
  value TEXT,
  PRIMARY KEY (who, name, since, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE words (
  seq   INTEGER NOT NULL,
  field TEXT NOT NULL,
  salt  BLOB NOT NULL CHECK (length(salt) = 32),
  text  TEXT NOT NULL,
  PRIMARY KEY (seq, field)
) STRICT, WITHOUT ROWID;
"""


def leaf_hash(stored: bytes) -> bytes:
    """Return the leaf of stored bytes: SHA-256(0x00 ‖ bytes), as RFC 6962 has it."""
    from hashlib import sha256  # a look hashes nothing

    return sha256(b"\x00" + stored).digest()


class Journal:
    """An open campaign file; the only door to its entries."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

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
                yield
                self.connection.execute("ROLLBACK" if dry else "COMMIT")
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See the file as it is now until this ends, whoever writes meanwhile."""
        if self.connection.in_transaction:
            yield
            return
        with plain_errors():
            self.connection.execute("BEGIN")
            try:
                yield
            finally:
                self.connection.execute("ROLLBACK")

    def head(self) -> int:
        """Return the number of the last entry, 0 where there is none."""
        (head,) = self.connection.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()
        return int(head)

    def append(self, seq: int, stored: bytes) -> None:
        """Append an entry by its canonical bytes; the write lock is held."""
        row = (seq, stored.decode(), leaf_hash(stored))
        self.connection.execute("INSERT INTO entries (seq, body, leaf) VALUES (?, ?, ?)", row)

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

        SQLite reads through the bodies; that is a hundred times quicker than to take each of them apart.
        """
        keys, kinds = [f'"{name}":' for name in names], [f'"type":"{kind}"' for kind in types]
        one_of = "(SELECT 1 FROM json_each(?) WHERE instr(entries.body, value))"
        sql = (
            "SELECT seq, CAST(body AS BLOB), leaf FROM entries WHERE seq >= ?"  # noqa: S608  ours
            f" AND EXISTS {one_of} AND EXISTS {one_of} ORDER BY seq"
        )
        with plain_errors():
            for seq, stored, leaf in self.connection.execute(sql, (first, _listed(keys), _listed(kinds))):
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
    try:
        with open(file, "rb") as stored:
            header = stored.read(72)
    except OSError:
        raise NotACampaign(f"{file} cannot be read.") from None
    writable = access(file, W_OK) and access(path.dirname(path.abspath(file)), W_OK)
    query = "mode=rw" if writable else "mode=ro" if path.exists(f"{file}-wal") else "immutable=1"
    try:
        connection = _connect(file, query)
    except Damaged:
        if header[68:] == APPLICATION_ID.to_bytes(4, "big"):
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
            ((last,),) = connection.execute("SELECT max(seq) FROM entries").fetchall()
        if last is None:
            raise NotACampaign(f"{file} is not a campaign: its first entry was never written.", "Remove it.")
    except BaseException:
        connection.close()
        raise
    return Journal(connection)


def create_journal(file: str) -> Journal:
    """Make a campaign file; refuses (`Refused`) where there is already something of that name."""
    from sqlite_utils import Database  # only a new file needs it

    try:
        open(file, "xb").close()
    except FileExistsError:
        raise Refused(f"There is already something called {file}.", "Name another file with -f FILE.") from None
    except OSError as error:
        raise NoRoom(f"{file} cannot be made: {error.strerror}; nothing was written.") from None
    connection = _connect(file, "mode=rw")
    try:
        with plain_errors():
            database = Database(connection, execute_plugins=False)
            database.enable_wal()
            prepare(database)
    except BaseException:
        connection.close()
        unlink(file)
        raise
    return Journal(connection)


def memory_journal() -> Journal:
    """Make a journal that lies in memory alone, to work a journal out anew beside the one on disk."""
    from sqlite_utils import Database  # only verify asks

    connection = sqlite3.connect(":memory:", isolation_level=None)
    prepare(Database(connection, execute_plugins=False))
    return Journal(connection)


def prepare(database: Any) -> None:
    """Give an empty sqlite-utils database the tables, triggers and numbers of a campaign."""
    connection = database.conn
    for statement in _statements(SCHEMA):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def check_guards(connection: sqlite3.Connection) -> None:
    """Refuse a file with damaged pages (`Damaged`), or whose tables or triggers are not ours (`NotGuarded`)."""
    from sqlite_utils import Database  # only verify asks

    with plain_errors():
        (answer,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if answer != "ok":
        raise Damaged("its pages do not fit together")
    fresh = Database(memory=True, execute_plugins=False)
    prepare(fresh)
    expected, found = (
        dict(each.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall())
        for each in (fresh.conn, connection)
    )
    fresh.close()
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            raise NotGuarded(name)


@contextmanager
def plain_errors(file: str = "") -> Iterator[None]:
    """Turn what SQLite says into what a reader can act on."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_BUSY:
            raise Busy(BUSY_SECONDS) from error
        if code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}:
            raise NoRoom("The disk did not take it; nothing was written.") from error
        if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}:
            raise NoRoom("The campaign cannot be written here; nothing was written.") from error
        if file and code == sqlite3.SQLITE_NOTADB:
            raise NotACampaign(f"{file} is not a campaign.") from error
        if "no such table" in str(error):
            raise Damaged(f"there is {error}".replace("there is no such table: ", "it has no table ")) from error
        if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            raise Damaged("its pages do not fit together") from error
        raise


def _connect(file: str, query: str) -> sqlite3.Connection:
    quoted = path.abspath(file).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    uri = f"file:{quoted}?{query}"
    with plain_errors(file):
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_SECONDS)
        try:
            connection.execute("PRAGMA synchronous = FULL")
        except BaseException:
            connection.close()
            raise
    return connection


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


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
    except ValueError:
        raise WrongEntry(seq, "is no JSON") from None
    if not isinstance(body, dict) or not {"since", "at", "by", "act", "cause", "type"} <= body.keys():
        raise WrongEntry(seq, "is no entry")
    return body
