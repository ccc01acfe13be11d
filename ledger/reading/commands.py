"""Commands: how what is typed of a command is read, one way for a command and for what is said of it afterwards."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ledger.commands.decider import Command
from ledger.commands.play import Roll
from ledger.commands.table import Adjust, Join, OpenSession, Seat, SetMarks
from ledger.reading.names import Names, whole, words
from ledger.rules.notation import read

Said = TypeVar("Said", bound=Command)

Reader = Callable[[Names, str, Any], Any]
"""Reads what was typed of an input; handed the names, and whom the command is about."""

READERS: Mapping[tuple[type[Command], str], Reader] = {
    (Seat, "plays"): lambda names, who, typed: words(typed),
    (OpenSession, "present"): lambda names, who, typed: tuple(dict.fromkeys(map(names.player, words(typed)))),
    (Join, "scores"): lambda names, who, typed: {name: whole(value) for name, value in typed.items()},
    (Roll, "who"): lambda names, who, typed: names.roller(typed),
    (Roll, "notation"): lambda names, who, typed: read(typed).text,
    (Adjust, "who"): lambda names, who, typed: names.character(typed),
    (Adjust, "amounts"): Names.amounts,
    (SetMarks, "who"): lambda names, who, typed: names.character(typed),
    (SetMarks, "values"): Names.marks,
}
"""How what is typed is read, where it is more than text and pairs of texts: names resolved, numbers read."""


def read_input(names: Names, kind: type[Command], name: str, who: str, typed: Any) -> Any:
    """Return an input of a command as it is meant; refuses (`BadInput`, `UnknownName`) what cannot be."""
    reader = READERS.get((kind, name))
    return reader(names, who, typed) if reader else typed


def command_of(names: Names, kind: type[Said], **typed: Any) -> Said:
    """Return a command from what was typed of it, whom it is about first; refuses like `read_input`."""
    who = read_input(names, kind, "who", "", typed["who"]) if "who" in typed else ""
    rest = {name: read_input(names, kind, name, who, held) for name, held in typed.items() if name != "who"}
    return kind(**({"who": who} if who else {}), **rest)
