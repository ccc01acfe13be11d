"""Validation: pydantic's errors about input from people and programs, in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

MESSAGES: Mapping[str, str] = {
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "string_type": "must be a name",
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


def sentence_of(what: str, error: ValidationError) -> str:
    """Return a sentence about the first fault in an input."""
    where, fault = fault_of(error)
    return f"{what}: {where!r} {fault}."


def fault_of(error: ValidationError) -> tuple[str, str]:
    """Return the place of the first fault in an input, like `on.0`, and the fault, like `must be a list`."""
    first = error.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"]))
    fault = MESSAGES.get(first["type"])
    if fault is None:
        fault = first["msg"][:1].lower() + first["msg"][1:]
        fault = fault.removeprefix("input should be ").join(["must be ", ""]) if "input should be" in fault else fault
    return where, fault.replace("greater than or equal to", "at least").replace("less than or equal to", "at most")
