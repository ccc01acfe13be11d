"""Dice notation such as `4d6kh3+2`: a parser, and the total of a roll.

The terms are joined by + and -. A term is a whole number or dice `NdS`, which may have a suffix: `kh2` keeps the two
highest dice, `kl` keeps the lowest, `dh` drops the highest, `dl2` drops the two lowest. `d%` is `d100`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ledger.errors import MINUS, BadInput
from ledger.rules.dice import D100, LEAST_SIDES, MOST_DICE, MOST_SIDES, Pool
from ledger.values import Struct

_TERM = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<count>[0-9]*)d(?P<sides>[0-9]+|%)(?:(?P<keep>kh|kl|dh|dl)(?P<of>[0-9]*))?|(?P<flat>[0-9]+))"
)
_APART = re.compile(r"(?<=[0-9])\s+(?=[0-9])")
_TOO_LONG = re.compile(r"[0-9]{10}")
LONGEST = 200
_HINT = "Type dice like 3d6+2, 4d6kh3, 2d20kl1 or d%."


class Term(Struct):
    """One term: `count` dice, or the number `count` if `sides` is 0. In `4d6kh3`, `keep` is `kh` and `of` is 3."""

    sign: int
    count: int
    sides: int
    keep: str | None
    of: int

    def dropped(self, faces: Sequence[int]) -> frozenset[int]:
        """Return the indexes of the dropped dice. Of equal dice, those rolled first are dropped first."""
        if self.keep is None:
            return frozenset()
        highest_first = self.keep in {"kl", "dh"}
        places = sorted(range(len(faces)), key=lambda place: -faces[place] if highest_first else faces[place])
        return frozenset(places[: len(faces) - self.of if self.keep.startswith("k") else self.of])


class Counted(Struct):
    """The result of a roll. For each die, `dropped` has "" or the suffix that dropped the die, such as `kh3`."""

    dropped: tuple[str, ...]
    addends: tuple[int, ...]
    total: int


class Notation(Struct):
    """Parsed dice notation. `text` has no spaces and no capital letters."""

    text: str
    terms: tuple[Term, ...]

    @property
    def pool(self) -> Pool:
        """The dice to roll, in the order typed."""
        return Pool(sides=tuple(term.sides for term in self.terms if term.sides for _ in range(term.count)))

    def count(self, faces: Sequence[int]) -> Counted:
        """Add up a roll of the pool, without the dropped dice."""
        rest = list(faces)
        why: list[str] = []
        addends: list[int] = []
        for term in self.terms:
            if not term.sides:
                addends.append(term.sign * term.count)
                continue
            thrown, rest = rest[: term.count], rest[term.count :]
            dropped = term.dropped(thrown)
            why += [f"{term.keep}{term.of}" if place in dropped else "" for place in range(term.count)]
            addends += [term.sign * face for place, face in enumerate(thrown) if place not in dropped]
        return Counted(dropped=tuple(why), addends=tuple(addends), total=sum(addends))


def read_notation(text: str) -> Notation:
    """Parse dice notation. A minus sign and a hyphen mean the same, and `+-` is a minus.

    Raise `BadInput` for any other text, a space between two digits, or more than 100 dice.
    """
    if _APART.search(text):
        raise BadInput(
            f"{text!r} has a space between two digits. Did you mean {_joined(_APART.sub('+', text))}?", _HINT
        )
    typed = _joined(text)
    if len(typed) > LONGEST:
        raise BadInput(f"Dice notation can have at most {LONGEST} characters. You typed {len(typed):,}.")
    terms: list[Term] = []
    place = 0
    while place < len(typed):
        match = _TERM.match(typed, place)
        if match is None or (terms and not match["sign"]) or _TOO_LONG.search(match[0]):
            unread = f": the problem starts at {typed[place:]!r}" if terms else ""
            raise BadInput(f"{text!r} is not valid dice notation{unread}.", _HINT)
        terms.append(_term(match))
        place = match.end()
    notation = Notation(text=typed, terms=tuple(terms))
    if not any(term.sides for term in terms):
        raise BadInput(f"{text!r} has no dice.", _HINT)
    if len(notation.pool.sides) > MOST_DICE:
        raise BadInput(f"{text!r} has more than {MOST_DICE} dice.")
    return notation


def _joined(text: str) -> str:
    return "".join(text.split(" ")).lower().replace(MINUS, "-").replace("+-", "-")


def _term(match: re.Match[str]) -> Term:
    sign = -1 if match["sign"] == "-" else 1
    keep, of = match["keep"], int(match["of"] or 1)
    if match["flat"]:
        return Term(sign=sign, count=int(match["flat"]), sides=0, keep=keep, of=of)
    count = int(match["count"] or 1)
    sides = D100 if match["sides"] == "%" else int(match["sides"])
    if not (1 <= count <= MOST_DICE and LEAST_SIDES <= sides <= MOST_SIDES):
        raise BadInput(f"{match[0]!r} needs 1 to {MOST_DICE} dice with {LEAST_SIDES} to {MOST_SIDES} sides.")
    if keep and not 1 <= of <= count:
        raise BadInput(f"{match[0]!r} must keep or drop 1 to {count} dice, not {of}.", _HINT)
    return Term(sign=sign, count=count, sides=sides, keep=keep, of=of)
