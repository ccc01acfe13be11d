"""Who may do what at the page: every role, every route and every command, on one's own character and on another's."""

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route

from at_page import ANA, EVERYBODY, INSIDE, OUTSIDE, Place, call, served
from examples import some
from fillings import FOR_PLAYERS, TAKEN, charged, effects, fillings, rich_table, samples
from ledger import systems
from ledger.audit.report import audit
from ledger.commands.decider import Command, class_and_subclasses
from ledger.commands.play import PlayMove
from ledger.corrections.answers import AcceptOffer, Choose
from ledger.journal.book import open_book
from ledger.reading.names import Names
from ledger.rules.inputs import CAST, ROLLER
from ledger.rules.move import Move
from ledger.scribe import requests_of
from table import TODAY, scribe
from web import api
from web.app import ROUTES
from web.bodies import BODIES, body_of
from web.people import Person, check_may_enter
from web.problems import NotAllowed
from who_may import ALL, ASKED, CHECK, CHOOSING, GMS, INSIDERS, OWNERS, SAID, SAID_AND_TOKENS

pytestmark = pytest.mark.usefixtures("unhurried")


def answered(who: str, may: Collection[str]) -> int:
    return 200 if who in may else 403 if who in INSIDE else 401


def test_every_route_is_in_the_table() -> None:
    routes = [route for route in ROUTES if isinstance(route, Route)]
    found = {(method, route.path) for route in routes for method in set(route.methods or ()) - {"HEAD"}}
    inner = [route for route in api.build_api().routes if isinstance(route, Route)]
    found |= {(method, f"/api/v1{route.path}") for route in inner for method in set(route.methods or ()) - {"HEAD"}}
    assert found == set(ASKED) | SAID_AND_TOKENS


def test_every_command_is_in_the_table() -> None:
    assert set(SAID) == set(BODIES)


def test_every_command_is_on_the_page_or_only_at_the_terminal() -> None:
    kinds = {kind.__name__ for kind in class_and_subclasses(Command) if kind.__module__.startswith("ledger.")}
    bases = {"Command", "TableCommand", "RollingCommand", "Sealed", "BeginDay", "BeginTurn"}
    of_the_book = {"Open", "Erase", "RotateKey", "SetPolicy", "AgreeToPolicy", "RecordForks"}
    from_files = {"ImportLog", "ImportRolls", "ImportSheet"}
    assert (
        kinds - {kind.__name__ for body in BODIES.values() for kind in body.kinds} == bases | of_the_book | from_files
    )


@pytest.mark.parametrize("route", some([*ASKED]), ids=" ".join)
def test_a_route_answers_those_whom_the_table_names_and_refuses_all_others(route: tuple[str, str], shm: Path) -> None:
    path, may, form = ASKED[route]
    place = Place(shm, () if path == "/odds" else (*CHOOSING, "checkpoint"))  # who waits for a choice has no odds
    head = place.head()
    for who in EVERYBODY:
        done = place.ask(who, route[0], path, form=form)
        assert done.status == answered(who, may), (who, done.text)
        assert place.head() == head


@pytest.mark.parametrize(
    ("path", "may"),
    [
        ("/do/brak", GMS),
        ("/do?who=brak", GMS),
        ("/do/brak/edge/check", GMS),
        ("/amend/15?how=void", GMS),
        ("/static/page.js", ALL),
    ],
)
def test_what_is_somebody_elses_is_answered_to_the_gm_alone_and_files_to_all(
    path: str, may: set[str], shm: Path
) -> None:
    place = Place(shm, CHOOSING)
    for who in EVERYBODY:
        assert place.ask(who, "GET", path).status == answered(who, may), who


@pytest.mark.parametrize("command", some([*SAID]))
def test_a_command_is_taken_from_those_whom_the_table_names_and_what_is_refused_writes_nothing(
    command: str, shm: Path
) -> None:
    row = SAID[command]
    place = Place(shm, row.before)
    head = place.head()
    for body in filter(lambda body: body is not None, (row.own, row.others)):
        assert body is not None
        players = row.players == "all" or (row.players == "own" and body is row.own)
        may = {"gm", "player"} if players else {"gm"}
        for who in EVERYBODY:
            for say in (place.say, place.fills_in):
                done = say(who, command, body)
                assert done.status == answered(who, may), (who, say, done.text)
                assert (place.head() > head) == (who in may), (who, say)
                if who in may:
                    place.put_back()


@pytest.mark.parametrize("command", some([*SAID]))
def test_the_audit_names_a_player_who_entered_at_the_terminal_what_the_page_refuses(command: str, shm: Path) -> None:
    row = SAID[command]
    place, ana = Place(shm, row.before), Person(role="player", seat=ANA, visit="")
    for body in filter(lambda body: body is not None, (row.own, row.others)):
        refused = place.say("player", command, dict(body or {})).status == 403
        place.put_back()
        with open_book(str(place.file)) as book:
            submissions = body_of(command, body).commands(Names(book), ana, place.campaign)
            scribe(book, by=ANA).write_all(requests_of(submissions, None))
            named = [each.says for each in audit(book, TODAY).remarks if "Ana" in each.says]
        assert bool(named) == refused, named
        place.put_back()


def test_by_whom_an_entry_is_comes_from_the_session_and_a_body_that_says_it_is_refused(shm: Path) -> None:
    place = Place(shm)
    head = place.head()
    for command, row in SAID.items():
        for by in ("p1", "p2"):
            body = {**row.own, "by": by}
            assert place.say("gm", command, body).status == 422
            assert place.fills_in("gm", command, body).status == 422
    body = dict(SAID["play"].own)
    assert place.say("player", "play", {**body, "inputs": {**body["inputs"], "by": "p1"}}).status == 409
    assert place.head() == head
    for who, seat in (("gm", "p1"), ("player", "p2")):
        told = place.say(who, "note", {"text": "x"}, headers={"x-by": "p3", "x-campaign-by": "p3"}).told
        assert [entry["by"] for entry in told["entries"]] == [seat]
        told = place.ask(who, "POST", "/api/v1/say/note?by=p3", sent={"text": "x"}).told
        assert [entry["by"] for entry in told["entries"]] == [seat]


@pytest.mark.parametrize(
    ("command", "own", "other"), [("roll", "p2", "p3"), ("turn", "mara", "brak")], ids=["dice", "a place in the order"]
)
def test_a_player_rolls_under_an_own_name_and_not_under_anothers(shm: Path, command: str, own: str, other: str) -> None:
    place = Place(shm)
    assert place.say("player", command, {"who": own, "pool": "2d6"}).status == 200
    assert place.say("player", command, {"who": other, "pool": "2d6"}).status == 403


@pytest.mark.parametrize(
    ("system", "move"), some(FOR_PLAYERS), ids=lambda part: part if isinstance(part, str) else part.name()
)
def test_a_player_cannot_charge_another_players_character_through_any_input(
    system: str, move: type[Move], place: Place
) -> None:
    ana = Person(role="player", seat=ANA, visit="")
    with place.campaign.snapshot() as book:
        for made in fillings(move):
            if "brak" in charged(effects(made, rich_table(system))):
                with pytest.raises(NotAllowed, match="You do not play brak"):
                    check_may_enter(book, ana, PlayMove(system=system, move=made))


@pytest.mark.parametrize(
    "inputs",
    [
        {"target": "brak", "energy": 0, "answer": 6, "take": 0},
        {"target": "brak", "energy": 0, "owing": True},
        {"target": "brak", "energy": 3, "against": {"brak": 2}},
        {"target": "brak", "energy": 3, "beside": {"brak": 2}},
    ],
)
def test_an_attack_by_a_player_does_not_spend_the_energy_of_the_one_who_is_attacked(
    inputs: dict[str, Any], place: Place
) -> None:
    body = {"game": "byzantine", "move": "attack", "inputs": {"who": "mara", **inputs}}
    head = place.head()
    assert place.say("player", "play", body).told["detail"].startswith("You do not play brak.")
    assert place.head() == head


def test_a_player_cannot_hide_inputs_that_only_the_gm_may_hide(shm: Path) -> None:
    place = Place(shm)
    inputs = {"who": "mara", "skill": 3, "target": 20, "secret": True}
    assert place.say("player", "play", {**CHECK, "inputs": inputs}).status == 403
    assert place.say("gm", "play", {**CHECK, "inputs": inputs}).status == 200


def test_a_player_brings_back_what_she_undid_and_not_what_another_undid(shm: Path) -> None:
    place = Place(shm, ("note tom", "undo"))
    head = place.head()
    for say in (place.say, place.fills_in):
        assert say("player", "redo", {}).status == 403
        assert place.head() == head
    assert place.say("gm", "redo", {}).status == 200
    (shm / "other").mkdir()
    nothing = Place(shm / "other", ("note tom",))
    assert nothing.say("player", "redo", {}).status == 409


def test_a_plan_is_for_the_gm_alone(shm: Path) -> None:
    place = Place(shm)
    head = place.head()
    for who in EVERYBODY:
        done = place.ask(who, "POST", "/api/v1/say/note?dry=true", sent={"text": "x"})
        assert done.status == answered(who, GMS)
        assert place.head() == head


def test_a_player_who_left_can_look_and_change_nothing(shm: Path) -> None:
    place = Place(shm)
    assert place.say("player", "note", {"text": "hello"}).status == 200
    assert place.say("gm", "leave", {"who": "Ana"}).status == 200
    head = place.head()
    assert place.ask("player", "GET", "/").status == 200
    assert "a spectator" in place.ask("player", "GET", "/").text
    assert place.say("player", "note", {"text": "hello"}).status == 403
    assert place.ask("player", "GET", "/do/mara").status == 403
    assert place.head() == head


def test_a_gm_whose_seat_was_voided_is_a_gm_no_more(shm: Path) -> None:
    place = Place(shm, ("player Eva --gm",))
    tom, place.secrets["gm"] = place.secrets["gm"], place.comes_in("gm", "p4")
    assert place.ask("gm", "GET", "/gm").status == 200
    voids = {"cookie": "", "authorization": f"Bearer {tom}"}
    assert place.say("gm", "void", {"entry": 15, "why": "mistaken"}, headers=voids).status == 200
    head, here = place.head(), [route for route, (_, may, _) in ASKED.items() if may == GMS]
    assert len(here) > 3
    for route in here:
        path, _, form = ASKED[route]
        assert place.ask("gm", route[0], path, form=form).status == 403, route
    for command in (command for command, row in SAID.items() if row.players == "none" and not row.before):
        for say in (place.say, place.fills_in):
            assert say("gm", command, SAID[command].own).status == 403, command
    for asked in ("dry=true", "agreed=000", "clock_ok=true"):
        assert place.ask("gm", "POST", f"/api/v1/say/note?{asked}", sent={"text": "x"}).status == 403
    assert place.head() == head
    assert place.ask("gm", "GET", "/api/v1/status").told["you"]["role"] == "player"


def test_a_real_server_gives_the_same_answers(shm: Path) -> None:
    place = Place(shm, CHOOSING)
    with served(place) as port:
        for who in EVERYBODY:
            cookie = f"table-8000={place.secrets[who]}"
            assert call(port, "GET", "/", Cookie=cookie).status == answered(who, INSIDERS)
            assert call(port, "GET", "/do/brak", Cookie=cookie).status == answered(who, GMS)
            head = place.head()
            said = call(
                port,
                "POST",
                "/api/v1/say/note",
                b'{"text": "x"}',
                Cookie=cookie,
                Content_Type="application/json",
                Origin=f"http://127.0.0.1:{port}",
            )
            assert said.status == answered(who, OWNERS)
            assert (place.head() > head) == (who in OWNERS)
        for who in OUTSIDE:
            assert call(port, "GET", "/gm", Authorization=f"Bearer {place.secrets[who]}").status == 401


LATE: Mapping[str, Mapping[str, Any]] = {
    "edge check mara --skill 3 --edge --faces 7,3,7": {"drop": 3},
    "edge attack mara knife brak --skill 19 --target 10 --faces 7,6,1,1,1": {"boost": 1},
    "multicheck test mara cunning --difficulty 90 --faces 50": {"after": True},
    "syscards challenge mara --against brak --faces 50,50": {"order": ["mara", "brak"], "why": "she saw it first"},
    "byzantine attack mara brak --energy 9": {"take": 2},
}
"""Moves of mara's that leave a choice or an offer after the dice, each with a choice."""


def asking(place: Place) -> tuple[int, type[Move]]:
    """Return the last entry that leaves a choice, and its move."""
    entries = [each for each in map(json.loads, place.entries()) if each["type"] in {"question-asked", "move-played"}]
    moves = [(each["seq"], systems.find(each["system"]).move(each["move"])) for each in entries]
    return [(seq, move) for seq, move in moves if move is not None and (move.chosen or move.offered)][-1]


def paid_by_brak(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the changes by which brak spends a score."""
    changes = [posting for entry in entries if entry["type"] not in TAKEN for posting in entry["postings"]]
    return [each for each in changes if each["who"] == "brak" and each["amount"] < 0 and "/" in each["score"]]


@pytest.mark.parametrize("line", LATE)
def test_a_player_cannot_spend_another_players_scores_through_a_choice_after_the_dice(line: str, shm: Path) -> None:
    place = Place(shm, ("set mara weapon.knife=1d6+2 --why s", line))
    (seq, move), head, usual = asking(place), place.head(), LATE[line]
    accepted = [usual]
    for field in move.fields().values():
        for value in samples(field):
            inputs = {**usual, field.name: value}
            done = place.say("player", "choose", {"entry": seq, "inputs": inputs})
            assert (place.head() > head) == (done.status == 200)
            if done.status == 200:
                accepted.append(inputs)
                assert paid_by_brak(done.told["entries"]) == []
                place.put_back()
    assert place.say("player", "choose", {"entry": seq, "inputs": usual}).status == 200
    assert {name for inputs in accepted for name in inputs} <= {*move.chosen, *move.offered}


@pytest.mark.parametrize("line", LATE)
def test_a_choice_in_which_another_players_character_pays_is_refused(line: str, shm: Path) -> None:
    place = Place(shm, ("set mara weapon.knife=1d6+2 --why s", line))
    seq, move = asking(place)
    inputs = [{field.name: value} for field in move.fields().values() for value in samples(field)]
    ana = Person(role="player", seat=ANA, visit="")
    with place.campaign.snapshot() as book:
        check_may_enter(book, ana, Choose(question=seq, chosen=LATE[line]))
        for chosen in (each for each in inputs if "brak" in move.payers_in(each)):
            for command in (Choose(question=seq, chosen=chosen), AcceptOffer(ruling=seq, chosen=chosen)):
                with pytest.raises(NotAllowed, match="You do not play brak"):
                    check_may_enter(book, ana, command)


NAMING = [
    (kind, field.name)
    for kind in class_and_subclasses(Command)
    for field in kind.fields().values()
    if kind.for_players and not {CAST, ROLLER}.isdisjoint(field.tags)
]
"""The inputs for a character in the commands that are for players."""


@pytest.mark.parametrize(("kind", "name"), NAMING)
def test_a_player_cannot_name_another_players_character_in_any_input_of_a_command(
    kind: type[Command], name: str, place: Place
) -> None:
    inputs = {field.name: samples(field)[0] for field in kind.fields().values() if field.required}
    ana = Person(role="player", seat=ANA, visit="")
    with place.campaign.snapshot() as book, pytest.raises(NotAllowed, match="You do not play brak"):
        check_may_enter(book, ana, kind(**{**inputs, name: "brak"}))
