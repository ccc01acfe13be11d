"""Hints of the interface for programs: they name its addresses and fields, and work as they are written."""

import json
import re

import pytest

from at_page import Place
from ledger.hints import Either, Flag, InputName, Run
from web.bodies import BODIES
from web.hints import ADDRESSES_BY_COMMAND, in_the_interface


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (f"Close it with {Run('session close')}.", "Close it with POST /api/v1/say/close-session."),
        (f"Answer it: {Run('choose', 17)}", 'Answer it: POST /api/v1/say/choose with {"entry": 17}'),
        (f"See {Run('questions')}.", "See GET /api/v1/questions."),
        (f"See {Run('sheets', 'mara')}.", "See GET /api/v1/sheets?who=mara."),
        (
            f"Set it: {Run('set', 'mara', 'edge/on.stealth=A,B', why='TEXT')}",
            'Set it: POST /api/v1/say/set with {"who": "mara", "values": "edge/on.stealth=A,B", "why": "TEXT"}',
        ),
        (
            f"Do that first: {Run('edge attack', 'mara', 'WEAPON', go_on=True)}",
            'Do that first: POST /api/v1/say/play with {"game": "edge", "move": "attack",'
            ' "inputs": {"who": "mara", "weapon": "WEAPON", "go_on": true}}',
        ),
        (f"{Flag('not-related')} needs {Flag('why', 'TEXT')}.", "“not_related” needs “why”."),
        (f"Use {Flag('scope', 'climbing')} instead.", "Use “scope” climbing instead."),
        (f"Look at {InputName('ranks', '“skill name”')}.", "Look at “ranks”."),
        (f"{Either('type', 'use')} it.", "use it."),
        (f"See {Run('key')}.", "See 'campaign key'. The GM can type this command in a terminal."),
        (f"Add {Flag('fork')}.", "Add --fork. The GM can type this command in a terminal."),
        (f"Play {Run('edge nothing')}.", "Play 'campaign edge nothing'. The GM can type this command in a terminal."),
        ("", ""),
    ],
)
def test_a_hint_names_the_address_and_the_fields(typed: str, shown: str) -> None:
    assert in_the_interface(typed) == shown


@pytest.mark.parametrize("address", ADDRESSES_BY_COMMAND.values())
def test_an_address_of_a_hint_takes_its_fields(address: str, place: Place) -> None:
    path, *fields = address.split()
    if path.startswith("say/"):
        assert set(fields) <= set(BODIES[path.removeprefix("say/")].model_fields)
    else:
        assert place.ask("gm", "GET", f"/api/v1/{path}").status == 200


def test_a_program_that_follows_a_hint_as_it_is_written_succeeds(place: Place) -> None:
    check = {"game": "edge", "move": "check", "inputs": {"who": "mara", "ranks": "deception", "target": 20}}
    refused = place.say("gm", "play", check)
    path, body = re.search(r"POST /api/v1/say/(\S+) with (\{.*\})", refused.told["hint"]).groups()  # type: ignore[union-attr]  # or fails
    sent = json.loads(body.replace("A,B", "cunning,presence"))
    assert place.say("gm", path, sent).status == 200, refused.told


def test_the_detail_names_the_field_and_not_its_label(place: Place) -> None:
    check = {"game": "edge", "move": "check", "inputs": {"who": "mara", "ranks": "11"}}
    assert "“ranks” takes a name" in place.say("gm", "play", check).told["detail"]
    assert "“faces” must be" in place.say("gm", "roll", {"who": "mara", "pool": "2d6", "faces": 7}).told["detail"]
