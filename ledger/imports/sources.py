"""Sources: the files to import, alone, in a folder or in a zip file. They are only read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from lzma import LZMAError
from os import path, scandir
from typing import BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo, is_zipfile
from zlib import error as DamagedData  # noqa: N812  it is a class

from ledger.errors import BadInput, Flag, count_of, quoted, sorted_names
from ledger.imports.log_records import Reader
from ledger.imports.readers import READERS
from ledger.journal.schema import SUFFIX
from ledger.values import Struct

MOST_MEMBERS = 10_000
MOST_RATIO = 100
"""The highest ratio of size to compressed size in a zip file. A higher one is an attack, or no log."""

START_BYTES = 4096
"""The bytes at the start of a file that a reader may look at to recognize the format."""

CHUNK = 1 << 20
CAMPAIGN_FILES = tuple(f"{SUFFIX}{end}" for end in ("", "-wal", "-shm", "-journal"))
"""The ends of the names of campaigns. They are never opened here, because that would drop SQLite's locks."""

SQLITE = b"SQLite format 3\0"
ENCRYPTED = 1


class Source(Struct):
    """A file to import. `member` is its name in the zip file, or "" for a file of its own."""

    file: str
    member: str = ""

    @property
    def name(self) -> str:
        """The name to show and to store: without folders."""
        return path.basename(self.member or self.file)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open the file for reading. Raise `BadInput` if it cannot be read, or is a dangerous zip file."""
        try:
            if not self.member:
                with open(self.file, "rb") as stream:
                    yield stream
                return
            with ZipFile(self.file) as archive:
                info = archive.getinfo(self.member)
                _check_member(info)
                with archive.open(info) as inside:
                    yield inside  # type: ignore[misc]  # it reads, which is all that is used
        except (BadZipFile, DamagedData, LZMAError, NotImplementedError, EOFError) as error:
            raise BadInput(f"The zip file {quoted(path.basename(self.file))} is damaged.") from error
        except OSError as error:
            raise BadInput(f"{quoted(self.name)} cannot be read: {error.strerror or error}.") from None

    def start(self) -> bytes:
        """Return the first `START_BYTES` bytes, by which a reader recognizes the format."""
        with self.open() as stream:
            return stream.read(START_BYTES)

    def digest(self) -> tuple[str, int]:
        """Return the SHA-256 in hexadecimal, and the size in bytes."""
        digest, size = sha256(), 0
        with self.open() as stream:
            for chunk in iter(partial(stream.read, CHUNK), b""):
                digest.update(chunk)
                size += len(chunk)
        return digest.hexdigest(), size


def find_source(place: str, form: str | None) -> tuple[Source, Reader]:
    """Return the one file of a known format at a path, and its reader. `form` is the format that the user named.

    Raise `BadInput` if there is none, or more than one.
    """
    readers = [reader for reader in READERS if form in {None, reader.form}]
    sources = [source for source in _sources(place) if not source.start().startswith(SQLITE)]
    if readers and form is not None and len(sources) == 1:
        return sources[0], readers[0]
    found = [(source, reader) for source in sources for reader in readers if reader.recognizes(source.start())]
    if len(found) == 1:
        return found[0]
    if found:
        names = sorted_names(source.name for source, _ in found)
        raise BadInput(
            f"{quoted(place)} has {count_of(len(found), 'file')} that can be imported.", f"Choose one of: {names}."
        )
    known = ", ".join(f"{reader.form} ({reader.title})" for reader in READERS)
    hint = f"Formats: {known}. To choose one, add {Flag('format', 'FORMAT')}."
    raise BadInput(f"{quoted(place)} is not an export of a campaign, and not in a format that can be imported.", hint)


def _sources(place: str) -> Iterator[Source]:
    """Yield the files at a path: itself, those in a folder, or those in a zip file.

    Follow no link, and leave out campaigns.
    """
    if place.endswith(CAMPAIGN_FILES):
        return
    if path.isdir(place):
        with scandir(place) as entries:
            names = sorted(entry.path for entry in entries if entry.is_file(follow_symlinks=False))
        yield from (Source(file=name) for name in names if not name.endswith(CAMPAIGN_FILES))
    elif path.isfile(place) and is_zipfile(place):
        try:
            with ZipFile(place) as archive:
                members = [info for info in archive.infolist() if not info.is_dir()]
        except (BadZipFile, NotImplementedError, ValueError):
            raise BadInput(f"The zip file {quoted(path.basename(place))} is damaged.") from None
        if len(members) > MOST_MEMBERS:
            says = f"The zip file {quoted(path.basename(place))} has {count_of(len(members), 'file')}."
            raise BadInput(f"{says} The limit is {MOST_MEMBERS:,}.")
        yield from (Source(file=place, member=info.filename) for info in members)
    else:
        yield Source(file=place)


def _check_member(info: ZipInfo) -> None:
    name = quoted(path.basename(info.filename))
    if info.flag_bits & ENCRYPTED:
        raise BadInput(f"{name} is encrypted in the zip file.", "Unpack the zip file, and import the file in it.")
    if info.file_size > MOST_RATIO * max(info.compress_size, CHUNK // MOST_RATIO):
        says = f"{name} unpacks to more than {MOST_RATIO} times its size, so it is probably not a log."
        raise BadInput(says, "If it is a log, unpack the zip file, and import the file in it.")
