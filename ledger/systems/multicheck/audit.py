"""Audit checks of Multicheck: choices that were made too early, and points that were spent wrongly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.rules import Entry, GameCheck, events
from ledger.systems.multicheck import consequences
from ledger.systems.multicheck.moves_d100 import Test

SPENDING_INPUTS = {consequences.PS_SPENT.name: ("ps", "after"), consequences.PK_SPENT.name: ("reroll",)}
"""For each kind of consequence that spends a point, the inputs that cause it."""


class EarlyChoicesCheck(GameCheck):
    """A check for inputs that were used before the roll but are allowed only afterward (MUL-10, MUL-11)."""

    def check(self, entries: Sequence[Entry], struck: Sequence[Entry]) -> Iterator[tuple[int, str]]:
        for entry in entries:
            match entry.event:
                case events.MovePlayed(who=who, inputs=inputs) if entry.since == entry.seq:
                    for name in Test.offered:
                        if inputs.get(name):
                            yield (
                                entry.seq,
                                f"{who} used --{name} before the roll. It is possible only after the roll (MUL-11).",
                            )


class PointsCheck(GameCheck):
    """A check that each move spent as many points as its inputs say (MUL-10, MUL-11)."""

    def check(self, entries: Sequence[Entry], struck: Sequence[Entry]) -> Iterator[tuple[int, str]]:
        paid: dict[tuple[int | None, str], int] = {}
        for entry in entries:
            match entry.event:
                case events.Consequence(kind=kind, postings=postings) if kind in SPENDING_INPUTS:
                    amount = -sum(posting.amount for posting in postings)
                    paid[entry.cause, kind] = paid.get((entry.cause, kind), 0) + amount
        for entry in entries:
            match entry.event:
                case events.MoveEvent(who=who, inputs=inputs):
                    for kind, names in SPENDING_INPUTS.items():
                        declared = sum(bool(inputs.get(name)) for name in names)
                        points = paid.get((entry.seq, kind), 0)
                        if points != declared:
                            point = kind.removesuffix("-spent").upper()
                            says = f"{who} paid {points} {point}, but this move should cost {declared} (MUL-10)."
                            yield entry.seq, says


CHECKS = (EarlyChoicesCheck, PointsCheck)
