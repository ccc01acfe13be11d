"""The scores and marks of roll-under, and its tables of success levels (ROL-07).

A table is JSON data, and each entry stores the table that it used. A table has a `name`, a `version`, and either `rows`
or `shares`. Each row covers the difficulty numbers `from` to `to`, and lists the `least` margin of each level. Without
`to`, there is no upper limit. With `shares`, the level depends on the roll divided by the difficulty number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from ledger import rules as game
from ledger.rules import (
    BadInput,
    MarkSpec,
    Refused,
    Run,
    Score,
    Setting,
    SheetView,
    Struct,
    quoted,
    read_handles,
    with_minus_sign,
)

LEVELS = ("average", "medium", "high", "special", "critical")
"""The success levels, starting with the lowest (ROL-06)."""

MOST_ROWS = 100

BANDS4: Mapping[str, Any] = {
    "name": "bands4",
    "version": 1,
    "reconstructed": True,
    "rows": [{"from": 1, "least": [0, 4, 8, 12, 16]}],
}
FIFTHS: Mapping[str, Any] = {"name": "fifths", "version": 1, "reconstructed": True, "shares": len(LEVELS)}
BUILT_IN_TABLES: Mapping[str, Mapping[str, Any]] = {"bands4": BANDS4, "fifths": FIFTHS}

TABLE_PATTERN = re.compile(r"(?P<name>[^/:]*)/(?P<version>[^/:]*):(?P<rows>.*)", re.DOTALL)
ROW_PATTERN = re.compile(r"(?P<first>[0-9]{1,12})(?:-(?P<last>[0-9]{1,12})|\+)=(?P<least>[0-9]{1,12}(?:,[0-9]{1,12})*)")
TABLE_HINT = (
    "Type your own table as NAME/VERSION:FROM-TO=MARGINS. FROM-TO is a range of difficulty"
    " numbers. MARGINS is five numbers: the lowest margin for each of the five levels. For"
    " example: mine/1:1-10=0,2,4,6,8:11+=0,4,8,12,16."
)


class LevelMargins(Struct):
    """A row of a table: the least margin of each level, for difficulty numbers `first` to `last` (`None`: no limit)."""

    first: int
    last: int | None
    least: tuple[int, ...]


class Levels(Struct):
    """A parsed table of success levels. If `rows` is empty, the table uses `shares`."""

    name: str
    version: int
    reconstructed: bool
    rows: tuple[LevelMargins, ...]

    def __str__(self) -> str:
        return f"{self.name}, reconstructed" if self.reconstructed else self.name

    def row(self, number: int) -> LevelMargins | None:
        """Return the row for a difficulty number.

        Return `None` for a table with `shares`, and for a number below 1, with which no roll succeeds. Raise `Refused`
        for any other number without a row.
        """
        if not self.rows or number < 1:
            return None
        for row in self.rows:
            if row.first <= number and (row.last is None or number <= row.last):
                return row
        raise Refused(
            f"The table {self.name}/{self.version} has no row for a difficulty number of {number}.",
            f"Show the table with {Run('settings', 'rollunder')}.",
        )

    def level(self, number: int, roll: int) -> int:
        """Return the level of a successful roll, as an index of `LEVELS`."""
        row = self.row(number)
        if row is None:
            return len(LEVELS) - fifths_of_number(number, roll)
        return max(place for place, least in enumerate(row.least) if number - roll >= least)


def fifths_of_number(number: int, roll: int) -> int:
    """Express a roll in fifths of the difficulty number, rounded up: 1 to 5 for a success."""
    return -(-len(LEVELS) * roll // number)


def read_table(typed: str) -> Mapping[str, Any]:
    """Read the name of a built-in table, or a table in the form of `TABLE_HINT`. Raise `BadInput` for other texts."""
    try:
        data = _read_data(typed)
        levels_in(data)
    except Refused as refused:
        raise BadInput(refused.sentence, refused.hint) from None
    return data


def table_text(data: Any) -> str:
    """Describe a table in words, with its name, version and margins."""
    table = levels_in(data)
    title = f"{table.name}, version {table.version}{', reconstructed' if table.reconstructed else ''}"
    if not table.rows:
        return (
            f"{title}: a roll of up to one fifth of the difficulty number is critical. A roll above four fifths of the"
            " difficulty number is average"
        )
    return f"{title}: {'; '.join(map(_row_in_words, table.rows))}"


def _row_in_words(row: LevelMargins) -> str:
    numbers = f"{row.first} and up" if row.last is None else f"{row.first} to {row.last}"
    least = ", ".join(f"{name} {margin}" for name, margin in zip(LEVELS, row.least, strict=True))
    return f"margins for difficulty numbers {numbers}: {least}"


def levels_in(table: Any) -> Levels:
    """Parse a table from its data or from a typed text. Raise `Refused` if the table is not valid."""
    data = _read_data(table) if isinstance(table, str) else table
    if not isinstance(data, Mapping):
        raise Refused(
            "A program must send the name of a table, or a JSON object with the fields 'name', 'version' and 'rows'.",
            TABLE_HINT,
        )
    shape = {"name", "version", "shares" if "shares" in data else "rows"}
    _check_fields(data, "A table", shape, {"reconstructed"})
    _check_name(data)
    if "shares" in data and not (_is_whole(data["shares"]) and data["shares"] == len(LEVELS)):
        raise Refused(
            "Each level gets an equal part of the difficulty number, so the field 'shares' must be"
            f" the number of levels: {len(LEVELS)}."
        )
    rows = () if "shares" in data else _read_rows(data["rows"])
    return Levels(name=data["name"], version=data["version"], reconstructed=bool(data.get("reconstructed")), rows=rows)


def _read_data(typed: str) -> Mapping[str, Any]:
    if typed in BUILT_IN_TABLES:
        return BUILT_IN_TABLES[typed]
    match = TABLE_PATTERN.fullmatch(typed)
    if match is None:
        raise Refused(
            f"There is no table called {quoted(typed)}; the built-in tables are {' and '.join(BUILT_IN_TABLES)}.",
            TABLE_HINT,
        )
    version = match["version"]
    rows = []
    for part in match["rows"].split(":"):
        row = ROW_PATTERN.fullmatch(part)
        if row is None:
            raise Refused(f"{quoted(part)} is not a row of a table.", TABLE_HINT)
        least = [int(margin) for margin in row["least"].split(",")]
        rows.append({"from": int(row["first"]), **({"to": int(row["last"])} if row["last"] else {}), "least": least})
    return {
        "name": match["name"],
        "version": int(version) if re.fullmatch("[0-9]{1,12}", version) else version,
        "rows": rows,
    }


def _check_name(data: Mapping[str, Any]) -> None:
    name, version, reconstructed = data["name"], data["version"], data.get("reconstructed")
    if not (isinstance(name, str) and game.HANDLE_PATTERN.fullmatch(name)):
        raise Refused(
            "A table's name can contain only lowercase letters, digits and hyphens, for example my-table.", TABLE_HINT
        )
    if not (_is_whole(version) and version >= 1):
        raise Refused("A table's version must be a whole number, 1 or higher.", TABLE_HINT)
    if not isinstance(reconstructed, bool | None):
        raise Refused("The table's field 'reconstructed' must be true or false.")
    if name in BUILT_IN_TABLES and not reconstructed:
        raise Refused(f"{name} is a built-in table; choose a different name for your own.", TABLE_HINT)


def _read_rows(data: Any) -> tuple[LevelMargins, ...]:
    if not isinstance(data, list | tuple) or not 1 <= len(data) <= MOST_ROWS:
        raise Refused(f"A table needs 1 to {MOST_ROWS} rows.", TABLE_HINT)
    rows = tuple(map(_read_row, data))
    for before, row in pairwise(rows):
        if before.last is None:
            raise Refused(f"The row from {before.first} up has no end, so it must be the last row.", TABLE_HINT)
        next_number = before.last + 1
        if row.first != next_number:
            says = f"After the row from {before.first} to {before.last}, the next row must start at {next_number}"
            raise Refused(f"{says}, not {row.first}.", TABLE_HINT)
    return rows


def _read_row(data: Any) -> LevelMargins:
    if not isinstance(data, Mapping):
        raise Refused(
            "Send each row as a JSON object with the fields 'from', 'to' and 'least' (the lowest margin per level).",
            TABLE_HINT,
        )
    _check_fields(data, "A row", {"from", "least"}, {"to"})
    first, last = data["from"], data.get("to")
    if not (_is_whole(first) and (last is None or _is_whole(last))):
        raise Refused("A row must start and end with a whole number.", TABLE_HINT)
    if first < 1:
        raise Refused(
            f"The row from {first} starts below 1, but no roll can succeed against a difficulty number below 1.",
            TABLE_HINT,
        )
    if last is not None and last < first:
        raise Refused(f"The row from {first} to {last} ends before it starts.", TABLE_HINT)
    return LevelMargins(first=first, last=last, least=_read_margins(data["least"], f"the row from {first}"))


def _read_margins(data: Any, where: str) -> tuple[int, ...]:
    if not isinstance(data, list | tuple) or len(data) != len(LEVELS) or not all(map(_is_whole, data)):
        raise Refused(f"Each row needs {len(LEVELS)} margins, one for each level; check {where}.", TABLE_HINT)
    if data[0] != 0:
        raise Refused(f"The first margin must be 0, but in {where} it is {data[0]}.", TABLE_HINT)
    if any(later <= margin for margin, later in pairwise(data)):
        raise Refused(f"The margins must increase from level to level, but in {where} they do not.", TABLE_HINT)
    return tuple(data)


def _check_fields(data: Mapping[str, Any], what: str, needed: set[str], allowed: set[str]) -> None:
    missing, unknown = sorted(needed - set(data)), sorted(set(data) - needed - allowed)
    if missing:
        raise Refused(f"{what} needs {' and '.join(missing)}.", TABLE_HINT)
    if unknown:
        raise Refused(f"{what} has no field called {quoted(unknown[0])}.", TABLE_HINT)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= game.MAX_SHEET_NUMBER


SCORES = (
    Score(
        name="characteristic.*",
        unit="characteristic",
        says="a characteristic; skills are based on one or more (ROL-02)",
        shown_at_zero=True,
    ),
    Score(name="skill.*", unit="level", says="the level of a skill, 0 or higher (ROL-02)", shown_at_zero=True),
)


MARKS = (
    MarkSpec(
        name="on.*",
        says="the characteristic that a skill uses; separate several with commas to use their average (ROL-02)",
        read=read_handles,
        of="characteristic",
    ),
)


SETTINGS = (
    Setting(
        name="levels",
        says="the table of success levels (ROL-07): bands4, fifths, or your own, like"
        " mine/1:1-10=0,2,4,6,8:11+=0,4,8,12,16. The game's original table is lost; bands4 and fifths are"
        " reconstructions of it",
        default=BANDS4,
        read=read_table,
        shows=table_text,
    ),
)


def rows(sheet: SheetView) -> tuple[game.Row, ...]:
    """Return the rows of a sheet: characteristics, then skills with their difficulty numbers."""
    characteristics = (
        game.Row(label=name, value=with_minus_sign(value), shows=(f"characteristic.{name}",))
        for name, value in sheet.scores_of("characteristic").items()
    )
    return (*characteristics, *(_skill_row(sheet, name, level) for name, level in sheet.scores_of("skill").items()))


def _skill_row(sheet: SheetView, name: str, level: int) -> game.Row:
    value, on = f"level {with_minus_sign(level)}", sheet.marks.get(f"on.{name}", ())
    scores = {base: sheet.scores.get(f"characteristic.{base}") for base in on}
    known = [score for score in scores.values() if score is not None]
    if len(known) < len(on):
        lacking = [base for base, score in scores.items() if score is None]
        value = f"{value}, based on {', '.join(on)}; missing from the sheet: {', '.join(lacking)}"
    elif on:
        formula = ", ".join(f"{base} {with_minus_sign(score)}" for base, score in zip(on, known, strict=True))
        number = with_minus_sign((level * len(on) + sum(known)) // len(on))
        ability = f"the average of {formula}" if len(on) > 1 else formula
        value = f"{number}: {value} and {ability}"
    return game.Row(label=name, value=value, shows=(f"skill.{name}", f"on.{name}"))
