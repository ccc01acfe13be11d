"""Audit checks of SySCards: rates and their rolls, the reasons for rates, and raises of an efficiency."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ledger.rules import Entry, GameCheck, Remark, events, read_as, with_texts
from ledger.systems.syscards import consequences

RATE_MARK = "syscards/rate"

EFFICIENCY_PATTERN = re.compile(r"\b(efficiency|efc)\b")

RATE_MOVES = frozenset({"rate", "challenge", "reject", "act"})
"""The moves that set a rate and give a reason for it."""


class RatesCheck(GameCheck):
    """A check for rolls without a declared rate, and for rates that were changed after their roll (SYS-03, SYS-21).

    A rate may be corrected before its roll. A later correction is reported even if the roll is ruled again.
    """

    def __init__(self) -> None:
        # by character, the current rate, the entry that declared it, and the entries and rates declared in its place
        self._current: dict[str, tuple[int, int, list[tuple[int, int]]]] = {}

    def check(self, entries: Sequence[Entry], struck: Sequence[Entry]) -> Iterator[tuple[int, str]]:
        by_seq = {entry.seq: entry for entry in (*entries, *struck)}
        versions: dict[tuple[str, int], list[tuple[int, int]]] = {}
        for entry in by_seq.values():
            source = by_seq.get(entry.cause or 0, entry) if isinstance(entry.event, events.Consequence) else entry
            for who, rate in declared_rates(entry.event).items():
                versions.setdefault((who, source.since), []).append((entry.seq, rate))
        for entry in entries:
            event = entry.event
            values = {mark.who: mark.value for mark in event.marks if mark.name == RATE_MARK}
            match event:
                case events.Consequence(kind=consequences.ACT_THROWN.name, who=who, facts={"rate": rate}) if (
                    who in values
                ):
                    stated, declaration, older = self._current.get(who, (None, entry.seq, []))
                    before = [earlier for seq, earlier in older if seq < entry.since]
                    if stated is None:
                        says = f"{who} rolled against a rate of {rate}, which was not declared (SYS-03)."
                        yield Remark(entry.seq, says)
                    elif declaration > entry.since and stated not in before:
                        yield Remark(declaration, f"The rate of {who} was changed to {stated} after the roll (SYS-21).")
                    elif stated != rate:
                        says = f"{who} rolled against a rate of {rate}, but the declared rate is {stated} (SYS-21)."
                        yield Remark(entry.seq, says)
            for who, value in values.items():
                self._current.pop(who, None)
                if value is not None:
                    source = by_seq.get(entry.cause or entry.seq, entry)
                    self._current[who] = value, source.seq, versions.get((who, source.since), [])


def declared_rates(event: events.Event) -> Mapping[str, int]:
    """Return the rates that an event declares, by character."""
    match event:
        case events.MarksSet():
            return {mark.who: mark.value for mark in event.marks if mark.name == RATE_MARK}
        case events.MovePlayed(move="rate"):
            return {event.who: read_as(int, event.inputs.get("rate"))}
        case events.MovePlayed(move="challenge"):
            return read_as(dict, event.inputs.get("rates"))
        case events.Consequence(kind=consequences.RATE_DECLARED.name):
            return {event.who: read_as(int, event.facts.get("rate"))}
    return {}


class ReasonsCheck(GameCheck):
    """A check for rates whose reason mentions an efficiency (SYS-21). It skips erased reasons."""

    def check(self, entries: Sequence[Entry], struck: Sequence[Entry]) -> Iterator[tuple[int, str]]:
        for entry in entries:
            event = entry.event
            match event:
                case events.MovePlayed(move=move) if move in RATE_MOVES:
                    why = with_texts(event.inputs.get("why"))
                case events.MarksSet() if declared_rates(event):
                    why = with_texts(event.why)
                case _:
                    continue
            if isinstance(why, str) and EFFICIENCY_PATTERN.search(why.casefold()):
                says = (
                    f"The reason for {event.who}'s rate mentions an efficiency, but an efficiency never changes a rate"
                    " (SYS-21)."
                )
                yield Remark(entry.seq, says)


class RaisesCheck(GameCheck):
    """A check for raises of an efficiency without a matching roll (SYS-09).

    A roll matches a raise if both are in one ruling, belong to one card, and name the same natural roll.
    """

    def check(self, entries: Sequence[Entry], struck: Sequence[Entry]) -> Iterator[tuple[int, str]]:
        natural_rolls: dict[tuple[int | None, str], int] = {}
        for entry in entries:
            match entry.event:
                case events.Consequence(kind=consequences.ACT_THROWN.name, who=who, facts=facts):
                    natural_rolls[entry.cause, who] = read_as(int, facts.get("natural"))
                case events.Consequence(kind=consequences.RAISE_THROWN.name, who=who, facts=facts):
                    if natural_rolls.pop((entry.cause, who), None) != facts.get("natural"):
                        yield entry.seq, f"The efficiency of {who} was raised without a roll (SYS-09)."


CHECKS = (RatesCheck, ReasonsCheck, RaisesCheck)
