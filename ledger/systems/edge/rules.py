"""The rules of Edge as pure functions of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Literal

from ledger.rules import Chances, NotEnough, NotWithin, Refused, Run, Signed, Struct, Whole, chances, check_dice, rule
from ledger.systems.edge.sheet import BURN_AT_ZERO, SEVERITIES

SIDES = 10
DAMAGE_SIDES = 6

BANDS = (
    (10, "complete_success"),
    (5, "significant_success"),
    (0, "marginal_success"),
    (-5, "marginal_failure"),
    (-10, "significant_failure"),
)
"""The lowest margin for each magnitude, best first. Any lower margin is a complete failure (EDG-07)."""

LOWEST_MAGNITUDE = "complete_failure"
DOUBLE_MARGIN_CHANGE = 5
"""The number that a double adds to the margin of a success, or subtracts from the margin of a failure (EDG-06)."""

MOST_DAMAGE_DICE = 20

BONUS_DICE = ((10, 2), (5, 1))
"""Pairs of a margin and the extra damage dice for an attack with at least that margin, best first (EDG-08, EDG-09)."""

Mode = Literal["normal", "advantage", "disadvantage", "edge"]
EdgeUse = Literal["gain", "remove"]
DROPPED_DIE: dict[str, str] = {"advantage": "lowest", "disadvantage": "highest", "edge": "named"}


class CheckOutcome(Struct):
    kept: tuple[int, ...]
    total: int
    success: bool
    double: bool
    margin: int
    magnitude: str


class ArmorOutcome(Struct):
    penetrates: bool
    soaked: int
    damage: int


class BurnOutcome(Struct):
    current: int
    maximum: int


class MagnitudeChances(Chances):
    """The odds of a check: how many rolls give each magnitude, and how many are a success."""

    success: int


@rule("edge.dice_mode", "EDG-03", "EDG-04", gives="mode")
def dice_mode(*, advantage: bool = False, disadvantage: bool = False, edge: EdgeUse | None = None) -> Mode:
    """Return the dice mode of a check.

    `edge` is `None` if the player spends no edge. If the player spends edge, `edge` must be `remove` for a check with
    only a disadvantage, and `gain` for any other check.
    """
    only_disadvantage = disadvantage and not advantage
    if edge == "gain":
        if only_disadvantage:
            raise Refused("If a check has disadvantage, edge removes the disadvantage and does nothing else.")
        return "edge"
    if edge == "remove":
        if not only_disadvantage:
            raise Refused("There is no disadvantage here that edge could remove.")
        return "normal"
    if advantage == disadvantage:
        return "normal"
    return "advantage" if advantage else "disadvantage"


@rule("edge.skill_bonus", "EDG-02", gives="bonus")
def skill_bonus(*, attributes: tuple[Whole, ...], ranks: Whole, flat: Signed = 0) -> int:
    """Add two attributes, the ranks, and the GM's bonus or penalty (`flat`)."""
    if len(attributes) != 2:  # noqa: PLR2004  a skill uses two attributes
        raise Refused(f"A skill has two attributes, not {len(attributes)}.")
    return sum(attributes) + ranks + flat


def dropped_index(dice: Sequence[int], mode: Mode, drop: int | None) -> int | None:
    """Return the index of the dropped die (the first of equal dice), `None` if none is dropped (EDG-03)."""
    dropped_face = {"normal": None, "advantage": min(dice), "disadvantage": max(dice), "edge": drop}[mode]
    return None if dropped_face is None else list(dice).index(dropped_face)


@rule("edge.check", "EDG-01", "EDG-03", "EDG-04", "EDG-05", "EDG-06", "EDG-07")
def check(
    *, dice: tuple[int, ...], mode: Mode = "normal", bonus: Signed, target_number: Whole = 20, drop: int | None = None
) -> CheckOutcome:
    """Compute the outcome of a check. A double changes the margin, but not whether the check succeeds."""
    check_dice(dice, count=2 if mode == "normal" else 3, sides=SIDES)
    check_drop(dice, mode, drop)
    dropped = dropped_index(dice, mode, drop)
    kept = tuple(face for place, face in enumerate(dice) if place != dropped)
    total = sum(kept) + bonus
    success = total >= target_number
    double = kept[0] == kept[1]
    margin = (
        total - target_number + (DOUBLE_MARGIN_CHANGE if double and success else -DOUBLE_MARGIN_CHANGE if double else 0)
    )
    magnitude = next((name for least, name in BANDS if margin >= least), LOWEST_MAGNITUDE)
    return CheckOutcome(kept=kept, total=total, success=success, double=double, margin=margin, magnitude=magnitude)


def check_drop(dice: Sequence[int], mode: Mode, drop: int | None) -> None:
    """Raise `Refused` if the number to drop does not fit the dice or the mode (EDG-04).

    With the mode `edge`, `drop` must be a number that a die shows. In any other mode, `drop` must be None.
    """
    if mode != "edge":
        if drop is not None:
            raise Refused("You can choose the die to drop only if you spend edge on that choice.")
    elif drop is None:
        raise Refused("To spend edge, say which die to drop: type the number that it shows.")
    elif drop not in dice:
        raise Refused(f"No die shows {drop}. The dice are {' '.join(map(str, dice))}.")


@rule("edge.chance", "EDG-16")
def chance(*, mode: Mode = "normal", bonus: Signed, target_number: Whole = 20) -> MagnitudeChances:
    """Count the rolls for each magnitude. With edge, the player drops the die that leaves the best margin."""
    best = []
    for throw in product(range(1, SIDES + 1), repeat=2 if mode == "normal" else 3):
        drops = set(throw) if mode == "edge" else [None]
        checks = [check(dice=throw, mode=mode, bonus=bonus, target_number=target_number, drop=drop) for drop in drops]
        best.append(max(checks, key=lambda outcome: outcome.margin))
    names = (LOWEST_MAGNITUDE, *(name for _, name in reversed(BANDS)))
    counted = chances(names, (outcome.magnitude for outcome in best))
    return MagnitudeChances(**counted.__dict__, success=sum(outcome.success for outcome in best))


@rule("edge.damage_dice", "EDG-08", "EDG-09", gives="dice")
def damage_dice(*, weapon: Whole, margin: Signed = 0, extra: Whole = 0, edge: Whole = 0) -> int:
    """Count the d6s of a damage roll: for the weapon, the attack's margin, a burst, and each edge."""
    attack = next((dice for least, dice in BONUS_DICE if margin >= least), 0)
    return weapon + attack + extra + edge


@rule("edge.damage", "EDG-09", gives="damage")
def damage(*, dice: tuple[int, ...], modifier: Signed) -> int:
    """Add the dice and the modifier. The sum can be below 0."""
    check_dice(dice, sides=DAMAGE_SIDES)
    return sum(dice) + modifier


@rule("edge.armor", "EDG-10")
def armor(*, damage: Whole, penetration_threshold: Whole, damage_reduction: Whole) -> ArmorOutcome:
    """Divide damage into the absorbed part (rounded down) and the rest. Damage below the threshold is all absorbed."""
    if damage_reduction > 100:  # noqa: PLR2004  a percentage
        raise NotWithin("The damage reduction", damage_reduction, "0 to 100 percent")
    penetrates = damage >= penetration_threshold
    soaked = damage * damage_reduction // 100 if penetrates else damage
    return ArmorOutcome(penetrates=penetrates, soaked=soaked, damage=damage - soaked)


@rule("edge.damage_chance", "EDG-16")
def damage_chance(
    *, dice: Whole, modifier: Whole, penetration_threshold: Whole = 0, damage_reduction: Whole = 0
) -> Chances:
    """Count the rolls for each amount of damage that gets through armor. Refuse (`NotWithin`) more than 20 dice."""
    if dice > MOST_DAMAGE_DICE:
        raise NotWithin("The number of dice", dice, f"0 to {MOST_DAMAGE_DICE}")
    sums = {modifier: 1}
    for _ in range(dice):
        more: Counter[int] = Counter()
        for dealt, count in sums.items():
            more.update({dealt + face: count for face in range(1, DAMAGE_SIDES + 1)})
        sums = more
    passing: Counter[int] = Counter()
    for dealt, count in sums.items():
        hit = armor(damage=dealt, penetration_threshold=penetration_threshold, damage_reduction=damage_reduction)
        passing[hit.damage] += count
    ways = {str(damage): passing[damage] for damage in sorted(passing)}
    return Chances(of=DAMAGE_SIDES**dice, ways=ways)


@rule("edge.edge_burn", "EDG-14", "EDG-15")
def edge_burn(*, current: Whole, maximum: Whole, at_zero: bool = False) -> BurnOutcome:
    """Lower the current edge and the maximum by 1. With `at_zero`, a character without edge lowers only the maximum."""
    check_maximum(current, maximum)
    if not current and not at_zero:
        raise Refused(
            "A burn costs 1 edge, but the character has none.",
            f"To allow burns without edge: {Run('settings', 'edge', f'{BURN_AT_ZERO}=on')}",
        )
    check_burnable(maximum)
    return BurnOutcome(current=max(current - 1, 0), maximum=maximum - 1)


def check_burnable(maximum: int) -> None:
    """Refuse to burn edge if the maximum is 0 (EDG-14)."""
    if not maximum:
        raise Refused("A burn also lowers the maximum edge by 1, but the maximum is already 0.")


@rule("edge.rest", "EDG-12", "EDG-15", gives="current")
def rest(*, kind: Literal["short", "long"], current: Whole, maximum: Whole) -> int:
    """Restore edge: 1 for a short rest, all for a long rest, but never above the maximum."""
    check_maximum(current, maximum)
    return min(current + 1, maximum) if kind == "short" else maximum


@rule("edge.award", "EDG-13", "EDG-15", gives="current")
def award(*, amount: Whole, current: Whole, maximum: Whole) -> int:
    """Add edge for an achievement or a setback. Refuse an amount that lifts edge above the maximum."""
    if not amount:
        raise Refused("An award must be at least 1 edge.")
    check_maximum(current + amount, maximum)
    return current + amount


@rule("edge.lessen_injury", "EDG-11", gives="severity")
def lessen_injury(*, severity: str, steps: tuple[str, ...] = SEVERITIES) -> str:
    """Return the severity one step below `severity`. Refuse an unknown severity, and the least severe one."""
    if len(set(steps)) < len(steps):
        raise Refused("The list of severities contains the same severity twice.")
    check_severity(severity, steps)
    if severity == steps[0]:
        raise Refused(f"An injury cannot be less severe than {severity}.")
    return steps[steps.index(severity) - 1]


def check_severity(severity: str, steps: Sequence[str]) -> None:
    """Refuse an unknown severity (EDG-11)."""
    if severity not in steps:
        raise Refused(f"{severity!r} is not a severity. Use one of these: {', '.join(steps)}.")


def check_maximum(current: int, maximum: int) -> None:
    """Refuse a current edge above the maximum (EDG-15)."""
    if current > maximum:
        raise Refused(f"{current} edge would be above the maximum of {maximum}.")


def check_enough(who: str, has: int, needs: int) -> None:
    """Raise `NotEnough` if a character lacks the edge to spend (EDG-15). Spending 0 is always allowed."""
    if needs and has < needs:
        raise NotEnough(who, "edge", has=has, needs=needs)
