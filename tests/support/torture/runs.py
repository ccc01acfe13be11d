"""One run of the search: trials that a seed and a number determine, what was counted, and what was found."""

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from paths import ROOT

SHM = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108  quicker, where no disk is meant


@dataclass(frozen=True)
class Trial:
    """One trial: its number in the run, its own random numbers, and a folder that goes with it."""

    number: int
    random: Random
    folder: Path


@dataclass
class Run:
    """A run of one kind of trial. The same kind, seed and number are the same trial again."""

    kind: str
    seed: int
    minutes: float = 0
    first: int = 0
    most: int | None = None
    on_disk: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    weaknesses: list[str] = field(default_factory=list)
    number: int = 0

    def trials(self) -> Iterator[Trial]:
        """Yield trials until the time is over, or as many as were asked for; at least one."""
        ends = time.monotonic() + 60 * self.minutes
        self.number = self.first
        while True:
            with tempfile.TemporaryDirectory(dir=None if self.on_disk else SHM) as folder:
                random = Random(f"{self.seed}/{self.kind}/{self.number}")  # noqa: S311  on purpose
                yield Trial(self.number, random, Path(folder))
            self.counts["trials"] += 1
            self.number += 1
            if self.number - self.first == self.most or (self.most is None and time.monotonic() >= ends):
                return

    def count(self, name: str, by: int = 1) -> None:
        """Count something that was tried."""
        self.counts[name] += by

    def weakness(self, text: str) -> None:
        """Note something that must not be, with the words that bring it back."""
        again = f"python -m torture {self.kind} --seed {self.seed} --first {self.number} --trials 1"
        self.weaknesses.append(f"{text}\n  again: {again}")
        print(f"WEAKNESS {self.kind}: {self.weaknesses[-1]}", file=sys.stderr, flush=True)


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Be in a folder, with a home of one's own in it."""
    before, homed = Path.cwd(), os.environ.get("CAMPAIGN_HOME")
    os.chdir(folder)
    os.environ["CAMPAIGN_HOME"] = str(folder / "home")
    try:
        yield
    finally:
        os.chdir(before)
        if homed is None:
            del os.environ["CAMPAIGN_HOME"]
        else:
            os.environ["CAMPAIGN_HOME"] = homed


def environment(folder: Path, **more: str) -> dict[str, str]:
    """What a process of this tree's `campaign` is handed, with its home in a folder."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("CAMPAIGN")}
    home = {"CAMPAIGN_HOME": str(folder / "home"), "TZ": "UTC", "PYTHONPATH": f"{ROOT}:{ROOT / 'tests/games'}"}
    return {**plain, **home, **more}


def campaign(*words: str) -> list[str]:
    """The words that start `campaign` as a process."""
    return [sys.executable, "-m", "cli", *words]


def started(folder: Path, words: Sequence[str], **more: str) -> "subprocess.Popen[bytes]":
    """Start `campaign` with these words in a folder; more goes into its environment."""
    return subprocess.Popen(
        campaign(*words),
        cwd=folder,
        env=environment(folder, **more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
