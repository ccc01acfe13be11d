"""Snappy: data is decompressed, and wrong data is refused before it needs memory."""

import sys

import pytest

from ledger.errors import BadInput
from ledger.imports.leveldb_bytes import DamagedPart
from ledger.imports.snappy import decompress
from level import varint

MOST = 1 << 20


def literal(data: bytes) -> bytes:
    return bytes([(len(data) - 1) << 2]) + data


def test_data_is_decompressed() -> None:
    assert decompress(varint(9) + literal(b"abc") + bytes([2 << 2 | 1, 3]), 0, MOST) == b"abcabcabc"


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


def test_without_its_library_a_compressed_folder_is_refused_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "cramjam", None)
    with pytest.raises(BadInput) as refused:
        decompress(varint(3) + literal(b"abc"), 0, MOST)
    assert str(refused.value.sentence) == (
        "Compressed LevelDB folders need the library cramjam, which is not installed here."
    )
    assert "pip install" in str(refused.value.hint)
