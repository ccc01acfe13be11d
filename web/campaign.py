"""The campaign at its address, opened for each look and each command."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from hashlib import sha256
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, TypeVar

from ledger.commands.decider import Command
from ledger.errors import LedgerError, OtherCampaign
from ledger.events.canonical import canonical_json
from ledger.events.commitments import Salts, random_salt
from ledger.journal.book import Book, open_book
from ledger.journal.store import engine_for
from ledger.reading.names import Names
from ledger.reading.repeated import as_first_read
from ledger.rules.dice import Chance
from ledger.scribe import Scribe, Written, requests_of, utc_now
from ledger.times import offset_of
from ledger.trust.home import Home
from web.people import Person, check_may_say
from web.problems import NotAllowed, PlanChanged

if TYPE_CHECKING:
    from ledger.journal.storage import Engine

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
        self.file = engine_for(file).canonical()
        self.engine = engine_for(self.file)
        self._home = home
        self._clock = clock
        self._chance = chance
        self._salts = salts
        self._sign = sign
        self._first = b""  # identifies the campaign after the first opening
        self._writer = WriterThread(self.engine, self._open)

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
            raise OtherCampaign(self.engine.name())
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
    """Writes for everyone in turn, in a thread that keeps the file open while commands come.

    The last process that closes a file must tidy it, which takes the disk longer than a roll.
    """

    def __init__(self, engine: Engine, opened: Callable[[], Book]) -> None:
        self._engine = engine
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
        opened: object = None
        while self._waits(KEEP_OPEN_SECONDS):
            there = self._engine.stamp().thing
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
