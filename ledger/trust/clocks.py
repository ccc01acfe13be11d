"""Clocks: checks that the clock of this computer, or of a witness, is plausible."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.errors import ClockDiffers, Refused, Run
from ledger.times import FIRST_SECOND_TOO_LATE, from_seconds, in_words, seconds_of

TOLERANCE_SECONDS = 300
"""The largest difference at which two clocks still count as equal."""

LONGEST_PAUSE_DAYS = 400
"""The maximum age of the last entry. For an older entry, this computer's clock is assumed to be wrong."""

DAY_SECONDS = 86_400


def check_clock(now: str, last: str, notes: Iterable[str]) -> None:
    """Raise `ClockDiffers` if `now` does not fit the time of the last entry or of its signatures.

    `now` must not be before the time of the last entry (`last`), or too long after it. `now` must not be before
    the signatures in `notes` either. `notes` are the signed heads that end with the last entry, and no older heads.
    With older heads, the error would come again after somebody accepted the clock and wrote an entry.
    """
    seconds, before, now_text = seconds_of(now), seconds_of(last), in_words(now, None)
    if seconds < before - TOLERANCE_SECONDS:
        raise ClockDiffers(now_text, f"The last entry has a later time than the clock: {in_words(last, None)}")
    if seconds > before + LONGEST_PAUSE_DAYS * DAY_SECONDS:
        days = (seconds - before) // DAY_SECONDS
        raise ClockDiffers(now_text, f"The last entry was made {days:,} days earlier: {in_words(last, None)}")
    for note in notes:
        if note.count("\n\N{EM DASH} ") > 1:
            from ledger.tlog.note import cosignatures  # lazy import: most heads have no witness

            for name, seen in cosignatures(note):
                if seconds < seen - TOLERANCE_SECONDS:
                    raise ClockDiffers(now_text, f"{name} signed as a witness {_at_time(seen)}")


def check_witness_clock(name: str, signed: int, now: str, last: str) -> None:
    """Raise `Refused` if the witness `name` signed later than both this computer's clock and the last entry."""
    if signed <= max(seconds_of(now), seconds_of(last)) + TOLERANCE_SECONDS:
        return
    raise Refused(
        (
            f"By {name}'s own clock, the signature was made {_at_time(signed)}. This computer's clock"
            f" says {in_words(now, None)}, and the last entry was made at {in_words(last, None)}. The"
            " signature was not saved."
        ),
        f"Ask {name} to set their clock and sign again: {Run('witness sign')}",
    )


def _at_time(seconds: int) -> str:
    """Format a signing time, which may be after the year 9999."""
    return "after the year 9999" if seconds >= FIRST_SECOND_TOO_LATE else f"at {in_words(from_seconds(seconds), None)}"
