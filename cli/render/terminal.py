"""The terminal: the only place that knows color and JSON, and whether somebody can be asked.

All that is written passes `escaped`, which lets no text move the cursor, hide letters or turn the reading direction.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from os import O_WRONLY, devnull, dup2, environ, get_terminal_size
from os import open as os_open
from typing import TYPE_CHECKING, Any, TextIO

import click

from cli.render.layout import USUAL, columns, laid_out, spelled
from ledger.errors import BadInput, NothingWritten, NotShown, PipeClosed
from ledger.hints import worded

if TYPE_CHECKING:
    from ledger.errors import LedgerError
    from ledger.values import Struct

INDENT = " " * 6
GOOD, BAD, WAITS = "✓", "✗", "?"
COLORS: Mapping[str, dict[str, Any]] = {
    "good": {"fg": "green"},
    "bad": {"fg": "red"},
    "waits": {"fg": "yellow"},
    "number": {"dim": True},
    "struck": {"strikethrough": True, "dim": True},
    "error": {"fg": "red", "bold": True},
    "hint": {"fg": "cyan"},
    "title": {"bold": True},
}
"""The style of each meaning. The words say the same without it."""


COLOR = f"\x1b{hash(__name__):x}"
"""Begins a code of color until it goes out. It differs in every process, so no text that is read back can hold it."""

UNSEEN = (
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
"""Invisible characters that change how a text reads. A joiner belongs to a text only beyond ASCII."""


def escaped(text: str) -> str:
    """Replace invisible characters by escapes like those of JSON; our own colors stay."""
    return "\x1b".join(
        part if part.isprintable() else re.sub(UNSEEN, _escaped, part)  # most are; the pattern is compiled for others
        for part in text.split(COLOR)
    )


def _escaped(match: re.Match[str]) -> str:
    return re.sub("....", r"\\u\g<0>", match[0].encode("utf-16-be").hex())


def colored(text: str, meaning: str) -> str:
    """Text in the style of a meaning, one of `COLORS`."""
    begin, end = (codes.replace("\x1b", COLOR) for codes in click.style(" ", **COLORS[meaning]).split(" "))
    return f"{begin}{text}{end}"


def uncolored(text: str) -> str:
    """Text without its colors."""
    return re.sub(rf"{COLOR}\[[0-9;]*m", "", text)


def say(text: str) -> None:
    """Write a line of data; a terminal gets it in lines of its width.

    Refuses (`NotShown`) if it cannot be written, say for want of room.
    """
    _put("\n".join(laid_out(escaped(told(text)), sys.stdout)))


MOST_HELD = 2**25
"""The most characters of output, about 300,000 lines of a log, that wait until the file is closed."""


class HeldOutput:
    """Output that waits, in order."""

    def __init__(self) -> None:
        self._waiting: list[Callable[[], None]] = []
        self._size = 0

    def add(self, show: Callable[[], None], size: int) -> None:
        """Add output to the waiting text; if it grows too long, show all of it."""
        self._waiting.append(show)
        self._size += size
        if self._size > MOST_HELD:
            self.release()

    def release(self) -> None:
        """Show the waiting output."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        outer = HELD.set(None)
        try:
            for show in waiting:
                show()
        finally:
            HELD.reset(outer)


HELD: ContextVar[HeldOutput | None] = ContextVar("HELD", default=None)


@contextmanager
def held() -> Iterator[None]:
    """Hold all output until this ends, so that a slow reader does not keep the campaign's file open."""
    if HELD.get() is not None:
        yield
        return
    waiting = HeldOutput()
    outer = HELD.set(waiting)
    try:
        yield
    finally:
        HELD.reset(outer)
        waiting.release()


def _put(text: str | bytes) -> None:
    if (waiting := HELD.get()) is not None:
        waiting.add(lambda: _put(text), len(text))
        return
    try:
        click.echo(text)
    except BrokenPipeError:
        discard(sys.stdout)
        raise PipeClosed from None
    except OSError as error:
        discard(sys.stdout)
        raise NotShown(str(error.strerror)) from None


def discard(stream: TextIO) -> None:
    """Throw away what a stream could not write. Otherwise the last flush fails too, and changes the exit code."""
    with suppress(OSError, ValueError):
        dup2(os_open(devnull, O_WRONLY), stream.fileno())


@contextmanager
def telling(done: str, hint: str = "") -> Iterator[None]:
    """Show the answer of a command that has changed something. If it cannot be shown, say that this was `done`."""
    try:
        yield
    except (NotShown, NothingWritten) as error:
        why = error.why if isinstance(error, NotShown) else "the disk fails"
        raise NotShown(why, f"{done}, but the answer", hint) from None


def told(text: str) -> str:
    """A text with its commands as they are typed here; the prompt needs no 'campaign' before them."""
    ctx = click.get_current_context(silent=True)
    return worded(text, program="" if getattr(ctx and ctx.obj, "at_prompt", False) else "campaign ")


def aside(text: str) -> None:
    """Write a line that is not data to standard error. If that fails, there is nobody to tell."""
    _put_aside("\n".join(laid_out(escaped(told(text)), sys.stderr)))


def _put_aside(text: str | bytes) -> None:
    if (waiting := HELD.get()) is not None:
        waiting.add(lambda: _put_aside(text), len(text))
        return
    try:
        click.echo(text, err=True)
    except OSError:
        discard(sys.stderr)


def quote(text: str, *, indent: str = "", err: bool = False) -> None:
    """Write a text of several lines as it is, however wide, such as a signed head; always in UTF-8."""
    stream, put = (sys.stderr, _put_aside) if err else (sys.stdout, _put)
    for line in map(escaped, (indent + line for line in text.removesuffix("\n").split("\n"))):
        put(line if spelled(line, stream) == line else line.encode())


def error(failed: LedgerError) -> None:
    """Say what went wrong, and what to type next."""
    aside(f"{colored('Error', 'error')}: {told(failed.sentence)}")
    if failed.hint:
        aside(f"{colored('Hint', 'hint')}: {told(failed.hint)}")


def wrong(typed: click.ClickException, *, shortly: bool = False) -> None:
    """Show an input error after the usage line, or the help if the command was typed without words.

    `shortly` leaves out the usage line.
    """
    if isinstance(typed, click.exceptions.NoArgsIsHelpError):
        quote(typed.format_message(), err=True)
        return
    if isinstance(typed, click.UsageError) and typed.ctx is not None and not shortly:
        aside(typed.ctx.get_usage())
        aside(f"Try '{typed.ctx.command_path} --help' for help.")
        aside("")
    for place, line in enumerate(typed.format_message().split("\n")):
        aside(line if place else f"{colored('Error', 'error')}: {line}")


def say_json(rows: Iterable[Struct | Mapping[str, Any]]) -> None:
    """Write one JSON object a line."""
    from projections.as_json import as_json  # only `--json` needs it

    in_ascii = sys.stdout is not None and sys.stdout.encoding.lower() != "utf-8"
    for row in rows:
        quote(as_json(row, in_ascii=in_ascii))


def width() -> int:
    """The width of our pages, in columns."""
    return columns(sys.stdout) or USUAL


def interactive() -> bool:
    """True if somebody at the terminal can answer a question."""
    return bool(sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty())


def check_can_ask(hint: str) -> None:
    """Refuse (`BadInput`) a question without a terminal; `hint` says how to do without it."""
    if not interactive():
        raise BadInput(
            "This command must ask you before it continues. It cannot ask here, because a script runs it, or its output"
            " goes to a file.",
            hint,
        )


def confirmed(question: str, hint: str) -> bool:
    """Ask whether to write; if not, say that nothing was written. Refuse like `check_can_ask`."""
    check_can_ask(hint)
    agrees = click.confirm(question, err=True)
    if not agrees:
        aside("Nothing was written.")
    return agrees


def is_redirected() -> bool:
    """True if the output goes elsewhere, and only messages are shown at the terminal."""
    return bool(sys.stderr and sys.stderr.isatty() and not (sys.stdout and sys.stdout.isatty()))


def typed_line(prompt: str) -> str:
    """Read a line at the terminal after a prompt, as `input` does, but Ctrl-C works at once, even very early.

    `input` waits in the system's library, where a signal that came just before is noticed only at the next key.
    """
    if not interactive():
        return input(prompt)
    import signal  # only a question needs it
    from os import close, pipe, set_blocking
    from select import select

    sys.stdout.write(prompt)
    sys.stdout.flush()
    woken, wakes = pipe()
    set_blocking(wakes, False)
    before = signal.set_wakeup_fd(wakes)
    try:
        if woken in select([sys.stdin, woken], [], [])[0]:
            raise KeyboardInterrupt
        line = sys.stdin.readline()
    finally:
        signal.set_wakeup_fd(before)
        close(woken)
        close(wakes)
    if not line:
        raise EOFError
    return line.rstrip("\n")


def paged(text: Sequence[str]) -> None:
    """Show lines, in a pager if they do not fit on the terminal."""
    lines = [line for each in text for line in laid_out(escaped(each), sys.stdout)]
    if (waiting := HELD.get()) is not None:
        waiting.add(lambda: _paged(lines), 0)
    else:
        _paged(lines)


def _paged(lines: Sequence[str]) -> None:
    if columns(sys.stdout) and len(lines) >= get_terminal_size().lines:
        environ.setdefault("LESS", "FRX")
        click.echo_via_pager("\n".join(lines))
    else:
        for line in lines:
            _put(line)


PATIENCE = 1.0
"""Seconds after which a bar shows how far the work is."""


class ProgressBar:
    """A bar with the time left, on standard error, if that is a terminal and the work takes more than a second."""

    def __init__(self, total: int) -> None:
        from time import time  # its only use is here

        self._now = time
        self._began = time()
        self._bar: Any = None
        self._total = total
        self._early = 0

    def __enter__(self) -> Callable[[int], None]:
        return self._update

    def _update(self, count: int) -> None:
        """Count so many more as done."""
        if self._bar is not None:
            self._bar.update(count)
            return
        self._early += count
        if self._now() - self._began > PATIENCE and sys.stderr is not None and sys.stderr.isatty():
            steps = max(1, self._total // 200)
            self._bar = click.progressbar(length=self._total, file=sys.stderr, update_min_steps=steps)
            self._bar.start = self._bar.last_eta = self._began
            self._bar.__enter__()
            self._bar.update(self._early)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)


def progress(total: int) -> ProgressBar:
    """A bar for `total` steps: `with progress(total) as count`, and `count(n)` for each n that are done."""
    return ProgressBar(total)
