"""Work that takes long: it says how far it is and how long it still takes, and Ctrl-C leaves nothing behind."""

import io
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.render import terminal
from examples import some
from ledger.archive.export import export
from ledger.audit.verify import verify
from ledger.commands.roll import Roll
from ledger.journal.book import open_book
from ledger.scribe import Request
from table import opened_book, scribe
from terminal import heed_interrupts, typed_at_a_terminal

AT_ONCE = "from cli.render import terminal; terminal.PROGRESS_AFTER_SECONDS = 0; from cli.__main__ import main; main()"
"""The command line, with a bar that does not wait for a second to pass."""

ROLLS = 2000
"""So many that no command is done with them before the interrupt comes."""

LONG = [
    "verify",
    "audit",
    "rebuild",
    "backup copy.backup",
    "export out",
    "-f new.campaign import exported --yes",
    "import exported --dry-run",
    "chronicle",
    "chronicle --all",
    "chronicle --all --corrected",
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a campaign of thousands of rolls, and its export."""
    folder = tmp_path_factory.mktemp("long")
    with opened_book(str(folder / "road.campaign"), games=("edge",)) as book:
        scribe(book).write_all([Request(command=Roll(who="mara", notation="3d6"))] * ROLLS)
        export(book, str(folder / "exported"))
    return folder


def interrupted(folder: Path, words: str) -> str:
    """What a terminal shows of a command that is interrupted once its bar is there."""
    typed = words.split() if words.startswith("-f") else ["-f", "road.campaign", *words.split()]
    program = f"import os, sys; os.chdir({str(folder)!r}); sys.argv[1:] = {typed!r}; {AT_ONCE}"
    return typed_at_a_terminal([sys.executable, "-c", program], [("%", "\x03")])


@pytest.mark.parametrize("words", some(LONG))
def test_a_long_command_shows_how_far_it_is_and_an_interrupt_leaves_nothing_behind(made: Path, words: str) -> None:
    before = sorted(path.name for path in made.iterdir())
    with open_book(str(made / "road.campaign")) as book:
        head, root = book.head(), book.root(book.head())
    screen = interrupted(made, words)
    assert re.search(r"\[[#-]+\] +\d+%", screen), screen
    assert screen.endswith("Interrupted.\r\nexit 130"), screen[-300:]
    assert "Traceback" not in screen
    assert sorted(path.name for path in made.iterdir()) == before
    with open_book(str(made / "road.campaign")) as book:
        assert (book.head(), book.root(head)) == (head, root)
        assert words != "rebuild" or verify(book).entries == head


def test_an_interrupt_at_the_prompt_names_the_lines_that_were_typed_ahead_and_does_none_of_them(made: Path) -> None:
    with open_book(str(made / "road.campaign")) as book:
        head = book.head()
    typed = ["-f", str(made / "road.campaign"), "play"]
    program = f"import sys; sys.argv[1:] = {typed!r}; {AT_ONCE}"
    screen = typed_at_a_terminal(
        [sys.executable, "-c", program],
        [
            ("> ", "verify"),
            ("%", "note one\rnote two\r\x03"),
            ("This line was not carried out: note two", "note three"),
            ("note: three", "quit"),
        ],
        enter="\r",
    )
    assert screen.count("Interrupted.") == 1
    assert "This line was not carried out: note one" in screen
    assert screen.endswith("exit 0")
    with open_book(str(made / "road.campaign")) as book:
        assert book.head() == head + 1


@pytest.mark.slow
@pytest.mark.parametrize(("words", "entries"), [("void 8 --why x --yes", 1), ("day next --count 400", 400)])
def test_a_command_that_is_interrupted_writes_all_or_nothing(made: Path, words: str, entries: int) -> None:
    with open_book(str(made / "road.campaign")) as book:
        head = book.head()
    command = [sys.executable, "-m", "cli", "-f", str(made / "road.campaign"), *words.split()]
    for seconds in (0.2, 0.4):
        child = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=heed_interrupts,  # noqa: PLW1509  no thread runs here
        )
        time.sleep(seconds)
        child.send_signal(signal.SIGINT)
        child.wait(timeout=60)
        with open_book(str(made / "road.campaign")) as book:
            assert (book.head() - head) % entries == 0
            assert verify(book).entries == book.head()


class Screen(io.StringIO):
    """Standard error at a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_bar_comes_after_a_second_and_counts_what_was_done_before(monkeypatch: pytest.MonkeyPatch) -> None:
    now, screen = [1000.0], Screen()
    monkeypatch.setattr(time, "time", lambda: now[0])
    monkeypatch.setattr(sys, "stderr", screen)
    with terminal.progress(100) as count:
        count(20)
        assert screen.getvalue() == ""
        now[0] += 2
        count(20)
        assert "40%" in screen.getvalue()
        assert "00:00:03" in screen.getvalue()


def test_where_nobody_looks_no_bar_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "PROGRESS_AFTER_SECONDS", -1)
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    with terminal.progress(10) as count:
        count(5)
    assert screen.getvalue() == ""
