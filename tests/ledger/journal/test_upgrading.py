"""Upgrades: before the first write to an older file, a backup of the file is made that the older program can read."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from engine import connection_of, full_disk
from ledger.archive.export import export
from ledger.archive.import_ import import_export
from ledger.archive.moving import move
from ledger.audit.verify import verify
from ledger.commands.at_table import Note
from ledger.errors import DiskRefused, NotMade
from ledger.journal import opening, upgrading
from ledger.journal.book import Book, open_book
from ledger.journal.new_files import PART_FOLDER
from ledger.journal.schema import SCHEMA_VERSION
from ledger.journal.sqlite import SQLite
from ledger.journal.store import engine_for
from paths import GOLDEN
from table import scribe
from terminal import Type

EVERY = sorted((GOLDEN / "campaigns").glob("*.campaign"))
OLDER = [file for file in EVERY if file.stem != f"v{SCHEMA_VERSION}"]

COUNTERS = ((24, 28), (40, 44), (92, 100))
"""The bytes of an SQLite header in which a copy differs, so that the log of the one cannot be taken for the other's."""


@pytest.fixture(params=OLDER, ids=lambda path: path.stem)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copy(request.param, tmp_path / "road.campaign"))


@pytest.fixture
def v3(tmp_path: Path) -> Path:
    return Path(shutil.copy(GOLDEN / "campaigns" / "v3.campaign", tmp_path / "road.campaign"))


def version_of(file: Path) -> int:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        return int(version)


def backups(file: Path) -> list[Path]:
    return sorted(file.parent.glob(f"*{upgrading.BACKUP_SUFFIX}*"))


def without_counters(content: bytes) -> bytes:
    for first, after in COUNTERS:
        content = content[:first] + bytes(after - first) + content[after:]
    return content


def noted(file: Path, text: str = "by this version") -> str | None:
    """Write a note, and return the backup that was made for it."""
    with open_book(str(file)) as book:
        scribe(book).write(Note(text=text))
        return book.journal.storage.upgrade_backup()


@pytest.mark.parametrize("golden", EVERY, ids=lambda path: path.stem)
def test_every_format_opens_with_its_root_and_continues(golden: Path, tmp_path: Path) -> None:
    file = Path(shutil.copy(golden, tmp_path / "road.campaign"))
    with open_book(str(golden)) as old:
        head, root = old.head(), old.root(old.head())
    noted(file)
    with open_book(str(file)) as book:
        assert (verify(book).entries, book.root(head)) == (head + 1, root)


def test_the_backup_of_an_older_file_has_the_bytes_of_the_file(file: Path) -> None:
    before = file.read_bytes()
    version = version_of(file)
    assert noted(file) == f"{file}.backup-format-{version}"
    assert without_counters(Path(f"{file}.backup-format-{version}").read_bytes()) == without_counters(before)
    assert version_of(file) == SCHEMA_VERSION


def test_the_backup_of_an_older_file_continues_on_its_own(file: Path) -> None:
    backup = Path(str(noted(file)))
    noted(backup, "on the other way")
    with open_book(str(file)) as one, open_book(str(backup)) as other:
        assert verify(one).entries == verify(other).entries
        assert one.root(one.head() - 1) == other.root(other.head() - 1)
        assert one.root(one.head()) != other.root(other.head())


def test_a_file_of_this_version_gets_no_backup(v3: Path) -> None:
    noted(v3)
    assert noted(v3) is None
    assert len(backups(v3)) == 1


def test_a_look_at_an_older_file_makes_no_backup(file: Path) -> None:
    before = file.read_bytes()
    with open_book(str(file)) as book, book.journal.reading():
        verify(book)
    assert (backups(file), file.read_bytes()) == ([], before)


def test_the_backup_has_the_permissions_of_the_file(v3: Path) -> None:
    for mode in (0o600, 0o640):
        v3.chmod(mode)
        with open_book(str(v3)) as book, book.journal.writing():
            pass
        (backup,) = backups(v3)
        assert backup.stat().st_mode & 0o777 == mode
        shutil.copy(GOLDEN / "campaigns" / "v3.campaign", v3)
        backup.unlink()


def test_the_backup_includes_the_entries_that_are_still_in_the_log(v3: Path) -> None:
    with open_book(str(v3)) as book, closing(sqlite3.connect(v3, isolation_level=None)) as other:
        other.execute("INSERT INTO words VALUES (1, 'late', zeroblob(32), 'in the log')")
        assert Path(f"{v3}-wal").stat().st_size
        scribe(book).write(Note(text="by this version"))
    with open_book(str(backups(v3)[0])) as backup:
        assert "in the log" in [word.text for word in backup.words.all()]


def test_a_backup_of_the_same_content_is_not_made_twice(v3: Path) -> None:
    with open_book(str(v3)) as book:
        with closing(SQLite.open(str(v3))) as storage:
            first = upgrading.back_up(storage, str(v3))
        scribe(book).write(Note(text="by this version"))
        assert book.journal.storage.upgrade_backup() == first
    assert len(backups(v3)) == 1


def test_a_file_with_the_name_of_the_backup_stays_as_it_is(v3: Path) -> None:
    for number, content in enumerate((b"something else", GOLDEN.joinpath("campaigns", "v2.campaign").read_bytes()), 1):
        (v3.parent / f"road.campaign.backup-format-3{'-2' * (number - 1)}").write_bytes(content)
    backup = noted(v3)
    assert backup == f"{v3}.backup-format-3-3"
    assert (v3.parent / "road.campaign.backup-format-3").read_bytes() == b"something else"


def test_the_backup_has_what_another_process_writes_just_before_the_upgrade(
    v3: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, back_up = list[str](), upgrading.back_up

    def meanwhile(storage: SQLite, file: str) -> str:
        made.append(str(back_up(storage, file)))
        if len(made) == 1:
            with closing(sqlite3.connect(v3, isolation_level=None)) as other:
                other.execute("INSERT INTO words VALUES (1, 'late', zeroblob(32), 'meanwhile')")
        return made[-1]

    monkeypatch.setattr(upgrading, "back_up", meanwhile)
    backup = noted(v3)
    assert made == [f"{v3}.backup-format-3", f"{v3}.backup-format-3-2"]
    with open_book(str(backup)) as kept:
        assert "meanwhile" in [word.text for word in kept.words.all()]


def test_a_file_that_another_process_upgrades_meanwhile_needs_no_second_backup(
    v3: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back_up = upgrading.back_up

    def meanwhile(storage: SQLite, file: str) -> str | None:
        monkeypatch.setattr(upgrading, "back_up", back_up)
        noted(v3, "by the other process")
        return back_up(storage, file)

    monkeypatch.setattr(upgrading, "back_up", meanwhile)
    assert noted(v3) is None
    assert len(backups(v3)) == 1
    with open_book(str(v3)) as book:
        assert verify(book).entries == book.head()


def test_on_a_full_disk_the_command_is_refused_and_the_older_file_stays(v3: Path) -> None:
    before = v3.read_bytes()
    with open_book(str(v3)) as book, full_disk(), pytest.raises((DiskRefused, NotMade), match="Nothing was written"):
        scribe(book).write(Note(text="no room"))
    assert v3.read_bytes() == before
    assert sorted(path.name for path in v3.parent.iterdir()) == ["road.campaign"]


def test_without_room_for_shared_memory_the_backup_is_made_all_the_same(
    v3: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, refused = opening._open_checked, list[str]()

    def no_shm(file: str, query: str, check: object, *pragmas: str) -> sqlite3.Connection:
        if query == "mode=rw" and not pragmas and not refused:
            refused.append(file)
            raise DiskRefused("no room for a -shm")
        return real(file, query, check, *pragmas)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(opening, "_open_checked", no_shm)
    backup = noted(v3)
    assert refused
    assert without_counters(Path(str(backup)).read_bytes()) == without_counters(
        (GOLDEN / "campaigns" / "v3.campaign").read_bytes()
    )


def test_an_older_campaign_that_moves_within_its_folder_is_upgraded_first(v3: Path) -> None:
    target = str(v3.parent / "new.campaign")
    with open_book(str(v3)) as book:
        head = book.head()
        move(book, target)
    assert len(backups(v3)) == 1
    with open_book(target) as moved:
        assert verify(moved).entries == head


def test_the_export_of_an_older_file_has_its_version_and_imports_with_its_root(file: Path) -> None:
    folder = str(file.parent / "export")
    with open_book(str(file)) as book:
        version, root = book.journal.storage.version(), export(book, folder).root
    assert Path(folder, "schema").read_text(encoding="utf-8") == f"{version}\n"
    assert import_export(folder, str(file.parent / "again.campaign")).root == root
    assert backups(file) == []


KILLED_AT = """
import os, signal, sys
from cli.main import main
from ledger.journal import new_files, replacing, sqlite, upgrading
calls, last = [], int(sys.argv.pop(1))
def counted(call):
    def made(*args, **options):
        calls.append(call)
        if len(calls) > last:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **options)
    return made
for module, names in (
    (new_files, ("mkdir", "link", "rmtree", "sync_names")),
    (upgrading, ("chmod", "back_up", "stored_content")),
    (sqlite, ("_new_file", "_prepare", "connect")),
    (sqlite.SQLite, ("_lock", "_roll_back", "_commit")),
):
    for name in names:
        setattr(module, name, counted(getattr(module, name)))
main()
"""


def test_an_upgrade_that_is_killed_at_any_step_leaves_the_older_file_or_its_backup(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    golden = (GOLDEN / "campaigns" / "v3.campaign").read_bytes()
    for step in count():
        folder = tmp_path / str(step)
        folder.mkdir()
        file = folder / "road.campaign"
        file.write_bytes(golden)
        monkeypatch.chdir(folder)
        monkeypatch.setenv("CAMPAIGN_HOME", str(tmp_path / "home"))
        words = [sys.executable, "-c", KILLED_AT, str(step), "note", "hello", "--clock-ok", "--once", "a"]
        ended = subprocess.run(words, capture_output=True, check=False).returncode
        if version_of(file) == SCHEMA_VERSION:
            assert [without_counters(path.read_bytes()) for path in backups(file)] == [without_counters(golden)]
        assert type_in("note hello --clock-ok --once a").exit_code == 0
        assert [path.name for path in folder.iterdir() if path.name == PART_FOLDER] == []
        assert [without_counters(path.read_bytes()) for path in backups(file)] == [without_counters(golden)]
        with open_book(str(file)) as book:
            assert sum(entry.type == "note-written" and entry.once == "a" for entry in book.journal.entries()) == 1
            assert verify(book).entries == book.head()
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
    assert step > 10


def test_the_upgrade_is_reported_in_one_line_with_the_name_of_the_backup(v3: Path, type_in: Type) -> None:
    done = type_in(f"-f {v3} note hello --clock-ok")
    (line,) = (line for line in done.stderr.splitlines() if "backup" in line)
    assert line.endswith("A backup in the old format is in the campaign's folder: road.campaign.backup-format-3")
    assert "backup" not in type_in(f"-f {v3} note again --clock-ok").stderr


def test_erase_names_a_backup_that_still_has_the_texts(v3: Path, type_in: Type) -> None:
    type_in(f"-f {v3} note hello --clock-ok")
    told = "If you no longer need the copies, delete: road.campaign.backup-format-3"
    assert told in type_in(f"-f {v3} erase --player Ana --yes --clock-ok").stderr
    assert "no longer need the copies" not in type_in(f"-f {v3} erase last --yes --clock-ok").stderr


def test_erase_names_a_copy_that_cannot_be_read(v3: Path, type_in: Type) -> None:
    Path(f"{v3}.before-restore-2026-11-28").write_bytes(b"broken")
    type_in(f"-f {v3} note hello --clock-ok")
    erased = type_in(f"-f {v3} erase last --yes --clock-ok").stderr
    assert "delete: road.campaign.before-restore-2026-11-28" in erased


def test_the_copies_of_a_campaign_do_not_include_the_logs_of_the_copies(v3: Path) -> None:
    for name in ("backup-format-3", "backup-format-3-wal", "before-restore-2026-11-28", "other"):
        Path(f"{v3}.{name}").touch()
    found = engine_for(str(v3)).kept_copies()
    assert found == [f"{v3}.backup-format-3", f"{v3}.before-restore-2026-11-28"]


def test_a_campaign_in_memory_needs_no_backup() -> None:
    with closing(SQLite.memory(3)) as storage, storage.writing():
        assert storage.upgrade_backup() is None


def test_a_link_to_an_older_campaign_gets_its_backup_beside_the_real_file(v3: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    os.symlink(v3, tmp_path / "elsewhere" / "linked.campaign")
    assert noted(tmp_path / "elsewhere" / "linked.campaign") == f"{v3.resolve()}.backup-format-3"


def test_two_writers_of_an_older_campaign_make_one_backup(v3: Path) -> None:
    def opened() -> Book:
        return open_book(str(v3))

    with opened() as one, opened() as other:
        scribe(one).write(Note(text="one"))
        scribe(other).write(Note(text="other"))
        assert connection_of(other).execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    assert len(backups(v3)) == 1
