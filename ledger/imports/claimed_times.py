"""Claimed times: how precise they are, and what they are in UTC."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, tzinfo
from typing import NamedTuple

from ledger.events.types import Precision
from ledger.imports.log_records import WrongRecord

_TIME_PATTERN = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[ T](?P<minute>[0-9]{2}:[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.(?P<ms>[0-9]{3}))?)?"
    r" ?(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
LAST_MILLISECOND = 253_402_300_799_999
"""The end of the year 9999."""


class ClaimedTime(NamedTuple):
    """A claimed time. `at` is a time in UTC, a date or None. `local_day` is the date of a time in an unknown zone."""

    at: str | None
    exact: Precision
    local_day: str = ""


NO_TIME = ClaimedTime(None, "none")


def typed_time(text: str, zone: tzinfo | None) -> ClaimedTime:
    """Read a date, or a date and time, as people type them. A time without an offset is in `zone`.

    Raise `WrongRecord` for any other text, and for a time that occurs twice or never in `zone`.
    """
    if not text:
        return NO_TIME
    found = _TIME_PATTERN.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        if found["minute"] is None:
            return ClaimedTime(date.fromisoformat(found["day"]).isoformat(), "day")
        moment = datetime.fromisoformat(text.replace(" +", "+").replace(" -", "-").replace(" Z", "Z"))
        exact: Precision = "ms" if found["ms"] else "second" if found["second"] else "minute"
        if moment.tzinfo is None:
            if zone is None:
                return ClaimedTime(None, "none", local_day=moment.date().isoformat())
            moment = moment.replace(tzinfo=zone)
            if moment.utcoffset() != moment.replace(fold=1).utcoffset():
                raise WrongRecord(
                    "the time is not clear, because the clocks change at that hour. Add the offset from UTC,"
                    " like +01:00"
                )
        return ClaimedTime(_stored(moment, exact), exact)
    except (ValueError, OverflowError):
        raise WrongRecord("the time is not a date like 2025-03-07, or a time like 2025-03-07 19:42") from None


def from_milliseconds(number: object) -> ClaimedTime:
    """Convert milliseconds since 1970 (UTC). Return `NO_TIME` for None.

    Raise `WrongRecord` for a value that is not a whole number, or that is outside the years 1970 to 9999.
    """
    if number is None:
        return NO_TIME
    if type(number) is not int or not 0 <= number <= LAST_MILLISECOND:
        raise WrongRecord("its time is not a number of milliseconds")
    seconds, ms = divmod(number, 1000)
    return ClaimedTime(_stored(datetime.fromtimestamp(seconds, UTC).replace(microsecond=ms * 1000), "ms"), "ms")


def _stored(moment: datetime, exact: Precision) -> str:
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds" if exact == "ms" else "seconds")
    return text.replace("+00:00", "Z")
