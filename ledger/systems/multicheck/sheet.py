"""The scores, marks and settings of Multicheck, and the rows of its sheet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, get_args

from ledger.rules import (
    MAX_SHEET_NUMBER,
    MarkSpec,
    Row,
    Score,
    Setting,
    SheetView,
    count_of,
    number,
    read_handle,
    read_handles,
    set_by_moves,
    with_minus_sign,
)

D100 = 100

DEFAULT_MISHAP = 90
"""The default mishap value (MUL-06)."""

RANK_BONUS, SPECIALIZED_BONUS = 10, 15
"""The bonus of each rank to a skill value: without a specialization, and with one (MUL-04)."""

SaveName = Literal[
    "toughness", "flexibility", "bravery", "composure", "intuition", "fortune", "opposition", "initiative"
]
Malice = Literal["physical", "mental", "social"]

MOST_RANK = 6


SCORES = (
    Score(name="attribute.*", unit="attribute", says="an attribute, such as luck (MUL-02, MUL-05, MUL-07)"),
    Score(name="skill.*", unit="rank", most=MOST_RANK, says="the rank of a skill (MUL-04)"),
    Score(name="feat.*", unit="feat", says="the value of a feat, used instead of luck (MUL-05)"),
    Score(
        name="mishap",
        unit="mishap",
        most=D100,
        says="this character's mishap value; 0 means that the campaign's mishap value applies (MUL-06)",
    ),
    Score(name="ps", unit="ps", says="spiritual points (MUL-10)", shown_at_zero=True),
    Score(name="pk", unit="pk", says="karma points (MUL-11)", shown_at_zero=True),
    *(
        Score(
            name=f"save.{name}", unit="save", least=-MAX_SHEET_NUMBER, says="a save value; it may be negative (MUL-16)"
        )
        for name in get_args(SaveName)
    ),
    *(
        Score(name=f"malice.{name}", unit="malice", says="the value that others save against (MUL-13)")
        for name in get_args(Malice)
    ),
    Score(name="recovery", unit="recovery", says="charges that each condition loses per turn (MUL-17)"),
    Score(
        name="harm.*",
        unit="harm",
        says="how much of an effect the character has suffered, such as harm.damage (MUL-15)",
    ),
    Score(name="condition.*", unit="charge", says="charges of a condition; at 0, the condition ends (MUL-17)"),
)


MARKS = (
    MarkSpec(name="on.*", says="the attribute of a skill (MUL-02)", read=read_handle, of="attribute"),
    MarkSpec(
        name="defence.*",
        says="the attribute that an opponent uses to defend against a skill (MUL-07)",
        read=read_handle,
    ),
    MarkSpec(
        name="specialization.*",
        says="the specializations of a skill, separated by commas (MUL-04)",
        read=read_handles,
    ),
    MarkSpec(
        name="throw",
        says="the last test: its extra dice, its roll and its outcome (MUL-09)",
        read=set_by_moves("Only a move can set this."),
    ),
)


SETTINGS = (
    Setting(
        name="mishap",
        says="the mishap value for sheets without one; a roll at or above it removes a success (MUL-06)",
        default=DEFAULT_MISHAP,
        read=number(1, D100),
    ),
)


def rows(sheet: SheetView) -> tuple[Row, ...]:
    """Return the rows of a sheet, from attributes and skills to conditions."""
    return (
        *_family_rows(sheet, "attribute", str),
        *(
            _skill_row(sheet, name) for name in {**sheet.scores_of("skill"), **sheet.marks_of("on")}
        ),  # a skill of rank 0 has no score
        *_family_rows(sheet, "feat", "{}, a feat".format),
        *_single_rows(sheet, "mishap", "mishap", "{} and up"),
        *_single_rows(sheet, "ps", "PS", "{}"),
        *_single_rows(sheet, "pk", "PK", "{}"),
        *_joined_rows(sheet, "save", "saves"),
        *_joined_rows(sheet, "malice", "malice"),
        *_single_rows(sheet, "recovery", "recovery", "{} per turn"),
        *_throw_rows(sheet),
        *_family_rows(sheet, "harm", lambda harm: f"{with_minus_sign(harm)} suffered"),
        *_family_rows(sheet, "condition", lambda charges: with_minus_sign(count_of(charges, "charge"))),
    )


def _family_rows(sheet: SheetView, family: str, says: Callable[[int], str]) -> Iterator[Row]:
    for name, value in sheet.scores_of(family).items():
        yield Row(label=name, value=says(value), shows=(f"{family}.{name}",))


def _single_rows(sheet: SheetView, name: str, label: str, says: str) -> Iterator[Row]:
    if name in sheet.scores:
        yield Row(label=label, value=says.format(with_minus_sign(sheet.score(name))), shows=(name,))


def _joined_rows(sheet: SheetView, family: str, label: str) -> Iterator[Row]:
    if scores := sheet.scores_of(family):
        value = ", ".join(f"{name} {with_minus_sign(number)}" for name, number in scores.items())
        yield Row(label=label, value=value, shows=tuple(f"{family}.{name}" for name in scores))


def _throw_rows(sheet: SheetView) -> Iterator[Row]:
    if throw := sheet.marks.get("throw"):
        test = f"for the {throw['outcome'].replace('_', ' ')} (roll {throw['roll']})"
        yield Row(label="extra dice", value=f"{throw['dice']}, {test}", shows=("throw",))


def _skill_row(sheet: SheetView, name: str) -> Row:
    rank = sheet.score(f"skill.{name}")
    marks = on, defence, special = (f"on.{name}", f"defence.{name}", f"specialization.{name}")
    value = f"{rank * RANK_BONUS}, rank {rank} of {MOST_RANK}"
    if attribute := sheet.marks.get(on):
        value += f", with {attribute} {sheet.score(f'attribute.{attribute}')}"
    if other := sheet.marks.get(defence):
        value += f", against {other}"
    if names := sheet.marks.get(special):
        value += f"; {rank * SPECIALIZED_BONUS} in {', '.join(names)}"
    return Row(label=name, value=value, shows=(f"skill.{name}", *marks))
