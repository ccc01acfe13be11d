"""Replacing: a way to give a campaign's file new content in one step, and to keep the old content in another file.

SQLite itself writes the new pages, in one transaction under the write lock. So readers see either the old content or
the new content, even after a kill. The old file's log is never beside the new file. If SQLite cannot open the old file,
the program moves this file and its companions away before the new file gets the name.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from glob import escape, glob
from itertools import chain, count
from os import chmod, link, mkdir, path, rename, stat, unlink
from os import replace as rename_over
from shutil import rmtree

from ledger.errors import Busy, Damaged, DiskRefused, NotMade, NotWhole, Refused, Unreadable
from ledger.journal.failures import BUSY_SECONDS, plain_errors
from ledger.journal.new_files import PART_FOLDER, atomic_file, folder_lock, sync_names
from ledger.journal.opening import WRITE_BITS, connect, refuse_foreign_log
from ledger.journal.sqlite import SQLite

KEPT_SUFFIX = ".before-restore-"
"""The text between the campaign's name and the date in the name of the kept file."""

COMPANION_SUFFIXES = ("-wal", "-shm", "-journal")
"""The endings of the files that SQLite keeps beside a file. Only their names connect them to it."""

MOVE_HINT = (
    "Move the file and its -wal and -shm files to another folder. Then repeat the command"
    " with -f and the file's old name."
)


def replace(file: str, new: SQLite, day: str, check: Callable[[], None]) -> str | None:
    """Replace a file's content with that of `new`.

    Return the path of the kept old content, or None if there was no file. `check` runs under the write lock, and
    may refuse. Raise `Busy` if another process writes, and `NotMade` or `DiskRefused` if the disk refuses. After
    such an error, the file is unchanged.
    """
    with folder_lock(file):
        kept_file = _kept_name(file, day)
        if path.isfile(file):
            if not stat(file).st_mode & WRITE_BITS:
                raise DiskRefused(f"{file} is read-only. Nothing was written.")
            with suppress(Damaged):
                refuse_foreign_log(path.realpath(file))  # never reads a file with another file's log
                _overwrite(new, file, kept_file, check)
                return kept_file
            check()
        return kept_file if _move_in(new, file, kept_file) else None


def _kept_name(file: str, day: str) -> str:
    """Return the name under which a killed command kept this file, or else an unused name that contains `day`."""
    earlier = sorted(glob(f"{escape(file)}{KEPT_SUFFIX}*"), reverse=True)
    kept = (name for name in earlier if not name.endswith(COMPANION_SUFFIXES) and _is_kept(name, file))
    names = (f"{file}{KEPT_SUFFIX}{day}" + ("" if number == 1 else f"-{number}") for number in count(1))
    free = (name for name in names if not any(path.lexists(f"{name}{end}") for end in ("", *COMPANION_SUFFIXES)))
    return next(chain(kept, free))


def _is_kept(name: str, file: str) -> bool:
    """Return True if a killed command already kept the content of `file` under `name`."""
    if path.exists(file) and path.exists(name) and path.samefile(name, file):
        return True
    with suppress(NotWhole, Unreadable), closing(SQLite.open(name)) as kept, closing(SQLite.open(file)) as current:
        return stored_content(kept) == stored_content(current)
    return False


def stored_content(storage: SQLite) -> tuple[object, ...]:
    """Return the leaves, words and signed heads of a campaign."""
    with storage.reading():
        leaves = [entry.leaf for entry in storage.entries.stored()]
        return leaves, list(storage.words.all()), storage.checkpoints.all() if storage.has_nodes() else {}


def _overwrite(new: SQLite, file: str, kept_file: str, check: Callable[[], None]) -> None:
    locked = False

    def step(status: int, remaining: int, total: int) -> None:
        nonlocal locked
        if status in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            raise Busy(BUSY_SECONDS)  # SQLite waited this long for a lock
        if status == sqlite3.SQLITE_OK and not locked:
            locked = True
            check()
            _keep(file, kept_file)

    with closing(connect(file, "mode=rw")) as target, plain_errors():
        sizes = {each.execute("PRAGMA page_size").fetchone() for each in (target, new.connection)}
        if len(sizes) > 1:  # SQLite cannot change the page size of a file that has a log
            says = f"{path.basename(file)} and its backup are stored in different formats (page sizes)."
            raise Refused(says, MOVE_HINT)
        target.execute("PRAGMA journal_mode = WAL")
        new.connection.backup(target, pages=1, progress=step)  # copying the first page takes the lock


def _keep(file: str, kept_file: str) -> None:
    """Copy the current content of a file, log included, to `kept_file`, unless a killed command has already done so."""
    if path.lexists(kept_file):
        if not path.samefile(file, kept_file):
            return
        unlink(kept_file)  # a second name from a killed `_move_away`: writing to the file would change the kept one too
    with atomic_file(kept_file) as copy:
        with closing(SQLite(connect(file, "mode=rw"))) as old:
            old.copy(copy)
        chmod(copy, stat(file).st_mode & 0o777)


def _move_in(new: SQLite, file: str, kept_file: str) -> bool:
    folder = path.dirname(path.abspath(file))
    part = path.join(folder, PART_FOLDER)
    finished = path.join(part, path.basename(file))
    was_there = path.lexists(file)
    try:
        mkdir(part)
        new.copy(finished)
        if was_there:
            chmod(finished, stat(file).st_mode & 0o777)
        _move_away(file, kept_file)
        sync_names(folder)
        rename_over(finished, file)
        sync_names(folder)
        rmtree(part, ignore_errors=True)
    except OSError as error:
        raise NotMade(file, error) from None
    return was_there


def _move_away(file: str, kept_file: str) -> None:
    """Move a file that SQLite cannot open, and its companions, to the name `kept_file`.

    If the file system has links, the file also keeps its old name until the new file takes this name. So if the
    command is killed, a second run still finds the old file.
    """
    must_move = path.lexists(file) and not (path.lexists(kept_file) and path.samefile(file, kept_file))
    if must_move:
        with suppress(OSError):  # the file system has no links
            link(file, kept_file)
            must_move = False
    for companion in COMPANION_SUFFIXES:
        with suppress(FileNotFoundError):
            rename(f"{file}{companion}", f"{kept_file}{companion}")
    if must_move:
        rename(file, kept_file)
