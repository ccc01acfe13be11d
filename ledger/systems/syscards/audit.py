"""Audit checks of SySCards: rates and their rolls, the reasons for rates, and raises of an efficiency."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ledger.rules import Entry, InForce, Remark, entries_in_force, events, read_as, with_texts
from ledger.systems.syscards import consequences

RATE_MARK = "syscards/rate"

EFFICIENCY_WORDS = re.compile(r"\b(efficiency|efc)\b")

RATE_MOVES = frozenset({"rate", "challenge", "reject", "act"})
"""The moves that set a rate and give a reason for it."""


def rates_declared(entries: Sequence[Entry], is_in_force: InForce) -> Iterator[tuple[int, str]]:
    """Find rolls without a declared rate, and rates that were changed after their roll (SYS-03, SYS-21).

    A rate may be corrected before its roll. A later correction is reported even if the roll is ruled again.
    """
    by_seq = {entry.seq: entry for entry in entries}
    versions: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for entry in entries:
        source = by_seq.get(entry.cause or 0, entry) if isinstance(entry.event, events.Consequence) else entry
        for who, rate in declared(entry.event).items():
            versions.setdefault((who, source.since), []).append((entry.seq, rate))
    current: dict[str, tuple[Entry, int]] = {}
    for entry in entries_in_force(entries, is_in_force):
        event = entry.event
        values = {mark.who: mark.value for mark in event.marks if mark.name == RATE_MARK}
        match event:
            case events.Consequence(kind=consequences.ACT_THROWN.name, who=who, facts={"rate": rate}) if who in values:
                source, stated = current.get(who, (entry, None))
                before = [earlier for seq, earlier in versions.get((who, source.since), []) if seq < entry.since]
                if stated is None:
                    yield Remark(entry.seq, f"{who} rolled against a rate of {rate}, which was not declared (SYS-03).")
                elif source.seq > entry.since and stated not in before:
                    yield Remark(source.seq, f"The rate of {who} was changed to {stated} after the roll (SYS-21).")
                elif stated != rate:
                    says = f"{who} rolled against a rate of {rate}, but the declared rate is {stated} (SYS-21)."
                    yield Remark(entry.seq, says)
        for who, value in values.items():
            current.pop(who, None)
            if value is not None:
                current[who] = by_seq.get(entry.cause or entry.seq, entry), value


def declared(event: events.Event) -> Mapping[str, int]:
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


def reasons(entries: Sequence[Entry], is_in_force: InForce) -> Iterator[tuple[int, str]]:
    """Find rates whose reason mentions an efficiency (SYS-21). Skip erased reasons."""
    for entry in entries_in_force(entries, is_in_force):
        event = entry.event
        match event:
            case events.MovePlayed(move=move) if move in RATE_MOVES:
                why = with_texts(event.inputs.get("why"))
            case events.MarksSet() if declared(event):
                why = with_texts(event.why)
            case _:
                continue
        if isinstance(why, str) and EFFICIENCY_WORDS.search(why.casefold()):
            says = (
                "The reason for {who}'s rate mentions an efficiency, but an efficiency never changes a rate (SYS-21)."
            )
            yield Remark(entry.seq, says.format(who=event.who))


def raises(entries: Sequence[Entry], is_in_force: InForce) -> Iterator[tuple[int, str]]:
    """Find raises of an efficiency without a matching roll (SYS-09).

    A roll matches if the same card made it, in the ruling that contains the raise.
    """
    natural_rolls: dict[tuple[int | None, str], int] = {}
    for entry in entries_in_force(entries, is_in_force):
        match entry.event:
            case events.Consequence(kind=consequences.ACT_THROWN.name, who=who, facts=facts):
                natural_rolls[entry.cause, who] = read_as(int, facts.get("natural"))
            case events.Consequence(kind=consequences.RAISE_THROWN.name, who=who, facts=facts):
                if natural_rolls.pop((entry.cause, who), None) != facts.get("natural"):
                    yield entry.seq, f"The efficiency of {who} was raised without a roll (SYS-09)."


CHECKS = (rates_declared, reasons, raises)
