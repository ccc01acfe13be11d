"""Fixtures of the page's tests."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from playwright.sync_api import Browser

from at_page import UNHURRIED, Place
from browser import Server, Windows, chromium, served, table_laid
from torture.runs import SHM


@pytest.fixture
def shm() -> Iterator[Path]:
    """A folder that is quick to write. The page may still be writing into it when the test ends."""
    with TemporaryDirectory(dir=SHM, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture
def place(shm: Path) -> Place:
    """The page of a campaign with two players, before anything is played."""
    return Place(shm)


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test say more in a second than a session may."""
    monkeypatch.setattr("web.guard.RATES", UNHURRIED)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser."""
    with chromium() as launched:
        yield launched


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """The page of a campaign of all five games, served by a process of its own."""
    with served(table_laid(tmp_path)) as started:
        yield started


@pytest.fixture
def windows(browser: Browser, server: Server) -> Iterator[Windows]:
    """Windows onto that page; a complaint in a browser's console fails the test."""
    table = Windows(browser, server)
    yield table
    table.close()
    assert table.complaints == []
