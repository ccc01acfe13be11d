"""What several tests of the archive start with."""

from pathlib import Path

import pytest

from exported import KEY, signed_book
from ledger.archive.export import export
from table import scribe


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """An export with a signed head."""
    with signed_book() as book:
        scribe(book).sign(KEY)
        export(book, str(tmp_path / "out"))
    return tmp_path / "out"
