"""The command that serves the web page to everybody at the table."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from cli.command_types import verb
from cli.context import Invocation
from cli.evidence import can_sign, sign_head
from cli.param_types import WholeNumber
from cli.render import terminal
from ledger.errors import BadInput, LacksNeededOption
from ledger.hints import install_hint
from ledger.values import Within

PORTS = Within(0, 65535)


@verb("serve", "serve --lan --tls", "play, status, export")
@click.option(
    "--port", type=WholeNumber(PORTS), default=8000, help="The port number. 0 picks a free port. [default: 8000]"
)
@click.option("--lan", is_flag=True, help="Open the page to everybody on the same network.")
@click.option("--name", metavar="HOST", help="This computer's name on the network, such as table.local.")
@click.option("--tls", is_flag=True, help="Make the connection private, with a certificate that the program makes.")
@click.option("--tls-cert", metavar="FILE", help="Make the connection private, with a certificate of your own.")
@click.option("--tls-key", metavar="FILE", help="The certificate's key, if it is in a separate file.")
@click.option(
    "--behind",
    metavar="URL",
    help="The page's public address, if visitors reach it through another web server on this computer (a proxy).",
)
@click.option("--store", metavar="ADDRESS", help="Open the pages of all campaigns in this PostgreSQL database.")
@click.option("--log", metavar="FILE", help="The file for the page's log (default: print the log in the terminal).")
def serve(invocation: Invocation, store: str | None, **options: Any) -> None:
    """Open a web page for the table. Everybody can play from a phone, and sees new entries at once.

    The command prints a link for the GM. On the page, the GM invites the players. Ctrl-C closes the page.
    """
    typed = {name for name, value in options.items() if value not in {None, False}}
    if "tls_key" in typed and "tls_cert" not in typed:
        raise LacksNeededOption("--tls-key", other="--tls-cert")
    if {"tls", "tls_cert"} <= typed:
        raise BadInput("--tls cannot be combined with --tls-cert.", "Leave out --tls to use your own certificate.")
    if "behind" in typed and typed & {"lan", "name", "tls", "tls_cert"}:
        raise BadInput(
            "--behind cannot be combined with --lan, --name, --tls or --tls-cert.",
            "Set the address, the name and the encryption in the proxy (the web server that visitors reach first).",
        )
    if "name" in typed and "lan" not in typed:
        raise LacksNeededOption("--name", other="--lan")
    try:
        from web import serve as page  # optional, and no other command needs it
    except ImportError as missing:
        raise BadInput(f"The page needs {missing.name}, which is not installed here.", install_hint()) from None
    outside = {"clock": invocation.clock, "chance": invocation.chance, "salts": invocation.salts}
    given: dict[str, Any] = {name: value for name, value in outside.items() if value is not None}

    def signing(file: str) -> dict[str, Any]:
        own = invocation.replace(file=file)
        return {"sign": partial(sign_head, own), "can_sign": partial(can_sign, own)}

    kind = page.serve if store is None else page.serve_club
    kind(store or invocation.path(), invocation.home(), page.ServerOptions(**options), terminal.say, signing, **given)
