"""The terminal: printing, colors, JSON, questions, pagers and progress bars.

Every printed text goes through `escaped`, so that no text can move the cursor, hide letters or change the reading
direction.
"""

from __future__ import annotations

import re
import select
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from os import O_WRONLY, devnull, dup2, environ, fstat, get_terminal_size
from os import open as os_open
from stat import S_ISFIFO
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import click

from cli.render.layout import USUAL_WIDTH, encodable, fitted_lines, terminal_columns
from ledger.errors import BadInput, NotShown, PipeClosed, WriteFailed
from ledger.hints import BLACK_FLAG, INVISIBLE_PATTERN, hint_text

if TYPE_CHECKING:
    from ledger.errors import LedgerError
    from ledger.values import Struct

T = TypeVar("T")

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended."""

INDENT = " " * 6
GOOD, BAD, WAITING = "✓", "✗", "?"
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
"""The style of each meaning. The printed words must be clear without it."""


COLOR_MARKER = f"\x1b{hash(__name__):x}"
"""A placeholder for the color escape character in text not yet printed. It differs per process and cannot be forged."""


def escaped(text: str) -> str:
    """Replace invisible characters with escapes like those in JSON. Keep the colors that `colored` added."""
    return "\x1b".join(
        part
        if part.isprintable()
        else re.sub(INVISIBLE_PATTERN, _escaped, part)  # most are printable, and need no pattern
        for part in text.split(COLOR_MARKER)
    )


def _escaped(match: re.Match[str]) -> str:
    if match[0].startswith(BLACK_FLAG):
        return match[0]
    return re.sub("....", r"\\u\g<0>", match[0].encode("utf-16-be").hex())


def colored(text: str, meaning: str) -> str:
    """Return the text in the style that `COLORS` has for a meaning."""
    begin, end = (codes.replace("\x1b", COLOR_MARKER) for codes in click.style(" ", **COLORS[meaning]).split(" "))
    return f"{begin}{text}{end}"


def uncolored(text: str) -> str:
    """Remove the color codes that `colored` added."""
    return re.sub(rf"{COLOR_MARKER}\[[0-9;]*m", "", text)


def say(text: str) -> None:
    """Print a line of data to standard output, wrapped to the width of the terminal.

    Raise `NotShown` if the line cannot be written, for example to a full disk. Raise `PipeClosed` for a closed pipe.
    """
    _put("\n".join(fitted_lines(escaped(with_typed_commands(text)), sys.stdout)))


PIPE_BUF = getattr(select, "PIPE_BUF", 512)
"""The number of bytes that a pipe takes at once if it is ready. Windows does not say how many."""

LARGEST_CHARACTER = 4
"""The maximum number of bytes of a character in UTF-8."""

MOST_HELD_CHARACTERS = 2**25
"""The maximum number of characters of output that are held back. It is enough for about 300,000 lines of a log."""


class HeldOutput:
    """Printed texts that wait in memory until the campaign's file is closed. They keep their order.

    If the output goes to a file, or to a pipe whose reader is fast enough, the texts do not wait.
    """

    def __init__(self) -> None:
        self._waiting = deque[tuple[Callable[[], object], int]]()
        self._size = 0

    def add(self, show: Callable[[], object], size: int) -> None:
        """Hold back a text of `size` characters, which `show` prints. If too many characters wait, print all texts.

        The limit is `MOST_HELD_CHARACTERS`.
        """
        self._waiting.append((show, size))
        self._size += size
        if self._size > MOST_HELD_CHARACTERS:
            self.release()

    def add_text(self, text: str | bytes, *, err: bool) -> None:
        """Hold back a text, or print as much as the output takes at once."""
        for piece in _pieces(text, sys.stderr if err else sys.stdout):
            self.add(partial(_write, piece, err=err), len(piece))
        while self._waiting and _is_ready(sys.stdout):
            self._show_next()

    def release(self) -> None:
        """Print all waiting texts. None of them is held back a second time."""
        outer = HELD_OUTPUT.set(None)
        try:
            while self._waiting:
                self._show_next()
        finally:
            HELD_OUTPUT.reset(outer)

    def _show_next(self) -> None:
        show, size = self._waiting.popleft()
        self._size -= size
        show()


def _pieces(text: str | bytes, stream: TextIO | None) -> Iterator[str | bytes]:
    """Divide a text into pieces, each small enough that a pipe that is ready takes it at once."""
    ctx = click.get_current_context(silent=True)
    with_color = ctx.color if ctx is not None and ctx.color is not None else stream is not None and stream.isatty()
    if isinstance(text, str) and not with_color:
        text = click.unstyle(text)  # click could not remove a color code that is divided between two pieces
    size = PIPE_BUF // LARGEST_CHARACTER
    return (text[start : start + size] for start in range(0, len(text), size))


def _is_ready(stream: TextIO | None) -> bool:
    """Return True if a stream takes a piece of text at once.

    Return False for a terminal: its output may need a pager, and must not mix with the progress bar.
    """
    if stream is None or stream.isatty():
        return False
    try:
        return bool(select.select([], [stream], [], 0)[1])
    except OSError:  # not a file of the operating system, or a system that can only wait for sockets (Windows)
        return False


HELD_OUTPUT: ContextVar[HeldOutput | None] = ContextVar("HELD", default=None)


@contextmanager
def hold_output() -> Iterator[None]:
    """Hold back output that its reader does not take at once, until the `with` block ends.

    This way, a slow reader of the output cannot keep the campaign's file open.
    """
    if HELD_OUTPUT.get() is not None:
        yield
        return
    waiting = HeldOutput()
    outer = HELD_OUTPUT.set(waiting)
    try:
        yield
    finally:
        HELD_OUTPUT.reset(outer)
        waiting.release()


def _put(text: str | bytes, *, err: bool = False) -> None:
    line = f"{text}\n" if isinstance(text, str) else text + b"\n"
    if (waiting := HELD_OUTPUT.get()) is not None:
        waiting.add_text(line, err=err)
    else:
        _write(line, err=err)


def _write(text: str | bytes, *, err: bool) -> None:
    try:
        click.echo(text, nl=False, err=err)
    except OSError as error:
        redirect_to_null(sys.stderr if err else sys.stdout)
        if not err:
            raise (PipeClosed if isinstance(error, BrokenPipeError) else NotShown(str(error.strerror))) from None


def redirect_to_null(stream: TextIO) -> None:
    """Redirect a broken stream to the null device. Otherwise the last flush also fails, and changes the exit code."""
    with suppress(OSError, ValueError):
        dup2(os_open(devnull, O_WRONLY), stream.fileno())


@contextmanager
def done_even_if_unprinted(done: str, hint: str = "") -> Iterator[None]:
    """Raise `NotShown` if the `with` block cannot print its output.

    `done` says what has happened anyway, such as "#5 was written". The error includes this text and the `hint`.
    """
    try:
        yield
    except (NotShown, WriteFailed) as error:
        why = error.why if isinstance(error, NotShown) else "a disk error occurred"
        raise NotShown(why, done, hint) from None


def with_typed_commands(text: str) -> str:
    """Write each command in a text as the user types it: with `campaign` in front, except at the prompt."""
    return hint_text(text, program="" if is_at_prompt(click.get_current_context(silent=True)) else "campaign ")


def is_at_prompt(ctx: click.Context | None) -> bool:
    """Return True if the command of this context was typed at the prompt."""
    return bool(getattr(ctx and ctx.obj, "at_prompt", False))


def aside(text: str) -> None:
    """Print a line that is not data to standard error. Failures are ignored, because they cannot be shown."""
    _put("\n".join(fitted_lines(escaped(with_typed_commands(text)), sys.stderr)), err=True)


def print_exactly(text: str, *, indent: str = "", err: bool = False) -> None:
    """Print a text such as a signed head exactly, without wrapping its lines, and always in UTF-8."""
    stream = sys.stderr if err else sys.stdout
    for line in map(escaped, (indent + line for line in text.removesuffix("\n").split("\n"))):
        _put(line if encodable(line, stream) == line else line.encode(), err=err)


def print_error(failed: LedgerError) -> None:
    """Print what went wrong, and what to type next."""
    aside(f"{colored('Error', 'error')}: {with_typed_commands(failed.sentence)}")
    if failed.hint:
        aside(f"{colored('Hint', 'hint')}: {with_typed_commands(failed.hint)}")


def print_input_error(typed: click.ClickException, *, without_usage: bool = False) -> None:
    """Print an input error, or the help page if no arguments were typed. `without_usage` leaves out the usage line."""
    if isinstance(typed, click.exceptions.NoArgsIsHelpError):
        print_exactly(typed.format_message(), err=True)
        return
    if isinstance(typed, click.UsageError) and typed.ctx is not None and not without_usage:
        aside(typed.ctx.get_usage())
        aside(f"Try '{typed.ctx.command_path} --help' for help.")
        aside("")
    for place, line in enumerate(typed.format_message().split("\n")):
        aside(line if place else f"{colored('Error', 'error')}: {line}")
    if without_usage and (hint := _hint_with_usage(typed)):
        aside(f"{colored('Hint', 'hint')}: {hint}")


def _hint_with_usage(typed: click.ClickException) -> str:
    """Return a sentence for the prompt that shows how to type the command; "" if the error needs none.

    The sentence is for a missing reason, a missing argument or extra words.
    """
    missing = typed.param if isinstance(typed, click.MissingParameter) else None
    if missing is not None and missing.name in {"why", "claim"}:
        return "Type the reason at the end of the line, after a semicolon."
    if not isinstance(typed, ExtraWords) and not isinstance(missing, click.Argument):
        return ""
    assert isinstance(typed, click.UsageError) and typed.ctx is not None  # noqa: S101, PT018  click's parser sets it
    form = typed.ctx.get_usage().removeprefix("Usage: ").removeprefix("campaign ")
    return f"Type it like this: {form.replace('[OPTIONS] ', '')}"


class ExtraWords(click.UsageError):
    """The error for words that a command cannot use."""


def say_json(rows: Iterable[Struct | Mapping[str, Any]]) -> None:
    """Print one JSON object per line, in ASCII unless the output is UTF-8."""
    from projections.as_json import as_json  # only `--json` needs it

    in_ascii = sys.stdout is not None and sys.stdout.encoding.lower() != "utf-8"
    for row in rows:
        print_exactly(as_json(row, in_ascii=in_ascii))


BYTE_ORDER_MARK = "\ufeff".encode()
"""The bytes at the start of a text that tell Excel that the text is UTF-8."""


def say_rows(
    rows: Iterable[Struct | Mapping[str, Any]], form: str, title: str, key: Sequence[str], each: str, *, bom: bool
) -> None:
    """Print rows in a format other than text. For `key` and `each`, see `table_lines`.

    Tables and documents are always in UTF-8; `bom` adds `BYTE_ORDER_MARK`. For JSON, see `say_json`.
    """
    if form == "json":
        say_json(rows)
        return
    from projections.row_formats import table_lines  # only these formats need it

    start, end = BYTE_ORDER_MARK if bom else b"", b"\r" if form == "csv" else b""
    for line in table_lines(form, rows, title, key, each):
        _put(start + "\n".join(map(escaped, line.split("\n"))).encode() + end)
        start = b""


def width() -> int:
    """Return the width of the terminal in columns; `USUAL_WIDTH` if the output goes to a file or a pipe."""
    return terminal_columns(sys.stdout) or USUAL_WIDTH


def is_interactive() -> bool:
    """Return True if somebody at the terminal can answer a question."""
    return bool(sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty())


def check_can_ask(hint: str) -> None:
    """Raise `BadInput` if there is no terminal to ask at. `hint` says what to type instead."""
    if not is_interactive():
        raise BadInput(
            "This command needs your answer to continue. It cannot ask here, because it runs in a script or its output"
            " goes to a file.",
            hint,
        )


class TypedInstead(click.Abort):
    """A line that somebody typed at the prompt instead of an answer to a question. It is the next line to run."""

    def __init__(self, line: str) -> None:
        super().__init__()
        self.line = line


def ask(question: str, read: Callable[[str], T], default: T, *, unanswered: str = "Nothing was written.") -> T:
    """Ask a question until `read` accepts the answer. An empty answer means `default`.

    At the prompt, an answer that `read` does not accept is a command: print `unanswered`, and raise `TypedInstead`.
    """
    while True:
        line: str = click.prompt(question, default="", show_default=False, prompt_suffix=" ", err=True)
        if not line.strip():
            return default
        try:
            return read(line.strip())
        except click.UsageError as wrong:
            if is_at_prompt(click.get_current_context(silent=True)):
                if unanswered:
                    aside(unanswered)
                raise TypedInstead(line) from None
            print_input_error(wrong, without_usage=True)


def answers_yes(question: str) -> bool:
    """Ask a yes-or-no question until the answer is one of the two. An empty answer means no."""
    return ask(f"{question} [y/N]:", _yes_or_no, False)


def _yes_or_no(typed: str) -> bool:
    word = typed.strip().lower()
    if word not in {"y", "yes", "n", "no"}:
        raise click.UsageError("Type y for yes, or n for no.")
    return word[0] == "y"


def ask_to_confirm(question: str, hint: str) -> bool:
    """Ask a yes-or-no question. After a no, print that nothing was written.

    Without a terminal, raise `BadInput` with this hint.
    """
    check_can_ask(hint)
    agrees = answers_yes(question)
    if not agrees:
        aside("Nothing was written.")
    return agrees


def is_redirected() -> bool:
    """Return True if the output goes to a file or a pipe, but messages still go to the terminal."""
    return bool(sys.stderr and sys.stderr.isatty() and not (sys.stdout and sys.stdout.isatty()))


CAN_WAIT_FOR_KEYS = hasattr(select, "PIPE_BUF")
"""True if this system can wait for a terminal and a pipe together. On Windows, Ctrl-C ends `input` immediately."""

ANSWER_READER: ContextVar[Callable[[str], str] | None] = ContextVar("ANSWER_READER", default=None)
"""The function that reads answers at the open prompt. The prompt may already hold lines that were typed ahead."""


def read_line(prompt: str) -> str:
    """Print a prompt and read a line from the terminal, like `input`, but react to every Ctrl-C immediately.

    If somebody presses Ctrl-C just before `input` starts to wait, `input` reacts only after the next key.
    """
    if (read_answer := ANSWER_READER.get()) is not None:
        return read_answer(prompt)
    if not is_interactive() or not CAN_WAIT_FOR_KEYS:
        return input(prompt)
    import signal  # only questions need it
    from os import close, pipe, set_blocking

    sys.stdout.write(prompt)
    sys.stdout.flush()
    woken, wakes = pipe()
    set_blocking(wakes, False)
    before = signal.set_wakeup_fd(wakes)
    try:
        if woken in select.select([sys.stdin, woken], [], [])[0]:
            raise KeyboardInterrupt
        line = sys.stdin.readline()
    finally:
        signal.set_wakeup_fd(before)
        close(woken)
        close(wakes)
    if not line:
        raise EOFError
    return line.rstrip("\n")


def print_paged(text: Iterable[str]) -> None:
    """Print lines, in a pager if they do not fit on the terminal. The prompt opens no pager."""
    lines = (line for each in text for line in fitted_lines(escaped(with_typed_commands(each)), sys.stdout))
    # At the prompt, a pager would take the lines that were typed ahead.
    if not terminal_columns(sys.stdout) or is_at_prompt(click.get_current_context(silent=True)):
        for line in lines:
            _put(line)
        return
    page = [*lines]
    if (waiting := HELD_OUTPUT.get()) is not None:
        waiting.add(lambda: _print_page(page), 0)
    else:
        _print_page(page)


def _print_page(lines: Sequence[str]) -> None:
    if len(lines) >= get_terminal_size().lines:
        environ.setdefault("LESS", "FRX")
        click.echo_via_pager("\n".join(lines))
    else:
        for line in lines:
            _put(line)


def _is_piped() -> bool:
    """Return True if another program reads the output through a pipe."""
    with suppress(OSError):
        return sys.stdout is not None and S_ISFIFO(fstat(sys.stdout.fileno()).st_mode)
    return False


PROGRESS_AFTER_SECONDS = 1.0
"""The seconds of work after which a progress bar appears."""


@contextmanager
def progress(total: int, *, prints: bool = False) -> Iterator[Callable[[int], None]]:
    """Yield a function to call after each part of the work, with the number of steps in this part.

    If standard error is a terminal, a bar with the time left appears after `PROGRESS_AFTER_SECONDS`. If the work
    `prints` to a pipe, there is no bar, because the reader may be a pager on the same terminal.
    """
    from time import time  # used only here

    began, early, stack = time(), 0, ExitStack()
    is_seen = sys.stderr is not None and sys.stderr.isatty() and not (prints and _is_piped())
    bar: Any = None

    def update(count: int) -> None:
        nonlocal bar, early
        if bar is not None:
            bar.update(count)
            return
        early += count
        if is_seen and time() - began > PROGRESS_AFTER_SECONDS:
            bar = click.progressbar(length=total, file=sys.stderr, update_min_steps=max(1, total // 200))
            bar.start = bar.last_eta = began
            stack.enter_context(bar).update(early)

    with stack:
        yield update
