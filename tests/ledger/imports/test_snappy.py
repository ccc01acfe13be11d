"""Snappy: literals and copies are decompressed, and wrong data is refused before it needs memory."""

import pytest

from ledger.imports.leveldb_bytes import DamagedPart
from ledger.imports.snappy import decompress
from level import varint

MOST = 1 << 20


def literal(data: bytes) -> bytes:
    size = len(data) - 1
    if size < 60:
        return bytes([size << 2]) + data
    extra = (size.bit_length() + 7) // 8
    return bytes([(59 + extra) << 2]) + size.to_bytes(extra, "little") + data


@pytest.mark.parametrize("size", [1, 60, 61, 256, 257, 65_537])
def test_literals_of_each_length_are_copied(size: int) -> None:
    data = bytes(number % 251 for number in range(size))
    assert decompress(varint(size) + literal(data), 0, MOST) == data


@pytest.mark.parametrize(
    ("copy", "comes_to"),
    [
        (bytes([0b000_000_01, 3]), b"abcabca"),
        (bytes([0b000_101_01, 2]), b"abcbcbcbcbcb"),
        (bytes([4 << 2 | 2, 1, 0]), b"abcccccc"),
        (bytes([1 << 2 | 3, 3, 0, 0, 0]), b"abcab"),
    ],
)
def test_copies_may_repeat_their_own_output(copy: bytes, comes_to: bytes) -> None:
    assert decompress(varint(len(comes_to)) + literal(b"abc") + copy, 0, MOST) == comes_to


def test_a_distance_has_eleven_bits_in_a_short_copy() -> None:
    data = bytes(number % 251 for number in range(600))
    assert decompress(varint(604) + literal(data) + bytes([0b010_000_01, 44]), 0, MOST) == data + data[44:48]


@pytest.mark.parametrize(
    "data",
    [
        varint(3) + literal(b"abc") + bytes([1, 0]),
        varint(7) + literal(b"abc") + bytes([1, 4]),
        varint(4) + literal(b"abc"),
        varint(2) + literal(b"abc"),
        varint(3) + literal(b"abc")[:-1],
        varint(70) + bytes([60 << 2]),
        varint(7) + literal(b"abc") + bytes([1]),
        b"\xff" * 11,
        b"",
    ],
)
def test_wrong_data_is_refused(data: bytes) -> None:
    with pytest.raises(DamagedPart):
        decompress(data, 0, MOST)


def test_too_much_data_is_refused_before_it_needs_memory() -> None:
    with pytest.raises(DamagedPart) as refused:
        decompress(varint(1 << 40) + literal(b"a"), 7, MOST)
    assert (refused.value.place, refused.value.why) == (7, "it is larger than 1,048,576 bytes")
