"""The scores of a free sheet: any name without a family, such as `hp`, and its maximum, such as `hp.max`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ledger.rules import MAX_SHEET_NUMBER, Row, Score, SheetView, with_minus_sign

MODIFIERS = "cf|cs|d|df|dh|dl|e|f|k|kh|kl|ma|max|mi|min|p|ph|pl|r|ra|ro|rr|s|sa|sd|u|uo|x|xo"
RESERVED_NAMES = re.compile(rf"roll|refill|adv|advantage|dis|disadvantage|d[0-9].*|({MODIFIERS})[0-9]*")
"""The names with another meaning on a sheet or in dice notation."""


class AnyNumber(Score):
    """A number with any name that is not reserved. It has a maximum if the maximum on the sheet is not 0."""

    def allows(self, own: str) -> bool:
        """Return True for a short name that is not reserved."""
        return super().allows(own) and RESERVED_NAMES.fullmatch(own) is None

    def limit(self, value: Callable[[str], int]) -> int:
        """Return the maximum on the sheet, or the highest number of any sheet."""
        return super().limit(value) or MAX_SHEET_NUMBER


SCORES = (
    AnyNumber(
        name="*",
        unit="number",
        says="any name in plain letters, digits and hyphens, like hp or gold"
        " (but not max, roll, refill, or words of dice notation like d20 or kh)",
        least=-MAX_SHEET_NUMBER,
        most="*.max",
        shown_at_zero=True,
        may_be_given=True,
    ),
    AnyNumber(name="*.max", unit="maximum", says="the maximum of a number, like hp.max"),
)


def rows(sheet: SheetView) -> Sequence[Row]:
    """Describe the numbers in the order of their names. A number with a maximum is shown as `hp 9/12`."""
    names = sorted({name.removesuffix(".max") for name in sheet.scores})
    return [_row(name, sheet.score(name), sheet.score(f"{name}.max")) for name in names]


def _row(name: str, value: int, most: int) -> Row:
    text = with_minus_sign(value)
    return Row(label=name, value=f"{text}/{most}" if most else text, shows=(name, f"{name}.max"))
