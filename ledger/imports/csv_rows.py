"""The reader of tables (CSV): one roll in each row, with the columns that `COLUMNS` lists."""

from __future__ import annotations

import csv
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import tzinfo
from difflib import get_close_matches
from functools import lru_cache, partial
from hashlib import sha256
from typing import BinaryIO, get_args

from ledger.errors import BadInput, quoted
from ledger.events.facts import CountedDie
from ledger.events.types import RolledBy, Seen
from ledger.imports.claimed_times import typed_time
from ledger.imports.formulas import ParsedRoll, claimed_roll, counted_dice, notation_of
from ledger.imports.log_records import (
    ID_PATTERN,
    ClaimedRoll,
    LogRecord,
    ReadingOptions,
    WrongRecord,
    not_utf8,
    shortest_decimal,
)

COLUMNS = ("when", "player", "character", "roll", "dice", "total", "how", "note", "id", "seen")
NEEDED_COLUMNS = frozenset({"when", "total"})
LEAST_KNOWN_COLUMNS = 2
"""The minimum number of known columns in a table. An error names the first missing or misspelled column."""

SEPARATORS = ",;\t"
LONGEST_LINE = 1 << 16
ROLLED_BY_CELL: Mapping[str, RolledBy] = {
    **dict.fromkeys(("physical", "manual", "typed"), "manual"),
    **dict.fromkeys(("machine", "computer", "digital"), "machine"),
}
SEEN_BY_CELL: Mapping[str, Seen] = {"": "all", **{name: name for name in get_args(Seen)}}


class CsvReader:
    """The reader of tables.

    A row without an `id` gets a hash of its cells as the id, so an edited row is a new roll. If the row, or the
    whole file, is private, only the time is hashed. A hash of the other cells would confirm a guess of the roll.
    """

    form = "csv"
    title = "a table with this program's columns"
    version = 1

    def recognizes(self, start: bytes) -> bool:
        wide = start.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
        first_line = start.decode("utf-16" if wide else "utf-8-sig", "replace").partition("\n")[0]
        return len({*COLUMNS}.intersection(_names(first_line, _separator(first_line)))) >= LEAST_KNOWN_COLUMNS

    def records(self, stream: BinaryIO, options: ReadingOptions) -> Iterator[LogRecord]:
        lines, line = _lines(stream), 1
        try:
            first_line = next(lines, "")
            separator = _separator(first_line)
            names = _names(first_line, separator)
            _check_names(names)
            rows, seen, ids = csv.reader(lines, delimiter=separator, strict=True), Counter[str](), set[str]()
            for row in rows:
                line = rows.line_num + 1
                if any(cell.strip() for cell in row):
                    yield _record(f"line {line}", names, row, options, seen, ids)
        except csv.Error:
            says = f"Line {line + 1} is not a valid row: a quotation mark is missing, or the row is too long."
            raise BadInput(says) from None


def _lines(stream: BinaryIO) -> Iterator[str]:
    for number, line in enumerate(iter(partial(stream.readline, LONGEST_LINE), b""), 1):
        if len(line) == LONGEST_LINE:
            raise csv.Error
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise not_utf8(f"line {number}") from None


def _separator(first_line: str) -> str:
    return max(SEPARATORS, key=first_line.count)


def _names(first_line: str, separator: str) -> list[str]:
    return [name.strip().strip('"').lower() for name in first_line.strip().split(separator)]


def _check_names(names: list[str]) -> None:
    """Raise `BadInput` for the first column that is unknown, missing or repeated."""
    says, suggestion = "", ""
    if unknown := [name for name in names if name not in COLUMNS]:
        near = get_close_matches(unknown[0], COLUMNS, n=1)
        says = f"Column {names.index(unknown[0]) + 1}, {quoted(unknown[0])}, is not known"
        suggestion = f"Did you mean {quoted(near[0])}? " if near else ""
    elif missing := sorted(NEEDED_COLUMNS.difference(names)):
        says = f"The column {quoted(missing[0])} is missing"
    elif len({*names}) < len(names):
        says = f"The column {quoted(max(names, key=names.count))} is there twice"
    if says:
        columns = f"The columns are: {', '.join(COLUMNS)}. You need only the columns 'when' and 'total'."
        raise BadInput(f"{says} (line 1).", suggestion + columns)


def _record(
    place: str,
    names: list[str],
    row: list[str],
    options: ReadingOptions,
    seen: Counter[str],
    ids: set[str],
) -> LogRecord:
    if len(row) != len(names):
        return LogRecord(place=place, wrong=f"it has {len(row)} cells, but line 1 has {len(names)}")
    cells = dict.fromkeys(COLUMNS, "") | {name: cell.strip() for name, cell in zip(names, row, strict=True)}
    try:
        roll = _roll(cells, options.zone)
        if not roll.id:
            is_private = options.all_private or roll.seen != "all"
            key = f"csv:{_digest(cells, is_private=is_private)}"
            roll = roll.replace(id=key if is_private else f"{key}:{seen[key]}", shares_id=is_private)
            seen[key] += 1
        elif roll.id in ids:
            raise WrongRecord("column id: another row has the same id")
        ids.add(roll.id)
    except WrongRecord as wrong:
        return LogRecord(place=place, wrong=str(wrong))
    return LogRecord(place=place, rolls=(roll,))


def _digest(cells: Mapping[str, str], *, is_private: bool) -> str:
    content = [cells["when"]] if is_private else [cells[name] for name in COLUMNS if name != "id"]
    return sha256("\x1f".join(content).encode()).hexdigest()[:32]


def _roll(cells: Mapping[str, str], zone: tzinfo | None) -> ClaimedRoll:
    if cells["id"] and not ID_PATTERN.fullmatch(cells["id"]):
        raise WrongRecord("column id: use up to 64 letters, digits, - and _")
    time = typed_time(cells["when"], zone)
    total = shortest_decimal(cells["total"]) if cells["total"] else None
    notation = notation_of(cells["roll"])
    faces = _faces(cells["dice"])
    if total is None and not faces:
        raise WrongRecord("column total: it is empty, and so is the column dice")
    dice, comes_to = _counted_dice_and_total(cells["roll"], tuple(faces)) if notation else ((), None)
    known, rest = (cells["roll"], "") if notation else ("", cells["roll"])
    shown = "" if dice or not faces else f"[{cells['dice']}]"
    return claimed_roll(
        cells["id"] and f"csv:{cells['id']}",
        time,
        ParsedRoll(known, dice, None if comes_to is None else str(comes_to), f"{rest} {shown}".strip()),
        cells["note"],
        seen=SEEN_BY_CELL.get(cells["seen"].lower(), "gm"),
        user=cells["player"],
        speaker=cells["character"],
        total=total,
        thrown=ROLLED_BY_CELL.get(cells["how"].lower(), "unknown"),
    )


@lru_cache(4096)  # many rolls of a group are alike, such as 1d20+5
def _counted_dice_and_total(roll: str, faces: tuple[int, ...]) -> tuple[tuple[CountedDie, ...], int | None]:
    notation = notation_of(roll)
    return counted_dice(notation, faces) if notation and faces else ((), None)


def _faces(cell: str) -> list[int]:
    words = cell.split()
    if not all(word.isascii() and word.isdigit() and len(word) <= len("1000") for word in words):
        raise WrongRecord("column dice: type the numbers with blanks between them, like 14 6")
    return [*map(int, words)]
