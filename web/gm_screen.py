"""The routes of the GM's screen: the desk beside the feed, and secrets for the people who may read them."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ledger.journal.book import Book
from ledger.reading.names import Names
from projections.status import turns
from web.desk import desk_values
from web.fragments import render, secret_values
from web.people import Person, check_gm
from web.site import cached_route, page_route, render_fragment


@cached_route
def desk(request: Request, book: Book, person: Person) -> str:
    """Show the part of the desk that changes with the game: the turn order and the non-player characters."""
    check_gm(person)
    return render("desk.html", **desk_values(book, turns(book)))


@page_route
def secrets(request: Request, book: Book, person: Person) -> Response:
    """Show the secrets of an action that the person may read, below its line in the feed."""
    act = book.journal.entry(Names(book).entry(request.path_params["seq"])).act
    return render_fragment(request, book, person, "secrets.html", **secret_values(book, person, act))


ROUTES = [
    Route("/desk", desk),
    Route("/secrets/{seq}", secrets),
]
