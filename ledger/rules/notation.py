"""Notation: what players type for dice, read into terms, and what a throw of them counts for.

A pool is terms joined by + and -: a whole number, or dice `NdS` with perhaps what is kept or dropped of them:
`kh2` keeps the two highest, `kl` the lowest one, `dh` drops the highest one, `dl2` the two lowest. `d%` is `d100`.
"""

import re
from collections.abc import Sequence

from ledger.errors import BadInput
from ledger.rules.dice import LEAST_SIDES, MOST_DICE, MOST_SIDES, PERCENTILE, Pool
from ledger.values import Struct

_TERM = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<count>[0-9]*)d(?P<sides>[0-9]+|%)(?:(?P<keep>kh|kl|dh|dl)(?P<of>[0-9]*))?|(?P<flat>[0-9]+))"
)
_MOST_DIGITS = 9
LONGEST = 200
_HINT = "Type dice like 3d6+2, 4d6kh3, 2d20kl1 or d%."


class Term(Struct):
    """One term: dice (with `sides`) of which some are kept, or a flat number (`sides` 0)."""

    sign: int
    count: int
    sides: int
    keep: str = ""
    of: int = 0

    def dropped(self, faces: Sequence[int]) -> frozenset[int]:
        """The places of the dice that do not count. Of equal dice the one thrown first goes."""
        lowest_first = sorted(range(len(faces)), key=lambda place: (faces[place], place))
        highest_first = sorted(range(len(faces)), key=lambda place: (-faces[place], place))
        match self.keep:
            case "kh":
                going = lowest_first[: len(faces) - self.of]
            case "kl":
                going = highest_first[: len(faces) - self.of]
            case "dl":
                going = lowest_first[: self.of]
            case "dh":
                going = highest_first[: self.of]
            case _:
                going = []
        return frozenset(going)


class Count(Struct):
    """What a throw counts for: why each die was dropped (empty where it is kept), the addends, and their sum."""

    dropped: tuple[str, ...]
    addends: tuple[int, ...]
    total: int


class Notation(Struct):
    """A pool as typed, read."""

    text: str
    terms: tuple[Term, ...]

    @property
    def pool(self) -> Pool:
        """The dice to throw, in the order typed."""
        return Pool(sides=tuple(term.sides for term in self.terms if term.sides for _ in range(term.count)))

    def count(self, faces: Sequence[int]) -> Count:
        """Count a throw of the pool; a dropped die has a place in the answer and no share in the sum."""
        left = list(faces)
        why: list[str] = []
        addends: list[int] = []
        for term in self.terms:
            if not term.sides:
                addends.append(term.sign * term.count)
                continue
            shown, left = left[: term.count], left[term.count :]
            gone = term.dropped(shown)
            why += [f"{term.keep}{term.of}" if place in gone else "" for place in range(term.count)]
            addends += [term.sign * face for place, face in enumerate(shown) if place not in gone]
        return Count(dropped=tuple(why), addends=tuple(addends), total=sum(addends))


def read(text: str) -> Notation:
    """Read a pool as typed; refuses (`BadInput`) what is no dice, or more dice than a table holds."""
    typed = "".join(text.split(" ")).lower()
    if len(typed) > LONGEST:
        raise BadInput(f"A pool of dice has at most {LONGEST} characters; this one has {len(typed):,}.")
    terms: list[Term] = []
    place = 0
    while place < len(typed):
        found = _TERM.match(typed, place)
        if found is None or (terms and not found["sign"]) or any(len(d) > _MOST_DIGITS for d in _digits(found)):
            raise BadInput(f"{text!r} is no pool of dice.", _HINT)
        terms.append(_term(found))
        place = found.end()
    notation = Notation(text=typed, terms=tuple(terms))
    if not any(term.sides for term in terms):
        raise BadInput(f"{text!r} throws no dice.", _HINT)
    if len(notation.pool.sides) > MOST_DICE:
        raise BadInput(f"{text!r} is more than {MOST_DICE} dice.")
    return notation


def _digits(found: "re.Match[str]") -> list[str]:
    return [text for name in ("count", "sides", "of", "flat") if (text := found[name])]


def _term(found: "re.Match[str]") -> Term:
    sign = -1 if found["sign"] == "-" else 1
    if found["flat"]:
        return Term(sign=sign, count=int(found["flat"]), sides=0)
    count = int(found["count"] or 1)
    sides = PERCENTILE if found["sides"] == "%" else int(found["sides"])
    if not (1 <= count <= MOST_DICE and LEAST_SIDES <= sides <= MOST_SIDES):
        raise BadInput(f"{found[0]!r} is not 1 to {MOST_DICE} dice of {LEAST_SIDES} to {MOST_SIDES} sides.")
    of = int(found["of"] or 1) if found["keep"] else 0
    if found["keep"] and not 1 <= of <= count:
        raise BadInput(f"{found[0]!r} keeps or drops {of} of {count} dice.", _HINT)
    return Term(sign=sign, count=count, sides=sides, keep=found["keep"] or "", of=of)
