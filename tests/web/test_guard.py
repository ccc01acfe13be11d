"""The guard: which hosts, pages, sizes and rates are taken, and what every answer has."""

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path

import pytest

from at_page import COOKIE, EVERYBODY, UNHURRIED, Place, ask, call, served
from ledger.errors import LedgerError
from paths import ROOT
from web.guard import LARGEST_BODY, RATES, SECURITY_HEADERS, TLS_HEADERS, Buckets, LogLimit
from web.problems import TooOften

NOTE = {"text": "x"}
HOST = "127.0.0.1:8000"


def sent(place: Place, headers: Mapping[str, str], who: str = "player") -> int:
    """The status of a note that is said with these headers alone."""
    given = {"host": HOST, "content-type": "application/json", "cookie": f"{COOKIE}={place.secrets[who]}"}
    return ask(place.app, "POST", "/api/v1/say/note", headers=given | dict(headers), body=b'{"text": "x"}').status


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "[::1", "192.168.1.5:8000"]
)
def test_it_answers_to_no_other_name(place: Place, host: str) -> None:
    for method, path in (
        ("GET", "/"),
        ("GET", "/static/page.js"),
        ("GET", "/enter/x"),
        ("POST", "/say/note"),
        ("GET", "/api/v1/status"),
    ):
        done = place.ask("gm", method, path, headers={"host": host})
        assert done.status == 421
        assert "The page is not available at this address." in done.text
    assert place.ask("gm", "GET", "/", headers={"host": "LOCALHOST:1"}).status == 200


@pytest.mark.parametrize(
    ("headers", "taken"),
    [
        ({}, True),  # a program
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "same-site"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"sec-fetch-site": ""}, False),
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "same-origin", "origin": "https://evil.example"}, True),
        ({"sec-fetch-site": "cross-site", "origin": f"http://{HOST}"}, False),
        ({"origin": "http://evil.example"}, False),
        ({"origin": "null"}, False),
        ({"origin": f"https://{HOST}"}, False),
        ({"origin": "http://127.0.0.1"}, False),
        ({"origin": f"http://{HOST}"}, True),
        ({"authorization": "", "origin": "http://evil.example"}, False),
        ({"authorization": "Bearer ", "origin": "http://evil.example"}, False),
        ({"authorization": "Basic eDp5", "origin": "http://evil.example"}, False),
    ],
    ids=str,
)
def test_a_page_of_another_host_says_nothing_here(place: Place, headers: Mapping[str, str], taken: bool) -> None:
    head = place.head()
    assert (sent(place, headers) == 200) == taken
    assert (place.head() > head) == taken


JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (JSON, 200),
        ({"content-type": "application/json; charset=utf-8"}, 200),
        ({"content-type": "text/plain"}, 403),
        ({"content-type": "application/x-www-form-urlencoded"}, 403),
        ({"content-type": "text/plain; application/json"}, 403),
        ({}, 403),
        ({**JSON, "origin": "http://evil.example"}, 403),
        ({**JSON, "sec-fetch-site": "cross-site"}, 403),
        ({"cookie": "other=x"}, 401),
    ],
    ids=str,
)
def test_a_program_that_names_no_origin_writes_json_and_an_old_browsers_form_from_elsewhere_is_refused(
    place: Place, headers: Mapping[str, str], status: int
) -> None:
    given = {"host": HOST, "cookie": f"{COOKIE}={place.secrets['player']}", **headers}
    head = place.head()
    assert ask(place.app, "POST", "/api/v1/say/note", headers=given, body=b'{"text": "hello"}').status == status
    assert (place.head() > head) == (status == 200)


def test_a_program_with_the_secret_in_a_header_needs_no_origin(place: Place) -> None:
    bearer = {"cookie": "", "authorization": f"Bearer {place.secrets['player']}"}
    assert sent(place, bearer) == 200
    assert sent(place, bearer | {"authorization": f"Bearer {place.secrets['forged']}"}) == 401
    assert sent(place, {"authorization": f"Bearer {place.secrets['forged']}"}) == 401, (
        "the cookie does not count beside it"
    )


@pytest.mark.parametrize("path", ["/api/v1/say/note", "/say/note", "/invite", "/odds", "/end"])
def test_a_body_is_bounded_however_it_comes(place: Place, path: str) -> None:
    head, kind = (
        place.head(),
        {"content-type": "application/json" if "api" in path else "application/x-www-form-urlencoded"},
    )
    large = b'{"text": "' + b"x" * LARGEST_BODY + b'"}'
    pieces = [large[at : at + 9000] for at in range(0, len(large), 9000)]
    assert place.ask("gm", "POST", path, body=large, headers=kind).status == 413
    assert place.ask("gm", "POST", path, body=pieces, headers=kind).status == 413
    assert place.ask("gm", "POST", path, body=b"x", headers=kind | {"content-length": "-1"}).status == 413
    assert place.head() == head


def test_a_real_server_bounds_a_body_that_does_not_say_its_length(place: Place) -> None:
    with served(place) as port:
        more = {
            "Cookie": f"{COOKIE}={place.secrets['gm']}",
            "Origin": f"http://127.0.0.1:{port}",
            "Content_Type": "application/json",
        }
        assert call(port, "POST", "/api/v1/say/note", [b"x" * 9000] * 9, None, **more).status == 413
        assert call(port, "POST", "/api/v1/say/note", [b'{"text": ', b'"x"}'], tls=None, **more).status == 200


def test_who_asks_too_often_is_refused_until_time_has_passed() -> None:
    now = [0.0]
    for kind, (rate, most) in RATES.items():
        buckets = Buckets(lambda: now[0])
        for _ in range(int(most)):
            buckets.take(kind, "a")
        with pytest.raises(TooOften):
            buckets.take(kind, "a")
        buckets.take(kind, "b")
        now[0] += 1.001 / rate
        buckets.take(kind, "a")
        with pytest.raises(TooOften):
            buckets.take(kind, "a")


def test_a_visit_writes_five_times_a_second_after_a_burst_of_sixty() -> None:
    assert RATES["write"] == (5, 60)


def test_the_log_lines_of_one_address_are_limited_and_the_next_one_says_how_many_were_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("web.guard.RATES", {"log": (0.5, 2)})
    now = [0.0]
    limit = LogLimit(Buckets(lambda: now[0]))
    assert [limit.take("a") for _ in range(5)] == [0, 0, None, None, None]
    assert limit.take("b") == 0
    now[0] += 2.001
    assert [limit.take("a") for _ in range(2)] == [3, None]
    now[0] += 4.001
    assert [limit.take("a") for _ in range(2)] == [1, 0]


def test_the_counts_of_lines_that_were_left_out_do_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.guard.MOST_CLIENTS", 3)
    monkeypatch.setattr("web.guard.RATES", {"log": (0.001, 0)})
    limit = LogLimit(Buckets(lambda: 0.0))
    assert [limit.take(str(client)) for client in range(9)] == [None] * 9
    assert [*limit.left_out] == ["6", "7", "8"]


def test_buckets_do_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.guard.MOST_CLIENTS", 3)
    buckets = Buckets(lambda: 0.0)
    for client in range(9):
        buckets.take("look", str(client))
    assert len(buckets.left) == 3


def test_a_client_that_tries_invitations_is_refused_whatever_its_cookie_says(place: Place) -> None:
    tried = [
        ask(place.app, "GET", f"/enter/{n}", headers={"host": HOST, "cookie": f"{COOKIE}={n}"}).status
        for n in range(32)
    ]
    assert tried == [401] * 30 + [429] * 2
    done = ask(place.app, "GET", "/enter/x", headers={"host": HOST})
    assert "Too many requests at once." in done.text
    assert place.ask("player", "GET", "/").status == 200


def test_a_visit_that_writes_too_often_is_refused_and_others_are_not(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.guard.RATES", {**UNHURRIED, "write": (0.001, 3)})
    assert [place.say("player", "note", NOTE).status for _ in range(5)] == [200] * 3 + [429] * 2
    assert place.say("gm", "note", NOTE).status == 200


ANSWERS = (
    ("GET", "/", 200),
    ("GET", "/static/page.js", 200),
    ("GET", "/static/none.js", 404),
    ("GET", "/none", 404),
    ("GET", "/api/v1/none", 404),
    ("GET", "/api/v1/status", 200),
    ("GET", "/api/v1/sheets?at=zero", 422),
    ("GET", "/sheet/ghost", 404),
    ("GET", "/entry/99999", 409),
    ("GET", "/enter/x", 303),  # who is in is led to the table
    ("DELETE", "/", 405),
    ("POST", "/say/none", 404),
    ("POST", "/api/v1/say/none", 404),
    ("GET", "/stream?after=3", 200),
)


@pytest.mark.parametrize(("method", "path", "status"), ANSWERS)
def test_every_answer_says_what_a_browser_may_load(place: Place, method: str, path: str, status: int) -> None:
    done = place.ask("player", method, path, headers={"sec-fetch-site": "same-origin"})
    assert done.status == status
    for name, value in SECURITY_HEADERS.items():
        assert done.headers[name.lower()] == value
    kept = {"/static/page.js": "public, max-age=31536000, immutable", "/stream?after=3": "no-store, no-transform"}
    assert done.headers["cache-control"] == kept.get(path, "no-store")
    assert (
        place.ask("player", method, path, headers={"host": "x"}).headers["content-security-policy"]
        == SECURITY_HEADERS["Content-Security-Policy"]
    )


def test_over_tls_a_page_of_another_host_holds_no_window_of_it(place: Place) -> None:
    assert TLS_HEADERS.items() <= {
        (name.title(), value) for name, value in place.ask("gm", "GET", "/", scheme="https").headers.items()
    }


def test_an_answer_to_what_nobody_foresaw_has_the_headers_too(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(place.site.logins, "person", fails)
    with served(place) as port:
        done = call(port, "GET", "/", Cookie=f"{COOKIE}=x")
    assert (done.status, done.headers["content-security-policy"]) == (500, SECURITY_HEADERS["Content-Security-Policy"])
    assert place.logged[-1]["status"] == 500


class Inline(HTMLParser):
    """What a strict policy would not run, and addresses of other hosts."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag
        for name, value in attrs:
            inline = name.startswith("on") or name == "style" or "javascript:" in (value or "")
            evaluated = (
                name.startswith("hx-on")
                or (value or "").startswith("js:")
                or "[" in (value or "" if name == "hx-trigger" else "")
            )
            foreign = name in {"href", "src", "action", "hx-get", "hx-post"} and "//" in (value or "")
            if inline or evaluated or foreign or tag in {"style", "iframe", "object", "embed"}:
                self.found.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        if self.inside == "script" and data.strip():
            self.found.append(data)

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""


def test_no_page_has_a_script_or_a_style_in_it_or_an_address_of_another_host(shm: Path) -> None:
    place = Place(
        shm,
        (
            "edge check mara --skill 3 --edge --faces 7,3,7",
            "dispute 15 --claim x",
            "edge check brak --skill 3 --seal",
            "checkpoint",
        ),
    )
    paths = [
        "/",
        "/sheet/mara",
        "/entry/15",
        "/why/mara?score=edge",
        "/then?at=9",
        "/story",
        "/trust",
        "/gm",
        "/do/mara",
    ]
    paths += [
        "/do/mara/edge/check",
        "/answer/16",
        "/answer/18",
        "/answer/19",
        "/amend/15",
        "/amend/15?how=void",
        "/none",
        "/sheet/ghost",
    ]
    token = place.logins.invite("player", "p2", place.campaign.now())
    shown = [place.ask(who, "GET", path) for path in (*paths, f"/enter/{token}") for who in EVERYBODY[:4]]
    shown += [place.ask("gm", "POST", "/audit", form={}), place.ask("gm", "POST", "/say/note", form=NOTE)]
    shown += [place.ask("gm", "POST", "/say/void", form={"entry": "15", "why": "x"})]
    assert sum(each.status == 200 for each in shown) > 40
    for each in shown:
        read = Inline()
        read.feed(each.text)
        assert read.found == []


@pytest.mark.parametrize(
    ("client", "scheme", "status"),
    [
        (("192.168.1.9", 40_000), "http", 403),
        (("192.168.1.9", 40_000), "https", 200),
        (("127.0.0.1", 40_000), "http", 200),
        (("127.8.9.9", 40_000), "http", 200),
        (("::1", 40_000), "http", 200),
        (("::ffff:192.168.1.9", 40_000), "http", 403),
        (("localhost", 40_000), "http", 403),
        (None, "http", 403),
    ],
)
def test_the_gm_plays_from_this_computer_or_over_tls(
    place: Place, client: tuple[str, int] | None, scheme: str, status: int
) -> None:
    for path in ("/", "/gm", "/api/v1/status"):
        assert place.ask("gm", "GET", path, client=client, scheme=scheme).status == status
        assert place.ask("player", "GET", "/", client=client, scheme=scheme).status == 200
    head = place.head()
    assert place.say("gm", "note", NOTE, client=client, scheme=scheme).status == status
    assert (place.head() > head) == (status == 200)
    token = place.logins.invite("gm", "p1", place.campaign.now())
    entered = place.ask("nobody", "POST", f"/enter/{token}", client=client, scheme=scheme).status
    assert entered == (303 if status == 200 else 403)
    left = [each.uses for each in place.logins.invitations(place.campaign.now())]
    assert left == ([] if status == 200 else [1]), "a refused GM has not used the invitation up"


@pytest.mark.parametrize("under", ["", "/api/v1"], ids=["the page", "the interface"])
def test_an_address_that_is_not_there_or_not_asked_so_is_refused_with_a_sentence_everywhere(
    place: Place, under: str
) -> None:
    for path, status, sentence in (
        ("/none", 404, "does not exist"),
        ("/say/note", 405, "cannot be used in this way (wrong HTTP method)"),
    ):
        done = place.ask("player", "GET", under + path)
        assert (done.status, sentence in done.text) == (status, True)
        assert done.headers.get("allow") == {404: None, 405: "POST"}[status]
        if under:
            assert done.headers["content-type"] == "application/problem+json"
            assert (done.told["status"], done.told["hint"]) == (status, "Open the start page at /.")


def test_whoever_makes_up_visits_comes_against_the_limit_of_the_client(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.guard.RATES", {**UNHURRIED, "look": (0.001, 5)})
    tried = [ask(place.app, "GET", "/", headers={"host": HOST, "cookie": f"{COOKIE}={n}"}).status for n in range(7)]
    assert tried == [401] * 5 + [429] * 2
    assert place.ask("player", "GET", "/").status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"cookie": f"{COOKIE}=made.up; {COOKIE}=SECRET"},
        {"authorization": "Bearer SECRET"},
        {"authorization": "bearer  SECRET"},
    ],
    ids=str,
)
def test_whoever_is_let_in_is_counted_by_the_same_secret(
    place: Place, monkeypatch: pytest.MonkeyPatch, headers: Mapping[str, str]
) -> None:
    given = {name: value.replace("SECRET", place.secrets["player"]) for name, value in headers.items()}
    monkeypatch.setattr("web.guard.RATES", {**UNHURRIED, "look": (0.001, 3)})
    tried = [ask(place.app, "GET", "/api/v1/status", headers={"host": HOST} | given).status for _ in range(3)]
    assert tried == [200] * 3
    assert place.ask("player", "GET", "/").status == 429, "one bucket, whichever way the secret comes"


@pytest.mark.parametrize("authorization", ["", "SECRET", "Basic SECRET", "BearerSECRET"])
def test_a_secret_comes_as_a_bearer_or_not_at_all(place: Place, authorization: str) -> None:
    given = {"authorization": authorization.replace("SECRET", place.secrets["player"])}
    assert place.ask("player", "GET", "/api/v1/status", headers=given).status == 401


def test_an_address_that_a_request_came_to_is_a_name_of_this_computer(place: Place) -> None:
    def status(host: str, came_to: str) -> int:
        return place.ask("player", "GET", "/", headers={"host": host}, server=(came_to, 8000)).status

    assert status("10.0.0.7:8000", "10.0.0.7") == 200
    assert status("10.0.0.8:8000", "10.0.0.7") == 421


def test_a_browser_reads_a_refusal_of_the_guard_as_a_page(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = {"sec-fetch-site": "cross-site"}
    shown = place.ask("gm", "POST", "/say/note", headers=foreign)
    assert (shown.status, shown.headers["content-type"]) == (403, "text/html; charset=utf-8")
    assert "A page of a different website sent this request." in shown.text
    asked = place.ask("gm", "POST", "/say/note", headers={**foreign, "hx-request": "true"})
    assert 'role="alert"' in asked.text
    assert "<html" not in asked.text
    for method, path, sentence in (
        ("GET", "/none", "This page does not exist."),
        ("DELETE", "/", "This address cannot be used in this way (wrong HTTP method)."),
        ("GET", "/static/none.js", "This page does not exist."),
    ):
        assert sentence in place.ask("gm", method, path, headers={"sec-fetch-site": "same-origin"}).text
    missing = place.ask("gm", "GET", "/api/v2/status")
    assert (missing.status, missing.told["status"], missing.told["detail"]) == (404, 404, "This page does not exist.")
    form = {"content-type": "multipart/form-data; boundary=x"}
    odd = place.ask("gm", "POST", "/invite", body=b"--x\r\nno form", headers=form)
    assert (odd.status, "The request cannot be read." in odd.text) == (400, True)


def test_what_nobody_foresaw_is_a_sentence_and_its_words_are_not_logged(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: object) -> None:
        raise ValueError("typed words")

    monkeypatch.setattr(place.site.logins, "person", fails)
    for path in ("/", "/api/v1/status", "/gm"):
        done = place.ask("gm", "GET", path)
        assert (done.status, "The server failed unexpectedly." in done.text) == (500, True)
        logged = next(each for each in place.logged[::-1] if each["event"] == "unforeseen")
        assert logged["error"] == "ValueError"
        assert logged["at"].partition(":")[0] == str(ROOT / "web" / "site.py"), "the last line of this program's own"
        assert "typed words" not in str(place.logged)


def test_a_problem_of_the_guard_has_a_sentence(place: Place) -> None:
    told = place.ask("gm", "POST", "/api/v1/say/note", headers={"sec-fetch-site": "cross-site"}).told
    assert told["detail"] == "A page of a different website sent this request."
    assert told["hint"] == "Open the table's own page."
    assert issubclass(TooOften, LedgerError)


def test_a_browser_is_told_to_say_where_its_own_forms_come_from() -> None:
    # with no-referrer it sends `Origin: null` to a plain-http name of the local network, and nobody could come in
    assert SECURITY_HEADERS["Referrer-Policy"] == "same-origin"


def test_odds_and_audits_are_counted_apart_and_are_fewer(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    odds = {"game": "rollunder", "move": "plain", "inputs.who": "mara", "inputs.characteristic": "cunning"}
    monkeypatch.setattr("web.guard.RATES", {**UNHURRIED, "odds": (0.001, 1), "audit": (0.001, 2)})
    assert [place.ask("player", "POST", "/odds", form=odds).status for _ in range(2)] == [200, 429]
    for path in ("odds?pool=d6", "luck"):
        assert place.ask("player", "GET", f"/api/v1/{path}").status == 429
    answers = [place.ask("player", "POST", "/audit", form={}) for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 429]
    assert re.search(r"Wait [0-9,]+ seconds, then try again\.", answers[-1].text)
    assert place.say("player", "note", NOTE).status == 200


def test_the_gm_makes_an_export_for_each_player_without_waiting_and_can_still_run_the_audit(place: Place) -> None:
    assert {place.ask("gm", "GET", "/export?for=p2").status for _ in range(8)} == {200}
    assert place.ask("gm", "POST", "/audit", form={}).status == 200


def test_one_client_asks_only_so_often_in_all_by_however_many_visits(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.guard.RATES", {**UNHURRIED, "all": (0.001, 3)})
    tried = [place.ask(who, "GET", "/").status for who in ("gm", "player", "spectator", "gm")]
    assert tried == [200, 200, 200, 429]
    assert place.ask("player", "GET", "/", client=("192.168.1.9", 40_000)).status == 200
