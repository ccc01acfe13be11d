"""The application: routes, the interface, the files of the page, and the guard around them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from os import PathLike, path, stat_result

from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope

from ledger.errors import LedgerError
from web import api, coming, doing, pages
from web.guard import Guard
from web.shown import HERE
from web.site import Site, refused


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
    """The whole application; it answers to these host names."""

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
        exception_handlers={LedgerError: refused},
        lifespan=lives,
    )
    inner.state.site = site
    packed = GZipMiddleware(inner, minimum_size=1000, compresslevel=4)
    return Guard(packed, hosts=hosts, cookie=site.cookie, log=site.log)
