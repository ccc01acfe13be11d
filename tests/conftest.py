"""Fixtures."""

import os
import shlex
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, settings

from cli.context import Invocation
from cli.main import campaign
from examples import tried
from laid import PLAYED, laid_out
from ledger.journal.book import Book, open_book
from paths import ROOT
from table import EVENING, seeded_dice, seeded_salts
from terminal import Type

OURS = tuple(str(ROOT / room) for room in ("ledger", "projections", "cli", "web"))
opened_beside: list[str] = []


def _watch(event: str, args: tuple[Any, ...]) -> None:
    """Note what our code opens that SQLite holds open: to close it gives up the locks of SQLite."""
    if event != "open" or not isinstance(args[0], str | Path) or str(args[0]).endswith((".py", ".pyc", ".so")):
        return
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not frame.f_code.co_filename.startswith(str(ROOT)):
        frame = frame.f_back
    if frame is None or not frame.f_code.co_filename.startswith(OURS):
        return
    with suppress(OSError):
        wanted = os.stat(args[0])
        for held in range(3, 64):
            with suppress(OSError):
                if stat.S_ISREG(wanted.st_mode) and os.path.samestat(os.fstat(held), wanted):
                    opened_beside.append(f"{args[0]} by {frame.f_code.co_filename}:{frame.f_lineno}")


sys.addaudithook(_watch)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slow tests first, so that no worker is left alone with them at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(autouse=True)
def _no_campaign_is_opened_beside_sqlite() -> Iterator[None]:
    opened_beside.clear()
    yield
    assert opened_beside == []


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
    invocation = Invocation(clock=lambda: EVENING, chance=seeded_dice(), salts=seeded_salts())

    def typed(words: str | list[str], **kwargs: Any) -> Result:
        split = shlex.split(words) if isinstance(words, str) else words
        return CliRunner().invoke(campaign, split, obj=invocation, prog_name="campaign", **kwargs)

    return typed


@pytest.fixture
def evening(folder: Path, type_in: Type) -> Type:
    """Type words after `campaign` in the folder of a campaign in which an evening was played."""
    laid_out(folder, *PLAYED)
    return type_in
