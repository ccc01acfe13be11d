"""Declared: whether what an entry holds is of the types that its game declares, before the game is handed it.

A move declares its inputs, marks and settings what they hold. Whoever rewrote an entry may have put anything in their
places: that is a finding, and no rule has to expect it.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from ledger.events.decode import fits
from ledger.rules.move import Move
from ledger.rules.system import System
from ledger.values import Field


def takes(move: type[Move], inputs: AbstractSet[str]) -> bool:
    """Whether a move knows all these inputs, and needs no others."""
    fields = move.fields()
    return {name for name, field in fields.items() if field.required} <= inputs <= fields.keys()


def may_hold(field: Field, said: Any) -> bool:
    """Whether an input may hold what was said, by its kind and its limits."""
    if said is None:
        return field.optional
    if field.keyed:
        return isinstance(said, dict) and all(_may_be(field, each) for each in said.values())
    if field.many:
        return isinstance(said, list | tuple) and all(_may_be(field, each) for each in said)
    return _may_be(field, said)


def _may_be(field: Field, said: Any) -> bool:
    if field.choices:
        return bool(said in field.choices)
    if type(said) is not field.kind:
        return False
    measured = len(said) if isinstance(said, str) else said
    return field.limit is None or field.limit.least <= measured <= field.limit.most


def may_stand(system: System, full: str, value: Any) -> bool:
    """Whether what a sheet showed may stand there; a score that is no number is 0 to the rules, whatever it is."""
    if full.endswith(".*"):
        return fits(tuple[str, ...], value)
    if "/" not in full:
        return fits(int | None, value)
    mark = system.mark(full.removeprefix(f"{system.name}/"))
    return mark is None or value is None or fits(mark.holds, value)


def settings_that_fit(system: System, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are of the types that the game declares."""
    types = {setting.name: setting.holds for setting in system.settings}
    return {name: held for name, held in settings.items() if fits(types.get(name, Any), held)}
