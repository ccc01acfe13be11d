"""The command that makes an SQLite file of tables, for other programs to read."""

from __future__ import annotations

from os import path
from typing import TYPE_CHECKING

import click

from cli.command_types import verb
from cli.context import Invocation
from cli.options import json_option
from cli.render import terminal
from ledger.errors import BadInput, Refused, Run, entry_count
from ledger.journal.schema import CAMPAIGN_SUFFIX

if TYPE_CHECKING:
    from projections.exports.tables import TablesReport

TABLES_SUFFIX = "-tables.db"
"""The end of the default name of the file of tables."""

PLAYERS = "players"


@verb("tables --for players", "tables road-tables.db", "export, backup, log")
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--for", "whom", type=click.Choice([PLAYERS]), help="For players: leave out all secrets.")
@json_option
def tables(invocation: Invocation, file: str | None, whom: str | None, json_: bool) -> None:
    """Make an SQLite file of tables, to read with Datasette, sqlite-utils or any program for SQLite.

    The file has the log, sheets, score changes, dice and results. It does not change when you play: make it again to
    update it. Earlier tables with the same name are replaced. If you erase a text later, make the tables again.
    """
    from ledger.archive.export import keeps_secrets, lacks_secrets
    from ledger.journal.store import engine_for
    from projections.exports.tables import make_tables  # help needs none of it

    with invocation.book() as book:
        if whom is None:
            hint = f"For tables without secrets: {Run('tables', **{'for': 'players'})}"
            invocation.check_may_see_secrets(book, "make tables with secrets", hint)
        campaign = invocation.path()
        name = _default_name(campaign) if file is None else file
        if not path.basename(name):
            raise BadInput(f"{name!r} is not a file name.")
        if engine_for(campaign).owns(name):
            raise Refused(f"{name} is the campaign itself.", "Choose a different name.")
        with book.journal.reading(), terminal.progress(2 * book.head()) as count:
            for_players = whom is not None or lacks_secrets(book)
            if whom is None and keeps_secrets(book, players=False, reader=None):
                hint = f"For players, use: {Run('tables', **{'for': 'players'})}"
                secrets = "secret notes" if for_players else "the GM's secrets"
                terminal.aside(f"These tables contain {secrets}. {hint}")
            done = make_tables(book, name, players=whom is not None, progress=count)
    with terminal.done_even_if_unprinted(f"{name} was written"):
        _show_tables(done, name, players=for_players, json=json_)


def _default_name(campaign: str) -> str:
    """Return the default path of the tables: beside the campaign, or in this folder if the campaign is not a file."""
    from ledger.journal.store import engine_for

    name = engine_for(campaign).name().removesuffix(CAMPAIGN_SUFFIX) + TABLES_SUFFIX
    beside = path.join(path.dirname(campaign), name) if path.isfile(campaign) else name
    relative = path.relpath(beside)
    return beside if relative.startswith(path.pardir) else relative


def _show_tables(done: TablesReport, name: str, *, players: bool, json: bool) -> None:
    if json:
        terminal.say_json([{"file": name, "for": PLAYERS if players else "gm", **done.__dict__}])
    else:
        terminal.say(f"{name} contains the tables of {entry_count(done.entries)}.")
        if players and done.secrets:
            terminal.say(f"The tables leave out the secrets of {entry_count(done.secrets)}.")
    terminal.aside(f"To look at the tables in a browser, type: datasette {name}")
