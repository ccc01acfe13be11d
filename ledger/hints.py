"""Hints: texts in which commands and flags are data, so that the terminal, the prompt and the page can each say them.

    f"Close it with {Run('session close')}."    Close it with 'campaign session close'.    at the terminal
                                                Close it with 'session close'.             at the prompt
                                                Close it with “Session” on the GM page.    on the page

An f-string keeps only text. So a command writes itself between two marks, and `parts_of` reads it back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

START, NEXT, END = "\x02", "\x01", "\x03"


def visible(text: str) -> str:
    """Text that a terminal can show: escapes replace unprintable characters."""
    printable = text.isprintable()  # most are
    return text if printable else "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


class Marked(str):
    """Words that a text has as data: between marks, so that an f-string keeps them."""

    def __new__(cls, *words: object) -> Self:
        return super().__new__(cls, f"{START}{NEXT.join(visible(str(word)) for word in (cls.__name__, *words))}{END}")

    @property
    def words(self) -> list[str]:
        """The words, without the marks."""
        return self[1:-1].split(NEXT)[1:]


class Run(Marked):
    """A command to type: its name, its arguments and its flags. The reader replaces words in capital letters."""

    def __new__(cls, command: str, *arguments: object, **flags: object) -> Self:
        typed = [(f"--{name.replace('_', '-')}", value) for name, value in flags.items()]
        return super().__new__(cls, command, *arguments, *(word for pair in typed for word in pair if word is not True))


class Flag(Marked):
    """A flag of the command that was typed, and perhaps its value: on the page, a field of the form."""

    def __new__(cls, name: str, *value: object) -> Self:
        return super().__new__(cls, name.replace("_", "-"), *value)


class Either(Marked):
    """Words for the terminal, and other words for the page."""


TYPE = Either("type", "use")

KINDS: dict[str, type[Marked]] = {kind.__name__: kind for kind in (Run, Flag, Either)}


class Advice(str):
    """A text as the terminal prints it, all visible. It keeps the `marked` text for the prompt and the page."""

    marked: str

    def __new__(cls, text: str) -> Self:
        marked = "".join(part if isinstance(part, Marked) else visible(part) for part in parts_of(text))
        advice = super().__new__(cls, worded(marked))
        advice.marked = marked
        return advice


def parts_of(text: str) -> list[str]:
    """A text as plain parts, and the commands and flags between them."""
    plain, *marked = getattr(text, "marked", text).split(START)
    parts = [plain]
    for piece in marked:
        data, _, after = piece.partition(END)
        kind, *words = data.split(NEXT)
        known = kind in KINDS and words  # a typed text may have the marks too
        parts += [KINDS[kind](*words), after] if known else [START + piece]
    return parts


def worded(text: str, place: Callable[[Marked], str] = lambda marked: "", program: str = "campaign ") -> str:
    """Word a text for its reader. `place` may name what the page has instead of a command or a flag.

    A command has quotes, unless it follows a colon or begins the text.
    """
    said = ""
    for part in parts_of(text):
        match part:
            case Marked() if there := place(part):
                said += there
            case Run():
                command = f"{program}{' '.join(part.words)}"
                said += command if not said.strip() or said.endswith(": ") else f"'{command}'"
            case Flag():
                said += f"--{' '.join(part.words)}"
            case Either():
                said += part.words[0]
            case _:
                said += part
    return said
