"""The parts of dice notation: numbers, scores, dice, operations, parentheses and function calls."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from fractions import Fraction

from ledger.rules.modifiers import Modifier
from ledger.values import Struct

FATE_SIDES = 3
"""The number of sides of a Fate die. The face 1 counts as −1, 2 as 0, and 3 as +1."""

FATE_BLANK = 2

_DICE_OR_NUMBER_PATTERN = re.compile(r"\d+|\d*d(\d+|%|f)")
RARE_FATE = 6
"""The number of sides of the Fate die `dF.1`. The face 1 counts as −1, 6 as +1, and the others as 0."""


class NumberTerm(Struct):
    """A number in dice notation, as an exact fraction."""

    value: Fraction


class ScoreTerm(Struct):
    """The value of a score on the sheet of the character who rolls."""

    name: str


class DiceTerm(Struct):
    """Dice of one kind, such as `4d6kh3`. With `fate`, they are Fate dice, whose faces count −1, 0 and +1."""

    count: int
    sides: int
    fate: bool = False
    modifiers: tuple[Modifier, ...] = ()

    @property
    def values(self) -> list[int]:
        """The number that each face counts as, the face 1 first."""
        return [self.value(face) for face in range(1, self.sides + 1)]

    def value(self, face: int) -> int:
        """Return the number that a face counts as."""
        if not self.fate:
            return face
        return face - 2 if self.sides == FATE_SIDES else (face == RARE_FATE) - (face == 1)


class Negation(Struct):
    """An expression with a minus sign before it."""

    of: Expression


class Operation(Struct):
    """Two expressions with an operator between them. `text` is the operation as typed."""

    sign: str
    left: Expression
    right: Expression
    text: str


class Parentheses(Struct):
    """Expressions whose values are added. Modifiers drop whole expressions, or the dice of a single expression."""

    of: tuple[Expression, ...]
    modifiers: tuple[Modifier, ...] = ()


class FunctionCall(Struct):
    """A function of the values of expressions. `text` is the call as typed."""

    name: str
    of: tuple[Expression, ...]
    text: str


Expression = NumberTerm | ScoreTerm | DiceTerm | Negation | Operation | Parentheses | FunctionCall


class Notation(Struct):
    """Parsed dice notation, which is rolled `times` times.

    `text` is a single roll as typed. `labels` has the label of each term of the sum, or "" for a term without one.
    """

    text: str
    times: int
    of: Expression
    labels: tuple[str, ...]

    def scores(self) -> list[str]:
        """Return the names of the scores in the text, in order."""
        return [part.name for part in subexpressions(self.of) if isinstance(part, ScoreTerm)]


def subexpressions(of: Expression) -> Iterator[Expression]:
    """Yield an expression and all expressions in it, in the order typed."""
    yield of
    match of:
        case Negation(of=inside):
            yield from subexpressions(inside)
        case Operation(left=left, right=right):
            yield from (*subexpressions(left), *subexpressions(right))
        case Parentheses(of=several) | FunctionCall(of=several):
            for one in several:
                yield from subexpressions(one)


def sum_terms(of: Expression) -> list[tuple[int, Expression]]:
    """Return the terms of a sum, each with 1, or with -1 if it is subtracted."""
    if isinstance(of, Operation) and of.sign in {"+", "-"}:
        return [*sum_terms(of.left), (1 if of.sign == "+" else -1, of.right)]
    return [(1, of)]


def last_term(of: Expression) -> Expression:
    """Return the last term or factor of an expression."""
    return last_term(of.right) if isinstance(of, Operation) else of


def with_replaced_term(of: Expression, term: Expression, other: Expression) -> Expression:
    """Return the sum `of` with `other` in place of one of its terms (`term`)."""
    if isinstance(of, Operation) and of.sign in {"+", "-"}:
        return of.replace(
            left=with_replaced_term(of.left, term, other), right=with_replaced_term(of.right, term, other)
        )
    return other if of == term else of


def keeps_or_drops(of: Expression) -> bool:
    """Return True for an expression that keeps or drops dice or values."""
    return isinstance(of, DiceTerm | Parentheses) and any(one.does in {"keep", "drop"} for one in of.modifiers)


def score_words(full: str) -> list[str]:
    """Return the names that dice notation can use for one score: `edge/skill.stealth`, `skill.stealth`, `stealth`.

    `max` alone never stands for a maximum such as `hp.max`, because `max` is a function in dice notation.
    """
    name = full.partition("/")[2]
    last = name if name.endswith(".max") else name.rpartition(".")[2]
    return [*dict.fromkeys((full, name, last))]


def minus_reading(name: str, scores: Collection[str]) -> tuple[str, str] | None:
    """Split the name of a score that could also be read as a subtraction.

    Return the two parts, or `None` if the name has only one reading. For example, `str-2` could mean `str` minus 2
    if there is also a score `str`. A full name such as `edge/str-2` has only one reading.
    """
    for shorter in () if "/" in name else scores:
        rest = name.removeprefix(f"{shorter}-")
        terms_of_rest = [rest] if rest in scores else rest.split("-")
        if rest != name and all(word in scores or _DICE_OR_NUMBER_PATTERN.fullmatch(word) for word in terms_of_rest):
            return shorter, rest
    return None
