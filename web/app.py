"""The application: routes, the interface, the files of the page, and the guard around them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from os import PathLike, path, stat_result

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope

from ledger.errors import LedgerError
from web import api, coming, doing, pages
from web.guard import Guard
from web.shown import HERE
from web.site import Site, answered, refused

NOT_TAKEN = {404: "There is no such page.", 405: "This page is not asked in that way."}


class Files(StaticFiles):
    """The files of the page; their addresses change when they do, so that a browser keeps them."""

    def file_response(
        self, full_path: str | PathLike[str], stat_result: stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """A file, to be kept for a year."""
        answer = super().file_response(full_path, stat_result, scope, status_code)
        answer.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return answer


def application(site: Site, hosts: Iterable[str]) -> ASGIApp:
    """The whole application; it answers to these host names, and to the address that a request came to."""

    @asynccontextmanager
    async def lives(app: Starlette) -> AsyncIterator[None]:
        yield
        site.feed.end()

    inner = Starlette(
        routes=[
            *pages.ROUTES,
            *doing.ROUTES,
            *coming.ROUTES,
            Mount("/static", Files(directory=path.join(HERE, "static"))),
            Mount("/api/v1", api.made(site)),
        ],
        exception_handlers={LedgerError: answered, HTTPException: _missing, Exception: answered},
        lifespan=lives,
    )
    inner.state.site = site
    packed = GZipMiddleware(inner, minimum_size=1000, compresslevel=4)

    def refuses(scope: Scope, error: LedgerError) -> Response:
        return refused(Request(scope), error)

    return Guard(packed, hosts=hosts, cookie=site.cookie, knows=site.doors.knows, refused=refuses, log=site.log)


def _missing(request: Request, error: Exception) -> Response:
    """What Starlette refuses: an address at which there is nothing, or which is not asked in this way."""
    assert isinstance(error, HTTPException)  # noqa: S101  registered for no other
    if isinstance(error.__cause__, LedgerError):  # raised while the body was read
        return refused(request, error.__cause__)
    sentence = NOT_TAKEN.get(error.status_code, "What was sent cannot be read.")
    return refused(request, LedgerError(sentence, "The table's own page is at /."), error.status_code)
