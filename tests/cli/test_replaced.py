"""Somebody replaces the file under an open prompt: the prompt notices, writes nothing, and continues."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.context import Invocation
from cli.main import campaign
from cli.prompt import Prompt
from table import EVENING
from terminal import Type, head

Line = Callable[[str], str]


@pytest.fixture
def typed(tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Line:
    """Open a prompt on road.campaign; return a function that types a line and returns the screen."""
    monkeypatch.chdir(tmp_path)
    assert type_in("init Road --gm Tom").exit_code == 0
    prompt = Prompt(Invocation(clock=lambda: EVENING), campaign)
    prompt.begin()

    def type_line(line: str) -> str:
        capsys.readouterr()
        assert prompt.do(line), "the prompt goes on"
        said = capsys.readouterr()
        return said.out + said.err

    return type_line


def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use an empty home, so that this computer remembers nothing."""
    monkeypatch.setenv("CAMPAIGN_HOME", str(tmp_path / "another-home"))


def test_another_campaign_under_the_same_name_is_not_written_into(typed: Line, tmp_path: Path, type_in: Type) -> None:
    assert "#3" in typed("note one")
    assert type_in("-f other.campaign init Other --gm Eva").exit_code == 0
    shutil.copy("road.campaign", "kept")
    Path("other.campaign").replace("road.campaign")
    for line in ("note two", "note three"):
        assert "road.campaign now contains a different campaign. Nothing was written." in typed(line)
    assert head(tmp_path) == 2
    shutil.copy("kept", "road.campaign")
    assert "#4" in typed("note two")


def test_a_second_campaign_beside_it_does_not_end_the_prompt(typed: Line) -> None:
    typed("note one")
    shutil.copy("road.campaign", "road (conflicted copy).campaign")
    assert "#4" in typed("note two")


def test_a_file_that_is_missing_for_a_moment_does_not_end_the_prompt(typed: Line) -> None:
    typed("note one")
    Path("road.campaign").rename("away")
    assert "There is no campaign at" in typed("note two")
    Path("away").rename("road.campaign")
    assert "#4" in typed("note two")


def test_an_older_copy_is_noticed_even_if_this_computer_remembers_nothing(
    typed: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy("road.campaign", "older")
    typed("note one")
    shutil.copy("older", "road.campaign")
    elsewhere(tmp_path, monkeypatch)
    said = typed("note two")
    assert (
        "The campaign's file was replaced with an older or different one. The earlier file had 3 entries; this one has 2."
        in said
    )
    assert head(tmp_path) == 2
    assert "#3" in typed("note two"), "typed again, it is meant"


def test_a_backup_that_is_restored_at_the_prompt_is_continued(typed: Line) -> None:
    typed("backup stick.backup")
    typed("note one")
    assert "now has the 2 entries of stick.backup" in typed("restore stick.backup --yes")
    assert "#4" in typed("note two")


def test_a_backup_that_is_restored_elsewhere_costs_a_line_and_is_continued(typed: Line, type_in: Type) -> None:
    typed("backup stick.backup")
    typed("note one")
    assert type_in("restore stick.backup --yes").exit_code == 0
    assert "A backup was restored: the campaign had 3 entries, and now it has 3. Your line was not" in typed("note two")
    assert "#4    note: two" in typed("note two")


def test_a_prompt_starts_a_new_campaign_beside_the_one_that_it_has_open(typed: Line) -> None:
    typed("-f another.campaign init Another --gm Eva")
    assert Path("another.campaign").exists()
    assert "note: one" in typed("note one")
    assert "campaign opened: Another" in typed("-f another.campaign log")


def test_a_damaged_file_can_be_checked_at_the_prompt(typed: Line) -> None:
    import sqlite3

    connection = sqlite3.connect("road.campaign", isolation_level=None)
    connection.execute("DELETE FROM nodes")
    connection.close()
    assert "the check value that protects" in typed("verify") or "computed from them" in typed("verify")
    assert typed("rebuild")
    assert "#3" in typed("note one")


def test_restore_cannot_be_abbreviated(typed: Line) -> None:
    typed("backup stick.backup")
    assert "Type restore in full." in typed("restor stick.backup")
