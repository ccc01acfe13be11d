"""Windows and macOS, pretended on Linux: without the POSIX modules, and with the disk of a Mac.

The program was never tried on a real machine with these systems (`docs/windows-macos.md`).
"""

import fcntl
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, tzinfo
from pathlib import Path
from types import ModuleType

import pytest
from prompt_toolkit import PromptSession

from cli.keyboard import Keyboard
from cli.render import terminal
from ledger.audit import remembered
from ledger.audit.remembered import Memory
from ledger.audit.verify import verify
from ledger.errors import Busy
from ledger.journal import new_files
from ledger.journal.book import Book, open_book
from ledger.journal.files import FileEngine
from ledger.journal.new_files import LOCK_FILE, folder_lock, write_synced
from ledger.times import in_local_zone
from paths import TESTS
from terminal import Type, typed_at_a_terminal

PROGRAM = (sys.executable, str(TESTS / "support" / "windows.py"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a campaign without the POSIX modules, in a folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAMPAIGN_HOME", str(tmp_path / "home"))
    typed("init", "Road", "--gm", "Tom")
    typed("join", "mara", "edge", "maximum=4", "edge=3")
    return tmp_path


def typed(*words: str, stdin: str = "") -> str:
    """Run a command without the POSIX modules, and return its output. It must succeed."""
    done = subprocess.run([*PROGRAM, *words], input=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_every_module_can_be_imported_without_the_posix_modules() -> None:
    assert int(typed()) > 300


@pytest.mark.usefixtures("folder")
def test_an_evening_can_be_played_and_checked_without_the_posix_modules() -> None:
    assert "complete success" in typed("edge", "check", "mara", "--skill", "11", "--target", "5", "--faces", "7,6")
    assert "#6    note: one" in typed("play", stdin="log\nnote one\n")
    assert "undoes #6" in typed("undo")
    assert "OK: " in typed("verify")
    assert "No problems found." in typed("audit")
    assert typed("checkpoint").startswith("campaign/")


@pytest.mark.slow
def test_files_come_and_go_without_the_posix_modules(folder: Path) -> None:
    typed("backup", "road.backup")
    typed("note", "lost")
    typed("restore", "road.backup", "--yes")
    assert len([*folder.glob("road.campaign.before-restore-*")]) == 1
    typed("export", "players", "--for", "players")
    typed("-f", "copy.campaign", "import", "players", "--yes")
    assert (folder / "copy.campaign").stat().st_mode & 0o222 == 0
    for _ in range(2):
        typed("-f", "road.campaign", "tables")
        typed("-f", "road.campaign", "export", "--format", "obsidian", "vault")
    typed("-f", "road.campaign", "note", "to be erased")
    typed("-f", "road.campaign", "erase", "last", "--yes")
    typed("move", "road.campaign", "moved.campaign")
    assert "OK: " in typed("-f", "moved.campaign", "verify")
    assert not (folder / new_files.PART_FOLDER).exists()


@pytest.mark.slow
def test_two_commands_at_once_lose_no_entry_without_the_posix_modules(folder: Path) -> None:
    started = [subprocess.Popen([*PROGRAM, "note", str(number)], stdout=subprocess.DEVNULL) for number in range(6)]
    assert [process.wait() for process in started] == [0] * 6
    with open_book(str(folder / "road.campaign")) as book:
        notes = [entry.type for entry in book.journal.entries()].count("note-written")
        assert (notes, verify(book).entries) == (6, book.head())


@pytest.mark.slow
def test_the_page_answers_without_the_posix_modules(folder: Path) -> None:
    words = [*PROGRAM, "serve", "--port", "0", "--log", str(folder / "log")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = [process.stdout.readline() for _ in range(2)][-1].split()[-1]
            with urllib.request.urlopen(address, timeout=60) as answer:  # noqa: S310  our own page
                assert answer.status == 200
        finally:
            process.kill()


@pytest.mark.slow
def test_the_prompt_at_a_terminal_asks_and_answers_without_the_posix_modules(folder: Path) -> None:
    screen = typed_at_a_terminal(
        [*PROGRAM, "play"],
        [("> ", "note one\r"), ("note: one", "void last --why x\r"), ("[y/N]", "y\r"), ("voids #", "quit\r")],
        enter="",
    )
    assert "exit 0" in screen


def test_a_question_at_a_terminal_is_read_without_the_posix_modules(folder: Path) -> None:
    screen = typed_at_a_terminal([*PROGRAM, "void", "3", "--why", "x"], [("[y/N]", "n")])
    assert "Nothing was written" in screen


@contextmanager
def fake_msvcrt(monkeypatch: pytest.MonkeyPatch, keys: str = "", **functions: object) -> Iterator[None]:
    msvcrt, waiting = ModuleType("msvcrt"), [*keys]
    msvcrt.__dict__.update({"kbhit": lambda: bool(waiting), "getwch": lambda: waiting.pop(0), "LK_NBLCK": 2})
    msvcrt.__dict__.update(functions)
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "msvcrt", msvcrt)
        for name in ("fcntl", "termios"):
            patched.setitem(sys.modules, name, None)
        yield


def test_the_lines_that_wait_at_an_interrupt_are_named_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    keyboard = Keyboard(PromptSession[str]())
    with fake_msvcrt(monkeypatch, "note one\rnote tw\bo\rnot fin"), keyboard.opened():
        keyboard._interrupt()
        assert keyboard.stopped_lines() == ["note one", "note to"]


def test_a_folder_is_locked_by_a_file_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locked = list[tuple[str | int, ...]]()

    def locking(file: int, *how: int) -> None:
        locked.append((os.readlink(f"/dev/fd/{file}"), *how))

    with fake_msvcrt(monkeypatch, locking=locking), folder_lock(str(tmp_path / "a")):
        assert locked == [(str(tmp_path / LOCK_FILE), 2, 1)]


def test_a_folder_that_another_command_uses_is_busy_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def locking(*_: int) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(new_files, "WAIT_SECONDS", 0)
    with fake_msvcrt(monkeypatch, locking=locking), pytest.raises(Busy), folder_lock(str(tmp_path / "a")):
        raise AssertionError


def test_a_rename_gives_the_name_where_it_never_replaces_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new_files, "RENAME_KEEPS_EXISTING", True)
    monkeypatch.setattr(new_files, "link", None)
    file = str(tmp_path / "a")
    with folder_lock(file), new_files.atomic_file(file) as part:
        write_synced(part, b"whole")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_no_check_is_remembered_where_the_program_cannot_tell_who_owns_a_folder(
    book: Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from cli.render.proofs import show_remembered
    from ledger.errors import Run

    monkeypatch.setattr(remembered, "LEAST_ENTRIES", 1)
    monkeypatch.setattr(remembered, "HAS_OWNERS", False)
    for _ in range(2):
        memory = Memory(str(tmp_path), "verify", "2026-11-28")
        verify(book, memory=memory)
        assert memory.earlier_check is None
    show_remembered(memory, book.head(), Run("verify"))
    assert "so the next check starts from the beginning." in " ".join(capsys.readouterr().out.split())


def test_nobody_is_warned_about_permissions_that_a_system_does_not_have(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "road.campaign").chmod(0o644)
    monkeypatch.delattr(os, "geteuid")
    assert not FileEngine(str(folder / "road.campaign")).read_by_others()


def test_a_question_is_read_at_once_where_the_system_cannot_wait_for_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "CAN_WAIT_FOR_KEYS", False)
    monkeypatch.setattr(terminal, "is_interactive", lambda: True)
    monkeypatch.setattr("builtins.input", lambda prompt: f"answer to {prompt}")
    assert terminal.read_line("sure?") == "answer to sure?"


def test_a_campaign_gets_no_file_name_that_windows_reserves(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "Your campaign is in table-con.campaign." in type_in("init Con").stderr


def test_a_time_before_1970_is_in_utc_where_the_system_knows_no_zone_for_it() -> None:
    class Early(datetime):
        def astimezone(self, tz: tzinfo | None = None) -> "Early":
            raise OSError(22, "Invalid argument")

    assert in_local_zone(Early(1200, 1, 1)).isoformat() == "1200-01-01T00:00:00+00:00"


def test_a_mac_is_asked_to_flush_the_memory_of_its_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[int]()
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda _, request: asked.append(request))
    monkeypatch.setattr(new_files, "fsync", None)
    write_synced(str(tmp_path / "a"), b"whole")
    assert asked == [51]


def test_a_disk_of_a_mac_that_refuses_to_flush_its_memory_is_synced_as_usual(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(file: int, request: int) -> None:
        raise OSError(45, "Operation not supported")

    synced = list[int]()
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", refuses)
    monkeypatch.setattr(new_files, "fsync", synced.append)
    write_synced(str(tmp_path / "a"), b"whole")
    assert len(synced) == 1
