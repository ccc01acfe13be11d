"""Canonical JSON, the form that is hashed: RFC 8785, limited to the values that `canonical_json` lists."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ledger.errors import NotCanonical
from ledger.values import MAX_STORED_NUMBER

MOST_DIGITS = 40
"""The maximum number of digits in a number. No valid number has more."""

DEEPEST_NESTING = 100
"""The maximum nesting depth of lists and objects. No valid entry is nested this deeply."""

ATOMIC_TYPES = frozenset({str, int, bool, type(None)})
"""The types of JSON values that do not contain other values."""

UNCHECKED_TYPES = ATOMIC_TYPES - {int}
"""The types of JSON values that `_check_values` always accepts."""

LAST_IN_KEYS = "\uffff"
"""The last character that keys may contain. Up to it, Python sorts keys as RFC 8785 does: by UTF-16 code units."""

LITERALS = {None: b"null", True: b"true", False: b"false"}
"""The canonical bytes of the most common values of marks."""

_ENCODER = json.JSONEncoder(check_circular=False, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def canonical_json(value: Any) -> bytes:
    """Return the canonical bytes (RFC 8785) of a value.

    Allowed are integers with an absolute value below 2^53, strings, booleans, null, lists, and objects with keys up to
    the character `LAST_IN_KEYS`.
    Any other value raises `NotCanonical`.
    """
    if value is None or isinstance(value, bool):
        return LITERALS[value]
    if type(value) is int and -MAX_STORED_NUMBER <= value <= MAX_STORED_NUMBER:
        return b"%d" % value
    try:
        _check_values(value)
        return _ENCODER.encode(value).encode()
    except UnicodeEncodeError:
        raise NotCanonical(
            "The text contains characters that cannot be read. Save it as UTF-8 (a text format)."
        ) from None


def _check_values(value: Any, depth: int = 0) -> None:
    """Raise `NotCanonical` if a value, or a value inside it, has no canonical form."""
    if depth > DEEPEST_NESTING:
        raise NotCanonical("This data (JSON) has too many lists inside lists.")
    if isinstance(value, int) and not isinstance(value, bool):
        if not -MAX_STORED_NUMBER <= value <= MAX_STORED_NUMBER:
            raise NotCanonical(f"{value} is too large: whole numbers go up to 2^53.")
    elif isinstance(value, dict):
        _check_names(value)
        _check_children(value.values(), depth)
    elif isinstance(value, list | tuple):
        _check_children(value, depth)
    elif value is not None and not isinstance(value, str | bool):
        raise NotCanonical(
            f"{value!r} cannot be stored. Use a whole number, text, true, false, null (nothing), a list, or an"
            " object (names with values)."
        )


def _check_names(fields: Iterable[Any]) -> None:
    for name in fields:
        if not isinstance(name, str) or not (name.isascii() or max(name) <= LAST_IN_KEYS):
            raise NotCanonical(
                f"{name!r} cannot be the name of a field. It contains a letter or symbol with a code above U+FFFF."
            )


def _check_children(values: Iterable[Any], depth: int) -> None:
    for value in values:
        if type(value) not in UNCHECKED_TYPES or depth == DEEPEST_NESTING:
            _check_values(value, depth + 1)


DIGITS_TO_ZERO = bytes.maketrans(b"0123456789.eE", b"0000000000...")
"""A byte translation for a fast test. In translated bytes, a number with a fraction or an exponent contains `0.`."""

FRACTION = re.compile(rb"[:,\[]-?[0-9]+[.eE]")
"""A pattern for a number with a fraction or an exponent in a canonical object. A JSON string may match too."""

ABOVE_LAST_IN_KEYS = re.compile(rb"[\xf0-\xf4]")
"""A pattern for the first byte, in UTF-8, of a character after `LAST_IN_KEYS`."""


def read_canonical(stored: bytes) -> tuple[Any, bool]:
    """Return the value of some JSON, and True if the bytes are its canonical form.

    Raise `NotCanonical` if the value has no canonical form.
    """
    import orjson  # not needed to show a sheet

    try:
        value = orjson.loads(stored)
        same = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER) == stored
    except (ValueError, TypeError):
        same = False
    if not same:  # orjson is only the fast test
        value = parse_json(stored)
        return value, canonical_json(value) == stored
    if not (isinstance(value, dict) and _is_plain(stored)):
        _check_values(value)
    return value, True


def _is_plain(stored: bytes) -> bool:
    """Return True if a fast test shows that the values of a canonical object need no check.

    The test may fail for a valid object, such as one with an emoji in a text, but never passes for an invalid one.
    """
    has_no_fraction = b"0." not in stored.translate(DIGITS_TO_ZERO) or not FRACTION.search(stored)
    has_valid_keys = stored.isascii() or not ABOVE_LAST_IN_KEYS.search(stored)
    return has_no_fraction and has_valid_keys and stored.count(b"[") + stored.count(b"{") <= DEEPEST_NESTING


DUPLICATE_FIELD = "(duplicate)"
"""The field that lenient parsing adds to an object with a duplicate key."""


def parse_json(text: bytes | str, *, lenient: bool = False) -> Any:
    """Parse JSON strictly. Raise `NotCanonical` for duplicate keys, NaN, floats, and text that is not JSON.

    If `lenient` is True, forbidden numbers become floats, and an object with duplicate keys gets the field
    `DUPLICATE_FIELD`. A later check can then report the place of each error.
    """

    def object_from_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) != len(pairs):
            if not lenient:
                raise NotCanonical("A JSON object names the same field twice.")
            fields[DUPLICATE_FIELD] = True
        return fields

    def forbidden_number(text: str) -> float:
        if not lenient:
            raise NotCanonical(f"{text} is not a whole number.")
        return float(text)

    def whole_number(text: str) -> int | float:
        return int(text) if len(text) <= MOST_DIGITS else forbidden_number(text[:MOST_DIGITS])

    try:
        return json.loads(
            text,
            object_pairs_hook=object_from_pairs,
            parse_constant=forbidden_number,
            parse_float=forbidden_number,
            parse_int=whole_number,
        )
    except (ValueError, RecursionError):
        raise NotCanonical("That is not JSON.") from None


def walk(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value in a tree with its path (`steps.1.says`), parents first."""
    yield path, value
    for name, child in _children(value):
        yield from walk(child, f"{path}.{name}" if path else name)


def substitute(value: Any, changes: Mapping[str, Any], path: str = "") -> Any:
    """Return a copy of a tree with the values at some paths replaced, or the tree itself if nothing changes."""
    if path in changes:
        return changes[path]
    begins = path and f"{path}."
    if not isinstance(value, dict | list) or not any(changed.startswith(begins) for changed in changes):
        return value
    items = [(name, substitute(child, changes, f"{begins}{name}")) for name, child in _children(value)]
    return dict(items) if isinstance(value, dict) else [child for _, child in items]


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from ((str(place), child) for place, child in enumerate(value))
