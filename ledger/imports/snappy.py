"""Snappy: the compression of LevelDB's blocks. The library cramjam decompresses them, up to a maximum size."""

from __future__ import annotations

from ledger.errors import count_of
from ledger.imports.leveldb_bytes import ByteReader, DamagedPart
from ledger.imports.log_records import missing_library


def decompress(data: bytes, place: int, most: int) -> bytes:
    """Return the decompressed data of a block at a place in a file.

    Raise `DamagedPart` if the data is not valid, or decompresses to more than `most` bytes. Raise `BadInput` if
    cramjam is not installed.
    """
    try:
        import cramjam  # optional, and no other format needs it
    except ImportError:
        raise missing_library("Compressed LevelDB folders", "cramjam") from None
    if ByteReader(data, place).next_varint() > most:
        raise DamagedPart(place, f"it is larger than {count_of(most, 'byte')}")
    try:
        return bytes(cramjam.snappy.decompress_raw(data))
    except cramjam.DecompressionError:
        raise DamagedPart(place, "its compressed data is wrong") from None
