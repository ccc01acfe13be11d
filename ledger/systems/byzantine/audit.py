"""Checks of Byzantine for the audit: a dawn for each day, ticks of a pool, and tasks that had a cost."""

from collections.abc import Iterator, Sequence

from ledger.rules import Consequence, DayBegun, Entry, MovePlayed, QuestionAsked, Stands, in_place, read_as, told
from ledger.systems.byzantine import consequences

DEAD = "byzantine/dead"


def dawns(entries: Sequence[Entry], stands: Stands) -> Iterator[tuple[int, str]]:
    """Find days whose dawn somebody saw twice, and days after their first dawn that they never saw (BYZ-02).

    The first dawn is that of the day on which they came. Whoever is dead, or waits for an answer, sees none.
    """
    days = _Days()
    for entry in in_place(entries, stands):
        match entry.event:
            case DayBegun(day=day):
                days.begun[day] = entry.seq
            case QuestionAsked(move="dawn", who=who):
                days.away.add(who)
            case Consequence(kind=consequences.DAWN_BROKEN.name, who=who, facts=facts):
                yield from days.dawn(entry.seq, who, read_as(int, facts.get("day")))
        for mark in entry.event.marks:
            if mark.name == DEAD:
                days.life(mark.who, dead=mark.value is True)
    yield from days.end()


class _Days:
    """The days that began, and the dawns that each character saw of them; `away` are those who see none."""

    def __init__(self) -> None:
        self.begun: dict[int, int] = {}
        self.away: set[str] = set()
        self._last: dict[str, int] = {}
        self._seen: set[tuple[str, int]] = set()

    def dawn(self, seq: int, who: str, day: int) -> Iterator[tuple[int, str]]:
        """Take a dawn, and yield what is wrong with it."""
        if (who, day) in self._seen:
            yield seq, f"{who} saw the dawn of day {day} twice (BYZ-02)."
        for each in self.begun:
            if self._last.get(who, day) < each < day and (who, each) not in self._seen:
                yield seq, f"{who} never saw the dawn of day {each} (BYZ-02)."
        self._seen.add((who, day))
        self._last[who] = max(day, self._last.get(who, day))
        self.away.discard(who)

    def life(self, who: str, *, dead: bool) -> None:
        """Take a death, or a life that came back, which has missed nothing."""
        if dead:
            self.away.add(who)
        elif who in self.away:
            self.away.discard(who)
            self._last[who] = max(self.begun, default=0)

    def end(self) -> Iterator[tuple[int, str]]:
        """Yield the last days that somebody never saw, each with the entry that began it."""
        for who, last in self._last.items():
            for day, seq in self.begun.items():
                if day > last and who not in self.away:
                    yield seq, f"{who} never saw the dawn of day {day} (BYZ-02)."


def ticks(entries: Sequence[Entry], stands: Stands) -> Iterator[tuple[int, str]]:
    """Find pools that ticked twice at one dawn, or at none (BYZ-11)."""
    moves = ((entry.seq, entry.event) for entry in entries)
    rulings = {seq for seq, event in moves if isinstance(event, MovePlayed) and event.move == "dawn"}
    ticked: set[tuple[int | None, str]] = set()
    for entry in in_place(entries, stands):
        match entry.event:
            case Consequence(kind=consequences.DECAY_TICKED.name, who=who, facts=facts):
                pool = read_as(str, facts.get("pool"))
                if (entry.cause, pool) in ticked:
                    yield entry.seq, f"The pool {pool} of {who} ticked twice at one dawn (BYZ-11)."
                elif entry.cause not in rulings:
                    yield entry.seq, f"The pool {pool} of {who} ticked at no dawn (BYZ-11)."
                ticked.add((entry.cause, pool))


def tasks_set(entries: Sequence[Entry], stands: Stands) -> Iterator[tuple[int, str]]:
    """Find tasks that were attempted though nobody had said what they cost (BYZ-15).

    A cost that was taken back since had been said, and asks about the attempt; that is no finding.
    """
    said: dict[tuple[str, str], int] = {}
    for entry in entries:
        match entry.event:
            case Consequence(kind=consequences.TASK_SET.name, who=who, facts=facts):
                said.setdefault((who, read_as(str, facts.get("task"))), entry.seq)
    for entry in in_place(entries, stands):
        match entry.event:
            case MovePlayed(move="attempt", who=who, inputs=inputs):
                task = read_as(str, told(inputs.get("task")))
                if inputs.get("costs") is None and said.get((who, task), entry.seq) >= entry.seq:
                    yield entry.seq, f"{who} attempted {task}, and nobody had said what it costs (BYZ-15)."


CHECKS = (dawns, ticks, tasks_set)
