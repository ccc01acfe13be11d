"""Amends: what may be said otherwise of an entry, as flags."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from cli import resolve
from cli.options import Completed, faces_option, words, write_options
from cli.run import named_inputs, parameter
from ledger.errors import BadInput
from ledger.rules.inputs import AT_ONCE, AT_TABLE, CAST
from ledger.values import Field

if TYPE_CHECKING:
    from ledger.commands.decider import Command
    from ledger.corrections.parts import Part
    from ledger.journal.book import Book
    from ledger.rules.move import Move

TAKEN = frozenset({"why", "cascade", "yes", "faces", "without"}) | {
    name for option in write_options() for name in (option.name or "", option.opts[0].strip("-").replace("-", "_"))
}
"""Names of flags that say something about the amendment; an input of that name is said with `--its-NAME`."""

ITS = "its_"


def options(part: "Part") -> list[click.Parameter]:
    """Return the flags of what was said, none of them required, and `--faces` where dice were thrown."""
    from ledger.commands.play import Play  # help amends nothing

    own = part.said.move if isinstance(part.said, Play) else part.said
    fields = [field for field in type(own).fields().values() if not _is_fixed(own, field)]
    params: list[click.Parameter] = [_option(field, own) for field in fields]
    optional = [field.name.replace("_", "-") for field in fields if not field.required and field.kind is not bool]
    if optional:
        kind = Completed("NAME", lambda book, ctx: optional)
        says = "An input that was said and should not have been."
        params.append(click.Option(["--without"], type=kind, multiple=True, help=says))
    return [*params, *([faces_option("The dice as they should have been typed, in order.")] if part.thrown else [])]


def changes(book: "Book", part: "Part", given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is said otherwise, names resolved; refuses (`BadInput`) what cannot be."""
    from ledger.commands.play import Play

    said = {name.removeprefix(ITS): held for name, held in given.items() if held not in (None, ())}
    if isinstance(part.said, Play):
        move = part.said.move
        read = named_inputs(book, type(move), {"who": move.who, **said})
        found = {name: held for name, held in read.items() if name in said}
        return found | _without(type(move), said.get("without", ()))
    fields = type(part.said).fields()
    found = {name: _read(book, part.said, fields[name], held) for name, held in said.items() if name in fields}
    return found | _without(type(part.said), said.get("without", ()))


def _is_fixed(own: "Move | Command", field: Field) -> bool:
    """Whether an input is never amended.

    It says whose sheet it is, of what is amended by names and values; what else is done at once; or what was offered.
    """
    pairs = not _is_move(own) and any(each.keyed for each in type(own).fields().values())
    offered = getattr(own, "offered", ())
    once = AT_TABLE in field.tags or AT_ONCE in field.tags or field.name in offered
    return once or (pairs and field.name in {"who", "system"})


def _is_move(own: "Move | Command") -> bool:
    from ledger.rules.move import Move

    return isinstance(own, Move)


def _option(field: Field, own: "Move | Command") -> click.Parameter:
    if field.keyed and not _is_move(own):
        return click.Argument([field.name], nargs=-1, metavar="[NAME=VALUE]…")
    name = f"{ITS}{field.name}" if field.name in TAKEN else field.name
    flag = name.replace("_", "-")
    told = field.says or ("the character" if CAST in field.tags else f"the {field.name}")
    says = f"{told[:1].upper()}{told[1:]}."
    if field.kind is bool:
        return click.Option([f"--{flag}/--no-{flag}", name], default=None, help=says)
    kind = parameter(field).type
    return click.Option([f"--{flag}", name], type=kind, multiple=field.many or field.keyed, default=None, help=says)


def _without(own: "type[Move] | type[Command]", names: tuple[str, ...]) -> dict[str, Any]:
    fields = {field.name: field for field in own.fields().values() if not field.required}
    unknown = [name for name in names if name.replace("-", "_") not in fields]
    if unknown:
        raise BadInput(f"{unknown[0]} is no input that can be left out.")
    return {name.replace("-", "_"): fields[name.replace("-", "_")].default for name in names}


def _read(book: "Book", said: "Command", field: Field, held: Any) -> Any:
    reader = READERS.get((type(said).__name__, field.name))
    return reader(book, said, held) if reader else held


def _present(book: "Book", said: "Command", typed: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(resolve.player(book, name) for name in words(typed)))


def _plays(book: "Book", said: "Command", names: tuple[str, ...]) -> tuple[str, ...]:
    return words(names)


def _roller(book: "Book", said: "Command", name: str) -> str:
    return resolve.roller(book, name)


def _notation(book: "Book", said: "Command", typed: str) -> str:
    from ledger.rules.notation import read

    return read(typed).text


def _pairs(
    read: Callable[["Book", str, Mapping[str, str]], Any], book: "Book", said: Any, typed: tuple[str, ...]
) -> Any:
    return read(book, getattr(said, "who", ""), resolve.pairs(typed, "NAME=VALUE"))


READERS: Mapping[tuple[str, str], Callable[["Book", Any, Any], Any]] = {
    ("OpenSession", "present"): _present,
    ("Seat", "plays"): _plays,
    ("Roll", "who"): _roller,
    ("Roll", "notation"): _notation,
    ("Adjust", "amounts"): partial(_pairs, resolve.amounts),
    ("SetMarks", "values"): partial(_pairs, resolve.marks),
    ("Join", "scores"): partial(_pairs, lambda book, who, typed: {n: resolve.whole(v) for n, v in typed.items()}),
    ("Settle", "values"): partial(_pairs, lambda book, who, typed: dict(typed)),
}
"""How what is typed is read, where it is more than text: names resolved, numbers read."""
