"""The routes for a phone that checks the record on its own: heads, proofs, stored entries, and their texts."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool as threaded
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from ledger.archive.export import may_read
from ledger.archive.verify_page import verify_page
from ledger.errors import BadInput, entry_count
from ledger.events.entry import Entry
from ledger.journal.book import Book
from ledger.reading.names import Names
from ledger.trust.heads import key_entries
from web.form_handlers import fields_of
from web.fragments import render
from web.people import Person
from web.site import DIGITS_LIMIT, page_route, site_of

MOST_PROVED = 50
"""The maximum number of actions whose proofs one request can ask for."""


@page_route
def head(request: Request, book: Book, person: Person) -> Response:
    """Send the size and the root of the record, and the proofs that it continues two earlier heads.

    One earlier head is the latest signed head. The other is the head that the phone saw last. Its size is in the query.
    """
    size, seen = book.head(), _number(request.query_params.get("from", ""), "from")
    signed, note = max(book.journal.checkpoints().items(), default=(0, ""))
    facts = {
        "first": book.first_leaf().hex(),
        "size": size,
        "root": book.root(size).hex(),
        "proof": _consistency(book, seen, size),
        "signed": signed,
        "note": note,
        "signed_proof": _consistency(book, signed, size),
        "keys": [entry.seq for entry in key_entries(book)],
    }
    return JSONResponse(facts)


@page_route
def entries(request: Request, book: Book, person: Person) -> Response:
    """Send the entries of actions as they are stored, each with a proof and the texts for this reader."""
    size, asked = _number(request.query_params.get("at", ""), "at"), request.query_params.getlist("act")
    if not 0 < size <= book.head():
        raise BadInput(f"The record does not have {entry_count(size)}.")
    if len(asked) > MOST_PROVED:
        raise BadInput(f"Ask for at most {MOST_PROVED} actions at once.")
    # each action once: an action may have hundreds of entries
    acts = dict.fromkeys(book.journal.entry(Names(book).entry(typed)).act for typed in asked)
    found = [entry for act in acts for entry in book.journal.action(act) if entry.seq <= size]
    return JSONResponse([_entry_with_proof(book, person, entry, size) for entry in found])


def _entry_with_proof(book: Book, person: Person, entry: Entry, size: int) -> dict[str, Any]:
    return {
        "seq": entry.seq,
        "stored": entry.stored.decode(),
        "proof": [each.hex() for each in book.journal.inclusion_proof(entry.seq - 1, size)],
        "texts": {
            field: [salt.hex(), text]
            for field, (salt, text) in book.words.salts_and_texts(entry.seq).items()
            if person.is_gm or may_read(book, entry, _kind(entry, field), person.seat)
        },
    }


def _kind(entry: Entry, field: str) -> str:
    return next((kind for name, kind, _ in entry.committed if name == field), "")


def _consistency(book: Book, old: int, size: int) -> list[str]:
    """Return the proof that the first `size` entries continue the first `old` ones; [] unless 0 < `old` <= `size`."""
    return [each.hex() for each in book.journal.consistency_proof(old, size)] if 0 < old <= size else []


def _number(typed: str, name: str) -> int:
    if typed and not (typed.isascii() and typed.isdecimal() and len(typed) < DIGITS_LIMIT):
        raise BadInput(f"{name} must be a whole number: how many entries.")
    return int(typed or 0)


async def signature(request: Request) -> Response:
    """Add a signature to the latest checkpoint. A witness made the signature on a phone."""
    site = site_of(request)
    person = await site.person_async(request)
    line = dict(await fields_of(request)).get("line", "")
    size, name = await threaded(site.campaign.add_cosignature, person, f"{line.strip()}\n")
    site.log("cosigned", size=size, seat=person.seat, visit=person.visit)
    return HTMLResponse(render("cosigned.html", size=size, name=name))


def checker(request: Request) -> Response:
    """Send `verify.html`, to keep on the phone: it checks an export without this server."""
    headers = {"Content-Disposition": 'attachment; filename="verify.html"'}
    return Response(verify_page(), media_type="text/html", headers=headers)


ROUTES = [
    Route("/record/head", head),
    Route("/record/entries", entries),
    Route("/record/signature", signature, methods=["POST"]),
    Route("/verify.html", checker),
]
