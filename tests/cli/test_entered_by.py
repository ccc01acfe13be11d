"""The author of a line: the log names the player who entered it, unless the reader expects that player or a GM."""

from pathlib import Path

import pytest

from terminal import Type


@pytest.fixture
def table(type_in: Type, folder: Path) -> Type:
    """A campaign with mara, whom Ana plays, and brak, whom Ben plays."""
    type_in("player Ben --plays brak")
    type_in("session open One")
    return type_in


@pytest.mark.parametrize(
    "line",
    [
        "roll brak d6",
        "edge check brak --skill 3 --target 9",
        "note hello",
        "scene 'The gate'",
        "edge check brak --skill 3 --seal",
    ],
)
def test_the_log_names_the_player_who_entered_a_line_about_somebody_else(table: Type, line: str) -> None:
    assert table(f"--by Ana {line}").stdout.splitlines()[0].endswith("   (entered by Ana)")
    assert table("log -n 1").stdout.rstrip().endswith("   (entered by Ana)")


@pytest.mark.parametrize(
    "line",
    [
        "roll brak d6",
        "--by Ben roll brak d6",
        "--by Ana roll Ana d6",
        "--by Ana edge check mara --skill 3",
        "--by Ana rename mara Marla",
        "--by Ana rename Ana Anna",
        "note hello",
    ],
)
def test_a_gm_and_the_player_of_the_character_are_not_named(table: Type, line: str) -> None:
    table(line)
    assert "entered by" not in table("log -n 1").stdout


def test_a_dispute_names_a_player_once(table: Type) -> None:
    ruling = table("roll brak d6").stdout.split()[0].strip("#")
    assert "entered by" not in table(f"--by Ana dispute {ruling} --claim x").stdout
    assert "(entered by Ben)" in table(f"--by Ben dispute {ruling} --claim x --player Ana").stdout


def test_a_player_who_settles_her_own_dispute_is_named_in_the_line_of_the_decision(table: Type) -> None:
    ruling = table("edge check mara --skill 3 --target 9").stdout.split()[0].strip("#")
    dispute = table(f"--by Ana dispute {ruling} --claim x").stdout.split()[0].strip("#")
    assert "(entered by Ana)" in table(f"--by Ana decide {dispute} keep --why mine --yes").stdout


def test_who_played_the_character_then_counts_and_not_who_plays_it_now(table: Type) -> None:
    table("--by Ana roll brak d6")
    table("player Ana --plays brak")
    table("--by Ana roll brak d6")
    assert ["entered by Ana" in line for line in table("log -n 3").stdout.splitlines()] == [True, False, False]
