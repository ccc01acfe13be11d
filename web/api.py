"""The interface for programs, version 1. It takes the same bodies as the forms, and uses JSON in both directions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import FastAPI, Header, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BeforeValidator
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response, StreamingResponse

from ledger.errors import BadInput, LedgerError, quoted
from ledger.events.entry import Entry
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.reading.names import Names
from ledger.reading.points import read_point
from ledger.scribe import LONGEST_ONCE, Written
from projections.as_json import as_json
from projections.chronicle import session_spans
from projections.dice_odds import odds_of_roll
from projections.log import line
from projections.luck import luck
from projections.questions import OpenQuestion, due_questions, open_offers
from projections.sheets import sheets, table_sheets
from projections.status import SeatedPlayer, seats, status
from web import answers, interface
from web.bodies import BODIES, body_of, unknown_command
from web.campaign import WriteOptions, plan_hash
from web.feed import Message, StreamFormat
from web.fragments import secrets_for, text_of
from web.people import Person, with_own_note
from web.problems import WrongField
from web.site import UNBUFFERED_HEADERS, error_response, handle_error, site_of

MOST_ENTRIES = 500
MOST_READ = 2000
"""The maximum number of entries that a request with a filter reads to find matching entries."""

LARGEST_NUMBER = 2**53 - 1

ROUTE_ERRORS = {404: "This page does not exist.", 405: "This address cannot be used in this way (wrong HTTP method)."}

JSON_MEDIA_TYPE = "application/json"
HEARTBEAT_EVENT = b"event: heartbeat\ndata: {}\n\n"


def _true_or_false(typed: Any) -> Any:
    return {"true": True, "false": False}.get(typed, typed) if isinstance(typed, str) else typed


TrueOrFalse = Annotated[bool, BeforeValidator(_true_or_false), Query(strict=True)]
Skip = Annotated[int, Query(ge=0, le=LARGEST_NUMBER, description="How many items to skip at the start.")]
Most = Annotated[int, Query(ge=1, le=MOST_ENTRIES, description="How many items to return at most.")]
At = Annotated[
    int | None, Query(ge=1, le=LARGEST_NUMBER, description="Show everything as it was at this entry (default: now).")
]
Corrected = Annotated[
    TrueOrFalse, Query(description="Only with `at`: include the corrections made after that entry, too.")
]
Who = Annotated[str | None, Query(description="Only this character. You may shorten a name.")]
Once = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=LONGEST_ONCE,
        pattern="^[ -~]+$",
        description="Your ID for the request. If you send the request again with this ID, nothing new is written.",
    ),
]
EVENT_ID_PATTERN = r"^[0-9]{1,9}(-[0-9a-f]{0,64})?$"
After = Annotated[str | None, Query(pattern=EVENT_ID_PATTERN, description="Start after this event, such as 17.")]
LastEvent = Annotated[
    str | None, Header(alias="Last-Event-ID", pattern=EVENT_ID_PATTERN, description="The last event that you received.")
]


def build_api() -> FastAPI:
    """Return the interface, which is mounted under /api/v1."""
    api = FastAPI(
        title="Campaign ledger",
        version="1",
        description=interface.INTRODUCTION,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=lambda route: route.name,
        separate_input_output_schemas=False,
        responses=interface.PROBLEM_RESPONSES,
    )
    api.add_exception_handler(LedgerError, _answer_refused)
    api.add_exception_handler(Exception, handle_error)
    api.add_exception_handler(RequestValidationError, _answer_malformed)
    api.add_exception_handler(HTTPException, answer_unknown_route)
    # A web page of another host, such as a virtual tabletop, may send a token. With `*`, browsers leave out cookies.
    api.add_middleware(
        CORSMiddleware,
        allow_origins=["*"],
        allow_methods=["GET", "POST"],
        allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID"],
    )
    for name, body in BODIES.items():
        described = interface.describe_command(name, body)
        api.add_api_route(
            f"/say/{name}",
            partial(run_command, name),
            methods=["POST"],
            response_model=answers.WrittenAnswer,
            **described,
        )
    api.add_api_route("/say/{command}", refuse_command, methods=["POST"], include_in_schema=False)
    api.add_api_route("/entries", entries, response_model=answers.EntriesAnswer)
    api.add_api_route("/sheets", all_sheets, response_model=list[answers.SheetAnswer])
    api.add_api_route("/questions", waiting, response_model=list[OpenQuestion])
    api.add_api_route("/status", state, response_model=answers.StatusAnswer)
    api.add_api_route("/players", players, response_model=list[SeatedPlayer])
    api.add_api_route("/luck", dice_of_everybody, response_model=list[answers.LuckAnswer])
    api.add_api_route("/odds", odds, response_model=answers.OddsAnswer)
    api.add_api_route("/feed", feed, responses=interface.STREAM_RESPONSE, response_class=StreamingResponse)
    api.add_api_route("/openapi.json", interface.download, include_in_schema=False)
    api.add_api_route("/docs", interface.show, include_in_schema=False)
    return api


async def run_command(
    name: str,
    request: Request,
    once: Once = None,
    dry: Annotated[TrueOrFalse, Query(description="Write nothing, and return a `plan`.")] = False,
    agreed: Annotated[str | None, Query(description="The plan to write. If the result would differ, refuse.")] = None,
    clock_ok: Annotated[TrueOrFalse, Query(description="The clock of the server's computer is right.")] = False,
) -> Response:
    """Run a command, and answer with its entries.

    Raise `PlanChanged` if the result would differ from the plan in `agreed`, and `ClockDiffers` if the clock seems
    wrong and `clock_ok` is not set.
    """
    site = site_of(request)
    person = await site.person_async(request)
    body = body_of(name, await _sent_object(request), strict=True)
    options = WriteOptions(once=once, dry=dry, agreed=agreed, clock_ok=clock_ok)
    lines: list[str] = []

    def show(book: Book, written: Sequence[Written]) -> None:
        lines.extend(text_of(line(book, done.entries)) for done in written if done.entries)

    written, note = await run_in_threadpool(site.run_command, person, name, body, options, show)
    site.feed.check_now()
    entries = [entry for done in written for entry in done.entries]
    again = any(done.again for done in written)
    answer = {"entries": entries, "lines": lines, "again": again, "dry": dry, "note": note}
    return _answer(answer | ({"plan": plan_hash(written)} if dry else {}))


async def refuse_command(request: Request, command: str) -> Response:
    """Answer to a command that does not exist: first check the login, then refuse."""
    await site_of(request).person_async(request)
    raise unknown_command(command)


async def _sent_object(request: Request) -> dict[str, Any]:
    """Return the JSON object in a request. Raise `WrongField` if the body is something else."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        body = await request.body() if kind == JSON_MEDIA_TYPE else b""
        sent = json.loads(body, parse_float=_number, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        sent = None
    if not isinstance(sent, dict):
        raise WrongField(
            f"The program that sent the request must send one JSON object ({JSON_MEDIA_TYPE}).", interface.DOCS_HINT
        )
    return sent


def _number(text: str) -> float:
    """Return the value of a JSON number with a decimal point. A whole value, such as 2.0, becomes an integer."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _refuse_constant(name: str) -> None:
    raise ValueError(name)  # JSON has neither NaN nor Infinity


def entries(
    request: Request,
    after: Annotated[int, Query(ge=0, le=LARGEST_NUMBER, description="Only entries after this one.")] = 0,
    most: Most = 100,
    session: Annotated[int | None, Query(ge=1, le=LARGEST_NUMBER, description="Only this session.")] = None,
    player: Annotated[str | None, Query(description="Only what this player entered.")] = None,
    who: Who = None,
) -> Response:
    """Answer with up to `most` entries after entry `after`, as stored.

    Send `next` of the answer as `after` to get the next page. With a filter, a page may have few entries or none, even
    if later pages have more. Entries include typed texts. The only secrets in them are notes that the person who asks
    may read.
    """
    with site_of(request).snapshot_with_person(request) as (book, person):
        names, (first, last) = Names(book), _span(book, session)
        by, named = player and names.player(player), who and names.character(who)
        found: list[Entry] = []
        start = max(after + 1, first)
        stop = min(last, start + MOST_READ - 1)
        seq = start - 1
        while seq < stop and len(found) < most:
            seq += 1
            entry = book.entry(seq)
            if (not by or entry.by == by) and (not named or named in _named_in(entry)):
                found.append(with_own_note(book, person, entry))
        return _answer({"entries": found, "head": book.head(), "next": seq if start <= seq < last else None})


def _span(book: Book, session: int | None) -> tuple[int, int]:
    """Return the first and the last entry of a session, or of the whole record; (1, 0) for an unknown session."""
    if session is None:
        return 1, book.head()
    return next(((span.first, span.last) for span in session_spans(book, session=session)), (1, 0))


def _named_in(entry: Entry) -> set[str]:
    """Return the characters that an entry is about, or whose scores or values it changes."""
    event = entry.event
    return {event.subject, *(each.who for each in event.postings), *(each.who for each in event.marks)}


def all_sheets(request: Request, who: Who = None, at: At = None, corrected: Corrected = False) -> Response:
    """Answer with the sheets of one character or of all characters, now or as of an entry."""
    with site_of(request).snapshot_with_person(request) as (book, _):
        point = _point(request, book, at, corrected)
        if who is None:
            return _answer([*table_sheets(book, point), *sheets(book, book.cast(point), point)])
        return _answer(sheets(book, [Names(book, when=point).character(who)], point))


def waiting(request: Request, at: At = None, skip: Skip = 0, most: Most = 100) -> Response:
    """Answer with the open questions, the oldest first. Skip the first `skip` questions, and return up to `most`.

    The open offers follow, with the type `offer`.
    """
    with site_of(request).snapshot_with_person(request) as (book, _):
        point = _point(request, book, at, False)
        questions = due_questions(book, point).first(most, skip=skip, facts=False)
        return _answer([*questions, *open_offers(book, point)])


def players(request: Request, at: At = None, corrected: Corrected = False) -> Response:
    """Answer with the players and their characters."""
    with site_of(request).snapshot_with_person(request) as (book, _):
        return _answer(seats(book, _point(request, book, at, corrected)))


def state(request: Request) -> Response:
    """Answer with the state of play, the number of entries, and the person who sent the request."""
    with site_of(request).snapshot_with_person(request) as (book, person):
        return _answer({**status(book, facts=False).as_json(), "head": book.head(), "you": person})


def dice_of_everybody(
    request: Request,
    who: Annotated[str | None, Query(description="Only this character or player.")] = None,
    die: Annotated[
        int | None, Query(ge=1, le=LARGEST_NUMBER, description="Only dice with this number of sides.")
    ] = None,
    session: Annotated[int | None, Query(ge=1, le=LARGEST_NUMBER, description="Only this session.")] = None,
    at: At = None,
    corrected: Corrected = False,
) -> Response:
    """Answer with what everybody rolled, or what one character or player rolled. `die` is a number of sides."""
    with site_of(request).snapshot_with_person(request) as (book, _):
        point = _point(request, book, at, corrected)
        thrower = None if who is None else Names(book, when=point).roller(who)
        return _answer(luck(book, thrower, die, session, point))


def odds(
    request: Request,
    pool: Annotated[str, Query(description="The dice, such as 4d6kh3.")],
    who: Annotated[str | None, Query(description="Who would roll. The roll may use this sheet's scores.")] = None,
    vs: Annotated[int | None, Query(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER, description="The target.")] = None,
) -> Response:
    """Answer with the odds of a roll of plain dice. `vs` is a target: a total that reaches it is a success."""
    with site_of(request).snapshot_with_person(request) as (book, _):
        return _answer(odds_of_roll(book, None if who is None else Names(book).roller(who), pool, vs))


async def feed(request: Request, after: After = None, last_event_id: LastEvent = None) -> Response:
    """Stream each new action as a server-sent event, as soon as it is written.

    The `id` of an event names the last entry of the action. If the connection breaks, connect again and send this id as
    `Last-Event-ID` (or as `after`): the stream continues with the next action, and none is lost. If you send neither,
    the stream starts with the next new action. The data of an event is JSON, with the fields of `ActionAnswer`.

    - A `heartbeat` comes after 15 seconds without news. If nothing comes for 35 seconds, connect again.
    - A `reset` means that the stream cannot continue after your last event: a backup was restored, or you missed more
      than 500 actions. Read `/entries` from the start. The stream goes on after the entry in the event's `id`.
    """
    site = site_of(request)
    person = await site.person_async(request)
    site.feed.check_room(person.visit)
    start = last_event_id or after or str(await run_in_threadpool(site.newest_event_id))
    seq, _, leaf = start.partition("-")

    def events(messages: Sequence[Message]) -> bytes:
        with site.campaign.snapshot() as book:
            return b"".join(_event(book, person.with_current_role(book), message) for message in messages)

    async def write(messages: Sequence[Message]) -> bytes:
        return await site.feed.in_turn(events, messages)

    # The `id` at the start lets a program resume even if it has not received any event yet.
    form = StreamFormat(write, HEARTBEAT_EVENT, f"retry: 500\nid: {start}\n\n".encode())
    stream = site.feed.stream(int(seq), leaf, person.visit, form=form)
    return StreamingResponse(
        site.while_logged_in(request, stream), headers=UNBUFFERED_HEADERS, media_type="text/event-stream"
    )


def _event(book: Book, person: Person, message: Message) -> bytes:
    """Return the server-sent event for an action, with the secrets that a person may read."""
    if message.must_reload:
        return f"event: reset\nid: {message.last}-{message.leaf}\ndata: {{}}\n\n".encode()
    public = book.action(book.journal.entry(message.last).act)
    act = public[0].act
    data = {
        "act": act,
        "last": message.last,
        "text": text_of(line(book, public)),
        "secrets": secrets_for(book, person, act),
        "entries": [with_own_note(book, person, entry) for entry in public],
    }
    return f"id: {message.last}-{message.leaf}\ndata: {as_json(data)}\n\n".encode()


def _point(request: Request, book: Book, at: int | None, corrected: bool) -> AsOf:
    return read_point(book, None if at is None else str(at), corrected, site_of(request).campaign.with_local_zone)


def _answer(view: Any) -> Response:
    return Response(as_json(view), media_type=JSON_MEDIA_TYPE)


async def answer_unknown_route(request: Request, error: Exception) -> Response:
    """Answer a request that has an unknown address or a wrong method. The page uses this function too."""
    assert isinstance(error, HTTPException)  # noqa: S101  registered only for this type
    sentence = ROUTE_ERRORS.get(error.status_code, "The request cannot be read.")
    answer = error_response(request, LedgerError(sentence, "Open the start page at /."), error.status_code)
    answer.headers.update(error.headers or {})
    return answer


def _answer_refused(request: Request, error: Exception) -> Response:
    """Answer with the error of a refused request.

    If the request fits the description of the interface, but one of its values cannot be used, the status is 409.
    """
    if isinstance(error, BadInput) and not isinstance(error, WrongField):
        return error_response(request, error, HTTPStatus.CONFLICT)
    return handle_error(request, error)


async def _answer_malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101  registered only for this type
    place = str(error.errors()[0]["loc"][-1])
    says = f"The value of {quoted(place)} is missing or cannot be used."
    return error_response(request, WrongField(says, interface.DOCS_HINT))
