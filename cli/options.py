"""Options: shared flags, types that complete, and groups and commands that check their options."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli.context import Invocation
from cli.render.terminal import escaped
from ledger.errors import BadInput, LedgerError
from ledger.reading.names import Names, whole_number
from ledger.values import Field, Within

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from ledger.journal.book import Book

F = TypeVar("F", bound=Callable[..., Any])


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


class Several(click.Group):
    """Commands under one name; for an unknown command it suggests one with a similar spelling."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Adds a suggestion to the error for an unknown command."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as unknown:
            from difflib import get_close_matches

            close = get_close_matches(args[0], self.list_commands(ctx), n=1, cutoff=0.75)
            if not close:
                raise
            raise click.UsageError(f"{unknown.message} Did you mean {close[0]}?", ctx) from None


class Verb(click.Command):
    """A command with an example in its help. It refuses an option given twice.

    `instead` says what to type with a number that the command does not take; `elsewhere`, where a flag is taken that
    the command does not know.
    """

    def __init__(
        self,
        *args: Any,
        example: str = "",
        instead: str = "",
        elsewhere: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.example = example
        self.instead = instead
        self.elsewhere = elsewhere or {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuses (`UsageError`) an option given twice; says what a number too many may mean, and where a flag is."""
        words = [*args]  # the parser takes them away
        try:
            refuse_twice(self, ctx, args)
            return super().parse_args(ctx, args)
        except click.NoSuchOption as unknown:
            if unknown.option_name not in self.elsewhere:
                raise
            raise click.UsageError(f"{unknown.message} {self.elsewhere[unknown.option_name]}", ctx) from None
        except click.UsageError as wrong:
            if type(wrong) is not click.UsageError or "extra argument" not in wrong.message:
                raise
            number = next((word.removeprefix("#") for word in words if word.removeprefix("#").isdecimal()), None)
            after = words[words.index("--faces") + 1 :] if "--faces" in words else []
            faces = [*takewhile(str.isdecimal, after)]
            meant = self.instead.format(number) if number and self.instead else ""
            if len(faces) > 1:
                meant = f"Type faces with commas: --faces {','.join(faces)}"
            raise click.UsageError(f"{wrong.message}. {meant}".removesuffix(". "), ctx) from None

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the example."""
        if self.example:
            formatter.write_paragraph()
            formatter.write_text(f"Example: campaign {self.example}")


class EntryCommand(click.Command):
    """A command whose flags depend on the entry that it names."""

    ignore_unknown_options = True

    def __init__(self, *args: Any, find: "Callable[[Book, int, click.Context], Verb]", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.add_help_option = False
        self._find = find

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`--help` before the last name is about this command; after it, about the flags of the entry."""
        named = sum(isinstance(param, click.Argument) and param.nargs == 1 for param in self.params)
        if not {"--help", "-h"}.isdisjoint(args[:named]):
            click.echo(self.get_help(ctx), color=ctx.color)
            ctx.exit()
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Read the entry from the campaign, then parse its flags."""
        typed: str = ctx.params["entry"]
        invocation = ctx.find_object(Invocation) or Invocation()
        with invocation.book() as book:
            verb = self._find(book, invocation.names(book).entry(typed), ctx)
        words = list(ctx.params["flags"])
        with verb.make_context(f"{self.name} {typed}", words, parent=ctx.parent) as inner:
            return verb.invoke(inner)


class WholeNumber(click.ParamType[int]):
    """A whole number within limits; some inputs have names for a few of them."""

    name = "N"

    def __init__(self, limit: Within | None = None, named: Mapping[str, int] | None = None) -> None:
        self.limit = limit
        self.named = named or {}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Refuses (`BadParameter`) what is no whole number, or beyond the limits."""
        if isinstance(value, int):
            return value
        if value in self.named:
            return self.named[value]
        try:
            number = whole_number(value)
        except BadInput as error:
            names = f" Its names are {', '.join(self.named)}." if self.named else ""
            self.fail(error.sentence + names, param, ctx)
        if self.limit and not self.limit.least <= number <= self.limit.most:
            self.fail(f"{number} is not within {self.limit.least} to {self.limit.most}.", param, ctx)
        return number

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        """The names that begin with the word."""
        from click.shell_completion import CompletionItem  # only a completion needs it

        return [CompletionItem(name) for name in self.named if name.startswith(incomplete)]


class OneOf(click.Choice[str]):
    """One of a few words."""

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """The choices, in one line."""
        return f"It is one of {', '.join(self.choices)}."


class Faces(click.ParamType[tuple[int, ...]]):
    """Dice typed in: faces in the order thrown, with commas between them."""

    name = "N,N…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """`00` is 100. Refuses (`BadParameter`) what is no whole number."""
        if isinstance(value, tuple):
            return value
        try:
            return tuple(100 if face == "00" else whole_number(face) for face in value.split(","))
        except BadInput as error:
            numbers = re.fullmatch(r"[0-9]+([ .;/][0-9]+)+", value)
            commas = f" Type faces with commas: {re.sub('[ .;/]', ',', value)}" if numbers else ""
            self.fail(error.sentence + commas, param, ctx)


class Completed(click.ParamType[str]):
    """A word that the campaign can complete."""

    name = "text"

    def __init__(self, name: str, complete: "Callable[[Book, click.Context], list[str]]") -> None:
        self.name = name
        self.complete = complete

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        """The names that begin with the word; none without a campaign."""
        from click.shell_completion import CompletionItem  # only a completion needs it

        try:
            with Invocation(file=ctx.find_root().params.get("file")).book() as book:
                names = self.complete(book, ctx)
        except LedgerError:
            return []
        return [CompletionItem(name) for name in map(escaped, names) if name.startswith(incomplete)]


def _cast(book: "Book", ctx: click.Context) -> list[str]:
    return book.cast()


def _scores(book: "Book", ctx: click.Context, end: str = "") -> list[str]:
    return [full.partition("/")[2] + end for full in _full_names(book, ctx)]


def _full_names(book: "Book", ctx: click.Context) -> list[str]:
    who, names = _sheet(ctx), Names(book)
    return [] if who is None else names.known_scores(names.character(who))


def _sheet(ctx: click.Context, whose: str = "who") -> str | None:
    """Whose sheet is meant, as typed so far."""
    from ledger.events.subjects import CAMPAIGN  # only a completion needs it

    if whose == CAMPAIGN:
        return CAMPAIGN
    who: str | None = ctx.params.get(whose) or (next(iter(ctx.args), None) if whose == "who" else None)
    return who


WHO = Completed("WHO", _cast)
SCORE = Completed("SCORE", _scores)
SCORE_CHANGE = Completed("SCORE=±N", partial(_scores, end="="))
SCORE_CLAIMED = Completed("SCORE=N", partial(_scores, end="="))


def named_on_sheet(field: Field, game: str) -> Completed:
    """A type that completes an input with what a sheet of a game has in its families, such as `skill.`."""

    def complete(book: "Book", ctx: click.Context) -> list[str]:
        from ledger.rules.inputs import sheet_of, stems

        who, names = _sheet(ctx, sheet_of(field)), Names(book)
        there = [] if who is None else names.known(names.subject(who), field)
        begins = [f"{game}/{stem}" for stem in stems(field)]
        return [full.removeprefix(begin) for begin in begins for full in there if full.startswith(begin)]

    return Completed("NAME", complete)


def json_option(command: F) -> F:
    """Add `--json`."""
    return click.option("--json", "json_", is_flag=True, help="One JSON object a line.")(command)


def looks(command: F) -> F:
    """Add `--at`, `--corrected` and `--json`, which every view takes."""
    command = click.option("--corrected", is_flag=True, help="As corrected since, not as known then.")(command)
    command = click.option("--at", metavar="POINT", help="As of an entry, session:N, day:N or a date.")(command)
    return json_option(command)


def writes(command: F) -> F:
    """Add `write_options`."""
    for option in reversed(write_options()):
        _add(command, option)
    return command


def write_options() -> list[click.Option]:
    """The options of every command that writes."""
    return [
        click.Option(["--once"], metavar="ID", help="Write only once under this id."),
        click.Option(["--dry-run", "dry"], is_flag=True, help="Refuse or show, and write nothing."),
        click.Option(["--json", "json_"], is_flag=True, help="The entries written, one JSON object a line."),
        click.Option(["--fork"], is_flag=True, help="Write though another history is known here; the book says so."),
        click.Option(["-v", "--verbose", "more"], count=True, help="The working too."),
    ]


def faces_option(says: str = "The dice that you rolled, in order; else the computer rolls.") -> click.Option:
    """The option for dice typed in."""
    return click.Option(["--faces"], type=Faces(), help=says)


def new_option() -> click.Option:
    """The option for a name that is near one on the sheet, and is meant all the same."""
    return click.Option(["--new"], is_flag=True, help="A new name is meant, though it is near one on the sheet.")


def seal_options() -> list[click.Option]:
    """The options that seal a roll."""
    return [
        click.Option(["--seal"], is_flag=True, help="Keep the roll closed; nothing of it counts until 'reveal'."),
        click.Option(["--until"], metavar="WHEN", help="When it is to be revealed: session-end, or a date."),
        click.Option(["--unseen"], is_flag=True, help="Let the chronicle not tell that it was made."),
    ]


def names_new(command: F) -> F:
    """Add `new_option`."""
    _add(command, new_option())
    return command


def _add(command: Any, option: click.Option) -> None:
    if isinstance(command, click.Command):
        command.params.append(option)
    else:
        command.__click_params__ = [*getattr(command, "__click_params__", []), option]
