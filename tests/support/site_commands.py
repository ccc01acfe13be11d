"""The reference of all commands, moves and flags, made from their help texts."""

from collections.abc import Iterator
from inspect import cleandoc

import click

from cli.command_types import CommandWithHelp
from cli.main import UNWRAPPED_WIDTH, campaign
from cli.sections import SECTIONS
from ledger.systems import BUILT_IN_GAMES

HEAD = """# Command reference

This page lists every command, and every move of a game, with its flags. It leaves out the flags that most commands have, such as `--json`:
`campaign -v COMMAND --help` shows all flags. The page is made from the help texts.
"""
ON_MOST_COMMANDS = 2
"""The rank of a flag that most commands have."""


def page() -> str:
    """The whole page."""
    lines, root = [HEAD], click.Context(campaign, info_name="campaign", terminal_width=UNWRAPPED_WIDTH)
    for title, names in {"Games": BUILT_IN_GAMES, **SECTIONS}.items():
        lines.append(f"## {title}\n")
        for name in names:
            lines += described(campaign, name, root, "###")
    return "\n".join(lines)


def described(group: click.Group, name: str, parent: click.Context, heading: str) -> Iterator[str]:
    """A command, and the commands below it."""
    command = group.get_command(parent, name)
    assert isinstance(command, CommandWithHelp)
    context = click.Context(command, parent=parent, info_name=name, terminal_width=parent.terminal_width)
    yield f"{heading} `{context.command_path}`\n"
    yield f"{cleandoc(command.help or '')}\n"
    yield f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```\n"
    rows = () if isinstance(command, click.Group) else command.rows(context)
    yield from (f"- `{flag}`: {text}" for flag, text, rank in rows if rank < ON_MOST_COMMANDS)
    yield ""
    yield from ("```console", *(f"$ campaign {example}" for example in command.examples), "```\n")
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            yield from described(command, below, context, f"{heading}#")
