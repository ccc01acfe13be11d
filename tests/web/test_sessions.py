"""Invitations and visits: taken once, over in time, ended at once, and kept as hashes alone."""

import asyncio
import os
import sqlite3
import ssl
from contextlib import closing
from pathlib import Path
from time import sleep

import pytest

from at_page import ANA, COOKIE, EVERYBODY, HERE, OUTSIDE, Place, ask, call, served
from certificate import certificate
from engine import create_journal
from ledger.commands.at_table import Open
from ledger.errors import DiskRefused, NotMade, Refused
from ledger.journal.book import Book
from table import scribe
from web.problems import NotEntered
from web.sessions import (
    INVITATION_SECONDS,
    LOGINS_FILE,
    VISIT_SECONDS,
    LoginFile,
    Logins,
    campaign_key,
)


def shown_link(place: Place, seat: str = ANA, uses: str = "1") -> str:
    """The token of an invitation that the GM makes at the page."""
    made = place.ask("gm", "POST", "/invite", form={"seat": seat, "uses": uses})
    assert made.status == 200
    assert "<svg" in made.text
    return made.text.partition("/enter/")[2].partition("<")[0]


def enters(place: Place, token: str) -> int:
    return place.ask("nobody", "POST", f"/enter/{token}").status


def test_a_player_of_one_campaign_without_a_key_has_no_login_in_another_with_the_same_file_name(tmp_path: Path) -> None:
    logins = []
    for place, title in enumerate(("The salt road", "Another road")):
        (tmp_path / str(place)).mkdir()
        with Book(create_journal(str(tmp_path / str(place) / "road.campaign"))) as book:
            scribe(book).write(Open(title=title, gm="Tom"))
            assert book.origin() is None
            logins.append(Logins(LoginFile(str(tmp_path / "home"), campaign_key(book))))
    secret = logins[0].use_invitation(logins[0].invite("player", ANA, 5), 5)
    assert logins[0].person(secret, 6).seat == ANA
    with pytest.raises(NotEntered):
        logins[1].person(secret, 6)


def test_a_file_of_the_first_version_can_still_be_used(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / LOGINS_FILE, isolation_level=None)) as first:
        columns = "hash TEXT PRIMARY KEY, campaign TEXT, role TEXT, seat TEXT"
        first.execute(f"CREATE TABLE invitations ({columns}, expires INTEGER, uses INTEGER)")
        first.execute(f"CREATE TABLE sessions ({columns}, begun INTEGER, expires INTEGER)")
        first.execute(f"CREATE TABLE visits ({columns}, begun INTEGER, expires INTEGER)")
        first.execute("INSERT INTO visits VALUES ('h', 'road', 'player', 'p2', 1, 9)")
    logins = Logins(LoginFile(str(tmp_path), "road"))
    assert [visit.device for visit in logins.visits(5)] == [""]
    assert logins.person(logins.use_invitation(logins.invite("gm", "p1", 5), 5), 6).seat == "p1"


def test_to_look_at_an_invitation_takes_nothing_and_to_come_in_takes_it_once(place: Place) -> None:
    token = shown_link(place)
    for _ in range(3):
        done = place.ask("nobody", "GET", f"/enter/{token}")
        assert (done.status, "set-cookie" in done.headers) == (200, False)
        assert "as Ana" in done.text
    assert [enters(place, token), enters(place, token)] == [303, 401]
    assert place.ask("nobody", "GET", f"/enter/{token}").status == 401


def test_an_invitation_is_good_for_so_many_uses_and_for_a_day(place: Place) -> None:
    token = shown_link(place, uses="2")
    assert [enters(place, token) for _ in range(3)] == [303, 303, 401]
    token = shown_link(place, uses="2")
    place.clock.passes(INVITATION_SECONDS - 1)
    assert enters(place, token) == 303
    place.clock.passes(1)
    assert enters(place, token) == 401
    assert place.logins.invitations(place.campaign.now()) == []


def test_who_is_in_already_is_led_to_the_table_by_a_link_that_was_used(place: Place) -> None:
    token = shown_link(place)
    enters(place, token)
    led = place.ask("player", "GET", f"/enter/{token}")
    assert (led.status, led.headers["location"]) == (303, "/")
    assert (
        "This invitation was used up, has expired, or was canceled."
        in place.ask("nobody", "GET", f"/enter/{token}").text
    )


def test_a_gm_is_not_invited_where_the_gm_would_not_be_let_in(place: Place) -> None:
    place.site.address = lambda: "http://192.168.1.5:8000"
    refused = place.ask("gm", "POST", "/invite", form={"seat": "p1", "uses": "1"})
    assert (refused.status, "The GM can log in over this network only with TLS encryption." in refused.text) == (
        403,
        True,
    )
    place.site.address = lambda: "https://192.168.1.5:8000"
    assert place.ask("gm", "POST", "/invite", form={"seat": "p1", "uses": "1"}).status == 200


def test_what_is_over_is_forgotten(place: Place) -> None:
    def rows() -> dict[str, int]:
        with closing(sqlite3.connect(place.folder / "home" / LOGINS_FILE)) as file:
            return {
                name: file.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in ("invitations", "visits")
            }

    place.logins.invite("player", ANA, place.campaign.now())
    assert all(count > 0 for count in rows().values())
    place.clock.passes(VISIT_SECONDS)
    place.logins.invite("player", ANA, place.campaign.now())
    assert rows() == {"invitations": 1, "visits": 0}


@pytest.mark.parametrize(
    ("seat", "uses"), [("p9", "1"), ("p2", "0"), ("p2", "101"), ("p2", "-1"), ("p2", ""), ("p2", "²")]
)
def test_an_invitation_for_nobody_or_for_no_use_is_refused(place: Place, seat: str, uses: str) -> None:
    assert place.ask("gm", "POST", "/invite", form={"seat": seat, "uses": uses}).status == 422
    assert place.logins.invitations(place.campaign.now()) == []


@pytest.mark.parametrize(
    ("seat", "role", "shows"), [("p1", "gm", "the GM"), ("p2", "player", "as Ana"), ("", "spectator", "as a spectator")]
)
def test_an_invitation_has_the_role_of_its_seat(place: Place, seat: str, role: str, shows: str) -> None:
    token = shown_link(place, seat)
    assert shows in place.ask("nobody", "GET", f"/enter/{token}").text
    done = place.ask("nobody", "POST", f"/enter/{token}")
    secret = done.headers["set-cookie"].partition("=")[2].partition(";")[0]
    assert place.logins.person(secret, place.campaign.now()).role == role


def test_an_unknown_invitation_and_one_of_another_campaign_let_nobody_in(place: Place) -> None:
    assert enters(place, "A" * 43) == 401
    other = Logins(LoginFile(str(place.folder / "home"), "another")).invite("gm", "p1", place.campaign.now())
    assert enters(place, other) == 401
    with pytest.raises(NotEntered):
        Logins(LoginFile(str(place.folder / "home"), "another")).person(place.secrets["gm"], place.campaign.now())


def test_what_the_gm_ends_is_out_at_once(place: Place) -> None:
    token = shown_link(place)
    (invited,) = place.logins.invitations(place.campaign.now())
    assert place.ask("player", "GET", "/").status == 200
    assert "Cancel the invitation" in place.ask("gm", "GET", "/gm").text
    for name in (invited.name, place.logins.person(place.secrets["player"], place.campaign.now()).visit):
        assert place.ask("gm", "POST", "/end", form={"name": name}).status == 200
    assert enters(place, token) == 401
    assert place.ask("player", "GET", "/").status == 401
    assert place.say("player", "note", {"text": "x"}).status == 401
    assert [place.ask(who, "GET", "/").status for who in ("gm", "spectator")] == [200, 200]


def test_the_log_says_which_gm_invited_and_ended_whom(place: Place) -> None:
    now = place.campaign.now()
    by = {"visit": place.logins.person(place.secrets["gm"], now).visit, "seat": "p1"}
    player = place.logins.person(place.secrets["player"], now).visit
    shown_link(place)
    place.ask("gm", "POST", "/end", form={"name": player})
    told = {each["event"]: each for each in place.logged}
    assert told["invited"] == {"event": "invited", "role": "player", "seat": ANA, "uses": 1, "by": by}
    assert told["ended"] == {"event": "ended", "visit": player, "by": by}


def test_a_session_is_over_in_time_and_outlasts_the_server(place: Place) -> None:
    again = Logins(LoginFile(str(place.folder / "home"), "road"))
    assert again.person(place.secrets["player"], place.campaign.now()).seat == ANA
    place.clock.passes(VISIT_SECONDS - 1)
    assert place.ask("player", "GET", "/").status == 200
    place.clock.passes(1)
    assert place.ask("player", "GET", "/").status == 401
    assert again.visits(place.campaign.now()) == []


def test_what_another_server_of_the_campaign_does_counts_here_at_once(place: Place) -> None:
    other, now = Logins(LoginFile(str(place.folder / "home"), "road")), place.campaign.now()
    assert place.ask("player", "GET", "/").status == 200
    secret = other.use_invitation(other.invite("player", ANA, now), now)
    assert ask(place.app, "GET", "/", headers={"host": HERE, "cookie": f"{COOKIE}={secret}"}).status == 200
    sleep(0.02)  # more than a tick of the file's time
    assert other.end(other.person(secret, now).visit)
    assert not place.logins.is_login_secret(secret)
    assert ask(place.app, "GET", "/", headers={"host": HERE, "cookie": f"{COOKIE}={secret}"}).status == 401


def test_a_change_that_the_files_time_does_not_show_is_seen_in_a_while(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.sessions.RETRY_SECONDS", 0.05)
    other, now = Logins(LoginFile(str(place.folder / "home"), "road")), place.campaign.now()
    secret, file = place.secrets["player"], place.folder / "home" / LOGINS_FILE
    assert place.logins.is_login_secret(secret)
    before = file.stat()
    other.end(other.person(secret, now).visit)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert place.logins.is_login_secret(secret)
    sleep(0.06)
    assert not place.logins.is_login_secret(secret)


def test_while_nothing_changes_the_file_of_visits_is_not_opened(place: Place) -> None:
    file = place.folder / "home" / LOGINS_FILE
    long_ago = file.stat().st_mtime_ns - 9 * 10**9
    os.utime(file, ns=(long_ago, long_ago))
    assert place.logins.is_login_secret(place.secrets["gm"])
    file.write_bytes(b"no doors" * (file.stat().st_size // 8))
    os.utime(file, ns=(long_ago, long_ago))
    for _ in range(3):
        assert place.ask("gm", "GET", "/").status == 200


def test_visits_that_are_over_and_forgotten_take_no_room(place: Place) -> None:
    place.clock.passes(VISIT_SECONDS)
    place.comes_in("player")
    assert not place.logins.is_login_secret(place.secrets["player"])
    assert len(place.logins._visits()) == 1


def test_only_hashes_are_kept_in_a_file_for_its_owner_alone(place: Place) -> None:
    tokens = [shown_link(place) for _ in range(3)] + [place.secrets[who] for who in EVERYBODY if place.secrets[who]]
    files = [path for path in (place.folder / "home").iterdir() if path.name.startswith("doors.db")]
    assert [(path.name, path.stat().st_mode & 0o777) for path in files] == [("doors.db", 0o600)]
    assert (place.folder / "home").stat().st_mode & 0o777 == 0o700
    stored = files[0].read_bytes()
    assert all(len(token) == 43 and token.encode() not in stored for token in tokens)
    shown = place.ask("gm", "GET", "/gm").text
    assert all(token not in shown for token in tokens)


def test_a_name_that_the_gm_sees_opens_nothing(place: Place) -> None:
    names = [each.name for each in place.logins.visits(place.campaign.now())]
    assert len(names) == 3
    for name in names:
        for path, headers in (
            ("/", {"cookie": f"{COOKIE}={name}"}),
            ("/api/v1/status", {"authorization": f"Bearer {name}"}),
        ):
            assert place.ask("nobody", "GET", path, headers=headers).status == 401


def test_the_cookie_is_for_this_page_alone_and_over_tls_for_tls_alone(place: Place) -> None:
    done = place.ask("nobody", "POST", f"/enter/{shown_link(place)}")
    parts = done.headers["set-cookie"].split("; ")
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= set(parts)
    assert "Secure" not in parts
    assert not any(part.startswith("Domain") for part in parts)
    assert (done.status, done.headers["location"]) == (303, "/")
    pem, key = certificate(place.folder)
    trusts = ssl.create_default_context(cafile=pem)
    with served(place, pem, key) as port:
        own = f"https://{HERE}:{port}"
        done = call(port, "POST", f"/enter/{shown_link(place)}", tls=trusts, Origin=own)
        cookie = done.headers["set-cookie"]
        assert cookie.startswith(f"__Host-{COOKIE}=")
        assert {"HttpOnly", "SameSite=lax", "Secure", "Path=/"} <= set(cookie.split("; "))
        plain = cookie.partition(";")[0].removeprefix("__Host-")
        assert call(port, "GET", "/", tls=trusts, Cookie=plain).status == 401, "another host may have set it"
        assert call(port, "GET", "/", tls=trusts, Cookie=cookie.partition(";")[0]).status == 200
        assert (
            call(port, "POST", f"/enter/{shown_link(place)}", tls=trusts, Origin=f"http://{HERE}:{port}").status == 403
        )


def test_who_is_outside_learns_only_how_to_come_in(place: Place) -> None:
    for who in OUTSIDE:
        done = place.ask(who, "GET", "/")
        assert "Ask the GM for an invitation." in done.text
        assert "prints a new link each time it starts" in done.text
        assert "salt road" not in done.text
        part = place.ask(who, "GET", "/do/mara", headers={"hx-request": "true"})
        assert part.text.startswith("<button")
        assert (part.status, "<html" in part.text) == (401, False)


def test_a_home_that_cannot_be_used_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file")
    with pytest.raises(NotMade, match=r"file cannot be created: File exists"):
        Logins(LoginFile(str(tmp_path / "file"), "road"))
    (tmp_path / "doors.db").write_bytes(b"no doors" * 999)
    with pytest.raises(Refused, match=r"The file of invitations and logins \(.*doors\.db\) cannot be read\."):
        Logins(LoginFile(str(tmp_path), "road"))
    (tmp_path / "doors.db").unlink()
    (tmp_path / "doors.db").mkdir()
    with pytest.raises(DiskRefused, match="cannot be opened or written"):
        Logins(LoginFile(str(tmp_path), "road"))


def test_a_request_counts_for_its_login_while_the_logins_cannot_be_read(place: Place) -> None:
    secret = place.secrets["player"]
    assert asyncio.run(place.site.knows_secret(secret))
    (place.folder / "home" / "doors.db").unlink()
    (place.folder / "home" / "doors.db").mkdir()
    assert not place.logins.is_login_secret(secret)
    assert asyncio.run(place.site.knows_secret(secret))
    assert not asyncio.run(place.site.knows_secret("unknown"))


def test_a_cached_page_of_a_file_waits_for_no_thread(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in (place.file, place.folder / "home" / LOGINS_FILE):
        os.utime(file, (1e9, 1e9))  # so old that no later change is hidden
    assert place.ask("gm", "GET", "/story").status == 200

    def busy(*_: object) -> None:
        raise AssertionError("all threads wait for the file")

    monkeypatch.setattr("web.site.threaded", busy)
    assert place.ask("gm", "GET", "/story").status == 200
