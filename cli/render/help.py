"""Help: the page of a command, which fits a screen of 24 lines of 80 columns.

What finds no room there is only named; `campaign -v COMMAND --help` tells all.
"""

from __future__ import annotations

from collections.abc import Sequence

from cli.render.layout import USUAL, breadth, broken

LINES = 24
WIDEST = 100
"""However wide the terminal is, a page is no wider."""

MOST_FIRST = 32
"""A name that is longer has a line of its own, as has one that takes more than two fifths of the line."""


def laid(text: str, width: int, under: int) -> list[str]:
    """A text in lines of a width, the further ones under a column."""
    return broken(text, width, " " * under)


def rows_of(rows: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Names, each with its text beside it."""
    most = min(MOST_FIRST, width * 2 // 5)
    column = max((breadth(name) for name, _ in rows if breadth(name) <= most), default=0) + 4
    lines = []
    for name, text in rows:
        if breadth(name) > most:
            lines += [f"  {name}", *laid(" " * column + text, width, column)]
        else:
            lines += laid(f"  {name:<{column - 4}}  {text}".rstrip(), width, column)
    return lines


class Page:
    """A page of help. `rows` has names with their texts, those that go first by `ranks`, 0 the first to be told."""

    def __init__(
        self, usage: str, text: str, heading: str, rows: Sequence[tuple[str, str]], ranks: Sequence[int]
    ) -> None:
        self.usage = usage
        self.paragraphs = [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
        self.heading = heading
        self.rows = rows
        self.ranks = ranks
        self.examples: Sequence[str] = ()
        self.near: Sequence[str] = ()
        self.more = ""
        """The command that shows the options that do not fit."""

    def fitting(self, width: int) -> list[str]:
        """The page in lines of a width, with as many rows as fit a screen of the usual width."""
        fits, most = 0, len(self.rows) + 1
        while most - fits > 1:
            middle = len(self.rows) if most > len(self.rows) else (fits + most) // 2
            fits, most = (middle, most) if len(self.lines(USUAL, middle)) <= LINES else (fits, middle)
        return self.lines(width, fits)

    def lines(self, width: int, most: int) -> list[str]:
        """The page in lines of a width; `most` rows are told, the others named."""
        width = min(width, WIDEST)
        first = sorted(range(len(self.rows)), key=lambda place: (self.ranks[place], place))[:most]
        told = [self.rows[place] for place in sorted(first)]
        named = [name for place, (name, _) in enumerate(self.rows) if place not in first]
        if named:
            room = USUAL - 4 - max((breadth(name) for name, _ in told), default=0)
            told = [(name, clause(text, room)) for name, text in told]
        lines = laid(self.usage, width, 4)
        for paragraph in self.paragraphs:
            lines += ["", *laid(f"  {paragraph}", width, 2)]
        if self.rows:
            lines += ["", f"{self.heading}:", *rows_of(told, width)]
        if named:
            lines += laid(f"  Not shown: {', '.join(named)}. To see all: {self.more}", width, 4)
        if self.examples:
            lines += ["", "Examples:" if len(self.examples) > 1 else "Example:"]
            for example in self.examples:
                lines += laid(f"  campaign {example}", width, 6)
        if self.near:
            lines += laid(f"See also: {', '.join(self.near)}.", width, 2)
        return lines


def clause(text: str, room: int) -> str:
    """Shorten a text to the clauses that fit; return all of it if not even the first one does.

    A cut at a comma may fall into a list, so that three dots show it.
    """
    if len(text) <= room:
        return text
    for marks in ("; ", ". ", "] ", " ("), (": ",), (", ",):
        end = max(text.rfind(mark, 0, room) for mark in marks)
        if end > 0:
            return text[:end] + {"]": "]", ",": " ..."}.get(text[end], ".")
    return text
