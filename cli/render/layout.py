"""The layout of a printed text: lines that fit the terminal, and only symbols that the output can encode.

Lines break only between words. The rest of a line is indented to align with its text. Color codes have no width.
"""

from __future__ import annotations

import re
from codecs import register_error
from collections.abc import Mapping
from os import get_terminal_size
from typing import TextIO

USUAL_WIDTH = 80
"""The width in columns if the terminal does not report one."""

COLOR_CODE = r"\x1b\[[0-9;]*m"
RESET = "\x1b[0m"

WORD_PATTERN = r"( *)(\[[0-9 ]+\]|(?:[^ ]*[✓✗?] )?[^ ]+(?: [^ ]+ (?:→|->) [^ ]+)?)"
"""A pattern for a word and the spaces before it. `[8 4]`, `✓ success` and `edge 3 → 2` count as one word each."""

LEAD_PATTERN = (
    r"(?P<begin> *(?:(?P<tree>├─|│|└─|\|-|\||`-) +)?)"
    r"(?:(?:[+−-]\d+ (?:→|->) [−-]?\d+ +)?(?:would be )?#\d+ +|[^ ]+(?: [^ ]+)? {2,})?"
)
"""A pattern for the start of a line: spaces, a tree symbol, and an entry number or a label of up to two words."""

NEXT_TREE_SYMBOL = {"├─": "│", "│": "│", "└─": " ", "|-": "|", "|": "|", "`-": " "}
"""Tree symbols. If a line starts with a key of this mapping and is wrapped, the next line starts with its value."""

HANGING_INDENT = 2
MOST_LEAD_SHARE = 1 / 3
"""The maximum width of a line's start, as a share of the line. After a wider start, `HANGING_INDENT` is used."""

ENCODING_HANDLER = "spelled"
REPLACEMENTS: Mapping[str, str] = {
    "✓": "ok", "✗": "failed", "→": "->", "←": "<-", "·": "-", "…": "...", "−": "-", "–": "-", "—": "-", "±": "+-",
    "×": "x", "²": "^2", "≥": ">=", "≤": "<=", "≠": "!=", "├": "|", "└": "`", "│": "|", "─": "-", "█": "#",
    "“": '"', "”": '"', "‘": "'", "’": "'",
}  # fmt: skip
"""The replacements for symbols that an encoding lacks. Other characters that it lacks become escapes."""


FIRST_UNUSUAL_CHARACTER = "\u0300"
"""The first character whose width must be looked up. Every character before this one is one column wide."""


def terminal_columns(stream: TextIO | None) -> int | None:
    """Return the width of a stream's terminal in columns; `None` if the stream is not a terminal."""
    if stream is None or not stream.isatty():
        return None
    return get_terminal_size(stream.fileno()).columns or USUAL_WIDTH


def fitted_lines(text: str, stream: TextIO | None) -> list[str]:
    """Replace symbols that the stream cannot encode. If the stream is a terminal, also break the text into lines."""
    shown, width = encodable(text, stream), terminal_columns(stream)
    return [shown] if width is None or len(shown) * 2 <= width else wrap(shown, width)


def encodable(text: str, stream: TextIO | None) -> str:
    """Return a text with replacements for the characters that a stream cannot encode."""
    if text.isascii() or stream is None:
        return text
    return text.encode(stream.encoding, ENCODING_HANDLER).decode(stream.encoding)


def _replace_unencodable(failed: UnicodeError) -> tuple[str, int]:
    assert isinstance(failed, UnicodeEncodeError)  # noqa: S101  it is used only for encoding
    marks = failed.object[failed.start : failed.end]
    spelt = (REPLACEMENTS.get(mark) or mark.encode("ascii", "backslashreplace").decode() for mark in marks)
    return "".join(spelt), failed.end


register_error(ENCODING_HANDLER, _replace_unencodable)


def display_width(text: str) -> int:
    """Return the width of a text in columns: color codes count 0, wide characters 2, combining characters 0."""
    if all(each < FIRST_UNUSUAL_CHARACTER or each in REPLACEMENTS for each in text):
        return len(re.sub(COLOR_CODE, "", text))
    from wcwidth import width  # its tables take 20 ms to load

    return width(text)


def wrap(text: str, width: int, lead: str | None = None) -> list[str]:
    """Break a text into lines of at most `width` columns. Only a line of one word may be longer.

    Lines after the first start with `lead` (default: blanks that align the text). Colors continue in the next line.
    """
    lead = _lead(text, width) if lead is None else lead
    lines, line, style = [], "", ""
    for gap, word in re.findall(WORD_PATTERN, text):
        if line.strip() and display_width(line + gap + word) > width:
            lines.append(f"{line}{RESET}" if style else line)
            line = f"{lead}{style}{word}"
        else:
            line += gap + word
        for code in re.findall(COLOR_CODE, word):
            style = "" if code == RESET else style + code
    return [*lines, line]


def _lead(text: str, width: int) -> str:
    """Return the text at the start of each wrapped line except the first one.

    If the first line starts with a tree symbol, this text starts with the value of the symbol in `NEXT_TREE_SYMBOL`.
    The rest is spaces, so that all lines of the text are aligned.
    """
    match = re.match(LEAD_PATTERN, re.sub(COLOR_CODE, "", text))
    assert match is not None  # noqa: S101  the pattern matches any text
    begin, tree, under = match["begin"], match["tree"], display_width(match[0])
    if under == len(begin) or under > width * MOST_LEAD_SHARE:
        under = len(begin) + HANGING_INDENT
    before = begin.replace(tree, NEXT_TREE_SYMBOL[tree]) if tree else ""
    return before.ljust(under)
