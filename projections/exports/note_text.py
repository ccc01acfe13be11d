"""Text for Markdown notes: what people typed stays plain text, and names are safe for files and for wiki links."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import count
from unicodedata import category, normalize

from ledger.hints import visible_text
from ledger.rules.spelling import UNSEEN_PATTERN, normalized
from projections.row_formats import LIST_OR_TITLE_START_PATTERN, MARKUP_PATTERN

WIDE_FORMS = str.maketrans("`<[]#", "\uff40\uff1c\uff3b\uff3d\uff03")
"""Wide forms of characters that are markup in the properties of a note. Properties have no escapes."""

NOT_IN_NAMES_PATTERN = re.compile(r"""[\\/:*?"<>|\[\]#^`%~=$&{}_\s]+""")
"""A pattern for characters that some systems do not allow in file names, or that are markup in a wiki link."""

RESERVED_NAME_PATTERN = re.compile(r"(con|prn|aux|nul|conin|conout|(com|lpt)[0-9¹²³]) *(\.|$)", re.IGNORECASE)
"""A pattern for the names that Windows reserves for devices, with and without an ending."""

LONGEST_NAME, LONGEST_NAME_BYTES = 60, 150
"""The maximum length of a name, in characters and in bytes. File systems allow 255 bytes, some only 143 characters."""

OWN_KEY_PATTERN = re.compile(r"[a-z]+_\w+", re.ASCII)
"""A pattern for the keys of scores that need no quotation marks in YAML."""

NOT_IN_YAML_PATTERN = re.compile("[\ufffe\uffff]")


def markdown(text: str) -> str:
    """Escape a text for Markdown, in one line, so that it shows as typed."""
    return LIST_OR_TITLE_START_PATTERN.sub(r"\1\\\2", MARKUP_PATTERN.sub(r"\\\g<0>", _visible(text)))


def property_text(text: str) -> str:
    """Return a text for a property. Characters that Obsidian or Dataview read as markup get their wide forms."""
    return _visible(text).translate(WIDE_FORMS)


def _visible(text: str) -> str:
    return NOT_IN_YAML_PATTERN.sub("\ufffd", visible_text(text.strip()))


def link_text(text: str) -> str:
    """Return a text for a wiki link, without the signs that would be markup; "" if nothing is left."""
    return " ".join(MARKUP_PATTERN.sub(" ", _visible(text)).split())


def safe_name(text: str) -> str:
    """Return a text without the characters that file names and wiki links cannot contain; "" if nothing is left."""
    seen = "".join(each for each in UNSEEN_PATTERN.sub("", text) if each.isspace() or category(each)[0] != "C")
    name = normalize("NFC", NOT_IN_NAMES_PATTERN.sub(" ", seen)).strip(" .")[:LONGEST_NAME]
    return name.encode()[:LONGEST_NAME_BYTES].decode(errors="ignore").strip(" .")


def file_name(text: str, fallback: str, taken: set[str]) -> str:
    """Return a file name without an ending, and add it to the `taken` names. `fallback` replaces an unusable name.

    No two names differ only in capitals, in the encoding of accents, or in invisible characters.
    """
    name = safe_name(text) or fallback
    name = f"{fallback} {name}" if RESERVED_NAME_PATTERN.match(name) else name
    free = next(each for each in _numbered(name) if normalized(each) not in taken)
    taken.add(normalized(free))
    return free


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} {number}" for number in count(2))


def score_key(full: str, taken: set[str]) -> str:
    """Return the property for a score: its game and its name, such as `edge_skill_deception`. Add it to `taken`."""
    key = re.sub(r"\W+", "_", normalize("NFC", full)).strip("_")
    free = next(each.replace(" ", "_") for each in _numbered(key) if each.replace(" ", "_").casefold() not in taken)
    taken.add(free.casefold())
    return free


Value = str | int | bool | date | Sequence[str]


def front_matter(properties: Mapping[str, Value]) -> Iterator[str]:
    """Yield the lines of a note's properties, as YAML. Every text is quoted."""
    yield "---"
    for name, value in properties.items():
        key = name if OWN_KEY_PATTERN.fullmatch(name) or (name.isalpha() and name.isascii()) else _quoted(name)
        if isinstance(value, str | int | date):
            yield f"{key}: {_scalar(value)}"
        else:
            yield f"{key}:" if value else f"{key}: []"
            yield from (f"  - {_quoted(each)}" for each in value)
    yield "---"


def _scalar(value: str | int | date) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return _quoted(value) if isinstance(value, str) else str(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
