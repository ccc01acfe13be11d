"""The reader of Foundry's chat messages as one JSON list, as a script macro saves them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from ledger.imports.foundry import READER_VERSION, record_of
from ledger.imports.log_records import LogRecord, ReadingOptions, WrongRecord, starts_with
from ledger.imports.strict_json import read_items


class FoundryListReader:
    """The reader of a list of chat messages. The messages may be of any version from 9 to 14."""

    form = "foundry-json"
    title = "Foundry's chat messages as a JSON list"
    version = READER_VERSION

    def recognizes(self, start: bytes) -> bool:
        return starts_with(start, rb"\[\s*[\]{]") and b'"_id"' in start

    def records(self, stream: BinaryIO, options: ReadingOptions) -> Iterator[LogRecord]:
        for number, message in enumerate(read_items(stream), 1):
            place = f"message {number}"
            is_wrong = isinstance(message, WrongRecord)
            yield LogRecord(place=place, wrong=str(message)) if is_wrong else record_of(message, place)
