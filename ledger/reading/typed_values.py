"""Parsers for typed values: numbers, changes of scores, pairs, and lists or ranges of names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from ledger.errors import MINUS, BadInput, Twice, quoted
from ledger.hints import Run
from ledger.values import MAX_STORED_NUMBER

T = TypeVar("T")

LAST = "last"
"""The word for the latest entry or session, in place of its number."""

ALL = "all"
"""The word for all characters."""

WHOLE_NUMBER_PATTERN = r"[+-]?[0-9]{1,16}"

WITH_MAXIMUM_PATTERN = r"(.+)/([0-9]{1,16})"
"""The pattern of a value with its maximum, such as `9/12`."""

MAXIMUM_NAME = "{}.max"
"""The name of a score's maximum. A value such as `hp=9/12` sets `hp` and `hp.max`."""

SIGNS = f"+{MINUS}-"
"""The signs that mark a number as an amount to add. A number without a sign is the new value of the score."""

NAME_RANGE_PATTERN = r"(.*?)([0-9]{1,4})\.\.([0-9]{1,4})"
"""The pattern of a word for several names that end in numbers, like `bandit-1..4`."""

MOST_NUMBERED = 100
"""The maximum number of names in a range."""


def by_unique_name(pairs: Iterable[tuple[str, T]]) -> dict[str, T]:
    """Return the values by name. Raise `Twice` for a repeated name."""
    values: dict[str, T] = {}
    for full, value in pairs:
        if full in values:
            raise Twice(full)
        values[full] = value
    return values


def whole_number(typed: str) -> int:
    """Parse a whole number from -(2^53 - 1) to 2^53 - 1. Raise `BadInput` for other text."""
    typed = typed.replace(MINUS, "-", 1)
    if not re.fullmatch(WHOLE_NUMBER_PATTERN, typed):
        too_big = re.fullmatch(r"[+-]?[0-9]+", typed)
        sentence = "is too large" if too_big else "is not a whole number"
        raise BadInput(f"{quoted(typed)} {sentence}.")
    number = int(typed)
    if not -MAX_STORED_NUMBER <= number <= MAX_STORED_NUMBER:
        raise BadInput(f"{number} is too large.")
    return number


def whole_numbers(typed: Mapping[str, str]) -> dict[str, int]:
    """Parse numbers by name.

    A value with a maximum, as in `hp=9/12`, becomes two numbers: `hp` and `hp.max`. Capitals and accents in names
    do not count. Raise `BadInput` for a value that is not a whole number, and `Twice` for `HP` and `hp` together.
    """
    from ledger.rules.spelling import number_name  # a look needs none of it

    if empty := next((name for name, value in typed.items() if value == ""), None):
        raise BadInput(f"A number is missing after {quoted(f'{empty}=')}.", f"For example: {empty}=3")
    word = next((value for value in typed.values() if re.match("[a-z]", value)), None)
    if word is not None:
        hint = f"Type a number, like hp=9. For a value that is not a number: {Run('set', 'WHO', 'NAME=VALUE')}"
        raise BadInput(f"{quoted(word)} is not a whole number.", hint)
    return by_unique_name((number_name(name), whole_number(value)) for name, value in _split_values(typed).items())


def _split_values(typed: Mapping[str, str]) -> dict[str, str]:
    """Split each value with a maximum: `hp=9/12` into `hp=9` and `hp.max=12`."""
    values = list[tuple[str, str]]()
    for name, value in typed.items():
        match = re.fullmatch(WITH_MAXIMUM_PATTERN, value) if "/" in value else None
        values += (
            [(name, match[1]), (MAXIMUM_NAME.format(name.removesuffix(":")), match[2])] if match else [(name, value)]
        )
    return by_unique_name(values)


def split_changes(typed: Mapping[str, str]) -> tuple[dict[str, int], dict[str, int]]:
    """Split typed scores into amounts to add (`edge=-1`) and values to set (`edge=4`).

    To set a negative value, add a colon: `edge:=-2`. Raise `BadInput` for other values, `Twice` for a repeated score.
    """
    from ledger.rules.spelling import number_name

    read, values = whole_numbers(typed), _split_values(typed)
    signed = (number_name(name) for name, value in values.items() if value[0] in SIGNS and not name.endswith(":"))
    moved = {name: read[name] for name in signed}
    to_values = {name.removesuffix(":"): value for name, value in read.items() if name not in moved}
    for name in to_values:
        if name in moved or (name in read and f"{name}:" in read):
            raise Twice(name)
    return moved, to_values


def pairs(typed: Sequence[str], what: str) -> dict[str, str]:
    """Parse NAME=VALUE words. Raise `BadInput` for any other word, and `Twice` for a name typed twice.

    `what` describes a valid word in the error.
    """
    values: dict[str, str] = {}
    for word in typed:
        name, equals, value = word.partition("=")
        if not (name and equals):
            raise BadInput(f"{quoted(word)} is not {what}.")
        if name in values:
            raise Twice(name)
        values[name] = value
    return values


def split_names(typed: Sequence[str]) -> tuple[str, ...]:
    """Split typed words into names at the commas, without spaces. Raise `BadInput` for an empty name."""
    words = [word for word in typed if word != ","]
    ends = [word.removesuffix(",") for word in words[:-1]] + words[-1:]
    names = tuple(name.strip() for word in ends for name in word.split(","))
    if "" in names:
        raise BadInput("A name in the list is empty. Check the commas.")
    return names


def distinct_names(typed: Sequence[str]) -> tuple[str, ...]:
    """Return names typed one by one, with commas, or as a range. Raise `Twice` for a name typed twice."""
    return tuple(by_unique_name((name, None) for name in split_range(typed)))


def split_range(typed: Sequence[str]) -> tuple[str, ...]:
    """Return names typed one by one, with commas, or as a range like `bandit-1..4`."""
    return tuple(each for name in split_names(typed) for each in _range(name))


def is_range(word: str) -> bool:
    """Return True if a word means several names that end in numbers, like `bandit-1..4`."""
    return _as_range(word) is not None


def _as_range(word: str) -> re.Match[str] | None:
    return (
        re.fullmatch(NAME_RANGE_PATTERN, word) if ".." in word else None
    )  # the pattern is compiled only for the few ranges


def _range(typed: str) -> list[str]:
    """Expand a range into names. Any other word is one name."""
    parts = _as_range(typed)
    if parts is None:
        return [typed]
    first, last = int(parts[2]), int(parts[3])
    if not first <= last < first + MOST_NUMBERED:
        raise BadInput(f"{quoted(typed)} is not a range.", "Type a range like bandit-1..4, with at most 100 names.")
    return [f"{parts[1]}{number:0{len(parts[2])}}" for number in range(first, last + 1)]
