"""The manifest, icons and service worker with which a phone puts the page on its home screen."""

from __future__ import annotations

import json

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ledger.journal.book import Book
from web.fragments import render
from web.people import Person
from web.site import page_route, static_address

OFFLINE_FILES = ("offline.html", "page.css", "icon.svg")
"""The files that a phone keeps, to show a special page while it cannot reach the server."""

ICON_SIZES = (192, 512)
"""The width and height of the icons, in pixels. Android asks for these two sizes."""

COLOR = "#2b4a8b"


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
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": COLOR,
        "theme_color": COLOR,
        "icons": icons,
    }
    return Response(json.dumps(fields, ensure_ascii=False), media_type="application/manifest+json")


def worker(_request: Request) -> Response:
    """Answer with the service worker. It keeps only the files in `OFFLINE_FILES`, and never a page of the campaign."""
    files = [static_address(name) for name in OFFLINE_FILES]
    return Response(
        render("worker.js", files=json.dumps(files), cache=json.dumps(f"campaign-{'-'.join(files)}")),
        media_type="text/javascript",
        headers={"Cache-Control": "no-cache"},
    )


ROUTES = [Route("/manifest.webmanifest", manifest), Route("/worker.js", worker)]
