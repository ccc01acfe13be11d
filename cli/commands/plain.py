"""Terminal commands made from commands of the ledger.

An input with a help text becomes an option. An input without a help text becomes an argument.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click

from cli import typed_amounts
from cli.command_types import Verb, command, takes_amounts
from cli.context import Flags, Invocation
from cli.options import faces_option, new_option, options_of_all, writing_options
from cli.param_types import GAME, ROLLER, SCORE_CHANGE, SCORE_CLAIM, WHO, WholeNumber
from cli.run import SECRETS, YES, check_dice_of_one_roll, say_choices, write, write_all, write_if_agreed
from cli.short_words import POOL_PARAMETER, VERSUS_FLAG_NAME, means_several
from cli.usual import current_characters
from ledger.errors import Flag, LedgerError, Refused, Run, quoted, with_minus_sign
from ledger.reading.names import Names
from ledger.reading.typed_values import ALL, pairs
from ledger.rules import inputs
from ledger.rules.inputs import Tag, Typed
from ledger.times import offset_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.commands.at_table import Give
    from ledger.commands.decider import Command
    from ledger.journal.book import Book
    from ledger.scribe import Written
    from ledger.values import Field


class InputSyntax(NamedTuple):
    """The typed form of an input: the type, the name in the usage line, and an example NAME=VALUE pair for errors."""

    kind: Any = None
    metavar: str | None = None
    pair: str = ""


INPUT_SYNTAX: Mapping[Tag, InputSyntax] = {
    inputs.CAST: InputSyntax(WHO),
    inputs.ROLLER: InputSyntax(ROLLER),
    inputs.ANYBODY: InputSyntax(ROLLER),
    inputs.DELTAS: InputSyntax(SCORE_CHANGE, "SCORE=±N…", "a change like edge=+1"),
    inputs.SCORES: InputSyntax(SCORE_CLAIM, "SCORE=N…", "a score like edge=3"),
    inputs.GIFTS: InputSyntax(SCORE_CLAIM, "SCORE=N…", "an amount like gold=20"),
    inputs.MARKS: InputSyntax(metavar="NAME=VALUE…", pair="a value like care=no"),
    inputs.STARTING_SCORES: InputSyntax(metavar="[SCORE=N]…", pair="a score like maximum=4"),
    inputs.SETTINGS: InputSyntax(metavar="[NAME=VALUE]…", pair="a setting like injuries=minor,serious"),
    inputs.GAME: InputSyntax(GAME),
    inputs.NPCS: InputSyntax(metavar="NAME…"),
    inputs.OWN_CAST: InputSyntax(metavar="WHO…"),
    inputs.SEVERAL_PLAYERS: InputSyntax(metavar="NAME…"),
    inputs.SPEAKER: InputSyntax(metavar="NAME"),
    inputs.ENTRY: InputSyntax(metavar="ENTRY"),
}
SHEET_NAME_TAGS = {inputs.DELTAS, inputs.SCORES, inputs.MARKS}
"""The kinds of inputs that may add a name to a sheet. A command with such an input has the flag `--new`."""


CHANGES_INPUT = "amounts"
"""The input with changes of scores. A command with this input may be for all characters who have these scores."""

RECEIVER_INPUT = "to"
"""The input with the character who gets something. It may be `all` or a range."""


class TypedCommand(NamedTuple):
    """A typed command. `inputs` maps input names to values; `others` has the other parameters, such as `new`."""

    invocation: Invocation
    kind: type[Command]
    inputs: dict[str, Any]
    others: dict[str, Any]
    flags: Flags

    def names(self, book: Book) -> Names:
        """Return the names of the campaign. With `--new`, a typed name may be new."""
        return self.invocation.names(book, new=self.others.get("new", False))

    def command(self, names: Names, **changed: Any) -> Any:
        """Return the ledger command. The values in `changed` replace typed inputs."""
        from ledger.reading.parsing import command_from, parse_inputs  # help needs none of it

        typed = {**self.inputs, **changed}
        for field in self.kind.fields().values():
            if inputs.SPEAKER in field.tags and typed[field.name] is None:
                typed[field.name] = self.invocation.player_handle(names.book)
        return command_from(names, self.kind, parse_inputs(self.kind, **typed))

    def write(self, book: Book | None = None) -> Written | None:
        """Write the command. For `all` or a range like `gob-1..3`, write it for each character.

        Without `book`, open the campaign. If the command needs confirmation, show a plan and ask. Return `None` if
        nothing was written, or if the command was written for several characters.
        """
        if self.kind.asks:
            return write_if_agreed(self.invocation, lambda book: self.command(self.names(book)), self.flags)
        if book is None:
            with self.invocation.book() as opened:
                return self.write(opened)
        who, to = self.inputs.get("who") or "", self.inputs.get(RECEIVER_INPUT) or ""
        if means_several(to):
            self._write_for_several(book, RECEIVER_INPUT)
            return None
        if means_several(who) and (who != ALL or CHANGES_INPUT in self.inputs or self.kind.all_includes_npcs):
            self._write_for_several(book, "who")
            return None
        done = write(self.invocation, book, self.command(self.names(book)), self.flags)
        if not self.flags.json_:
            say_choices(book, done)
        return done

    def _write_for_several(self, book: Book, several: str) -> None:
        """Write the command for each of several characters. `several` is the input with these characters."""
        from cli import group  # most commands are for one

        names, typed = self.names(book), self.inputs[several]
        if several == RECEIVER_INPUT:
            giver = names.character(self.inputs["who"])
            whom, left = group.group_members(names, typed)
            whom = [who for who in whom if typed != ALL or who != giver]
            left.pop(giver, None)
        else:
            scores = self.inputs.get(CHANGES_INPUT, ())
            whom, left = group.group_members(names, typed, scores=scores, npcs=self.kind.all_includes_npcs)

        def build(who: str) -> Command:
            return self.command(names, **{several: who})  # type: ignore[no-any-return]  # `command` makes any kind

        commands, unable = group.commands_for(book, whom, build, all_who_can=typed == ALL)
        if several == RECEIVER_INPUT and len(commands) > 1:
            group.check_enough_for_all(book, cast("list[Give]", [*commands.values()]))
        group.write_for_all(self.invocation, book, commands, self.flags)
        group.say_left_out(book, {**left, **unable}, self.flags)

    def write_roll(self, line: str) -> None:
        """Write a roll for one or several characters.

        Raise `BadInput` if dice for several rolls were typed for a single roll. The error then suggests `line`: the
        command for several rolls.
        """
        with self.invocation.book() as book:
            if means_several(self.inputs["who"]):
                self._write_for_several(book, "who")
                return
            check_dice_of_one_roll(self.flags, line)
            rolls = self.command(self.names(book)).single_rolls(book, self.flags.faces)
            if len(rolls) == 1:
                done = write(self.invocation, book, rolls[0][0], self.flags)
                if not (self.flags.json_ or done.dry):
                    from cli.asides import say_character_of_player  # it imports what a refused roll does not need

                    say_character_of_player(book, done)
                return
            try:
                written = write_all(self.invocation, book, rolls, self.flags)
            except LedgerError as error:
                if error.place:
                    error.sentence = f"Roll {error.place} of {len(rolls)}: {error.sentence} Nothing was written."
                raise
            if not self.flags.json_:
                from cli.asides import say_successes  # most rolls are single

                say_successes(written)


class PlainCommand(Verb):
    """A command that writes a ledger command. `writes` names the class of the ledger command, as `module:class`.

    The callback receives a `TypedCommand`. `more` adds parameters, or replaces parameters with the same name.
    """

    def __init__(self, *args: Any, writes: str, more: Sequence[click.Parameter] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.__dict__["params"]  # made on first use, because the inputs import the ledger's module
        self._writes = writes
        self._more = more

    @cached_property
    def kind(self) -> type[Command]:
        """The class of the ledger command that is written."""
        module, _, name = self._writes.partition(":")
        kind: type[Command] = getattr(import_module(module), name)
        return kind

    @cached_property
    def inputs(self) -> dict[str, Field]:
        """The inputs of the command. The keys are the names that people type."""
        from ledger.reading.parsing import typed_fields

        return {name: field for name, field in typed_fields(self.kind).items() if inputs.AUTOMATIC not in field.tags}

    @cached_property
    def params(self) -> list[click.Parameter]:  # type: ignore[override]  # made on first use
        """The parameters: the inputs, then this command's own options, then the options of all writing commands."""
        from ledger.commands.play import RollingCommand

        parameters: dict[str | None, click.Parameter] = {
            name: option_of(name, field) for name, field in self.inputs.items()
        }
        tags = {tag for field in self.inputs.values() for tag in field.tags}
        extra = [
            *([new_option()] if SHEET_NAME_TAGS & tags else []),
            *([faces_option(of_all=True)] if issubclass(self.kind, RollingCommand) else []),
            *self._more,
            *([YES] if self.kind.asks else []),
            *([SECRETS] if self.kind.asks and self.kind.planned else []),
        ]
        parameters |= {param.name: param for param in extra}
        params = [*parameters.values(), *writing_options()]
        return [*params, *options_of_all(params)]

    @property
    def may_be_for_several(self) -> bool:
        """Return True if the character who acts is the only name or text that the command takes without a flag."""
        others = {name: field for name, field in self.inputs.items() if name != "who" and not field.says}
        numbers = (field.keyed or name == POOL_PARAMETER or field.kind is int for name, field in others.items())
        return "who" in self.inputs and all(numbers)

    def join_pairs(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join names with values, if the command takes such pairs.

        `edge = 2` becomes `edge=2`. `-1 edge` becomes `edge=-1`. In a gift, `5 gold` becomes `gold=5`.
        """
        if not any(field.keyed for field in self.inputs.values()):
            return args
        args = typed_amounts.join_assignments(args)
        if any(inputs.GIFTS in field.tags for field in self.inputs.values()):
            return typed_amounts.rewrite_gifts(self, args)
        return (
            typed_amounts.rewrite_changes(self, args, partial(current_characters, ctx))
            if any(map(takes_amounts, self.params))
            else args
        )

    def invoke(self, ctx: click.Context) -> Any:
        """Call the callback with the typed command."""
        invocation = ctx.find_object(Invocation) or Invocation()
        values = {
            field.name: pairs(ctx.params[name], _syntax_of(field).pair) if field.keyed else ctx.params[name]
            for name, field in self.inputs.items()
        }
        places = (field for field in self.kind.fields().values() if inputs.AUTOMATIC in field.tags)
        values |= {field.name: offset_of(invocation.now()) for field in places}
        flags = Flags.taken_from(ctx.params)
        others = {name: value for name, value in ctx.params.items() if name not in self.inputs}
        assert self.callback is not None  # noqa: S101  a decorator makes it
        return self.callback(TypedCommand(invocation, self.kind, values, others, flags))


class RollCommand(PlainCommand):
    """The command that rolls dice outside any game."""

    def join_pairs(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return `args` unchanged. Raise `Refused` if the target after `vs` names a score, such as `--vs brak.ac`.

        The error shows the value of the score, so that the user can type this value.
        """
        flag = f"--{VERSUS_FLAG_NAME}"
        for before, word in pairwise(["", *args]):
            number = re.fullmatch(typed_amounts.NUMBER_OF_PATTERN, word.removeprefix(f"{flag}="))
            if number and (before in {VERSUS_FLAG_NAME, flag} or word.startswith(f"{flag}=")):
                invocation = ctx.find_object(Invocation) or Invocation()
                with invocation.book() as book:
                    names = invocation.names(book)
                    who = names.character(number[1])
                    value = book.balance(who, names.score(who, number[2])) or 0
                check = Run("free check", "WHO", "DICE", vs=number[0])
                hint = (
                    f"{number[0]} is {with_minus_sign(value)}. Type {Flag(VERSUS_FLAG_NAME, value)}. With free sheets,"
                    f" you can also type: {check}"
                )
                raise Refused(f"{quoted(number[0])} does not work in a roll without a game.", hint)
        return args


def plain_command(
    writes: str, example: str, another: str, similar: str, cls: type[PlainCommand] = PlainCommand, **how: Any
) -> Callable[[Callable[..., object]], PlainCommand]:
    """Turn a function into a command that writes a ledger command. `writes` is `MODULE:CLASS`, without `ledger.`

    For the other parameters, see `command`.
    """
    return command(example, another, similar, cls=cls, writes=f"ledger.{writes}", **how)


def write_only_command(writes: str, says: str, example: str, another: str, similar: str, **how: Any) -> PlainCommand:
    """Return a command that writes the ledger command `writes` and does nothing else. `says` becomes the help text.

    For the other parameters, see `command`.
    """
    return plain_command(writes, example, another, similar, help=says, **how)(TypedCommand.write)


def _syntax_of(field: Field) -> InputSyntax:
    return next((INPUT_SYNTAX[tag] for tag in field.tags if tag in INPUT_SYNTAX), InputSyntax())


def option_of(name: str, field: Field) -> click.Parameter:
    """Return the click parameter for an input: an option if the input has a help text, else an argument.

    `name` is the name that people type.
    """
    syntax, needed = _syntax_of(field), inputs.is_needed(field)
    is_number = field.kind is int and field.limit is not None
    kind = WholeNumber(field.limit) if is_number else syntax.kind
    if not field.says:
        several, line = field.many or field.keyed, inputs.UNQUOTED_TEXT in field.tags
        number = "NUMBER" if needed else "[NUMBER]"
        metavar = syntax.metavar if several else number if is_number else None
        options: dict[str, Any] = {"nargs": -1 if several or line else 1, "metavar": metavar}
        return click.Argument([name], type=kind, required=needed, callback=as_text if line else None, **options)
    says = f"{field.says[:1].upper()}{field.says[1:]}."
    also = [f"--{tag.also}" for tag in field.tags if isinstance(tag, Typed) and tag.also]
    if field.kind is bool:
        return click.Option([f"--{name.replace('_', '-')}"], is_flag=True, help=says)
    if is_number:
        usual = "" if field.default is None else f" [default: {field.default}]"
        return click.Option([f"--{name}"], type=kind, default=field.default, help=f"{says}{usual}")
    options = {"multiple": field.many, "metavar": syntax.metavar or "TEXT"}
    return click.Option([f"--{name}", *also, name], type=kind, required=needed, help=says, **options)


def options_of(kind: type[Command], *names: str) -> list[click.Parameter]:
    """Return the parameters for the inputs with these typed names, in this order."""
    from ledger.reading.parsing import typed_fields

    return [option_of(name, typed_fields(kind)[name]) for name in names]


def as_text(ctx: click.Context, param: click.Parameter, words: tuple[str, ...]) -> str | None:
    """Join several words into one text. Return `None` if there are no words.

    At the prompt, the text is already one word.
    """
    return " ".join(words) if words else None
