"""The stream of a page on a real port: for whom there is room, and when it ends."""

import http.client
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from at_page import COOKIE, HERE, Place, call, served
from ledger.commands.at_table import Note
from ledger.journal.book import open_book
from ledger.journal.store import club_for, engine_for
from ledger.scribe import ignore_event
from ledger.trust.home import Home
from table import opened_book, scribe
from web.campaign import Campaign
from web.sessions import LOGINS_FILE, LoginFile, Logins
from web.site import Site

if TYPE_CHECKING:
    from postgres_server import Server


@contextmanager
def watching(place: Place, port: int) -> Iterator[http.client.HTTPResponse]:
    """The stream of the player, who shows all that there is; to read a stream that is cut off raises."""
    with closing(http.client.HTTPConnection(HERE, port, timeout=5)) as browser:
        own = {"Cookie": f"{COOKIE}={place.secrets['player']}"}
        browser.request("GET", f"/stream?after={place.head()}", headers=own)
        stream = browser.getresponse()
        assert (stream.readline(), stream.readline()) == (b"retry: 500\n", b"\n")
        yield stream


def noted(place: Place) -> None:
    """Something is written beside the page."""
    with open_book(str(place.file)) as book:
        scribe(book).write(Note(text="x"))


def visit(place: Place) -> str:
    return place.logins.person(place.secrets["player"], place.campaign.now()).visit


def test_a_stream_tells_proxies_to_pass_it_on_at_once_and_unchanged(place: Place) -> None:
    headers = place.ask("player", "GET", "/stream?after=3").headers
    assert headers["x-accel-buffering"] == "no"
    assert headers["cache-control"] == "no-store, no-transform"


def test_whom_the_gm_ends_gets_nothing_more_though_nothing_is_written(place: Place) -> None:
    with served(place) as port, watching(place, port) as stream:
        own = {"Cookie": f"{COOKIE}={place.secrets['gm']}", "Origin": f"http://{HERE}:{port}"}
        form = {"Content_Type": "application/x-www-form-urlencoded"}
        assert call(port, "POST", "/end", f"name={visit(place)}".encode(), None, **own, **form).status == 200
        assert stream.read() == b""


def test_whom_another_server_ends_gets_nothing_that_is_written_from_then_on(place: Place) -> None:
    with served(place) as port, watching(place, port) as stream:
        assert Logins(LoginFile(str(place.folder / "home"), "road")).end(visit(place))
        noted(place)
        assert stream.read() == b""


def test_a_stream_ends_quietly_once_the_visits_cannot_be_read(place: Place) -> None:
    with served(place) as port, watching(place, port) as stream:
        (place.folder / "home" / LOGINS_FILE).unlink()
        noted(place)
        assert stream.read() == b""
    assert [each["event"] for each in place.logged] == ["request"]


def test_a_server_that_stops_ends_its_streams_and_does_not_wait_for_them(place: Place) -> None:
    with served(place) as port, watching(place, port) as stream:
        began = monotonic()
        place.stops()
        assert stream.read() == b""
        assert monotonic() - began < 2, "a server that waits gives up after 3 seconds"


def test_whoever_watches_too_often_is_told_so(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.feed.MOST_STREAMS_OF_VISIT", 1)
    with served(place) as port, watching(place, port):
        refused = call(port, "GET", "/stream", Cookie=f"{COOKIE}={place.secrets['player']}")
        assert (refused.status, "Too many pages of this table are open." in refused.text) == (429, True)


def test_a_host_limits_the_open_pages_of_a_campaign(postgres: "Server", tmp_path: Path) -> None:
    from postgres_server import club_address

    club, name = club_for(club_address(postgres)), str(uuid4())
    address = club.address(name)
    with opened_book() as book, engine_for(address).creating(book.journal.storage):
        pass
    for most, room in ((3, 3), (9999, 4000), (None, 4000)):
        club.limit(name, {"streams": most})
        tables = engine_for(address).login_tables()
        assert tables is not None
        campaign = Campaign(address, Home(str(tmp_path)))
        site = Site(campaign, Logins(tables), address=lambda: "", cookie=COOKIE, log=ignore_event)
        assert site.feed.most == room
