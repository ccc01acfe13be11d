"""Backups: real processes that write meanwhile, kills, names that are taken, and places that take no file."""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine import connection_of
from examples import THOROUGH
from ledger.archive import backup as module
from ledger.archive.backup import backup
from ledger.audit.verify import verify
from ledger.commands.at_table import Note
from ledger.errors import LedgerError, Taken
from ledger.journal.book import open_book
from own_key import key_at_home
from table import scribe
from tampering import fields, rewritten
from terminal import Type, command, rows

WRITES = """
import sys
from ledger.journal.book import open_book
from ledger.commands.play import PlayMove
from ledger.scribe import Scribe
from ledger.systems.edge.moves_check import Check
with open_book(sys.argv[1]) as book:
    while True:
        Scribe(book, clock_ok=True).write(PlayMove(system="edge", move=Check(who="mara", skill=11, advantage=("map",))))
        print("written", flush=True)
"""


@contextmanager
def a_writer(file: Path, program: str = WRITES) -> Iterator["subprocess.Popen[bytes]"]:
    """Another process that writes to the file for as long as this lasts."""
    with subprocess.Popen(
        [sys.executable, "-c", program, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        yield writer
        writer.kill()


def checked(copy: Path) -> int:
    """The number of entries of a copy that is whole, and holds no half action."""
    with open_book(str(copy)) as book:
        assert "move-played" in {entry.type for entry in book.action(book.entry(book.head()).act)}
        return verify(book).entries


def run(words: list[str], **kwargs: Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(words, capture_output=True, text=True, check=False, **kwargs)


def test_a_backup_is_of_whole_actions_while_others_write_and_nothing_of_theirs_is_lost(
    file: Path, tmp_path: Path
) -> None:
    copies = [tmp_path / f"copy-{number}" for number in range(6 if THOROUGH else 3)]
    with a_writer(file), a_writer(file), open_book(str(file)) as book:
        wholes = [backup(book, str(copy)) for copy in copies]
        scribe(book).write(Note(text="this hand still has its locks"))
        last = book.head()
    assert [checked(copy) for copy in copies] == [whole.entries for whole in wholes]
    with open_book(str(file)) as book:
        assert verify(book).entries >= last
        for copy in copies:
            with open_book(str(copy)) as copied:
                assert book.contains_head(copied.head(), copied.root(copied.head()))


HOLDS = """
import sys
from ledger.journal.book import open_book
with open_book(sys.argv[1]) as book, book.journal.writing():
    book.journal.storage.connection.execute("DELETE FROM words")
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_backup_beside_a_transaction_neither_waits_for_it_nor_holds_any_of_it(file: Path, tmp_path: Path) -> None:
    with a_writer(file, HOLDS):
        done = run(command(file, "backup", str(tmp_path / "copy")), timeout=30)
    assert (
        done.stdout
        == f"{tmp_path / 'copy'} is a complete copy (7 entries) and was checked. It does not contain the signing key.\n"
    ), done.stderr
    with open_book(str(tmp_path / "copy")) as book:
        assert verify(book).words == 2 + 1


def test_the_key_stays_where_it_is_and_no_other_file_is_left(folder: Path, type_in: Type) -> None:
    key = type_in("key rotate").stdout.splitlines()[-1]
    before = sorted(folder.iterdir())
    (there := folder / "stick").mkdir()
    (answer,) = rows(type_in("backup stick/copy.campaign --json").stdout)
    assert (answer["file"], answer["entries"]) == ("stick/copy.campaign", 8)
    assert sorted(folder.iterdir()) == sorted([*before, there])
    assert list(there.iterdir()) == [there / "copy.campaign"]
    secret = key_at_home().read_text().strip()
    assert key.encode() in (copy := (there / "copy.campaign").read_bytes())
    assert secret.rpartition("+")[2].encode() not in copy
    assert (there / "copy.campaign").stat().st_mode == (folder / "road.campaign").stat().st_mode


def refused(type_in: Type, words: str, code: int) -> str:
    done = type_in(words)
    assert (done.exit_code, done.stdout) == (code, "")
    return str(done.stderr)


def test_what_is_there_already_stays_as_it_is(folder: Path, type_in: Type) -> None:
    (folder / "mine").write_text("mine")
    (folder / "gone").symlink_to("nowhere")
    (folder / "dir").mkdir()
    for name in ("mine", "gone", "dir", "dir/", ".", "road.campaign"):
        seen = refused(type_in, f"backup {name}", 3 if not name.endswith("/") else 2)
        assert seen.startswith((f"Error: {name} already exists.", "Error: 'dir/' is not a file name."))
    assert (folder / "mine").read_text() == "mine"
    assert sorted(path.name for path in folder.iterdir()) == ["dir", "gone", "mine", "road.campaign"]


def test_a_name_that_is_taken_while_the_copy_is_checked_is_not_overwritten(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*args: Any) -> Any:
        (tmp_path / "copy").write_text("somebody else's")
        return verify(*args)

    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(module, "verify", slow)
    for link in (os.link, no_links):
        monkeypatch.setattr("ledger.journal.new_files.link", link)
        (tmp_path / "copy").unlink(missing_ok=True)
        with open_book(str(file)) as book, pytest.raises(Taken):
            backup(book, str(tmp_path / "copy"))
        assert (tmp_path / "copy").read_text() == "somebody else's"


def test_a_disk_without_links_takes_a_backup_too(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("ledger.journal.new_files.link", no_links)
    with open_book(str(file)) as book:
        assert backup(book, str(tmp_path / "copy")).entries == 7
    with open_book(str(tmp_path / "copy")) as book:
        assert verify(book).entries == 7


def test_a_folder_that_is_missing_or_no_folder_is_exit_4(folder: Path, type_in: Type) -> None:
    (folder / "mine").write_text("mine")
    hint = "Hint: Make the folder first, or choose a different one.\n"
    for name, why, then in (("nowhere/copy", "No such file or directory", hint), ("mine/copy", "Not a directory", "")):
        says = f"Error: {name} cannot be created: {why}. Nothing was written.\n"
        assert refused(type_in, f"backup {name}", 4) == says + then


def test_a_folder_that_takes_no_file_is_exit_4(file: Path, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(0o500)
    words = command(file, "backup", str(tmp_path / "closed" / "copy"))
    if os.getuid() == 0:  # the superuser may write everywhere, unless that right is given up
        words = ["setpriv", "--bounding-set", "-dac_override", "--inh-caps", "-dac_override", *words]
    done = run(words)
    assert (done.returncode, done.stdout) == (4, ""), done.stderr
    assert "cannot be created: Permission denied. Nothing was written." in done.stderr
    assert list((tmp_path / "closed").iterdir()) == []


def _small_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def test_a_disk_that_takes_no_more_is_exit_4_and_leaves_nothing(file: Path, tmp_path: Path) -> None:
    with open_book(str(file)) as book:
        for _ in range(3):
            scribe(book).write(Note(text="x" * 9000))
    (there := tmp_path / "stick").mkdir()
    done = run(command(file, "backup", str(there / "copy")), preexec_fn=_small_disk)
    assert (done.returncode, done.stdout) == (4, ""), done.stderr
    assert done.stderr.startswith("Error: The disk could not save the data. Nothing was written.")
    assert list(there.iterdir()) == []


def test_a_campaign_that_is_not_whole_is_not_taken_for_a_backup(file: Path, tmp_path: Path) -> None:
    (there := tmp_path / "stick").mkdir()
    with open_book(str(file)) as book:
        rewritten(5, fields(at="2020-01-01T00:00:00Z"))(connection_of(book))
        with pytest.raises(LedgerError) as alone:
            verify(book)
        with pytest.raises(type(alone.value)) as refusal:
            backup(book, str(there / "copy"))
    assert refusal.value.sentence == alone.value.sentence
    assert list(there.iterdir()) == []


def test_after_a_kill_there_is_a_whole_backup_or_none_and_the_same_command_leaves_nothing_else(
    file: Path, tmp_path: Path
) -> None:
    with a_writer(file):
        time.sleep(0.5)
    chance = random.Random(7)  # noqa: S311  when to kill
    (there := tmp_path / "stick").mkdir()
    copy, seen = there / "copy", set[bool]()
    for _ in range(12 if THOROUGH else 4):
        with subprocess.Popen(command(file, "backup", str(copy))) as process:
            while not any(there.iterdir()) and process.poll() is None:
                time.sleep(0.001)
            time.sleep(chance.random() * 0.3)
            process.kill()
        seen.add(copy.exists())
        missing = not copy.exists()
        done = run(command(file, "backup", str(copy)))
        assert done.returncode == (0 if missing else 3), done.stderr
        assert checked(copy) > 7
        assert list(there.iterdir()) == [copy]
        copy.unlink()
    assert False in seen


def test_an_interruption_leaves_nothing(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (there := tmp_path / "stick").mkdir()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "verify", interrupted)
    with open_book(str(file)) as book, pytest.raises(KeyboardInterrupt):
        backup(book, str(there / "copy"))
    assert list(there.iterdir()) == []


def test_a_campaign_that_can_only_be_read_can_be_kept(file: Path, tmp_path: Path) -> None:
    words = command(file, "backup", str(tmp_path / "copy"))
    (tmp_path / "copy").unlink(missing_ok=True)
    file.chmod(0o400)
    if os.getuid() == 0:
        words = ["setpriv", "--bounding-set", "-dac_override", "--inh-caps", "-dac_override", *words]
    assert run(words).returncode == 0
    with open_book(str(tmp_path / "copy")) as book:
        assert verify(book).entries == 7
