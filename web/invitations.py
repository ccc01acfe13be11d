"""The routes for invitations, logins, tokens and the GM's page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from typing import Any

from markupsafe import escape
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from ledger import systems
from ledger.commands.sheet import settings_in_force
from ledger.errors import BadInput, Run
from ledger.journal.book import Book
from ledger.times import from_seconds
from projections.status import moment, seats, turns
from projections.wording import sheet_value_text
from web.devices import device_name
from web.fragments import render
from web.guard import cookie_name, root_address
from web.people import Person, Role, check_gm, role_of
from web.problems import NotAllowed, NotEntered, NotInvited
from web.sessions import MOST_USES, VISIT_SECONDS, Token, Visit
from web.site import DIGITS_LIMIT, Site, newest_event_id, qr_code, render_page, site_of
from web.visited import add_visited

SAFE_ADDRESS_STARTS = ("https://", "http://127.0.0.1:")


def gm_page(request: Request) -> Response:
    """Show the GM's page: session and turns, changes by hand, settings, and invitations."""
    site = site_of(request)
    with _checked_gm_snapshot(site, request) as (book, person):
        page = render_page(
            request,
            "gm.html",
            book,
            person,
            "gm",
            moment=moment(book),
            turns=turns(book),
            head=newest_event_id(book),
            settings=_settings(book),
            calendar=escape(book.calendar() or ""),  # with its line breaks, which texts on a page do not keep
            cast=book.cast(),
            games=systems.names(),
            seats=seats(book),
            **_logins(site, book),
        )
    return HTMLResponse(page)


def visits(request: Request) -> Response:
    """Show the list of logins and invitations. An open page loads it again after each change."""
    site = site_of(request)
    with _checked_gm_snapshot(site, request) as (book, person):
        return HTMLResponse(render("visits.html", person=person, **_logins(site, book)))


def _logins(site: Site, book: Book) -> dict[str, Any]:
    """Return the template values for the logins, invitations and tokens."""
    now, watching = site.campaign.now(), site.feed.visits_with_page_open()

    def shown(each: Visit | Token) -> dict[str, Any]:
        return {**each.__dict__, "since": from_seconds(each.begun), "watches": each.name in watching}

    return {
        "visits": [*map(shown, site.logins.visits(now))],
        "invitations": site.logins.invitations(now),
        "tokens": [*map(shown, site.logins.tokens())],
        "people": book.players(),
    }


def _settings(book: Book) -> list[dict[str, str]]:
    played = {name for who in book.cast() for name in book.systems(who) if systems.is_installed(name)}
    return [
        {
            "name": f"{game.name}/{setting.name}",
            "says": setting.says,
            "value": setting.shows(in_force[setting.name])
            if setting.shows
            else sheet_value_text(in_force[setting.name]),
        }
        for game in map(systems.find, sorted(played))
        for in_force in (settings_in_force(book, game),)
        for setting in game.settings
    ]


async def invite(request: Request) -> Response:
    """Make an invitation, and show its link. The link cannot be shown again."""
    return await _answer_gm(request, _make_invitation)


async def make_token(request: Request) -> Response:
    """Make a token for a program, and show it. The token cannot be shown again."""
    return await _answer_gm(request, _make_token)


async def _answer_gm(request: Request, make: Callable[[Site, Person, Mapping[str, str], Role, str], str]) -> Response:
    """Call `make` for the GM, and answer with the HTML that it returns.

    `make` receives the site, the GM, the fields of the form, and the role and player's name of the seat in the form.
    If the form has no seat, the name is "a spectator".
    """
    sent = {name: str(value) for name, value in (await request.form()).items()}
    site = site_of(request)

    def made() -> str:
        seat = sent.setdefault("seat", "")
        with _checked_gm_snapshot(site, request) as (book, person):
            if seat and seat not in book.players():
                raise BadInput(f"No player has the number {seat}.")
            role, who = role_of(book, seat), book.players().get(seat, "a spectator")
        return make(site, person, sent, role, who)

    answer = await run_in_threadpool(made)
    site.feed.visits_changed()
    return HTMLResponse(answer)


def _make_invitation(site: Site, person: Person, sent: Mapping[str, str], role: Role, who: str) -> str:
    if role == "gm" and not site.address().startswith(SAFE_ADDRESS_STARTS):
        raise NotAllowed(
            "The GM can log in over this network only with TLS encryption.",
            f"Start the page with: {Run('serve', lan=True, tls=True)}",
        )
    typed = sent.get("uses", "1")
    uses = int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < DIGITS_LIMIT else 0
    if not 1 <= uses <= MOST_USES:
        raise BadInput(f"An invitation can have 1 to {MOST_USES} uses.")
    token = site.logins.invite(role, sent["seat"], site.campaign.now(), uses=uses)
    site.log("invited", role=role, seat=sent["seat"], uses=uses, by=_person_log_fields(person))
    link = f"{site.address()}/enter/{token}"
    return render("invited.html", who=who, uses=uses, link=link, qr=qr_code(link))


def _make_token(site: Site, person: Person, sent: Mapping[str, str], role: Role, who: str) -> str:
    label = sent.get("label", "")
    token = site.logins.make_token(label, role, sent["seat"], site.campaign.now(), site.campaign.salts())
    site.log("token", role=role, seat=sent["seat"], by=_person_log_fields(person))
    return render("token.html", label=label.strip(), who=who, token=token)


def _person_log_fields(person: Person) -> dict[str, str]:
    """Return the fields that name a person in the server's log: the login and the seat."""
    return {"visit": person.visit, "seat": person.seat}


async def end(request: Request) -> Response:
    """End a visit or a token, or cancel an invitation. Answer with the new list of logins and invitations."""
    name = str((await request.form()).get("name", ""))
    feed = site_of(request).feed
    await run_in_threadpool(_end_login, request, name)
    feed.end_streams(name)
    feed.visits_changed()
    return await run_in_threadpool(visits, request)


def _end_login(request: Request, name: str) -> None:
    site = site_of(request)
    with _checked_gm_snapshot(site, request) as (_, person):
        pass
    if site.logins.end(name):
        site.log("ended", visit=name, by=_person_log_fields(person))


@contextmanager
def _checked_gm_snapshot(site: Site, request: Request) -> Iterator[tuple[Book, Person]]:
    with site.snapshot_with_person(request) as (book, person):
        check_gm(person)
        yield book, person


def invitation_page(request: Request) -> Response:
    """Show an invitation without using it. If the invitation is not valid, send a logged-in person to the table."""
    site = site_of(request)
    token = request.path_params["token"]
    try:
        invitation = site.logins.invitation(token, site.campaign.now())
    except NotInvited:
        with suppress(NotEntered):
            site.person(request)
            return RedirectResponse(f"{root_address(request.scope)}/", status_code=303)
        raise
    with site.campaign.snapshot() as book:
        who = book.players().get(invitation.seat, "")
        return HTMLResponse(
            render_page(
                request, "enter.html", book, None, "", page="Come in", token=token, who=who, role=invitation.role
            )
        )


async def accept_invitation(request: Request) -> Response:
    """Use an invitation. The answer sets the cookie of the new visit."""
    answer = await run_in_threadpool(_accept_invitation, request)
    site_of(request).feed.visits_changed()
    return answer


def _accept_invitation(request: Request) -> Response:
    site = site_of(request)
    token, now = request.path_params["token"], site.campaign.now()
    site.check_gm_is_safe(request, gm=site.logins.invitation(token, now).role == "gm")
    secret = site.logins.use_invitation(token, now, device_name(request.headers.get("user-agent", "")))
    person = site.logins.person(secret, now)
    site.log("entered", role=person.role, seat=person.seat, visit=person.visit)
    answer = RedirectResponse(f"{root_address(request.scope)}/", status_code=303)
    name, secure = cookie_name(request.scope, site.cookie), request.url.scheme == "https"
    answer.set_cookie(name, secret, max_age=VISIT_SECONDS, httponly=True, samesite="lax", secure=secure, path="/")
    if site.name:
        add_visited(answer, request.scope, site.name, VISIT_SECONDS)
    return answer


def certificate(request: Request) -> Response:
    """Send the certificate that this program made. Anybody may ask for it. A phone that installs it trusts the page."""
    made = site_of(request).certificate
    if not made:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    headers = {"Content-Disposition": 'attachment; filename="campaign.cer"'}
    return Response(made, media_type="application/x-x509-ca-cert", headers=headers)


ROUTES = [
    Route("/certificate", certificate),
    Route("/gm", gm_page),
    Route("/visits", visits),
    Route("/invite", invite, methods=["POST"]),
    Route("/token", make_token, methods=["POST"]),
    Route("/end", end, methods=["POST"]),
    Route("/enter/{token}", invitation_page),
    Route("/enter/{token}", accept_invitation, methods=["POST"]),
]
