"""A roll of dice notation that uses numbers from a sheet, such as `d20+dex`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ledger.errors import BadInput, quoted
from ledger.rules.counting import Counted, NotationPool, check_values, count, pool_of
from ledger.rules.cursor import NotRead
from ledger.rules.expressions import Notation
from ledger.rules.notation import read_notation
from ledger.rules.spelling import IN_WORD, WORD_PATTERN, number_name
from ledger.values import Struct

FindNumber = Callable[[str], int | None]
"""A function that takes a name, and returns the number with this name from a sheet, or `None` without one."""


LEADING_NAME_PATTERN = re.compile(rf"[^\W\d](?:-|{IN_WORD})*")
"""A pattern for the name of a roll, such as `stealth` or `Schläge`. The end may be a number to subtract: `axe-2`."""

AFTER_NAME_PATTERN = re.compile(r"| *[-+*/\u2212].*| +[a-z].*", re.IGNORECASE)
"""A pattern for what may follow the name of a roll: ` adv`, `+d4`, `-2`, `*2`."""


def with_stored(text: str, find: Callable[[str], Any]) -> str:
    """Replace the name of a roll at the start of a text with this roll's dice from the sheet.

    `find` takes a name such as `roll.stealth` (a roll) or `dex` (a number), and returns its value on the sheet.
    If several names fit, use the longest. Raise `BadInput` for a name that could be a roll or a number.
    """
    start = LEADING_NAME_PATTERN.match(text)
    words = start[0].split("-") if start else []
    for length in range(len(words), 0, -1):
        typed = "-".join(words[:length])
        name, changed = number_name(typed), text[len(typed) :]
        stored = find(f"roll.{name}") if AFTER_NAME_PATTERN.fullmatch(changed) else None
        if isinstance(stored, str):
            if "d" in changed and find(name) is not None:
                roll = f"{stored}{changed}"
                hint = f"To use the roll, type {roll}. To use the number, type the dice before it."
                raise BadInput(f"In {quoted(text)}, {name} could be the roll {name} or the number {name}.", hint)
            return f"({stored}){changed}" if changed.lstrip().startswith(("*", "/")) else f"{stored}{changed}"
        if length > 1 and find(name) is not None:
            break
    return text


def with_number_names(text: str) -> str:
    """Return a roll's text with names as written on sheets. A text with a label or a comment stays unchanged."""
    is_plain = text.isascii() or any(start in text for start in ("[", "#", "/*"))
    return text if is_plain else re.sub(WORD_PATTERN, lambda word: number_name(word[0]), text)


class SheetRoll(Struct):
    """A parsed roll, and the value of each sheet number that the roll names."""

    notation: Notation
    values: Mapping[str, int]

    @property
    def pool(self) -> NotationPool:
        """The dice to roll first. Rerolls and explosions add more dice later."""
        return pool_of(self.notation)

    def count(self, faces: Sequence[int]) -> Counted:
        """Count the roll. `faces` has all dice in the order rolled."""
        return count(self.notation, faces, self.values)

    def totals(self) -> tuple[Mapping[int, int], int]:
        """Return the weight of each total, the lowest total first, and a divisor.

        A weight divided by the divisor is the probability of its total. Raise `Refused` if the weights cannot be worked
        out in about a second.
        """
        from ledger.rules.distribution import distribution  # only odds need it

        chances = distribution(self.notation, self.values)
        return {int(total): ways for total, ways in chances.ways.items() if ways}, chances.of


def read_roll(text: str, find: FindNumber) -> SheetRoll:
    """Parse a single roll, and use `find` to look up the sheet numbers that the roll names.

    Raise `NotRead` if a part is not understood. The error's `word` is the name that the sheet lacks, if any. Raise
    `BadInput` for several rolls, and for a roll that fails `check_values`.
    """
    values: dict[str, int] = {}
    while True:
        try:
            notation = read_notation(text, values)
        except NotRead as wrong:
            known = {word: find(word) for word in _words_from(text.lower(), wrong.word) if word not in values}
            found = {word: value for word, value in known.items() if value is not None}
            if not found:
                raise
            values |= found
            continue
        if notation.times != 1:
            raise BadInput(f"{quoted(text)} is {notation.times} rolls, but only one roll fits here.")
        check_values(notation, values)
        return SheetRoll(notation=notation, values={word: values[word] for word in notation.scores()})


def _words_from(text: str, word: str) -> Iterator[str]:
    """Yield the possible names in the parts of a text that start with `word`.

    A hyphen can be part of a name, or a minus sign between two names. For the word `dex` and a text with `dex-save`,
    yield `dex`, `dex-save` and `save`.
    """
    for match in re.finditer(rf"(?<!\w){re.escape(word.lower())}[\w.-]*", text) if word else ():
        parts = match[0].split("-")
        places = range(len(parts) + 1)
        yield from ("-".join(parts[start:end]) for start in places for end in places[start + 1 :])
