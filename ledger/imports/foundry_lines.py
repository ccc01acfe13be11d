"""The reader of Foundry's chat messages as NeDB lines, the file `data/messages.db` of versions 9 and 10.

NeDB only adds lines. A later line of a message replaces the earlier ones, so the file is read twice: first to find the
last line of each message, then to read these lines.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO

import orjson

from ledger.imports.foundry import READER_VERSION, record_of
from ledger.imports.log_records import LogRecord, ReadingOptions, WrongRecord, starts_with
from ledger.imports.strict_json import LARGEST_RECORD, parse

LONGEST_LINE = LARGEST_RECORD
"""The maximum length of a line, in bytes."""

_JSON_STRING_PATTERN = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
"""A pattern for a string, with or without its end."""

_READ_KEYS = (b'"$$indexCreated"', b'"$$deleted"', b'"_id"', b'"speaker"', b'"whisper"')
"""Names in the lines of the file. Lines can be long, so one of these names is enough to recognize the format."""


class FoundryLinesReader:
    """The reader of messages in lines. Replaced and deleted messages are never read."""

    form = "foundry-nedb"
    title = "Foundry's chat messages as a NeDB file"
    version = READER_VERSION

    def recognizes(self, start: bytes) -> bool:
        return starts_with(start, rb'\{\s*"') and any(name in start for name in _READ_KEYS)

    def records(self, stream: BinaryIO, options: ReadingOptions) -> Iterator[LogRecord]:
        for number, offset, line, message in current_documents(stream):
            if not isinstance(message, WrongRecord):
                yield record_of(message, f"line {number}")
            elif len(line) <= LONGEST_LINE and _is_cut_off(line):
                cut = f"The file ends in the middle of line {number} (byte {offset})."
                yield LogRecord(place=f"line {number}", note=f"{cut} Everything before it was read.")
            else:
                yield LogRecord(place=f"line {number}", wrong=str(message))


def current_documents(stream: BinaryIO) -> Iterator[tuple[int, int, bytes, Any]]:
    """Yield the number, the offset, the bytes and the document of each line that is not replaced or deleted.

    For a line that cannot be read, the document is a `WrongRecord`.
    """
    ids = ((_quick_id(line), number) for number, _, line in lines_in(stream))
    last_lines: dict[str | None, int] = {identity: number for identity, number in ids if identity is not None}
    stream.seek(0)
    for number, offset, line in lines_in(stream):
        try:
            content = document(line)
        except WrongRecord as wrong:
            yield number, offset, line, wrong
            continue
        is_document = not (isinstance(content, dict) and ("$$indexCreated" in content or content.get("$$deleted")))
        if is_document and last_lines.get(_id(content), number) == number:
            yield number, offset, line, content


def document(line: bytes) -> Any:
    """Return the JSON value of a line. Raise `WrongRecord` if it is too long, or not strict JSON."""
    if len(line) > LONGEST_LINE:
        raise WrongRecord(f"it is longer than {LONGEST_LINE:,} bytes")
    try:
        return parse(line.decode())
    except UnicodeDecodeError:
        raise WrongRecord("it is not text in the UTF-8 format") from None


def lines_in(stream: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    """Yield the number, the offset and the bytes of each line that is not blank. Cut lines that are too long."""
    number = offset = 0
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        text = line if offset else line.removeprefix(BOM_UTF8)
        if text.strip():
            yield number, offset, text
        offset += len(line)
        while not line.endswith(b"\n") and (line := stream.readline(LONGEST_LINE)):
            offset += len(line)


def _is_cut_off(line: bytes) -> bool:
    """Return True for the last line of a file, if it is only the start of an object."""
    rest = _JSON_STRING_PATTERN.sub(b"", line)
    return not line.endswith(b"\n") and rest.count(b"{") > rest.count(b"}")


def _quick_id(line: bytes) -> str | None:
    """Return the id in a line. Use the slower strict parser only for a line that the quick one refuses."""
    with suppress(ValueError):
        return _id(orjson.loads(line))
    with suppress(WrongRecord):
        return _id(document(line))
    return None


def _id(message: Any) -> str | None:
    found = message.get("_id") if isinstance(message, dict) else None
    return found if isinstance(found, str) else None
