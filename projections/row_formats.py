"""The rows of a view as CSV, as Markdown, or as one HTML page. They are the flattened rows of `--json`.

A value inside an object gets a column with a dotted name, such as `verdict.total`. A list of words becomes one text,
such as `Ana, Tom`. Any other list stays JSON. If a view names a list in its rows, each item of this list is a row.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import chain
from operator import methodcaller
from typing import Any

MOST_BYTES_IN_MEMORY = 2**24
"""The number of bytes of rows that are kept in memory. If there are more, a temporary file keeps all rows."""

FORMULA_SIGNS = r"=+\-@＝＋－＠"
"""The signs with which a formula can start."""

CELL_START_PATTERN = re.compile(rf'^(?=[{FORMULA_SIGNS}\t\r\n])|(?<=[;\t\r\n])(?="*[{FORMULA_SIGNS}])')
"""A pattern for the place before a possible formula.

A spreadsheet may also start a cell after a semicolon, a tab or a line end.
"""

MARKUP_PATTERN = re.compile(
    r"[\\`*_\[\]{}<>~^$|#]|&(?=[#\w])|(?<=:)[:/]|=(?==)|(?<==)=|%(?=[%>])|(?<=[<%])%|(?<=[wW]{3})\."
)
r"""A pattern for characters that are part of markup: of Markdown, HTML, wiki links (`[[`), tags (`#`), block ids (`^`),
comments and templates (`%`), math (`$`), and the fields of Dataview (`::`). A slash after a colon, or a dot after
`www`, would make a link.
"""

LIST_OR_TITLE_START_PATTERN = re.compile(r"^(\d*)([-+#=.)])")
"""A pattern for the start of a line that Markdown would read as a list or a title."""

ENTRY_NUMBER_PATTERN = re.compile(r"#\d+(?![\w/-])")
"""A pattern for the number of an entry, such as "#12". This is not a tag, because a tag needs a letter."""

LINE_END_PATTERN = re.compile(r"\r\n|[\r\n\u2028\u2029]")

MOST_COLUMNS = 8
"""The number of columns that a table in Markdown or HTML shows side by side. If there are more, each row is a list."""

PAGE_STYLE = """\
body { font: 11pt/1.4 system-ui, sans-serif; margin: 1em; color: #222; background: #fff }
table { border-collapse: collapse }
th, td { text-align: left; vertical-align: top; padding: .2em .6em; border-bottom: 1px solid #bbb }
td { overflow-wrap: anywhere }
.number { text-align: right; font-variant-numeric: tabular-nums }
tr { break-inside: avoid }
tr:target { background: #fff3c4 }
a { color: inherit }
.wide thead { display: none }
.wide tr, .wide td { display: block; text-align: left }
.wide tr { margin-bottom: 1.5em; border-top: 2px solid #222 }
.wide td:empty { display: none }
.wide td::before { content: attr(data-column) ": "; color: #666 }
@media (max-width: 40em) {
thead { display: none }
tr, td, .number { display: block; text-align: left }
tr { margin-bottom: 1.5em; border-top: 2px solid #222 }
td:empty { display: none }
td::before { content: attr(data-column) ": "; color: #666 }
}
@page { margin: 2cm }
@media print { body { font-size: 10pt; margin: 0 } }"""

Row = Mapping[str, Any]


def table_lines(form: str, rows: Iterable[Any], title: str, key: Sequence[str], each: str) -> Iterator[str]:
    """Yield the lines of rows in the format `form`: csv, markdown or html. Without rows, only HTML has lines.

    `key` has the columns that identify a row. They come first, and HTML makes anchors of them. `each` is the path of a
    list in the rows: each item of this list becomes a row. CSV also has the columns that are empty in every row.
    """
    from tempfile import SpooledTemporaryFile  # `--json` needs neither

    columns: dict[str, None] = {}
    filled: set[str] = set()
    with SpooledTemporaryFile(MOST_BYTES_IN_MEMORY, "w+", encoding="ascii") as file:
        for row in rows:
            plain_row = json.loads(json.dumps(row, default=methodcaller("as_json")))
            for part in with_list_spread(plain_row, each):
                flat = dict(flattened(part))
                columns |= dict.fromkeys(flat)
                filled.update(column for column, value in flat.items() if cell_text(value))
                file.write(f"{json.dumps(flat)}\n")
        file.seek(0)
        flat_rows = map(json.loads, file)
        shown = [column for column in columns if form == "csv" or column in filled]
        names = sorted(shown, key=lambda column: key.index(column) if column in key else len(key))
        if form == "html":
            yield from html_lines(names, flat_rows, title, key)
        elif names:
            yield from {"csv": csv_lines, "markdown": markdown_lines}[form](names, flat_rows)


def with_list_spread(row: dict[str, Any], path: str) -> Iterator[dict[str, Any]]:
    """Yield one row for each item of the list at `path`, such as `scenes.lines`.

    If the row has no such list, yield the row unchanged.
    """
    name, _, rest = path.partition(".")
    items = row.get(name)
    if not (isinstance(items, list) and items):
        yield row
        return
    for item in items:
        yield from ({**row, name: part} for part in (with_list_spread(item, rest) if rest else [item]))


def flattened(row: Row, before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the columns of a row with their values. Parts of an object get dotted names.

    All names start with `before`.
    """
    for name, value in row.items():
        if isinstance(value, dict):
            yield from flattened(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def cell_text(value: Any) -> str:
    """Return a value as the text of a cell. Numbers are as in JSON; null and an empty list become ""."""
    if isinstance(value, str):
        return value
    if value is None or value == []:
        return ""
    if isinstance(value, list) and all(isinstance(each, str) and each.strip() and "," not in each for each in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def csv_lines(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    """Yield the records of a CSV file (RFC 4180), without their line ends.

    A text that a spreadsheet may take for a formula gets an apostrophe before it.
    """
    import csv
    from io import StringIO

    for record in chain([columns], ([row.get(column) for column in columns] for row in rows)):
        text = StringIO()
        csv.writer(text).writerow(map(_without_formula, record))
        yield text.getvalue().removesuffix("\r\n")


def _without_formula(value: Any) -> str:
    text = cell_text(value)
    return text if isinstance(value, int | float) else CELL_START_PATTERN.sub("'", text)


def markdown_text(text: str) -> str:
    """Escape a text for use inside a line of Markdown, so that it shows as typed: no markup, no link, no line end."""
    escaped = MARKUP_PATTERN.sub(
        lambda sign: sign[0] if ENTRY_NUMBER_PATTERN.match(text, sign.start()) else f"\\{sign[0]}", text
    )
    return LINE_END_PATTERN.sub("<br>", escaped)


def markdown_lines(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of a table in GitHub's Markdown, or of a list for each row if the table would be too wide."""
    if len(columns) > MOST_COLUMNS:
        yield from _markdown_lists(columns, rows)
        return
    yield _markdown_row([*map(markdown_text, columns)])
    yield _markdown_row(["---"] * len(columns))
    for row in rows:
        yield _markdown_row([markdown_text(cell_text(row.get(column))) for column in columns])


def _markdown_lists(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    """Yield each row as a list of names and values, without the empty values. A line separates the rows."""
    for place, row in enumerate(rows):
        yield from ("", "---", "") if place else ()
        cells = ((column, cell_text(row.get(column))) for column in columns)
        yield from (f"- {markdown_text(column)}: {markdown_text(text)}" for column, text in cells if text)


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def html_start(title: str, style: str) -> Iterator[str]:
    """Yield the first lines of an HTML page. Its content policy forbids all scripts and downloads."""
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(title)}</title>"
    yield "<style>"
    yield from style.split("\n")
    yield "</style></head><body>"


def html_text(text: str) -> str:
    """Escape a text for an HTML page, so that it shows as typed."""
    return LINE_END_PATTERN.sub("<br>", escape(text))


def html_lines(columns: Sequence[str], rows: Iterable[Row], title: str, key: Sequence[str]) -> Iterator[str]:
    """Yield the lines of an HTML page with a table. The columns in `key` make the `id` of a row."""
    yield from html_start(title, PAGE_STYLE)
    yield f"<h1>{html_text(title)}</h1>"
    if columns:
        yield "<table class=wide>" if len(columns) > MOST_COLUMNS else "<table>"
        yield f"<thead><tr>{''.join(f'<th scope=col>{html_text(column)}</th>' for column in columns)}</tr></thead>"
        yield "<tbody>"
        anchor = _anchors(key)
        for row in rows:
            name = anchor(row)
            start = f'<tr id="{name}">' if name else "<tr>"
            yield f"{start}{''.join(_html_cell(column, row, key, name) for column in columns)}</tr>"
        yield "</tbody></table>"
    else:
        yield "<p>There are no rows.</p>"
    yield "</body></html>"


def _html_cell(column: str, row: Row, key: Sequence[str], anchor: str) -> str:
    value = row.get(column)
    text = html_text(cell_text(value))
    if not text:
        return "<td></td>"
    kind = " class=number" if isinstance(value, int | float) and not isinstance(value, bool) else ""
    linked = f'<a href="#{anchor}">{text}</a>' if anchor and column == key[0] else text
    return f'<td{kind} data-column="{escape(column)}">{linked}</td>'


def _anchors(key: Sequence[str]) -> Callable[[Row], str]:
    """Return a function that makes a unique `id` for each row from the columns in `key`: `entry-17`, `mara-edge`."""
    used: set[str] = set()
    last_numbers = defaultdict[str, int](lambda: 1)

    def anchor(row: Row) -> str:
        name = fresh = "-".join(filter(None, (_anchor_part(column, row.get(column)) for column in key)))
        while fresh in used:
            last_numbers[name] += 1
            fresh = f"{name}-{last_numbers[name]}"
        used.update([fresh] if name else [])
        return fresh

    return anchor


def _anchor_part(column: str, value: Any) -> str:
    words = re.sub(r"[^\w]+", "-", cell_text(value).lower()).strip("-")
    return f"entry-{words}" if words and column.rpartition(".")[2] in {"seq", "entry"} else words
