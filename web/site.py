"""The objects that every route needs: the campaign, the logins, the feed, and the person who sent the request."""

from __future__ import annotations

import json
from asyncio import Lock
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from ipaddress import ip_address
from os import path
from time import monotonic
from typing import Any

import segno
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool as threaded
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ledger.archive.verify_page import CHECKER_SCRIPTS, browser_folder
from ledger.errors import Held, LedgerError, NoCampaign, OtherCampaign, Unreadable
from ledger.events.entry import Entry
from ledger.hints import Run
from ledger.journal.book import Book
from ledger.journal.records import Stamp
from ledger.reading.names import Names
from ledger.scribe import Written
from web.audits import Audits
from web.bodies import commands_for
from web.campaign import Campaign, Show, WriteOptions
from web.feed import MOST_STREAMS, POLL_SECONDS, TOLD_POLL_SECONDS, Feed, Message, reload_message
from web.fragments import WEB_FOLDER, render, updates_for
from web.guard import Log, path_in_site, root_address, secret_in
from web.hints import ALL_MOVES, in_the_interface, on_the_page
from web.people import Person, own_characters
from web.problems import (
    PROBLEM_MEDIA_TYPE,
    Away,
    NotAllowed,
    NotEntered,
    NotFound,
    OthersWrote,
    Unforeseen,
    problem_details,
    status_of,
)
from web.requests import Body
from web.search import Index
from web.sessions import Logins

MOST_PAGES = 200
"""The maximum number of pages in the cache. A page is valid until the campaign's file changes."""

LEAF_DIGITS = 12
"""The number of hex digits of an entry's leaf hash that are enough to identify the history up to the entry."""


UNBUFFERED_HEADERS = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
"""Headers that tell a proxy, such as nginx, to pass data on unchanged and without delay."""


@dataclass
class CachedPage:
    """A rendered page, with the time when its rendering started and the state of the file at that time."""

    made: bytes = b""
    began: float = 0.0
    stamp: Stamp | None = None
    making: Lock = field(default_factory=Lock)

    def is_current(self, file_stamp: Stamp) -> bool:
        """Return True if the page still shows the state of the file in `file_stamp`."""
        return file_stamp.is_settled and self.stamp == file_stamp


@dataclass
class Site:
    """One campaign at one web address."""

    campaign: Campaign
    logins: Logins
    address: Callable[[], str]
    cookie: str
    log: Log
    proxied: bool = False
    streams: int = MOST_STREAMS
    certificate: bytes = b""
    """The certificate that this program made, in DER, for phones that should trust it."""
    name: str = ""
    """The name of the campaign in a club, or "" if the server serves only this campaign."""
    look: Callable[[], Awaitable[Stamp]] | None = None
    """The function that tells the feed the state of the campaign. By default, the feed asks the campaign's engine.

    If there is such a function, the feed is also told when the state changes, so the feed looks less often.
    """

    def __post_init__(self) -> None:
        most = min(self.streams, self.campaign.engine.stream_limit() or self.streams)
        seconds = POLL_SECONDS if self.look is None else TOLD_POLL_SECONDS
        self.feed = Feed(self.look or self._stamp, self._messages_after, self._head, self.log, most, seconds)
        self.audits = Audits(self.campaign)
        self.index = Index(self.campaign)
        self._cache: dict[tuple[str, ...], CachedPage] = {}
        self._reading_logins = Lock()

    def end(self) -> None:
        """End the streams, a running audit and the search, because the server stops or closes the campaign."""
        self.feed.end()
        self.audits.stop()
        self.index.stop()

    def person(self, request: Request) -> Person:
        """Return the person who sent a request, according to the cookie or the `Authorization` header.

        Raise `NotEntered` if there is no valid login. Raise the error of `check_gm_is_safe`.
        """
        secret = secret_in(request.scope, self.cookie)
        if not secret:
            raise NotEntered
        person = self.logins.person(secret, self.campaign.now())
        self.check_gm_is_safe(request, gm=person.is_gm)
        return person

    async def is_login_secret(self, secret: str) -> bool:
        """Return the same as `Logins.is_login_secret`, but let a thread wait for a database that answers slowly.

        If many streams ask at once, one of them reads the logins for all.
        """
        if self.logins.must_be_read():
            async with self._reading_logins:
                if self.logins.must_be_read():
                    return await threaded(self.logins.is_login_secret, secret)
        return self.logins.is_login_secret(secret)

    async def knows_secret(self, secret: str) -> bool:
        """Return the same as `is_login_secret`, but trust what was last read while the logins cannot be read.

        Only the limits of requests rely on this. Otherwise, everybody would count as a stranger for a moment.
        """
        return await self.is_login_secret(secret) or self.logins.was_login_secret(secret)

    async def person_async(self, request: Request) -> Person:
        """Return the same person as `person` does, for asynchronous routes.

        Check a known login at once. Check any other in a thread, because that reads the logins again.
        """
        known = await self.is_login_secret(secret_in(request.scope, self.cookie))
        return self.person(request) if known else await threaded(self.person, request)

    @contextmanager
    def snapshot_with_person(self, request: Request) -> Iterator[tuple[Book, Person]]:
        """Yield a snapshot of the campaign, and the person who sent the request. Raise the errors of `person`."""
        person = self.person(request)
        with self.campaign.snapshot() as book:
            yield book, person.with_current_role(book)

    async def while_logged_in(self, request: Request, stream: AsyncGenerator[bytes, None]) -> AsyncIterator[bytes]:
        """Yield the data of a stream until the login of the request ends."""
        secret = secret_in(request.scope, self.cookie)
        async with aclosing(stream):
            async for data in stream:
                if not await self.is_login_secret(secret):
                    return
                yield data

    def check_gm_is_safe(self, request: Request, *, gm: bool) -> None:
        """Raise `NotAllowed` if a GM uses a connection that others could read."""
        if gm and request.url.scheme != "https" and (self.proxied or not _is_from_this_computer(request)):
            hint = (
                "Open the page at the proxy's address."
                if self.proxied
                else f"Start the page with: {Run('serve', lan=True, tls=True)}"
            )
            raise NotAllowed("The GM can log in only on the computer that runs the page, or with TLS encryption.", hint)

    def run_command(
        self, person: Person, name: str, body: Body, options: WriteOptions, show: Show | None = None
    ) -> tuple[list[Written], str]:
        """Run and log a command. Return the written entries, and a note about signing or "".

        Raise the errors of `Campaign.write`.
        """
        written = self.campaign.write(
            person, lambda names: body.commands(names, person, self.campaign), options, show, body.kinds
        )
        if not options.dry:
            entries = [entry.seq for done in written for entry in done.entries]
            first, last = (entries[0], entries[-1]) if entries else (0, 0)
            self.log("said", command=name, seat=person.seat, visit=person.visit, first=first, last=last)
        return written, self.campaign.sign_head() if any(kind.signs for kind in body.kinds) and not options.dry else ""

    async def page(self, key: tuple[str, ...], make: Callable[[], str]) -> Response:
        """Return the page with this `key` from the cache. If there is no current page, first call `make` in a thread.

        All requests that arrive before rendering starts share the result.
        """
        asked, cached = monotonic(), self._cache.get(key) or self._cached_page(key)
        if not cached.is_current(await self._stamp()):
            async with cached.making:
                if cached.began < asked and not cached.is_current(await self._stamp()):
                    began, stamp = monotonic(), await self._stamp()
                    try:
                        cached.made = (await threaded(make)).encode()
                    except BaseException:
                        self._cache.pop(key, None)  # the page could not be made
                        raise
                    cached.began, cached.stamp = began, stamp
        return HTMLResponse(cached.made)

    async def _stamp(self) -> Stamp:
        """Return the state of the campaign. If that asks a server, a thread waits for its answer."""
        engine = self.campaign.engine
        return await threaded(engine.stamp) if engine.asks_server else engine.stamp()

    def _cached_page(self, key: tuple[str, ...]) -> CachedPage:
        idle = (other for other, cached in self._cache.items() if not cached.making.locked())
        if len(self._cache) >= MOST_PAGES and (oldest := next(idle, None)) is not None:
            del self._cache[oldest]
        return self._cache.setdefault(key, CachedPage())

    def newest_event_id(self) -> str:
        """Return the number and hash of the last entry, in the format of a stream's event ids."""
        with self.campaign.snapshot() as book:
            return newest_event_id(book)

    def _head(self) -> tuple[int, str]:
        with self.campaign.snapshot() as book:
            return book.head(), leaf_of(book, book.head())

    def _messages_after(self, after: int, leaf: str) -> list[Message]:
        with self.campaign.snapshot() as book:
            return messages(book, after, leaf)


def leaf_of(book: Book, seq: int) -> str:
    """Return the start of an entry's leaf hash, which differs between histories. Return "" for entry 0."""
    return book.journal.entry(seq).leaf.hex()[:LEAF_DIGITS] if seq else ""


def login_cookie_name(book: Book) -> str:
    """Return the name of the login cookie, which differs between campaigns."""
    return f"table-{leaf_of(book, 1)}"


def newest_event_id(book: Book) -> str:
    """Return the number and hash of the last entry, in the format of a stream's event ids."""
    return f"{book.head()}-{leaf_of(book, book.head())}"


def messages(book: Book, after: int, leaf: str) -> list[Message]:
    """Return one message for each action after entry `after`.

    If there is no such entry, or if its hash does not start with `leaf`, return only a message that makes the
    page reload.
    """
    actions, head = list[Sequence[Entry]](), book.head()
    if after > head or (leaf and leaf_of(book, after) != leaf):
        return [reload_message(head, leaf_of(book, head))]
    while after < head:
        actions.append(book.action(book.journal.entry(after + 1).act))
        after = actions[-1][-1].seq
    updates = updates_for(book, actions) if actions else []
    stream_messages: list[Message] = []
    for entries, html in zip(actions, updates, strict=True):
        seq, leaf = entries[-1].seq, entries[-1].leaf.hex()[:LEAF_DIGITS]
        data = "".join(f"data: {text}\n" for text in html.splitlines() if text)
        stream_messages.append(Message(last=seq, leaf=leaf, data=f"id: {seq}-{leaf}\n{data}\n".encode()))
    return stream_messages


def _is_from_this_computer(request: Request) -> bool:
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:
        return False


def site_of(request: Request) -> Site:
    """Return the site that serves a request."""
    site: Site = request.scope["site"]
    return site


def page_route(show: Callable[[Request, Book, Person], Response]) -> Callable[[Request], Response]:
    """Return a route that calls `show` with a snapshot of the campaign and the person who sent the request."""

    def route(request: Request) -> Response:
        with site_of(request).snapshot_with_person(request) as (book, person):
            return show(request, book, person)

    return route


def cached_route(
    show: Callable[[Request, Book, Person], str],
) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    """Return a route that caches the page from `show`. People with the same role and seat share the cached page.

    Pages with a query, such as a search, are not cached: there are too many of them.
    """

    async def route(request: Request) -> Response:
        site = site_of(request)
        person = await site.person_async(request)

        def build() -> str:
            with site.campaign.snapshot() as book:
                return show(request, book, person.with_current_role(book))

        if request.url.query:
            return HTMLResponse(await threaded(build))
        return await site.page((request.url.path, person.role, person.seat), build)

    return route


VIEWS = (("Table", "./"), ("Earlier", "then"), ("Story", "story"), ("Trust", "trust"))
GM_VIEWS = (*VIEWS, ("GM", "gm"))
"""The pages, with their addresses. All addresses in pages are relative to the address of the site (`<base>`)."""

DIGITS_LIMIT = 10
"""A typed number must have fewer digits than this."""

STATIC_FOLDER, CHECKER_PACKAGE = path.join(WEB_FOLDER, "static"), ("ledger.archive", "browser")
PHONE_SCRIPTS = (*CHECKER_SCRIPTS, "check.js", "checking.js")
"""The scripts that a phone needs to check the record without trusting the server."""


@cache
def static_address(name: str) -> str:
    """Return the address of a static file. It changes with the content of the file."""
    folder = str(browser_folder()) if name in CHECKER_SCRIPTS else STATIC_FOLDER
    with open(path.join(folder, name), "rb") as file:
        return f"static/{name}?v={sha256(file.read()).hexdigest()[:12]}"


def render_page(request: Request, template: str, book: Book, person: Person | None, here: str, **values: Any) -> str:
    """Return the HTML of a whole page, with links to the other pages. `here` is the address of this page."""
    person = person and person.with_current_role(book)
    views = () if person is None else GM_VIEWS if person.is_gm else VIEWS
    you = book.players().get(person.seat, "a spectator") if person else ""
    offered = commands_for(person) if person else frozenset[str]()
    common = {"title": book.title(), "person": person, "you": you, "pages": views, "here": here, "offered": offered}
    page = {address: name for name, address in GM_VIEWS}.get(here, "")
    always = {
        "root": root_address(request.scope),
        "static_address": static_address,
        "checker": PHONE_SCRIPTS,
        "page": page,
        "name_of": book.name_of,
        "all_moves": ALL_MOVES,
    }
    always["first"] = book.first_leaf().hex()
    return render(template, **always | common | values)


def render_fragment(request: Request, book: Book, person: Person, template: str, **values: Any) -> Response:
    """Answer with a part of a page: alone if htmx requested it, otherwise inside a whole page."""
    html = render(template, person=person, offered=commands_for(person), name_of=book.name_of, **values)
    if request.headers.get("hx-request"):
        return HTMLResponse(html)
    content = Markup(html)  # noqa: S704  the template has escaped it
    page = " ".join(path_in_site(request.scope).split("/")[1:])
    return HTMLResponse(render_page(request, "fragment.html", book, person, "", content=content, page=page))


def typed_character(request: Request) -> str:
    """Return the character's name as typed, from the address of the page or from a search."""
    return str(request.path_params.get("who") or request.query_params.get("who", ""))


def own_character(book: Book, person: Person, typed: str) -> str:
    """Return the character with this name. Raise `NotAllowed` if the person does not play the character."""
    who = Names(book).character(typed)
    if who not in own_characters(book, person):
        raise NotAllowed(f"You do not play {book.name_of(who)}.", "Ask the GM. The GM can play every character.")
    return who


def error_response(request: Request, error: LedgerError, status: int = 0) -> Response:
    """Answer with an error as JSON (API), part of a page (htmx) or a page. If `status` is 0, use the error's status."""
    error, site = NotFound() if isinstance(error, NoCampaign) else error, request.scope.get("site")
    if isinstance(error, OtherCampaign) and site is not None:
        site.campaign.was_replaced = True
    if (
        request.scope.get("is_club")
        and isinstance(error, Unreadable)
        and not isinstance(error, (NotFound, OtherCampaign))
    ):
        error = Away()
    if request.scope.get("is_club") and isinstance(error, NotEntered):
        error.hint = "Ask the GM for an invitation. If you are the GM, ask the person who hosts the page."
    status = status or status_of(error)
    if path_in_site(request.scope).startswith("/api/"):
        details = problem_details(error, status, in_the_interface)
        return Response(json.dumps(details, ensure_ascii=False), status, media_type=PROBLEM_MEDIA_TYPE)
    undo, hint = isinstance(error, OthersWrote), on_the_page(error.hint)
    sentence = error.sentence if undo else on_the_page(error.sentence)  # it quotes what others wrote
    if request.headers.get("hx-request"):
        in_panel = request.headers.get("hx-target") != "div#odds"
        question = error.question if isinstance(error, Held) else 0
        hint = "" if undo else hint
        html = render("problem.html", sentence=sentence, hint=hint, undo=undo, question=question, closes=in_panel)
    else:
        values = {"sentence": sentence, "hint": hint, "title": "Campaign", "page": "", "person": None, "you": ""}
        html = render("outside.html", root=root_address(request.scope), static_address=static_address, **values)
    return HTMLResponse(html, status)


def handle_error(request: Request, error: Exception) -> Response:
    """Answer with the error that a route raised. An error that is not a `LedgerError` becomes `Unforeseen`."""
    return error_response(request, error if isinstance(error, LedgerError) else Unforeseen())


def qr_code(text: str) -> Markup:
    """Return a text as a QR code in SVG."""
    return Markup(segno.make(text, micro=False, error="l").svg_inline(omitsize=True, border=2))  # noqa: S704  made here
