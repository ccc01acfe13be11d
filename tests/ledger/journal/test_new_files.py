"""New files get their names whole or not at all, and what a killed command left goes with the next one."""

import os
import re
import signal
import subprocess
import sys
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from threading import Timer

import pytest

from ledger.errors import Busy, DiskRefused, LedgerError, NotMade, Taken, Unsettled
from ledger.journal import new_files
from ledger.journal.new_files import PART_FOLDER, atomic_file, folder_lock, remove_leftovers, write_synced
from ledger.journal.sqlite import SQLite
from own_key import key_at_home
from terminal import Type


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def make(folder: Path) -> None:
    file = str(folder / "road.campaign")
    with folder_lock(file), atomic_file(file) as place:
        write_synced(place, b"whole")


def test_in_a_folder_that_cannot_be_opened_files_are_made_without_its_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: str) -> None:
        raise PermissionError(13, "Permission denied", folder)

    monkeypatch.setattr(new_files, "_open_for_lock", refuse)  # root, who runs the tests in a container, may open any
    make(tmp_path)
    assert (tmp_path / "road.campaign").read_bytes() == b"whole"


KILLED_AT = """
import os, signal, sys
from cli.main import main
from ledger.journal import new_files
def no_links(*_):
    raise PermissionError(1, "Operation not permitted")
if sys.argv.pop(1) == "False":
    new_files.link = no_links
calls, last = [], int(sys.argv.pop(1))
def counted(call):
    def made(*args):
        calls.append(call)
        if len(calls) > last:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args)
    return made
for name in ("mkdir", "link", "rename", "fsync", "rmtree", "write_synced", "sync_names"):
    setattr(new_files, name, counted(getattr(new_files, name)))
main()
"""


@pytest.mark.parametrize("links", [True, False])
def test_an_init_that_is_killed_at_any_step_leaves_no_campaign_or_one_that_signs(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    outcomes = []
    for step in count():
        folder = tmp_path / str(step)
        folder.mkdir()
        monkeypatch.chdir(folder)
        monkeypatch.setenv("CAMPAIGN_HOME", str(folder / "home"))
        words = [sys.executable, "-c", KILLED_AT, str(links), str(step), "init", "Road"]
        ended = subprocess.run(words, capture_output=True, check=False).returncode
        outcomes.append((folder / "road.campaign").exists())
        if not outcomes[-1]:
            assert type_in("init Road").exit_code == 0
        assert type_in("checkpoint").exit_code == 0
        assert type_in("backup again").exit_code == 0
        assert names(folder) == ["again", "home", *(name for name in names(folder) if "home/" in name), "road.campaign"]
        assert not [name for name in names(folder / "home") if PART_FOLDER in name]
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
    assert outcomes == sorted(outcomes)
    assert not outcomes[0]
    assert len(outcomes) > 10


@pytest.mark.parametrize("links", [True, False])
def test_a_disk_that_fails_at_the_names_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    def fails(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(new_files, "sync_names", fails)
    if links:
        monkeypatch.setattr(new_files, "rename", fails)
    else:
        monkeypatch.setattr(new_files, "link", fails)
    with pytest.raises(NotMade, match=r"road.campaign cannot be created: Input/output error. Nothing was written\."):
        make(tmp_path)
    assert names(tmp_path) == []


def test_what_cannot_be_closed_gets_no_name(tmp_path: Path) -> None:
    with pytest.raises(DiskRefused), atomic_file(str(tmp_path / "a")) as place:
        for name in (place, f"{place}-wal"):
            write_synced(name, b"half")
    assert names(tmp_path) == []


def test_what_may_be_written_or_not_goes_with_its_file(tmp_path: Path) -> None:
    with pytest.raises(DiskRefused, match="Nothing was written"), atomic_file(str(tmp_path / "a")):
        raise Unsettled("Nobody knows.")
    assert names(tmp_path) == []


def test_the_error_about_leftovers_that_cannot_be_removed_says_why(tmp_path: Path) -> None:
    (tmp_path / PART_FOLDER).write_text("no folder")
    with pytest.raises(NotMade, match="cannot be created: Not a directory"):
        make(tmp_path)


def test_one_command_at_a_time_makes_something_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(new_files, "WAIT_SECONDS", 0)
    sentence = f"Another command has been using the folder {tmp_path} for 0 seconds. Nothing was written."
    with folder_lock(str(tmp_path / "a")), pytest.raises(Busy, match=re.escape(sentence)):
        remove_leftovers(str(tmp_path / "b"))


def test_a_command_that_gives_up_on_a_folder_leaves_no_file_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new_files, "WAIT_SECONDS", 0)
    with folder_lock(str(tmp_path / "a")):
        before = os.listdir("/dev/fd")
        with pytest.raises(Busy):
            remove_leftovers(str(tmp_path / "b"))
        assert os.listdir("/dev/fd") == before


def test_a_new_file_gets_the_permissions_that_the_umask_allows(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write_synced(str(tmp_path / "a"), b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o666


def test_where_a_system_has_no_locks_a_file_is_made_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("fcntl.flock", none)
    make(tmp_path)
    with pytest.raises(Taken):
        make(tmp_path)
    assert names(tmp_path) == ["road.campaign"]


KILLED = """
import os, signal, sys
from cli.main import main
from ledger.scribe import Scribe
Scribe.write_all = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
main()
"""


def test_after_a_kill_at_its_entry_the_same_init_and_the_same_rotation_work_and_leave_nothing_beside(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in ("init Road", "key rotate"):
        killed = subprocess.run([sys.executable, "-c", KILLED, *words.split()], capture_output=True, check=False)
        assert killed.returncode == -signal.SIGKILL
        assert type_in(words).exit_code == 0
        assert names(tmp_path) == ["road.campaign"]
    assert type_in("checkpoint").exit_code == 0


def test_a_campaign_that_is_made_and_cannot_be_shown_is_not_called_unwritten(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise DiskRefused("The disk could not save the data; nothing was written.")

    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr("cli.context.Invocation.book", fails)
        made = type_in("init Road")
    assert made.stderr.startswith(
        "Error: road.campaign was created, but the answer could not be shown: a disk error occurred."
    )
    assert (made.exit_code, type_in("verify").exit_code) == (4, 0)


@pytest.mark.parametrize(("failure", "keys"), [(DiskRefused, 1), (Unsettled, 2)])
def test_a_rotation_that_fails_is_one_sentence_and_keeps_its_key_only_if_it_may_sign_already(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch, failure: type[LedgerError], keys: int
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise failure("The disk failed.")

    monkeypatch.chdir(tmp_path)
    type_in("init Road")
    with monkeypatch.context() as patched:
        patched.setattr("ledger.scribe.Scribe.write_all", fails)
        assert type_in("key rotate").stderr == "Error: The disk failed.\n"
    assert len(list(key_at_home().parent.iterdir())) == keys
    assert type_in("checkpoint").exit_code == 0


def test_a_rotation_that_fails_where_nothing_can_be_removed_is_one_sentence(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove = os.unlink

    def stays(file: str, **within: int) -> None:
        if file.endswith(".key") and not within:
            raise OSError(5, "Input/output error", file)
        remove(file, **within)

    monkeypatch.chdir(tmp_path)
    type_in("init Road")
    with monkeypatch.context() as patched:
        patched.setattr("os.unlink", stays)
        assert type_in(["key", "rotate", "--why", "x" * 100_000]).exit_code == 2
    assert type_in("key rotate").exit_code == 0


def test_a_log_that_cannot_be_emptied_may_come_back() -> None:
    storage = SQLite.memory()
    storage.close()
    assert storage._clear_log() is False


def test_a_command_waits_for_another_that_makes_a_file_in_the_same_folder(tmp_path: Path) -> None:
    with ExitStack() as other:
        other.enter_context(folder_lock(str(tmp_path / "other.campaign")))
        ends = Timer(0.05, other.close)
        ends.start()
        make(tmp_path)
        ends.join()
    assert (tmp_path / "road.campaign").read_bytes() == b"whole"
