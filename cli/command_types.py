"""Base classes for commands and groups, and the decorators that make commands. The classes check the typed options."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from inspect import cleandoc
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli import short_words, typed_dice, typed_text
from cli.context import Flags, Invocation, Output, View
from cli.options import BY, COMMON_OPTION_SIZES, options_of_all, row_options, store_author
from cli.param_types import SCORE_CHANGE
from cli.render.help import Page
from cli.render.layout import encodable
from cli.render.terminal import ExtraWords, width
from cli.usual import cast_now, join_characters, with_usual
from ledger.errors import quoted
from ledger.reading.typed_values import LAST

if TYPE_CHECKING:
    from ledger.journal.book import Book

F = TypeVar("F", bound=Callable[..., Any])


FULL_HELP_KEY = "cli.more"
"""The key in `Context.meta` whose value is true if the help must be shown in full."""

MANUAL_KEY = "cli.manual"
"""The key in `Context.meta` whose value is true if the help must be a manual page."""
COMMON_OPTIONS = {
    "by",
    "once",
    "dry",
    "json_",
    "format_",
    "bom",
    "fork",
    "clock_ok",
    "more",
    "new",
    "seal",
    "until",
    "unseen",
    "at",
    "corrected",
}
"""The options that many commands have. A help page that is too long leaves out their descriptions first."""

OPTIONS_BEFORE_COMMAND = {"--color", "--version"}
"""The options that must come before the command."""

SIMILAR_OPTIONS = {"--secret": "--seal", "--seal": "--secret", "--hidden": "--seal", "--why": "--for", "--for": "--why"}
"""Options that a command may lack, each with the option that the error suggests instead."""

EXTRA_WORDS_PATTERN = re.compile(r"extra arguments? \((.*)\)")
"""A pattern for the extra words in click's own error message."""

LONGEST_PIECE = 36
"""The maximum length of a piece of a usage line, such as `a|b`. A longer piece gets spaces around each `|`."""

MOST_LISTED = 20
"""The maximum number of commands in the error for an unknown command."""

LONGEST_LINE = 200
"""The maximum length of a one-line help. The first sentence of every help text is shorter, so click never cuts it."""


pass_invocation = click.make_pass_decorator(Invocation)
"""A decorator that passes the invocation to a command as its first argument."""


def refuse_repeated_options(command: click.Command, ctx: click.Context, args: list[str]) -> None:
    """Raise `UsageError` if an option is given twice, but may be given only once."""
    if ctx.resilient_parsing:
        return
    _, _, order = command.make_parser(ctx).parse_args(args=list(args))
    seen: set[click.Parameter] = set()
    for param in order:
        single = isinstance(param, click.Option) and not (param.multiple or param.count or param.is_eager)
        if single and param in seen:
            option = param.opts[-1]
            raise click.UsageError(f"Option {option!r} was given twice.", ctx)
        seen.add(param)


def spell_out_symbols(text: str) -> str:
    """Return the text with spelled-out replacements for symbols that the terminal cannot show."""
    return encodable(text, sys.stdout)


def with_wrappable_choices(pieces: list[str]) -> list[str]:
    """Put blanks between the choices of long pieces of a usage line, so that the line can wrap."""
    return [piece.replace("|", " | ") if len(piece) > LONGEST_PIECE else piece for piece in pieces]


def takes_amounts(param: click.Parameter) -> bool:
    """Return True if the argument takes changes of scores, such as `edge=-1`."""
    return param.type is SCORE_CHANGE


def _unknown_option_error(unknown: click.NoSuchOption, ctx: click.Context) -> click.UsageError:
    """Return the error for an unknown option. It says where to type the option, or suggests a similar one."""
    name = unknown.option_name
    if name in OPTIONS_BEFORE_COMMAND:
        return click.UsageError(f"Type {name} before the command.", ctx)
    if any(map(takes_amounts, ctx.command.params)) and short_words.is_amount(name):
        amount = name
        return click.UsageError(f"{amount} needs the name of a score: {amount} edge, or edge={amount}.", ctx)
    if any(SIMILAR_OPTIONS.get(name) in param.opts for param in ctx.command.params):
        similar = SIMILAR_OPTIONS[name]
        return click.UsageError(f"No such option {name!r}. Did you mean {similar!r}?", ctx)
    if name == "--all" and any("-n" in param.opts for param in ctx.command.params):
        return click.UsageError("No such option '--all'. Did you mean '-n all'?", ctx)
    # A mistyped flag must never become --fork, which is recorded for good.
    likely = [flag for flag in unknown.possibilities or () if flag != "--fork"]
    return click.NoSuchOption(name, possibilities=likely or None, ctx=ctx)


class CommandWithHelp(click.Command):
    """A command whose help page fits one screen, with up to two examples and the names of similar commands.

    Options that do not fit are listed only by name. `-v` describes all options.
    """

    heading = "Options"

    def __init__(self, *args: Any, example: str = "", another: str = "", similar: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(filter(None, (example, another)))
        self.similar = similar

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the pieces of the usage line. Long choices contain blanks, so that the line can wrap."""
        return with_wrappable_choices(super().collect_usage_pieces(ctx))

    def get_help(self, ctx: click.Context) -> str:
        """Return the help page, as wide as the terminal, or the manual page."""
        if ctx.meta.get(MANUAL_KEY):
            return self.manual(ctx)
        page = Page(
            usage=spell_out_symbols(self.get_usage(ctx)),
            text=spell_out_symbols(cleandoc(self.help or "")),
            heading=self.heading,
            rows=[(spell_out_symbols(name), spell_out_symbols(text), rank) for name, text, rank in self.rows(ctx)],
            examples=[*map(spell_out_symbols, self.examples)],
            similar=self.similar,
            more=f"campaign -v {ctx.command_path.partition(' ')[2]} --help",
        )
        more = ctx.find_root().params.get("verbose") or ctx.meta.get(FULL_HELP_KEY)
        return "\n".join(page.lines(width(), len(page.rows)) if more else page.fitting_lines(width()))

    def manual(self, ctx: click.Context) -> str:
        """Return the manual page."""
        from importlib.metadata import version  # only a manual page needs these

        from cli.render.manual import manual

        return manual(
            path=ctx.command_path,
            summary=self.get_short_help_str(LONGEST_LINE).removesuffix("."),
            usage=self.get_usage(ctx),
            text=self.manual_text(),
            lists=self.manual_lists(ctx),
            examples=self.examples,
            similar=self.similar,
            version=version("campaign-ledger"),
        )

    def manual_text(self) -> str:
        """Return the description on the manual page. Default: the help text."""
        return cleandoc(self.help or "")

    def manual_lists(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Map each heading of the manual page to the names below it, each with its text."""
        return {self.heading: [(name, text) for name, text, _ in self.rows(ctx)]}

    def invoke(self, ctx: click.Context) -> Any:
        """Call the callback. If the command shows rows, pass the chosen format as one parameter, `output`."""
        if "bom" in ctx.params:
            ctx.params["output"] = Output.taken_from(ctx.params)
        return super().invoke(ctx)

    def rows(self, ctx: click.Context) -> list[tuple[str, str, int]]:
        """Return the name, help text and rank of each option.

        If the page is too long, the texts with the highest ranks are left out first.
        """
        used = {word for example in self.examples for word in example.split()}
        records = [(param, param.get_help_record(ctx)) for param in self.params if isinstance(param, click.Option)]
        return [(*record, self._rank(param, used)) for param, record in records if record is not None]

    @staticmethod
    def _rank(param: click.Option, used: set[str]) -> int:
        if param.required or not used.isdisjoint(param.opts):
            return 0
        return 2 if param.name in COMMON_OPTIONS else 1


class CommandGroup(CommandWithHelp, click.Group):
    """A group of commands. Command names can be shortened. The error for an unknown name suggests a similar one."""

    heading = "Commands"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += options_of_all(self.params)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words. Raise `UsageError` for an option given twice, or a flag that belongs after the command."""
        try:
            refuse_repeated_options(self, ctx, args)
            return super().parse_args(ctx, args)
        except click.NoSuchOption as unknown:
            flag = unknown.option_name
            below = (self.get_command(ctx, name) for name in self.list_commands(ctx))
            if any(flag in param.opts for command in below if command is not None for param in command.params):
                raise click.UsageError(f"Type {flag} after the command.", ctx) from None
            raise _unknown_option_error(unknown, ctx) from None

    def rows(self, ctx: click.Context) -> list[tuple[str, str, int]]:
        """Return the name, first help sentence and rank of each command, then the rows of the options."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        used = {word for example in self.examples for word in example.split()[:2]}
        rows = [
            (name, command.get_short_help_str(LONGEST_LINE), 0 if name in used else 1)
            for name, command in commands.items()
            if command is not None
        ]
        return rows + super().rows(ctx)

    def suggestions(self, ctx: click.Context, typed: str) -> list[str]:
        """Return suggestions for an unknown word. Default: the names of similar commands."""
        from ledger.reading.similar import suggestions  # only a wrong word needs it

        return suggestions(typed, {name: name for name in self.list_commands(ctx)}, ())

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command by its name or first letters. Raise `UsageError` if no command fits."""
        if self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            args = [short_words.full_name(args[0].lower(), self.list_commands(ctx), ctx) or args[0], *args[1:]]
        try:
            return super().resolve_command(ctx, [*args])  # click empties the list if the word looks like an option
        except click.UsageError as unknown:
            if near := self.suggestions(ctx, args[0]):
                raise click.UsageError(f"{unknown.message} Did you mean {' or '.join(near)}?", ctx) from None
            names = self.list_commands(ctx)
            listed = f" The {self.heading.lower()}: {', '.join(names)}." if 0 < len(names) <= MOST_LISTED else ""
            raise click.UsageError(f"No such command {quoted(args[0])}.{listed}", ctx) from None


class Verb(CommandWithHelp):
    """A command that accepts shortened flags, and dice after `=`.

    - `instead`: the hint if somebody typed an unexpected number. The number replaces `{}` in the hint.
    - `elsewhere`: maps flags of other commands to hints on where to use them.
    - `for_several`: the value of `may_be_for_several`.
    """

    without_dice = "This command does not roll dice."
    """The error for dice that are typed after a command without `--faces`."""

    def __init__(
        self,
        *args: Any,
        instead: str = "",
        elsewhere: Mapping[str, str] | None = None,
        for_several: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.params += options_of_all(self.params)
        self.instead = instead
        self.elsewhere = elsewhere or {}
        self._for_several = for_several

    @property
    def may_be_for_several(self) -> bool:
        """Return True if several characters can be named side by side, such as `brak sil`."""
        return self._for_several

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Expand shortened words, then parse them. Errors about flags and extra words include a hint if possible."""
        if not ctx.resilient_parsing:
            flags = {flag for param in self.params for flag in param.opts}
            args = typed_text.reason_flag(ctx, short_words.full_flags(self, ctx, args), self)
            args = typed_text.join_lists(self, ctx, args)
            args = join_characters(self, ctx, args) if self.may_be_for_several else args
            args = self.join_pairs(ctx, typed_text.move_text_to_end(self, ctx, args))
            if "--faces" in flags:
                args = typed_dice.faces_flag(ctx, args)
            elif typed_dice.has_dice(self, args):
                raise click.UsageError(self.without_dice, ctx)
            args = with_usual(self, ctx, typed_dice.join_pool(self, args, lambda: cast_now(ctx)))
        ctx.meta[FULL_HELP_KEY] = not {"-v", "--verbose"}.isdisjoint(args)
        words = [*args]  # a copy, because the parser empties the list
        try:
            refuse_repeated_options(self, ctx, args)
            return super().parse_args(ctx, args)
        except click.NoSuchOption as unknown:
            if unknown.option_name == short_words.FACES_FLAG and unknown.option_name not in self.elsewhere:
                raise click.UsageError(self.without_dice, ctx) from None
            if unknown.option_name not in self.elsewhere:
                raise _unknown_option_error(unknown, ctx) from None
            raise click.UsageError(f"{unknown.message} {self.elsewhere[unknown.option_name]}", ctx) from None
        except click.UsageError as wrong:
            extra = EXTRA_WORDS_PATTERN.search(wrong.message) if type(wrong) is click.UsageError else None
            if extra is None:
                raise
            raise self.too_many_error(ctx, extra[1].split(), words) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Call the callback. If the command writes entries, pass its flags as one parameter, `flags`."""
        if "once" in ctx.params:
            ctx.params["flags"] = Flags.taken_from(ctx.params)
        return super().invoke(ctx)

    def join_pairs(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join typed names with their values. Default: return the words unchanged."""
        return args

    def too_many_error(self, ctx: click.Context, extra: Sequence[str], words: Sequence[str]) -> click.UsageError:
        """Return the error for `extra` words, with a hint on the right command if possible."""
        message = f"The command cannot use the extra word{'s' if len(extra) > 1 else ''} {' '.join(map(repr, extra))}"
        number = next((word.removeprefix("#") for word in words if word.removeprefix("#").isdecimal()), None)
        after = words[words.index("--faces") + 1 :] if "--faces" in words else []
        faces = [*takewhile(str.isdecimal, after)]
        meant = self.instead.format(number=number) if number and self.instead else ""
        if len(faces) > 1:
            meant = f"Put commas between the dice: --faces {','.join(faces)}"
        return (click.UsageError if meant else ExtraWords)(f"{message}. {meant}".rstrip(), ctx)


def may_write(command: click.Command) -> bool:
    """Return True if the command can write entries."""
    return isinstance(command, EntryCommand) or any(param.name == "once" for param in command.params)


class EntryCommand(CommandWithHelp):
    """A command whose flags depend on the entry that it names.

    `find` returns the command for an entry. If no number was typed, `the_only` finds the entry from the other words.
    `words` are the arguments between the entry number and the flags.
    """

    ignore_unknown_options = True

    def __init__(
        self,
        name: str,
        *,
        find: Callable[[Book, int, click.Context], Verb],
        the_only: Callable[[Invocation, Sequence[str]], str] | None = None,
        metavar: str = "ENTRY",
        words: Sequence[click.Argument] = (),
        **kwargs: Any,
    ) -> None:
        entry = click.Argument(["entry"], metavar=metavar)
        flags = click.Argument(["flags"], metavar="[FLAGS]…", nargs=-1, type=click.UNPROCESSED)
        super().__init__(name, params=[entry, *words, flags], **kwargs)
        self.add_help_option = False
        self._find = find
        self._the_only = the_only

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the entry and the other arguments. The options in `COMMON_OPTION_SIZES` may come before the entry.

        `--help` in place of an argument shows the help of this command. After all arguments, `--help` shows the help
        of the flags for this entry.
        """
        before = 0
        while before < len(args) and (size := COMMON_OPTION_SIZES.get(args[before])):
            before += size
        args = [*args[before:], *args[:before]]
        named = sum(isinstance(param, click.Argument) and param.nargs == 1 for param in self.params)
        if not {"--help", "-h"}.isdisjoint(args[:named]):
            click.echo(self.get_help(ctx), color=ctx.color)
            ctx.exit()
        left_out = not args or args[0].startswith("-") or (named > 1 and args[0].isalpha() and args[0] != LAST)
        if self._the_only and left_out and not ctx.resilient_parsing:
            args = [self._the_only(ctx.find_object(Invocation) or Invocation(), args), *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Read the entry from the campaign, parse the flags that its inputs allow, and run the command."""
        typed: str = ctx.params["entry"]
        if typed.startswith("-"):
            raise click.MissingParameter(ctx=ctx, param=self.params[0])
        by = next((value for flag, value in pairwise([*ctx.params["flags"], ""]) if flag == BY), None)
        store_author(ctx, ctx.command.params[0], by)
        invocation = ctx.find_object(Invocation) or Invocation()
        with invocation.book() as book:
            verb = self._find(book, invocation.names(book).entry(typed), ctx)
        words = list(ctx.params["flags"])
        with verb.make_context(f"{self.name} {typed}", words, parent=ctx.parent) as inner:
            return verb.invoke(inner)


def command(example: str, another: str, similar: str, *, group: Any = click, **how: Any) -> Callable[[F], Any]:
    """Turn a function into a command of `group` (default: the root). The name of the command comes from `example`.

    `example` and `another` are example lines for the help, and `similar` names the commands for "See also". `how` has
    other arguments of the command's class.
    """
    name = example.split()[0 if group is click else 1]
    decorator: Callable[[F], Any] = group.command(name, example=example, another=another, similar=similar, **how)
    return decorator


def verb(example: str, another: str, similar: str, **how: Any) -> Callable[[F], Any]:
    """Turn a function into a command, as `command` does. The function receives the invocation and the typed values."""
    return lambda function: command(example, another, similar, **{"cls": Verb, **how})(pass_invocation(function))


def view(
    example: str, another: str, similar: str, *, key: Sequence[str] = ("seq",), each: str = "", **how: Any
) -> Callable[[Callable[..., None]], Any]:
    """Turn a function that takes a `View` and typed values into a command with `--at`, `--corrected` and `--format`.

    For `key` and `each`, see `table_lines`.
    """

    def made(function: Callable[..., None]) -> Any:
        def show(invocation: Invocation, at: str | None, corrected: bool, output: Output, **typed: Any) -> None:
            asked = View(invocation=invocation, at=at, corrected=corrected, output=output, key=key, each=each)
            function(asked, **typed)

        options = [
            click.Option(["--corrected"], is_flag=True, help="With --at: include corrections that were made later."),
            click.Option(
                ["--at"],
                metavar="POINT",
                help="Show the record as it was at an earlier point: an entry number, session:N, day:N or a date.",
            ),
        ]
        params = function.__dict__.get("__click_params__", [])
        show.__dict__["__click_params__"] = [*options, *params]  # click reads them backwards
        return verb(example, another, similar, **how)(row_options(update_wrapper(show, function, updated=())))

    return made
