"""Hints: texts with commands and flags. The terminal, the prompt and the page show these in different words.

    f"Close it with {Run('session close')}."    Close it with 'campaign session close'.    at the terminal
                                                Close it with 'session close'.             at the prompt
                                                Close it with “Session” on the GM page.    on the page

An f-string keeps only text. So a command becomes text between two control characters, and `parts_of` parses it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Self

WORDS_START, WORD_SEPARATOR, WORDS_END = "\x02", "\x01", "\x03"


BLACK_FLAG = "\U0001f3f4"

RIGHT_TO_LEFT = "[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
"""A pattern for letters of Hebrew, Arabic and some other scripts that are written from right to left."""

INVISIBLE_PATTERN = (
    BLACK_FLAG + "[\U000e0020-\U000e007e]{3,6}\U000e007f"
    "|[\x00-\x08\x0a-\x1f\x7f-\x9f\xad\u180e\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
    f"|(?<!{RIGHT_TO_LEFT})(?<!{RIGHT_TO_LEFT}[ -/:;?])[\u061c\u200e\u200f](?!{RIGHT_TO_LEFT})"
)
"""A pattern for invisible characters. An emoji flag that contains some (Wales) is one match. `visible_text` keeps it.
Zero-width joiners between two non-ASCII characters do not match. Direction marks beside a right-to-left letter do not.
"""


def visible_text(text: str) -> str:
    """Return a text that a terminal can show, with escapes in place of invisible characters."""
    if text.isprintable():  # most texts are
        return text
    return re.sub(f"[\t\ud800-\udfff]|{INVISIBLE_PATTERN}", _escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return match[0] if match[0].startswith(BLACK_FLAG) else repr(match[0])[1:-1]


class EmbeddedWords(str):
    """A command, a flag or two alternatives inside a text. Control characters mark them for `parts_of`."""

    def __new__(cls, *words: object) -> Self:
        joined = WORD_SEPARATOR.join(visible_text(str(word)) for word in (cls.__name__, *words))
        return super().__new__(cls, f"{WORDS_START}{joined}{WORDS_END}")

    @property
    def words(self) -> list[str]:
        """Return the words, without the control characters."""
        return self[1:-1].split(WORD_SEPARATOR)[1:]


class Run(EmbeddedWords):
    """A command to type: its name, arguments and flags. Words in capital letters are placeholders."""

    def __new__(cls, command: str, *arguments: object, **flags: object) -> Self:
        typed = [(f"--{name.replace('_', '-')}", value) for name, value in flags.items()]
        return super().__new__(cls, command, *arguments, *(word for pair in typed for word in pair if word is not True))


class Flag(EmbeddedWords):
    """A flag of the command that was just typed, perhaps with a value.

    On the page, the name of the form field takes the place of the flag.
    """

    def __new__(cls, name: str, *value: object) -> Self:
        return super().__new__(cls, name.replace("_", "-"), *value)


class Either(EmbeddedWords):
    """One text for the terminal, and another one for the page."""


class InputName(Either):
    """An input of a command: its name, and the label of its field on the page."""


TYPE_OR_USE = Either("type", "use")

EMBEDDED_KINDS: dict[str, type[EmbeddedWords]] = {kind.__name__: kind for kind in (Run, Flag, Either, InputName)}


class Advice(str):
    """A text for the terminal, without invisible characters. `embedded` is the text for the prompt and the page."""

    embedded: str

    def __new__(cls, text: str) -> Self:
        embedded = "".join(part if isinstance(part, EmbeddedWords) else visible_text(part) for part in parts_of(text))
        advice = super().__new__(cls, hint_text(embedded))
        advice.embedded = embedded
        return advice


def install_hint() -> str:
    """Return the hint for a missing optional library: the command that installs all of them."""
    import json  # only this rare hint needs these
    import sys
    from importlib.metadata import distributions
    from shlex import quote
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    origins = (installed.read_text("direct_url.json") for installed in distributions(name="campaign-ledger"))
    url = urlsplit(json.loads(next(filter(None, origins), "{}")).get("url", ""))  # PEP 610
    origin = url2pathname(url.path) if url.scheme == "file" else "FILE"
    command = f"{quote(sys.executable)} -m pip install {quote(f'{origin}[all]')}"
    return f"To install all libraries, from the program's wheel or source folder: {command}"


def parts_of(text: str) -> list[str]:
    """Split a text into a list of plain texts, commands and flags, in their order."""
    plain, *pieces = getattr(text, "embedded", text).split(WORDS_START)
    parts = [plain]
    for piece in pieces:
        data, _, after = piece.partition(WORDS_END)
        kind, *words = data.split(WORD_SEPARATOR)
        known = kind in EMBEDDED_KINDS and words  # a typed text may contain the control characters too
        parts += [EMBEDDED_KINDS[kind](*words), after] if known else [WORDS_START + piece]
    return parts


def hint_text(text: str, wording: Callable[[EmbeddedWords], str] = lambda part: "", program: str = "campaign ") -> str:
    """Return a text for people to read. A command is quoted unless it follows a colon or starts the text.

    `wording` returns the words to show for a command or flag, or "" for the usual words. `program` comes before each
    command.
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
