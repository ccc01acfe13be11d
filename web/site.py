"""The site: what every route needs: the table, the doors, the feed, and the person who asks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from functools import cache
from hashlib import sha256
from ipaddress import ip_address
from os import path
from threading import Lock
from typing import Any

import segno
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool as threaded
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ledger.errors import LedgerError
from ledger.events.entry import Entry
from ledger.journal.book import Book
from ledger.reading.names import Names
from ledger.scribe import Written
from web.bodies import body_of
from web.campaign import Campaign, Show, Stamp
from web.doors import Doors
from web.feed import Feed, Message
from web.guard import Log
from web.people import Person, own_characters
from web.problems import NotAllowed, NotEntered, OthersWrote, status_of
from web.shown import HERE, brought, render

MOST_KEPT = 200
"""So many pages are kept for those who ask again before anything is written."""


class Site:
    """One campaign at one address."""

    def __init__(self, campaign: Campaign, doors: Doors, *, addresses: tuple[str, ...], cookie: str, log: Log) -> None:
        self.campaign = campaign
        self.doors = doors
        self.addresses = addresses
        self.cookie = cookie
        self.log = log
        self.feed = Feed(campaign, self._brought, self._head)
        self._kept: dict[tuple[str, ...], tuple[Stamp, bytes]] = {}
        self._keeping = Lock()

    def person(self, request: Request) -> Person:
        """Who asks, by the visit in the cookie or the header; refuses (`NotEntered`) nobody.

        Refuses (`NotAllowed`) a GM who is neither at this computer nor comes over TLS.
        """
        secret = self._secret(request)
        if not secret:
            raise NotEntered
        person = self.doors.person(secret, self.campaign.now())
        self.check_gm_is_safe(request, gm=person.is_gm)
        return person

    async def asking(self, request: Request) -> Person:
        """Like `person`, for what runs in no thread of its own."""
        return self.person(request) if self.doors.knows(self._secret(request)) else await threaded(self.person, request)

    async def while_in(self, request: Request, stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """A stream, for as long as the GM does not end the visit of the one who asks."""
        secret = self._secret(request)
        async for data in stream:
            if not self.doors.knows(secret):
                return
            yield data

    def _secret(self, request: Request) -> str:
        bearer = request.headers.get("authorization")  # with it no cookie counts: the guard let it in from anywhere
        return request.cookies.get(self.cookie, "") if bearer is None else bearer.removeprefix("Bearer ")

    def check_gm_is_safe(self, request: Request, *, gm: bool) -> None:
        """Refuse (`NotAllowed`) a GM over a line that others may read."""
        if gm and request.url.scheme != "https" and not _is_here(request):
            raise NotAllowed("The GM plays from the table's own computer, or over TLS.", "Serve it with --tls-cert.")

    def say(
        self,
        person: Person,
        name: str,
        sent: Any,
        *,
        once: str | None = None,
        dry: bool = False,
        agreed: str | None = None,
        show: Show | None = None,
    ) -> list[Written]:
        """Write what a body says, whoever sent it, and log that it was said; refuses like `Campaign.write`."""
        body = body_of(name, sent)
        written = self.campaign.write(
            person,
            lambda names: body.commands(names, person, self.campaign),
            once=once,
            dry=dry,
            agreed=agreed,
            show=show,
            check=lambda book: body.check(book, person),
        )
        if not dry:
            entries = [entry.seq for done in written for entry in done.entries]
            first, last = (entries[0], entries[-1]) if entries else (0, 0)
            self.log("said", command=name, seat=person.seat, visit=person.visit, first=first, last=last)
        return written

    async def page(self, key: tuple[str, ...], make: Callable[[], str]) -> Response:
        """A page that was made since the file changed last, else made now, in a thread."""
        made = self._still(key, *self.campaign.stamp())
        return HTMLResponse(await threaded(self.kept, key, make) if made is None else made)

    def kept(self, key: tuple[str, ...], make: Callable[[], str]) -> bytes:
        """A page that was made since the file changed last, else made now."""
        stamp, settled = self.campaign.stamp()
        there = self._still(key, stamp, settled)
        if there is not None:
            return there
        made = make().encode()
        if settled:
            with self._keeping:
                self._kept.pop(key, None)
                if len(self._kept) >= MOST_KEPT:
                    del self._kept[next(iter(self._kept))]
                self._kept[key] = (stamp, made)
        return made

    def _still(self, key: tuple[str, ...], stamp: Stamp, settled: bool) -> bytes | None:
        there = self._kept.get(key)
        return there[1] if there is not None and settled and there[0] == stamp else None

    def _head(self) -> int:
        with self.campaign.look() as book:
            return book.head()

    def _brought(self, after: int) -> list[Message]:
        with self.campaign.look() as book:
            return [*messages(book, after)]


def messages(book: Book, after: int) -> list[Message]:
    """What each action after an entry brings to a page."""
    actions, head = list[Sequence[Entry]](), book.head()
    while after < head:
        actions.append(book.action(book.journal.entry(after + 1).act))
        after = actions[-1][-1].seq
    told = brought(book, actions) if actions else []
    return [_message(entries[-1].seq, html) for entries, html in zip(actions, told, strict=True)]


def _message(last: int, html: str) -> Message:
    data = "".join(f"data: {text}\n" for text in html.splitlines() if text)
    return Message(last=last, data=f"id: {last}\n{data}\n".encode())


def _is_here(request: Request) -> bool:
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:
        return False


def site_of(request: Request) -> Site:
    """The site of a request."""
    site: Site = request.app.state.site
    return site


LOOKS = (("Table", "/"), ("Back then", "/then"), ("Story", "/story"), ("Trust", "/trust"))
GM_LOOKS = (*LOOKS, ("GM", "/gm"))
FEW = 10


@cache
def static(name: str) -> str:
    """The address of a file of the page, which changes with the file."""
    with open(path.join(HERE, "static", name), "rb") as file:
        return f"/static/{name}?v={sha256(file.read()).hexdigest()[:12]}"


def whole(template: str, book: Book, person: Person | None, here: str, **values: Any) -> str:
    """A whole page, with the ways to the others; `here` is its own address."""
    looks = () if person is None else GM_LOOKS if person.is_gm else LOOKS
    return render(template, static=static, title=book.title(), person=person, pages=looks, here=here, **values)


def part(request: Request, book: Book, person: Person, template: str, **values: Any) -> Response:
    """A part of a page: alone where htmx asks for it, else within a page."""
    made = render(template, person=person, **values)
    if request.headers.get("hx-request"):
        return HTMLResponse(made)
    content = Markup(made)  # noqa: S704  made by a template, which escapes
    return HTMLResponse(whole("fragment.html", book, person, "", content=content))


def own(book: Book, person: Person, typed: str) -> str:
    """The character of this name; refuses (`NotAllowed`) one whom somebody else plays."""
    who = Names(book).character(typed)
    if who not in own_characters(book, person):
        raise NotAllowed(f"{who} is not yours to play.", "Ask the GM, who may play everybody.")
    return who


def refused(request: Request, error: Exception) -> Response:
    """An error as a page, or as a part of one."""
    assert isinstance(error, LedgerError)  # noqa: S101  registered for no other
    if request.headers.get("hx-request"):
        undo = isinstance(error, OthersWrote)
        made = render("problem.html", sentence=error.sentence, hint="" if undo else error.hint, undo=undo)
    else:
        values = {"sentence": error.sentence, "hint": error.hint, "title": "Campaign", "person": None}
        made = render("outside.html", static=static, **values)
    return HTMLResponse(made, status_of(error))


def qr(text: str) -> Markup:
    """A text as a QR code."""
    return Markup(segno.make(text, micro=False, error="l").svg_inline(omitsize=True, border=2))  # noqa: S704  drawn here
