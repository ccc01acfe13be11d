"""Fixtures."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from ledger.book import Book
from table import opened_book

settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)
settings.load_profile("here")


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    """A campaign on disk, with a cast."""
    with opened_book(str(tmp_path / "road.campaign")) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CAMPAIGN_FILE", "CAMPAIGN_BY", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
