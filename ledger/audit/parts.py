"""Checks of a long journal on all cores: the journal is split into parts, and each process checks one of them.

If anything goes wrong, such as a fault in any part, the whole journal is checked again in one pass. So the parts never
decide which fault is the first one.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

from ledger.audit.check import OnProgress
from ledger.audit.program import program_digest
from ledger.journal.book import Book, open_book
from ledger.journal.records import StoredEntry
from ledger.journal.store import Journal

T = TypeVar("T")

REPORT_EVERY = 500
"""The number of entries after which a process reports its progress."""

WAIT_SECONDS = 0.1
"""The time between two looks at the progress of the other processes."""


class Part(NamedTuple):
    """The entries from `first` to `last`, or to the end if `last` is `None`. A part consists of whole actions."""

    first: int
    last: int | None


PartCheck = Callable[[Book, int, int, OnProgress], dict[str, Any]]
"""A function that checks the part of a journal from a first to a last entry. It returns a JSON object."""


class PartFailed(Exception):
    """The error if a process found a fault in its part, could not check it, or read a different file."""


def on_all_cores(
    journal: Journal,
    check: str,
    checked: int,
    least: int,
    own_work: int,
    progress: OnProgress,
    run: Callable[[Part, OtherProcesses], T],
) -> T:
    """Check a journal on all cores: start other processes, and call `run` with the part for this process.

    `run` checks its part, and asks `OtherProcesses` for the results of the other parts. If the journal is short or
    cannot be opened by another process, or if anything goes wrong, `run` gets all entries, and there are no others.

    - `check`: the name of a `PartCheck`, such as `ledger.audit.verify:verified_part`.
    - `checked`: the number of the entries, from the first, that need no check.
    - `least`: the least number of entries for which another process is worth its start.
    - `own_work`: the time for other work of this process, minus the time in which another process starts. The unit is
      the time in which a process checks one entry.
    """
    *other_parts, own = _split(journal, checked, least, own_work)
    if other_parts:
        # any error, because a check of a part trusts the entries before it, and another process may find them wrong
        with suppress(Exception), _start_processes(journal, check, other_parts, progress) as others:
            return run(own, others)
        return run(Part(checked + 1, None), OtherProcesses((), lambda _: progress(0), journal))
    return run(own, OtherProcesses((), progress, journal))


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _split(journal: Journal, checked: int, least: int, own_work: int) -> list[Part]:
    """Split a journal into parts, so that all processes end at about the same time. This process gets the last part."""
    entries = journal.head() - checked
    number = min(cores(), entries // least) if journal.storage.address() and sys.executable else 1
    size = (entries + own_work) // max(number, 1)
    firsts = [checked + 1, *(_action_start(journal, checked + 1 + size * others) for others in range(1, number))]
    others = [Part(first, following - 1) for first, following in pairwise(firsts) if first < following]
    return [*others, Part(firsts[-1], None)]


def _action_start(journal: Journal, seq: int) -> int:
    """Return the first entry of an action, from `seq` on, or the number after the last entry."""
    starts = (stored.seq for stored in journal.storage.entries.stored(seq) if _is_action_start(stored))
    return next(starts, journal.head() + 1)


def _is_action_start(stored: StoredEntry) -> bool:
    try:
        return bool(json.loads(stored.body)["act"] == stored.seq)
    except (ValueError, RecursionError, TypeError, KeyError):  # a check will report this
        return False


@contextmanager
def _start_processes(
    journal: Journal, check: str, parts: Sequence[Part], progress: OnProgress
) -> Iterator[OtherProcesses]:
    """Start a process for each part. End the processes after the block, even if they are still at work."""
    processes = list[_Process]()
    try:
        for part in parts:
            processes.append(_Process(str(journal.storage.address()), check, part))
            processes[-1].start()
        yield OtherProcesses(processes, progress, journal)
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


class OtherProcesses:
    """The processes that check the other parts."""

    def __init__(self, processes: Sequence[_Process], progress: OnProgress, journal: Journal) -> None:
        self._processes = processes
        self._progress = progress
        self._journal = journal

    def count(self, entries: int) -> None:
        """Report the entries that this process has checked, together with those of the other processes.

        Raise `PartFailed` if another process has ended without a result.
        """
        if any(process.has_failed() for process in self._processes):
            raise PartFailed
        self._progress(entries + sum(process.newly_checked() for process in self._processes))

    def results(self) -> list[dict[str, Any]]:
        """Wait for the results of the parts. Raise `PartFailed` if one of them has no result."""
        digests = self._journal.storage.digests([process.last for process in self._processes])
        for process in self._processes:
            while process.is_working():
                self.count(0)
            self.count(0)
        return [process.result(digest) for process, digest in zip(self._processes, digests, strict=True)]


class _Process:
    """A process that checks a part. A thread reads its lines: numbers of checked entries, and then the result."""

    def __init__(self, address: str, check: str, part: Part) -> None:
        from subprocess import DEVNULL, PIPE, Popen  # most journals are too short for several processes
        from threading import Thread

        # `-P`: a folder `ledger` in the current folder must not hide the program
        command = [sys.executable, "-P", "-m", __name__, address, check, *map(str, part)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self.last = part.last or 0
        self._checked = self._reported = 0
        self._sent: dict[str, Any] = {}
        self._reader = Thread(target=self._read, daemon=True)
        self._process = Popen(command, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL, env=environment)  # noqa: S603  ours

    def start(self) -> None:
        """Start to read what the process sends."""
        self._reader.start()

    def newly_checked(self) -> int:
        """Return the number of entries that were checked since the last call."""
        new, self._reported = self._checked - self._reported, self._checked
        return new

    def has_failed(self) -> bool:
        """Return True if the process has ended without a result."""
        return not self._reader.is_alive() and not self._sent

    def is_working(self) -> bool:
        """Wait a moment, and return True if the process has not ended."""
        self._reader.join(WAIT_SECONDS)
        return self._reader.is_alive()

    def result(self, digest: str) -> dict[str, Any]:
        """Return the result. Raise `PartFailed` if there is none.

        Also raise it if the process ran another version of the program, or if it did not read the same rows as this
        process. `digest` is the digest of the rows that this process reads, up to the last entry of the part (see
        `Storage.digests`).
        """
        if (self._sent.get("program"), self._sent.get("digest")) != (program_digest(), digest):
            raise PartFailed
        return dict(self._sent["result"])

    def kill(self) -> None:
        """Stop the process."""
        self._process.kill()

    def wait(self) -> None:
        """Wait until a process that was killed has ended."""
        self._process.wait()
        if self._reader.ident is None:  # nothing reads its lines
            self._read()
        else:
            self._reader.join()

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101  it is a pipe
        with self._process.stdout as lines, suppress(ValueError):  # a program that is not ours sends no JSON
            for line in lines:
                message = json.loads(line)
                if isinstance(message, int):
                    self._checked += message
                else:
                    self._sent = message


def main(address: str, check: str, first: str, last: str) -> None:
    """Check a part of a campaign, and print the progress and then the result, each as a line of JSON."""
    from importlib import import_module

    module, _, name = check.partition(":")
    run: PartCheck = getattr(import_module(module), name)
    unreported = 0

    def count(entries: int) -> None:
        nonlocal unreported
        unreported += entries
        if unreported >= REPORT_EVERY:
            _send(unreported)
            unreported = 0

    with open_book(address) as book, book.journal.reading():
        result = run(book, int(first), int(last), count)
        _send(unreported)
        (digest,) = book.journal.storage.digests([int(last)])
    _send({"program": program_digest(), "digest": digest, "result": result})


def _send(message: object) -> None:
    sys.stdout.write(f"{json.dumps(message)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
