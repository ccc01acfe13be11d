"""Snappy: the compression of LevelDB's blocks. The data is a list of literals and of copies of earlier output."""

from __future__ import annotations

from ledger.imports.leveldb_bytes import Bytes, DamagedPart

LITERAL, SHORT_COPY = 0, 1
DISTANCE_BYTES = {1: 1, 2: 2, 3: 4}
LONGEST_SHORT_LITERAL = 60
"""With a higher length, the length is in the next bytes."""


def decompress(data: bytes, place: int, most: int) -> bytes:
    """Return the decompressed data of a block at a place in a file.

    Raise `DamagedPart` if the data is not valid, or decompresses to more than `most` bytes.
    """
    source = Bytes(data, place)
    length = source.varint()
    if length > most:
        raise DamagedPart(place, f"it is larger than {most:,} bytes")
    result = bytearray()
    while not source.is_read:
        tag = source.number(1)
        if tag & 3 == LITERAL:
            size = (tag >> 2) + 1
            result += source.take(
                size if size <= LONGEST_SHORT_LITERAL else 1 + source.number(size - LONGEST_SHORT_LITERAL)
            )
        else:
            size, distance = 1 + (tag >> 2), source.number(DISTANCE_BYTES[tag & 3])
            if tag & 3 == SHORT_COPY:
                size, distance = 4 + (tag >> 2 & 7), tag >> 5 << 8 | distance
            start = len(result) - distance
            if start < 0 or not distance:
                raise DamagedPart(place, "its compressed data is wrong")
            copied = result[start : start + size]
            result += (copied * (size // len(copied) + 1))[:size]  # a copy may repeat its own output
        if len(result) > length:
            break
    if len(result) != length:
        raise DamagedPart(place, "its compressed data is wrong")
    return bytes(result)
