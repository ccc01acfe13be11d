"""The commands for a person who hosts the campaigns of others in one database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.command_types import CommandGroup, pass_invocation, verb
from cli.context import Invocation, Output
from cli.options import row_options
from cli.render import terminal
from ledger.errors import BadInput, Run, entry_count
from ledger.hints import install_hint

if TYPE_CHECKING:
    from ledger.journal.records import CampaignHead
    from ledger.journal.storage import Club


@click.group(
    cls=CommandGroup,
    invoke_without_command=True,
    example="host",
    another="host create salt-road 'The salt road' --gm Tom",
    similar="init, move, export",
)
@row_options
@pass_invocation
@click.pass_context
def host(ctx: click.Context, invocation: Invocation, output: Output) -> None:
    """List the campaigns of a PostgreSQL database, create campaigns, or end them.

    Name the database with -f or CAMPAIGN_FILE, such as postgresql://host/club. Leave out the campaign in the address.
    """
    if ctx.invoked_subcommand is not None:
        return
    campaigns = _club(invocation).campaigns()
    rows = [{"name": each.name, "entries": each.head} for each in campaigns]
    output.show(rows, lambda: _show(campaigns), "Campaigns", key=("name",))


def _show(campaigns: list[CampaignHead]) -> None:
    for each in campaigns:
        terminal.say(f"{each.name}: {entry_count(each.head)}")
    if not campaigns:
        terminal.aside(f"There are no campaigns. To create one: {Run('host create', 'NAME', 'TITLE')}")


@verb(
    "host create salt-road 'The salt road' --gm Tom", "host create deep-mine 'The deep mine'", "host, init", group=host
)
@click.argument("name")
@click.argument("title")
@click.option("--gm", metavar="NAME", default="GM", help="The name of the GM. [default: GM]")
@click.pass_context
def host_create(ctx: click.Context, invocation: Invocation, name: str, title: str, gm: str) -> None:
    """Create a campaign in the database. NAME is the campaign's name in its address.

    The private key of the campaign stays outside the database. See CAMPAIGN_KEYS in the guide.
    """
    from cli.commands.maintenance import init

    words = ["--gm", gm, "--", title]
    own = invocation.replace(file=_club(invocation).address(name))
    with init.make_context("init", words, parent=ctx.find_root(), obj=own) as below:
        init.invoke(below)


@verb(
    "host invite salt-road --at https://club.example.org",
    "host invite deep-mine --at http://127.0.0.1:8000",
    "host, serve",
    group=host,
)
@click.argument("name")
@click.option("--at", metavar="URL", required=True, help="The address at which people reach the servers of the page.")
def host_invite(invocation: Invocation, name: str, at: str) -> None:
    """Make a link with which the GM of a campaign logs in on the page of 'campaign serve --store'.

    The link works once, within 24 hours. On the page, the GM invites the players.
    """
    try:
        from web.serve import invite_gm  # optional, and few commands need it
    except ImportError as missing:
        raise BadInput(f"The page needs {missing.name}, which is not installed here.", install_hint()) from None
    own = invocation.replace(file=_club(invocation).address(name))
    with own.snapshot() as book:
        link = invite_gm(book, own.path(), own.home(), at, name, int(own.now().timestamp()))
    with terminal.done_even_if_unprinted("The invitation was made", "Invite again to get another link."):
        terminal.say(link)


@verb("host end salt-road", "host end salt-road --yes", "host, export, backup", group=host)
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def host_end(invocation: Invocation, name: str, yes: bool) -> None:
    """End a campaign. Everybody can still read, check and export it, but nobody can change it again."""
    club = _club(invocation)
    entries = club.head(name)
    question = f"End {name} ({entry_count(entries)})? Nobody can change it after that."
    if not yes and not terminal.ask_to_confirm(question, "To end the campaign, add --yes."):
        return
    club.end(name)
    terminal.say(f"{name} has ended. Everybody can still read and export it.")


def _club(invocation: Invocation) -> Club:
    from ledger.journal.store import club_for

    address = invocation.named_file()
    if address is None:
        raise BadInput("Which database?", "Name the database with -f, such as -f postgresql://host/club")
    return club_for(address)
