"""A search guided by coverage: inputs that reach new lines are kept and changed further."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from types import FrameType
from typing import Any

from paths import ROOT

OURS = tuple(f"{ROOT}/{folder}/" for folder in ("ledger", "projections", "cli"))
SECONDS = 5
"""How long one input may take."""

ODD = (
    b"", b"\n", b"\x00", b"\xff", b"\xe2\x80\xa8", b"-1", b"0", b"00", b"9" * 17, b"9" * 400, b"1e9", b"NaN", b"null", b"{}", b"[]",
    b'"', b"\\ud800", b"[" * 3000, b'{"a":' * 500, b"\xef\xbb\xbf", b"\xe2\x80\x94 ", b"+", b"=", b"AAAA", b" ", b"\r\n", b"\t", b"x" * 300,
)  # fmt: skip


class Slow(Exception):
    """An input that takes too long."""


@contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    """Raise `Slow` in whatever takes longer."""

    def stop(*_: Any) -> None:
        raise Slow

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def lines_of(call: Callable[[], object]) -> tuple[frozenset[tuple[str, int]], BaseException | None]:
    """The lines of ours that a call runs, and what it raised."""
    seen: set[tuple[str, int]] = set()

    def within(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            seen.add((frame.f_code.co_filename, frame.f_lineno))
        return within

    def entered(frame: FrameType, _: str, __: Any) -> Any:
        return within if frame.f_code.co_filename.startswith(OURS) else None

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        with limited():
            call()
    except Exception as raised:  # whatever it is, the caller judges it
        return frozenset(seen), raised
    finally:
        sys.settrace(before)
    return frozenset(seen), None


def changed(data: bytes, random: Random, others: list[bytes]) -> bytes:
    """An input changed once or a few times: a byte, a stretch, a line, something odd, or a part of another input."""
    for _ in range(random.choice((1, 1, 2, 4))):
        first = random.randint(0, len(data))
        last = min(len(data), first + random.choice((0, 1, 1, 4, 30)))
        kind = random.randrange(7)
        if kind == 0:
            data = data[:first] + random.randbytes(1) + data[first + 1 :]
        elif kind == 1:
            data = data[:first] + data[last:]
        elif kind == 2:
            data = data[:last] + data[first:]
        elif kind == 3:
            data = data[:first] + random.choice(ODD) + data[last:]
        elif kind == 4:
            other = random.choice(others)
            start = random.randint(0, len(other))
            data = data[:first] + other[start : start + 40] + data[last:]
        elif kind == 5:
            lines = data.split(b"\n")
            place = random.randrange(len(lines))
            lines[place : place + 1] = random.choice(([], [lines[place]] * 2, [random.choice(lines)]))
            data = b"\n".join(lines)
        else:
            number = random.choice((b"0", b"1", b"2", b"255", b"256", b"4294967296", b"18446744073709551616"))
            data = data[:first] + number + data[last:]
    return data[:20_000]


class Guided:
    """Tries changed inputs on one function, and keeps those that reach new lines."""

    def __init__(self, function: Callable[[bytes], object], seeds: list[bytes], random: Random) -> None:
        self.function, self.random, self.kept = function, random, list(seeds)
        self.lines: set[tuple[str, int]] = set()

    def tried(self, times: int) -> Iterator[tuple[bytes, BaseException | None]]:
        """Yield inputs, and what each raised."""
        queue = list(self.kept)
        for _ in range(times):
            data = queue.pop() if queue else changed(self.random.choice(self.kept), self.random, self.kept)
            lines, raised = lines_of(lambda data=data: self.function(data))  # type: ignore[misc]
            if not lines <= self.lines:
                self.lines |= lines
                self.kept.append(data)
            yield data, raised
