"""Options that commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from cli import short_words
from cli.context import Invocation
from cli.param_types import Faces, OneOf

F = TypeVar("F", bound=Callable[..., Any])

BY = "--by"

COMMON_OPTION_SIZES = {"-f": 2, "--file": 2, BY: 2, "-v": 1, "-vv": 1, "--verbose": 1}
"""The options that every command accepts, each with the number of words it takes: 2 if it has a value, else 1."""


def options_of_all(params: Sequence[click.Parameter]) -> list[click.Parameter]:
    """Return hidden options for `--by`, `-f` and `-v`, except those that are already in `params`.

    The root command has already read `-f` and `-v`, wherever they were typed.
    """
    taken = {flag for param in params for flag in param.opts}
    options = [
        click.Option([BY, "of_all_by"], expose_value=False, callback=store_author, hidden=True),
        click.Option(["-f", "--file", "of_all_file"], expose_value=False, callback=_check_file_was_read, hidden=True),
        click.Option(["-v", "--verbose", "of_all_verbose"], count=True, expose_value=False, hidden=True),
    ]
    return [option for option in options if taken.isdisjoint(option.opts)]


json_option = click.option("--json", "json_", is_flag=True, help="Print one JSON object per line.")
"""A decorator that adds `--json`."""


class Format(OneOf):
    """The name of a format, or its first letters."""

    def __init__(self) -> None:
        super().__init__(["json", "csv", "markdown", "html"])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Convert the typed start of a format's name to the full name. Raise `UsageError` for any other text."""
        full = ctx and short_words.full_name(str(value), self.choices, ctx)
        return super().convert(full or value, param, ctx)


def row_options(command: F) -> F:
    """Add the options for the format of rows to a command. The command receives them as one parameter, `output`."""
    options = (
        json_option,
        click.option("--bom", is_flag=True, help="Mark a CSV file as UTF-8, for Excel."),
        click.option(
            "--format",
            "format_",
            metavar="FORMAT",
            type=Format(),
            help="Print the rows as json, csv, markdown or html.",
        ),
    )
    for add in options:
        command = add(command)
    return command


def add_writing_options(command: F) -> F:
    """Add the options that every writing command has, such as `--by` and `--dry-run`."""
    command.__dict__.setdefault("__click_params__", []).extend(reversed(writing_options()))
    return command


def store_author(ctx: click.Context, param: click.Parameter, name: str | None) -> None:
    """Store the typed name of the player. Raise `UsageError` for `--by` both before and after the command."""
    if name is None or ctx.resilient_parsing:
        return
    if ctx.find_root().params.get("by") is not None or BY in ctx.meta:
        raise click.UsageError(f"Option {BY!r} was given twice.", ctx)
    if isinstance(ctx.command, click.Group):
        ctx.meta[BY] = name  # subcommands share this dictionary
    ctx.obj = (ctx.find_object(Invocation) or Invocation()).replace(by=name)


def _check_file_was_read(ctx: click.Context, param: click.Parameter, file: str | None) -> None:
    """Raise `UsageError` for `-fFILE`: the root command reads only a file name that is a separate word."""
    if file is not None and file != ctx.find_root().params.get("file") and not ctx.resilient_parsing:
        raise click.UsageError(f"Leave a space after -f: -f {file.removeprefix('=')}", ctx)


def _once(ctx: click.Context, param: click.Parameter, once: str | None) -> str | None:
    """Store the id that the command itself finds after `--once`.

    The root command has already stored an id. This id may be wrong, because the root command does not know the flags
    of the command.
    """
    if not ctx.resilient_parsing:
        ctx.obj = (ctx.find_object(Invocation) or Invocation()).replace(once=once)
    return once


def writing_options() -> list[click.Option]:
    """Return the options of every command that writes."""
    return [
        click.Option(
            [BY], metavar="NAME", expose_value=False, callback=store_author, help="Who is typing (default: the GM)."
        ),
        click.Option(
            ["--once"],
            metavar="ID",
            callback=_once,
            help="Write nothing if a command with the same ID was already written.",
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
    """Return the option for typed dice, with the help text `says`.

    With `of_all`, the option takes the dice of several rolls, separated by `;`.
    """
    return click.Option(["--faces"], type=Faces(of_all=of_all), help=says)


def new_option() -> click.Option:
    """Return the option that accepts a new name even if it looks like a misspelled name from the sheet."""
    return click.Option(["--new"], is_flag=True, help="Add a new name, even if it looks misspelled.")


def seal_options() -> list[click.Option]:
    """Return the options that seal a roll, name the time of its reveal, and keep it out of the chronicle."""
    return [
        click.Option(
            ["--seal"], is_flag=True, help="Keep the result secret until you reveal it. Until then, it has no effect."
        ),
        click.Option(["--until"], metavar="WHEN", help="When to reveal a sealed roll: session-end, or a date."),
        click.Option(["--unseen"], is_flag=True, help="Leave a sealed roll out of the chronicle."),
    ]
