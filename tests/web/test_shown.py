"""What a page shows, read as HTML: whose turn it is, long words, hints, and fields for numbers below 0."""

import re

import pytest

from at_page import UNHURRIED, Place
from ledger.journal.book import open_book
from web.shown import MOST_SAID
from web.site import messages, on_the_page


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.guard.RATES", UNHURRIED)


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Make it with 'campaign choose 50'.", "Make it with #50 under “What waits”."),
        ("Do it with 'campaign decide 57 keep|amend --why TEXT'.", "Do it with #57 under “What waits”."),
        ("See what it waits for with 'campaign questions'.", "See what it waits for with “What waits”."),
        ("To take #3 back, type 'campaign undo'.", "To take #3 back, type “Undo my last”."),
        ("Say --on-found or --attributes.", "Say “on found” or “attributes”."),
        (
            "Let one join: campaign join WHO SYSTEM SCORE=N…",
            "Let one join: campaign join WHO SYSTEM SCORE=N… That is typed at the terminal.",
        ),
        ("The cast is: brak, mara.", "The cast is: brak, mara."),
        ("", ""),
    ],
)
def test_a_hint_names_the_place_on_the_page_or_says_that_it_is_typed_elsewhere(typed: str, shown: str) -> None:
    assert on_the_page(typed) == shown


def test_everybody_sees_whose_turn_it_is(place: Place) -> None:
    gm_page = place.ask("gm", "GET", "/gm").text
    assert "Give a place" in gm_page
    assert "Next turn" not in gm_page, "there is no order yet"
    for who, number in (("mara", 17), ("brak", 9)):
        assert place.say("gm", "turn", {"who": who, "number": number}).status == 200
    assert "Turns: mara 17 , brak 9" in words(place.ask("spectator", "GET", "/").text)
    before = place.head()
    assert place.say("gm", "next-turn", {}).status == 200
    page = place.ask("player", "GET", "/").text
    assert "Turns, round 1: mara 17 , brak 9" in words(page)
    assert '<b class="who">mara</b> <small>17</small>' in page
    assert "Next turn" in place.ask("gm", "GET", "/gm").text
    with open_book(str(place.file)) as book:
        brought = messages(book, before, "")[-1].data
    assert b"Turns, round 1" in brought
    assert b"#evening" in brought
    assert "Turns: mara 17 , brak 9" in words(place.ask("player", "GET", f"/then?at={before}").text)


def test_a_long_note_is_cut_short_in_a_line_and_whole_behind_it(place: Place) -> None:
    text = " ".join(f"word{number}" for number in range(MOST_SAID))
    assert place.say("gm", "note", {"text": text}).status == 200
    line = words(place.ask("player", "GET", "/").text)
    assert "word9 word10" in line
    assert " … " in line
    assert "word200" not in line
    assert text in words(place.ask("player", "GET", f"/entry/{place.head()}").text)


def test_the_keys_of_a_phone_can_type_what_may_be_below_0(place: Place) -> None:
    fields = {
        found[1]: "inputmode" in found[0]
        for game, move in (("edge", "check"), ("edge", "award"))
        for found in re.finditer(
            r'<input [^>]*name="inputs\.(\w+)"[^>]*pattern[^>]*>',
            place.ask("gm", "GET", f"/do/mara/{game}/{move}").text,
        )
    }
    assert fields["amount"], fields
    assert not fields["bonus"], fields
