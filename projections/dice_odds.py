"""The exact odds of a roll outside any game."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ledger.rules.counting import check_values
from ledger.rules.distribution import distribution
from ledger.rules.notation import Notation
from ledger.values import Struct


class DiceOdds(Struct):
    """The probability of each total of a roll, the lowest first.

    The probabilities add up to 1, or to a little less if dice can explode without end (`is_endless`).
    """

    totals: Mapping[int, Fraction]
    is_endless: bool

    @property
    def mean(self) -> Fraction:
        """The average total."""
        known = sum(self.totals.values())
        return sum((total * chance for total, chance in self.totals.items()), Fraction(0)) / known

    def at_least(self, target: int) -> Fraction:
        """Return the probability of a total that reaches the target."""
        below = sum((chance for total, chance in self.totals.items() if total < target), Fraction(0))
        return 1 - below


def dice_odds(notation: Notation, scores: Mapping[str, int]) -> DiceOdds:
    """Return the odds of a single roll. `scores` has the value of each score in the notation.

    Raise `Refused` if the odds cannot be worked out in about a second, and `BadInput` for a roll that is refused too.
    """
    check_values(notation, scores)
    found = distribution(notation, scores)
    totals = {int(total): Fraction(ways, found.of) for total, ways in found.ways.items() if ways}
    return DiceOdds(totals=totals, is_endless=sum(found.ways.values()) < found.of)
