"""Clocks: a check of this computer's clock against the last entry, and against the times of its witnesses."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.errors import ClockDiffers, Refused, Run
from ledger.times import LAST_SECOND, from_seconds, in_words, seconds_of

TOLERANCE_SECONDS = 300
"""The maximum difference of two clocks that count as equal."""

LONGEST_PAUSE_DAYS = 400
"""The maximum time between the last entry and a clock that counts as right."""

DAY_SECONDS = 86_400


def check_clock(now: str, last: str, notes: Iterable[str]) -> None:
    """Raise `ClockDiffers` for an impossible clock.

    `last` is the clock of the last entry. `notes` are the signed heads that end with that entry, so their witnesses
    signed after it. An accepted clock is therefore not questioned again.
    """
    seconds, before, now_text = seconds_of(now), seconds_of(last), in_words(now, None)
    if seconds < before - TOLERANCE_SECONDS:
        raise ClockDiffers(now_text, f"That is earlier than the last entry ({in_words(last, None)})")
    if seconds > before + LONGEST_PAUSE_DAYS * DAY_SECONDS:
        days = (seconds - before) // DAY_SECONDS
        raise ClockDiffers(now_text, f"That is {days:,} days after the last entry ({in_words(last, None)})")
    for name, seen in witnessed_at(notes):
        if seconds < seen - TOLERANCE_SECONDS:
            raise ClockDiffers(now_text, f"{name} signed as a witness {_at(seen)}")


def check_witness_clock(name: str, signed: int, now: str, last: str) -> None:
    """Raise `Refused` for a signature that is later than both this computer's clock and the last entry."""
    if signed <= max(seconds_of(now), seconds_of(last)) + TOLERANCE_SECONDS:
        return
    raise Refused(
        f"By their own clock, {name} signed {_at(signed)}. This computer's clock says {in_words(now, None)}, and the"
        f" last entry was made at {in_words(last, None)}. The signature was not saved.",
        f"Ask {name} to set their clock and sign again: {Run('witness sign')}",
    )


def witnessed_at(notes: Iterable[str]) -> Iterable[tuple[str, int]]:
    """Yield the witnesses of signed heads, with their signing times in seconds since 1970."""
    for note in notes:
        if note.count("\n\N{EM DASH} ") > 1:
            from ledger.tlog.note import cosignatures  # most heads have no witness

            yield from cosignatures(note)


def _at(seconds: int) -> str:
    """Format a witness's time, which may be after the year 9999, unlike the time of an entry."""
    return "after the year 9999" if seconds >= LAST_SECOND else f"at {in_words(from_seconds(seconds), None)}"
