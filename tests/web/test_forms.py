"""Forms say what their fields show: what is emptied is left out, what cannot be amended is kept, odds open at once."""

import json
import re
import shlex
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from at_page import Place, as_form
from web.bodies import BODIES, body_of

pytestmark = pytest.mark.usefixtures("unhurried")

HIGH_GROUND = "edge check brak --skill 3 --target 20 --advantage high-ground --faces 7,6,2"


def filled(form: str) -> dict[str, str]:
    """The inputs of a form as it comes."""
    return dict(re.findall(r'name="(inputs\.[a-z_]+)" value="([^"]*)"', form))


def amended(place: Place) -> list[Any]:
    entries = [json.loads(entry) for entry in place.entries()]
    return [entry["inputs"] for entry in entries if entry["type"] == "action-amended"]


@pytest.fixture
def high(shm: Path) -> Place:
    """A check on high ground, which Ana disputes."""
    return Place(shm, (HIGH_GROUND, "dispute 15 --claim 'it is flat there' --player Ana"))


def test_a_field_that_is_emptied_in_an_amendment_is_left_out_of_it(high: Place) -> None:
    fields = filled(high.ask("gm", "GET", "/amend/15").text)
    assert fields["inputs.advantage"] == "high-ground"
    form = {"entry": "15", "why": "it is flat", **fields, "inputs.advantage": "", "faces": "7 6"}
    assert high.fills_in("gm", "amend", form).status == 200
    assert amended(high) == [{"advantage": []}]


@pytest.mark.parametrize("sent", [{"inputs.advantage": ""}, {"without": "advantage"}])
def test_a_dispute_is_upheld_by_emptying_the_field_that_was_wrong(high: Place, sent: dict[str, str]) -> None:
    form = {"entry": "17", "choice": "amend", "why": "it is flat", "faces": "7 6", **sent}
    assert high.fills_in("gm", "decide", form).status == 200
    assert amended(high) == [{"advantage": []}]


def test_a_program_leaves_inputs_out_of_an_amendment_by_name(high: Place) -> None:
    body = {"entry": 15, "why": "it is flat", "without": ["advantage"], "faces": [7, 6]}
    assert high.say("gm", "amend", body).status == 200
    assert amended(high) == [{"advantage": []}]
    refused = high.say("gm", "amend", body | {"without": ["nothing"]})
    assert (refused.status, refused.told["detail"]) == (409, "This command has no input called 'nothing'.")


def test_of_values_by_name_in_one_line_those_that_are_deleted_are_left_out(shm: Path) -> None:
    place = Place(shm, ("multicheck save mara bravery --effect fear=5 --effect pain=2 --faces 11",))
    fields = filled(place.ask("gm", "GET", "/amend/15").text)
    assert fields["inputs.effect"] == "fear=5 pain=2"
    form = {"entry": "15", "why": "it did not hurt", **fields, "inputs.effect": "fear=5"}
    assert place.fills_in("gm", "amend", form).status == 200
    assert amended(place) == [{"effect": {"fear": 5}}]


def test_a_score_that_is_deleted_from_an_adjustment_is_not_silently_kept(shm: Path) -> None:
    place = Place(shm, ("adjust mara edge=+1 strength=-1 --why x",))
    form = {"entry": "15", "why": "y", "inputs.amounts": "edge/edge=+1", "inputs.why": "x"}
    refused = place.ask("gm", "POST", "/say/amend", form=form)
    assert (refused.status, "“amounts” no longer includes edge/strength." in refused.text) == (422, True), refused.text


def test_what_an_adjustment_moved_is_still_moved_where_its_reason_alone_is_amended(shm: Path) -> None:
    place = Place(shm, ("adjust mara edge=+1 --why x",))
    fields = filled(place.ask("gm", "GET", "/amend/15").text)
    assert fields == {"inputs.who": "mara", "inputs.amounts": "edge/edge=+1", "inputs.why": "x"}
    assert place.fills_in("gm", "amend", {"entry": "15", "why": "y", **fields, "inputs.why": "a gift"}).status == 200
    assert [set(inputs) for inputs in amended(place)] == [{"why"}]


def test_an_amendment_that_changes_nothing_is_refused_like_at_the_terminal(shm: Path) -> None:
    place = Place(shm, ("adjust mara edge=+1 --why x", "dispute 15 --claim no --player Ana"))
    before = place.ask("gm", "GET", "/api/v1/status").told["head"]
    fields = filled(place.ask("gm", "GET", "/amend/15").text)
    for command, form in (("amend", {"entry": "15"}), ("decide", {"entry": "16", "choice": "amend"})):
        refused = place.ask("gm", "POST", f"/say/{command}", form={**form, "why": "y", **fields})
        assert refused.status == 409
        assert "Nothing would change in #15" in refused.text
    assert place.ask("gm", "GET", "/api/v1/status").told["head"] == before


def test_an_input_that_has_no_default_is_not_left_out(high: Place) -> None:
    refused = high.say("gm", "amend", {"entry": 15, "why": "x", "without": ["who"]})
    assert (refused.status, refused.told["detail"]) == (409, "You cannot leave who out of the command.")


@pytest.mark.parametrize(("entry", "choices"), [(1, ["keep", "void"]), (2, ["keep", "amend", "void"])])
def test_an_objection_to_the_opening_or_a_seat_is_answered_at_the_page(
    place: Place, entry: int, choices: list[str]
) -> None:
    assert place.say("player", "dispute", {"entry": entry, "claim": "that is not so"}).status == 200
    asked = place.head()
    form = place.ask("gm", "GET", f"/answer/{asked}")
    assert form.status == 200, form.text
    assert re.findall(r'name="choice" value="([a-z]+)"', form.text) == choices
    assert place.fills_in("gm", "decide", {"entry": asked, "choice": "keep", "why": "it is"}).status == 200
    assert f"answer/{asked}" not in place.ask("gm", "GET", "/").text


def test_a_percentile_die_that_shows_00_is_100_as_at_the_terminal(place: Place) -> None:
    assert place.fills_in("player", "roll", {"who": "mara", "pool": "d%", "faces": "00"}).status == 200
    assert [entry["dice"][0]["face"] for entry in map(json.loads, place.entries()) if "dice" in entry][-1:] == [100]
    refused = place.say("player", "roll", {"who": "mara", "pool": "2d6", "faces": "7 abc"})
    assert (refused.status, refused.told["detail"]) == (409, "'abc' is not a die result.")


def test_a_form_takes_the_same_dice_as_the_command_line(place: Place) -> None:
    for form, seen in (
        ({"pool": "2#d6+1", "faces": "3 4"}, ["d6+1 = 4", "d6+1 = 5"]),
        ({"pool": "d20 + 5 adv", "faces": "4 17"}, ["d20 + 5 adv = 22"]),
        ({"pool": "4dF", "faces": "- 0 + +"}, ["4dF = 1"]),
    ):
        assert place.fills_in("player", "roll", {"who": "mara", **form}).status == 200
        shown = unescape(place.ask("player", "GET", "/").text)
        assert all(f"rolls {text}" in shown for text in seen)
    refused = place.say("player", "roll", {"who": "mara", "pool": "4d6k3"})
    assert (refused.status, "means different dice" in refused.told["detail"]) == (409, True)


CHECK = {"game": "edge", "move": "check", "inputs.who": "mara"}
WRONG = (
    ("turn", {"number": "4"}, "“who” is missing."),
    ("void", {"entry": "15"}, "“why” is missing."),
    ("rewind", {"to": "start", "why": "x"}, "“last entry to keep” must be a whole number."),
    ("play", CHECK | {"inputs.skill": "3", "inputs.target": "-1"}, "“target” must be at least 0."),
    ("play", CHECK | {"inputs.skill": "much"}, "“skill bonus” takes a whole number, not 'much'."),
    ("play", CHECK | {"inputs.ranks": "11"}, "“skill name” takes a name from the sheet, not '11'."),
    ("play", CHECK | {"inputs.skill": "3", "inputs.edge": "perhaps"}, "“edge” must be yes or no, not 'perhaps'."),
    ("roll", {"who": "mara", "pool": "2d6", "faces": "abc"}, "'abc' is not a die result."),
    ("turn", {"who": "mara"}, "Enter either a number or dice to roll, such as d20+2."),
    ("turn", {"who": "mara", "number": "3", "pool": "d6"}, "Enter either a number or dice to roll, such as d20+2."),
    ("day", {"count": "1", "to": "3"}, "Enter a number of days or the last day, not both."),
    ("undo", {"count": "21"}, "You can undo from 1 to 20 commands at a time, not 21."),
    ("roll", {"who": "mara", "pool": "1d6 2"}, "In '1d6 2', '2' cannot be read."),
)


@pytest.mark.parametrize(("command", "form", "says"), WRONG)
def test_what_is_wrong_with_a_field_is_said_by_its_label(
    place: Place, command: str, form: dict[str, str], says: str
) -> None:
    shown = place.ask("gm", "POST", f"/say/{command}", form=form, headers={"hx-request": "true"})
    assert (shown.status, says in unescape(shown.text)) == (422, True), shown.text


def test_a_field_that_takes_a_name_from_the_sheet_offers_those(place: Place) -> None:
    form = place.ask("player", "GET", "/do/mara/edge/check").text
    field = re.search(r'skill name <small>.*?<datalist id="f-ranks-list">(.*?)</datalist>', form, re.DOTALL)
    assert field
    assert re.findall('value="([^"]+)"', field[1]) == ["deception"]
    shown = place.ask("player", "POST", "/say/play", form=CHECK | {"inputs.ranks": "11"})
    assert "The sheet has: deception." in shown.text


def test_the_gms_forms_require_what_their_commands_do(place: Place) -> None:
    page = place.ask("gm", "GET", "/gm").text
    for command, form in re.findall(r'<form hx-post="say/([a-z-]+)"(.*?)</form>', page, re.DOTALL):
        fields = dict(re.findall(r'<input [^>]*name="([a-z]+)"([^>]*)>', form))
        required = {name for name, more in fields.items() if " required" in more}
        needs = {name for name, field in BODIES[command].model_fields.items() if field.is_required()}
        assert required == needs & set(fields), command


def test_a_refusal_speaks_of_the_fields_of_the_form(place: Place) -> None:
    form = {"game": "edge", "move": "check", "inputs.who": "mara", "inputs.bonus": "2", "inputs.skill": "3"}
    shown = place.ask("player", "POST", "/say/play", form=form, headers={"hx-request": "true"})
    assert (shown.status, "A bonus needs a reason: add “why”" in shown.text) == (422, True)


@pytest.mark.parametrize("path", ["/", "/api/v1/status", "/say/redo", "/api/v1/say/redo"])
def test_a_file_that_is_away_is_not_named_to_those_who_ask(place: Place, path: str) -> None:
    away = place.file.rename(place.folder / "elsewhere")
    method, sent = ("POST", dict[str, str]()) if "say" in path else ("GET", None)
    told = place.ask("player", method, path, **({"sent": sent} if "api" in path else {"form": sent})).text
    assert "The GM's computer cannot find the campaign file." in told.replace("&#39;", "'")
    assert "The page works again as soon as the file is back." in told
    assert str(place.folder) not in told
    assert "campaign init" not in told
    away.rename(place.file)
    assert place.ask("player", "GET", "/").status == 200


def test_odds_name_the_verdicts_that_come_out_most_often_and_count_the_others(place: Place) -> None:
    form = {"game": "edge", "move": "damage", "inputs.who": "mara", "inputs.weapon": "3", "inputs.melee": "yes"}
    shown = place.ask("player", "POST", "/odds", form=form | {"faces": "", "seal": "true", "new": "true"}).text
    rows = re.findall(r"<tr><td>([^<]+)</td><td>([0-9.]+) %</td>", shown)
    assert len(rows) == 11
    assert re.fullmatch("[0-9]+ other verdicts", rows[-1][0])
    assert sum(float(share) for _, share in rows) == pytest.approx(100, abs=0.6)


def test_odds_open_in_the_form_and_so_does_what_is_wrong_with_them(place: Place) -> None:
    form = place.ask("player", "GET", "/do/mara/edge/check").text
    assert re.search('hx-post="odds" hx-target="#odds".*<div id="odds"[^>]*></div>.*</form>', form, re.DOTALL)
    shown = {"hx-request": "true", "hx-target": "div#odds"}
    wrong = {"game": "edge", "move": "check", "inputs.who": "mara"}
    refused = place.ask("player", "POST", "/odds", form=wrong, headers=shown)
    assert (refused.status, "data-close" in refused.text) == (422, False)


def test_odds_of_inputs_that_are_no_fields_are_refused(place: Place) -> None:
    sent = b"game=edge&move=check&inputs=who&inputs=skill"
    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert place.ask("player", "POST", "/odds", body=sent, headers=kind).status == 422


GAMES = sorted(Path("docs/games").glob("*.md"))
SET = re.compile(r"^\$ campaign set (.+)\n#", re.MULTILINE)
"""A command that sets marks, and was taken."""


def examples_of_marks() -> list[tuple[str, str]]:
    """Yield the lines of the games' pages that set marks, each with its game."""
    return [
        (page.stem.partition("-")[0], words)
        for page in GAMES
        for words in SET.findall(page.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize(("game", "words"), examples_of_marks())
def test_marks_are_set_by_the_form_as_the_page_of_the_game_has_them(game: str, words: str, shm: Path) -> None:
    who, *said_words = shlex.split(words)
    values, why = [word for word in said_words if "=" in word], said_words[-1] if "--why" in said_words else ""
    numbers = "hp=9/12 slots=2/2 dex=3" if game == "free" else ""
    place = Place(shm, (f"join {who} {game} {numbers}",) if numbers or who not in {"mara", "brak"} else ())
    named = [value if "/" in value.partition("=")[0] else f"{game}/{value}" for value in values]
    form = {"who": who, "values": " ".join(named), "why": why}
    done = place.ask("gm", "POST", "/say/set", form=form)
    assert done.status == 200, done.text
    (said,) = [json.loads(entry) for entry in place.entries()][-1:]
    assert len(said["marks"]) == len(values)


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("edge/on.deception=cunning,presence", {"edge/on.deception": "cunning,presence"}),
        ("weapon.smg=2d6+4,burst=1 care=no", {"weapon.smg": "2d6+4,burst=1", "care": "no"}),
        ("care=no, worn=vest; a=b", {"care": "no", "worn": "vest", "a": "b"}),
        ("info=Fast, and loud. rejects=yes", {"info": "Fast, and loud.", "rejects": "yes"}),
        ("info='Fast, and loud.' rejects=\"yes\"", {"info": "Fast, and loud.", "rejects": "yes"}),
    ],
)
def test_a_mark_keeps_its_commas_and_spaces(line: str, values: dict[str, str]) -> None:
    assert body_of("set", {"who": "mara", "values": line, "why": "x"}).values == values  # type: ignore[attr-defined]


def test_the_hint_for_missing_attributes_works_on_the_page_as_it_is_written(place: Place) -> None:
    check = {"game": "edge", "move": "check", "inputs": {"who": "mara", "ranks": "deception"}}
    refused = place.ask("player", "POST", "/say/play", form=as_form(check))
    spelled = re.search(r"set them on the sheet: (\S+) for mara", refused.text)
    assert spelled is not None
    values = spelled[1].replace("A,B", "cunning,presence")
    assert place.fills_in("gm", "set", {"who": "mara", "values": values, "why": "x"}).status == 200
    assert place.ask("player", "POST", "/say/play", form=as_form(check)).status == 200


def test_an_advantage_of_several_words_is_one_advantage_and_a_semicolon_begins_another(place: Place) -> None:
    check = {"game": "edge", "move": "check", "inputs.who": "mara", "inputs.skill": "3"}
    for typed, said in (("high ground", ["high ground"]), ("high ground; rain, fog", ["high ground", "rain, fog"])):
        assert place.ask("gm", "POST", "/say/play", form={**check, "inputs.advantage": typed}).status == 200
        last = [each for each in map(json.loads, place.entries()) if each["type"] == "move-played"][-1]
        assert last["inputs"]["advantage"] == said
        shown = filled(place.ask("gm", "GET", f"/amend/{last['seq']}").text)
        assert unescape(shown["inputs.advantage"]) == typed


@pytest.mark.parametrize(
    ("typed", "present"),
    [
        ("Ana Maria", ["p4"]),
        ("Ana Maria, Ben", ["p4", "p3"]),
        ("ana maria; ben", ["p4", "p3"]),
        ("Ben Tom", ["p3", "p1"]),
        ("", []),
    ],
)
def test_a_player_whose_name_has_a_space_is_present(typed: str, present: list[str], shm: Path) -> None:
    place = Place(shm, ("player 'Ana Maria'", "session close"))
    form = {"title": "Two", "present": typed}
    assert place.ask("gm", "POST", "/say/open-session", form=form).status == 200
    assert json.loads(place.entries()[-1])["present"] == present


def test_the_gm_corrects_a_name_that_was_forgotten_at_init(high: Place) -> None:
    form = filled(high.ask("gm", "GET", "/amend/2").text)
    assert form["inputs.name"] == "Tom"
    sent = {"entry": "2", "why": "I forgot", **form, "inputs.gm": "yes", "inputs.name": "Kate"}
    assert high.fills_in("gm", "amend", sent).status == 200
    assert [list(inputs) for inputs in amended(high)] == [["name"]]
    assert "You are Kate." in high.ask("gm", "GET", "/gm").text


@pytest.mark.parametrize(
    ("typed", "field", "now"),
    [
        ("set mara edge/on.deception=cunning,presence --why x", "edge/on.deception", "presence,cunning"),
        ("settings edge injuries=minor,serious --why x", "injuries", "minor,critical"),
    ],
)
def test_an_amended_value_keeps_its_commas(typed: str, field: str, now: str, shm: Path) -> None:
    place = Place(shm, (typed,))
    sent = {"entry": str(place.head()), "why": "y", "inputs.values": f"{field}={now}"}
    assert place.fills_in("gm", "amend", sent).status == 200
    assert [inputs["values"] for inputs in amended(place)] == [{field: now}]
