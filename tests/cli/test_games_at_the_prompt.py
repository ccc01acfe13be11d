"""The prompt finds the game of a line, and the character of a line may come first, last or anywhere."""

import re
from pathlib import Path

import pytest

from terminal import Type, head


@pytest.fixture
def table(folder: Path, type_in: Type) -> Path:
    """Make a campaign with four characters, in which mara plays three games."""
    for words in (
        "adjust mara skill.guns=3 skill.riding=1 attribute.wits=3 attribute.presence=2 --why x",
        "set mara on.guns=wits,presence weapon.pistol=2d6+4 --why x",
        "join mara multicheck attribute.body=40 attribute.luck=30 skill.melee=3 skill.riding=2 pk=1",
        "set mara on.melee=body --why x",
        "join mara free roll.gamble=d20+3",
        "join jonas edge edge=4 maximum=4 skill.guns=1 attribute.wits=1 attribute.presence=1",
        "set jonas on.guns=wits,presence --why x",
        "join zed multicheck attribute.body=40 attribute.luck=30 skill.melee=3 pk=1",
        "set zed on.melee=body --why x",
        "session open One",
    ):
        assert type_in(words).exit_code == 0, words
    return folder


def at_prompt(type_in: Type, *lines: str) -> str:
    """Type lines at the prompt. Return what the last one shows."""
    return re.split(r"^(?:[a-z0-9-]+(?: [a-z]+)?)?> .*\n?", type_in("play", input="\n".join(lines)).output, flags=re.M)[
        -1
    ]


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("c guns = 7 6", "mara guns ✓ marginal success: 21 against 20"),
        ("c gu = 7 6", "mara guns ✓ marginal success: 21 against 20"),
        ("c melee = 91", "mara melee ✗ major failure"),
        ("c mel -5 wind = 91", "mara melee ✗ major failure"),
        ("c gamble = 4", "mara gamble: 7 (4 + 3)"),
        ("c d20+5 = 4", "mara d20+5: 9 (4 + 5)"),
        ("c rid", "'c' could mean several games: edge, multicheck."),
        ("c 15", "'c' could mean several games: coin, edge, multicheck."),
        ("c gums", "Error: mara has no 'gums' in any game.\nHint: Did you mean guns?"),
        ("c xyz", "Error: mara has no 'xyz' in any game.\nHint: mara has: body, "),
    ],
)
def test_the_main_roll_is_in_the_game_whose_sheet_has_the_name(
    table: Path, type_in: Type, line: str, seen: str
) -> None:
    assert seen in at_prompt(type_in, "with mara", line)


@pytest.mark.parametrize("usual", ["jonas", "jonas edge"])
@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("c pereption", "Error: jonas has no 'pereption' in any game.\nHint: Did you mean perception"),
        ("c gums", "Error: jonas has no skill 'gums'.\nHint: Did you mean guns?"),
        ("c xyz", "Error: jonas has no skill 'xyz'."),
        ("c --skill 3 --for pereption = 7 6", "jonas check"),
    ],
)
def test_the_most_similar_name_of_any_game_is_suggested(
    table: Path, type_in: Type, usual: str, line: str, seen: str
) -> None:
    type_in("join jonas free roll.perception=d20+3")
    assert seen in at_prompt(type_in, f"with {usual}", line)


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("c insihgt", "Error: mara has no 'insihgt' in any game.\nHint: Did you mean insight?"),
        (
            "c insight",
            "Error: 'insight' is a number on the sheet of mara, not a roll.\nHint: Type dice before it: d20+i",
        ),
        ("c d20+insight = 9", "mara d20+insight: 12 (9 + 3)"),
    ],
)
def test_a_number_of_a_free_sheet_is_suggested_and_needs_dice(table: Path, type_in: Type, line: str, seen: str) -> None:
    type_in("adjust mara free/insight=3 --new --why x")
    assert seen in at_prompt(type_in, "with mara", line)


@pytest.mark.parametrize("usual", ["zed", "none"])
def test_an_attack_is_in_the_game_in_which_the_character_after_the_at_sign_has_the_weapon(
    table: Path, type_in: Type, usual: str
) -> None:
    type_in("join mara byzantine general=9")
    seen = at_prompt(type_in, f"with {usual}", "attack pistol jonas @mara --skill 9 = 7 6")
    assert "mara attacks jonas with pistol" in seen


def test_a_name_that_only_another_game_has_is_rolled_there_although_a_game_was_chosen(
    table: Path, type_in: Type
) -> None:
    assert "mara melee ✗ major failure" in at_prompt(type_in, "with mara edge", "c melee = 91")
    assert "mara has no riding" not in at_prompt(type_in, "with mara multicheck", "c rid = 91")


def test_a_move_of_two_games_is_played_in_the_game_whose_sheet_has_the_name(table: Path, type_in: Type) -> None:
    type_in("join mara byzantine")
    before = head(table)
    assert "could be any of byzantine attack, edge attack" in at_prompt(type_in, "with mara", "attack brak")
    assert head(table) == before
    assert "mara attack" in at_prompt(type_in, "with mara", "attack pistol brak --skill 9 = 7 6")


@pytest.mark.parametrize(
    "line",
    [
        "jonas c guns",
        "c guns jonas",
        "c jonas guns",
        "@jo c guns",
        "c @jo guns",
        "c guns @jonas",
        "jon c gu",
    ],
)
@pytest.mark.parametrize("usual", ["with", "with mara edge", "with zed multicheck", "with mara"])
def test_the_character_comes_first_last_or_anywhere(table: Path, type_in: Type, usual: str, line: str) -> None:
    assert "jonas guns ✗ marginal failure: 16 against 20" in at_prompt(type_in, usual, f"{line} = 7 6")


@pytest.mark.parametrize("usual", ["with", "with mara edge"])
def test_the_first_letters_of_the_character_are_enough(table: Path, type_in: Type, usual: str) -> None:
    assert "jonas guns ✗ marginal failure: 16 against 20" in at_prompt(type_in, usual, "c gu jo = 7 6")


def test_a_move_that_only_the_named_character_can_play_is_found(table: Path, type_in: Type) -> None:
    assert "zed melee ✗ major failure" in at_prompt(type_in, "with jonas edge", "test mel @zed = 91")


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("te mel = 91", "mara melee ✗ major failure"),
        ("at pi brak --skill 9 = 1 2", "mara attacks brak with pistol"),
        ("at", "'at' could be any of byzantine attack, byzantine attempt, edge attack."),
        ("re short", "could be"),
    ],
)
def test_with_several_games_letters_mean_the_only_move_that_fits_but_commands_come_first(
    table: Path, type_in: Type, line: str, seen: str
) -> None:
    type_in("join mara byzantine")
    assert seen in at_prompt(type_in, "with mara", line)


def test_a_character_without_a_sheet_has_no_main_move(table: Path, type_in: Type) -> None:
    type_in("npc ghoul")
    refused = at_prompt(type_in, "with ghoul", "c 15")
    assert (
        "Error: ghoul has no sheet yet.\nHint: To make a sheet: join ghoul GAME …; to roll without a sheet: roll ghoul"
        in refused
    )


def test_the_prompt_does_not_start_with_a_monster(table: Path, type_in: Type) -> None:
    type_in("npc ghoul")
    assert type_in("play", input="status").stdout.startswith("> status\n")


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("jonas -1 edge; toll", "jonas adjusted by hand: toll   edge 4 → 3"),
        ("jonas edge = 2", "jonas adjusted by hand   edge 4 → 2"),
        ("jonas edge=2", "jonas adjusted by hand   edge 4 → 2"),
        ("jonas d20 = 4", "jonas rolls d20 = 4"),
        ("jonas -d6+20 = 4", "jonas rolls -d6+20 = 16"),
        ("jonas edge check guns = 7 6", "jonas guns ✗ marginal failure"),
        ("jonas rest short", "jonas takes a short rest"),
        ("jonas w edge", "jonas · edge is 4"),
        ("jonas sheets", "jonas · edge"),
        ("jonas note hi", "Error: 'note' is not a command for one character. Type it without jonas."),
        ("jonas", "Error: Type an action after jonas.\nHint: To switch to jonas, type 'with jonas'."),
        ("@ghost c guns", "Nobody called '@ghost'"),
        ("jonas foo", "No such command 'foo'."),
    ],
)
def test_a_character_may_come_before_every_command(table: Path, type_in: Type, line: str, seen: str) -> None:
    assert seen in at_prompt(type_in, "with mara edge", line)


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("stelth", "No such command 'stelth'."),
        ("melee", "No such command 'melee'. Did you mean c melee?"),
        ("mele", "No such command 'mele'. Did you mean c melee?"),
        ("tets melee", "No such command 'tets'. Did you mean test?"),
        ("sheetz", "No such command 'sheetz'. Did you mean sheets?"),
        ("c bdy", "Did you mean body?"),
        ("c mell", "Did you mean melee?"),
        ("c meele", "zed has skill.melee, so meele looks like a typo."),
    ],
)
def test_an_unknown_word_gets_the_nearest_word_of_the_sheet(table: Path, type_in: Type, line: str, seen: str) -> None:
    assert seen in at_prompt(type_in, "with zed multicheck", line)


def test_a_misspelled_roll_of_a_free_sheet_gets_the_nearest_one(table: Path, type_in: Type) -> None:
    seen = at_prompt(type_in, "with mara free", "c gambel")
    assert "mara has roll.gamble, so gambel looks like a typo." in seen


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("c gu -2 = 7 6", "19 against 20 (7 + 6 + 6)"),
        ("c gu +1 rain = 7 6", "22 against 20 (7 + 6 + 9)"),
        ("c gu -2 rain; he shoots = 7 6", "19 against 20 (7 + 6 + 6): he shoots"),
        ("c gu adv = 7 6 5", "(7 + 6 + 8; 5 dropped)"),
        ("c gu dis sand in the eyes 25 = 7 6 5", "19 against 25 (6 + 5 + 8; 7 dropped)"),
        ("c gu adv rope -2 rain @mara = 7 6 5", "19 against 20 (7 + 6 + 6; 5 dropped)"),
        ("c gu +1 rope -2 = 7 6", "20 against 20"),
        ("c mel adv dis = 5", "melee ✓ critical success"),
        ("c mel advantage = 55 3", "[55 30]"),
        ("rest short adv", "The command cannot use the extra word 'adv'"),
        ("c adv = 7 6", "mara has no skill 'adv'."),
    ],
)
def test_a_modifier_and_advantage_are_words_after_the_skill(table: Path, type_in: Type, line: str, seen: str) -> None:
    game = "multicheck" if " mel " in line else "edge"
    assert seen in at_prompt(type_in, f"with mara {game}", line)


def test_a_modifier_without_words_is_its_own_reason(table: Path, type_in: Type) -> None:
    at_prompt(type_in, "with mara edge", "c gu -2 = 7 6")
    assert "why: -2" in type_in("show").output
    at_prompt(type_in, "with mara edge", "c gu -2 --why fog = 7 6")
    assert "why: fog" in type_in("show").output
    at_prompt(type_in, "with mara edge", "c gu adv = 7 6 5")
    assert "advantage: advantage" in type_in("show").output


def test_circumstances_without_words_are_added_up(table: Path, type_in: Type) -> None:
    type_in("join mara rollunder characteristic.wits=12 skill.climbing=3")
    type_in("set mara rollunder/on.climbing=wits --why x")
    assert "10 against 12" in at_prompt(type_in, "with mara rollunder", "c cli -2 -1 = 10").replace("rolled ", "")


def test_a_move_for_a_named_character_comes_from_a_game_of_that_character(table: Path, type_in: Type) -> None:
    for words in ("join sil free hp=3/9", "join sil multicheck", "set sil refill=hp --why x"):
        assert type_in(words).exit_code == 0, words
    assert "sil rests" in at_prompt(type_in, "with", "rest sil")
