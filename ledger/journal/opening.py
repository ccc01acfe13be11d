"""Opening: the ways to open a file, by the rights of this process and by the activity of other processes.

| the file | how it is opened |
|---|---|
| this process can write it and its folder | for writing; with an exclusive lock if there is no room for a `-shm` |
| nobody may write it, and it has no log | for reading, without locks and without a `-wal` or `-shm` |
| any other file that another process has open | for reading, with SQLite's locks |
| any other file | a copy in memory or in a temporary file, made while nobody wrote |

SQLite needs a `-shm` to read while other processes use the file. Without a `-shm`, SQLite can only read as if
the file never changed (`immutable`), or without locks. Both give wrong results if another process writes. So the
program reads a copy, and uses the copy only if the file stayed the same while the copy was made.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from os import R_OK, W_OK, access, path, stat
from time import sleep, time

from ledger import errors
from ledger.journal.failures import BUSY_SECONDS, plain_errors
from ledger.journal.locking import wait_times
from ledger.journal.schema import NEWEST_VERSION, TABLES
from ledger.values import MAX_STORED_NUMBER, Struct

SQLITE_MAGIC = b"SQLite format 3\0"
"""The first bytes of every SQLite file."""

APPLICATION_ID = 0x43414D50
"""The application id in the file's header: the letters `CAMP`."""

WRITE_BITS = 0o222
"""The permission bits that let the owner, the group or others write a file."""

IMMUTABLE_QUERY = "immutable=1"
EXISTING_SHM_QUERY = "mode=ro&readonly_shm=1"
"""The query that reads a shared file without making a `-shm`. A new `-shm` would stop the file's owner from writing."""

WITHOUT_LOCKS_QUERY = f"mode=ro&vfs={'unix-none' if os.name == 'posix' else 'win32-none'}"
NO_SHM_PRAGMAS = ("PRAGMA locking_mode = EXCLUSIVE", "PRAGMA temp_store = MEMORY")
"""Pragmas that use memory instead of a `-shm`. Once SQLite locks the file, others wait until this process closes it."""

DURABLE_PRAGMAS = (
    "PRAGMA synchronous = EXTRA",  # also syncs the folder when a journal is removed
    "PRAGMA fullfsync = ON",  # without it, a Mac's disk may keep synced data in its own memory
    "PRAGMA checkpoint_fullfsync = ON",
)

TICK_SECONDS = 0.02
"""Two changes of a file within this many seconds may give the file the same time."""

OpenedFile = tuple[sqlite3.Connection, errors.LedgerError | None]
"""An open file, and the reason why it cannot be written, if there is one."""


def open_file(file: str) -> OpenedFile:
    """Open a campaign's file for writing, or only for reading if necessary. Raise `Unreadable`, `Damaged` or `Busy`."""
    if not path.exists(file):
        raise errors.NoCampaign(file)
    if not path.isfile(file):
        is_folder = path.isdir(file)
        hint = f"If the folder is an export, make a campaign from it: {errors.Run('import', file)}" if is_folder else ""
        raise errors.NotACampaign(f"{file} is {'a folder' if is_folder else 'a device'}, not a campaign.", hint)
    if not access(file, R_OK):
        export = errors.Run("export", **{"for": "players"})
        hint = f"Ask the owner of the file for a player copy. The owner types: {export}"
        raise errors.NotACampaign(f"{file} cannot be read.", hint)
    real = path.realpath(file)
    try:
        refuse_foreign_log(real)
        return _open(file, real, partial(_check_header, file))
    except FileNotFoundError:  # somebody removed it since the first check
        raise errors.NoCampaign(file) from None
    except errors.ForeignLog:
        raise
    except (errors.Damaged, errors.TablesDiffer):
        if header_of(file)[68:] == APPLICATION_ID.to_bytes(4, "big"):
            raise
        raise errors.NotACampaign(f"{file} is not a campaign.") from None


def refuse_foreign_log(file: str) -> None:
    """Raise `ForeignLog` for a file with another file's log."""
    log = file_facts(f"{file}-wal")
    if log is not None and log.size:
        from ledger.journal.foreign import check_log  # most files have no log when they are opened

        check_log(file, connect)


def _open(file: str, real: str, check: Callable[[sqlite3.Connection], None]) -> OpenedFile:
    folder = path.dirname(real)
    if not stat(real).st_mode & WRITE_BITS:  # root ignores permissions, and should not write it either
        refusal = errors.ReadOnly(
            "This file is read-only", "A player copy stays read-only. Make changes in the GM's file."
        )
        frozen = not path.exists(f"{real}-wal")
        return _open_checked(real, IMMUTABLE_QUERY, check) if frozen else _open_shared(real, check), refusal
    if access(real, W_OK) and access(folder, W_OK):
        try:
            return _open_checked(real, "mode=rw", check), None
        except errors.DiskRefused as full:
            with suppress(errors.DiskRefused):
                return _open_checked(real, "mode=rw", check, *NO_SHM_PRAGMAS), None
            return _open_shared(real, check), full
    return _open_shared(real, check), _refusal(file, folder)


def _refusal(file: str, folder: str) -> errors.ReadOnly:
    is_disk = hasattr(os, "statvfs") and os.statvfs(folder).f_flag & os.ST_RDONLY
    return errors.ReadOnly(
        f"{file} is on a read-only disk"
        if is_disk
        else f"You can read {file}, but you cannot write to it or its folder",
        f"Copy it to a place where you can write: {errors.Run('backup', 'FILE')}",
    )


def _open_shared(file: str, check: Callable[[sqlite3.Connection], None]) -> sqlite3.Connection:
    """Open a file that only other processes may write, and `check` it. Raise `Busy` if the file keeps changing."""
    for wait in wait_times(BUSY_SECONDS):
        before = _file_state(file)
        shared = before.log is not None and (before.shm or access(path.dirname(file), W_OK))
        try:
            if shared:
                return _open_checked(file, EXISTING_SHM_QUERY if before.shm else "mode=ro", check)
            copy = _copy(file, before.log is not None, check)
        except (errors.LedgerError, OSError):
            if _is_unchanged(file, before):  # if it changed, a write meanwhile may be the cause
                raise
        else:
            if _is_unchanged(file, before):
                return copy
            copy.close()
        sleep(wait)
    raise errors.Busy(BUSY_SECONDS)


def _is_unchanged(file: str, before: FileState) -> bool:
    return _file_state(file) == before and not (before.file and 0 <= time() - before.file.changed / 1e9 < TICK_SECONDS)


class FileFacts(Struct):
    """The identity of a file, its size, and the time of its last change in nanoseconds."""

    inode: int
    size: int
    changed: int


class FileState(Struct):
    """The state on disk of a file and of its log, and whether a `-shm` exists."""

    file: FileFacts | None
    log: FileFacts | None
    shm: bool


def _file_state(file: str) -> FileState:
    return FileState(file=file_facts(file), log=file_facts(f"{file}-wal"), shm=path.exists(f"{file}-shm"))


def file_facts(file: str) -> FileFacts | None:
    """Return the facts about a file, or None if the file does not exist."""
    try:
        facts = stat(file)
    except OSError:  # this also happens if the name is too long for a log
        return None
    return FileFacts(inode=facts.st_ino, size=facts.st_size, changed=facts.st_mtime_ns)


def _copy(file: str, log: bool, check: Callable[[sqlite3.Connection], None]) -> sqlite3.Connection:
    """Copy a file, with its log if it has one (`log`), and `check` the copy. The caller prevents writes meanwhile."""
    source = connect(file, WITHOUT_LOCKS_QUERY, *NO_SHM_PRAGMAS) if log else connect(file, IMMUTABLE_QUERY)
    copy = sqlite3.connect("", isolation_level=None)
    with closing(source), closing_on_error(copy):
        with plain_errors():
            source.backup(copy)
            copy.execute("PRAGMA query_only = ON")
        check(copy)
    return copy


def _open_checked(
    file: str, query: str, check: Callable[[sqlite3.Connection], None], *pragmas: str
) -> sqlite3.Connection:
    connection = connect(file, query, *pragmas)
    with closing_on_error(connection):
        check(connection)
    return connection


def connect(file: str, query: str, *pragmas: str) -> sqlite3.Connection:
    """Open a file in SQLite. A commit survives a power failure. A writer waits `BUSY_SECONDS` for the lock."""
    quoted = path.abspath(file).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    uri = f"file:{quoted}?{query}"
    with plain_errors():
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_SECONDS)
        with closing_on_error(connection):
            for pragma in (*pragmas, *DURABLE_PRAGMAS):  # the first of DURABLE_PRAGMAS reads the file
                connection.execute(pragma)
    return connection


@contextmanager
def closing_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    """Close a connection if its preparation fails or is interrupted."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _check_header(file: str, connection: sqlite3.Connection) -> None:
    """Check that a file is a campaign of a known version, and that each campaign table is a table, not a view."""
    with plain_errors():
        ((application,),) = connection.execute("PRAGMA application_id").fetchall()
        ((version,),) = connection.execute("PRAGMA user_version").fetchall()
    if application != APPLICATION_ID:
        if stat(file).st_size == 0:
            raise errors.NotACampaign(
                f"{file} is empty.", f"Use another copy of it, or a backup: {errors.Run('restore', 'BACKUP')}"
            )
        raise errors.NotACampaign(f"{file} is not a campaign.")
    if version > NEWEST_VERSION:
        raise errors.NewerCampaign(version, NEWEST_VERSION)
    with plain_errors():
        check_tables(connection)
        ((last,),) = connection.execute("SELECT max(seq) FROM entries").fetchall()
    if last is None:
        raise errors.NotACampaign(f"{file} is not a campaign: its first entry was never written.", "Remove the file.")
    if last > MAX_STORED_NUMBER:
        raise errors.Damaged(f"its last entry has the number {last}, which is too large")


def check_tables(connection: sqlite3.Connection) -> None:
    """Raise `NotGuarded` if something that is not a table, such as a view, has the name of one of our tables."""
    # not a query, because the file could have a table named `pragma_table_list`
    for schema, name, kind, *_ in connection.execute("PRAGMA table_list"):
        if schema == "main" and kind != "table" and name.lower() in TABLES:
            raise errors.NotGuarded(name)


def header_of(file: str) -> bytes:
    """Return the first 72 bytes of a file that SQLite refuses, or that may not be an SQLite file."""
    # A separate process reads the bytes: closing the file in this process would drop SQLite's locks. Another process
    # could then delete the log with its entries.
    from subprocess import DEVNULL, run  # few files need it

    program = "import sys; sys.stdout.buffer.write(open(sys.argv[1], 'rb').read(72))"
    command = [sys.executable, "-I", "-S", "-c", program, path.abspath(file)]
    return run(command, stdin=DEVNULL, capture_output=True, check=False).stdout  # noqa: S603  ours
