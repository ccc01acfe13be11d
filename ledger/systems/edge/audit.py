"""Audit checks of Edge: wrong costs, inputs used before the roll, and burns that do not name the prevented death."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ledger.rules import Entry, GameCheck, events, read_as
from ledger.systems.edge import consequences
from ledger.systems.edge.moves_fights import Attack


class CostsCheck(GameCheck):
    """A check that each move spends as much edge as it declares (EDG-04, EDG-15)."""

    def check(self, entries: Sequence[Entry], struck: Sequence[Entry]) -> Iterator[tuple[int, str]]:
        spent: Counter[int | None] = Counter()
        for entry in entries:
            match entry.event:
                case events.Consequence(kind=consequences.EDGE_SPENT.name, postings=postings):
                    spent[entry.cause] -= sum(posting.amount for posting in postings)
        for entry in entries:
            match entry.event:
                case events.MoveEvent() as event if spent[entry.seq] != (declared := _declared_edge(event)):
                    paid = spent[entry.seq]
                    yield entry.seq, f"{event.who} spent {paid} edge, but this move should cost {declared} (EDG-15)."


def _declared_edge(event: events.MoveEvent) -> int:
    inputs = event.inputs
    if event.move == Attack.name() or (isinstance(event, events.MovePlayed) and event.answers):
        return 0
    before_and_after = (read_as(int, inputs.get(name) or 0) for name in ("edge", "boost"))
    return sum(map(int, before_and_after)) + int(bool(inputs.get("drop_instead")))


class EarlyInputsCheck(GameCheck):
    """A check for inputs that were used before the roll but are allowed only afterward (EDG-04, EDG-09)."""

    def check(self, entries: Sequence[Entry], struck: Sequence[Entry]) -> Iterator[tuple[int, str]]:
        for entry in entries:
            match entry.event:
                case events.MovePlayed(who=who, inputs=inputs) if entry.since == entry.seq:
                    for name in ("drop_instead", "boost"):
                        if inputs.get(name):
                            says = (
                                f"{who} spent edge before a roll, but this edge may be spent only after the roll"
                                " (EDG-04)."
                            )
                            yield entry.seq, says


class BurnsCheck(GameCheck):
    """A check for burns of edge that do not say what would have killed the character (EDG-14)."""

    def check(self, entries: Sequence[Entry], struck: Sequence[Entry]) -> Iterator[tuple[int, str]]:
        explained: set[int | None] = set()
        for entry in entries:
            match entry.event:
                case events.MovePlayed(move="burn", inputs=inputs) if inputs.get("against"):
                    explained.add(entry.seq)
                case events.Consequence(kind=consequences.EDGE_BURNED.name, who=who):
                    if entry.cause not in explained:
                        yield (
                            entry.seq,
                            f"{who} burned edge, but the entry does not say what would have killed {who} (EDG-14).",
                        )
                    explained.discard(entry.cause)


CHECKS = (CostsCheck, EarlyInputsCheck, BurnsCheck)
