"""Audit checks of Multicheck: choices that were made too early, and points that were spent wrongly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.rules import Entry, InForce, entries_in_force, events
from ledger.systems.multicheck import consequences
from ledger.systems.multicheck.moves_d100 import Test

SPENDING_INPUTS = {consequences.PS_SPENT.name: ("ps", "after"), consequences.PK_SPENT.name: ("reroll",)}
"""For each kind of consequence that spends a point, the inputs that cause it."""


def after_the_test(entries: Sequence[Entry], is_in_force: InForce) -> Iterator[tuple[int, str]]:
    """Find inputs that were used before the roll but are allowed only afterward (MUL-10, MUL-11)."""
    for entry in entries_in_force(entries, is_in_force):
        match entry.event:
            case events.MovePlayed(who=who, inputs=inputs) if entry.since == entry.seq:
                for name in Test.offered:
                    if inputs.get(name):
                        yield (
                            entry.seq,
                            f"{who} used --{name} before the roll. It is possible only after the roll (MUL-11).",
                        )


def points_paid(entries: Sequence[Entry], is_in_force: InForce) -> Iterator[tuple[int, str]]:
    """Find moves that spent more or fewer points than their inputs say (MUL-10, MUL-11)."""
    standing = entries_in_force(entries, is_in_force)
    paid: dict[tuple[int | None, str], int] = {}
    for entry in standing:
        match entry.event:
            case events.Consequence(kind=kind, postings=postings) if kind in SPENDING_INPUTS:
                amount = -sum(posting.amount for posting in postings)
                paid[entry.cause, kind] = paid.get((entry.cause, kind), 0) + amount
    for entry in standing:
        match entry.event:
            case events.MoveEvent(who=who, inputs=inputs):
                for kind, names in SPENDING_INPUTS.items():
                    declared = sum(bool(inputs.get(name)) for name in names)
                    points = paid.get((entry.seq, kind), 0)
                    if points != declared:
                        point = kind.removesuffix("-spent").upper()
                        yield entry.seq, f"{who} paid {points} {point}, but this move should cost {declared} (MUL-10)."


CHECKS = (after_the_test, points_paid)
