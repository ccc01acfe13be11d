"""The page below any path: no link leaves the site, and nothing in it depends on the path."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin

import pytest

from at_page import Place
from web.fragments import WEB_FOLDER
from who_may import ASKED, CHOOSING

pytestmark = pytest.mark.usefixtures("unhurried")

ROOT = "/clubs/road"
LINKS = {"href", "src", "action", "hx-get", "hx-post", "hx-sse:connect"}
FOLLOWED = {"href", "src", "hx-get"}
SITE = f"http://127.0.0.1:8000{ROOT}/"


@pytest.fixture
def place(shm: Path) -> Place:
    place = Place(shm, [*CHOOSING, "note 'a long road' --by Ana"])
    place.root = ROOT
    return place


class Links(HTMLParser):
    """The links of a page, each with the name of its attribute, and the page's `<base>`."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.base, self.found = "", set[tuple[str, str]]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "base":
            self.base = dict(attrs)["href"] or ""
        else:
            self.found |= {(name, value or "") for name, value in attrs if name in LINKS}


def test_every_link_stays_within_the_path_of_the_site_and_leads_somewhere(place: Place) -> None:
    waiting, seen, pages = [path for (method, _), (path, *_) in ASKED.items() if method == "GET"], set[str](), 0
    while waiting:
        path = waiting.pop()
        answer = place.ask("gm", "GET", path)
        assert answer.status in {200, 409}, path  # 409: there is no checkpoint yet, so no proof
        if not answer.headers.get("content-type", "").startswith("text/html") or "verify.html" in path:
            continue
        links = Links(answer.text)
        assert links.base == (f"{ROOT}/" if "<!doctype" in answer.text else "")
        pages += bool(links.base)
        for name, link in links.found:
            target = urljoin(SITE, link)
            assert target.startswith(SITE), (path, link)
            inside = f"/{target.removeprefix(SITE).partition('#')[0]}"
            if name in FOLLOWED and inside not in seen:
                seen.add(inside)
                waiting.append(inside)
    assert (len(seen) > 100, pages > 10) == (True, True)


def test_a_page_differs_only_in_its_base_from_the_same_page_without_a_path(place: Place) -> None:
    for path in ("/", "/gm", "/trust", "/entry/15", "/tray/mara/edge"):
        below, bare = place.ask("gm", "GET", path).text, place.ask("gm", "GET", path, root="").text
        assert below == bare.replace('<base href="/">', f'<base href="{ROOT}/">')


def test_an_invitation_leads_to_the_table_below_the_path(place: Place) -> None:
    token = place.logins.invite("player", "p2", place.campaign.now())
    done = place.ask("nobody", "POST", f"/enter/{token}", form={})
    assert (done.status, done.headers["location"]) == (303, f"{ROOT}/")


def test_a_refusal_below_the_path_is_a_page_or_json_as_at_any_address(place: Place) -> None:
    page, answer = place.ask("nobody", "GET", "/gm"), place.ask("nobody", "GET", "/api/v1/status")
    assert (page.status, Links(page.text).base) == (401, f"{ROOT}/")
    assert (answer.status, answer.headers["content-type"]) == (401, "application/problem+json")


def test_a_program_uses_its_token_below_the_path(place: Place) -> None:
    token = {"authorization": f"Bearer {place.token('gm')}"}
    assert place.ask("nobody", "GET", "/api/v1/status", headers=token).status == 200
    assert place.ask("nobody", "GET", "/gm", headers=token).status == 401
    described = place.ask("nobody", "GET", "/api/v1/openapi.json").told
    assert described["servers"] == [{"url": f"{ROOT}/api/v1"}]


def test_the_log_names_the_route_without_the_path(place: Place) -> None:
    place.ask("gm", "GET", "/api/v1/status")
    place.ask("gm", "GET", "/entry/15")
    routes = [line["route"] for line in place.logged if line["event"] == "request"]
    assert routes == ["/api/v1/status", "/entry/{seq}"]


def test_a_static_file_below_the_path_may_be_kept_forever(place: Place) -> None:
    assert "immutable" in place.ask("nobody", "GET", "/static/page.css").headers["cache-control"]


@pytest.mark.parametrize("script", sorted(Path(WEB_FOLDER, "static").glob("*.js")), ids=lambda path: path.name)
def test_no_script_has_an_address_that_starts_at_the_host(script: Path) -> None:
    assert re.findall(r"""["'`]/[a-z][^"'`]*""", script.read_text()) == []
