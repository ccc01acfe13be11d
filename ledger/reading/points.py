"""Points: places in the history as people name them: an entry, `session:2`, `day:3`, a date, a date with a time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ledger.errors import BadInput, NeverReached, Refused
from ledger.reading.names import WHOLE, whole_number

if TYPE_CHECKING:
    from ledger.journal.accounts import AsOf
    from ledger.journal.book import Book

DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T]([0-9]{2}:[0-9]{2}))?")

Zone = Callable[[datetime], datetime]
"""The time zone of the people: it takes a local time, and returns it with its zone."""


def when(book: Book, at: str | None, corrected: bool, zone: Zone) -> AsOf:
    """The named point, or the present for `None`; refuses (`Refused`) a point that was never reached.

    A date is the end of that day in `zone`, a time like `2026-11-22 20:15` the end of that minute.
    """
    from ledger.journal.accounts import NOW, AsOf

    if at is None:
        return NOW.replace(corrected=corrected)
    kind, colon, number = at.partition(":")
    if colon and kind == "day":
        return AsOf(seq=_day(book, at, whole_number(number))[1], corrected=corrected)
    if colon and kind == "session":
        seq = _last_of_session(book, whole_number(number))
    elif (date := DATE.fullmatch(at)) is not None:
        seq = _last_by(book, at, f"{date[1]}T{date[2] or '23:59'}:59", zone)
    elif WHOLE.fullmatch(at.removeprefix("#")):
        seq = whole_number(at.removeprefix("#"))
    else:
        hint = "Say an entry, session:N, day:N, or a date like 2026-11-25 or '2026-11-25 20:15'."
        raise BadInput(f"{at!r} is no point in a campaign.", hint)
    if not 1 <= seq <= book.journal.head():
        raise NeverReached(at, f"its last entry is {book.journal.head()}")
    return AsOf(seq=book.journal.action(book.journal.entry(seq).act)[-1].seq, corrected=corrected)


def began(book: Book, point: str, zone: Zone) -> int:
    """The first entry of a session, of a day, or of the action at any other point."""
    kind, colon, number = point.partition(":")
    if colon and kind == "day":
        return _day(book, point, whole_number(number))[0]
    if colon and kind == "session":
        return session(book, whole_number(number))[0]
    return book.journal.entry(when(book, point, False, zone).seq).act


def stretch_of(book: Book, number: int | None, first: str | None, last: str | None, zone: Zone) -> tuple[int, int]:
    """The first and last entry between two points; each defaults to an end of the session, else of the book."""
    least, most = (1, book.head()) if number is None else session(book, number)
    begins = least if first is None else began(book, first, zone)
    ends = most if last is None else when(book, last, False, zone).seq
    if begins > ends:
        raise BadInput(f"{first or begins} comes after {last or ends}.", "Name the earlier point first.")
    return begins, ends


def session(book: Book, number: int) -> tuple[int, int]:
    """The first and last entry of a session; refuses (`NeverReached`) one that was never opened."""
    span = book.accounts.given("campaign", "session", number)
    if span is None:
        raise NeverReached(f"session {number}")
    first, last = span
    return first, last or book.head()


def _last_of_session(book: Book, number: int) -> int:
    span = book.accounts.given("campaign", "session", number)
    if span is None:
        return 0
    first, last = span
    return last or book.journal.head() if last != first else first


def _day(book: Book, point: str, number: int) -> tuple[int, int]:
    """The first and last entry of a day, even of one in the middle of a skip.

    A day goes up to the place where the next one begins, however often that was played again; one that was taken back,
    and never begun anew, up to what took it back.
    """
    rows, counts = book.accounts.register("campaign", "day"), Counter[int]()
    for row in rows:
        counts[row.since] += row.amount
    begun = sorted(since for since, amount in counts.items() if amount)
    if 1 <= number <= len(begun):
        return begun[number - 1], begun[number] - 1 if number < len(begun) else book.journal.head()
    last = max((place for place, row in enumerate(rows) if row.amount > 0 and row.balance == number), default=None)
    if last is None:
        raise NeverReached(point, f"it is day {len(begun)}")
    return rows[last].seq, rows[last + 1].seq - 1


def _last_by(book: Book, at: str, local: str, zone: Zone) -> int:
    """The last entry written by a local time; refuses (`Refused`) one before the first."""
    try:
        end = zone(datetime.fromisoformat(local))
        last = book.journal.last_by(end.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
    except (ValueError, OverflowError):
        raise BadInput(f"{at} is no date.", "Say a date like 2026-11-25 or '2026-11-25 20:15'.") from None
    if not last:
        first = datetime.fromisoformat(book.journal.entry(1).at).astimezone(end.tzinfo)
        raise Refused(f"This campaign begins on {first.date()}, after {at}.")
    return last
