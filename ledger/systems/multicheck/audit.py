"""Checks of Multicheck for the audit: what is spent after a test comes after it, and once."""

from collections.abc import Iterator, Sequence

from ledger.rules import Consequence, Entry, MoveEvent, MovePlayed, Stands, in_place
from ledger.systems.multicheck import consequences
from ledger.systems.multicheck.moves_d100 import Test

SPENT = {consequences.PS_SPENT.name: ("ps", "after"), consequences.PK_SPENT.name: ("reroll",)}
"""The inputs that say that a point is spent, by what follows."""


def after_the_test(entries: Sequence[Entry], stands: Stands) -> Iterator[tuple[int, str]]:
    """Find what was chosen after a test before there was one: it takes the place of a ruling (MUL-10, MUL-11)."""
    for entry in in_place(entries, stands):
        match entry.event:
            case MovePlayed(who=who, inputs=inputs) if entry.since == entry.seq:
                for name in Test.offered:
                    if inputs.get(name):
                        yield entry.seq, f"{who} chose --{name} of a test that was not there yet (MUL-11)."


def points_paid(entries: Sequence[Entry], stands: Stands) -> Iterator[tuple[int, str]]:
    """Find points that were paid otherwise than was said (MUL-10, MUL-11)."""
    standing = in_place(entries, stands)
    paid: dict[tuple[int | None, str], int] = {}
    for entry in standing:
        match entry.event:
            case Consequence(kind=kind, postings=postings) if kind in SPENT:
                amount = -sum(posting.amount for posting in postings)
                paid[entry.cause, kind] = paid.get((entry.cause, kind), 0) + amount
    for entry in standing:
        match entry.event:
            case MoveEvent(who=who, inputs=inputs):
                for kind, names in SPENT.items():
                    said = sum(bool(inputs.get(name)) for name in names)
                    points = paid.get((entry.seq, kind), 0)
                    if points != said:
                        point = kind.removesuffix("-spent")
                        yield entry.seq, f"{who} paid {points} {point} where {said} was said (MUL-10)."


CHECKS = (after_the_test, points_paid)
