"""SySCards: a card's sheet, in the words of the table."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ford import DUEL, at_the_ford, play, rate, rejecting, shop
from ledger.commands.at_table import Adjust
from ledger.journal.book import Book
from ledger.systems.syscards import SYSTEM
from ledger.systems.syscards.moves import Reject
from ledger.systems.syscards.moves_acts import ThrowPercentile
from ledger.systems.syscards.moves_cards import Buy, Card, Round
from projections.sheets import sheet, table_sheets
from table import scribe
from terminal import Type


@pytest.fixture
def ford() -> Iterator[Book]:
    """A campaign in which four have a card."""
    with at_the_ford() as book:
        yield book


def rows(book: Book, who: str) -> dict[str, str]:
    """The rows of a sheet; none of its names is left over."""
    found = sheet(book, who, "syscards")
    assert found.bare == ()
    return {row.label: row.value for row in found.rows}


def test_sys_07_sys_08_a_card_shows_its_efficiency_with_its_grade_and_what_it_can(ford: Book) -> None:
    plain = {"efficiency": "40%, Expert", "velocity": "1 act a round", "capacity": "can act"}
    assert rows(ford, "mara") == plain
    play(ford, Card(who="mara", kind="creature", velocity=3))
    assert rows(ford, "mara") == {
        "kind": "creature",
        "owner": "mara",
        "efficiency": "40%, Expert",
        "velocity": "3 acts a round",
        "capacity": "can act",
        "core points": "100",
    }
    play(ford, Card(who="brak", owner="mara", incapable=True))
    assert rows(ford, "brak") == {
        "owner": "mara",
        "efficiency": "none",
        "velocity": "1 act a round",
        "capacity": "none: the card cannot act",
    }
    scribe(ford).write(Adjust(who="dena", amounts={"syscards/efficiency": -5}, why="x"))
    assert rows(ford, "dena")["efficiency"] == "0%"


def test_sys_12_a_card_shows_its_items_and_core_points(ford: Book) -> None:
    shop(ford)
    play(ford, Buy(who="brak", item="extra-life", points=2))
    found = rows(ford, "brak")
    assert (found["items"], found["core points"]) == ("2 extra-life", "20")


def test_what_waits_for_a_card_and_its_place_in_the_challenge_are_shown(ford: Book) -> None:
    play(ford, DUEL, 60, 70)
    assert (rows(ford, "brak")["challenge"], rows(ford, "mara")["challenge"]) == (
        "acts first",
        "is number 2 in the order",
    )
    play(ford, rate("mara", 90, throw=False))
    assert rows(ford, "mara")["next roll"] == "needs 90"
    play(ford, ThrowPercentile(who="mara"), 60)
    assert rows(ford, "mara")["last failure"] == "failed by 30; the GM has not described it yet"
    rejecting(ford)
    assert rows(ford, "brak")["rejection"] == "challengers need 55 in round 1"
    play(ford, Reject(who="brak", rate=60, why="a wall", intensity=7))
    assert rows(ford, "brak")["rejection"] == "challengers need 60 in round 1, intensity 7"
    undeclared = [name for name, _ in sheet(ford, "brak", "syscards").marks if SYSTEM.mark(name) is None]
    assert undeclared == []
    assert rows(ford, "brak")["info"] == "can reject challenges"


def test_the_table_shows_its_mode_its_round_and_the_prices(ford: Book) -> None:
    shop(ford, 3)
    play(ford, Round(phase="begin"))
    (table,) = table_sheets(ford)
    assert {row.label: row.value for row in table.rows} == {
        "mode": "deal",
        "round": "1",
        "phase": "begin",
        "price of efficiency": "3",
        "price of extra-life": "40",
    }


def test_sys_22_looking_at_a_card_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in ("init Ford --gm Tom", "player Ana --plays mara,brak", "join mara syscards efficiency=40"):
        type_in(line)
    before = type_in("log").output
    assert type_in("syscards card mara").output.splitlines() == [
        "mara · syscards",
        "  efficiency  40%, Expert",
        "  velocity    1 act a round",
        "  capacity    can act",
    ]
    assert '"efficiency": 40' in type_in("syscards card mara --json").output
    refused = type_in("syscards card brak")
    assert refused.exit_code == 3
    assert "brak" in refused.output
    assert type_in("log").output == before
