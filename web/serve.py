"""The web server for one campaign."""

from __future__ import annotations

import logging
import re
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from os import path
from typing import Any
from urllib.parse import urlsplit

import structlog
import uvicorn

from ledger.errors import BadInput, Flag, NotReadable, Refused, quoted
from ledger.reading.names import Names
from ledger.scribe import utc_now
from ledger.trust.home import Home
from ledger.trust.keyfile import keys_beside
from ledger.values import Struct
from web import certificate
from web.app import application
from web.campaign import Campaign
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


def serve(file: str, home: Home, options: ServerOptions, say: Callable[[str], object], **campaign_options: Any) -> None:
    """Serve a campaign until somebody stops the server. `say` prints the links.

    Raise `Refused` if the port cannot be used. `campaign_options` has arguments of `Campaign`, such as a clock.
    """
    behind, root = _proxy_address(options.behind) if options.behind else ("", "")
    name = _host(options.name) if options.name else ""
    if options.tls_cert:
        _check_usable(options.tls_cert, options.tls_key)
    campaign = Campaign(file, home, **campaign_options)
    if options.log:
        _check_log_file(options.log, campaign, home)
    with campaign.snapshot() as book:
        logins, gm = Logins(login_tables(home.folder, book, campaign.file)), Names(book).gm()
        cookie = login_cookie_name(book)
    upgraded = campaign.upgrade()
    # bind the port before the links are printed, so that they work
    with _bound_socket("0.0.0.0" if options.lan else "127.0.0.1", options.port) as bound, log_to(options.log) as log:  # noqa: S104  --lan
        port = bound.getsockname()[1]
        scheme = "https" if options.tls or options.tls_cert else "http"
        proxy = (options.behind or "").rstrip("/")
        hosts = [*LOCAL_HOSTS, *(_own_names() if options.lan else ()), *filter(None, (behind, name))]
        made = None
        if options.tls:
            names = [*hosts, own_address()] if options.lan else hosts
            made = certificate.certificate_for(home.folder, filter(_is_host, names), utc_now())
        cert_file = made.file if made else options.tls_cert

        def address() -> str:  # computed each time, because a laptop's network address may change
            return proxy or f"{scheme}://{name or (own_address() if options.lan else LOCAL_HOSTS[0])}:{port}"

        limit = max(_raise_descriptor_limit() - RESERVED_FOR_FILES, RESERVED_FOR_FILES)
        site = Site(
            campaign,
            logins,
            address=address,
            cookie=cookie,
            log=log,
            proxied=bool(proxy),
            streams=limit * 3 // 4,
            certificate=made.der if made else b"",
        )
        token = logins.invite("gm", gm, campaign.now(), valid_seconds=GM_LINK_SECONDS)
        start_address = proxy or f"{scheme}://{(cert_file and name) or LOCAL_HOSTS[0]}:{port}"
        here = address()
        if upgraded:
            say(upgraded)
        say(f"The page is open at {here}. Proxy target: 127.0.0.1:{port}" if proxy else f"The page is open at {here}")
        say(f"Your GM link (works once): {start_address}/enter/{token}")
        if options.lan and not cert_file:
            say(
                f"Anybody on the same Wi-Fi can watch, and can act as a player. To prevent that, add {Flag('tls')}."
                " With this encryption, the GM can also log in from a different computer."
            )
        if made:
            for sentence in (*TRUST_STEPS, f"SHA-256 {made.fingerprint}"):
                say(sentence.format(address=address()))
        config = Config(
            application(site, hosts),
            log,
            most=limit,
            proxy_headers=bool(proxy),
            root_path=root,
            forwarded_allow_ips="127.0.0.1",
            ssl_certfile=cert_file,
            ssl_keyfile=options.tls_key,
        )
        sys.setswitchinterval(THREAD_SWITCH_SECONDS)
        server = Server(config, site)
        with suppress(KeyboardInterrupt):  # Ctrl-C stops the server
            server.run(sockets=[bound])
    say("The page is closed.")


class Server(uvicorn.Server):
    """A server that ends its streams when it stops."""

    def __init__(self, config: Config, site: Site) -> None:
        super().__init__(config)
        self._site = site

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the server, then let up to `MOST_WAITING_CONNECTIONS` connections wait to be accepted."""
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(MOST_WAITING_CONNECTIONS)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, a running audit and the search, then wait until the other answers are sent."""
        self._site.feed.end()
        self._site.audits.stop()
        self._site.index.stop()
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


def _check_log_file(log: str, campaign: Campaign, home: Home) -> None:
    """Raise `BadInput` if the log is one of the campaign's own files or keys."""
    # Writing to a key file destroys the key. Closing a file of the database releases SQLite's locks on it.
    file, keys = path.realpath(log), path.dirname(home.key_file(""))
    secret = (*keys_beside(campaign.file), path.join(home.folder, certificate.CERTIFICATE_FILE))
    is_key = path.dirname(file) == path.realpath(keys) or file in map(path.realpath, secret)
    if is_key or campaign.engine.owns(log):
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
