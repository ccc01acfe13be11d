"""Likely doubles: one roll under two ids, such as a roll in Foundry and its copy in Discord. They are only listed.

Two rolls are likely doubles if they have the same character, dice and total, and at most 10 seconds lie between them.
They must come from different programs, or one of them must be private. In one program, equal public rolls are usual.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

MOST_SECONDS = 10


class Trace(NamedTuple):
    """The parts of a roll that its double has, too: a hash of its content for each name of its character, and its time.

    `seconds` is the time in seconds since 1970.
    """

    looks: tuple[int, ...]
    seconds: float
    is_private: bool


class Double(NamedTuple):
    """A new roll and its likely double: the place of the new roll, and the entry or the place of the other."""

    place: str
    other: str


def trace_of(
    frame: Mapping[str, Any], content: Mapping[str, Any], who: str | None, dice: Iterable[tuple[int, int]]
) -> Trace | None:
    """Return the trace of a roll, or None without dice, a character, or a time of at least a second's precision."""
    thrown = tuple(sorted(dice))
    names = [("who", who) if who else None, ("speaker", content["speaker"].casefold()) if content["speaker"] else None]
    if not thrown or frame["exact"] not in {"ms", "second"} or not any(names):
        return None
    looks = tuple(hash((name, content["total"], thrown)) for name in names if name)
    return Trace(looks, datetime.fromisoformat(frame["claimed_at"]).timestamp(), frame["seen"] != "all")


def likely_doubles(new: Mapping[str, tuple[str, Trace]], earlier: Iterable[tuple[str, str, Trace]]) -> Iterator[Double]:
    """Yield the likely doubles of new rolls, one for each. `new` maps ids to places.

    `earlier` has the ids of the other rolls, and the words for their entries.
    """
    seen = dict[tuple[int, int], list[tuple[str, str, Trace]]]()
    for each in earlier:
        _add(seen, each)
    for roll_id, (place, trace) in new.items():
        times = [int(trace.seconds // MOST_SECONDS) + step for step in (-1, 0, 1)]
        others = (each for look in trace.looks for time in times for each in seen.get((look, time), ()))
        found = next((where for other, where, its in others if _are_doubles(roll_id, trace, other, its)), None)
        if found is not None:
            yield Double(place, found)
        _add(seen, (roll_id, place, trace))


def _add(seen: dict[tuple[int, int], list[tuple[str, str, Trace]]], each: tuple[str, str, Trace]) -> None:
    for look in each[2].looks:
        seen.setdefault((look, int(each[2].seconds // MOST_SECONDS)), []).append(each)


def _are_doubles(one_id: str, one: Trace, other_id: str, other: Trace) -> bool:
    is_other_message = one_id.rpartition(":")[0] != other_id.rpartition(":")[0]
    is_other_program = one_id.partition(":")[0] != other_id.partition(":")[0]
    is_close = abs(one.seconds - other.seconds) <= MOST_SECONDS
    return is_close and is_other_message and (is_other_program or one.is_private or other.is_private)
