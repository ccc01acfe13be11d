"""Locking: a fair way for several processes to take a file's write lock. No process waits forever.

SQLite alone retries less and less often. So one process that writes without pauses could keep out the others forever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from time import monotonic, monotonic_ns, sleep

from ledger.errors import Busy

LONGEST_WAIT, SHORTEST_WAIT = 0.002, 0.0003
"""The longest and the shortest average wait, in seconds, before the next attempt to take the lock."""

CROWDED_SECONDS = 1
"""For this many seconds after a wait, a writer pauses before it takes the lock again, so that others go first."""

LONGEST_PAUSE = 0.1
"""The longest pause of a writer that lets others go first, in seconds. A pause is usually half of the last wait."""


class FairLock:
    """A helper that takes a file's write lock for one writer, and gives other writers a chance to take it."""

    def __init__(self) -> None:
        self._crowded_until = 0.0
        self._waited = 0.0

    def take(self, lock: Callable[[], None], patience: float) -> None:
        """Call `lock` until it no longer raises `Busy`. Raise `Busy` after `patience` seconds."""
        if monotonic() < self._crowded_until:
            sleep(max(LONGEST_WAIT, min(self._waited / 2, LONGEST_PAUSE)))
        began = monotonic()
        for wait in wait_times(patience):
            with suppress(Busy):
                lock()
                self._waited = monotonic() - began
                return
            sleep(wait)
            self._crowded_until = monotonic() + CROWDED_SECONDS
        lock()


def wait_times(patience: float) -> Iterator[float]:
    """Yield the seconds to wait before each attempt to take the lock, until `patience` (in seconds) is over.

    The waits get shorter, so the longest-waiting process usually comes first. Each wait has a random part.
    """
    began = monotonic()
    while (waited := monotonic() - began) < patience:
        apart = monotonic_ns() % 1000 / 1000
        yield max(SHORTEST_WAIT, LONGEST_WAIT / (1 + 50 * waited)) * (0.5 + apart)
