"""Dice formulas in imported files: read them, list their dice, and write numbers as JavaScript does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import isfinite
from typing import NamedTuple

from ledger.errors import BadInput, WrongFaces
from ledger.events.facts import CountedDie
from ledger.events.types import RolledBy, Seen
from ledger.imports.claimed_times import ClaimedTime
from ledger.imports.log_records import MOST_DICE, ClaimedRoll, WrongRecord, join_texts, printable
from ledger.rules.counting import check_values, count, pool_of
from ledger.rules.dice import LEAST_SIDES, MOST_SIDES, die_showing, typed_dice
from ledger.rules.notation import LONGEST_NOTATION, Notation, read_notation

LARGEST_WHOLE_NUMBER = 1e21
"""The limit from which JavaScript writes whole numbers with an exponent."""


def notation_of(formula: str) -> Notation | None:
    """Return the parsed formula of one roll, or None if this program's dice notation does not allow it."""
    return None if len(formula) > LONGEST_NOTATION else _notation_of(formula)


@lru_cache(4096)
def _notation_of(formula: str) -> Notation | None:
    try:
        notation = read_notation(formula)
        check_values(notation, {})
    except BadInput:
        return None
    return notation if notation.times == 1 else None


def counted_dice(notation: Notation, faces: Sequence[int]) -> tuple[tuple[CountedDie, ...], int]:
    """Return all dice of a roll, even those that do not count, and the total of the roll.

    Raise `WrongRecord` if the dice in the notation cannot show the faces.
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


class ShownDie(NamedTuple):
    """A die as a file shows it. `dropped` is the file's word for a die that does not count."""

    sides: int
    face: int
    dropped: str | None = None


class ParsedRoll(NamedTuple):
    """A roll as far as this program understands it. `comes_to` is the computed total. `rest` is all other text."""

    formula: str
    dice: tuple[CountedDie, ...]
    comes_to: str | None
    rest: str


def claimed_roll(
    roll_id: str,
    time: ClaimedTime,
    read: ParsedRoll,
    *notes: str,
    seen: Seen,
    user: str,
    speaker: str,
    total: str | None,
    thrown: RolledBy = "unknown",
) -> ClaimedRoll:
    """Return a roll as a file claims it. `notes` are the texts about the purpose of the roll."""
    return ClaimedRoll(
        id=roll_id,
        claimed_at=time.at,
        exact=time.exact,
        local_day=time.local_day,
        seen=seen,
        user=printable(user),
        speaker=printable(speaker),
        what=join_texts(*notes, read.rest),
        formula=read.formula,
        dice=read.dice,
        total=total,
        comes_to=read.comes_to,
        natural=bool(read.dice),
        thrown=thrown,
    )


def read_roll(formula: str, shown: tuple[ShownDie, ...]) -> ParsedRoll:
    """Return a roll as far as this program understands it.

    Work out the total if the formula can be read and has exactly the dice of `shown`.
    """
    return roll_as_shown(formula, shown) if len(formula) > LONGEST_NOTATION else _read_roll(formula, shown)


@lru_cache(512)  # many rolls of a group are alike, such as 1d20+5
def _read_roll(formula: str, shown: tuple[ShownDie, ...]) -> ParsedRoll:
    roll = roll_as_shown(formula, shown)
    notation = notation_of(formula)
    if notation is None or not roll.dice:
        return roll
    try:
        dice, total = counted_dice(notation, [die.face for die in shown])
    except WrongRecord:  # the formula needs other dice
        return roll
    if [die.sides for die in dice] != [die.sides for die in shown]:
        return roll
    return roll._replace(dice=dice, comes_to=str(total))


def roll_as_shown(formula: str, shown: Sequence[ShownDie]) -> ParsedRoll:
    """Return a roll with the dice as the file shows them, and without a computed total.

    If the file shows a number that is not on the die, keep all faces of the roll only as text. Raise `WrongRecord` for
    too many dice.
    """
    if len(shown) > MOST_DICE:
        raise WrongRecord(f"it has more than {MOST_DICE} dice in one roll")
    known, rest = (formula, "") if notation_of(formula) else ("", formula)
    if any(not LEAST_SIDES <= die.sides <= MOST_SIDES or not 1 <= die.face <= die.sides for die in shown):
        return ParsedRoll(known, (), None, f"{rest} [{' '.join(str(die.face) for die in shown)}]".lstrip())
    dice = tuple(die_showing(die.sides, die.face).replace(dropped=die.dropped) for die in shown)
    return ParsedRoll(known, dice, None, rest)


def javascript_number(number: float) -> str | None:
    """Return a number as JavaScript writes it; None if it is not finite, or needs an exponent."""
    if not isfinite(number) or abs(number) >= LARGEST_WHOLE_NUMBER:
        return None
    text = str(int(number)) if number == int(number) else repr(number)
    return None if "e" in text else text
