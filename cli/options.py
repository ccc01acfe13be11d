"""Options: shared flags, types that complete, and groups and commands that check their options."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from inspect import cleandoc
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli import short_words
from cli.context import Flags, Invocation
from cli.param_types import SCORE_CHANGE, Faces, Who
from cli.render.help import Page
from cli.render.layout import spelled
from cli.render.terminal import width
from ledger.errors import shortened

if TYPE_CHECKING:
    from ledger.journal.book import Book

F = TypeVar("F", bound=Callable[..., Any])

MORE = "cli.more"
"""The key in a context for: show all of the help."""

OTHER = "@[a-z][a-z0-9-]*"
BEGINS_VALUE = "=|^[+−-]?([0-9]|d[0-9%])"
"""The start of a word that is not a character: a change, a number or dice."""

BY = "--by"
COMMON = {"by", "once", "dry", "json_", "fork", "clock_ok", "more", "new", "seal", "until", "unseen", "at", "corrected"}
"""The options that many commands have, which are told last."""

ONLY_BEFORE = {"--color", "--version"}
"""The options of the program that no command takes."""

HIDES = {"--secret": "--seal", "--seal": "--secret", "--hidden": "--seal"}
"""Options that hide something, each with the option of other commands for the same."""

EXTRA = re.compile(r"extra arguments? \((.*)\)")
"""The words that click finds to be too many, in its own message."""

LONGEST_PIECE = 36
"""A word of a usage line is no longer."""

MOST_LISTED = 20
"""A group with more commands than this does not list them in the error for an unknown one."""

LONGEST_LINE = 200
"""The first sentence of a help is shorter."""


def pass_invocation(command: F) -> F:
    """Pass the invocation to a command as its first argument."""
    decorator: Any = click.make_pass_decorator(Invocation)
    decorated: F = decorator(command)
    return decorated


def refuse_twice(command: click.Command, ctx: click.Context, args: list[str]) -> None:
    """Refuse (`UsageError`) an option that takes one value and is given twice."""
    if ctx.resilient_parsing:
        return
    _, _, order = command.make_parser(ctx).parse_args(args=list(args))
    seen: set[click.Parameter] = set()
    for param in order:
        single = isinstance(param, click.Option) and not (param.multiple or param.count or param.is_eager)
        if single and param in seen:
            raise click.UsageError(f"Option {param.opts[-1]!r} was given twice.", ctx)
        seen.add(param)


def with_usual(command: click.Command, ctx: click.Context, args: list[str]) -> list[str]:
    """The words with the usual character first, where the command takes one and none is named.

    `@jonas` names another, and so does a character's own name at the first place.
    """
    first = next((param for param in command.params if isinstance(param, click.Argument)), None)
    if first is None or not (first.required and isinstance(first.type, Who)):
        return args
    own = short_words.own_words(command, args)
    other = next((word for word in own if re.fullmatch(OTHER, word) or short_words.is_several(word)), None)
    if other is not None:
        return _first(other, args)
    bare = [word for word in own if not re.search(BEGINS_VALUE, word)]
    invocation = ctx.find_object(Invocation) or Invocation()
    if not invocation.has_usual:
        return _first(bare[0], args) if bare and own[0] not in bare else args
    with invocation.book() as book:
        usual = invocation.usual(book)
        if usual is None or (own and book.plays(own[0])):
            return args
        needed = sum(isinstance(param, click.Argument) and param.nargs == 1 for param in command.params)
        several = any(isinstance(param, click.Argument) and param.nargs < 0 for param in command.params)
        if not (bare if several else len(own) >= needed):
            return [usual, *args]
        cast = book.cast()  # few lines name another character
    named = (word for fits in short_words.FITS for word in bare if any(fits(who, word.lower()) for who in cast))
    return _first(next(named, own[0]), args)


def _first(who: str, args: Sequence[str]) -> list[str]:
    place = args.index(who)
    return [who, *args[:place], *args[place + 1 :]]


def spell(text: str) -> str:
    """A text with the marks spelled that the terminal does not have."""
    return spelled(text, sys.stdout)


def spaced(pieces: list[str]) -> list[str]:
    """The pieces of a usage line, with room between many choices, so that the line can break."""
    return [piece.replace("|", " | ") if len(piece) > LONGEST_PIECE else piece for piece in pieces]


def takes_amounts(param: click.Parameter) -> bool:
    """Return True for an argument that moves scores."""
    return param.type is SCORE_CHANGE


def _before(unknown: click.NoSuchOption, ctx: click.Context) -> click.UsageError:
    """The error for an unknown option. It says where the option goes, or which one this command has for the same."""
    name = unknown.option_name
    if name in ONLY_BEFORE:
        return click.UsageError(f"Type {name} before the command.", ctx)
    if any(map(takes_amounts, ctx.command.params)) and short_words.is_amount(name):
        return click.UsageError(f"{name} needs a score: type {name} edge, or edge={name}.", ctx)
    own = {flag for param in ctx.command.params for flag in param.opts}
    if HIDES.get(name) in own:
        return click.UsageError(f"No such option {name!r}. Did you mean {HIDES[name]!r}?", ctx)
    return unknown


class Helped(click.Command):
    """A command whose help fits a screen, with two examples and the names of its neighbors.

    What finds no room is only named, and `-v` tells it: first what every command has, then what no example uses.
    """

    heading = "Options"

    def __init__(self, *args: Any, example: str = "", another: str = "", near: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(filter(None, (example, another)))
        self.near = near

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """With room between many choices, so that their line can break."""
        return spaced(super().collect_usage_pieces(ctx))

    def get_help(self, ctx: click.Context) -> str:
        """The page, as wide as the terminal."""
        rows = [(spell(name), spell(text)) for name, text, _ in self.rows(ctx)]
        ranks = [rank for *_, rank in self.rows(ctx)]
        page = Page(spell(self.get_usage(ctx)), spell(cleandoc(self.help or "")), self.heading, rows, ranks)
        page.examples, page.near = tuple(map(spell, self.examples)), self.near.split(", ") if self.near else ()
        page.more = f"campaign -v {ctx.command_path.partition(' ')[2]} --help"
        more = ctx.find_root().params.get("verbose") or ctx.meta.get(MORE)
        return "\n".join(page.lines(width(), len(rows)) if more else page.fitting(width()))

    def rows(self, ctx: click.Context) -> list[tuple[str, str, int]]:
        """Each option, with what it says and its rank."""
        used = {word for example in self.examples for word in example.split()}
        records = [(param, param.get_help_record(ctx)) for param in self.params if isinstance(param, click.Option)]
        return [(*record, self._rank(param, used)) for param, record in records if record is not None]

    @staticmethod
    def _rank(param: click.Option, used: set[str]) -> int:
        if param.required or not used.isdisjoint(param.opts):
            return 0
        return 2 if param.name in COMMON else 1


class Several(Helped, click.Group):
    """Commands under one name, each by its first letters too; for an unknown one it suggests a similar spelling."""

    heading = "Commands"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += options_of_all(self.params)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuses (`UsageError`) an option given twice, and a flag that goes after the command."""
        try:
            refuse_twice(self, ctx, args)
            return super().parse_args(ctx, args)
        except click.NoSuchOption as unknown:
            flag = unknown.option_name
            below = (self.get_command(ctx, name) for name in self.list_commands(ctx))
            if any(flag in param.opts for command in below if command is not None for param in command.params):
                raise click.UsageError(f"Type {flag} after the command.", ctx) from None
            raise _before(unknown, ctx) from None

    def rows(self, ctx: click.Context) -> list[tuple[str, str, int]]:
        """Each command, with the first sentence of its help; then the options."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        used = {word for example in self.examples for word in example.split()[:2]}
        return [
            *(
                (name, command.get_short_help_str(LONGEST_LINE), 0 if name in used else 1)
                for name, command in commands.items()
                if command is not None
            ),
            *super().rows(ctx),
        ]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Adds a suggestion to the error for an unknown command. Refuses (`UsageError`) letters that begin several."""
        if self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            args = [short_words.full(args[0], self.list_commands(ctx), ctx) or args[0], *args[1:]]
        try:
            return super().resolve_command(ctx, [*args])  # click empties the list if the word looks like an option
        except click.UsageError as unknown:
            from difflib import get_close_matches

            close = get_close_matches(args[0], self.list_commands(ctx), n=1, cutoff=0.75)
            if not close:
                few = self.list_commands(ctx) if len(self.list_commands(ctx)) <= MOST_LISTED else []
                listed = f" The {self.heading.lower()}: {', '.join(few)}." if few else ""
                raise click.UsageError(f"No such command {shortened(args[0])}.{listed}", ctx) from None
            raise click.UsageError(f"{unknown.message} Did you mean {close[0]}?", ctx) from None


class Verb(Helped):
    """A command. It refuses an option given twice.

    `instead` says what to type with a number that the command does not take; `elsewhere`, where a flag is taken that
    the command does not know.
    """

    what = "command"

    def __init__(
        self, *args: Any, instead: str = "", elsewhere: Mapping[str, str] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.params += options_of_all(self.params)
        self.instead = instead
        self.elsewhere = elsewhere or {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Takes flags by their first letters, and dice after `=`.

        Refuses (`UsageError`) an option given twice; says what a number too many may mean, and where a flag is.
        """
        if not ctx.resilient_parsing:
            flags = {flag for param in self.params for flag in param.opts}
            args = short_words.reason_flag(ctx, short_words.full_flags(self, ctx, args), self)
            short_words.check_lists(self, ctx, args)
            args = self.in_pairs(ctx, short_words.with_text(self, ctx, args))
            if "--faces" in flags:
                args = short_words.faces_flag(ctx, args)
            elif short_words.has_dice(self, args):
                raise click.UsageError(f"This {self.what} rolls no dice.", ctx)
            args = with_usual(self, ctx, args)
        ctx.meta[MORE] = not {"-v", "--verbose"}.isdisjoint(args)
        words = [*args]  # the parser takes them away
        try:
            refuse_twice(self, ctx, args)
            return super().parse_args(ctx, args)
        except click.NoSuchOption as unknown:
            if unknown.option_name == short_words.FLAG and unknown.option_name not in self.elsewhere:
                raise click.UsageError(f"This {self.what} rolls no dice.", ctx) from None
            if unknown.option_name not in self.elsewhere:
                raise _before(unknown, ctx) from None
            raise click.UsageError(f"{unknown.message} {self.elsewhere[unknown.option_name]}", ctx) from None
        except click.UsageError as wrong:
            extra = EXTRA.search(wrong.message) if type(wrong) is click.UsageError else None
            if extra is None:
                raise
            raise self.too_many(ctx, extra[1].split(), words) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Call the callback. If the command writes, its flags are one value, `flags`."""
        if "once" in ctx.params:
            ctx.params["flags"] = Flags.taken_from(ctx.params)
        return super().invoke(ctx)

    def in_pairs(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return the words as they are: this command takes no NAME=VALUE pairs."""
        return args

    def too_many(self, ctx: click.Context, extra: Sequence[str], words: Sequence[str]) -> click.UsageError:
        """The error for `extra` words, with what may be meant by them."""
        message = f"The command cannot use the extra word{'s' if len(extra) > 1 else ''} {' '.join(map(repr, extra))}"
        number = next((word.removeprefix("#") for word in words if word.removeprefix("#").isdecimal()), None)
        after = words[words.index("--faces") + 1 :] if "--faces" in words else []
        faces = [*takewhile(str.isdecimal, after)]
        meant = self.instead.format(number) if number and self.instead else ""
        if len(faces) > 1:
            meant = f"Put commas between the dice: --faces {','.join(faces)}"
        return click.UsageError(f"{message}. {meant}".rstrip(), ctx)


class PairVerb(Verb):
    """A command that takes values by name, also as `edge = 2`."""

    def in_pairs(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join each name with its value."""
        return short_words.joined(args)


class EntryCommand(Helped):
    """A command whose flags depend on the entry that it names.

    `the_only` finds the number of the entry by the words if no number is typed.
    """

    ignore_unknown_options = True

    def __init__(
        self,
        *args: Any,
        find: Callable[[Book, int, click.Context], Verb],
        the_only: Callable[[Invocation, Sequence[str]], str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.add_help_option = False
        self._find = find
        self._the_only = the_only

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`--help` before the last name shows the help of this command; after it, the flags of the entry.

        The options of all commands may stand before the entry.
        """
        before = 0
        while before < len(args) and (size := SIZES_OF_ALL.get(args[before])):
            before += size
        args = [*args[before:], *args[:before]]
        named = sum(isinstance(param, click.Argument) and param.nargs == 1 for param in self.params)
        if not {"--help", "-h"}.isdisjoint(args[:named]):
            click.echo(self.get_help(ctx), color=ctx.color)
            ctx.exit()
        left_out = not args or args[0].startswith("-") or (named > 1 and args[0].isalpha())
        if self._the_only and left_out and not ctx.resilient_parsing:
            args = [self._the_only(ctx.find_object(Invocation) or Invocation(), args), *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Read the entry from the campaign, then parse its flags."""
        typed: str = ctx.params["entry"]
        if typed.startswith("-"):
            raise click.MissingParameter(ctx=ctx, param=self.params[0])
        by = next((value for flag, value in pairwise([*ctx.params["flags"], ""]) if flag == BY), None)
        _by(ctx, ctx.command.params[0], by)
        invocation = ctx.find_object(Invocation) or Invocation()
        with invocation.book() as book:
            verb = self._find(book, invocation.names(book).entry(typed), ctx)
        words = list(ctx.params["flags"])
        with verb.make_context(f"{self.name} {typed}", words, parent=ctx.parent) as inner:
            return verb.invoke(inner)


SIZES_OF_ALL = {"-f": 2, "--file": 2, BY: 2, "-v": 1, "-vv": 1, "--verbose": 1}
"""The options that may stand after every command, and how many words each takes."""


def options_of_all(params: Sequence[click.Parameter]) -> list[click.Parameter]:
    """List the options of every command that these parameters lack. The help leaves them out.

    The root reads the file and `-v`, wherever they stand (`CampaignGroup.parse_args`).
    """
    taken = {flag for param in params for flag in param.opts}
    options = [
        click.Option([BY, "of_all_by"], expose_value=False, callback=_by, hidden=True),
        click.Option(["-f", "--file", "of_all_file"], expose_value=False, callback=_file_read, hidden=True),
        click.Option(["-v", "--verbose", "of_all_verbose"], count=True, expose_value=False, hidden=True),
    ]
    return [option for option in options if taken.isdisjoint(option.opts)]


def json_option(command: F) -> F:
    """Add `--json`."""
    return click.option("--json", "json_", is_flag=True, help="Print one JSON object per line.")(command)


def looks(command: F) -> F:
    """Add `--at`, `--corrected` and `--json`, which every view takes."""
    command = click.option("--corrected", is_flag=True, help="Include corrections made later.")(command)
    command = click.option(
        "--at",
        metavar="POINT",
        help="Show how things stood at an earlier point: an entry number, session:N, day:N or a date.",
    )(command)
    return json_option(command)


def writes(command: F) -> F:
    """Add `write_options`."""
    for option in reversed(write_options()):
        _add(command, option)
    return command


def _by(ctx: click.Context, param: click.Parameter, name: str | None) -> None:
    """Keep the name of the player who types. Refuses (`UsageError`) one before and one after the command."""
    if name is None or ctx.resilient_parsing:
        return
    if ctx.find_root().params.get("by") is not None or BY in ctx.meta:
        raise click.UsageError(f"Option {BY!r} was given twice.", ctx)
    if isinstance(ctx.command, click.Group):
        ctx.meta[BY] = name  # a context shares it with those of the commands below it
    ctx.obj = (ctx.find_object(Invocation) or Invocation()).but(by=name)


def _file_read(ctx: click.Context, param: click.Parameter, file: str | None) -> None:
    """Refuse (`UsageError`) a file that the root did not read: it reads one that is a word of its own."""
    if file is not None and file != ctx.find_root().params.get("file") and not ctx.resilient_parsing:
        raise click.UsageError(f"Leave a space after -f: -f {file.removeprefix('=')}", ctx)


def _once(ctx: click.Context, param: click.Parameter, once: str | None) -> str | None:
    """Keep the id: the root, which does not know the flags of a command, may have taken another word for it."""
    if not ctx.resilient_parsing:
        ctx.obj = (ctx.find_object(Invocation) or Invocation()).but(once=once)
    return once


def write_options() -> list[click.Option]:
    """The options of every command that writes."""
    return [
        click.Option([BY], metavar="NAME", expose_value=False, callback=_by, help="Who is typing (default: the GM)."),
        click.Option(
            ["--once"],
            metavar="ID",
            callback=_once,
            help="Write nothing if a command with this ID was already written.",
        ),
        click.Option(["--dry-run", "dry"], is_flag=True, help="Show what would happen. Write nothing."),
        click.Option(["--json", "json_"], is_flag=True, help="Print the new entries, one JSON object per line."),
        click.Option(
            ["--fork"],
            is_flag=True,
            help="Continue even if this computer knows a newer version of the campaign. The record will always show"
            " that you did.",
        ),
        click.Option(["--clock-ok"], is_flag=True, help="Write even if this computer's clock seems wrong."),
        click.Option(["-v", "--verbose", "more"], count=True, help="Also show the calculation."),
    ]


def faces_option(
    says: str = "The dice that you rolled, in order (default: the computer rolls).", *, of_all: bool = False
) -> click.Option:
    """The option for dice typed in; `of_all` takes those of several rolls, for a line about everybody."""
    return click.Option(["--faces"], type=Faces(of_all=of_all), help=says)


def new_option() -> click.Option:
    """The option for a name that is near one on the sheet, and is meant all the same."""
    return click.Option(
        ["--new"], is_flag=True, help="Add a new name, even if it looks like a misspelled name from the sheet."
    )


def seal_options() -> list[click.Option]:
    """The options that seal a roll."""
    return [
        click.Option(["--seal"], is_flag=True, help="Keep the result secret and without effect until you reveal it."),
        click.Option(["--until"], metavar="WHEN", help="When to reveal a sealed roll: session-end, or a date."),
        click.Option(["--unseen"], is_flag=True, help="Leave a sealed roll out of the chronicle."),
    ]


def _add(command: Any, option: click.Option) -> None:
    if isinstance(command, click.Command):
        command.params.append(option)
    else:
        command.__click_params__ = [*getattr(command, "__click_params__", []), option]
