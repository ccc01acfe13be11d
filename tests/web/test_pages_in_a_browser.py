"""Each page, in a real browser: on the smallest phone, under a thumb, in the dark, to a screen reader."""

import re
from collections.abc import Callable, Iterator
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from browser import (
    LAPTOP,
    PHONE,
    PLAYED,
    SMALLEST,
    Server,
    Windows,
    feed_opened,
    fill,
    form_of,
    served,
    table_laid,
    written,
)

pytestmark = pytest.mark.slow

Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(table_laid(tmp_path_factory.mktemp("table"), *PLAYED)) as started:
        yield started


@pytest.fixture(scope="module")
def windows(browser: Browser, server: Server) -> Iterator[Windows]:
    opened = Windows(browser, server)
    yield opened
    opened.close()
    assert opened.complaints == []


@pytest.fixture(scope="module")
def desk(windows: Windows) -> Page:
    """The GM's window, at the laptop."""
    return windows.gm()


@pytest.fixture(scope="module")
def phone(windows: Windows, desk: Page) -> Page:
    """A GM's window as large as a phone, in which all that there is can be shown."""
    return windows.enter(windows.invite(desk, "Tom (GM)"), PHONE)


def at(address: str) -> Callable[[Page], object]:
    return lambda page: page.goto(address)


def tapped(what: str) -> Callable[[Page], object]:
    def tap(page: Page) -> None:
        page.locator(what).first.click()
        page.locator("#panel > *").first.wait_for()

    return tap


def a_form(page: Page) -> None:
    form_of(page, "mara", "multicheck", "test")
    page.locator("#do details.more > summary").click()


def a_tray(page: Page) -> None:
    page.locator("#sheet-mara-multicheck").get_by_label("test cunning", exact=True).click()
    page.locator("#tray form").wait_for()
    page.locator("#tray details.more > summary").click()


def an_answer(page: Page) -> None:
    page.locator("#dice a").first.click()
    page.locator("#tray-say").click()
    page.locator("#tray-answer .line").wait_for()


def odds(page: Page) -> None:
    form_of(page, "brak", "edge", "check")
    fill(page, skill="8", target="20")
    page.get_by_role("button", name="Odds").click()
    page.locator("#do .odds").wait_for()


def a_line(page: Page) -> None:
    feed_opened(page)
    page.locator("#a32 summary").first.click()
    page.locator("#a32 .working").get_by_text("Object").click()


def a_form_and_an_amendment(page: Page) -> None:
    form_of(page, "mara", "edge", "check")
    feed_opened(page)
    page.locator("#a32 summary").first.click()
    page.locator("#a32").get_by_role("link", name="Amend").click()
    page.locator("#panel h3").wait_for()


def a_plan(page: Page) -> None:
    a_form_and_an_amendment(page)
    fill(page, "#panel", faces="6 6", why="they lay so")
    page.get_by_role("button", name="Preview").click()
    page.get_by_text("Nothing is saved yet").wait_for()


def an_audit(page: Page) -> None:
    page.get_by_role("button", name="Check the whole history").click()
    page.locator("#audit p").first.wait_for()


def an_invitation(page: Page) -> None:
    page.get_by_role("button", name="Make an invitation").click()
    page.locator("#panel svg").first.wait_for()


STATES: dict[str, tuple[str, Callable[[Page], object]]] = {
    "table": ("/", lambda page: None),
    "form": ("/", a_form),
    "tray": ("/", a_tray),
    "answer": ("/", an_answer),
    "odds": ("/", odds),
    "line": ("/", a_line),
    "why": ("/", tapped("#sheet-mara-edge dd a")),
    "decide": ("/", tapped("#waits a:has-text('claim')")),
    "choose": ("/", tapped("#waits li:not(:has-text('claim')) a")),
    "amend": ("/", a_form_and_an_amendment),
    "plan": ("/", a_plan),
    "sheet": ("/sheet/mara", lambda page: None),
    "then": ("/then?at=34", lambda page: None),
    "story": ("/story", lambda page: None),
    "register": ("/register/mara?score=edge", lambda page: None),
    "luck": ("/luck", lambda page: None),
    "trust": ("/trust", an_audit),
    "gm": ("/gm", an_invitation),
}


def shown(page: Page, server: Server, state: str) -> None:
    address, do = STATES[state]
    page.goto(f"{server.address}{address}")
    do(page)


def wide(page: Page) -> list[str]:
    """What is wider than the window."""
    found: list[str] = page.evaluate(
        """() => document.documentElement.scrollWidth <= document.documentElement.clientWidth ? [] :
          [...document.querySelectorAll("body *")].filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
            .map((each) => each.outerHTML.slice(0, 120))"""
    )
    return found


SMALL = """() => [...document.querySelectorAll("a, button, input:not([type=hidden]), select, summary")]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height > 0)
  .filter((each) => {
    const by = /checkbox|radio/.test(each.type) ? each.labels[0] : each;
    return Math.round(by.getBoundingClientRect().height) < 40;
  }).map((each) => each.outerHTML.slice(0, 160))"""
"""What a thumb has to hit and is less than 40 px high; a box is hit by its label, too."""


@pytest.mark.parametrize("state", STATES)
def test_nothing_is_wider_than_the_smallest_phone(phone: Page, server: Server, state: str) -> None:
    width, height = SMALLEST
    phone.set_viewport_size({"width": width, "height": height})
    shown(phone, server, state)
    assert phone.evaluate("innerWidth") == width
    assert wide(phone) == []


@pytest.mark.parametrize("state", STATES)
def test_everything_that_is_tapped_is_as_high_as_a_thumb(phone: Page, server: Server, state: str) -> None:
    phone.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    shown(phone, server, state)
    assert phone.evaluate(SMALL) == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("state", STATES)
def test_a_screen_reader_is_told_everything(desk: Page, server: Server, state: str, scheme: Scheme) -> None:
    desk.emulate_media(color_scheme=scheme)
    shown(desk, server, state)
    found = Axe().run(desk).response["violations"]
    bad = [
        (each["id"], [node["html"][:160] for node in each["nodes"]])
        for each in found
        if each["impact"] in {"serious", "critical"}
    ]
    assert bad == []


def test_the_way_in_is_told_to_a_screen_reader_and_fits_the_smallest_phone(windows: Windows, desk: Page) -> None:
    link = windows.invite(desk, "Ana")
    page = windows.window(SMALLEST)
    page.goto(link)
    page.get_by_role("button", name="Come in").wait_for()
    assert (wide(page), page.evaluate(SMALL)) == ([], [])
    assert not [each for each in Axe().run(page).response["violations"] if each["impact"] in {"serious", "critical"}]


def test_a_page_is_light_by_day_and_dark_by_night(desk: Page, server: Server) -> None:
    desk.set_viewport_size({"width": LAPTOP[0], "height": LAPTOP[1]})
    brightness = []
    for scheme in SCHEMES:
        desk.emulate_media(color_scheme=scheme)
        shown(desk, server, "table")
        color = desk.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        brightness.append(sum(int(part) for part in color.strip("rgb()").split(",")[:3]) / 3)
    assert brightness[0] > 200
    assert brightness[1] < 60


def test_a_label_in_the_panel_is_of_the_field_in_the_panel(desk: Page, server: Server) -> None:
    shown(desk, server, "amend")
    desk.locator("#panel label", has_text=re.compile("^dice")).click()
    desk.keyboard.type("4 4")
    assert desk.locator("#panel [name=faces]").input_value() == "4 4"
    assert desk.locator("#do [name=faces]").input_value() == ""
    fill(desk, "#panel", why="they lay so")
    desk.get_by_role("button", name="Preview").click()
    written(desk)
