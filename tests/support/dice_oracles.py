"""Two other programs that roll dice notation, and random expressions for them.

The expressions have no divisions, and a kind of dice has at most one modifier that rolls dice again: the other programs
roll all dice of one chain at once, and this program rolls them in rounds.
"""

import json
import random
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import Any, NamedTuple

import d20
from d20 import expression

from ledger.errors import BadInput
from ledger.rules.counting import check_values, count, pool_of
from ledger.rules.expressions import FATE_SIDES, DiceTerm, Notation, subexpressions
from ledger.rules.notation import read_notation
from paths import TESTS

ROLLER = TESTS / "support" / "rpg_dice_roller"
SIDES = ("2", "4", "6", "8", "10", "12", "20")


class Rolled(NamedTuple):
    """An expression, its total, and what the dice of each kind showed, in the order in which the program rolled them."""

    text: str
    total: float
    hands: list[list[int]]


class Hand(NamedTuple):
    """The faces of one kind of dice: the first of each die, and those that were rolled again, in rounds."""

    first: list[int]
    again: list[int]


class Words(NamedTuple):
    """The notation that a program understands: kinds of dice, modifiers that change dice, modifiers that choose, and groups."""

    sides: Sequence[str]
    changes: Sequence[str]
    chooses: Sequence[str]
    groups: Sequence[str]


AVRAE = Words(
    sides=SIDES,
    changes=("ro{number}", "ro<{number}", "rr{number}", "rr<{number}", "e{high}", "e>{high}", "ra{number}", "rol{few}")
    + ("mi{number}", "ma{number}"),
    chooses=("kh{few}", "kl{few}", "ph{few}", "pl{few}", "k>{number}", "p{number}", "p<{number}", "[fire]"),
    groups=("({})", "({}, {})kh1", "({}, {}, {})ph1", "({}, {}, {})kl2", "(({}, {}))pl1"),
)
RPG_DICE_ROLLER = Words(
    sides=(*SIDES, "%", "F", "F.1"),
    changes=("ro<={number}", "ro={number}", "!", "!>={high}", "!!", "!!>={high}", "!p", "!!p", "u", "uo", "u<={number}")
    + ("min{number}", "max{number}"),
    chooses=("kh{few}", "kl{few}", "dh{few}", "dl{few}", "d{few}", ">={number}", "<>{number}f<={few}", "sd", "dh1dl1"),
    groups=(
        "({})",
        "abs({})",
        "{{{}, {}}}kh1",
        "{{{}, {}, {}}}d1",
        "{{{}, {}}}sd",
        "{{{}+{}}}kh2",
        "max({}, {})",
        "({})^2",
    ),
)


class Writer:
    """A writer of random expressions."""

    def __init__(self, seed: int, words: Words) -> None:
        self._random, self._words = random.Random(seed), words  # noqa: S311  seeded on purpose

    def readable(self) -> Iterator[str]:
        """Yield expressions with dice that this program takes."""
        while True:
            if read(text := self._expression(0)) is not None:
                yield text

    def _expression(self, depth: int) -> str:
        terms = [self._term(depth)]
        while self._random.random() < 0.4:
            sign = self._random.choice(["+", "-", " + ", "*"]) + self._random.choice(["", "", "", "-"])
            terms += [sign, self._term(depth)]
        return "".join(terms)

    def _term(self, depth: int) -> str:
        kind = self._random.random()
        if kind < 0.2:
            return str(self._random.randint(0, 20))
        if kind < 0.3 and depth < 2:
            group = self._random.choice(self._words.groups)
            return group.format(*(self._expression(depth + 1) for _ in range(group.count("{}"))))
        sides, many = self._random.choice(self._words.sides), self._random.randint(1, 5)
        dice = f"{many if many > 1 else self._random.choice(['', '1'])}d{sides}"
        highest = int(sides) if sides.isdigit() else 4
        for known in (self._words.changes, self._words.chooses):
            if self._random.random() < 0.5:
                number, high = self._random.randint(1, highest), self._random.randint(highest // 2 + 1, highest)
                few = self._random.randint(1, many)
                dice += self._random.choice(known).format(few=few, number=number, high=high)
        return dice


def read(text: str) -> Notation | None:
    """Parse an expression. Return `None` if this program refuses it."""
    try:
        notation = read_notation(text)
        check_values(notation, {})
    except BadInput:
        return None
    return notation


def compare(rolled: Iterable[Rolled], hand_of: Callable[[DiceTerm, list[int]], Hand]) -> tuple[int, int]:
    """Count rolls again with the same dice. Fail if this program rolls another number of dice, or has another total.

    Return the number of rolls and of dice compared.
    """
    rolls = dice = 0
    for text, total, shown in rolled:
        notation = read(text)
        assert notation is not None, text
        kinds = [part for part in subexpressions(notation.of) if isinstance(part, DiceTerm)]
        hands = [hand_of(kind, hand) for kind, hand in zip(kinds, shown, strict=True)]
        faces = [*chain.from_iterable(hand.first for hand in hands), *chain.from_iterable(hand.again for hand in hands)]
        assert len(pool_of(notation).after(faces).sides) == len(faces), (text, shown)
        assert count(notation, faces, {}).total == total // 1, (text, shown, total)
        rolls, dice = rolls + 1, dice + len(faces)
    return rolls, dice


def roll_with_d20(texts: Iterable[str]) -> Iterator[Rolled]:
    """Roll expressions with Avrae's program. Leave out those that it does not take, or that need too many dice."""
    for text in texts:
        try:
            rolled = d20.roll(text)
        except d20.errors.RollError:
            continue
        yield Rolled(text, rolled.total, [_in_rounds_of_avrae(dice) for dice in _dice_of(rolled.expr)])


def _dice_of(node: Any) -> Iterator[Any]:
    if isinstance(node, expression.Dice):
        yield node
    for child in node.children:
        yield from _dice_of(child)


def _in_rounds_of_avrae(dice: Any) -> list[int]:
    """Return the faces: the first of each die, then the rerolled ones in rounds, then those of explosions."""
    rolled = [[int(literal.values[0]) for literal in die.values] for die in dice.values]
    rounds = zip_longest(*rolled[: dice.num])
    return [face for turn in (*rounds, *rolled[dice.num :]) for face in turn if face is not None]


def hand_of_d20(dice: DiceTerm, shown: list[int]) -> Hand:
    """Return the hand of dice that Avrae's program rolled."""
    return Hand(shown[: dice.count], shown[dice.count :])


def roll_with_rpg_dice_roller(texts: Sequence[str]) -> list[Rolled]:
    """Roll expressions with rpg-dice-roller, in one process. Leave out those that it does not take."""
    assert (ROLLER / "node_modules").exists(), "To install rpg-dice-roller, type: make programs"
    program = ["node", str(ROLLER / "roll.js")]
    done = subprocess.run(program, input=json.dumps(texts), capture_output=True, text=True, check=True, timeout=300)
    return [Rolled(*json.loads(line)) for line in done.stdout.splitlines()]


def hand_of_rpg_dice_roller(dice: DiceTerm, shown: list[int]) -> Hand:
    """Return the hand of dice that rpg-dice-roller rolled. It rolls all dice of one chain before the next chain."""
    faces = [_face(dice, number) for number in shown]
    again = next((modifier for modifier in dice.modifiers if modifier.throws), None)
    first, left = faces[: dice.count], iter(faces[dice.count :])
    if again is None or again.unique:
        return Hand(first, [*left])
    chains = []
    for face in first:
        rolled = [face]
        while again.matches(dice.value(rolled[-1])) and not (again.once and len(rolled) > 1):
            rolled.append(next(left))
        chains.append(rolled[1:])
    assert not [*left]
    return Hand(first, [face for turn in zip_longest(*chains) for face in turn if face is not None])


def _face(dice: DiceTerm, number: int) -> int:
    """Return a face of a die that counts as a number."""
    if dice.fate:
        return number + 2 if dice.sides == FATE_SIDES else {-1: 1, 0: 2, 1: 6}[number]
    return number
