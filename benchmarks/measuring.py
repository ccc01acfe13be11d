"""Measuring: two functions in turn, pair by pair, so that a drift in the machine's speed affects both alike.

What computes is measured in processor time of all processes; what waits on the disk in wall time. A result is the
median of the ratios with its quartiles, or a number of its own unit, and what it should be.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Literal

PAIRS = 5
LEAST_SECONDS = 0.02
"""A measurement is repeated until it takes so long; shorter ones are noise."""

Timer = Callable[[], float]
Work = Callable[[], object]


@dataclass(frozen=True)
class Row:
    """A row of the table: what was measured, what it came to, and what it should be."""

    number: str
    name: str
    value: float
    low: float
    high: float
    limit: float
    unit: Literal["×", "ms", "MiB", "kB", "s", "/s", "of them"] = "×"
    at_least: bool = False
    note: str = ""

    @property
    def good(self) -> bool:
        """Whether the limit is kept."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def __str__(self) -> str:
        """One line of the table."""
        bound = f"{'at least' if self.at_least else 'at most'} {self.limit:g} {self.unit}"
        between = f"({self.low:.2f} to {self.high:.2f})"
        verdict = "good" if self.good else "missed"
        note = f"   ({self.note})" if self.note else ""
        measured = f"{self.number:<4} {self.name:<58} {self.value:9.2f} {self.unit:<3} {between:<20}"
        return f"{measured} {bound:<16} {verdict}{note}"


def processor_seconds() -> float:
    """Seconds of processor time of this process and of its children that ended."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def taken(work: Work, clock: Timer = processor_seconds, times: int = 1) -> float:
    """Seconds of one piece of work, the mean of so many."""
    began = clock()
    for _ in range(times):
        work()
    return (clock() - began) / times


def often_enough(work: Work) -> int:
    """How often a piece of work is repeated to be measured; this warms it up."""
    work()
    return max(1, round(LEAST_SECONDS / max(taken(work, time.perf_counter), 1e-7)))


def ratios(one: Work, other: Work, clock: Timer = processor_seconds, pairs: int = PAIRS) -> list[float]:
    """The ratios of two pieces of work that run in turn, each often enough, after a warm-up."""
    times, other_times = often_enough(one), often_enough(other)
    return [taken(one, clock, times) / taken(other, clock, other_times) for _ in range(pairs)]


def row(number: str, name: str, sample: Sequence[float], limit: float, **more: object) -> Row:
    """A row from a sample: its median, and its quartiles."""
    low, _, high = quantiles(sample, n=4) if len(sample) > 1 else [sample[0]] * 3
    return Row(number, name, median(sample), low, high, limit, **more)  # type: ignore[arg-type]  # as they are named


def milliseconds(work: Work, samples: int = 15, clock: Timer = processor_seconds) -> list[float]:
    """Milliseconds of a piece of work, each time often enough."""
    times = often_enough(work)
    return [1000 * taken(work, clock, times) for _ in range(samples)]


def process(command: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None) -> Work:
    """A whole process, that must succeed, as a piece of work."""

    def work() -> None:
        subprocess.run(command, env=env, cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    return work


def peaks(command: Sequence[str], env: Mapping[str, str]) -> list[float]:
    """Return the most memory that each process of a command had, in MiB. This works only on Linux."""
    used: dict[int, float] = {}
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
        while running.poll() is None:
            with suppress(OSError):  # a process may have just ended
                for pid in (running.pid, *map(int, children.read_text().split())):
                    if peak := re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text()):
                        used[pid] = int(peak[1]) / 1024
            time.sleep(0.005)
    if running.returncode not in {0, 7}:  # 7: an audit has findings
        raise subprocess.CalledProcessError(running.returncode, command)
    return [*used.values()]


def plain_environment() -> dict[str, str]:
    """Return the environment without settings of Python or this program, and with a temporary home."""
    home = Path(__file__).parent.parent / ".bench" / "run" / "home"
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "CAMPAIGN"))}
    return plain | {"CAMPAIGN_HOME": str(home)}
