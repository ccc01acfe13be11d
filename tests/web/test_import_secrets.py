"""The private rolls of imported logs: no output for players has a word or a number of them, in any format."""

from pathlib import Path

import pytest
from sqlite_utils import Database

from at_page import UNHURRIED, Place
from planted import ACCOUNTS, ROLLS, planted
from terminal import Type
from who_may import ASKED

SECRETS = [secret for secrets in ROLLS.values() for secret in secrets]
FILES = len(ROLLS)

VIEWS = (
    *("log -n all", "log -n all --json", "log --who mara", "chronicle", "chronicle --markdown", "recap", "replay --from 1 --json"),
    *("status", "status --json", "players", "sheets", "questions", "luck", "luck --json", "verify", "audit", "audit --json"),
    *("diff 1 last", "search roll"),
)  # fmt: skip
"""What anybody may be shown of the GM's terminal, and what is pasted into a chat."""


@pytest.fixture
def place(shm: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setattr("web.guard.RATES", UNHURRIED)
    logs = shm / "logs"
    logs.mkdir()
    (logs / "who.toml").write_text('zone = "Europe/Lisbon"\n', encoding="utf-8")
    return Place(shm, [f"import {log} --mapping {logs / 'who.toml'} --yes" for log in planted(logs)])


def leaked(texts: dict[str, str]) -> list[tuple[str, str]]:
    """The places of texts with a secret, and the secret."""
    return [(where, secret) for where, text in texts.items() for secret in SECRETS if secret in text]


NOT_KEPT = {*ACCOUNTS, "Elderthorn"}
"""The names of accounts, and the speaker of a Roll20 whisper: pages of sender and receiver name different ones."""


def test_thirty_secrets_are_planted_in_all_formats(place: Place, type_in: Type) -> None:
    assert len({*SECRETS}) == len(SECRETS) >= 30
    told = "".join(type_in(f"-f {place.file} show {seq} --secrets").stdout for seq in range(1, place.head() + 1))
    assert [secret for secret in SECRETS if secret not in told and secret not in NOT_KEPT] == []


def test_no_view_at_the_terminal_shows_a_private_roll(place: Place, type_in: Type) -> None:
    words = [*VIEWS, *(f"show {seq}{more}" for seq in range(1, place.head() + 1) for more in ("", " --json"))]
    done = {line: type_in(f"-f {place.file} {line}") for line in words}
    assert {line: result.exit_code for line, result in done.items() if result.exit_code not in {0, 7}} == {}
    assert leaked({line: result.output for line, result in done.items()}) == []


def test_no_file_for_players_has_a_private_roll(place: Place, type_in: Type, tmp_path: Path) -> None:
    assert type_in(f"-f {place.file} export --for players {tmp_path / 'out'}").exit_code == 0
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert len(files) > 2
    assert leaked({path.name: path.read_bytes().decode("utf-8", "replace") for path in files}) == []


def test_no_vault_for_players_has_a_private_roll(place: Place, type_in: Type, tmp_path: Path) -> None:
    for name, whom in (("vault", " --for players"), ("all", "")):
        assert type_in(f"-f {place.file} export --format obsidian {tmp_path / name}{whom}").exit_code == 0
    files = {
        name: {str(path): path.read_bytes().decode() for path in (tmp_path / name).rglob("*") if path.is_file()}
        for name in ("vault", "all")
    }
    assert leaked(files["vault"]) == []
    assert {secret for _, secret in leaked(files["all"])} >= {*SECRETS} - NOT_KEPT


def test_the_tables_for_the_gm_have_the_private_rolls_and_those_for_players_do_not(
    place: Place, type_in: Type, tmp_path: Path
) -> None:
    texts = {}
    for name, words in (("gm", ""), ("players", "--for players")):
        file = tmp_path / f"{name}.db"
        assert type_in(f"-f {place.file} tables {file} {words}").exit_code == 0
        texts[name] = file.read_bytes().decode("utf-8", "replace")
        database = Database(str(file))
        assert database.table("imports").count == FILES
        public = [row for row in database.table("imported_rolls").rows if row["seen_by"] == "all"]
        assert ({row["total"] for row in public}, {row["dice"] for row in public}) == ({3.0}, {"3", None})
        assert list(database.query("PRAGMA foreign_key_check")) == []
        database.close()
    assert leaked({"players": texts["players"]}) == []
    assert [secret for secret in SECRETS if secret not in texts["gm"] and secret not in NOT_KEPT] == []


@pytest.mark.parametrize("who", ["player", "spectator"])
def test_no_page_for_players_shows_a_private_roll(place: Place, who: str) -> None:
    paths = [path for (method, _), (path, _, _) in ASKED.items() if method == "GET"]
    paths += [f"{page}/{seq}" for seq in range(1, place.head() + 1) for page in ("/entry", "/proof", "/story")]
    paths += [f"/then?at={seq}" for seq in range(1, place.head() + 1)]
    paths += [f"/record/entries?at={seq}&act={seq}" for seq in range(1, place.head() + 1)]
    paths += ["/lines?before=1000000", "/search?words=roll", "/api/v1/log?n=1000"]
    until = f"id: {place.head()}-".encode()
    answers = {path: place.ask(who, "GET", path, until=until if "stream" in path else b"") for path in paths}
    assert len([path for path, answer in answers.items() if answer.status == 200]) > 60
    assert leaked({path: answer.body.decode("utf-8", "replace") for path, answer in answers.items()}) == []
