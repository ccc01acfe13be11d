"""Fixtures."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, settings

from cli.context import Desk
from cli.main import campaign
from examples import tried
from laid import PLAYED, laid_out
from ledger.journal.book import Book, open_book
from table import EVENING, seeded_dice, seeded_salts
from terminal import Type

settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=tried(40))
settings.load_profile("here")


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    """A campaign on disk, with a cast."""
    with open_book(str(laid_out(tmp_path))) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in ("CAMPAIGN_FILE", "CAMPAIGN_BY", "CAMPAIGN_KEY", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CAMPAIGN_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A campaign on disk that nobody holds open."""
    return laid_out(tmp_path)


@pytest.fixture
def folder(file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that we are in, with a campaign in it."""
    monkeypatch.chdir(file.parent)
    return file.parent


@pytest.fixture
def type_in() -> Type:
    """Type words after `campaign`; dice and salts are seeded."""
    desk = Desk(clock=lambda: EVENING, chance=seeded_dice(), salts=seeded_salts())

    def typed(words: str | list[str], **kwargs: Any) -> Result:
        split = shlex.split(words) if isinstance(words, str) else words
        return CliRunner().invoke(campaign, split, obj=desk, prog_name="campaign", **kwargs)

    return typed


@pytest.fixture
def evening(folder: Path, type_in: Type) -> Type:
    """Type words after `campaign` in the folder of a campaign in which an evening was played."""
    laid_out(folder, *PLAYED)
    return type_in
