"""The application: routes, the interface, the files of the page, and the guard around them."""

from __future__ import annotations

from collections.abc import Iterable
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
from web import api, form_handlers, invitations, pages
from web.fragments import HERE
from web.guard import BODY_SECONDS, Guard
from web.problems import TooSlow
from web.site import Site, answered, refused


class Files(StaticFiles):
    """The files of the page; their addresses change when they do, so that a browser keeps them."""

    def file_response(
        self, full_path: str | PathLike[str], stat_result: stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """A file, to be kept for a year."""
        answer = super().file_response(full_path, stat_result, scope, status_code)
        answer.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return answer


def application(site: Site, hosts: Iterable[str], patience: float = BODY_SECONDS) -> ASGIApp:
    """The whole application; it answers to these host names, and to the address that a request came to.

    A body has `patience` seconds to come.
    """
    inner = Starlette(
        routes=[
            *pages.ROUTES,
            *form_handlers.ROUTES,
            *invitations.ROUTES,
            Mount("/static", Files(directory=path.join(HERE, "static"))),
            Mount("/api/v1", api.made(site)),
        ],
        exception_handlers={LedgerError: answered, HTTPException: api.not_taken, Exception: answered},
    )
    inner.state.site = site
    packed = GZipMiddleware(inner, minimum_size=1000, compresslevel=4)

    def refuses(scope: Scope, error: LedgerError) -> Response:
        answer = refused(Request(scope), error)
        if isinstance(error, TooSlow):
            answer.headers["Connection"] = "close"  # what may still come of it is not the next request
        return answer

    return Guard(
        packed,
        hosts=hosts,
        cookie=site.cookie,
        knows=site.doors.has_session,
        refused=refuses,
        log=site.log,
        patience=patience,
    )
