"""Slow readers: an open pager, pipe, replay or question does not delay writes to the file."""

import fcntl
import io
import os
import shutil
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

import pytest

from cli.render import terminal
from ledger.journal.book import open_book
from terminal import Type, command, typed_at_a_terminal

NOTES = 40


@pytest.fixture
def road(folder: Path, type_in: Type) -> Path:
    """Make a campaign whose log is longer than a screen or the buffer of a pipe."""
    for _ in range(10):
        assert type_in(["note", "word " * 1800]).exit_code == 0
    for number in range(30):
        assert type_in(f"note before {number}").exit_code == 0
    return folder / "road.campaign"


def evening(road: Path, type_in: Type) -> None:
    """Write an evening. Afterwards the file itself has every entry, and no erased words."""
    for number in range(NOTES):
        assert type_in(f"note evening {number}").exit_code == 0
    copy = road.parent / "copy.campaign"
    shutil.copyfile(road, copy)
    with open_book(str(copy)) as book:
        assert book.words.texts_of(book.head()) == {"text": f"evening {NOTES - 1}"}
    copy.unlink()
    assert type_in("erase 8 --yes").exit_code == 0


def meanwhile(road: Path, type_in: Type, answer: str) -> Callable[[], str]:
    """Return an answer that a person gives only after a whole evening."""

    def answered() -> str:
        evening(road, type_in)
        return answer

    return answered


@pytest.mark.parametrize("words", ["log -n all", "chronicle"])
def test_an_open_pager_does_not_delay_writes_to_the_file(road: Path, type_in: Type, tmp_path: Path, words: str) -> None:
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\ncat >/dev/null\necho PAGED >/dev/tty\nread answer </dev/tty\n")
    pager.chmod(0o755)
    screen = typed_at_a_terminal(
        command(road, *words.split()),
        [("PAGED", meanwhile(road, type_in, ""))],
        size=(24, 80),
        PAGER=str(pager),
    )
    assert screen.endswith("exit 0")


def test_a_replay_that_waits_for_a_key_does_not_delay_writes_or_show_new_entries(road: Path, type_in: Type) -> None:
    words = command(road, "replay", "--step")
    screen = typed_at_a_terminal(words, [("q: quit", meanwhile(road, type_in, " ")), ("q: quit", "q")], enter="")
    assert "Action 2 of " in screen
    assert screen.endswith("exit 0")


def test_a_question_about_a_name_does_not_delay_writes_to_the_file(road: Path, type_in: Type) -> None:
    assert type_in("player Max --plays maren").exit_code == 0
    words = command(road, "sheets", "mar")
    screen = typed_at_a_terminal(words, [("Which one", lambda: erased(type_in))])
    assert screen.endswith("exit 0")


def erased(type_in: Type) -> str:
    assert type_in("erase 8 --yes").exit_code == 0
    return "mara"


@pytest.mark.parametrize(
    "words", ["log -n all", "log -n all --json", "replay", "replay --json", "chronicle", "chronicle --all --json"]
)
def test_a_pipe_that_nobody_reads_keeps_no_file_open(road: Path, type_in: Type, words: str) -> None:
    with subprocess.Popen(command(road, *words.split()), stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        before = -1
        while (now := waiting_in(reader.stdout)) != before or not now:  # until the pipe is full
            assert reader.poll() is None
            before = now
            time.sleep(0.3)
        evening(road, type_in)
        reader.stdout.read()
    assert reader.returncode == 0


def test_a_pipe_gets_at_once_what_it_has_room_for_and_the_rest_later(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    texts = ["é" * 200_000, "x" * 200_000, "the end"]
    with ThreadPoolExecutor() as elsewhere, open(reader, encoding="utf-8") as pipe:
        with open(writer, "w", encoding="utf-8") as output:
            monkeypatch.setattr(sys, "stdout", output)
            with terminal.hold_output():
                terminal.say("a short text")
                assert pipe.readline() == "a short text\n"
                for text in texts:
                    terminal.say(terminal.colored(text, "struck"))
                rest = elsewhere.submit(pipe.read)
        assert rest.result().splitlines() == texts


@pytest.mark.parametrize(("prints", "shown"), [(True, ""), (False, "50%")])
def test_work_that_prints_to_a_pipe_draws_no_bar_over_a_pager(
    monkeypatch: pytest.MonkeyPatch, *, prints: bool, shown: str
) -> None:
    reader, writer = os.pipe()
    screen = Screen()
    monkeypatch.setattr(terminal, "PROGRESS_AFTER_SECONDS", -1)
    monkeypatch.setattr(sys, "stderr", screen)
    with open(reader), open(writer, "w") as output:
        monkeypatch.setattr(sys, "stdout", output)
        with terminal.progress(10, prints=prints) as count:
            count(5)
    assert shown in screen.getvalue()
    assert bool(screen.getvalue()) == bool(shown)


class Screen(io.StringIO):
    """Standard error at a terminal."""

    def isatty(self) -> bool:
        return True


def waiting_in(pipe: IO[bytes]) -> int:
    """Return the number of unread bytes in a pipe."""
    (count,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))
    return int(count)


def test_very_long_output_is_sent_before_the_file_is_closed(
    road: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = type_in("log -n all")
    monkeypatch.setattr(terminal, "MOST_HELD_CHARACTERS", 100)
    assert type_in("log -n all --json").stdout.count("\n") > NOTES
    assert type_in("log -n all").stdout == whole.stdout


@pytest.mark.parametrize("words", ["erase --player Anastasia-Quux --yes", "erase 8 --yes"])
def test_the_hint_of_an_erasure_beside_a_reader_takes_the_words_out_of_the_file_later(
    folder: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    file = folder / "road.campaign"
    assert type_in("player Anastasia-Quux").exit_code == 0
    monkeypatch.setattr("ledger.journal.opening.BUSY_SECONDS", 0.05)
    with open_book(str(file)) as reader, reader.journal.reading():
        left = type_in(words)
        assert (left.exit_code, "somebody else is reading the file" in left.stderr) == (4, True)
    says, _, repeat = left.stderr.splitlines()[-1].partition(": campaign ")
    assert says == "Hint: Type this when nobody is reading the file"
    assert "The file no longer contains it" in type_in(repeat).stderr
    assert b"Anastasia-Quux" not in file.read_bytes()
