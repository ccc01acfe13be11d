"""What a power loss leaves: a folder as a disk may have it that lost what was not synced."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HEAD = struct.Struct("QQQQq")


class Call(NamedTuple):
    """One call of a log: its kind (`shim.c`), its file, another name, a place, and what was written there."""

    kind: str
    file: str
    other: str
    place: int
    data: bytes


def calls(log: Path) -> Iterator[Call]:
    """Read a log."""
    text, at = log.read_bytes(), 0
    while at < len(text):
        kind, file, other, length, place = HEAD.unpack_from(text, at)
        at += HEAD.size
        names = text[at : at + file + other].decode()
        at += file + other
        yield Call(chr(kind), names[:file], names[file:], place, text[at : at + length])
        at += length


def calls_in(log: Path) -> int:
    """The number of calls in a log."""
    return sum(1 for _ in calls(log))
