"""File permissions: only the GM can read the GM's files; everybody can read players' copies."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from engine import create_journal
from laid import nobody
from ledger.journal.files import FileEngine
from paths import ROOT
from terminal import Type, rows

WARNING = "Others on this computer can read the GM's secrets in this file. To stop that: chmod 600 "


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.fixture
def usual_umask() -> Iterator[None]:
    """Let everybody read new files, as most systems do."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("usual_umask")
def test_campaigns_backups_and_the_gms_exports_are_for_their_owner_and_players_copies_for_everybody(
    folder: Path, type_in: Type
) -> None:
    (folder / "road.campaign").unlink()
    for words in (
        "init Road",
        "backup kept",
        "export whole",
        "export shown --for players",
        "-f whole.campaign import whole --yes",
        "-f shown.campaign import shown --yes",
    ):
        assert type_in(words).exit_code == 0, words
    names = ("road.campaign", "kept", "whole", "whole.campaign", "shown", "shown.campaign")
    assert {name: oct(mode(folder / name)) for name in names} == {
        "road.campaign": "0o600",
        "kept": "0o600",
        "whole": "0o700",
        "whole.campaign": "0o600",
        "shown": "0o755",
        "shown.campaign": "0o444",
    }


@pytest.mark.usefixtures("usual_umask")
def test_a_players_copy_with_secret_notes_is_for_its_owner_also_after_the_import(folder: Path, type_in: Type) -> None:
    for words in (
        "note 'the guide is a spy' --only Ana",
        "export anas --for Ana",
        "-f anas.campaign import anas --yes",
        "-f road.campaign export shown --for players",
        "-f shown.campaign import shown --yes",
    ):
        assert type_in(words).exit_code == 0, words
    assert "the guide is a spy" in type_in("-f anas.campaign show --secrets").stdout
    assert [oct(mode(folder / name)) for name in ("anas.campaign", "shown.campaign")] == ["0o400", "0o444"]


@pytest.mark.usefixtures("usual_umask")
def test_only_the_owner_can_ever_read_a_new_file(folder: Path) -> None:
    program = (
        "import os, sys; from ledger.journal.sqlite import _prepare, SQLite; import ledger.journal.sqlite as engine;"
        "engine._prepare = lambda *_: os._exit(0); SQLite.create(sys.argv[1])"
    )
    subprocess.run([sys.executable, "-c", program, str(folder / "new")], cwd=ROOT, check=True)
    assert mode(folder / "new") == 0o600


@pytest.mark.parametrize("words", ["rebuild", "erase 8 --yes", "note x"])
def test_a_file_keeps_its_mode(folder: Path, type_in: Type, words: str) -> None:
    assert type_in("note gone").exit_code == 0
    (folder / "road.campaign").chmod(0o640)
    assert type_in(words).exit_code == 0
    assert mode(folder / "road.campaign") == 0o640


@pytest.fixture
def shared(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make a campaign that others can read, in a folder that they can enter."""
    with TemporaryDirectory() as open_folder:
        Path(open_folder).chmod(0o755)
        file = Path(open_folder) / "the road.campaign"
        shutil.copyfile(folder / "road.campaign", file)
        file.chmod(0o644)
        monkeypatch.chdir(open_folder)
        yield file


def test_status_and_audit_say_once_that_others_can_read_the_secrets_until_they_cannot(
    shared: Path, type_in: Type
) -> None:
    status, audit = type_in("status"), type_in("audit")
    assert status.stderr == f"{WARNING}'{shared}'\n"
    assert audit.stdout.count(f"Remark: {WARNING}'{shared}'\n") == 1
    assert rows(type_in("audit --json").stdout)[0]["read_by_others"] is True
    shared.chmod(0o600)
    assert type_in("status").stderr == ""
    assert WARNING not in type_in("audit").stdout
    assert rows(type_in("audit --json").stdout)[0]["read_by_others"] is False


def test_there_is_no_warning_for_a_file_out_of_reach_or_a_player_copy(shared: Path) -> None:
    assert FileEngine(str(shared)).read_by_others()
    shared.parent.chmod(0o700)
    assert not FileEngine(str(shared)).read_by_others()
    shared.parent.chmod(0o755)
    shared.chmod(0o444)
    assert not FileEngine(str(shared)).read_by_others()


def test_only_the_owner_can_read_the_log_beside_a_new_file(tmp_path: Path) -> None:
    journal = create_journal(str(tmp_path / "new.campaign"))
    modes = {path.name: mode(path) for path in tmp_path.iterdir()}
    journal.storage.close()
    assert modes == dict.fromkeys(("new.campaign", "new.campaign-wal", "new.campaign-shm"), 0o600)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("log", "Ask the owner of the file for a player copy. The owner types: campaign export --for players"),
        ("-f open.campaign backup mine.backup", "Choose a folder where you can write."),
        ("-f open.campaign backup nowhere/mine.backup", "Make the folder first, or choose a different one."),
        ("-f open.campaign note x", "Copy it to a place where you can write: campaign backup FILE"),
        ("-f open.campaign verify", "Set CAMPAIGN_HOME to a folder where you can write."),
        ("-f open.campaign checkpoint", "Only the owner of this file can sign with it."),
        ("witness init Ana", "Only the owner of this file can sign with it."),
    ],
)
def test_somebody_who_may_only_read_is_told_what_to_do(
    type_in: Type, monkeypatch: pytest.MonkeyPatch, words: str, hint: str
) -> None:
    with TemporaryDirectory() as name:
        monkeypatch.chdir(name)
        monkeypatch.setenv("CAMPAIGN_HOME", str(Path(name) / "home"))
        for each in ("-f road.campaign init Road", "-f open.campaign init Road", "witness init Tom"):
            assert type_in(each).exit_code == 0
        Path("road.campaign").chmod(0o600)
        Path("open.campaign").chmod(0o644)
        Path(name).chmod(0o755)
        with nobody():
            done = type_in(words if words.startswith("-f") else f"-f road.campaign {words}")
        assert done.exit_code in {3, 4, 5}
        assert f"Hint: {hint}\n" in done.stderr


def test_a_home_that_cannot_be_made_is_named_with_its_variable(type_in: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    with TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        monkeypatch.setenv("CAMPAIGN_HOME", str(Path(name) / "home"))
        with nobody():
            done = type_in("witness init Ana")
        assert f"Error: {name}/home cannot be created: Permission denied. Nothing was written.\n" in done.stderr
        assert "Hint: Set CAMPAIGN_HOME to a folder where you can write.\n" in done.stderr
