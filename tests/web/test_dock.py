"""The dock: whose turn it is, and the open questions and offers that a person can answer."""

import re
from html import unescape
from pathlib import Path

import pytest

from at_page import BEN, Place
from who_may import CHOOSING

pytestmark = pytest.mark.usefixtures("unhurried")

TURNS = ("turns add mara 15", "turns add brak 12", "turns next")
REROLL = "multicheck test mara cunning --skill deception --difficulty 30 --faces 99"


def dock(place: Place, who: str) -> str:
    """The text of the dock."""
    return " ".join(unescape(re.sub("<[^>]*>", " ", place.ask(who, "GET", "/mine").text)).split())


def with_ben(place: Place) -> Place:
    place.secrets["ben"] = place.comes_in("player", BEN)
    return place


@pytest.mark.parametrize(
    ("who", "says"),
    [("player", "Your turn: mara"), ("ben", "mara's turn"), ("gm", "mara's turn"), ("spectator", "mara's turn")],
)
def test_each_reads_whose_turn_it_is(shm: Path, who: str, says: str) -> None:
    assert dock(with_ben(Place(shm, TURNS)), who) == says


def test_the_gm_plays_the_turns_of_characters_without_a_player(shm: Path) -> None:
    place = Place(shm, ("join gob edge maximum=1", "turns add gob 9", "turns next"))
    assert [dock(place, who) for who in ("gm", "player")] == ["Your turn: gob", "gob's turn"]


MARAS, BRAKS = (f"? {who.lower()} check: {who} still has to choose which die to drop." for who in ("Mara", "Brak"))


@pytest.mark.parametrize(
    ("who", "says"),
    [("player", MARAS), ("ben", BRAKS), ("gm", f"{MARAS} {BRAKS}"), ("spectator", "")],
)
def test_each_finds_the_own_open_choices_there(shm: Path, who: str, says: str) -> None:
    place = with_ben(Place(shm, CHOOSING))
    assert dock(place, who) == says
    assert ("hidden" in place.ask(who, "GET", "/mine").text) == (not says)


def test_an_offer_is_there_for_those_who_can_accept_it(shm: Path) -> None:
    place = with_ben(Place(shm, (REROLL,)))
    assert ["may still" in dock(place, who) for who in ("gm", "player", "ben", "spectator")] == [
        True,
        True,
        False,
        False,
    ]


def test_a_contest_that_waits_for_a_commitment_is_on_every_page(shm: Path) -> None:
    place = Place(shm, ("byzantine contest duel --acting mara --against brak",))
    for who in ("gm", "player"):
        answer = place.ask(who, "GET", "/")
        assert (answer.status, "contest duel" in answer.text) == (200, True)


def test_a_sealed_roll_does_not_wait_for_anybody(shm: Path) -> None:
    place = Place(shm, ("edge check brak --skill 3 --target 20 --faces 7,6 --seal",))
    assert dock(place, "gm") == ""


def test_more_than_three_questions_are_counted(shm: Path) -> None:
    place = Place(shm, [f"dispute 4 --claim 'claim {number}'" for number in range(5)])
    text = dock(place, "gm")
    assert (text.count("?"), text[-6:]) == (3, "2 more")


def test_what_every_page_is_sent_says_that_the_dock_is_out_of_date(shm: Path) -> None:
    place = Place(shm, TURNS)
    states = [re.findall('data-state="(.*?)"', place.ask("player", "GET", "/").text)]
    place.say("player", "note", {"text": "x"})
    states.append(re.findall('data-state="(.*?)"', place.ask("player", "GET", "/").text))
    place.say("gm", "next-turn", {})
    states.append(re.findall('data-state="(.*?)"', place.ask("player", "GET", "/").text))
    assert [len(set(each)) for each in states] == [1, 1, 1], "the dock and the questions are of one state"
    assert states[0] == states[1] != states[2]
    sent = place.ask("player", "GET", "/stream?after=4", until=b"next").text
    assert re.findall('data-state="(.*?)"', sent)[-1] == states[2][0]
