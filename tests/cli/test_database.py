"""A campaign in a PostgreSQL database: every command takes its address instead of a file."""

import shlex
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

import pytest
from click.testing import CliRunner

from cli.context import Invocation
from cli.main import campaign
from cli.prompt import KeptHistory
from cli.short_words import has_password
from laid import PLAYED
from table import EVENING, seeded_dice, seeded_salts
from terminal import Type

if TYPE_CHECKING:
    from postgres_server import Server

EVENING_LINES = (
    "init 'The salt road' --gm Tom",
    "player Ana --plays mara",
    "player Ben --plays brak",
    "join mara edge maximum=4 strength=6 skill.deception=4",
    "join brak edge maximum=2 edge=1",
    "join mara free hp=9/12 gold=50",
    *PLAYED,
    "amend 11 edge=-2 --why 'it was two' --yes",
    "void 15 --why 'not yet' --yes",
    "erase 23 --yes",
    "undo",
    "session close",
)
REMAINS = (
    "Copies of the texts may remain on the database server for some time, and longer in its write-ahead log, on its"
    " standby servers and in backups of the database. No command can erase these copies.\n"
)


@pytest.fixture
def address(postgres: "Server", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a campaign that is not there yet, for commands in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return postgres.address(str(uuid4()))


def played(address: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Type the lines of an evening at an address, with a home of its own. Return what was shown."""
    monkeypatch.setenv("CAMPAIGN_FILE", address)
    monkeypatch.setenv("CAMPAIGN_HOME", str(home))
    invocation = Invocation(clock=lambda: EVENING, chance=seeded_dice(), salts=seeded_salts())
    shown = []
    for line in EVENING_LINES:
        result = CliRunner().invoke(campaign, shlex.split(line), obj=invocation, prog_name="campaign")
        assert result.exit_code == 0, (line, result.output)
        shown.append(result.output.replace(address, "ADDRESS"))
    return shown


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_evening_has_the_same_export_byte_for_byte_as_in_a_file(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type
) -> None:
    shown, exports = [], []
    for name, at in (("database", address), ("file", "road.campaign")):
        shown.append(played(at, tmp_path / f"home-{name}", monkeypatch))
        for command in ("export out", "export players --for players"):
            assert type_in(command).exit_code == 0
        exports.append([contents(tmp_path / folder) for folder in ("out", "players")])
        for folder in ("out", "players"):
            shutil.rmtree(tmp_path / folder)
    assert [lines.replace(REMAINS, "") for lines in shown[0]] == shown[1]
    assert REMAINS in "".join(shown[0])  # `erase` says what it cannot reach
    assert exports[0] == exports[1]
    assert all("verify.html" in export for export in exports[0])


def test_the_prompt_is_open_at_a_campaign_in_a_database(address: str, type_in: Type) -> None:
    assert type_in(["-f", address, "init", "The salt road", "--gm", "Tom"]).exit_code == 0
    typed = type_in(["-f", address, "play"], input="note 'a plan'\nundo\nlog\n")
    assert typed.exit_code == 0, typed.output
    assert "a plan" in type_in(["-f", address, "log"]).output


def test_a_password_in_an_address_is_refused_by_every_command_and_never_shown(type_in: Type) -> None:
    for words in (
        "-f postgresql://tom:hunter2@host/club?campaign=road status",
        "status -f postgresql://tom:hunter2@host/club?campaign=road",
        "-f postgresql://tom:hunter2@host/club?campaign=road init Road --gm Tom",
        "-f postgresql://tom:hunter2@host/club?campaign=road -vv init Road --gm Tom --dry-run",
        "-fpostgresql://tom:hunter2@host/club?campaign=road status",
        "import postgresql://tom:hunter2@host/club?campaign=road",
        "prove postgresql://tom@host/club?campaign=road&password=hunter2",
        "postgresql://tom:hunter2@host/club?campaign=road",
        "--fiel=postgresql:/tom:hunter2@host status",
        "move road.campaign postgresql+psycopg://tom:hunter2@host/club",
        "sheets 'postgresql://tom:my hunter2@host/club'",
    ):
        refused = type_in(words)
        assert "hunter2" not in refused.output + str(refused.exception)
        assert (refused.exit_code, "must not contain a password" in refused.output) == (2, True), words


def test_a_password_in_the_environment_is_refused_and_never_shown(
    type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    for address in ("postgresql://tom:hunter2@host/club?campaign=road", "postgresql:/tom:hunter2@host/club"):
        monkeypatch.setenv("CAMPAIGN_FILE", address)
        refused = type_in("status")
        assert (refused.exit_code, "hunter2" in refused.output) == (2, False)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://tom@host:5432/club?campaign=a:b@c",
        "postgresql://one:5432,two:5433/club?campaign=a@b",
        "postgresql://tom@[::1]:5432/club?campaign=a@b",
        "postgresql:///club?campaign=password",
    ],
)
def test_a_port_or_the_name_of_a_campaign_is_not_taken_for_a_password(address: str) -> None:
    assert not has_password(address)


def test_a_password_typed_at_the_prompt_is_never_shown(address: str, type_in: Type) -> None:
    assert type_in(["-f", address, "init", "The salt road", "--gm", "Tom"]).exit_code == 0
    for words in ("import", "with", "?", ""):
        line = f"{words} postgresql://tom:hunter2@host/club?campaign=road\n"
        typed = type_in(["-f", address, "play"], input=line)
        assert "must not contain a password" in typed.stderr
        assert "hunter2" not in typed.stderr


def test_a_name_with_an_invisible_character_is_refused_as_it_is_with_a_file(address: str, type_in: Type) -> None:
    refusals = []
    for at in (address, "road.campaign"):
        for words in (["init", "Road", "--gm", "Tom"], ["player", "Ana", "--plays", "mara"]):
            assert type_in(["-f", at, *words]).exit_code == 0
        refusals.append(type_in(["-f", at, "join", "mara", "edge", "ed\0ge=3"]))
    assert [refused.exit_code for refused in refusals] == [3, 3]
    assert refusals[0].stderr == refusals[1].stderr


def test_a_database_that_is_missing_or_not_there_ends_as_a_missing_file_does(address: str, type_in: Type) -> None:
    for at in (address, address.replace("/club", "/hall"), "postgresql://127.0.0.1:1/club?campaign=road"):
        missing = type_in(["-f", at, "status"])
        assert (missing.exit_code, missing.output.count("Error:")) == (5, 1)


def test_a_line_with_a_password_stays_out_of_the_prompt_s_history(tmp_path: Path) -> None:
    history = KeptHistory(str(tmp_path / "history"), cast(Any, SimpleNamespace(may_hide=lambda line: False)))
    for line in (
        "backup postgresql://tom:hunter2@host/club?campaign=road",
        "backup postgresql://tom@host/club?campaign=road&password=hunter2",
        "backup postgresql://tom@host/club?campaign=road&oauth_client_secret=hunter2",
        "backup postgresql://tom@host/club?campaign=road",
    ):
        history.store_string(line)
    saved = (tmp_path / "history").read_text(encoding="utf-8")
    assert "hunter2" not in saved
    assert "tom@host" in saved
