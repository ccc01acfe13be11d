"""Notes on the page: who reads a secret one, and notes about an entry."""

from pathlib import Path

import pytest

from at_page import BEN, UNHURRIED, Place

LINES = (
    "edge check mara --skill 11 --target 21 --faces 7,6",  # 15 16
    "note forana --only Ana --about 16",  # 17
    "note byana --secret --by Ana",  # 18
    "note forgm --secret",  # 19
    "note byben --only Ana --by Ben",  # 20
)
READS = {
    "gm": {17: "forana", 18: "byana", 19: "forgm", 20: "byben"},
    "player": {17: "forana", 18: "byana", 20: "byben"},
    "ben": {20: "byben"},
    "spectator": {},
}
"""Who reads which note. Ana is the player."""


@pytest.fixture
def place(shm: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setattr("web.guard.RATES", UNHURRIED)
    place = Place(shm, LINES)
    place.secrets["ben"] = place.comes_in("player", BEN)
    return place


@pytest.mark.parametrize("who", READS)
def test_a_note_is_shown_to_those_who_may_read_it_and_to_nobody_else(place: Place, who: str) -> None:
    for seq in range(17, 21):
        text = place.ask(who, "GET", f"/entry/{seq}").text
        read = READS[who].get(seq)
        assert [note for note in READS["gm"].values() if note in text] == ([read] if read else [])


@pytest.mark.parametrize("who", READS)
def test_a_program_is_given_the_notes_that_its_person_may_read(place: Place, who: str) -> None:
    entries = place.ask(who, "GET", "/api/v1/entries?after=16").told["entries"]
    texts = {entry["seq"]: entry["text"] for entry in entries if isinstance(entry["text"], str)}
    assert texts == READS[who]


@pytest.mark.parametrize("path", ["/", "/then?at=20", "/story", "/lines?before=20", "/stream?after=14"])
def test_a_page_that_all_see_shows_no_secret_note(place: Place, path: str) -> None:
    shown = place.ask("player", "GET", path, until=b"id: 20-").text
    assert not [note for note in READS["gm"].values() if note in shown]


def test_a_corrected_note_is_shown_to_the_same_people(place: Place) -> None:
    place.fills_in("gm", "amend", {"entry": 18, "why": "x", "inputs": {"text": "better"}})
    seq = place.head()
    seen = {who: "better" in place.ask(who, "GET", f"/entry/{seq}").text for who in READS}
    assert seen == {"gm": True, "player": True, "ben": False, "spectator": False}


def test_a_revealed_note_is_shown_once_to_everybody(place: Place) -> None:
    assert place.say("gm", "reveal", {"entry": 20}).status == 200
    for who in READS:
        shown = place.ask(who, "GET", "/entry/20").text
        assert ("hidden from the other players" in shown, shown.count("byben")) == (False, 0), "it is in the line"
    assert "byben" in place.ask("spectator", "GET", "/").text


def test_a_player_writes_a_note_for_the_gm_and_one_for_another_player(place: Place) -> None:
    done = place.fills_in("player", "note", {"text": "quicksilver", "secret": True})
    assert ("quicksilver" in done.text, "hidden from the other players" in done.text) == (True, True)
    assert "quicksilver" not in place.ask("ben", "GET", f"/entry/{place.head()}").text
    place.fills_in("player", "note", {"text": "mercury", "only": "Ben", "about": 16})
    assert "mercury" in place.ask("ben", "GET", f"/entry/{place.head()}").text


def test_the_gm_writes_a_note_for_one_player_by_the_form_of_an_entry(place: Place) -> None:
    shown = place.ask("gm", "GET", "/entry/15").text
    assert 'name="about" value="15"' in shown
    place.fills_in("gm", "note", {"text": "quicksilver", "only": "Ana", "about": 15})
    assert "quicksilver" in place.ask("player", "GET", f"/entry/{place.head()}").text


@pytest.mark.parametrize(("who", "reads"), [("gm", True), ("player", True), ("ben", False)])
def test_an_entry_shows_the_notes_about_it(place: Place, who: str, reads: bool) -> None:
    place.say("ben", "note", {"text": "she blinked", "about": 15})
    shown = place.ask(who, "GET", "/entry/16").text
    assert ("she blinked" in shown, "forana" in shown, "note for Ana" in shown) == (True, reads, True)


@pytest.mark.parametrize(
    ("sent", "status", "says"),
    [
        ({"text": "x", "about": 99}, 409, "There is no entry #99"),
        ({"text": "x", "only": ["Zoe"]}, 404, "Zoe"),
        ({"text": "x", "about": "last"}, 422, "“about”"),
    ],
)
def test_a_note_for_nobody_or_about_nothing_is_refused(
    place: Place, sent: dict[str, object], status: int, says: str
) -> None:
    answer = place.say("player", "note", sent)
    assert (answer.status, says in answer.text) == (status, True)


VERSE = "The guide:\r\n  is old\n\nand <i>limps</i>."


def test_a_note_is_written_in_several_lines(place: Place) -> None:
    form = place.ask("gm", "GET", "/gm").text
    assert '<textarea id="g-note-text" name="text"' in form


@pytest.mark.parametrize("path", ["/", "/lines?before=22", "/stream?after=20"])
def test_the_feed_keeps_the_lines_of_a_note(place: Place, path: str) -> None:
    place.fills_in("player", "note", {"text": VERSE, "about": 16})
    place.say("gm", "note", {"text": "short"})
    shown = place.ask("spectator", "GET", path, until=b"id: 21-").text
    assert "<br>The guide:<br>  is old<br><br>and &lt;i&gt;limps&lt;/i&gt;." in shown


def test_a_long_note_is_cut_off_in_the_feed_and_shown_whole_by_a_tap(place: Place) -> None:
    place.say("player", "note", {"text": "\n".join(f"line {number}" for number in range(1, 21))})
    feed, entry = (place.ask("ben", "GET", path).text for path in ("/", "/entry/21"))
    assert ("line 8<br>…" in feed, "line 9" in feed) == (True, False)
    assert "line 8<br>line 9<br>" in entry


@pytest.mark.parametrize("who", ["gm", "player"])
def test_a_secret_note_keeps_its_lines_for_its_readers(place: Place, who: str) -> None:
    place.say("ben", "note", {"text": "one\ntwo", "only": "Ana"})
    assert "one<br>two" in place.ask(who, "GET", "/entry/21").text
