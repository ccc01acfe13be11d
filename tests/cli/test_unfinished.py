"""Unfinished attacks and open questions: which commands name them, and what an open question refuses."""

import re
from pathlib import Path

import pytest

from terminal import Type, head


@pytest.fixture
def hit(type_in: Type, folder: Path) -> Type:
    """A session in which mara hit wolf with a knife, and nobody has rolled the damage."""
    for words in (
        "session open One --present Ana",
        "set mara weapon.knife=1d6+2,skill=deception",
        "npc wolf",
        "join wolf edge maximum=1",
        "turns add mara 12",
        "turns add brak 9",
        "turns next",
        "edge attack mara knife wolf --skill 19 --target 10 --faces 7,8",
    ):
        assert type_in(words).exit_code == 0, words
    return type_in


UNFINISHED = (
    "This is not finished: mara attack: hit wolf with knife; damage not rolled yet, 2d6 extra damage. To continue"
)
GO_ON = f"{UNFINISHED}: campaign edge attack mara --go-on\n"


def test_the_printed_command_works_at_the_prompt_of_the_attacker(hit: Type) -> None:
    rolled = hit("play", input="with mara\nedge attack mara --go-on = 3 4 5\n")
    assert "mara continues the attack" in rolled.stdout, rolled.stdout + rolled.stderr


@pytest.mark.parametrize("words", ["turns next", "turns end"])
def test_a_turn_and_a_turn_order_end_with_the_attack_that_nobody_finished(hit: Type, words: str) -> None:
    assert hit(words).stderr == GO_ON


def test_the_next_turn_names_no_attack_of_anybody_else(hit: Type) -> None:
    hit("turns next")
    assert hit("turns next").stderr == ""


def test_the_end_of_a_turn_order_names_no_attack_twice(hit: Type) -> None:
    hit("turns end --once a")
    assert "not finished" not in hit("turns end --once a").stderr


@pytest.mark.parametrize("who", ["wolf", "mara"])
def test_a_character_who_leaves_an_attack_unfinished_is_told_the_way_back(hit: Type, who: str) -> None:
    says = hit(f"leave {who}").stderr
    assert says == f"{UNFINISHED}, first type 'campaign undo'. Then: campaign edge attack mara --go-on\n"
    assert hit("leave brak").stderr == "", "it was named when it happened"


def test_an_attack_on_a_character_who_left_says_how_to_bring_the_character_back(hit: Type) -> None:
    hit("leave wolf")
    refused = hit("edge attack mara --go-on").stderr
    assert refused.endswith("Hint: wolf no longer plays. To bring wolf back: campaign npc wolf\n")


def test_one_command_cancels_a_hit_and_the_next_attack_drops_its_extra_dice(hit: Type) -> None:
    assert hit("edge attack mara knife wolf").stderr == (
        "Error: mara hit wolf and has not rolled the damage yet.\n"
        "Hint: To continue: campaign edge attack mara --go-on. To cancel the hit: campaign set mara attacking=none\n"
    )
    hit("set mara attacking=none")
    attacked = hit("edge attack mara knife wolf --skill 1 --target 20 --faces 3,4").stdout
    assert "extra damage dice 2 → 0" in attacked


def test_one_command_cancels_damage_that_nobody_checked_against_armor(hit: Type) -> None:
    hit("set mara attacking=none")
    hit("edge damage mara knife --to wolf --faces 3,4,5")
    refused = hit("edge attack mara knife wolf --skill 19 --target 10").stderr
    assert refused.endswith("campaign edge soak wolf. To cancel the damage instead: campaign set wolf dealt=none\n")
    hit("set wolf dealt=none")
    assert "✓" in hit("edge attack mara knife wolf --skill 19 --target 10 --faces 7,8").stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("edge attack mara knife brak", "mara hit wolf and has not rolled the damage yet."),
        (
            "edge damage brak --weapon 1 --modifier 0 --to wolf",
            "14 damage from mara must still be checked against wolf's armor.",
        ),
    ],
)
def test_a_refusal_names_the_closed_session_with_the_unfinished_attack(hit: Type, words: str, says: str) -> None:
    if "damage" in words:
        hit("edge damage mara knife --to wolf --faces 3,4,5")
    assert f"Error: {says}\n" in hit(words).stderr, "it was in this session"
    hit("session close")
    hit("session open Two")
    hit("npc wolf")
    assert re.search(rf"Error: {re.escape(says)} That was in session 1 \(#\d+\)\.\n", hit(words).stderr)


def test_the_end_of_a_session_counts_the_questions_that_it_does_not_name(hit: Type, folder: Path) -> None:
    hit("edge attack mara --go-on --faces 3,4,5")
    hit("edge soak wolf")
    hit('dispute 3 --claim "no"')
    assert hit("session close").stderr.startswith("Open questions: 1. To list them: campaign questions\n")
    hit(f"decide {head(folder) - 1} keep --why yes")
    hit("session open Two")
    hit("edge check mara --skill 5 --seal")
    assert "Open questions" not in hit("session close").stderr


@pytest.mark.parametrize("words", ["join wolf", "roll wolf d20"])
def test_a_non_player_character_of_an_earlier_session_is_brought_back_with_npc(hit: Type, words: str) -> None:
    hit("session close")
    refused = hit(words).stderr
    assert refused.startswith("Error: Nobody called 'wolf' plays in this campaign.\n")
    assert refused.endswith("wolf no longer plays. To bring wolf back: campaign npc wolf\n")


def test_a_non_player_character_who_left_is_brought_back_with_npc(hit: Type) -> None:
    hit("leave wolf")
    assert hit("join wolf").stderr.endswith("Hint: wolf no longer plays. To bring wolf back: campaign npc wolf\n")


@pytest.fixture
def asked(type_in: Type, folder: Path) -> Type:
    """A campaign in which mara must choose a die to drop."""
    type_in("adjust mara attribute.wits=3 attribute.presence=2 --new")
    type_in("set mara on.deception=wits,presence")
    type_in("edge check mara deception --edge --faces 7,3,9")
    return type_in


def test_an_open_question_refuses_a_move_with_the_command_that_answers_it(asked: Type) -> None:
    refused = asked("edge check mara deception").stderr
    assert re.fullmatch(
        r"Error: mara has an open question: #(\d+)\.\nHint: To answer #\1 \(check \[7 3 9\]\): campaign choose \1 --drop N\n",
        refused,
    )


@pytest.mark.parametrize("words", ["adjust mara edge=+1", "adjust mara skill.guns=2 --new", "set mara worn=none"])
def test_the_gm_adjusts_what_an_open_question_does_not_depend_on(asked: Type, words: str) -> None:
    done = asked(words)
    assert (done.exit_code, done.stderr) == (0, "")
    assert asked("choose --drop 3").exit_code == 0
    assert asked("audit").exit_code == 0


@pytest.mark.parametrize("words", ["adjust mara skill.deception=+1", "set mara on.deception=wits,body"])
def test_the_gm_cannot_adjust_what_an_open_question_depends_on(asked: Type, words: str) -> None:
    assert "mara has an open question: #" in asked(words).stderr


@pytest.mark.parametrize(("name", "new"), [("skill.guns", " --new"), ("edge", "")])
def test_a_number_typed_as_a_value_is_refused_with_the_command_that_sets_it(
    type_in: Type, folder: Path, name: str, new: str
) -> None:
    assert type_in(f"set mara {name}=3").stderr == (
        f"Error: '{name}' is a number.\nHint: To change it: campaign adjust mara {name}=N{new}\n"
    )


@pytest.mark.parametrize("words", ["adjust mara 𠀀=3 --new", "join mara free 𠀀=3"])
def test_a_letter_that_names_on_sheets_cannot_contain_is_named(type_in: Type, folder: Path, words: str) -> None:
    assert type_in(words).stderr.startswith(
        "Error: A name on a sheet cannot contain '𠀀'. This letter or symbol is too rare"
    )


def test_a_score_that_is_set_to_the_value_that_it_has_stays(type_in: Type, folder: Path) -> None:
    adjusted = type_in("adjust mara edge=4 --why paper").stdout
    assert adjusted.endswith("mara adjusted by hand, edge stays 4: paper\n")
    assert "(mara adjusted by hand, edge stays 4: paper)" in type_in("undo").stdout


def test_a_rewind_to_a_part_of_an_action_names_both(type_in: Type, folder: Path) -> None:
    type_in("edge check mara --skill 11 --edge --drop 3 --faces 7,3,9")
    spent = head(folder)
    type_in("note x")
    type_in("roll mara d6")
    says = f"rewinds to #{spent}, which is part of #{spent - 1} (mara check, significant success)"
    assert says in type_in(f"rewind --to {spent} --dry-run").stdout


def test_the_preview_of_a_rewind_ends_with_what_it_keeps(type_in: Type, folder: Path) -> None:
    type_in("roll mara d6")
    rolled = head(folder)
    type_in("note x")
    type_in("edge check mara --skill 11 --edge --faces 7,3,9")
    type_in("choose --drop 3")
    *_, last, dry = type_in(f"rewind --to {rolled} --dry-run").output.strip().splitlines()
    assert last.strip().startswith("A rewind does not cancel these entries: #")
    assert dry == "Dry run: nothing was written."


def test_a_difference_names_the_player_of_a_character(type_in: Type, folder: Path) -> None:
    first = head(folder)
    type_in("session open One")
    type_in("player Cleo --plays zed")
    type_in("player Ana --plays zed --session")
    says = type_in(f"diff {first} last").stdout
    assert re.search(r"player +– → Cleo", says)
    assert re.search(r"player-lent +– → Ana", says)


def test_a_gift_for_several_is_refused_with_what_all_of_them_need(type_in: Type, folder: Path) -> None:
    type_in("player Cleo --plays zed")
    type_in("join mara free gold=5")
    type_in("join brak,zed free")
    says = "Error: mara has 5 gold and needs 6: 3 for each of 2 characters.\n"
    assert type_in("give mara brak,zed gold=3").stderr.startswith(says)
    assert type_in("give mara brak,zed gold=2").exit_code == 0


UNCHECKED = (
    "This is not finished: wolf incoming damage: 14 physical from mara, not yet checked against armor. To continue: "
)


@pytest.fixture
def unchecked(hit: Type) -> Type:
    """The session of `hit` after the damage roll. Nobody has checked the damage against the wolf's armor."""
    assert hit("edge attack mara --go-on --faces 3,4,5").exit_code == 0
    return hit


def test_the_next_turn_names_the_damage_that_waits_for_the_armor_check(unchecked: Type) -> None:
    assert unchecked("turns next").stderr == f"{UNCHECKED}campaign edge soak wolf\n"
    assert unchecked("turns next").stderr == ""


def test_damage_that_waits_when_the_session_closes_stays_an_open_question(unchecked: Type) -> None:
    assert f"{UNCHECKED}campaign edge soak wolf\n" in unchecked("session close").stderr
    waits = "wolf incoming damage: 14 physical from mara, not yet checked against armor"
    assert f"{waits}: campaign npc wolf\n" in unchecked("status").stdout
    assert f"{waits}.\n      campaign npc wolf\n" in unchecked("questions").stdout
    recap = unchecked("recap").stdout
    assert recap.endswith(
        "Still open\n    The wolf still has to check 14 physical damage from Mara against the armor.\n"
    )


def test_a_non_player_character_comes_back_with_the_damage_that_waits(unchecked: Type) -> None:
    unchecked("session close")
    unchecked("session open Two")
    assert unchecked("npc wolf rat").stderr.endswith(f"{UNCHECKED}campaign edge soak wolf\n")
    assert "not finished" not in unchecked("npc bat --json").stderr
    assert unchecked("edge soak wolf").exit_code == 0
    assert unchecked("questions").stdout.count("wolf") == 0


def test_an_attack_on_a_character_of_an_earlier_session_says_to_bring_it_back_first(hit: Type) -> None:
    hit("session close")
    hit("session open Two")
    assert "campaign npc wolf\n" in hit("status").stdout
    assert hit("npc wolf").stderr.endswith(GO_ON)


def test_damage_of_a_character_who_left_is_not_an_open_question(unchecked: Type) -> None:
    unchecked("leave wolf")
    unchecked("session close")
    assert "wolf" not in unchecked("questions").stdout
