"""Tiles: the tree and its leaves as files that never change once they are full (C2SP tlog-tiles)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.errors import Malformed, shortened
from ledger.tlog.note import UINT64, to_decimal

WIDTH = 256
"""The number of hashes, or of entries, in a full tile."""

TREE_LEVELS = 64
ENTRY_BUNDLES = "entries"
"""In the path of a file of entries, this word replaces the level."""

LONGEST_ENTRY = 2**16 - 1
LENGTH_BYTES = 2
THOUSAND = 1000


def tile_path(level: int | str, index: int, width: int) -> str:
    """Return the path of a tile. The path of a partial tile includes its width."""
    if level != ENTRY_BUNDLES:
        if isinstance(level, str):
            raise Malformed(f"{shortened(level)} is not the number of a level in the log's files.")
        level = to_decimal(level, TREE_LEVELS)
    if to_decimal(width, WIDTH + 1) == "0":
        raise Malformed("A tile cannot be empty.")
    to_decimal(index, UINT64)
    path = f"{index % THOUSAND:03}"
    while index := index // THOUSAND:
        path = f"x{index % THOUSAND:03}/{path}"
    return f"tile/{level}/{path}" + ("" if width == WIDTH else f".p/{width}")


def tiles_for_size(n: int) -> list[tuple[int, int, int]]:
    """Return the level, index and width of each tile of a tree of n leaves, lowest level first. No tile is empty."""
    to_decimal(n, UINT64)
    return list(_tiles(n))


def entry_bundle(entries: Sequence[bytes]) -> bytes:
    """Encode up to 256 entries as one file. Before each entry, two bytes (big-endian) give its length."""
    if len(entries) > WIDTH:
        raise Malformed(f"An entry file has at most {WIDTH} entries.")
    if any(len(entry) > LONGEST_ENTRY for entry in entries):
        raise Malformed(f"An entry of a log has at most {LONGEST_ENTRY} bytes.")
    return b"".join(len(entry).to_bytes(LENGTH_BYTES, "big") + entry for entry in entries)


def _tiles(n: int) -> Iterator[tuple[int, int, int]]:
    level = 0
    while n:
        full, rest = divmod(n, WIDTH)
        yield from ((level, index, WIDTH) for index in range(full))
        if rest:
            yield level, full, rest
        level, n = level + 1, full
