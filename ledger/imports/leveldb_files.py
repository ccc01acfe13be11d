"""The files of a LevelDB folder: logs of records, the manifest that lists the live files, and tables of sorted keys.

Each checksum is checked. LevelDB documents these formats in log_format.md, table_format.md and version_edit.cc.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from ledger.imports.crc32c import masked_crc32c
from ledger.imports.leveldb_bytes import ByteReader, DamagedPart
from ledger.imports.snappy import decompress

WRONG_CHECKSUM = "its checksum is wrong"


class KeyWrite(NamedTuple):
    """One change of a key: its new value, or None if the key was deleted.

    Writes sort by key. Among the writes of one key, the newest comes first, because `age` is the negative
    sequence number.
    """

    key: bytes
    age: int
    value: bytes | None


# Logs

LOG_BLOCK_BYTES = 1 << 15
LOG_HEADER_BYTES = 7
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4


class CutOffFile(Exception):
    """The error for a file that ends in the middle of a record. The earlier records are complete."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


def log_records(stream: BinaryIO) -> Iterator[ByteReader]:
    """Yield the records of a log. Raise `DamagedPart` for damage, and `CutOffFile` for an incomplete last record."""
    parts: list[bytes] | None = None
    start = 0
    for place, kind, data in _fragments(stream):
        if kind in {FULL, FIRST}:
            if parts is not None and any(parts):  # old versions left an empty first part behind
                raise DamagedPart(place, "an earlier record has no end")
            parts, start = [], place
        if parts is None or not FULL <= kind <= LAST:
            raise DamagedPart(place, "it is not a part of a record")
        parts.append(data)
        if kind in {FULL, LAST}:
            yield ByteReader(b"".join(parts), start)
            parts = None
    if parts is not None:
        raise CutOffFile(start)


def _fragments(stream: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    """Yield the place, the kind and the data of each part of each record in a log."""
    block_place = 0
    while block := stream.read(LOG_BLOCK_BYTES):
        at = 0
        while at + LOG_HEADER_BYTES <= len(block):
            header = ByteReader(block[at : at + LOG_HEADER_BYTES], block_place + at)
            crc, size, kind = header.next_number(4), header.next_number(2), header.next_number(1)
            if not (crc or size or kind):  # space for records that were never written
                at = len(block)
                break
            end = at + LOG_HEADER_BYTES + size
            if end > LOG_BLOCK_BYTES:
                raise DamagedPart(header.place, "it is longer than its block")
            if end > len(block):
                raise CutOffFile(header.place)
            if crc != masked_crc32c(block[at + LOG_HEADER_BYTES - 1 : end]):
                raise DamagedPart(header.place, WRONG_CHECKSUM)
            yield header.place, kind, block[at + LOG_HEADER_BYTES : end]
            at = end
        if at < len(block) < LOG_BLOCK_BYTES:
            raise CutOffFile(block_place + at)
        block_place += len(block)


def batch_writes(record: ByteReader) -> Iterator[KeyWrite]:
    """Yield the writes of a record, which comes from a log of recent writes."""
    sequence, count = record.next_number(8), record.next_number(4)
    for number in range(count):
        kind = record.next_number(1)
        yield _key_write(record, record.next_text(), sequence + number, kind, record.next_text() if kind else b"")
    if not record.is_read:
        raise DamagedPart(record.place, "it has more data than its count says")


def _key_write(record: ByteReader, key: bytes, sequence: int, kind: int, value: bytes) -> KeyWrite:
    if kind > 1:
        raise DamagedPart(record.place, f"it has an unknown kind of write operation ({kind})")
    return KeyWrite(key, -sequence, value if kind else None)


# The manifest

COMPARATOR, LOG_NUMBER, NEXT_FILE_NUMBER, LAST_SEQUENCE = 1, 2, 3, 4
COMPACT_POINTER, DELETED_FILE, NEW_FILE, PREVIOUS_LOG_NUMBER = 5, 6, 7, 9
KNOWN_COMPARATOR = b"leveldb.BytewiseComparator"


class LiveFiles:
    """The live files of a database: the numbers of its logs, and the number and size of each of its tables."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._sizes: dict[tuple[int, int], int] = {}

    @property
    def newest_log_number(self) -> int | None:
        """The number of the log that contains the newest writes, or None before the manifest names a log."""
        return self._numbers.get(LOG_NUMBER)

    @property
    def table_sizes(self) -> dict[int, int]:
        """The size of each table in bytes, by the table's number."""
        return {number: size for (_, number), size in sorted(self._sizes.items())}

    def is_live_log(self, number: int) -> bool:
        """Return True if the log with this number may have writes that no table has."""
        return number >= self._numbers.get(LOG_NUMBER, 0) or 0 < number == self._numbers.get(PREVIOUS_LOG_NUMBER, 0)

    def apply(self, record: ByteReader) -> None:
        """Apply the changes in a record of the manifest: first the removed tables, then the added ones."""
        removed, added = list[tuple[int, int]](), dict[tuple[int, int], int]()
        while not record.is_read:
            tag = record.next_varint()
            if tag in {LOG_NUMBER, NEXT_FILE_NUMBER, LAST_SEQUENCE, PREVIOUS_LOG_NUMBER}:
                self._numbers[tag] = record.next_varint()
            elif tag == COMPARATOR:
                if record.next_text() != KNOWN_COMPARATOR:
                    raise DamagedPart(record.place, "it has an unknown order of keys")
            elif tag == COMPACT_POINTER:
                record.next_varint(), record.next_text()
            elif tag == DELETED_FILE:
                removed.append((record.next_varint(), record.next_varint()))
            elif tag == NEW_FILE:
                table = record.next_varint(), record.next_varint()
                added[table] = record.next_varint()
                record.next_text(), record.next_text()  # its first and its last key
            else:
                raise DamagedPart(record.place, f"it has an unknown kind of change ({tag})")
        for table in removed:
            self._sizes.pop(table, None)
        self._sizes |= added


# Tables

LARGEST_BLOCK = 1 << 24
"""The maximum size of a block, in bytes. The block of a long value is as large as the value."""

LONGEST_KEY = 1 << 12
"""The maximum length of a key, in bytes. With long keys, a small file could make this program copy data for hours."""

FOOTER_BYTES = 48
TABLE_MAGIC = bytes.fromhex("57fb808b247547db")
BLOCK_TRAILER_BYTES = 5
UNCOMPRESSED, SNAPPY = 0, 1
KEY_TRAILER_BYTES = 8


def table_writes(stream: BinaryIO, size: int) -> Iterator[KeyWrite]:
    """Yield the writes in a table of this size in bytes. One block at a time is in memory."""
    footer_place = max(size - FOOTER_BYTES, 0)
    footer = _read(stream, footer_place, FOOTER_BYTES)
    if not footer.endswith(TABLE_MAGIC):
        raise DamagedPart(footer_place, "it is not the end of a table")
    handles = ByteReader(footer, footer_place)
    _read_block_handle(handles)  # of the blocks about filters and numbers
    last, end = (b"", -1 << 64), 0
    for _, handle in _pairs(_block(stream, size, _read_block_handle(handles))):
        place, block_size = _read_block_handle(ByteReader(handle, footer_place))
        if place < end:  # otherwise a small file could have endless blocks
            raise DamagedPart(place, "its blocks overlap")
        end = place + block_size
        block = _block(stream, size, (place, block_size))
        for key, value in _pairs(block):
            trailer = int.from_bytes(key[-KEY_TRAILER_BYTES:], "little")
            place_in_order = (key[:-KEY_TRAILER_BYTES], -trailer)
            if len(key) < KEY_TRAILER_BYTES or place_in_order <= last:
                raise DamagedPart(block.place, "its keys are not in order")
            last = place_in_order
            yield _key_write(block, key[:-KEY_TRAILER_BYTES], trailer >> 8, trailer & 255, value)


def _read(stream: BinaryIO, place: int, size: int) -> bytes:
    stream.seek(place)
    return ByteReader(stream.read(size), place).next_bytes(size)


def _read_block_handle(source: ByteReader) -> tuple[int, int]:
    """Read the handle of a block: its place in the file, and its size in bytes."""
    return source.next_varint(), source.next_varint()


def _block(stream: BinaryIO, table_size: int, handle: tuple[int, int]) -> ByteReader:
    """Read the block at a handle, check it, and decompress it. Return its keys and values, still encoded."""
    place, size = handle
    if size > LARGEST_BLOCK or place + size > table_size - FOOTER_BYTES - BLOCK_TRAILER_BYTES:
        raise DamagedPart(place, "it is too long")
    stored = _read(stream, place, size + BLOCK_TRAILER_BYTES)
    if int.from_bytes(stored[-4:], "little") != masked_crc32c(stored[:-4]):
        raise DamagedPart(place, WRONG_CHECKSUM)
    data = stored[:size]
    if stored[size] == SNAPPY:
        data = decompress(data, place, LARGEST_BLOCK)
    elif stored[size] != UNCOMPRESSED:
        raise DamagedPart(place, f"it has an unknown compression ({stored[size]})")
    restarts = int.from_bytes(data[-4:], "little")  # at the end: places of whole keys, and their number
    return ByteReader(ByteReader(data, place).next_bytes(len(data) - 4 * restarts - 4), place)


def _pairs(block: ByteReader) -> Iterator[tuple[bytes, bytes]]:
    """Yield the keys and values of a block.

    A stored key lacks the start that it shares with the key before it. This function adds the start.
    """
    key = b""
    while not block.is_read:
        shared, own, size = block.next_varint(), block.next_varint(), block.next_varint()
        if shared > len(key):
            raise DamagedPart(block.place, "its keys are not in order")
        if shared + own > LONGEST_KEY:
            raise DamagedPart(block.place, "it is too long")
        key = key[:shared] + block.next_bytes(own)
        yield key, block.next_bytes(size)
