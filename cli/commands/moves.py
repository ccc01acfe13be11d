"""Moves: one command for each move, built from the move's own inputs."""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from cli.context import Invocation
from cli.options import (
    Several,
    Verb,
    faces_option,
    new_option,
    seal_options,
    write_options,
)
from cli.render import terminal
from cli.run import ask_choice, parameter, say_next, with_proposals, write
from ledger.reading.inputs import named_inputs, sealed
from ledger.rules.inputs import AT_TABLE, stems
from ledger.rules.move import Move
from ledger.rules.system import System

if TYPE_CHECKING:
    from ledger.journal.book import Book


class Game(Several):
    """The moves of one system."""

    def __init__(self, system: System) -> None:
        super().__init__(system.name, help=f"{system.title}.", subcommand_metavar="MOVE WHO …")
        self.system = system

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The moves that are typed, in the order of the system."""
        return [move.name() for move in self.system.rulebook().moves if not move.is_part]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a move."""
        move = self.system.move(cmd_name)
        return None if move is None or move.is_part else command(self.system, move)


def command(system: System, move: type[Move]) -> Verb:
    """The command of a move: required handles and choices are arguments, all else is a flag."""
    throws = [faces_option(), *seal_options()] if move.throws() else []
    return Verb(
        move.name(),
        params=[*inputs_of(system, move), *throws, *write_options()],
        callback=partial(_play, system, move),
        help=move.__doc__,
        short_help=(move.__doc__ or "").splitlines()[0],
        example=f"{system.name} {move.name()} {move.example}",
    )


def inputs_of(system: System, move: type[Move]) -> list[click.Parameter]:
    """The arguments and flags of a move's own inputs, and the flag for a new name if one of them may be new."""
    params = [parameter(field, system.name) for field in move.fields().values() if AT_TABLE not in field.tags]
    names = [new_option()] if any(map(stems, move.fields().values())) else []
    return [*(param for param in params if param.name not in move.offered), *names]


@click.pass_context
def _play(ctx: click.Context, system: System, move: type[Move], /, **flags: Any) -> None:
    from ledger.commands.play import PlayMove  # help needs none of it
    from ledger.commands.sheet import table_of
    from ledger.events.types import QuestionAsked

    invocation = ctx.find_object(Invocation) or Invocation()
    with invocation.book() as book:
        names = invocation.names(book, new=flags.get("new", False))
        asked = move(**named_inputs(names, system.name, move, flags))
        if asked.only_looks:
            _look(book, asked.who, system.name, as_json=flags["json_"])
            return
        if terminal.interactive() and not flags["json_"]:
            asked = with_proposals(asked, table_of(book, system.name))
        played = PlayMove(system=system.name, move=asked)
        done = write(invocation, book, sealed(played, flags, invocation.today), flags)
        if not flags["json_"]:
            say_next(book, done)
    question = next((entry.seq for entry in done.entries if entry.type == QuestionAsked.type), None)
    if not (flags["json_"] or done.dry or done.again or question is None):
        ask_choice(invocation, question, flags)


def _look(book: "Book", who: str, name: str, *, as_json: bool) -> None:
    """Show a sheet in one game; refuses (`Refused`) if there is none."""
    from cli.render import pages
    from ledger.commands.sheet import sheet_system
    from projections.sheets import sheet

    sheet_system(book, who, name)
    page = [sheet(book, who, name)]
    if as_json:
        pages.sheets_json(page)
    else:
        pages.sheets(page, full=False)
