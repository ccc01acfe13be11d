"""The page `verify.html` in real browsers, opened as a file: people choose an export, and paste a key and a checkpoint."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from browser import LAPTOP, PHONE, chromium, firefox
from exported import KEY
from ledger.archive.verify_page import verify_page

pytestmark = pytest.mark.slow

BROWSERS = {"chromium": chromium, "firefox": firefox}
SIGNED = "The entries up to 17 match a checkpoint; it is signed by campaign/test."


@pytest.fixture(scope="module", params=BROWSERS)
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """Each browser in turn."""
    with BROWSERS[request.param]() as launched:
        yield launched


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """The page on a phone, without a server; a complaint of the browser fails the test."""
    (tmp_path / "verify.html").write_bytes(verify_page())
    complaints = list[str]()
    page = browser.new_page(viewport={"width": PHONE[0], "height": PHONE[1]})
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((tmp_path / "verify.html").as_uri())
    yield page
    page.close()
    assert complaints == []


def packed(folder: Path) -> Path:
    return Path(shutil.make_archive(str(folder), "zip", folder.parent, folder.name))


def answer(page: Page, kind: str) -> str:
    """Press the button, and return the answer. Its first line must be of this kind, and in the window."""
    page.get_by_role("button", name="Check").click()
    first = page.locator(f"#answer p.{kind}")
    first.wait_for()
    box, window = first.bounding_box(), page.viewport_size
    assert box
    assert window
    assert 0 <= box["y"] < window["height"]
    return page.locator("#answer").inner_text()


def test_an_export_in_a_zip_file_is_checked_with_a_key_and_a_saved_checkpoint(page: Page, out: Path) -> None:
    page.get_by_label("The export, as a zip file").set_input_files(packed(out))
    page.get_by_label("The campaign’s key").fill(f"my key: \n{KEY.vkey}\n")
    page.get_by_label("A checkpoint that you saved").fill(f"Tom, 23:10\n{(out / 'checkpoint').read_text()}")
    assert SIGNED in answer(page, "good")


def test_an_altered_export_is_found(page: Page, out: Path) -> None:
    journal = out / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b'"faces":[7,3,7]', b'"faces":[7,9,7]').replace(b"mara", b"tara"))
    page.get_by_label("The export, as a zip file").set_input_files(packed(out))
    assert "Check failed: one of the entries" in answer(page, "bad")


@pytest.mark.parametrize("kept", [0, 30, 2000])
def test_a_zip_file_that_was_cut_off_is_refused(page: Page, out: Path, kept: int) -> None:
    cut = packed(out)
    cut.write_bytes(cut.read_bytes()[:kept])
    page.get_by_label("The export, as a zip file").set_input_files(cut)
    assert answer(page, "bad").startswith("Error: ")


def test_without_an_export_the_page_says_what_is_missing(page: Page) -> None:
    assert answer(page, "bad") == "Error: Choose an export first."


def test_the_answer_about_another_choice_goes_away(page: Page, out: Path) -> None:
    page.get_by_label("The export, as a zip file").set_input_files(packed(out))
    answer(page, "good")
    page.get_by_label("The campaign’s key").fill(str(KEY.vkey))
    assert page.locator("#answer").inner_text() == ""


def test_the_page_shows_how_far_it_is(page: Page, out: Path) -> None:
    page.evaluate("""() => {
      const answer = document.getElementById("answer");
      window.seen = [];
      new MutationObserver(() => seen.push(answer.textContent)).observe(answer, { childList: true });
    }""")
    page.get_by_label("The export, as a zip file").set_input_files(packed(out))
    answer(page, "good")
    seen = page.evaluate("seen")
    assert [text for text in seen if "…" in text] == [
        "Checking …",
        "The texts of 0 of 17 entries are checked …",
        "0 of 17 entries are checked …",
    ]


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_nothing_of_the_page_is_wider_than_the_window(page: Page, out: Path, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.get_by_label("The export, as a zip file").set_input_files(packed(out))
    answer(page, "good")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("browser", ["chromium"], indirect=True)  # no program can choose a folder in Firefox
def test_a_folder_is_checked_in_place_of_a_zip_file(page: Page, out: Path) -> None:
    page.get_by_label("The export, as a zip file").set_input_files(packed(out))
    page.get_by_label("Or as a folder").set_input_files(out)
    assert page.evaluate("document.getElementById('zip').files.length") == 0
    assert "17 entries" in answer(page, "good")
