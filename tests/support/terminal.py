"""A terminal to type at: the command line in this process, or a real process at a terminal of its own."""

import json
import os
import pty
import select
import signal
import sys
import termios
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from click.shell_completion import ShellComplete
from click.testing import Result

from cli.main import campaign
from ledger.journal.book import open_book
from paths import TESTS
from table import EVENING

Type = Callable[..., Result]

LONGEST_WAIT = 60
"""Seconds without a word, after which a command that waits for ever is ended, and its test fails."""


PROGRAM = (sys.executable, str(TESTS / "support" / "at_evening.py"), EVENING.isoformat())
"""Starts the command line in a process of its own, by the clock of the tests' campaigns."""


def rows(text: str) -> list[dict[str, Any]]:
    """The objects that `--json` wrote, one a line."""
    return [json.loads(line) for line in text.splitlines()]


def completed(words: str, start: str) -> list[str]:
    """What completion offers for the next word that begins so."""
    found = ShellComplete(campaign, {}, "campaign", "_CAMPAIGN_COMPLETE")
    return [item.value for item in found.get_completions(words.split(), start)]


def head(folder: Path) -> int:
    """The number of entries of the campaign in a folder."""
    with open_book(str(folder / "road.campaign")) as book:
        return book.journal.head()


def command(file: Path | str, *words: str) -> list[str]:
    return [*PROGRAM, "-f", str(file), *words]


def heed_interrupts() -> None:
    """Let Ctrl-C end this process: a run in the background of a shell would leave it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def typed_at_a_terminal(
    words: Sequence[str],
    answers: Sequence[tuple[str, str | Callable[[], str]]],
    enter: str = "\n",
    size: tuple[int, int] = (0, 0),
    **environment: str,
) -> str:
    """Run a command at a terminal of its own, of so many lines and columns; type each answer once its question is there."""
    pid, terminal = pty.fork()
    if pid == 0:
        heed_interrupts()
        termios.tcsetwinsize(0, size)
        os.execve(words[0], list(words), {**os.environ, "TERM": "dumb", "PAGER": "cat", **environment})
    screen, seen = "", 0
    waiting = list(answers)
    decoder = getincrementaldecoder("utf-8")()
    while True:
        if not select.select([terminal], [], [], LONGEST_WAIT)[0]:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(terminal)
            raise AssertionError(f"{waiting[:1] or 'The end'} did not come: {screen}")
        try:
            read = os.read(terminal, 4096)
        except OSError:
            break
        if not read:
            break
        screen += decoder.decode(read)  # a letter may arrive in two pieces
        if waiting and waiting[0][0] in screen[seen:]:
            seen, answer = len(screen), waiting.pop(0)[1]
            if not enter:
                time.sleep(0.3)  # a key is typed once the question is read, and the terminal is ready for it
            os.write(terminal, f"{answer if isinstance(answer, str) else answer()}{enter}".encode())
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    return f"{screen}exit {os.waitstatus_to_exitcode(status)}"
