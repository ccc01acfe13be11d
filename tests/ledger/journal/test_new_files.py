"""New files get their names whole or not at all, and what a killed command left goes with the next one."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.errors import Busy, LedgerError, NoRoom, NotMade, Taken, Unsettled
from ledger.journal import new_files
from ledger.journal.new_files import PART, folder_lock, remove_leftovers, whole_files, write_synced
from ledger.journal.sqlite import SQLite
from terminal import Type


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def make(folder: Path) -> None:
    key, file = str(folder / "road.key"), str(folder / "road.campaign")
    with folder_lock(file), whole_files(key, file) as places:
        for place in places:
            write_synced(place, b"whole")


KILLED_BETWEEN = """
import os, signal, sys
from ledger.journal import new_files
from pathlib import Path
def no_links(*_):
    raise PermissionError(1, "Operation not permitted")
if sys.argv[3] == "False":
    new_files.link = no_links
named = new_files._give_name
def once(place, file, *, last):
    named(place, file, last=last)
    os.kill(os.getpid(), signal.SIGKILL)
new_files._give_name = once
sys.path.append(sys.argv[1])
from test_new_files import make
make(Path(sys.argv[2]))
"""


@pytest.mark.parametrize("links", [True, False])
def test_of_two_files_that_go_together_a_kill_leaves_none_once_the_next_command_has_run(
    tmp_path: Path, links: bool
) -> None:
    words = [sys.executable, "-c", KILLED_BETWEEN, str(Path(__file__).parent), str(tmp_path), str(links)]
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run(words, check=False, env=path).returncode == -signal.SIGKILL
    assert names(tmp_path) == [PART, f"{PART}/0-road.key", f"{PART}/1-road.campaign", "road.key"]
    remove_leftovers(str(tmp_path / "other.campaign"))
    assert names(tmp_path) == []
    make(tmp_path)
    assert names(tmp_path) == ["road.campaign", "road.key"]


KILLED_AFTER = """
import os, signal, sys
from cli.main import main
from ledger.journal import new_files
def no_links(*_):
    raise PermissionError(1, "Operation not permitted")
def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv.pop(1) == "False":
    new_files.link = no_links
setattr(new_files, sys.argv.pop(1), kill)
main()
"""


@pytest.mark.parametrize(("links", "killed_at"), [(True, "sync_names"), (True, "unlink"), (False, "sync_names")])
@pytest.mark.parametrize("moved", ["road.key", "road.campaign"])
def test_a_campaign_and_key_whose_init_was_killed_at_the_end_are_kept_wherever_one_is_moved_to(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch, links: bool, killed_at: str, moved: str
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [sys.executable, "-c", KILLED_AFTER, str(links), killed_at, "init", "Road"]
    assert subprocess.run(words, capture_output=True, check=False).returncode == -signal.SIGKILL
    assert type_in("note x --clock-ok").exit_code == 0
    before = {path.name: path.read_bytes() for path in (Path("road.key"), Path("road.campaign"))}
    Path(moved).rename("elsewhere")
    remove_leftovers("other")
    left = {moved if name == "elsewhere" else name: (tmp_path / name).read_bytes() for name in names(tmp_path)}
    assert left == before


def test_a_campaign_stays_if_its_key_is_taken_to_another_disk_after_a_kill(tmp_path: Path) -> None:
    words = [sys.executable, "-c", KILLED_AFTER, "True", "unlink", "init", "Road"]
    subprocess.run(words, capture_output=True, check=False, cwd=tmp_path)
    (tmp_path / "road.key").unlink()
    remove_leftovers(str(tmp_path / "other"))
    assert names(tmp_path) == ["road.campaign"]


def test_a_key_that_lay_there_before_is_no_leftover(tmp_path: Path) -> None:
    (tmp_path / PART).mkdir()
    for name in ("road.key", f"{PART}/0-road.key", f"{PART}/1-road.campaign"):
        (tmp_path / name).write_text(f"mine: {name}")
    remove_leftovers(str(tmp_path / "road.campaign"))
    assert names(tmp_path) == ["road.key"]
    with pytest.raises(Taken, match=r"road\.key"):
        make(tmp_path)
    assert names(tmp_path) == ["road.key"]


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
    with pytest.raises(NoRoom), whole_files(str(tmp_path / "a")) as (place,):
        for name in (place, f"{place}-wal"):
            write_synced(name, b"half")
    assert names(tmp_path) == []


def test_what_may_be_written_or_not_goes_with_its_file(tmp_path: Path) -> None:
    with pytest.raises(NoRoom, match="Nothing was written"), whole_files(str(tmp_path / "a")):
        raise Unsettled("Nobody knows.")
    assert names(tmp_path) == []


def test_one_command_at_a_time_makes_something_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(new_files, "WAIT_SECONDS", 0)
    sentence = f"Another command has been using the folder {tmp_path} for 0 seconds. Nothing was written."
    with folder_lock(str(tmp_path / "a")), pytest.raises(Busy, match=re.escape(sentence)):
        remove_leftovers(str(tmp_path / "b"))


def test_where_a_system_has_no_locks_a_file_is_made_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("fcntl.flock", none)
    make(tmp_path)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with pytest.raises(Taken):
        make(tmp_path)
    assert names(tmp_path) == ["road.campaign", "road.key"]


KILLED = """
import os, signal, sys
from cli.main import main
from ledger.scribe import Scribe
Scribe.write_all = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
main()
"""


def test_after_a_kill_at_its_entry_the_same_init_and_the_same_rotation_work_and_leave_nothing(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words, left in (("init Road", ["road.campaign", "road.key"]), ("key rotate", ["road.campaign", "road.key"])):
        killed = subprocess.run([sys.executable, "-c", KILLED, *words.split()], capture_output=True, check=False)
        assert killed.returncode == -signal.SIGKILL
        spare = [name for name in names(tmp_path) if name.startswith("road.key.")]
        assert type_in(words).exit_code == 0
        assert names(tmp_path) == [*left, *spare]
    assert len(spare) == 1
    assert type_in("checkpoint").exit_code == 0


def test_a_rotation_that_is_refused_keeps_a_key_that_lay_there(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    type_in("init Road")
    subprocess.run([sys.executable, "-c", KILLED, "key", "rotate"], capture_output=True, check=False)
    (tmp_path / "road.key.unread").write_text("no key")
    (spare,) = tmp_path.glob("road.key.????????")
    assert type_in(["key", "rotate", "--why", "x" * 100_000]).exit_code == 2
    assert names(tmp_path) == ["road.campaign", "road.key", spare.name, "road.key.unread"]


def test_a_campaign_that_is_made_and_cannot_be_shown_is_not_called_unwritten(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise NoRoom("The disk refused the write; nothing was written.")

    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr("cli.context.Invocation.book", fails)
        made = type_in("init Road")
    assert made.stderr.startswith("Error: road.campaign is created, but the answer could not be shown: the disk fails.")
    assert (made.exit_code, type_in("verify").exit_code) == (4, 0)


@pytest.mark.parametrize("failure", [NoRoom, Unsettled])
def test_a_rotation_that_fails_where_nothing_can_be_removed_is_one_sentence_and_its_key_is_taken_up(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch, failure: type[LedgerError]
) -> None:
    remove = os.unlink

    def stays(file: str, **within: int) -> None:
        if ".key." in file:
            raise OSError(5, "Input/output error", file)
        remove(file, **within)

    def fails(*_: object, **__: object) -> None:
        raise failure("The disk failed.")

    monkeypatch.chdir(tmp_path)
    type_in("init Road")
    with monkeypatch.context() as patched:
        patched.setattr("os.unlink", stays)
        patched.setattr("ledger.scribe.Scribe.write_all", fails)
        assert type_in("key rotate").stderr == "Error: The disk failed.\n"
    (spare,) = tmp_path.glob("road.key.????????")
    assert type_in("key rotate").stdout.split("+")[1] == spare.suffix[1:]


def test_a_folder_whose_name_is_taken_back_lies_where_it_was_made(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    new_files._take_back([(str(tmp_path / "part"), str(tmp_path / "out"))])
    assert [path.name for path in tmp_path.iterdir()] == ["part"]


def test_a_log_that_cannot_be_emptied_may_come_back() -> None:
    storage = SQLite.memory()
    storage.close()
    assert storage._emptied() is False
