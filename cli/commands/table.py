"""Table: who is at it and plays, which day and whose turn it is, and how things stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.asides import say_places
from cli.context import Invocation
from cli.options import Several, Verb, faces_option, looks, pass_invocation, write_options, writes
from cli.param_types import WHO, WholeNumber
from cli.render import status as shown
from cli.render import terminal
from cli.run import write, write_all
from ledger.values import BIGGEST, LARGEST, Within

if TYPE_CHECKING:
    from ledger.commands.decider import Command


@click.command(cls=Verb, example="npc bandit-1..4", another="npc guard --dry-run", near="join, leave, turns, players")
@click.argument("names", metavar="NAME…", nargs=-1, required=True)
@click.option("--fresh", is_flag=True, help="Reset the scores of returning characters.")
@writes
@pass_invocation
def npc(invocation: Invocation, names: tuple[str, ...], fresh: bool, **flags: Any) -> None:
    """Add non-player characters for this session. The GM plays them.

    They can roll, take turns and join a game. If you add them again later, their sheets come back.
    """
    from ledger.commands.at_table import Adjust, SeatNpcs  # help needs none of it
    from ledger.reading.parsing import command_from, parse_inputs
    from projections.returning import changed_scores

    typed = parse_inputs(SeatNpcs, names=names)
    with invocation.book() as book:
        resolver = invocation.names(book)
        seated = command_from(resolver, SeatNpcs, typed)
        changes = {who: changed_scores(book, who) for who in seated.names} if fresh else {}
        resets = [
            Adjust(who=who, amounts={}, sets={one.full: one.first for one in scores}, why="starts over")
            for who, scores in changes.items()
            if scores
        ]
        write_all(invocation, book, [(command, None) for command in (seated, *resets)], flags)


@click.command(cls=Verb, example="leave mara", another="leave brak --dry-run", near="join, player, players")
@click.argument("who", type=WHO)
@writes
@pass_invocation
def leave(invocation: Invocation, who: str, **flags: Any) -> None:
    """Take a character out of play. The sheets are kept.

    'campaign join WHO' brings the character back.
    """
    from ledger.commands.at_table import Leave
    from ledger.errors import Nobody

    try:
        _say(invocation, Leave, flags, who=who)
    except Nobody as nobody:
        with invocation.book() as book:
            seat = next((seat for seat, name in book.players().items() if name.casefold() == who.casefold()), None)
            played = [] if seat is None else book.played_by(seat)
        if played:
            nobody.hint = f"{who} is a player. Only characters can leave: campaign leave {played[0]}"
        elif seat is not None:
            nobody.hint = (
                f"{who} is a player. To say which players are present: campaign session open TITLE --present NAME"
            )
        raise


def _say(
    invocation: Invocation, kind: type[Command], flags: dict[str, Any], who: str | None = None, **typed: Any
) -> None:
    """Write a command; for a range like `gob-1..3`, one for each character, all or none."""
    from cli.group import write_several
    from ledger.reading.parsing import command_from, parse_inputs

    with invocation.book() as book:
        names = invocation.names(book)

        def says(who: str | None) -> Command:
            named = {} if who is None else {"who": who}
            return command_from(names, kind, parse_inputs(kind, **named, **typed))

        if who is None:
            write(invocation, book, says(None), flags)
        else:
            write_several(invocation, book, who, says, flags)


@click.group(cls=Several, example="day next", another="day to 12", near="session, byzantine dawn, questions")
def day() -> None:
    """Start the next day, or skip several. In a game with dawns, such as Byzantine, each day starts with a dawn."""


@day.command("next", cls=Verb, example="day next --count 3", another="day next", near="day to, session, questions")
@click.option("--count", type=WholeNumber(Within(1, LARGEST)), default=1, help="How many days to advance. [default: 1]")
@writes
@pass_invocation
def next_day(invocation: Invocation, count: int, **flags: Any) -> None:
    """Advance one or more days. It stops at a day that needs a decision."""
    from ledger.commands.days import NextDay

    with invocation.book() as book:
        write(invocation, book, NextDay(count=count, until=None), flags)


@day.command("to", cls=Verb, example="day to 12", another="day to 3 --dry-run", near="day next, questions")
@click.argument("number", type=WholeNumber(Within(1, LARGEST)))
@writes
@pass_invocation
def to_day(invocation: Invocation, number: int, **flags: Any) -> None:
    """Advance to this day. It stops at a day that needs a decision."""
    from ledger.commands.days import NextDay, today

    with invocation.book() as book:
        if today(book) == number:
            terminal.aside(f"It is already day {number}. Nothing was written.")
            return
        write(invocation, book, NextDay(count=None, until=number), flags)


@click.group(
    cls=Several,
    invoke_without_command=True,
    example="turns",
    another="turns next",
    near="npc, session, status",
)
@looks
@pass_invocation
@click.pass_context
def turns(ctx: click.Context, invocation: Invocation, at: str | None, corrected: bool, json_: bool) -> None:
    """Show or change the turn order. A turn order works in any game, and ends when the session ends.

    If a game has rules for the start of a turn, the program applies them. For example, the game Multicheck reduces
    conditions.
    """
    if ctx.invoked_subcommand is not None:
        if json_ or corrected or at is not None:
            raise click.UsageError(
                f"Type --json after '{ctx.invoked_subcommand}'. --at and --corrected cannot be used with"
                f" 'turns {ctx.invoked_subcommand}'.",
                ctx,
            )
        return
    from projections.status import turns as look

    with invocation.look() as book:
        now = look(book, invocation.when(book, at, corrected))
        if json_:
            terminal.say_json(shown.turns_json(now))
        else:
            shown.turns(now)


@turns.command(
    "roll",
    cls=Verb,
    params=[click.Argument(["who"], type=WHO), click.Argument(["pool"]), faces_option(of_all=True), *write_options()],
    example="turns roll mara d20+2 --faces 13",
    another="turns roll all 2d6",
    near="turns add, turns next",
)
@pass_invocation
def roll_turn(invocation: Invocation, who: str, pool: str, **flags: Any) -> None:
    """Roll for a place in the turn order. The highest number goes first.

    If two numbers are equal, the character who was added first goes first. 'all' rolls for everybody at the table.
    """
    from cli.group import write_roll
    from ledger.commands.turns import RollTurn
    from ledger.reading.parsing import command_from, parse_inputs

    with invocation.book() as book:
        names = invocation.names(book)

        def rolls(who: str) -> Command:
            return command_from(names, RollTurn, parse_inputs(RollTurn, who=who, notation=pool))

        write_roll(invocation, names, who, rolls, flags, "turns roll all POOL")


@turns.command(
    "add",
    cls=Verb,
    example="turns add mara 14",
    another="turns add brak 9",
    near="turns roll, turns next",
    context_settings={"ignore_unknown_options": True},
)
@click.argument("who", type=WHO)
@click.argument("number", type=WholeNumber(Within(-BIGGEST, BIGGEST)))
@writes
@pass_invocation
def add_turn(invocation: Invocation, who: str, number: int, **flags: Any) -> None:
    """Give a character a number in the turn order, or change that number. The number can be negative."""
    from ledger.commands.turns import AddTurn
    from ledger.reading.names import number_repeated_names

    _say(invocation, AddTurn, flags, who=who, number=number)
    if not (flags["json_"] or flags["dry"]):
        with invocation.book() as book:
            names = invocation.names(book)
            say_places(book.now, [names.character(name) for name in number_repeated_names([who])])


@turns.command("next", cls=Verb, example="turns next", another="turns next --dry-run", near="turns add, turns end")
@writes
@pass_invocation
def next_turn(invocation: Invocation, **flags: Any) -> None:
    """Start the next turn. After the last turn, a new round starts."""
    from ledger.commands.turns import NextTurn

    _say(invocation, NextTurn, flags)


@turns.command("end", cls=Verb, example="turns end", another="turns end --dry-run", near="turns, session close")
@writes
@pass_invocation
def end_turns(invocation: Invocation, **flags: Any) -> None:
    """End the turn order."""
    from ledger.commands.turns import EndTurns

    _say(invocation, EndTurns, flags)


@click.command(cls=Verb, example="status", another="status --at session:1", near="sheets, questions, players, log")
@looks
@pass_invocation
def status(invocation: Invocation, at: str | None, corrected: bool, json_: bool) -> None:
    """Show the state of play: session, scene, day, players, turns, open questions and sealed rolls."""
    from cli.run import answer_to
    from projections.status import status as look

    with invocation.look() as book:
        now = look(book, invocation.when(book, at, corrected))
        if json_:
            terminal.say_json([shown.status_json(now)])
        else:
            waits, sealed = ([answer_to(book, question) for question in asked] for asked in (now.waits, now.sealed))
            shown.status(now, waits, sealed)
            if warning := invocation.warning():
                terminal.aside(warning)


@click.command(cls=Verb, example="players", another="players --json", near="player, leave, status")
@looks
@pass_invocation
def players(invocation: Invocation, at: str | None, corrected: bool, json_: bool) -> None:
    """List the players and their characters."""
    from projections.status import seats

    with invocation.look() as book:
        seated = seats(book, invocation.when(book, at, corrected))
        if json_:
            terminal.say_json(seat.__dict__ for seat in seated)
        else:
            shown.seats(seated)
