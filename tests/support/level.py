"""LevelDB files: a small writer for tests of the reader, so that every part of a file can also be wrong."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ledger.imports.crc32c import masked_crc32c
from ledger.imports.sources import FolderSource

BLOCK, HEADER = 32_768, 7
MAGIC = bytes.fromhex("57fb808b247547db")
ORDER = b"leveldb.BytewiseComparator"
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4


def fixed(number: int, size: int) -> bytes:
    return number.to_bytes(size, "little")


def varint(number: int) -> bytes:
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes([*data, number])


def text(data: bytes) -> bytes:
    return varint(len(data)) + data


def part(kind: int, data: bytes) -> bytes:
    """A part of a record in a log."""
    return fixed(masked_crc32c(bytes([kind]) + data), 4) + fixed(len(data), 2) + bytes([kind]) + data


def log(*records: bytes) -> bytes:
    """A log, or a manifest."""
    written = b""
    for record in records:
        is_first, rest = True, record
        while is_first or rest:
            room = BLOCK - len(written) % BLOCK - HEADER
            if room < 0:
                written += bytes(room + HEADER)
                continue
            taken, rest = rest[:room], rest[room:]
            kinds = (FIRST, FULL) if is_first else (MIDDLE, LAST)
            written += part(kinds[not rest], taken)
            is_first = False
    return written


def batch(sequence: int, *operations: tuple[bytes, bytes | None]) -> bytes:
    """A record of recent writes. None deletes a key."""
    start = fixed(sequence, 8) + fixed(len(operations), 4)
    return start + b"".join(
        b"\0" + text(key) if value is None else b"\1" + text(key) + text(value) for key, value in operations
    )


def edit(
    *,
    log: int | None = None,
    previous: int = 0,
    added: Mapping[int, int] | None = None,
    removed: Iterable[int] = (),
    order: bytes = ORDER,
) -> bytes:
    """A record of a manifest. All tables are of level 0."""
    return b"".join(
        [
            b"\1" + text(order),
            b"" if log is None else b"\2" + varint(log),
            b"\3\x63\4\x63",
            b"\x09" + varint(previous) if previous else b"",
            b"\5\0" + text(b"compacted"),
            *(b"\6\0" + varint(number) for number in removed),
            *(
                b"\7\0" + varint(number) + varint(size) + text(b"a") + text(b"z")
                for number, size in (added or {}).items()
            ),
        ]
    )


def block(
    pairs: Iterable[tuple[bytes, bytes]], compression: int = 0, compress: Callable[[bytes], bytes] = bytes
) -> bytes:
    """A block of a table with whole keys, and its trailer."""
    data = b"".join(b"\0" + varint(len(key)) + varint(len(value)) + key + value for key, value in pairs)
    stored = compress(data + fixed(0, 4) + fixed(1, 4)) + bytes([compression])
    return stored + fixed(masked_crc32c(stored), 4)


def internal(key: bytes, sequence: int, kind: int = 1) -> bytes:
    """A key as tables have it."""
    return key + fixed(sequence << 8 | kind, 8)


def handle(place: int, size: int) -> bytes:
    return varint(place) + varint(size)


def table(*blocks: bytes) -> bytes:
    """A table of blocks."""
    places = [sum(map(len, blocks[:number])) for number in range(len(blocks))]
    index = block((b"k%d" % number, handle(place, len(blocks[number]) - 5)) for number, place in enumerate(places))
    data = b"".join(blocks)
    handles = handle(0, 0) + handle(len(data), len(index) - 5)
    return data + index + handles.ljust(40, b"\0") + MAGIC


def values(sequence: int, **pairs: bytes | None) -> bytes:
    """A table of one block. None deletes a key."""
    rows = [
        (internal(key.encode(), sequence, int(value is not None)), value or b"") for key, value in sorted(pairs.items())
    ]
    return table(block(rows))


def lay(
    folder: Path,
    logs: Mapping[int, bytes],
    tables: Mapping[int, bytes] | None = None,
    *,
    log_number: int | None = None,
    previous: int = 0,
) -> Path:
    """A database with these files."""
    folder.mkdir(exist_ok=True, parents=True)
    tables = tables or {}
    for number, data in (*logs.items(), *tables.items()):
        (folder / f"{number:06}.{'log' if number in logs else 'ldb'}").write_bytes(data)
    sizes = {number: len(data) for number, data in tables.items()}
    (folder / "MANIFEST-000002").write_bytes(log(edit(log=log_number or max(logs), previous=previous, added=sizes)))
    (folder / "CURRENT").write_bytes(b"MANIFEST-000002\n")
    return folder


def read(folder: Path, prefix: bytes = b"") -> tuple[dict[bytes, bytes], list[str]]:
    """What our reader reads of a database, and its notes."""
    with FolderSource(file=str(folder)).open() as database:
        return dict(database.documents(prefix)), database.notes


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}
