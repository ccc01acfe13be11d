"""Snappy: the compression of LevelDB's blocks. The data is a list of literals and of copies of earlier output."""

from __future__ import annotations

from ledger.errors import count_of
from ledger.imports.leveldb_bytes import Bytes, DamagedPart

WRONG = "its compressed data is wrong"
LITERAL, SHORT_COPY = 0, 1
DISTANCE_BYTES = (0, 1, 2, 4)
LONGEST_SHORT_LITERAL = 60
"""With a higher length, the length is in the next bytes."""


def decompress(data: bytes, place: int, most: int) -> bytes:
    """Return the decompressed data of a block at a place in a file.

    Raise `DamagedPart` if the data is not valid, or decompresses to more than `most` bytes.
    """
    start = Bytes(data, place)
    length = start.varint()
    if length > most:
        raise DamagedPart(place, f"it is larger than {count_of(most, 'byte')}")
    result, at, end = bytearray(), start.at, len(data)
    while at < end and len(result) <= length:
        tag = data[at]
        kind, size, at = tag & 3, (tag >> 2) + 1, at + 1
        if kind == LITERAL:
            if size > LONGEST_SHORT_LITERAL:
                size_at, at = at, at + size - LONGEST_SHORT_LITERAL
                size = 1 + int.from_bytes(data[size_at:at], "little")
            result += data[at : at + size]
            at += size
        else:
            distance_at, at = at, at + DISTANCE_BYTES[kind]
            distance = int.from_bytes(data[distance_at:at], "little")
            if kind == SHORT_COPY:
                size, distance = 4 + (tag >> 2 & 7), tag >> 5 << 8 | distance
            first = len(result) - distance
            if first < 0 or not distance:
                raise DamagedPart(place, WRONG)
            copied = result[first : first + size]
            result += copied if distance >= size else (copied * size)[:size]  # a copy may repeat its own output
    if at != end or len(result) != length:
        raise DamagedPart(place, WRONG)
    return bytes(result)
