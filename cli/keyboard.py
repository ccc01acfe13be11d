"""The keyboard of an open prompt: one reader for lines and for answers to questions."""

from __future__ import annotations

import os
import re
import select
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.filters import Condition
from prompt_toolkit.input.typeahead import get_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from cli.render import terminal
from cli.short_words import has_password

DELETION_PATTERNS = {"\x7f": ".$", "\b": ".$", "\x15": "^.*$", "\x17": r"\S*\s*$"}
"""The keys that delete text. The pattern of each key matches the text that the key deletes."""


def show_line(text: str, line: str) -> None:
    """Print a piped or pasted line before it runs."""
    terminal.say(f"{text}{line.rstrip()}".rstrip())


def piped_lines(text: Callable[[], str]) -> Iterator[str]:
    """Yield the lines of a file or a pipe. Print each line after the current `text` of the prompt."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # bytes that are not text fail only their own line
    for line in sys.stdin:
        show_line(text(), line)
        yield line


def line_from_keys(keys: str) -> str:
    """Return the line that these keys make. Apply Backspace, Ctrl-U (delete the line) and Ctrl-W (delete a word)."""
    line = ""
    for key in keys:
        pattern = DELETION_PATTERNS.get(key)
        line = line + key if pattern is None else re.sub(pattern, "", line)
    return line


def spaces_for_early_tabs() -> KeyBindings:
    """Return key bindings that make a Tab a space if other keys already wait behind it.

    Such a Tab was typed ahead or pasted. There is no time to complete a word, and without a space two words would join.
    """
    bindings = KeyBindings()
    has_more = Condition(lambda: bool(get_app().key_processor.input_queue))

    @bindings.add("tab", filter=has_more)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text(" ")

    return bindings


@contextmanager
def _keys_waiting() -> Iterator[None]:
    """While a command runs, let typed keys wait, even keys that delete text. On Windows, keys always wait."""
    try:
        import termios
    except ImportError:  # Windows
        yield
        return
    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)
    kept = termios.tcgetattr(fd)
    kept[3] |= termios.NOFLSH  # without it, the terminal forgets finished lines at Ctrl-C, and nobody can name them
    for key in (termios.VERASE, termios.VKILL, termios.VWERASE):  # lost if the terminal has already passed on text
        kept[6][key] = bytes([os.fpathconf(fd, "PC_VDISABLE")])
    termios.tcsetattr(fd, termios.TCSANOW, kept)
    try:
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSANOW, before)


def _take_waiting_keys() -> str:
    """Remove and return the keys that wait in the terminal."""
    try:
        import termios
    except ImportError:  # Windows
        import msvcrt

        return "".join(iter(lambda: msvcrt.getwch() if msvcrt.kbhit() else "", ""))  # type: ignore[attr-defined]  # only Windows has it
    typed, fd = b"", sys.stdin.fileno()
    while select.select([fd], [], [], 0)[0] and (more := os.read(fd, 4096)):
        typed += more
    termios.tcflush(fd, termios.TCIFLUSH)
    return typed.decode(errors="replace")


class Keyboard:
    """The lines that somebody types or pastes, in order.

    `_interrupt` handles every Ctrl-C. The handler of prompt_toolkit is not used, because it is active only while a
    line is read: a Ctrl-C between two lines would close the prompt, or lose the line that was just read.

    Answers to questions are read here too. Keys that were typed ahead wait in prompt_toolkit. Any other reader
    would miss these keys, and take a later line as the answer.
    """

    def __init__(self, lines: PromptSession[str]) -> None:
        self._lines = lines
        self._answers = PromptSession[str]()
        self._pasted: list[str] = []  # the rest of a paste of several lines
        self._was_interrupted = False  # whether Ctrl-C was pressed while a line ran
        self._outside: click.Context | None = None  # the context of the prompt itself, in which no command runs

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Let the commands in this block ask their questions with `ask`. Ctrl-C stops only a running command.

        If Backspace, Ctrl-U or Ctrl-W is typed while a command runs, the key waits until `line` reads the next line.
        """
        self._outside = click.get_current_context(silent=True)
        reader, handler = terminal.ANSWER_READER.set(self.ask), signal.signal(signal.SIGINT, self._interrupt)
        try:
            with _keys_waiting():
                yield
        finally:
            signal.signal(signal.SIGINT, handler)
            terminal.ANSWER_READER.reset(reader)

    def _interrupt(self, *_: Any) -> None:
        """Remember a Ctrl-C, and stop the running command if there is one."""
        self._was_interrupted = True
        if click.get_current_context(silent=True) is not self._outside:
            raise KeyboardInterrupt

    def stopped_lines(self) -> list[str]:
        """Remove and return the finished lines that waited when Ctrl-C was pressed. Also remove the unfinished line.

        A line with a password is returned as "…".
        """
        if not self._was_interrupted:
            return []
        self._was_interrupted = False
        typed = "".join(key.data for key in get_typeahead(self._lines.input)) + _take_waiting_keys()
        finished = map(line_from_keys, re.split("[\r\n]", typed)[:-1])
        waiting, self._pasted = [*self._pasted, *finished], []
        return ["…" if has_password(line) else line for line in waiting if line.strip()]

    def line(self, text: str, below: str) -> str:
        """Return the next line, read between the prompt `text` and the text `below` it.

        Raise `KeyboardInterrupt` for Ctrl-C, and `EOFError` for Ctrl-D.
        """
        return self._next_line(text, lambda: self._lines.prompt(text, bottom_toolbar=below, handle_sigint=False))

    def ask(self, question: str) -> str:
        """Ask a question, and return the next line. Raise the same errors as `line`."""
        try:
            return self._next_line(question, lambda: self._answers.prompt(question, handle_sigint=False))
        except KeyboardInterrupt:
            self._was_interrupted = False  # it answers the question, and the next lines are done
            raise

    def _next_line(self, text: str, read: Callable[[], str]) -> str:
        if not self._pasted:
            first, *self._pasted = read().rstrip("\n").split("\n")
            if not self._pasted:
                return first
            self._pasted.insert(0, first)
        line = self._pasted.pop(0)
        show_line(text, line)
        return line
