"""Amendments: the inputs of an entry that may be changed, and a parser for typed changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ledger.commands.decider import Record, TableCommand
from ledger.commands.play import PlayMove
from ledger.corrections.actions import ActionPart
from ledger.errors import BadInput, Refused
from ledger.events import subjects
from ledger.events.correction_events import DisputeRaised
from ledger.events.entry import Entry
from ledger.reading.move_inputs import named_inputs
from ledger.reading.names import Names
from ledger.reading.parsing import parse_inputs, resolve_inputs, typed_name
from ledger.reading.typed_values import pairs
from ledger.rules.dice import D10, Digits, Pool
from ledger.rules.inputs import AT_TABLE, CAST, NOT_AMENDABLE
from ledger.values import Field


def amendable_inputs(command: TableCommand) -> dict[str, Field]:
    """Return the inputs of a command that may be amended, by the names that people type in an amendment."""
    fields = (field for field in command.input_fields().values() if not _is_fixed(command, field))
    return {_amended_name(field): field for field in fields}


def _amended_name(field: Field) -> str:
    """Return the name of an input in an amendment: the typed name of an option, or the stored name of an argument."""
    return typed_name(field) if field.says else field.name


def changed_inputs(
    names: Names, part: ActionPart, changes: Mapping[str, Any], not_merged: Collection[str] = ()
) -> dict[str, Any]:
    """Return the changed inputs by name, with the names of characters and scores looked up.

    `changes` has the typed changes. `changes["without"]` has the inputs to reset to their defaults. If an input
    is a mapping, the typed mapping is merged into the old one. An input in `not_merged` is replaced instead.
    Characters who left may be named. Raise `BadInput` for a malformed input.
    """
    defaults = _defaults(part.command, changes.get("without", ()))
    stored_names = {name: field.name for name, field in amendable_inputs(part.command).items()}
    changes = {stored_names.get(name, name): value for name, value in changes.items()}
    names.left = names.book.accounts.mark_names(subjects.CAST)
    if isinstance(part.command, PlayMove):
        move = part.command.move
        character_fields = (
            field for field in move.fields().values() if CAST in field.tags and not (field.many or field.keyed)
        )
        # scores are looked up on the sheets of these characters
        cast = {field.name: getattr(move, field.name) for field in character_fields}
        inputs = named_inputs(names, part.command.system, type(move), cast | dict(changes))
        changed = {
            name: value if name in not_merged else _merged(getattr(move, name), value)
            for name, value in inputs.items()
            if name in changes
        }
        return changed | {name: value for name, value in changes.items() if name == "deed"} | defaults
    kind = type(part.command)
    fields = kind.fields()
    typed = {
        name: pairs(value, "a name and a value, like edge=3") if fields[name].keyed else value
        for name, value in changes.items()
        if name in fields
    }
    parsed = parse_inputs(kind, **typed)
    owner = resolve_inputs(names, kind, "", {name: value for name, value in parsed.items() if name == "who"})
    who = owner.get("who", getattr(part.command, "who", ""))
    changed = resolve_inputs(names, kind, who, parsed) | defaults
    part.command.changed(changed).check_new_names(names.book)
    return changed


def check_changes(
    part: ActionPart, inputs: Mapping[str, Any], faces: Sequence[int] | None, *, cascade: bool, shown: str, hint: str
) -> None:
    """Raise `Refused` if an amendment would change nothing.

    An amendment changes something if it changes an input, has new dice (`faces`), or redoes other moves
    (`cascade`). The error names the amended entry as `shown`, and has the hint `hint`.
    """
    if not (faces or cascade) and part.command.changed(inputs) == part.command:
        raise Refused(f"Nothing would change in {shown}.", hint)


def must_change(record: Record, question: Entry) -> bool:
    """Return True if the answer `amend` to a question must change something.

    This is so if the question is a dispute, and the disputed entry is not canceled.
    """
    event = question.event
    return isinstance(event, DisputeRaised) and not record.is_struck(record.entry(event.about).act)


def _merged(before: Any, now: Any) -> Any:
    return {**before, **now} if isinstance(before, Mapping) and isinstance(now, Mapping) else now


def faces_for(part: ActionPart, typed: Sequence[int] | Digits | None) -> tuple[int, ...] | None:
    """Return the typed faces for the dice that a part of an action rolled, or None if no faces were typed.

    If the digits were typed without separators, they are split to fit these dice.
    """
    if isinstance(typed, Digits):
        return typed.faces(Pool(sides=tuple(die.sides for die in part.thrown.dice) if part.thrown else ()))
    thrown = part.thrown.dice if part.thrown else ()
    if any(face <= 0 and die.sides != D10 for face, die in zip(typed or (), thrown, strict=False)):
        raise BadInput("Each die needs the number that it shows. For a Fate die, type 1 for −, 2 for 0, or 3 for +.")
    return None if typed is None else tuple(typed)


def _is_fixed(command: TableCommand, field: Field) -> bool:
    """Return True if an input cannot be amended: a tag says so, or the ruling offers the input as a choice."""
    offered = command.move.offered if isinstance(command, PlayMove) else ()
    return AT_TABLE in field.tags or NOT_AMENDABLE in field.tags or field.name in offered


def _defaults(command: TableCommand, names: Sequence[str]) -> dict[str, Any]:
    optional = (field for field in command.input_fields().values() if not field.required)
    fields = {_amended_name(field): field for field in optional if NOT_AMENDABLE not in field.tags}
    without = {typed.replace("-", "_"): typed for typed in names}
    unknown = [typed for name, typed in without.items() if name not in fields]
    if unknown:
        raise BadInput(f"You cannot leave {unknown[0]} out of the command.")
    return {fields[name].name: fields[name].default for name in without}
