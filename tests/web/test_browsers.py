"""A walk through the page in each browser that Debian has: what players and the GM do in an evening."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from browser import PHONE, Windows, chromium, feed_opened, fill, firefox, lines_of, more, served, shows, table_laid

pytestmark = pytest.mark.slow

BROWSERS = {"chromium": chromium, "firefox": firefox}


@pytest.fixture(scope="module", params=BROWSERS)
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """Each browser in turn."""
    with BROWSERS[request.param]() as launched:
        yield launched


@pytest.fixture(scope="module")
def table(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windows]:
    """Windows onto one server; a complaint in a browser's console fails the last test."""
    with served(table_laid(tmp_path_factory.mktemp("table"))) as server:
        windows = Windows(browser, server)
        yield windows
        windows.close()
        assert windows.complaints == []


@pytest.fixture(scope="module")
def gm(table: Windows) -> Page:
    """The GM's laptop."""
    return table.gm()


@pytest.fixture
def ana(table: Windows, gm: Page) -> Iterator[Page]:
    """Ana's phone."""
    page = table.enter(table.invite(gm, "Ana"), PHONE)
    yield page
    page.context.close()


def tapped(ana: Page, label: str = "check deception") -> None:
    """Tap on a row of mara's sheet, and wait for the tray."""
    ana.locator("#sheet-mara-edge").get_by_label(label, exact=True).click()
    ana.locator("#tray-say").wait_for()


def test_a_roll_in_one_window_is_seen_in_the_other(table: Windows, gm: Page, ana: Page) -> None:
    gm.goto(table.server.here)
    tapped(ana)
    ana.locator("#tray").get_by_label("dice", exact=True).fill("7 6")
    ana.locator("#tray-say").click()
    ana.locator("#tray-answer .line", has_text="28 against 20").wait_for()
    shows(gm, "28 against 20")
    assert lines_of(gm) == lines_of(ana) == table.server.feed()


def test_with_the_setting_of_the_phone_one_tap_rolls(ana: Page) -> None:
    ana.get_by_label("roll at the first tap").check()
    tapped(ana)
    ana.locator("#tray-answer .line", has_text="mara deception").wait_for()


def test_a_choice_after_the_roll_is_a_tap_and_so_are_undo_and_redo(table: Windows, ana: Page) -> None:
    tapped(ana)
    ana.locator("#tray").get_by_label("edge", exact=True).click()
    ana.locator("#tray").get_by_label("dice", exact=True).fill("7 3 7")
    ana.locator("#tray-say").click()
    ana.locator("#tray-answer").get_by_role("button", name="3", exact=True).click()
    ana.locator("#tray-answer .line", has_text="complete success").wait_for()
    ana.locator("#tray").get_by_role("button", name="Close").click()
    ana.locator(f"#undo [name=entry][value='{table.server.feed()[0][1:]}']").wait_for(state="attached")
    ana.get_by_role("button", name="Undo: mara").click()
    ana.locator("#tray .line", has_text="undoes").wait_for()
    ana.locator("#tray").get_by_role("button", name="Redo").click()
    ana.locator("#tray .line", has_text="redo").wait_for()


def test_back_closes_the_feed_and_forward_opens_a_form_as_it_was_filled_in(ana: Page) -> None:
    tapped(ana)
    target = ana.locator("#tray").get_by_label("target", exact=True)
    target.fill("17")
    ana.evaluate("history.back()")
    target.wait_for(state="hidden")
    ana.evaluate("history.forward()")
    target.wait_for()
    assert target.input_value() == "17"
    ana.evaluate("history.back()")
    target.wait_for(state="hidden")  # a browser goes back some time after it was asked
    feed_opened(ana)
    ana.get_by_role("button", name="Close the feed").wait_for()
    ana.evaluate("history.back()")
    ana.get_by_role("button", name="Close the feed").wait_for(state="hidden")
    assert ana.evaluate("location.hash") == ""


def test_back_from_an_earlier_entry_shows_the_entry_before(ana: Page) -> None:
    ana.get_by_role("link", name="Earlier").click()
    slider = ana.get_by_role("slider")
    last = slider.input_value()
    ana.wait_for_load_state()  # its script runs
    slider.fill("3")
    ana.locator("#f-entry[value='3']").wait_for()
    ana.evaluate("history.back()")
    ana.locator(f"#f-entry[value='{last}']").wait_for()


def test_a_search_finds_a_note(table: Windows, ana: Page) -> None:
    table.server.types("note", "the owl sleeps")
    shows(ana, "the owl sleeps")
    feed_opened(ana)
    ana.locator(".search > summary").click()
    ana.get_by_label("words", exact=True).fill("ow sleep")
    ana.locator("#found > ol > li", has_text="the owl sleeps").wait_for()


def test_the_gm_amends_a_roll_after_a_preview(table: Windows, gm: Page, ana: Page) -> None:
    gm.goto(table.server.here)
    table.server.types("edge", "check", "mara", "deception", "20", "--faces", "7,6")
    shows(ana, "28 against 20")
    line = gm.locator("#feed > li").first
    line.filter(has_text="28 against 20").locator("summary").first.click()
    line.get_by_role("link", name="Amend").click()
    gm.locator("#panel h3").wait_for()
    fill(gm, "#panel", faces="6 6", why="the table saw it")
    gm.get_by_role("button", name="Preview").click()
    gm.get_by_role("button", name="Save").click()
    shows(ana, "amends")


def test_all_moves_are_in_the_form_below_the_sheets(ana: Page) -> None:
    more(ana)
    ana.locator(".who-picks").get_by_role("link", name="mara", exact=True).click()
    ana.locator('#do a[href="do/mara/rollunder/plain"]').click()
    fill(ana, characteristic="cunning", faces="4")
    ana.locator("#do button.say").click()
    ana.locator("#panel .line", has_text="mara cunning").wait_for()
