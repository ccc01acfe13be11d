"""Rulings: the answer of the rules to a move, with a verdict, steps that explain it, and consequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ledger.events.commitments import Secret
from ledger.events.facts import Step, Verdict
from ledger.values import Struct

Flow = Literal["in", "out", "within"]


class Kind(Struct):
    """A kind of consequence: a name in the past tense, a description, and a limit on its postings.

    `flow` is the limit:

    - `in`: every posting is 0 or more.
    - `out`: every posting is 0 or less.
    - `within`: for each unit, the postings of all scores with this unit add up to 0.

    The limit does not apply to scores with `tally`. With `in_steps`, the command `show` leaves out the facts,
    because the steps of the ruling show them.
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
        """Make a consequence of this kind for a character. `scores` has the changes, and `marks` the new values."""
        return Effect(kind=self, who=who, scores=dict(scores or {}), marks=dict(marks or {}), facts=facts)


class Effect(Struct):
    """A consequence: changes of scores and marks on one sheet, and facts about these changes."""

    kind: Kind
    who: str
    scores: Mapping[str, int]
    marks: Mapping[str, Any]
    facts: Mapping[str, int | str | bool]


class Ruling(Struct):
    """The rules' answer to a move. `dropped` has the index of each die that does not count, and the reason."""

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
    """Make a ruling with the verdict `says`. `good` is True for a success, False for a failure, None for neither."""
    verdict = Verdict(says=says, good=good, margin=margin)
    return Ruling(verdict=verdict, steps=steps, dropped=dropped or {}, consequences=tuple(follows))


def total(name: str, *addends: int | Secret, to: int | Secret) -> Step:
    """Make a step that shows the addends and their sum, `to`."""
    return Step(name=name, says=" + ".join("{}" for _ in addends) + " = {}", numbers=(*addends, to))
