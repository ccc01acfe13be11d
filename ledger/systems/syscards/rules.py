"""The rules of SySCards as pure functions of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Annotated, Literal

from ledger.rules import (
    MAX_STORED_NUMBER,
    Chances,
    NotWithin,
    Refused,
    Struct,
    Whole,
    Within,
    chances,
    check_dice,
    count_of,
    rule,
)
from ledger.systems.syscards.sheet import grade_of

MAX_ROLL = 100

Positive = Annotated[int, Within(1, MAX_STORED_NUMBER)]
SuccessCondition = Literal["rate", "both"]
"""The condition for a forced act to succeed: reach its rate (`rate`), or reach it and come first (`both`, SYS-16)."""


class RankedAct(Struct):
    """An act in a challenge. `id` is the card's name. `natural` is the roll, or `None` without a roll."""

    id: str
    efficiency: Whole
    natural: Whole | None = None
    velocity: Whole | None = None
    necessary_rate: Whole | None = None

    @property
    def speed(self) -> int:
        """The velocity, 1 by default."""
        return 1 if self.velocity is None else self.velocity


class ThrowOutcome(Struct):
    """The outcome of a roll. Without a rate, `success` is None. `raised` is True if the roll raises the efficiency."""

    result: int
    success: bool | None
    degree_of_failure: int | None
    raised: bool
    efficiency_after: int


class NeedOutcome(Struct):
    throw_required: bool
    success: bool | None


class ChallengeOutcome(Struct):
    """The outcome of a challenge.

    `order` lists the acts from first to last, with tied acts in one group. `challenged` lists groups of acts with
    the same velocity.
    """

    order: tuple[tuple[str, ...], ...]
    ruling_required: bool
    challenged: tuple[tuple[str, ...], ...]
    results: Mapping[str, ThrowOutcome]


class PurchaseOutcome(Struct):
    core_points: int
    efficiency: int


@rule("syscards.read_percentile", "SYS-02", gives="value")
def read_percentile(*, tens: Whole, units: Whole) -> int:
    """Combine a tens digit and a ones digit into a roll of 1 to 100; 0 and 0 is 100."""
    for digit in (tens, units):
        if not 0 <= digit <= 9:  # noqa: PLR2004  a digit
            raise NotWithin("A digit", digit, "0 to 9")
    return 10 * tens + units or MAX_ROLL


@rule("syscards.throw", "SYS-04", "SYS-05", "SYS-06", "SYS-09", "SYS-10")
def throw(
    *,
    natural: Whole,
    efficiency: Whole,
    necessary_rate: Whole | None = None,
    raise_from: Whole = MAX_ROLL,
    raise_award: Positive = 1,
) -> ThrowOutcome:
    """Compute the outcome of a roll. The efficiency replaces a lower roll. The raise depends on the natural roll."""
    check_dice((natural,), sides=MAX_ROLL)
    _check_rate("efficiency", efficiency)
    _check_rate("lowest roll that raises the efficiency", raise_from)
    if necessary_rate is not None:
        _check_rate("necessary rate", necessary_rate)
    result = max(natural, efficiency)
    success = None if necessary_rate is None else result >= necessary_rate
    raised = natural >= raise_from and efficiency < MAX_ROLL
    return ThrowOutcome(
        result=result,
        success=success,
        degree_of_failure=necessary_rate - result if necessary_rate is not None and not success else None,
        raised=raised,
        efficiency_after=min(MAX_ROLL, efficiency + raise_award) if raised else efficiency,
    )


@rule("syscards.needs_throw", "SYS-05", "SYS-11")
def needs_throw(*, efficiency: Whole, necessary_rate: Whole) -> NeedOutcome:
    """Check if a card must roll. A card must roll if the necessary rate is above its efficiency."""
    _check_rate("efficiency", efficiency)
    _check_rate("necessary rate", necessary_rate)
    needed = necessary_rate > efficiency
    return NeedOutcome(throw_required=needed, success=None if needed else True)


@rule("syscards.challenge", "SYS-13", "SYS-14", "SYS-15", "SYS-16")
def challenge(
    *,
    acts: tuple[RankedAct, ...],
    raise_from: Whole = MAX_ROLL,
    raise_award: Positive = 1,
    ruling: tuple[str, ...] | None = None,
    forced: SuccessCondition = "rate",
) -> ChallengeOutcome:
    """Order acts by velocity, then by result, then by the efficiency after raises, then by the GM's `ruling`.

    If `forced` is `both`, an act succeeds only if it reaches its rate and also comes first among its challengers.
    """
    _check_acts(acts)
    results = {
        act.id: throw(
            natural=act.natural,
            efficiency=act.efficiency,
            necessary_rate=act.necessary_rate,
            raise_from=raise_from,
            raise_award=raise_award,
        )
        for act in acts
        if act.natural is not None
    }
    groups: dict[tuple[int, int, int], list[str]] = {}
    for act in sorted(acts, key=lambda act: act.id):
        result = results.get(act.id)
        key = (-act.speed, -result.result, -result.efficiency_after) if result else (-act.speed, 0, 0)
        groups.setdefault(key, []).append(act.id)
    order = [groups[key] for key in sorted(groups)]
    tied = {name for group in order if len(group) > 1 for name in group}
    if ruling is not None:
        if len(ruling) != len(tied) or set(ruling) != tied:
            raise Refused(f"The order must name exactly the tied cards: {', '.join(sorted(tied)) or 'none'}.")
        order = [[name] for group in order for name in sorted(group, key=lambda n: ruling.index(n) if n in tied else 0)]
    if forced == "both":
        results |= _first_place_changes(acts, order, results)
    return ChallengeOutcome(
        order=tuple(map(tuple, order)),
        ruling_required=bool(tied) and ruling is None,
        challenged=tuple(tuple(names) for names in _groups(acts).values()),
        results=results,
    )


def _first_place_changes(
    acts: Sequence[RankedAct], order: Sequence[Sequence[str]], results: Mapping[str, ThrowOutcome]
) -> dict[str, ThrowOutcome]:
    """Return changed outcomes for the acts that reach their rate, but are beaten or tied for first place.

    The `success` of a beaten act becomes False. The `success` of a tied act becomes None.
    """
    changed: dict[str, ThrowOutcome] = {}
    for names in _groups(acts).values():
        first = next(group for group in order if group[0] in names)
        for name in names:
            if results[name].success and first != [name]:
                changed[name] = results[name].replace(success=None if name in first else False)
    return changed


def _groups(acts: Sequence[RankedAct]) -> dict[int, list[str]]:
    """Group the acts by velocity, the fastest group first. Omit groups of one act."""
    speeds: dict[int, list[str]] = {}
    for act in sorted(acts, key=lambda act: (-act.speed, act.id)):
        speeds.setdefault(act.speed, []).append(act.id)
    return {speed: names for speed, names in speeds.items() if len(names) > 1}


def throwers(acts: Sequence[RankedAct]) -> list[str]:
    """Return the acts that must roll: those with a challenger, or with a rate above their efficiency (SYS-15)."""
    together = {name for names in _groups(acts).values() for name in names}
    return [
        act.id
        for act in acts
        if act.id in together or (act.necessary_rate is not None and act.necessary_rate > act.efficiency)
    ]


def _check_acts(acts: Sequence[RankedAct]) -> None:
    if len(acts) < 2:  # noqa: PLR2004  one act cannot challenge itself
        raise Refused("A challenge needs two cards or more.")
    names = [act.id for act in acts]
    if len(set(names)) < len(names):
        raise Refused("You named a card twice.")
    for act in acts:
        if act.speed < 1:
            raise NotWithin("A velocity", act.speed, "1 or more")
        _check_rate("efficiency", act.efficiency)
        if act.necessary_rate is not None:
            _check_rate("necessary rate", act.necessary_rate)
    missing = {act.id for act in acts if act.natural is None} & set(throwers(acts))
    if missing:
        raise Refused(f"These cards still have to roll: {', '.join(sorted(missing))}.")


@rule("syscards.grade", "SYS-07", gives="grade")
def grade(*, rate: Whole) -> str:
    """Return the grade of a rate or an efficiency, from Novice to Ultimate."""
    _check_rate("rate", rate)
    return grade_of(rate)


@rule("syscards.chance", "SYS-04", "SYS-05", gives="percent")
def chance(*, necessary_rate: Whole, efficiency: Whole) -> int:
    """Compute the chance of success in percent."""
    needed = needs_throw(efficiency=efficiency, necessary_rate=necessary_rate).throw_required
    return MAX_ROLL + 1 - necessary_rate if needed else MAX_ROLL


@rule("syscards.challenge_chance", "SYS-13", "SYS-14", "SYS-23")
def challenge_chance(
    *, efficiency: Whole, against: Whole, raise_from: Whole = MAX_ROLL, raise_award: Positive = 1
) -> Chances:
    """Count the pairs of rolls for which an act comes before an act with efficiency `against`, after it, or is tied."""

    def ranks(before: int) -> list[tuple[int, int]]:
        results = (
            throw(natural=natural, efficiency=before, raise_from=raise_from, raise_award=raise_award)
            for natural in range(1, MAX_ROLL + 1)
        )
        return [(result.result, result.efficiency_after) for result in results]

    pairs = product(ranks(efficiency), ranks(against))
    outcomes = ("first" if mine > theirs else "second" if mine < theirs else "tied" for mine, theirs in pairs)
    return chances(("first", "second", "tied"), outcomes)


@rule("syscards.purchase", "SYS-12")
def purchase(*, core_points: Whole, efficiency: Whole, price: Whole, points: Whole) -> PurchaseOutcome:
    """Buy points of efficiency. Refuse an efficiency above 100, and a cost above `core_points`."""
    _check_rate("efficiency", efficiency)
    if points < 1:
        raise Refused("Buy at least 1 point.")
    if price * points > core_points:
        raise Refused(
            f"This purchase costs {count_of(price * points, 'core point')}, but only"
            f" {count_of(core_points, 'is', 'are')} left."
        )
    if efficiency + points > MAX_ROLL:
        total = efficiency + points
        raise Refused(f"This purchase would raise the efficiency to {total}; the limit is {MAX_ROLL}.")
    return PurchaseOutcome(core_points=core_points - price * points, efficiency=efficiency + points)


@rule("syscards.action_times", "SYS-15", gives="fractions")
def action_times(*, velocity: Annotated[int, Within(1, 1000)]) -> tuple[str, ...]:
    """Divide the round into `velocity` equal parts. Return the middle of each part, which is the time of an act."""
    middles = (Fraction(2 * place + 1, 2 * velocity) for place in range(velocity))
    return tuple(f"{middle.numerator}/{middle.denominator}" for middle in middles)


def _check_rate(what: str, number: int) -> None:
    if not 1 <= number <= MAX_ROLL:
        raise NotWithin(f"The {what}", number, f"1 to {MAX_ROLL}")
