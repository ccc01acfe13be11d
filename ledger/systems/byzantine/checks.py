"""Checks of Byzantine for the audit: a dawn for each day, ticks of a pool, and tasks that had a cost."""

from collections.abc import Iterator, Sequence

from ledger.entries import Entry
from ledger.rules import Stands, in_place
from ledger.systems.byzantine import kinds


def dawns(entries: Sequence[Entry], stands: Stands) -> Iterator[tuple[int, str]]:
    """Find days whose dawn somebody saw twice, and days between two dawns of theirs that they never saw (BYZ-02).

    The first dawn is that of the day on which they came; whoever died sees none.
    """
    begun: list[int] = []
    last: dict[str, int] = {}
    seen: set[tuple[str, int]] = set()
    for entry in in_place(entries, stands):
        if entry.type == "day-begun":
            begun.append(entry.body["day"])
        elif entry.type == kinds.DAWN_BROKEN.name:
            who, day = entry.body["who"], entry.body["facts"]["day"]
            if (who, day) in seen:
                yield entry.seq, f"{who} saw the dawn of day {day} twice (BYZ-02)."
            missed = [each for each in begun if last.get(who, day) < each < day and (who, each) not in seen]
            for each in missed:
                yield entry.seq, f"{who} never saw the dawn of day {each} (BYZ-02)."
            seen.add((who, day))
            last[who] = max(day, last.get(who, day))


def ticks(entries: Sequence[Entry], stands: Stands) -> Iterator[tuple[int, str]]:
    """Find pools that ticked twice at one dawn, or at none (BYZ-11)."""
    rulings = {entry.seq for entry in entries if entry.type == "move-played" and entry.body["move"] == "dawn"}
    ticked: set[tuple[int | None, str]] = set()
    for entry in in_place(entries, stands):
        if entry.type == kinds.DECAY_TICKED.name:
            who, pool = entry.body["who"], entry.body["facts"]["pool"]
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
        if entry.type == kinds.TASK_SET.name:
            said.setdefault((entry.body["who"], entry.body["facts"]["task"]), entry.seq)
    for entry in in_place(entries, stands):
        if entry.type == "move-played" and entry.body["move"] == "attempt":
            who, inputs = entry.body["who"], entry.body["inputs"]
            if inputs.get("costs") is None and said.get((who, inputs["task"]), entry.seq) >= entry.seq:
                yield entry.seq, f"{who} attempted {inputs['task']}, and nobody had said what it costs (BYZ-15)."


CHECKS = (dawns, ticks, tasks_set)
