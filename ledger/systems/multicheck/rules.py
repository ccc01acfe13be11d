"""The rules of Multicheck as pure functions of numbers."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Literal

from ledger.rules import Chances, NotWithin, Refused, Signed, Struct, Whole, chances, check_dice, rule
from ledger.systems.multicheck.sheet import D100, DEFAULT_MISHAP, MOST_RANK, RANK_BONUS, SPECIALIZED_BONUS

D10, D20 = 10, 20

MOST_MODIFIER = 30
BONUS_BEFORE, BONUS_AFTER = 10, 5

OUTCOMES: dict[int, tuple[str, int | None]] = {
    -2: ("critical failure: no, and", None),
    -1: ("major failure: no", None),
    0: ("minor failure: no, but", 0),
    1: ("minor success: yes, but", 1),
    2: ("major success: yes", 2),
    3: ("critical success: yes, and", 3),
}
"""For each number of successes: the verdict, and the extra dice. The key 3 means 3 or more (MUL-09)."""
VERDICTS = {says.partition(":")[0].replace(" ", "_"): says for says, _ in OUTCOMES.values()}
"""The verdict for each outcome of a test, the worst first."""
MOST_DICE = max(dice or 0 for _, dice in OUTCOMES.values())

Grade = Literal["easy", "normal", "hard", "extreme"]
GRADES: dict[Grade, int] = {"easy": 0, "normal": 5, "hard": 10, "extreme": 15}
UNOPPOSED_MALICE = 10

SaveResult = Literal["critical_failure", "failure", "success", "critical_success"]
BANDS: tuple[tuple[int, SaveResult], ...] = ((6, "critical_success"), (0, "success"), (-5, "failure"))
"""The lowest margin for each outcome of a save, best first. Any lower margin is a critical failure (MUL-14)."""

EFFECT_HALVES: dict[SaveResult, int] = {"critical_failure": 3, "failure": 2, "success": 1, "critical_success": 0}
"""For each outcome of a save, how many halves of the effect remain: 3 is 1.5 times the effect (MUL-15)."""


class Contributions(Struct):
    """The number of successes from each check of a test: 1, 0 or −1."""

    attribute: int
    excess: int
    skill: int
    feat: int
    mishap: int
    difficulty: int


class TestOutcome(Struct):
    roll: int
    inverse: int
    checks: Contributions
    successes: int
    outcome: str
    throw_dice: int | None


class SpiritBonus(Struct):
    bonus: int
    cost: int


class SaveOutcome(Struct):
    total: int
    outcome: SaveResult


def join_digits(tens: int, units: int) -> int:
    """Combine two digits into a d100 roll; 0 and 0 is 100 (MUL-01). Raise `Refused` if a digit is not 0 to 9."""
    for face in (tens, units):
        if not 0 <= face < D10:
            raise Refused(f"The tens and units of a d100 must be 0 to 9, not {face}.")
    return tens * D10 + units or D100


def split_digits(roll: int) -> tuple[int, int]:
    """Split a roll into its tens digit and its ones digit; 0 and 0 for 100 (MUL-01)."""
    return roll // D10 % D10, roll % D10


@rule("multicheck.test", *(f"MUL-0{n}" for n in range(1, 10)), "MUL-10")
def six_checks(
    *,
    tens: int,
    units: int,
    attribute: Whole,
    modifier: Signed = 0,
    bonus: Whole = 0,
    skill: Whole,
    feat: Whole,
    mishap: Whole = DEFAULT_MISHAP,
    difficulty: Whole,
) -> TestOutcome:
    """Compute the six checks of a test and count the successes. `bonus` is the bonus from a spiritual point (PS)."""
    roll = join_digits(tens, units)
    swapped = inverse(roll=roll)
    modified = modified_attribute(attribute, modifier, bonus)
    checks = Contributions(
        attribute=int(roll <= modified),
        excess=int(roll <= modified - D100),
        skill=int(roll <= skill),
        feat=int(roll <= feat),
        mishap=-int(roll >= mishap),
        difficulty=-int(swapped < difficulty),
    )
    successes = sum(checks.__dict__.values())
    says, dice = OUTCOMES[min(successes, max(OUTCOMES))]
    outcome = next(name for name, verdict in VERDICTS.items() if verdict == says)
    return TestOutcome(roll=roll, inverse=swapped, checks=checks, successes=successes, outcome=outcome, throw_dice=dice)


@rule("multicheck.inverse", "MUL-07", gives="inverse")
def inverse(*, roll: int) -> int:
    """Swap the digits of a roll; 100 stays 100."""
    check_dice([roll], sides=D100)
    tens, units = split_digits(roll)
    return join_digits(units, tens)


@rule("multicheck.advantage", "MUL-01", "MUL-12", gives="roll")
def advantage(*, tens: tuple[int, ...], units: int, advantages: Whole = 0, disadvantages: Whole = 0) -> int:
    """Return the roll that counts: the lower one with advantage, the higher one with disadvantage, else the first.

    Compare whole rolls, not only the tens dice: tens 0 with units 0 is 100, the highest roll.
    """
    net = advantages - disadvantages
    least = 2 if net else 1
    if not least <= len(tens) <= 2:  # noqa: PLR2004  at most two tens dice
        raise Refused(f"This roll needs {'2 tens dice' if net else '1 or 2 tens dice'}, not {len(tens)}.")
    rolls = [join_digits(die, units) for die in tens]
    return min(rolls) if net > 0 else max(rolls) if net else rolls[0]


@rule("multicheck.skill_value", "MUL-04", gives="value")
def skill_value(*, rank: Whole, specialised: bool = False) -> int:
    """Compute a skill value from a rank of 0 to 6: 10 per rank, or 15 per rank if specialized."""
    if not 0 <= rank <= MOST_RANK:
        raise NotWithin("The rank", rank, f"0 to {MOST_RANK}")
    return rank * (SPECIALIZED_BONUS if specialised else RANK_BONUS)


@rule("multicheck.spirit_bonus", "MUL-10")
def spirit_bonus(*, before: bool = False, after: bool = False) -> SpiritBonus:
    """Return the bonus of a spiritual point (PS), spent before or after the roll. Refuse two points."""
    if before and after:
        raise Refused("You can spend only 1 PS on a test, before or after the roll.")
    return SpiritBonus(bonus=BONUS_BEFORE if before else BONUS_AFTER if after else 0, cost=int(before or after))


def modified_attribute(attribute: int, modifier: int, bonus: int) -> int:
    """Add attribute, modifier and PS bonus. Raise `Refused` for a wrong modifier or bonus (MUL-08, MUL-10)."""
    if abs(modifier) > MOST_MODIFIER:
        raise Refused(
            f"A modifier must be −{MOST_MODIFIER} to +{MOST_MODIFIER}, not {modifier:+d}.".replace(" -", " −")
        )
    if bonus not in {0, BONUS_AFTER, BONUS_BEFORE}:
        raise Refused(
            f"A PS adds {BONUS_BEFORE} before the test, or {BONUS_AFTER} after the test. It cannot add {bonus}."
        )
    return attribute + modifier + bonus


@rule("multicheck.chance", "MUL-18")
def chance(
    *,
    attribute: Whole,
    skill: Whole,
    feat: Whole,
    difficulty: Whole,
    modifier: Signed = 0,
    bonus: Whole = 0,
    mishap: Whole = DEFAULT_MISHAP,
    advantages: Whole = 0,
    disadvantages: Whole = 0,
) -> Chances:
    """Count the rolls for each outcome. There are 100 possible rolls, or 1,000 with a second tens die."""
    modified = modified_attribute(attribute, modifier, bonus)
    test = partial(six_checks, attribute=modified, skill=skill, feat=feat, mishap=mishap, difficulty=difficulty)
    rolls = (
        advantage(tens=tuple(tens), units=units, advantages=advantages, disadvantages=disadvantages)
        for *tens, units in product(range(D10), repeat=2 if advantages == disadvantages else 3)
    )
    outcomes = (test(tens=tens, units=units).outcome for tens, units in map(split_digits, rolls))
    return chances(VERDICTS, outcomes)


@rule("multicheck.save", "MUL-13", "MUL-14")
def save_outcome(*, natural: int, save: Signed, difficulty: Whole) -> SaveOutcome:
    """Compute the outcome of a save. A total equal to the difficulty is a success."""
    check_dice([natural], sides=D20)
    total = natural + save
    worst: SaveResult = "critical_failure"
    return SaveOutcome(total=total, outcome=next((name for least, name in BANDS if total - difficulty >= least), worst))


@rule("multicheck.save_difficulty", "MUL-13", gives="difficulty")
def save_difficulty(*, grade: Grade = "normal", malice: Whole | None = None) -> int:
    """Compute the difficulty of a save. A `malice` of `None` means no opponent; 0 is an opponent without malice."""
    return (UNOPPOSED_MALICE if malice is None else malice) + GRADES[grade]


@rule("multicheck.save_effect", "MUL-15", gives="charges")
def save_effect(*, charges: Whole, outcome: SaveResult) -> int:
    """Compute how many charges remain after a save, rounded down."""
    return charges * EFFECT_HALVES[outcome] // 2


@rule("multicheck.save_chance", "MUL-18")
def save_chance(*, save: Signed, difficulty: Whole) -> Chances:
    """Count the faces of the d20 for each outcome of a save."""
    faces = range(1, D20 + 1)
    return chances(
        EFFECT_HALVES, (save_outcome(natural=face, save=save, difficulty=difficulty).outcome for face in faces)
    )


@rule("multicheck.recover", "MUL-17", gives="charges")
def recover(*, charges: Whole, recovery: Whole) -> int:
    """Subtract the recovery from the charges of a condition, but not below 0."""
    return max(charges - recovery, 0)
