"""Byzantine goes on with what its first edition left: deposits, and tasks of one character."""

import shutil
from pathlib import Path

import pytest

from paths import GOLDEN
from terminal import Type


@pytest.fixture
def left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type) -> Type:
    """A copy of the kept campaign of the first editions at the terminal, its open question answered."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(GOLDEN / "campaigns" / "first-editions.campaign", tmp_path / "left.campaign")
    type_in("choose 91 --drop 9 --clock-ok")
    return type_in


def test_byz_10_a_deposit_of_the_first_edition_comes_in_at_the_next_dawn(left: Type) -> None:
    assert "general pool         11; 2 more energy at the next dawn" in left("sheets mara").output
    left("byzantine invest mara 6 --project climb")
    assert left("day next").exit_code == 0
    shown = left("sheets mara").output
    assert "general pool         12" in shown  # 11 - 1 + 2
    assert "project climb        15; 11 invested in total" in shown  # 8 - 1 + 4 of the deposit + 4 of today's five
    assert "No problems found." in left("audit").output


def test_byz_15_a_task_of_one_character_is_read_and_gone_once_it_is_resolved(left: Type) -> None:
    assert "knows" not in left("byzantine know mara wall --energy 0 --costs 0").output
    assert "knows wall           costs 8" in left("sheets mara").output
    assert "already has a cost" in left("byzantine attempt mara wall --costs 1 --energy 1").output
    assert "wall has no cost yet" in left("byzantine attempt brak wall --energy 1").output
    assert "1 against 8" in left("byzantine attempt mara wall --energy 1 -v").output
    assert "wall has no cost yet" in left("byzantine attempt mara wall --energy 1").output
    assert "wall" not in left("sheets mara").output
    assert "No problems found." in left("audit").output


def test_the_moves_of_the_second_edition_come_out_again_although_it_had_no_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(GOLDEN / "campaigns" / "v4.campaign", tmp_path / "left.campaign")
    outcomes = type_in("audit").output
    assert "8 recomputed" in outcomes
    assert "another edition" not in outcomes


def test_a_move_of_the_first_edition_is_amended_by_the_rules_of_today(left: Type) -> None:
    said = left('amend 58 --energy 7 --why "she counts again" --cascade --yes').output
    assert "uses edition byzantine/3 of the rules, but #" in said
    assert (
        "the 7 invested today will add 4 at the next dawn; 3 more energy completes the next set of 5"
        in left("sheets mara").output
    )
    assert left('amend 65 --costs 9 --why "a slip" --yes').exit_code == 0
    assert "the cost is 9" in left("byzantine know mara wall --energy 0 --costs 0 -v").output
    assert "No problems found." in left("audit").output
