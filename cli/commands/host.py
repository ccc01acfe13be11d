"""The commands for a person who hosts the campaigns of others in one database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.command_types import CommandGroup, pass_invocation, verb
from cli.context import Invocation, Output
from cli.options import row_options
from cli.param_types import WholeNumber
from cli.render import terminal
from ledger.errors import BadInput, Run, entry_count
from ledger.hints import install_hint
from ledger.values import Within

if TYPE_CHECKING:
    from ledger.journal.records import CampaignHead, CampaignUse
    from ledger.journal.storage import Club

LIMIT = WholeNumber(Within(0, 10**9), {"none": 0})
"""The type of a limit. 0 and `none` remove the limit."""


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
    """Manage the campaigns of a PostgreSQL database: list, create, limit, export, move or end them.

    Name the database with -f or CAMPAIGN_FILE, such as postgresql://host/club. Leave out the campaign in the address.
    """
    if ctx.invoked_subcommand is not None:
        return
    campaigns = _club(invocation).campaigns()
    rows = [
        {
            "name": each.name,
            "entries": each.head,
            **{f"{name}_limit": most for name, most in each.limits._asdict().items()},
        }
        for each in campaigns
    ]
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

    _run(ctx, init, invocation.replace(file=_club(invocation).address(name)), "--gm", gm, "--", title)


@verb("host limit salt-road --entries 20000 --writes 120", "host limit salt-road --writes none", "host", group=host)
@click.argument("name")
@click.option("--entries", type=LIMIT, help="The maximum number of entries. Corrections may use some more.")
@click.option("--writes", type=LIMIT, help="The maximum number of writes a minute.")
@click.option("--streams", type=LIMIT, help="The maximum number of open pages at each server.")
def host_limit(invocation: Invocation, name: str, entries: int | None, writes: int | None, streams: int | None) -> None:
    """Set limits for a campaign. Without options, show its limits and how much of them it uses.

    `none` removes a limit. A server reads the limit of open pages only when it opens the campaign.
    """
    club = _club(invocation)
    typed = {"entries": entries, "writes": writes, "streams": streams}
    changes = {limit: most or None for limit, most in typed.items() if most is not None}
    if changes:
        club.limit(name, changes)
    _show_use(club.use(name))


def _show_use(use: CampaignUse) -> None:
    limits = use.limits
    terminal.say(f"Entries: {use.head:,}{', no limit' if limits.entries is None else f' of {limits.entries:,}'}")
    terminal.say(f"Writes a minute: {'no limit' if limits.writes is None else f'{use.writes:,} of {limits.writes:,}'}")
    terminal.say(
        f"Open pages at each server: {'no limit' if limits.streams is None else f'at most {limits.streams:,}'}"
    )


@verb("host export salt-road", "host export salt-road road-players --for players", "host, export", group=host)
@click.argument("name")
@click.argument("folder", metavar="[PATH]", required=False)
@click.option("--for", "whom", metavar="players|NAME", help="Leave out the secrets that these players cannot read.")
@click.pass_context
def host_export(ctx: click.Context, invocation: Invocation, name: str, folder: str | None, whom: str | None) -> None:
    """Export a campaign as plain files in a new folder. For other formats, use `export`."""
    from cli.commands.archive import export

    words = [*(["--for", whom] if whom is not None else []), "--", *([folder] if folder is not None else [])]
    _run(ctx, export, invocation.replace(file=_club(invocation).address(name)), *words)


@verb(
    "host move salt-road salt-road.campaign",
    "host move salt-road salt-road.campaign --dry-run",
    "host, move",
    group=host,
)
@click.argument("name")
@click.argument("target", metavar="TO")
@click.option("--dry-run", "dry", is_flag=True, help="Check the campaign and the new address, and write nothing.")
@click.pass_context
def host_move(ctx: click.Context, invocation: Invocation, name: str, target: str, dry: bool) -> None:
    """Move a campaign to another address, such as a file or another database, as `move` does."""
    from cli.commands.archive import move

    words = [*(["--dry-run"] if dry else []), "--", _club(invocation).address(name), target]
    _run(ctx, move, invocation, *words)


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


def _run(ctx: click.Context, command: click.Command, invocation: Invocation, *words: str) -> None:
    """Run another command, as if somebody had typed it."""
    with command.make_context(command.name, [*words], parent=ctx.find_root(), obj=invocation) as below:
        command.invoke(below)


def _club(invocation: Invocation) -> Club:
    from ledger.journal.store import club_for

    address = invocation.named_file()
    if address is None:
        raise BadInput("Which database?", "Name the database with -f, such as -f postgresql://host/club")
    return club_for(address)
