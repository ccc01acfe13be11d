"""Declared: check an entry's values against the types that its game declares, before the game sees them.

A move declares its inputs; marks and settings declare their types. A rewritten entry may contain anything in their
places. That is a finding, and no rule has to expect it.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from ledger.events.decode import fits
from ledger.rules.move import Move
from ledger.rules.system import System
from ledger.values import Field


def takes(move: type[Move], inputs: AbstractSet[str]) -> bool:
    """Whether a move knows all these inputs, and requires no others."""
    fields = move.fields()
    return {name for name, field in fields.items() if field.required} <= inputs <= fields.keys()


def may_hold(field: Field, said: Any) -> bool:
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


def may_stand(system: System, full: str, value: Any) -> bool:
    """Whether a sheet may have shown a value there; a score may be anything, and reads as 0 if it is no number."""
    if full.endswith(".*"):
        return fits(tuple[str, ...], value)
    if "/" not in full:
        return fits(int | None, value)
    mark = system.mark(full.removeprefix(f"{system.name}/"))
    return mark is None or value is None or fits(mark.holds, value)


def settings_that_fit(system: System, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings whose values fit the types that the game declares."""
    types = {setting.name: setting.holds for setting in system.settings}
    return {name: value for name, value in settings.items() if fits(types.get(name, Any), value)}
