"""The format of an export: its files and their lines, and how they are read back strictly.

    journal.jsonl       the entries, byte for byte, one a line
    words.jsonl         the words that are still there, each with its salt and the entry and field that it belongs to
    checkpoints.jsonl   the signed heads, one a line
    checkpoint          the longest of them, as it was signed
    tile/               the tree and the entries as static files (C2SP tlog-tiles)
    verify.py           checks all this without our program (`ledger.archive.standalone`)

For players, what the GM keeps secret is left out; the entries stay whole, since they hold commitments alone.
"""

from collections.abc import Iterator
from itertools import takewhile
from os import path
from typing import Annotated, Literal, TypeVar

from ledger.errors import NotCanonical, NotReadable, NotWhole, Refused
from ledger.events.canonical import canonical_json, parse_json
from ledger.events.entry import LARGEST_ENTRY
from ledger.events.facts import Seq
from ledger.journal.book import Book
from ledger.tlog.tiles import ENTRIES, WIDTH, entry_bundle, tile_path, tiles_for_size
from ledger.values import Struct, Within

JOURNAL, WORDS, CHECKPOINTS, CHECKPOINT = "journal.jsonl", "words.jsonl", "checkpoints.jsonl", "checkpoint"
TILES, VERIFIER = "tile", "verify.py"

LONGEST_LINE = 2**24
"""Bytes; far beyond the words of one field, or the signatures of one head."""

HEIGHT = WIDTH.bit_length() - 1
"""Levels of the tree that one tile holds."""

Salt = Annotated[str, Within(64, 64, length=True)]
Line = TypeVar("Line", bound=Struct)


class Word(Struct):
    """One line of `words.jsonl`."""

    entry: Seq
    field: str
    kind: Literal["word", "secret"]
    salt: Salt
    text: str


class Signed(Struct):
    """One line of `checkpoints.jsonl`."""

    size: Seq
    note: str


def tiles_of(book: Book, *sizes: int) -> Iterator[tuple[str, bytes]]:
    """Yield the tiles of the trees of some sizes: where each lies, and what it holds."""
    for level, index, width in sorted({tile for size in sizes for tile in tiles_for_size(size)}):
        first = index * WIDTH
        if level:
            hashes = [book.journal.node(HEIGHT * level, place) for place in range(first, first + width)]
        else:
            rows = list(book.journal.stored(first + 1, first + width))
            yield tile_path(ENTRIES, index, width), entry_bundle([stored for _, stored, _ in rows])
            hashes = [leaf for _, _, leaf in rows]
        yield tile_path(level, index, width), b"".join(hashes)


def entries_in(folder: str) -> int:
    """How many lines the journal of an export has; refuses (`Refused`) a folder that is no export."""
    missing = [name for name in (JOURNAL, WORDS, CHECKPOINTS) if not path.isfile(path.join(folder, name))]
    if missing:
        raise Refused(f"There is no export in {folder}: it has no {missing[0]}.")
    try:
        lines = lines_in(folder, JOURNAL, LARGEST_ENTRY + 1)
        return sum(1 for _ in takewhile(lambda line: line.endswith(b"\n"), lines))
    except OSError as error:
        raise NotReadable(folder, error) from None


def objects_in(folder: str, name: str, shape: type[Line]) -> Iterator[Line]:
    """Yield the lines of a file, each checked against its shape."""
    from pydantic import TypeAdapter, ValidationError  # only what comes in is checked

    reads = TypeAdapter(shape)
    for number, line in enumerate(lines_in(folder, name), 1):
        try:
            canonical = canonical_json(parse_json(line)) + b"\n"
            found = reads.validate_json(line)
        except (NotCanonical, ValidationError, RecursionError):
            raise wrong_line(number, name) from None
        if canonical != line:
            raise wrong_line(number, name)
        yield found


def wrong_line(number: int, name: str) -> NotWhole:
    """The error for a line that cannot be read as one of an export."""
    return NotWhole(f"Line {number} of {name} is not as an export has it.")


def lines_in(folder: str, name: str, longest: int = LONGEST_LINE) -> Iterator[bytes]:
    """Yield the lines of a file, with what ends them; one that is longer in parts."""
    with open(path.join(folder, name), "rb") as file:
        while line := file.readline(longest):
            yield line


def holds(folder: str, name: str, data: bytes) -> bool:
    """Whether a file holds this and no more; what is not there holds nothing.

    Refuses (`NotWhole`) what is no file: a pipe, or a device, may be without an end.
    """
    full = path.join(folder, name)
    if not path.lexists(full):
        return data == b""
    if not path.isfile(full):
        raise NotWhole(f"{name} is no file.")
    with open(full, "rb") as file:
        return file.read(len(data) + 1) == data
