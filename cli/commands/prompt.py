"""The command that opens a prompt."""

from __future__ import annotations

import click

from cli.command_types import Verb
from cli.context import Invocation
from cli.param_types import Completed
from ledger.errors import BadInput


@click.command(cls=Verb, example="play", another="play --who mara", similar="status, undo, roll")
@click.option("--who", type=Completed("WHO", lambda book, ctx: book.cast()), help="The character to start with.")
@click.pass_context
def play(ctx: click.Context, who: str | None) -> None:
    """Open a prompt, where you can type commands in short form and without 'campaign'.

    'with mara' switches to mara. A line with '@jonas' is for jonas, and the next line is for mara again. '= 7 3' in a
    line enters your dice. '; text' says what the character attempts. 'again' repeats the last line. Five commands
    have a one-letter form: 'c' for the main roll, 'u' for undo, 'w' for why, 'v' to show an entry in full, and '?'
    for status. Ctrl-D closes the prompt.
    """
    invocation, group = ctx.find_object(Invocation) or Invocation(), ctx.find_root().command
    if invocation.at_prompt:
        raise BadInput("The prompt is open already.")
    from cli.prompt import run  # only the prompt needs it

    assert isinstance(group, click.Group)  # noqa: S101  the root is a group
    ctx.obj = invocation.replace(at_prompt=True, **({"who": who} if who else {}))
    run(ctx.obj, group)
