"""`verify` and `audit` say what they checked now, and what an earlier check had found."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ledger.audit import remembered
from tampering import unguarded
from terminal import Type


@pytest.mark.parametrize("command", ["verify", "audit"])
def test_a_second_check_says_what_is_new_and_since_when_the_rest_is_unchanged(
    command: str, evening: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "LEAST_ENTRIES", 3)
    assert "Checked now" not in evening(command).stdout
    entries = json.loads(evening("verify --json --all").stdout)["entries"]
    same = f"#1 to #{entries} are unchanged since a check on 2026-11-20."
    again = f"To check them again: campaign {command} --all"
    assert f"Checked now: no new entries. {same} {again}" in " ".join(evening(command).stdout.split())
    evening("note three torches left")
    assert f"Checked now: 1 entry. {same} {again}" in " ".join(evening(command).stdout.split())
    assert "Checked now" not in evening(f"{command} --all").stdout
    told = [json.loads(evening(f"{command} --json{flag}").stdout)["remembered"] for flag in ("", " --all")]
    assert told == [{"entries": entries + 1, "since": "2026-11-20"}, None]


@pytest.mark.parametrize("command", ["verify", "audit"])
def test_a_check_says_why_it_saves_nothing_in_an_open_home(
    command: str, evening: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "LEAST_ENTRIES", 3)
    home = Path(os.environ["CAMPAIGN_HOME"])
    home.chmod(0o755)
    says = f"Other users of this computer can open the folder {home}, so the next check starts from the beginning."
    assert says in " ".join(evening(command).stdout.split())


def test_a_session_is_closed_with_a_check_of_what_is_new(evening: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    evening("session close")
    monkeypatch.setattr(remembered, "LEAST_ENTRIES", 3)
    assert evening("session open 'The ferry'").exit_code == 0
    assert evening("session close").exit_code == 0
    assert "Checked now: no new entries." in evening("verify").stdout


def test_a_session_of_a_damaged_campaign_is_closed_but_not_signed(
    evening: Type, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening("session close")
    monkeypatch.setattr(remembered, "LEAST_ENTRIES", 3)
    evening("session open 'The ferry'")
    (file,) = folder.glob("*.campaign")
    with closing(sqlite3.connect(file)) as connection:
        unguarded("UPDATE words SET text = 'x'")(connection)
        connection.commit()
    done = evening("session close")
    assert (done.exit_code, "closed" in done.stdout) == (6, True)
    assert "The record up to the end of this session is not signed." in done.stderr
    assert "has a text that differs" in done.stderr
