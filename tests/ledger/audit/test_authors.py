"""The authors of entries: a remark names the player who entered what the page would refuse, and nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.audit.report import audit
from ledger.journal.book import open_book
from table import TODAY
from terminal import Type


@pytest.fixture
def table(type_in: Type, folder: Path) -> Type:
    """A campaign with mara, whom Ana plays, and brak, whom Ben plays."""
    type_in("player Ben --plays brak")
    type_in("session open One")
    return type_in


def remarks(folder: Path, name: str = "road") -> list[str]:
    """The remarks that name a player."""
    with open_book(str(folder / f"{name}.campaign")) as book:
        found = audit(book, TODAY)
    assert found.findings == ()
    return [f"#{each.seq} {each.says}" for each in found.remarks if "Ana" in each.says or "Ben" in each.says]


def entered(table: Type, *lines: str) -> list[str]:
    """Type lines, and return the numbers of their entries."""
    return [table(line).stdout.split()[0] for line in lines]


def test_a_player_who_rolls_for_anothers_character_is_named(table: Type, folder: Path) -> None:
    first, later = entered(table, "--by Ana roll brak d6", "--by Ana edge check brak --skill 3 --target 9")
    assert remarks(folder) == [f"{first} Ana entered this for brak, but does not play brak. The same goes for {later}."]


def test_the_remark_has_the_full_name_of_a_character(table: Type, folder: Path) -> None:
    table("rename brak 'Brak the Bold'")
    (first,) = entered(table, "--by Ana roll brak d6")
    assert remarks(folder) == [f"{first} Ana entered this for Brak the Bold, but does not play Brak the Bold."]


def test_a_player_who_enters_what_only_the_gm_may_is_named(table: Type, folder: Path) -> None:
    (first,) = entered(table, "--by Ben scene 'The gate'")
    assert remarks(folder) == [f"{first} Ben entered this, but is not a GM."]


def test_many_entries_of_one_kind_are_one_remark_that_counts_them(table: Type, folder: Path) -> None:
    first, *others = entered(table, *(f"--by Ben scene '{number}'" for number in range(8)))
    named = ", ".join(others[:5])
    assert remarks(folder) == [f"{first} Ben entered this, but is not a GM. The same goes for {named} and 2 more."]


def test_what_the_page_would_accept_has_no_remark(table: Type, folder: Path) -> None:
    (ruling,) = entered(table, "roll brak d6")
    mine = ("roll mara d6", "roll Ana d6", f"dispute {ruling[1:]} --claim x", "note hello", "undo", "redo")
    entered(table, *(f"--by Ana {line}" for line in mine))
    assert remarks(folder) == []


def test_a_player_who_is_a_gm_too_may_enter_everything_from_then_on(table: Type, folder: Path) -> None:
    (before,) = entered(table, "--by Ana scene x")
    table("player Ana --gm")
    entered(table, "--by Ana roll brak d6", "--by Ana scene y")
    assert remarks(folder) == [f"{before} Ana entered this, but is not a GM."]


def test_who_played_the_character_then_counts_and_not_who_plays_it_now(table: Type, folder: Path) -> None:
    (before,) = entered(table, "--by Ana roll brak d6")
    table("player Ana --plays brak")
    entered(table, "--by Ana roll brak d6")
    assert remarks(folder) == [f"{before} Ana entered this for brak, but does not play brak."]


def test_a_canceled_entry_has_no_remark(table: Type, folder: Path) -> None:
    entered(table, "--by Ana roll brak d6", "--by Ana undo")
    (roll,) = entered(table, "--by Ana roll brak d6")
    table(f"void {roll[1:]} --why wrong --yes")
    assert remarks(folder) == []


def test_a_copy_without_the_secrets_has_the_same_remark(table: Type, folder: Path) -> None:
    (sealed,) = entered(table, "--by Ana roll mara d6 --seal")
    table("export copy --for players")
    table("-f copy.campaign import copy --yes")
    for name in ("road", "copy"):
        assert remarks(folder, name) == [f"{sealed} Ana entered this, but is not a GM."]
