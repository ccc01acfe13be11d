"""The command that shows how likely each verdict of a move is, before the roll."""

from __future__ import annotations

import re
from typing import Any

import click

from cli.commands.moves import MoveGroup, MoveVerb, flags_of
from cli.context import Invocation
from cli.options import CommandGroup, json_option
from cli.render import terminal
from ledger import systems
from ledger.errors import Refused, Run
from ledger.rules.move import Move
from ledger.rules.system import System


class OddsGames(CommandGroup):
    """The group of all games. Games without a move that rolls dice are not listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the games that have a move with dice."""
        return [name for name in systems.names() if _moves(systems.find(name))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the group of a game's moves; `None` for an unknown game. Raise `Refused` if the game rolls no dice."""
        if not systems.known(cmd_name):
            return None
        system = systems.find(cmd_name)
        if not _moves(system):
            raise Refused(
                f"{system.name} has no moves that roll dice.",
                f"To roll dice outside any game: {Run('roll', 'WHO', 'DICE')}",
            )
        return OddsMoves(system)


class OddsMoves(MoveGroup):
    """A group of a game's moves that roll dice or lead to a move that rolls dice."""

    def __init__(self, system: System) -> None:
        super().__init__(system, _moves(system))
        first = next(iter(self.moves.values()))
        self.examples = tuple(_odds_example(system, first, typed) for typed in (first.example, first.another))
        self.near = f"{system.name}, systems {system.name}, try"

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command for a move. Raise `Refused` if the move never leads to a dice roll."""
        if cmd_name in self.system.playable() and cmd_name not in self.moves and not ctx.resilient_parsing:
            raise Refused(f"{self.system.name} {cmd_name} does not roll dice.")
        return super().get_command(ctx, cmd_name)

    def verb(self, move: type[Move]) -> click.Command:
        """Return the command that shows the odds of a move, with its input flags."""
        verb = MoveVerb(
            self.system,
            move,
            flags_of(self.system, move),
            callback=_odds,
            help=f"Show how likely each verdict of this move is: {(move.__doc__ or '').splitlines()[0]}",
            example=_odds_example(self.system, move, move.example),
            another=_odds_example(self.system, move, move.another or move.example),
            near=f"{self.system.name} {move.name()}, odds, try",
        )
        verb.without_dice = "This look at the odds does not roll dice."
        return json_option(verb)


def _odds_example(system: System, move: type[Move], typed: str) -> str:
    """Turn an example of a move into an example of `odds`. Remove the dice and the choices made after the roll."""
    known = "|".join(("faces", *(name.replace("_", "-") for name in move.chosen)))
    return re.sub(f" --({known}) [^ ]+", "", f"odds {system.name} {move.name()} {typed}")


def _moves(system: System) -> dict[str, type[Move]]:
    return {name: move for name, move in system.playable().items() if move.may_roll()}


@click.pass_context
def _odds(ctx: click.Context, /, **flags: Any) -> None:
    from cli.render import odds as render
    from projections.odds import odds as look

    verb = ctx.command
    assert isinstance(verb, MoveVerb)  # noqa: S101  no other command has this callback
    invocation, system = ctx.find_object(Invocation) or Invocation(), verb.system
    with invocation.snapshot() as book:
        names = invocation.names(book, new=flags.get("new", False))
        asked = verb.move_from(ctx, names, invocation.usual(book), flags)
        with terminal.progress(100) as count:
            counted = look(book, system.name, asked, count)
    if flags["json_"]:
        render.odds_json(system, asked, counted)
    else:
        render.odds(system, asked, counted)


odds = OddsGames(
    "odds",
    help="Show how likely each verdict of a move is, before the roll.",
    subcommand_metavar="GAME MOVE WHO …",
    example="odds edge check mara --skill 11",
    another="odds edge check mara --skill 11 --edge",
    near="edge check, try, systems",
)
"""The command `odds`, as in `odds edge check mara deception`. It lacks the flags of commands that write."""
