"""The commands for players, characters, days, turns and the state of play."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import click

from cli.command_types import CommandGroup, view
from cli.commands.plain import PlainCommand, TypedCommand, plain_command, write_only_command
from cli.context import Invocation, View
from cli.render import status as shown
from cli.render import terminal
from cli.run import write_all
from cli.short_words import means_several, positional_words
from ledger.errors import BadInput, Flag, Refused, Run, count_of, quoted, with_minus_sign
from ledger.reading.typed_values import SIGNS
from ledger.times import stored_time

if TYPE_CHECKING:
    from ledger.reading.names import Names

DELAY_WORDS = {"until", "after"}
"""The words that may come before the character who acts first, as in `mara until after gob-2`."""

COUNT_PATTERN = "x([1-9][0-9]?)"
"""A pattern for a word that multiplies the word before it, as in `wolf x3`."""


@plain_command(
    "commands.seats:SeatNpcs",
    "npc bandit-1..4",
    "npc wolf --name 'The Grey Wolf'",
    "join, leave, turns, players",
    more=[
        click.Option(["--fresh"], is_flag=True, help="Reset the scores of returning characters."),
        click.Option(["--name"], metavar="TEXT", help="The full name of the character."),
    ],
)
def npc(entered: TypedCommand) -> None:
    """Add non-player characters for this session. The GM plays them.

    They can roll, take turns and join a game. If you add them again later, their sheets come back. --fresh resets their
    scores, even if they already joined this session.
    """
    from cli.unfinished import say_unfinished
    from ledger.commands.naming import Rename  # help needs none of it
    from projections.questions import tasks_of
    from projections.returning import describe_wounds, start_over

    with entered.invocation.book() as book:
        names = entered.names(book)
        _check_names_no_count(entered.inputs["names"])
        seated, fresh, name = entered.command(names), entered.others["fresh"], entered.others["name"]
        if name is not None and len(seated.names) > 1:
            raise BadInput(
                f"You can use {Flag('name')} for one character only.",
                f"To name each character: {Run('rename', 'WHO', 'NAME')}",
            )
        renames = [Rename(who=seated.names[0], name=name)] if name is not None else []
        commands = [*(start_over(book, seated) if fresh else [seated]), *renames]
        write_all(entered.invocation, book, [(command, None) for command in commands], entered.flags)
        typed = entered.inputs["names"]
        if len(typed) > 1 and all(map(str.isalpha, typed)) and not entered.flags.json_:
            joined, full = "-".join(typed), f'"{" ".join(typed)}"'
            one = Run("npc", joined, name=full)
            terminal.aside(
                f"You added {count_of(len(typed), 'character')}. If you wanted only one, type {Run('undo')}."
                f" Then: {one}"
            )
        hurt = [who for who in seated.names if describe_wounds(book.current, who)]
        if hurt and not (fresh or entered.flags.json_):
            terminal.aside(f"To reset the scores: {Run('npc', *hurt, fresh=True)}")
        if not entered.flags.json_:
            say_unfinished(book.current, tasks_of(book.current, *seated.names))


def _check_names_no_count(typed: Sequence[str]) -> None:
    """Raise `BadInput` for a name such as `x3`: with `wolf x3`, somebody meant three wolves, not a character x3."""
    for name, word in pairwise(typed):
        if (number := re.fullmatch(COUNT_PATTERN, word)) and not re.fullmatch(COUNT_PATTERN, name):
            numbered = Run("npc", f"{name}-1..{number[1]}")
            raise BadInput(
                f"{quoted(word)} looks like a number, not like a name.", f"To add {number[1]} of them: {numbered}"
            )


@plain_command("commands.seats:Leave", "leave mara", "leave Ana", "join, player, players")
def leave(entered: TypedCommand) -> None:
    """Remove a character from play, or a player from the table.

    Sheets are kept. 'campaign join WHO' brings back a character, and 'campaign player NAME' brings back a player. If
    a player leaves, the player's characters stay in the game. Any other player can take them over.
    """
    from cli.commands.play import say_new_gm  # help needs none of it
    from cli.unfinished import can_be_finished, say_left_unfinished
    from projections.questions import unfinished_moves

    with entered.invocation.book() as book:
        open_moves = [move for move in unfinished_moves(book) if can_be_finished(book, move)]
        done = entered.write(book)
        say_left_unfinished(book.current, open_moves)
        if done is None or done.dry:
            return
        left = done.entries[0]
        if book.as_of(left.seq).mark(left.event.subject, "gm"):
            say_new_gm(book.current)


@click.group(cls=CommandGroup, example="day next", another="day to 12", similar="session, byzantine dawn, questions")
def day() -> None:
    """Start the next day, or advance several days.

    In a game with dawns, such as Byzantine, each day starts with a dawn.
    """


write_only_command(
    "commands.days:NextDay",
    "Advance one or more days. The command stops at a day that needs a decision.",
    "day next --count 3",
    "day next",
    "day to, session, questions",
    group=day,
    instead="To advance several days: day next --count {number}",
)


write_only_command(
    "commands.days:DaysTo",
    "Advance to this day. The command stops earlier if a day needs a decision.",
    "day to 12",
    "day to 3 --dry-run",
    "day next, questions",
    group=day,
)


@view("turns", "turns next", "npc, session, status", key=("who",), cls=CommandGroup, invoke_without_command=True)
def turns(asked: View) -> None:
    """Show or change the turn order. A turn order works in any game, and ends when the session ends.

    If a game has rules for the start of a turn, the program applies them. For example, the game Multicheck reduces
    conditions.
    """
    ctx = click.get_current_context()
    command = ctx.invoked_subcommand
    if command is not None:
        if asked.has_format or asked.corrected or asked.at is not None:
            raise click.UsageError(
                f"Put --json after '{command}'. You cannot use --at, --corrected or --format with 'turns {command}'.",
                ctx,
            )
        return
    from projections.status import turns as look

    with asked.snapshot_at_point() as (book, when):
        now = look(book, when)
        asked.show(book, now.rows(), lambda: shown.show_turns(now))


@plain_command(
    "commands.turns:RollTurn",
    "turns roll mara d20+2 --faces 13",
    "turns roll all 2d6",
    "turns add, turns next",
    group=turns,
)
def roll_turn(entered: TypedCommand) -> None:
    """Roll for a place in the turn order.

    The highest number goes first. If two numbers are equal, the character who was added first goes first. 'all' rolls
    for all characters whose players are present, and for this session's non-player characters. If you roll for
    several characters at once, those who already have a number keep it.
    """
    if means_several(entered.inputs["who"]):
        with entered.invocation.book() as book:
            _check_without_numbers(entered.names(book), entered.inputs["who"])
    entered.write_roll("turns roll all POOL")


def _check_without_numbers(names: Names, typed: str) -> None:
    """Raise `Refused` if one of these characters already has a number in the turn order.

    Without this check, the roll would replace the number.
    """
    from cli.group import group_members
    from ledger.commands.turns import turn_order

    numbers = {place.who: with_minus_sign(place.number) for place in turn_order(names.book)}
    whom, _ = group_members(names, typed, npcs=True)
    if having := [f"{who} ({numbers[who]})" for who in whom if who in numbers]:
        others = ",".join(who for who in whom if who not in numbers)
        start = f"To start a new turn order, end this one first: {Run('turns end')}"
        hint = f"To roll for the others: {Run('turns roll', others, 'DICE')}" if others else start
        raise Refused(f"Already in the turn order: {', '.join(having)}. Nothing was rolled.", hint)


class AddTurnCommand(PlainCommand):
    """The command that adds a character to the turn order."""

    def join_pairs(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read `mara 12 before brak` as `mara 12 --before brak`."""
        return ["--before" if word == "before" else word for word in args]


@plain_command(
    "commands.turns:AddTurn",
    "turns add mara 14",
    "turns add brak 14 --before mara",
    "turns roll, turns next",
    cls=AddTurnCommand,
    group=turns,
    context_settings={"ignore_unknown_options": True},
)
def add_turn(entered: TypedCommand) -> None:
    """Give a character a number in the turn order, or change that number. The number can be negative.

    Characters with the same number act in the order in which they were added. To change their order, use --before.
    """
    from cli.asides import say_turn_places  # help needs none of it
    from cli.group import group_members

    entered.write()
    if not (entered.flags.json_ or entered.flags.dry):
        with entered.invocation.book() as book:
            names, typed = entered.names(book), entered.inputs["who"]
            whom = group_members(names, typed, npcs=True)[0] if means_several(typed) else [typed]
            say_turn_places(book.current, [*map(names.character, whom)])


@plain_command(
    "commands.turns:NextTurn",
    "turns next",
    "turns next --dry-run",
    "turns skip, turns delay, turns back",
    group=turns,
)
def next_turn(entered: TypedCommand) -> None:
    """Start the next turn. After the last turn, a new round starts.

    Each character in the turn order has one turn in each round, even if its number changes.
    """
    from cli.asides import say_missing_numbers  # help needs none of it
    from cli.unfinished import say_turn_unfinished

    with entered.invocation.book() as book:
        done = entered.write(book)
        if done and not (done.dry or done.again or entered.flags.json_):
            say_turn_unfinished(book, done)
            say_missing_numbers(book, done)


write_only_command(
    "commands.turns:SkipTurn",
    """Skip a character's turn in this round.

    If you name nobody, this skips the next turn. Rules for the start of a turn still apply. For example, a stunned
    character recovers. With --always, the character takes no more turns, for example because it is dead.
    """,
    "turns skip",
    "turns skip brak --always",
    "turns next, turns delay, leave",
    group=turns,
)


class DelayCommand(PlainCommand):
    """The command that delays a turn. Without a character, it delays the current turn."""

    may_be_for_several = False  # the second name is the character to act after

    def join_pairs(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read `mara gob-2` and `mara until after gob-2` as `mara --after gob-2`.

        Add the character whose turn it is, if the line names none and there is no usual character.
        """
        own = positional_words(self, args)
        names = [word for word in own if not (word in DELAY_WORDS or word.lstrip(SIGNS).isdecimal())]
        if names[1:] or (names and not DELAY_WORDS.isdisjoint(own)):
            *_, after = names
            args = [*(word for word in args if word not in {after, *DELAY_WORDS}), "--after", after]
        invocation = ctx.find_object(Invocation) or Invocation()
        asks_help = any(word in ctx.help_option_names for word in args)
        if asks_help or invocation.has_usual or not all(map(str.isdecimal, positional_words(self, args))):
            return args
        from ledger.commands.turns import current_round  # most lines name the character

        with invocation.book() as book:
            now = current_round(book.current)
        return [now.who, *args] if now and now.who else args


write_only_command(
    "commands.turns:DelayTurn",
    """Let a character act later in this round.

    The character acts right after the next one, after a character that you name, or at a number in the turn order. It
    keeps the new number in later rounds. If you do not say who waits, this delays the current turn.
    """,
    "turns delay mara",
    "turns delay mara brak",
    "turns next, turns skip, turns add",
    cls=DelayCommand,
    group=turns,
    context_settings={"ignore_unknown_options": True},
)


write_only_command(
    "corrections.undoing:BackTurn",
    """Go back to the previous turn. Everything that was entered during this turn stays.

    To cancel your last entry, use 'campaign undo'.
    """,
    "turns back",
    "turns back --dry-run",
    "turns next, undo",
    group=turns,
)


@plain_command(
    "commands.turns:EndTurns",
    "turns end",
    "turns end --dry-run",
    "turns, session close",
    group=turns,
)
def end_turns(entered: TypedCommand) -> None:
    """End the turn order. If an attack is not finished yet, the command tells you."""
    from cli.unfinished import say_unfinished  # help needs none of it
    from projections.questions import unfinished_in_session

    with entered.invocation.book() as book:
        done = entered.write(book)
        if done and not (done.again or entered.flags.json_):
            say_unfinished(book.current, unfinished_in_session(book.current))


@view("status", "status --at session:1", "sheets, questions, players, log", key=())
def status(asked: View) -> None:
    """Show the state of play: session, scene, day, players, turns, open questions, sealed rolls and offers."""
    from cli.asides import say_session_left_open  # help needs none of it
    from cli.run import answer_to
    from projections.status import status as look

    with asked.snapshot_at_point() as (book, when):
        now = look(book, when)
        rows = (now.open_questions, now.sealed, now.offers)
        asked.show(
            book,
            [now],
            lambda: shown.show_status(now, *([answer_to(book, question) for question in asked] for asked in rows)),
        )
        if asked.at is None and not asked.has_format:
            say_session_left_open(book, book.head(), stored_time(asked.invocation.now()))
        if not asked.has_format and (warning := asked.invocation.warning()):
            terminal.aside(warning)


@view("players", "players --json", "player, leave, status", key=("seat",))
def players(asked: View) -> None:
    """List the players and their characters."""
    from projections.status import seats

    with asked.snapshot_at_point() as (book, when):
        seated = seats(book, when)
        names = book.full_names(when)
        asked.show(book, seated, lambda: shown.show_players(seated, names))
