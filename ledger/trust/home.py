"""The home: a folder outside the campaigns, with a person's private keys, trusted keys and known heads.

Each private key is a file in the subfolder `keys`. It signs a campaign only if the campaign names its public half and
continues the last known head. Heads and trusted keys are in a small SQLite file. If a campaign does not continue a
known head, it is not the campaign that the person saw.
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
"""The suffix of an empty file that marks a key as exported, so that `backup` does not suggest this again."""

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
"""`known` heads come from a campaign that was stored or checked here. This home's key cosigned `witnessed` ones."""

KINDS: tuple[HeadKind, ...] = ("known", "witnessed")


class Head(Struct):
    """The first entries of a campaign: their number, their root, and the signed note ("" if there is none)."""

    origin: str
    size: int
    root: bytes
    note: str


class Remembered(Struct):
    """A snapshot of all heads and trusted keys in a home. If reading failed, its methods raise `failed`."""

    heads: Mapping[tuple[str, HeadKind], Head] = {}
    keys: Mapping[str, tuple[str, ...]] = {}
    failed: LedgerError | None = None

    def head(self, origin: str | None, kind: HeadKind = "known") -> Head | None:
        """Return the saved head of a campaign, or None."""
        return None if origin is None else self._read().heads.get((origin, kind))

    def trusted(self, origin: str | None) -> tuple[str, ...]:
        """Return the keys that this person trusts to sign for a campaign, the current one last."""
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
        """Return the saved head of a campaign, or None."""
        with self._look() as connection:
            return _head(connection, origin, kind)

    def heads(self, origin: str) -> list[Head]:
        """Return the witnessed and the known head of a campaign, in this order, if they exist."""
        return [head for head in (self.head(origin, "witnessed"), self.head(origin)) if head is not None]

    def remembered(self) -> Remembered:
        """Return a snapshot of this home. If reading fails, the snapshot contains the error.

        Take it before you read a file to compare with it. Otherwise the home may have heads that are newer than the
        file.
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
        from ledger.trust.written import LastWritten  # lazy import: views never write

        return LastWritten(self.folder, address)

    def know(self, head: Head, may_replace: Callable[[Head], bool]) -> None:
        """Store a head. If one is already known, replace it only if `may_replace` returns True for it."""
        with self._open() as connection:
            known = _head(connection, head.origin, "known")
            if known is None or may_replace(known):
                _keep(connection, head, "known")

    def advance(self, old: int, head: Head, vkey: str) -> int | None:
        """Store a witnessed head if the latest one has the size `old`; otherwise only return the latest size.

        Also trust `vkey`, the key that signed the head. Earlier keys stay trusted. Both changes are one transaction,
        which is on disk when this returns.
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
        """Return the key with which this person signs as a witness, or None."""
        from ledger.trust.keyfile import read_key  # lazy import: only a witness needs it

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
        """Return the path for the private half of a campaign's key."""
        origin, _, rest = vkey.partition("+")  # the id is a hash of the origin and the key, so no two keys share a file
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
        """Return True if this key is known to have a second copy, from an export or an import."""
        return path.exists(self.key_file(vkey) + EXPORTED)

    def remember_export(self, vkey: str) -> None:
        """Record that this key has a second copy. Do nothing if the home cannot be written."""
        from ledger.journal.new_files import write_synced

        with suppress(OSError, NotMade):
            self.make()
            make_home(path.dirname(self.key_file(vkey)))
            write_synced(self.key_file(vkey) + EXPORTED, b"", 0o600)

    def make(self) -> None:
        """Create the folder, accessible only to its owner. Raise `NotMade` if that fails."""
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
    """Create the folder of a home, accessible only to its owner. Raise `NotMade` if that fails."""
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
    sql = f"SELECT {columns} FROM {table} WHERE ?1 IS NULL OR origin = ?1 ORDER BY {order}"  # noqa: S608  our own names
    return connection.execute(sql, (origin,)).fetchall()


def _head(connection: sqlite3.Connection | None, origin: str, kind: HeadKind) -> Head | None:
    for size, root, note in _rows(connection, kind, "size, root, note", origin):
        return Head(origin=origin, size=size, root=bytes(root), note=note)
    return None


def _keep(connection: sqlite3.Connection, head: Head, kind: HeadKind) -> None:
    row = (head.origin, head.size, head.root, head.note)
    connection.execute(f"INSERT OR REPLACE INTO {kind} VALUES (?, ?, ?, ?)", row)  # noqa: S608  our own names
