"""The list of logins names each device, and follows what happens."""

import asyncio
import sqlite3
from contextlib import aclosing, closing

import pytest

import web.feed
from at_page import ANA, Place
from browser import Windows
from web.devices import device_name
from web.feed import VISITS_EVENT
from web.sessions import LOGINS_FILE, LoginFile, Logins

PIXEL = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile Safari/537.36"
)


@pytest.mark.parametrize(
    ("header", "named"),
    [
        (PIXEL, "Android phone, Chrome"),
        (PIXEL.replace("Mobile ", ""), "Android tablet, Chrome"),
        (PIXEL.replace("Chrome/126.0", "SamsungBrowser/25.0 Chrome/121.0"), "Android phone, Samsung Internet"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1 Version/17.5 Mobile/15E148 Safari/604.1",
            "iPhone, Safari",
        ),
        ("Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1 CriOS/126.0 Mobile/15E148", "iPad, Chrome"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/126.0 Safari/537.36 Edg/126.0", "Windows computer, Edge"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0", "Linux computer, Firefox"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Version/17.5 Safari/605.1", "Mac, Safari"),
        ("curl/8.7", ""),
        ("", ""),
    ],
)
def test_a_device_is_named_in_plain_words(header: str, named: str) -> None:
    assert device_name(header) == named


def test_the_gm_sees_the_device_of_each_login(place: Place) -> None:
    for header in (PIXEL, "curl/8.7"):
        token = place.logins.invite("player", ANA, place.campaign.now())
        place.ask("nobody", "POST", f"/enter/{token}", headers={"user-agent": header})
    shown = place.ask("gm", "GET", "/visits").text
    assert ("Ana · Android phone, Chrome" in shown, "Log out Ana, Android phone, Chrome" in shown) == (True, True)
    assert shown.count(" · ") == 1, "a program that does not name its device has none"


def test_a_file_of_logins_of_an_earlier_version_still_works(place: Place) -> None:
    with closing(sqlite3.connect(place.folder / "home" / LOGINS_FILE)) as file:
        file.execute("ALTER TABLE visits DROP COLUMN device")
        file.commit()
    again = Logins(LoginFile(str(place.folder / "home"), "road"))
    assert again.person(place.secrets["player"], place.campaign.now()).seat == ANA
    assert {visit.device for visit in again.visits(place.campaign.now())} == {""}


def test_only_the_streams_of_gms_tell_of_logins_and_the_list_says_who_watches(place: Place) -> None:
    async def play() -> list[bytes]:
        feed, came = place.site.feed, list[bytes]()
        async with aclosing(feed.stream(14, "", "tom", gm=True)) as gm, aclosing(feed.stream(14, "", "ana")) as ana:
            assert [await anext(gm), await anext(ana)] == [b"retry: 500\n\n"] * 2
            feed.visits_changed()
            came.append(await anext(gm))
            assert feed.visits_with_page_open() == {"tom", "ana"}
            await ana.aclose()
            came.append(await anext(gm))
            assert feed.visits_with_page_open() == {"tom"}
        return came

    assert asyncio.run(play()) == [VISITS_EVENT] * 2


def test_many_phones_that_come_back_at_once_are_one_event_for_the_gm(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web.feed, "VISITS_SECONDS", 3600.0)

    async def play() -> bool:
        feed = place.site.feed
        async with aclosing(feed.stream(14, "", "tom", gm=True)) as gm:
            assert [await anext(gm), await anext(gm)] == [b"retry: 500\n\n", VISITS_EVENT]
            second = asyncio.ensure_future(anext(gm))
            for number in range(40):
                async with aclosing(feed.stream(14, "", f"ana {number}")) as ana:
                    await anext(ana)
            await asyncio.sleep(5 * web.feed.POLL_SECONDS)
            came = second.done()
            second.cancel()
            await asyncio.wait([second])
            return came

    assert not asyncio.run(play())


def test_whoever_has_the_page_open_is_marked_in_the_list(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    visit = place.logins.person(place.secrets["player"], 0).visit
    monkeypatch.setattr(place.site.feed, "visits_with_page_open", lambda: {visit})
    assert place.ask("gm", "GET", "/gm").text.count("has the page open") == 1


def test_the_list_follows_logins_and_logouts_without_a_reload(windows: Windows) -> None:
    tom = windows.gm()
    tom.goto(f"{windows.server.address}/gm")
    visits = tom.locator("#visits")
    ana = windows.enter(windows.invite(tom, "Ana"), user_agent=PIXEL)
    visits.get_by_text("Ana · Android phone, Chrome").wait_for()
    visits.get_by_text("has the page open").nth(1).wait_for()
    with windows.forgiving("401"):
        visits.get_by_role("button", name="Log out Ana, Android phone, Chrome").click()
        visits.get_by_text("Ana · Android phone, Chrome").wait_for(state="detached")
        ana.locator("#connection", has_text="no longer logged in").wait_for()
