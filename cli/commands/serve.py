"""Serve: the table's page, in the browsers of everybody at it."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from cli.context import Invocation
from cli.evidence import sign_head
from cli.inputs import WholeNumber
from cli.options import Verb, pass_invocation
from cli.render import terminal
from ledger.errors import BadInput, Refused, Together
from ledger.values import Within

PORTS = Within(0, 65535)


@click.command(cls=Verb, example="serve", another="serve --lan --tls-cert table.pem", near="play, status, export")
@click.option("--port", type=WholeNumber(PORTS), default=8000, help="The port; 0 takes a free one. [default: 8000]")
@click.option("--lan", is_flag=True, help="For everybody on the same network, not this computer alone.")
@click.option("--name", metavar="HOST", help="The name by which phones reach this computer, such as table.local.")
@click.option("--tls-cert", metavar="FILE", help="A certificate, so that nobody else reads along.")
@click.option("--tls-key", metavar="FILE", help="Its key, where that is a file of its own.")
@click.option("--behind", metavar="URL", help="The address of a proxy on this computer, where it is reached.")
@click.option("--log", metavar="FILE", help="Where the log is kept; else it goes to standard error.")
@pass_invocation
def serve(
    invocation: Invocation,
    port: int,
    lan: bool,
    name: str | None,
    tls_cert: str | None,
    tls_key: str | None,
    behind: str | None,
    log: str | None,
) -> None:
    """Open the table's page: everybody plays from a phone.

    All see what happens as it happens. It prints a link that lets the GM in; the GM's page makes the invitations.
    Ctrl-C closes it.
    """
    if tls_key is not None and tls_cert is None:
        raise Together("--tls-cert", "--tls-key")
    if behind is not None and (lan or name is not None or tls_cert is not None):
        raise BadInput("--behind goes without --lan, --name and --tls-cert: that is for the proxy.")
    if name is not None and not lan:
        raise Together("--lan", "--name")
    try:
        from web import serve as page  # no other command needs the web
    except ImportError as missing:
        if missing.name == "resource":  # Python has it on Linux, macOS and other Unix systems
            raise Refused("This system cannot serve the page. The program runs on Linux and macOS.") from None
        hint = "Install the program with its page. In its source folder, type: pip install '.[web]'"
        raise BadInput(f"The page needs {missing.name}, which is not installed here.", hint) from None
    outside = {"clock": invocation.clock, "chance": invocation.chance, "salts": invocation.salts}
    given: dict[str, Any] = {name: value for name, value in outside.items() if value is not None}
    how = page.Serving(port=port, lan=lan, name=name, certificate=tls_cert, key=tls_key, behind=behind, log=log)
    page.serve(invocation.path(), invocation.home(), how, terminal.say, sign=partial(sign_head, invocation), **given)
