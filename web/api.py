"""The interface for programs, version 1: the same bodies as the forms, the same commands, JSON both ways."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body as Sent
from fastapi import FastAPI, Header, Query, Request
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from ledger.errors import BadInput, LedgerError
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.reading.names import Names
from ledger.reading.points import when
from projections.questions import waiting_at
from projections.sheets import sheets
from projections.status import moment, seats
from web.campaign import gist_of
from web.site import Site, answered, refused, site_of

MOST_ENTRIES = 500

NOT_TAKEN = {404: "This page does not exist.", 405: "This address cannot be used in this way (wrong HTTP method)."}

Once = Annotated[str | None, Header(alias="Idempotency-Key")]
At = Annotated[int | None, Query(ge=1)]


def made(site: Site) -> FastAPI:
    """The interface of a site, under /api/v1."""
    api = FastAPI(title="Campaign ledger", version="1", docs_url=None, redoc_url=None, openapi_url=None)
    api.state.site = site
    api.add_exception_handler(LedgerError, answered)
    api.add_exception_handler(Exception, answered)
    api.add_exception_handler(RequestValidationError, _malformed)
    api.add_exception_handler(HTTPException, not_taken)
    api.add_api_route("/say/{command}", say, methods=["POST"])
    api.add_api_route("/entries", entries)
    api.add_api_route("/sheets", all_sheets)
    api.add_api_route("/questions", waiting)
    api.add_api_route("/status", status)
    return api


async def say(
    request: Request,
    command: str,
    body: Annotated[dict[str, Any], Sent()],
    once: Once = None,
    dry: bool = False,
    agreed: str | None = None,
    clock_ok: bool = False,
) -> Response:
    """Run a command, and answer with its entries. Only the GM may ask for a dry run, which may show secrets.

    The answer also has the `plan`. If it is sent back as `agreed`, a different result is refused (`PlanChanged`). After
    `ClockDiffers`, the GM can send `clock_ok` to confirm that the clock of the GM's computer is right.
    """
    site = site_of(request)
    person = await site.asking(request)
    how: dict[str, Any] = {"once": once, "dry": dry, "agreed": agreed, "clock_ok": clock_ok}
    written, note = await run_in_threadpool(site.say, person, command, body, **how)
    site.feed.poke()
    entries = [{**entry.body, "leaf": entry.leaf.hex()} for done in written for entry in done.entries]
    told = {"entries": entries, "again": any(done.again for done in written), "dry": dry, "note": note}
    return JSONResponse(told | ({"plan": gist_of(written)} if dry else {}))


def entries(request: Request, after: int = 0, most: int = 100) -> Response:
    """The entries after one, as they are stored, their words filled in; what is secret stays closed."""
    with site_of(request).look(request) as (book, _):
        last = min(book.head(), after + max(0, min(most, MOST_ENTRIES)))
        found = [book.entry(seq) for seq in range(max(after, 0) + 1, last + 1)]
        return JSONResponse(
            {"entries": [{**each.body, "leaf": each.leaf.hex()} for each in found], "head": book.head()}
        )


def all_sheets(request: Request, who: str | None = None, at: At = None, corrected: bool = False) -> Response:
    """The sheets of all characters, or of one, now or at an entry."""
    with site_of(request).look(request) as (book, _):
        point = _point(request, book, at, corrected)
        cast = book.cast(point) if who is None else [Names(book, when=point).character(who)]
        found = [
            {
                "who": page.who,
                "system": page.system,
                "scores": {score.name: score.value for score in page.scores},
                "marks": dict(page.marks),
                "hold": page.hold,
            }
            for page in sheets(book, cast, point)
        ]
        return Response(_json(found), media_type="application/json")


def waiting(request: Request, at: At = None, skip: int = 0, most: int = 100) -> Response:
    """List the open questions, the oldest first: at most `most`, after the first `skip`."""
    with site_of(request).look(request) as (book, _):
        waits = waiting_at(book, _point(request, book, at, False))
        found = waits.first(max(0, min(most, MOST_ENTRIES)), skip=max(skip, 0), facts=False)
        return JSONResponse([question.__dict__ for question in found])


def status(request: Request) -> Response:
    """The moment, who sits at the table, and who asks."""
    with site_of(request).look(request) as (book, person):
        now = {"campaign": book.title(), "head": book.head(), **moment(book).__dict__}
        return JSONResponse({**now, "seats": [seat.__dict__ for seat in seats(book)], "you": person.__dict__})


def _point(request: Request, book: Book, at: int | None, corrected: bool) -> AsOf:
    return when(book, None if at is None else str(at), corrected, site_of(request).campaign.zone)


def _json(value: Any) -> str:
    import json

    from ledger.events.commitments import Secret

    def told(other: Any) -> Any:
        if isinstance(other, Secret):
            return "(secret)"
        raise TypeError(type(other).__name__)

    return json.dumps(value, default=told, ensure_ascii=False)


async def not_taken(request: Request, error: Exception) -> Response:
    """What the frameworks refuse, at the page and here: an address with nothing there, or not asked in this way."""
    assert isinstance(error, HTTPException)  # noqa: S101  registered for no other
    sentence = NOT_TAKEN.get(error.status_code, "The request cannot be read.")
    answer = refused(request, LedgerError(sentence, "Open the start page at /."), error.status_code)
    answer.headers.update(error.headers or {})
    return answer


async def _malformed(request: Request, error: Exception) -> Response:
    says = "The program that sent the request must send one JSON object, and use only whole numbers in it."
    return refused(request, BadInput(says, "See docs/page.md."))
