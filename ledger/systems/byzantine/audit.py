"""Audit checks of Byzantine: one dawn per day, one loss per pool and dawn, and a cost for every attempted task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.rules import (
    CAMPAIGN,
    CharacterJoined,
    CharacterLeft,
    CharacterReturned,
    Consequence,
    DayBegun,
    Entry,
    Event,
    MovePlayed,
    NpcsSeated,
    PlayerSeated,
    QuestionAsked,
    Remark,
    SessionClosed,
    Stands,
    plain_value,
    read_as,
    standing_in_order,
)
from ledger.systems.byzantine import consequences

DEAD = "byzantine/dead"


def dawns(entries: Sequence[Entry], stands: Stands) -> Iterator[tuple[int, str]]:
    """Find characters who had the dawn of a day twice or not at all (BYZ-02).

    Days before a character's first dawn do not count. The dead need no dawn, nor do characters who left, non-player
    characters after their session, and characters whose dawn waits for an answer.
    """
    days = _Days()
    for entry in standing_in_order(entries, stands):
        match entry.event:
            case DayBegun(day=day):
                days.begun[day] = entry.seq
            case QuestionAsked(move="dawn", who=who):
                days.leave(who, "asked")
            case Consequence(kind=consequences.DAWN_BROKEN.name, who=who, facts=facts):
                yield from days.dawn(entry.seq, who, read_as(int, facts.get("day")))
        days.record_players(entry.event)
        for mark in entry.event.marks:
            if mark.name == DEAD:
                (days.leave if mark.value is True else days.come_back)(mark.who, "dead")
    yield from days.end()


class _Days:
    """The days that have begun, and the dawns of each character. Characters in `_away` need no dawn for now."""

    def __init__(self) -> None:
        self.begun: dict[int, int] = {}
        self._away: dict[str, set[str]] = {}
        self._npcs: tuple[str, ...] = ()
        self._last: dict[str, int] = {}
        self._seen: set[tuple[str, int]] = set()

    def dawn(self, seq: int, who: str, day: int) -> Iterator[tuple[int, str]]:
        """Record a dawn of a character, and yield the findings about it."""
        if (who, day) in self._seen:
            yield Remark(seq, f"{who} had the dawn of day {day} twice (BYZ-02).")
        for earlier in self.begun:
            if self._last.get(who, day) < earlier < day and (who, earlier) not in self._seen:
                yield Remark(seq, f"{who} missed the dawn of day {earlier} (BYZ-02).")
        self._seen.add((who, day))
        self._last[who] = max(day, self._last.get(who, day))
        self._away.pop(who, None)

    def record_players(self, event: Event) -> None:
        """Record the characters who start or stop playing with this event."""
        match event:
            case CharacterLeft(who=who):
                self.leave(who, "left")
            case CharacterReturned(who=who) | CharacterJoined(who=who):
                self.come_back(who, "left", "session")
            case NpcsSeated(names=names):
                self._npcs += names
                for who in names:
                    self.come_back(who, "left", "session")
            case PlayerSeated(plays=names):
                for who in names:
                    self.come_back(who, "session")
            case SessionClosed():
                for who in self._npcs:
                    self.leave(who, "session")
                self._npcs = ()

    def leave(self, who: str, why: str) -> None:
        """Record a reason why a character needs no dawns."""
        self._away.setdefault(who, set()).add(why)

    def come_back(self, who: str, *reasons: str) -> None:
        """Record that reasons no longer apply to a character, who did not miss the days until now."""
        before = self._away.pop(who, set())
        if left := before.difference(reasons):
            self._away[who] = left
        elif before and who in self._last:
            self._last[who] = max(self.begun, default=0)

    def end(self) -> Iterator[tuple[int, str]]:
        """Yield the days that characters missed after their last dawns."""
        for who, last in self._last.items():
            for day, seq in self.begun.items():
                if day > last and who not in self._away:
                    yield Remark(seq, f"{who} missed the dawn of day {day} (BYZ-02).")


def ticks(entries: Sequence[Entry], stands: Stands) -> Iterator[tuple[int, str]]:
    """Find pools that shrank twice at one dawn, or without a dawn (BYZ-11)."""
    moves = ((entry.seq, entry.event) for entry in entries)
    rulings = {seq for seq, event in moves if isinstance(event, MovePlayed) and event.move == "dawn"}
    ticked: set[tuple[int | None, str]] = set()
    for entry in standing_in_order(entries, stands):
        match entry.event:
            case Consequence(kind=consequences.DECAY_TICKED.name, who=who, facts=facts):
                pool = read_as(str, facts.get("pool"))
                if (entry.cause, pool) in ticked:
                    yield entry.seq, f"The pool {pool} of {who} shrank twice at one dawn (BYZ-11)."
                elif entry.cause not in rulings:
                    yield entry.seq, f"The pool {pool} of {who} shrank without a dawn (BYZ-11)."
                ticked.add((entry.cause, pool))


def costs_never_set(entries: Sequence[Entry], stands: Stands) -> Iterator[tuple[int, str]]:
    """Find attempts at a task without a cost (BYZ-15).

    A cost that was set before the attempt, but struck later, is no finding: the correction asks about the attempt.
    """
    first_set: dict[tuple[str, str], int] = {}
    for entry in entries:
        match entry.event:
            case Consequence(kind=consequences.TASK_SET.name, who=who, facts=facts):
                first_set.setdefault((who, read_as(str, facts.get("task"))), entry.seq)
    for entry in standing_in_order(entries, stands):
        match entry.event:
            case MovePlayed(move="attempt", who=who, inputs=inputs):
                task = read_as(str, plain_value(inputs.get("task")))
                known = min(first_set.get((keeper, task), entry.seq) for keeper in (who, CAMPAIGN))
                if inputs.get("costs") is None and known >= entry.seq:
                    yield entry.seq, f"{who} attempted {task} although it had no cost (BYZ-15)."


CHECKS = (dawns, ticks, costs_never_set)
