"""A program that somebody else wrote verifies an export: the head, the tiles, each entry, and that the log only grew."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pythons
from ledger.commands.at_table import Note
from ledger.journal.book import open_book
from paths import ROOT
from table import scribe
from terminal import Type

pytestmark = pytest.mark.slow

EARLIER, NOW = 300, 520
"""The sizes of the tree at two checkpoints. Each has full and partial tiles."""


@pytest.fixture(scope="module")
def aics_tlog(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Install aics-tlog, which needs Python 3.12, into an environment of its own."""
    python = next(filter(None, map(pythons.find, ("3.12", "3.13", "3.14"))), None)
    if python is None:
        pytest.skip("aics-tlog needs Python 3.12 or later, which is not here")
    folder = tmp_path_factory.mktemp("aics-tlog")
    uv = (sys.executable, "-m", "uv")
    subprocess.run((*uv, "venv", "--quiet", "--clear", "--python", python, str(folder)), check=True)
    locked = str(ROOT / "tests" / "support" / "aics_tlog" / "requirements.txt")
    install = (*uv, "pip", "install", "--quiet", "--system-certs", "--python", str(folder), "--require-hashes")
    subprocess.run((*install, "-r", locked), check=True)
    return str(folder / "bin" / "aics-tlog")


@pytest.fixture
def exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type) -> Path:
    """Return a folder with an export, `out`, and the checkpoint `earlier.txt`."""
    monkeypatch.chdir(tmp_path)
    type_in("init Road --gm Tom")
    for size in (EARLIER, NOW):
        with open_book("road.campaign") as book:
            for number in range(book.head(), size):
                scribe(book).write(Note(text=f"note {number}"))
        checkpoint = type_in("checkpoint")
        assert checkpoint.exit_code == 0
        if size == EARLIER:
            (tmp_path / "earlier.txt").write_text(checkpoint.stdout, encoding="utf-8")
    assert type_in("export out").exit_code == 0
    return tmp_path


@pytest.fixture
def check(aics_tlog: str, exported: Path, type_in: Type) -> Any:
    """Return a function that runs a command of aics-tlog, with the campaign's key."""
    key = type_in("key").stdout.strip()

    def run(*words: str) -> dict[str, Any]:
        command = (aics_tlog, *words, "--log-key", key)
        done = subprocess.run(command, cwd=exported, capture_output=True, text=True, check=False)
        answer: dict[str, Any] = json.loads(done.stdout)
        assert answer["ok"] == (done.returncode == 0)
        return answer

    return run


def test_the_head_has_the_signature_and_the_tiles(check: Any) -> None:
    answer = check("verify-checkpoint", "--tiles", "out")
    assert (answer["ok"], answer["log_ok"], answer["tiles_ok"], answer["size"]) == (True, True, True, NOW)


@pytest.mark.parametrize("index", [0, 255, 256, 511, 512, NOW - 1])
def test_an_entry_is_included(check: Any, exported: Path, index: int) -> None:
    line = (exported / "out" / "journal.jsonl").read_bytes().split(b"\n")[index]
    answer = check(
        "verify-inclusion", "--tiles", "out", "--checkpoint", "out/checkpoint", "--index", str(index), "--entry-out", "entry"
    )  # fmt: skip
    assert answer["ok"]
    assert (exported / "entry").read_bytes() == line


def test_the_log_only_grew_since_an_earlier_checkpoint(check: Any) -> None:
    grown = ("--old-checkpoint", "earlier.txt", "--checkpoint", "out/checkpoint")
    answer = check("verify-consistency", *grown, "--tiles", "out")
    assert (answer["ok"], answer["old_size"], answer["new_size"]) == (True, EARLIER, NOW)


def test_an_altered_tile_is_found(check: Any, exported: Path) -> None:
    tile = exported / "out" / "tile" / "0" / "000"
    tile.write_bytes(bytes([tile.read_bytes()[0] ^ 1]) + tile.read_bytes()[1:])
    included = ("verify-inclusion", "--tiles", "out", "--checkpoint", "out/checkpoint", "--index", "7")
    assert not check(*included)["ok"]
