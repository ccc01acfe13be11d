"""The interface for programs, version 1. It takes the same bodies as the forms, and uses JSON in both directions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body as Sent
from fastapi import FastAPI, Header, Query, Request
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ledger.errors import BadInput, LedgerError
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.reading.names import Names
from ledger.reading.points import read_point
from projections.as_json import as_json
from projections.dice_odds import odds_of_roll
from projections.luck import luck
from projections.questions import due_questions, open_offers
from projections.sheets import sheets, table_sheets
from projections.status import seats, status
from web.campaign import WriteOptions, gist_of
from web.people import with_own_note
from web.site import Site, error_response, handle_error, site_of

MOST_ENTRIES = 500

ROUTE_ERRORS = {404: "This page does not exist.", 405: "This address cannot be used in this way (wrong HTTP method)."}

Once = Annotated[str | None, Header(alias="Idempotency-Key")]
At = Annotated[int | None, Query(ge=1)]


def build_api(site: Site) -> FastAPI:
    """Return the interface of a site. It is mounted under /api/v1."""
    api = FastAPI(title="Campaign ledger", version="1", docs_url=None, redoc_url=None, openapi_url=None)
    api.state.site = site
    api.add_exception_handler(LedgerError, handle_error)
    api.add_exception_handler(Exception, handle_error)
    api.add_exception_handler(RequestValidationError, _malformed)
    api.add_exception_handler(HTTPException, answer_unknown_route)
    api.add_api_route("/say/{command}", run_command, methods=["POST"])
    api.add_api_route("/entries", entries)
    api.add_api_route("/sheets", all_sheets)
    api.add_api_route("/questions", waiting)
    api.add_api_route("/status", state)
    api.add_api_route("/players", players)
    api.add_api_route("/luck", dice_of_everybody)
    api.add_api_route("/odds", odds)
    return api


async def run_command(
    request: Request,
    command: str,
    body: Annotated[dict[str, Any], Sent()],
    once: Once = None,
    dry: bool = False,
    agreed: str | None = None,
    clock_ok: bool = False,
) -> Response:
    """Run a command, and answer with its entries.

    - `dry` writes nothing, and returns a `plan`. Only the GM may use it, because it may show secrets.
    - `agreed` is a plan. If the result would differ, the command is refused (`PlanChanged`).
    - `clock_ok` is the GM's answer to `ClockDiffers`: the clock of the server's computer is right.
    """
    site = site_of(request)
    person = await site.person_async(request)
    options = WriteOptions(once=once, dry=dry, agreed=agreed, clock_ok=clock_ok)
    written, note = await run_in_threadpool(site.say, person, command, body, options)
    site.feed.poke()
    entries = [entry for done in written for entry in done.entries]
    answer = {"entries": entries, "again": any(done.again for done in written), "dry": dry, "note": note}
    return _answer(answer | ({"plan": gist_of(written)} if dry else {}))


def entries(request: Request, after: int = 0, most: int = 100) -> Response:
    """Answer with up to `most` entries after entry `after`, as stored.

    They include typed texts. The only secrets in them are notes that the person who asks may read.
    """
    with site_of(request).snapshot_with_person(request) as (book, person):
        last = min(book.head(), after + max(0, min(most, MOST_ENTRIES)))
        found_entries = [with_own_note(book, person, book.entry(seq)) for seq in range(max(after, 0) + 1, last + 1)]
        return _answer({"entries": found_entries, "head": book.head()})


def all_sheets(request: Request, who: str | None = None, at: At = None, corrected: bool = False) -> Response:
    """Answer with the sheets of one character or of all characters, now or as of an entry."""
    with site_of(request).snapshot_with_person(request) as (book, _):
        point = _point(request, book, at, corrected)
        if who is None:
            return _answer([*table_sheets(book, point), *sheets(book, book.cast(point), point)])
        return _answer(sheets(book, [Names(book, when=point).character(who)], point))


def waiting(request: Request, at: At = None, skip: int = 0, most: int = 100) -> Response:
    """Answer with the open questions, the oldest first. Skip the first `skip` questions, and return up to `most`.

    The open offers follow, with the type `offer`.
    """
    with site_of(request).snapshot_with_person(request) as (book, _):
        point = _point(request, book, at, False)
        questions = due_questions(book, point).first(max(0, min(most, MOST_ENTRIES)), skip=max(skip, 0), facts=False)
        return _answer([*questions, *open_offers(book, point)])


def players(request: Request, at: At = None, corrected: bool = False) -> Response:
    """Answer with the players and their characters."""
    with site_of(request).snapshot_with_person(request) as (book, _):
        return _answer(seats(book, _point(request, book, at, corrected)))


def state(request: Request) -> Response:
    """Answer with the state of play, the number of entries, and the person who sent the request."""
    with site_of(request).snapshot_with_person(request) as (book, person):
        return _answer({**status(book, facts=False).as_json(), "head": book.head(), "you": person})


def dice_of_everybody(
    request: Request,
    who: str | None = None,
    die: int | None = None,
    session: int | None = None,
    at: At = None,
    corrected: bool = False,
) -> Response:
    """Answer with what everybody rolled, or only one character or player. `die` is a number of sides."""
    with site_of(request).snapshot_with_person(request) as (book, _):
        point = _point(request, book, at, corrected)
        thrower = None if who is None else Names(book, when=point).roller(who)
        return _answer(luck(book, thrower, die, session, point))


def odds(request: Request, pool: str, who: str | None = None, vs: int | None = None) -> Response:
    """Answer with the odds of a roll of plain dice. `vs` is a target: a total that reaches it is a success."""
    with site_of(request).snapshot_with_person(request) as (book, _):
        return _answer(odds_of_roll(book, None if who is None else Names(book).roller(who), pool, vs))


def _point(request: Request, book: Book, at: int | None, corrected: bool) -> AsOf:
    return read_point(book, None if at is None else str(at), corrected, site_of(request).campaign.with_local_zone)


def _answer(view: Any) -> Response:
    return Response(as_json(view), media_type="application/json")


async def answer_unknown_route(request: Request, error: Exception) -> Response:
    """Answer a request that has an unknown address or a wrong method. The page uses this function too."""
    assert isinstance(error, HTTPException)  # noqa: S101  registered only for this type
    sentence = ROUTE_ERRORS.get(error.status_code, "The request cannot be read.")
    answer = error_response(request, LedgerError(sentence, "Open the start page at /."), error.status_code)
    answer.headers.update(error.headers or {})
    return answer


async def _malformed(request: Request, error: Exception) -> Response:
    says = "The program that sent the request must send one JSON object, and use only whole numbers in it."
    return error_response(request, BadInput(says, "See docs/page.md."))
