"""Serve: the server of one campaign."""

from __future__ import annotations

import socket
import ssl
import sys
from collections.abc import Callable
from contextlib import suppress
from os import path
from typing import Any, TextIO
from urllib.parse import urlsplit

import structlog
import uvicorn

from ledger.errors import BadInput, NotReadable, Refused, shortened
from ledger.reading.names import Names
from ledger.trust.home import Home
from ledger.values import Struct
from web.app import application
from web.campaign import Campaign
from web.doors import Doors
from web.guard import Log
from web.site import Site

HERE_ONLY = ("127.0.0.1", "localhost", "::1")
GM_LINK_LASTS = 3600
"""Seconds for which the link that the terminal shows lets the GM in."""

MOST_WAITING = 2048
"""So many connections wait until they are taken."""

SWITCH = 0.0005
"""Seconds after which a thread lets others compute; each statement of SQLite waits so long while streams are sent."""


class Serving(Struct):
    """How to serve: the port, for this computer or the local network, with which certificate, behind which address."""

    port: int = 8000
    lan: bool = False
    certificate: str | None = None
    key: str | None = None
    behind: str | None = None
    log: str | None = None


def serve(file: str, home: Home, how: Serving, say: Callable[[str], object], **outside: Any) -> None:
    """Serve a campaign until somebody stops it; `say` tells how to come in. Refuses (`Refused`) a taken port.

    `outside` may bring a clock, chance and salts.
    """
    behind = _named(how.behind) if how.behind else ""
    if how.certificate:
        _check_usable(how.certificate, how.key)
    campaign = Campaign(file, home, **outside)
    with campaign.look() as book:
        origin, gm = book.origin() or path.basename(campaign.file), Names(book).gm()
    # bound before anything is said, so that what is said is true
    with _bound("0.0.0.0" if how.lan else "127.0.0.1", how.port) as bound, LogTo(how.log) as log:  # noqa: S104  --lan
        port = bound.getsockname()[1]
        scheme = "https" if how.certificate else "http"
        hosts = [*HERE_ONLY, *(_lan_names() if how.lan else ())]
        addresses = [f"{scheme}://{name}:{port}" for name in (_lan_names()[-1:] if how.lan else HERE_ONLY[:1])]
        if how.behind:
            hosts.append(behind)
            addresses = [how.behind.rstrip("/")]
        doors = Doors(home.folder, origin)
        site = Site(campaign, doors, addresses=tuple(addresses), cookie=f"table-{port}", log=log)
        token = doors.invite("gm", gm, campaign.now(), lasts=GM_LINK_LASTS)
        own = how.behind.rstrip("/") if how.behind else f"{scheme}://{HERE_ONLY[0]}:{port}"
        say(f"The table is open at {addresses[0]}")
        say(f"You come in as the GM here, once: {own}/enter/{token}")
        if how.lan and not how.certificate:
            say(
                "Whoever is in the same Wi-Fi can read along, and take a player's place; "
                "with --tls-cert nobody can, and the GM may play from elsewhere too."
            )
        config = uvicorn.Config(
            application(site, hosts),
            log_config=None,
            access_log=False,
            proxy_headers=bool(how.behind),
            forwarded_allow_ips="127.0.0.1",
            ssl_certfile=how.certificate,
            ssl_keyfile=how.key,
            server_header=False,
            timeout_graceful_shutdown=3,
            timeout_keep_alive=30,
            lifespan="on",
        )
        sys.setswitchinterval(SWITCH)
        server = Server(config, site)
        with suppress(KeyboardInterrupt):  # by which it was stopped
            server.run(sockets=[bound])
    say("The table is closed.")


class Server(uvicorn.Server):
    """A server that lets its streams go when it stops."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self._site = site

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then wait for what is being answered."""
        self._site.feed.end()
        await super().shutdown(sockets)


class LogTo:
    """A log of JSON lines, into a file or onto standard error."""

    def __init__(self, file: str | None) -> None:
        self._name = file
        self._file: TextIO | None = None

    def __enter__(self) -> Log:
        if self._name is not None:
            try:
                self._file = open(self._name, "a", encoding="utf-8", buffering=1)
            except OSError as error:
                raise BadInput(f"{self._name} cannot be written: {error.strerror}.") from None
        log: Log = structlog.wrap_logger(
            structlog.WriteLogger(self._file or sys.stderr),
            processors=[
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
        ).info
        return log

    def __exit__(self, *raised: object) -> None:
        if self._file is not None:
            self._file.close()


def _bound(host: str, port: int) -> socket.socket:
    """A socket that listens before anything is said, so that whoever follows the link at once waits, and is let in.

    Refuses (`Refused`) a port that is taken.
    """
    # The protocol is named: asyncio sends small answers at once only where it knows that it is TCP.
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(MOST_WAITING)
    except OSError as error:
        made.close()
        raise Refused(f"Port {port} cannot be taken: {error.strerror}.", "Say another with --port N.") from None
    return made


def _named(address: str) -> str:
    """The host of an address; refuses (`BadInput`) a text that is none."""
    with suppress(ValueError):
        parts = urlsplit(address)
        if parts.scheme in {"http", "https"} and parts.hostname:
            return parts.hostname
    raise BadInput(f"{shortened(address)} is no address of a proxy.", "Say it like https://table.example.org.")


def _check_usable(certificate: str, key: str | None) -> None:
    """Refuse (`BadInput`) a certificate that TLS cannot use, before anything is opened."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=lambda: "")
    except ssl.SSLError:
        hint = "A key in a file of its own goes with --tls-key; it has no password."
        raise BadInput(f"{certificate} is no certificate with its key.", hint) from None
    except OSError as error:
        raise NotReadable(" or ".join(filter(None, (certificate, key))), error) from None


def _lan_names() -> list[str]:
    """The names and the address of this computer in the local network, the address last."""
    name = socket.gethostname().lower()
    names = [name, f"{name.partition('.')[0]}.local"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only asks which address would be used
            names.append(probe.getsockname()[0])
        except OSError:
            names.append("127.0.0.1")
    return names
