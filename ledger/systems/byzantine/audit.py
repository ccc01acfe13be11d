"""Audit checks of Byzantine: one dawn per day, one loss per pool at each dawn, and a cost for every attempted task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.rules import CAMPAIGN, Entry, InForce, Remark, entries_in_force, events, read_as, with_texts
from ledger.systems.byzantine import consequences

DEAD_MARK = "byzantine/dead"


def dawns(entries: Sequence[Entry], is_in_force: InForce) -> Iterator[tuple[int, str]]:
    """Find characters who missed the dawn of a day, or had one dawn twice (BYZ-02).

    Characters need no dawn before their own first dawn, after dying or leaving, or while a dawn waits for the GM's
    decision. Non-player characters need no dawn after the session closes.
    """
    days = _Days()
    for entry in entries_in_force(entries, is_in_force):
        match entry.event:
            case events.DayBegun(day=day):
                days.begun[day] = entry.seq
            case events.QuestionAsked(move="dawn", who=who):
                days.mark_away(who, "asked")
            case events.Consequence(kind=consequences.DAWN_BROKEN.name, who=who, facts=facts):
                yield from days.dawn(entry.seq, who, read_as(int, facts.get("day")))
        days.record_players(entry.event)
        for mark in entry.event.marks:
            if mark.name == DEAD_MARK:
                (days.mark_away if mark.value is True else days.come_back)(mark.who, "dead")
    yield from days.last_findings()


class _Days:
    """The days that have begun, and each character's dawns. `_away` has the reasons why characters need no dawn."""

    def __init__(self) -> None:
        self.begun: dict[int, int] = {}
        self._away: dict[str, set[str]] = {}
        self._npcs: tuple[str, ...] = ()
        self._last: dict[str, int] = {}
        self._seen: set[tuple[str, int]] = set()

    def dawn(self, seq: int, who: str, day: int) -> Iterator[tuple[int, str]]:
        """Record a dawn. Yield a finding for a second dawn of a day, and for each day missed since the last dawn."""
        if (who, day) in self._seen:
            yield Remark(seq, f"{who} had two dawns on day {day} (BYZ-02).")
        for earlier in self.begun:
            if self._last.get(who, day) < earlier < day and (who, earlier) not in self._seen:
                yield Remark(seq, f"{who} missed the dawn of day {earlier} (BYZ-02).")
        self._seen.add((who, day))
        self._last[who] = max(day, self._last.get(who, day))
        self._away.pop(who, None)

    def record_players(self, event: events.Event) -> None:
        match event:
            case events.CharacterLeft(who=who):
                self.mark_away(who, "left")
            case events.CharacterReturned(who=who) | events.CharacterJoined(who=who):
                self.come_back(who, "left", "session")
            case events.NpcsSeated(names=names):
                self._npcs += names
                for who in names:
                    self.come_back(who, "left", "session")
            case events.PlayerSeated(plays=names):
                for who in names:
                    self.come_back(who, "session")
            case events.SessionClosed():
                for who in self._npcs:
                    self.mark_away(who, "session")
                self._npcs = ()

    def mark_away(self, who: str, why: str) -> None:
        self._away.setdefault(who, set()).add(why)

    def come_back(self, who: str, *reasons: str) -> None:
        """Remove these reasons for being away. If no reason is left, no day until now counts as missed."""
        before = self._away.pop(who, set())
        if left := before.difference(reasons):
            self._away[who] = left
        elif before and who in self._last:
            self._last[who] = max(self.begun, default=0)

    def last_findings(self) -> Iterator[tuple[int, str]]:
        """Yield a finding for each day that a character missed after that character's last dawn."""
        for who, last in self._last.items():
            for day, seq in self.begun.items():
                if day > last and who not in self._away:
                    yield Remark(seq, f"{who} missed the dawn of day {day} (BYZ-02).")


def pool_losses(entries: Sequence[Entry], is_in_force: InForce) -> Iterator[tuple[int, str]]:
    """Find pools that shrank twice at one dawn, or without a dawn (BYZ-11)."""
    moves = ((entry.seq, entry.event) for entry in entries)
    rulings = {seq for seq, event in moves if isinstance(event, events.MovePlayed) and event.move == "dawn"}
    seen: set[tuple[int | None, str]] = set()
    for entry in entries_in_force(entries, is_in_force):
        match entry.event:
            case events.Consequence(kind=consequences.DECAY_TICKED.name, who=who, facts=facts):
                pool = read_as(str, facts.get("pool"))
                if (entry.cause, pool) in seen:
                    yield entry.seq, f"The pool {pool} of {who} shrank twice at one dawn (BYZ-11)."
                elif entry.cause not in rulings:
                    yield entry.seq, f"The pool {pool} of {who} shrank without a dawn (BYZ-11)."
                seen.add((entry.cause, pool))


def costs_never_set(entries: Sequence[Entry], is_in_force: InForce) -> Iterator[tuple[int, str]]:
    """Find attempts at a task that were made before the task had a cost (BYZ-15)."""
    first_set: dict[tuple[str, str], int] = {}  # includes struck costs, because the strike asks about the attempt
    for entry in entries:
        match entry.event:
            case events.Consequence(kind=consequences.TASK_SET.name, who=who, facts=facts):
                first_set.setdefault((who, read_as(str, facts.get("task"))), entry.seq)
    for entry in entries_in_force(entries, is_in_force):
        match entry.event:
            case events.MovePlayed(move="attempt", who=who, inputs=inputs):
                task = read_as(str, with_texts(inputs.get("task")))
                known = min(first_set.get((keeper, task), entry.seq) for keeper in (who, CAMPAIGN))
                if inputs.get("costs") is None and known >= entry.seq:
                    yield entry.seq, f"{who} attempted {task} before its cost was set (BYZ-15)."


CHECKS = (dawns, pool_losses, costs_never_set)
