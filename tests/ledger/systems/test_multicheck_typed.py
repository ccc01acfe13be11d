"""Multicheck at the command line: names of the sheet, and what a look tells."""

import re
from pathlib import Path

import pytest

from terminal import Type, rows

ISLE = (
    'init "The lost isle" --gm Tom',
    "join aribeth multicheck attribute.agility=60 attribute.luck=20 skill.melee=3 skill.mending=1 feat.cleave=35 ps=2 pk=2",
    "set aribeth on.melee=agility specialization.melee=polearms --why sheet",
    "join goblin multicheck attribute.dexterity=30 malice.physical=8",
)


@pytest.fixture
def isle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type) -> Type:
    """Type words after `campaign` in the folder of a campaign in which two have a sheet."""
    monkeypatch.chdir(tmp_path)
    for words in ISLE:
        assert type_in(words).exit_code == 0
    return type_in


@pytest.mark.parametrize(
    "words",
    [
        "test aribeth melee --difficulty 30 --ps --faces 25",
        "test aribeth melee --difficulty 30 --advantage hill --faces 75,2",
        "throw goblin 6 --faces 4,2",
        "save aribeth toughness --effect fear=5 --faces 5",
        "save aribeth toughness --effect fear=9 --to attribute.agility --faces 1",
    ],
)
def test_show_says_once_what_a_roll_came_to(isle: Type, words: str) -> None:
    isle("multicheck test goblin dexterity --difficulty 1 --feat-value 9 --feat-of 'the pit' --faces 9")
    isle(f"multicheck {words}")
    page = isle("show 10").stdout
    told = page.partition("      thrown by hand")[0].lower().replace("−", "-")
    facts = [row["facts"] for row in rows(isle("show 10 --json").stdout) if row.get("facts")]
    assert [str(value) for fact in facts for value in fact.values() if str(value).replace("_", " ") not in told] == []
    assert facts
    assert re.findall(r"^      \w+-\w+ \w+: ", page, re.MULTILINE) == []


@pytest.mark.parametrize(
    ("face", "line"),
    [("98", None), ("77", "0 dice to throw"), ("56", "1 die to throw"), ("19", "3 dice to throw")],
)
def test_mul_09_the_working_says_how_many_dice_there_are_to_throw(isle: Type, face: str, line: str | None) -> None:
    working = isle(f"-v multicheck test aribeth agility --skill melee --difficulty 30 --faces {face}").stdout
    assert [row.split(maxsplit=1)[1] for row in working.splitlines() if row.startswith("      throw ")] == (
        [] if line is None else [line]
    )
