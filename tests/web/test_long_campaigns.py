"""The page of a long campaign: the story in parts, sessions found by their words, and an audit that shows its progress."""

import re
from pathlib import Path
from time import sleep

import pytest

from at_page import Place
from ledger.audit.report import AuditResult
from ledger.errors import Refused
from ledger.journal.book import open_book
from projections.chronicle import part_of_story
from web import audits
from web.campaign import Campaign

pytestmark = pytest.mark.usefixtures("unhurried")

EVENINGS = (
    "note before",
    "session close",
    "session open 'The old market'",
    "note rain",
    "scene 'The gate'",
    "roll mara d20 --for 'climb the wall' --faces 4",
    "session close",
    "note between",
    "session open 'The salt mine'",
    "note dark",
)


@pytest.fixture
def place(shm: Path) -> Place:
    return Place(shm, EVENINGS)


def notes(text: str) -> list[str]:
    return [note for note in ("before", "rain", "between", "dark") if re.search(rf"\b{note}\b", text.lower())]


def test_the_story_starts_with_the_last_session_and_each_part_leads_to_the_one_before(place: Place) -> None:
    page, parts = place.ask("player", "GET", "/story").text, list[list[str]]()
    while True:
        parts.append(notes(page.split("<ul class=")[1]))  # after the recap
        earlier = re.search(r'rel="prev" href="([^"]+)"', page)
        if earlier is None:
            break
        page = place.ask("player", "GET", f"/{earlier[1]}").text
    assert parts == [
        ["dark"],
        ["rain", "between"],
        ["before"],
        [],
    ]  # the last part has no story: it sets up the campaign


def test_a_long_session_has_parts_that_repeat_its_heading(place: Place) -> None:
    with open_book(str(place.file)) as book:
        last, parts = book.head(), []
        while last:
            part = part_of_story(book, last, most=2)
            parts += [[(each.number, each.title, len(each.lines)) for each in part.chapters]]
            last = part.first - 1
        whole = part_of_story(book, book.head())
    assert sum(lines for part in parts for _, _, lines in part) == 5
    headings = [title for part in parts for number, title, _ in part if number == 2]
    assert len(headings) > 1
    assert set(headings) == {"The old market"}
    assert [chapter.title for chapter in whole.chapters] == ["The salt mine"]


@pytest.mark.parametrize(
    ("words", "found"),
    [("", ["3", "2", "1"]), ("SALT", ["3"]), ("session 1", ["1"]), ("old 2026", ["2"]), ("nowhere", [])],
)
@pytest.mark.parametrize("page", ["/story", "/then"])
def test_a_session_is_found_by_its_number_title_or_date(page: str, words: str, found: list[str], place: Place) -> None:
    text = place.ask("player", "GET", f"{page}?find={words.replace(' ', '+')}").text
    assert re.findall(r'<li><a href="[^"]+">Session (\d)', text) == found
    assert ("No session has these words." in text) == (not found)


def test_only_the_newest_sessions_are_listed(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.pages.MOST_SESSIONS", 1)
    text = place.ask("player", "GET", "/story").text
    assert re.findall(r'<li><a href="[^"]+">Session (\d)', text) == ["3"]
    assert "and 2 more sessions" in text


def test_a_session_that_was_renamed_is_found_by_its_new_title(place: Place) -> None:
    assert place.fills_in("gm", "amend", {"entry": 17, "inputs": {"title": "The new market"}, "why": "x"}).status == 200
    assert "Session 2: The new market" in place.ask("player", "GET", "/story?find=new").text


def test_earlier_keeps_its_entry_when_it_looks_for_a_session(place: Place) -> None:
    text = place.ask("player", "GET", "/then?at=17&corrected=true").text
    assert '<input type="hidden" name="at" value="17">' in text
    assert '<input type="hidden" name="corrected" value="true">' in text
    assert re.search(r'<a href="then\?at=\d+&amp;corrected=true">Session 3', text)


def test_an_audit_that_takes_long_shows_its_progress_and_then_its_result(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audits, "WAIT_SECONDS", 0.0)
    first = place.ask("player", "POST", "/audit", form={})
    assert "Checking the whole history" in first.text
    for _ in range(100):
        answer = place.ask("spectator", "GET", "/audit")
        if "<progress" not in answer.text:
            break
        assert "Checking" not in answer.text  # a screen reader would repeat it
        assert "hx-retarget" not in answer.headers
        sleep(0.05)
    assert "nothing missing or altered" in answer.text
    assert answer.headers["hx-retarget"] == "#audit"


def test_the_progress_counts_the_entries_that_the_audit_has_read(place: Place) -> None:
    now = audits.AuditRun(place.campaign.engine.stamp(), place.campaign.today())
    assert now.run(place.campaign).file_counts.entries == place.head()
    assert now.done == now.total == 3 * place.head()


def test_an_audit_of_an_unchanged_file_is_not_repeated_and_of_a_changed_file_is(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, run, head = list[int](), audits.AuditRun.run, place.head()

    def counted(self: audits.AuditRun, campaign: Campaign) -> AuditResult:
        runs.append(place.head())
        return run(self, campaign)

    monkeypatch.setattr(audits.AuditRun, "run", counted)
    sleep(0.1)  # a file that changed a moment ago may change again at the same time
    for _ in range(2):
        place.ask("player", "POST", "/audit", form={})
    assert place.fills_in("player", "note", {"text": "later"}).status == 200
    place.ask("player", "POST", "/audit", form={})
    assert runs[-1] == place.head() > runs[0] == head
    assert runs.count(head) == 1


def test_an_audit_that_failed_is_repeated(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(self: audits.AuditRun, campaign: Campaign) -> AuditResult:
        raise Refused("The file is busy.")

    sleep(0.1)  # a file that changed a moment ago may change again at the same time
    with monkeypatch.context() as patch:
        patch.setattr(audits.AuditRun, "run", failing)
        assert "The file is busy." in place.ask("player", "POST", "/audit", form={}).text
    assert "nothing missing or altered" in place.ask("player", "POST", "/audit", form={}).text


def test_a_server_that_stops_does_not_wait_for_an_audit(place: Place) -> None:
    now = audits.AuditRun(place.campaign.engine.stamp(), place.campaign.today(), stopped=True)
    with pytest.raises(Exception, match="The page was stopped during the check"):
        now.run(place.campaign)
    assert now.done == 1


def test_before_the_first_audit_there_is_no_result(place: Place) -> None:
    assert place.ask("player", "GET", "/audit").text == "No audit is running."
    place.site.audits.stop()


def test_searches_push_no_page_out_of_the_cache(place: Place) -> None:
    place.ask("player", "GET", "/story")
    kept = set(place.site._cache)
    for number in range(3):
        assert place.ask("player", "GET", f"/story?find={number}").status == 200
    assert set(place.site._cache) == kept
