"""Dice: pools asked for, throws on the table, and the one door through which chance comes in."""

from collections.abc import Callable, Sequence
from itertools import groupby

from ledger.errors import WrongFaces
from ledger.events.facts import CountedDie, Source
from ledger.values import Struct

MOST_DICE = 100
LEAST_SIDES = 2
MOST_SIDES = 1000
TEN, PERCENTILE = 10, 100

Chance = Callable[[int], int]
"""A random number from 0 to n−1 for n sides, all equally likely."""


class Pool(Struct):
    """Dice asked for, by their number of sides, in the order in which they are thrown.

    `of` names who throws each of them, where that is not the character of the move for all.
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
        """The dice, with the names of who throws them."""
        return f"{self} of {', '.join(dict.fromkeys(self.of))}" if self.of else str(self)


def pool(count: int, sides: int) -> Pool:
    """A pool of `count` equal dice."""
    return Pool(sides=(sides,) * count)


class Die(Struct):
    """One die on the table. A d100 is two ten-sided dice, kept as its digits, tens and units; 0 and 0 is 100."""

    sides: int
    face: int
    digits: tuple[int, int] | None = None


class Throw(Struct):
    """Natural dice in the order thrown, and who threw them: the machine, or a hand whose dice were typed.

    `written` are the entries of dice that were written down before. `of` names who threw each die, as in a pool.
    """

    dice: tuple[Die, ...]
    source: Source
    written: tuple[int, ...] = ()
    of: tuple[str, ...] = ()

    @property
    def faces(self) -> tuple[int, ...]:
        """What the dice show."""
        return tuple(die.face for die in self.dice)

    def by_thrower(self, who: str) -> list[tuple[str, tuple[Die, ...]]]:
        """The dice of each who threw, in the order thrown; all are of `who` where nobody is named."""
        named = zip(self.of or (who,) * len(self.dice), self.dice, strict=True)
        return [(name, tuple(die for _, die in dice)) for name, dice in groupby(named, key=lambda pair: pair[0])]


def throw(asked: Pool, chance: Chance) -> Throw:
    """Let the machine throw a pool."""
    return Throw(dice=tuple(_throw_die(sides, chance) for sides in asked.sides), source="machine", of=asked.of)


def thrown_by_hand(asked: Pool, faces: Sequence[int]) -> Throw:
    """Dice thrown by hand; refuses (`WrongFaces`) faces that the pool cannot show, die by die."""
    possible = len(faces) == len(asked.sides) and all(
        1 <= face <= sides for face, sides in zip(faces, asked.sides, strict=True)
    )
    if not possible:
        dice_shown = " ".join(map(str, faces))
        several = f"Type {len(asked.sides)} faces in the order thrown, with commas between them."
        hint = "Type what the one die shows." if len(asked.sides) == 1 else several
        if any(sides == TEN and face in {0, PERCENTILE} for face, sides in zip(faces, asked.sides, strict=False)):
            hint += " The 0 of a d10 is typed as 10."
        raise WrongFaces(f"This move throws {asked}, which cannot show {dice_shown}.", hint)
    dice = (_die(sides, face) for face, sides in zip(faces, asked.sides, strict=True))
    return Throw(dice=tuple(dice), source="typed", of=asked.of)


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
    """Whether a die can show this face, with these digits."""
    return die.face <= die.sides and die.digits == _die(die.sides, die.face).digits
