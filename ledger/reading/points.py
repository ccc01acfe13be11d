"""Points: points in the history as people type them: an entry, `last`, `session:2`, `day:3`, or a date and time."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta, timezone
from typing import TYPE_CHECKING

from ledger.errors import BadInput, NeverReached, Refused
from ledger.reading.typed_values import LAST, WHOLE_NUMBER_PATTERN, whole_number
from ledger.times import local_date, offset_of, stored_time, time_in_words

if TYPE_CHECKING:
    from ledger.journal.accounts import AsOf
    from ledger.journal.book import Book

DATE_PATTERN = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T](?P<minute>[0-9]{2}:[0-9]{2})(?P<second>:[0-9]{2})?)?"
    r" ?(?P<zone>Z|UTC|[+-][0-9]{2}:[0-9]{2})?"
)
"""The pattern of a date, or a date and time, as the program prints it. The time zone is optional."""

DATE_EXAMPLES = "a date like 2026-11-25 or '2026-11-25 20:15'"
ZONE_HINT = "Times are in the session's time zone. For a different zone, add UTC or an offset like -05:00."

END_OF_DAY = time(23, 59, 59)

Zone = Callable[[datetime], datetime]
"""The time zone of this computer, as a function that adds the zone to a local time."""


def read_point(book: Book, at: str | None, corrected: bool, zone: Zone) -> AsOf:
    """Return the point that `at` names; the present for `None`. Raise `Refused` for a point that was never reached.

    A date means the end of that day. A time like `2026-11-22 20:15` means the end of that minute. A time without a zone
    is in the session's zone, or in `zone` before the first session. If `corrected`, the point includes later
    corrections.
    """
    from ledger.journal.accounts import NOW, AsOf

    if at is None:
        return NOW.replace(corrected=corrected)
    kind, colon, number = at.partition(":")
    if colon and kind == "day":
        return AsOf(seq=_day_span(book, at, _session_or_day_number(book, kind, number))[1], corrected=corrected)
    if colon and kind == "session":
        span = book.accounts.last_value_entry("campaign", "session", _session_or_day_number(book, kind, number))
        seq = 0 if span is None else span[1] or book.journal.head()
    elif (date := DATE_PATTERN.fullmatch(at)) is not None:
        seq = _last_entry_by_date(book, at, date, zone)
    elif re.fullmatch(WHOLE_NUMBER_PATTERN, at.removeprefix("#")):
        seq = whole_number(at.removeprefix("#"))
    elif at == LAST:
        seq = book.journal.head()
    else:
        raise BadInput(
            f"{at!r} is not an entry, a session, a day or a date.",
            f"Use an entry number, last, session:N, day:N, or {DATE_EXAMPLES}. {ZONE_HINT}",
        )
    if not 1 <= seq <= book.journal.head():
        raise NeverReached(at, f"its last entry is {book.journal.head()}")
    return AsOf(seq=book.journal.action(book.journal.entry(seq).act)[-1].seq, corrected=corrected)


def first_entry_at(book: Book, point: str, zone: Zone) -> int:
    """Return the first entry at a point in the history.

    For a session or a day, return its first entry. For any other point, return the first entry of the action there.
    """
    kind, colon, number = point.partition(":")
    if colon and kind == "day":
        return _day_span(book, point, _session_or_day_number(book, kind, number))[0]
    if colon and kind == "session":
        return session_span(book, _session_or_day_number(book, kind, number))[0]
    return book.journal.entry(read_point(book, point, False, zone).seq).act


def stretch_of(book: Book, number: int | None, first: str | None, last: str | None, zone: Zone) -> tuple[int, int]:
    """Return the first and the last entry of the stretch from the point `first` to the point `last`.

    If `first` or `last` is `None`, use the start or the end of session `number`. If `number` is `None` too, use the
    start or the end of the book.
    """
    least, most = (1, book.head()) if number is None else session_span(book, number)
    begins = least if first is None else first_entry_at(book, first, zone)
    ends = most if last is None else read_point(book, last, False, zone).seq
    if begins > ends:
        raise BadInput(f"{first or begins} comes after {last or ends}.", "Type the earlier point first.")
    return begins, ends


def session_span(book: Book, number: int) -> tuple[int, int]:
    """Return the first and last entry of a session. Raise `NeverReached` for one that was never opened."""
    span = book.accounts.last_value_entry("campaign", "session", number)
    if span is None:
        raise NeverReached(f"session {number}")
    first, last = span
    return first, last or book.head()


def check_opened(book: Book, session: int) -> None:
    """Raise `NeverReached` for a session that was never opened."""
    if not book.accounts.entries_with_value("campaign", "session", str(session)):
        raise NeverReached(f"session {session}")


def last_session(book: Book) -> int:
    """Return the number of the last session that was opened. Raise `NeverReached` if there was none."""
    from ledger.events.types import SessionOpened

    for seq, _ in book.accounts.newest_mark_entries_first("campaign", "session"):
        entry = book.journal.entry(seq)
        if isinstance(entry.event, SessionOpened) and not book.is_struck(entry.act):
            return entry.event.number
    raise NeverReached("a session")


def _session_or_day_number(book: Book, kind: str, typed: str) -> int:
    """Return the typed number of a session or a day. `last` means the last session, or the current day."""
    if typed != LAST:
        return whole_number(typed)
    return last_session(book) if kind == "session" else len(book.accounts.change_entries("campaign", "day"))


def _day_span(book: Book, point: str, number: int) -> tuple[int, int]:
    """Return the first and last entry of day `number`. A day whose start was canceled ends before the cancellation.

    `point` is the typed point, for the error.
    """
    rows, starts = book.accounts.postings("campaign", "day"), book.accounts.change_entries("campaign", "day")
    if 1 <= number <= len(starts):
        return starts[number - 1], starts[number] - 1 if number < len(starts) else book.journal.head()
    last = max((place for place, row in enumerate(rows) if row.amount > 0 and row.balance == number), default=None)
    if last is None:
        raise NeverReached(point, "days are numbered from 1" if number < 1 else f"the current day is {len(starts)}")
    return rows[last].seq, rows[last + 1].seq - 1


def _last_entry_by_date(book: Book, at: str, typed: re.Match[str], zone: Zone) -> int:
    """Return the last entry written at or before a typed time. Raise `Refused` for a time before the first entry."""
    try:
        local = datetime.fromisoformat(f"{typed['day']}T{typed['minute'] or '23:59'}{typed['second'] or ':59'}")
        if typed["zone"]:
            offset = "+00:00" if typed["zone"] in {"Z", "UTC"} else typed["zone"]
            last = book.journal.last_entry_at(stored_time(datetime.fromisoformat(f"{local.isoformat()}{offset}")))
        else:
            last = _last_entry_at_local_time(book, local, zone)
    except (ValueError, OverflowError):
        raise BadInput(f"{at} is not a date.", f"Use {DATE_EXAMPLES}. {ZONE_HINT}") from None
    if not last:
        first = book.journal.entry(1)
        start = time_in_words(first.clock, offset_of(zone(local)))  # the first entry comes before any session
        raise Refused(f"{at} is before the start of this campaign ({start}).")
    return last


def _last_entry_at_local_time(
    book: Book, local: datetime, zone: Zone, zones: Sequence[tuple[int, int | None]] | None = None
) -> int:
    """Return the last entry at or before a local time, or 0.

    Sessions can have different time zones. So each entry is compared in the time zone of its session. To save time,
    pass the result of `book.zones()` as `zones`.
    """
    last_entries: dict[int | None, int] = {}
    last = book.head()
    for first, offset in reversed(book.zones() if zones is None else zones):
        if offset not in last_entries:
            moment = zone(local) if offset is None else local.replace(tzinfo=timezone(timedelta(minutes=offset)))
            last_entries[offset] = book.journal.last_entry_at(stored_time(moment))
        if last_entries[offset] >= first:
            return min(last_entries[offset], last)
        last = first - 1
    return 0


class Days:
    """The date of each entry. No entry has an earlier date than the entry before it, even if clocks or zones differ.

    `--at` with the date of an entry includes the entry, and `--at` with the day before does not. Ask for the dates in
    the order of the entries.
    """

    def __init__(self, book: Book, zone: Zone) -> None:
        self._book, self._zone, self._zones = book, zone, book.zones()
        self._dates, self._ends = [date.min], [0]

    def date_of(self, seq: int) -> date:
        """Return the date of entry `seq`. The class explains which date this is."""
        if seq > self._ends[-1]:
            offset = next(offset for first, offset in reversed(self._zones) if first <= seq)
            own = date.fromisoformat(local_date(self._book.journal.entry(seq).clock, offset)).toordinal()
            # a later session may be in a zone further west, or a later clock may be wrong
            earlier = range(self._dates[-1].toordinal() + 1, own)
            day = date.fromordinal(earlier.start + bisect_left(earlier, seq, key=self._last_entry))
            self._dates.append(day)
            self._ends.append(max(seq, self._last_entry(day.toordinal())))
        return self._dates[bisect_left(self._ends, seq)]

    def _last_entry(self, ordinal: int) -> int:
        try:
            evening = datetime.combine(date.fromordinal(ordinal), END_OF_DAY)
            return _last_entry_at_local_time(self._book, evening, self._zone, self._zones)
        except OverflowError:  # the end of the year 9999
            return self._book.head()
