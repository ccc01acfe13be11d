"""Wrong clocks: a suspicious clock is refused and writes nothing, and the audit lists entries that disagree."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import NamedTuple

from engine import create_journal
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import Note
from ledger.errors import ClockDiffers
from ledger.journal.book import Book, open_book
from ledger.scribe import Scribe
from ledger.times import stored_time
from table import opening
from torture.runs import Run, inside

BEGIN = datetime(2026, 11, 20, 19, 30, tzinfo=UTC)
STEPS: tuple[Callable[[Random], timedelta], ...] = (
    lambda random: timedelta(seconds=random.randint(0, 3600)),
    lambda random: timedelta(seconds=random.randint(0, 3600)),
    lambda random: timedelta(days=random.randint(1, 14)),
    lambda random: -timedelta(seconds=random.randint(1, 300)),
    lambda random: timedelta(seconds=random.choice([-301, -300, 34_560_000, 34_560_001])),
    lambda random: -timedelta(seconds=random.randint(301, 10**6)),
    lambda random: timedelta(days=random.randint(2, 800)),
    lambda random: -timedelta(days=random.randint(1, 900)),
)
"""The next clock time after the last entry: on time, after a pause, a little back, at the limits, far back, far ahead."""


class Kept(NamedTuple):
    """An entry in the model."""

    seq: int
    at: datetime
    clock: datetime


def run(run: Run) -> None:
    """Write with random clocks."""
    for trial in run.trials():
        with inside(trial.folder), Book(create_journal("road.campaign")) as book:
            for line in _evening(run, book, trial.random):
                run.weakness(line)


def _evening(run: Run, book: Book, random: Random) -> list[str]:
    for command in opening():
        Scribe(book, clock=lambda: BEGIN).write(command)
    entries = [Kept(seq, BEGIN, BEGIN) for seq in range(1, book.head() + 1)]
    wrong = []
    for _ in range(random.choice([4, 12, 40])):
        now = _next(entries[-1].clock, random)
        before = book.head()
        wrong += _written(run, book, entries, now, clock_ok=False)
        if book.head() == before:
            run.count("refused")
            if random.random() < 0.6:
                wrong += _written(run, book, entries, now, clock_ok=True)
    run.count("entries", book.head())
    with open_book("road.campaign") as again:
        return wrong + _compare(again, entries, random)


def _next(last: datetime, random: Random) -> datetime:
    """Return the next clock time, within the years that an entry can store."""
    now = last + random.choice(STEPS)(random)
    return now if datetime(1970, 1, 1, tzinfo=UTC) < now < datetime(9000, 1, 1, tzinfo=UTC) else last


def _written(run: Run, book: Book, entries: list[Kept], now: datetime, *, clock_ok: bool) -> list[str]:
    """Write with a clock, and report a wrong refusal or a wrong acceptance."""
    ahead, head = now - entries[-1].clock, book.head()
    seems_wrong = not timedelta(seconds=-300) <= ahead <= timedelta(days=400)
    try:
        (entry,) = Scribe(book, clock=lambda: now, clock_ok=clock_ok).write(Note(text="x")).entries
    except ClockDiffers:
        right = seems_wrong and not clock_ok and book.head() == head
        return [] if right else [f"{now}, {ahead} after the last entry, is refused"]
    entries.append(Kept(entry.seq, max(now, entries[-1].at), now))
    run.count("written")
    kept_as = (entry.at, entry.clock) == (stored_time(entries[-1].at), stored_time(now))
    return [] if kept_as and (clock_ok or not seems_wrong) else [f"{now}, {ahead} after the last entry, is written"]


def _compare(book: Book, entries: list[Kept], random: Random) -> list[str]:
    """Check the file against the model: it is whole, the audit lists the right clocks, and dates find entries."""
    verify(book)
    today = random.choice(entries).clock.date()
    told = audit(book, today.isoformat())
    found = sorted(remark.seq for remark in told.remarks if "clock" in remark.says)
    wrong = [f"finding #{finding.seq}: {finding.says}" for finding in told.findings]
    if found != (expected := sorted(_disagreed(entries, today))):
        wrong.append(f"the audit of {today} names {found}, the model {expected}")
    for moment in random.sample([entry.clock for entry in entries], min(5, len(entries))):
        last = max((entry.seq for entry in entries if entry.clock <= moment), default=0)
        if book.journal.last_entry_at(stored_time(moment)) != last:
            wrong.append(
                f"the last entry by {moment} is {book.journal.last_entry_at(stored_time(moment))}, by the model {last}"
            )
    return wrong


def _disagreed(entries: list[Kept], today: date) -> list[int]:
    """Return the entries that the audit should list: each that is ahead, and the first of each run that is behind."""
    named: list[int] = []
    was_ahead = was_behind = False
    last = entries[0]
    for entry in entries:
        ahead = entry.clock.date() > today + timedelta(days=1)
        behind = entry.at - entry.clock > timedelta(seconds=300)
        back = entry.clock - last.clock < timedelta(seconds=-300)
        named += [entry.seq] * (ahead and not was_ahead)
        named += [entry.seq] * (entry.clock - last.clock > timedelta(days=400))
        named += [entry.seq] * (behind and (not was_behind or back))
        was_ahead, was_behind, last = ahead, behind, entry
    return named
