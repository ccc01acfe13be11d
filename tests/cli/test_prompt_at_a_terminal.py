"""The prompt at a real terminal: pasted lines and the history file."""

import os
import select
import signal
import stat
import sys
from pathlib import Path

import click
import pytest
from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory
from prompt_toolkit.input.vt100 import raw_mode

from cli.context import Invocation
from cli.keyboard import Keyboard
from terminal import Type, command, head, typed_at_a_terminal

PASTE = "\x1b[200~{}\x1b[201~"
"""A paste as every terminal sends it."""


@pytest.fixture
def history() -> Path:
    """Return the prompt's history file."""
    return Path(os.environ["CAMPAIGN_HOME"], "history")


def test_each_line_of_a_paste_gets_its_own_answer(folder: Path, history: Path) -> None:
    before = head(folder)
    screen = typed_at_a_terminal(
        command(folder / "road.campaign", "play", "--who", "mara"),
        [("mara> ", PASTE.format("-1 edge; toll\n+1 edge; back")), ("edge 3 → 4", "quit")],
        enter="\r",
    )
    assert "mara> -1 edge; toll" in screen
    assert "mara adjusted by hand: toll" in screen
    assert "mara adjusted by hand: back" in screen
    assert head(folder) == before + 2
    assert "\n+-1 edge; toll\n" in history.read_text()
    assert "\n++1 edge; back\n" in history.read_text()


def test_a_long_view_at_the_prompt_opens_no_pager_that_would_take_the_next_lines(folder: Path) -> None:
    before = head(folder)
    screen = typed_at_a_terminal(
        command(folder / "road.campaign", "play"),
        [("> ", PASTE.format("log -n all\nnote after the log\nquit"))],
        enter="\r",
        size=(4, 80),
        PAGER="sh -c 'echo PAGED; cat'",
    )
    assert "PAGED" not in screen
    assert "note: after the log" in screen
    assert head(folder) == before + 1


def test_a_tab_that_is_typed_ahead_is_a_space(folder: Path) -> None:
    screen = typed_at_a_terminal(command(folder / "road.campaign", "play"), [("> ", "note a\tlie\rquit")], enter="\r")
    assert "note: a lie" in screen


def test_a_tab_that_waits_for_the_next_key_completes_a_word(folder: Path) -> None:
    screen = typed_at_a_terminal(
        command(folder / "road.campaign", "play"),
        [("> ", "sheets mar"), ("sheets mar", "\t"), ("a", "\r"), ("mara · edge", "quit\r")],
        enter="",
    )
    assert "exit 0" in screen


@pytest.mark.parametrize("ends", ["quit\r", "q\r", "exit\r", "\x04"])
def test_a_prompt_that_closes_says_so_and_how_to_open_it_again(folder: Path, ends: str) -> None:
    screen = typed_at_a_terminal(command(folder / "road.campaign", "play"), [("> ", ends)], enter="")
    assert "The prompt is closed. To open it again, type: campaign play" in screen


def test_an_interrupt_between_two_commands_keeps_the_finished_lines_to_be_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal, stdin = os.openpty()
    with open(terminal, "wb", buffering=0) as typing, open(stdin, encoding="utf-8") as lines:
        monkeypatch.setattr(sys, "stdin", lines)
        keyboard = Keyboard(PromptSession[str]())
        with keyboard.opened():
            assert keyboard.stopped_lines() == []
            typing.write(b"note one\nnote tw\x7fo\nlog\x15note th\bree four \x17five\npostgres://a:b@c\nnote mistyp")
            os.kill(os.getpid(), signal.SIGINT)
            assert keyboard.stopped_lines() == ["note one", "note to", "note tree five", "…"]
            assert keyboard.stopped_lines() == []


def test_an_interrupt_stops_a_command_but_not_the_prompt_in_which_no_command_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, stdin = os.openpty()
    with open(stdin, encoding="utf-8") as lines, click.Context(click.Command("play"), obj=Invocation(at_prompt=True)):
        monkeypatch.setattr(sys, "stdin", lines)
        keyboard = Keyboard(PromptSession[str]())
        with keyboard.opened():
            os.kill(os.getpid(), signal.SIGINT)
            with pytest.raises(KeyboardInterrupt), click.Context(click.Command("note")):
                os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupted_line_says_that_nothing_was_written(folder: Path) -> None:
    screen = typed_at_a_terminal(
        command(folder / "road.campaign", "play"),
        [("> ", "void 3 --why x\r"), ("[y/N]", "\x03"), ("Nothing was written", "quit\r")],
        enter="",
    )
    assert "exit 0" in screen


@pytest.mark.parametrize("deletes", [b"\x7f", b"\x15", b"\x17"])
def test_a_key_that_deletes_waits_for_the_prompt_although_the_line_began_at_the_prompt_before(
    monkeypatch: pytest.MonkeyPatch, deletes: bytes
) -> None:
    terminal, stdin = os.openpty()
    with open(terminal, "wb", buffering=0) as typing, open(stdin, encoding="utf-8") as lines:
        monkeypatch.setattr(sys, "stdin", lines)
        with Keyboard(PromptSession[str]()).opened():
            with raw_mode(stdin):
                typing.write(b"mara gold+34")
                assert select.select([stdin], [], [], 10)[0]
            typing.write(deletes + b"\n")
            with raw_mode(stdin):
                keys = b""
                while not keys.endswith(b"\n"):
                    keys += os.read(stdin, 4096)
            assert keys == b"mara gold+34" + deletes + b"\n"


def test_a_paste_of_several_lines_keeps_no_line_with_a_secret(folder: Path, history: Path) -> None:
    typed_at_a_terminal(
        command(folder / "road.campaign", "play"),
        [("> ", PASTE.format("note one\nnote the ferryman lies --secret")), ("(secret)", "quit")],
        enter="\r",
    )
    assert "note one" in history.read_text()
    assert "ferryman" not in history.read_text()


def test_erased_words_leave_the_history_and_the_lines_of_an_open_prompt(folder: Path, history: Path) -> None:
    up_twice = "\x1b[A\x1b[A"
    screen = typed_at_a_terminal(
        command(folder / "road.campaign", "play"),
        [
            ("> ", "roll mara d20 = 3"),
            ("= 3", "note Ben told us SECRETWORD"),
            ("note: Ben", "erase 10 --yes"),
            ("They may still", up_twice),
            ("rolls d20 = 3", "quit"),
        ],
        enter="\r",
    )
    assert "SECRETWORD" not in screen.partition("They may still")[2]
    text = history.read_text()
    assert "SECRETWORD" not in text
    assert "+roll mara d20 = 3\n" in text
    assert "+erase 10 --yes\n" in text
    assert stat.S_IMODE(history.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("note Ben told us  the SECRET", True),
        ("scene x; ben told us the secret", True),
        ("note one\nof ben told us the secret", True),
        ("note Ben told us the secrets", False),
        ("note Big Ben told us", False),
    ],
)
def test_all_lines_with_an_erased_text_leave_the_history_and_no_others(
    folder: Path, history: Path, type_in: Type, line: str, goes: bool
) -> None:
    FileHistory(str(history)).store_string(line)
    FileHistory(str(history)).store_string("with mara")
    type_in("note 'Ben told us the secret'")
    before = history.read_text()
    type_in(f"erase {head(folder)} --yes --dry-run")
    assert history.read_text() == before
    type_in(f"erase {head(folder)} --yes")
    assert [*FileHistory(str(history)).load_history_strings()] == ["with mara", *([] if goes else [line])]


def test_the_lines_that_name_an_erased_player_leave_the_history(folder: Path, history: Path, type_in: Type) -> None:
    for line in ("player Ana --plays mara", "--by ana note x", "note Anabel"):
        FileHistory(str(history)).store_string(line)
    type_in("erase --player Ana --yes")
    assert [*FileHistory(str(history)).load_history_strings()] == ["note Anabel"]


def test_a_history_that_cannot_be_changed_is_named_among_the_copies(folder: Path, history: Path, type_in: Type) -> None:
    history.mkdir()
    type_in("note secret")
    seen = type_in(f"erase {head(folder)} --yes").stderr
    assert f"The history is in {history.parent}, and could not be changed: Is a directory." in seen
    assert "your terminal's history of typed commands" in seen


@pytest.mark.parametrize("obstacle", ["home is a file", "history is a folder"])
def test_a_prompt_without_a_history_works_and_says_so_in_one_line(folder: Path, tmp_path: Path, obstacle: str) -> None:
    home = tmp_path / "other-home"
    if obstacle == "home is a file":
        home.write_text("")
    else:
        (home / "history").mkdir(parents=True)
    screen = typed_at_a_terminal(
        command(folder / "road.campaign", "play"),
        [("> ", "note one"), ("note: one", "quit")],
        enter="\r",
        CAMPAIGN_HOME=str(home),
    )
    why = f"{home} cannot be created: File exists" if home.is_file() else f"{home / 'history'}: Is a directory"
    assert f"This prompt cannot save its history of typed lines ({why})." in " ".join(screen.split())
    assert "unforeseen" not in screen
    assert "exit 0" in screen


def test_only_the_owner_can_enter_a_home_that_the_prompt_makes(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    before = os.umask(0o022)
    try:
        typed_at_a_terminal(
            command(folder / "road.campaign", "play"), [("> ", "quit")], enter="\r", CAMPAIGN_HOME=str(home)
        )
    finally:
        os.umask(before)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE((home / "history").stat().st_mode) == 0o600
