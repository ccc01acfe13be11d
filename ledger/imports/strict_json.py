"""Strict JSON: decimals stay texts, and JSON that programs read in different ways is refused.

A long list is read in parts.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8, getincrementaldecoder
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NoReturn

from ledger.errors import BadInput, count_of
from ledger.imports.log_records import LONGEST_NUMBER, WrongRecord, not_utf8
from ledger.values import MAX_STORED_NUMBER

LARGEST_RECORD = 8 << 20
"""The maximum length of a record, in characters."""

MOST_MEMBERS = 100
"""The maximum number of members of an object that is read in parts."""

CHUNK_BYTES = 1 << 18
DEEPEST_NESTING = 64
"""The maximum depth of lists and objects in a record."""

MOST_SURE_DIGITS = 15
"""A number with at most this many digits is never too large to store."""

NOT_STRICT_REASON = "it contains text that is not valid JSON"
SURROGATE_PATTERN = re.compile(r"\\u[dD][89a-fA-F]")
ESCAPE_PATTERN = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]|(u[dD][89a-fA-F])|.)")
"""An escape in a string. The group is a lone surrogate: one half of a letter or symbol."""

BLANKS_PATTERN = re.compile(r"[ \t\r\n]*")
VALUE_ENDS = frozenset(",]:} \t\r\n")
"""The characters that can follow an item."""


class DecimalText(str):
    """A number with a decimal point or an exponent, as the file has it."""

    __slots__ = ()


def parse(text: str) -> Any:
    """Parse a whole JSON text. Raise `WrongRecord` if it is not strict JSON."""
    try:
        value, end = _first_value(text, BLANKS_PATTERN.match(text, 0).end())  # type: ignore[union-attr]  # it matches every text
    except (ValueError, RecursionError):
        raise WrongRecord(NOT_STRICT_REASON) from None
    if isinstance(value, WrongRecord):
        raise value
    if text[end:].strip(" \t\r\n"):
        raise WrongRecord(NOT_STRICT_REASON)
    return value


def read_items(stream: BinaryIO) -> Iterator[Any]:
    """Yield the items of a JSON list, with little memory. If an item is complete, but not strict, yield `WrongRecord`.

    Raise `BadInput` if the file is not a JSON list, or if an item is damaged or too long. For such an item, the
    message has its number.
    """
    window = _Window(stream)
    yield from _list_items(window)
    if window.skip_blanks():
        raise BadInput("There is more text after the end of the JSON list.", "Export the file again.")


def read_members(stream: BinaryIO, long_list: str) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of a JSON object, with little memory. The list named `long_list` comes item by item.

    Raise `BadInput` as `read_items` does.
    """
    window, names = _Window(stream), set[str]()
    if not window.accept("{"):
        raise BadInput("The file is not a JSON object.")
    is_whole = window.accept("}")
    while not is_whole and len(names) < MOST_MEMBERS:
        name = window.item("The JSON object")
        if not isinstance(name, str) or name in names or not window.accept(":"):
            break
        names.add(name)
        if name == long_list:
            yield from ((name, item) for item in _list_items(window))
        else:
            value = window.item("The JSON object")
            if isinstance(value, WrongRecord):
                break
            yield name, value
        is_whole = window.accept("}")
        if not is_whole and not window.accept(","):
            break
    if not is_whole or window.skip_blanks():
        raise BadInput("The JSON object is cut off or damaged.", "Export the file again.")


def _list_items(window: _Window) -> Iterator[Any]:
    if not window.accept("["):
        raise BadInput("The file is not a JSON list.")
    number = 0
    if not window.accept("]"):
        while True:
            number += 1
            yield window.item(f"Record {number} of the list")
            if not window.accept(","):
                break
        if not window.accept("]"):
            after = count_of(number, "record")
            raise BadInput(f"The JSON list is cut off or damaged after {after}.", "Export the file again.")


class _Window:
    """The part of a text that is in memory. It moves forward, and `_at` is its first unread character."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decode = getincrementaldecoder("utf-8")().decode
        self._text, self._at, self._is_whole, self._is_first = "", 0, False, True

    def _read(self, size: int) -> None:
        """Add text to the window, and remove what was read."""
        data = self._stream.read(size)
        if self._is_first:
            data, self._is_first = data.removeprefix(BOM_UTF8), False
        self._is_whole = not data
        try:
            self._text, self._at = self._text[self._at :] + self._decode(data, self._is_whole), 0
        except UnicodeDecodeError:
            raise not_utf8("JSON") from None

    def skip_blanks(self) -> str:
        """Skip blanks, and return the next character; "" at the end."""
        while True:
            self._at = BLANKS_PATTERN.match(self._text, self._at).end()  # type: ignore[union-attr]  # it matches every text
            if self._at < len(self._text) or self._is_whole:
                return self._text[self._at : self._at + 1]
            self._read(CHUNK_BYTES)

    def accept(self, character: str) -> bool:
        """Skip blanks. If this character is next, skip it too, and return True."""
        is_next = self.skip_blanks() == character
        self._at += is_next
        return is_next

    def item(self, name: str) -> Any:
        """Return the next item, or a `WrongRecord` if the item is complete, but not strict.

        Raise `BadInput` if the item is damaged or too long. The error calls the item `name`.
        """
        self.skip_blanks()
        while True:
            length = len(self._text) - self._at
            try:
                item, end = _first_value(self._text, self._at)
                if self._is_whole or self._text[end : end + 1] in VALUE_ENDS:  # otherwise a number may continue
                    break
            except (ValueError, RecursionError) as error:
                # an incomplete item looks like a wrong one, so only the rest of the file can tell
                if self._is_whole or isinstance(error, RecursionError):
                    says = f"{name} is damaged, cut off, or not strict JSON."
                    raise BadInput(says, "Export the file again.") from None
            if length > LARGEST_RECORD:
                raise BadInput(f"{name} is damaged, or longer than {LARGEST_RECORD:,} characters.")
            self._read(max(CHUNK_BYTES, length))
        self._at = end
        return item


def as_object(value: Any) -> Mapping[str, Any]:
    """Return a value as an object, or an empty object for null. Raise `WrongRecord` for anything else."""
    if isinstance(value, WrongRecord):
        raise value
    if not isinstance(value, dict | None):
        raise WrongRecord("it has something else in place of an object")
    return value or {}


def as_objects(value: Any) -> Sequence[Mapping[str, Any]]:
    """Return a value as a list of objects, or an empty list for null. Raise `WrongRecord` for anything else."""
    if not isinstance(value, list | None):
        raise WrongRecord("it has something else in place of a list")
    return [*map(as_object, value or ())]


def as_text(value: Any) -> str:
    """Return a text without the blanks around it, or "" for a value that is not a text."""
    return value.strip() if isinstance(value, str) else ""


class _NotStrictJson(ValueError):
    """The error for JSON that some readers accept, and some refuse."""


def _object_from_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _NotStrictJson
    return result


def _refuse_constant(text: str) -> NoReturn:
    raise _NotStrictJson


def _whole_number(text: str) -> int | DecimalText:
    """Return a number. A large one stays text, because some programs would round it."""
    if len(text) <= MOST_SURE_DIGITS:
        return int(text)
    large = _decimal_text(text)
    return large if abs(number := int(text)) > MAX_STORED_NUMBER else number


def _decimal_text(text: str) -> DecimalText:
    if len(text) > LONGEST_NUMBER:
        raise _NotStrictJson
    return DecimalText(text)


def _first_value(text: str, start: int) -> tuple[Any, int]:
    """Return the JSON value at `start`, and its end. The value is a `WrongRecord` if it is complete, but not strict.

    Raise `ValueError` if it is incomplete or damaged.
    """
    try:
        value, end = _DECODER.raw_decode(text, start)
    except _NotStrictJson:
        return WrongRecord(NOT_STRICT_REASON), _TOLERANT_DECODER.raw_decode(text, start)[1]
    part = text[start:end]
    if _has_lone_surrogate(part):
        value = WrongRecord(NOT_STRICT_REASON)
    elif _is_too_deep(part, value):
        value = WrongRecord("it has too many lists inside each other")
    return value, end


def _has_lone_surrogate(text: str) -> bool:
    return SURROGATE_PATTERN.search(text) is not None and any(found[1] for found in ESCAPE_PATTERN.finditer(text))


def _is_too_deep(text: str, value: Any) -> bool:
    level = [value] if text.count("[") + text.count("{") > DEEPEST_NESTING else []
    for _ in range(DEEPEST_NESTING + 1):
        level = [each for each in level if isinstance(each, dict | list)]
        if not level:
            return False
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
    return True


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object_from_pairs,
    parse_constant=_refuse_constant,
    parse_int=_whole_number,
    parse_float=_decimal_text,
)
_TOLERANT_DECODER = json.JSONDecoder(parse_constant=str, parse_int=str, parse_float=str)
"""A decoder that is used only to find the end of a value."""
