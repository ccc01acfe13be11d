"""The home: what a person keeps outside the campaigns: private keys, and the heads that were seen.

Heads lie in one small SQLite file in a folder of the person's own; a campaign that is shorter than a head that is known
here, or that does not go on from it, is not the one that was seen.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import O_CREAT, O_TRUNC, O_WRONLY, fsync, link, listdir, makedirs, path, unlink
from os import open as open_new
from typing import TYPE_CHECKING, Literal

from ledger.errors import Damaged, Malformed, NoRoom, NotACampaign, Refused
from ledger.file import connect, plain_errors
from ledger.shape import Shape

if TYPE_CHECKING:
    from ledger.note import Skey

PRIVATE = 0o600
HEADS = "heads.db"
PART = "-part"

SCHEMA = """
CREATE TABLE IF NOT EXISTS {kind} (
  origin TEXT PRIMARY KEY,
  size   INTEGER NOT NULL,
  root   BLOB NOT NULL CHECK (length(root) = 32),
  note   TEXT NOT NULL
) STRICT, WITHOUT ROWID
"""

TRUSTED = "CREATE TABLE IF NOT EXISTS trusted (origin TEXT PRIMARY KEY, vkey TEXT NOT NULL) STRICT, WITHOUT ROWID"

Kind = Literal["known", "witnessed"]
"""A head was known here (of a campaign that is kept or checked), or witnessed (cosigned with the key of this home)."""


class Head(Shape):
    """The first `size` entries of a campaign, by their root, and the signed note that says so, where there is one."""

    origin: str
    size: int
    root: bytes
    note: str


class Home:
    """A folder in which a person keeps heads and the key of a witness; it is made when something is first kept."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def head(self, origin: str, kind: Kind = "known") -> Head | None:
        """Return the head that is kept of a campaign, None where there is none."""
        with self._look(kind) as connection:
            return None if connection is None else _found(connection, origin, kind)

    def know(self, head: Head, over: Callable[[Head], bool]) -> None:
        """Keep a head, unless a longer one is known, or one that it is not shown to go on `over`."""
        with self._open() as connection:
            known = _found(connection, head.origin, "known")
            if known is None or (known.size <= head.size and over(known)):
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

    def trusted(self, origin: str) -> str | None:
        """Return the key that the person of this home trusts to sign for a campaign, None where there is none yet."""
        with self._look("trusted") as connection:
            sql = "SELECT vkey FROM trusted WHERE origin = ?"
            row = None if connection is None else connection.execute(sql, (origin,)).fetchone()
        return None if row is None else str(row[0])

    def trust(self, origin: str, vkey: str) -> None:
        """Trust a key to sign for a campaign, in place of another, if there was one."""
        with self._open() as connection:
            connection.execute("INSERT OR REPLACE INTO trusted VALUES (?, ?)", (origin, vkey))

    def witness_key(self) -> "Skey | None":
        """Return the key by which the person of this home witnesses, None where there is none."""
        return read_key(self._witness_file())

    def keep_witness_key(self, key: "Skey") -> None:
        """Keep the key of a witness; refuses (`Refused`) where there is one already."""
        self._make()
        keep_key(self._witness_file(), key)

    def _witness_file(self) -> str:
        return path.join(self.folder, "witness.key")

    def _make(self) -> None:
        try:
            makedirs(self.folder, 0o700, exist_ok=True)
        except OSError as error:
            raise NoRoom(f"{self.folder} cannot be made: {error.strerror}; nothing was written.") from None

    @contextmanager
    def _look(self, table: str) -> Iterator[sqlite3.Connection | None]:
        """Open what is kept here, None where nothing of the kind is; what one who was killed had begun is undone."""
        file = path.join(self.folder, HEADS)
        if not path.exists(file):
            yield None
            return
        with _readable(file):
            connection = connect(file, "mode=rw")
            try:
                there = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
                yield connection if there else None
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
                for kind in ("known", "witnessed"):
                    connection.execute(SCHEMA.format(kind=kind))
                connection.execute(TRUSTED)
                yield connection
                connection.execute("COMMIT")
            finally:
                connection.close()


@contextmanager
def _readable(file: str) -> Iterator[None]:
    try:
        with plain_errors():
            yield
    except (NotACampaign, Damaged):
        sentence = f"What this machine remembers of heads, in {file}, cannot be read."
        raise Refused(sentence, "Move it away; then nothing is remembered.") from None


def _found(connection: sqlite3.Connection, origin: str, kind: Kind) -> Head | None:
    row = connection.execute(f"SELECT size, root, note FROM {kind} WHERE origin = ?", (origin,)).fetchone()  # noqa: S608  ours
    return None if row is None else Head(origin=origin, size=row[0], root=bytes(row[1]), note=row[2])


def _keep(connection: sqlite3.Connection, head: Head, kind: Kind) -> None:
    row = (head.origin, head.size, head.root, head.note)
    connection.execute(f"INSERT OR REPLACE INTO {kind} VALUES (?, ?, ?, ?)", row)  # noqa: S608  ours


def read_key(file: str) -> "Skey | None":
    """Return the private key in a file, None where there is no such file; refuses (`Refused`) what is no key."""
    from ledger.note import parse_skey  # a roll reads no key

    try:
        with open(file, encoding="utf-8") as held:
            return parse_skey(held.read().removesuffix("\n"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        raise Refused(f"{file} cannot be read.") from None
    except Malformed:
        raise Refused(f"{file} holds no key that signs.") from None


def keys_beside(file: str) -> "list[Skey]":
    """Return the private keys in a file and in those beside it, which hold the keys that took its place later."""
    folder, name = path.split(path.abspath(file))
    later = (each for each in listdir(folder) if each.startswith(f"{name}.") and not each.endswith(PART))
    names = [name, *sorted(later)]
    return [key for key in (read_key(path.join(folder, each)) for each in names) if key is not None]


def keep_key(file: str, key: "Skey") -> None:
    """Write a private key into a new file that its owner alone can read; refuses (`Refused`) where there is one."""
    part = f"{file}{PART}"
    try:
        with open(open_new(part, O_WRONLY | O_CREAT | O_TRUNC, PRIVATE), "w", encoding="utf-8") as held:
            held.write(f"{key}\n")
            held.flush()
            fsync(held.fileno())
        try:
            link(part, file)  # whole, or not there
        finally:
            unlink(part)
    except FileExistsError:
        raise Refused(f"There is already a key in {file}.", "Move it away, or name another file.") from None
    except OSError as error:
        raise NoRoom(f"{file} cannot be made: {error.strerror}; nothing was written.") from None
