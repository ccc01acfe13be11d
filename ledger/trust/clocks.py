"""Clocks: checks that the clock of this computer, or of a witness, is plausible."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.errors import ClockDiffers, Refused, Run
from ledger.times import FIRST_SECOND_TOO_LATE, from_seconds, seconds_of, time_in_words

TOLERANCE_SECONDS = 300
"""The largest difference at which two clocks still count as equal."""

LONGEST_PAUSE_DAYS = 400
"""The maximum age of the last entry. For an older entry, this computer's clock is assumed to be wrong."""

DAY_SECONDS = 86_400


def check_clock(now: str, last: str, notes: Iterable[str]) -> None:
    """Raise `ClockDiffers` if `now` does not fit the time of the last entry or of its signatures.

    `now` must not be before the time of the last entry (`last`), or too long after it. `now` must not be before
    the signatures in `notes` either. Pass only the signed heads that end with the last entry. With an older head,
    the error would come back even after somebody accepted the clock and wrote an entry.
    """
    seconds, before = seconds_of(now), seconds_of(last)
    if seconds < before - TOLERANCE_SECONDS:
        why = f"The last entry has a later time than the clock: {time_in_words(last, None)}"
        raise ClockDiffers(time_in_words(now, None), why)
    if seconds > before + LONGEST_PAUSE_DAYS * DAY_SECONDS:
        days = (seconds - before) // DAY_SECONDS
        why = f"The last entry was made {days:,} days earlier: {time_in_words(last, None)}"
        raise ClockDiffers(time_in_words(now, None), why)
    for note in notes:
        if note.count("\n\N{EM DASH} ") > 1:
            from ledger.tlog.note import cosignatures  # lazy import: most heads have no witness

            for name, seen in cosignatures(note):
                if seconds < seen - TOLERANCE_SECONDS:
                    raise ClockDiffers(time_in_words(now, None), f"{name} signed as a witness {_at_time(seen)}")


def check_witness_clock(name: str, signed: int, now: str, last: str) -> None:
    """Raise `Refused` if the witness `name` signed later than both this computer's clock and the last entry."""
    if signed <= max(seconds_of(now), seconds_of(last)) + TOLERANCE_SECONDS:
        return
    raise Refused(
        (
            f"By {name}'s own clock, the signature was made {_at_time(signed)}. This computer's clock"
            f" says {time_in_words(now, None)}, and the last entry was made at {time_in_words(last, None)}. The"
            " signature was not saved."
        ),
        f"Ask {name} to set their clock and sign again: {Run('witness sign')}",
    )


def _at_time(seconds: int) -> str:
    """Format a signing time, which may be after the year 9999."""
    return (
        "after the year 9999"
        if seconds >= FIRST_SECOND_TOO_LATE
        else f"at {time_in_words(from_seconds(seconds), None)}"
    )
