"""The manual page of a command, for the Unix program `man`. It has the texts of the command's full help page.

A manual page is written in troff: lines with a leading dot are instructions. The text is ASCII, so that every version
of `man` can read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

ESCAPES: Mapping[str, str] = {"\\": r"\(rs", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"}
"""Characters that troff would change or interpret, each with its escape. `\\-` prints a hyphen that can be copied."""


def manual(
    path: str,
    summary: str,
    usage: str,
    text: str,
    lists: Mapping[str, Sequence[tuple[str, str]]],
    examples: Sequence[str],
    similar: str,
    version: str,
) -> str:
    """Return the manual page of the command with this `path`, such as `campaign edge check`.

    `lists` maps each heading to the names below it, each with its text. `similar` names the commands for "See also".
    """
    name = path.replace(" ", "-")
    return "\n".join([
        f'.TH {escaped(name.upper())} 1 "" "campaign {escaped(version)}"',
        ".nh",  # do not hyphenate
        ".ad l",  # do not stretch lines
        section("Name"),
        rf"{escaped(name)} \- {escaped(summary)}",
        section("Synopsis"),
        styled(usage.removeprefix("Usage: ")),
        section("Description"),
        *paragraphs(text),
        *(line for heading, rows in lists.items() if rows for line in (section(heading), *tagged(rows))),
        *([section("Examples"), ".EX", *(escaped(f"campaign {each}") for each in examples), ".EE"] if examples else ()),
        *([section("See also"), escaped(similar)] if similar else ()),
    ])  # fmt: skip


def escaped(text: str) -> str:
    """Return a text in ASCII that troff prints as it is."""
    ascii_text = "".join(ESCAPES.get(mark) or (mark if mark.isascii() else rf"\[u{ord(mark):04X}]") for mark in text)
    return re.sub(r"^\.", r"\&.", ascii_text)


def styled(text: str) -> str:
    """Return a usage line or a name in troff: placeholders such as `WHO` in italics, other words in bold."""
    words = (rf"\f{'I' if word.isupper() else 'B'}{escaped(word)}\fR" for word in text.split())
    return " ".join(words)


def section(heading: str) -> str:
    """Return the instruction that starts a section."""
    return f".SH {escaped(heading.upper())}"


def paragraphs(text: str) -> Iterator[str]:
    """Yield the lines of a text. A line without text separates its paragraphs."""
    for place, paragraph in enumerate(filter(None, map(str.split, text.split("\n\n")))):
        yield from ([".PP"] if place else [])
        yield escaped(" ".join(paragraph))


def tagged(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the lines of a list of names with their texts."""
    for name, text in rows:
        yield from (".TP", styled(name), escaped(text))
