"""Times: the stored form of a moment (UTC), and the local form that people read.

The stored form is like `2026-11-20T19:30:00Z`. Only this module converts between the two forms. A zone is a
number of minutes: local time minus UTC. None stands for this computer's zone.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from ledger.errors import Damaged, quoted

STORED_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
"""The format of times in entries."""

FIRST_SECOND_TOO_LATE = 253_402_300_800
"""The first second of the year 10000, which entries cannot store."""


def stored_time(moment: datetime) -> str:
    """Format a moment as entries store it (see `STORED_FORMAT`)."""
    return moment.astimezone(UTC).strftime(STORED_FORMAT)


def moment_of(at: str) -> datetime:
    """Parse a stored time. Raise `Damaged` if the text is not a time."""
    try:
        return datetime.fromisoformat(at).astimezone(UTC)
    except (ValueError, OverflowError):
        raise Damaged(f"{quoted(at)} is not a time") from None


def seconds_of(at: str) -> int:
    """Convert a stored time to seconds since 1970 (UTC)."""
    return int(moment_of(at).timestamp())


def from_seconds(seconds: int) -> str:
    """Convert seconds since 1970 (UTC) to a stored time."""
    return stored_time(datetime.fromtimestamp(seconds, UTC))


def local_time(at: str, offset: int | None) -> datetime:
    """Convert a stored time to the local time in the zone `offset`. For None, use the zone of this computer."""
    moment = moment_of(at)
    return in_local_zone(moment) if offset is None else moment.astimezone(timezone(timedelta(minutes=offset)))


def in_local_zone(moment: datetime) -> datetime:
    """Convert a moment, or a time without a zone, to this computer's zone."""
    try:
        return moment.astimezone()
    except OSError:  # Windows knows no zone before 1970
        return moment.replace(tzinfo=UTC)


def offset_of(moment: datetime) -> int:
    """Return the offset of a moment from UTC, in whole minutes."""
    return int((moment.utcoffset() or timedelta()).total_seconds()) // 60


def zone_name(offset: int) -> str:
    """Format a zone as people read and type it: `UTC`, `-05:00`."""
    sign, (hours, minutes) = "-" if offset < 0 else "+", divmod(abs(offset), 60)
    return f"{sign}{hours:02}:{minutes:02}" if offset else "UTC"


def local_date(at: str, offset: int | None) -> str:
    """Format the local date of a stored time, like `2026-11-20`. For `offset`, see `local_time`."""
    return local_time(at, offset).date().isoformat()


def time_in_words(at: str, offset: int | None, *, seconds: bool = False) -> str:
    """Format the local time of a stored time, like `2026-11-20 19:30 -05:00`. With `seconds`, add the seconds."""
    moment = local_time(at, offset)
    return f"{moment:%Y-%m-%d %H:%M:%S}"[: None if seconds else -3] + f" {zone_name(offset_of(moment))}"
