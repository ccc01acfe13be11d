"""A small request never keeps the page busy: nobody can stop the page for everybody with one line."""

from time import process_time

import pytest

from at_page import Place
from who_may import SAID

pytestmark = pytest.mark.usefixtures("unhurried")

A_MOMENT = 5
"""The seconds of the processor's time that a request may take here. The slow patterns needed 30."""

SPACES, LETTERS = " " * 59_000, "x" * 29_000
LONG_LINES = (f"care=no{SPACES}x", f"{SPACES[:29_000]}{LETTERS}=no", LETTERS, "'" * 18_000, '="' * 9_000)


@pytest.mark.parametrize("line", LONG_LINES, ids=range(len(LONG_LINES)))
def test_a_long_line_of_names_and_values_is_read_at_once(place: Place, line: str) -> None:
    began = process_time()
    assert place.say("spectator", "set", {"who": "mara", "values": line, "why": "x"}).status in {403, 409}
    assert process_time() - began < A_MOMENT


@pytest.mark.parametrize("who", ["player", "spectator"])
def test_a_command_for_the_gm_alone_is_refused_before_its_fields_are_looked_up(place: Place, who: str) -> None:
    gm_only = [name for name, row in SAID.items() if row.players == "none"]
    for command in gm_only if who == "player" else SAID:
        row = SAID[command]
        unknown = {
            **row.own,
            **({"entry": "999"} if command == "void" else {"entry": 999} if "entry" in row.own else {}),
        }
        refused = place.say(who, command, unknown)
        assert refused.status == 403, (command, refused.text)


def test_a_player_cannot_make_the_page_read_thousands_of_ranges(place: Place) -> None:
    began = process_time()
    assert place.say("player", "void", {"entry": ["1-14"] * 8_000, "why": "x"}).status == 403
    assert process_time() - began < A_MOMENT


def test_a_phone_that_asks_for_an_action_many_times_gets_it_once(place: Place) -> None:
    once, often = (place.ask("player", "GET", f"/record/entries?at=14{'&act=9' * times}") for times in (1, 50))
    assert (once.status, often.status, often.told) == (200, 200, once.told)
