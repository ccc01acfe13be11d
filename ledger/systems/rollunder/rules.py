"""The rules of roll-under as pure functions of numbers."""

from __future__ import annotations

from typing import Any, Literal

from ledger.rules import Refused, Signed, Struct, Whole, check_dice, rule, with_minus_sign
from ledger.systems.rollunder.sheet import LEVELS, levels_in

SIDES = 20
LEAST_FACTOR, MOST_FACTOR = -10, 5

Complexity = Literal["0.5", "1", "1.5", "2"]
HALVES: dict[Complexity, int] = {"0.5": 1, "1": 2, "1.5": 3, "2": 4}
"""Each complexity factor as a number of halves: 1.5 is 3 (ROL-03)."""

Outcome = Literal["success", "failure", "critical_failure"]


class RollUnderOutcome(Struct):
    """The outcome of a check. `margin` and `level` are `None` if the action fails."""

    outcome: Outcome
    margin: int | None
    level: str | None


class RollUnderChances(Struct):
    """The number of d20 faces that succeed, and the number that fail critically. `of` is the number of faces: 20."""

    success: int
    critical_failure: int
    of: int


@rule("rollunder.skill_number", "ROL-02", "ROL-04", gives="difficulty_number")
def skill_number(*, level: Whole, characteristics: tuple[Whole, ...], difficulty_factor: Signed = 0) -> int:
    """Add level, natural ability (the average of the characteristics) and difficulty factor. Round the sum down."""
    check_factor(difficulty_factor)
    if not characteristics:
        raise Refused("A natural ability needs at least one characteristic.")
    count = len(characteristics)
    return ((level + difficulty_factor) * count + sum(characteristics)) // count


@rule("rollunder.plain_number", "ROL-03", "ROL-04", gives="difficulty_number")
def plain_number(*, characteristic: Whole, complexity_factor: Complexity, difficulty_factor: Signed = 0) -> int:
    """Multiply a characteristic by the complexity factor, add the difficulty factor, and round the sum down."""
    check_factor(difficulty_factor)
    halves = characteristic * HALVES[complexity_factor] + 2 * difficulty_factor
    return halves // 2


@rule("rollunder.check", "ROL-01", "ROL-05", "ROL-06", "ROL-07")
def check(*, difficulty_number: Signed, roll: int, table: Any = "bands4") -> RollUnderOutcome:
    """Compute the outcome of a check. `table` is the name or the data of a table of success levels."""
    check_dice((roll,), sides=SIDES)
    levels = levels_in(table)
    levels.row(difficulty_number)  # refuses a number that no row covers
    if roll == SIDES and difficulty_number <= SIDES:
        return RollUnderOutcome(outcome="critical_failure", margin=None, level=None)
    if roll > difficulty_number:
        return RollUnderOutcome(outcome="failure", margin=None, level=None)
    level = LEVELS[levels.level(difficulty_number, roll)]
    return RollUnderOutcome(outcome="success", margin=difficulty_number - roll, level=level)


@rule("rollunder.chance", "ROL-01", "ROL-05")
def chance(*, difficulty_number: Signed) -> RollUnderChances:
    """Count the faces that are a success, and those that are a critical failure."""
    critical = 1 if difficulty_number <= SIDES else 0
    return RollUnderChances(
        success=max(0, min(difficulty_number, SIDES - critical)), critical_failure=critical, of=SIDES
    )


def check_factor(factor: int) -> None:
    """Refuse a difficulty factor outside −10 to +5 (ROL-04)."""
    if not LEAST_FACTOR <= factor <= MOST_FACTOR:
        total = with_minus_sign(f"{factor:+d}")
        raise Refused(f"The sum of all circumstances must be −{-LEAST_FACTOR} to +{MOST_FACTOR}, not {total}.")
