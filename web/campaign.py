"""The campaign: its file, opened for each look and each command, and when it changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from hashlib import sha256
from os import path, stat
from threading import Condition, Thread
from time import time_ns
from typing import Any, TypeVar

from ledger.commands.decider import Command
from ledger.errors import LedgerError, OtherCampaign
from ledger.events.canonical import canonical_json
from ledger.events.commitments import Salts, random_salt
from ledger.journal.book import Book, open_book
from ledger.reading.names import Names
from ledger.reading.repeated import as_first_read
from ledger.rules.dice import Chance
from ledger.scribe import Scribe, Written, requests_of, utc_now
from ledger.times import offset_of
from ledger.trust.home import Home
from web.people import Person, check_may_say
from web.problems import NotAllowed, PlanChanged

SETTLED, WHOLE_SECOND = 50_000_000, 1_000_000_000
"""Nanoseconds after which another write shows in the file's time: a younger look is not kept.

Some disks, such as most USB sticks, keep times in steps of two seconds: a whole second settles only after three.
"""

Stamp = tuple[int, int, int]
"""Which file it is, its time and its size."""

KEEP_OPEN_SECONDS = 0.2
"""Seconds for which the file stays open after something was written: others often write too."""

Submission = tuple[Command, Sequence[int] | None]
"""A command with its typed faces."""

T = TypeVar("T")

Sign = Callable[[Book], object]
"""Signs the head of the history; refuses where the key is not here."""

Show = Callable[[Book, Sequence[Written]], None]
"""Gets the book with what was written, or would be."""


class Campaign:
    """One campaign, for many at once: no connection stays open after a look or a command."""

    def __init__(
        self,
        file: str,
        home: Home,
        *,
        clock: Callable[[], datetime] = utc_now,
        chance: Chance | None = None,
        salts: Salts = random_salt,
        sign: Sign | None = None,
    ) -> None:
        self.file = path.realpath(file)
        self._home = home
        self._clock = clock
        self._chance = chance
        self._salts = salts
        self._sign = sign
        self._first = b""  # identifies the campaign after the first opening
        self._writer = WriterThread(self.file, self._open)

    def now(self) -> int:
        """The time, in seconds since 1970."""
        return int(self._clock().timestamp())

    def today(self) -> str:
        """Return the date in the time zone of this machine."""
        return self._clock().astimezone().date().isoformat()

    def offset(self) -> int:
        """Return this machine's time zone now, as minutes east of UTC."""
        return offset_of(self._clock().astimezone())

    def zone(self, local: datetime) -> datetime:
        """A local time with the time zone of this machine."""
        return local.astimezone()

    def stamp(self) -> tuple[Stamp, bool]:
        """When the file changed last, and whether the next change can be told from it.

        What SQLite writes beside the file first is seen by readers later than its time says, once the disk has it;
        when it comes into the file, the file's own time changes. While there is any, nothing can be told. It is
        looked at first: where there is none, the file has all that was written until then.
        """
        _, _, beside = _stat(f"{self.file}-wal")
        stamp = _stat(self.file)
        _, time, _ = stamp
        wait = SETTLED if time % WHOLE_SECOND else 3 * WHOLE_SECOND
        return stamp, not beside and time + wait < time_ns()

    @contextmanager
    def look(self) -> Iterator[Book]:
        """The campaign as it stands at this moment, even if somebody writes meanwhile."""
        with self._open() as book, book.journal.reading():
            yield book

    def _open(self) -> Book:
        """Open the file. Raise `OtherCampaign` if it now holds another campaign."""
        book = open_book(self.file)
        first = book.first_leaf()
        self._first = self._first or first
        if first != self._first:
            book.close()
            raise OtherCampaign(path.basename(self.file))
        return book

    def write(
        self,
        person: Person,
        build: Callable[[Names], Sequence[Submission]],
        *,
        once: str | None = None,
        dry: bool = False,
        agreed: str | None = None,
        show: Show | None = None,
        check: Callable[[Book], None] | None = None,
        clock_ok: bool = False,
    ) -> list[Written]:
        """Write a person's commands, all or none. The result is on disk.

        Raise `NotAllowed` for a command that this person may not run, and for a player's dry run or plan, which could
        show secrets. Raise what the commands raise, `ClockDiffers` for a clock that seems wrong without `clock_ok`, and
        `PlanChanged` for a plan that differs from the `agreed` one. A dry run writes nothing. `show` gets the book with
        the new entries, also in a dry run. `check` may refuse entries that were not written before.
        """

        def said_in(book: Book) -> list[Written]:
            with as_first_read(book, once) as read:
                said = build(Names(read))
            for command, _ in said:
                check_may_say(read, person, command)
            is_gm = person.as_seated(book).is_gm
            if (dry or agreed is not None) and not is_gm:
                raise NotAllowed("Only the GM can do a dry run.")
            if clock_ok and not is_gm:
                raise NotAllowed("Only the GM can confirm that the clock is right.")
            if check is not None and read is book:
                check(book)
            scribe = Scribe(
                book,
                by=person.seat,
                clock=self._clock,
                chance=self._chance,
                salts=self._salts,
                home=self._home,
                last_written=self._home.last_written(self.file),
                clock_ok=clock_ok,
            )
            plans = scribe.write_all(requests_of(said, once), dry=True) if agreed is not None else None
            if plans is not None and gist_of(plans) != agreed and not any(plan.again for plan in plans):
                raise PlanChanged
            written = scribe.write_all(requests_of(said, once, plans), dry=dry, show_plan=show)
            if show is not None and not any(done.dry for done in written):
                show(book, written)
            return written

        if dry:
            with self._open() as book:
                return said_in(book)
        return self._writer.write(said_in)

    def signed(self) -> str:
        """Sign the head of the history, and say whether that was done."""
        if self._sign is None:
            return ""
        try:
            self._writer.write(self._sign)
        except LedgerError as error:
            return f"The checkpoint is not signed. {error.sentence} {error.hint}".rstrip()
        return "The checkpoint is signed. Everybody can save it from the Trust page."


class WriterThread:
    """Writes for all who come, one after the other, in a thread that keeps the file open until nobody comes.

    Whoever closes a file last has to bring it in order, which takes the disk longer than a roll.
    """

    def __init__(self, file: str, opened: Callable[[], Book]) -> None:
        self._file = file
        self._opened = opened
        self._waiting = deque[tuple[Callable[[Book], Any], Future[Any]]]()
        self._new = Condition()
        self._runs = False

    def write(self, work: Callable[[Book], T]) -> T:
        """Do this with the open book, in turn; returns, or raises, what it does."""
        done = Future[T]()
        with self._new:
            self._waiting.append((work, done))
            self._new.notify()
            if not self._runs:
                Thread(target=self._run, name="writer").start()
                self._runs = True
        return done.result()

    def _run(self) -> None:
        while self._waits(0):
            with suppress(Exception), ExitStack() as closing:  # what was said is written; the next book is opened anew
                self._write_all(closing)

    def _write_all(self, closing: ExitStack) -> None:
        """Write with one open book until nobody comes for a while, something is refused, or the file is another."""
        book: Book | None = None
        opened = 0
        while self._waits(KEEP_OPEN_SECONDS):
            there = _stat(self._file)[0]
            if book is not None and there != opened:
                return  # somebody put a copy in its place: what waits is written there
            work, done = self._waiting.popleft()
            try:
                if book is None:
                    opened, book = there, closing.enter_context(self._opened())
                done.set_result(work(book))
            except BaseException as error:
                done.set_exception(error)
                return

    def _waits(self, seconds: float) -> bool:
        """Whether anything waits, at latest after so long; if not at once, this thread ends."""
        with self._new:
            there = self._new.wait_for(lambda: bool(self._waiting), seconds)
            if not seconds and not there:
                self._runs = False
            return there


def gist_of(plans: Sequence[Written]) -> str:
    """A plan as a short text: the same for two plans that would write the same."""
    return sha256(b"".join(canonical_json(dict(gist)) for plan in plans for gist in plan.gist)).hexdigest()[:32]


def _stat(file: str) -> Stamp:
    try:
        there = stat(file)
    except OSError:
        return 0, 0, 0
    return there.st_ino, there.st_mtime_ns, there.st_size
