"""The guard: what every request passes before any route, and every answer after it.

It answers to the names of this host alone (else a page elsewhere could reach it under a name of its own), takes nothing
from pages of other hosts, bounds sizes and rates, says what a browser may load, and keeps the log: routes, never the
secrets in them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from hashlib import sha256
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ledger.errors import LedgerError
from web.problems import PROBLEM, Foreign, TooMuch, TooOften, WrongHost, problem, status_of

LARGEST_BODY = 64 * 1024
SAFE = frozenset({"GET", "HEAD"})

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

RATES: Mapping[str, tuple[float, float]] = {
    "enter": (0.2, 10),
    "write": (20, 60),
    "look": (50, 200),
    "all": (400, 4000),
}
"""How many requests a second, and how many at once: of a visit by what they do, and of a client in all.

A visit is not looked up before; whoever makes up new ones comes against the limit of the client.
"""

MOST_CLIENTS = 10_000

Log = Callable[..., object]


class Buckets:
    """How often each client may still ask: a bucket that fills with time, and each request takes one from it."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._left: dict[tuple[str, str], tuple[float, float]] = {}

    def take(self, kind: str, client: str) -> None:
        """Take one; refuses (`TooOften`) where none is left."""
        rate, most = RATES[kind]
        now = self._clock()
        left, since = self._left.pop((kind, client), (most, now))
        left = min(most, left + (now - since) * rate)
        if len(self._left) >= MOST_CLIENTS:
            del self._left[next(iter(self._left))]
        self._left[kind, client] = (max(left - 1, 0) if left >= 1 else left, now)
        if left < 1:
            raise TooOften("That is more than this table takes at once.", "Wait a moment, and say it again.")


class Guard:
    """Wraps the application."""

    def __init__(
        self, app: ASGIApp, *, hosts: Iterable[str], cookie: str, log: Log, buckets: Buckets | None = None
    ) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._cookie = cookie
        self._log = log
        self._buckets = buckets or Buckets()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, pass it on, and add to the answer what every answer has."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = monotonic(), 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            headers = Headers(scope=scope)
            self._check(scope, headers)
            await self._app(scope, self._bounded(receive), answer)
        except LedgerError as error:
            await refused(error)(scope, receive, answer)
        finally:
            route = scope.get("root_path", "") + getattr(scope.get("route"), "path", "")
            self._log(
                "request",
                method=scope["method"],
                route=route or "none",
                status=status,
                milliseconds=round((monotonic() - began) * 1000, 1),
                client=_client(scope),
            )

    def _check(self, scope: Scope, headers: Headers) -> None:
        host = headers.get("host", "")
        if _name_of(host) not in self._hosts:
            raise WrongHost("This table does not answer to that name.", "Open the link as the GM gave it.")
        safe = scope["method"] in SAFE
        if not safe and "authorization" not in headers:
            check_own_page(scope, headers)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            raise _too_much()
        enters = scope["path"].startswith("/enter/")
        kind = "enter" if enters else "look" if safe else "write"
        secret = headers.get("authorization") or _cookie(headers, self._cookie)
        visit = secret and sha256(secret.encode()).hexdigest()
        self._buckets.take("all", _client(scope))
        self._buckets.take(kind, _client(scope) if enters or not visit else visit)

    def _bounded(self, receive: Receive) -> Receive:
        got = 0

        async def bounded() -> MutableMapping[str, Any]:
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            if got > LARGEST_BODY:
                raise _too_much()
            return message

        return bounded


def check_own_page(scope: Scope, headers: Headers) -> None:
    """Refuse (`Foreign`) what a page of another host sends: by `Sec-Fetch-Site`, else by `Origin`.

    Browsers send no `Sec-Fetch-Site` to a plain-http name of the local network, but always an `Origin` with a form.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    own = f"{scope['scheme']}://{headers.get('host', '')}"
    if not (site == "same-origin" if site is not None else origin == own):
        raise Foreign("This was sent by a page of another site, and is not taken.", "Open the table's own page.")


def refused(error: LedgerError) -> Response:
    """An error as the answer of the interface."""
    text = json.dumps(problem(error), ensure_ascii=False)
    return Response(text, status_of(error), media_type=PROBLEM)


def _too_much() -> TooMuch:
    return TooMuch(f"A request has at most {LARGEST_BODY // 1024} kB.")


def _client(scope: Scope) -> str:
    return (scope.get("client") or ("",))[0]


def _name_of(host: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _cookie(headers: Headers, name: str) -> str:
    parts = (part.strip().partition("=") for part in headers.get("cookie", "").split(";"))
    return next((value for key, _, value in parts if key == name), "")
