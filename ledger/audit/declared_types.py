"""Checks that an entry's inputs, which may be forged, have the types that its game declares."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

from ledger.rules.move import Move
from ledger.values import Field


def accepts_inputs(move: type[Move], inputs: AbstractSet[str]) -> bool:
    """Return True if a move has all these inputs, and requires no others."""
    fields = move.fields()
    return {name for name, field in fields.items() if field.required} <= inputs <= fields.keys()


def accepts_value(field: Field, value: Any) -> bool:
    """Return True if a value has the type of an input and is within its limits."""
    if value is None:
        return field.optional
    if field.keyed:
        return isinstance(value, dict) and all(_accepts_item(field, item) for item in value.values())
    if field.many:
        return isinstance(value, list | tuple) and all(_accepts_item(field, item) for item in value)
    return _accepts_item(field, value)


def _accepts_item(field: Field, value: Any) -> bool:
    if field.choices:
        return bool(value in field.choices)
    if type(value) is not field.kind:
        return False
    measured = len(value) if isinstance(value, str) else value
    return field.limit is None or field.limit.least <= measured <= field.limit.most
