"""The home: a person's private keys, trusted keys and heads seen so far, outside the campaigns.

Each campaign's private key is a file in the folder `keys`, like SSH keys, and never beside the campaign. It signs only
if the campaign names its public half and continues the last head known here. The heads are in one small SQLite file.
If a campaign does not continue a head known here, it is not the campaign that the person saw.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from os import makedirs, path, stat
from typing import TYPE_CHECKING, Any, Literal

from ledger.errors import Damaged, LedgerError, NoRoom, NotACampaign, NotMade, Refused
from ledger.journal.failures import plain_errors
from ledger.journal.opening import connect
from ledger.values import Struct

if TYPE_CHECKING:
    from ledger.tlog.note import Skey
    from ledger.trust.written import LastWritten

ANOTHER_HOME = "Set CAMPAIGN_HOME to a folder where you can write."

HEADS = "heads.db"
KEYS = "keys"
EXPORTED = ".exported"
"""The ending of an empty file's name. The file means that a key was exported, so `backup` does not suggest it again."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS {kind} (
  origin TEXT PRIMARY KEY,
  size   INTEGER NOT NULL,
  root   BLOB NOT NULL CHECK (length(root) = 32),
  note   TEXT NOT NULL
) STRICT, WITHOUT ROWID
"""

TRUSTED = "CREATE TABLE IF NOT EXISTS trusted (origin TEXT NOT NULL, vkey TEXT NOT NULL, UNIQUE (origin, vkey)) STRICT"

HeadKind = Literal["known", "witnessed"]
"""The kinds of heads: `known` (from a stored or checked campaign) or `witnessed` (cosigned with this home's key)."""

KINDS: tuple[HeadKind, ...] = ("known", "witnessed")


class Head(Struct):
    """The first `size` entries of a campaign, with their root and the signed note, if there is one."""

    origin: str
    size: int
    root: bytes
    note: str


class Remembered(Struct):
    """All heads and trusted keys of a home at one moment.

    If the home could not be read, asking for a campaign raises `failed`.
    """

    heads: Mapping[tuple[str, HeadKind], Head] = {}
    keys: Mapping[str, tuple[str, ...]] = {}
    failed: LedgerError | None = None

    def head(self, origin: str | None, kind: HeadKind = "known") -> Head | None:
        """Return the saved head of a campaign, None if there was none."""
        return None if origin is None else self._read().heads.get((origin, kind))

    def trusted(self, origin: str | None) -> tuple[str, ...]:
        """Return the keys that this person trusts to sign for a campaign."""
        return () if origin is None else self._read().keys.get(origin, ())

    def _read(self) -> Remembered:
        if self.failed is not None:
            raise self.failed
        return self


class Home:
    """A person's folder for heads and private keys. The first write creates it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def head(self, origin: str, kind: HeadKind = "known") -> Head | None:
        """Return the saved head of a campaign, None if there is none."""
        with self._look() as connection:
            return _head(connection, origin, kind)

    def heads(self, origin: str) -> list[Head]:
        """Return the saved heads of a campaign, witnessed and known."""
        return [head for head in (self.head(origin, "witnessed"), self.head(origin)) if head is not None]

    def remembered(self) -> Remembered:
        """Return everything that is stored here now, or the reason why it cannot be read.

        To compare a file with it, read the file afterward: then the file includes everything that others signed and
        stored in between.
        """
        heads: dict[tuple[str, HeadKind], Head] = {}
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

    def last_written(self, address: str) -> LastWritten:
        """Return this computer's record of its last write to a campaign."""
        from ledger.trust.written import LastWritten  # views never write

        return LastWritten(self.folder, address)

    def know(self, head: Head, may_replace: Callable[[Head], bool]) -> None:
        """Store a head. If one is already known, replace it only if `may_replace` returns True for the known head."""
        with self._open() as connection:
            known = _head(connection, head.origin, "known")
            if known is None or may_replace(known):
                _keep(connection, head, "known")

    def advance(self, old: int, head: Head, vkey: str) -> int | None:
        """Store a witnessed head if the latest one has the size `old`; otherwise return the latest size.

        The key that signed it is trusted from then on, and earlier keys stay trusted. All this happens under one lock,
        and is on disk when this returns.
        """
        with self._open() as connection:
            latest = _head(connection, head.origin, "witnessed")
            size = latest.size if latest else 0
            if size != old:
                return size
            _keep(connection, head, "witnessed")
            connection.execute("INSERT OR REPLACE INTO trusted VALUES (?, ?)", (head.origin, vkey))
            return None

    def trusted(self, origin: str) -> list[str]:
        """Return the keys that this person trusts to sign for a campaign, the current one last."""
        with self._look() as connection:
            return [str(vkey) for (vkey,) in _rows(connection, "trusted", "vkey", origin)]

    def witness_key(self) -> Skey | None:
        """Return the key with which this person signs as a witness, None if there is none."""
        from ledger.trust.keyfile import read_key  # only a witness needs it

        return read_key(self.witness_file())

    def keep_witness_key(self, key: Skey) -> None:
        """Store the key of a witness. Raise `Refused` if there is one already."""
        from ledger.trust.keyfile import keep_key

        self.make()
        keep_key(self.witness_file(), key)

    def witness_file(self) -> str:
        """Return the path of the witness's key."""
        return path.join(self.folder, "witness.key")

    def key_file(self, vkey: str) -> str:
        """Return the path for the private half of a campaign's key, from the campaign's origin and the key's id."""
        origin, _, rest = vkey.partition("+")  # the id is a hash of both, so no two keys share a file
        name = re.sub("[^0-9A-Za-z]+", "-", f"{origin[:100]}-{rest[:8]}")
        return path.join(self.folder, KEYS, f"{name}.key")

    def keep_key(self, key: Skey) -> None:
        """Store the private key of a campaign, unless it is here already. It is on disk when this returns."""
        from ledger.journal.new_files import sync_names
        from ledger.trust.keyfile import keep_key, read_key

        file = self.key_file(str(key.vkey))
        if read_key(file) == key:
            return
        self.make()
        make_home(path.dirname(file))
        try:
            for folder in (self.folder, path.dirname(path.abspath(self.folder))):
                sync_names(folder)
        except OSError as error:
            raise NotMade(file, error, ANOTHER_HOME) from None
        keep_key(file, key)

    def was_exported(self, vkey: str) -> bool:
        """Return True if the private half of this key is known to have a second copy, from an export or an import."""
        return path.exists(self.key_file(vkey) + EXPORTED)

    def remember_export(self, vkey: str) -> None:
        """Record that the private half of this key has a second copy, if the home can be written."""
        from ledger.journal.new_files import write_synced

        with suppress(OSError, NotMade):
            self.make()
            make_home(path.dirname(self.key_file(vkey)))
            write_synced(self.key_file(vkey) + EXPORTED, b"", 0o600)

    def make(self) -> None:
        """Make the folder so that only its owner can enter it. Raise `NotMade` if that fails."""
        make_home(self.folder)

    @contextmanager
    def _look(self) -> Iterator[sqlite3.Connection | None]:
        file = path.join(self.folder, HEADS)
        if not _exists(file):
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
        self.make()
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


def make_home(folder: str) -> None:
    """Make the folder of a home so that only its owner can enter it. Raise `NotMade` if that fails."""
    try:
        makedirs(folder, 0o700, exist_ok=True)
    except OSError as error:
        raise NotMade(folder, error, ANOTHER_HOME) from None


def _exists(file: str) -> bool:
    with _readable(file), suppress(FileNotFoundError):
        stat(file)
        return True
    return False


@contextmanager
def _readable(file: str) -> Iterator[None]:
    what = f"The record of known checkpoints on this computer ({file})"
    try:
        with plain_errors():
            yield
    except (NotACampaign, Damaged):
        raise Refused(f"{what} cannot be read.", "Move the file away. The program then starts a new one.") from None
    except OSError as error:
        raise Refused(f"{what} cannot be read: {error.strerror}.", ANOTHER_HOME) from None
    except NoRoom:
        raise NoRoom(f"{what} cannot be opened or written.") from None


def _rows(
    connection: sqlite3.Connection | None, table: str, columns: str, origin: str | None = None
) -> list[tuple[Any, ...]]:
    has_table = connection and connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    if connection is None or not has_table:
        return []
    order = "rowid" if table == "trusted" else "origin"
    sql = f"SELECT {columns} FROM {table} WHERE ?1 IS NULL OR origin = ?1 ORDER BY {order}"  # noqa: S608  ours
    return connection.execute(sql, (origin,)).fetchall()


def _head(connection: sqlite3.Connection | None, origin: str, kind: HeadKind) -> Head | None:
    for size, root, note in _rows(connection, kind, "size, root, note", origin):
        return Head(origin=origin, size=size, root=bytes(root), note=note)
    return None


def _keep(connection: sqlite3.Connection, head: Head, kind: HeadKind) -> None:
    row = (head.origin, head.size, head.root, head.note)
    connection.execute(f"INSERT OR REPLACE INTO {kind} VALUES (?, ?, ?, ?)", row)  # noqa: S608  ours
