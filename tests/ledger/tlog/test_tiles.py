"""Tiles: where they lie, which there are, and the entries in them (C2SP tlog-tiles)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bending import bent
from ledger.errors import LedgerError, Malformed
from ledger.tlog.tiles import entry_bundle, parse_entry_bundle, parse_tile_path, tile_path, tiles_for_size

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
    _, level_text, index_text = path.split("/", 2)
    assert parse_tile_path(level_text, index_text) == (level, index, width)


@pytest.mark.parametrize(
    ("level", "index", "width"),
    [
        (-1, 0, 256),
        (64, 0, 256),
        (True, 0, 256),
        ("0", 0, 256),
        ("checkpoint", 0, 256),
        (0, -1, 256),
        (0, 2**64, 256),
        (0, False, 256),
        (0, 0, 0),
        (0, 0, 257),
        (0, 0, True),
    ],
)
def test_there_is_no_such_tile(level: int | str, index: int, width: int) -> None:
    with pytest.raises(Malformed):
        tile_path(level, index, width)


@pytest.mark.parametrize(
    ("level", "index"),
    [
        ("64", "000"),
        ("-1", "000"),
        ("00", "000"),
        ("", "000"),
        ("٣", "000"),
        ("Entries", "000"),
        ("0", ""),
        ("0", "0"),
        ("0", "00"),
        ("0", "0000"),
        ("0", "x000"),
        ("0", "x000/000"),
        ("0", "x001/x234"),
        ("0", "001/234"),
        ("0", "x001//234"),
        ("0", "/x001/234"),
        ("0", "x01/234"),
        ("0", "X001/234"),
        ("0", "x001/234/"),
        ("0", "x001/234\n"),
        ("0", "٣٣٣"),
        ("0", "000.p"),
        ("0", "000.p/"),
        ("0", "000.p/0"),
        ("0", "000.p/01"),
        ("0", "000.p/256"),
        ("0", "000.p/-1"),
        ("0", "000.p/1/"),
        ("0", "000.P/1"),
        ("0", "x018/x446/x744/x073/x709/x551/616"),
        ("0", "x001/x000/x000/x000/x000/x000/x000/000"),
    ],
)
def test_what_is_written_otherwise_is_no_tile(level: str, index: str) -> None:
    with pytest.raises(Malformed):
        parse_tile_path(level, index)


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
    assert tiles_for_size(size) == tiles


@pytest.mark.parametrize("size", [-1, True, 2**64])
def test_no_tree_has_such_a_size(size: int) -> None:
    with pytest.raises(Malformed):
        tiles_for_size(size)


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
def test_entries_are_read_as_they_were_written(entries: list[bytes], data: bytes) -> None:
    assert entry_bundle(entries) == data
    assert parse_entry_bundle(data) == entries


@pytest.mark.parametrize("entries", [[bytes(65536)], [b""] * 257], ids=["too long", "too many"])
def test_entries_that_cannot_be_written_are_refused(entries: list[bytes]) -> None:
    with pytest.raises(Malformed):
        entry_bundle(entries)


@pytest.mark.parametrize("data", [b"\0", b"\1", b"\0\1", b"\0\2a", b"\0\1a\0", b"\0\0\0\1", bytes(514)])
def test_a_file_that_ends_inside_an_entry_is_refused(data: bytes) -> None:
    with pytest.raises(Malformed):
        parse_entry_bundle(data)


@given(st.binary() | st.lists(st.binary(max_size=9), max_size=9).map(entry_bundle))
def test_whatever_is_read_as_entries_is_written_the_same(data: bytes) -> None:
    try:
        entries = parse_entry_bundle(data)
    except LedgerError:
        return
    assert entry_bundle(entries) == data


@given(bent("0", "63", "entries"), bent("000", "x001/x234/067.p/8", "x001/x234/067"))
def test_whatever_is_read_as_a_tile_is_written_the_same(level: str, index: str) -> None:
    try:
        tile = parse_tile_path(level, index)
    except LedgerError:
        return
    assert tile_path(*tile) == f"tile/{level}/{index}"


def test_the_first_tile_beyond_all_that_can_be_counted_is_quoted_as_one_that_is_not_written_so() -> None:
    assert parse_tile_path("0", "x018/x446/x744/x073/x709/x551/615") == (0, 2**64 - 1, 256)
    with pytest.raises(Malformed, match=r"'x018/x446/x744/x073/x709/x551/616' is not the standard name of a tile"):
        parse_tile_path("0", "x018/x446/x744/x073/x709/x551/616")
