"""The routes for records to look up or take away: registers, dice, differences, proofs, checkpoints and exports."""

from __future__ import annotations

import shutil
from os import path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from ledger.archive.export import export
from ledger.errors import BadInput, Refused, Run
from ledger.journal.book import Book
from ledger.journal.schema import CAMPAIGN_SUFFIX
from ledger.reading.names import Names
from ledger.reading.points import read_point
from ledger.tlog.checkpoint import format_tlog_proof
from projections.diff import changes
from projections.log import cancellations, lines
from projections.luck import DieLuck, luck
from projections.pictures import change_notes, luck_picture, score_picture
from projections.register import register_lines
from projections.wording import short_name
from web.fragments import render
from web.people import Person, check_gm, export_readers
from web.site import page_route, render_fragment, site_of

MOST_LISTED_ACTIONS = 15
"""The maximum number of actions on the page where the GM can cancel several at once."""

MOST_POSTINGS = 200
"""The maximum number of changes in a register on the page."""

ALL_PLAYERS = "players"


@page_route
def register_of(request: Request, book: Book, person: Person) -> Response:
    """Show the changes of a score: a picture, and a table with the latest change first."""
    names = Names(book)
    who = names.character(request.path_params["who"])
    score = names.posted_score(who, request.query_params.get("score", ""))
    rows = register_lines(book, who, score, most=MOST_POSTINGS)
    canceled = cancellations(book, (row.seq for row in rows))
    title = f"{book.name_of(who)}: {short_name(score)} over time"
    picture = Markup(score_picture(title, rows, canceled))  # noqa: S704  its texts are escaped
    table = [(row, change_notes(row, canceled), row.seq in canceled) for row in reversed(rows)]
    return render_fragment(request, book, person, "register.html", who=who, score=score, picture=picture, rows=table)


@page_route
def rolled_dice(request: Request, book: Book, person: Person) -> Response:
    """Show what everybody rolled, with a chart for each die that has at least as many rolls as sides."""
    dice = [(die, _chart(die, place)) for place, die in enumerate(luck(book))]
    return render_fragment(request, book, person, "luck.html", dice=dice)


def _chart(die: DieLuck, place: int) -> Markup:
    return Markup(luck_picture(die, f"die-{place}") if die.rolls >= die.sides else "")  # noqa: S704  its texts are escaped


@page_route
def differences(request: Request, book: Book, person: Person) -> Response:
    """Show which scores and values differ between two points, and the entries that changed them."""
    asked, zone = request.query_params, site_of(request).campaign.with_local_zone
    typed = [asked.get(name) or "" for name in ("from", "to")]
    one, other = (read_point(book, text or str(book.head()), asked.get("corrected") == "true", zone) for text in typed)
    if one.seq > other.seq:
        raise BadInput("The start comes after the end.", "Enter the earlier entry first.")
    rows = [change for change in changes(book, one, other) if not change.bookkeeping]
    return render_fragment(
        request, book, person, "diff.html", rows=rows, one=one.seq, other=min(other.seq, book.head())
    )


@page_route
def proof(request: Request, book: Book, person: Person) -> Response:
    """Send a file with a proof that an entry is in the history of the latest checkpoint."""
    seq = Names(book).entry(request.path_params["seq"])
    size, note = max(book.journal.checkpoints().items(), default=(0, ""))
    if size < seq:
        raise Refused(f"Entry #{seq} is not signed yet.", f"The GM can sign all entries: {Run('checkpoint')}")
    hashes = book.journal.inclusion_proof(seq - 1, size)
    text = format_tlog_proof(seq - 1, hashes, note, book.journal.entry(seq).stored)
    return _download(text.encode(), f"entry-{seq}.tlog-proof", "text/plain")


@page_route
def recent_actions(request: Request, book: Book, person: Person) -> Response:
    """Show the latest actions, so that the GM can cancel several of them at once."""
    check_gm(person)
    found = [action for action in lines(book, MOST_LISTED_ACTIONS) if not action.struck and action.act > 1]
    return render_fragment(request, book, person, "recent.html", lines=found)


def checkpoint(request: Request) -> Response:
    """Sign all entries, without closing the session."""
    site = site_of(request)
    with site.snapshot_with_person(request) as (_, person):
        check_gm(person)
    note = site.campaign.sign_head() or "This server cannot sign anything."
    site.log("signed", by={"visit": person.visit, "seat": person.seat})
    return HTMLResponse(render("signed.html", note=note))


@page_route
def exported(request: Request, book: Book, person: Person) -> Response:
    """Send an export as a file: with all secrets, without secrets, or for one player."""
    check_gm(person)
    asked, readers = request.query_params.get("for", ""), export_readers(book)
    if asked not in {"", ALL_PLAYERS, *readers}:
        raise BadInput("There is no separate export for this person.", "Choose a player.")
    reader = asked if asked in readers else None
    campaign = site_of(request).campaign.engine.name().removesuffix(CAMPAIGN_SUFFIX)
    with TemporaryDirectory() as folder:
        export(book, path.join(folder, "export"), players=bool(asked), reader=reader)
        packed = shutil.make_archive(path.join(folder, "packed"), "zip", folder, "export")
        with open(packed, "rb") as file:
            content = file.read()
    return _download(content, f"{campaign}-{readers.get(asked, asked) or 'export'}.zip", "application/zip")


def _download(content: bytes, name: str, media_type: str) -> Response:
    """Send a file. The header has the file's name twice: in ASCII for old browsers, and in full."""
    plain = name.encode("ascii", "replace").decode().replace("?", "_").replace('"', "_")
    named = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name)}"
    return Response(content, media_type=media_type, headers={"Content-Disposition": named})


ROUTES = [
    Route("/register/{who}", register_of),
    Route("/luck", rolled_dice),
    Route("/diff", differences),
    Route("/proof/{seq}", proof),
    Route("/recent", recent_actions),
    Route("/checkpoint", checkpoint, methods=["POST"]),
    Route("/export", exported),
]
