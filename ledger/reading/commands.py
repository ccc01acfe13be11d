"""Commands: how what is typed of a command is read, one way for a command and for what is said of it afterward."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ledger.commands.decider import Command
from ledger.commands.play import Roll
from ledger.commands.table import Adjust, Join, OpenSession, Seat, SetMarks
from ledger.reading.names import Names, signed_numbers, whole_numbers, words
from ledger.rules.notation import read

Said = TypeVar("Said", bound=Command)

Reader = Callable[[Names, str, Any], Any]
"""Resolves the names in an input that was read; handed the names of the campaign, and whom the command is about."""

PLAIN: Mapping[tuple[type[Command], str], Callable[[Any], Any]] = {
    (Seat, "plays"): words,
    (OpenSession, "present"): words,
    (Join, "scores"): whole_numbers,
    (Roll, "notation"): lambda typed: read(typed).text,
    (Adjust, "amounts"): signed_numbers,
}
"""How what is typed is read, where it is more than text or pairs of texts; no campaign is needed for it."""

NAMED: Mapping[tuple[type[Command], str], Reader] = {
    (OpenSession, "present"): lambda names, who, read: tuple(dict.fromkeys(map(names.player, read))),
    (Roll, "who"): lambda names, who, read: names.roller(read),
    (Adjust, "who"): lambda names, who, read: names.character(read),
    (Adjust, "amounts"): Names.scores,
    (SetMarks, "who"): lambda names, who, read: names.character(read),
    (SetMarks, "values"): Names.marks,
}
"""How names in it are resolved, in a campaign."""


def plain(kind: type[Command], **typed: Any) -> dict[str, Any]:
    """Typed inputs of a command, read without a campaign; refuses (`BadInput`) malformed ones."""
    return {name: PLAIN[kind, name](held) if (kind, name) in PLAIN else held for name, held in typed.items()}


def resolved(names: Names, kind: type[Command], who: str, read: Mapping[str, Any]) -> dict[str, Any]:
    """Return inputs with their names resolved, of a command about somebody; refuses (`UnknownName`) what is none."""
    return {name: NAMED[kind, name](names, who, held) if (kind, name) in NAMED else held for name, held in read.items()}


def command_of(names: Names, kind: type[Said], read: Mapping[str, Any]) -> Said:
    """A command from inputs that were read, with their names resolved: first whom it is about."""
    who = resolved(names, kind, "", {name: held for name, held in read.items() if name == "who"})
    rest = {name: held for name, held in read.items() if name != "who"}
    return kind(**who, **resolved(names, kind, who.get("who", ""), rest))
