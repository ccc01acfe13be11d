"""The exact distribution of plain dice: beside a count of all results, and beside icepool."""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import prod
from operator import add, mul, sub
from typing import TypeAlias

import icepool
import pytest

from ledger.errors import BadInput, Refused
from ledger.rules.counting import count, pool_of
from ledger.rules.distribution import Distribution, distribution
from ledger.rules.expressions import Notation
from ledger.rules.notation import read_notation

SCORES = {"stealth": 4}


def chances(found: Distribution) -> dict[int, Fraction]:
    return {int(total): Fraction(ways, found.of) for total, ways in found.ways.items() if ways}


def every_result(notation: Notation, faces: tuple[int, ...] = (), chance: Fraction = Fraction(1)) -> Counter[int]:
    """Roll all possible dice, and count each result by its probability."""
    sides = pool_of(notation).after(faces).sides[len(faces) :]
    if not sides:
        return Counter({count(notation, faces, SCORES).total: chance})
    found: Counter[int] = Counter()
    for more in product(*(range(1, each + 1) for each in sides)):
        found.update(every_result(notation, (*faces, *more), chance / prod(sides)))
    return found


@pytest.mark.parametrize(
    "text",
    ["2d6", "3d4+stealth", "4d4kh3", "4d4dl1", "3d6kl1", "2d4!o", "2d4ro1", "2d6xo>=5>=4", "3d4ro<=2kh2", "(4d4kh3)dl1"]
    + ["3d4>=3", "3d4>=3f1", "3d4mi2", "3d4mi2kh1", "4dF", "2d6/2", "(2d4+1)*2", "(2d4,d6)kh1", "max(d6,d4)", "d6-d6"]
    + ["d4*d4", "((4d4)kh3)kl1", "3d4k>2", "4d4p1kh2", "floor(d6/4)+d6/4", "4d4kh2mi3", "-d4", "2d6sd", "d6*1.5"]
    + [
        "3d4dh1dl1",
        "4d4kh2>=3",
        "0d6+d4",
        "(2d4, 3, d6)k>3",
        "pow(d4,2)",
        "d20 adv",
        "4d4kh2p<3",
        "3d4p1mi2",
        "((2d4, d6)kh2)kl1",
        "60/d6",
        "2d6%4",
        "3dF.1",
        "d6^2",
        "sqrt(d6)",
        "floor(exp(d4))",
        "{2d4, d6}sd",
        "{3d4}kl1",
        "d6-1/2",
        "d6+-d4/2",
        "4dF/2",
        "d6-2.5+0.5",
        "(d4-2.5)*d4/3",
        "12/(5.5-d4)",
        "(d4-2.5, d4-3)kh1",
        "floor(d6*0.5-2)",
        "3d4ma3kl2",
        "d%",
    ],
)
def test_each_total_has_the_chance_of_the_dice_that_show_it(text: str) -> None:
    notation = read_notation(text, SCORES)
    assert chances(distribution(notation, SCORES)) == every_result(notation)


@pytest.mark.parametrize(("text", "again"), [("3d6rr1", [2, 3, 4, 5, 6]), ("2d6rr<3rr6kh1", [3, 4, 5])])
def test_dice_that_are_rerolled_until_they_fit_are_dice_with_the_other_faces(text: str, again: list[int]) -> None:
    die = icepool.Die(again)
    pool = die.highest(2, 1) if "kh1" in text else 3 @ die
    assert chances(distribution(read_notation(text), {})) == _icepool(pool)


@pytest.mark.parametrize(
    ("text", "die"),
    [
        ("40d10kh3", icepool.d10.highest(40, 3)),
        ("12d20kl4", icepool.d20.lowest(12, 4)),
        ("20d6", 20 @ icepool.d6),
        ("10d10dh2dl3", icepool.d10.pool(10)[3:-2].sum()),
        ("5d8-2d6+3", 5 @ icepool.d8 - 2 @ icepool.d6 + 3),
        ("8d10>=7", 8 @ (icepool.d10 >= 7)),
    ],
)
def test_icepool_counts_the_same_chances(text: str, die: Die) -> None:
    begun = time.perf_counter()
    found = chances(distribution(read_notation(text), {}))
    assert time.perf_counter() - begun < 1
    assert found == _icepool(die)


Die: TypeAlias = icepool.Die[int]
CHANGES: dict[str, Callable[[Die, int], Die]] = {
    "": lambda die, number: die,
    "rr<{number}": lambda die, number: die.reroll(lambda face: face < number, depth="inf"),
    "ro>={number}": lambda die, number: die.reroll(lambda face: face >= number, depth=1),
    "mi{number}": lambda die, number: die.map(lambda face: max(face, number)),
    "ma{number}": lambda die, number: die.map(lambda face: min(face, number)),
}
"""Modifiers that change each die, with the die that icepool makes of them."""

CHOICES: dict[str, Callable[[Die, int, int, int], Die]] = {
    "": lambda die, many, few, number: many @ die,
    "kh{few}": lambda die, many, few, number: die.highest(many, few),
    "kl{few}": lambda die, many, few, number: die.lowest(many, few),
    "dh{few}": lambda die, many, few, number: die.lowest(many, many - few),
    "dl{few}": lambda die, many, few, number: die.highest(many, many - few),
    "dh1dl{few}": lambda die, many, few, number: die.pool(many)[min(few, many - 1) : -1].sum(),
    ">={number}": lambda die, many, few, number: many @ die.map(lambda face: int(face >= number)),
    "k<={number}": lambda die, many, few, number: many @ die.map(lambda face: face if face <= number else 0),
    "dl{few}>={number}": lambda die, many, few, number: (
        die.pool(many)[few:].expand().map(lambda left: sum(face >= number for face in left))
    ),
}
"""Modifiers that choose some of several dice or count them, with the sum that icepool makes of them."""

GROUPS: dict[str, Callable[[Die, Die], Die]] = {
    "max({}, {})": icepool.highest,
    "({}, {})kh1": icepool.highest,
    "min({}, {})": icepool.lowest,
    "({}, {})dh1": icepool.lowest,
    "({}, {})": add,
    "({})-({})": sub,
    "({})*({})": mul,
    "({}) + abs({})": lambda one, other: one + other.map(abs),
}


class RandomDice:
    """Random expressions as text, with the distribution that icepool works out for them."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311  seeded on purpose

    def expression(self, depth: int = 0) -> tuple[str, Die]:
        kind = self._random.random()
        if kind < 0.1:
            number = self._random.randint(0, 9)
            return str(number), icepool.Die([number])
        if kind < 0.6 and depth < 3:
            one, other = self.expression(depth + 1), self.expression(depth + 1)
            group = self._random.choice([*GROUPS])
            return group.format(one[0], other[0]), GROUPS[group](one[1], other[1])
        return self._dice()

    def _dice(self) -> tuple[str, Die]:
        many, sides = self._random.randint(1, 4), self._random.choice(["2", "4", "6", "8", "F"])
        die = icepool.Die([-1, 0, 1]) if sides == "F" else icepool.d(int(sides))
        few, number = self._random.randint(0, many), self._random.choice([*die][1:])
        change, choice = self._random.choice([*CHANGES]), self._random.choice([*CHOICES])
        text = f"{many}d{sides}{change}{choice}".format(few=few, number=number)
        return text, CHOICES[choice](CHANGES[change](die, number), many, few, number)


def test_icepool_counts_the_same_chances_for_300_random_expressions() -> None:
    writer, compared = RandomDice(1), 0
    while compared < 300:
        text, die = writer.expression()
        try:
            notation = read_notation(text)
        except BadInput:  # it has no dice, or rerolls too often
            continue
        assert chances(distribution(notation, {})) == _icepool(die), text
        compared += 1


def _icepool(die: Die) -> dict[int, Fraction]:
    return {int(total): Fraction(ways, die.denominator()) for total, ways in die.items()}


@pytest.mark.parametrize("text", ["2d4!", "2d4!!", "d6!>=5", "3d6!p"])
def test_explosions_are_followed_until_they_are_less_likely_than_one_in_a_billion(text: str) -> None:
    found = distribution(read_notation(text), {})
    left_out = 1 - sum(chances(found).values())
    assert 0 < left_out < Fraction(4, 10**9)


def test_an_exploding_d6_has_the_chances_that_everybody_can_work_out() -> None:
    found = chances(distribution(read_notation("d6!"), {}))
    assert [found.get(total, 0) for total in (5, 6, 7, 12, 13)] == [
        Fraction(1, 6),
        0,
        Fraction(1, 36),
        0,
        Fraction(1, 216),
    ]
    penetrating = chances(distribution(read_notation("d6!p"), {}))
    assert [penetrating[total] for total in (5, 6, 10)] == [Fraction(1, 6), Fraction(1, 36), Fraction(1, 36)]


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("4d6!kh3", "one die decides what happens to another die"),
        ("(4d6kh3)!", "one die decides what happens to another die"),
        ("4d6ra6", "one die decides what happens to another die"),
        ("4d6u", "one die decides what happens to another die"),
        ("(4d6kh3mi2)dl1", "one die decides what happens to another die"),
        ("{2d6+d8}kh2", "it has several kinds of dice and keeps only some of the dice"),
        ("100d1000", "it has too many results"),
        ("d1000*d1000*d1000", "it has too many results"),
        ("+".join(["d500*d500"] * 20), "it has too many results"),
        ("d20!<=19", "it has too many results"),
        ("(d1000, d1000)kh1", "it has too many results"),
        ("100d20kh50", "it has too many results"),
    ],
)
def test_a_roll_whose_odds_cannot_be_worked_out_is_refused_with_the_reason(text: str, because: str) -> None:
    begun = time.process_time()
    with pytest.raises(Refused, match=because):
        distribution(read_notation(text), {})
    assert time.process_time() - begun < (20 if sys.gettrace() else 2)  # coverage makes everything slower
