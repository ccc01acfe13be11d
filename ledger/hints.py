"""Hints: texts with commands and flags. The terminal, the prompt and the page show these in different words.

    f"Close it with {Run('session close')}."    Close it with 'campaign session close'.    at the terminal
                                                Close it with 'session close'.             at the prompt
                                                Close it with “Session” on the GM page.    on the page

An f-string keeps only text. So a command becomes text between two control characters, and `parts_of` parses it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

START, NEXT, END = "\x02", "\x01", "\x03"


def visible(text: str) -> str:
    """Return a text that a terminal can show, with escapes in place of unprintable characters."""
    printable = text.isprintable()  # most texts are
    return text if printable else "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


class EmbeddedWords(str):
    """A command, a flag, or a pair of alternatives in a text, between control characters for `parts_of`."""

    def __new__(cls, *words: object) -> Self:
        return super().__new__(cls, f"{START}{NEXT.join(visible(str(word)) for word in (cls.__name__, *words))}{END}")

    @property
    def words(self) -> list[str]:
        """Return the words, without the control characters."""
        return self[1:-1].split(NEXT)[1:]


class Run(EmbeddedWords):
    """A command to type: its name, arguments and flags. Words in capital letters are placeholders."""

    def __new__(cls, command: str, *arguments: object, **flags: object) -> Self:
        typed = [(f"--{name.replace('_', '-')}", value) for name, value in flags.items()]
        return super().__new__(cls, command, *arguments, *(word for pair in typed for word in pair if word is not True))


class Flag(EmbeddedWords):
    """A flag of the command that was just typed, perhaps with a value. The page names the form field instead."""

    def __new__(cls, name: str, *value: object) -> Self:
        return super().__new__(cls, name.replace("_", "-"), *value)


class Either(EmbeddedWords):
    """One text for the terminal, and another one for the page."""


TYPE = Either("type", "use")

KINDS: dict[str, type[EmbeddedWords]] = {kind.__name__: kind for kind in (Run, Flag, Either)}


class Advice(str):
    """A text for the terminal, without invisible characters. `embedded` is the text for the prompt and the page."""

    embedded: str

    def __new__(cls, text: str) -> Self:
        embedded = "".join(part if isinstance(part, EmbeddedWords) else visible(part) for part in parts_of(text))
        advice = super().__new__(cls, worded(embedded))
        advice.embedded = embedded
        return advice


def parts_of(text: str) -> list[str]:
    """Split a text into a list of plain texts, commands and flags, in their order."""
    plain, *pieces = getattr(text, "embedded", text).split(START)
    parts = [plain]
    for piece in pieces:
        data, _, after = piece.partition(END)
        kind, *words = data.split(NEXT)
        known = kind in KINDS and words  # a typed text may contain the control characters too
        parts += [KINDS[kind](*words), after] if known else [START + piece]
    return parts


def worded(text: str, wording: Callable[[EmbeddedWords], str] = lambda part: "", program: str = "campaign ") -> str:
    """Return a text for people to read. A command is quoted unless it follows a colon or starts the text.

    `wording` returns the words to show for a command or flag, or "" for the usual words.
    """
    result = ""
    for part in parts_of(text):
        match part:
            case EmbeddedWords() if words := wording(part):
                result += words
            case Run():
                command = f"{program}{' '.join(part.words)}"
                result += command if not result.strip() or result.endswith(": ") else f"'{command}'"
            case Flag():
                result += f"--{' '.join(part.words)}"
            case Either():
                result += part.words[0]
            case _:
                result += part
    return result
