"""The reader of Foundry's chat messages in a LevelDB folder, `data/messages` since version 11."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.imports.foundry import READER_VERSION, record_of
from ledger.imports.foundry_lines import document
from ledger.imports.leveldb import Database
from ledger.imports.log_records import LogRecord, ReadingOptions, WrongRecord, printable

MESSAGE_KEY_PREFIX = b"!messages!"
LONGEST_KEY = 80


class FoundryFolderReader:
    """The reader of messages in a database. Replaced and deleted messages are never read."""

    form = "foundry-leveldb"
    title = "Foundry's chat messages as a LevelDB folder"
    version = READER_VERSION

    def recognizes(self, start: bytes) -> bool:
        return start.startswith(b"MANIFEST-")

    def records(self, stream: Database, options: ReadingOptions) -> Iterator[LogRecord]:
        for key, value in stream.documents(MESSAGE_KEY_PREFIX):
            place = printable(key[:LONGEST_KEY].decode(errors="replace"))
            try:
                message = document(value)
            except WrongRecord as wrong:
                yield LogRecord(place=place, wrong=str(wrong))
            else:
                yield record_of(message, place)
        yield from (LogRecord(place="", note=note) for note in stream.notes)
