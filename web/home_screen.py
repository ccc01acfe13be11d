"""The manifest, icons and service worker with which a phone puts the page on its home screen."""

from __future__ import annotations

import json
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from ledger.journal.book import Book
from web.fragments import render
from web.guard import root_address
from web.people import Person
from web.site import page_route, static_address

OFFLINE_PAGE, OFFLINE_FILES = "offline.html", ("page.css", "icon.svg")
"""The page that a phone shows while it cannot reach the server, and the static files of this page."""

ICON_SIZES = (192, 512)
"""The width and height of the icons, in pixels. Android asks for these two sizes."""

THEME_COLOR = "#2b4a8b"


@page_route
def manifest(_request: Request, book: Book, _person: Person) -> Response:
    """Answer with the name and the icons for the home screen."""
    icons = [
        {
            "src": static_address(f"icon-{size}.png"),
            "sizes": f"{size}x{size}",
            "type": "image/png",
            "purpose": "any maskable",
        }
        for size in ICON_SIZES
    ]
    fields = {
        "name": book.title(),
        "short_name": book.title(),
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": THEME_COLOR,
        "theme_color": THEME_COLOR,
        "icons": icons,
    }
    return Response(json.dumps(fields, ensure_ascii=False), media_type="application/manifest+json")


def offline_page(request: Request) -> Response:
    """Answer with the page for a phone that cannot reach the server. It says nothing about the campaign."""
    return HTMLResponse(_offline_page(request))


def _offline_page(request: Request) -> str:
    return render(OFFLINE_PAGE, root=root_address(request.scope), static_address=static_address)


def worker(request: Request) -> Response:
    """Answer with the service worker. It keeps the offline page with its files, never a page of the campaign."""
    files = [OFFLINE_PAGE, *map(static_address, OFFLINE_FILES)]
    ours = f"campaign {root_address(request.scope)}/ "
    cache = f"{ours}{sha256(_offline_page(request).encode()).hexdigest()[:12]}"
    return Response(
        render("worker.js", files=json.dumps(files), cache=json.dumps(cache), ours=json.dumps(ours)),
        media_type="text/javascript",
        headers={"Cache-Control": "no-cache"},
    )


ROUTES = [Route("/manifest.webmanifest", manifest), Route("/worker.js", worker), Route("/offline.html", offline_page)]
