"""Tiles: the tree and its leaves as files that never change once they are full (C2SP tlog-tiles)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

TILE_WIDTH = 256
"""The number of hashes, or of entries, in a full tile."""

ENTRY_BUNDLES = "entries"
"""The word that replaces the level in the path of a file with entries."""

LENGTH_BYTES = 2
THOUSAND = 1000


def tile_path(level: int | str, index: int, width: int) -> str:
    """Return the path of a tile, or of a file with entries if `level` is `ENTRY_BUNDLES`.

    The path of a partial tile includes its width.
    """
    path = f"{index % THOUSAND:03}"
    while index := index // THOUSAND:
        path = f"x{index % THOUSAND:03}/{path}"
    return f"tile/{level}/{path}" + ("" if width == TILE_WIDTH else f".p/{width}")


def tiles_for_size(n: int) -> Iterator[tuple[int, int, int]]:
    """Yield the level, index and width of each tile of a tree of n leaves, lowest level first. No tile is empty."""
    level = 0
    while n:
        full, rest = divmod(n, TILE_WIDTH)
        yield from ((level, index, TILE_WIDTH) for index in range(full))
        if rest:
            yield level, full, rest
        level, n = level + 1, full


def entry_bundle(entries: Sequence[bytes]) -> bytes:
    """Encode the entries of a tile as one file. Before each entry, two bytes (big-endian) give its length."""
    return b"".join(len(entry).to_bytes(LENGTH_BYTES, "big") + entry for entry in entries)
