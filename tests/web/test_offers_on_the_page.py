"""Open offers on the page: the table lists them, with a link to the form that takes them."""

from pathlib import Path

import pytest

from at_page import Place

ROLLED = (
    "adjust mara multicheck/ps=0 multicheck/pk=1",
    "multicheck test mara cunning --faces 91",
)


@pytest.fixture
def place(shm: Path) -> Place:
    """Mara, whom Ana plays, has rolled and may roll again."""
    return Place(shm, ROLLED)


def offered(place: Place) -> list[dict[str, object]]:
    told = place.ask("player", "GET", "/api/v1/questions").told
    return [each for each in told if each["type"] == "offer"]


def test_the_table_lists_an_offer_that_its_player_takes(place: Place) -> None:
    (offer,) = offered(place)
    assert "<h2>Before the next move</h2>" in place.ask("player", "GET", "/").text
    assert f'href="answer/{offer["seq"]}"' in place.ask("player", "GET", "/").text
    assert 'name="inputs.reroll"' in place.ask("player", "GET", f"/answer/{offer['seq']}").text
    sent = {"entry": offer["seq"], "inputs": {"reroll": True}, "faces": [12]}
    assert place.say("player", "choose", sent).status == 200
    assert offered(place) == []
    assert "Before the next move" not in place.ask("player", "GET", "/").text


def test_the_state_of_play_has_the_offers_of_everybody(place: Place) -> None:
    (offer,) = place.ask("spectator", "GET", "/api/v1/status").told["offers"]
    assert (offer["who"], offer["says"]) == ("mara", "may still roll again (1 PK)")


def test_an_offer_to_somebody_else_has_no_form(place: Place) -> None:
    (offer,) = offered(place)
    assert "Waiting for Ana." in place.ask("spectator", "GET", f"/answer/{offer['seq']}").text
