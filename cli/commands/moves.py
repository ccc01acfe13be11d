"""One command for each move of a game, built from the inputs of the move."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from cli import typed_dice
from cli.command_types import CommandGroup, Verb, with_wrappable_choices
from cli.commands.plain import option_of
from cli.context import Flags, Invocation
from cli.options import faces_option, new_option, seal_options, writing_options
from cli.param_types import Completed, completion_invocation
from cli.render import terminal
from cli.run import ask_choice, check_dice_of_one_roll, parameter_of, say_choices, say_next, with_proposals, write
from cli.short_words import means_several
from cli.shorthand import check_character_named
from cli.typed_amounts import modifier_flags, target_flags
from cli.usual import cast_now
from ledger.errors import MINUS, BadInput, Flag, LedgerError, Nobody, Refused, Run, Unfinished, quoted
from ledger.reading.move_inputs import named_inputs, own_names
from ledger.reading.names import Names
from ledger.reading.placing import AT_SIGN, PlacedWords, has_place, next_names, place_words
from ledger.reading.typed_values import ALL
from ledger.rules.dice import Digits, Pool
from ledger.rules.inputs import AT_TABLE, BARE, BONUS, CAST, NOTATION, name_prefixes, numbers_by_name, sheet_tag
from ledger.rules.move import Move, Table
from ledger.rules.system import System
from ledger.values import Field

if TYPE_CHECKING:
    from ledger.commands.decider import Command
    from ledger.journal.book import Book


class MoveGroup(CommandGroup):
    """The base class of groups that have one command for each move of a game."""

    def __init__(self, system: System, moves: Mapping[str, type[Move]]) -> None:
        super().__init__(system.name, help=f"{system.title}.", subcommand_metavar="MOVE WHO …")
        self.system = system
        self.moves = moves

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the moves, in the order of the game."""
        return [*self.moves]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command for a move, `None` for an unknown move."""
        return self.verb(self.moves[cmd_name]) if cmd_name in self.moves else None

    @abstractmethod
    def verb(self, move: type[Move]) -> click.Command:
        """Return the group's command for a move, such as the command that plays the move."""


class Game(MoveGroup):
    """A group of commands, one for each move of a game."""

    heading = "Moves"

    def __init__(self, system: System) -> None:
        super().__init__(system, system.playable())
        first = [*self.moves.values()][:2]
        self.examples = tuple(f"{system.name} {move.name()} {move.example}" for move in first)
        self.similar = f"systems {system.name}, settings {system.name}, join, try"

    def verb(self, move: type[Move]) -> click.Command:
        """Return the command that plays a move."""
        return move_command(self.system, move)


class MoveVerb(Verb):
    """A command that plays a move.

    Characters, things and one number are typed as words, in any order that is not ambiguous. Everything else is a flag.
    """

    without_dice = "This move does not roll dice."

    def __init__(self, system: System, move: type[Move], flags: Sequence[click.Parameter], **kwargs: Any) -> None:
        shown = [field for field in move.fields().values() if has_place(field) or BARE in field.tags]
        self.places = {field.name: argument_for(field, system.name) for field in shown}
        self.system, self.move = system, move
        words = click.Argument(["typed"], nargs=-1, type=Completed("WORDS", self._next_words))
        super().__init__(move.name(), params=[words, *flags], **kwargs)

    @property
    def may_be_for_several(self) -> bool:
        """Return True if the only character that is typed as a word of this move is the one who acts."""
        fields = self.move.fields()
        return [name for name in self.places if CAST in fields[name].tags] == ["who"]

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the pieces of the usage line, with a placeholder for each word that can be typed."""
        places = (piece for place in self.places.values() for piece in place.get_usage_pieces(ctx))
        return with_wrappable_choices([self.options_metavar or "", *places])

    def join_pairs(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Rewrite a modifier and its words: `+1 rain` as `--bonus 1 --why rain`, and `adv rope` as `--advantage rope`.

        If the move takes dice notation, join its terms instead, such as `stealth + 2 adv`.
        """
        fields = self.move.fields()
        if any(NOTATION in field.tags for field in fields.values()):
            args = target_flags(self, args, lambda: cast_now(ctx)) if "target" in fields else args
            return typed_dice.join_terms(self, args, lambda: cast_now(ctx))
        return modifier_flags(self, args, fields)

    def move_from(self, ctx: click.Context, names: Names, usual: str | None, typed: Mapping[str, Any]) -> Move:
        """Return the move that the typed words and flags describe. Raise `UsageError` for extra or missing words."""
        given = [name for name, value in typed.items() if was_typed(value)]
        done = place_words(names, self.system.name, self.move, typed["typed"], given, usual)
        missing = [
            place
            for name, place in self.places.items()
            if place.required and name not in given and name not in done.values
        ]
        if not missing:
            self._check_name_typed(ctx, names, typed, done)
        if done.unplaced:
            self._check_reason_in_place(ctx, done.unplaced, typed)
            raise self.too_many_error(ctx, done.unplaced, [*typed["typed"]])
        for place in missing:
            raise click.MissingParameter(ctx=ctx, param=place)
        self._check_no_flag(names, done.values)
        return self._move_with(ctx, names, typed, done.values)

    def _move_with(self, ctx: click.Context, names: Names, typed: Mapping[str, Any], values: Mapping[str, str]) -> Move:
        words = {name: self.places[name].type_cast_value(ctx, value) for name, value in values.items()}
        return self.move(**named_inputs(names, self.system.name, self.move, {**typed, **words}))

    def _check_name_typed(self, ctx: click.Context, names: Names, typed: Mapping[str, Any], done: PlacedWords) -> None:
        """Raise `BadInput` if the line has a number or a bonus, but not the name that the move needs, such as a skill.

        The hint shows the complete line. Its name comes from the reason of the bonus, or is a placeholder like SKILL.
        """
        fields = self.move.fields()
        bonus = next((name for name, field in fields.items() if BONUS in field.tags), "")
        numbers = [word for word in typed["typed"] if word.isdecimal()]
        has_bonus = was_typed(typed.get(bonus)) and not fields[bonus].keyed
        lacking = [name for name in self.places if name_prefixes(fields[name]) and name not in done.values]
        if not (numbers or has_bonus) or "who" not in done.values or not {*done.unplaced} <= {*numbers}:
            return
        from ledger.commands.sheet import table_of

        move, table = self._move_with(ctx, names, typed, done.values), table_of(names.book, self.system.name)
        says = _refusal(move, table)
        for name in (name for name in lacking if says and _refusal(move.replace(**{name: name}), table) != says):
            known = own_names(names, move.who, fields[name], self.system.name)
            reason = str(typed["why"] or "").split() if has_bonus else []
            meant = [(word, full) for word in reason for full in known if full.startswith(word.lower())]
            word, full = meant[0] if len(meant) == 1 else ("", sheet_tag(fields[name]).of.upper())
            words = [other for other in typed["typed"] if other.removeprefix(AT_SIGN) != done.values["who"]]
            if done.unplaced:
                words.remove(numbers[0])  # it is where the name belongs
            if has_bonus:
                amount = f"{typed[bonus]:+}"
                words += [amount, *(other for other in reason if other not in {word, amount})]
            shown = {"typed", bonus, "why"} if has_bonus else {"typed"}
            flags = [flag for other in typed if other not in shown for flag in _flag_words(other, typed[other])]
            who = next(filter(means_several, ctx.params["typed"]), move.who)
            command = ctx.command_path.removeprefix("campaign ")
            line = Run(command, who, full, *words, *flags, *_dice_words(ctx))
            raise BadInput(says, f"Type it like this: {line}")

    def _check_no_flag(self, names: Names, values: Mapping[str, str]) -> None:
        """Raise `UsageError` if the user typed a flag without its hyphens, such as `edge` for `--edge`.

        A word that is also a name on the sheet is not taken for a flag.
        """
        fields = self.move.fields()
        for name, word in values.items():
            if (
                name != "who"
                and not names.new
                and word in fields
                and fields[word].kind is bool
                and name_prefixes(fields[name])
            ):
                who = names.character(values["who"]) if "who" in values else ""
                if word not in own_names(names, who, fields[name], self.system.name):
                    raise click.UsageError(f"The sheet of {who} has no {word!r}. If you mean the flag, type --{word}")

    def check_reachable(
        self, invocation: Invocation, book: Book, asked: Move, typed: Mapping[str, Any], flags: Flags
    ) -> None:
        """Raise `Refused` for a number that was typed without a flag, if no roll can reach it.

        The user may have meant the number as dice, and left out the `=`.
        """
        fields = asked.fields()
        numbers = {name: getattr(asked, name) for name in self.places if fields[name].kind is int}
        bare = {name: number for name, number in numbers.items() if number and not was_typed(typed.get(name))}
        if flags.faces is not None or not bare:
            return
        from ledger.commands.sheet import table_of

        table = table_of(book, self.system.name)
        pool = asked.dice(table) or Pool(sides=())
        for name, number in bare.items():
            may_be_dice = len(str(number)) >= len(pool.sides) > 1
            usual = [sum(pool.sides), *numbers_by_name(fields[name]).values()]
            if may_be_dice and number > max(usual) and _only_this_number_fails(asked, name, table):
                dice = f"= {number}" if invocation.at_prompt else Flag("faces", "N,N")
                hint = f"If you rolled {number}, type {dice}. To roll against {number}: {Flag(name, number)}"
                raise Refused(f"{asked.who} cannot reach {number} with {pool}.", hint)

    def _check_reason_in_place(self, ctx: click.Context, extra: Sequence[str], typed: Mapping[str, Any]) -> None:
        """Raise `UsageError` if the `extra` words may be the reason for a bonus. A reason must follow the number."""
        bonus = next((name for name, field in self.move.fields().items() if BONUS in field.tags), "")
        if was_typed(typed.get(bonus)):
            words = " ".join(extra)
            says = (
                f"{quoted(words)} is in the wrong place. If it is the reason for a bonus, type it right"
                f" after the number, like -2 {words}."
            )
            raise click.UsageError(says, ctx)

    def too_many_error(self, ctx: click.Context, extra: Sequence[str], words: Sequence[str]) -> click.UsageError:
        """Return the error for `extra` words, with a hint on how to type dice, a target or a bonus."""
        wrong = super().too_many_error(ctx, extra, words)
        flags = ctx.params.get("flags")  # odds have none
        if flags and flags.faces is None and self.move.may_roll() and all(map(str.isdecimal, extra)):
            dice = f"= {' '.join(extra)}" if terminal.is_at_prompt(ctx) else f"--faces {','.join(extra)}"
            wrong = click.UsageError(f"{wrong.message} For your own dice: {dice}", ctx)
        elif [*map(str.lower, extra)] in (["vs"], ["against"]):
            wrong = click.UsageError(f"{wrong.message} Type only the number after it.", ctx)
        elif extra[0] in {"+", "-", MINUS}:
            wrong = click.UsageError(f"{wrong.message} Type a sign and its number together, like +1.", ctx)
        return wrong

    def _next_words(self, book: Book, ctx: click.Context) -> list[str]:
        given = [name for name, value in ctx.params.items() if name != "typed" and was_typed(value)]
        usual = completion_invocation(ctx).usual_character(book)
        return next_names(Names(book), self.system.name, self.move, ctx.params.get("typed", ()), given, usual)


def _flag_words(name: str, value: Any) -> list[str]:
    if not was_typed(value) or value is True:
        return [f"--{name.replace('_', '-')}"] if value is True else []
    values = value if isinstance(value, tuple) else [value]
    return [word for one in values for word in (f"--{name.replace('_', '-')}", quote(str(one)))]


def _dice_words(ctx: click.Context) -> list[str]:
    """Return the words for the dice that were typed in a line.

    At the prompt, the dice follow `=`; elsewhere, they follow `--faces`.
    """
    flags = ctx.params.get("flags")  # odds have none
    if not flags or flags.faces is None:
        return []
    faces = [flags.faces.text] if isinstance(flags.faces, Digits) else [*map(str, flags.faces)]
    return ["=", *faces] if terminal.is_at_prompt(ctx) else ["--faces", ",".join(faces)]


def _refusal(move: Move, table: Table) -> str:
    """Return the error message of a move that lacks an input; "" if the move has all inputs."""
    try:
        move.dice(table)
    except BadInput as lacks:
        return lacks.sentence
    except LedgerError:
        pass
    return ""


def _only_this_number_fails(move: Move, name: str, table: Table) -> bool:
    """Return True if every roll of the move fails only because of the number in the input `name`.

    To find out, replace the number by 1 and check if some roll can then succeed.
    """
    return _may_succeed(move.replace(**{name: 1}), table) and not _may_succeed(move, table)


def _may_succeed(move: Move, table: Table) -> bool:
    """Return True if the highest or the lowest dice succeed, or if this cannot be known before the roll."""
    pool = move.dice(table) or Pool(sides=())
    for faces in (pool.sides, (1,) * len(pool.sides)):
        is_open = move.choices(table, faces) or pool.after(faces).sides != pool.sides
        if is_open or move.ruling(table, faces).verdict.good is not False:
            return True
    return False


def was_typed(value: Any) -> bool:
    """Return True if a flag was typed, even with the value 0."""
    return not (value is None or value is False or value == ())


def argument_for(field: Field, game: str) -> click.Argument:
    """Return the argument for an input that is typed as a word. Usage lines and errors show this argument."""
    shown = parameter_of(field, game)
    kind, needed = shown.type, field.required
    return shown if isinstance(shown, click.Argument) else click.Argument([field.name], type=kind, required=needed)


def move_command(system: System, move: type[Move]) -> MoveVerb:
    """Return the command that plays a move, with the move's docstring as its help text."""
    from ledger.commands.play import deed_field  # the list of moves needs none of it

    dice_options = [faces_option(of_all=True), *seal_options()] if move.may_roll() else []
    options = [option_of("for", deed_field(move)), *flags_of(system, move)]
    taken = {flag for option in options for flag in option.opts}
    return MoveVerb(
        system,
        move,
        [*options, *dice_options, *(option for option in writing_options() if taken.isdisjoint(option.opts))],
        callback=_play_move,
        help=move.__doc__,
        short_help=(move.__doc__ or "").splitlines()[0],
        example=f"{system.name} {move.name()} {move.example}",
        another=f"{system.name} {move.name()} {move.another}" if move.another else "",
        similar=", ".join(_see_also(system, move)),
    )


def flags_of(system: System, move: type[Move]) -> list[click.Option]:
    """Return the flags for the inputs of a move. Add `--new` if an input accepts a name that is not on the sheet."""
    typed = [field for name, field in move.fields().items() if AT_TABLE not in field.tags and name not in move.offered]
    fields = [field.replace(required=False) if BARE in field.tags else field for field in typed]
    params = [parameter_of(field, system.name) for field in fields]
    new_names = [new_option()] if any(map(name_prefixes, move.fields().values())) else []
    return [*(param for param in params if isinstance(param, click.Option)), *new_names]


def _see_also(system: System, move: type[Move]) -> list[str]:
    """Return the commands for 'See also': the previous and next move in the game's list, and related commands."""
    names = [*system.playable()]
    place = names.index(move.name())
    beside = [f"{system.name} {name}" for name in names[max(place - 1, 0) : place + 2] if name != move.name()]
    return [*beside, *(["choose"] if move.chosen or move.offered else []), "amend", "undo"]


@click.pass_context
def _play_move(ctx: click.Context, /, flags: Flags, new: bool = False, **typed: Any) -> None:
    from ledger.commands.play import PlayMove  # help needs none of it
    from ledger.commands.sheet import sheet_system, table_of

    verb = ctx.command
    assert isinstance(verb, MoveVerb)  # noqa: S101  no other command has this callback
    invocation, system = ctx.find_object(Invocation) or Invocation(), verb.system
    with invocation.book() as book:
        names = invocation.names(book, new=new)
        if any(map(means_several, typed["typed"])):
            _play_for_all(ctx, verb, names, typed, flags)
            return
        check_dice_of_one_roll(flags, f"{system.name} {verb.name} all …")
        try:
            asked = verb.move_from(ctx, names, invocation.usual_character(book), typed)
        except (Nobody, click.MissingParameter):
            if invocation.usual_character(book) is None:
                check_character_named(book, system, verb.move.name(), typed["typed"])
            raise
        if asked.shows_sheet:
            _show_sheet(book, asked.who, system.name, as_json=flags.json_)
            return
        try:
            verb.check_reachable(invocation, book, asked, typed, flags)
            if terminal.is_interactive() and not flags.json_:
                for who in asked.characters():
                    sheet_system(book, who, system.name)
                asked = with_proposals(asked, partial(table_of, book, system.name))
            played = PlayMove(system=system.name, move=asked, deed=typed["for"])
            question = write_move(invocation, book, played, flags)
        except Unfinished as unfinished:
            from cli.unfinished import with_closed_session  # few moves meet an unfinished one

            raise with_closed_session(book, unfinished, system.name) from None
    ask_after(invocation, question, flags)


def write_move(invocation: Invocation, book: Book, move: Command, flags: Flags) -> int | None:
    """Write a move, and show the result.

    If the move now needs a choice, return the entry that asks for it, so that the caller can pass it to `ask_after`.
    Return `None` if nobody should be asked, such as for JSON output.
    """
    from ledger.events.types import QuestionAsked  # help needs none of it

    done = write(invocation, book, move, flags)
    if flags.json_:
        return None
    say_next(book, done)
    asked = next((entry.seq for entry in done.entries if entry.type == QuestionAsked.type), None)
    return None if done.dry or done.again else asked


def ask_after(invocation: Invocation, question: int | None, flags: Flags) -> None:
    """Ask at the terminal for the choice in entry `question`, if there is one. Close the campaign before this call."""
    if question is not None:
        ask_choice(invocation.replace(once=None), question, flags.replace(once=None))  # the ID belongs to the roll


def _play_for_all(ctx: click.Context, verb: MoveVerb, names: Names, typed: Mapping[str, Any], flags: Flags) -> None:
    """Play a move for `all` or for a range of characters. Write all of the actions or none."""
    from cli.group import commands_for, group_members, say_left_out, write_for_all  # most rolls are for one character
    from ledger.commands.play import PlayMove

    invocation, system = ctx.find_object(Invocation) or Invocation(), verb.system
    several = next(word for word in typed["typed"] if means_several(word))
    words = {**typed, "typed": tuple(word for word in typed["typed"] if word is not several)}
    if any(word.startswith(AT_SIGN) for word in words["typed"]):
        raise BadInput(f"Type {quoted(several)} or one character, not both.")

    def plays(who: str) -> Command:
        asked = verb.move_from(ctx, names, who, words)
        verb.check_reachable(invocation, names.book, asked, typed, flags)
        return PlayMove(system=system.name, move=asked, deed=typed["for"])

    whom, left = group_members(names, several, system.name)
    commands, unable = commands_for(names.book, whom, plays, all_who_can=several == ALL)
    done = write_for_all(invocation, names.book, commands, flags)
    if not flags.json_:
        for written in done:
            say_next(names.book, written)
            say_choices(names.book, written)
    say_left_out(names.book, {**left, **unable}, flags)


def _show_sheet(book: Book, who: str, name: str, *, as_json: bool) -> None:
    from cli.render import pages
    from ledger.commands.sheet import sheet_system
    from projections.sheets import sheet

    sheet_system(book, who, name)
    page = [sheet(book, who, name)]
    if as_json:
        terminal.say_json(page)
    else:
        pages.show_sheets(page, full=False)
