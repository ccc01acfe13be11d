"""The command that shows how likely each verdict of a move is, before the roll."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import click

from cli.command_types import CommandGroup, verb
from cli.commands.moves import MoveGroup, MoveVerb, flags_of
from cli.context import Invocation, Output
from cli.options import row_options
from cli.render import terminal
from cli.short_words import DICE_PATTERN
from cli.shorthand import MAIN_LETTER, matching_moves
from cli.typed_dice import subtracts_dice
from ledger import systems
from ledger.errors import Refused, Run
from ledger.journal.book import Book
from ledger.reading.names import Names
from ledger.reading.placing import AT_SIGN
from ledger.rules.move import Move
from ledger.rules.system import System


class OddsGames(CommandGroup):
    """The command `odds`, with a subgroup for each game that has a move with dice."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words. If a line starts with subtracted dice, like `-d6+20`, do not read the dice as options."""
        return super().parse_args(ctx, ["--", *args] if args and subtracts_dice(args[0]) else args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the games that have a move with dice."""
        return [name for name in systems.names() if _moves(systems.find(name))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the group of a game's moves; `None` for an unknown game. Raise `Refused` if the game rolls no dice."""
        if not systems.is_installed(cmd_name):
            return None
        system = systems.find(cmd_name)
        if not _moves(system):
            raise Refused(
                f"{system.name} has no moves that roll dice.",
                f"To roll dice outside any game: {Run('roll', 'WHO', 'DICE')}",
            )
        return OddsMoves(system)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a line: the first match in this list. Raise `UsageError` if nothing matches.

        - a game's group, if the first word is the full name of the game
        - the command for plain dice, if a word contains dice
        - a game's group, if the first word is the start of the game's name
        - a move of the character's only game: the move that the first word names, or else the main move
        """
        if args[0] in systems.names():
            return super().resolve_command(ctx, args)
        if any(re.search(DICE_PATTERN, word) for word in args):
            return None, plain_dice, args
        is_game = args[0] != MAIN_LETTER and any(name.startswith(args[0]) for name in systems.names())
        words = args[1:] if args[0] == MAIN_LETTER else args
        game = None if is_game else _only_game(ctx, words)
        if game is None:
            return super().resolve_command(ctx, args)
        move = words[0] if words and words[0] in _moves(game) else game.main or next(iter(_moves(game)))
        args = words[1:] if words[:1] == [move] else words
        return f"{game.name} {move}", OddsMoves(game).get_command(ctx, move), args


def _only_game(ctx: click.Context, words: Sequence[str]) -> System | None:
    """Return a character's only game with moves that roll dice. If `words` name no character, use the usual character.

    Prefer games with a move that rolls dice and accepts one of the `words`. Raise `Refused` if several games remain.
    Return `None` without a character or a game.
    """
    invocation = ctx.find_object(Invocation) or Invocation()
    with invocation.snapshot() as book:
        names, typed = Names(book), [word.removeprefix(AT_SIGN) for word in words]
        named = next(filter(None, map(names.named_in_full, typed)), None)  # `axe mara`: mara must have an axe
        who = names.pick("".join(typed[:1]), book.cast()) or (named and _games_with(book, named, words[:1]) and named)
        who = who or invocation.usual_character(book)
        games = [systems.find(name) for name in book.systems(who) if systems.is_installed(name)] if who else []
        fitting = _games_with(book, who, words) if who else []
    with_dice = systems.main_games(fitting or [*filter(_moves, games)])
    if len(with_dice) > 1:
        hint = f"Name the game: {Run('odds', with_dice[0].name, next(iter(_moves(with_dice[0]))), who)} …"
        raise Refused(f"{who} plays {' and '.join(sorted(game.name for game in with_dice))}.", hint)
    return with_dice[0] if with_dice else None


def _games_with(book: Book, who: str, words: Sequence[str]) -> list[System]:
    """Return the character's games in which a move with dice accepts one of the words."""
    games = [systems.find(name) for name in book.systems(who) if systems.is_installed(name)]
    fitting = matching_moves([(game, move) for game in games for move in _moves(game)], book, who, words)
    return [*{game.name: game for game, _ in fitting}.values()]


class OddsMoves(MoveGroup):
    """A group of the moves in a game that may lead to a dice roll."""

    def __init__(self, system: System) -> None:
        super().__init__(system, _moves(system))
        first = next(iter(self.moves.values()))
        self.examples = tuple(_odds_example(system, first, typed) for typed in (first.example, first.another))
        self.similar = f"{system.name}, systems {system.name}, try"

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command for a move. Raise `Refused` if the move never leads to a dice roll."""
        if cmd_name in self.system.playable() and cmd_name not in self.moves and not ctx.resilient_parsing:
            raise Refused(f"{self.system.name} {cmd_name} does not roll dice.")
        return super().get_command(ctx, cmd_name)

    def verb(self, move: type[Move]) -> click.Command:
        """Return the command that shows the odds of a move, with its input flags."""
        shown = MoveVerb(
            self.system,
            move,
            flags_of(self.system, move),
            callback=_odds,
            help=f"Show how likely each verdict of this move is: {(move.__doc__ or '').splitlines()[0]}",
            example=_odds_example(self.system, move, move.example),
            another=_odds_example(self.system, move, move.another or move.example),
            similar=f"{self.system.name} {move.name()}, odds, try",
        )
        shown.without_dice = "'campaign odds' does not roll dice."
        return row_options(shown)


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

    asked_by = ctx.command
    assert isinstance(asked_by, MoveVerb)  # noqa: S101  no other command has this callback
    invocation, system = ctx.find_object(Invocation) or Invocation(), asked_by.system
    output: Output = flags.pop("output")
    with invocation.snapshot() as book:
        names = invocation.names(book, new=flags.get("new", False))
        asked = asked_by.move_from(ctx, names, invocation.usual_character(book), flags)
        with terminal.progress(100) as count:
            counted = look(book, system.name, asked, count)
        campaign = book.title()
    facts = render.odds_facts(system, asked, counted)
    output.show([facts], lambda: render.show_odds(system, asked, counted), campaign)


@row_options
@verb("odds 4d6kh3", "odds mara d20+stealth --vs 15", "roll, odds edge check")
@click.argument("pool", nargs=-1, required=True, metavar="[WHO] DICE")
@click.option("--vs", type=int, help="A target. A total that reaches it is a success.", metavar="NUMBER")
def plain_dice(invocation: Invocation, pool: tuple[str, ...], vs: int | None, output: Output) -> None:
    """For a roll of plain dice, show how likely each total is."""
    from cli.render import odds as render
    from projections.dice_odds import odds_of_roll

    with invocation.snapshot() as book:
        names = invocation.names(book)
        who = names.roller(pool[0].removeprefix("@")) if len(pool) > 1 else invocation.usual_character(book)
        counted = odds_of_roll(book, who, pool[-1], vs)
        campaign = book.title()
    output.show([counted], lambda: render.show_dice_odds(counted), campaign, each="totals")


class _NamelessContext(click.Context):
    """The context of a command that has no name of its own, because it starts with its arguments."""

    @property
    def command_path(self) -> str:
        """The words before the arguments."""
        return super().command_path.rstrip()


plain_dice.context_class = _NamelessContext

odds = OddsGames(
    "odds",
    help="Show how likely each verdict of a move is, before the roll. For plain dice: odds [WHO] DICE [--vs NUMBER].",
    subcommand_metavar="GAME MOVE WHO …",
    example="odds edge check mara --skill 11",
    another="odds edge check mara --skill 11 --edge",
    similar="edge check, try, systems",
)
"""The command `odds`, as in `odds edge check mara deception`. It lacks the flags of commands that write."""
