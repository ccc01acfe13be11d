"""A key at the page: what was sent before is answered as the first time, whatever happened since."""

from typing import Any

import pytest

from at_page import FILE, Place
from examples import some
from terminal import Type
from web.bodies import BODIES
from who_may import SAID

pytestmark = pytest.mark.usefixtures("unhurried")

KEY = {"idempotency-key": "one-key"}
SINCE = (
    "adjust mara edge/edge=1 --why x",
    "undo",
    "undo",
    "erase --player Ana --yes",
    "erase --player Ben --yes",
    "session close",
    "leave mara",
    "leave brak",
    "leave bandit",
    "note later",
)
"""Lines typed before a command is sent again, as far as they are possible."""


def since(place: Place, type_in: Type) -> int:
    for words in SINCE:
        type_in(f"-f {place.folder / FILE} {words}")
    return place.head()


@pytest.mark.parametrize("program", [True, False], ids=["program", "form"])
@pytest.mark.parametrize("command", some([*BODIES]))
def test_a_known_key_gets_the_first_answer_whatever_happened_since(
    place: Place, type_in: Type, command: str, program: bool
) -> None:
    row = SAID[command]
    place = Place(place.folder, row.before)
    who = "gm" if row.players == "none" else "player"
    way = f"/api/v1/say/{command}" if program else f"/say/{command}"
    what: dict[str, Any] = {"sent": row.own} if program else {"form": place.filled_in(who, command, row.own)}
    first = place.ask(who, "POST", way, headers=KEY, **what)
    assert first.status == 200, first.text
    head = since(place, type_in)
    again = place.ask(who, "POST", way, headers=KEY, **what)
    assert (again.status, place.head()) == (200, head), again.text
    if program:
        numbers = [[entry["seq"] for entry in answer.told["entries"]] for answer in (first, again)]
        assert (again.told["again"], numbers[1]) == (True, numbers[0])
    else:
        assert "This was saved before" in again.text


@pytest.mark.parametrize("command", some([*BODIES]))
def test_a_known_key_with_other_content_is_refused_whatever_happened_since(
    place: Place, type_in: Type, command: str
) -> None:
    row = SAID[command]
    place = Place(place.folder, row.before)
    assert place.say("gm", command, row.own, headers=KEY).status == 200
    head = since(place, type_in)
    others = (
        ("note", {"text": "something else"}),
        ("choose", {"entry": 3, "inputs": {"drop": 2}}),
        ("leave", {"who": "nobody"}),
        ("amend", {"entry": 4, "why": "y", "inputs": {"skill": 9}}),
        ("undo", {"count": 3, "anyway": True}),
    )
    for other, body in others:
        refused = place.say("gm", other, body, headers=KEY)
        assert (refused.status, place.head()) == (409, head), (other, refused.text)
        assert "already used" in refused.text, other
    assert "Somebody else" in place.say("player", "note", {"text": "x"}, headers=KEY).text


def test_fewer_undos_under_a_key_of_several_are_refused(place: Place) -> None:
    place = Place(place.folder, ("note one", "note two", "note three"))
    assert place.say("gm", "undo", {"count": 2}, headers=KEY).status == 200
    for count in (1, 3):
        refused = place.say("gm", "undo", {"count": count}, headers=KEY)
        assert (refused.status, "list of commands" in refused.text) == (409, True), refused.text
