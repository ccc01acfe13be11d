"""The keyboard of an open prompt: one reader for lines and for answers to questions."""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit import PromptSession

from cli.render import terminal


def show_line(text: str, line: str) -> None:
    """Print a piped or pasted line before it runs."""
    terminal.say(f"{text}{line.rstrip()}".rstrip())


class Keyboard:
    """The lines that somebody types or pastes, in order.

    Answers to questions are read here too. Keys that were typed ahead wait in prompt_toolkit, so that any other reader
    would miss them and take a later line instead.
    """

    def __init__(self, lines: PromptSession[str]) -> None:
        self._lines = lines
        self._answers = PromptSession[str]()
        self._pasted: list[str] = []  # the rest of a paste of several lines

    def line(self, text: str, below: str) -> str:
        """Return the next line. Raise `KeyboardInterrupt` for Ctrl-C, and `EOFError` for Ctrl-D."""
        return self._next(text, lambda: self._lines.prompt(text, bottom_toolbar=below))

    def ask(self, question: str) -> str:
        """Ask a question, and return the next line. Raise the same errors as `line`."""
        return self._next(question, lambda: self._answers.prompt(question))

    def _next(self, text: str, read: Callable[[], str]) -> str:
        if not self._pasted:
            first, *self._pasted = read().rstrip("\n").split("\n")
            if not self._pasted:
                return first
            self._pasted.insert(0, first)
        line = self._pasted.pop(0)
        show_line(text, line)
        return line
