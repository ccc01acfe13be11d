"""Tiles: where they lie, which there are, and the entries in them (C2SP tlog-tiles)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.tlog.tiles import entry_bundle, tile_path, tiles_for_size

PATHS = [
    ("tile/0/x001/x234/067", 0, 1234067, 256),
    ("tile/0/x001/x234/067.p/8", 0, 1234067, 8),
    ("tile/0/000", 0, 0, 256),
    ("tile/0/000.p/1", 0, 0, 1),
    ("tile/63/999.p/255", 63, 999, 255),
    ("tile/15/x001/000", 15, 1000, 256),
    ("tile/10/x009/999", 10, 9999, 256),
    ("tile/1/x018/x446/x744/x073/x709/x551/615", 1, 2**64 - 1, 256),
    ("tile/entries/000", "entries", 0, 256),
    ("tile/entries/000.p/5", "entries", 0, 5),
    ("tile/entries/x123/x456/789.p/41", "entries", 123456789, 41),
]


@pytest.mark.parametrize(("path", "level", "index", "width"), PATHS)
def test_a_tile_lies_where_everybody_looks_for_it(path: str, level: int | str, index: int, width: int) -> None:
    assert tile_path(level, index, width) == path


@pytest.mark.parametrize(
    ("size", "tiles"),
    [
        (0, []),
        (1, [(0, 0, 1)]),
        (255, [(0, 0, 255)]),
        (256, [(0, 0, 256), (1, 0, 1)]),
        (257, [(0, 0, 256), (0, 1, 1), (1, 0, 1)]),
        (
            70_000,
            [*((0, index, 256) for index in range(273)), (0, 273, 112), (1, 0, 256), (1, 1, 17), (2, 0, 1)],
        ),
    ],
)
def test_a_tree_has_these_tiles_and_no_empty_one(size: int, tiles: list[tuple[int, int, int]]) -> None:
    assert list(tiles_for_size(size)) == tiles


@given(st.integers(0, 300_000))
def test_the_tiles_of_a_level_hold_every_complete_subtree_once(size: int) -> None:
    held = [0] * 8
    for level, index, width in tiles_for_size(size):
        assert index == held[level] // 256
        held[level] += width
    assert held == [size >> 8 * level for level in range(8)]


@pytest.mark.parametrize(
    ("entries", "data"),
    [
        ([], b""),
        ([b""], b"\0\0"),
        ([b"a", b"bc"], b"\0\1a\0\2bc"),
        ([bytes(65535)], b"\xff\xff" + bytes(65535)),
        ([b""] * 256, bytes(512)),
    ],
    ids=["none", "empty", "two", "the longest", "the most"],
)
def test_entries_are_written_after_their_lengths(entries: list[bytes], data: bytes) -> None:
    assert entry_bundle(entries) == data
