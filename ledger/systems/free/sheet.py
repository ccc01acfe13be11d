"""The scores of a free sheet: one pattern for any name without a family, such as `hp`.

Names with a family, such as `hp.max`, are kept for what this game may learn, and so are the words of the dice.
"""

from __future__ import annotations

import re

from ledger.rules import LARGEST, Score

RESERVED = re.compile(r"max|roll|refill|[kd][hl]?[0-9]*")
"""Words that cannot name a number, because dice and sheets use them."""


class AnyNumber(Score):
    """A score of any name but a reserved one."""

    def covers(self, name: str) -> bool:
        """Whether this may be the name of a number."""
        return super().covers(name) and not RESERVED.fullmatch(name)


SCORES = (
    AnyNumber(
        name="*",
        unit="number",
        says="any name in small letters, like hp or gold; not max, roll, refill or dice like d20",
        least=-LARGEST,
        shown_at_zero=True,
    ),
)
