"""Sources: the files and LevelDB folders to import, alone, in a folder or in a zip file. They are only read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from hashlib import sha256
from lzma import LZMAError
from os import path, scandir
from typing import BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo, is_zipfile
from zlib import error as DamagedData  # noqa: N812  it is a class

from ledger.errors import BadInput, Flag, count_of, join_sorted, quoted
from ledger.imports.foundry_folder import FoundryFolderReader
from ledger.imports.leveldb import CURRENT, Database, Files, open_database
from ledger.imports.log_records import Reader
from ledger.imports.readers import READERS
from ledger.journal.schema import CAMPAIGN_SUFFIX
from ledger.values import Struct

MOST_MEMBERS = 10_000
MOST_COMPRESSION_RATIO = 100
"""The highest ratio of size to compressed size in a zip file. A file with a higher ratio is probably an attack."""

START_BYTES = 4096
"""The bytes at the start of a file that a reader may look at to recognize the format."""

CHUNK_BYTES = 1 << 20
CAMPAIGN_ENDINGS = tuple(f"{CAMPAIGN_SUFFIX}{end}" for end in ("", "-wal", "-shm", "-journal"))
"""The endings of a campaign's files. The import opens none of these, because closing one would drop SQLite's locks."""

SPREADSHEET_ENDINGS = (".xlsx", ".xls", ".ods", ".numbers")
"""The endings of the files of spreadsheet programs. The import cannot read such files."""

MESSAGE_FOLDERS = ("", "messages", "data", "data/messages")
"""The folders in which a world, or a part of it, may have the chat messages."""

WORLD_MESSAGES_PATTERN = re.compile(r"(?:^|/)messages(?:/CURRENT|\.db)$")
"""The chat messages of a Foundry world: a LevelDB folder, or a NeDB file."""

USERS_PATTERN = re.compile(r"(?:^|/)users(?:/|\.db)", re.IGNORECASE)
"""The users of a Foundry world. These files are never opened, because they hold password hashes."""

SQLITE_MAGIC = b"SQLite format 3\0"
ENCRYPTED_FLAG = 1


class Source(Struct):
    """A file to import: the file at the path `file`, or the file with the name `member` in the zip file there."""

    file: str
    member: str = ""

    @property
    def name(self) -> str:
        """The name of the file without its folders, to show and to store."""
        return path.basename(self.member or self.file)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open the file for reading. Raise `BadInput` if it cannot be read, or is a dangerous zip file."""
        with _refuse_unreadable(self.name, self.file):
            if self.member:
                with ZipFile(self.file) as archive, _open_member(archive, self.member) as stream:
                    yield stream
            else:
                with open(self.file, "rb") as stream:
                    yield stream

    def start(self) -> bytes:
        """Return the first `START_BYTES` bytes, by which a reader recognizes the format."""
        with self.open() as stream:
            return stream.read(START_BYTES)

    def digest(self) -> tuple[str, int]:
        """Return the SHA-256 in hexadecimal, and the size in bytes."""
        digest, size = sha256(), 0
        with self.open() as stream:
            for chunk in iter(partial(stream.read, CHUNK_BYTES), b""):
                digest.update(chunk)
                size += len(chunk)
        return digest.hexdigest(), size


class FolderSource(Struct):
    """A LevelDB folder to import. `file` is the path of the folder, or of the zip file that contains it.

    In a zip file, `member` is the start of the names of the folder's files, such as `data/messages/`. Otherwise it is
    None.
    """

    file: str
    member: str | None = None

    @property
    def name(self) -> str:
        """The name to show and to store: the folder's name, or for the messages of a world, the world's name."""
        *_, world, outer, inner = ("", "", *path.abspath(path.join(self.file, self.member or "")).split("/"))
        return world if (outer, inner) == ("data", "messages") else inner

    @contextmanager
    def open(self) -> Iterator[Database]:
        """Open the folder for reading. Raise `BadInput` if it cannot be read, or is damaged."""
        with _refuse_unreadable(self.name, self.file), ExitStack() as stack:
            if self.member is None:
                folder: Files = _FolderOnDisk(self.file)
            else:
                folder = _FolderInZip(stack.enter_context(ZipFile(self.file)), self.member)
            yield stack.enter_context(open_database(folder))

    def digest(self) -> tuple[str, int]:
        """Return one SHA-256 (hexadecimal) for all files that are read, and their total size in bytes."""
        with self.open() as database:
            return database.digest()


class _FolderOnDisk:
    """The files of a LevelDB folder on disk."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def names(self) -> Sequence[str]:
        return _names_in(self._folder)

    def open_file(self, name: str) -> AbstractContextManager[BinaryIO]:
        return Source(file=path.join(self._folder, name)).open()


class _FolderInZip:
    """The files of a LevelDB folder in a zip file: those whose names begin with `start`."""

    def __init__(self, archive: ZipFile, start: str) -> None:
        self._archive = archive
        self._start = start

    def names(self) -> Sequence[str]:
        return [name.removeprefix(self._start) for name in self._archive.namelist() if name.startswith(self._start)]

    def open_file(self, name: str) -> AbstractContextManager[BinaryIO]:
        return _open_member(self._archive, self._start + name)


AnySource = Source | FolderSource


def find_source(place: str, form: str | None) -> tuple[AnySource, Reader]:
    """Return the only log of a known format at a path, and its reader. `form` is the format that the user named.

    Raise `BadInput` if there is no such log, or more than one.
    """
    readers = [reader for reader in READERS if form in {None, reader.form}]
    with _refuse_unreadable(path.basename(place), place):
        starts = [(source, start) for source, start in _sources_with_start(place) if not start.startswith(SQLITE_MAGIC)]
    is_believed = form is not None and len(starts) == 1
    found = [
        (source, fitting[0])
        for source, start in starts
        if (fitting := [one for one in readers if _can_open(one, source) and (is_believed or one.recognizes(start))])
    ]
    if len(found) == 1:
        _check_name(place)
        _check_name(found[0][0].name)
        return found[0]
    if found:
        names = join_sorted((source.member or path.relpath(source.file, place)).rstrip("/") for source, _ in found)
        hint = f"Choose one of: {names}." if path.isdir(place) else f"Unpack the zip file, and import one of: {names}."
        raise BadInput(f"{quoted(place)} has {count_of(len(found), 'file')} that can be imported.", hint)
    known = ", ".join(f"{reader.form} ({reader.title})" for reader in READERS)
    if form is not None and not readers:
        raise BadInput(f"There is no format called {quoted(form)}.", f"Formats: {known}.")
    if [start for _, start in starts] == [b""]:
        raise BadInput(f"{quoted(place)} is empty.")
    hint = f"Formats: {known}. To choose one, add {Flag('format', 'FORMAT')}."
    if place.lower().endswith(SPREADSHEET_ENDINGS):
        hint = "In the spreadsheet program, save the table as CSV in the UTF-8 format. Then import the CSV file."
    raise BadInput(f"{quoted(place)} is not an export of a campaign, and not in a format that can be imported.", hint)


def _check_name(name: str) -> None:
    """Raise `BadInput` if the name of a file is not text."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise BadInput(f"The name {quoted(name)} is not text in the UTF-8 format.", "Rename the file.") from None


def actors_beside(messages: AnySource) -> AnySource | None:
    """Return the actors of the Foundry world to which these messages belong, or None. Follow no link."""
    place = path.abspath(messages.file) if not messages.member else messages.member.rstrip("/")
    folder, name = path.split(place)
    beside = path.join(folder, name.replace("messages", "actors", 1))
    if name not in {"messages", "messages.db"}:
        return None
    is_folder = isinstance(messages, FolderSource)
    inside = path.join(beside, CURRENT) if is_folder else beside
    if messages.member:
        with _refuse_unreadable(messages.name, messages.file), _open_zip(messages.file) as archive:
            if inside not in archive.namelist():
                return None
        return messages.replace(member=path.join(beside, "") if is_folder else beside)
    in_folder = _names_in(folder, path.relpath(path.dirname(inside), folder).removeprefix("."))
    return messages.replace(file=beside) if path.relpath(inside, folder) in in_folder else None


def _can_open(reader: Reader, source: AnySource) -> bool:
    """Return True if a reader is for this kind of source: a folder or a file."""
    return (reader.form == FoundryFolderReader.form) == isinstance(source, FolderSource)


def _sources_with_start(place: str) -> Iterator[tuple[AnySource, bytes]]:
    """Yield each file and LevelDB folder to import, with its first bytes.

    The path names one of them, or a folder or zip file that contains them. Follow no link, and leave out campaigns.
    From a Foundry world, take only the chat messages.
    """
    if place.endswith(CAMPAIGN_ENDINGS):
        return
    if path.basename(place) == CURRENT:
        place = path.dirname(path.abspath(place))
    if path.isdir(place):
        names = _without_users(place, [name for inside in MESSAGE_FOLDERS for name in _names_in(place, inside)])
        outer = [name for name in names if "/" not in name and not name.endswith(CAMPAIGN_ENDINGS)]
        for name in _logs_among(names) or outer:
            file = path.join(place, name)
            is_folder = path.basename(name) == CURRENT
            yield FolderSource(file=path.dirname(file)) if is_folder else Source(file=file), Source(file=file).start()
    elif path.isfile(place) and is_zipfile(place):
        with _open_zip(place) as archive:  # once for all, because its list of files may be long
            names = _without_users(place, _names_in_zip(archive, place))
            for name in _logs_among(names) or names:
                with _open_member(archive, name) as stream:
                    start = stream.read(START_BYTES)
                is_folder = path.basename(name) == CURRENT
                member = name.removesuffix(CURRENT) if is_folder else name
                yield FolderSource(file=place, member=member) if is_folder else Source(file=place, member=member), start
    elif path.exists(place) and not path.isfile(place):  # it is read several times, and a pipe can be read only once
        raise BadInput(f"{quoted(place)} is not a file or a folder.", "Save the log as a file, and import the file.")
    elif _without_users(place, [""]):
        yield Source(file=place), Source(file=place).start()


def _without_users(place: str, names: Sequence[str]) -> Sequence[str]:
    """Return the names, but leave out files with Foundry's users. Raise `BadInput` if no name is left."""
    outer = path.basename(path.realpath(place))
    allowed = [name for name in names if not USERS_PATTERN.search(path.join(outer, name).rstrip("/"))]
    if names and not allowed:
        says = f"{quoted(place)} has the users of a Foundry world, with their password hashes. They are never opened."
        raise BadInput(says, "Import the folder of the world, or its chat messages: data/messages or data/messages.db.")
    return allowed


def _logs_among(names: Sequence[str]) -> Sequence[str]:
    """Return the folders with a Foundry world's chat messages. If there are none, return all LevelDB folders."""
    return [name for name in names if WORLD_MESSAGES_PATTERN.search(name)] or [
        name for name in names if path.basename(name) == CURRENT
    ]


def _names_in(folder: str, inside: str = "") -> Sequence[str]:
    """Return the names of the files in a folder, or in a folder inside it, in order. Follow no link."""
    whole = path.join(folder, inside)
    if not path.isdir(whole) or path.realpath(whole).removeprefix(path.realpath(folder)).strip("/") != inside:
        return ()
    with scandir(whole) as entries:
        return sorted(path.join(inside, entry.name) for entry in entries if entry.is_file(follow_symlinks=False))


def _open_zip(file: str) -> ZipFile:
    try:
        return ZipFile(file)
    except ValueError:  # a name that is not text
        raise BadInput(f"The zip file {quoted(path.basename(file))} is damaged.") from None


def _names_in_zip(archive: ZipFile, file: str) -> list[str]:
    """Return the names of the files in a zip file. Raise `BadInput` if it has too many."""
    names = [info.filename for info in archive.infolist() if not info.is_dir()]
    if len(names) > MOST_MEMBERS:
        says = f"The zip file {quoted(path.basename(file))} has {count_of(len(names), 'file')}."
        raise BadInput(f"{says} The limit is {MOST_MEMBERS:,}.")
    return names


@contextmanager
def _refuse_unreadable(name: str, file: str) -> Iterator[None]:
    """Turn each error that reading the source `name` raises into `BadInput`.

    `file` is the path of the source, or of the zip file that contains it.
    """
    try:
        yield
    except (BadZipFile, DamagedData, LZMAError, NotImplementedError, EOFError) as error:
        raise BadInput(f"The zip file {quoted(path.basename(file))} is damaged.") from error
    except OSError as error:
        raise BadInput(f"{quoted(name)} cannot be read: {error.strerror or error}.") from None


@contextmanager
def _open_member(archive: ZipFile, member: str) -> Iterator[BinaryIO]:
    """Open a file in a zip file. Raise `BadInput` if it is dangerous, or missing."""
    try:
        info = archive.getinfo(member)
    except KeyError:
        raise BadInput(f"{quoted(path.basename(member))} is missing in the zip file.") from None
    _check_member(info)
    with archive.open(info) as inside:
        yield inside  # type: ignore[misc]  # it reads, which is all that is used


def _check_member(info: ZipInfo) -> None:
    name = quoted(path.basename(info.filename))
    if info.flag_bits & ENCRYPTED_FLAG:
        raise BadInput(f"{name} is encrypted in the zip file.", "Unpack the zip file, and import the unpacked file.")
    if info.file_size > MOST_COMPRESSION_RATIO * max(info.compress_size, CHUNK_BYTES // MOST_COMPRESSION_RATIO):
        says = f"{name} unpacks to more than {MOST_COMPRESSION_RATIO} times its size, so it is probably not a log."
        raise BadInput(says, "If it is a log after all, unpack the zip file, and import the unpacked log.")
