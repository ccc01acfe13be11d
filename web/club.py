"""The page for all campaigns of a database: each has an address of its own, such as `/c/salt-road/`.

Several servers may serve the same database behind one address. What they share is in the database.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from http import HTTPStatus
from ipaddress import ip_address
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool as threaded
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ledger.errors import BadInput, LedgerError, NoCampaign
from ledger.journal.records import Stamp, WatchedHead
from web import api
from web.app import Turns, application, static_files
from web.feed import POLL_SECONDS
from web.fragments import render
from web.guard import API_PREFIX, Buckets, Guard, Log, client_of, host_name, path_in_site, root_address, root_of
from web.metrics import MEDIA_TYPE, Metrics
from web.problems import NotAllowed, NotEntered, NotHosted
from web.site import Site, error_response, handle_error, static_address
from web.visited import visited

if TYPE_CHECKING:
    from ledger.journal.storage import Club

PREFIX = "/c/"
"""The start of the address of each campaign, before its name."""

MOST_CAMPAIGNS = 1000
"""The maximum number of campaigns that a server keeps open. For one more, it closes one that nobody watches."""

FORGET_SECONDS = 5
"""The time after which the heads of a campaign are no longer read if nobody asks for them again."""

FORWARDED_HEADERS = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
"""The headers of requests that another server has passed on."""

LOCAL_NAMES = {"127.0.0.1", "localhost", "::1"}

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class Heads:
    """The numbers of the last entries of all campaigns that somebody watches. One statement reads them all.

    After a change, it calls `changed` with the campaign's name.
    """

    def __init__(self, club: Club) -> None:
        self._club = club
        self.changed: Callable[[str], None] = lambda _name: None
        self._asked: dict[str, float] = {}
        self._heads: dict[str, WatchedHead | None] = {}
        self._first_read = asyncio.Lock()
        self._watching: asyncio.Task[None] | None = None

    async def stamp(self, name: str) -> Stamp:
        """Return the state of a campaign, and watch it from now on. Raise `NoCampaign` if it is gone.

        Call this again within `FORGET_SECONDS`. The state is at most `POLL_SECONDS` old, unless the database is slow.
        """
        async with self._first_read:
            self._asked[name] = monotonic()
            if name not in self._heads:
                await self._read()
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        if (head := self._heads.get(name)) is None:
            raise NoCampaign(name)
        return Stamp(head.campaign, head.head, is_settled=True)

    async def _watch(self) -> None:
        while self._asked:
            await asyncio.sleep(POLL_SECONDS)
            with suppress(LedgerError):  # the database may be away for a moment
                await self._read()

    async def _read(self) -> None:
        """Read the heads of the campaigns that were asked for within `FORGET_SECONDS`."""
        self._asked = {name: asked for name, asked in self._asked.items() if asked > monotonic() - FORGET_SECONDS}
        names = [*self._asked]
        heads = await threaded(self._club.heads, names)
        before, self._heads = self._heads, {name: heads.get(name) for name in names}
        for name in names:
            if before.get(name) != self._heads[name]:
                self.changed(name)


class Hosted(NamedTuple):
    """A campaign that this server has open."""

    site: Site
    app: ASGIApp


class ClubPage:
    """The application for all campaigns of a database.

    `make_site` opens the campaign of this name, and raises `NoCampaign` if there is none.
    """

    def __init__(self, club: Club, make_site: Callable[[str], Site], hosts: Sequence[str], log: Log) -> None:
        self._club = club
        self._make_site = make_site
        self._hosts = hosts
        self._metrics = Metrics()
        self._buckets = Buckets()
        self._hosted: dict[str, Hosted] = {}
        self._opening: dict[str, asyncio.Task[Hosted]] = {}
        self._front = Guard(
            self._front_app(),
            hosts={host.lower() for host in hosts},
            cookie="",
            knows=_knows_nobody,
            refused=lambda scope, error: error_response(Request(scope), error),
            log=log,
            buckets=self._buckets,
        )

    def _front_app(self) -> ASGIApp:
        return Starlette(
            routes=[
                Route("/", self.first_page),
                Route("/healthz", self.healthz),
                Route("/metrics", self.metrics),
                Route(f"{PREFIX}{{rest:path}}", self.no_campaign, methods=[*METHODS]),
                Mount("/static", static_files()),
            ],
            exception_handlers={
                LedgerError: handle_error,
                HTTPException: api.answer_unknown_route,
                Exception: handle_error,
            },
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the campaign at its address, or to the first page."""
        scope["is_club"] = True
        await self._metrics.measure(self._answer, scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = path_in_site(scope)
        name, slash, _ = path.removeprefix(PREFIX).partition("/")
        if path.startswith(PREFIX) and slash:
            try:
                found = await self._find(name, client_of(scope))
            except LedgerError as error:
                scope["refused"] = error
            else:
                await found.app({**scope, "root_path": f"{root_of(scope)}{PREFIX}{name}"}, receive, send)
                return
        await self._front(scope, receive, send)

    async def _find(self, name: str, client: str) -> Hosted:
        """Return the campaign with a name, and open it first if that is necessary. Raise `NoCampaign`."""
        found = self._hosted.pop(name, None)
        if found is not None:
            if not found.site.campaign.was_replaced:
                self._hosted[name] = found  # at the end: used last
                return found
            found.site.end()
        if name not in self._opening:
            self._buckets.take("look", client)  # so that nobody can make the database look for thousands of names
            self._opening[name] = asyncio.create_task(self._open(name))
            self._opening[name].add_done_callback(lambda _task: self._opening.pop(name))
        return await asyncio.shield(self._opening[name])

    async def _open(self, name: str) -> Hosted:
        site = await threaded(self._make_site, name)
        app = application(site, self._hosts, buckets=self._buckets, turns=Turns())
        self._hosted[name] = Hosted(site, app)
        idle = (other for other, found in self._hosted.items() if not found.site.feed.open_streams())
        if len(self._hosted) > MOST_CAMPAIGNS and (oldest := next(idle)) != name:
            self._hosted.pop(oldest).site.end()
        return self._hosted[name]

    def check_now(self, name: str) -> None:
        """Let the open pages of a campaign check for new entries at once."""
        if name in self._hosted:
            self._hosted[name].site.feed.check_now()

    def end(self) -> None:
        """End the streams, running audits and searches of all campaigns, because the server stops."""
        for found in self._hosted.values():
            found.site.end()

    def no_campaign(self, request: Request) -> Response:
        """Say why there is no page at the address of a campaign. If only its last slash is missing, add the slash."""
        error, name = request.scope.get("refused"), request.path_params["rest"].partition("/")[0]
        if error is None:
            return RedirectResponse(f"{request.url.path}/", HTTPStatus.PERMANENT_REDIRECT)
        error = NotHosted() if isinstance(error, (NoCampaign, BadInput)) else error
        if name and f"{PREFIX}{name}{API_PREFIX}" in request.scope["path"]:  # a program reads the answer
            request.scope["root_path"] = f"{root_of(request.scope)}{PREFIX}{name}"
        return error_response(request, error)

    async def first_page(self, request: Request) -> Response:
        """Show the campaigns at which this browser is logged in."""
        shown = list[dict[str, str]]()
        for name in visited(request.scope):
            with suppress(NotEntered, NotAllowed, NoCampaign, BadInput):
                found = await self._find(name, client_of(request.scope))
                login = await threaded(_login_at, found.site, request)
                shown.append({"address": f"{PREFIX[1:]}{quote(name)}/", **login})
        page: dict[str, Any] = {"title": "Campaigns", "page": "", "person": None, "you": "", "campaigns": shown}
        return HTMLResponse(
            render("club.html", root=root_address(request.scope), static_address=static_address, **page)
        )

    def healthz(self, _request: Request) -> Response:
        """Tell a monitoring program whether the server and the database answer."""
        try:
            self._club.heads([])
        except LedgerError:
            return JSONResponse({"status": "the database does not answer"}, HTTPStatus.SERVICE_UNAVAILABLE)
        return JSONResponse({"status": "ok"})

    def metrics(self, request: Request) -> Response:
        """Answer a monitoring program on this computer with the server's numbers. Nobody else may read them."""
        if not _is_host(request.scope):
            raise HTTPException(HTTPStatus.NOT_FOUND)
        hosted = [*self._hosted.values()]
        gauges = {
            "open_campaigns": ("The campaigns that this server has open.", len(hosted)),
            "streams": (
                "The open streams of live updates.",
                sum(found.site.feed.open_streams() for found in hosted),
            ),
        }
        return Response(self._metrics.text(gauges), media_type=MEDIA_TYPE)


async def _knows_nobody(_secret: str) -> bool:
    return False


def _is_host(scope: Scope) -> bool:
    """Return True if a request comes from a program on this computer, and no other server has passed it on."""
    headers = Headers(scope=scope)
    is_forwarded = any(name in headers for name in FORWARDED_HEADERS)
    with suppress(ValueError):
        is_from_here = ip_address(client_of(scope)).is_loopback
        return is_from_here and not is_forwarded and host_name(headers.get("host", "")) in LOCAL_NAMES
    return False


def _login_at(site: Site, request: Request) -> dict[str, str]:
    """Return the title of a campaign, and as whom this browser is logged in there. Raise `NotEntered`."""
    with site.snapshot_with_person(request) as (book, person):
        return {"title": book.title(), "you": book.players().get(person.seat, "a spectator")}
