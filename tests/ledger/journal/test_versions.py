"""File versions: each write raises the version, and the shapes of a released version never change."""

import shutil
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from declarations import SHAPES
from engine import connection_of
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import Note
from ledger.errors import Nobody
from ledger.journal.book import open_book
from ledger.journal.opening import connect
from ledger.journal.schema import SCHEMA_VERSION
from paths import GOLDEN, ROOT
from table import scribe

CAMPAIGNS = GOLDEN / "campaigns"
OLDER = sorted(CAMPAIGNS.glob("v*.campaign"))

RELEASED = {
    int(version): digest
    for version, digest in map(str.split, (GOLDEN / "released.txt").read_text(encoding="utf-8").splitlines())
}
"""SHA-256 of `shapes.txt` by version, one line for each version that was released."""


@pytest.fixture(params=OLDER, ids=lambda path: path.stem)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return a campaign written by this version or an earlier one."""
    return str(shutil.copy(request.param, tmp_path))


def test_every_version_has_a_kept_campaign() -> None:
    assert [path.stem for path in OLDER] == [f"v{number}" for number in range(1, SCHEMA_VERSION + 1)]


def test_the_first_entry_raises_the_version_of_an_older_file_and_its_earlier_entries_stay(file: str) -> None:
    with open_book(file) as book:
        head = book.head()
        root = book.root(head)
        scribe(book).write(Note(text="by this version"))
        assert book.journal.storage.version() == SCHEMA_VERSION
        assert book.root(head) == root
        assert verify(book).entries == head + 1
        assert connection_of(book).execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_an_open_writer_raises_a_file_that_was_restored_from_an_older_version_meanwhile(file: str) -> None:
    with open_book(file) as book, closing(connect(f"{file}.before", "mode=rwc")) as older:
        connection_of(book).backup(older)
        scribe(book).write(Note(text="before the restore"))
        with closing(connect(file, "mode=rw")) as restored:
            older.backup(restored)
        scribe(book).write(Note(text="after it"))
        assert connection_of(book).execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
        assert verify(book).entries == book.head()


def test_the_audit_says_that_entries_of_earlier_versions_have_no_reading_of_a_clock(file: str) -> None:
    with open_book(file) as book:
        assert "Did a slow clock change the time of an entry?" in " ".join(audit(book, "2026-11-23").unknown)


def test_a_refused_command_leaves_an_older_file_at_its_version(file: str) -> None:
    with open_book(file) as book:
        before = book.journal.storage.version()
        with pytest.raises(Nobody):
            scribe(book, by="p999").write(Note(text="by nobody"))
        assert book.journal.storage.version() == before


def test_the_shapes_of_a_released_version_never_change() -> None:
    """If this fails, raise `SCHEMA_VERSION`: a new shape after a release needs it (`docs/architecture.md`)."""
    assert RELEASED.get(SCHEMA_VERSION) in {None, sha256(SHAPES.read_bytes()).hexdigest()}


def test_this_version_is_the_last_released_one_or_the_next() -> None:
    assert SCHEMA_VERSION - max(RELEASED) in {0, 1}


def test_a_release_writes_down_the_shapes_of_its_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "(not released yet)" in changelog or SCHEMA_VERSION in RELEASED
