"""Reading a file without write access: beside a writer, on a full or read-only disk, in another person's folder."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine import connection_of, full_disk, written_meanwhile
from laid import nobody
from ledger.archive.backup import backup
from ledger.archive.export import export
from ledger.audit.verify import verify
from ledger.commands.at_table import Note
from ledger.errors import Busy, Damaged, DiskRefused, NotACampaign, ReadOnly
from ledger.journal.book import Book, open_book
from ledger.scribe import Request
from paths import ROOT
from table import scribe


@pytest.fixture
def file(book: Book) -> Iterator[Path]:
    """Make a campaign in a readable folder, last written more than a second ago."""
    ((_, _, own),) = connection_of(book).execute("PRAGMA database_list").fetchall()
    book.close()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "road.campaign"
        shutil.copyfile(own, path)
        path.chmod(0o644)
        settled(path)
        Path(folder).chmod(0o755)
        yield path
        Path(folder).chmod(0o700)


def settled(*paths: Path) -> None:
    for path in paths:
        os.utime(path, (time.time() - 1,) * 2)


@contextmanager
def only_readable(file: Path) -> Iterator[None]:
    """Run as a user who can write neither the file nor its folder."""
    file.parent.chmod(0o555)
    try:
        with nobody():
            yield
    finally:
        file.parent.chmod(0o755)


def with_log_left(file: Path) -> None:
    """Leave entry 8 only in the log, as after a kill."""
    with open_book(str(file)) as reader, reader.journal.reading():
        with open_book(str(file)) as writer:
            scribe(writer).write(Note(text="only in the log"))
        shutil.copy(f"{file}-wal", f"{file}.kept")
    Path(f"{file}.kept").rename(f"{file}-wal")
    settled(file, Path(f"{file}-wal"))


def names(file: Path) -> set[str]:
    return {path.name.removeprefix(file.name) for path in file.parent.iterdir()}


def test_a_file_and_folder_that_can_only_be_read_are_read_and_nothing_is_left_beside_the_file(file: Path) -> None:
    with only_readable(file), open_book(str(file)) as book:
        assert verify(book).entries == 7
        with pytest.raises(
            ReadOnly, match=r"You can read .*, but you cannot write to it or its folder. Nothing was written"
        ):
            scribe(book).write(Note(text="x"))
    assert names(file) == {""}


def test_a_file_without_write_permission_is_a_copy_for_everybody(file: Path) -> None:
    file.chmod(0o444)
    with open_book(str(file)) as book:
        assert verify(book).entries == 7
        with pytest.raises(ReadOnly, match=r"This file is read-only\. Nothing was written") as refused:
            scribe(book).write(Note(text="x"))
    assert refused.value.hint == "A player copy stays read-only. Make changes in the GM's file."
    assert names(file) == {""}


def test_a_file_without_write_permission_is_read_at_once_even_if_it_just_changed(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ledger.journal.opening.BUSY_SECONDS", 0.01)
    os.utime(file)
    file.chmod(0o444)
    with open_book(str(file)) as book:
        assert verify(book).entries == 7


def test_a_log_without_its_index_is_read_where_no_index_can_be_made(file: Path) -> None:
    with_log_left(file)
    with only_readable(file), open_book(str(file)) as book:
        assert verify(book).entries == 8
    assert names(file) == {"", "-wal"}


def test_a_read_only_file_is_read_with_the_log_beside_it(file: Path) -> None:
    with_log_left(file)
    file.chmod(0o444)
    with open_book(str(file)) as book:
        assert verify(book).entries == 8


def test_what_a_writer_has_only_in_its_log_is_seen_by_a_reader_without_rights(file: Path) -> None:
    with open_book(str(file)) as writer:
        scribe(writer).write(Note(text="still in the log"))
        with only_readable(file), open_book(str(file)) as book:
            assert verify(book).entries == 8


def test_a_reader_without_rights_never_calls_a_file_damaged_while_others_write(file: Path) -> None:
    with open_book(str(file)) as book:
        scribe(book).write_all([Request(command=Note(text="word " * 100)) for _ in range(400)])
    with written_meanwhile(file, 0.02):
        before = 0
        for _ in range(25):
            with nobody(), open_book(str(file)) as book:
                entries = verify(book).entries
                assert before <= entries
                before = entries
        assert before > 407


@pytest.mark.parametrize("log", [False, True])
def test_a_campaign_on_a_full_disk_is_checked_and_copied_elsewhere(file: Path, tmp_path: Path, log: bool) -> None:
    if log:
        with_log_left(file)
    entries = 7 + log
    with full_disk(), open_book(str(file)) as book:
        assert verify(book).entries == entries
        with pytest.raises(DiskRefused):
            scribe(book).write(Note(text="x"))
    with full_disk():
        book = open_book(str(file))
    with book:
        assert backup(book, str(tmp_path / "copy")).entries == entries
        assert export(book, str(tmp_path / "export")).entries == entries


def test_a_campaign_beside_which_no_log_can_be_made_is_read(file: Path) -> None:
    long = file.rename(file.with_name("r" * 253))  # the name of its log would be too long
    settled(long)
    with open_book(str(long)) as book:
        assert verify(book).entries == 7
        with pytest.raises(DiskRefused):
            scribe(book).write(Note(text="x"))


def test_a_file_that_just_changed_is_read_after_it_stops_changing(file: Path) -> None:
    os.utime(file)
    with only_readable(file), open_book(str(file)) as book:
        assert verify(book).entries == 7


def test_damage_in_a_file_that_can_only_be_read_is_reported(file: Path) -> None:
    stored = bytearray(file.read_bytes())
    stored[100:4096] = b"\xff" * 3996
    file.write_bytes(stored)
    Path(f"{file}-wal").touch()
    settled(file, Path(f"{file}-wal"))
    file.chmod(0o444)
    with pytest.raises(Damaged):
        open_book(str(file))


def test_another_sqlite_file_is_not_a_campaign_to_a_reader_without_rights(file: Path) -> None:
    file.unlink()
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE t (x)")
    other.close()
    with only_readable(file), pytest.raises(NotACampaign):
        open_book(str(file))


def test_a_file_that_is_written_all_the_time_is_busy_for_a_reader_without_rights(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ledger.journal.opening.BUSY_SECONDS", 0.01)
    monkeypatch.setattr("ledger.journal.opening.TICK_SECONDS", 3600.0)
    os.utime(file)
    with only_readable(file), pytest.raises(Busy):
        open_book(str(file))


def test_a_copy_in_memory_loses_no_entries(file: Path) -> None:
    with only_readable(file), open_book(str(file)) as book:
        connection = connection_of(book)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("DELETE FROM words")


ON_A_READ_ONLY_DISK = """
mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" || exit 77
for words in "log -n 1" verify audit "backup $1/copy" "export $1/export"; do "$2" -m cli -f road.campaign $words >/dev/null || exit 1; done
"$2" -I "$1/export/verify.py" road.campaign >&2 || exit 2
"$2" -m cli -f road.campaign note x
"""


@pytest.mark.parametrize("log", [False, True])
def test_a_read_only_disk_is_looked_at_checked_and_copied_from(file: Path, tmp_path: Path, log: bool) -> None:
    if log:
        with_log_left(file)
    words = ["unshare", "--mount", "sh", "-c", ON_A_READ_ONLY_DISK, str(file.parent), str(tmp_path), sys.executable]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("only the superuser mounts")
    assert done.returncode == 4, done.stderr
    assert "Error: road.campaign is on a read-only disk. Nothing was written." in done.stderr
    assert f"OK: {7 + log} entries" in done.stderr
