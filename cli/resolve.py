"""Resolve: names as people type them at a terminal; where several could be meant, they are asked."""

from collections.abc import Sequence

import click

from cli.render import terminal
from ledger.reading.names import Names


class AskedNames(Names):
    """The names of a campaign, with somebody at the terminal who can say which one is meant."""

    def which(self, typed: str, found: Sequence[str]) -> str:
        """Ask; refuses (`AmbiguousName`) where there is no terminal to ask on, and never guesses."""
        if not terminal.asks():
            return super().which(typed, found)
        answer: str = click.prompt(f"Which one is {typed!r}", type=click.Choice(list(found)), err=True)
        return answer
