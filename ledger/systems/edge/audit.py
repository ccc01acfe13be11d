"""Audit checks of Edge: moves spend the edge that was declared, and a burn names the death that it escapes."""

from collections.abc import Iterator, Sequence

from ledger.rules import Consequence, Entry, MoveEvent, MovePlayed, Stands, in_place, read_as
from ledger.systems.edge import consequences


def spent_as_declared(entries: Sequence[Entry], stands: Stands) -> Iterator[tuple[int, str]]:
    """Find rulings and questions that spend another amount of edge than was declared (EDG-04, EDG-15)."""
    standing = in_place(entries, stands)
    spent: dict[int | None, int] = {}
    for entry in standing:
        match entry.event:
            case Consequence(kind=consequences.EDGE_SPENT.name, postings=postings):
                spent[entry.cause] = spent.get(entry.cause, 0) - sum(posting.amount for posting in postings)
    for entry in standing:
        event = entry.event
        if isinstance(event, MoveEvent):
            answers = isinstance(event, MovePlayed) and event.answers
            declared = 0 if answers else int(read_as(int, event.inputs.get("edge") or 0))
            paid = spent.get(entry.seq, 0)
            if paid != declared:
                yield entry.seq, f"{event.who} spent {paid} edge where {declared} was said (EDG-15)."


def burns_against_death(entries: Sequence[Entry], stands: Stands) -> Iterator[tuple[int, str]]:
    """Find burns that name no death (EDG-14). The journal cannot show whether it would have been one."""
    named: set[int | None] = set()
    for entry in in_place(entries, stands):
        match entry.event:
            case MovePlayed(move="burn", inputs=inputs):
                named |= {entry.seq} if inputs.get("against") else set()
            case Consequence(kind=consequences.EDGE_BURNED.name, who=who):
                if entry.cause not in named:
                    yield entry.seq, f"{who} burned edge against no death that is named (EDG-14)."
                named.discard(entry.cause)


CHECKS = (spent_as_declared, burns_against_death)
