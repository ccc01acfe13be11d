"""What a phone checks by itself, in a real browser, against servers that change the record or show two of them."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from browser import Server, Windows, feed_opened, served, table_laid
from ledger.journal.book import open_book
from table import EVENING

pytestmark = pytest.mark.slow

MARK = "#checked"
GOOD, BAD, OTHER = "✓ Checked", "✗ The record was changed", "? A different campaign"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    laid = table_laid(
        tmp_path, 'session open "The bridge"', "note 'the river rises'", "note 'the miller lies' --secret"
    )
    with served(laid) as started:
        yield started


@pytest.fixture
def windows(browser: Browser, server: Server) -> Iterator[Windows]:
    opened = Windows(browser, server)
    yield opened
    opened.close()
    assert opened.complaints == []


@pytest.fixture
def phone(windows: Windows) -> Page:
    page = windows.gm((390, 780))
    expect(page.locator(MARK)).to_have_text(GOOD)
    return page


def has_checked(phone: Page, server: Server) -> None:
    """Wait until the phone has checked the record up to its last entry."""
    with open_book(str(server.file)) as book:
        expect(phone.locator(MARK)).to_have_attribute("data-size", str(book.head()))
    expect(phone.locator(MARK)).to_have_text(GOOD)


def kept(server: Server) -> Path:
    """A copy of the campaign as it is now."""
    return Path(shutil.copy(server.file, server.file.with_suffix(".kept")))


def put_back(server: Server, copy: Path) -> None:
    """Show another history under the same name, as somebody does who wants a roll never to have been."""
    os.replace(copy, server.file)


def notes(server: Server, *texts: str, home: str = "home") -> None:
    """Write notes. A home that knows another history refuses: whoever lies uses a new one."""
    for text in texts:
        server.types("note", text, home=home)


def test_an_entry_that_is_added_is_checked_and_the_mark_stays(phone: Page, server: Server) -> None:
    notes(server, "an owl")
    has_checked(phone, server)
    phone.goto(f"{server.here}/trust")
    with_head = phone.locator("#phone-says")
    expect(with_head).to_contain_text("Nothing has changed up to #")
    expect(with_head).to_contain_text("has not signed anything yet")
    server.types("checkpoint")
    phone.reload()
    expect(with_head).to_contain_text("key signed the entries up to #")


def test_entries_that_were_cut_off_are_noticed(phone: Page, server: Server) -> None:
    copy = kept(server)
    notes(server, "an owl", "a fox")
    has_checked(phone, server)
    put_back(server, copy)
    expect(phone.locator(MARK)).to_have_text(BAD)


def test_another_history_of_the_same_length_and_a_longer_one_are_noticed(phone: Page, server: Server) -> None:
    copy = kept(server)
    notes(server, "an owl")
    has_checked(phone, server)
    put_back(server, copy)
    notes(server, "a fox", "a bear", home="new")
    expect(phone.locator(MARK)).to_have_text(BAD)
    phone.goto(f"{server.here}/trust")
    expect(phone.locator("#phone-says")).to_contain_text("entries are not the same as before")
    phone.get_by_role("button", name="Forget that").click()
    expect(phone.locator(MARK)).to_have_text(GOOD)


def test_what_was_noticed_stays_if_the_right_history_comes_back(phone: Page, server: Server) -> None:
    copy = kept(server)
    notes(server, "an owl")
    right = Path(shutil.copy(server.file, server.file.with_suffix(".right")))
    has_checked(phone, server)
    put_back(server, copy)
    expect(phone.locator(MARK)).to_have_text(BAD)
    put_back(server, right)
    phone.wait_for_timeout(1000)
    expect(phone.locator(MARK)).to_have_text(BAD)


def test_a_new_key_stays_trusted_if_the_old_key_signed_it(phone: Page, server: Server) -> None:
    for name in ("lent", "lent again"):
        server.types("key", "rotate", "--why", name)
        server.types("checkpoint")
        notes(server, "an owl")
        has_checked(phone, server)


def test_a_key_that_replaced_a_lost_one_is_noticed_and_trusted_from_a_new_start(phone: Page, server: Server) -> None:
    server.types("key", "rotate", "--lost", home="new")
    server.types("checkpoint", home="new")
    notes(server, "an owl", home="new")
    expect(phone.locator(MARK)).to_have_text(BAD)
    phone.goto(f"{server.here}/trust")
    phone.get_by_role("button", name="Forget that").click()
    has_checked(phone, server)
    notes(server, "a fox", home="new")
    phone.reload()
    has_checked(phone, server)


def test_two_phones_that_were_shown_two_histories_learn_it_from_a_link(
    phone: Page, windows: Windows, server: Server
) -> None:
    copy = kept(server)
    notes(server, "an owl")
    has_checked(phone, server)
    phone.goto(f"{server.here}/trust")
    expect(phone.locator("#phone-link")).to_have_value(re.compile("#head="))
    link = phone.locator("#phone-link").input_value()
    put_back(server, copy)
    notes(server, "a fox", home="new")
    other = windows.enter(windows.invite(phone, "Tom (GM)"))
    expect(other.locator(MARK)).to_have_text(GOOD)
    other.goto(link)
    expect(other.locator("#phone-answer")).to_contain_text("These are two different histories")
    assert other.url == f"{server.here}/trust"


def test_a_phone_that_lost_its_memory_takes_it_back(phone: Page, windows: Windows, server: Server) -> None:
    server.types("checkpoint")
    note = server.types("checkpoint")
    phone.goto(f"{server.here}/trust")
    expect(phone.locator("#phone-link")).to_have_value(re.compile("#head="))
    link = phone.locator("#phone-link").input_value()
    notes(server, "an owl")
    other = windows.enter(windows.invite(phone, "Tom (GM)"))
    for _ in range(2):  # the second time, the page is open already
        other.goto(link)
        expect(other.locator("#phone-answer")).to_contain_text("Both histories are the same up to #")
        other.locator("#phone-answer").evaluate("line => line.textContent = ''")
    other.locator("#this-phone summary").nth(1).click()
    other.get_by_label("a checkpoint from the chat").fill(f"Tom: here it is\n> {note}")
    other.get_by_role("button", name="Compare").click()
    expect(other.locator("#phone-answer")).to_contain_text("Both histories are the same up to #")
    other.get_by_label("a checkpoint from the chat").fill("see you on Friday")
    other.get_by_role("button", name="Compare").click()
    expect(other.locator("#phone-answer")).to_contain_text("contains no checkpoint")


def test_a_second_campaign_at_the_same_address_is_asked_about_once_and_remembered_apart(
    phone: Page, server: Server, tmp_path: Path
) -> None:
    has_checked(phone, server)
    phone.goto("about:blank")
    server.stop()
    second = tmp_path / "second.campaign"
    Server(second).types("init", "The second road", "--gm", "Tom")
    with served(second, port=int(server.here.rpartition(":")[2])) as other:
        phone.goto(other.link)
        phone.get_by_role("button", name="Come in").click()
        expect(phone.locator(MARK)).to_have_text(OTHER)
        phone.locator(MARK).click()
        expect(phone.locator("#phone-says")).to_contain_text("this phone has seen a different campaign before")
        phone.get_by_role("button", name="Yes, this is a second campaign").click()
        has_checked(phone, other)
        phone.goto("about:blank")
    server.start()
    phone.goto(server.here)
    has_checked(phone, server)


def test_a_phone_that_an_older_page_gave_a_memory_keeps_it(phone: Page, server: Server) -> None:
    copy = kept(server)
    notes(server, "an owl")
    has_checked(phone, server)
    phone.evaluate("""() => {
        const name = Object.keys(localStorage).find((each) => each.startsWith("record:"));
        localStorage.setItem("record", localStorage.getItem(name));
        localStorage.removeItem(name);
    }""")
    put_back(server, copy)
    phone.reload()
    expect(phone.locator(MARK)).to_have_text(BAD)


def test_a_line_shows_what_is_stored(phone: Page, server: Server) -> None:
    notes(server, "an owl")
    has_checked(phone, server)
    feed_opened(phone)
    phone.locator("#feed summary").first.click()
    phone.get_by_text("As recorded").click()
    expect(phone.locator("[data-recorded] pre")).to_contain_text('"type": "note-written"')


ALTERED = {
    "an entry": ("entries", '\\"gm\\":true', '\\"gm\\":false'),
    "a text": ("entries", "The salt road", "The salt rock"),
    "a signature": ("head", "SceRa", "SceRb"),
    "a checkpoint": ("head", "campaign/", "champion/"),
    "a proof": ("entries", '"proof":["', '"proof":["00'),
}


@pytest.mark.parametrize("what", ALTERED)
def test_a_new_phone_notices_what_a_lying_server_alters(
    phone: Page, windows: Windows, server: Server, what: str
) -> None:
    server.types("checkpoint")
    asked, true, false = ALTERED[what]
    page = windows.window((390, 780))

    def alter(route: Route) -> None:
        answer = route.fetch()
        assert true in answer.text()
        route.fulfill(response=answer, body=answer.text().replace(true, false))

    page.route(re.compile(f"/record/{asked}"), alter)
    page.goto(windows.invite(phone, "Tom (GM)"))
    page.get_by_role("button", name="Come in").click()
    expect(page.locator(MARK)).to_have_text(BAD)


def test_a_phone_becomes_a_witness_and_signs_each_checkpoint_that_continues_the_last(
    phone: Page, server: Server
) -> None:
    server.types("checkpoint")
    phone.clock.set_fixed_time(EVENING)  # the server's clock stands there
    phone.goto(f"{server.here}/trust")
    phone.get_by_text("Be a witness", exact=True).click()
    phone.get_by_label("your name as a witness").fill("ana")
    phone.get_by_role("button", name="Make my key").click()
    line = phone.locator("#witness-key").inner_text()
    server.types("policy", "--witness", f"ana={line}")
    server.types("checkpoint")
    for _ in range(2):
        phone.get_by_role("button", name="Sign the latest checkpoint").click()
        expect(phone.locator("#witness-answer")).to_contain_text("ana signed the entries up to #")
    copy = kept(server)
    notes(server, "an owl")
    server.types("checkpoint")
    phone.get_by_role("button", name="Sign the latest checkpoint").click()
    expect(phone.locator("#witness-says")).to_contain_text("You signed 34 entries last.")
    with open_book(str(server.file)) as book:
        assert "ana" in (book.journal.checkpoint(34) or "")
    phone.goto("about:blank")  # else the page could ask the shorter record for entry 34
    put_back(server, copy)
    phone.goto(f"{server.here}/trust")
    phone.get_by_text("Be a witness", exact=True).click()
    phone.get_by_role("button", name="Sign the latest checkpoint").click()
    expect(phone.locator("#witness-answer")).to_contain_text("It signs nothing.")
