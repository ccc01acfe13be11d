"""What was attempted, on the page: a field above the button, the feed, the story, and who sees what is secret."""

from html import unescape
from pathlib import Path

import pytest

from at_page import Place

pytestmark = pytest.mark.usefixtures("unhurried")

CLIMBS = "climbs the wall"
CHECK = f"edge check mara --skill 11 --target 20 --for '{CLIMBS}' --faces 7,6"
FIELD = 'name="for"'
ATTEMPT = {"game": "edge", "move": "check", "inputs": {"who": "mara", "skill": 11}, "faces": [7, 6], "for": CLIMBS}


@pytest.mark.parametrize(("path", "button"), [("/do/mara/edge/check", "Roll</button>"), ("/do/mara", "Roll</button>")])
def test_a_field_above_the_button_takes_the_deed(shm: Path, path: str, button: str) -> None:
    form = Place(shm).ask("player", "GET", path).text
    assert form.index(FIELD) < form.index(button)


def test_a_move_of_the_gm_asks_what_happens(shm: Path) -> None:
    place = Place(shm)
    assert ">what happens, in words</label>" in place.ask("gm", "GET", "/do/mara/edge/injure").text
    move = {"game": "edge", "move": "injure", "inputs": {"who": "mara", "severity": "minor"}, "for": "fell"}
    assert "minor injury</span> (fell)" in place.fills_in("gm", "play", move).text


def test_a_player_says_what_is_attempted_and_everybody_sees_it(shm: Path) -> None:
    place = Place(shm)
    said = place.fills_in("player", "play", ATTEMPT)
    assert f": {CLIMBS}" in said.text
    for path in ("/", "/then", f"/entry/{place.head()}"):
        assert CLIMBS in place.ask("spectator", "GET", path).text, path
    assert "tried to climb the wall" in place.ask("spectator", "GET", "/story").text


@pytest.mark.parametrize("name", ["for", "why"])
def test_a_program_rolls_plain_dice_with_a_deed_under_both_names(shm: Path, name: str) -> None:
    place = Place(shm)
    assert place.say("player", "roll", {"who": "mara", "pool": "d20", name: CLIMBS, "faces": [7]}).status == 200
    assert f"rolls d20 = 7: {CLIMBS}" in place.ask("spectator", "GET", "/").text


def test_the_gm_amends_and_removes_the_deed(shm: Path) -> None:
    place = Place(shm, (CHECK,))
    form = place.ask("gm", "GET", "/amend/15").text
    assert f'name="inputs.for" value="{CLIMBS}"' in form
    assert "what the character attempts" in form
    changed = {"entry": 15, "why": "misheard", "inputs": {"for": "climbs the fence"}}
    assert place.say("gm", "amend", changed).status == 200
    assert "climb the fence" in place.ask("spectator", "GET", "/story").text
    removed = {"entry": place.head(), "why": "unsaid", "without": ["for"]}
    assert place.say("gm", "amend", removed).status == 200
    assert "climb" not in place.ask("spectator", "GET", "/story").text


def test_an_empty_field_is_no_deed_and_blanks_are_refused_by_the_label(shm: Path) -> None:
    place = Place(shm)
    assert place.fills_in("player", "play", ATTEMPT | {"for": ""}).status == 200
    refused = place.fills_in("player", "play", ATTEMPT | {"for": "  "})
    assert (refused.status, "“what the character attempts” cannot be empty." in unescape(refused.text)) == (422, True)


@pytest.mark.parametrize("flags", ["--seal", "--secret"])
def test_players_never_see_the_deed_of_a_secret_roll(shm: Path, flags: str) -> None:
    place = Place(shm, (f"{CHECK} {flags}",))
    for path in ("/", "/story", "/entry/15", "/entry/16", "/then", "/sheet/mara", "/api/v1/log", "/api/v1/chronicle"):
        assert CLIMBS not in place.ask("spectator", "GET", path).text, path
    assert f": {CLIMBS}" in place.ask("gm", "GET", "/entry/15").text


@pytest.mark.parametrize(
    ("who", "commits", "sees"), [("player", "mara", 1), ("player", "brak", 0), ("spectator", "mara", 0)]
)
def test_a_player_sees_the_deed_of_an_own_commitment(shm: Path, who: str, commits: str, sees: int) -> None:
    contest = "byzantine contest duel --acting mara --against brak"
    place = Place(shm, (contest, f"byzantine commit {commits} duel 5 --for '{CLIMBS}'"))
    seq = place.head()
    assert place.ask(who, "GET", f"/entry/{seq}").text.count(f"attempt: {CLIMBS}") == sees
    place.say("gm", "reveal", {"entry": seq})
    assert f"attempt: {CLIMBS}" not in place.ask(who, "GET", f"/entry/{seq}").text


def test_a_choice_on_the_page_names_the_deed(shm: Path) -> None:
    place = Place(shm, (f"edge check mara --skill 11 --edge --for '{CLIMBS}' --faces 7,3,7",))
    assert f": {CLIMBS}" in place.ask("player", "GET", "/answer/16").text
    assert place.fills_in("player", "choose", {"entry": 16, "inputs": {"drop": 3}}).status == 200
    assert "tried to climb the wall" in place.ask("spectator", "GET", "/story").text
