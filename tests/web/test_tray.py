"""The tray: its inputs, its answers, the odds in it, plain dice, and the button that undoes."""

import re
from html import unescape
from pathlib import Path

import pytest

from at_page import Place
from web.fragments import MOST_CHARACTERS
from web.tray import MOST_CHIPS, with_die
from who_may import CHOOSING

pytestmark = pytest.mark.usefixtures("unhurried")

PISTOL = "set mara edge/weapon.pistol=2d6+4,skill=deception --why x"
HTMX = {"hx-request": "true"}
CHECK = {"game": "edge", "move": "check", "inputs.who": "mara", "inputs.skill": "11"}


def tray(place: Place, path: str, who: str = "player") -> str:
    answer = place.ask(who, "GET", f"/tray/{path}", headers=HTMX)
    assert answer.status == 200, answer.text
    return unescape(answer.text)


def chips(html: str, name: str) -> list[str]:
    return re.findall(rf'name="inputs\.{name}" value="([^"]*)"', html)


def test_the_tapped_name_is_filled_in_and_not_asked_again(place: Place) -> None:
    html = tray(place, "mara/edge/check?ranks=deception")
    assert '<input type="hidden" name="inputs.ranks" value="deception">' in html
    assert html.count('name="inputs.ranks"') == 1
    assert "edge check deception" in html


def test_a_check_shows_what_people_use_most_and_the_rest_under_more(place: Place) -> None:
    shown, _, more = tray(place, "mara/edge/check?ranks=deception").partition("<summary>More</summary>")
    usual = {"target", "bonus", "why", "advantage", "disadvantage", "edge", "related"}
    assert {name for name in usual if f'"inputs.{name}"' in shown} == usual
    assert {name for name in ("attributes", "related_to", "drop") if f'"inputs.{name}"' in more}
    assert (shown.count('name="faces"'), shown.count('name="for"')) == (1, 1)


def test_the_target_comes_first_then_the_buttons_then_the_bonus_with_its_reason(place: Place) -> None:
    shown, _, _ = tray(place, "mara/edge/check?ranks=deception").partition("<summary>More</summary>")
    asked = re.findall(r'<(?:input|select) id="t-(\w+)"|<summary>(\w+)</summary>', shown)
    assert [field or button for field, button in asked] == [
        *("target", "faces"),
        *("advantage", "advantage", "disadvantage", "disadvantage"),
        *("bonus", "why", "for"),
    ]


def test_the_moves_that_take_the_name_are_one_tap_away(place: Place) -> None:
    html = tray(place, "mara/edge/check?ranks=deception")
    assert re.findall(r'<a href="([^"]+)"[^>]*>(\w+)</a>', html) == [
        ("tray/mara/edge/check?ranks=deception", "check"),
        ("tray/mara/edge/attack?ranks=deception", "attack"),
    ]


def test_a_move_of_the_gm_is_one_tap_away_only_for_the_gm(place: Place) -> None:
    for who, has_it in (("player", False), ("gm", True)):
        assert (">injure</a>" in tray(place, "mara/edge/lessen?severity=serious", who)) == has_it


def test_only_the_gm_gets_the_inputs_of_the_gm(place: Place) -> None:
    for who, has_it in (("player", False), ("gm", True)):
        html = tray(place, "mara/edge/check?ranks=deception", who)
        assert ('"inputs.secret"' in html, 'name="seal"' in html) == (has_it, has_it)


def test_characters_to_attack_are_buttons_those_in_the_turn_order_first(shm: Path) -> None:
    place = Place(shm, (PISTOL, "join zoe edge maximum=1", "turns add zoe 4"))
    assert chips(tray(place, "mara/edge/attack?weapon=pistol"), "whom") == ["zoe", "brak"]


def test_several_characters_can_be_tapped_where_a_move_takes_several(place: Place) -> None:
    html = tray(place, "mara/syscards/challenge")
    assert '<input type="checkbox" id="t-against-1" name="inputs.against" value="brak">' in html


def test_many_characters_are_a_list(shm: Path) -> None:
    joined = tuple(f"join x{number} edge maximum=1" for number in range(MOST_CHIPS))
    html = tray(Place(shm, (PISTOL, *joined)), "mara/edge/attack?weapon=pistol")
    assert '<select id="t-whom" name="inputs.whom">' in html
    assert '<option value="brak">brak</option>' in html


def test_a_choice_between_few_values_is_buttons_and_a_required_one_has_no_button_for_none(place: Place) -> None:
    assert chips(tray(place, "mara/edge/rest"), "kind") == ["short", "long"]
    assert chips(tray(place, "mara/edge/damage"), "kind") == ["", "physical", "stun"]


def test_an_input_that_a_move_needs_is_required(place: Place) -> None:
    assert re.search(r'<input id="t-energy"[^>]* required>', tray(place, "mara/byzantine/attempt?ability=cunning"))
    rest = tray(place, "mara/edge/rest")
    assert re.findall(r'name="inputs.kind" value="(\w+)" required>', rest) == ["short", "long"]


def test_an_input_has_the_same_label_in_every_move(place: Place) -> None:
    assert ">opponent</legend>" in tray(place, "mara/edge/attack?weapon=pistol")
    for move in ("attack", "damage"):
        assert ">weapon name</label>" in tray(place, f"mara/edge/{move}")


def test_a_question_says_what_it_asks(place: Place) -> None:
    form = CHECK | {"inputs.edge": "yes", "faces": "7 3 7"}
    assert place.ask("player", "POST", "/tray/say/play", form=form).status == 200
    asks = "check: Mara still has to choose which die to drop."
    for who, places in (("player", 2), ("spectator", 1)):
        assert place.ask(who, "GET", "/").text.count(asks) == places


@pytest.mark.parametrize(
    ("path", "ready"),
    [
        ("mara/edge/check?ranks=deception", True),
        ("mara/edge/attack?weapon=pistol", False),
        ("mara/edge/check", False),
        ("mara/byzantine/attempt?ability=cunning", False),
        ("mara/rollunder/skill?skill=deception", True),
        ("mara/syscards/throw", True),
    ],
)
def test_the_first_tap_rolls_only_if_it_says_everything(path: str, ready: bool, place: Place) -> None:
    assert ("data-ready" in tray(place, path)) == ready


def test_a_help_text_names_fields_and_not_flags(place: Place) -> None:
    html = tray(place, "mara/edge/check?ranks=deception")
    assert "a bonus or penalty from the GM; needs “why”" in html
    assert "--" not in html


def test_a_move_of_the_table_names_no_character(place: Place) -> None:
    assert 'name="inputs.who"' not in tray(place, "mara/syscards/round", "gm")


def test_the_moves_of_a_game_are_a_list_without_those_of_the_gm(place: Place) -> None:
    assert (">check</a>" in (html := tray(place, "mara/edge")), ">injure</a>" in html) == (True, False)
    assert ">injure</a>" in tray(place, "mara/edge", "gm")
    assert "There are no moves here." in tray(place, "mara/free")


def test_the_answer_offers_the_choice_as_buttons_with_the_faces(place: Place) -> None:
    form = CHECK | {"inputs.edge": "yes", "faces": "7.3.7"}
    html = place.ask("player", "POST", "/tray/say/play", form=form).text
    assert "Mara still has to choose which die to drop." in html
    assert re.findall(r'<button name="inputs.drop" value="(\d)">', html) == ["7", "3"]
    assert ('hx-target="#tray-say"' in html, ">Again<" in html, 'id="t-faces"' in html) == (True, True, True)
    chosen = {"entry": str(place.head()), "inputs.drop": "3"}
    assert "complete success" in place.ask("player", "POST", "/tray/say/choose", form=chosen).text


def test_an_offer_with_dice_asks_for_them(shm: Path) -> None:
    place = Place(shm, (PISTOL,))
    form = {"game": "edge", "move": "damage", "inputs.who": "mara", "inputs.item": "pistol", "inputs.to": "brak"}
    html = place.ask("player", "POST", "/tray/say/play", form=form).text
    assert "<summary>mara may still add dice (1 edge each)</summary>" in html
    assert '"inputs.boost"' in html


ATTACK = {"game": "edge", "move": "attack", "inputs.who": "mara", "inputs.weapon": "pistol", "inputs.whom": "brak"}
PAUSED = (PISTOL, "edge attack mara pistol brak --skill 9 --target 5 --faces 7,6")


def test_go_on_continues_an_attack_although_the_tray_has_kept_its_other_inputs(shm: Path) -> None:
    place = Place(shm, PAUSED)
    form = ATTACK | {"inputs.target": "20", "inputs.go_on": "yes"}
    refused = place.ask("gm", "POST", "/tray/say/play", form=ATTACK, headers=HTMX)
    assert (refused.status, "“go on”" in unescape(refused.text)) == (409, True)
    answer = place.ask("gm", "POST", "/tray/say/play", form=form, headers=HTMX)
    assert (answer.status, "damage" in answer.text) == (200, True)
    assert 'name="inputs.go_on" value="yes" data-once' in tray(place, "mara/edge/attack?weapon=pistol")


def test_a_choice_with_nothing_filled_in_keeps_its_form(shm: Path) -> None:
    place = Place(shm, (PISTOL,))
    form = {"game": "edge", "move": "damage", "inputs.who": "mara", "inputs.item": "pistol", "inputs.to": "brak"}
    html = place.ask("player", "POST", "/tray/say/play", form=form).text
    seq = re.findall(r'name="entry" value="(\d+)"', html)[0]
    assert (f'hx-status:4xx="target:#refused-{seq} swap:innerHTML"' in html, f'id="refused-{seq}"' in html) == (
        True,
        True,
    )
    shown = place.ask("player", "GET", f"/answer/{seq}", headers=HTMX).text
    assert ('hx-status:4xx="target:#refused swap:innerHTML"' in shown, 'id="refused"' in shown) == (True, True)


def test_a_refusal_because_of_an_open_question_leads_to_the_question(shm: Path) -> None:
    place = Place(shm, CHOOSING[:1])
    refused = place.ask("player", "POST", "/tray/say/play", form=CHECK, headers=HTMX)
    assert (refused.status, "mara has an open question: #16." in unescape(refused.text)) == (409, True)
    assert 'hx-get="answer/16"' in refused.text


def test_a_roll_that_is_sent_again_is_not_made_again(place: Place) -> None:
    key = {"idempotency-key": "once", **HTMX}
    for says_so in (False, True):
        html = place.ask("player", "POST", "/tray/say/play", form=CHECK, headers=key).text
        assert ("saved before" in html) == says_so


def test_the_odds_are_in_one_line_and_missing_inputs_say_nothing(place: Place) -> None:
    def odds(**form: str) -> str:
        answer = place.ask("player", "POST", "/tray/odds", form={"inputs.who": "mara", **form})
        assert answer.status == 200
        return re.sub(r"<[^>]+>", "", answer.text).strip()

    assert odds(**CHECK).endswith("% success")
    assert odds(game="edge", move="check") == ""
    assert odds(game="edge", move="damage", **{"inputs.weapon": "2", "inputs.modifier": "4"}) == ""
    assert odds(pool="2d6", who="mara") == "7 on average"
    assert odds(pool="2d6", who="mara", vs="7") == "58.3 % success"
    assert odds(pool="2x", who="mara") == odds(pool="2d6") == ""


@pytest.mark.parametrize(
    ("pool", "die", "after"),
    [
        ("", "d6", "d6"),
        ("d6", "d6", "2d6"),
        ("2d6", "d6", "3d6"),
        ("d20", "d6", "d20+d6"),
        ("d20+2d6+1", "d6", "d20+3d6+1"),
        ("d60", "d6", "d60+d6"),
        ("99d6", "d6", "100d6"),
    ],
)
def test_a_further_die_joins_the_dice_of_its_kind(pool: str, die: str, after: str) -> None:
    assert with_die(pool, die) == after


def test_the_tray_for_dice_keeps_its_inputs_when_a_die_is_added(place: Place) -> None:
    html = tray(place, "dice?add=d6&pool=d6&vs=7&for=luck&who=mara")
    for field in ('value="2d6"', 'name="vs" value="7"', 'name="for" value="luck"', '<option value="mara" selected>'):
        assert field in html
    assert 'value="d6"' in tray(place, "dice?add=x&pool=d6")


def test_a_player_rolls_as_a_character_first_and_the_gm_as_the_gm(place: Place) -> None:
    def first(who: str) -> str:
        found: list[str] = re.findall(r'<option value="([^"]+)"', tray(place, "dice?add=d6", who))
        return found[0]

    assert (first("player"), first("gm")) == ("mara", "Tom")


def test_the_button_names_the_persons_last_action_and_undoes_it_though_others_wrote_since(shm: Path) -> None:
    place = Place(shm)
    assert place.ask("player", "POST", "/tray/say/play", form=CHECK).status == 200
    assert place.say("gm", "note", {"text": "a note"}).status == 200
    button = place.ask("player", "GET", "/tray/undo").text
    (act,) = re.findall(r'name="entry" value="(\d+)"', button)
    assert 'Undo: <b class="who">mara</b> check' in button
    html = place.ask("player", "POST", "/tray/say/undo", form={"entry": act}).text
    assert re.search(r"undoes #\d+ \(mara check", html)
    assert ">Redo<" in html


def test_an_action_that_is_no_longer_the_last_one_is_not_undone(place: Place) -> None:
    for text in ("one", "two"):
        assert place.say("player", "note", {"text": text}).status == 200
    refused = place.say("player", "undo", {"entry": place.head() - 1})
    assert (refused.status, refused.told["detail"]) == (409, f"#{place.head() - 1} is no longer your last action.")


def test_a_person_without_actions_has_no_button(place: Place) -> None:
    assert "Undo" not in place.ask("spectator", "GET", "/tray/undo").text


def test_a_spectator_gets_no_dice_and_no_button(place: Place) -> None:
    page = place.ask("spectator", "GET", "/").text
    assert ('id="dice"' in page, 'id="undo"' in page, 'class="sheets plays' in page) == (False, False, False)


def test_the_link_of_a_tap_works_without_a_script(place: Place) -> None:
    assert (
        "<title>tray mara edge check · The salt road</title>"
        in place.ask("player", "GET", "/tray/mara/edge/check").text
    )


def test_a_long_table_shows_taps_only_for_the_first_sheets(shm: Path) -> None:
    place = Place(shm, tuple(f"join x{number} edge maximum=1" for number in range(MOST_CHARACTERS)))
    assert place.ask("gm", "GET", "/").text.count('class="rolls"') <= 6 * MOST_CHARACTERS
