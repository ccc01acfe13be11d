"""Multicheck at the command line: names of the sheet, and what a look tells."""

import re
from pathlib import Path

import pytest

from ledger.values import MAX_SHEET_NUMBER
from terminal import Type, completed, rows

ISLE = (
    'init "The lost isle" --gm Tom',
    "join aribeth multicheck attribute.agility=60 attribute.luck=20 skill.melee=3 skill.mending=1 feat.cleave=35 ps=2 pk=2",
    "set aribeth on.melee=agility specialization.melee=polearms,swords specialization.mending=nets --why sheet",
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
        "throw goblin 6 --count 3 --of 'the blow before' --faces 4,2,6",
        "save aribeth toughness --effect fear=5 --faces 5",
        "save aribeth toughness --effect fear=9 --to attribute.agility --faces 1",
    ],
)
def test_show_says_once_what_a_roll_came_to(isle: Type, words: str) -> None:
    isle("multicheck test goblin dexterity --difficulty 1 --feat-value 9 --feat-of 'the pit' --faces 9")
    isle(f"multicheck {words}")
    page = isle("show 10").stdout
    told = page.partition("      typed in")[0].lower().replace("−", "-")
    facts = [row["facts"] for row in rows(isle("show 10 --json").stdout) if row.get("facts")]
    assert [str(value) for fact in facts for value in fact.values() if str(value).replace("_", " ") not in told] == []
    assert facts
    assert re.findall(r"^      \w+-\w+ \w+: ", page, re.MULTILINE) == []


@pytest.mark.parametrize(
    ("typed", "shown", "roll"),
    [
        ("75,20", "75 20", 25),
        ("75,2", "75 20", 25),
        ("75,10", "75 10", 15),
        ("75,00", "75 00", 5),
        ("75,0", "75 00", 5),
        ("00,20", "100 20", 20),
        ("60,00", "60 00", 60),
    ],
)
def test_mul_12_a_second_tens_die_is_typed_and_shown_as_it_lies(isle: Type, typed: str, shown: str, roll: int) -> None:
    line = isle(f"-v multicheck test aribeth agility --difficulty 30 --advantage hill --faces {typed}").stdout
    assert f"[{shown}]\n" in line
    assert f"attribute   {roll} against 60" in line
    assert "No problems found." in isle("audit").stdout


def test_mul_12_a_second_tens_die_is_typed_as_it_lies_at_the_prompt(isle: Type) -> None:
    seen = isle("play", input="with aribeth\nc agility 30 --adv hill = 75 20\nc agility 30 --adv hill = 75 00\n").output
    assert "net successes 1   [75 20]" in seen
    assert "net successes 2   [75 00]" in seen


def test_mul_12_a_second_tens_die_is_amended_rolled_again_and_repeated_as_it_lies(isle: Type) -> None:
    test = "multicheck test aribeth agility --difficulty 30 --advantage hill"
    isle(f"{test} --faces 75,20 --once a")
    for same in ("75,20", "75,2"):
        assert "was already written" in isle(f"{test} --faces {same} --once a").stderr
    assert "#6 already used the ID 'a'" in isle(f"{test} --faces 75,10 --once a").stderr
    amended = isle("amend 7 --faces 75,00 --why misread --yes --once b").stdout
    assert "misread; dice 75 00 ✓" in amended
    assert "[75 00]" in amended
    assert "was already written" in isle("amend 7 --faces 75,00 --why misread --yes --once b").stderr
    refused = isle("amend 12 --faces 75,0 --why misread --yes")
    assert (refused.exit_code, refused.stderr.splitlines()) == (
        3,
        ["Error: A second tens die cannot show 0.", "Hint: Type the number that a tens die shows, from 00 to 90."],
    )
    isle(f"{test} --faces 91,80")
    assert "[91 80 33 00]" in isle("choose 15 --reroll --faces 33,00").stdout
    assert "No problems found." in isle("audit").stdout


@pytest.mark.parametrize(
    ("face", "line"),
    [("98", None), ("77", "0 extra dice"), ("56", "1 extra die"), ("19", "3 extra dice")],
)
def test_mul_09_the_working_says_how_many_dice_there_are_to_throw(isle: Type, face: str, line: str | None) -> None:
    working = isle(f"-v multicheck test aribeth agility --skill melee --difficulty 30 --faces {face}").stdout
    assert [row.split(maxsplit=1)[1] for row in working.splitlines() if row.startswith("      throw ")] == (
        [] if line is None else [line]
    )


# Names


@pytest.mark.parametrize(
    ("words", "inputs"),
    [
        ("test aribeth mel --difficulty 30", {"what": "melee"}),
        ("test aribeth mel --difficulty 30 --specialization pol", {"specialization": "polearms"}),
        ("test aribeth a --skill mend --difficulty 30", {"what": "agility", "skill": "mending"}),
        ("test aribeth agi --against gob --defence d --feat c", {"defence": "dexterity", "feat": "cleave"}),
        ("test aribeth --attribute a --skill mel --difficulty 30", {"attribute": "agility", "skill": "melee"}),
        ("save aribeth fortune --effect fear=1 --to attribute.l", {"to": "attribute.luck"}),
        ("save aribeth fortune --effect fear=1 --to harm.fear", {"to": "harm.fear"}),
        ("save aribeth fortune --condition bl --charges 2", {"condition": "blind"}),
        ("save aribeth fortune --condition blin --charges 2 --new", {"condition": "blin"}),
        ("afflict aribeth bl --charges 2 --why tar", {"condition": "blind"}),
        ("afflict aribeth slow --charges 2 --why tar", {"condition": "slow"}),
    ],
)
def test_names_of_a_sheet_may_be_shortened_and_new_ones_are_as_typed(
    isle: Type, words: str, inputs: dict[str, str]
) -> None:
    isle("multicheck afflict aribeth blind --charges 1 --why sand")
    (played,) = (row for row in rows(isle(f"multicheck {words} --json").stdout) if row["type"] == "move-played")
    assert {name: played["inputs"][name] for name in inputs} == inputs


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("test aribeth me --difficulty 30", "'me' could be any of melee, mending."),
        ("test aribeth meele --difficulty 30", "aribeth has skill.melee, so meele looks like a typo."),
        ("test aribeth agilty --difficulty 30", "aribeth has attribute.agility, so agilty looks like a typo."),
        ("test aribeth x --difficulty 30", "aribeth has no skill or attribute called x on the sheet."),
        ("test aribeth agi --against gob --defence agi", "goblin has no attribute.agi on the sheet."),
        ("test aribeth agi --difficulty 9 --defence d", "--defence needs --against."),
        ("save aribeth fortune --effect fear=1 --to attribute.agilty", "agilty looks like a typo."),
        ("save aribeth fortune --effect fear=1 --to luck", "multicheck has no score called 'luck'."),
    ],
)
def test_a_name_that_is_not_one_of_the_sheet_is_refused(isle: Type, words: str, says: str) -> None:
    answer = isle(f"multicheck {words}")
    assert answer.exit_code > 1
    assert says in answer.stderr


def test_names_of_another_game_are_in_nobodys_way(isle: Type) -> None:
    isle("join aribeth edge skill.mercy=3")
    assert isle("multicheck test aribeth mel --difficulty 30").exit_code == 0
    assert "could be any of melee, mending." in isle("multicheck test aribeth me --difficulty 30").stderr
    assert "no skill or attribute called mercy" in isle("multicheck test aribeth mercy --difficulty 30").stderr


def test_an_amendment_takes_short_names_of_both_sheets(isle: Type) -> None:
    isle("adjust goblin attribute.might=+9 --why sheet")
    isle("multicheck test aribeth agility --against goblin --defence dexterity --faces 51")
    done = isle("amend 8 --what mel --defence m --why misheard --yes --json")
    (played,) = (row for row in rows(done.stdout) if row["type"] == "move-played")
    assert (played["inputs"]["what"], played["inputs"]["defence"]) == ("melee", "might")


@pytest.mark.parametrize(
    ("words", "start", "names"),
    [
        ("test aribeth", "m", ["melee", "mending"]),
        ("test aribeth", "", ["agility", "luck", "melee", "mending"]),
        ("test aribeth agility --against goblin --defence", "", ["dexterity"]),
        ("test aribeth agility --defence", "", []),
        ("test aribeth melee --specialization", "", ["nets", "polearms", "swords"]),
        ("save aribeth fortune --to", "attr", ["attribute.agility", "attribute.luck"]),
        ("save aribeth fortune --condition", "", ["blind"]),
        ("afflict aribeth", "b", ["blind"]),
    ],
)
def test_completion_knows_the_names_of_the_sheet(isle: Type, words: str, start: str, names: list[str]) -> None:
    isle("multicheck afflict aribeth blind --charges 1 --why sand")
    assert completed(f"multicheck {words}", start) == names


# The ends of ranges


TEST = "multicheck test aribeth agility --difficulty"
BLIND = "multicheck save aribeth fortune --condition blind --charges"
FEAR = "multicheck save aribeth fortune --effect"


@pytest.mark.parametrize(
    ("before", "least", "most", "after"),
    [
        (f"{TEST} 30 --why fog --modifier ", -30, 30, ""),
        (f"{TEST} 30 --mishap ", 1, 100, ""),
        (f"{TEST} ", 0, MAX_SHEET_NUMBER, ""),
        (f"{TEST} 30 --feat-of luck --feat-value ", 0, MAX_SHEET_NUMBER, ""),
        ("multicheck throw aribeth ", 2, 1000, ""),
        ("multicheck throw aribeth 6 --of blow --count ", 1, 3, ""),
        (f"{BLIND} ", 1, 1000, ""),
        (f"{FEAR} fear=", 1, 1000, ""),
        ("multicheck save aribeth fortune --malice-value ", 0, MAX_SHEET_NUMBER, ""),
        ("multicheck afflict aribeth blind --charges ", 1, 1000, " --why tar"),
        ("adjust aribeth skill.melee=+", None, 3, " --why x"),
        ("adjust aribeth skill.riding=+", None, 6, " --why x"),
        ("adjust aribeth mishap=+", None, 100, " --why x"),
        ("settings multicheck mishap=", 1, 100, ""),
    ],
)
def test_the_ends_of_a_range_are_in_it_and_the_numbers_beyond_are_refused(
    isle: Type, before: str, least: int | None, most: int, after: str
) -> None:
    isle("multicheck test aribeth agility --difficulty 30 --faces 56")
    for end, beyond in ((least, -1), (most, 1)):
        if end is not None:
            assert isle(f"{before}{end}{after} --dry-run").exit_code == 0
            assert isle(f"{before}{end + beyond}{after} --dry-run").exit_code > 1
