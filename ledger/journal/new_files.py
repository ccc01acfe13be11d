"""New files: a way to make a file in a separate folder, and to name it only once it is complete and on disk.

So if the program is killed, or the disk or the power fails, no incomplete file has the requested name. Only the folder
`.campaign.part` may be left. The next command that makes a file in the same place removes this folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter
from os import O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_WRONLY, close, fsync, link, listdir, mkdir, path, rename, unlink
from os import name as system
from os import open as open_file
from os import replace as rename_over
from shutil import rmtree
from time import monotonic, sleep

from ledger.errors import Busy, DiskRefused, NotMade, Taken, Unsettled

PART_FOLDER = ".campaign.part"
"""The folder for incomplete files. It is in the same folder as the finished file."""

LOCK_FILE = ".campaign.lock"
"""The file to lock in place of a folder on Windows, which cannot lock folders. It is empty, and stays in the folder."""

RENAME_KEEPS_EXISTING = system == "nt"
"""True on Windows, where a rename never replaces an existing file. On other systems, only a link never does.

Windows needs no link, and cannot remove the second name that a link would give to a read-only file.
"""

WAIT_SECONDS = 5

WRITE_REFUSED = "The disk could not save the data. Nothing was written."


@contextmanager
def folder_lock(file: str) -> Iterator[None]:
    """Lock a file's folder against other commands that make files. Remove the unfinished files of killed commands.

    Raise `NotMade` for a folder in which no file can be made, and `Busy` after `WAIT_SECONDS`.
    """
    folder, lock = path.dirname(path.abspath(file)), None
    try:
        try:
            lock = _lock_folder(folder)
            with suppress(FileNotFoundError):
                rmtree(path.join(folder, PART_FOLDER))
        except OSError as error:
            raise NotMade(file, error) from None
        yield
    finally:
        if lock is not None:
            close(lock)


def remove_leftovers(file: str) -> None:
    """Remove the unfinished files of killed commands from the folder of a file."""
    with folder_lock(file):
        pass


def _lock_folder(folder: str) -> int | None:
    """Lock a folder until the returned descriptor is closed. Return None if this folder cannot be locked."""
    try:
        descriptor, lock = _open_for_lock(folder)
    except PermissionError:
        return None
    ends = monotonic() + WAIT_SECONDS
    while True:
        try:
            lock(descriptor)
        except BlockingIOError:
            if monotonic() > ends:
                close(descriptor)
                raise Busy(WAIT_SECONDS, f"the folder {folder}") from None
            sleep(0.01)
        except OSError:
            break  # a file system without locks
        else:
            break
    return descriptor


def _open_for_lock(folder: str) -> tuple[int, Callable[[int], object]]:
    """Open a folder, or its lock file on Windows. Also return the function that locks it, or raises at once."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # Windows
        from msvcrt import LK_NBLCK, locking  # type: ignore[attr-defined]  # only Windows has them

        def lock_first_byte(file: int) -> None:
            try:
                locking(file, LK_NBLCK, 1)
            except PermissionError:
                raise BlockingIOError from None

        return open_file(path.join(folder, LOCK_FILE), O_RDWR | O_CREAT, 0o666), lock_first_byte
    return open_file(folder, O_RDONLY), lambda file: flock(file, LOCK_EX | LOCK_NB)


@contextmanager
def atomic_file(
    file: str, *, hint: str = "Choose a different name.", beside: bool = False, replace: bool = False
) -> Iterator[str]:
    """Yield a temporary path for a new file or folder. At the end of the block, the file gets its name.

    The caller holds `folder_lock`, and syncs and closes the file. After an error, the new file is removed. Raise
    `Taken` if the name is in use, and `NotMade` or `DiskRefused` if the disk refuses.

    Set `beside` if the block also writes in another file. Only then is an `Unsettled` error passed on. Otherwise it
    becomes `DiskRefused`, because the new file is removed anyway.

    With `replace`, the new file replaces a file that has the name. The caller has checked that this is allowed.
    """
    folder = path.dirname(path.abspath(file))
    if not replace and path.lexists(file):
        raise Taken(file, hint)
    part = path.join(folder, PART_FOLDER)
    place, is_named = path.join(part, path.basename(file)), False
    try:
        mkdir(part)
        yield place
        if len(listdir(part)) > 1:
            raise DiskRefused(WRITE_REFUSED)  # SQLite could not close its file
        if replace:
            rename_over(place, file)
        else:
            _give_name(place, file)
            is_named = True
        sync_names(folder)
    except BaseException as error:
        if is_named:
            with suppress(OSError):
                rename(file, place) if path.isdir(file) else unlink(file)
        if isinstance(error, Unsettled) and not beside:
            raise DiskRefused(WRITE_REFUSED) from None  # the file is removed, with or without the write
        if isinstance(error, FileExistsError):
            raise Taken(file, hint) from None
        if isinstance(error, OSError):
            raise NotMade(file, error) from None
        raise
    finally:
        with suppress(OSError):
            rmtree(part)


def _give_name(place: str, file: str) -> None:
    """Give the finished file or folder at `place` the name `file`. Raise `FileExistsError` if the name is taken."""
    try:
        if not RENAME_KEEPS_EXISTING:
            link(place, file)  # the file keeps its temporary path too, so the new name can be removed again
        else:
            rename(place, file)
    except FileExistsError:
        raise
    except OSError:  # a folder, or a file system without links
        if path.lexists(file):
            raise FileExistsError from None
        rename(place, file)


@contextmanager
def synced_file(file: str, mode: int = 0o666) -> Iterator[BufferedWriter]:
    """Yield a new file to write. Its bytes are on disk when the block ends."""
    with open(open_file(file, O_WRONLY | O_CREAT | O_EXCL, mode), "wb") as stream:
        yield stream
        stream.flush()
        sync(stream.fileno())


def write_synced(file: str, text: bytes, mode: int = 0o666) -> None:
    """Write a new file. Its bytes are on disk when this returns."""
    with synced_file(file, mode) as stream:
        stream.write(text)


def sync_names(folder: str) -> None:
    """Flush the names in a folder to the disk."""
    with suppress(PermissionError):  # a system that cannot open folders flushes them itself
        descriptor = open_file(folder, O_RDONLY)
        try:
            sync(descriptor)
        finally:
            close(descriptor)


def sync(descriptor: int) -> None:
    """Flush an open file or folder to the disk. On a Mac, ask the disk to flush its own memory, too."""
    with suppress(ImportError, OSError):  # Windows and Linux have no such request; some disks of a Mac refuse it
        from fcntl import F_FULLFSYNC, fcntl  # type: ignore[attr-defined]  # only a Mac has it

        fcntl(descriptor, F_FULLFSYNC)
        return
    fsync(descriptor)
