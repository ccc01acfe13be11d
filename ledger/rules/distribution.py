"""The exact distribution of a roll: the probability of each total, worked out from the notation.

Terms are independent of each other, and so are dice of one kind until the highest or lowest are selected. Explosions
have no end, so a chain of exploding dice is followed until it is less likely than `LEAST_LIKELY`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import groupby, product
from math import comb, prod
from typing import Any, assert_never

from ledger.errors import Refused
from ledger.rules.counting import EXACT_FUNCTIONS, FUNCTIONS, OPERATIONS, check_values, is_rounded, truncated
from ledger.rules.expressions import (
    DiceTerm,
    Expression,
    FunctionCall,
    Negation,
    Notation,
    NumberTerm,
    Operation,
    Parentheses,
    ScoreTerm,
)
from ledger.rules.modifiers import HIGHEST, Modifier, group_key
from ledger.values import Struct

LEAST_LIKELY = Fraction(1, 10**9)
MOST_STEPS = 3_000_000
"""The maximum number of steps to work out a distribution, about a second. A step is one multiplication."""

PLAIN_STEPS, FRACTION_STEPS = 4, 10
"""The number of steps (see `MOST_STEPS`) for one calculation: with whole numbers, and with fractions."""

UNKNOWN_ODDS = "The odds of this roll cannot be worked out, because {reason}."
Value = int | Fraction
Ways = Counter[int | None]
"""The weights of the values of one die. A dropped die is `None`."""

_Die = tuple[Ways, int]
"""The weights of the values of one die, and the sum of these weights."""

AddedValue = Callable[[int | None], int]
"""A function from the value of a die (`None` if dropped) to the number that the die adds to the total."""


class Distribution(Struct):
    """The values of a roll with their weights. A value has the probability `ways[value] / of`.

    The weights add up to `of`, or to less if explosions were cut off.
    """

    ways: Mapping[Value, int]
    of: int


def distribution(notation: Notation, scores: Mapping[str, int]) -> Distribution:
    """Return the distribution of the total of a single roll, the lowest total first.

    Raise `BadInput` if the roll fails `check_values`. Raise `Refused` if the distribution cannot be worked out, or
    only with too many steps.
    """
    check_values(notation, scores)
    chances = _distribution_of(notation.of, _Work(scores))
    ways: Counter[Value] = Counter()
    for value, weight in chances.ways.items():
        ways[truncated(value)] += weight
    return Distribution(ways=dict(sorted(ways.items())), of=chances.of)


def _distribution_of(  # noqa: PLR0911  one for each kind
    of: Expression, work: _Work, *, exact: bool = False
) -> Distribution:
    """Return the distribution of an expression, with values rounded as in a roll. With `exact`, only `//` rounds."""
    match of:
        case NumberTerm(value=value):
            return Distribution(ways={value: 1}, of=1)
        case ScoreTerm(name=name):
            return Distribution(ways={work.scores[name]: 1}, of=1)
        case DiceTerm():
            return _dice_distribution(of, work)
        case Negation(of=inside):
            return _combine(lambda value: -value, [_distribution_of(inside, work, exact=exact)], work)
        case Parentheses(of=several, modifiers=()):
            return _combine(
                lambda *values: sum(values), [_distribution_of(one, work, exact=exact) for one in several], work
            )
        case Parentheses():
            return _parentheses_distribution(of, work)
        case FunctionCall(name=name, of=several):
            values = [_distribution_of(one, work, exact=name in EXACT_FUNCTIONS) for one in several]
            return _combine(partial(_calculate_as_fractions, FUNCTIONS[name]), values, work, FRACTION_STEPS)
        case Operation(sign=sign, left=left, right=right):
            calculate = OPERATIONS[sign]
            keeps = truncated if is_rounded(sign, exact=exact) else (lambda value: value)
            both = [_distribution_of(left, work, exact=exact), _distribution_of(right, work, exact=exact)]
            if sign in {"+", "-", "*"}:  # quick for whole numbers
                return _combine(lambda one, other: keeps(calculate(one, other)), both, work)
            fractions = partial(_calculate_as_fractions, calculate)
            return _combine(lambda one, other: keeps(fractions(one, other)), both, work, FRACTION_STEPS)
    assert_never(of)


def _calculate_as_fractions(calculate: Callable[..., Value], *numbers: Value) -> Value:
    return calculate(*map(Fraction, numbers))


def _parentheses_distribution(of: Parentheses, work: _Work) -> Distribution:
    """Return the distribution of parentheses with modifiers."""
    if len(of.of) == 1:
        raise Refused(UNKNOWN_ODDS.format(reason="it has several kinds of dice and keeps only some of the dice"))
    return _combine(
        lambda *values: _sum_of_remaining(values, of.modifiers), [_distribution_of(one, work) for one in of.of], work
    )


def _sum_of_remaining(values: Sequence[Value], modifiers: Sequence[Modifier]) -> int:
    """Return the sum of the values that remain after the modifiers."""
    left = sorted(map(truncated, values), reverse=True)
    for modifier in modifiers:
        if modifier.by_rank:
            first, last = _kept_ranks([modifier], len(left))
            left = left[first:last]
        else:
            left = [value for value in left if modifier.matches(value) is (modifier.does == "keep")]
    return sum(left)


def _combine(
    calculate: Callable[..., Value], several: Sequence[Distribution], work: _Work, steps: int = PLAIN_STEPS
) -> Distribution:
    """Apply `calculate` to each combination of values, one from each distribution. Spend `steps` per combination."""
    work.spend(steps * prod(len(one.ways) for one in several))
    ways: Counter[Value] = Counter()
    for combination in product(*(one.ways.items() for one in several)):
        ways[calculate(*(value for value, _ in combination))] += prod(weight for _, weight in combination)
    return Distribution(ways=ways, of=prod(one.of for one in several))


class _Work:
    """The scores that a roll uses, and the number of steps that may still be taken to work out its odds."""

    def __init__(self, scores: Mapping[str, int]) -> None:
        self.scores, self._left = scores, MOST_STEPS

    def spend(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise Refused(UNKNOWN_ODDS.format(reason="it has too many results"))


# Dice of one kind


def _dice_distribution(dice: DiceTerm, work: _Work) -> Distribution:
    """Return the distribution of dice of one kind.

    Modifiers that select the highest or lowest dice, such as `kh3`, are applied to all dice together. Modifiers before
    the first of them, and after the last, are applied to each die by itself. Successes are counted at the end.
    """
    counts = [modifier for modifier in dice.modifiers if modifier.does in {"count", "uncount"}]
    others = [modifier for modifier in dice.modifiers if modifier not in counts and modifier.does != "sort"]
    places = [place for place, modifier in enumerate(others) if modifier.by_rank]
    first, last = (places[0], places[-1] + 1) if places else (len(others), len(others))
    before, ranks, after = others[:first], others[first:last], others[last:]
    throws = {modifier.does for modifier in before if modifier.throws}
    is_each = not any(modifier.single or modifier.unique for modifier in before) and not ("explode" in throws and ranks)
    if not is_each or any(modifier.throws for modifier in (*ranks, *after)) or len(ranks) > len(places):
        raise Refused(UNKNOWN_ODDS.format(reason="one die decides what happens to another die"))

    def adds(value: int | None) -> int:
        """Return the number that a die with this value adds to the total, after the last modifiers."""
        return _added_by_die(_value_after_modifiers(value, after), counts)

    die = _die_values(dice, before, None if ranks else adds, work)
    if ranks:
        return _sum_of_kept(dice.count, die, ranks, adds, work)
    return _sum_of(dice.count, die, work)


def _die_values(dice: DiceTerm, modifiers: Sequence[Modifier], adds: AddedValue | None, work: _Work) -> _Die:
    """Return the values that one die adds to the total, with their weights.

    Without `adds`, return the numbers that the die counts as, and `None` for a dropped die.
    """
    fresh = Counter[int | None](dice.values)
    ways, of = fresh, dice.sides
    groups = [[*group] for _, group in groupby(modifiers, key=group_key)]
    for place, group in enumerate(groups):
        if group[0].does == "reroll":
            ways, number = _ways_after_reroll(ways, fresh, group)
            of *= number
        elif group[0].does == "explode":
            later = [modifier for following in groups[place + 1 :] for modifier in following]
            return _explosion_values(dice, group, (ways, of), partial(_adds_after, adds or _added_by_die, later), work)
        else:
            ways = _with_changed_values(ways, partial(_value_after_modifiers, modifiers=group))
    return _with_changed_values(ways, adds) if adds else ways, of


def _ways_after_reroll(ways: Ways, fresh: Ways, group: Sequence[Modifier]) -> tuple[Ways, int]:
    """Return the weights of a die after a reroll, and the factor by which the sum of its weights grew.

    `ways` has the weights before the reroll, `fresh` those of a newly rolled die, and `group` the reroll modifiers.
    """
    matching = sum(weight for value, weight in ways.items() if _is_selected(value, group))
    rest = Counter({value: weight for value, weight in ways.items() if not _is_selected(value, group)})
    again = Counter({value: n for value, n in fresh.items() if group[0].once or not _is_selected(value, group)})
    number = again.total()
    return Counter({value: rest[value] * number + matching * again[value] for value in {*rest, *again}}), number


def _explosion_values(dice: DiceTerm, group: Sequence[Modifier], base: _Die, adds: AddedValue, work: _Work) -> _Die:
    """Return the values that a die and its explosions add to the total, with the weights.

    `base` has the values of the die before it explodes, with their weights.
    """
    first, faces = group[0], dice.values
    part: AddedValue = (lambda value: value or 0) if first.compound else adds
    (ways, of), done, going = base, Counter[int](), Counter[int]()
    for value, weight in ways.items():
        (going if _is_selected(value, group) else done)[part(value)] += weight
    while going.total() > of * LEAST_LIKELY:
        work.spend(3 * (len(going) * len(faces) + len(done)))
        of *= dice.sides
        done = Counter({total: weight * dice.sides for total, weight in done.items()})
        before, going = going, Counter()
        for total, weight in before.items():
            for face in faces:
                target = going if _is_selected(face, group) and not first.once else done
                target[total + part(face - first.penetrating)] += weight
    return (_with_changed_values(done, adds) if first.compound else Counter[int | None](done)), of


def _adds_after(adds: AddedValue, later: Sequence[Modifier], value: int | None) -> int:
    return adds(_value_after_modifiers(value, later))


def _is_selected(value: int | None, group: Sequence[Modifier]) -> bool:
    return value is not None and any(modifier.matches(value) for modifier in group)


def _value_after_modifiers(value: int | None, modifiers: Sequence[Modifier]) -> int | None:
    """Apply modifiers that change or drop each die by itself. A dropped die is `None`."""
    for modifier in modifiers:
        if value is None:
            return None
        if modifier.does in {"raise", "lower"}:
            value = (max if modifier.does == "raise" else min)(value, modifier.number)
        elif modifier.matches(value) is (modifier.does == "drop"):
            value = None
    return value


def _added_by_die(value: int | None, counts: Sequence[Modifier] = ()) -> int:
    """Return the number that a die adds to the total: its value, or its successes. A dropped die adds 0."""
    if value is None or not counts:
        return value or 0
    return sum(one.matches(value) * (1 if one.does == "count" else -1) for one in counts)


def _with_changed_values(ways: Mapping[Any, int], change: Callable[[Any], Any]) -> Counter[Any]:
    mapped: Counter[Any] = Counter()
    for value, weight in ways.items():
        mapped[change(value)] += weight
    return mapped


def _sum_of(count: int, die: _Die, work: _Work) -> Distribution:
    """Return the distribution of the sum of equal dice."""
    one, of = die
    ways: Counter[Value] = Counter({0: 1})
    for _ in range(count):
        work.spend(len(ways) * len(one))
        before, ways = ways, Counter()
        for total, weight in before.items():
            for value, number in one.items():
                ways[total + (value or 0)] += weight * number
    return Distribution(ways=ways, of=of**count)


def _sum_of_kept(count: int, die: _Die, ranks: Sequence[Modifier], adds: AddedValue, work: _Work) -> Distribution:
    """Return the distribution of the sum of the dice that are kept.

    The kept dice are next to each other when all dice are sorted.
    """
    one, of = die
    ways = Counter[Value]()
    for left in range(count + 1) if one[None] else [count]:
        weight = comb(count, left) * one[None] ** (count - left)
        for total, number in _sorted_sums(left, ranks, one, adds, work).items():
            ways[total] += weight * number
    return Distribution(ways=ways, of=of**count)


def _sorted_sums(count: int, ranks: Sequence[Modifier], weights: Ways, adds: AddedValue, work: _Work) -> Counter[int]:
    """Return the possible sums of the dice that `ranks` keep, with their weights.

    `count` is the number of dice that the modifiers before `ranks` left. `weights` has the weights of the values of one
    die. The sorted dice are taken one by one from one end, until all dice to keep are taken.
    """
    first, last = _kept_ranks(ranks, count)
    values = sorted((value for value in weights if value is not None), reverse=True)
    if count - first < last:
        values, first, last = values[::-1], count - last, count - first
    states, sums = {0: Counter({0: 1})}, Counter[int]()
    others = sum(weights[value] for value in values)
    for value in values:
        others -= weights[value]
        following: dict[int, Counter[int]] = {}
        for taken, before in states.items():
            work.spend(len(before) * (count + 1 - taken))
            for after in range(taken, count + 1):
                ways = comb(count - taken, after - taken) * weights[value] ** (after - taken)
                added = max(0, min(after, last) - max(taken, first)) * adds(value)
                if is_done := after >= last:
                    ways *= others ** (count - after)
                target = sums if is_done else following.setdefault(after, Counter())
                for total, number in before.items():
                    target[total + added] += number * ways
        states = following
    return sums


def _kept_ranks(ranks: Sequence[Modifier], count: int) -> tuple[int, int]:
    """Return which of `count` sorted dice are kept: the first kept rank, and the rank after the last kept one.

    Rank 0 is the highest die.
    """
    first, last = 0, count
    for modifier in ranks:
        number = min(modifier.number, last - first)
        if modifier.does == "drop":
            number = last - first - number
        if (modifier.by == HIGHEST) is (modifier.does == "keep"):
            last = first + number
        else:
            first = last - number
    return first, last
