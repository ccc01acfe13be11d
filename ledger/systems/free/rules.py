"""The only rule of a free sheet: whether a total succeeds against a number."""

from __future__ import annotations

from typing import Literal

from ledger.rules import Signed, Struct, rule
from ledger.systems.free.sheet import AT_LEAST

SuccessRule = Literal["at-least", "at-most"]


class TotalOutcome(Struct):
    """The outcome of a check. `margin` is below 0 for a failure."""

    success: bool
    margin: int


@rule("free.check", "FRE-01")
def check(*, total: Signed, target: Signed, success: SuccessRule = "at-least") -> TotalOutcome:
    """Compare a total with a number. A total equal to the number is a success."""
    margin = total - target if success == AT_LEAST else target - total
    return TotalOutcome(success=margin >= 0, margin=margin)
