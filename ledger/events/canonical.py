"""Canonical: the one form of JSON in which an entry is hashed (RFC 8785, in our strict profile)."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ledger.errors import NotCanonical
from ledger.values import BIGGEST

LONGEST_NUMBER = 40
"""Digits; far beyond what is ever written."""

DEEPEST = 100
"""Levels of lists and objects; far beyond what is ever written."""


def canonical_json(value: Any) -> bytes:
    """The canonical bytes (RFC 8785) of a value of our strict profile.

    Whole numbers below 2^53 in size, strings, booleans, null, lists, and objects with ASCII keys; anything else is
    refused with `NotCanonical`.
    """
    try:
        _admit(value)
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    except UnicodeEncodeError:
        raise NotCanonical("A text that is no UTF-8 has no canonical form.") from None


def _admit(value: Any, depth: int = 0) -> None:
    if depth > DEEPEST:
        raise NotCanonical("What is nested so deep has no canonical form.")
    if value is None or isinstance(value, str | bool):
        return
    if isinstance(value, int):
        if not -BIGGEST <= value <= BIGGEST:
            raise NotCanonical(f"{value} is beyond the whole numbers that are written (2^53).")
    elif isinstance(value, dict):
        for name, held in value.items():
            if not (isinstance(name, str) and name.isascii()):
                raise NotCanonical(f"{name!r} is no ASCII key.")
            _admit(held, depth + 1)
    elif isinstance(value, list | tuple):
        for held in value:
            _admit(held, depth + 1)
    else:
        raise NotCanonical(f"{value!r} is no whole number, text, yes or no, null, list or object.")


TWICE = "(named twice)"
"""The field that an object is given, in a lenient reading, where it names another one twice."""


def parse_json(text: bytes | str, *, lenient: bool = False) -> Any:
    """Read JSON strictly: duplicate keys, NaN and floats are refused (`NotCanonical`), and what is no JSON too.

    A lenient reading lets these through, marked, so that they are refused in their own place: floats and numbers too
    long to be written as floats, and a field named twice as one more field (`TWICE`).
    """

    def once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            if not lenient:
                raise NotCanonical("A JSON object names the same field twice.")
            found[TWICE] = True
        return found

    def no_whole_number(text: str) -> float:
        if not lenient:
            raise NotCanonical(f"{text} is no whole number.")
        return float(text)

    def whole_number(text: str) -> int | float:
        return int(text) if len(text) <= LONGEST_NUMBER else no_whole_number(text[:LONGEST_NUMBER])

    try:
        return json.loads(
            text,
            object_pairs_hook=once_each,
            parse_constant=no_whole_number,
            parse_float=no_whole_number,
            parse_int=whole_number,
        )
    except (ValueError, RecursionError):
        raise NotCanonical("That is no JSON.") from None


def nodes(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value in a tree, each after the one that holds it, with the path that names it (`steps.1.says`)."""
    yield path, value
    for name, held in _held(value):
        yield from nodes(held, f"{path}.{name}" if path else name)


def changed(value: Any, changes: Mapping[str, Any], path: str = "") -> Any:
    """A tree with other values at some paths."""
    if path in changes:
        return changes[path]
    made = [(name, changed(held, changes, f"{path}.{name}" if path else name)) for name, held in _held(value)]
    if isinstance(value, dict):
        return dict(made)
    return [held for _, held in made] if isinstance(value, list) else value


def _held(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from ((str(place), held) for place, held in enumerate(value))
