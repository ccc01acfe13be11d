"""Locking: several processes take a file's write lock in turn, and none waits for ever.

SQLite's own waiting asks ever less often, so that whoever writes without a pause starves whoever came first.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from time import monotonic, monotonic_ns, sleep

from ledger.errors import Busy
from ledger.journal.failures import plain_errors

LONGEST_WAIT, SHORTEST_WAIT = 0.002, 0.0003
"""Seconds until the next try, on average."""

CROWDED_SECONDS = 1
"""For so long after it had to wait, a writer lets others come first."""


class WriteLock:
    """The write lock of a file, as one connection takes it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._crowded_until = 0.0

    def take(self) -> None:
        """Begin to write; refuses with `Busy` after the connection's `busy_timeout`."""
        if monotonic() < self._crowded_until:
            sleep(LONGEST_WAIT)
        with plain_errors():
            ((patience,),) = self._connection.execute("PRAGMA busy_timeout").fetchall()
            self._connection.execute("PRAGMA busy_timeout = 0")
            try:
                self._wait(patience / 1000)
            finally:
                self._connection.execute(f"PRAGMA busy_timeout = {patience}")

    def _wait(self, patience: float) -> None:
        for wait in waits(patience):
            with suppress(Busy), plain_errors():
                self._connection.execute("BEGIN IMMEDIATE")
                return
            sleep(wait)
            self._crowded_until = monotonic() + CROWDED_SECONDS
        self._connection.execute("BEGIN IMMEDIATE")


def waits(patience: float) -> Iterator[float]:
    """Yield how many seconds to wait before the next try, until `patience` is over.

    They are shorter the longer it takes, so that who came first comes first, and differ from process to process.
    """
    began = monotonic()
    while (waited := monotonic() - began) < patience:
        apart = monotonic_ns() % 1000 / 1000
        yield max(SHORTEST_WAIT, LONGEST_WAIT / (1 + 50 * waited)) * (0.5 + apart)
