"""A free sheet: numbers with any names, their maximums, the numbers that a rest refills, and rolls by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ledger import rules as game
from ledger.rules import (
    LONGEST_NAME,
    MAX_SHEET_NUMBER,
    BadInput,
    CommittedText,
    MarkSpec,
    NotOnSheet,
    Refused,
    Row,
    Run,
    Score,
    Setting,
    SheetView,
    Table,
    checked_text,
    one_of,
    quoted,
    read_handle,
    read_handles,
    with_minus_sign,
)

MODIFIER_WORDS = "cf|cs|d|df|dh|dl|e|f|k|kh|kl|ma|max|mi|min|p|ph|pl|r|ra|ro|rr|s|sa|sd|u|uo|x|xo"
RESERVED_NAMES_PATTERN = re.compile(rf"roll|refill|adv|advantage|dis|disadvantage|d[0-9].*|({MODIFIER_WORDS})[0-9]*")
"""The names with another meaning on a sheet or in dice notation."""


def is_free_name(name: str) -> bool:
    """Return True for a valid name that is not reserved. Letters of any script are valid."""
    return game.is_number_name(name) and RESERVED_NAMES_PATTERN.fullmatch(name) is None


class AnyNumber(Score):
    """A number with any name that is not reserved. It has a maximum if the maximum on the sheet is not 0."""

    def allows(self, own: str) -> bool:
        """Return True for every name that `is_free_name` allows."""
        return is_free_name(own)

    def limit(self, value: Callable[[str], int]) -> int:
        """Return the maximum that `value` reads from the sheet, or else the highest number that a sheet allows."""
        return super().limit(value) or MAX_SHEET_NUMBER


SCORES = (
    AnyNumber(
        name="*",
        unit="number",
        says=(
            "any name of at most 32 letters, digits and hyphens, like hp or gold (but not max, roll,"
            " refill, or words of dice notation like d20 or kh)"
        ),
        least=-MAX_SHEET_NUMBER,
        most="*.max",
        shown_at_zero=True,
        may_be_given=True,
    ),
    AnyNumber(name="*.max", unit="maximum", says="the maximum of a number, like hp.max"),
)


class AnyRoll(MarkSpec):
    """A roll with any name that is not reserved."""

    def allows(self, own: str) -> bool:
        """Return True for every name that `is_free_name` allows."""
        return is_free_name(own)


class AnyWord(MarkSpec):
    """A text with any name that is not reserved."""

    def allows(self, own: str) -> bool:
        """Return True for every name that `is_free_name` allows."""
        return is_free_name(own)


def read_sheet_text(value: str) -> CommittedText:
    """Read a text for a sheet.

    Raise `BadInput` for a number, such as `12` or `9/12`. A number is a score, not a text.
    """
    if re.fullmatch(r"[-+]?[0-9]+(/[0-9]+)?", value):
        hint = f"To add a number: {Run('adjust', 'WHO', f'NAME={value}', new=True)}"
        raise BadInput(f"{quoted(value)} is a number, not a text.", hint)
    return checked_text("A value", value, LONGEST_NAME)


def roll_text(typed: str) -> str:
    """Read the dice of a roll. Raise `BadInput` for labels and comments, which could not be erased from a sheet."""
    if not {*"[#"}.isdisjoint(typed) or "/*" in typed:
        raise BadInput(
            f"{quoted(typed)} contains a label or a comment.", "Type only dice, numbers and names, like d20+dex."
        )
    return " ".join(typed.split())


def find_on_sheet(table: Table, who: str, name: str) -> object:
    """Return the value with this name on the sheet, such as `roll.stealth`; None for a reserved or unknown name."""
    return table.find(who, name) if is_free_name(name.removeprefix("roll.")) else None


def find_number(table: Table, who: str, typed: str) -> int | None:
    """Return the number with this name on the sheet, `None` if the sheet has none."""
    value = table.find(who, game.number_name(typed))
    return value if isinstance(value, int) else None


def roll_of(table: Table, who: str, text: str) -> game.SheetRoll:
    """Return the roll that a text describes. Raise `NotOnSheet` for a name that is not on the sheet."""

    text = game.with_number_names(text)

    try:
        return game.read_roll(text, lambda word: find_number(table, who, word))
    except game.NotRead as wrong:
        if not wrong.word and find_number(table, who, text) is not None:
            hint = f"Type dice before it: d20+{text}"
            raise Refused(f"{quoted(text)} is a number on the sheet of {who}, not a roll.", hint) from None
        if not wrong.word:
            raise
        name = game.number_name(wrong.word).removeprefix("roll.")
        stored = table.find(who, f"roll.{name}")
        if isinstance(stored, str) or "roll." in wrong.word.lower():
            hint = (
                f"Instead of {name}, type its dice: {stored}" if stored else "Type only dice and numbers, like d20+dex."
            )
            raise Refused(f"The roll {name} cannot be used inside {quoted(text)}.", hint) from None
        hint = (
            f"{table.suggest(who, name, '')}To store a roll: {Run('set', who, f'roll.{name}=DICE')}. To add a number:"
            f" {Run('adjust', who, f'{name}=N', new=True)}"
        )
        says = f"{who} has no roll and no number called {quoted(wrong.word)}."
        raise NotOnSheet(says, hint, lacks=wrong.word) from None


def refill_names(typed: str) -> tuple[str, ...]:
    """Read the names of numbers, with commas between them, or `none`."""
    return () if typed == "none" else read_handles(typed, _number_name)


def _number_name(typed: str) -> str:
    name = game.number_name(typed)
    return name if is_free_name(name) else read_handle(name)


def check_refill(table: Table, who: str, value: Sequence[str]) -> None:
    """Raise `Refused` if a name in the refill list (`value`) has no maximum on the sheet."""
    for name in value:
        if not table.score(who, f"{name}.max"):
            hint = f"To set a maximum: {Run('adjust', who, f'{name}.max=N')}"
            raise Refused(f"{who} has no maximum for {name}.", hint)


MARKS = (
    MarkSpec(
        name="refill",
        says="the numbers that a rest sets to their maximum, like hp,slots",
        read=refill_names,
        check=check_refill,
    ),
    AnyWord(name="*", says="one word or a few words, like class=Rogue", read=read_sheet_text),
    AnyRoll(name="roll.*", says="a roll by name, like roll.stealth=d20+5", read=roll_text, check=roll_of),
)

AT_LEAST, AT_MOST = "at-least", "at-most"

SETTINGS = (
    Setting(
        name="success",
        says="which totals succeed: at-least (the number or more), or at-most (the number or less)",
        default=AT_LEAST,
        read=one_of((AT_LEAST, AT_MOST)),
    ),
)


def rows(sheet: SheetView) -> Sequence[Row]:
    """Describe the numbers in the order of their names. A number with a maximum is shown as `hp 9/12`."""
    names = sorted({name.removesuffix(".max") for name in sheet.scores})
    return [_number_row(name, sheet.score(name), sheet.score(f"{name}.max")) for name in names]


def _number_row(name: str, value: int, most: int) -> Row:
    text = with_minus_sign(value)
    return Row(label=name, value=f"{text}/{most}" if most else text, shows=(name, f"{name}.max"))
