"""Declared: whether what an entry holds is of the types that its game declares, before the game is handed it.

A move declares its inputs, a kind of consequence the facts that checks read, marks and settings what they hold. Whoever
rewrote an entry may have put anything in their places: that is a finding, and no game has to expect it.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from ledger.errors import WrongEntry
from ledger.events.commitments import Secret, told
from ledger.events.decode import fits
from ledger.events.entry import Entry
from ledger.events.types import AnyEvent, Consequence, MoveEvent
from ledger.rules.inputs import HIDDEN
from ledger.rules.move import Move
from ledger.rules.rulings import Kind
from ledger.rules.system import Play, System
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
    """Whether what a sheet showed under a full name is of the type that stands there; no number is 0 to the rules."""
    if full.endswith(".*"):
        return fits(tuple[str, ...], value)
    if "/" not in full:
        return fits(int | None, value)
    mark = system.mark(full.removeprefix(f"{system.name}/"))
    return mark is None or value is None or fits(mark.holds, value)


def settings_that_fit(system: System, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that are of the types that the game declares."""
    types = {setting.name: setting.holds for setting in system.settings}
    return {name: held for name, held in settings.items() if fits(types.get(name, Any), held)}


def as_declared(play: Play, entries: Sequence[Entry]) -> bool:
    """Whether all that a game wrote, and declares, is of the types that it declares."""
    moves = {move.name(): move for move in play.moves}
    kinds = {kind.name: kind for kind in play.kinds}
    try:
        return all(_is_as_declared(entry.event, moves, kinds) for entry in entries)
    except WrongEntry:
        return False


def _is_as_declared(event: AnyEvent, moves: Mapping[str, type[Move]], kinds: Mapping[str, Kind]) -> bool:
    if isinstance(event, MoveEvent) and event.move in moves:
        fields = moves[event.move].fields()
        return all(_may_hold_closed(fields[name], said) for name, said in event.inputs.items() if name in fields)
    if isinstance(event, Consequence) and event.kind in kinds:
        return all(fits(hint, event.facts.get(name)) for name, hint in kinds[event.kind].facts.items())
    return True


def _may_hold_closed(field: Field, said: Any) -> bool:
    """Whether an input may hold what was said, or that nothing was, where the GM may keep it."""
    return HIDDEN in field.tags if isinstance(said, Secret) else said is None or may_hold(field, told(said))
