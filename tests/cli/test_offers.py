"""Open offers: a choice after a roll is listed until the character's next move, and needs no number if it is the only one."""

import json
from pathlib import Path

import pytest

from cli.context import Invocation
from cli.main import campaign
from cli.prompt import Prompt, bottom_line
from ledger import systems
from terminal import Type, rows

ZED = (
    "join zed multicheck attribute.body=40 attribute.luck=30 pk=1 --name 'Zed Ox'",
    "multicheck test zed body --faces 91",
)
YUL = ("join yul multicheck attribute.body=40 attribute.luck=30 pk=1", "multicheck test yul body --faces 92")
OFFER = "#{} Before the next move, Zed Ox may still roll again (1 PK).\n      campaign choose {} --reroll\n"


@pytest.fixture
def zed(folder: Path, type_in: Type) -> int:
    """Zed has rolled and may roll again; returns the number of the ruling."""
    for line in ZED:
        assert type_in(line).exit_code == 0
    entries = rows(type_in("log -n 1 --json").stdout)
    return next(int(entry["seq"]) for entry in entries if entry["type"] == "move-played")


def test_an_open_offer_is_listed_beside_the_questions_and_is_none(zed: int, type_in: Type) -> None:
    seen = type_in("questions")
    assert seen.stdout == OFFER.format(zed, zed)
    assert seen.stderr == "No open questions.\n"
    (offer,) = rows(type_in("questions --json").stdout)
    assert (offer["type"], offer["seq"], offer["who"], offer["asks"]) == ("offer", zed, "zed", ["reroll"])


def test_the_state_of_play_lists_an_open_offer_apart_from_the_questions(zed: int, type_in: Type) -> None:
    line = f"  offer    #{zed} Zed Ox may still roll again (1 PK): campaign choose {zed} --reroll\n"
    assert line in type_in("status").stdout
    now = json.loads(type_in("status --json").stdout)
    assert (now["waiting"], now["waits"], [offer["seq"] for offer in now["offers"]]) == (0, [], [zed])
    assert f"  campaign choose {zed} --reroll" in type_in([]).stdout


def test_the_page_of_an_entry_says_what_its_character_may_still_choose(zed: int, type_in: Type) -> None:
    says = f"      Before the next move, Zed Ox may still roll again (1 PK). Type: campaign choose {zed} --reroll\n"
    assert type_in(f"show {zed}").stdout.endswith(says)
    type_in("multicheck turn zed")
    assert says not in type_in(f"show {zed}").stdout
    assert says in type_in(f"show {zed} --at {zed}").stdout


def test_a_move_of_the_character_ends_the_offer_in_every_list(zed: int, type_in: Type) -> None:
    type_in("multicheck turn zed")
    assert type_in("questions").stdout == ""
    assert type_in(f"questions --at {zed}").stdout == OFFER.format(zed, zed)
    assert "offer" not in type_in("status").stdout
    assert type_in("choose --reroll").stderr.startswith(
        f"Error: No choice is open. The offer from #{zed} has expired.\n"
    )


def test_an_offer_to_a_character_who_left_is_not_listed(zed: int, type_in: Type) -> None:
    type_in("leave zed")
    assert type_in("questions").stdout == ""


def test_the_only_open_offer_is_taken_without_its_number(zed: int, type_in: Type) -> None:
    assert "Zed Ox" in type_in("choose --reroll --faces 12").stdout
    assert type_in("questions").stdout == ""


def test_of_several_offers_each_is_named_with_its_number_and_none_is_taken(zed: int, type_in: Type) -> None:
    for line in YUL:
        type_in(line)
    before = type_in("log -n 1").stdout
    asked = type_in("choose --reroll")
    assert asked.exit_code == 2
    assert f"#{zed} Zed Ox may still roll again (1 PK): campaign choose {zed} --reroll\n" in asked.stderr
    assert "yul may still roll again (1 PK): campaign choose" in asked.stderr
    assert "2 choices are open.\nHint: Type the command again with the number of one of them.\n" in asked.stderr
    assert type_in("log -n 1").stdout == before


def test_an_offer_of_a_game_that_is_not_installed_is_not_listed(
    zed: int, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(systems, "installed", lambda name: None)
    assert type_in("questions").stdout == ""


def test_a_boost_that_was_offered_says_that_it_has_expired(folder: Path, type_in: Type) -> None:
    type_in("set mara weapon.knife=1d6+2")
    shown = type_in("edge attack mara knife brak --skill 19 --target 10 --faces 8,7,4,3,3").stderr
    (offered,) = (word for line in shown.splitlines() if "choose" in line for word in line.split() if word.isdecimal())
    type_in("edge attack mara --go-on")
    assert type_in(f"choose {offered} --boost 1").stderr == f"Error: The offer from #{offered} has expired.\n"


def test_the_bottom_line_of_the_prompt_shows_the_only_offer_and_counts_several(zed: int, type_in: Type) -> None:
    prompt = Prompt(Invocation(), campaign)
    assert bottom_line(prompt).endswith(f" · Zed Ox may still roll again (1 PK): choose {zed} --reroll")
    for line in YUL:
        type_in(line)
    assert bottom_line(prompt).endswith(" · open offers: 2; to list them, type: questions")


def test_an_expired_offer_without_a_choice_says_that_it_has_expired(zed: int, type_in: Type) -> None:
    type_in("multicheck test zed body --faces 20")
    assert type_in(f"choose {zed}").stderr == (
        f"Error: The offer from #{zed} has expired.\nHint: See what is open with 'campaign questions'.\n"
    )


@pytest.mark.parametrize("typed", ["--boost 1", "boost 1", "{} --boost 1", "{} boost 1"])
def test_a_flag_that_is_no_choice_lists_the_open_ones(zed: int, type_in: Type, typed: str) -> None:
    type_in("edge check mara --skill 11 --edge --faces 7,3,9")
    refused = type_in(f"choose {typed.format(zed)}").stderr
    assert refused.startswith(f"#{zed} Zed Ox may still roll again (1 PK): campaign choose {zed} --reroll\n")
    assert ("--drop N" in refused) is ("{}" not in typed)
    assert "Error: No open choice is called 'boost'.\n" in refused


def test_other_flags_of_a_choice_may_be_shortened(zed: int, type_in: Type) -> None:
    assert "Dry run: nothing was written." in type_in("choose --reroll --dry --faces 20").stderr


def test_a_number_after_the_entry_is_its_only_choice_of_a_number(folder: Path, type_in: Type) -> None:
    type_in("edge check mara --skill 11 --edge --faces 7,3,9")
    asked = next(entry["seq"] for entry in rows(type_in("log -n 1 --json").stdout) if entry["type"] == "question-asked")
    assert "Entry 3 has no question." in type_in("choose 3 7").stderr
    assert type_in(f"choose {asked} 3").exit_code == 0


@pytest.mark.parametrize("typed", ["--reroll", "reroll", "--faces 12 --reroll", "r --faces 12"])
def test_a_choice_without_a_number_takes_the_only_offer_of_its_kind(zed: int, type_in: Type, typed: str) -> None:
    type_in("session open One")
    type_in("set mara weapon.knife=1d6+2")
    type_in("edge attack mara knife brak --skill 19 --target 10 --faces 8,7,4,3,3")
    assert type_in("questions").stdout.count("Before the next move") == 2
    chosen = type_in(f"choose {typed}")
    assert (chosen.exit_code, "Zed Ox" in chosen.stdout) == (0, True), chosen.stderr
