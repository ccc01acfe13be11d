"""New files: a command makes them apart, and gives them their names once they are whole and on disk.

So a kill, a failing disk or a power cut leaves no half file under a name that was asked for. What it leaves instead is
one folder, `.campaign.part`, which the next command that makes something there removes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from filecmp import cmp
from os import O_CREAT, O_EXCL, O_RDONLY, O_WRONLY, close, fsync, link, listdir, mkdir, path, rename, stat, unlink
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

    So what is half-made there is a killed one's, and goes. Refuses (`NotMade`) a folder that takes no files, and
    (`Busy`) if it waits for `WAIT_SECONDS`.
    """
    folder, lock = path.dirname(path.abspath(file)), None
    try:
        try:
            lock = _locked(folder)
            _clear(path.join(folder, PART))
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
    """Lock a folder until the answer is closed; None where the system has no such locks."""
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
def whole_files(*files: str, hint: str = "Name a different file.", beside: bool = False) -> Iterator[list[str]]:
    """Hand over places for new files or folders of one folder; in the end they get their names, all or none.

    The caller holds `folder_lock`, syncs what it writes, and closes it. Raise `Taken` if a name is in use, `NotMade` or
    `NoRoom` if the disk refuses; after an error or an interruption nothing is left. What is `Unsettled` is in those
    files and goes with them, unless it is in another file `beside` them.
    """
    folder = path.dirname(path.abspath(files[-1]))
    for file in reversed(files):
        if path.lexists(file):
            raise Taken(file, hint)
    part = path.join(folder, PART)
    places = [path.join(part, f"{number}-{path.basename(file)}") for number, file in enumerate(files)]
    named: list[tuple[str, str]] = []
    try:
        mkdir(part)
        yield places
        if len(listdir(part)) > len(places):
            raise NoRoom(NOT_TAKEN)  # SQLite could not close its file
        for place, file in zip(places, files, strict=True):
            _give_name(place, file, last=file == files[-1])
            named.append((place, file))
        sync_names(folder)
    except BaseException as error:
        with suppress(OSError):
            _take_back(named)
        if isinstance(error, Unsettled) and not beside:
            raise NoRoom(NOT_TAKEN) from None  # it goes, whatever it holds
        if isinstance(error, FileExistsError):
            raise Taken(files[-1], hint) from None
        if isinstance(error, OSError):
            raise NotMade(files[-1], error) from None
        raise
    finally:
        with suppress(OSError):
            _clear(part)


def _give_name(place: str, file: str, *, last: bool) -> None:
    """Put something finished where it is to stand, unless something is there by now.

    What gets its name before the last one stays in its place too, so that the name can be taken back.
    """
    try:
        link(place, file)
    except FileExistsError:
        raise
    except OSError:  # a folder, or a file system without links
        if path.lexists(file):
            raise FileExistsError from None
        rename(place if last else _copied(place), file)
    else:
        if last:
            with suppress(OSError):  # it goes with its folder, too
                unlink(place)


def _copied(place: str) -> str:
    """Copy a small file, with its mode, and sync it."""
    copy = f"{place}.copy"
    with open(place, "rb") as stream:
        write_synced(copy, stream.read(), stat(place).st_mode & 0o777)
    return copy


def _take_back(named: Sequence[tuple[str, str]]) -> None:
    for place, file in reversed(named):
        if path.isdir(file):
            rename(file, place)
        else:
            unlink(file)


def _clear(part: str) -> None:
    """Remove the folder of a killed command.

    If that command had given some names but not yet the last one, those files go too. Once it gave the last name, all
    files stay wherever they were moved or renamed to since.
    """
    with suppress(FileNotFoundError):
        names = sorted(listdir(part))
        pairs = [(path.join(part, name), path.join(path.dirname(part), name.partition("-")[2])) for name in names]
        if pairs and stat(pairs[-1][0]).st_nlink == 1:
            _take_back([pair for pair in pairs[:-1] if _is_named(*pair)])
        rmtree(part)


def _is_named(place: str, file: str) -> bool:
    """Whether a file got its name, by a link or as a copy."""
    return path.isfile(file) and (path.samefile(place, file) or cmp(place, file, shallow=False))


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
