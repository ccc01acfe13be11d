"""Opening: how a file is opened, by what this process may do there and by what others do meanwhile.

| the file | how it is opened |
|---|---|
| it and its folder can be written | to write; without room for a `-shm`, under a lock of its own |
| nobody may write it, and nobody does | as it is, without companions and locks |
| somebody else has it open | to read, with SQLite's locks |
| somebody else may write it at any time | a copy, in memory or a temporary file, taken while nobody wrote |

SQLite needs a `-shm` to read beside others. Without one it can only be told that a file does not change
(`immutable`), or to take no locks. Both are wrong beside a writer, so what is read that way is a copy, and it counts
only if the file was the same before and after.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import suppress
from os import R_OK, W_OK, access, path, stat
from time import sleep, time
from typing import NamedTuple

from ledger.errors import (
    Busy,
    Damaged,
    ForeignLog,
    LedgerError,
    NoCampaign,
    NoRoom,
    NotACampaign,
    ReadOnly,
    TablesDiffer,
)
from ledger.journal.failures import BUSY_SECONDS, plain_errors
from ledger.journal.foreign import check_log
from ledger.journal.locking import waits

MAGIC = b"SQLite format 3\0"
"""The first bytes of every SQLite file."""

APPLICATION_ID = 0x43414D50
"""`CAMP`: the file's application id."""

ANYBODY_WRITES = 0o222
"""The permissions of a file that its owner, its group or others may write."""

OTHERS_READ, OTHERS_ENTER = 0o044, 0o011
"""The permissions of the group and of others to read a file, and to pass through a folder."""

FROZEN = "immutable=1"
SHARED = "mode=ro&readonly_shm=1"
"""To read beside others, and to make no `-shm`, which would be ours and keep its owner from writing."""

NO_LOCKS = f"mode=ro&vfs={'unix-none' if os.name == 'posix' else 'win32-none'}"
WITHOUT_SHM = ("PRAGMA locking_mode = EXCLUSIVE", "PRAGMA temp_store = MEMORY")
"""Keep in memory what a `-shm` would hold. With locks, everybody else waits until the file is closed."""

DURABLE = (
    "PRAGMA synchronous = EXTRA",  # syncs the folder too, when a journal is removed
    "PRAGMA fullfsync = ON",  # without it, a Mac's disk may still hold what was synced in its own memory
    "PRAGMA checkpoint_fullfsync = ON",
)

SAME_TICK = 0.02
"""Seconds within which two changes of a file may have one time."""

Check = Callable[[sqlite3.Connection, str], None]
"""Refuses a file that is not a campaign."""


class Opened(NamedTuple):
    """An open file, and why it cannot be written, if it cannot."""

    connection: sqlite3.Connection
    refusal: LedgerError | None = None


def open_file(file: str, check: Check) -> Opened:
    """Open a campaign's file, to write if this process may; refuses with `Unreadable`, `Damaged` or `Busy`."""
    if not path.exists(file):
        raise NoCampaign(file)
    if not path.isfile(file):
        raise NotACampaign(f"{file} is {'a directory' if path.isdir(file) else 'no file'}, not a campaign.")
    if not access(file, R_OK):
        raise NotACampaign(f"{file} cannot be read.")
    real = path.realpath(file)
    try:
        check_log(real, connect)
        return _open(file, real, lambda connection: check(connection, file))
    except ForeignLog:
        raise
    except (Damaged, TablesDiffer):
        if header_of(file)[68:] == APPLICATION_ID.to_bytes(4, "big"):
            raise
        raise NotACampaign(f"{file} is not a campaign.") from None


def may_be_read_by_others(file: str) -> bool:
    """Whether the owner, who asks, lets the group or others read a file that is to be written."""
    real = path.realpath(file)
    facts = stat(real)
    if os.name != "posix" or facts.st_uid != os.geteuid() or not facts.st_mode & ANYBODY_WRITES:
        return False
    ways, folder = facts.st_mode & OTHERS_READ, path.dirname(real)
    while ways and folder != path.dirname(folder):
        ways &= (stat(folder).st_mode & OTHERS_ENTER) << 2
        folder = path.dirname(folder)
    return bool(ways)


def _open(file: str, real: str, check: Callable[[sqlite3.Connection], None]) -> Opened:
    folder = path.dirname(real)
    if not stat(real).st_mode & ANYBODY_WRITES:  # whoever may do everything should not either
        refusal = ReadOnly("This file is read-only", "A player copy stays read-only. Make changes in the GM's file.")
        frozen = not path.exists(f"{real}-wal")
        return Opened(_checked(real, FROZEN, check) if frozen else _beside_others(real, check), refusal)
    if access(real, W_OK) and access(folder, W_OK):
        try:
            return Opened(_checked(real, "mode=rw", check))
        except NoRoom as full:
            with suppress(NoRoom):
                return Opened(_checked(real, "mode=rw", check, *WITHOUT_SHM))
            return Opened(_beside_others(real, check), full)
    return Opened(_beside_others(real, check), _refusal(file, folder))


def _refusal(file: str, folder: str) -> ReadOnly:
    """Say why a file that can be read cannot be written."""
    is_disk = hasattr(os, "statvfs") and os.statvfs(folder).f_flag & os.ST_RDONLY
    return ReadOnly(
        f"{file} is on a read-only disk" if is_disk else f"You may read {file}, but not write it or its folder",
        "Copy it to a place where you can write: campaign backup FILE",
    )


def _beside_others(file: str, check: Callable[[sqlite3.Connection], None]) -> sqlite3.Connection:
    """Open a file that this process cannot write, and that others may write at any time; refuses with `Busy`.

    An error counts only if nobody wrote meanwhile.
    """
    for wait in waits(BUSY_SECONDS):
        before = _state(file)
        shared = before.log is not None and (before.shm or access(path.dirname(file), W_OK))
        try:
            if shared:
                return _checked(file, SHARED if before.shm else "mode=ro", check)
            copy = _copied(file, before.log is not None, check)
        except (LedgerError, OSError):
            if _is_still(file, before):
                raise
        else:
            if _is_still(file, before):
                return copy
            copy.close()
        sleep(wait)
    raise Busy(BUSY_SECONDS)


def _is_still(file: str, before: State) -> bool:
    """Whether nobody wrote to a file since."""
    return _state(file) == before and not (before.file and 0 <= time() - before.file[2] / 1e9 < SAME_TICK)


class State(NamedTuple):
    """What is on disk: identity, size and time of a file and of its log, and whether there is a `-shm`."""

    file: tuple[int, int, int] | None
    log: tuple[int, int, int] | None
    shm: bool


def _state(file: str) -> State:
    return State(_stamp(file), _stamp(f"{file}-wal"), path.exists(f"{file}-shm"))


def _stamp(file: str) -> tuple[int, int, int] | None:
    """Identity, size and time of a file; None if there is none, as of a log that its last writer has just removed."""
    try:
        facts = stat(file)
    except OSError:  # a name may be too long for a log, too
        return None
    return facts.st_ino, facts.st_size, facts.st_mtime_ns


def _copied(file: str, log: bool, check: Callable[[sqlite3.Connection], None]) -> sqlite3.Connection:
    """Copy a file, with its log if it has one, for reading; the caller sees to it that nobody writes meanwhile."""
    source = connect(file, NO_LOCKS, *WITHOUT_SHM) if log else connect(file, FROZEN)
    copy = sqlite3.connect("", isolation_level=None)
    try:
        with plain_errors():
            source.backup(copy)
            copy.execute("PRAGMA query_only = ON")
        check(copy)
    except BaseException:
        copy.close()
        raise
    finally:
        source.close()
    return copy


def _checked(file: str, query: str, check: Callable[[sqlite3.Connection], None], *pragmas: str) -> sqlite3.Connection:
    connection = connect(file, query, *pragmas)
    try:
        check(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def connect(file: str, query: str, *pragmas: str) -> sqlite3.Connection:
    """Open a file as SQLite; a commit survives a power cut, and a writer waits `BUSY_SECONDS` for the lock."""
    quoted = path.abspath(file).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    uri = f"file:{quoted}?{query}"
    with plain_errors():
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_SECONDS)
        try:
            for pragma in (*pragmas, *DURABLE):  # the first of DURABLE reads the file
                connection.execute(pragma)
        except BaseException:
            connection.close()
            raise
    return connection


def header_of(file: str) -> bytes:
    """The first 72 bytes of a file that SQLite refuses, or that may not be SQLite's.

    Another process reads them. A process that opens and closes the file itself drops all of SQLite's locks on it: other
    processes would then think that they are the last, and remove the log with what was written.
    """
    from subprocess import DEVNULL, run  # SQLite reads most files

    program = "import sys; sys.stdout.buffer.write(open(sys.argv[1], 'rb').read(72))"
    command = [sys.executable, "-I", "-S", "-c", program, path.abspath(file)]
    return run(command, stdin=DEVNULL, capture_output=True, check=False).stdout  # noqa: S603  ours
