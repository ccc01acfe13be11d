"""Clocks: whether the clock of this computer can be right, by the last entry and by what a witness saw after it."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.errors import ClockDiffers, Refused
from ledger.times import LAST_SECOND, from_seconds, in_words, seconds_of

TOLERANCE_SECONDS = 300
"""Clocks that differ by no more than this are taken for the same."""

LONGEST_PAUSE_DAYS = 400
"""A clock that is further ahead of the last entry is taken for wrong."""

DAY_SECONDS = 86_400


def check_clock(now: str, last: str, notes: Iterable[str]) -> None:
    """Refuse (`ClockDiffers`) a clock that cannot be right.

    `last` is what the clock of the last entry said. `notes` are the signed heads that end with that entry: what their
    witnesses saw, they saw after it. So a clock that was accepted once is not asked about again.
    """
    seconds, before, shown = seconds_of(now), seconds_of(last), in_words(now, None)
    if seconds < before - TOLERANCE_SECONDS:
        raise ClockDiffers(shown, f"That is earlier than the last entry, of {in_words(last, None)}")
    if seconds > before + LONGEST_PAUSE_DAYS * DAY_SECONDS:
        days = (seconds - before) // DAY_SECONDS
        raise ClockDiffers(shown, f"That is {days:,} days after the last entry, of {in_words(last, None)}")
    for name, seen in witnessed_at(notes):
        if seconds < seen - TOLERANCE_SECONDS:
            raise ClockDiffers(shown, f"{name} signed as a witness {_at(seen)}")


def check_witness_clock(name: str, signed: int, now: str, last: str) -> None:
    """Refuse (`Refused`) a signature from the future: later than this computer's clock and than the last entry."""
    if signed <= max(seconds_of(now), seconds_of(last)) + TOLERANCE_SECONDS:
        return
    raise Refused(
        f"{name} signed {_at(signed)} by their own clock. This computer's clock says {in_words(now, None)}, and the"
        f" last entry is of {in_words(last, None)}. Nothing was kept.",
        f"{name} sets their clock and signs again: campaign witness sign",
    )


def witnessed_at(notes: Iterable[str]) -> Iterable[tuple[str, int]]:
    """Yield the witnesses of signed heads, with the seconds since 1970 that their signatures name."""
    for note in notes:
        if note.count("\n\N{EM DASH} ") > 1:
            from ledger.tlog.note import cosignatures  # most heads have no witness

            yield from cosignatures(note)


def _at(seconds: int) -> str:
    """A witness's time as people read it; an entry never has one after the year 9999."""
    return "after the year 9999" if seconds >= LAST_SECOND else f"at {in_words(from_seconds(seconds), None)}"
