"""A file with the log of another file is refused, nothing in either is lost, and honest logs are accepted."""

import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from ledger.archive.backup import backup
from ledger.audit.verify import verify
from ledger.commands.at_table import Note, OpenSession
from ledger.commands.custody import Erase
from ledger.errors import DiskRefused, ForeignLog, Unscrubbed
from ledger.journal import foreign
from ledger.journal.book import open_book
from ledger.journal.opening import connect
from paths import GOLDEN
from table import opened_book, scribe
from terminal import Type

READS = """
import sys
from ledger.journal.book import open_book
with open_book(sys.argv[1]) as book, book.journal.reading():
    book.head()
    print("reads", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def killed_reader(file: Path) -> Iterator[None]:
    """Start another process that reads, so that the log stays; kill it at the end."""
    with subprocess.Popen(
        [sys.executable, "-c", READS, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as reader:
        assert reader.stdout is not None
        reader.stdout.readline()
        yield
        reader.send_signal(signal.SIGKILL)


def notes(file: Path, count: int, words: str) -> int:
    """Write notes, and return the last entry."""
    with open_book(str(file)) as book:
        for number in range(count):
            scribe(book, seed=book.head()).write(Note(text=f"{number} {words}"))
        return book.head()


def number(file: Path) -> int:
    connection = sqlite3.connect(file)
    ((number,),) = connection.execute("PRAGMA schema_version").fetchall()
    connection.close()
    return int(number)


def crashed(folder: Path, before: int, between: int, after: int) -> tuple[Path, Path, int]:
    """Make a file with a log left by a kill, an older backup, and return both with the last entry."""
    file, stick = folder / "road.campaign", folder / "stick.backup"
    opened_book(str(file)).close()
    notes(file, before, "first evening")
    with open_book(str(file)) as book:
        backup(book, str(stick))
    notes(file, between, "second evening " + "y" * 300)
    with killed_reader(file):
        last = notes(file, after, "third evening " + "z" * 300)
    assert Path(f"{file}-wal").stat().st_size
    return file, stick, last


MIXED = [
    *((45, 150, 60), (0, 1, 1), (5, 40, 3), (49, 15, 4), (8, 8, 1), (20, 12, 35), (30, 30, 12)),
    *((0, 3, 1), (20, 8, 1), (45, 5, 3)),
]
"""The numbers of notes before a backup, between it and the crash that leaves a log, and in that log."""

WHOLE = [(45, 0, 60), (5, 3, 40), (100, 2, 40), (5, 0, 1), (12, 0, 2), (17, 0, 5), (20, 1, 2)]
"""The same, where the log has every page that the backup lacks."""


def exchanged(folder: Path, sizes: tuple[int, int, int]) -> tuple[Path, Path, int]:
    """Copy a backup over the name of a file whose log stays; return it, the old file, and its last entry."""
    file, stick, last = crashed(folder, *sizes)
    file.rename(broken := folder / "broken")
    shutil.copy(stick, file)
    return file, broken, last


def is_refused(file: Path, broken: Path, last: int) -> None:
    """Check that a file and a log are refused, and that nothing of either is lost."""
    for _ in range(2):
        with pytest.raises(ForeignLog, match=r"road\.campaign and road\.campaign-wal do not belong together\."):
            open_book(str(file))
    Path(f"{file}-wal").rename(f"{broken}-wal")
    with open_book(str(broken)) as book:
        assert verify(book).entries == last
    with open_book(str(file)) as book:
        assert verify(book)


@pytest.mark.parametrize("sizes", [*MIXED, *WHOLE])
def test_a_backup_that_is_copied_beside_an_old_log_is_not_mixed_with_it(
    tmp_path: Path, sizes: tuple[int, int, int]
) -> None:
    is_refused(*exchanged(tmp_path, sizes))


def test_a_copy_by_cp_is_not_mixed_with_a_log_that_lacks_the_rows_of_later_entries(tmp_path: Path) -> None:
    file, copy, broken = (tmp_path / name for name in ("road.campaign", "copy", "broken"))
    opened_book(str(file)).close()
    notes(file, 3, "first evening")
    shutil.copy(file, copy)
    with open_book(str(file)) as book:
        scribe(book, seed=book.head()).write(OpenSession(title="Two", present=()))
    with killed_reader(file):
        last = notes(file, 3, "second evening")
    file.rename(broken)
    shutil.copy(copy, file)
    is_refused(file, broken, last)


@pytest.fixture
def _no_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make files without a number, like an older program."""
    monkeypatch.setattr("ledger.journal.sqlite._set_first_counter", lambda _: None)


@pytest.mark.usefixtures("_no_numbers")
@pytest.mark.parametrize("sizes", MIXED)
def test_a_backup_of_an_older_program_is_not_mixed_with_an_old_log(tmp_path: Path, sizes: tuple[int, int, int]) -> None:
    is_refused(*exchanged(tmp_path, sizes))


@pytest.mark.usefixtures("_no_numbers")
@pytest.mark.parametrize("sizes", WHOLE)
def test_a_log_that_has_all_that_an_older_copy_lacks_loses_no_entry(
    tmp_path: Path, sizes: tuple[int, int, int]
) -> None:
    file, _, last = exchanged(tmp_path, sizes)
    with open_book(str(file)) as book:
        assert verify(book).entries == last


def test_words_that_an_entry_in_the_log_erased_are_not_missing(tmp_path: Path) -> None:
    file, _, last = crashed(tmp_path, 3, 3, 3)
    with open_book(str(file)) as book, killed_reader(file), suppress(Unscrubbed):
        scribe(book, seed=99).write(Erase(entries=(last,)))
    with open_book(str(file)) as book:
        assert verify(book).entries == last + 1


def test_a_file_with_the_log_of_another_campaign_is_refused(tmp_path: Path) -> None:
    file, _, _ = crashed(tmp_path, 3, 3, 3)
    (tmp_path / "other").mkdir()
    other, _, _ = crashed(tmp_path / "other", 3, 30, 3)
    with open_book(str(other)) as book:
        scribe(book, seed=99).write(Note(text="theirs"))
    shutil.copy(other, file)
    with pytest.raises(ForeignLog), open_book(str(file)):
        pass


def test_a_restore_keeps_a_file_and_the_log_of_another_apart(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file, _, last = exchanged(tmp_path, MIXED[0])
    log = Path(f"{file}-wal").read_bytes()
    assert "do not belong together" in type_in("log").stderr
    assert type_in("restore stick.backup --yes").exit_code == 0
    with open_book(str(file)) as book:
        verify(book)
    kept = sorted(each.name for each in tmp_path.iterdir() if "before-restore" in each.name and "shm" not in each.name)
    assert [name.endswith("-wal") for name in kept] == [False, True]
    assert Path(kept[1]).read_bytes() == log
    Path(kept[1]).rename("broken-wal")
    with open_book("broken") as book:
        assert verify(book).entries == last


def test_after_a_restore_beside_a_reader_the_log_is_the_files_own(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file, _, _ = crashed(tmp_path, 5, 5, 5)
    with killed_reader(file):
        assert type_in("restore stick.backup --yes").exit_code == 0
        assert type_in("note on").exit_code == 0
    assert Path(f"{file}-wal").stat().st_size
    for _ in range(3):
        assert type_in("note on").exit_code == 0
    assert type_in("verify").exit_code == 0


def test_after_an_unreadable_file_of_which_nobody_knows_the_end_is_replaced_the_log_is_the_files_own(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file, _, _ = crashed(tmp_path, 5, 5, 5)
    monkeypatch.setenv("CAMPAIGN_HOME", str(tmp_path / "another-home"))
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("DELETE FROM nodes")
    connection.close()
    with killed_reader(file):
        shown = type_in("restore stick.backup --yes")
        assert "Entries may be lost: this computer does not know" in shown.stderr
    assert Path(f"{file}-wal").stat().st_size
    for _ in range(3):
        assert type_in("note on").exit_code == 0
    assert type_in("verify").exit_code == 0


def test_a_log_whose_entries_are_not_all_there_is_not_taken_for_a_restore(tmp_path: Path) -> None:
    file, _, last = crashed(tmp_path, 3, 3, 3)
    with killed_reader(file):
        connection = sqlite3.connect(file, isolation_level=None)
        connection.executescript("DROP TRIGGER entries_remain; DELETE FROM entries WHERE seq > 4; VACUUM")
        connection.close()
    assert Path(f"{file}-wal").stat().st_size
    with pytest.raises(ForeignLog):
        foreign.check_log(str(file), connect)
    assert last > 4


def test_each_file_has_a_number_of_its_own_and_a_restore_adds_one_to_it(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file, stick, _ = crashed(tmp_path, 3, 3, 3)
    before = number(file)
    assert abs(before - number(stick)) > foreign.MOST_CHANGES
    type_in("restore stick.backup --yes")
    assert number(file) == before + 1


def test_an_honest_log_is_never_accused(tmp_path: Path) -> None:
    file, _, last = crashed(tmp_path, 10, 10, 10)
    with open_book(str(file)) as book:
        assert verify(book).entries == last


def test_a_log_beside_another_kind_of_file_is_not_compared(tmp_path: Path) -> None:
    file = tmp_path / "road.campaign"
    file.write_text("no campaign")
    Path(f"{file}-wal").write_text("no log")
    foreign.check_log(str(file), connect)


def test_a_file_whose_last_entry_is_half_written_is_not_compared(tmp_path: Path) -> None:
    file, _, _ = crashed(tmp_path, 1, 1, 1)
    alone = sqlite3.connect(f"file:{file}?immutable=1", uri=True)
    (leaf,) = alone.execute("SELECT leaf FROM entries ORDER BY seq DESC LIMIT 1").fetchone()
    alone.close()
    file.write_bytes(file.read_bytes().replace(leaf, bytes(32)))
    foreign.check_log(str(file), connect)


def test_a_log_beside_a_file_of_the_first_version_is_compared_too(tmp_path: Path) -> None:
    file = tmp_path / "road.campaign"
    shutil.copy(GOLDEN / "campaigns" / "v1.campaign", file)
    with killed_reader(file):
        connection = sqlite3.connect(file, isolation_level=None)
        connection.execute("INSERT INTO words VALUES (1, 'x', zeroblob(32), 'x')")
        connection.close()
    assert Path(f"{file}-wal").stat().st_size
    foreign.check_log(str(file), connect)


def test_a_log_that_cannot_be_read_now_is_not_accused(tmp_path: Path) -> None:
    file, _, _ = exchanged(tmp_path, MIXED[0])

    def without_room(file: str, query: str) -> sqlite3.Connection:
        if query == "mode=ro":
            raise DiskRefused("The disk could not save the data.")
        return connect(file, query)

    foreign.check_log(str(file), without_room)
