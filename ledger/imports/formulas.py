"""Formulas: the dice notation in files, the dice of a formula, and numbers in JavaScript's form."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import isfinite

from ledger.errors import BadInput, WrongFaces
from ledger.events.facts import CountedDie
from ledger.imports.log_records import MOST_DICE, WrongRecord
from ledger.rules.counting import check_values, count, pool_of
from ledger.rules.dice import typed_dice
from ledger.rules.notation import Notation, read_notation

MOST_WHOLE = 1e21
"""From here on, JavaScript writes whole numbers with an exponent."""


@lru_cache(4096)
def notation_of(formula: str) -> Notation | None:
    """Return the parsed formula of one roll, or None if this program's dice notation does not allow it."""
    try:
        notation = read_notation(formula)
        check_values(notation, {})
    except BadInput:
        return None
    return notation if notation.times == 1 else None


def counted_dice(notation: Notation, faces: Sequence[int]) -> tuple[tuple[CountedDie, ...], int]:
    """Return the dice of a roll, with those that do not count, and its total.

    Raise `WrongRecord` if these dice cannot show the faces.
    """
    if len(faces) > MOST_DICE:
        raise WrongRecord(f"it has more than {MOST_DICE} dice")
    try:
        thrown = typed_dice(pool_of(notation), faces)
    except WrongFaces:
        raise WrongRecord("the dice do not fit the roll") from None
    result = count(notation, thrown.faces, {})
    dice = (die.replace(dropped=why or None) for die, why in zip(thrown.dice, result.dropped, strict=True))
    return tuple(dice), result.total


def javascript_number(number: float) -> str | None:
    """Return a number as JavaScript writes it; None if it is not finite, or needs an exponent."""
    if not isfinite(number) or abs(number) >= MOST_WHOLE:
        return None
    text = str(int(number)) if number == int(number) else repr(number)
    return None if "e" in text else text
