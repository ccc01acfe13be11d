"""Offers on the page: each person can do everything that the page offers them, and nothing else."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from at_page import ANA, GM, INSIDE, Place
from evenings import MOVES
from fillings import samples
from ledger.commands.play import PlayMove
from ledger.rules.inputs import AT_TABLE
from ledger.rules.move import Move
from projections.questions import due_questions
from web.bodies import commands_for
from web.hints import ALL_MOVES
from web.people import Person, check_may_enter
from web.problems import NotAllowed
from who_may import CHOOSING, SAID

pytestmark = pytest.mark.usefixtures("unhurried")

PEOPLE = {
    "gm": Person(role="gm", seat=GM, visit=""),
    "player": Person(role="player", seat=ANA, visit=""),
    "spectator": Person(role="spectator", seat="", visit=""),
}
BYZANTINE = (
    "day next",
    "byzantine contest duel --acting mara --against brak --ability mara=cunning,brak=guard --kind attack",
)
GAMES = ("edge", "multicheck", "syscards", "rollunder", "byzantine")
TYPED = [(system, move) for system, move in MOVES if system in GAMES and not move.is_part]


def filled_in(move: type[Move], **more: Any) -> Move:
    """Return a move of mara's with its required inputs and these."""
    inputs = {name: samples(field)[0] for name, field in move.fields().items() if field.required} | more
    if AT_TABLE not in move.fields()["who"].tags:
        inputs["who"] = "mara"
    return move(**{name: mara_for_brak(value) for name, value in inputs.items()})


def mara_for_brak(value: Any) -> Any:
    if isinstance(value, dict):
        return dict.fromkeys(["mara"], *value.values())
    if isinstance(value, tuple):
        return tuple(map(mara_for_brak, value))
    return "mara" if value == "brak" else value


def is_accepted(place: Place, who: str, system: str, move: Move) -> bool:
    """Return True if a person may play a move."""
    with place.campaign.snapshot() as book, suppress(NotAllowed):
        check_may_enter(book, PEOPLE[who], PlayMove(system=system, move=move))
        return True
    return False


def offered_moves(place: Place, who: str) -> set[tuple[str, str]]:
    """Return the moves in the list under “All moves, gifts and notes”."""
    done = place.ask(who, "GET", "/do/mara")
    return set(re.findall(r'hx-get="do/mara/([^/"]+)/([^/"]+)"', done.text))


@pytest.mark.parametrize("who", INSIDE)
def test_a_move_is_offered_to_exactly_the_people_who_may_play_it(who: str, place: Place) -> None:
    offered = offered_moves(place, who)
    accepted = {(system, move.name()) for system, move in TYPED if is_accepted(place, who, system, filled_in(move))}
    assert offered == accepted
    assert bool(offered) == (who != "spectator")


@pytest.mark.parametrize("who", ["gm", "player"])
def test_an_input_is_in_the_form_of_exactly_the_people_who_may_fill_it_in(who: str, place: Place) -> None:
    moves = {(system, move.name()): move for system, move in TYPED}
    for system, name in offered_moves(place, who):
        form = place.ask(who, "GET", f"/do/mara/{system}/{name}").text
        move = moves[system, name]
        for field in move.fields().values():
            if field.name not in {"who", *move.offered, *move.chosen}:
                made = filled_in(move, **{field.name: samples(field)[0]})
                assert (f'name="inputs.{field.name}"' in form) == is_accepted(place, who, system, made), made


def links(text: str) -> Iterator[str]:
    """Yield the links of a page that people see. The style sheet hides the taps of other people's sheets."""
    for part in re.split(r'(<div class="sheets plays.*?</article></div>)', text, flags=re.DOTALL):
        seen = part if part.startswith("<div") else re.sub(r'<a class="tap[^>]*>', "", part)
        yield from (f"/{link}" for link in re.findall(r'hx-get="([^"]*)"', seen))


def forms(text: str) -> set[str]:
    """Return the commands that have a form on a page."""
    return set(re.findall(r'hx-post="(?:tray/)?say/([^"]+)"', text))


@pytest.mark.parametrize("who", INSIDE)
def test_every_link_and_form_that_somebody_sees_is_for_them(who: str, shm: Path) -> None:
    place = Place(shm, (*CHOOSING, "dispute 15 --claim dark --player Ana"))
    seen, waiting = set[str](), ["/", "/gm"] if who == "gm" else ["/"]
    said = set[str]()
    while waiting:
        path = waiting.pop().replace("&amp;", "&")
        if path in seen:
            continue
        seen.add(path)
        done = place.ask(who, "GET", path, headers={"hx-request": "true"})
        assert done.status == 200, (path, done.text)
        said |= forms(done.text)
        waiting += links(done.text)
    assert len(seen) > 20
    may = {name for name, row in SAID.items() if who == "gm" or (who == "player" and row.players != "none")}
    assert said <= may
    assert bool(said) == (who != "spectator")


@pytest.mark.parametrize("who", INSIDE)
def test_the_page_offers_a_command_to_exactly_the_people_who_may_say_one_of_its_kind(who: str, shm: Path) -> None:
    offered = commands_for(PEOPLE[who])
    for command, row in SAID.items():
        place = Place(shm, row.before)
        status = place.say(who, command, row.own).status
        assert (status == 200) == (command in offered), (command, status)
        place.file.unlink()


def test_the_page_says_where_the_dice_of_a_choice_come_from(shm: Path) -> None:
    place = Place(shm, CHOOSING)
    assert place.say("gm", "choose", {"entry": 16, "inputs": {"drop": 3}}).status == 200
    assert "; dice typed in<" in place.ask("player", "GET", f"/entry/{place.head()}").text


@pytest.mark.parametrize(("seq", "may"), [(16, {"gm", "player"}), (19, {"gm"})])
def test_a_choice_is_offered_to_exactly_the_people_who_may_make_it(seq: int, may: set[str], shm: Path) -> None:
    place = Place(shm, CHOOSING)
    for who in INSIDE:
        shown = place.ask(who, "GET", f"/answer/{seq}").text
        done = place.say(who, "choose", {"entry": seq, "inputs": {"drop": 3}})
        assert ("choose" in forms(shown)) == (done.status == 200) == (who in may)
        assert who in may or f"Waiting for {'Ana' if seq == 16 else 'Ben'}." in shown
        place.put_back()


def test_a_contest_is_played_on_the_page_by_its_players_and_the_gm(shm: Path) -> None:
    place = Place(shm, BYZANTINE)
    ben = place.secrets["spectator"] = place.comes_in("player", "p3")
    assert ben
    commit = {"game": "byzantine", "move": "commit"}
    inputs = {"who": "mara", "contest": "duel", "energy": 9, "obscure": 1}
    done = place.fills_in("player", "play", {**commit, "inputs": inputs})
    assert "mara</b> commits to duel" in done.text
    assert "energy 9, obscuring 1" in done.text
    seq = place.head()
    for who, sees in (("gm", True), ("player", True), ("spectator", False)):
        assert ("energy 9, obscuring 1" in place.ask(who, "GET", f"/entry/{seq}").text) == sees
    assert "energy 9" not in place.ask("player", "GET", "/").text
    others = {"who": "brak", "contest": "duel", "energy": 1}
    assert place.fills_in("player", "play", {**commit, "inputs": others}).status == 403
    assert place.fills_in("spectator", "play", {**commit, "inputs": others}).status == 200
    know = {"game": "byzantine", "move": "know", "inputs": {"who": "mara", "task": "duel", "energy": 4}}
    done = place.fills_in("player", "play", know)
    assert "learned.duel: 4" in done.text
    assert "learned.duel" not in place.ask("spectator", "GET", f"/entry/{place.head()}").text
    resolve = {"game": "byzantine", "move": "resolve", "inputs": {"contest": "duel"}}
    assert place.fills_in("player", "play", resolve).status == 403
    done = place.fills_in("gm", "play", resolve)
    assert ">The winner still has to choose how much energy to take.</a>" in done.text
    question = place.head()
    shown = place.ask("gm", "GET", f"/answer/{question}").text
    assert 'name="inputs.take"' in shown
    assert "mara wins and may take" in shown
    assert "Waiting for the GM." in place.ask("player", "GET", f"/answer/{question}").text
    assert place.fills_in("gm", "choose", {"entry": question, "inputs": {"take": 1}}).status == 200
    assert "takes 1 energy from brak" in place.ask("player", "GET", "/").text


def test_an_open_task_leads_the_gm_to_the_move_and_tells_players_whom_it_waits_for(shm: Path) -> None:
    dealt = "edge damage mara pistol --to brak --faces 6,6"
    place = Place(shm, ("set mara edge/weapon.pistol=2d6+4,skill=deception --why x", dealt, *BYZANTINE))
    with place.campaign.snapshot() as book:
        tasks = {task.then: task.seq for task in due_questions(book).on_sheets}
    soak, commit = tasks["edge soak brak"], tasks["byzantine commit mara duel --energy N"]
    assert 'hx-get="tray/brak/edge/soak" hx-target="#tray">soak</a>' in place.ask("gm", "GET", f"/answer/{soak}").text
    assert "Waiting for the GM." in place.ask("player", "GET", f"/answer/{soak}").text
    for who in ("gm", "player"):
        assert 'hx-get="tray/mara/byzantine/commit"' in place.ask(who, "GET", f"/answer/{commit}").text
    assert "Waiting for Ana." in place.ask("spectator", "GET", f"/answer/{commit}").text


def test_an_open_task_of_the_whole_table_names_the_place_of_the_move(shm: Path) -> None:
    place = Place(shm, (*BYZANTINE, *(f"byzantine commit {who} duel --energy 1" for who in ("mara", "brak"))))
    with place.campaign.snapshot() as book:
        (task,) = due_questions(book).on_sheets
    shown = place.ask("gm", "GET", f"/answer/{task.seq}").text
    assert "Do this next: “resolve” (byzantine) under “All moves, gifts and notes”." in shown
    assert ALL_MOVES in place.ask("gm", "GET", "/").text


def test_a_player_cannot_set_the_price_of_learning_a_cost(shm: Path) -> None:
    place = Place(shm, ("day next", "byzantine task wall --costs 10"))
    know = {"game": "byzantine", "move": "know", "inputs": {"who": "mara", "task": "wall", "energy": 1}}
    free = {**know, "inputs": {**know["inputs"], "costs": 0}}  # type: ignore[dict-item]
    assert place.say("player", "play", free).status == 403
    assert place.say("player", "play", know).status == 200


def test_the_gm_can_read_the_gms_secrets_on_the_page(shm: Path) -> None:
    place = Place(shm, ("note 'the guide is a spy' --secret", "edge check mara --skill 3 --target 17 --secret"))
    for seq, text in ((15, "the guide is a spy"), (17, "against 17")):
        assert text in place.ask("gm", "GET", f"/entry/{seq}").text
        assert text not in place.ask("player", "GET", f"/entry/{seq}").text


def test_a_player_gives_from_their_own_sheet_and_from_one_that_nobody_plays(shm: Path) -> None:
    place = Place(shm, ("join mara free gold=50", "join brak free gold=5", "join party free gold=100"))
    form = place.ask("player", "GET", "/do/mara").text
    givers = form.partition('<select id="f-giver" name="who">')[2].partition("</select>")[0]
    assert givers == '<option value="mara">mara</option><option value="party">party</option>'
    gold = {"gold": 3}
    answers = {
        who: place.say("player", "give", {"who": who, "to": "mara", "scores": gold}) for who in ("party", "brak")
    }
    assert {who: answer.status for who, answer in answers.items()} == {"party": 200, "brak": 403}


def test_a_form_to_give_something_is_there_if_there_is_something_to_give(shm: Path) -> None:
    place = Place(shm, ("join mara free hp.max=3",))
    assert "Give something" not in place.ask("player", "GET", "/do/mara").text


def test_a_check_takes_dice_or_a_roll_from_the_sheet(shm: Path) -> None:
    place = Place(shm, ("join mara free gold=50 dex=3", "set mara roll.stealth=d20+dex"))
    assert 'value="stealth"' in place.ask("player", "GET", "/do/mara/free/check").text
    for roll, faces, says in (
        ("2d6+dex", [3, 4], "success"),
        ("stealth", [5], "failure"),
        ("ste adv", [5, 19], "success"),
    ):
        inputs = {"who": "mara", "roll": roll, "vs": "10"}
        sent = {"game": "free", "move": "check", "inputs": inputs, "faces": faces}
        assert f'"says": "{says}"' in place.say("player", "play", sent).text, roll
    refused = place.say(
        "player", "play", {"game": "free", "move": "check", "inputs": {"who": "mara", "roll": "2d6+str"}}
    )
    assert (refused.status, refused.told["detail"]) == (404, "mara has no roll and no number called 'str'.")


def test_a_plain_roll_on_the_page_may_have_a_number_to_reach(shm: Path) -> None:
    place = Place(shm)
    assert 'name="vs"' in place.ask("player", "GET", "/do/mara").text
    for vs, stored in (("", None), (11, 11)):
        rolled = place.say("player", "roll", {"who": "mara", "pool": "d20", "vs": vs}).told["entries"][-1]
        assert (rolled["vs"], rolled["at_most"]) == (stored, False)
