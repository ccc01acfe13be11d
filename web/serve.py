"""Serve: the server of one campaign."""

from __future__ import annotations

import logging
import re
import resource
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

from ledger.errors import BadInput, Flag, NotReadable, Refused, shortened
from ledger.reading.names import Names
from ledger.trust.home import Home
from ledger.trust.keyfile import keys_beside
from ledger.values import Struct
from web.app import application
from web.campaign import Campaign
from web.connections import Config
from web.guard import Log, unforeseen
from web.sessions import Doors
from web.site import Site, cookie_of

HERE_ONLY = ("127.0.0.1", "localhost", "::1")
NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
GM_LINK_LASTS = 3600
"""Seconds for which the link that the terminal shows lets the GM in."""

MOST_WAITING = 2048
"""So many connections wait until they are taken."""

MOST_OPEN, FOR_FILES = 8192, 200
"""So many descriptors the server asks for, and keeps free for files, and for connections that it hangs up on."""

SWITCH = 0.0005
"""Seconds after which a thread lets others compute; each statement of SQLite waits so long while streams are sent."""

UVICORN = "uvicorn.error"
OF_STRANGERS = ("Invalid HTTP request", "Unsupported upgrade request", "No supported WebSocket library")
"""The first words of uvicorn's log lines about invalid requests."""

FRAMEWORKS = ("uvicorn", "asyncio")
"""Who complains in a log of its own, which would go to standard error with words in it."""


class Serving(Struct):
    """The options of the server: the port, this computer or the local network, the certificate, the proxy.

    `name` is this computer's name for phones, if it differs from its name in the network.
    """

    port: int = 8000
    lan: bool = False
    name: str | None = None
    certificate: str | None = None
    key: str | None = None
    behind: str | None = None
    log: str | None = None


def serve(file: str, home: Home, how: Serving, say: Callable[[str], object], **outside: Any) -> None:
    """Serve a campaign until somebody stops it; `say` tells how to come in. Refuses (`Refused`) a taken port.

    `outside` may bring a clock, chance, salts, and what signs a head.
    """
    behind = _named(how.behind) if how.behind else ""
    name = _host(how.name) if how.name else ""
    if how.certificate:
        _check_usable(how.certificate, how.key)
    campaign = Campaign(file, home, **outside)
    if how.log:
        _check_apart(how.log, campaign, home)
    with campaign.look() as book:
        origin, gm = book.origin() or campaign.engine.name(), Names(book).gm()
        cookie = cookie_of(book)
    # bound before anything is said, so that what is said is true
    with _bound("0.0.0.0" if how.lan else "127.0.0.1", how.port) as bound, LogTo(how.log) as log:  # noqa: S104  --lan
        port = bound.getsockname()[1]
        scheme = "https" if how.certificate else "http"
        proxy = (how.behind or "").rstrip("/")
        hosts = [*HERE_ONLY, *(_own_names() if how.lan else ()), *filter(None, (behind, name))]

        def address() -> str:  # asked for each time: a laptop's address in a network may change
            return proxy or f"{scheme}://{name or (own_address() if how.lan else HERE_ONLY[0])}:{port}"

        doors = Doors(home.folder, origin)
        limit = max(_descriptors() - FOR_FILES, FOR_FILES)
        site = Site(
            campaign, doors, address=address, cookie=cookie, log=log, proxied=bool(proxy), streams=limit * 3 // 4
        )
        token = doors.invite("gm", gm, campaign.now(), lasts=GM_LINK_LASTS)
        own = proxy or f"{scheme}://{(how.certificate and name) or HERE_ONLY[0]}:{port}"
        say(f"The page is open at {address()}" + (f". Proxy target: 127.0.0.1:{port}" if proxy else ""))
        say(f"Your GM link (works once): {own}/enter/{token}")
        if how.lan and not how.certificate:
            say(
                f"Anybody on the same Wi-Fi can watch and act as a player. To prevent that, add {Flag('tls-cert')}."
                " Then the GM can also use a different computer."
            )
        config = Config(
            application(site, hosts),
            log,
            most=limit,
            proxy_headers=bool(proxy),
            forwarded_allow_ips="127.0.0.1",
            ssl_certfile=how.certificate,
            ssl_keyfile=how.key,
        )
        sys.setswitchinterval(SWITCH)
        server = Server(config, site)
        with suppress(KeyboardInterrupt):  # by which it was stopped
            server.run(sockets=[bound])
    say("The page is closed.")


class Server(uvicorn.Server):
    """A server that lets its streams go when it stops."""

    def __init__(self, config: Config, site: Site) -> None:
        super().__init__(config)
        self._site = site

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to take connections, few at a time, while many may wait."""
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(MOST_WAITING)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then wait for the open answers."""
        self._site.feed.end()
        await super().shutdown(sockets)


class Others(logging.Handler):
    """Logs what the server's frameworks complain of like an error of our own: by its kind and line, never its words."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record, except for invalid requests, which the connection logs itself."""
        if record.name == UVICORN and record.getMessage().startswith(OF_STRANGERS):
            return
        if record.exc_info and record.exc_info[1]:
            unforeseen(self._log, record.exc_info[1])
        else:
            self._log("unforeseen", error=record.name, at=f"{record.pathname}:{record.lineno}")


class LogTo:
    """A log of JSON lines for the page and the frameworks, in a file or on standard error."""

    def __init__(self, file: str | None) -> None:
        self._name = file
        self._file: TextIO | None = None

    def __enter__(self) -> Log:
        if self._name is not None:
            try:
                self._file = open(self._name, "a", encoding="utf-8", buffering=1)
            except OSError as error:
                raise BadInput(f"{self._name} cannot be written: {error.strerror}.") from None
        write = structlog.wrap_logger(
            structlog.WriteLogger(self._file or sys.stderr),
            processors=[
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
        ).info

        def log(event: str, **facts: Any) -> None:
            with suppress(OSError, ValueError):  # a full disk, a closed terminal: what was said is written all the same
                write(event, **facts)

        self._others = Others(log)
        for name in FRAMEWORKS:
            logging.getLogger(name).addHandler(self._others)
        return log

    def __exit__(self, *raised: object) -> None:
        for name in FRAMEWORKS:
            logging.getLogger(name).removeHandler(self._others)
        if self._file is not None:
            with suppress(OSError):  # as in `log`
                self._file.close()


def _bound(host: str, port: int) -> socket.socket:
    """Make a socket that listens at once, so that people who follow the link early wait and get in.

    Refuse (`Refused`) a port that is taken.
    """
    # The protocol is named: asyncio sends small answers at once only where it knows that it is TCP.
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(MOST_WAITING)
    except OSError as error:
        made.close()
        raise Refused(
            f"Port {port} cannot be used: {error.strerror}.", f"Choose another port with {Flag('port', 'N')}."
        ) from None
    return made


def _named(address: str) -> str:
    """The host of an address. Refuse (`BadInput`) other texts."""
    with suppress(ValueError):
        parts = urlsplit(address)
        bare = not (parts.path.strip("/") or parts.query or parts.fragment or parts.username or parts.password)
        if parts.scheme == "https" and parts.hostname and bare and parts.port != 0:
            return parts.hostname
    raise BadInput(f"{shortened(address)} is not the address of a proxy.", "Type it like https://table.example.org.")


def _check_usable(certificate: str, key: str | None) -> None:
    """Refuse (`BadInput`) a certificate that TLS cannot use, before anything is opened."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=lambda: "")
    except ssl.SSLError:
        hint = f"If the key is in another file, add {Flag('tls-key', 'FILE')}. The key must not have a password."
        raise BadInput(f"{certificate} is not a certificate, or its key is missing.", hint) from None
    except OSError as error:
        raise NotReadable(" or ".join(filter(None, (certificate, key))), error) from None


def _check_apart(log: str, campaign: Campaign, home: Home) -> None:
    """Refuse (`BadInput`) a log in the campaign's own files.

    To close one of them beside SQLite would give up its locks; and a log must not be written into a key.
    """
    file, keys = path.realpath(log), path.dirname(home.key_file(""))
    is_key = path.dirname(file) == path.realpath(keys) or file in map(path.realpath, keys_beside(campaign.file))
    if is_key or campaign.engine.owns(log):
        raise BadInput(f"{log} is a file of the campaign.", "Choose another file for the log.")


def _host(name: str) -> str:
    if NAME.fullmatch(name):
        return name.lower()
    raise BadInput(f"{shortened(name)} is not the name of a computer.", "Type a name like table.local, or an address.")


def _own_names() -> list[str]:
    name = socket.gethostname().lower()
    return [name, f"{name.partition('.')[0]}.local"]


def own_address() -> str:
    """The address of this computer in the local network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only asks which address would be used
            return str(probe.getsockname()[0])
        except OSError:
            return HERE_ONLY[0]


def _descriptors() -> int:
    """Ask for as many descriptors as many streams need, and return how many there may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_OPEN if hard == resource.RLIM_INFINITY else min(hard, MOST_OPEN)
    with suppress(ValueError, OSError):  # a system may allow fewer than it says
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
