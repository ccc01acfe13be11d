"""The moves that a tap on a row of a sheet starts, in every game."""

from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from at_page import Place
from ledger import systems
from ledger.events.subjects import CAMPAIGN
from projections.sheets import Sheet, sheet, table_sheets
from web.move_links import MoveLink, families_of, inputs_taking, other_rolls, rows_with_links

GEAR = (
    "set mara edge/weapon.pistol=2d6+4,skill=deception --why x",
    "adjust mara edge/injury.minor=+2 --why x",
    "join mara free dex=3",
    "set mara free/roll.climb=d20+dex --why x",
)


def sheet_of(folder: Path, who: str, game: str, *lines: str) -> Sheet:
    with Place(folder, (*GEAR, *lines)).campaign.snapshot() as book:
        return sheet(book, who, game)


def taps(shown: Sheet) -> dict[str, list[str]]:
    """The taps of each row, as "move input=value"."""
    return {shown.row.label: [*map(in_words, shown.links)] for shown in rows_with_links(shown) if shown.links}


def in_words(tap: MoveLink) -> str:
    parts = urlsplit(tap.address)
    inputs = [f"{name}={value}" for name, value in parse_qsl(parts.query)]
    return " ".join([parts.path.rpartition("/")[2], *inputs])


EDGE = {
    "deception": ["check ranks=deception"],
    "pistol": ["attack weapon=pistol"],
    "injuries": ["lessen severity=minor", "lessen severity=serious"],
}
TAPPED = [
    ("mara", "edge", EDGE),
    ("mara", "free", {"roll.climb": ["check roll=climb"]}),
    (
        "mara",
        "rollunder",
        {
            "cunning": ["plain characteristic=cunning"],
            "presence": ["plain characteristic=presence"],
            "deception": ["skill skill=deception"],
        },
    ),
    (
        "mara",
        "multicheck",
        {
            "cunning": ["test what=cunning"],
            "luck": ["test what=luck"],
            "deception": ["test what=deception"],
            "climb": ["test feat=climb"],
        },
    ),
    ("brak", "multicheck", {"cunning": ["test what=cunning"], "serious": ["afflict condition=serious"]}),
    (
        "mara",
        "byzantine",
        {
            "ability cunning": ["attempt ability=cunning"],
            "connection workshop": ["connect connection=workshop"],
            "project climb": ["attempt project=climb"],
        },
    ),
    ("mara", "syscards", {}),
]


@pytest.mark.parametrize(("who", "game", "expected"), TAPPED)
def test_a_row_starts_the_move_that_takes_its_name(
    who: str, game: str, expected: dict[str, list[str]], shm: Path
) -> None:
    assert taps(sheet_of(shm, who, game)) == expected


@pytest.mark.parametrize(
    ("game", "labels"),
    [
        ("edge", ["damage"]),
        ("free", []),
        ("multicheck", ["throw"]),
        ("syscards", ["throw", "rate", "challenge", "clash"]),
        ("byzantine", []),
    ],
)
def test_the_other_moves_that_roll_have_buttons_the_usual_one_first(game: str, labels: list[str], shm: Path) -> None:
    shown = sheet_of(shm, "mara", game)
    rolls = other_rolls(shown, rows_with_links(shown))
    assert [tap.label for tap in rolls if not tap.move.is_for_gm()] == labels


def test_a_row_with_an_open_task_starts_the_move_that_does_it(shm: Path) -> None:
    hit = "edge attack mara pistol brak --skill 9 --target 5 --faces 7,6"
    assert taps(sheet_of(shm, "mara", "edge", hit))["attack"] == ["attack go_on=yes"]
    dealt = "edge damage mara pistol --to brak --faces 6,6"
    (soak,) = taps(sheet_of(shm, "brak", "edge", dealt))["incoming damage"]
    assert soak == "soak"


def test_a_name_with_a_row_of_its_own_has_no_tap_in_an_earlier_row(shm: Path) -> None:
    shown = sheet_of(shm, "brak", "byzantine")
    assert [row.label for row in shown.rows if "output.flying" in row.shows] == ["net", "connection flying"]
    assert taps(shown)["connection flying"] == ["connect connection=flying"]
    assert "net" not in taps(shown)


def test_the_sheet_of_the_table_and_of_an_unknown_game_start_nothing(shm: Path) -> None:
    with Place(shm, ("day next",)).campaign.snapshot() as book:
        days = table_sheets(book)
    other = Sheet(who="mara", system="chess", scores=(), marks=(("x.y", "z"),), hold=None, bare=("x.y",))
    for shown in (*days, other):
        assert rows_with_links(shown)
        assert (taps(shown), other_rolls(shown, [])) == ({}, [])
    assert {shown.who for shown in days} == {CAMPAIGN}


def test_a_move_that_only_the_gm_plays_comes_last() -> None:
    assert [move.name() for move, _ in inputs_taking("multicheck", "condition")] == ["afflict", "save"]
    assert [move.name() for move, _ in inputs_taking("edge", "skill")] == ["check", "attack"]
    assert [move.name() for move, _ in inputs_taking("edge", "weapon")] == ["attack", "damage"]


def test_an_input_for_several_names_or_for_the_sheet_of_another_is_not_tapped() -> None:
    check, test = systems.find("edge").playable()["check"], systems.find("multicheck").playable()["test"]
    assert families_of(check.fields()["attributes"]) == {"attribute"}
    assert inputs_taking("edge", "attribute") == ()
    assert families_of(test.fields()["defence"]) == set()
