"""The GM's screen: secrets in place, the turn order with its buttons, and non-player characters in groups."""

import re
from pathlib import Path

import pytest

from at_page import UNHURRIED, Place
from ledger.journal.book import open_book
from projections.status import turns
from web.desk import desk_turns, npc_groups

SECRETS = (
    "edge check mara --skill 11 --target 21 --secret --faces 7,6",  # 15 16
    "note 'The guide is a spy' --secret",  # 17
    "edge check brak --skill 3 --target 20 --faces 7,6 --seal",  # 18
)
FIGHT = (
    "npc gob-1..2",
    "npc ogre",
    "join gob-1..2 free hp=9/9 guard=3",
    "join ogre free might=4",
    "join ogre rollunder characteristic.cunning=9",
    "turns add mara 14",
    "turns add brak 14",
    "turns add gob-1 12",
    "turns next",
)


@pytest.fixture
def secretive(shm: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setattr("web.guard.RATES", UNHURRIED)
    return Place(shm, SECRETS)


@pytest.fixture
def fight(shm: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setattr("web.guard.RATES", UNHURRIED)
    return Place(shm, FIGHT)


@pytest.mark.parametrize(("seq", "secret"), [(15, "against 21"), (17, "The guide is a spy"), (18, "marginal failure")])
def test_the_gm_reads_a_secret_below_its_line_and_no_player_does(secretive: Place, seq: int, secret: str) -> None:
    shown = secretive.ask("gm", "GET", f"/secrets/{seq}").text
    assert (secret in shown, "hidden from the players" in shown) == (True, True)
    for who in ("player", "spectator"):
        answer = secretive.ask(who, "GET", f"/secrets/{seq}", headers={"hx-request": "true"})
        assert (answer.status, answer.text.strip()) == (200, "")


def test_the_feed_asks_for_secrets_only_below_the_lines_that_have_some(secretive: Place) -> None:
    secretive.say("gm", "note", {"text": "open to all"})
    for who, path in (("gm", "/"), ("spectator", "/"), ("player", "/stream?after=14")):
        shown = secretive.ask(who, "GET", path, until=b"id: 19-").text
        assert set(re.findall(r'hx-get="secrets/([0-9]+)"', shown)) == {"16", "17", "18"}
        assert not [secret for secret in ("against 21", "guide", "marginal failure") if secret in shown]


def test_a_question_shows_the_secrets_of_its_entry_to_the_gm(secretive: Place) -> None:
    secretive.say("player", "dispute", {"entry": 16, "claim": "it was dark"})
    shown = {who: secretive.ask(who, "GET", "/answer/19").text for who in ("gm", "player")}
    assert ["against 21" in shown[who] for who in shown] == [True, False]


def test_nothing_is_below_a_line_once_its_secret_is_revealed(secretive: Place) -> None:
    secretive.say("gm", "reveal", {"entry": 18})
    assert secretive.ask("gm", "GET", "/secrets/18", headers={"hx-request": "true"}).text.strip() == ""


def test_the_desk_is_on_the_gms_table_and_on_no_other(fight: Place) -> None:
    assert ['id="desk"' in fight.ask(who, "GET", "/").text for who in ("gm", "player", "spectator")] == [
        True,
        False,
        False,
    ]


def test_the_desk_shows_whose_turn_it_is_and_who_may_change_places(fight: Place) -> None:
    with open_book(str(fight.file)) as book:
        places = desk_turns(turns(book))
    assert [(place.who, place.has_turn, place.has_acted, place.ahead) for place in places] == [
        ("mara", True, True, ""),
        ("brak", False, False, "mara"),
        ("gob-1", False, False, ""),
    ]


def test_before_the_first_turn_nobody_can_delay_or_skip(shm: Path) -> None:
    shown = Place(shm, FIGHT[:-1]).ask("gm", "GET", "/desk").text
    assert ("Next turn" in shown, "Delay" in shown, "Skip" in shown, "Back" in shown) == (True, False, False, False)


def test_without_turns_and_non_player_characters_the_desk_is_empty(place: Place) -> None:
    assert "<section" not in place.ask("gm", "GET", "/desk").text


def test_non_player_characters_whose_names_differ_in_their_numbers_are_one_group(fight: Place) -> None:
    with open_book(str(fight.file)) as book:
        groups = npc_groups(book)
    assert [(group.name, [npc.who for npc in group.members]) for group in groups] == [
        ("gob", ["gob-1", "gob-2"]),
        ("ogre", ["ogre"]),
    ]


def test_the_desk_shows_scores_with_a_maximum_or_else_those_of_no_family(fight: Place) -> None:
    with open_book(str(fight.file)) as book:
        (goblins, ogres) = npc_groups(book)
    shown = [[(each.full, each.value, each.most) for each in group.members[0].counters] for group in (goblins, ogres)]
    assert shown == [[("free/hp", 9, 9)], [("free/might", 4, None)]]


def test_a_button_of_the_desk_changes_a_score(fight: Place) -> None:
    done = fight.ask("gm", "POST", "/say/adjust", form={"who": "gob-1", "scores.free/hp": "-4"})
    assert (done.status, "hp <b>5</b>" in fight.ask("gm", "GET", "/desk").text) == (200, True)


def test_non_player_characters_join_on_the_desk(fight: Place) -> None:
    assert 'id="g-npc-names"' in fight.ask("gm", "GET", "/").text
    assert fight.fills_in("gm", "npc", {"names": "wolf-1..2"}).status == 200
    assert "wolf-2" in fight.ask("gm", "GET", "/desk").text


def test_a_name_on_the_desk_opens_the_tray(fight: Place) -> None:
    fight.say("gm", "npc", {"names": ["wolf"]})
    shown = fight.ask("gm", "GET", "/desk").text
    addresses = re.findall(r'hx-get="(tray/[^"]+)"', shown)
    assert addresses == ["tray/gob-1/free", "tray/gob-2/free", "tray/ogre/free", "tray/dice?who=wolf"]
    assert {fight.ask("gm", "GET", f"/{address}").status for address in addresses} == {200}


@pytest.mark.parametrize(
    ("command", "typed", "who"),
    [
        ("roll", "gob-1..2", ["gob-1", "gob-2"]),
        ("roll", "all", ["mara", "brak"]),
        ("turn", "all", ["mara", "brak", "gob-1", "gob-2", "ogre"]),
    ],
)
def test_the_gm_rolls_for_a_group_at_once(fight: Place, command: str, typed: str, who: list[str]) -> None:
    entries = fight.say("gm", command, {"who": typed, "pool": "d20"}).told["entries"]
    assert [entry["who"] for entry in entries if "notation" in entry] == who


def test_typed_dice_are_for_one_character(fight: Place) -> None:
    answer = fight.say("gm", "roll", {"who": "gob-1..2", "pool": "d20", "faces": [3, 4]})
    assert (answer.status, "You typed dice for several characters." in answer.text) == (409, True)


def test_a_player_does_not_roll_for_others_in_a_group(fight: Place) -> None:
    assert fight.say("player", "roll", {"who": "all", "pool": "d20"}).status == 403


def test_a_group_needs_somebody_at_the_table(shm: Path) -> None:
    place = Place(shm, (), opening="-f road.campaign init Road --gm Tom")
    answer = place.say("gm", "roll", {"who": "all", "pool": "d20"})
    assert (answer.status, "Nobody is at the table." in answer.text) == (409, True)


def test_the_gm_seals_a_roll_until_the_session_ends(secretive: Place) -> None:
    tray = secretive.ask("gm", "GET", "/tray/mara/edge/check").text
    assert ('name="until"' in tray, 'name="unseen"' in tray) == (True, True)
    roll = {"game": "edge", "move": "check", "inputs.who": "mara", "inputs.skill": "3", "inputs.target": "20"}
    secretive.fills_in("gm", "play", roll | {"seal": "true", "until": "session-end", "unseen": "true"})
    sealed = secretive.ask("gm", "GET", "/api/v1/entries?after=18").told["entries"][0]
    assert (sealed["until"], sealed["unseen"]) == ("session-end", True)


def test_the_gm_seals_plain_dice_and_no_player_does(secretive: Place) -> None:
    roll = {"who": "mara", "pool": "2d6", "seal": "true", "until": "session-end"}
    for who, sees in (("gm", True), ("player", False)):
        assert ('name="seal"' in secretive.ask(who, "GET", "/tray/dice").text) == sees
    assert secretive.fills_in("player", "roll", roll).status == 403
    secretive.fills_in("gm", "roll", roll)
    sealed = secretive.ask("gm", "GET", "/api/v1/entries?after=18").told["entries"][0]
    assert (sealed["type"], sealed["until"]) == ("roll-sealed", "session-end")


@pytest.mark.parametrize(
    ("who", "move", "rolls"),
    [
        ("gob-1..2", {"game": "free", "inputs.roll": "d20"}, ["gob-1", "gob-2"]),
        ("all", {"game": "edge", "inputs.skill": "3"}, ["mara", "brak"]),
    ],
)
def test_the_gm_plays_a_move_for_a_group(fight: Place, who: str, move: dict[str, str], rolls: list[str]) -> None:
    before = fight.head()
    assert fight.fills_in("gm", "play", {"move": "check", "inputs.who": who, **move}).status == 200
    with open_book(str(fight.file)) as book:
        acts = [act for act in book.acts_backwards(book.head()) if act > before]
        assert [book.action(act)[-1].event.subject for act in acts[::-1]] == rolls


def test_a_group_has_no_typed_dice_and_a_player_plays_only_for_the_own_character(fight: Place) -> None:
    check = {"game": "edge", "move": "check", "inputs.who": "all", "inputs.skill": "3"}
    assert "You typed dice for several characters." in fight.fills_in("gm", "play", check | {"faces": "7 3"}).text
    assert fight.fills_in("player", "play", check).status == 403
    assert 'id="t-who"' not in fight.ask("player", "GET", "/tray/mara/edge/check").text
    assert 'id="t-who"' in fight.ask("gm", "GET", "/tray/mara/edge/check").text


def test_an_npc_starts_over_on_the_page(fight: Place) -> None:
    fight.say("gm", "adjust", {"who": "gob-1", "scores": {"hp": -4}, "why": "x"})
    assert fight.fills_in("gm", "npc", {"names": "gob-1 gob-3", "fresh": "true"}).status == 200
    with open_book(str(fight.file)) as book:
        assert (book.balance("gob-1", "free/hp"), book.plays("gob-3")) == (9, True)
    again = fight.fills_in("gm", "npc", {"names": "gob-1", "fresh": "true"})
    assert (again.status, "Nothing to reset" in again.text) == (409, True)


def test_a_preview_hides_a_secret_until_the_gm_asks_for_it(secretive: Place) -> None:
    form = {"entry": "16", "why": "x", "inputs.skill": "12"}
    hidden = secretive.ask("gm", "POST", "/say/amend", form=form).text
    assert ("Show the result now" in hidden, "significant" in hidden) == (True, False)
    shown = secretive.ask("gm", "POST", "/say/amend", form=form | {"secrets": "true"}).text
    assert ("Show the result now" in shown, "Nothing is saved yet." in shown, "success" in shown) == (False, True, True)
    agreed = shown.partition('name="agreed" value="')[2].partition('"')[0]
    before = secretive.head()
    done = secretive.ask("gm", "POST", "/say/amend", form=form | {"secrets": "true", "agreed": agreed})
    assert (done.status, secretive.head() > before) == (200, True)


def test_a_player_cannot_ask_for_secrets_in_a_preview(secretive: Place) -> None:
    assert secretive.ask("player", "POST", "/say/note", form={"text": "x", "secrets": "true"}).status == 403
