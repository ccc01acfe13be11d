"""Rolled dice in words, and in groups of faces for a chart. The terminal and the page use the same words and groups."""

from __future__ import annotations

from math import ceil

from ledger.errors import count_of
from ledger.events.facts import DICE_SOURCES
from ledger.values import Struct
from projections.luck import DieLuck, DieRolls

MOST_GROUPS = 20
"""The maximum number of lines of a chart. A die with more faces shows several faces in each line."""


class FaceGroup(Struct):
    """A line of a chart: one or more faces, how often they came up, and how often fair dice show them on average."""

    faces: str
    rolled: int
    expected: float


def face_groups(luck: DieRolls) -> list[FaceGroup]:
    """Return the lines of a die's chart, from the lowest face to the highest."""
    size = ceil(luck.sides / MOST_GROUPS)
    starts = range(0, luck.sides, size)
    return [_face_group(luck, start, luck.faces[start : start + size]) for start in starts]


def _face_group(luck: DieRolls, start: int, counts: tuple[int, ...]) -> FaceGroup:
    first, last = start + 1, start + len(counts)
    name = str(first) if first == last else f"{first}–{last}"
    return FaceGroup(faces=name, rolled=sum(counts), expected=luck.rolls * len(counts) / luck.sides)


def die_title(luck: DieLuck) -> str:
    """Return the player, the die and the source of the rolls."""
    return f"{luck.name}: d{luck.sides}, {DICE_SOURCES.get(luck.source, luck.source)}"


def rolls_in_words(rolls: DieRolls) -> str:
    """Return the number of rolls, and their mean."""
    return f"{count_of(rolls.rolls, 'roll')}, mean {rolls.mean:.2f}"


def rolls_and_fair_mean(luck: DieRolls) -> str:
    """Return the number of rolls, their mean, and the mean of fair dice."""
    rolls = rolls_in_words(luck)
    return f"{rolls}; the mean of fair dice is {luck.expected_mean:.2f}"


def verdict_sentence(luck: DieLuck) -> str:
    """Return the verdict on a die, or the number of rolls that are missing for a verdict.

    If only some of the rolls are shown, the sentence says that the verdict is on all rolls. If there are sealed
    rolls, a second sentence says that they were not tested.
    """
    test = luck.test
    if test.verdict is None:
        missing = count_of(test.missing, "more roll")
        says = (
            f"No verdict yet. The test needs at least {test.least:,} rolls of a d{luck.sides}. Still needed: {missing}."
        )
    else:
        rolls = count_of(test.rolls, "roll")
        says = f"Verdict{'' if test.rolls == luck.rolls else f' on all {rolls}'}: {test.verdict}."
    return (
        f"{says} {count_of(luck.sealed, 'sealed roll was', 'sealed rolls were')} not tested." if luck.sealed else says
    )
