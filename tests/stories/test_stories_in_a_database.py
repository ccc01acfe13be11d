"""The stories again, with every campaign in PostgreSQL. The screen shows the same words."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import path
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from ledger.journal.files import FileEngine
from ledger.journal.records import Stamp
from ledger.journal.replacing import KEPT_SUFFIX
from ledger.journal.storage import Engine, Storage
from ledger.journal.store import engine_for
from paths import STORIES
from transcript import replayed

if TYPE_CHECKING:
    from postgres_server import Server

MARK = "postgresql://"


class DatabaseBehindFiles(FileEngine):
    """Files that contain only the address of a campaign in a database."""

    server: "Server"

    def _database(self) -> Engine | None:
        if not path.isfile(self._file):
            return None
        text = Path(self._file).read_bytes()
        return engine_for(text.decode()) if text.startswith(MARK.encode()) else None

    def open(self) -> Storage:  # type: ignore[override]  # any engine
        database = self._database()
        return super().open() if database is None else database.open()

    @contextmanager
    def creating(self, source: Storage | None = None, *, read_only: bool = False) -> Iterator[Storage]:  # type: ignore[override]
        self.check_free()
        address = self.server.address(str(uuid4()))
        with engine_for(address).creating(source, read_only=read_only) as storage:
            yield storage
        Path(self._file).write_text(address, encoding="utf-8")

    def replace(self, new: Storage, day: str, check: Callable[[], None]) -> str | None:
        database = self._database()
        assert database is not None
        kept = database.replace(new, day, check)
        Path(f"{self._file}{KEPT_SUFFIX}{day}").write_text(str(kept), encoding="utf-8")
        return f"{self._file}{KEPT_SUFFIX}{day}"

    def looks_like_campaign(self) -> bool:
        return self._database() is not None or super().looks_like_campaign()

    def stamp(self) -> Stamp:
        database = self._database()
        return super().stamp() if database is None else database.stamp()


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted(STORIES.glob("*.md")), ids=lambda page: page.name)
def test_a_story_is_the_same_with_its_campaigns_in_a_database(
    page: Path, postgres: "Server", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ledger.journal.files.FileEngine", DatabaseBehindFiles)
    monkeypatch.setattr(DatabaseBehindFiles, "server", postgres, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")
    text = page.read_text(encoding="utf-8")
    assert replayed(text) == text
    assert any(Path(file).read_bytes().startswith(MARK.encode()) for file in tmp_path.rglob("*.campaign"))
