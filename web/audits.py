"""The audit of the whole history on the page: it runs in a thread, and everybody who asks shares it."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from ledger.audit.program import program_digest
from ledger.audit.remembered import Memory
from ledger.audit.report import PASSES, AuditResult, audit
from ledger.errors import Refused
from ledger.journal.records import Stamp
from web.campaign import Campaign

WAIT_SECONDS = 1.0
"""The number of seconds that a request waits for the result of an audit. Then it gets the progress instead."""


@dataclass
class AuditRun:
    """One audit. It has done `done` of `total` steps: each entry is counted `PASSES` times."""

    stamp: Stamp
    today: str
    total: int = 1
    done: int = 0
    stopped: bool = False

    def count_read(self, entries: int) -> None:
        """Count entries that the audit has read. Raise `Refused` if the server stops."""
        self.done += entries
        if self.stopped:
            raise Refused("The page was stopped during the check.")

    def run(self, campaign: Campaign) -> AuditResult:
        """Audit a snapshot of the campaign, and count the entries read. Raise `Refused` if the server stops."""
        with campaign.snapshot() as book:
            self.total = PASSES * book.head()
            return audit(book, self.today, self.count_read, Memory(campaign.home.folder, "audit", self.today))


class Audits:
    """The audits of one campaign, at most one at a time."""

    def __init__(self, campaign: Campaign) -> None:
        program_digest()  # the program may be updated while the server runs
        self._campaign = campaign
        self._threads = ThreadPoolExecutor(max_workers=1)
        self._last: tuple[AuditRun, Future[AuditResult]] | None = None

    async def start(self) -> AuditResult | AuditRun:
        """Start an audit, unless one is running or the last one is still up to date. Return what `result` returns."""
        now = AuditRun(self._campaign.engine.stamp(), self._campaign.today())
        if self._last is None or _is_outdated(*self._last, now):
            self._last = now, self._threads.submit(now.run, self._campaign)
        return await _result_of(*self._last)

    async def result(self) -> AuditResult | AuditRun | None:
        """Return the result of the last audit, or `None` before the first one.

        If the audit takes longer than `WAIT_SECONDS`, return the running audit. Raise the errors of `audit`.
        """
        return None if self._last is None else await _result_of(*self._last)

    def stop(self) -> None:
        """Stop a running audit, because the server stops."""
        if self._last is not None:
            self._last[0].stopped = True


def _is_outdated(run: AuditRun, future: Future[AuditResult], now: AuditRun) -> bool:
    """Return True if an audit has ended, but has no result for the current state of the file (in `now`).

    Either the audit failed, or it read an older state of the file.
    """
    is_current = now.stamp.is_settled and (run.stamp, run.today) == (now.stamp, now.today)
    return future.done() and not (is_current and future.exception() is None)


async def _result_of(run: AuditRun, future: Future[AuditResult]) -> AuditResult | AuditRun:
    await asyncio.wait({asyncio.wrap_future(future)}, timeout=WAIT_SECONDS)
    return future.result() if future.done() else run
