"""The web server for one campaign, or for all campaigns of a database."""

from __future__ import annotations

import logging
import re
import socket
import ssl
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from os import path
from typing import Any
from urllib.parse import quote, urlsplit

import structlog
import uvicorn
from starlette.types import ASGIApp

from ledger.errors import BadInput, Flag, NoCampaign, NotReadable, Refused, Run, count_of, quoted
from ledger.journal.book import Book
from ledger.journal.store import club_for, engine_for
from ledger.reading.names import Names
from ledger.scribe import utc_now
from ledger.trust.home import Home
from ledger.trust.keyfile import keys_beside
from ledger.values import Struct
from web import certificate
from web.app import application
from web.campaign import Campaign
from web.club import PREFIX, ClubPage, Heads
from web.connections import Config
from web.guard import Log, LogLimit, log_unforeseen
from web.sessions import Logins, login_tables
from web.site import Site, login_cookie_name

LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")
HOST_PATTERN = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
PATH_PATTERN = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")
GM_LINK_SECONDS = 3600
"""The number of seconds for which the GM's link in the terminal is valid."""

MOST_WAITING_CONNECTIONS = 2048
"""The maximum number of connections that wait to be accepted."""

ONE_SERVER_PER_PORT = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
"""The option to reuse a port soon after it closed. On Windows, `SO_REUSEADDR` would let two servers share the port."""

MOST_OPEN_FILES, RESERVED_FOR_FILES = 8192, 200
"""The number of file descriptors that the server requests, and how many of these it reserves for files."""

TRUST_STEPS = (
    "Phones warn about the certificate until they trust it. To trust it on a phone, open {address}/certificate there.",
    "On an iPhone, install the profile in Settings > General > VPN & Device Management. Then turn it on in Settings >"
    " General > About > Certificate Trust Settings.",
    (
        "On Android, install the certificate in Settings > Security > Encryption & credentials >"
        " Install a certificate > CA certificate."
    ),
    "Trust the certificate only if the phone shows this fingerprint:",
)
"""The sentences that say how to trust the certificate that this program made."""

THREAD_SWITCH_SECONDS = 0.0005
"""The seconds that a thread runs before others get a turn. While streams are sent, SQLite statements wait this long."""

UVICORN_LOGGER = "uvicorn.error"
INVALID_REQUESTS = ("Invalid HTTP request", "Unsupported upgrade request", "No supported WebSocket library")
"""The first words of uvicorn's log lines about invalid requests."""

FRAMEWORK_LOGGERS = ("uvicorn", "asyncio")
"""The loggers of libraries. By default, they print to standard error, and may quote what people typed."""


Signing = Callable[[str], dict[str, Any]]
"""A function that returns the functions with which the campaign at an address signs, as arguments of `Campaign`."""


class ServerOptions(Struct):
    """The options of `campaign serve`.

    `lan` opens the server to the local network, `name` is the host name, and `behind` is the URL of a proxy.
    `tls` uses a certificate that this program makes. `tls_cert` and `tls_key` are the files of another certificate.
    """

    port: int = 8000
    lan: bool = False
    name: str | None = None
    tls: bool = False
    tls_cert: str | None = None
    tls_key: str | None = None
    behind: str | None = None
    log: str | None = None


@dataclass(frozen=True)
class OpenPort:
    """The port at which a server listens, and the address at which people reach it."""

    bound: socket.socket
    log: Log
    hosts: Sequence[str]
    address: Callable[[], str]
    """The function that returns the address of the page, because a laptop's network address may change."""
    gm_address: str
    """The address at which the GM can log in safely."""
    root: str
    options: ServerOptions
    most_files: int
    certificate: certificate.Certificate | None

    def site(self, campaign: Campaign, logins: Logins, cookie: str, **more: Any) -> Site:
        """Return the site of a campaign at this port. `more` has other fields of `Site`."""
        return Site(
            campaign,
            logins,
            cookie=cookie,
            proxied=bool(self.options.behind),
            streams=self.most_files * 3 // 4,
            certificate=self.certificate.der if self.certificate else b"",
            **{"address": self.address, "log": self.log, **more},
        )

    def run(self, app: ASGIApp, end: Callable[[], None]) -> None:
        """Serve an application until somebody stops the server. Then call `end`, which ends the streams."""
        config = Config(
            app,
            self.log,
            most=self.most_files,
            proxy_headers=bool(self.options.behind),
            root_path=self.root,
            forwarded_allow_ips="127.0.0.1",
            ssl_certfile=self.certificate.file if self.certificate else self.options.tls_cert,
            ssl_keyfile=self.options.tls_key,
        )
        sys.setswitchinterval(THREAD_SWITCH_SECONDS)
        server = Server(config, end)
        with suppress(KeyboardInterrupt):  # Ctrl-C stops the server
            server.run(sockets=[self.bound])


def serve(
    file: str,
    home: Home,
    options: ServerOptions,
    say: Callable[[str], object],
    signing: Signing = lambda _file: {},
    **campaign_options: Any,
) -> None:
    """Serve a campaign until somebody stops the server. `say` prints the links.

    Raise `Refused` if the port cannot be used. `campaign_options` has arguments of `Campaign`, such as a clock.
    """
    _check(options)
    campaign = Campaign(file, home, **signing(file), **campaign_options)
    if options.log:
        _check_log_file(options.log, campaign.file, home)
    with campaign.snapshot() as book:
        logins, gm = Logins(login_tables(home.folder, book, campaign.file)), Names(book).gm()
        cookie = login_cookie_name(book)
    upgraded = campaign.upgrade()
    with open_port(options, home) as port:
        site = port.site(campaign, logins, cookie)
        token = logins.invite("gm", gm, campaign.now(), valid_seconds=GM_LINK_SECONDS)
        if upgraded:
            say(upgraded)
        _say_address(port, f"The page is open at {port.address()}", say)
        say(f"Your GM link (works once): {port.gm_address}/enter/{token}")
        _say_safety(port, say)
        port.run(application(site, port.hosts), site.end)
    say("The page is closed.")


def serve_club(
    store: str,
    home: Home,
    options: ServerOptions,
    say: Callable[[str], object],
    signing: Signing = lambda _file: {},
    **campaign_options: Any,
) -> None:
    """Serve all campaigns of the database at the address `store`, until somebody stops the server.

    The other arguments and the errors are those of `serve`.
    """
    _check(options)
    club = club_for(store)
    if options.log:
        _check_log_file(options.log, club.address("a"), home)
    number = len(club.campaigns())
    with open_port(options, home) as port:
        heads = Heads(club)

        def open_site(name: str) -> Site:
            file = club.address(name)
            campaign = Campaign(file, home, **signing(file), **campaign_options)
            with campaign.snapshot() as book:
                if not book.head():  # nobody has created it completely
                    raise NoCampaign(name)
                logins, cookie = Logins(login_tables(home.folder, book, campaign.file)), login_cookie_name(book)
            return port.site(
                campaign,
                logins,
                cookie,
                address=lambda: campaign_address(port.address(), name),
                log=partial(port.log, campaign=name),
                look=partial(heads.stamp, name),
                name=name,
            )

        page = ClubPage(club, open_site, port.hosts, port.log)
        heads.changed = page.check_now
        _say_address(port, f"The page for {count_of(number, 'campaign')} is open at {port.address()}", say)
        say(f"To invite the GM of a campaign: {Run('host invite', 'NAME', at=port.gm_address)}")
        _say_safety(port, say)
        port.run(page, page.end)
    say("The page is closed.")


def invite_gm(book: Book, file: str, home: Home, at: str, name: str, now: int) -> str:
    """Return a link with which the GM of a campaign of a club logs in once. `at` is the address of the club's page."""
    if not _is_address_for_gm(at):
        hint = "Type it like https://club.example.org. Without https, a GM can log in only on the server's computer."
        raise BadInput(f"{quoted(at)} is not an address at which a GM can log in.", hint)
    address = campaign_address(at.rstrip("/"), name)
    return f"{address}/enter/{Logins(login_tables(home.folder, book, file)).invite('gm', Names(book).gm(), now)}"


def _is_address_for_gm(address: str) -> bool:
    with suppress(ValueError):
        parts = urlsplit(address)
        is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOCAL_HOSTS)
        return is_safe and bool(parts.hostname) and not (parts.query or parts.fragment)
    return False


def campaign_address(address: str, name: str) -> str:
    """Return the address of a campaign at a server of many campaigns. Raise `BadInput` if no address can name it."""
    if "/" in name or name in {".", ".."}:
        raise BadInput(f"No address of a page can have the name {quoted(name)}.", "Use this campaign in a terminal.")
    return f"{address}{PREFIX}{quote(name)}"


def _check(options: ServerOptions) -> None:
    """Raise `BadInput` or `NotReadable` if the options cannot be used."""
    if options.behind:
        _proxy_address(options.behind)
    if options.name:
        _host(options.name)
    if options.tls_cert:
        _check_usable(options.tls_cert, options.tls_key)


@contextmanager
def open_port(options: ServerOptions, home: Home) -> Iterator[OpenPort]:
    """Listen at the port, before anybody prints a link to it. Raise `Refused` if the port cannot be used."""
    behind, root = _proxy_address(options.behind) if options.behind else ("", "")
    name = _host(options.name) if options.name else ""
    with _bound_socket("0.0.0.0" if options.lan else "127.0.0.1", options.port) as bound, log_to(options.log) as log:  # noqa: S104  --lan
        port = bound.getsockname()[1]
        scheme = "https" if options.tls or options.tls_cert else "http"
        proxy = (options.behind or "").rstrip("/")
        hosts = [*LOCAL_HOSTS, *(_own_names() if options.lan else ()), *filter(None, (behind, name))]
        made = None
        if options.tls:
            names = [*hosts, own_address()] if options.lan else hosts
            made = certificate.certificate_for(home.folder, filter(_is_host, names), utc_now())

        def address() -> str:
            return proxy or f"{scheme}://{name or (own_address() if options.lan else LOCAL_HOSTS[0])}:{port}"

        yield OpenPort(
            bound=bound,
            log=log,
            hosts=hosts,
            address=address,
            gm_address=proxy or f"{scheme}://{(scheme == 'https' and name) or LOCAL_HOSTS[0]}:{port}",
            root=root,
            options=options,
            most_files=max(_raise_descriptor_limit() - RESERVED_FOR_FILES, RESERVED_FOR_FILES),
            certificate=made,
        )


def _say_address(port: OpenPort, sentence: str, say: Callable[[str], object]) -> None:
    target = f". Proxy target: 127.0.0.1:{port.bound.getsockname()[1]}" if port.options.behind else ""
    say(f"{sentence}{target}")


def _say_safety(port: OpenPort, say: Callable[[str], object]) -> None:
    """Say what others on the network can do, or how a phone can trust the certificate."""
    if port.options.lan and port.gm_address.startswith("http:"):
        say(
            f"Anybody on the same Wi-Fi can watch, and can act as a player. To prevent that, add {Flag('tls')}."
            " With this encryption, the GM can also log in from a different computer."
        )
    if port.certificate:
        for sentence in (*TRUST_STEPS, f"SHA-256 {port.certificate.fingerprint}"):
            say(sentence.format(address=port.address()))


class Server(uvicorn.Server):
    """A server that ends its streams when it stops."""

    def __init__(self, config: Config, end: Callable[[], None]) -> None:
        super().__init__(config)
        self._end = end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the server, then let up to `MOST_WAITING_CONNECTIONS` connections wait to be accepted."""
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(MOST_WAITING_CONNECTIONS)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, a running audit and the search, then wait until the other answers are sent."""
        self._end()
        await super().shutdown(sockets)


class FrameworkLog(logging.Handler):
    """A logging handler that logs the type and line of a library's warning, without the message."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Log a warning. Skip invalid requests, because `Connection` logs them."""
        if record.name == UVICORN_LOGGER and record.getMessage().startswith(INVALID_REQUESTS):
            return
        if record.exc_info and record.exc_info[1]:
            log_unforeseen(self._log, record.exc_info[1])
        else:
            self._log("unforeseen", error=record.name, at=f"{record.pathname}:{record.lineno}")


@contextmanager
def log_to(name: str | None) -> Iterator[Log]:
    """Write the log of the server and its libraries to a file or to standard error, as JSON lines.

    Lines that name a client are limited for each client. The next line about the client says how many are missing.
    """
    try:
        file = None if name is None else open(name, "a", encoding="utf-8", buffering=1)  # noqa: SIM115  closed below
    except OSError as error:
        raise BadInput(f"{name} cannot be written: {error.strerror}.") from None
    write = structlog.wrap_logger(
        structlog.WriteLogger(file or sys.stderr),
        processors=[
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
    ).info

    limit = LogLimit()

    def log(event: str, **facts: Any) -> None:
        if "client" in facts:
            left_out = limit.take(facts["client"])
            if left_out is None:
                return
            facts |= {"left_out": left_out} if left_out else {}
        with suppress(OSError, ValueError):  # a full disk or a closed terminal must not fail the request
            write(event, **facts)

    handler, loggers = FrameworkLog(log), [*map(logging.getLogger, FRAMEWORK_LOGGERS)]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        yield log
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
        if file is not None:
            with suppress(OSError):  # for the same reason as in `log`
                file.close()


def _bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that already listens. A browser that connects too early waits instead of failing.

    Raise `Refused` if the port cannot be used.
    """
    # Name the protocol: asyncio sends small answers without delay only if it knows that the socket is TCP.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, ONE_SERVER_PER_PORT, 1)
    try:
        bound.bind((host, port))
        bound.listen(MOST_WAITING_CONNECTIONS)
    except OSError as error:
        bound.close()
        raise Refused(
            f"Port {port} cannot be used: {error.strerror}.", f"Choose another port with {Flag('port', 'N')}."
        ) from None
    return bound


def _proxy_address(address: str) -> tuple[str, str]:
    """Return the host and the path of a proxy. Raise `BadInput` unless the address is a simple HTTPS address."""
    with suppress(ValueError):
        parts = urlsplit(address)
        path = parts.path.rstrip("/")
        simple = PATH_PATTERN.fullmatch(path) and not (
            parts.query or parts.fragment or parts.username or parts.password
        )
        if parts.scheme == "https" and parts.hostname and simple and parts.port != 0:
            return parts.hostname, path
    raise BadInput(f"{quoted(address)} is not the address of a proxy.", "Type it like https://table.example.org.")


def _check_usable(file: str, key: str | None) -> None:
    """Raise `BadInput` or `NotReadable` if TLS cannot use the certificate and key."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(file, key, password=lambda: "")
    except ssl.SSLError:
        hint = f"If the key is in another file, add {Flag('tls-key', 'FILE')}. The key must not have a password."
        raise BadInput(f"{file} is not a certificate, or its key is missing.", hint) from None
    except OSError as error:
        raise NotReadable(" or ".join(filter(None, (file, key))), error) from None


def _check_log_file(log: str, campaign: str, home: Home) -> None:
    """Raise `BadInput` if the log is one of the own files or keys of the campaign at this address."""
    # Writing to a key file destroys the key. Closing a file of the database releases SQLite's locks on it.
    file, keys = path.realpath(log), path.dirname(home.key_file(""))
    secret = (*keys_beside(campaign), path.join(home.folder, certificate.CERTIFICATE_FILE))
    is_key = path.dirname(file) == path.realpath(keys) or file in map(path.realpath, secret)
    if is_key or engine_for(campaign).owns(log):
        raise BadInput(f"{log} is one of the campaign's own files.", "Choose another file for the log.")


def _is_host(name: str) -> bool:
    return HOST_PATTERN.fullmatch(name) is not None


def _host(name: str) -> str:
    if _is_host(name):
        return name.lower()
    raise BadInput(f"{quoted(name)} is not the name of a computer.", "Type a name like table.local, or an address.")


def _own_names() -> list[str]:
    name = socket.gethostname().lower()
    return [name, f"{name.partition('.')[0]}.local"]


def own_address() -> str:
    """Return this computer's IP address in the local network, or 127.0.0.1 if there is no network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing, but selects the local address
            return str(probe.getsockname()[0])
        except OSError:
            return LOCAL_HOSTS[0]


def _raise_descriptor_limit() -> int:
    """Raise the limit of file descriptors to `MOST_OPEN_FILES` if possible, and return the limit in force.

    On Windows, connections have no such limit. There, return `MOST_OPEN_FILES`.
    """
    try:
        import resource
    except ImportError:  # Windows
        return MOST_OPEN_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_OPEN_FILES)
    with suppress(ValueError, OSError):  # a system may allow fewer than it says
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
