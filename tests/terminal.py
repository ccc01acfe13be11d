"""A terminal to type at: the command line in this process, or a real process at a terminal of its own."""

import os
import pty
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from click.testing import Result

from ledger.book import open_book

Type = Callable[..., Result]


def head(folder: Path) -> int:
    """The number of entries of the campaign in a folder."""
    with open_book(str(folder / "road.campaign")) as book:
        return book.journal.head()


def command(file: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "cli", "-f", str(file), *words]


def typed_at_a_terminal(
    words: Sequence[str], answers: Sequence[tuple[str, str | Callable[[], str]]], enter: str = "\n"
) -> str:
    """Run a command at a terminal of its own; type each answer once its question is on the screen."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(words[0], list(words), {**os.environ, "TERM": "dumb", "PAGER": "cat"})
    screen, seen = "", 0
    waiting = list(answers)
    while True:
        try:
            read = os.read(terminal, 4096)
        except OSError:
            break
        if not read:
            break
        screen += read.decode()
        if waiting and waiting[0][0] in screen[seen:]:
            seen, answer = len(screen), waiting.pop(0)[1]
            if not enter:
                time.sleep(0.3)  # a single key is read once the terminal hands out single keys
            os.write(terminal, f"{answer if isinstance(answer, str) else answer()}{enter}".encode())
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    return f"{screen}exit {os.waitstatus_to_exitcode(status)}"
