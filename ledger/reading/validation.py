"""Validation: pydantic's errors about input from people and programs, in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

MESSAGES: Mapping[str, str] = {
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "string_type": "must be text",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "dict_type": 'must give each name a value, like {"mara": 2}',
    "missing": "is missing",
    "missing_argument": "is missing",
    "missing_keyword_only_argument": "is missing",
    "unexpected_keyword_argument": "is not an input of this rule",
    "extra_forbidden": "is not a known name",
}
"""The text for each of pydantic's error types."""

REWORDED_PARTS: Mapping[str, str] = {
    "input should be ": "must be ",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
}
"""Parts of pydantic's messages for errors that `MESSAGES` lacks, each with a shorter text."""

MISSING_MESSAGE = MESSAGES["missing"]


def sentence_of(what: str, error: ValidationError) -> str:
    """Return a sentence about the first fault in the input `what`, or about everything that is missing in it."""
    places, fault = fault_of(error)
    return f"{what}: {join_in_words(map(repr, places))} {fault}."


def join_in_words(names: Iterable[str]) -> str:
    """Join names as in a sentence: `who`, `who and why`, `who, save and why`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def fault_of(error: ValidationError) -> tuple[list[str], str]:
    """Return the place of the first fault in an input, like `on.0`, and the fault, like `must be a list`.

    If the fault is that something is missing, return the places of everything that is missing.
    """
    faults = error.errors(include_url=False)
    first = faults[0]
    fault = MESSAGES.get(first["type"])
    if fault == MISSING_MESSAGE:
        places = [_place(each) for each in faults if MESSAGES.get(each["type"]) == MISSING_MESSAGE]
        return places, MISSING_MESSAGE if len(places) == 1 else "are missing"
    if fault is None:
        fault = first["msg"][:1].lower() + first["msg"][1:]
        for long, short in REWORDED_PARTS.items():
            fault = fault.replace(long, short)
    return [_place(first)], fault


def _place(fault: ErrorDetails) -> str:
    return ".".join(map(str, fault["loc"]))
