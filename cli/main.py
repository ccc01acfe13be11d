"""The root command, which finds the typed command and turns each error into an exit code."""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from itertools import pairwise, takewhile
from os import environ
from typing import TYPE_CHECKING, Any, NoReturn

import click

from cli.command_types import MANUAL_KEY, CommandGroup, spell_out_symbols
from cli.context import Invocation
from cli.render import terminal
from cli.render.help import WIDEST_PAGE, rows_of, wrap_indented
from cli.render.layout import ENCODING_HANDLER
from cli.sections import PROMPT_COMMANDS, SECTIONS
from cli.short_words import (
    DICE_SIGN,
    HELP,
    NEVER_SHORTENED,
    check_no_password,
    has_password,
    is_amount,
    positional_words,
)
from cli.typed_dice import subtracts_dice
from ledger import errors
from ledger.systems import BUILT_IN_GAMES

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

UNFORESEEN_EXIT, NOT_SHOWN_EXIT = 1, 4
EXIT_CODES: Sequence[tuple[type[errors.LedgerError], int]] = (
    (errors.BadInput, 2),
    (errors.Refused, 3),
    (errors.WriteFailed, 4),
    (errors.NotShown, NOT_SHOWN_EXIT),
    (errors.Unreadable, 5),
    (errors.NotWhole, 6),
    (errors.Contradiction, 6),
    (errors.Malformed, 2),
    (errors.Unproven, 7),
    (errors.Findings, 7),
    (errors.Broken, UNFORESEEN_EXIT),
)
PIPE_CLOSED = 141
click.decorators.__dict__["_"] = str  # skip translation, which would load `locale` at every start

USAGE = "Usage: campaign [OPTIONS] COMMAND …"
MORE_HELP = (
    "For more: 'campaign COMMAND --help', or 'campaign -v COMMAND --help' for all its flags. -f, --by and -v may also"
    " follow the command. 'campaign help COMMAND --man' prints a manual page."
)

UNWRAPPED_WIDTH = 10_000
"""The terminal width given to click, so that it does not wrap usage lines. `cli.render.help` wraps them."""

OPTIONS_AFTER_COMMAND_KEY = "cli.after"
"""The key of a list in `Context.meta`: a (flag, value) pair for each `--file` or `--by` that follows the command."""

ONCE_KEY = "cli.once"
"""The key in `Context.meta` for the id (`--once`) that was typed after the command."""

MANUAL_FLAG = "--man"
"""The flag of `help` for a manual page."""

ALL_WORDS_KEY = "cli.all_words"
"""The key in `Context.meta` for all typed words. They are checked for passwords before any message can repeat them."""

READ_AS_KEY = "cli.read_as"
"""The key in `Context.meta` for a shortened command at the prompt: the typed word and the command's name."""


class CampaignGroup(CommandGroup):
    """The root group. Each command is imported only when it is used. The help lists the commands by section."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words. A line that starts with an amount, like `-1 edge`, is parsed as the command `adjust`.

        A line that starts with subtracted dice, like `-d6+20`, is parsed as the command `roll`. `help` alone means
        `--help`. `help` with `--man` shows a manual page.
        """
        ctx.meta[ALL_WORDS_KEY] = args
        if any(map(has_password, args)):
            return super().parse_args(ctx, [])  # `invoke` refuses the line
        if MANUAL_FLAG in args and not ctx.resilient_parsing and positional_words(self, args)[:1] == [HELP]:
            ctx.meta[MANUAL_KEY] = True
            args = [word for word in args if word != MANUAL_FLAG]
        if HELP in args and not ctx.resilient_parsing and positional_words(self, args) == [HELP]:
            args = [*(word for word in args if word != HELP), "--help"]
        if args and is_amount(args[0]):
            args = ["adjust", *args]
        elif args and subtracts_dice(args[0]):
            args = ["roll", *args]
        if args[:1] == ["-f"] and len(args) > 1:
            args = ["--file", *args[1:]]  # faster: for a short option, click first searches the long ones
        rest = super().parse_args(ctx, args)
        _read_after_command(ctx)
        return rest

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands, options and `help` that start with the typed letters."""
        from click.shell_completion import CompletionItem  # only a completion needs it

        helps = [CompletionItem(HELP, help="Show the help of a command.")] if HELP.startswith(incomplete) else []
        return [*super().shell_complete(ctx, incomplete), *helps]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all games and commands, for completion."""
        return [*BUILT_IN_GAMES, *(name for section in SECTIONS.values() for name in section)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command or the game (a group of its moves) with this name, else `None`."""
        for section in (*SECTIONS.values(), PROMPT_COMMANDS):
            if cmd_name in section:
                module, _, name = section[cmd_name][0].partition(":")
                command: click.Command = getattr(import_module(f"cli.commands.{module}"), name)
                return command
        from ledger import systems  # needed only for a name that is not a built-in command

        if not systems.is_installed(cmd_name):
            return None
        from cli.commands.moves import Game  # only a game needs it

        return Game(systems.find(cmd_name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a line. If the line starts with a move, dice or a change, first insert a command.

        `help roll` means `roll --help`.
        """
        if args == [HELP]:  # the shell completes the name of a command
            return None, None, []
        if args[0] == HELP:
            args = args[1:] if ctx.resilient_parsing else [*args[1:], "--help"]
        known = ctx.resilient_parsing or self.get_command(ctx, args[0])
        if args[0] in BUILT_IN_GAMES and args[1:2] and args[1].startswith(DICE_SIGN):
            args = ["adjust", *args]  # a score with the same name as a game: edge = 2
        elif known is None:
            from cli.shorthand import expand_first_word  # rarely needed: most lines start with a command

            args = expand_first_word(_invocation(ctx), args, ctx)
        begun = {command for command in self.list_commands(ctx) if command.startswith(args[0])}
        if known is None and begun and begun <= NEVER_SHORTENED:
            _check_no_move(ctx, args[0])
        name, command, rest = super().resolve_command(ctx, [*args])
        if name and name != args[0] and not ctx.resilient_parsing and _invocation(ctx).at_prompt:
            ctx.meta[READ_AS_KEY] = args[0], name
        return name, command, rest

    def suggestions(self, ctx: click.Context, typed: str) -> list[str]:
        """Suggest commands, as the base class does. At the prompt, also suggest moves, rolls and characters."""
        invocation = _invocation(ctx)
        if not invocation.at_prompt:
            return super().suggestions(ctx, typed)
        from cli.shorthand import likely_words  # only a wrong word needs it
        from ledger.reading.similar import suggestions

        commands = {name: name for name in self.list_commands(ctx)}
        with invocation.book() as book:
            return suggestions(typed, {**likely_words(invocation), **commands}, book.cast())

    def get_help(self, ctx: click.Context) -> str:
        """Return the help with all sections, or the manual page."""
        if ctx.meta.get(MANUAL_KEY):
            return self.manual(ctx)
        width = min(terminal.width(), WIDEST_PAGE)
        lines = [USAGE, "", *wrap_indented(f"  {self.help}", width, 2)]
        for title, rows in self.manual_lists(ctx).items():
            shown = [(spell_out_symbols(name), spell_out_symbols(text)) for name, text in rows]
            lines += ["", f"{title}:", *rows_of(shown, width)]
        return spell_out_symbols("\n".join([*lines, "", *wrap_indented(MORE_HELP, width, 2)]))

    def get_usage(self, ctx: click.Context) -> str:
        """Return the usage line."""
        return USAGE

    def manual_text(self) -> str:
        """Return the help text, and how to show more help."""
        return f"{self.help}\n\n{MORE_HELP}"

    def manual_lists(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Map the title of each section to its commands. Of the games, only the built-in ones are listed."""
        options = [record for param in self.get_params(ctx) if (record := param.get_help_record(ctx)) is not None]
        games = [(f"{name} MOVE WHO …", line) for name, line in BUILT_IN_GAMES.items()]
        commands = {
            title: [*(games if title == "Play" else ()), *((name, line) for name, (_, line) in section.items())]
            for title, section in SECTIONS.items()
        }
        return {"Options": options, **commands}

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line, and end the program with an exit code. Handle errors that `invoke` does not see, too.

        Such an error may come from a help page.
        """
        try:
            code = super().main(*args, **{**kwargs, "standalone_mode": False})
        except click.ClickException as wrong:
            at = kwargs.get("obj")
            if type(wrong) is click.UsageError and wrong.ctx is not None:
                wrong = click.UsageError(f"{wrong.message}{_reading_note(wrong.ctx)}", wrong.ctx)
            terminal.print_input_error(wrong, without_usage=isinstance(at, Invocation) and at.at_prompt)
            sys.exit(wrong.exit_code)
        except terminal.TypedInstead:
            raise
        except click.Abort:
            terminal.aside("Interrupted.")
            sys.exit(terminal.INTERRUPTED)
        except OSError as error:
            if error.filename is not None:
                raise
            terminal.redirect_to_null(sys.stdout)
            terminal.print_error(errors.NotShown(str(error.strerror)))
            sys.exit(NOT_SHOWN_EXIT)
        sys.exit(code if isinstance(code, int) else 0)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Create the context. If the help page goes to a closed pipe, exit with `PIPE_CLOSED`."""
        try:
            return super().make_context(*args, **kwargs)
        except BrokenPipeError:  # click would exit with 1, which means a bug here
            terminal.redirect_to_null(sys.stdout)
            raise click.exceptions.Exit(PIPE_CLOSED) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. Each error is shown as a sentence and becomes an exit code; only `-vv` shows a traceback."""
        try:
            check_no_password(ctx.meta[ALL_WORDS_KEY])
            return super().invoke(ctx)
        except (errors.PipeClosed, BrokenPipeError):
            terminal.redirect_to_null(sys.stdout)
            ctx.exit(PIPE_CLOSED)
        except errors.LedgerError as error:
            _explain_option_in_text(ctx, error)
            code = next(code for kind, code in EXIT_CODES if isinstance(error, kind))
            if _verbose(ctx):
                raise
            _exit_with_error(ctx, error, code)
        except terminal.TypedInstead:
            raise
        except (KeyboardInterrupt, click.Abort):
            terminal.aside("Interrupted.")
            ctx.exit(terminal.INTERRUPTED)
        except (click.ClickException, click.exceptions.Exit):
            raise
        except Exception as bug:
            if _verbose(ctx) or (isinstance(bug, OSError) and bug.filename is None):
                raise
            sentence = f"The program has a bug ({type(bug).__name__}: {bug})."
            hint = (
                f"Check the file with {errors.Run('verify')}. Then repeat the command with -vv, and report its output."
            )
            _exit_with_error(ctx, errors.LedgerError(sentence, hint), UNFORESEEN_EXIT)


def _check_no_move(ctx: click.Context, word: str) -> None:
    """Raise `UsageError` if a word is a game's move. Without this check, the error for `rest` would name `restore`."""
    from ledger import systems  # most lines start with a command

    games = [name for name in systems.names() if word in systems.find(name).playable()]
    if games:
        moves = " or ".join(f"{name} {word}" for name in games)
        raise click.UsageError(f"No such command {word!r}. It is a move of a game: {moves}.", ctx)


def _read_after_command(ctx: click.Context) -> None:
    """Apply `-f FILE`, `-v` and `--once ID` typed after the command. Raise `UsageError` if `-f` was given twice."""
    words = [*takewhile(lambda word: word != "--", ctx.args)]
    ctx.meta[OPTIONS_AFTER_COMMAND_KEY] = [pair for pair in pairwise(words) if pair[0] in {"-f", "--file", "--by"}]
    files = [value for flag, value in pairwise(words) if flag in {"-f", "--file"}]
    files += [word.removeprefix("--file=") for word in words if word.startswith("--file=")]
    if len(files) + (ctx.params["file"] is not None) > 1:
        raise click.UsageError("Option '-f' was given twice.", ctx)
    ctx.params["file"] = next(iter(files), ctx.params["file"])
    parts = [word.split("=", 1) if "=" in word else [word, after] for word, after in pairwise([*words, ""])]
    # A repeated command uses the names of the first time, so the id must be known before names are looked up.
    ids = {flag: id_ for flag, id_ in parts if "--once".startswith(flag) and len(flag) > len("--")}
    ctx.meta[ONCE_KEY] = (
        ids[max(ids, key=len)] if ids else None
    )  # the longest, because a game may have a flag like --on
    ctx.params["verbose"] += sum({"-v": 1, "--verbose": 1, "-vv": 2}.get(word, 0) for word in words)


def _explain_option_in_text(ctx: click.Context, error: errors.LedgerError) -> None:
    """Add a hint to an error that was caused by `-f` or `--by` after the command.

    The flag may have been meant as a part of a text. The hint says that such a text needs quotes.
    """
    for flag, value in ctx.meta.get(OPTIONS_AFTER_COMMAND_KEY, ()):
        caused = isinstance(error, errors.Nobody) if flag == "--by" else isinstance(error, errors.NoCampaign)
        if caused and value in error.sentence:
            check = error.hint if isinstance(error, errors.Nobody) else f"Check the name after {flag}."
            error.hint = f"{check} If {flag} belongs to your text, put quotes around the text."


def _reading_note(ctx: click.Context) -> str:
    """Return a note on how a shortened command was read; "" if no note is needed.

    A note is needed if the typed word may also mean a character or a player.
    """
    typed, name = ctx.meta.get(READ_AS_KEY, ("", ""))
    if not typed:
        return ""
    if typed == "by":
        return f" {typed!r} was read as the command {name!r}. To type for a player, start the line with --by NAME."
    with suppress(errors.LedgerError), _invocation(ctx.find_root()).book() as book:
        who = next((who for who in book.cast() if who.startswith(typed)), None)
        if who is not None:
            return f" {typed!r} was read as the command {name!r}. For {who}, start the line with @{who}."
    return ""


def _exit_with_error(ctx: click.Context, error: errors.LedgerError, code: int) -> NoReturn:
    error.sentence += _reading_note(ctx)
    terminal.print_error(error)
    ctx.exit(code)


def _verbose(ctx: click.Context) -> bool:
    return isinstance(ctx.obj, Invocation) and ctx.obj.verbose > 1


def _invocation(ctx: click.Context) -> Invocation:
    base = ctx.obj if isinstance(ctx.obj, Invocation) else Invocation()
    given = {name: ctx.params[name] for name in ("file", "by") if ctx.params[name] is not None}
    return base.replace(**given, verbose=ctx.params["verbose"] or base.verbose, once=ctx.meta.get(ONCE_KEY))


def _color(ctx: click.Context, param: click.Parameter, value: str) -> str:
    ctx.color = {"always": True, "never": False}.get(value, False if environ.get("NO_COLOR") else None)
    return value


def _show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        from cli.version import version_line  # rarely needed

        terminal.say(version_line())
        ctx.exit()


@click.group(
    cls=CampaignGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "terminal_width": UNWRAPPED_WIDTH},
)
@click.option(
    "-f",
    "--file",
    metavar="FILE",
    help="The campaign's file (default: the one in this folder or the nearest parent folder).",
)
@click.option("--by", metavar="NAME", help="Who is typing (default: the GM).")
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    callback=_color,
    expose_value=False,
    help="When to use color (auto: only on a terminal).",
)
@click.option(
    "-v", "--verbose", count=True, help="Also show the calculation; -vv adds technical details for bug reports."
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    callback=_show_version,
    expose_value=False,
    help="Show the version and exit.",
)
@click.pass_context
def campaign(ctx: click.Context, file: str | None, by: str | None, verbose: int) -> None:
    """Keep the record book of a tabletop campaign: every roll, and where every number came from."""
    ctx.obj = _invocation(ctx)
    if ctx.invoked_subcommand is None:
        from cli.commands.dashboard import print_dashboard  # rarely needed: most lines name a command

        print_dashboard(ctx.obj)


def main() -> None:
    """Run the command line. If the output cannot encode a character, print a known replacement or an escape."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # not closed by the caller
            stream.reconfigure(errors=ENCODING_HANDLER)  # type: ignore[union-attr]  # both are text streams here
    click.termui.visible_prompt_func = terminal.read_line
    atexit.register(gc.freeze)  # skip the final garbage collection
    campaign(prog_name="campaign")
