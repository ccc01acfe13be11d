"""The help page of a command, which fits a screen of 24 lines and 80 columns.

Options that do not fit are only listed by name; `campaign -v COMMAND --help` describes all options.
"""

from __future__ import annotations

from collections.abc import Sequence

from cli.render.layout import USUAL_WIDTH, display_width, wrap
from ledger.values import Struct

SCREEN_LINES = 24
WIDEST_PAGE = 100
"""The maximum width of a help page in columns, even on a wider terminal."""

WIDEST_NAME = 32
"""The maximum width, in columns, of a name beside its text. On a narrow terminal, the limit is 2/5 of the width."""


def wrap_indented(text: str, width: int, under: int) -> list[str]:
    """Break a text into lines of at most `width` columns. All but the first are indented by `under` columns."""
    return wrap(text, width, " " * under)


def rows_of(rows: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Return lines with each name and its text. The text is beside the name, or below a long name."""
    most = min(WIDEST_NAME, width * 2 // 5)
    column = max((display_width(name) for name, _ in rows if display_width(name) <= most), default=0) + 4
    lines = []
    for name, text in rows:
        if display_width(name) > most:
            lines += [f"  {name}", *wrap_indented(" " * column + text, width, column)]
        else:
            lines += wrap_indented(f"  {name:<{column - 4}}  {text}".rstrip(), width, column)
    return lines


class Page(Struct):
    """A help page. Each of the `rows` has a name, its text and a rank.

    If not all rows fit, those with the highest ranks are shown only by name. `more` is the command that shows all rows.
    """

    usage: str
    text: str
    heading: str
    rows: Sequence[tuple[str, str, int]]
    examples: Sequence[str]
    similar: str
    more: str

    def fitting_lines(self, width: int) -> list[str]:
        """Return the page in lines of at most `width` columns, with as many full rows as fit a screen of 24 lines."""
        from bisect import bisect  # only a help page needs it

        most = len(self.rows)
        if len(self.lines(USUAL_WIDTH, most)) > SCREEN_LINES:
            most = max(bisect(range(most), SCREEN_LINES, key=lambda rows: len(self.lines(USUAL_WIDTH, rows))) - 1, 0)
        return self.lines(width, most)

    def lines(self, width: int, most: int) -> list[str]:
        """Return the page in lines of at most `width` columns. Show `most` rows in full, and the others by name."""
        width = min(width, WIDEST_PAGE)
        first = sorted(range(len(self.rows)), key=lambda place: (self.rows[place][2], place))[:most]
        full_rows = [self.rows[place][:2] for place in sorted(first)]
        left_out = [name for place, (name, *_) in enumerate(self.rows) if place not in first]
        if left_out:
            room = USUAL_WIDTH - 4 - max((display_width(name) for name, _ in full_rows), default=0)
            full_rows = [(name, shorten_to_clauses(text, room)) for name, text in full_rows]
        lines = wrap_indented(self.usage, width, 4)
        for paragraph in filter(None, map(str.split, self.text.split("\n\n"))):
            lines += ["", *wrap_indented(f"  {' '.join(paragraph)}", width, 2)]
        if self.rows:
            lines += ["", f"{self.heading}:", *rows_of(full_rows, width)]
        if left_out:
            lines += wrap_indented(f"  Not shown: {', '.join(left_out)}. To see all: {self.more}", width, 4)
        if self.examples:
            lines += ["", "Examples:" if len(self.examples) > 1 else "Example:"]
            for example in self.examples:
                lines += wrap_indented(f"  campaign {example}", width, 6)
        if self.similar:
            lines += wrap_indented(f"See also: {self.similar}.", width, 2)
        return lines


def shorten_to_clauses(text: str, room: int) -> str:
    """Shorten a text to the clauses that fit into `room` characters. If no clause fits, return the whole text.

    If the text is cut at a comma, add three dots, because the cut may be inside a list.
    """
    if len(text) <= room:
        return text
    for marks in ("; ", ". ", "] ", " ("), (": ",), (", ",):
        end = max(text.rfind(mark, 0, room) for mark in marks)
        if end > 0:
            return text[:end] + {"]": "]", ",": " ..."}.get(text[end], ".")
    return text
