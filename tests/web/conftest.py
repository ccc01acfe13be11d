"""Fixtures of the page's tests."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from at_page import Place
from torture.runs import SHM


@pytest.fixture
def shm() -> Iterator[Path]:
    """A folder that is quick to write."""
    with TemporaryDirectory(dir=SHM) as folder:
        yield Path(folder)


@pytest.fixture
def place(shm: Path) -> Place:
    """The page of a campaign with two players, before anything is played."""
    return Place(shm)
