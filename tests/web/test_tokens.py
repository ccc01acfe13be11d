"""Tokens: made, shown once, listed and ended by the GM, and good for the interface for programs alone."""

import re
import sqlite3
from contextlib import closing

import pytest

from at_page import ANA, COOKIE, GM, INSIDE, Answer, Place
from web.guard import RATES, Buckets
from web.people import TOKEN_PREFIX, Role
from web.sessions import LOGINS_FILE, VISIT_SECONDS
from who_may import ALL, ASKED, SAID


def asks(place: Place, token: str, method: str, path: str, **how: object) -> Answer:
    headers = {"authorization": f"Bearer {token}"}
    return place.ask("nobody", method, path, headers=headers, **how)  # type: ignore[arg-type]


def made_on_page(place: Place, label: str, seat: str) -> Answer:
    return place.ask("gm", "POST", "/token", form={"label": label, "seat": seat})


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("who", INSIDE)
def test_a_token_opens_what_its_role_may_see_and_no_page(who: Role, place: Place) -> None:
    token = place.token(who)
    for (method, _), (path, may, form) in ASKED.items():
        answer = asks(place, token, method, path, form=form)
        if path.startswith("/api/v1/"):
            assert answer.status == (200 if who in may else 403), path
        else:
            assert answer.status == (200 if may == ALL else 401), path


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("who", INSIDE)
def test_a_token_may_enter_what_its_role_may_enter(who: Role, place: Place) -> None:
    token = place.token(who)
    for command, row in SAID.items():
        if not row.before:
            may = who == "gm" or (who == "player" and row.players in {"all", "own"})
            answer = asks(place, token, "POST", f"/api/v1/say/{command}", sent=row.own)
            assert (answer.status == 403) != may, (command, answer.text)
            place.put_back()


def test_an_entry_by_token_is_by_the_player_of_the_token(place: Place) -> None:
    answer = asks(place, place.token("player"), "POST", "/api/v1/say/note", sent={"text": "x"})
    assert [entry["by"] for entry in answer.told["entries"]] == [ANA]
    assert answer.told["lines"] == ["note: x entered by Ana"]


def test_a_token_in_a_cookie_opens_nothing(place: Place) -> None:
    token = place.token("gm")
    for path in ("/", "/gm", "/api/v1/status"):
        assert place.ask("nobody", "GET", path, headers={"cookie": f"{COOKIE}={token}"}).status == 401, path
    assert asks(place, token, "GET", "/api/v1/status").status == 200


def test_a_token_needs_no_origin_and_a_cookie_beside_it_does_not_count(place: Place) -> None:
    headers = {
        "authorization": f"Bearer {place.token('player')}",
        "cookie": f"{COOKIE}={place.secrets['gm']}",
        "sec-fetch-site": "cross-site",
        "origin": "https://vtt.example",
    }
    answer = place.ask("nobody", "POST", "/api/v1/say/note", sent={"text": "x"}, headers=headers)
    assert (answer.status, answer.told["entries"][0]["by"]) == (200, ANA)
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in answer.headers


def test_a_browser_that_asks_first_may_send_a_token_from_another_page(place: Place) -> None:
    asked = {
        "origin": "https://vtt.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
        "sec-fetch-site": "cross-site",
    }
    answer = place.ask("nobody", "OPTIONS", "/api/v1/say/roll", headers=asked)
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, "*")
    assert "authorization" in answer.headers["access-control-allow-headers"].lower()
    assert place.ask("nobody", "OPTIONS", "/say/roll", headers=asked).status == 403


@pytest.mark.parametrize(
    ("role", "method", "path", "status"),
    [
        (None, "GET", "/api/v1/status", 401),
        (None, "GET", "/api/v1/none", 404),
        ("spectator", "POST", "/api/v1/say/note", 403),
        ("gm", "POST", "/api/v1/say/roll", 422),
    ],
)
def test_a_page_of_another_website_can_read_why_a_request_was_refused(
    role: Role | None, method: str, path: str, status: int, place: Place
) -> None:
    token = {"authorization": f"Bearer {place.token(role)}"} if role else {}
    headers = {"origin": "https://vtt.example", "sec-fetch-site": "cross-site", **token}
    answer = place.ask("nobody", method, path, sent={"text": "x"}, headers=headers)
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (status, "*"), answer.text


def test_a_page_of_another_website_can_read_a_refusal_of_the_guard_and_that_the_server_failed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: object) -> None:
        raise ZeroDivisionError

    foreign = {"origin": "https://vtt.example", "sec-fetch-site": "cross-site"}
    refused = place.ask("nobody", "POST", "/api/v1/say/note", sent={"text": "x"}, headers=foreign)
    monkeypatch.setattr(place.site.logins, "person", fails)
    token = place.token("gm")
    failed = asks(place, token, "GET", "/api/v1/status")
    monkeypatch.setattr("web.guard.RATES", {**RATES, "all": (0.001, 0)})
    limited = asks(place, token, "GET", "/api/v1/status")
    assert [each.status for each in (refused, failed, limited)] == [403, 500, 429]
    assert {each.headers["access-control-allow-origin"] for each in (refused, failed, limited)} == {"*"}
    assert "access-control-allow-origin" not in place.ask("gm", "GET", "/").headers


def test_the_gm_makes_a_token_on_the_page_which_is_shown_once_and_stored_as_a_hash(place: Place) -> None:
    shown = made_on_page(place, "Discord & co", ANA).text
    assert "Discord &amp; co" in shown
    assert "everything that Ana can do" in shown
    (token,) = re.findall(rf"{TOKEN_PREFIX}[\w-]{{43}}", shown)
    assert asks(place, token, "GET", "/api/v1/status").told["you"]["seat"] == ANA
    listed = place.ask("gm", "GET", "/gm").text
    assert "Discord &amp; co" in listed
    assert token not in listed
    assert token.encode() not in (place.folder / "home" / LOGINS_FILE).read_bytes()
    (logged,) = (each for each in place.logged if each["event"] == "token")
    assert (logged["role"], logged["seat"], logged["by"]["seat"]) == ("player", ANA, GM)


@pytest.mark.parametrize(
    ("seat", "role", "says"), [("", "spectator", "every player may read"), (GM, "gm", "Tom can do")]
)
def test_a_token_has_the_role_of_its_seat(place: Place, seat: str, role: str, says: str) -> None:
    assert says in made_on_page(place, "bot", seat).text
    assert [(each.label, each.role, each.seat) for each in place.logins.tokens()] == [("bot", role, seat)]


@pytest.mark.parametrize("label", ["", "   ", "x" * 41, "a\nb", "a\u202eb"])
def test_a_token_needs_a_name_that_can_be_shown(place: Place, label: str) -> None:
    assert made_on_page(place, label, "").status == 422
    assert place.logins.tokens() == []


def test_two_tokens_of_a_campaign_have_different_names(place: Place) -> None:
    assert [made_on_page(place, "bot", "").status for _ in range(2)] == [200, 409]
    assert made_on_page(place, "bot", "p9").status == 422


def test_what_the_gm_ends_stops_at_once(place: Place) -> None:
    token, other = place.token("player"), place.token("player", "other")
    (ended, _) = place.logins.tokens()
    assert "other" in place.ask("gm", "POST", "/end", form={"name": ended.name}).text
    assert asks(place, token, "GET", "/api/v1/status").status == 401
    assert asks(place, other, "GET", "/api/v1/status").status == 200


def test_a_token_works_after_a_month_and_a_restart_and_in_no_other_campaign(place: Place) -> None:
    token = place.token("player")
    place.clock.passes(2 * VISIT_SECONDS)
    place.comes_in("player")  # forgets what has expired
    assert asks(place, token, "GET", "/api/v1/status").status == 200
    with closing(sqlite3.connect(place.folder / "home" / LOGINS_FILE)) as file:
        file.execute("UPDATE tokens SET campaign = 'another'")
        file.commit()
    place.logins._forget_cache()
    assert asks(place, token, "GET", "/api/v1/status").status == 401


def test_a_gms_token_is_refused_over_a_network_that_others_can_read(place: Place) -> None:
    token = place.token("gm")
    assert asks(place, token, "GET", "/api/v1/status", client=("192.168.1.9", 5)).status == 403
    assert asks(place, token, "GET", "/api/v1/status", client=("192.168.1.9", 5), scheme="https").status == 200
    other = place.token("player", "other")
    assert asks(place, other, "GET", "/api/v1/status", client=("192.168.1.9", 5)).status == 200


def test_a_players_token_has_the_rights_of_a_spectator_after_the_player_left(place: Place) -> None:
    token = place.token("player")
    place.say("gm", "leave", {"who": "Ana"})
    assert asks(place, token, "POST", "/api/v1/say/note", sent={"text": "x"}).status == 403
    assert asks(place, token, "GET", "/api/v1/status").told["you"]["role"] == "spectator"


def test_a_token_may_write_20_times_a_second_and_another_token_has_its_own_limit(place: Place) -> None:
    now = [0.0]
    place.app.buckets = Buckets(clock=lambda: now[0])  # type: ignore[attr-defined]
    token, other = place.token("player"), place.token("player", "other")

    def writes(token: str) -> int:
        return asks(place, token, "POST", "/api/v1/say/none", sent={}).status

    rate, most = RATES["token"]
    assert [writes(token) for _ in range(int(most) + 1)] == [404] * int(most) + [429]
    now[0] += 1
    assert [writes(token) for _ in range(21)] == [404] * 20 + [429]
    assert (rate, writes(other)) == (20, 404)
