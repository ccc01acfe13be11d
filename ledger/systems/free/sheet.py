"""The scores of a free sheet: one pattern for any name without a family, such as `hp`.

Names with a family, such as `hp.max`, and words of dice notation are reserved for later versions of this game.
"""

from __future__ import annotations

import re

from ledger.rules import MAX_SHEET_NUMBER, Score

RESERVED_NAMES = re.compile(r"max|roll|refill|[kd][hl]?[0-9]*")


class AnyNumber(Score):
    """A score with any name that is not reserved."""

    def covers(self, name: str) -> bool:
        return super().covers(name) and not RESERVED_NAMES.fullmatch(name)


SCORES = (
    AnyNumber(
        name="*",
        unit="number",
        says="any name in lowercase letters, like hp or gold (but not max, roll, refill or dice like d20)",
        least=-MAX_SHEET_NUMBER,
        shown_at_zero=True,
    ),
)
