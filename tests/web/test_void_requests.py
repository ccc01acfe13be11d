"""Voids of several entries, by forms and programs."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from at_page import Place

pytestmark = pytest.mark.usefixtures("unhurried")


@pytest.fixture
def duel(place: Place) -> tuple[Place, int]:
    """A place with a scene of two notes, and the number of the scene's entry."""
    scene = place.head() + 1
    for command, body in (("scene", {"title": "Duel"}), ("note", {"text": "a"}), ("note", {"text": "b"})):
        assert place.say("gm", command, body).status == 200
    return place, scene


def struck(place: Place, after: int) -> list[int]:
    """Return what the strikes after an entry cancel."""
    entries = map(json.loads, place.entries())
    return [each["strikes"] for each in entries if each["type"] == "action-struck" and each["seq"] > after]


SENT: list[tuple[str, Callable[[int], dict[str, Any]], int]] = [
    ("an entry", lambda scene: {"entry": scene}, 1),
    ("a list", lambda scene: {"entry": [scene, scene + 1]}, 2),
    ("a range", lambda scene: {"entry": f"{scene}-{scene + 2}"}, 3),
    ("a range and an entry", lambda scene: {"entry": [f"{scene}-{scene + 1}", scene + 2]}, 3),
    ("a scene", lambda scene: {"scene": "Duel"}, 3),
    ("a session", lambda scene: {"session": 1}, 0),
]


@pytest.mark.parametrize(("body", "count"), [each[1:] for each in SENT], ids=[each[0] for each in SENT])
def test_a_program_voids_entries_ranges_scenes_and_sessions(
    duel: tuple[Place, int], body: Callable[[int], dict[str, Any]], count: int
) -> None:
    place, scene = duel
    before = place.head()
    assert place.say("gm", "void", {**body(scene), "why": "no"}).status == 200
    taken = struck(place, before)
    if count:
        assert taken == [*range(scene, scene + count)][::-1]
    assert {scene} <= {*taken}


def test_a_form_takes_a_range_and_the_page_undoes_it_at_once(duel: tuple[Place, int]) -> None:
    place, scene = duel
    before = place.head()
    assert place.fills_in("gm", "void", {"entry": f"{scene}-{scene + 2}", "why": "no"}).status == 200
    assert place.say("gm", "undo", {}).status == 200
    assert struck(place, before)[3:] == [before + 1]


def test_a_void_of_nothing_is_refused(place: Place) -> None:
    refused = place.say("gm", "void", {"why": "no"})
    assert (refused.status, refused.told["detail"].partition(":")[0]) == (409, "Say what to void")


def test_the_page_undoes_a_line_for_several_at_once(place: Place) -> None:
    before = place.head()
    assert place.say("gm", "roll", {"who": "mara", "pool": "2#d20"}).status == 200
    acts = {json.loads(entry)["act"] for entry in place.entries() if json.loads(entry)["seq"] > before}
    assert len(acts) > 1
    assert place.say("gm", "undo", {}).status == 200
    assert {*struck(place, before)} == acts
