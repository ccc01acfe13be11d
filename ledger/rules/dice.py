"""Dice: pools asked for, throws on the table, and the one door through which chance comes in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from ledger.errors import Either, WrongFaces
from ledger.events.facts import CountedDie, Source
from ledger.values import Struct

MOST_DICE = 100
LEAST_SIDES = 2
MOST_SIDES = 1000
PERCENTILE = 100
TEN = 10
"""The die whose 10 most dice show as 0."""

Chance = Callable[[int], int]
"""A random number from 0 to n−1 for n sides, all equally likely."""


class Pool(Struct):
    """Dice to throw, by their number of sides, in the order in which they are thrown.

    `of` names the thrower of each die, unless all belong to the character of the move.
    """

    sides: tuple[int, ...]
    of: tuple[str, ...] = ()

    def __str__(self) -> str:
        groups: list[tuple[int, int]] = []
        for sides in self.sides:
            if groups and groups[-1][1] == sides:
                groups[-1] = (groups[-1][0] + 1, sides)
            else:
                groups.append((1, sides))
        return " + ".join(f"{count}d{sides}" for count, sides in groups) or "no dice"

    def in_words(self) -> str:
        """The dice, with the names of the throwers."""
        return f"{self} of {', '.join(dict.fromkeys(self.of))}" if self.of else str(self)


def pool(count: int, sides: int) -> Pool:
    """A pool of `count` equal dice."""
    return Pool(sides=(sides,) * count)


class Die(Struct):
    """One die on the table. A d100 is two ten-sided dice, kept as its digits, tens and units; 0 and 0 is 100."""

    sides: int
    face: int
    digits: tuple[int, int] | None = None


class ThrownDice(Struct):
    """Natural dice in the order thrown, and their source: the computer, or typed faces.

    `written` lists the entries of dice that were written before. `of` names the thrower of each die, as in a pool.
    """

    dice: tuple[Die, ...]
    source: Source
    written: tuple[int, ...] = ()
    of: tuple[str, ...] = ()

    @property
    def faces(self) -> tuple[int, ...]:
        """The faces that the dice show."""
        return tuple(die.face for die in self.dice)

    def by_thrower(self, who: str) -> list[tuple[str, tuple[Die, ...]]]:
        """The dice of each thrower, in the order thrown. If `of` is empty, all belong to `who`."""
        named = zip(self.of or (who,) * len(self.dice), self.dice, strict=True)
        return [(name, tuple(die for _, die in dice)) for name, dice in groupby(named, key=lambda pair: pair[0])]


def throw(asked: Pool, chance: Chance) -> ThrownDice:
    """Let the machine throw a pool."""
    return ThrownDice(dice=tuple(_throw_die(sides, chance) for sides in asked.sides), source="machine", of=asked.of)


def thrown_by_hand(asked: Pool, typed: Sequence[int], *, earlier: int = 0) -> ThrownDice:
    """Typed dice; the 0 of a d10 is its 10.

    Refuse (`WrongFaces`) too few or too many faces, and a face that its die does not have. `earlier` counts the faces
    that were typed for the dice before these.
    """
    faces = [TEN if (face, sides) == (0, TEN) else face for face, sides in zip(typed, asked.sides, strict=False)]
    wrong = [(face, sides) for face, sides in zip(faces, asked.sides, strict=False) if not 1 <= face <= sides]
    if wrong or len(typed) != len(asked.sides):
        what = f"a d{wrong[0][1]} cannot show {wrong[0][0]}" if wrong else _how_many(len(typed))
        begin = f"After the first {earlier}, type" if earlier else "Type"
        several = (
            f"{begin} {_numbers(len(asked.sides))} in the order rolled, with {Either('commas', 'spaces')} between them."
        )
        hint = several if len(asked.sides) > 1 or earlier else "Type the number that the die shows."
        hint = "Type 00 for 100." if wrong[:1] == [(0, PERCENTILE)] else hint
        raise WrongFaces(f"This roll needs {asked.in_words()}, but {what}.", hint)
    dice = (_die(sides, face) for face, sides in zip(faces, asked.sides, strict=True))
    return ThrownDice(dice=tuple(dice), source="typed", of=asked.of)


class Digits(Struct):
    """Faces typed with nothing between them: `737` is 7, 3, 7 for three dice of up to ten sides, and 737 for one."""

    text: str

    def __len__(self) -> int:
        return len(self.text)

    def faces(self, sides: Sequence[int]) -> tuple[int, ...]:
        """The faces for dice with so many sides: a digit each where that fits, else one number; `00` is 100."""
        if len(self.text) == len(sides) and max(sides) <= TEN:
            return tuple(map(int, self.text))
        return (PERCENTILE if self.text == "00" else int(self.text),)


def as_stored(faces: Sequence[int] | None) -> tuple[int, ...] | None:
    """Typed faces as entries store them: the 0 of a d10 becomes 10."""
    return None if faces is None else tuple(face or TEN for face in faces)


def _how_many(typed: int) -> str:
    return "you typed 1 die" if typed == 1 else f"you typed {typed} dice" if typed else "no typed dice are left for it"


def _numbers(count: int) -> str:
    return "1 number" if count == 1 else f"{count} numbers"


def machine() -> Chance:
    """The machine's chance: the operating system's, through `secrets`."""
    from secrets import randbelow  # typed dice do not need it

    return randbelow


def _throw_die(sides: int, chance: Chance) -> Die:
    if sides == PERCENTILE:
        tens, units = chance(10), chance(10)
        return _die(sides, 10 * tens + units or PERCENTILE)
    return _die(sides, chance(sides) + 1)


def _die(sides: int, face: int) -> Die:
    digits = (face // 10 % 10, face % 10) if sides == PERCENTILE else None
    return Die(sides=sides, face=face, digits=digits)


def is_die(die: CountedDie) -> bool:
    """Return True if a die can show this face, with these digits."""
    return die.face <= die.sides and die.digits == _die(die.sides, die.face).digits
