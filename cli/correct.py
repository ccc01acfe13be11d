"""Correct: nothing is taken back; a correction is a new entry."""

from typing import Any

import click

from cli.desk import Desk
from cli.moves import put
from cli.verb import Verb, pass_desk, writes


@click.command(cls=Verb, example="undo")
@writes
@pass_desk
def undo(at_desk: Desk, **flags: Any) -> None:
    """Strike the last standing action, with its dice, costs and all that followed."""
    from ledger.corrections import Undo  # help decides nothing

    with at_desk.book() as book:
        put(at_desk, book, Undo(), flags)
