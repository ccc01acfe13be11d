"""Snappy: the compression of LevelDB's blocks. The data is a list of literals and of copies of earlier output."""

from __future__ import annotations

from ledger.errors import count_of
from ledger.imports.leveldb_bytes import Bytes, DamagedPart

WRONG = "its compressed data is wrong"
LITERAL, SHORT_COPY, COPY = 0, 1, 2
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
    result, filled, at, end = bytearray(), 0, start.at, len(data)
    try:
        while at < end and filled <= length:
            tag = data[at]
            kind, size = tag & 3, (tag >> 2) + 1
            if kind == LITERAL:
                at += 1
                if size > LONGEST_SHORT_LITERAL:
                    size_at, at = at, at + size - LONGEST_SHORT_LITERAL
                    size = 1 + int.from_bytes(data[size_at:at], "little")
                result += data[at : at + size]
                at += size
            else:
                if kind == SHORT_COPY:
                    size, distance, at = 4 + (tag >> 2 & 7), tag >> 5 << 8 | data[at + 1], at + 2
                elif kind == COPY:
                    distance, at = data[at + 1] | data[at + 2] << 8, at + 3
                else:
                    distance, at = int.from_bytes(data[at + 1 : at + 5], "little"), at + 5
                first = filled - distance
                if first < 0 or not distance:
                    raise DamagedPart(place, WRONG)
                copied = result[first : first + size]
                result += copied if distance >= size else (copied * size)[:size]  # a copy may repeat its own output
            filled = len(result)
    except IndexError:  # a copy that is cut off
        raise DamagedPart(place, WRONG) from None
    if at != end or filled != length:
        raise DamagedPart(place, WRONG)
    return bytes(result)
