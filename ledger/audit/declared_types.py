"""Declared: check an entry's values against the types that its game declares, before the game sees them.

A rewritten entry may contain anything as an input. That is a finding, and no rule has to expect it.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

from ledger.rules.move import Move
from ledger.values import Field


def accepts_inputs(move: type[Move], inputs: AbstractSet[str]) -> bool:
    """Whether a move knows all these inputs, and requires no others."""
    fields = move.fields()
    return {name for name, field in fields.items() if field.required} <= inputs <= fields.keys()


def accepts_value(field: Field, said: Any) -> bool:
    """Whether an input takes a value, by its kind and its limits."""
    if said is None:
        return field.optional
    if field.keyed:
        return isinstance(said, dict) and all(_may_be(field, item) for item in said.values())
    if field.many:
        return isinstance(said, list | tuple) and all(_may_be(field, item) for item in said)
    return _may_be(field, said)


def _may_be(field: Field, value: Any) -> bool:
    if field.choices:
        return bool(value in field.choices)
    if type(value) is not field.kind:
        return False
    measured = len(value) if isinstance(value, str) else value
    return field.limit is None or field.limit.least <= measured <= field.limit.most
