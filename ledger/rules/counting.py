"""Roll the dice of a notation, and count them.

All dice of the text are rolled first, in the order typed. Then come the rerolls and explosions, one kind of
dice after the other. Dice that are rolled again at the same time keep their order. The result
of a division, or of a multiplication by a number such as 1.5, is immediately rounded toward zero: 3/2 is 1,
and -3/2 is -1. Sums are exact, and the total is rounded at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate, chain, groupby, islice, pairwise
from itertools import product as pairs
from math import ceil, cos, exp, floor, log, sin, sqrt, trunc
from operator import add, mod, mul, sub, truediv
from typing import assert_never

from ledger.errors import BadInput, quoted
from ledger.rules.dice import D10, MINUS_FACE, PLUS_FACE, Pool
from ledger.rules.expressions import (
    FATE_BLANK,
    FATE_SIDES,
    DiceTerm,
    Expression,
    FunctionCall,
    Negation,
    Notation,
    NumberTerm,
    Operation,
    Parentheses,
    ScoreTerm,
    subexpressions,
    sum_terms,
)
from ledger.rules.modifiers import HIGHEST, LOWEST, Modifier, group_key
from ledger.values import MAX_SHEET_NUMBER, Struct

MOST_ROLLED = 500
"""The maximum number of dice of one roll. At this number, dice are no longer rerolled and no longer explode."""

MOST_POWER = 60
MOST_POWER_BITS = 4000
"""The maximum length of a power, in binary digits."""

MOST_EXPONENT = 27
"""The maximum exponent of `exp`. With a larger exponent, the result would be too large."""

Bounds = tuple[Fraction, Fraction]
"""The lowest and the highest possible value of an expression."""

Rolling = Generator[tuple[int, ...], Sequence[int], None]
"""A generator that yields the sides of the dice to roll next, and receives their faces."""


class NotationPool(Pool):
    """The dice of a notation. `again` says which dice are rolled again, and why: "the last 2d6 because of !"."""

    notation: Notation
    again: str = ""
    rolled: tuple[int, ...] = ()

    def resolved(self, typed: Sequence[int]) -> list[int]:
        return [*self.rolled[: len(typed)]]

    def after(self, faces: Sequence[int]) -> NotationPool:
        table = _DiceTable(self.notation.of, faces)
        return self.replace(sides=table.sides, again=table.again, rolled=tuple(die.face for die in table.rolled))

    def in_words(self) -> str:
        only_fate = all(part.fate for part in subexpressions(self.notation.of) if isinstance(part, DiceTerm))
        dice = str(self).replace(f"d{FATE_SIDES}", "dF") if only_fate else str(self)
        return f"{dice} ({self.again})" if self.again else dice


def pool_of(notation: Notation) -> NotationPool:
    """Return the dice that a notation rolls first."""
    return NotationPool(sides=(), notation=notation).after(())


class Counted(Struct):
    """The result of a roll.

    - `dropped`: for each die, the modifier that dropped it, such as `kh3`, or "".
    - `fate`: for each die, True if it is a Fate die, which has the faces 1 to 3.
    - `total`: the sum of the `addends`.
    - `rounded`: True if a value in the calculation was rounded.
    - `labeled`: for each label, the sum of the terms with this label.
    """

    dropped: tuple[str, ...]
    fate: tuple[bool, ...]
    addends: tuple[int, ...]
    total: int
    rounded: bool
    labeled: Mapping[str, int]


def count(notation: Notation, faces: Sequence[int], scores: Mapping[str, int]) -> Counted:
    """Count a roll. `faces` has all dice in the order rolled, and `scores` the value of each score in the notation."""
    table = _DiceTable(notation.of, faces)
    counter = _Counter(table.hands, scores)
    values = [[*counter.addends(term, sign)] for sign, term in sum_terms(notation.of)]
    sums = [*accumulate(chain.from_iterable(values), initial=ZERO)]
    addends = tuple(truncated(after) - truncated(before) for before, after in pairwise(sums))
    labeled, left = Counter[str](), iter(addends)
    for label, several in zip(notation.labels, values, strict=True):
        labeled[label] += sum(islice(left, len(several)))
    del labeled[""]
    return Counted(
        dropped=tuple(die.why for die in table.rolled),
        fate=tuple(die.is_fate for die in table.rolled),
        addends=addends,
        total=sum(addends),
        rounded=counter.rounded or sums[-1].denominator != 1,
        labeled=labeled,
    )


def check_values(notation: Notation, scores: Mapping[str, int]) -> None:
    """Raise `BadInput` if a roll could not be counted: it could divide by 0, or its result could be too large.

    Call this function before rolling dice.
    """
    if max(map(abs, _bounds(notation.of, scores))) > MAX_SHEET_NUMBER:
        hint = f"A total can be at most {MAX_SHEET_NUMBER:,}."
        raise BadInput(f"The result of {quoted(notation.text)} could be too large.", hint)


def _bounds(of: Expression, scores: Mapping[str, int]) -> Bounds:  # noqa: PLR0911  one for each kind
    """Return bounds for the value of an expression. They can be wider than necessary."""
    match of:
        case NumberTerm() | ScoreTerm():
            value = _Counter([], scores).value(of)
            return value, value
        case DiceTerm():
            return _bounds_of_dice(of)
        case Negation(of=inside):
            low, high = _bounds(inside, scores)
            return -high, -low
        case Operation(left=left, right=right):
            return _bounds_of_operation(of, _bounds(left, scores), _bounds(right, scores))
        case FunctionCall(name=name, of=several):
            bounds = [_bounds(one, scores) for one in several]
            if name == "pow":  # the exponent has no dice
                exponent = _Counter([], scores).value(several[1])
                bounds[1] = exponent, exponent
            return _bounds_of_function(of, bounds)
        case Parentheses(of=several, modifiers=modifiers):
            lows, highs = zip(*(_bounds(one, scores) for one in several), strict=True)
            if not modifiers:
                return sum(lows, ZERO), sum(highs, ZERO)
            return -sum(map(abs, (*lows, *highs)), ZERO), sum(map(abs, (*lows, *highs)), ZERO)
    assert_never(of)


def _bounds_of_dice(of: DiceTerm) -> Bounds:
    if counts := _success_counts(of):
        return Fraction(-MOST_ROLLED * len(counts)), Fraction(MOST_ROLLED * len(counts))
    low, high, fewest = of.value(1), of.value(of.sides), of.count
    for modifier in of.modifiers:
        match modifier.does:
            case "raise":
                high = max(high, modifier.number)
            case "lower":
                low = min(low, modifier.number)
            case "keep":
                fewest = min(fewest, modifier.number) if modifier.by_rank else 0
            case "drop":
                fewest = max(fewest - modifier.number, 0) if modifier.by_rank else 0
        low -= modifier.penetrating
    most = MOST_ROLLED if any(modifier.does == "explode" for modifier in of.modifiers) else of.count
    return Fraction(low * (most if low < 0 else fewest)), Fraction(high * (fewest if high < 0 else most))


def _bounds_of_operation(of: Operation, left: Bounds, right: Bounds) -> Bounds:
    sign, part = of.sign, quoted(of.text)
    if sign == "%":
        if left[0] < 0:
            raise BadInput(f"{part} could divide a number below 0.", "Before %, type a value that cannot be below 0.")
        if right[0] <= 0:
            hint = "After %, type a number or dice that cannot be 0 or less."
            raise BadInput(f"{part} could divide by 0 or less.", hint)
        return ZERO, min(left[1], right[1])
    if sign in {"/", "//"} and right[0] <= 0 <= right[1]:
        raise BadInput(f"{part} could divide by 0.", f"After {sign}, type a value that cannot be 0.")
    values = [Fraction(OPERATIONS[sign](one, other)) for one, other in pairs(left, right)]
    if sign not in {"+", "-"}:
        values += [Fraction(truncated(value)) for value in values]
    return min(values), max(values)


def _bounds_of_function(of: FunctionCall, bounds: Sequence[Bounds]) -> Bounds:
    name, part = of.name, quoted(of.text)
    (low, high), (_, last) = bounds[0], bounds[-1]
    if name == "abs":
        return max(low, -high, ZERO), max(-low, high)
    if name in _FLOAT_FUNCTIONS and max(-low, high) > MAX_SHEET_NUMBER:
        raise BadInput(
            f"The number in {part} could become too large.",
            f"The number for {name} can be at most {MAX_SHEET_NUMBER:,}.",
        )
    if name == "pow":
        values = [_power(base, exponent, part) for base, exponent in pairs(*bounds)]
        return (min(values), max(values)) if low >= 0 else (-max(map(abs, values)), max(map(abs, values)))
    if name in {"min", "max"}:
        return Fraction(FUNCTIONS[name](low, bounds[1][0])), Fraction(FUNCTIONS[name](high, last))
    if name in {"cos", "sin"}:
        return -ONE, ONE
    if high > MOST_EXPONENT and name == "exp":
        raise BadInput(f"{part} could be too large.", f"The number for exp can be at most {MOST_EXPONENT}.")
    if low < 0 and name == "sqrt":
        hint = "Inside the parentheses, type a value that cannot be below 0, as in sqrt(d6)."
        raise BadInput(f"{part} could take the square root of a negative number.", hint)
    if low <= 0 and name == "log":
        hint = "Type a number or dice that cannot be 0 or less, as in log(d6)."
        raise BadInput(f"{part} could take the logarithm of 0 or less.", hint)
    low, high = sorted((Fraction(FUNCTIONS[name](low)), Fraction(FUNCTIONS[name](high))))
    return low, high


def constant_sum(of: Sequence[Expression]) -> int | None:
    """Return the sum of the expressions, or None if one of them contains dice or a score."""
    if any(isinstance(part, DiceTerm | ScoreTerm) for expression in of for part in subexpressions(expression)):
        return None
    for expression in of:
        _bounds(expression, {})
    return floor(sum(map(_Counter([], {}).value, of)))


class _RolledDie:
    """A rolled die. `counts` is the value of its face. `why` is the reason if the die was dropped, else ""."""

    __slots__ = ("counts", "face", "is_fate", "why")

    def __init__(self, counts: int, face: int = 0, *, is_fate: bool = False) -> None:
        self.counts, self.face, self.is_fate, self.why = counts, face, is_fate, ""


class _DiceTable:
    """The dice of an expression, rolled until the given faces are used up.

    - `rolled`: the dice that were rolled.
    - `hands`: for each dice term, its dice. A rerolled die is replaced by its new die.
    - `sides`: the number of sides of each rolled die, then of each die to roll next.
    """

    def __init__(self, of: Expression, faces: Sequence[int]) -> None:
        self._kinds = [part for part in subexpressions(of) if isinstance(part, DiceTerm)]
        self.sides: tuple[int, ...] = ()
        self.again = ""
        self.rolled: list[_RolledDie] = []
        self.hands: list[list[_RolledDie]] = []
        rolling, left = self._roll(), iter(faces)
        more: tuple[int, ...] | None = next(rolling)
        while more is not None:
            self.sides += more
            if len(self.sides) > len(faces):
                return
            try:
                more = rolling.send([*islice(left, len(more))])
            except StopIteration:
                more = None

    def _roll(self) -> Rolling:
        faces = iter((yield tuple(dice.sides for dice in self._kinds for _ in range(dice.count))))
        self.hands = [self._add(dice, islice(faces, dice.count)) for dice in self._kinds]
        for dice, hand in zip(self._kinds, self.hands, strict=True):
            for _, several in groupby(dice.modifiers, key=group_key):
                yield from self._modify(dice, hand, tuple(several))

    def _modify(self, dice: DiceTerm, hand: list[_RolledDie], modifiers: Sequence[Modifier]) -> Rolling:
        """Apply modifiers of one kind. A die that several of them reroll or explode is rolled again only once."""
        if modifiers[0].unique:
            for modifier in modifiers:
                yield from self._roll_repeated(dice, hand, modifier)
        elif modifiers[0].throws:
            yield from self._roll_again(dice, hand, modifiers)
        for modifier in modifiers:
            match modifier.does:
                case "keep" | "drop":
                    _drop(modifier, hand)
                case "raise" | "lower":
                    for die in hand:
                        die.counts = (max if modifier.does == "raise" else min)(die.counts, modifier.number)
                case "sort":
                    hand.sort(key=lambda die: die.counts, reverse=modifier.by == "d")

    def _roll_again(self, dice: DiceTerm, hand: list[_RolledDie], modifiers: Sequence[Modifier]) -> Rolling:
        first, left = modifiers[0], [die for die in hand if not die.why]
        chosen = {die for modifier in modifiers for die in _selected_dice(modifier, left)}
        again = [die for die in left if die in chosen][: 1 if first.single else None]
        grows = {die: die for die in again}  # for each new die, the die to which a compound explosion adds it
        while again := again[: MOST_ROLLED - len(self.rolled)]:
            self.again = f"the last {len(again)}d{dice.sides} because of {first.text}"
            new = self._add(dice, (yield (dice.sides,) * len(again)))
            next_again = [] if first.once else [die for die in new if any(one.matches(die.counts) for one in modifiers)]
            for die, other in zip(again, new, strict=True):
                grows[other] = grows[die]
                other.counts -= first.penetrating
                if first.does == "reroll":
                    die.why = first.text
                    hand[hand.index(die)] = other
                elif first.compound:
                    grows[die].counts += other.counts
                else:
                    hand.append(other)
            again = next_again

    def _roll_repeated(self, dice: DiceTerm, hand: list[_RolledDie], modifier: Modifier) -> Rolling:
        """Reroll dice that show the same number as an earlier die, one die at a time."""
        done: set[_RolledDie] = set()
        while len(self.rolled) < MOST_ROLLED:
            left = [die for die in hand if not die.why]
            shown = [die.counts for die in left]
            repeated = (die for place, die in enumerate(left) if die.counts in shown[:place] and die not in done)
            die = next((die for die in repeated if modifier.matches(die.counts)), None)
            if die is None:
                return
            self.again = f"the last 1d{dice.sides} because of {modifier.text}"
            (new,) = self._add(dice, (yield (dice.sides,)))
            die.why = modifier.text
            hand[hand.index(die)] = new
            if modifier.once:
                done.add(new)

    def _add(self, dice: DiceTerm, faces: Iterable[int]) -> list[_RolledDie]:
        resolved = [_face_from_typed(dice, face) for face in faces]
        new = [_RolledDie(dice.value(face), face, is_fate=dice.fate and dice.sides == FATE_SIDES) for face in resolved]
        self.rolled += new
        return new


def _face_from_typed(dice: DiceTerm, face: int) -> int:
    """Convert a typed number to a face. On a Fate die, the number is -1, 0 or 1. On a d10, a 0 means 10."""
    if dice.fate:
        return {0: FATE_BLANK, MINUS_FACE: 1, PLUS_FACE: dice.sides}.get(face, face)
    return D10 if (face, dice.sides) == (0, D10) else face


def _drop(modifier: Modifier, hand: Iterable[_RolledDie]) -> None:
    """Drop the dice that a modifier drops or does not keep. Among equal dice, the first one rolled is dropped first."""
    left = [die for die in hand if not die.why]
    if modifier.does == "drop":
        dropped = _selected_dice(modifier, left)
    elif modifier.by_rank:
        other_end = LOWEST if modifier.by == HIGHEST else HIGHEST
        dropped = _selected_dice(modifier.replace(by=other_end, number=max(len(left) - modifier.number, 0)), left)
    else:
        kept = _selected_dice(modifier, left)
        dropped = [die for die in left if die not in kept]
    for die in dropped:
        die.why = modifier.text


def _selected_dice(modifier: Modifier, left: Sequence[_RolledDie]) -> Sequence[_RolledDie]:
    """Return the dice that a modifier selects. Among equal dice, the first one rolled is selected first."""
    if modifier.by_rank:
        return sorted(left, key=lambda die: die.counts, reverse=modifier.by == HIGHEST)[: modifier.number]
    return [die for die in left if modifier.matches(die.counts)]


class _Counter:
    """A calculation of the value of an expression. `hands` has the dice of each dice term, in the order typed."""

    def __init__(self, hands: Sequence[list[_RolledDie]], scores: Mapping[str, int]) -> None:
        self._hands = hands
        self._next = 0
        self._scores = scores
        self.rounded = False

    def addends(self, of: Expression, sign: int = 1) -> Iterator[Fraction]:
        """Yield the terms of a sum, each multiplied by `sign`. Each die that is added is a term of its own."""
        match of:
            case Operation(sign="+" | "-"):
                yield from self.addends(of.left, sign)
                yield from self.addends(of.right, sign if of.sign == "+" else -sign)
            case Negation():
                yield from self.addends(of.of, -sign)
            case Parentheses(of=(single,), modifiers=()):
                yield from self.addends(single, sign)
            case DiceTerm() if not _success_counts(of):
                yield from (Fraction(sign * die.counts) for die in self._hand() if not die.why)
            case _:
                yield sign * self.value(of)

    def value(self, of: Expression, *, exact: bool = False) -> Fraction:  # noqa: PLR0911  one for each kind
        """Return the value of an expression. Round quotients and products; with `exact`, only quotients of `//`."""
        match of:
            case NumberTerm(value=value):
                return value
            case ScoreTerm(name=name):
                return Fraction(self._scores[name])
            case DiceTerm():
                return Fraction(self._dice_value(of))
            case Negation():
                return -self.value(of.of, exact=exact)
            case Parentheses():
                return self._total(of) if of.modifiers else sum((self.value(one, exact=exact) for one in of.of), ZERO)
            case FunctionCall():
                values = [self.value(one, exact=of.name in EXACT_FUNCTIONS) for one in of.of]
                return Fraction(FUNCTIONS[of.name](*values))
            case Operation():
                left, right = self.value(of.left, exact=exact), self.value(of.right, exact=exact)
                result = Fraction(OPERATIONS[of.sign](left, right))
                return Fraction(self._whole(result)) if is_rounded(of.sign, exact=exact) else result
        assert_never(of)

    def _dice_value(self, of: DiceTerm) -> int:
        dice, counts = [die for die in self._hand() if not die.why], _success_counts(of)
        if not counts:
            return sum(die.counts for die in dice)
        return sum(len(_selected_dice(one, dice)) * (1 if one.does == "count" else -1) for one in counts)

    def _hand(self) -> list[_RolledDie]:
        self._next += 1
        return self._hands[self._next - 1]

    def _whole(self, value: Fraction) -> int:
        self.rounded |= value.denominator != 1
        return truncated(value)

    def _total(self, of: Parentheses) -> Fraction:
        """Return the value of parentheses, after their modifiers have dropped expressions or dice."""
        first = self._next
        if len(of.of) == 1:
            self.value(of.of[0])  # finds its dice
            for modifier in of.modifiers:
                _drop(modifier, chain.from_iterable(self._hands[first : self._next]))
            self._next = first
            return self.value(of.of[0])
        values = []
        for one in of.of:
            value = _RolledDie(self._whole(self.value(one)))
            values.append((value, [*chain.from_iterable(self._hands[first : self._next])]))
            first = self._next
        for modifier in of.modifiers:
            _drop(modifier, [value for value, _ in values])
        for value, dice in values:
            for die in dice:
                die.why = die.why or value.why
        return Fraction(sum(value.counts for value, _ in values if not value.why))


def _success_counts(dice: DiceTerm) -> list[Modifier]:
    return [modifier for modifier in dice.modifiers if modifier.does in {"count", "uncount"}]


def is_rounded(sign: str, *, exact: bool) -> bool:
    """Return True if the operator `sign` rounds its result immediately. With `exact`, only `//` does."""
    return sign == "//" or (not exact and sign not in {"+", "-"})


def truncated(value: int | Fraction) -> int:
    """Round a value toward zero: 3/2 becomes 1, and -3/2 becomes -1."""
    return trunc(value)


def _power(base: Fraction, exponent: Fraction, part: str = "A power") -> Fraction:
    if not (exponent.denominator == 1 and 0 <= exponent <= MOST_POWER):
        hint = f"Type a whole number from 0 to {MOST_POWER} as the exponent."
        raise BadInput(f"{part} needs an exponent from 0 to {MOST_POWER}.", hint)
    if max(abs(base.numerator), base.denominator).bit_length() * exponent > MOST_POWER_BITS:
        raise BadInput(f"{part} could be too large.", "Type smaller numbers.")
    return base ** int(exponent)


def _apply_float_function(function: Callable[[float], float], value: Fraction) -> Fraction:
    return Fraction(function(float(value)))


ZERO, HALF, ONE = Fraction(0), Fraction(1, 2), Fraction(1)
OPERATIONS: dict[str, Callable[[Fraction, Fraction], Fraction | int]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "/": truediv,
    "//": truediv,
    "%": mod,
}
ROUNDING: dict[str, Callable[[Fraction], int]] = {
    "ceil": ceil,
    "floor": floor,
    "round": lambda value: floor(value + HALF),
}
_FLOAT_FUNCTIONS: dict[str, Callable[[float], float]] = {"cos": cos, "exp": exp, "log": log, "sin": sin, "sqrt": sqrt}
EXACT_FUNCTIONS = frozenset({*ROUNDING, *_FLOAT_FUNCTIONS})
"""The functions that get exact arguments: a quotient in their arguments is not rounded."""

FUNCTIONS: dict[str, Callable[..., Fraction | int]] = {
    **ROUNDING,
    **{name: partial(_apply_float_function, function) for name, function in _FLOAT_FUNCTIONS.items()},
    "abs": abs,
    "sign": lambda value: (value > 0) - (value < 0),
    "min": min,
    "max": max,
    "pow": _power,
}
