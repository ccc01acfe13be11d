"""Times: how a moment is kept (UTC, like `2026-11-20T19:30:00Z`) and how people read it, in their own time zone.

This is the only place that turns one into the other. A zone is its offset from UTC in minutes, east positive, or None
for the zone of this computer.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from ledger.errors import Damaged, shortened

KEPT = "%Y-%m-%dT%H:%M:%SZ"
"""The form in which entries keep a time."""

LAST_SECOND = 253_402_300_800
"""The first second of the year 10000, which no entry can keep."""


def kept(moment: datetime) -> str:
    """A moment in the form in which entries keep it."""
    return moment.astimezone(UTC).strftime(KEPT)


def moment_of(at: str) -> datetime:
    """The moment that an entry keeps; refuses (`Damaged`) a text that is not a time."""
    try:
        return datetime.fromisoformat(at).astimezone(UTC)
    except (ValueError, OverflowError):
        raise Damaged(f"{shortened(at)} is not a time") from None


def seconds_of(at: str) -> int:
    """The moment that an entry keeps, in seconds since 1970."""
    return int(moment_of(at).timestamp())


def from_seconds(seconds: int) -> str:
    """A number of seconds since 1970, in the form in which entries keep it."""
    return kept(datetime.fromtimestamp(seconds, UTC))


def local(at: str, offset: int | None) -> datetime:
    """The moment that an entry keeps, in a zone."""
    moment = moment_of(at)
    return moment.astimezone() if offset is None else moment.astimezone(timezone(timedelta(minutes=offset)))


def offset_of(moment: datetime) -> int:
    """The offset of a moment with a zone, in whole minutes."""
    return int((moment.utcoffset() or timedelta()).total_seconds()) // 60


def zone_name(offset: int) -> str:
    """A zone as people read and type it: `UTC`, `-05:00`."""
    sign, (hours, minutes) = "-" if offset < 0 else "+", divmod(abs(offset), 60)
    return f"{sign}{hours:02}:{minutes:02}" if offset else "UTC"


def day(at: str, offset: int | None) -> str:
    """The date of a moment in a zone, like `2026-11-20`."""
    return local(at, offset).date().isoformat()


def in_words(at: str, offset: int | None, *, seconds: bool = False) -> str:
    """A moment in a zone, like `2026-11-20 19:30 -05:00`."""
    moment = local(at, offset)
    return f"{moment:%Y-%m-%d %H:%M:%S}"[: None if seconds else -3] + f" {zone_name(offset_of(moment))}"
