"""Serve: the server of one campaign."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from os import path
from typing import Any, TextIO

import structlog
import uvicorn

from ledger.errors import BadInput, Refused
from ledger.reading.names import Names
from ledger.trust.home import Home
from ledger.values import Struct
from web.app import application
from web.doors import Doors
from web.guard import Log
from web.site import Site
from web.table import Table

HERE_ONLY = ("127.0.0.1", "localhost", "::1")
GM_LINK_LASTS = 3600
"""Seconds for which the link that the terminal shows lets the GM in."""


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
    table = Table(file, home, **outside)
    with table.look() as book:
        origin, gm = book.origin() or path.basename(table.file), Names(book).gm()
    bound = _bound("0.0.0.0" if how.lan else "127.0.0.1", how.port)  # noqa: S104  only with --lan
    port = bound.getsockname()[1]
    scheme = "https" if how.certificate else "http"
    hosts = [*HERE_ONLY, *(_lan_names() if how.lan else ())]
    addresses = [f"{scheme}://{name}:{port}" for name in (_lan_names()[-1:] if how.lan else HERE_ONLY[:1])]
    if how.behind:
        address = how.behind.rstrip("/")
        hosts.append(address.partition("://")[2].partition(":")[0].partition("/")[0])
        addresses = [address]
    doors = Doors(home.folder, origin)
    with LogTo(how.log) as log:
        site = Site(table, doors, addresses=tuple(addresses), cookie=f"table-{port}", log=log)
        token = doors.invite("gm", gm, table.now(), lasts=GM_LINK_LASTS)
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
        server = Server(config, site)
        try:
            server.run(sockets=[bound])
        finally:
            bound.close()
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
    """A socket that listens before anything is said, so that who opens the link at once waits, and is not refused."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen()
    except OSError as error:
        made.close()
        raise Refused(f"Port {port} cannot be taken: {error.strerror}.", "Say another with --port N.") from None
    return made


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
