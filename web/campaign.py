"""Access to the campaign's file: each view opens it, and one thread writes to it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, TypeVar

from ledger.commands.decider import Command
from ledger.errors import LedgerError, OtherCampaign, ReadOnly
from ledger.events.canonical import canonical_json
from ledger.events.commitments import SaltSource, random_salt
from ledger.journal.book import Book, open_book
from ledger.journal.schema import SCHEMA_VERSION
from ledger.journal.store import engine_for
from ledger.reading.names import Names
from ledger.reading.repeated import campaign_before_repeat
from ledger.rules.dice import Digits, RandomBelow
from ledger.scribe import Scribe, Written, requests_of, utc_now
from ledger.times import in_local_zone, offset_of
from ledger.trust.home import Home
from ledger.values import Struct
from web.people import Person, check_may_enter, may_enter_one, only_for_others
from web.problems import NotAllowed, PlanChanged

if TYPE_CHECKING:
    from ledger.journal.storage import Engine

KEEP_OPEN_SECONDS = 0.2  # the last process to close the file must merge the write-ahead log, which is slow
"""The number of seconds that the file stays open after a write, because another write often follows."""

Submission = tuple[Command, Sequence[int] | Digits | None]
"""A command and the dice that were typed for it. The dice are `None` if the computer rolls."""

T = TypeVar("T")


class WriteOptions(Struct):
    """The options of a write. Everybody may use `once`, and only the GM may use the others.

    `once` is the id of the request. `dry` writes nothing. `agreed` is the hash of the plan that the GM agreed to.
    `clock_ok` accepts a clock that seems wrong. `secrets` lets a dry run show a result that reveals a secret.
    """

    once: str | None = None
    dry: bool = False
    agreed: str | None = None
    clock_ok: bool = False
    secrets: bool = False


Show = Callable[[Book, Sequence[Written]], None]
"""A function that receives the book and the entries that were written, or that a dry run would write."""


@dataclass
class Campaign:
    """One campaign that many people use at once."""

    file: str
    home: Home
    clock: Callable[[], datetime] = utc_now
    chance: RandomBelow | None = None
    salts: SaltSource = random_salt
    sign: Callable[[Book], object] | None = None
    """The function that signs the head of the history. It raises a `LedgerError` if the key is not on this computer."""
    can_sign: Callable[[Book], bool] | None = None
    """The function that returns False if `sign` cannot find the campaign's key."""

    def __post_init__(self) -> None:
        self.file = engine_for(self.file).canonical()
        self.engine = engine_for(self.file)
        self._first = b""  # set at the first opening, to recognize the campaign
        self.was_replaced = False
        self._writer = WriterThread(self.engine, self._open)

    def now(self) -> int:
        """Return the time in seconds since 1970."""
        return int(self.clock().timestamp())

    def today(self) -> str:
        """Return today's date in the time zone of this computer, in ISO format."""
        return self.clock().astimezone().date().isoformat()

    def offset(self) -> int:
        """Return the current time zone of this computer, in minutes east of UTC."""
        return offset_of(self.clock().astimezone())

    def with_local_zone(self, local: datetime) -> datetime:
        """Return a local time with the time zone of this computer."""
        return in_local_zone(local)

    @contextmanager
    def snapshot(self) -> Iterator[Book]:
        """Yield a snapshot of the campaign for reading. Later writes do not change it."""
        with self._open() as book, book.journal.reading():
            yield book

    def upgrade(self) -> str:
        """Upgrade an older campaign, so that the first player does not wait for the backup.

        Return a sentence that names the backup; "" if there is none.
        """
        with self._open() as book, suppress(ReadOnly):
            if book.journal.storage.version() < SCHEMA_VERSION:
                with book.journal.writing():
                    pass
            if (backup := book.journal.storage.upgrade_backup()) is not None:
                from ledger.journal.upgrading import backup_sentence  # few campaigns are older

                return backup_sentence(engine_for(backup).name())
        return ""

    def _open(self) -> Book:
        book = open_book(self.file)
        first = book.first_leaf()
        self._first = self._first or first
        if first != self._first:
            book.close()
            self.was_replaced = True
            raise OtherCampaign(self.engine.name())
        return book

    def write(
        self,
        person: Person,
        build: Callable[[Names], Sequence[Submission]],
        options: WriteOptions,
        show: Show | None = None,
        kinds: Iterable[type[Command]] | None = None,
    ) -> list[Written]:
        """Write a person's commands to disk, all or none. A dry run writes nothing.

        `build` makes the commands. If `kinds` lists their kinds, and the person may run none of them, `build` is not
        called: a long list of entries takes time. `show` receives the book with the new entries, also in a dry run.
        Raise the errors of the commands, and:

        - `NotAllowed` if the person may not run a command or use an option
        - `ClockDiffers` if the clock seems wrong
        - `PlanChanged` if the plan is not the one that the person agreed to
        """
        once, agreed = options.once, options.agreed

        def write_in(book: Book) -> list[Written]:
            with campaign_before_repeat(book, once) as read:
                is_allowed = kinds is None or may_enter_one(read, person, kinds)
                commands = build(Names(read)) if is_allowed else ()
            if not is_allowed:
                raise only_for_others(read, person)
            for command, _ in commands:
                check_may_enter(read, person, command)
            is_gm = person.with_current_role(book).is_gm
            if (options.dry or options.secrets or agreed is not None) and not is_gm:
                raise NotAllowed("Only the GM can do a dry run.")
            if options.clock_ok and not is_gm:
                raise NotAllowed("Only the GM can confirm that the clock is right.")
            scribe = self._scribe(book, person, options)
            plans = scribe.write_all(requests_of(commands, once), dry=True) if agreed is not None else None
            if plans is not None and plan_hash(plans) != agreed and not any(plan.again for plan in plans):
                raise PlanChanged
            written = scribe.write_all(requests_of(commands, once, plans), dry=options.dry, show_plan=show)
            if show is not None and not any(done.dry for done in written):
                show(book, written)
            return written

        if options.dry:
            with self._open() as book:
                return write_in(book)
        return self._writer.write(write_in)

    def _scribe(self, book: Book, person: Person, options: WriteOptions) -> Scribe:
        return Scribe(
            book,
            by=person.seat,
            clock=self.clock,
            chance=self.chance,
            salts=self.salts,
            home=self.home,
            last_written=self.home.last_written(self.file),
            clock_ok=options.clock_ok,
            shows_secrets=options.secrets,
        )

    def add_cosignature(self, person: Person, line: str) -> tuple[int, str]:
        """Add a witness's signature line. Return the size of the signed head, and the name of the witness.

        Raise the errors of `ledger.trust.heads.add_cosignature`.
        """
        options = WriteOptions()
        return self._writer.write(lambda book: self._scribe(book, person, options).add_cosignatures(line)[0])

    def sign_head(self) -> str:
        """Sign the head of the history. Return a sentence about the result, or "" if signing is not set up."""
        if self.sign is None:
            return ""
        try:
            self._writer.write(self.sign)
        except LedgerError as error:
            return f"The checkpoint is not signed. {error.sentence} {error.hint}".rstrip()
        return "The checkpoint is signed. Everybody can save it from the Trust page."


class WriterThread:
    """A thread that runs all writes one after the other. It keeps the file open while more writes follow."""

    def __init__(self, engine: Engine, opened: Callable[[], Book]) -> None:
        self._engine = engine
        self._opened = opened
        self._waiting = deque[tuple[Callable[[Book], Any], Future[Any]]]()
        self._new = Condition()
        self._runs = False

    def write(self, work: Callable[[Book], T]) -> T:
        """Run `work` with the open book in the writer thread, and return its result or raise its error."""
        done = Future[T]()
        with self._new:
            self._waiting.append((work, done))
            self._new.notify()
            if not self._runs:
                Thread(target=self._run, name="writer").start()
                self._runs = True
        return done.result()

    def _run(self) -> None:
        while self._has_work(0):
            with (
                suppress(Exception),
                ExitStack() as closing,
            ):  # the futures have the results and errors; the next write opens the file again
                self._write_all(closing)

    def _write_all(self, closing: ExitStack) -> None:
        """Run waiting writes with one open book. Stop after a pause, after an error, or if the file was replaced."""
        book: Book | None = None
        opened_file: object = None
        while self._has_work(KEEP_OPEN_SECONDS):
            current = self._engine.stamp().identity
            if book is not None and current != opened_file:
                return  # somebody replaced the file: open the new one for the waiting writes
            work, done = self._waiting.popleft()
            try:
                if book is None:
                    opened_file, book = current, closing.enter_context(self._opened())
                done.set_result(work(book))
            except BaseException as error:
                done.set_exception(error)
                return

    def _has_work(self, seconds: float) -> bool:
        """Return True if work comes within `seconds`. If `seconds` is 0 and no work waits, mark the thread as ended."""
        with self._new:
            has_work = self._new.wait_for(lambda: bool(self._waiting), seconds)
            if not seconds and not has_work:
                self._runs = False
            return has_work


def plan_hash(plans: Sequence[Written]) -> str:
    """Return a hash of a plan. Two plans that would write the same have the same hash."""
    return sha256(b"".join(canonical_json(dict(gist)) for plan in plans for gist in plan.gist)).hexdigest()[:32]
