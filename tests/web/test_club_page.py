"""The page of all campaigns of a database: each has its own address, and nobody gets from one into another."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from http.cookies import SimpleCookie
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import pytest
from starlette.types import ASGIApp

from at_page import HERE, INSIDE, SEATS, Answer, Clock, Place, as_form, ask
from ledger.errors import LedgerError, NoCampaign
from ledger.journal.book import open_book
from ledger.journal.records import WatchedHead
from ledger.journal.store import club_for, engine_for, memory_journal
from ledger.trust.home import Home
from typed_evenings import OPENING
from web.club import ClubPage, Heads
from web.people import Role
from web.serve import ServerOptions, campaign_address, serve_club
from web.sessions import Logins, login_tables
from web.site import login_cookie_name
from who_may import ASKED, CHOOSING, SAID

if TYPE_CHECKING:
    from postgres_server import Server

ROAD, MINE = "salt-road", "the deep mine"
NAMES = (ROAD, MINE)

pytestmark = pytest.mark.usefixtures("unhurried")


class Club(NamedTuple):
    """A server of two campaigns, with what it said, and the cookies of everybody who is logged in."""

    address: str
    page: ClubPage
    said: list[str]
    cookies: Mapping[tuple[str, Role], str]
    tokens: Mapping[tuple[str, Role], str]

    def ask(self, method: str, path: str, cookie: str = "", **how: Any) -> Answer:
        headers = {"host": f"{HERE}:8000", **({"cookie": cookie} if cookie else {}), **how.pop("headers", {})}
        if method == "POST":
            headers.setdefault("sec-fetch-site", "same-origin")
        if (sent := how.pop("sent", None)) is not None:
            headers["content-type"], how["body"] = "application/json", json.dumps(sent).encode()
        return ask(self.page, method, path, headers=headers, **how)

    def logins(self, name: str) -> Logins:
        address = f"{self.address}&campaign={name}"
        with open_book(address) as book:
            return Logins(login_tables("", book, address))

    def heads(self) -> Mapping[str, int]:
        return {name: head.head for name, head in club_for(self.address).heads(NAMES).items()}


def made_club(postgres: "Server", folder: Path) -> Club:
    from postgres_server import new_club

    address = new_club(postgres, f"club_{uuid4().hex}")
    for number, name in enumerate(NAMES):
        (folder / str(number)).mkdir()
        place = Place(folder / str(number), CHOOSING, OPENING.replace("The salt road", name))
        with (
            open_book(str(place.file)) as book,
            engine_for(f"{address}&campaign={name}").creating(book.journal.storage),
        ):
            pass
    apps, said, clock = list[ASGIApp](), list[str](), Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("web.serve.Server.run", lambda server, sockets: apps.append(server.config.app))
        serve_club(address, Home(str(folder / "home")), ServerOptions(port=0), said.append, clock=clock)
    (page,) = apps
    assert isinstance(page, ClubPage)
    club = Club(address, page, said, {}, {})
    cookies, tokens, now = dict[tuple[str, Role], str](), dict[tuple[str, Role], str](), int(clock().timestamp())
    for name in NAMES:
        with open_book(f"{address}&campaign={name}") as book:
            cookie_name = login_cookie_name(book)
        for role in INSIDE:
            logins = club.logins(name)
            secret = logins.use_invitation(logins.invite(role, SEATS[role], now), now)
            cookies[name, role] = f"{cookie_name}={secret}"
            seed = f"{name} {role}".encode().ljust(32)[:32]
            tokens[name, role] = club.logins(name).make_token(role, role, SEATS[role], now, seed)
    return club._replace(cookies=cookies, tokens=tokens)


@pytest.fixture
def club(postgres: "Server", shm: Path) -> Iterator[Club]:
    made = made_club(postgres, shm)
    yield made
    made.page.end()


def test_each_campaign_of_the_database_is_played_at_its_own_address(club: Club) -> None:
    before = club.heads()
    cookie = club.cookies[MINE, "player"]
    assert "the deep mine" in club.ask("GET", f"/c/{MINE}/", cookie).text
    assert club.ask("POST", f"/c/{MINE}/api/v1/say/note", cookie, sent={"text": "a light"}).status == 200
    assert club.heads() == {**before, MINE: before[MINE] + 1}
    assert 'base href="/c/the%20deep%20mine/"' in club.ask("GET", f"/c/{MINE}/", cookie).text


def test_the_server_says_how_many_campaigns_it_has_and_how_to_invite_their_gms(club: Club) -> None:
    opened, invite = club.said[:2]
    assert opened.startswith("The page for 3 campaigns is open at http://127.0.0.1:")
    assert invite.startswith("To invite the GM of a campaign: ")
    assert "host invite" in invite


def test_no_login_token_or_number_of_one_campaign_opens_a_route_of_another(club: Club) -> None:
    """Each secret is tried as the cookie that it is, as a cookie of the other campaign, and as a token."""
    before, own_name = club.heads(), club.cookies[MINE, "gm"].partition("=")[0]
    stolen = [cookie.partition("=")[2] for (name, _), cookie in club.cookies.items() if name == ROAD]
    stolen += [token for (name, _), token in club.tokens.items() if name == ROAD]
    tried = [(cookie, "") for (name, _), cookie in club.cookies.items() if name == ROAD]
    tried += [(f"{own_name}={secret}", "") for secret in stolen]
    tried += [("", f"Bearer {secret}") for secret in stolen]
    requests: list[tuple[str, str, Mapping[str, str] | None, Mapping[str, Any] | None]] = [
        (method, path, as_form(form) if form is not None else None, None)
        for (method, _), (path, _, form) in ASKED.items()
    ]
    requests += [("POST", f"/api/v1/say/{command}", None, row.own) for command, row in SAID.items()]
    for method, path, form, sent in requests:
        how: dict[str, Any] = {"sent": sent} if sent is not None else {}
        if form is not None:
            how["body"] = "&".join(f"{key}={value}" for key, value in form.items()).encode()
            how["headers"] = {"content-type": "application/x-www-form-urlencoded"}
        stranger = club.ask(method, f"/c/{MINE}{path}", **how)
        for cookie, bearer in tried:
            headers = {**how.get("headers", {}), **({"authorization": bearer} if bearer else {})}
            got = club.ask(method, f"/c/{MINE}{path}", cookie, **{**how, "headers": headers})
            assert (got.status, got.body) == (stranger.status, stranger.body), (method, path, cookie, bearer)
    assert club.heads() == before


def test_a_login_of_the_campaign_itself_opens_it(club: Club) -> None:
    for role in INSIDE:
        assert club.ask("GET", f"/c/{MINE}/", club.cookies[MINE, role]).status == 200
        bearer = {"authorization": f"Bearer {club.tokens[MINE, role]}"}
        assert club.ask("GET", f"/c/{MINE}/api/v1/status", headers=bearer).status == 200


def both_cookies(club: Club, names: str) -> str:
    return f"{club.cookies[MINE, 'player']}; {club.cookies[ROAD, 'gm']}; campaigns={names}"


def test_the_first_page_lists_the_campaigns_at_which_the_browser_is_logged_in(club: Club) -> None:
    shown = club.ask("GET", "/", both_cookies(club, "the%20deep%20mine/salt-road")).text
    assert '<a href="c/the%20deep%20mine/">the deep mine</a> (Ana)' in shown
    assert '<a href="c/salt-road/">salt-road</a> (Tom)' in shown


@pytest.mark.parametrize("names", ["", "salt-road/nothing/first"])
def test_the_first_page_shows_no_campaign_to_a_browser_without_a_login(club: Club, names: str) -> None:
    shown = club.ask("GET", "/", f"{club.cookies[MINE, 'player']}; campaigns={names}").text
    assert "This browser is not logged in at a campaign." in shown


def test_a_browser_remembers_the_campaigns_of_its_logins_the_newest_first(club: Club) -> None:
    invitation = club.logins(MINE).invite("player", "p2", int(Clock()().timestamp()))
    entered = club.ask("POST", f"/c/{MINE}/enter/{invitation}", "campaigns=salt-road/other")
    got = SimpleCookie(entered.headers["set-cookie"])  # the last of both headers
    assert got["campaigns"].value == "the%20deep%20mine/salt-road/other"


def test_an_address_without_a_campaign_says_so(club: Club) -> None:
    page = club.ask("GET", "/c/nothing/")
    assert (page.status, "There is no campaign at this address." in page.text) == (404, True)
    told = club.ask("GET", "/c/nothing/api/v1/status")
    assert (told.status, told.told["type"]) == (404, "urn:campaign-ledger:problem:not-hosted")
    assert "content-security-policy" in page.headers


@pytest.mark.parametrize("path", ["/c//", "/c//api/v1/status", f"/c/{'x' * 300}/"])
def test_an_address_that_no_campaign_can_have_is_unknown(club: Club, path: str) -> None:
    answer = club.ask("GET", path)
    assert (answer.status, "postgresql" in answer.text) == (404, False)


def test_a_missing_slash_is_added(club: Club) -> None:
    answer = club.ask("GET", f"/c/{MINE}")
    assert (answer.status, answer.headers["location"]) == (308, "/c/the%20deep%20mine/")


def test_a_person_whose_login_has_ended_learns_whom_to_ask(club: Club) -> None:
    assert "If you are the GM, ask the person who hosts the page." in club.ask("GET", f"/c/{MINE}/").text


def test_a_restored_campaign_is_opened_again_and_nobody_enters_the_old_one(
    club: Club, shm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ledger.journal.postgres_logins.CACHE_SECONDS", 0)
    address, cookie = f"{club.address}&campaign={ROAD}", club.cookies[ROAD, "gm"]
    assert club.ask("GET", f"/c/{ROAD}/", cookie).status == 200
    with open_book(address) as book:
        backup = memory_journal(book.journal.storage)
    kept = engine_for(address).replace(backup.storage, "2026-11-28", lambda: None)
    assert kept is not None
    assert club.ask("GET", f"/c/{ROAD}/", cookie).status in {401, 503}
    invitation = club.logins(ROAD).invite("gm", "p1", int(Clock()().timestamp()))
    club.ask("GET", f"/c/{ROAD}/enter/{invitation}")  # a server that has it open notices this at the first request
    assert club.ask("GET", f"/c/{ROAD}/enter/{invitation}").status == 200
    old = kept.partition("campaign=")[2]
    assert club.ask("GET", f"/c/{old}/", cookie).status == 401


def test_a_campaign_that_replaces_another_is_shown_at_the_second_request(club: Club, postgres: "Server") -> None:
    assert club.ask("GET", f"/c/{ROAD}/", club.cookies[ROAD, "gm"]).status == 200
    database = club.address.partition("@/")[2].partition("?")[0]
    with postgres.connect(database=database) as superuser:
        superuser.execute("UPDATE ledger.campaigns SET name = 'old' WHERE name = %s", (ROAD,))
        superuser.execute("UPDATE ledger.campaigns SET name = %s WHERE name = %s", (ROAD, MINE))
    assert club.ask("GET", f"/c/{ROAD}/", club.cookies[ROAD, "gm"]).status == 503
    assert club.ask("GET", f"/c/{ROAD}/", club.cookies[ROAD, "gm"]).status == 401
    assert "the deep mine" in club.ask("GET", f"/c/{ROAD}/", club.cookies[MINE, "gm"]).text


@pytest.mark.parametrize(
    ("how", "status"),
    [
        ({}, 200),
        ({"client": ("192.0.2.7", 5)}, 404),
        ({"headers": {"x-forwarded-for": "192.0.2.7"}}, 404),
        ({"headers": {"host": "club.example.org"}, "server": ("club.example.org", 80)}, 404),
    ],
)
def test_only_a_program_on_the_servers_computer_reads_its_numbers(club: Club, how: dict[str, Any], status: int) -> None:
    for name in NAMES:
        club.ask("POST", f"/c/{name}/enter/unknown")
    answer = club.ask("GET", "/metrics", **how)
    assert answer.status == status
    if status == 200:
        assert answer.headers["content-type"].startswith("application/openmetrics-text")
        lines = answer.text.splitlines()
        assert 'campaign_answers_total{kind="write",status="401"} 2' in lines
        assert 'campaign_answer_seconds_bucket{kind="write",le="+Inf"} 2' in lines
        assert "campaign_open_campaigns 2" in lines
        assert lines[-1] == "# EOF"


def test_a_server_whose_database_is_gone_is_not_healthy_and_does_not_name_it(club: Club, postgres: "Server") -> None:
    assert club.ask("GET", "/healthz").status == 200
    database = club.address.partition("@/")[2].partition("?")[0]
    with postgres.connect() as superuser:
        superuser.execute(f"DROP DATABASE {database} WITH (FORCE)")
    assert club.ask("GET", "/healthz").status == 503
    page = club.ask("GET", f"/c/{MINE}/", club.cookies[MINE, "gm"])
    assert (page.status, "The server cannot reach its database." in page.text, database in page.text) == (
        503,
        True,
        False,
    )
    assert club.ask("GET", "/", both_cookies(club, "salt-road")).status == 503


def test_the_heads_of_all_watched_campaigns_are_read_with_one_statement(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages, read = club_for(club.address), list[int]()
    heads, own = Heads(pages), pages.heads

    def counted(names: Sequence[str]) -> dict[str, WatchedHead]:
        read.append(len(names))
        return own(names)

    monkeypatch.setattr(pages, "heads", counted)

    async def all_look() -> None:
        stamps = await asyncio.gather(*(heads.stamp(name) for name in NAMES * 20))
        assert [stamp.version for stamp in stamps[:2]] == [club.heads()[name] for name in NAMES]
        assert len({stamp.identity for stamp in stamps}) == 2
        with pytest.raises(NoCampaign):
            await heads.stamp("nothing")

    asyncio.run(all_look())
    assert read[:2] == [1, 2]  # the second waited for the first
    assert len(read) == 3  # and the unknown one


def test_a_campaign_with_many_slow_requests_does_not_stop_the_others(club: Club, postgres: "Server") -> None:
    """A hundred writes wait for a campaign that another program has locked. The other campaign answers at once."""
    database = club.address.partition("@/")[2].partition("?")[0]
    told = list[str]()

    async def request(name: str, method: str, path: str, body: bytes = b"") -> int:
        status = [0]
        headers = {"host": HERE, "cookie": club.cookies[name, "gm"], "content-type": "application/json"}
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": f"/c/{name}{path}",
            "query_string": b"",
            "root_path": "",
            "headers": [(key.encode(), value.encode()) for key, value in headers.items()],
            "client": (HERE, 5),
            "server": (HERE, 8000),
            "state": {},
        }

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body}

        async def send(message: Any) -> None:
            status[0] = message.get("status", status[0])

        await club.page(scope, receive, send)
        told.append(f"{name} {status[0]}")
        return status[0]

    async def both() -> None:
        slow = [
            asyncio.create_task(request(ROAD, "POST", "/api/v1/say/note", json.dumps({"text": str(each)}).encode()))
            for each in range(60)
        ]
        async with asyncio.timeout(10):
            await asyncio.sleep(0.3)
            assert [await request(MINE, "GET", "/api/v1/status") for _ in range(10)] == [200] * 10
        assert told == [f"{MINE} 200"] * 10
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)

    with postgres.connect(database=database) as superuser, superuser.transaction():
        superuser.execute("SELECT 1 FROM ledger.campaigns WHERE name = %s FOR UPDATE", (ROAD,))
        asyncio.run(both())


@pytest.mark.parametrize("name", ["a/b", "..", "."])
def test_a_name_that_no_address_can_have_is_refused(name: str) -> None:
    with pytest.raises(LedgerError, match="No address of a page can have the name"):
        campaign_address("https://club.example.org", name)


def test_a_server_closes_a_campaign_that_nobody_watches_for_one_more(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.club.MOST_CAMPAIGNS", 1)
    for name in (ROAD, MINE, ROAD):
        assert club.ask("GET", f"/c/{name}/", club.cookies[name, "gm"]).status == 200
        assert [*club.page._hosted][-1] == name
    assert len(club.page._hosted) <= 2
