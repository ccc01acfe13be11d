"""Commands: how the typed inputs of a command are read, the same way in a command and in its amendments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ledger.commands.at_table import Adjust, Join, Leave, OpenSession, Seat, SeatNpcs, SetMarks
from ledger.commands.decider import Command
from ledger.commands.play import Roll
from ledger.commands.turns import AddTurn, RollTurn
from ledger.reading.names import Names, moved_and_set, names_of, number_repeated_names, split_range, whole_numbers
from ledger.rules.notation import read_notation

CommandT = TypeVar("CommandT", bound=Command)

Reader = Callable[[Names, str, Any], Any]
"""Resolves the names in a parsed input; gets the names of the campaign, and the character of the command."""

PLAIN_READERS: Mapping[tuple[type[Command], str], Callable[[Any], Any]] = {
    (Seat, "plays"): split_range,
    (SeatNpcs, "names"): number_repeated_names,
    (OpenSession, "present"): names_of,
    (Join, "scores"): whole_numbers,
    (Roll, "notation"): lambda typed: read_notation(typed).text,
    (RollTurn, "notation"): lambda typed: read_notation(typed).text,
}
"""Parsers of typed inputs that are more than text or pairs of texts; they need no campaign."""

NAME_READERS: Mapping[tuple[type[Command], str], Reader] = {
    (Seat, "plays"): lambda names, who, typed: tuple(map(names.maybe_new, typed)),
    (SeatNpcs, "names"): lambda names, who, typed: tuple(map(names.maybe_new, typed)),
    (Join, "who"): lambda names, who, typed: names.maybe_new(typed),
    (OpenSession, "present"): lambda names, who, typed: tuple(dict.fromkeys(map(names.player, typed))),
    (Roll, "who"): lambda names, who, typed: names.roller(typed),
    (Leave, "who"): lambda names, who, typed: names.character(typed),
    (AddTurn, "who"): lambda names, who, typed: names.character(typed),
    (RollTurn, "who"): lambda names, who, typed: names.character(typed),
    (Adjust, "who"): lambda names, who, typed: names.character(typed),
    (Adjust, "amounts"): Names.scores,
    (Adjust, "sets"): Names.scores,
    (SetMarks, "who"): lambda names, who, typed: names.character(typed),
    (SetMarks, "values"): Names.marks,
}
"""Readers of the inputs that contain names of a campaign."""


def parse_inputs(kind: type[Command], **typed: Any) -> dict[str, Any]:
    """Typed inputs of a command, parsed without a campaign; refuses (`BadInput`) malformed ones."""
    if kind is Adjust and "amounts" in typed:
        typed["amounts"], typed["sets"] = moved_and_set(typed["amounts"])
    return {
        name: PLAIN_READERS[kind, name](value) if (kind, name) in PLAIN_READERS else value
        for name, value in typed.items()
    }


def resolve_inputs(names: Names, kind: type[Command], who: str, read: Mapping[str, Any]) -> dict[str, Any]:
    """Parsed inputs of a command about `who`, their names resolved; refuses (`UnknownName`) unknown names."""
    readers = {name: NAME_READERS[kind, name] for name in read if (kind, name) in NAME_READERS}
    return {name: readers[name](names, who, value) if name in readers else value for name, value in read.items()}


def command_from(names: Names, kind: type[CommandT], read: Mapping[str, Any]) -> CommandT:
    """A command from parsed inputs; its `who` is resolved first, as the other names depend on it."""
    who = resolve_inputs(names, kind, "", {name: value for name, value in read.items() if name == "who"})
    rest = {name: value for name, value in read.items() if name != "who"}
    return kind(**who, **resolve_inputs(names, kind, who.get("who", ""), rest))
