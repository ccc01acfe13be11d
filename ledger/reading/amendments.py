"""Amendments: the inputs of an entry that may be changed, and a parser for typed changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ledger.commands.decider import Command
from ledger.commands.play import PlayMove
from ledger.corrections.actions import ActionPart
from ledger.errors import BadInput
from ledger.events import subjects
from ledger.reading.move_inputs import named_inputs
from ledger.reading.names import Names, pairs
from ledger.reading.parsing import parse_inputs, resolve_inputs
from ledger.rules.dice import D10, Digits, Pool
from ledger.rules.inputs import AT_TABLE, CAST, NOT_AMENDABLE
from ledger.rules.move import Move
from ledger.values import Field


def move_or_command_of(part: ActionPart) -> Move | Command:
    """Return the move of this part, or the command if the part is not a move."""
    return part.command.move if isinstance(part.command, PlayMove) else part.command


def amendable(move_or_command: Move | Command) -> list[Field]:
    """Return the inputs of a move or a command that may be amended."""
    return [field for field in type(move_or_command).fields().values() if not _is_fixed(move_or_command, field)]


def changed_inputs(
    names: Names, part: ActionPart, changes: Mapping[str, Any], whole: Collection[str] = ()
) -> dict[str, Any]:
    """Return the changed inputs by name, with characters and scores resolved. Raise `BadInput` for a malformed input.

    `changes` has the typed changes, and `changes["without"]` has the inputs to reset to their defaults. A typed
    mapping is merged into the old mapping, unless the input is in `whole`. Names of characters who left are accepted.
    """
    without = changes.get("without", ())
    names.left = names.book.accounts.mark_names(subjects.CAST)
    if isinstance(part.command, PlayMove):
        move = part.command.move
        named = (field for field in move.fields().values() if CAST in field.tags and not (field.many or field.keyed))
        cast = {field.name: getattr(move, field.name) for field in named}  # scores are looked up on their sheets
        inputs = named_inputs(names, part.command.system, type(move), cast | dict(changes))
        changed = {
            name: value if name in whole else _merged(getattr(move, name), value)
            for name, value in inputs.items()
            if name in changes
        }
        return changed | _defaults(type(move), without)
    kind = type(part.command)
    fields = kind.fields()
    typed = {
        name: pairs(value, "a name and a value, like edge=3") if fields[name].keyed else value
        for name, value in changes.items()
        if name in fields
    }
    return resolve_inputs(names, kind, getattr(part.command, "who", ""), parse_inputs(kind, **typed)) | _defaults(
        kind, without
    )


def _merged(before: Any, now: Any) -> Any:
    return {**before, **now} if isinstance(before, Mapping) and isinstance(now, Mapping) else now


def faces_for(part: ActionPart, typed: Sequence[int] | Digits | None) -> tuple[int, ...] | None:
    """Return the typed faces for the dice of a part. Digits without separators are split to fit these dice."""
    if isinstance(typed, Digits):
        return typed.faces(Pool(sides=tuple(die.sides for die in part.thrown.dice) if part.thrown else ()))
    thrown = part.thrown.dice if part.thrown else ()
    if any(face <= 0 and die.sides != D10 for face, die in zip(typed or (), thrown, strict=False)):
        raise BadInput("Each die needs the number that it shows. For a Fate die, type 1 for −, 2 for 0, or 3 for +.")
    return None if typed is None else tuple(typed)


def _is_fixed(own: Move | Command, field: Field) -> bool:
    """Return True if an input cannot be amended, because of a tag or because a ruling offers it as a choice."""
    by_name = not isinstance(own, Move) and any(other.keyed for other in type(own).fields().values())
    offered = getattr(own, "offered", ())
    once = AT_TABLE in field.tags or NOT_AMENDABLE in field.tags or field.name in offered
    # the names of scores depend on the character and the game
    return once or (by_name and field.name in {"who", "system"})


def _defaults(own: type[Move] | type[Command], names: tuple[str, ...]) -> dict[str, Any]:
    fields = {field.name: field for field in own.fields().values() if not field.required}
    without = {typed.replace("-", "_"): typed for typed in names}
    unknown = [typed for name, typed in without.items() if name not in fields]
    if unknown:
        raise BadInput(f"You cannot leave {unknown[0]} out of the command.")
    return {name: fields[name].default for name in without}
