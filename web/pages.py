"""The routes for the pages that a browser shows, and for the stream of updates."""

from __future__ import annotations

from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from ledger.audit.report import AuditResult
from ledger.errors import Refused
from ledger.events.commitments import with_texts
from ledger.events.types import MovePlayed
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.reading.names import Names
from ledger.reading.points import read_point
from projections.chronicle import part_of_story, session_spans
from projections.log import comments_on_versions, dice_sources, line, lines, tell_comment, working_of
from projections.phrases import tell
from projections.questions import due_questions
from projections.recap import recap
from projections.search import EVENTS_BY_KIND, with_rolls_found
from projections.sheets import sheets, table_sheets
from projections.status import moment, turns
from projections.why import why_label
from web import forms
from web.audits import AuditRun
from web.bodies import commands_for
from web.desk import desk_values
from web.fragments import (
    MOST_CHARACTERS,
    MOST_LINES,
    hides_secret,
    own_values,
    question_values,
    render,
    secrets_for,
    undo_values,
    words_in_feed,
)
from web.people import Person, export_readers, own_characters, with_own_note
from web.search import SEARCH_FIELDS, read_query
from web.site import (
    DIGITS_LIMIT,
    UNBUFFERED_HEADERS,
    cached_route,
    newest_event_id,
    page_route,
    qr_code,
    render_fragment,
    render_page,
    site_of,
    typed_character,
)

MOST_SESSIONS = 20
"""The maximum number of sessions in a list. A search finds the others."""
MOST_CAUSES, MOST_LINES_ON_EARLIER_PAGE = 10, 10


@cached_route
def table(request: Request, book: Book, person: Person) -> str:
    """Show the table: open questions, the person's characters, the sheets, and the feed."""
    due, order = due_questions(book), turns(book)
    characters = own_characters(book, person) if person.role != "spectator" else []
    cast, first = book.cast(), set[str]() if person.is_gm else set(characters)
    listed = sorted(cast, key=lambda who: who not in first)[:MOST_CHARACTERS]
    return render_page(
        request,
        "table.html",
        book,
        person,
        "./",
        head=newest_event_id(book),
        moment=moment(book, due=due),
        turns=order,
        **question_values(due, order) | own_values(due, order, person),
        **undo_values(book, person),
        own=characters[:MOST_CHARACTERS],
        more_own=len(characters) > MOST_CHARACTERS,
        sheets=sheets(book, listed),
        more_sheets=len(cast) - len(listed),
        of_table=table_sheets(book),
        lines=lines(book, MOST_LINES),
        **(desk_values(book, order) | {"cast": cast} if person.is_gm else {}),
    )


@cached_route
def waiting_for_person(request: Request, book: Book, person: Person) -> str:
    """Show what waits for the person: the turn, and the questions and offers to answer."""
    return render("mine.html", **own_values(due_questions(book), turns(book), person))


@cached_route
def sheet(request: Request, book: Book, person: Person) -> str:
    """Show the sheets of one character."""
    who, shown = Names(book).character(typed_character(request)), newest_event_id(book)
    rolls = person.is_gm or (person.role != "spectator" and who in own_characters(book, person))
    return render_page(
        request, "sheet.html", book, person, "", page=who, sheets=sheets(book, [who]), head=shown, rolls=rolls
    )


async def watch(request: Request) -> Response:
    """Stream the updates as they happen. The header `Last-Event-ID` resumes an interrupted stream."""
    site = site_of(request)
    person = await site.person_async(request)
    site.feed.check_room(person.visit)
    typed = request.headers.get("last-event-id") or request.query_params.get("after", "0")
    seq, _, leaf = typed.partition("-")
    after = int(seq) if seq.isascii() and seq.isdecimal() and len(seq) < DIGITS_LIMIT else 0
    stream = site.feed.stream(after, leaf, person.visit, gm=person.is_gm)
    return StreamingResponse(
        site.while_logged_in(request, stream), headers=UNBUFFERED_HEADERS, media_type="text/event-stream"
    )


@page_route
def entry(request: Request, book: Book, person: Person) -> Response:
    """Show the details of an action: the calculation, the author, and the possible corrections."""
    seq = Names(book).entry(request.path_params["seq"])
    act = book.journal.entry(seq).act
    entries = book.action(act, secrets=person.is_gm)
    thrown = {source for entry in entries for source in dice_sources(book, entry)}
    shown = [
        {
            "seq": each.seq,
            "says": f"{book.name_of(each.event.subject)} {tell(book, each)}",
            "working": working_of(book, each),
            "why": with_texts(getattr(each.event, "inputs", {}).get("why")),
        }
        for each in entries
        if isinstance(each.event, MovePlayed) or working_of(book, each)
    ]
    public, full = line(book, book.action(act)), line(book, entries)
    says = [*full.note] or [full.says]
    offered = commands_for(person)
    hides = "reveal" in offered and any(hides_secret(book, each) for each in entries)
    spoken = [with_own_note(book, person, comment) for comment in comments_on_versions(book, act)]
    return render_fragment(
        request,
        book,
        person,
        "entry.html",
        seq=seq,
        says=says if says != words_in_feed(public) else [],
        shown=shown,
        corrections=forms.corrections(book, seq, offered),
        hides=hides,
        secrets=secrets_for(book, person, act),
        spoken=[f"#{comment.seq} {tell_comment(book, comment)}" for comment in spoken],
        by=book.name_of(entries[0].by),
        at=entries[0].clock,
        thrown=", ".join(sorted(thrown, reverse=True)),
    )


@page_route
def why_of(request: Request, book: Book, person: Person) -> Response:
    """Show which entries produced a score or a row of a sheet."""
    names = Names(book)
    who, typed = names.character(request.path_params["who"]), request.query_params.get("score", "")
    point = _point(request, book)
    answers, marks = why_label(names, who, typed, point, most=MOST_CAUSES)
    then = f"at #{point.seq} was" if "at" in request.query_params else ""
    return render_fragment(
        request,
        book,
        person,
        "why.html",
        who=who,
        answers=answers,
        marks=marks,
        then=then,
        working_of=partial(working_of, book),
    )


def _point(request: Request, book: Book) -> AsOf:
    asked = request.query_params
    return read_point(
        book, asked.get("at"), asked.get("corrected") == "true", site_of(request).campaign.with_local_zone
    )


@page_route
def earlier(request: Request, book: Book, person: Person) -> Response:
    """Show up to `MOST_LINES` lines before an action."""
    before = Names(book).entry(request.query_params.get("before", ""))
    point = AsOf(seq=book.journal.entry(before).act - 1, corrected=True)
    return render_fragment(request, book, person, "lines.html", lines=lines(book, MOST_LINES, point))


@page_route
def search(request: Request, book: Book, person: Person) -> Response:
    """Show the lines that fit a search, the latest first."""
    index, sessions = site_of(request).index, [*session_spans(book)]
    asked = {name: typed for name, typed in request.query_params.items() if name in SEARCH_FIELDS and typed}
    query = read_query(asked, sessions)
    if before := request.query_params.get("before"):
        query = query.replace(last=min(query.last, Names(book).entry(before) - 1))
    found = index.search(book, person, query) if asked else []
    return render_fragment(
        request,
        book,
        person,
        "search.html",
        asked=asked,
        lines=[with_rolls_found(line(book, book.action(act)), query) for act in reversed(found[:MOST_LINES])]
        if asked
        else None,
        more=len(found) > MOST_LINES,
        first=index.first,
        characters=[(who, book.name_of(who)) for who in book.cast()],
        players=book.players().items(),
        sessions=[(span.number, f"{span.number} {span.title}") for span in sessions],
        kinds=[(kind, kind) for kind in EVENTS_BY_KIND],
    )


@page_route
def sheets_at(request: Request, book: Book, person: Person) -> Response:
    """Show the sheets and the last lines at an earlier entry, with or without later corrections."""
    head = book.head()
    point = _point(request, book)
    page = render_page(
        request,
        "then.html",
        book,
        person,
        "then",
        at=min(point.seq, head),
        head=head,
        corrected=point.corrected,
        **_found_sessions(request, book),
        moment=moment(book, point),
        turns=turns(book, point),
        sheets=[*table_sheets(book, point), *sheets(book, book.cast(point), point)],
        lines=lines(book, MOST_LINES_ON_EARLIER_PAGE, point),
    )
    return HTMLResponse(page)


@cached_route
def story(request: Request, book: Book, person: Person) -> str:
    """Show the last recap and the newest part of the story, to read or print."""
    try:
        last = recap(book)
    except Refused:
        last = None
    found = _found_sessions(request, book)
    return render_page(
        request, "story.html", book, person, "story", recap=last, part=part_of_story(book, book.head()), **found
    )


@page_route
def story_part(request: Request, book: Book, person: Person) -> Response:
    """Show a part of the story: a session, or as much of it as fits on a page."""
    last = Names(book).entry(request.path_params["last"])
    found = _found_sessions(request, book)
    page = render_page(
        request, "story.html", book, person, "story", recap=None, part=part_of_story(book, last), **found
    )
    return HTMLResponse(page)


def _found_sessions(request: Request, book: Book) -> dict[str, Any]:
    """Return the newest sessions that the search finds, as values for a template.

    The search finds a session if each searched word starts a word of the session's number, title or date.
    """
    words = request.query_params.get("find", "").casefold().split()
    matching = [
        span
        for span in session_spans(book)
        if all(f" {word}" in f" session {span.number} {span.title} {span.date}".casefold() for word in words)
    ]
    return {
        "sessions": matching[:MOST_SESSIONS],
        "more_sessions": len(matching) - MOST_SESSIONS,
        "searched": " ".join(words),
    }


@page_route
def trust(request: Request, book: Book, person: Person) -> Response:
    """Show the last signed checkpoint, so that people can save it."""
    signed = book.journal.storage.checkpoints.all()
    size = max(signed, default=0)
    note = signed.get(size, "")
    can_sign = site_of(request).campaign.can_sign
    values = {
        "size": size,
        "note": note,
        "qr": qr_code(note) if note else "",
        "players": export_readers(book),
        "unsigned": can_sign is not None and not can_sign(book),
    }
    return HTMLResponse(render_page(request, "trust.html", book, person, "trust", **values))


async def start_audit(request: Request) -> Response:
    """Start an audit of the whole history, and show its result or its progress."""
    site = site_of(request)
    await site.person_async(request)
    return _audit_response(await site.audits.start(), first=True)


async def running_audit(request: Request) -> Response:
    """Show the result of the audit that was started last, or its progress."""
    site = site_of(request)
    await site.person_async(request)
    audit = await site.audits.result()
    if audit is None:
        return HTMLResponse("No audit is running.")
    answer = _audit_response(audit, first=False)
    if isinstance(audit, AuditResult):
        answer.headers["HX-Retarget"], answer.headers["HX-Reswap"] = "#audit", "innerHTML"
    return answer


def _audit_response(audit: AuditResult | AuditRun, *, first: bool) -> Response:
    if isinstance(audit, AuditRun):
        return HTMLResponse(render("auditing.html", done=audit.done, total=audit.total, first=first))
    return HTMLResponse(
        render(
            "audit.html",
            entries=audit.file_counts.entries,
            findings=audit.findings[:MOST_LINES],
            remarks=audit.remarks[:MOST_LINES],
            unknown=audit.unknown,
            others=", ".join(audit.also_holds),
            earlier_check=audit.earlier_check,
        )
    )


ROUTES = [
    Route("/", table),
    Route("/mine", waiting_for_person),
    Route("/sheet", sheet),
    Route("/sheet/{who}", sheet),
    Route("/stream", watch),
    Route("/lines", earlier),
    Route("/search", search),
    Route("/entry/{seq}", entry),
    Route("/why/{who}", why_of),
    Route("/then", sheets_at),
    Route("/story", story),
    Route("/story/{last}", story_part),
    Route("/trust", trust),
    Route("/audit", start_audit, methods=["POST"]),
    Route("/audit", running_audit),
]
