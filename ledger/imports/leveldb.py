"""LevelDB folders: Foundry's databases since version 11. The files are read as bytes.

LevelDB itself never opens the folder here: it would change the files, which may be the user's only copy. Foundry may
have the folder open meanwhile. The tables are merged key by key, with only one block of each table in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, ExitStack, contextmanager
from hashlib import file_digest, sha256
from heapq import merge
from io import SEEK_END, BytesIO
from itertools import groupby
from operator import itemgetter
from typing import BinaryIO, Protocol

from ledger.errors import BadInput, count_of, quoted
from ledger.imports.leveldb_bytes import DamagedPart
from ledger.imports.leveldb_files import CutOffFile, KeyWrite, LiveFiles, batch_writes, log_records, table_writes

CURRENT = "CURRENT"
MOST_BYTES_IN_MEMORY = 1 << 26
"""The maximum size of the files that are read whole, in bytes: the list of live files, and all logs of recent writes.

LevelDB starts a new log after 4 MiB.
"""

MOST_TRIES = 3
SAVE_AGAIN = "Copy the folder again, or save the messages in Foundry with a macro."
_MANIFEST_PATTERN = re.compile(rb"(MANIFEST-[0-9]{1,20})\n")
_LOG_NAME_PATTERN = re.compile(r"([0-9]{1,20})\.log")


class Files(Protocol):
    """The files of a folder, on disk or in a zip file."""

    def names(self) -> Iterable[str]:
        """Return the names of the folder's files, without the path of the folder."""

    def open_file(self, name: str) -> AbstractContextManager[BinaryIO]:
        """Open a file for reading. Raise `BadInput` if it cannot be read."""


class Database:
    """The live files of a LevelDB folder, open for reading. `notes` has a sentence for each file with a cut-off end."""

    def __init__(
        self, files: Mapping[str, BinaryIO], tables: Mapping[str, int], logs: Sequence[str], notes: list[str]
    ) -> None:
        self._files = files
        self._tables = tables
        self._logs = logs
        self._read = 0
        self.notes = notes

    def tell(self) -> int:
        """Return the size in bytes of the files that were read to the end."""
        return self._read

    def digest(self) -> tuple[str, int]:
        """Return a hash and the total size in bytes of the files.

        The hash is a SHA-256, in hexadecimal, of the files' names, sizes and hashes.
        """
        lines, total = list[str](), 0
        for name, stream in sorted(self._files.items()):
            size = _size(stream)
            stream.seek(0)
            lines.append(f"{name} {size} {_sha256(stream)}\n")
            total += size
        return sha256("".join(lines).encode()).hexdigest(), total

    def documents(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield the keys that start with `prefix`, in order, with their newest values. Leave out deleted keys."""
        tables = (self._table_writes(name, size) for name, size in self._tables.items())
        by_key_and_age = merge(self._newest_log_writes(), *tables, key=itemgetter(0, 1))
        for key, writes in groupby(by_key_and_age, key=itemgetter(0)):
            newest = next(writes)
            if key.startswith(prefix) and newest.value is not None:
                yield key, newest.value

    def _newest_log_writes(self) -> list[KeyWrite]:
        """Return the newest write of each key in the logs, in order."""
        newest: dict[bytes, KeyWrite] = {}
        for name in self._logs:
            for write in self._log_writes(name, may_be_cut=name == self._logs[-1]):
                if write.key not in newest or write.age < newest[write.key].age:
                    newest[write.key] = write
        return sorted(newest.values())

    def _log_writes(self, name: str, *, may_be_cut: bool) -> Iterator[KeyWrite]:
        stream = self._files[name]
        stream.seek(0)
        with _name_damaged_file(name):
            try:
                for record in log_records(stream):
                    yield from batch_writes(record)
            except CutOffFile as cut:
                if not may_be_cut:
                    raise DamagedPart(cut.place, "it ends too early") from None
                self.notes.append(_cut_off_note(name, cut))
        self._read += stream.tell()

    def _table_writes(self, name: str, size: int) -> Iterator[KeyWrite]:
        with _name_damaged_file(name):
            yield from table_writes(self._files[name], size)
        self._read += size


@contextmanager
def open_database(files: Files) -> Iterator[Database]:
    """Open the live files of a LevelDB folder. If Foundry changes the folder meanwhile, try again.

    Raise `BadInput` if a file is missing or damaged, or if the folder changes each time.
    """
    problem = BadInput("Foundry is changing these files.", "Close the world in Foundry, and repeat the command.")
    for _ in range(MOST_TRIES):
        with ExitStack() as stack:
            try:
                manifest = _manifest(files)
                database = _open_live_files(files, stack, *manifest)
                is_current = _manifest(files) == manifest
            except BadInput as error:
                problem = error
                continue
            if is_current:
                yield database
                return
    raise problem


def _manifest(files: Files) -> tuple[str, bytes]:
    """Return the name and the content of the manifest, the list of the live files."""
    current = _MANIFEST_PATTERN.fullmatch(_content(files, CURRENT))
    if current is None:
        raise _damaged_error(CURRENT, DamagedPart(0, "it does not name a list of files"))
    name = current[1].decode()
    return name, _content(files, name)


def _open_live_files(files: Files, stack: ExitStack, manifest_name: str, manifest: bytes) -> Database:
    """Open the live files that a manifest lists. They stay open until `stack` closes."""
    live, notes, names = LiveFiles(), list[str](), {*files.names()}
    with _name_damaged_file(manifest_name):
        try:
            for record in log_records(BytesIO(manifest)):
                live.apply(record)
        except CutOffFile as cut:
            notes.append(_cut_off_note(manifest_name, cut))
        if live.newest_log_number is None:
            raise DamagedPart(0, "it does not name a log")
    tables = {_table_name(number, names): size for number, size in live.table_sizes.items()}
    numbers = {int(found[1]) for found in map(_LOG_NAME_PATTERN.fullmatch, names) if found}
    logs = [
        f"{number:06}.log"
        for number in sorted({*filter(live.is_live_log, numbers), *filter(None, [live.newest_log_number])})
    ]
    if missing := [name for name in (*tables, *logs) if name not in names]:
        raise BadInput(f"The file {quoted(missing[0])} is missing.", SAVE_AGAIN)
    streams: dict[str, BinaryIO] = {CURRENT: BytesIO(f"{manifest_name}\n".encode()), manifest_name: BytesIO(manifest)}
    streams |= {name: stack.enter_context(files.open_file(name)) for name in (*tables, *logs)}
    for name, size in tables.items():
        if _size(streams[name]) != size:
            says = f"The file {quoted(name)} has {count_of(_size(streams[name]), 'byte')} instead of {size:,}."
            raise BadInput(says, SAVE_AGAIN)
    if sum(_size(streams[name]) for name in logs) > MOST_BYTES_IN_MEMORY:
        raise _too_large_error(logs[-1])
    return Database(streams, tables, logs, notes)


def _cut_off_note(name: str, cut: CutOffFile) -> str:
    """Return a sentence about a file whose end is cut off."""
    return f"The file {quoted(name)} ends in the middle of a record (byte {cut.place}). Everything before it was read."


def _table_name(number: int, names: Set[str]) -> str:
    """Return the name of a table's file. Use the ending of old LevelDB versions if `names` has a file with it."""
    old = f"{number:06}.sst"
    return old if old in names else f"{number:06}.ldb"


def _content(files: Files, name: str) -> bytes:
    with files.open_file(name) as stream:
        content = stream.read(MOST_BYTES_IN_MEMORY + 1)
    if len(content) > MOST_BYTES_IN_MEMORY:
        raise _too_large_error(name)
    return content


def _sha256(stream: BinaryIO) -> str:
    return file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]  # files have what it needs


def _size(stream: BinaryIO) -> int:
    return stream.seek(0, SEEK_END)


@contextmanager
def _name_damaged_file(name: str) -> Iterator[None]:
    """Turn a `DamagedPart` inside the `with` statement into an error that names the file."""
    try:
        yield
    except DamagedPart as damaged:
        raise _damaged_error(name, damaged) from None


def _damaged_error(name: str, damaged: DamagedPart) -> BadInput:
    return BadInput(f"The file {quoted(name)} is damaged at byte {damaged.place}: {damaged.why}.", SAVE_AGAIN)


def _too_large_error(name: str) -> BadInput:
    says = f"The file {quoted(name)} is larger than {MOST_BYTES_IN_MEMORY:,} bytes."
    return BadInput(says, "Open the world in Foundry, close it, and repeat the command.")
