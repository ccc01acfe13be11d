"""The home: what a person keeps outside the campaigns: the key of a witness, whom they trust, and heads that were seen.

Heads lie in one small SQLite file in a folder of the person's own; a campaign that is shorter than a head that is known
here, or that does not go on from it, is not the one that was seen.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from os import makedirs, path, stat
from typing import TYPE_CHECKING, Any, Literal

from ledger.errors import Damaged, LedgerError, NoRoom, NotACampaign, NotMade, Refused
from ledger.journal.sqlite import connect, plain_errors
from ledger.values import Struct

if TYPE_CHECKING:
    from ledger.tlog.note import Skey

HEADS = "heads.db"

SCHEMA = """
CREATE TABLE IF NOT EXISTS {kind} (
  origin TEXT PRIMARY KEY,
  size   INTEGER NOT NULL,
  root   BLOB NOT NULL CHECK (length(root) = 32),
  note   TEXT NOT NULL
) STRICT, WITHOUT ROWID
"""

TRUSTED = "CREATE TABLE IF NOT EXISTS trusted (origin TEXT NOT NULL, vkey TEXT NOT NULL, UNIQUE (origin, vkey)) STRICT"

Kind = Literal["known", "witnessed"]
"""A head was known here (of a campaign that is kept or checked), or witnessed (cosigned with the key of this home)."""

KINDS: tuple[Kind, ...] = ("known", "witnessed")


class Head(Struct):
    """The first `size` entries of a campaign, by their root, and the signed note that says so, where there is one."""

    origin: str
    size: int
    root: bytes
    note: str


class Remembered(Struct):
    """All heads and trusted keys of a home, as they were at one moment.

    Where the home could not be read, `failed` says why, to whoever asks for a campaign that has a name.
    """

    heads: Mapping[tuple[str, Kind], Head] = {}
    keys: Mapping[str, tuple[str, ...]] = {}
    failed: LedgerError | None = None

    def head(self, origin: str | None, kind: Kind = "known") -> Head | None:
        """The head that was kept of a campaign, None where there was none."""
        return None if origin is None else self._read().heads.get((origin, kind))

    def trusted(self, origin: str | None) -> tuple[str, ...]:
        """The keys that the person of the home trusted to sign for a campaign."""
        return () if origin is None else self._read().keys.get(origin, ())

    def _read(self) -> "Remembered":
        if self.failed is not None:
            raise self.failed
        return self


class Home:
    """A folder in which a person keeps heads and the key of a witness; it is made when something is first kept."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def head(self, origin: str, kind: Kind = "known") -> Head | None:
        """The head that is kept of a campaign, None where there is none."""
        with self._look() as connection:
            return _found(connection, origin, kind)

    def heads(self, origin: str) -> list[Head]:
        """The heads that are kept of a campaign, however they came here."""
        return [head for head in (self.head(origin, "witnessed"), self.head(origin)) if head is not None]

    def remembered(self) -> Remembered:
        """All that is kept here now, or why it cannot be read.

        Whoever compares a file with it reads it first, and the file afterward: what others sign and keep in between is
        then in the file, and not only here.
        """
        heads: dict[tuple[str, Kind], Head] = {}
        keys: dict[str, tuple[str, ...]] = {}
        try:
            with self._look() as connection:
                for kind in KINDS:
                    for origin, size, root, note in _rows(connection, kind, "origin, size, root, note"):
                        heads[origin, kind] = Head(origin=origin, size=size, root=bytes(root), note=note)
                for origin, vkey in _rows(connection, "trusted", "origin, vkey"):
                    keys[origin] = (*keys.get(origin, ()), str(vkey))
        except LedgerError as failed:
            return Remembered(failed=failed)
        return Remembered(heads=heads, keys=keys)

    def know(self, head: Head, over: Callable[[Head], bool]) -> None:
        """Keep a head, unless one is known already that it is not to be put in the place of: `over` says it."""
        with self._open() as connection:
            known = _found(connection, head.origin, "known")
            if known is None or over(known):
                _keep(connection, head, "known")

    def advance(self, old: int, head: Head) -> int | None:
        """Keep a witnessed head where the latest one has the size `old`; else return the latest size.

        Both happen under one lock, and what is kept is on disk when this returns.
        """
        with self._open() as connection:
            latest = _found(connection, head.origin, "witnessed")
            size = latest.size if latest else 0
            if size != old:
                return size
            _keep(connection, head, "witnessed")
            return None

    def trusted(self, origin: str) -> list[str]:
        """The keys that the person of this home trusted to sign for a campaign, the one of today last."""
        with self._look() as connection:
            return [str(vkey) for (vkey,) in _rows(connection, "trusted", "vkey", origin)]

    def trust(self, origin: str, vkey: str) -> None:
        """Trust a key to sign for a campaign from here on; what those before it signed stays what it was."""
        with self._open() as connection:
            connection.execute("INSERT OR REPLACE INTO trusted VALUES (?, ?)", (origin, vkey))

    def witness_key(self) -> "Skey | None":
        """The key by which the person of this home witnesses, None where there is none."""
        from ledger.trust.keyfile import read_key  # who only plays has no key of a witness

        return read_key(self._witness_file())

    def keep_witness_key(self, key: "Skey") -> None:
        """Keep the key of a witness; refuses (`Refused`) where there is one already."""
        from ledger.trust.keyfile import keep_key

        self._make()
        keep_key(self._witness_file(), key)

    def _witness_file(self) -> str:
        return path.join(self.folder, "witness.key")

    def _make(self) -> None:
        try:
            makedirs(self.folder, 0o700, exist_ok=True)
        except OSError as error:
            raise NotMade(self.folder, error) from None

    @contextmanager
    def _look(self) -> Iterator[sqlite3.Connection | None]:
        """Open what is kept here, as it is at one moment; None where nothing is.

        What one who was killed had begun is undone.
        """
        file = path.join(self.folder, HEADS)
        if not _is_there(file):
            yield None
            return
        with _readable(file):
            connection = connect(file, "mode=rw")
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.close()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self._make()
        file = path.join(self.folder, HEADS)
        with _readable(file):
            connection = connect(file, "mode=rwc")
            try:
                connection.execute("BEGIN IMMEDIATE")
                for kind in KINDS:
                    connection.execute(SCHEMA.format(kind=kind))
                connection.execute(TRUSTED)
                yield connection
                connection.execute("COMMIT")
            finally:
                connection.close()


def _is_there(file: str) -> bool:
    with _readable(file), suppress(FileNotFoundError):
        stat(file)
        return True
    return False


@contextmanager
def _readable(file: str) -> Iterator[None]:
    what = f"What this machine remembers of heads, in {file},"
    try:
        with plain_errors():
            yield
    except (NotACampaign, Damaged):
        raise Refused(f"{what} cannot be read.", "Move it away; then nothing is remembered.") from None
    except OSError as error:
        raise Refused(f"{what} cannot be read: {error.strerror}.", "Say another home with CAMPAIGN_HOME.") from None
    except NoRoom:
        raise NoRoom(f"{what} cannot be opened or written; nothing was written.") from None


def _rows(
    connection: sqlite3.Connection | None, table: str, columns: str, origin: str | None = None
) -> list[tuple[Any, ...]]:
    """The rows of a table, of one campaign or of all, in the order written; none where there is no table."""
    there = connection and connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    if connection is None or not there:
        return []
    order = "rowid" if table == "trusted" else "origin"
    sql = f"SELECT {columns} FROM {table} WHERE ?1 IS NULL OR origin = ?1 ORDER BY {order}"  # noqa: S608  ours
    return connection.execute(sql, (origin,)).fetchall()


def _found(connection: sqlite3.Connection | None, origin: str, kind: Kind) -> Head | None:
    for size, root, note in _rows(connection, kind, "size, root, note", origin):
        return Head(origin=origin, size=size, root=bytes(root), note=note)
    return None


def _keep(connection: sqlite3.Connection, head: Head, kind: Kind) -> None:
    row = (head.origin, head.size, head.root, head.note)
    connection.execute(f"INSERT OR REPLACE INTO {kind} VALUES (?, ?, ?, ?)", row)  # noqa: S608  ours
