"""The application: the routes, the interface for programs, the static files, and the guard around them."""

from __future__ import annotations

from asyncio import Semaphore, get_running_loop
from collections.abc import Iterable
from contextlib import ExitStack
from functools import cache
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ledger.errors import LedgerError
from web import api, form_handlers, gm_screen, home_screen, invitations, pages, proofs, records, tray
from web.guard import REQUEST_SECONDS, Buckets, Guard
from web.problems import TooSlow
from web.site import CHECKER_PACKAGE, STATIC_FOLDER, Site, error_response, handle_error, site_of

MOST_SLOW, TURN_SECONDS = 8, 1.0
"""The maximum number of requests of a campaign that run at once, and the time after which a request is slow.

A server has 40 threads for the requests to all its campaigns.
"""


def healthz(request: Request) -> Response:
    """Tell a monitoring program whether the server and the storage answer.

    The program needs no login, and learns nothing else.
    """
    try:
        with site_of(request).campaign.snapshot() as book:
            book.head()
    except LedgerError:
        return JSONResponse({"status": "the storage does not answer"}, HTTPStatus.SERVICE_UNAVAILABLE)
    return JSONResponse({"status": "ok"})


ROUTES = (
    *pages.ROUTES,
    *form_handlers.ROUTES,
    *tray.ROUTES,
    *invitations.ROUTES,
    *gm_screen.ROUTES,
    *home_screen.ROUTES,
    *records.ROUTES,
    *proofs.ROUTES,
    Route("/healthz", healthz),
)
"""All routes of the page, without the static files and the interface for programs."""


@cache
def static_files() -> StaticFiles:
    """Return the static files: those of the page, and the scripts that check the record in a browser."""
    return StaticFiles(directory=STATIC_FOLDER, packages=[CHECKER_PACKAGE])


@cache
def _routes() -> ASGIApp:
    """Return the routes, which are the same for all sites. They find their site in the scope of a request."""
    routes = Starlette(
        routes=[
            *ROUTES,
            Mount("/static", static_files()),
            Mount("/api/v1", api.build_api()),
        ],
        exception_handlers={
            LedgerError: handle_error,
            HTTPException: api.answer_unknown_route,
            Exception: handle_error,
        },
    )
    return GZipMiddleware(routes, minimum_size=1000, compresslevel=4)


class Turns:
    """The turns of the requests to one campaign, at a server of many campaigns.

    One request is answered at a time, so that a campaign with many requests slows the others down only a little.
    After `TURN_SECONDS`, a slow request lets the next one start, until `MOST_SLOW` of them run.
    """

    def __init__(self) -> None:
        self._turn = Semaphore(1)
        self._running = Semaphore(MOST_SLOW)

    async def run(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Run a request when it is its turn. The turn ends when its answer starts, so a stream takes no turn."""
        await self._running.acquire()
        with ExitStack() as running, ExitStack() as turn:
            running.callback(self._running.release)
            await self._turn.acquire()
            turn.callback(self._turn.release)
            turn.callback(get_running_loop().call_later(TURN_SECONDS, turn.close).cancel)

            async def end_turn(message: Message) -> None:
                turn.close()
                running.close()
                await send(message)

            await app(scope, receive, end_turn)


def application(
    site: Site,
    hosts: Iterable[str],
    timeout_seconds: float = REQUEST_SECONDS,
    *,
    buckets: Buckets | None = None,
    turns: Turns | None = None,
) -> ASGIApp:
    """Return the application. It accepts only requests for one of `hosts` or for the server's own IP address.

    A server of many campaigns gives the limits of all its sites in `buckets`, and the turns of this site in `turns`.
    """

    async def of_site(scope: Scope, receive: Receive, send: Send) -> None:
        scope["site"] = site
        await (_routes()(scope, receive, send) if turns is None else turns.run(_routes(), scope, receive, send))

    def refuses(scope: Scope, error: LedgerError) -> Response:
        answer = error_response(Request(scope), error)
        if isinstance(error, TooSlow):
            answer.headers["Connection"] = "close"  # otherwise the rest of the body would be read as a new request
        return answer

    return Guard(
        of_site,
        hosts={host.lower() for host in hosts},
        cookie=site.cookie,
        knows=site.knows_secret,
        refused=refuses,
        log=site.log,
        timeout_seconds=timeout_seconds,
        buckets=buckets or Buckets(),
    )
