"""Parsing: the parser for the typed inputs of a command and of its amendments.

The tag of an input selects its parser and its resolver. First the input is parsed without a campaign. Then its names
are looked up in the campaign.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ledger.commands.decider import Command
from ledger.errors import BadInput, Refused, Run, UnknownName, quoted
from ledger.reading import new_names
from ledger.reading.names import Names
from ledger.reading.typed_values import ALL, distinct_names, split_changes, split_names, split_range, whole_numbers
from ledger.rules import inputs
from ledger.rules.inputs import Tag, Typed
from ledger.values import Field

CommandT = TypeVar("CommandT", bound=Command)
T = TypeVar("T")


def gifts(typed: Mapping[str, str]) -> dict[str, int]:
    """Parse amounts to give. Raise `BadInput` for a maximum (`hp=9/12`) and for a value to set (`gold:=4`)."""
    for name, value in typed.items():
        if "/" in value or name.endswith(":"):
            raise BadInput(f"{quoted(f'{name}={value}')} is not an amount.", "An amount is one number, like gold=20.")
    return whole_numbers(typed)


def gift_scores(names: Names, who: str, parsed: Mapping[str, int]) -> dict[str, int]:
    """Look up the scores that `who` gives. Raise `UnknownName` for a score that the giver lacks."""
    try:
        return names.scores(who, parsed)
    except UnknownName as unknown:
        unknown.sentence = f"{unknown.sentence[:-1]}, so there is nothing to give."
        raise


def dice_notation(names: Names, who: str, typed: str) -> str:
    """Return the notation of a typed roll. Replace the name of a roll on the sheet of `who` with its dice.

    Scores in the notation may be typed without their accents.
    """
    from ledger.rules.sheet_roll import with_number_names, with_stored  # few commands roll plain dice

    book = names.book

    def find(name: str) -> object:
        look = book.mark if name.startswith("roll.") else book.balance
        values = (look(who, f"{game}/{name}") for game in book.systems(who))
        return next((value for value in values if value is not None), None)

    return with_number_names(typed if re.match("[0-9(]|d[0-9%]", typed) else with_stored(typed, find))


PARSERS: Mapping[Tag, Callable[[Any], Any]] = {
    inputs.OWN_CAST: split_range,
    inputs.NPCS: distinct_names,
    inputs.SEVERAL_PLAYERS: split_names,
    inputs.STARTING_SCORES: whole_numbers,
    inputs.SCORES: whole_numbers,
    inputs.GIFTS: gifts,
}
"""The parsers, by tag, for inputs that are not plain text or pairs of texts."""

RESOLVERS: Mapping[Tag, Callable[[Names, str, Any], Any]] = {
    inputs.CAST: lambda names, who, typed: names.character(typed),
    inputs.ROLLER: lambda names, who, typed: names.roller(typed),
    inputs.NEW_NAME: lambda names, who, typed: new_names.short_name(names, typed, joins=True),
    inputs.NEW_SHORT_NAME: lambda names, who, typed: typed and new_names.new_short_name(typed),
    inputs.PLAYER_NAME: lambda names, who, typed: new_names.player_name(names, typed),
    inputs.ANYBODY: lambda names, who, typed: names.anybody(typed),
    inputs.OWN_CAST: lambda names, who, typed: tuple(new_names.short_name(names, each) for each in typed),
    inputs.NPCS: lambda names, who, typed: tuple(new_names.short_name(names, each) for each in typed),
    inputs.SPEAKER: lambda names, who, typed: typed and names.player(typed),  # a spectator has no seat
    inputs.ALL_PLAYERS: lambda names, who, typed: _players(names, typed, _everybody_by_name(names)),
    inputs.SEVERAL_PLAYERS: lambda names, who, typed: _players(names, typed, {}),
    inputs.SCORES: Names.scores,
    inputs.DELTAS: Names.scores,
    inputs.GIFTS: gift_scores,
    inputs.NOTATION: dice_notation,
    inputs.MARKS: Names.marks,
    inputs.ENTRY: lambda names, who, typed: names.entry(str(typed)),
    inputs.ACTION: lambda names, who, typed: names.book.entry(names.entry(str(typed))).act,
    inputs.RULING: lambda names, who, typed: _ruling_of(names, str(typed)),
}
"""The lookups, by tag, for names in parsed inputs. Each gets the `Names`, the command's character and the input."""


def typed_fields(kind: type[Command]) -> dict[str, Field]:
    """Return the inputs of a command by the names that people type."""
    return {name: field for field in kind.fields().values() if (name := typed_name(field))}


def typed_name(field: Field) -> str:
    """Return the name that people type for an input; "" for an input that nobody can type."""
    return next((tag.name for tag in field.tags if isinstance(tag, Typed)), field.name)


def parse_inputs(kind: type[Command], **typed: Any) -> dict[str, Any]:
    """Parse the typed inputs of a command without a campaign. Raise `BadInput` for malformed ones."""
    fields, parsed = kind.fields(), dict[str, Any]()
    for name, value in typed.items():
        if inputs.DELTAS in fields[name].tags:
            parsed[name], parsed["sets"] = split_changes(value)
        else:
            parse = _by_tag(PARSERS, fields[name])
            parsed[name] = parse(value) if parse else value
    return parsed


def resolve_inputs(names: Names, kind: type[Command], who: str, read: Mapping[str, Any]) -> dict[str, Any]:
    """Look up the names in parsed inputs of a command about `who`. Raise `UnknownName` for unknown names."""
    resolvers = {name: _by_tag(RESOLVERS, kind.fields()[name]) for name in read}
    left_out = {name for name, value in read.items() if value is None}
    return {
        name: resolve(names, who, read[name]) if resolve and name not in left_out else read[name]
        for name, resolve in resolvers.items()
    }


def command_from(names: Names, kind: type[CommandT], read: Mapping[str, Any]) -> CommandT:
    """Make a command from parsed inputs. `who` is resolved first, because other names depend on it."""
    who = resolve_inputs(names, kind, "", {name: value for name, value in read.items() if name == "who"})
    rest = {name: value for name, value in read.items() if name != "who"}
    return kind(**who, **resolve_inputs(names, kind, who.get("who", ""), rest))


def _by_tag(table: Mapping[Tag, T], field: Field) -> T | None:
    return next((table[tag] for tag in field.tags if tag in table), None)


def _everybody_by_name(names: Names) -> dict[str, Iterable[str]]:
    """Map the name `all` to everybody at the table. Return an empty dict if a player is named `all`."""
    players = names.book.players()
    return {} if ALL in map(str.casefold, players.values()) else {ALL: players}


def _players(names: Names, typed: Iterable[str], groups: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    several = (groups.get(name.casefold()) or [names.player(name)] for name in typed)
    return tuple(dict.fromkeys(seat for seats in several for seat in seats))


def _ruling_of(names: Names, typed: str) -> int:
    """Return the number of the ruling to override, from the typed number of an entry.

    Raise `Refused` if this ruling has no dice of its own, but a later ruling of the same action has dice.
    """
    from ledger.corrections.actions import part_of  # only an override needs it

    action, part = part_of(names.book, names.entry(typed))
    thrown = action.later_roll(part)
    if thrown is not None:
        hint = f"To override #{thrown}: {Run('override', thrown, 'VERDICT', why='TEXT')}"
        raise Refused(f"#{part.root} has no dice of its own. The dice are in #{thrown}.", hint)
    return part.root
