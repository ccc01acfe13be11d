"""A campaign at an address that is no path: the command line asks the engine for everything, and looks at no file."""

from pathlib import Path

import pytest

from ledger.journal import store
from terminal import Type, rows
from toy_engine import Toys

TABLE, BACKUP = "toy://table", "toy://backup"


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type) -> Type:
    """Type words about a campaign in the tests' engine, in an empty folder."""
    monkeypatch.setattr(store, "OTHER_ENGINES", {"toy": Toys()})
    monkeypatch.setenv("CAMPAIGN_FILE", TABLE)
    monkeypatch.chdir(tmp_path)
    assert type_in("init 'The salt road' --gm Tom").exit_code == 0
    return type_in


def told(typed: Type, words: str) -> str:
    done = typed(words)
    assert done.exit_code == 0, done.output
    return str(done.output)


def entries(typed: Type) -> int:
    (verified,) = rows(told(typed, "verify --json"))
    return int(verified["entries"])


def test_an_evening_is_played_at_an_address_that_is_no_path(typed: Type, tmp_path: Path) -> None:
    told(typed, "player Ana --plays mara")
    told(typed, "join mara edge maximum=4")
    told(typed, "edge check mara --skill 11 --target 20 --faces 7,6")
    before = entries(typed)
    told(typed, f"backup {BACKUP}")
    told(typed, "undo")
    assert entries(typed) > before
    told(typed, f"restore {BACKUP} --dry-run")
    assert f"The old file is now {TABLE}-before-" in told(typed, f"restore {BACKUP} --yes")
    assert entries(typed) == before + 1
    assert "The signed heads were not checked" not in told(typed, "audit")
    assert list(tmp_path.iterdir()) == []
