"""Layout: a text in lines of a terminal's width, and in the marks that its encoding has.

Lines break between words alone, and what goes on hangs under its text. Codes of color have no breadth.
"""

from __future__ import annotations

import re
from codecs import register_error
from collections.abc import Mapping
from os import get_terminal_size
from typing import TextIO

USUAL = 80
"""The columns of a terminal that does not say how many it has."""

CODE = r"\x1b\[[0-9;]*m"
RESET = "\x1b[0m"
"""The codes that turn color on and off."""

WORDS = r"( *)(\[[0-9 ]+\]|(?:[^ ]*[✓✗?] )?[^ ]+(?: [^ ]+ (?:→|->) [^ ]+)?)"
"""A word with the gap before it; one is also a mark with the word after it, the dice, and a change: edge 3 → 2."""

LEAD = (
    r"(?P<begin> *(?:(?P<tree>├─|│|└─|\|-|\||`-) +)?)"
    r"(?:(?:[+−-]\d+ (?:→|->) [−-]?\d+ +)?(?:would be )?#\d+ +|[^ ]+(?: [^ ]+)? {2,})?"
)
"""The start of a line before its text: indentation, tree, and the number of an entry or a label of two words."""

TREE = {"├─": "│", "│": "│", "└─": " ", "|-": "|", "|": "|", "`-": " "}
"""The marks that continue the tree of a line in the lines below it."""

HANG = 2
MOST_LEAD = 1 / 3
"""The share of a line that may be left empty for a text to go on under itself; else it hangs by `HANG`."""

SPELLS = "spelled"
SPELLED: Mapping[str, str] = {
    "✓": "ok", "✗": "failed", "→": "->", "←": "<-", "·": "-", "…": "...", "−": "-", "–": "-", "—": "-", "±": "+-",
    "×": "x", "²": "^2", "≥": ">=", "≤": "<=", "≠": "!=", "├": "|", "└": "`", "│": "|", "─": "-", "█": "#",
    "“": '"', "”": '"', "‘": "'", "’": "'",
}  # fmt: skip
"""The spelling of a mark that an encoding lacks; a letter becomes an escape."""


MAYBE_WIDE = "\u0300"
"""The first character that may take another number of columns than one."""


def columns(stream: TextIO | None) -> int | None:
    """The width of the terminal of a stream, in columns; `None` if the stream goes elsewhere."""
    if stream is None or not stream.isatty():
        return None
    return get_terminal_size(stream.fileno()).columns or USUAL


def laid_out(text: str, stream: TextIO | None) -> list[str]:
    """A line with invisible characters escaped, broken to the width of the terminal if the stream is one."""
    shown, width = spelled(text, stream), columns(stream)
    return [shown] if width is None or len(shown) * 2 <= width else broken(shown, width)


def spelled(text: str, stream: TextIO | None) -> str:
    """A text with the marks spelled that a stream cannot encode."""
    if text.isascii() or stream is None:
        return text
    return text.encode(stream.encoding, SPELLS).decode(stream.encoding)


def _spelled(failed: UnicodeError) -> tuple[str, int]:
    assert isinstance(failed, UnicodeEncodeError)  # noqa: S101  only writing asks for it
    marks = failed.object[failed.start : failed.end]
    spelt = (SPELLED.get(mark) or mark.encode("ascii", "backslashreplace").decode() for mark in marks)
    return "".join(spelt), failed.end


register_error(SPELLS, _spelled)


def breadth(text: str) -> int:
    """The width of a text in columns: color codes 0, wide characters 2, combining characters 0."""
    if all(each < MAYBE_WIDE or each in SPELLED for each in text):
        return len(re.sub(CODE, "", text))
    from wcwidth import width  # its tables take 20 ms to load

    return width(text)


def broken(text: str, width: int, lead: str | None = None) -> list[str]:
    """Break a text into lines of a width; only a single word may be longer. Colors continue in the next line.

    Further lines start with `lead`, or are aligned with the start of the text.
    """
    lead = _lead(text, width) if lead is None else lead
    lines, line, style = [], "", ""
    for gap, word in re.findall(WORDS, text):
        if line.strip() and breadth(line + gap + word) > width:
            lines.append(f"{line}{RESET}" if style else line)
            line = f"{lead}{style}{word}"
        else:
            line += gap + word
        for code in re.findall(CODE, word):
            style = "" if code == RESET else style + code
    return [*lines, line]


def _lead(text: str, width: int) -> str:
    """The start of the further lines of a text: its tree continues, and the text is aligned."""
    found = re.match(LEAD, re.sub(CODE, "", text))
    assert found is not None  # noqa: S101  it matches nothing at all, too
    begin, tree, under = found["begin"], found["tree"], breadth(found[0])
    if under == len(begin) or under > width * MOST_LEAD:
        under = len(begin) + HANG
    before = begin.replace(tree, TREE[tree]) if tree else ""
    return before.ljust(under)
