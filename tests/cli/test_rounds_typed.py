"""Rounds and rolls of a group as they are typed: equal numbers, turns that are skipped, delayed or taken back."""

import re
from pathlib import Path

import pytest

from terminal import Type, rows


@pytest.fixture
def fight(type_in: Type, folder: Path) -> Type:
    """A campaign with mara and brak, in its first session, with three goblins."""
    type_in("session open One --present Ana")
    type_in("npc gob-1..3")
    return type_in


def order(fight: Type) -> list[str]:
    return [line.strip() for line in fight("turns").stdout.splitlines()[1:]]


def test_a_new_number_gives_no_second_turn_in_the_round(fight: Type) -> None:
    for words in ("turns add mara 20", "turns add brak 15", "turns next", "turns next"):
        fight(words)
    assert fight("turns add mara 10").stderr == "mara's turn in round 1 is over.\n"
    assert order(fight) == ["brak  15  has the turn", "mara  10  turn is over"]
    assert "round 2: brak's turn" in fight("turns next").stdout


def test_people_say_who_of_equal_numbers_acts_first(fight: Type) -> None:
    fight("turns add gob-1 12")
    done = fight("turns add gob-2 12")
    assert done.stderr.endswith("To change the order: campaign turns add gob-2 12 --before gob-1\n")
    assert fight("turns add gob-2 12 --before gob-1").stdout.endswith(
        "gob-2 has initiative 12, and acts before gob-1\n"
    )
    assert order(fight) == ["gob-2  12", "gob-1  12"]
    refused = fight("turns add gob-3 5 --before gob-1")
    assert refused.exit_code == 3
    assert refused.stderr == (
        "Error: gob-1 has 12. You can choose the order only for equal numbers.\n"
        "Hint: To give gob-3 this place: campaign turns add gob-3 12 --before gob-1\n"
    )


def test_turns_are_skipped_delayed_and_taken_back(fight: Type) -> None:
    for words in ("turns add gob-1..3 12", "turns add mara 15", "turns next"):
        fight(words)
    assert fight("turns skip gob-1").stdout.endswith("round 1: gob-1's turn is skipped\n")
    assert fight("turns skip gob-2 --always").stdout.endswith("gob-2 takes no more turns\n")
    assert fight("turns delay mara").stdout.endswith("mara acts later in round 1, after gob-3\n")
    assert "turns    round 1, nobody: gob-1 12, gob-3 12, mara 12\n" in fight("status").stdout
    assert fight("turns back").stdout.endswith(
        "voids #17 (mara acts later in round 1, after gob-3): back to the turn before\n"
    )
    assert fight("turns delay mara 5").stdout.endswith("mara acts later in round 1, at 5\n")
    assert [row["acted"] for row in rows(fight("turns --json").stdout)] == [True, False, False]
    assert fight("verify").exit_code == fight("audit").exit_code == 0


def test_at_the_prompt_a_turn_of_ones_own_needs_no_name(fight: Type) -> None:
    begun = ["with mara edge", "turns add 15", "turns add brak 9", "turns next", "turns delay", "turns back"]
    lines = [*begun, "turns delay mara", "turns back", "turns delay 3", "turns back", "turns add mara 9 --before brak"]
    seen = fight("play", input="\n".join(lines)).output
    assert seen.count("mara acts later in round 1, after brak\n") == 2
    assert "mara acts later in round 1, at 3\n" in seen
    assert "mara has initiative 9, and acts before brak\n" in seen
    assert "Error" not in seen


@pytest.mark.parametrize(
    "words", ["mara gob-2", "mara after gob-2", "mara until after gob-2", "after gob-2", "mara --after gob-2"]
)
def test_the_character_to_act_after_needs_no_flag(fight: Type, words: str) -> None:
    for line in ("turns add mara 15", "turns add gob-1..3 9", "turns next"):
        fight(line)
    lines = [f"turns delay {words}", "turns"]
    seen = fight("play", input="\n".join(lines)).stdout
    assert "mara acts later in round 1, after gob-2\n" in seen
    assert "gob-2 acts later" not in seen


def test_before_needs_no_flag(fight: Type) -> None:
    fight("turns add brak 9")
    assert fight("turns add mara 9 before brak").stdout.endswith("mara has initiative 9, and acts before brak\n")


def test_turns_add_takes_all_characters_and_the_npcs(fight: Type) -> None:
    added = fight("turns add all 5")
    assert re.findall(r"(\S+) has initiative 5", added.stdout) == ["mara", "gob-1", "gob-2", "gob-3"]
    assert added.exit_code == 0
    assert "mara, gob-1, gob-2 and gob-3 have the same number, and act in this order." in added.stderr


@pytest.mark.parametrize("words", ["turns skip all", "turns delay all", "sheets all"])
def test_a_command_that_is_not_for_all_says_so(fight: Type, words: str) -> None:
    fight("turns add mara 15")
    fight("turns next")
    assert "Error: This command does not work for all characters at once.\nHint: The cast is: " in fight(words).stderr


def test_the_number_of_a_delay_may_be_left_out(fight: Type) -> None:
    assert "turns delay [OPTIONS] WHO [NUMBER]\n" in fight("turns delay --help").stdout
    assert "turns add [OPTIONS] WHO NUMBER\n" in fight("turns add --help").stdout


def test_a_range_is_skipped_in_one_line(fight: Type) -> None:
    fight("turns add gob-1..3 12")
    fight("turns add mara 15")
    fight("turns next")
    assert fight("turns skip gob-1..3").exit_code == 0
    assert "round 2: mara's turn" in fight("turns next").stdout


def test_a_setting_rolls_initiative_again_each_round(fight: Type) -> None:
    assert fight("settings campaign").stderr.startswith("initiative = once\n")
    set_ = fight("settings campaign initiative=each-round --why 'house rule'")
    assert set_.stdout.endswith("campaign: initiative = each-round: house rule\n")
    assert rows(fight("settings campaign --json").stdout)[0]["settings"] == {
        "calendar": None,
        "initiative": "each-round",
    }
    for words in ("turns roll gob-1 d20+2", "turns add mara 40", "turns add brak 39", *["turns next"] * 3):
        assert fight(words).exit_code == 0
    began = fight("turns next")
    assert "round 2: new initiative  then gob-1 rolls d20+2 = " in began.stdout
    assert began.stderr == (
        "New initiative is needed for mara and brak. To roll: campaign turns roll mara DICE\n"
        "To enter a number that was rolled: campaign turns add mara NUMBER\n"
    )
    assert len(order(fight)) == 1
    assert "campaign: initiative = once" in fight("settings campaign initiative=once").stdout
    refused = fight("settings campaign initiative=always")
    assert refused.exit_code in {2, 3}
    assert "Error: 'always' is not a setting for initiative.\nHint: Choose once or each-round.\n" in refused.stderr
    assert fight("verify").exit_code == fight("audit").exit_code == 0


def test_one_character_that_needs_a_new_number_is_named(fight: Type) -> None:
    for words in ("settings campaign initiative=each-round", "turns add mara 40", "turns next"):
        fight(words)
    assert fight("turns next").stderr.startswith(
        "New initiative is needed for mara. To roll: campaign turns roll mara DICE\n"
    )
    assert fight("turns add mara 3").exit_code == 0
    assert fight("turns next").stderr == ""


def test_a_round_of_rolls_by_the_computer_needs_no_numbers(fight: Type) -> None:
    for words in ("settings campaign initiative=each-round", "turns roll gob-1..3 d20", *["turns next"] * 3):
        fight(words)
    began = fight("turns next")
    assert began.stderr == ""
    assert "then 3 more results\n" in began.stdout


def test_initiative_for_all_includes_the_non_player_characters(fight: Type) -> None:
    done = fight("turns roll all d20")
    assert [line.split()[1] for line in done.stdout.splitlines()] == ["mara", "gob-1", "gob-2", "gob-3"]
    assert "Not included: brak (no player)" in done.stderr


def test_typed_and_rolled_dice_are_mixed_in_a_roll_for_a_group(fight: Type) -> None:
    done = fight("roll gob-1..3 d20+2 --vs 15 = 14, , 3")
    assert done.stderr.startswith("gob-1 14, gob-2 (computer), gob-3 3\n")
    lines = done.stdout.splitlines()
    assert lines[0].endswith("[14]")
    assert lines[2].endswith("[3]")
    succeeded = sum("✓" in line for line in lines)
    assert done.stderr.endswith(f"{succeeded} of 3 succeeded.\n")
    assert "(computer)" in fight("roll gob-1..3 d20 --faces ';;12'").stderr


@pytest.mark.parametrize(
    ("typed", "dice"),
    [
        ("= 14, 3, 9", "gob-1 14, gob-2 3, gob-3 9"),
        ("= 14, 3, 9,", "gob-1 14, gob-2 3, gob-3 9"),
        ("= 14,,9", "gob-1 14, gob-2 (computer), gob-3 9"),
        ("= , , 9", "gob-1 (computer), gob-2 (computer), gob-3 9"),
        ("= 14, 3,", "gob-1 14, gob-2 3, gob-3 (computer)"),
    ],
)
def test_an_empty_place_between_commas_is_a_roll_by_the_computer(fight: Type, typed: str, dice: str) -> None:
    assert fight(f"roll gob-1..3 d20 {typed}").stderr == f"{dice}\n"


def test_too_few_dice_for_a_group_say_how_the_computer_rolls_the_rest(fight: Type) -> None:
    refused = fight("roll gob-1..3 d20 --faces '3;4'")
    assert refused.exit_code == 2
    assert refused.stderr.endswith(
        "Error: You typed dice for 2 rolls, but 3 characters roll: gob-1, gob-2, gob-3.\n"
        "Hint: To let the computer roll for a character, leave that character's place empty. Put a semicolon between the characters' dice:"
        " --faces '7,3;9,9'\n"
    )
    refused = fight("roll gob-1..2 d20 --faces ';4;;5'")
    assert "Put a semicolon" in refused.stderr
    assert "place empty" not in refused.stderr
    assert "after the equals sign" in fight("roll gob-1..3 d20 = , ,").stderr


def test_a_move_of_a_game_for_a_group_ends_with_its_successes(fight: Type) -> None:
    fight("join gob-1..3 edge maximum=1 edge=1")
    done = fight("edge check gob-1..3 --skill 10 --target 20 = 7 6, 1 2, 9 8")
    assert done.stderr.endswith("2 of 3 succeeded.\n")
    assert "succeeded" not in fight("edge check gob-1..3 --skill 10 --target 20 = 7 6, 1 2, 9 8 --json").stderr
    assert "succeeded" not in fight("edge check gob-1..3 --skill 10 --target 20 = 7 6, 1 2, 9 8 --dry-run").stderr
    assert "succeeded" not in fight("edge check gob-1 --skill 10 --target 20 = 7 6").stderr
    assert "succeeded" not in fight("edge rest gob-1..3 short").stderr


def test_the_successes_of_a_repeated_roll_are_counted(fight: Type) -> None:
    assert fight("roll mara 3#d20 --vs 10 --faces 9,10,11").stderr.endswith("2 of 3 succeeded.\n")
    assert "succeeded" not in fight("roll mara 3#d20 --faces 9,10,11").stderr
    assert "succeeded" not in fight("roll mara 3#d20 --vs 10 --faces 9,10,11 --json").stderr


def test_a_move_is_played_against_a_range(fight: Type) -> None:
    for who in ("mara", "gob-1..3"):
        fight(f"join {who} byzantine output.stall=3")
    done = rows(fight("byzantine contest duel --acting mara --against gob-1..2,gob-3 --json").stdout)
    played = next(entry for entry in done if entry["type"] == "move-played")
    assert played["inputs"]["against"] == ["gob-1", "gob-2", "gob-3"]


def test_the_sheets_of_a_range_are_shown_together(fight: Type) -> None:
    fight("join gob-1..3 edge maximum=1")
    shown = rows(fight("sheets gob-1..2 --json").stdout)
    assert [sheet["who"] for sheet in shown] == ["gob-1", "gob-2"]
    assert "Nobody called 'gob-4'" in fight("sheets gob-3..4").stderr
    assert fight("leave gob-1..3").exit_code == 0


def test_at_the_prompt_a_delay_without_a_name_is_for_the_current_turn(fight: Type) -> None:
    lines = ["with none", "turns add mara 15", "turns add brak 9", "turns delay 3", "turns next", "turns delay 3"]
    seen = fight("play", input="\n".join(lines)).output
    assert seen.count("Hint: Type it like this: turns delay WHO [NUMBER]") == 1
    assert seen.endswith("mara acts later in round 1, at 3\n")


def test_a_roll_for_several_never_replaces_the_numbers_in_the_turn_order(fight: Type) -> None:
    fight("turns add gob-1 12")
    refused = fight("turns roll gob-1..3 d20")
    assert refused.exit_code == 3
    assert refused.stderr == (
        "Error: Already in the turn order: gob-1 (12). Nothing was rolled.\n"
        "Hint: To roll for the others: campaign turns roll gob-2,gob-3 DICE\n"
    )
    assert fight("turns roll gob-2,gob-3 d20").exit_code == 0
    assert fight("turns roll gob-1..3 d20").stderr.endswith("end this one first: campaign turns end\n")
    fight("turns end")
    assert fight("turns roll gob-1..3 d20").exit_code == 0
