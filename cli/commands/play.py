"""The commands for use at the table, except the moves of the games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from cli.command_types import CommandGroup, EntryCommand, Verb
from cli.commands.plain import PlainCommand, RollCommand, TypedCommand, plain_command, write_only_command
from cli.context import Flags, Invocation, resolve_replaced
from cli.options import faces_option, seal_options, writing_options
from cli.param_types import GAME
from cli.render import terminal
from cli.run import (
    MOST_NAMED_QUESTIONS,
    OPEN_HINT,
    answer_words,
    ask_choice,
    choice_flags,
    only_choice,
    parameter_of,
    words_of_offer,
    write_all,
    write_choice,
)
from cli.short_words import means_several
from ledger.errors import BadInput, Flag, Refused, Run, UnknownName, quoted
from ledger.events.subjects import CALENDAR, CAMPAIGN, EACH_ROUND, INITIATIVE, PLAYER
from ledger.reading.move_inputs import choice_of
from ledger.reading.typed_values import ALL

if TYPE_CHECKING:
    from ledger.commands.decider import Command
    from ledger.journal.book import Book
    from ledger.reading.names import Names
    from ledger.rules.system import System
    from ledger.scribe import Written
    from ledger.values import Field


class SeatCommand(PlainCommand):
    """The command that adds a player."""

    def join_pairs(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read `Ana plays mara` as `Ana --plays mara`."""
        return [*args[:1], *("--plays" if word == "plays" else word for word in args[1:])]


@plain_command(
    "commands.seats:Seat",
    "player Cleo --plays sam --name 'Sam the Bold'",
    "player Eva --gm",
    "leave, join, session, erase",
    cls=SeatCommand,
    more=[click.Option(["full_name", "--name"], metavar="TEXT", help="The character's full name, in any alphabet.")],
)
def player(entered: TypedCommand) -> None:
    """Add a player, give characters to a player, or say who is a GM.

    To bring back a player who left the table, type the player's name again. With --session, the player only borrows
    the characters. They go back to their usual player when the session closes.
    """
    from ledger.reading.new_names import player_name, short_name  # help needs none of it
    from ledger.reading.parsing import parse_inputs

    plays: tuple[str, ...] = parse_inputs(entered.kind, plays=entered.inputs["plays"])["plays"]
    with entered.invocation.book() as book:
        names = entered.names(book)
        short_names = tuple(short_name(names, each) for each in plays)
        _check_changes_something(book, player_name(names, entered.inputs["name"]), short_names, gm=entered.inputs["gm"])
        done = _write_seat(entered, names, short_names)
        say_short_names(book, plays, short_names)
        for who in (who for who in short_names if not book.current.systems(who)):
            join = Run("join", who, "GAME", "…")
            terminal.aside(f"{who} can already roll dice. To play a game, {who} needs a sheet: {join}")
        if entered.inputs["no_gm"] and done and not done.dry:
            say_new_gm(book.current)


def _write_seat(entered: TypedCommand, names: Names, own: Sequence[str]) -> Written | None:
    """Write the command that adds the player. With `--name`, also give the only character in `own` this full name."""
    from ledger.commands.naming import Rename

    full_name = entered.others["full_name"]
    if full_name is None:
        return entered.write(names.book)
    if len(own) != 1:
        hint = f"Add {Flag('plays', 'WHO')} with a single character."
        raise BadInput(f"{Flag('name')} is the full name of one character.", hint)
    commands = [(entered.command(names), None), (Rename(who=own[0], name=full_name), None)]
    return next(iter(write_all(entered.invocation, names.book, commands, entered.flags)), None)


def say_new_gm(book: Book) -> None:
    """Print who types commands from now on, and how to hand over the campaign's key."""
    from ledger.reading.names import Names

    gm = book.name_of(Names(book).gm())
    by, export, rotate = Flag("by"), Run("key export", "FILE"), Run("key rotate")
    terminal.aside(f"From now on, a command without {by} is recorded as {gm}'s.")
    terminal.aside(f"This computer still has the campaign's key. To give {gm} the key: {export}")
    terminal.aside(f"To replace the key, so that nobody can sign with a copy of the old key: {rotate}")


def say_short_names(book: Book, typed: Iterable[str], short_names: Iterable[str]) -> None:
    """Print the short name for each typed name, unless the typed name is itself the short name or the full name."""
    from shlex import quote  # help needs none of it

    from ledger.rules.spelling import normalized

    full = book.current.full_names()
    for each, short in zip(typed, short_names, strict=True):
        if short != each and normalized(full.get(short, "")) != normalized(each):
            shown = quote(each)
            terminal.aside(f"The short name is {short}. To set the full name: {Run('rename', short, shown)}")


def _check_changes_something(book: Book, name: str, plays: tuple[str, ...], *, gm: bool) -> None:
    """Raise `Refused` if the player already has all these characters and roles."""
    seat = next((seat for seat, other in book.players().items() if other == name), None)
    known = seat is not None and all(book.mark(who, PLAYER) == book.player_of(who) == seat for who in plays)
    if known and (plays or gm) and (not gm or book.mark(str(seat), "gm")):
        roles = [*(["is a GM"] if gm else []), *([f"plays {', '.join(plays)}"] if plays else [])]
        raise Refused(f"{name} already {' and '.join(roles)}. Nothing was written.")


@plain_command(
    "commands.at_table:Join",
    "join sam edge maximum=4 skill.stealth=3",
    "join mara rollunder characteristic.agility=9",
    "player, adjust, set, sheets, systems",
    more=[click.Argument(["system"], required=False, type=GAME)],
)
def join(entered: TypedCommand) -> None:
    """Give a character a sheet in a game. You can add values that are not numbers, such as roll.stealth=d20+5.

    To bring back a character, type the name without a game. The old sheets come back too.
    """
    from cli.asides import say_empty_sheets  # help needs none of it
    from cli.group import each_of
    from ledger.commands.naming import Rename
    from ledger.commands.seats import ReturnToTable
    from ledger.reading.new_names import short_name

    who, name = entered.inputs["who"], entered.inputs["name"]
    with entered.invocation.book() as book:
        names = entered.names(book)
        if entered.inputs["system"] is None:
            only_named = not (name is None or means_several(who)) and names.plays(short_name(names, who, joins=True))
            entered = entered._replace(kind=Rename if only_named else ReturnToTable, inputs={"who": who, "name": name})
        _write_join(entered, names)
        if name is None:
            typed = each_of(who)
            say_short_names(book, typed, [short_name(names, each) for each in typed])
        if who.casefold() in (name.casefold() for name in book.current.players().values()):
            terminal.aside(f"{who} is also the name of a player. Give the character another name.")
        if (system := entered.inputs.get("system")) and not entered.inputs.get("scores"):
            say_empty_sheets(book.current, [short_name(names, each, joins=True) for each in each_of(who)], system)


def _write_join(entered: TypedCommand, names: Names) -> None:
    """Write the `join` command, then a second command that sets the values that are not numbers."""
    from ledger import systems
    from ledger.commands.at_table import SetMarks
    from ledger.reading.new_names import short_name
    from ledger.reading.typed_values import split_range
    from ledger.rules.spelling import number_name

    typed, system = entered.inputs.get("scores", {}), entered.inputs.get("system")
    game = systems.find(str(system)) if typed else None
    words = {name for name, value in typed.items() if game and _is_word(game, number_name(name), value)}
    if not words:
        entered.write(names.book)
        return
    numbers = {name: value for name, value in typed.items() if name not in words}
    values = {f"{system}/{number_name(name)}": value for name, value in typed.items() if name in words}
    commands: list[tuple[Command, None]] = []
    for each in split_range([entered.inputs["who"]]):
        who = short_name(names, each, joins=True)
        commands += [(entered.command(names, who=who, scores=numbers), None), (SetMarks(who=who, values=values), None)]
    write_all(entered.invocation, names.book, commands, entered.flags)


def _is_word(game: System, name: str, value: str) -> bool:
    """Return True for a value that is not a number: a mark of the game, or a text that starts with a letter."""
    return game.mark(name) is not None and (game.score(name) is None or value[:1].isalpha())


rename = write_only_command(
    "commands.naming:Rename",
    "Change the full name of a character, or the name of a player or the GM.",
    'rename mara "Mara O\'Malley"',
    "rename Tom Kate",
    "join, player, players",
)


@click.group(
    cls=CommandGroup,
    example='session open "The old market" --present Ana',
    another="session close",
    similar="scene, day, chronicle, replay",
)
def session() -> None:
    """Open or close a session."""


write_only_command(
    "commands.at_table:OpenSession",
    "Open a session.",
    'session open "The old market" --present Ana',
    "session open 'The ferry'",
    "session close, scene, player",
    group=session,
)


write_only_command(
    "commands.seats:RecordArrival",
    "Record that more players are present. A player who acts is recorded automatically.",
    "session present Ben",
    "session present Ben,Cleo",
    "session open, status",
    group=session,
)


@plain_command(
    "commands.at_table:CloseSession",
    "session close",
    "session close --dry-run",
    "session open, checkpoint, backup",
    group=session,
)
def close_session(entered: TypedCommand) -> None:
    """Close the session."""
    from cli.evidence import check_and_sign  # no other command here needs it
    from cli.unfinished import say_unfinished
    from projections.questions import due_questions, unfinished_in_session

    with entered.invocation.book() as book:
        total = len(due_questions(book).split_sealed()[0])
        unfinished = unfinished_in_session(book)
        done = entered.write(book)
        if done and not done.again:
            say_unfinished(book, unfinished)
            if total > len(unfinished[:MOST_NAMED_QUESTIONS]):
                terminal.aside(f"Open questions: {total}. To list them: {Run('questions')}")
            if unfinished and not done.dry:
                terminal.aside(f"To continue this session, first undo the command that closed it: {Run('undo')}")
        if done and not (done.dry or done.again):
            for seq in sealed_rolls_due(book):
                terminal.aside(f"The sealed roll #{seq} is due. To reveal it: {Run('reveal', seq)}")
            check_and_sign(entered.invocation, book, json=entered.flags.json_)


def sealed_rolls_due(book: Book) -> list[int]:
    """Return the numbers of the sealed rolls that are due at the end of a session."""
    from ledger.corrections.seals import SESSION_END
    from ledger.events.types import RollSealed

    events = {seq: book.journal.entry(seq).event for seq in book.questions()}
    return [seq for seq, event in events.items() if isinstance(event, RollSealed) and event.until == SESSION_END]


scene = write_only_command(
    "commands.at_table:SetScene",
    "Start a scene.",
    'scene "On the roof"',
    "scene 'In the cistern' --dry-run",
    "session, note, chronicle",
)


@plain_command(
    "commands.roll:Roll",
    "roll mara 4d6kh3+2 --faces 6,5,4,1",
    "roll all d100 --for 'notices the trap'",
    "edge check, reveal, undo, amend",
    cls=RollCommand,
    more=seal_options(),
)
def roll(entered: TypedCommand) -> None:
    """Roll dice outside any game: 3d6+2, 4d6kh3, 2d20kl1, d%.

    4d6kh3 keeps the highest 3 dice, and 2d20kl1 keeps the lowest one. You can also type the name of a roll on the
    sheet, like stealth. 'all' rolls for all characters whose players are present.
    """
    entered.write_roll("roll all POOL")


adjust = write_only_command(
    "commands.at_table:Adjust",
    """Change scores by hand, as the GM decides. edge=+1 adds 1, edge=-1 subtracts 1, and edge=4 sets the score to 4.

    To set a negative score, put a colon before the equals sign: edge:=-2 sets it to -2. You can type 'all' instead of
    a character. This changes every character who has the scores and whose player is present.
    """,
    'adjust mara edge=-1 --why "the paper sheet says so"',
    "adjust all edge=2 --why 'a new chapter'",
    "set, assert, register",
)


@plain_command(
    "commands.at_table:Give",
    "give mara brak gold=20",
    "give party all gold=5 --why 'a fair share'",
    "adjust, sheets, register",
)
def give(entered: TypedCommand) -> None:
    """Give gold or other numbers from one character to another.

    Both sheets change, or neither. If several characters give, such as mara,brak, each of them gives this amount. The
    receiver's sheet does not need to have the number yet. To give the same amount to all characters whose players are
    present, type 'all' as the receiver.
    """
    if entered.inputs["who"] == ALL:
        hint = f"To collect from several characters, name them: {Run('give', 'WHO,WHO', 'WHO', 'SCORE=N')}"
        raise BadInput("'all' can receive something, but cannot give.", hint)
    entered.write()


set_marks = write_only_command(
    "commands.at_table:SetMarks",
    "Set values that are not numbers, such as a weapon.",
    'set mara care=no --why "patched up"',
    "set mara weapon.pistol=2d6+4 --why 'her sheet'",
    "adjust, sheets, why",
)


note = write_only_command(
    "commands.at_table:Note",
    "Write a note.",
    'note "They trust the guide"',
    "note 'the ferryman lies' --secret",
    "scene, chronicle, reveal, erase",
)


@plain_command(
    "commands.at_table:ChangeSettings",
    "settings edge",
    "settings edge injuries=minor,serious,critical,deadly",
    "systems, adjust, try",
    more=[
        click.Argument(["system"], required=False, type=GAME),
        click.Argument(["values"], metavar="[NAME=VALUE]…", nargs=-1),
    ],
)
def settings(entered: TypedCommand) -> None:
    """Show or change the GM's settings for a game. A change counts from now on.

    'settings campaign calendar=FILE.toml' sets the calendar of the game's world. 'calendar=none' removes it. With
    'settings campaign initiative=each-round', everybody gets a new number in the turn order each round.
    """
    from cli.render import pages  # help needs none of it
    from ledger import systems
    from ledger.commands.sheet import settings_in_force

    system, values = entered.inputs["system"], entered.inputs["values"]
    if entered.inputs["why"] is not None and not values:
        raise BadInput("--why is only for a change. Add a setting (NAME=VALUE), or leave out --why.")
    with entered.invocation.book() as book:
        if system == CAMPAIGN:
            _campaign_settings(entered, book, values)
            return
        if values:
            entered.write(book)
            return
        used = {name: None for who in book.cast() for name in book.systems(who) if systems.is_installed(name)}
        for name in [systems.find(system).name] if system else used or systems.names():
            game = systems.find(name)
            in_force = settings_in_force(book, game)
            if entered.flags.json_:
                terminal.say_json([{"system": name, "settings": in_force}])
            else:
                pages.show_settings(game, in_force)


def _campaign_settings(entered: TypedCommand, book: Book, values: Mapping[str, str]) -> None:
    """Show the settings that belong to no game. If there are `values`, change these settings instead."""
    if unknown := next((name for name in values if name not in {CALENDAR, "initiative"}), None):
        hint = f"The campaign has these settings: {CALENDAR}, initiative."
        raise UnknownName(f"The campaign has no setting called {quoted(unknown)}.", hint)
    initiative = INITIATIVE[bool(book.mark(CAMPAIGN, EACH_ROUND))]
    if values:
        commands = [_campaign_setting(name, typed, entered.inputs["why"]) for name, typed in values.items()]
        write_all(entered.invocation, book, [(command, None) for command in commands], entered.flags)
    elif entered.flags.json_:
        settings = {CALENDAR: book.calendar(), "initiative": initiative}
        terminal.say_json([{"system": CAMPAIGN, "settings": settings}])
    else:
        terminal.aside(f"initiative = {initiative}")  # apart from the calendar, which may be saved as a file
        _show_calendar(book)


def _campaign_setting(name: str, typed: str, why: str | None) -> Command:
    """Return the command that changes the calendar or the initiative. Raise `BadInput` for a wrong initiative."""
    from cli.pasted import read_pasted  # help needs none of it
    from ledger.commands.at_table import NO_VALUE
    from ledger.commands.calendar import SetCalendar
    from ledger.commands.turns import SetInitiative

    if name == CALENDAR:
        return SetCalendar(calendar=None if typed == NO_VALUE else read_pasted(typed), why=why)
    if typed not in INITIATIVE.values():
        hint = f"Choose {' or '.join(INITIATIVE.values())}."
        raise BadInput(f"{quoted(typed)} is not a setting for initiative.", hint)
    return SetInitiative(each_round=typed == INITIATIVE[True], why=why)


def _show_calendar(book: Book) -> None:
    if (text := book.calendar()) is None:
        terminal.aside(f"This campaign has no calendar. To set one: {Run('settings', CAMPAIGN, 'calendar=FILE.toml')}")
    else:
        terminal.print_exactly(text)


def _flag(field: Field) -> click.Parameter:
    """Return the flag for a choice. Even a required choice is typed as a flag, not as an argument."""
    flag = parameter_of(field.replace(required=False))
    flag.required = field.required
    return flag


def _in_flags(names: Iterable[str]) -> str:
    return " and ".join(f"--{name.replace('_', '-')}" for name in names)


def _choose_verb(book: Book, seq: int, ctx: click.Context) -> Verb:
    from ledger.corrections.questions import (
        asked_move,
        is_offer_open,
        offering_ruling,
        offering_rulings,
        question_of,
    )

    seq = resolve_replaced(book, seq)
    ruling = offering_ruling(book, seq)
    asked = ruling or question_of(book, seq)
    question = asked.seq
    offers = offering_rulings(book, seq) or [asked]  # flags of expired offers are accepted here, and refused later
    choices = {field.name: field.replace(required=False) for each in offers for field in choice_of(book, each.seq)}
    fields, rulings = [*choices.values()], {name: offering_ruling(book, seq, name) for name in choices}
    words = answer_words(book, question) if ruling is None else words_of_offer(book, ruling.seq)
    has_expired = ruling is not None and not is_offer_open(book, ruling)

    def callback(flags: Flags, **values: Any) -> None:
        typed = {name: values[name] for name in choices if values[name] not in {None, ()} and values[name] is not False}
        if not typed and ruling is None and terminal.is_interactive():
            ask_choice(ctx.find_object(Invocation) or Invocation(), question, flags)
            return
        missing = [field.name for field in fields if field.name not in typed]
        if not typed and has_expired:
            raise Refused(f"The offer from #{question} has expired.", OPEN_HINT)
        if not typed or (ruling is None and missing):
            says = f"Add {_in_flags(missing)}." if typed else "You did not choose anything."
            raise BadInput(says, f"To choose, type: {words}")
        taken = {(rulings[name] or asked).seq for name in typed}
        if len(taken) > 1:
            flags_typed = _in_flags(typed)
            raise BadInput(f"{flags_typed} belong to different rolls.", f"Type one command for each roll: {words}")
        write_choice(ctx.find_object(Invocation) or Invocation(), taken.pop(), typed, flags)

    dice = [faces_option()] if ruling or asked_move(book.entry(question, secrets=True), {}).may_continue else []
    params = [*(_flag(field) for field in fields), *dice, *writing_options()]
    return Verb("choose", params=params, callback=callback, help=choose.help)


class ChooseCommand(EntryCommand):
    """The command that makes a choice. The flag of the choice may be typed without its dashes."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Rewrite the choice as a flag, then parse the entry and the flags."""
        if not ctx.resilient_parsing:
            args = choice_flags(ctx.find_object(Invocation) or Invocation(), args)
        return super().parse_args(ctx, args)


choose = ChooseCommand(
    "choose",
    find=_choose_verb,
    the_only=only_choice,
    metavar="[ENTRY]",
    example="choose 21 --drop 3",
    another="choose 21 --drop 7 --dry-run",
    similar="questions, undo, amend",
    help="""Make a choice that the rules allow after the roll.

    'campaign questions' shows the flags for each choice. If only one choice is open, you can leave out its number. You
    can type a flag without its dashes.
    """,
)
