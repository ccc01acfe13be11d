"""Audit checks of Byzantine: one dawn per day, one loss per pool at each dawn, and a cost for every attempted task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.rules import CAMPAIGN, Entry, GameCheck, Remark, events, read_as, with_texts
from ledger.systems.byzantine import consequences

DEAD_MARK = "byzantine/dead"


class DawnsCheck(GameCheck):
    """A check for characters who missed the dawn of a day, or had one dawn twice (BYZ-02).

    Characters need no dawn before their own first dawn, after dying or leaving, or while a dawn waits for the GM's
    decision. Non-player characters need no dawn after the session closes.

    `_begun` has the days that have begun. `_away` has the reasons why characters need no dawn.
    """

    def __init__(self) -> None:
        self._begun: dict[int, int] = {}
        self._away: dict[str, set[str]] = {}
        self._npcs: tuple[str, ...] = ()
        self._last: dict[str, int] = {}
        self._seen: set[tuple[str, int]] = set()

    def check(self, entries: Sequence[Entry], struck: Sequence[Entry]) -> Iterator[tuple[int, str]]:
        for entry in entries:
            match entry.event:
                case events.DayBegun(day=day):
                    self._begun[day] = entry.seq
                case events.QuestionAsked(move="dawn", who=who):
                    self._mark_away(who, "asked")
                case events.Consequence(kind=consequences.DAWN_BROKEN.name, who=who, facts=facts):
                    yield from self._dawn(entry.seq, who, read_as(int, facts.get("day")))
            self._record_players(entry.event)
            for mark in entry.event.marks:
                if mark.name == DEAD_MARK:
                    (self._mark_away if mark.value is True else self._come_back)(mark.who, "dead")

    def _dawn(self, seq: int, who: str, day: int) -> Iterator[tuple[int, str]]:
        """Record a dawn. Yield a finding for a second dawn of a day, and for each day missed since the last dawn."""
        if (who, day) in self._seen:
            yield Remark(seq, f"{who} had two dawns on day {day} (BYZ-02).")
        for earlier in self._begun:
            if self._last.get(who, day) < earlier < day and (who, earlier) not in self._seen:
                yield Remark(seq, f"{who} missed the dawn of day {earlier} (BYZ-02).")
        self._seen.add((who, day))
        self._last[who] = max(day, self._last.get(who, day))
        self._away.pop(who, None)

    def _record_players(self, event: events.Event) -> None:
        match event:
            case events.CharacterLeft(who=who):
                self._mark_away(who, "left")
            case events.CharacterReturned(who=who) | events.CharacterJoined(who=who):
                self._come_back(who, "left", "session")
            case events.NpcsSeated(names=names):
                self._npcs += names
                for who in names:
                    self._come_back(who, "left", "session")
            case events.PlayerSeated(plays=names):
                for who in names:
                    self._come_back(who, "session")
            case events.SessionClosed():
                for who in self._npcs:
                    self._mark_away(who, "session")
                self._npcs = ()

    def _mark_away(self, who: str, why: str) -> None:
        self._away.setdefault(who, set()).add(why)

    def _come_back(self, who: str, *reasons: str) -> None:
        """Remove these reasons for being away. If no reason is left, the days until now are not reported as missed."""
        before = self._away.pop(who, set())
        if left := before.difference(reasons):
            self._away[who] = left
        elif before and who in self._last:
            self._last[who] = max(self._begun, default=0)

    def last_findings(self) -> Iterator[tuple[int, str]]:
        """Yield a remark for each day that a character missed after that character's last dawn."""
        for who, last in self._last.items():
            for day, seq in self._begun.items():
                if day > last and who not in self._away:
                    yield Remark(seq, f"{who} missed the dawn of day {day} (BYZ-02).")


class PoolLossesCheck(GameCheck):
    """A check for pools that shrank twice at one dawn, or without a dawn (BYZ-11)."""

    def check(self, entries: Sequence[Entry], struck: Sequence[Entry]) -> Iterator[tuple[int, str]]:
        moves = ((entry.seq, entry.event) for entry in entries)
        rulings = {seq for seq, event in moves if isinstance(event, events.MovePlayed) and event.move == "dawn"}
        seen: set[tuple[int | None, str]] = set()
        for entry in entries:
            match entry.event:
                case events.Consequence(kind=consequences.DECAY_TICKED.name, who=who, facts=facts):
                    pool = read_as(str, facts.get("pool"))
                    if (entry.cause, pool) in seen:
                        yield entry.seq, f"The pool {pool} of {who} shrank twice at one dawn (BYZ-11)."
                    elif entry.cause not in rulings:
                        yield entry.seq, f"The pool {pool} of {who} shrank without a dawn (BYZ-11)."
                    seen.add((entry.cause, pool))


class TaskCostsCheck(GameCheck):
    """A check for attempts at a task that were made before the task had a cost (BYZ-15).

    For an amended attempt, the cost must be older than the amendment, not than the original attempt.
    """

    def __init__(self) -> None:
        self._first_set: dict[tuple[str, str], int] = {}  # by character and task, the first entry that set the cost
        self._attempts: list[tuple[int, str, str]] = []  # the attempts at tasks whose cost was not set before

    def check(self, entries: Sequence[Entry], struck: Sequence[Entry]) -> Iterator[tuple[int, str]]:
        for entry in (*entries, *struck):  # with struck costs, because the strike asks about the attempt
            match entry.event:
                case events.Consequence(kind=consequences.TASK_SET.name, who=who, facts=facts):
                    task = who, read_as(str, facts.get("task"))
                    self._first_set[task] = min(entry.seq, self._first_set.get(task, entry.seq))
        for entry in entries:
            match entry.event:
                case events.MovePlayed(move="attempt", who=who, inputs=inputs):
                    attempt = entry.seq, who, read_as(str, with_texts(inputs.get("task")))
                    if inputs.get("costs") is None and not self._has_cost(*attempt):
                        self._attempts.append(attempt)
        yield from ()

    def _has_cost(self, seq: int, who: str, task: str) -> bool:
        return any(self._first_set.get((keeper, task), seq) < seq for keeper in (who, CAMPAIGN))

    def last_findings(self) -> Iterator[tuple[int, str]]:
        for seq, who, task in self._attempts:
            if not self._has_cost(seq, who, task):
                yield seq, f"{who} attempted {task} before its cost was set (BYZ-15)."


CHECKS = (DawnsCheck, PoolLossesCheck, TaskCostsCheck)
