"""Dice pools, rolled dice, and the only source of random numbers for rolls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from ledger.errors import MINUS, Either, WrongFaces, count_of
from ledger.events.facts import CountedDie, Source
from ledger.values import Struct

MOST_DICE = 100
LEAST_SIDES = 2
MOST_SIDES = 1000
D100 = 100
D10 = 10
"""The number of sides of a d10. Most d10s show their 10 as 0."""

TENS_FACES = {0: D10, D100: D10, **{10 * digit: digit for digit in range(1, D10)}}
"""The face of a d10 for each number that people type for a tens die: 0 or 00 (read as 100), and 10 to 90."""

TENS_HINT = "Type the number that a tens die shows, from 00 to 90."

MINUS_FACE, PLUS_FACE = -1, -2
"""The numbers for typed − and + signs, until the kind of the Fate die decides the face."""

FATE_SIGNS = {"-": MINUS_FACE, MINUS: MINUS_FACE, "+": PLUS_FACE}

RandomBelow = Callable[[int], int]
"""A function that takes n and returns a random number from 0 to n−1, each equally likely."""


class Pool(Struct):
    """Dice to roll, in order.

    - `of`: the character who rolls each die. It is empty if the character who makes the move rolls all dice.
    - `tens`: True if the d10s are extra tens dice for the d100 before them. Such a die shows 00, 10, and so on up
      to 90.
    """

    sides: tuple[int, ...]
    of: tuple[str, ...] = ()
    tens: bool = False

    def __str__(self) -> str:
        counts = ((sides, len(list(same))) for sides, same in groupby(self.sides))
        dice = ("a second tens die" if self.tens and sides == D10 else f"{count}d{sides}" for sides, count in counts)
        return " + ".join(dice) or "no dice"

    def after(self, faces: Sequence[int]) -> Pool:
        """Return this pool with the dice that the `faces` so far add, such as rerolls. Default: this same pool."""
        return self

    def resolved(self, typed: Sequence[int]) -> list[int]:
        """Return the faces that the typed numbers stand for.

        Default: a 0 on a d10 means 10. On an extra tens die (`tens`), a 20 means the face 2.
        """
        meant = TENS_FACES if self.tens else {0: D10}
        return [meant.get(face, face) if sides == D10 else face for face, sides in zip(typed, self.sides, strict=False)]

    def in_words(self) -> str:
        """Return the dice in words, with the names of the characters who roll them."""
        return f"{self} of {', '.join(dict.fromkeys(self.of))}" if self.of else str(self)


def pool(count: int, sides: int) -> Pool:
    """Make a pool of equal dice, all rolled by the character who makes the move."""
    return Pool(sides=(sides,) * count)


class ThrownDice(Struct):
    """Rolled dice, in order. `written` lists the entries that already record these dice. `of` is as in `Pool`."""

    dice: tuple[CountedDie, ...]
    source: Source
    written: tuple[int, ...] = ()
    of: tuple[str, ...] = ()

    @property
    def faces(self) -> tuple[int, ...]:
        """The number on top of each die."""
        return tuple(die.face for die in self.dice)

    def by_thrower(self, who: str) -> list[tuple[str, tuple[CountedDie, ...]]]:
        """Return the name and dice of each character who rolled, in order. If `of` is empty, `who` rolled all dice."""
        throwers_and_dice = zip(self.of or (who,) * len(self.dice), self.dice, strict=True)
        return [
            (name, tuple(die for _, die in dice)) for name, dice in groupby(throwers_and_dice, key=lambda pair: pair[0])
        ]


def throw(wanted: Pool, chance: RandomBelow) -> ThrownDice:
    """Roll a pool with random numbers from `chance`."""
    dice: list[CountedDie] = []
    while more := wanted.after([die.face for die in dice]).sides[len(dice) :]:
        dice += [_throw_die(sides, chance, tens=wanted.tens) for sides in more]
    return ThrownDice(dice=tuple(dice), source="machine", of=wanted.of)


def typed_dice(wanted: Pool, typed: Sequence[int], *, earlier: int = 0) -> ThrownDice:
    """Turn typed faces into dice. `Pool.resolved` says what the typed numbers mean.

    Raise `WrongFaces` for a wrong number of faces, or for a face that the die does not have. `earlier` is the number of
    typed faces that earlier rolls have used. The error mentions this number.
    """
    wanted = wanted.after(typed)
    faces = wanted.resolved(typed)
    wrong = [(face, sides) for face, sides in zip(faces, wanted.sides, strict=False) if not 1 <= face <= sides]
    if wrong or len(typed) != len(wanted.sides):
        problem = _cannot_show(*wrong[0], tens=wanted.tens) if wrong else _how_many(len(typed))
        numbers = count_of(len(wanted.sides), "number")
        hint = f"Type {numbers} in the order rolled, with {Either('commas', 'spaces')} between them."
        if earlier:
            used = count_of(earlier, "number")
            hint = f"Earlier rolls already used the first {used}. For this roll, type {numbers} after them."
        elif len(wanted.sides) == 1:
            hint = "Type the number that the die shows."
        hint = f"{hint} {TENS_HINT}" if wanted.tens else hint
        hint = "Type 00 for 100." if wrong[:1] == [(0, D100)] else hint
        dice = wanted.in_words()
        raise WrongFaces(f"This roll needs {dice}, but {problem}.", hint)
    thrown = (die_showing(sides, face, tens=wanted.tens) for face, sides in zip(faces, wanted.sides, strict=True))
    return ThrownDice(dice=tuple(thrown), source="typed", of=wanted.of)


class Digits(Struct):
    """Digits typed without separators: `737` is 7, 3, 7 on three dice of up to ten sides, but 737 on one die."""

    text: str

    def __len__(self) -> int:
        return len(self.text)

    def faces(self, wanted: Pool) -> tuple[int, ...]:
        """Read one digit for each die. If the digits do not fit the dice, read them as one number; `00` is 100."""
        digits = tuple(map(int, self.text))
        sides = wanted.after(digits).sides
        if len(digits) in {len(wanted.sides), len(sides)} and max(sides) <= D10:
            return digits
        return (D100 if self.text == "00" else int(self.text),)


def stored_faces(faces: Sequence[int] | None) -> tuple[int, ...] | None:
    """Convert typed faces to the faces that an amendment stores. A 0 becomes 10, as on a d10."""
    return None if faces is None else tuple(face or D10 for face in faces)


def _cannot_show(face: int, sides: int, *, tens: bool) -> str:
    shown = f"{face} (or 00)" if face == D100 and sides < D100 else str(face)
    return f"a {'tens die' if tens and sides == D10 else f'd{sides}'} cannot show {shown}"


def _how_many(typed: int) -> str:
    return f"you typed {count_of(typed, 'die', 'dice')}" if typed else "no typed dice are left"


def os_random() -> RandomBelow:
    """Return the random number generator of the operating system."""
    from secrets import randbelow  # not needed for typed dice

    return randbelow


def _throw_die(sides: int, chance: RandomBelow, *, tens: bool) -> CountedDie:
    if sides == D100:
        digit, units = chance(10), chance(10)
        return die_showing(sides, 10 * digit + units or D100, tens=tens)
    return die_showing(sides, chance(sides) + 1, tens=tens)


def die_showing(sides: int, face: int, *, tens: bool = False) -> CountedDie:
    """Return a die with this face. With `tens`, a d10 is a second tens die."""
    return CountedDie(sides=sides, face=face, digits=_digits(sides, face, tens=tens))


def _digits(sides: int, face: int, *, tens: bool) -> tuple[int, int] | None:
    if sides == D100:
        return face // 10 % 10, face % 10
    return (face % D10, 0) if tens and sides == D10 else None


def is_valid_die(die: CountedDie) -> bool:
    """Return True if a stored die has a face and digits that fit its sides."""
    digits = [_digits(die.sides, die.face, tens=tens) for tens in (False, True)]
    return die.face <= die.sides and die.digits in digits


def pool_of_dice(dice: Sequence[CountedDie]) -> Pool:
    """Return a pool of dice like these. The pool does not say who rolls, because the dice do not record that."""
    return Pool(sides=tuple(die.sides for die in dice), tens=any(die.is_tens for die in dice))
