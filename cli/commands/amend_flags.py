"""Flags of an amendment: the inputs of an entry that it may change."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from cli.options import Completed, faces_option, new_option, write_options
from cli.run import parameter
from ledger.errors import Refused
from ledger.rules.inputs import CAST, stems
from ledger.values import Field

if TYPE_CHECKING:
    from ledger.commands.decider import Command
    from ledger.corrections.parts import Part
    from ledger.journal.book import Book
    from ledger.rules.move import Move

TAKEN = frozenset({"why", "cascade", "yes", "faces", "without", "new"}) | {
    name for option in write_options() for name in (option.name or "", option.opts[0].strip("-").replace("-", "_"))
}
"""Flags about the amendment itself; an input of such a name has the flag `--its-NAME`."""

ITS = "its_"


def options(book: "Book", seq: int) -> list[click.Parameter]:
    """A flag for each input of an entry's part, none required; `--new` if one names scores, `--faces` if dice lie."""
    from ledger.commands.table import Adjust, SetMarks  # help needs none of it
    from ledger.corrections.parts import part_of

    act, part = part_of(book, seq)
    from ledger.reading.amendments import amendable, said_of  # help needs none of it

    own = said_of(part)
    fields = amendable(own)
    game = getattr(part.said, "system", "")
    params: list[click.Parameter] = [_option(field, own, game) for field in fields]
    optional = [field.name.replace("_", "-") for field in fields if not field.required and field.kind is not bool]
    if optional:
        kind = Completed("NAME", lambda book, ctx: optional)
        says = "An input that was said and should not have been."
        params.append(click.Option(["--without"], type=kind, multiple=True, help=says))
    if isinstance(own, Adjust | SetMarks) or any(map(stems, fields)):
        params.append(new_option())
    says = "The dice as they should have been typed, in order."
    return [*params, *([faces_option(says)] if part.thrown else _faces_of_another(book, act, part))]


def _faces_of_another(book: "Book", act: int, part: "Part") -> list[click.Parameter]:
    """A `--faces` that refuses (`Refused`) and names the part that did throw, if one of the same action did."""
    from ledger.corrections.parts import parts
    from projections.phrases import named

    thrown = next((other.root for other in parts(book, act) if other.thrown), None)
    if thrown is None:
        return []
    hint = f"Amend that one: campaign amend {thrown} --faces N,N… --why TEXT"
    refused = Refused(f"#{part.root} throws no dice; {named(book, thrown)} does.", hint)

    def refuse(ctx: click.Context, param: click.Parameter, typed: str | None) -> None:
        if typed is not None:
            raise refused

    return [click.Option(["--faces"], hidden=True, expose_value=False, callback=refuse)]


def given(typed: Mapping[str, Any]) -> dict[str, Any]:
    """The flags that were typed, by input name."""
    return {name.removeprefix(ITS): value for name, value in typed.items() if value not in (None, ())}


def _option(field: Field, own: "Move | Command", game: str) -> click.Parameter:
    from ledger.rules.move import Move

    if field.keyed and not isinstance(own, Move):
        return click.Argument([field.name], nargs=-1, metavar="[NAME=VALUE]…")
    name = f"{ITS}{field.name}" if field.name in TAKEN else field.name
    flag = name.replace("_", "-")
    text = field.says or ("the character" if CAST in field.tags else f"the {field.name}")
    says = f"{text[:1].upper()}{text[1:]}."
    if field.kind is bool:
        otherwise = flag.removeprefix("no-") if flag.startswith("no-") else f"no-{flag}"
        return click.Option([f"--{flag}/--{otherwise}", name], default=None, help=says)
    kind = parameter(field, game).type
    return click.Option([f"--{flag}", name], type=kind, multiple=field.many or field.keyed, default=None, help=says)
