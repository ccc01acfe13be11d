"""The prompt accepts names, scores and games in any order, short forms, and common slips."""

import re
from pathlib import Path

import pytest

from cli.typed_dice import without_dice
from terminal import Type, head


@pytest.fixture
def table(folder: Path, type_in: Type) -> Path:
    """Make a campaign in which mara and jonas play edge and Ben's jonas is at the table."""
    for words in (
        "join jonas edge edge=4 maximum=4 skill.stealth=1",
        "adjust mara skill.stealth=3 --why x",
        "set mara on.stealth=agility,wits --why x",
        "set jonas on.stealth=agility,wits --why x",
        "player Ben --plays jonas",
        "join zed multicheck attribute.body=40 attribute.luck=30",
        "session open One",
    ):
        assert type_in(words).exit_code == 0, words
    return folder


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("-1 @jonas edge", "jonas adjusted by hand   edge 4 → 3"),
        ("-1 edge @jonas", "jonas adjusted by hand   edge 4 → 3"),
        ("-1 jo edge", "jonas adjusted by hand   edge 4 → 3"),
        ("-1 edge jo", "jonas adjusted by hand   edge 4 → 3"),
        ("adj jo edge=-1", "jonas adjusted by hand   edge 4 → 3"),
        ("adj edge=-1 jonas", "jonas adjusted by hand   edge 4 → 3"),
        ("-1 edge -2 skill.stealth", "mara adjusted by hand   edge 4 → 3, stealth 3 → 1"),
        ("-1 edge --why -1", "mara adjusted by hand: -1   edge 4 → 3"),
        ("why jo edge", "jonas · edge is 4"),
        ("why edge jo", "jonas · edge is 4"),
        ("set jo care=yes", "jonas care = yes"),
        ("roll d20 jo = 4", "jonas rolls d20 = 4"),
        ("d20 jo = 4", "jonas rolls d20 = 4"),
        ("roll Ben d20 = 4", "Ben rolls d20 = 4"),
        ("turns add jo 14", "jonas has initiative 14"),
        ("turns add 14 jo", "jonas has initiative 14"),
        ("turns add -3", "mara has initiative −3"),
        ("rest jo short", "jonas takes a short rest"),
        ("rest short jo", "jonas takes a short rest"),
        ("edge = 2", "mara adjusted by hand   edge 4 → 2"),
        ("edge =2", "mara adjusted by hand   edge 4 → 2"),
        ("edge= 2", "mara adjusted by hand   edge 4 → 2"),
        ("edge = +1", "edge would be 5"),
        ("maximum = 5 jo", "jonas adjusted by hand   maximum edge 4 → 5"),
        ("edge+1", "edge would be 5"),
        ("skill.stealth+1", "mara adjusted by hand   stealth 3 → 4"),
        ("edge-1", "mara adjusted by hand   edge 4 → 3"),
        ("edge−1", "mara adjusted by hand   edge 4 → 3"),
        ("-1edge", "mara adjusted by hand   edge 4 → 3"),
        ("-1edge @jonas; toll", "jonas adjusted by hand: toll   edge 4 → 3"),
        ("set care = yes", "mara care = yes"),
        ("rest short = 56", "This move does not roll dice."),
        ("rest short --faces 5,6", "This move does not roll dice."),
        ("day n = 5", "This command does not roll dice."),
        ("foo-1", "mara has no score called 'foo'."),
    ],
)
def test_a_line_is_understood_in_any_order(table: Path, type_in: Type, line: str, seen: str) -> None:
    output = type_in("play", input=f"with mara edge\n{line}").output
    assert seen in output or (seen == "edge would be 5" and re.search("edge .*5|maximum", output)), output


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        ("adjust edge=-1 jonas --why x", "jonas adjusted by hand: x   edge 4 → 3"),
        ("roll d20 jonas --faces 4", "jonas rolls d20 = 4"),
        ("adjust jonas maximum = 5 --why x", "jonas adjusted by hand: x   maximum edge 4 → 5"),
        ("join bo ed maximum = 3", "bo joins edge"),
        ("settings mul", "multicheck"),
        ("systems mul", "multicheck"),
        ("sheets --game mul", "zed"),
        ("join bo r", "joins rollunder"),
        ("join bo x", "There is no game called 'x'"),
    ],
)
def test_arguments_and_game_names_may_come_in_any_order_after_the_command(
    table: Path, type_in: Type, words: str, seen: str
) -> None:
    assert seen in type_in(words).output


def test_a_game_is_shortened_at_the_prompt(table: Path, type_in: Type) -> None:
    assert "zed multicheck> c body" in type_in("play", input="with zed mul\nc body = 30").stdout


def test_again_repeats_the_line_whatever_the_character_and_the_game_are_now(table: Path, type_in: Type) -> None:
    lines = (
        "with zed multicheck",
        "test body = 55",
        "with mara edge",
        "again",
        "with zed",
        "again = 20",
        "with",
        "again",
    )
    seen = type_in("play", input="\n".join(lines)).output
    assert "No such command" not in seen
    assert len(re.findall(r"zed body", seen)) == 4


@pytest.mark.parametrize("text", ["scene On the water", "note She sings"])
def test_a_note_or_a_scene_is_not_repeated_for_another_character(table: Path, type_in: Type, text: str) -> None:
    seen = type_in("play", input=f"{text}\nagain @jonas\n")
    assert "takes no character, so you cannot repeat it for somebody else." in seen.output
    assert "@jonas" not in type_in("log -n 1").stdout


def test_a_range_of_names_works_in_every_command_for_characters(table: Path, type_in: Type) -> None:
    for words, seen in (
        ("npc gob-1..3", "gob-1, gob-2, gob-3 join"),
        ("join gob-1..3 edge maximum=2", "gob-3 joins edge"),
        ("turns add gob-1..3 12", "gob-3 has initiative 12"),
        ("turns end", "the turn order ends"),
        ("turns roll gob-1..3 d20 --faces '3;4;5'", "gob-3 rolls d20 = 5 for initiative"),
        ("roll gob-1..3 d20", "gob-3 rolls d20"),
        ("adjust gob-1..3 edge=-1 --why x", "gob-3 adjusted by hand: x   edge 2 → 1"),
        ("set gob-1..3 care=yes --why x", "gob-3 care = yes"),
        ("set gob-1..1 care=no --why x", "gob-1 care = no"),
        ("edge rest gob-1..3 short", "gob-3 takes a short rest"),
        ("player Cleo --plays ork-1..2", "plays ork-1, ork-2"),
        ("leave ork-1..2", "ork-2 leaves the table"),
        ("join ork-1..2", "ork-2"),
    ):
        done = type_in(words)
        assert (seen in done.stdout, done.exit_code) == (True, 0), (words, done.output)
    lines = ("with mara edge", "d20 gob-1..3 = 3, 4, 5", "-1 gob-1..3 edge", "rest gob-1..3 short")
    seen = type_in("play", input="\n".join(lines)).output
    for says in ("gob-3 rolls d20 = 5", "gob-3 adjusted by hand", "gob-3 takes a short rest"):
        assert says in seen
    assert "gob-2 leaves the table" in type_in("leave gob-1..2").stdout


def test_a_range_is_written_for_all_or_for_none(table: Path, type_in: Type) -> None:
    type_in("npc gob-1..2")
    before = head(table)
    assert "Nobody called 'gob-3'" in type_in("turns add gob-1..3 12").stderr
    assert head(table) == before


@pytest.mark.parametrize(
    ("words", "line", "hint"),
    [
        ("roll all d20 --faces 3,4", "roll all d20 = 3 4", "3;4"),
        ("turns roll all 2d6 --faces 3,4,5,6", "turns roll all 2d6 = 3 4 5 6", "3,4;5,6"),
        ("roll all 2d10 --faces 3", "roll all 2d10 = 3", "7,3;9,9"),
    ],
)
def test_the_hint_about_typed_dice_works_where_it_is_shown(
    table: Path, type_in: Type, words: str, line: str, hint: str
) -> None:
    hints = (f"Put a semicolon between the characters' dice: --faces '{hint}'",)
    assert hints[0] in type_in(words).stderr
    assert type_in([*words.split()[: words.split().index("--faces")], "--faces", hint]).exit_code == 0
    type_in("turns end")
    typed = hint.replace(",", " ").replace(";", ", ")
    seen = type_in("play", input=f"{line}\n{line.partition('=')[0]}= {typed}").output
    assert f"Put a comma between the characters' dice: = {typed}" in seen
    assert "jonas rolls" in seen


def test_a_change_for_all_of_a_score_that_nobody_has_names_the_score(table: Path, type_in: Type) -> None:
    assert "Nobody at the table has 'xp'." in type_in("adjust all xp=+3 --why x").stderr


@pytest.mark.parametrize(("line", "left"), [("d20=17", "roll d20"), ("c 25=7 3", "c 25"), ("c = 7 3", "c")])
def test_again_never_repeats_typed_dice(line: str, left: str) -> None:
    words = ["roll", line] if line.startswith("d") else line.split()
    assert without_dice(words, rolls=True) == left.split()


def test_again_keeps_a_text_that_looks_like_dice() -> None:
    assert without_dice(["roll", "d20", "--why", "25=7", "--faces", "3"], rolls=True) == [
        "roll",
        "d20",
        "--why",
        "25=7",
    ]
