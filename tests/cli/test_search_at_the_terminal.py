"""The search at the terminal: `search`, and the filters of `log`."""

import re
from pathlib import Path

import pytest

from ledger.journal.book import open_book
from projections.search import Query, find_lines
from terminal import Type, completed, rows

LINES = (
    "session open One",
    "player Ben --plays brak",
    "edge check mara --skill 11 --target 21 --for 'climbs the Čáslav wall' --faces 7,6",
    "note 'the river rises' --by Ben",
    "note 'the miller lies' --secret",
    "session close",
    "session open 'The river'",
    "note 'a wall'",
    "dispute 10 --claim 'the wall was low' --player Ben",
    "adjust brak strength=+1",
)


@pytest.fixture
def table(folder: Path, type_in: Type) -> Type:
    for line in LINES:
        done = type_in(line)
        assert done.exit_code == 0, done.output
    return type_in


def found(table: Type, words: str) -> list[str]:
    """What the lines of an answer say, without their numbers."""
    done = table(words)
    assert done.exit_code == 0, done.output
    return [re.sub(r"^#\d+ +", "", line)[:20].strip() for line in done.stdout.splitlines()]


MILLER = "note: the miller lie"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("search river", ["note: the river rise", "session 2 opened: Th"]),
        ("search RISES riv", ["note: the river rise"]),
        ("search iver", []),
        ("search river --session 1", ["note: the river rise"]),
        ("search river --session 1 --who Ben", ["note: the river rise"]),
        ("search river --who mara", []),
        ("search river -n 1", ["session 2 opened: Th"]),
        ("search river --at session:1", ["note: the river rise"]),
        ("log --find river", ["note: the river rise", "session 2 opened: Th"]),
        ("log --who Ben --session 1", ["note: the river rise"]),
        ("log --session 2 -n 2", ["Ben disputes #11 (ma", "brak adjusted by han"]),
        ("log --who Ben -n 2", ["note: the river rise", "brak adjusted by han"]),
        ("log --open --find wall", ["Ben disputes #11 (ma"]),
    ],
)
def test_a_search_shows_the_lines_that_fit(table: Type, words: str, says: list[str]) -> None:
    assert found(table, words) == says


def test_a_character_is_found_by_the_lines_about_it(table: Type) -> None:
    (line,) = table("search caslav --who mara").stdout.splitlines()
    assert "climbs the Čáslav wall" in line


def test_a_search_finds_nothing_and_says_so(table: Type) -> None:
    done = table("search dragon")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "No line fits.\n")


def test_a_search_prints_the_entries_as_the_log_does(table: Type) -> None:
    everything = rows(table("log -n all --json").stdout)
    assert [row for row in everything if "river" in str(row)] == rows(table("search river --json").stdout)
    assert table("search dragon --json").output == ""


def test_only_the_gm_finds_and_sees_secrets(table: Type) -> None:
    assert found(table, "search miller") == []
    assert found(table, "search miller --secrets") == [MILLER]
    refused = table("--by Ben search miller --secrets")
    assert refused.exit_code == 3
    assert "Only a GM can use --secrets." in refused.stderr


def test_a_secret_is_found_after_its_reveal_and_a_text_no_longer_after_its_erasure(table: Type) -> None:
    secret, note = (
        rows(table(f"{words} --json").stdout)[0]["seq"] for words in ("search miller --secrets", "search rises")
    )
    table(f"reveal {secret}")
    assert found(table, "search miller")[0] == MILLER
    table(f"erase {note} --yes")
    assert found(table, "search rises") == []


def test_the_players_and_characters_are_completed(table: Type) -> None:
    assert completed("search river --who", "m") == ["mara"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("search river --who nobody", "Nobody called 'nobody'"),
        ("search river --session 9", "session 9"),
        ("search ' '", "Type a word to search for."),
        ("log --find river -n 0", "0 is not a valid number of lines."),
    ],
)
def test_a_search_refuses_names_and_numbers_that_are_not_there(table: Type, words: str, says: str) -> None:
    done = table(words)
    assert done.exit_code in {2, 3}
    assert says in done.stderr


def test_a_search_reports_how_many_entries_it_has_read(table: Type, folder: Path) -> None:
    read: list[int] = []
    with open_book(str(folder / "road.campaign")) as book:
        assert [*find_lines(book, Query(words=("dragon",)), progress=read.append)] == []
        assert sum(read) == book.head()
