"""The terminal: the only place that knows color and JSON, and whether somebody can be asked."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from os import environ, get_terminal_size
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ledger.errors import LedgerError

INDENT = " " * 6
GOOD, BAD, WAITS = "✓", "✗", "?"
COLOURS: Mapping[str, dict[str, Any]] = {
    "good": {"fg": "green"},
    "bad": {"fg": "red"},
    "waits": {"fg": "yellow"},
    "number": {"dim": True},
    "struck": {"strikethrough": True, "dim": True},
    "error": {"fg": "red", "bold": True},
    "hint": {"fg": "cyan"},
    "title": {"bold": True},
}
"""What a color means; the words say the same without it."""


def colored(text: str, meaning: str) -> str:
    """Return text in the color of its meaning."""
    return click.style(text, **COLOURS[meaning])


def say(text: str) -> None:
    """Write a line of data."""
    click.echo(text)


def talk(text: str) -> None:
    """Write a line that is no data."""
    click.echo(text, err=True)


def error(failed: "LedgerError") -> None:
    """Say what went wrong, and what to type next."""
    talk(f"{colored('Error', 'error')}: {failed.sentence}")
    if failed.hint:
        talk(f"{colored('Hint', 'hint')}: {failed.hint}")


def as_json(rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object a line."""
    from json import dumps  # only asked for

    for row in rows:
        say(dumps(row, ensure_ascii=False, sort_keys=True))


def plainly(held: Any) -> str:
    """A value as it is read: lists with commas, yes and no, none as a dash, a secret as what it is."""
    from ledger.events.commitments import Secret  # help shows no value

    if held in (None, [], {}):
        return "–" if held is None else "none"
    if isinstance(held, bool):
        return "yes" if held else "no"
    if isinstance(held, Secret) or (isinstance(held, dict) and Secret.KEY in held):
        return "kept secret by the GM"
    if isinstance(held, dict):
        return ", ".join(f"{name.rpartition('/')[2]} {plainly(each)}" for name, each in held.items())
    if isinstance(held, list | tuple):
        return ", ".join(map(plainly, held))
    return str(held).replace("-", "−") if isinstance(held, int) else str(held)


def asks() -> bool:
    """Whether there is somebody at the terminal who can be asked."""
    return bool(sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty())


def paged(text: Sequence[str]) -> None:
    """Show lines, in a pager where they are more than a terminal holds."""
    if sys.stdout is not None and sys.stdout.isatty() and len(text) >= get_terminal_size().lines:
        environ.setdefault("LESS", "FRX")
        click.echo_via_pager("\n".join(text))
    else:
        for line in text:
            say(line)


class Progress:
    """A bar on standard error for what takes more than a second on a terminal; else nothing."""

    def __init__(self, total: int) -> None:
        from time import monotonic  # kept beside its only use

        self._now = monotonic
        self._began = monotonic()
        self._bar: Any = None
        self._total = total

    def update(self, count: int) -> None:
        """Note that so many more are done."""
        if self._bar is None and sys.stderr.isatty() and self._now() - self._began > 1:
            self._bar = click.progressbar(length=self._total, file=sys.stderr)
            self._bar.__enter__()
        if self._bar is not None:
            self._bar.update(count)

    def done(self) -> None:
        """End the line."""
        if self._bar is not None:
            self._bar.__exit__(None, None, None)


def progress(total: int) -> Progress:
    """A bar for so many."""
    return Progress(total)
