"""Rulings: what the rules answer to a move, with the headline, the working, and the consequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ledger.events.commitments import Secret
from ledger.events.facts import Step, Verdict
from ledger.values import Struct

Flow = Literal["in", "out", "within"]


class Kind(Struct):
    """A kind of consequence: a name in the past tense, one line, and which way its postings may go.

    Flow `in`: the postings of a unit are 0 or more; `out`: 0 or less; `within`: they sum to 0. Tallies are exempt.
    With `in_steps`, the line and the working of the ruling show all its facts, so `show` does not list them again.
    """

    name: str
    says: str
    rule: str
    flow: Flow = "within"
    in_steps: bool = False

    def of(
        self,
        who: str,
        scores: Mapping[str, int] | None = None,
        *,
        marks: Mapping[str, Any] | None = None,
        **facts: int | str | bool,
    ) -> Effect:
        """A consequence for a character."""
        return Effect(kind=self, who=who, scores=dict(scores or {}), marks=dict(marks or {}), facts=facts)


class Effect(Struct):
    """A consequence: the changes on one sheet, and facts beside them."""

    kind: Kind
    who: str
    scores: Mapping[str, int]
    marks: Mapping[str, Any]
    facts: Mapping[str, int | str | bool]


class Ruling(Struct):
    """The rules' answer: the headline, the working, why dice do not count (by their place), and the consequences."""

    verdict: Verdict
    steps: tuple[Step, ...] = ()
    dropped: Mapping[int, str]
    consequences: tuple[Effect, ...] = ()


def ruling(
    says: str,
    good: bool | None,
    *steps: Step,
    follows: Sequence[Effect] = (),
    margin: int | Secret | None = None,
    dropped: Mapping[int, str] | None = None,
) -> Ruling:
    """A ruling."""
    verdict = Verdict(says=says, good=good, margin=margin)
    return Ruling(verdict=verdict, steps=steps, dropped=dropped or {}, consequences=tuple(follows))


def total(name: str, *addends: int | Secret, to: int | Secret) -> Step:
    """The line of working of a sum."""
    return Step(name=name, says=" + ".join("{}" for _ in addends) + " = {}", numbers=(*addends, to))
