"""The exact odds of a roll outside any game."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ledger.commands.roll import Roll, low_totals_succeed
from ledger.journal.book import Book
from ledger.rules.distribution import distribution
from ledger.rules.expressions import Notation
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


class RollOdds(Struct):
    """The odds of a roll as typed (`pool`). `scores` has the values of the scores in the roll, by their full names.

    `who` is the character or the player who would roll, if any. `name` is the name to show for `who`. A total of at
    least `target` is a success; with `at_most`, a total of at most `target`.
    """

    who: str | None
    name: str
    pool: str
    notation: Notation
    scores: Mapping[str, int]
    target: int | None
    at_most: bool
    odds: DiceOdds

    @property
    def success(self) -> Fraction | None:
        """The probability of a success, `None` without a target."""
        if self.target is None:
            return None
        return 1 - self.odds.at_least(self.target + 1) if self.at_most else self.odds.at_least(self.target)

    def as_json(self) -> dict[str, Any]:
        return {
            "who": self.who,
            "pool": self.pool,
            "scores": self.scores,
            "mean": float(self.odds.mean),
            "target": self.target,
            "at_most": self.at_most,
            "success": None if self.success is None else float(self.success),
            "totals": [
                {"total": total, "chance": float(chance), "or_more": float(self.odds.at_least(total))}
                for total, chance in self.odds.totals.items()
            ],
        }


def odds_of_roll(book: Book, who: str | None, pool: str, target: int | None = None) -> RollOdds:
    """Return the odds of the roll `pool` with the scores on the current sheet, and of a success against `target`.

    Raise `Refused` if computing the odds would take more than about a second. Raise `BadInput` if `pool` is not a
    valid roll.
    """
    notation, scores, values = Roll(who=who or "", notation=pool).read(book)
    chances = distribution(notation, values)
    totals = {int(total): Fraction(ways, chances.of) for total, ways in chances.ways.items() if ways}
    odds = DiceOdds(totals=totals, is_endless=sum(chances.ways.values()) < chances.of)
    at_most, name = target is not None and low_totals_succeed(book), book.name_of(who) if who else ""
    return RollOdds(
        who=who, name=name, pool=pool, notation=notation, scores=scores, target=target, at_most=at_most, odds=odds
    )
