"""Prompt: the command that keeps a prompt open."""

import click

from cli.context import Invocation
from cli.options import Verb, pass_invocation
from ledger.errors import BadInput


@click.command(cls=Verb, example="play", another="--by Ana play", near="status, undo, roll")
@pass_invocation
def play(invocation: Invocation) -> None:
    """Keep a prompt open: the same words without 'campaign', and shorter.

    'with mara' means mara from now on, '@jonas' names another, '= 7 3' types dice, and '; the reason' says why.
    'again' repeats the last line; 'c' is the main roll, 'u' undoes, 'w' says why, 'v' shows the working, '?' how things
    stand. Ctrl-D ends.
    """
    if invocation.at_prompt:
        raise BadInput("The prompt is open already.")
    from cli.prompt import run  # only the prompt needs it

    run(invocation)
