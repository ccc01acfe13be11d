"""The guard: the checks before every route, and the headers of every answer.

- It accepts only this server's host names. Without this, a website could point its domain at the server.
- It refuses commands from pages of other hosts.
- It limits the size, duration and rate of requests. It reads the whole body before a route starts.
- It logs the route of each request, but never the secrets in the address.
"""

from __future__ import annotations

from asyncio import timeout
from collections.abc import Awaitable, Callable, Container, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from http import HTTPStatus
from math import ceil
from os import path
from time import monotonic
from traceback import extract_tb
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ledger.errors import LedgerError, count_of
from web.people import TOKEN_PREFIX
from web.problems import Foreign, TooMuch, TooOften, TooSlow, WrongHost

OWN_FOLDERS = tuple(
    path.join(path.dirname(path.dirname(__file__)), name, "") for name in ("ledger", "projections", "web")
)
"""The folders of this program's own code."""

LARGEST_BODY = 64 * 1024
REQUEST_SECONDS = 15.0
"""The time limit in seconds for the head of a request, and again for its body."""

READING_METHODS = frozenset({"GET", "HEAD"})

SECURITY_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'; manifest-src 'self'",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

CACHE_FOREVER = "public, max-age=31536000, immutable"
"""The `Cache-Control` of a static file. Its address changes with its content, so browsers may keep it."""

TLS_HEADERS: Mapping[str, str] = {"Cross-Origin-Opener-Policy": "same-origin"}
"""Headers that are sent only over TLS. Without TLS, browsers would log warnings about these headers."""

RATES: Mapping[str, tuple[float, float]] = {
    "enter": (0.5, 30),
    "write": (5, 60),
    "token": (20, 60),
    "look": (50, 200),
    "odds": (1, 10),
    "audit": (0.1, 3),
    "export": (0.1, 20),
    "all": (400, 4000),
    "log": (2, 300),
}
"""The rate limit for each kind of request: the average number per second, and the maximum number at one moment.

The limit "token" is for writes with a token. The limits "all" and "log" (for log lines) apply to an IP address. Every
other limit applies to a login. A request without a valid login counts for its IP address instead, so that nobody can
avoid a limit with invented logins.
"""

MOST_CLIENTS = 10_000

API_PREFIX = "/api/v1/"
"""The start of the only addresses that accept a token. Invitations and tokens are made at other addresses."""

Log = Callable[..., object]


@dataclass
class Buckets:
    """The rate limits of all clients, as token buckets: a bucket fills with time, and each request takes one token."""

    clock: Callable[[], float] = monotonic
    left: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)

    def take(self, kind: str, client: str) -> None:
        """Take a token from a client's bucket for this kind of request. Raise `TooOften` if the bucket is empty."""
        rate, most = RATES[kind]
        now = self.clock()
        left, since = self.left.pop((kind, client), (most, now))
        left = min(most, left + (now - since) * rate)
        if len(self.left) >= MOST_CLIENTS:
            del self.left[next(iter(self.left))]
        self.left[kind, client] = (max(left - 1, 0) if left >= 1 else left, now)
        if left < 1:
            wait = count_of(ceil((1 - left) / rate), "second")
            raise TooOften("Too many requests at once.", f"Wait {wait}, then try again.")


@dataclass
class LogLimit:
    """The limit for the log lines about each address, so that a flood of requests cannot fill the disk."""

    buckets: Buckets = field(default_factory=Buckets)
    left_out: dict[str, int] = field(default_factory=dict)

    def take(self, client: str) -> int | None:
        """Return `None` if a line about the address `client` must be left out of the log.

        If the line may be written, return how many lines were left out since the last line about this address.
        """
        left_out = self.left_out.pop(client, 0)
        try:
            self.buckets.take("log", client)
        except TooOften:
            if len(self.left_out) >= MOST_CLIENTS:
                del self.left_out[next(iter(self.left_out))]
            self.left_out[client] = left_out + 1
            return None
        return left_out


@dataclass
class Guard:
    """The middleware around the application. It runs the checks, and answers refused requests itself.

    `knows` tells if a secret belongs to a login. `refused` makes the answer to a refused request.
    """

    app: ASGIApp
    hosts: Container[str]
    cookie: str
    knows: Callable[[str], Awaitable[bool]]
    refused: Callable[[Scope, LedgerError], Response]
    log: Log
    timeout_seconds: float = REQUEST_SECONDS
    buckets: Buckets = field(default_factory=Buckets)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, pass it on, add the common headers to the answer, and log the request."""
        started, status = monotonic(), 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in {**SECURITY_HEADERS, **(TLS_HEADERS if scope["scheme"] == "https" else {})}.items():
                    headers.setdefault(name, value)
                is_static = path_in_site(scope).startswith("/static/") and status < HTTPStatus.BAD_REQUEST
                headers.setdefault("Cache-Control", CACHE_FOREVER if is_static else "no-store")
                if path_in_site(scope).startswith(
                    API_PREFIX
                ):  # otherwise a page of another website could not read a refusal
                    headers.setdefault("Access-Control-Allow-Origin", "*")
            await send(message)

        try:
            headers = Headers(scope=scope)
            await self._check(scope, headers)
            read = [await self._body(receive)]

            async def body_first() -> Message:
                return {"type": "http.request", "body": read.pop()} if read else await receive()

            await self.app(scope, body_first, answer)
        except LedgerError as error:
            await self.refused(scope, error)(scope, receive, answer)
        except ClientDisconnect:
            pass  # nobody waits for an answer
        except Exception as error:  # the application has already answered it
            log_unforeseen(self.log, error)
        finally:
            route = scope["root_path"].removeprefix(root_of(scope)) + getattr(scope.get("route"), "path", "")
            self.log(
                "request",
                method=scope["method"],
                route=route or "none",
                status=status,
                milliseconds=round((monotonic() - started) * 1000, 1),
                client=client_of(scope),
            )

    async def _check(self, scope: Scope, headers: Headers) -> None:
        name = host_name(headers.get("host", ""))
        if name not in self.hosts and name != (scope.get("server") or ("",))[0]:
            raise WrongHost("The page is not available at this address.", "Use the link exactly as the GM sent it.")
        is_api = path_in_site(scope).startswith(API_PREFIX)
        asks_browser = scope["method"] == "OPTIONS" and is_api  # before a request with a token
        safe = scope["method"] in READING_METHODS or asks_browser
        if not safe and "authorization" not in headers:
            check_own_page(scope, headers, cookie_name(scope, self.cookie))
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            raise _too_much()
        secret = secret_in(scope, self.cookie)
        kind = _request_kind(path_in_site(scope), safe=safe)
        is_known = kind != "enter" and await self.knows(secret)
        if is_known and kind == "write" and secret.startswith(TOKEN_PREFIX):
            kind = "token"
        self.buckets.take("all", client_of(scope))
        self.buckets.take(kind, sha256(secret.encode()).hexdigest() if is_known else client_of(scope))

    async def _body(self, receive: Receive) -> bytes:
        """Return the whole body. Raise `TooMuch` if it is too large, and `TooSlow` if it does not arrive in time."""
        body = bytearray()
        try:
            async with timeout(self.timeout_seconds):
                while len(body) <= LARGEST_BODY:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    body += message.get("body", b"")
                    if not message.get("more_body"):
                        break
        except TimeoutError:
            raise TooSlow("The request took too long to arrive.", "Send the request again.") from None
        if len(body) > LARGEST_BODY:
            raise _too_much()
        return bytes(body)


def log_unforeseen(log: Log, error: BaseException) -> None:
    """Log the type of an error and its line in this program. Leave out the message, which may contain typed text."""
    places = extract_tb(error.__traceback__)
    place = next(
        (each for each in reversed(places) if each.filename.startswith(OWN_FOLDERS)), places[-1] if places else None
    )
    log("unforeseen", error=type(error).__name__, at=f"{place.filename}:{place.lineno}" if place else "nowhere")


def root_of(scope: Scope) -> str:
    """Return the path of the site's address, such as `/road`, or "" if the site has a host for itself."""
    return str(scope.get("app_root_path", scope["root_path"]))  # within `/api/v1`, `root_path` ends with that


def root_address(scope: Scope) -> str:
    """Return the path of the site's address with the escapes that a link needs, such as `/c/salt%20road`."""
    return quote(root_of(scope))


def path_in_site(scope: Scope) -> str:
    """Return the path of a request without the path of the site's address."""
    return str(scope["path"].removeprefix(root_of(scope)))


def cookie_name(scope: Scope, cookie: str) -> str:
    """Return the name of the login cookie. Over TLS, a prefix makes browsers refuse this cookie from any other host."""
    return f"__Host-{cookie}" if scope["scheme"] == "https" else cookie


def secret_in(scope: Scope, cookie: str) -> str:
    """Return the secret of the visit or token that sent a request; "" if there is none.

    If there is an `Authorization` header, look only there, else only in the cookie. Accept a token's secret only in the
    header, and only at an address that starts with `API_PREFIX`.
    """
    headers = Headers(scope=scope)
    bearer = headers.get("authorization")  # accepted from any page, so the cookie must not count
    if bearer is None:
        in_cookie = cookie_parser(headers.get("cookie", "")).get(cookie_name(scope, cookie), "")
        return "" if in_cookie.startswith(TOKEN_PREFIX) else in_cookie
    scheme, _, typed = bearer.partition(" ")
    secret = typed.strip() if scheme.lower() == "bearer" else ""
    return secret if path_in_site(scope).startswith(API_PREFIX) or not secret.startswith(TOKEN_PREFIX) else ""


def check_own_page(scope: Scope, headers: Headers, cookie: str) -> None:
    """Raise `Foreign` if a page of another host sent the request, according to `Sec-Fetch-Site` or `Origin`.

    A request with neither header is accepted if it is JSON or has no login cookie.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is None and origin is None:
        # Programs and old browsers send neither. A page cannot send JSON to another host without a preflight request.
        is_json = headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"
        if is_json or cookie not in cookie_parser(headers.get("cookie", "")):
            return
        raise Foreign(
            "The request does not say which page sent it.", "Programs must send JSON to the addresses under /api/v1."
        )
    # Over plain HTTP in the local network, browsers send only `Origin`.
    own = f"{scope['scheme']}://{headers.get('host', '')}"
    if not (site == "same-origin" if site is not None else origin == own):
        raise Foreign("A page of a different website sent this request.", "Open the table's own page.")


def _too_much() -> TooMuch:
    return TooMuch(f"The request is larger than {LARGEST_BODY // 1024} kB.")


def _request_kind(address: str, *, safe: bool) -> str:
    if address.startswith("/enter/"):
        return "enter"
    name = address.removeprefix("/api/v1").removeprefix("/tray").removeprefix("/")
    if name == "audit" and not safe:
        return "audit"
    if name == "export":
        return "export"
    if name in {"odds", "luck"}:
        return "odds"
    return "look" if safe else "write"


def client_of(scope: Scope) -> str:
    """Return the IP address that sent a request."""
    return (scope.get("client") or ("",))[0]


def host_name(host: str) -> str:
    """Return the name in a `Host` header, without the port, or "" if there is none."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""
