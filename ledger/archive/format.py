"""The format of an export: its files and their lines, and a strict reader for them.

    journal.jsonl       the entries, byte for byte, one per line
    words.jsonl         the texts and secrets that this export includes, each with its salt, entry and field
    checkpoints.jsonl   the signed heads, one per line
    checkpoint          the signed head with the most entries
    tile/               the tree and the entries as static files (C2SP tlog-tiles)
    schema              the version of the campaign's file, so that an older program can refuse it
    verify.py           checks all of this without our program (`ledger.archive.standalone`)
    verify.html         checks all of this in a browser (`ledger.archive.verify_page`)
    for-players         one sentence, only in an export for players
    README.txt          how to check the export, only in an export for players

An export for players leaves out the GM's secrets. Its entries stay complete, because they contain only commitments. A
campaign imported from it is read-only: if the GM and a player could both add entries, there would be two histories.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice, takewhile
from os import path
from typing import Any, Literal, TypeVar, cast

from ledger.errors import NewerCampaign, NotCanonical, NotReadable, NotWhole, Refused
from ledger.events.canonical import read_canonical
from ledger.events.compiled import READ_ERRORS, reader
from ledger.events.entry import LARGEST_ENTRY
from ledger.events.facts import Seq
from ledger.journal.book import Book
from ledger.journal.schema import SCHEMA_VERSION
from ledger.tlog.tiles import ENTRY_BUNDLES, TILE_WIDTH, entry_bundle, tile_path, tiles_for_size
from ledger.values import Struct

JOURNAL_FILE, WORDS_FILE = "journal.jsonl", "words.jsonl"
CHECKPOINTS_FILE, CHECKPOINT_FILE = "checkpoints.jsonl", "checkpoint"
TILES_FOLDER, VERIFIER_FILE, VERIFY_PAGE_FILE, SCHEMA_FILE = "tile", "verify.py", "verify.html", "schema"
FOR_PLAYERS_FILE, README_FILE = "for-players", "README.txt"

LONGEST_LINE = 2**24
"""The maximum length of a line, in bytes: far more than one text or one signed head needs."""

LARGEST_SCHEMA = 100
"""The maximum size of the file `schema`, in bytes."""

TILE_HEIGHT = TILE_WIDTH.bit_length() - 1
"""The number of tree levels in one tile."""

LineT = TypeVar("LineT", bound=Struct)


class Word(Struct):
    """One line of `words.jsonl`: a text or a secret, with its salt and the entry's field that commits to it."""

    entry: Seq
    field: str
    kind: Literal["word", "secret"]
    salt: str
    text: str


class CheckpointLine(Struct):
    """One line of `checkpoints.jsonl`: a signed head (`note`), and the number of entries that it covers (`size`)."""

    size: Seq
    note: str


def tiles_of(book: Book, *sizes: int) -> Iterator[tuple[str, bytes]]:
    """Yield the path and content of each tile that the trees of these sizes need."""
    for level, index, width in sorted({tile for size in sizes for tile in tiles_for_size(size)}):
        first = index * TILE_WIDTH
        if level:
            hashes = [book.journal.node(TILE_HEIGHT * level, place) for place in range(first, first + width)]
        else:
            rows = list(book.journal.stored(first + 1, first + width))
            yield tile_path(ENTRY_BUNDLES, index, width), entry_bundle([stored for _, stored, _ in rows])
            hashes = [leaf for _, _, leaf in rows]
        yield tile_path(level, index, width), b"".join(hashes)


def check_is_export(folder: str) -> None:
    """Raise `Refused` for a folder that is not an export, and `NewerCampaign` for an export by a newer program."""
    needed = (JOURNAL_FILE, WORDS_FILE, CHECKPOINTS_FILE)
    missing = [name for name in needed if not path.isfile(path.join(folder, name))]
    if missing:
        raise Refused(f"{folder} is not an export: it has no {missing[0]}.")
    try:
        check_schema(folder)
    except OSError as error:
        raise NotReadable(folder, error) from None


def count_entries(folder: str) -> int:
    """Count the complete lines in an export's journal. Raise `Refused` for a folder that is not an export."""
    check_is_export(folder)
    try:
        lines = lines_in(folder, JOURNAL_FILE, LARGEST_ENTRY + 1)
        return sum(1 for _ in takewhile(lambda line: line.endswith(b"\n"), lines))
    except OSError as error:
        raise NotReadable(folder, error) from None


def check_schema(folder: str) -> None:
    """Raise `NewerCampaign` for an export by a newer program. Exports by early versions have no file `schema`."""
    if not path.lexists(path.join(folder, SCHEMA_FILE)):
        return
    if not path.isfile(path.join(folder, SCHEMA_FILE)):
        raise NotWhole(f"{SCHEMA_FILE} is not a file.")
    lines = list(islice(lines_in(folder, SCHEMA_FILE, LARGEST_SCHEMA), 2))
    number = re.fullmatch(rb"([1-9][0-9]{0,8})\n", b"".join(lines))
    if number is None:
        raise NotWhole(f"The file {SCHEMA_FILE} does not contain a version number.")
    if int(number[1]) > SCHEMA_VERSION:
        raise NewerCampaign(int(number[1]), SCHEMA_VERSION)


def objects_in(folder: str, name: str, shape: type[LineT]) -> Iterator[LineT]:
    """Yield a file's objects, one per line. Raise `NotWhole` if a line is not canonical or does not match `shape`."""
    read: Callable[[Any], LineT] = reader(cast(Any, shape))
    for number, line in enumerate(lines_in(folder, name), 1):
        try:
            value, is_canonical = read_canonical(line.removesuffix(b"\n"))
            parsed = read(value)
        except (NotCanonical, *READ_ERRORS):
            raise wrong_line(number, name) from None
        if not is_canonical or not line.endswith(b"\n"):
            raise wrong_line(number, name)
        yield parsed


def wrong_line(number: int, name: str) -> NotWhole:
    """Return the error for a line that is not valid in an export."""
    return NotWhole(f"Line {number} of {name} is not valid in an export.")


def lines_in(folder: str, name: str, longest: int = LONGEST_LINE) -> Iterator[bytes]:
    """Yield the lines of a file with their line ends. A line of more than `longest` bytes is split."""
    with open(path.join(folder, name), "rb") as file:
        while line := file.readline(longest):
            yield line


def has_exact_content(folder: str, name: str, data: bytes) -> bool:
    """Return True if a file has this content. A missing file counts as empty. Raise `NotWhole` for a folder or pipe."""
    full = path.join(folder, name)
    if not path.lexists(full):
        return data == b""
    if not path.isfile(full):
        raise NotWhole(f"{name} is not a file.")
    with open(full, "rb") as file:
        return file.read(len(data) + 1) == data
