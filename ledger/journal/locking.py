"""Locking: several processes take a file's write lock in turn, and none waits for ever.

SQLite's own waiting asks ever less often, so that whoever writes without a pause starves whoever came first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from time import monotonic, monotonic_ns, sleep

from ledger.errors import Busy

LONGEST_WAIT, SHORTEST_WAIT = 0.002, 0.0003
"""Seconds until the next try, on average."""

CROWDED_SECONDS = 1
"""For so long after it had to wait, a writer lets others come first: for half the time that it waited last."""

LONGEST_PAUSE = 0.1
"""Seconds for which it does so at most."""


class FairLock:
    """The turns of one writer among others."""

    def __init__(self) -> None:
        self._crowded_until = 0.0
        self._waited = 0.0

    def take(self, lock: Callable[[], None], patience: float) -> None:
        """Take a lock with a function that raises `Busy` at once. Raise `Busy` after `patience` seconds."""
        if monotonic() < self._crowded_until:
            sleep(max(LONGEST_WAIT, min(self._waited / 2, LONGEST_PAUSE)))
        began = monotonic()
        for wait in waits(patience):
            with suppress(Busy):
                lock()
                self._waited = monotonic() - began
                return
            sleep(wait)
            self._crowded_until = monotonic() + CROWDED_SECONDS
        lock()


def waits(patience: float) -> Iterator[float]:
    """Yield how many seconds to wait before the next try, until `patience` is over.

    The waits get shorter, so that the earliest process usually comes first, and differ between processes.
    """
    began = monotonic()
    while (waited := monotonic() - began) < patience:
        apart = monotonic_ns() % 1000 / 1000
        yield max(SHORTEST_WAIT, LONGEST_WAIT / (1 + 50 * waited)) * (0.5 + apart)
