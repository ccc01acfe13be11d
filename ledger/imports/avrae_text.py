"""The results that Avrae's dice engine prints: `2d20kh1 (14, ~~6~~) + 5 = `19``.

- A number in parentheses is a die. `~~` strikes out what does not count, and `**` only decorates the lowest and the
  highest face. `6!` has exploded, and `2 -> 3` was changed from 2 to 3. A text in brackets is a label.
- A command for one roll prints the total in a line of its own: `**Total**: 19`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from operator import add, eq, floordiv, ge, gt, le, lt, mod, mul, ne, sub, truediv
from typing import NamedTuple

from ledger.imports.formulas import ParsedRoll, ShownDie, roll_as_shown
from ledger.imports.log_records import LONGEST_NUMBER

MOST_STARTS = 50
"""The maximum number of places that are tried as the start of a roll."""

DEEPEST_NESTING = 20
"""The maximum depth of parentheses."""

PERCENT_DIE_SIDES = 0
"""The stored sides of a `d%`. It shows 0, 10, and so on up to 90, so no ordinary die fits."""

STRIKETHROUGH = "~~"
DROPPED = "dropped"

_TOTAL_PATTERN = re.compile(r"\n\*\*Total(?::\*\*|\*\*:) (-?[0-9]{1,40})")
_CLAIMED_TOTAL_PATTERN = re.compile(r" = `(-?[0-9]{1,40})`")
_ROLL_START_PATTERN = re.compile(r"(?<![^\s(:*])[-+(~0-9]")
_LABEL_PATTERN = re.compile(r"\*\*([^*\n]+?)(?::\*\*|\*\*:) *$")
_DICE_PATTERN = re.compile(r"([0-9]{1,4})d([0-9]{1,4}|%)(?:(?:rr|ro|ra|e|mi|ma|k|p)[lh<>]?[0-9]{1,4})*")
_FACE_PATTERN = re.compile(r"([0-9]{1,4})(?: -> ([0-9]{1,4}))*!?")
_NUMBER_PATTERN = re.compile(r"[0-9]{1,40}(?:\.[0-9]{1,40})?")
_COMMENTS_PATTERN = re.compile(r"(?: *\[[^\]\n]*\])*")
_SIGNS_PATTERN = re.compile(r"[+-]*")
_OPEN_PATTERN, _COMMA_PATTERN = re.compile(r"\("), re.compile(r", ?")
_CLOSE_PATTERN = re.compile(r"\)(?:[kp][lh<>]?[0-9]{1,4})*")

Operation = Callable[[Fraction, Fraction], Fraction | int | bool]
_OPERATORS_BY_LEVEL: tuple[tuple[re.Pattern[str], Mapping[str, Operation]], ...] = (
    (re.compile(r" (==|>=|<=|!=|<|>) "), {"==": eq, ">=": ge, "<=": le, "!=": ne, "<": lt, ">": gt}),
    (re.compile(r" ([+-]) "), {"+": add, "-": sub}),
    (re.compile(r" (\*|//|/|%) "), {"*": mul, "//": floordiv, "/": truediv, "%": mod}),
)
"""The operators in groups with the same precedence. The group that is applied last comes first."""


class PrintedRoll(NamedTuple):
    """A roll that a text claims, with the label before it."""

    label: str
    total: str
    roll: ParsedRoll


def printed_rolls(text: str) -> Iterator[PrintedRoll]:
    """Yield the rolls in a text. A total without dice is not a roll."""
    text, done = _TOTAL_PATTERN.sub(r" = `\1`", text), 0
    for end in _CLAIMED_TOTAL_PATTERN.finditer(text):
        line = text[max(done, text.rfind("\n", 0, end.start()) + 1) : end.start()]
        done = end.end()
        if dice := _DICE_PATTERN.search(line):
            yield _printed_roll(line, dice.start(), int(end[1]))


def _printed_roll(line: str, first_dice: int, total: int) -> PrintedRoll:
    """Return the roll at the end of a line. If it may start at several places, prefer the start that gives `total`.

    `first_dice` is the place of the first dice in the line.
    """
    starts = [found.start() for found in _ROLL_START_PATTERN.finditer(line, 0, first_dice + 1)][-MOST_STARTS:]
    readings = [each for each in (_Reading(line, start) for start in starts) if each.is_readable]
    reading = next((each for each in readings if each.total == total), readings[0] if readings else None)
    label = _LABEL_PATTERN.search(line[: reading.start if reading else first_dice])
    roll = (
        roll_as_shown(reading.formula, reading.dice)._replace(comes_to=reading.comes_to)
        if reading
        else ParsedRoll("", (), None, line[first_dice:])
    )
    return PrintedRoll(label[1] if label else "", str(total), roll)


class _NotARoll(Exception):
    """The error for a text that is not a roll of the dice engine."""


class _Reading:
    """The part of a line from `start` to the end, read as one roll. `total` is rounded toward 0, as in Avrae."""

    def __init__(self, line: str, start: int) -> None:
        self.start = start
        self.dice: list[ShownDie] = []
        self.total = 0
        self._line, self._at = line, start
        self._formula: list[str] = []
        self._depth, self._is_struck = 0, False
        try:
            value = self._value(0)
            self.is_readable = self._at == len(line)
            self.total = int(value)
        except (_NotARoll, ZeroDivisionError):
            self.is_readable = False

    @property
    def comes_to(self) -> str | None:
        # Python does not write a number of more than 4,300 digits.
        return str(self.total) if abs(self.total) < 10**LONGEST_NUMBER else None

    @property
    def formula(self) -> str:
        return "".join(self._formula)

    def _read_match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read a match at the current place, and add it to the formula. Return None if nothing matches."""
        if found := pattern.match(self._line, self._at):
            self._at = found.end()
            self._formula.append(found[0])
        return found

    def _skip_text(self, text: str) -> bool:
        """Move past a text if it is next, without adding it to the formula. Return True if it was next."""
        is_next = self._line.startswith(text, self._at)
        self._at += len(text) * is_next
        return is_next

    def _value(self, level: int) -> Fraction:
        if level == len(_OPERATORS_BY_LEVEL):
            signs = self._read_match(_SIGNS_PATTERN)
            return self._part() * (-1 if signs and signs[0].count("-") % 2 else 1)
        pattern, operations = _OPERATORS_BY_LEVEL[level]
        value = self._value(level + 1)
        while found := self._read_match(pattern):
            value = Fraction(operations[found[1]](value, self._value(level + 1)))
        return value

    def _part(self) -> Fraction:
        if self._read_match(_OPEN_PATTERN):
            value = self._sum_of_items()
        elif term := self._read_match(_DICE_PATTERN):
            value = Fraction(self._sum_of_faces(PERCENT_DIE_SIDES if term[2] == "%" else int(term[2])))
        elif number := self._read_match(_NUMBER_PATTERN):
            value = Fraction(number[0])
        else:
            raise _NotARoll
        self._read_match(_COMMENTS_PATTERN)
        return value

    def _sum_of_items(self) -> Fraction:
        """Read the rest of a set after `(`. Return the sum of its items. Items that are struck out do not count."""
        self._depth += 1
        if self._depth > DEEPEST_NESTING:
            raise _NotARoll
        total = self._item()
        while self._read_match(_COMMA_PATTERN):
            if self._line.startswith(")", self._at):  # a set of one item
                break
            total += self._item()
        if not self._read_match(_CLOSE_PATTERN):
            raise _NotARoll
        self._depth -= 1
        return total

    def _item(self) -> Fraction:
        if not self._skip_text(STRIKETHROUGH):
            return self._value(0)
        if self._is_struck:
            raise _NotARoll
        self._is_struck = True
        self._value(0)
        self._is_struck = False
        if not self._skip_text(STRIKETHROUGH):
            raise _NotARoll
        return Fraction(0)

    def _sum_of_faces(self, sides: int) -> int:
        """Read the faces of dice, and add the dice to `dice`. Return the sum of the faces that are not struck out."""
        if not self._skip_text(" ("):
            raise _NotARoll
        total, is_struck = 0, False
        while not self._skip_text(")"):
            if not self._is_struck and self._skip_text(STRIKETHROUGH):
                is_struck = not is_struck
            elif found := _FACE_PATTERN.match(self._line, self._at):
                self._at = found.end()
                self.dice.append(ShownDie(sides, int(found[1]), DROPPED if is_struck or self._is_struck else None))
                total += 0 if is_struck else int(found[2] or found[1])
            elif not (self._skip_text("**") or self._skip_text(", ")):
                raise _NotARoll
        return total
