"""New files: a command makes each apart, and gives it its name once it is whole and on disk.

So a kill, a failing disk or a power cut leaves no half file under a name that was asked for. What it leaves instead is
one folder, `.campaign.part`, which the next command that makes something there removes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import O_CREAT, O_EXCL, O_RDONLY, O_WRONLY, close, fsync, link, listdir, mkdir, path, rename, unlink
from os import open as open_file
from shutil import rmtree
from time import monotonic, sleep

from ledger.errors import Busy, NoRoom, NotMade, Taken, Unsettled

PART = ".campaign.part"
"""The folder of what is not yet whole, in the folder where it is to stand."""

WAIT_SECONDS = 5

NOT_TAKEN = "The disk refused the write. Nothing was written."


@contextmanager
def folder_lock(file: str) -> Iterator[None]:
    """Be the only command that makes something in the folder of a file.

    It removes the unfinished files of killed commands. Raise `NotMade` for a folder that takes no files, and `Busy`
    after `WAIT_SECONDS`.
    """
    folder, lock = path.dirname(path.abspath(file)), None
    try:
        try:
            lock = _locked(folder)
            with suppress(FileNotFoundError):
                rmtree(path.join(folder, PART))
        except OSError as error:
            raise NotMade(file, error) from None
        yield
    finally:
        if lock is not None:
            close(lock)


def remove_leftovers(file: str) -> None:
    """Remove what a killed command left in the folder of a file, where a command has nothing to make itself."""
    with folder_lock(file):
        pass


def _locked(folder: str) -> int | None:
    """Lock a folder until the returned file is closed. Return None on systems without such locks."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock

        descriptor = open_file(folder, O_RDONLY)
    except (ImportError, PermissionError):
        return None
    ends = monotonic() + WAIT_SECONDS
    while True:
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
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


@contextmanager
def whole_file(file: str, *, hint: str = "Name a different file.", beside: bool = False) -> Iterator[str]:
    """Hand over a place for a new file or folder, which gets its name in the end.

    The caller holds `folder_lock`, syncs what it writes, and closes it. Raise `Taken` if the name is in use, and
    `NotMade` or `NoRoom` if the disk refuses; after an error or an interruption nothing is left. What is `Unsettled` is
    in that file and goes with it, unless it is in another file `beside` it.
    """
    folder = path.dirname(path.abspath(file))
    if path.lexists(file):
        raise Taken(file, hint)
    part = path.join(folder, PART)
    place, named = path.join(part, path.basename(file)), False
    try:
        mkdir(part)
        yield place
        if len(listdir(part)) > 1:
            raise NoRoom(NOT_TAKEN)  # SQLite could not close its file
        _give_name(place, file)
        named = True
        sync_names(folder)
    except BaseException as error:
        if named:
            with suppress(OSError):
                rename(file, place) if path.isdir(file) else unlink(file)
        if isinstance(error, Unsettled) and not beside:
            raise NoRoom(NOT_TAKEN) from None  # it goes, whatever it holds
        if isinstance(error, FileExistsError):
            raise Taken(file, hint) from None
        if isinstance(error, OSError):
            raise NotMade(file, error) from None
        raise
    finally:
        with suppress(OSError):
            rmtree(part)


def _give_name(place: str, file: str) -> None:
    """Give something finished its name, unless the name is in use by now.

    All but the last keep their old place too, so that their names can be taken back.
    """
    try:
        link(place, file)
    except FileExistsError:
        raise
    except OSError:  # a folder, or a file system without links
        if path.lexists(file):
            raise FileExistsError from None
        rename(place, file)


def write_synced(file: str, text: bytes, mode: int = 0o666) -> None:
    """Write a new file; its bytes are on disk when this returns."""
    with open(open_file(file, O_WRONLY | O_CREAT | O_EXCL, mode), "wb") as stream:
        stream.write(text)
        stream.flush()
        fsync(stream.fileno())


def sync_names(folder: str) -> None:
    """Flush the names in a folder to the disk."""
    with suppress(PermissionError):  # a system that opens no folders flushes them itself
        descriptor = open_file(folder, O_RDONLY)
        try:
            fsync(descriptor)
        finally:
            close(descriptor)
