"""One way in: forms and programs say the same, once, and are refused in the same words as the command line."""

import json
import re
import shlex
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from at_page import FILE, Place
from examples import some
from ledger.rules.dice import RandomBelow
from paths import ROOT
from table import seeded_dice, seeded_salts
from terminal import Type, rows
from web.bodies import BODIES, commands_for
from web.people import Person
from who_may import CHOOSING, SAID

pytestmark = pytest.mark.usefixtures("unhurried")


def seeded_anew(place: Place) -> None:
    """The same dice and salts for what is said next."""
    chance: RandomBelow = seeded_dice(7)
    place.campaign.chance, place.campaign.salts = chance, seeded_salts()


@pytest.mark.parametrize("command", some([*BODIES]))
def test_a_form_says_what_a_program_says(place: Place, command: str) -> None:
    row = SAID[command]
    place = Place(place.folder, row.before)
    written = []
    for say in (place.say, place.fills_in):
        seeded_anew(place)
        assert say("gm", command, row.own).status == 200
        written.append(place.entries())
        place.put_back()
    assert written[0] == written[1]
    assert len(written[0]) > place.head()


@pytest.mark.parametrize(("value", "typed"), [(True, "yes"), (False, "no")])
def test_a_program_may_send_a_yes_or_no_as_true_or_false(place: Place, value: bool, typed: str) -> None:
    written = []
    for sent in (value, typed):
        seeded_anew(place)
        assert place.say("gm", "set", {"who": "mara", "values": {"care": sent}, "why": "x"}).status == 200
        written.append(place.entries())
        place.put_back()
    assert written[0] == written[1]


def test_the_guide_for_programs_lists_the_commands_of_players_and_those_of_the_gm() -> None:
    guide = (ROOT / "docs" / "interface.md").read_text(encoding="utf-8").partition("## Enter commands")[2]
    lists = guide.partition("\n\n- ")[2].partition("\n\n")[0].split("\n- ")
    players, gm = (set(re.findall("`([a-z-]+)`", listed)) for listed in lists)
    may_say = commands_for(Person(role="player", seat="p2", visit=""))
    assert (players, gm) == ({*may_say}, BODIES.keys() - may_say)


def test_a_command_that_the_page_does_not_have_is_refused_with_all_that_it_has(place: Place) -> None:
    refused = place.say("gm", "move", {})
    assert (refused.status, refused.told["detail"]) == (404, "The page has no command called 'move'.")
    assert refused.told["hint"] == f"The commands are: {', '.join(sorted(BODIES))}."


@pytest.mark.parametrize("command", some([*BODIES]))
def test_one_key_writes_once_by_a_form_and_by_a_program(place: Place, command: str) -> None:
    row = SAID[command]
    place = Place(place.folder, row.before)
    for program in (True, False):
        head = place.head()
        key = {"idempotency-key": "one-key"}
        way = f"/api/v1/say/{command}" if program else f"/say/{command}"
        what: dict[str, Any] = {"sent": row.own} if program else {"form": place.filled_in("gm", command, row.own)}
        first = place.ask("gm", "POST", way, headers=key, **what)
        after = place.head()
        again = place.ask("gm", "POST", way, headers=key, **what)
        assert (first.status, again.status, after > head, place.head()) == (200, 200, True, after), again.text
        if program:
            assert (first.told["again"], again.told["again"]) == (False, True)
            assert [entry["seq"] for entry in again.told["entries"]] == [
                entry["seq"] for entry in first.told["entries"]
            ]
        else:
            assert "This was saved before" in again.text
        place.put_back()


def test_one_key_with_other_content_is_refused(place: Place) -> None:
    for say in (place.say, place.fills_in):
        key = {"idempotency-key": f"key-{say.__name__}"}
        assert say("player", "note", {"text": "one"}, headers=key).status == 200
        head = place.head()
        for command, body in (("note", {"text": "two"}), ("roll", {"who": "mara", "pool": "2d6"})):
            assert say("player", command, body, headers=key).status == 409
        assert place.head() == head
        assert say("gm", "note", {"text": "one"}, headers=key).status == 409, "it is another's"
        assert place.head() == head


def test_several_undos_with_one_key_are_written_once(place: Place) -> None:
    place = Place(place.folder, ("note one", "note two", "note three"))
    key = {"idempotency-key": "k"}
    assert len(place.say("gm", "undo", {"count": 2}, headers=key).told["entries"]) == 2
    head = place.head()
    assert place.say("gm", "undo", {"count": 2}, headers=key).told["again"] is True
    assert place.head() == head


REFUSED: tuple[tuple[str, str, dict[str, Any], int, int], ...] = (
    (
        "edge check ghost --skill 3",
        "play",
        {"game": "edge", "move": "check", "inputs": {"who": "ghost", "skill": 3}},
        404,
        3,
    ),
    (
        "edge check mara --skill 3 --target 20 --faces 7",
        "play",
        {"game": "edge", "move": "check", "inputs": {"who": "mara", "skill": 3, "target": 20}, "faces": [7]},
        409,
        3,
    ),
    (
        "edge check brak --skill 3 --target 20 --edge --drop 9 --faces 7,3,7",
        "play",
        {
            "game": "edge",
            "move": "check",
            "inputs": {"who": "brak", "skill": 3, "target": 20, "edge": True, "drop": 9},
            "faces": [7, 3, 7],
        },
        409,
        3,
    ),
    ("adjust mara edge=-9 --why x", "adjust", {"who": "mara", "scores": {"edge": -9}, "why": "x"}, 409, 3),
    ("adjust mara edge=half --why x", "adjust", {"who": "mara", "scores": {"edge": "half"}, "why": "x"}, 409, 2),
    ("adjust mara nothing=-1 --why x", "adjust", {"who": "mara", "scores": {"nothing": -1}, "why": "x"}, 404, 3),
    ("roll mara 2x6", "roll", {"who": "mara", "pool": "2x6"}, 409, 2),
    ("choose 15 --drop 1", "choose", {"entry": 15, "inputs": {"drop": 1}}, 409, 3),
    ("redo", "redo", {}, 409, 3),
    ("void 2 --why x --yes", "void", {"entry": 2, "why": "x"}, 409, 3),
    ("reveal 15", "reveal", {"entry": 15}, 409, 3),
    ("session open Two", "open-session", {"title": "Two"}, 409, 3),
    ("turns next", "next-turn", {}, 409, 3),
    ("day to 0", "day", {"to": 0}, 422, 2),
    ("leave ghost", "leave", {"who": "ghost"}, 404, 3),
    ("dispute 999 --claim x", "dispute", {"entry": 999, "claim": "x"}, 409, 3),
)


@pytest.mark.parametrize(("words", "command", "body", "status", "code"), REFUSED, ids=[each[0] for each in REFUSED])
def test_a_refusal_has_the_command_lines_own_sentence_and_a_hint_without_words_of_the_terminal(
    place: Place, type_in: Type, words: str, command: str, body: dict[str, object], status: int, code: int
) -> None:
    place = Place(place.folder, CHOOSING)
    head = place.head()
    typed = type_in(["-f", str(place.folder / FILE), *shlex.split(words)])
    done = place.say("gm", command, body)
    assert (typed.exit_code, done.status, place.head()) == (code, status, head), (typed.output, done.text)
    assert done.headers["content-type"] == "application/problem+json"
    told = done.told
    assert set(told) - {"hint"} == {"type", "title", "status", "detail"}
    assert told["type"].startswith("urn:campaign-ledger:problem:")
    lines = dict(line.split(": ", 1) for line in typed.stderr.splitlines() if line.startswith(("Error: ", "Hint: ")))
    if words != "day to 0":  # the command line's own options say that
        assert told["detail"] == lines["Error"]
        assert ("hint" in told) == ("Hint" in lines)
        assert not re.search("--|campaign ", told.get("hint", ""))
    form = place.ask("gm", "POST", f"/say/{command}", form={}, headers={"hx-request": "true"})
    assert form.status >= 400 or command in {"redo", "next-turn"}


def test_a_verdict_for_an_entry_whose_dice_are_in_a_later_one_is_refused_as_at_the_terminal(place: Place) -> None:
    rate = place.head() + 1
    place = Place(place.folder, ("syscards rate mara 60 --why fog --throw --faces 12",))
    refused = place.say("gm", "override", {"entry": rate, "verdict": "success", "good": True, "why": "x"})
    assert refused.status == 409
    assert refused.told["detail"] == f"#{rate} has no dice of its own. The dice are in #{rate + 4}."


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b'{"text": 5}',
        b'{"text": "x", "more": 1}',
        b'{"text": "x", "secret": "perhaps"}',
        b"\xff\xfe",
    ],
)
def test_a_body_that_is_no_body_is_refused(place: Place, sent: bytes) -> None:
    head = place.head()
    done = place.ask("player", "POST", "/api/v1/say/note", body=sent, headers={"content-type": "application/json"})
    assert done.status in {400, 422}, done.text
    assert done.headers["content-type"] == "application/problem+json"
    assert place.head() == head


def test_a_refused_form_is_a_part_for_htmx_and_a_page_for_others(place: Place) -> None:
    part = place.ask("player", "POST", "/say/redo", form={}, headers={"hx-request": "true"})
    page = place.ask("player", "POST", "/say/redo", form={})
    assert part.status == page.status == 409
    assert "<html" not in part.text
    assert page.text.startswith("<!doctype html>")
    for each in (part, page):
        assert "There is nothing to redo." in each.text


def test_what_nobody_can_say_is_refused(place: Place) -> None:
    for command in ("erase", "init", "policy", "__class__"):
        done = place.say("gm", command, {})
        assert (done.status, done.told["detail"]) == (404, f"The page has no command called {command!r}.")


def test_the_interface_tells_the_entries_as_they_are_stored(place: Place) -> None:
    told = place.ask("spectator", "GET", "/api/v1/entries?after=0&most=500").told
    stored = [json.loads(entry) for entry in place.entries()]
    assert [{name: value for name, value in entry.items() if name != "leaf"} for entry in told["entries"]] == stored
    assert told["head"] == len(stored)
    some = place.ask("spectator", "GET", "/api/v1/entries?after=3&most=2").told["entries"]
    assert [entry["seq"] for entry in some] == [4, 5]
    assert place.ask("spectator", "GET", "/api/v1/entries?after=-9").status == 422
    assert place.ask("spectator", "GET", "/api/v1/entries?most=501").status == 422


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("sheets", "sheets"),
        ("players", "players"),
        ("questions", "questions"),
        ("status", "status"),
        ("log -n all", "entries?most=500"),
        ("luck", "luck"),
        ("luck brak --die d10 --session 1 --at 26", "luck?who=brak&die=10&session=1&at=26"),
        ("odds d20+5 adv --vs 15", "odds?pool=d20%2B5%20adv&vs=15"),
        ("odds mara d20+edge", "odds?who=mara&pool=d20%2Bedge"),
    ],
)
def test_a_view_has_the_same_json_at_the_terminal_and_from_the_page(
    shm: Path, type_in: Type, words: str, path: str
) -> None:
    before = ("day next", "turns add mara 14", "roll brak d10", "edge check brak --skill 3 --target 20 --seal")
    place = Place(shm, before)
    typed = rows(type_in(["-f", str(place.folder / FILE), *words.split(), "--json"]).stdout)
    told = place.ask("player", "GET", f"/api/v1/{path}").told
    match path.partition("?")[0]:
        case "odds":
            told = [told]
        case "entries":
            told = told["entries"]
        case "status":
            told = [{name: value for name, value in told.items() if name not in {"head", "you"}}]
    assert typed == told
    assert typed


def test_the_page_names_the_player_who_entered_a_line(shm: Path) -> None:
    place = Place(shm, ("--by Ana roll brak d6", "--by Ben roll brak d6"))
    assert place.ask("player", "GET", "/").text.count("entered by ") == 1


def test_plans_are_told_and_a_plan_that_changed_is_refused(shm: Path) -> None:
    place = Place(shm, ("edge check mara --skill 3 --target 20 --faces 7,6",))
    head = place.head()
    plan = place.ask("gm", "POST", "/say/void", form={"entry": "15", "why": "x"})
    assert (plan.status, "Nothing is saved yet." in plan.text, place.head()) == (200, True, head)
    wrong = place.ask("gm", "POST", "/say/void", form={"entry": "15", "why": "x", "agreed": "0" * 32})
    assert (wrong.status, place.head()) == (409, head)


def test_a_plan_that_nobody_made_is_called_unknown_and_no_entry_is_blamed(place: Place) -> None:
    refused = place.ask("gm", "POST", "/api/v1/say/note?agreed=000", sent={"text": "x"})
    assert refused.status == 409
    assert refused.told["detail"] == ("The result differs from the preview that you saw. Nothing was saved.")


def test_a_player_cannot_agree_to_a_plan_because_a_guess_could_reveal_secrets(place: Place) -> None:
    assert place.ask("player", "POST", "/api/v1/say/note?agreed=000", sent={"text": "x"}).status == 403


def test_a_plan_that_reveals_a_secret_says_so_and_is_written_once_it_is_agreed_to(shm: Path) -> None:
    check = "edge check mara --skill 11 --target 20 --secret --edge --drop 3 --faces 7,3,7"
    place = Place(shm, ("adjust mara edge=-3 --why x", "adjust mara edge=+1 --why x", check))
    head = place.head()
    body = {"entry": 16, "why": "x"}
    shown = place.ask("gm", "POST", "/say/void", form={"entry": "16", "why": "x"}).text
    assert "This reveals one of the GM&#39;s secrets. You see the result after it is saved." in shown
    assert "throws no dice" not in shown
    assert place.head() == head
    assert place.fills_in("gm", "void", body).status == 200
    assert place.head() > head


def test_an_undo_says_first_what_others_wrote_since_and_takes_back_ones_own_all_the_same(place: Place) -> None:
    for who, text in (("gm", "tom"), ("player", "ana")):
        assert place.say(who, "note", {"text": text}).status == 200
    head = place.head()
    refused = place.say("gm", "undo", {})
    assert (refused.status, place.head()) == (409, head)
    assert (
        refused.told["detail"]
        == f"This would undo #{head - 1} note: tom. Since then, others have added: #{head} note: ana."
    )
    assert 'name="anyway"' in place.ask("gm", "POST", "/say/undo", form={}, headers={"hx-request": "true"}).text
    key = {"idempotency-key": "mine"}
    assert place.say("gm", "undo", {"anyway": True}, headers=key).told["entries"][0]["strikes"] == head - 1
    assert place.say("player", "note", {"text": "more"}).status == 200
    assert place.say("gm", "undo", {"anyway": True}, headers=key).told["again"] is True
    assert place.say("player", "undo", {}).status == 200


def test_a_form_that_says_one_thing_in_two_ways_is_refused(place: Place) -> None:
    refused = place.ask("player", "POST", "/say/play", form={"inputs": "5", "inputs.who": "mara"})
    assert (refused.status, "only once: either as a single value" in refused.text) == (422, True)
    assert place.ask("gm", "POST", "/invite", form={"seat": "p2", "uses": "9" * 5000}).status == 422


def test_an_amendment_by_a_form_that_sends_every_field_says_what_was_changed_alone(place: Place) -> None:
    place = Place(place.folder, ("edge check brak --skill 3 --target 20 --faces 7,6",))
    shown = place.ask("gm", "GET", "/amend/15").text
    fields = dict(re.findall(r'name="(inputs\.[a-z_]+)" value="([^"]+)"', shown))
    assert len(fields) > 2
    form = {"entry": "15", "why": "it was 4", **fields, "inputs.skill": "4"}
    plan = place.ask("gm", "POST", "/say/amend", form=form).text
    agreed = plan.partition('name="agreed" value="')[2].partition('"')[0]
    assert place.ask("gm", "POST", "/say/amend", form=form | {"agreed": agreed}).status == 200
    amended = [entry for entry in map(json.loads, place.entries()) if entry["type"] == "action-amended"]
    assert [entry["inputs"] for entry in amended] == [{"skill": 4}]


def test_back_then_an_action_counts_as_a_whole_as_at_the_terminal(place: Place) -> None:
    place = Place(place.folder, ("edge award brak --amount 1 --why 'well played'",))
    head = place.head()
    for at in (head - 1, head):
        page = place.ask("player", "GET", f"/then?at={at}").text
        told = place.ask("player", "GET", f"/api/v1/sheets?who=brak&at={at}").told
        assert [each["scores"]["edge"] for each in told if each["system"] == "edge"] == [2]
        assert f'value="{head}" data-shows="f-at"' in page
    for never in ("0", "99999"):
        assert place.ask("player", "GET", f"/then?at={never}").status == 404


def test_behind_a_line_stands_the_reason_and_the_gm_reveals_what_is_kept(place: Place) -> None:
    place = Place(place.folder, ("edge award brak --amount 1 --why 'well played'", "note 'it is him' --secret"))
    kept = place.head()
    assert ": well played</p>" in place.ask("player", "GET", f"/entry/{kept - 1}").text
    for who, offered in (("gm", True), ("player", False)):
        assert ("Reveal the secret" in place.ask(who, "GET", f"/entry/{kept}").text) == offered
    assert place.fills_in("gm", "reveal", {"entry": kept}).status == 200
    assert "Reveal the secret" not in place.ask("gm", "GET", f"/entry/{kept}").text
    assert "it is him" in place.ask("player", "GET", "/").text


def test_what_was_canceled_is_offered_no_correction(place: Place) -> None:
    place = Place(place.folder, ("edge check brak --skill 3 --target 20 --faces 7,6",))
    assert '"amend/15' in place.ask("gm", "GET", "/entry/15").text
    place.fills_in("gm", "void", {"entry": 15, "why": "x"})
    assert '"amend/15' not in place.ask("gm", "GET", "/entry/15").text


def test_a_program_agrees_to_a_plan_and_nothing_else_is_written(shm: Path) -> None:
    row = SAID["amend"]
    place = Place(shm, row.before)
    head, way = place.head(), "/api/v1/say/amend"
    plan = place.ask("gm", "POST", f"{way}?dry=true", sent=row.own).told["plan"]
    assert place.head() == head
    other = {**row.own, "inputs": {"skill": 12}}
    refused = place.ask("gm", "POST", f"{way}?agreed={plan}", sent=other)
    assert (refused.status, refused.told["type"]) == (409, "urn:campaign-ledger:problem:plan-changed")
    assert place.head() == head
    done = place.ask("gm", "POST", f"{way}?agreed={plan}", sent=row.own)
    assert (done.status, "plan" in done.told) == (200, False)
    assert place.head() > head


def test_a_command_with_a_suspicious_clock_is_written_after_the_gm_confirms_the_clock(
    place: Place,
) -> None:
    place.clock.passes(-3600)
    shown = place.ask("gm", "POST", "/say/note", form={"text": "an hour ago"})
    assert shown.status == 409
    assert "The clock of the GM's computer says 2026-11-20 18:30 UTC." in unescape(shown.text)
    assert 'name="clock_ok"' in shown.text
    assert "an hour ago" in shown.text
    before = place.head()
    assert "Saved" in place.ask("gm", "POST", "/say/note", form={"text": "an hour ago", "clock_ok": "true"}).text
    assert place.head() == before + 1
    assert "Saved" in place.ask("gm", "POST", "/say/note", form={"text": "and now"}).text


def test_a_player_cannot_confirm_the_clock(place: Place) -> None:
    place.clock.passes(-3600)
    refused = place.ask("player", "POST", "/say/roll", form={"who": "mara", "pool": "d6"})
    assert (refused.status, "Ask the GM to set the clock" in refused.text) == (409, True)
    said = place.ask("player", "POST", "/say/roll", form={"who": "mara", "pool": "d6", "clock_ok": "true"})
    assert (said.status, "Only the GM can confirm" in said.text) == (403, True)


def test_the_gms_program_can_confirm_the_clock(place: Place) -> None:
    place.clock.passes(-3600)
    refused = place.say("gm", "note", {"text": "x"})
    assert (refused.status, refused.told["type"]) == (409, "urn:campaign-ledger:problem:clock-differs")
    written = place.ask("gm", "POST", "/api/v1/say/note?clock_ok=true", sent={"text": "x"})
    assert written.told["entries"][0]["clock"] == "2026-11-20T18:30:00Z"
