"""The home: a folder outside the campaigns, with a person's private keys, trusted keys and known heads.

The subfolder `keys`, or another folder, has a file for the private key of each campaign. A key is used to sign a
campaign only if the campaign names the public half of the key, and continues the last known head. Heads and trusted
keys are in a small SQLite file. If a campaign does not continue a known head, it is not the campaign that the person
saw.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from os import makedirs, path, stat
from typing import TYPE_CHECKING, Literal

from ledger.errors import Damaged, DiskRefused, LedgerError, NotACampaign, NotMade, Refused
from ledger.journal.failures import plain_errors
from ledger.journal.opening import connect
from ledger.values import Struct

if TYPE_CHECKING:
    from ledger.journal.book import Book
    from ledger.tlog.note import Skey
    from ledger.trust.written import LastWritten

HOME_HINT = "Set CAMPAIGN_HOME to a folder where you can write."

HEADS_FILE = "heads.db"
KEYS_FOLDER = "keys"
EXPORTED_SUFFIX = ".exported"
"""The suffix of an empty file that marks a key as exported. If the file exists, `backup` does not suggest an export."""

HEADS_TABLE = """
CREATE TABLE IF NOT EXISTS {kind} (
  origin TEXT PRIMARY KEY,
  size   INTEGER NOT NULL,
  root   BLOB NOT NULL CHECK (length(root) = 32),
  note   TEXT NOT NULL
) STRICT, WITHOUT ROWID
"""

TRUSTED_KEYS_TABLE = (
    "CREATE TABLE IF NOT EXISTS trusted (origin TEXT NOT NULL, vkey TEXT NOT NULL, UNIQUE (origin, vkey)) STRICT"
)

HeadKind = Literal["known", "witnessed"]
"""The kind of a head: `known` (this computer stored or checked it), or `witnessed` (this person cosigned it)."""

HEAD_KINDS: tuple[HeadKind, ...] = ("known", "witnessed")


class Head(Struct):
    """The state of a campaign after `size` entries: the root of their tree, and the signed note ("" without one)."""

    origin: str
    size: int
    root: bytes
    note: str


class HomeSnapshot(Struct):
    """A snapshot of all heads and trusted keys in a home. If reading failed, the methods raise `error`."""

    heads: Mapping[tuple[str, HeadKind], Head] = {}
    keys: Mapping[str, tuple[str, ...]] = {}
    error: LedgerError | None = None

    def head(self, origin: str | None, kind: HeadKind = "known") -> Head | None:
        """Return the `known` or the `witnessed` head of a campaign, or None if the home has no such head."""
        return None if origin is None else self._read().heads.get((origin, kind))

    def trusted(self, origin: str | None) -> tuple[str, ...]:
        """Return the keys that this person trusts to sign for a campaign, the current one last."""
        return () if origin is None else self._read().keys.get(origin, ())

    def _read(self) -> HomeSnapshot:
        if self.error is not None:
            raise self.error
        return self


class Home:
    """A person's folder for heads and private keys. The first write creates the folder.

    `keys` is another folder for the private keys of campaigns, which must exist.
    """

    def __init__(self, folder: str, keys: str | None = None) -> None:
        self.folder = folder
        self._keys = path.join(folder, KEYS_FOLDER) if keys is None else keys
        self._file = path.join(folder, HEADS_FILE)

    def head(self, origin: str, kind: HeadKind = "known") -> Head | None:
        """Return the `known` or the `witnessed` head of a campaign, or None if the home has no such head."""
        return self.snapshot().head(origin, kind)

    def heads(self, origin: str) -> list[Head]:
        """Return the witnessed and the known head of a campaign, in this order, if they exist."""
        memory = self.snapshot()
        return [head for head in (memory.head(origin, "witnessed"), memory.head(origin)) if head is not None]

    def trusted(self, origin: str) -> tuple[str, ...]:
        """Return the keys that this person trusts to sign for a campaign, the current one last."""
        return self.snapshot().trusted(origin)

    def snapshot(self) -> HomeSnapshot:
        """Return a snapshot of this home. If reading fails, the snapshot contains the error.

        To compare a campaign's file with the home, take the snapshot before you read the file. Otherwise the home may
        have heads of entries that were written after you read the file.
        """
        try:
            with _explained_read_errors(self._file), suppress(FileNotFoundError):
                stat(self._file)
                with closing(connect(self._file, "mode=rw")) as connection:
                    connection.execute("BEGIN")
                    return _read(connection)
        except LedgerError as failed:
            return HomeSnapshot(error=failed)
        return HomeSnapshot()

    def last_written(self, address: str) -> LastWritten:
        """Return the record of this computer's last write to a campaign."""
        from ledger.trust.written import LastWritten  # lazy import: views never write

        return LastWritten(self.folder, address)

    def store_known(self, head: Head, may_replace: Callable[[Head], bool]) -> None:
        """Store a head. Replace a known head only if `may_replace` returns True for the known head."""
        with self._open() as connection:
            known = _read(connection).head(head.origin)
            if known is None or may_replace(known):
                _store_head(connection, head, "known")

    def advance(self, old: int, head: Head, vkey: str) -> int | None:
        """Store a witnessed head and return None if the latest witnessed head has the size `old`.

        Otherwise, store nothing and return the size of the latest witnessed head.

        After storing a head, the home also trusts `vkey`, the key that signed the head. Earlier keys stay trusted. Both
        changes are one transaction, which is on disk when this returns.
        """
        with self._open() as connection:
            latest = _read(connection).head(head.origin, "witnessed")
            size = latest.size if latest else 0
            if size != old:
                return size
            _store_head(connection, head, "witnessed")
            connection.execute("INSERT OR REPLACE INTO trusted VALUES (?, ?)", (head.origin, vkey))
            return None

    def witness_key(self) -> Skey | None:
        """Return the key with which this person signs as a witness, or None."""
        from ledger.trust.keyfile import read_key  # lazy import: only a witness needs it

        return read_key(self.witness_key_file())

    def keep_witness_key(self, key: Skey) -> None:
        """Store the key with which this person signs as a witness. Raise `Taken` if there is one already."""
        from ledger.trust.keyfile import keep_key

        make_home(self.folder)
        keep_key(self.witness_key_file(), key)

    def witness_key_file(self) -> str:
        """Return the path of the private key with which this person signs as a witness."""
        return path.join(self.folder, "witness.key")

    def key_file(self, vkey: str) -> str:
        """Return the path for the private half of a campaign's key."""
        origin, _, rest = vkey.partition("+")  # the id is a hash of the origin and the key, so no two keys share a file
        name = re.sub("[^0-9A-Za-z]+", "-", f"{origin[:100]}-{rest[:8]}")
        return path.join(self._keys, f"{name}.key")

    def keep_key(self, key: Skey) -> None:
        """Store the private key of a campaign, unless the home already has this key. The key is then on disk."""
        from ledger.journal.new_files import sync_names
        from ledger.trust.keyfile import keep_key, read_key

        file = self.key_file(str(key.vkey))
        if read_key(file) == key:
            return
        make_home(self.folder)
        make_home(path.dirname(file))
        try:
            for folder in (self.folder, path.dirname(path.abspath(self.folder))):
                sync_names(folder)
        except OSError as error:
            raise NotMade(file, error, HOME_HINT) from None
        keep_key(file, key)

    def has_second_copy(self, vkey: str) -> bool:
        """Return True if this key is known to have a second copy, from an export or an import."""
        return path.exists(self.key_file(vkey) + EXPORTED_SUFFIX)

    def remember_export(self, vkey: str) -> None:
        """Record that this key has a second copy. Do nothing if the home cannot be written."""
        from ledger.journal.new_files import write_synced

        with suppress(OSError, NotMade):
            make_home(self.folder)
            make_home(path.dirname(self.key_file(vkey)))
            write_synced(self.key_file(vkey) + EXPORTED_SUFFIX, b"", 0o600)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        make_home(self.folder)
        with _explained_read_errors(self._file), closing(connect(self._file, "mode=rwc")) as connection:
            connection.execute("BEGIN IMMEDIATE")
            for kind in HEAD_KINDS:
                connection.execute(HEADS_TABLE.format(kind=kind))
            _make_trusted_keys_table(connection)
            yield connection
            connection.execute("COMMIT")


class KnownHeads:
    """The heads that this computer knows: those in a home, and the last head that this computer wrote."""

    def __init__(self, home: Home | None, last_written: LastWritten | None) -> None:
        self._home = home
        self._last_written = last_written

    def heads(self, book: Book) -> Sequence[Head]:
        """Return the heads in the home, then the last head that this computer wrote (with the `origin` "")."""
        origin = None if self._home is None else book.origin()
        heads = [] if origin is None or self._home is None else self._home.heads(origin)
        if self._last_written is not None and (first := book.first_leaf()):
            size, root = self._last_written.read(first) or (0, b"")
            heads += [Head(origin="", size=size, root=root, note="")] if size else []
        return heads

    def state_after_commit(self, book: Book) -> tuple[bytes, int, bytes] | None:
        """Return the campaign's first leaf, and the campaign's size and root after the coming commit.

        Return None if this computer keeps no record of its writes.
        """
        size = 0 if self._last_written is None else book.head()
        return (book.first_leaf(), size, book.root(size)) if size else None

    def keep(self, wrote: tuple[bytes, int, bytes] | None) -> None:
        """Record a state that `state_after_commit` returned, unless it is None. Call this only after the commit."""
        if wrote is not None and self._last_written is not None:
            self._last_written.keep(*wrote)


def make_home(folder: str) -> None:
    """Create the folder of a home, accessible only to its owner. Raise `NotMade` if that fails."""
    try:
        makedirs(folder, 0o700, exist_ok=True)
    except OSError as error:
        raise NotMade(folder, error, HOME_HINT) from None


@contextmanager
def _explained_read_errors(file: str) -> Iterator[None]:
    what = f"The record of known checkpoints on this computer ({file})"
    try:
        with plain_errors():
            yield
    except (NotACampaign, Damaged):
        raise Refused(
            f"{what} cannot be read.", "Move the file to another folder. The program then starts a new one."
        ) from None
    except OSError as error:
        raise Refused(f"{what} cannot be read: {error.strerror}.", HOME_HINT) from None
    except DiskRefused:
        raise DiskRefused(f"{what} cannot be opened or written.") from None


def _make_trusted_keys_table(connection: sqlite3.Connection) -> None:
    """Make the table of trusted keys. Replace the table of the first version, which had room for one key a campaign."""
    if _is_unordered(_tables(connection).get("trusted", "")):
        connection.execute("ALTER TABLE trusted RENAME TO first_trusted")
        connection.execute(TRUSTED_KEYS_TABLE)
        connection.execute("INSERT INTO trusted SELECT origin, vkey FROM first_trusted")
        connection.execute("DROP TABLE first_trusted")
    connection.execute(TRUSTED_KEYS_TABLE)


def _tables(connection: sqlite3.Connection) -> dict[str, str]:
    """Map the name of each table to its SQL."""
    return dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'"))


def _is_unordered(sql: str) -> bool:
    return "ROWID" in sql  # only in WITHOUT ROWID


def _read(connection: sqlite3.Connection) -> HomeSnapshot:
    tables = _tables(connection)
    heads: dict[tuple[str, HeadKind], Head] = {}
    for kind in (kind for kind in HEAD_KINDS if kind in tables):
        for origin, size, root, note in connection.execute(f"SELECT origin, size, root, note FROM {kind}"):  # noqa: S608  our own names
            heads[origin, kind] = Head(origin=origin, size=size, root=bytes(root), note=note)
    keys: dict[str, tuple[str, ...]] = {}
    if "trusted" in tables:
        order = "" if _is_unordered(tables["trusted"]) else " ORDER BY rowid"
        for origin, vkey in connection.execute(f"SELECT origin, vkey FROM trusted{order}"):  # noqa: S608  ours
            keys[origin] = (*keys.get(origin, ()), vkey)
    return HomeSnapshot(heads=heads, keys=keys)


def _store_head(connection: sqlite3.Connection, head: Head, kind: HeadKind) -> None:
    row = (head.origin, head.size, head.root, head.note)
    connection.execute(f"INSERT OR REPLACE INTO {kind} VALUES (?, ?, ?, ?)", row)  # noqa: S608  our own names
