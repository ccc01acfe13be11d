"""Likely doubles: one roll under two ids, such as a roll in Foundry and its copy in Discord. They are only listed.

Two rolls are likely doubles if they have the same character, dice and total, and at most 10 seconds lie between them.
They must come from different programs, or one of them must be private. In one program, equal public rolls are usual.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import product
from typing import Any, NamedTuple

MOST_SECONDS_APART = 10
MOST_EQUAL_ROLLS = 50
"""The maximum number of rolls with equal content and about the same time that are kept for comparison."""


class Trace(NamedTuple):
    """The parts of a roll that are compared to find its double. `seconds` is the time in seconds since 1970.

    `content_hashes` has one or two hashes of a name, the total and the dice. One hash has the character's name in the
    campaign, the other has the name in the file.
    """

    content_hashes: tuple[int, ...]
    seconds: float
    is_private: bool


class Double(NamedTuple):
    """A new roll and its likely double: the `place` of the new roll, and the entry or place of the `other` roll."""

    place: str
    other: str


_ComparedRolls = dict[tuple[int, int, tuple[str, bool]], list[tuple[str, str, Trace]]]
"""The rolls compared so far: the id, the place and the trace of each. Rolls with the same key may be doubles.

A key has a hash of the content, the time in steps of 10 seconds, the program, and whether the roll is private.
"""


def trace_of(
    frame: Mapping[str, Any], content: Mapping[str, Any], who: str | None, dice: Iterable[tuple[int, int]]
) -> Trace | None:
    """Return the trace of a roll. Return None if the roll has no dice, no name, or no time that is exact to the second.

    `frame` has the time, and who could see the roll. `content` has the speaker in the file, and the total. `who` is the
    character in the campaign. `dice` are pairs of sides and face.
    """
    thrown = tuple(sorted(dice))
    names = [("who", who) if who else None, ("speaker", content["speaker"].casefold()) if content["speaker"] else None]
    if not thrown or frame["exact"] not in {"ms", "second"} or not any(names):
        return None
    content_hashes = tuple(hash((name, content["total"], thrown)) for name in names if name)
    return Trace(content_hashes, datetime.fromisoformat(frame["claimed_at"]).timestamp(), frame["seen"] != "all")


def likely_doubles(new: Mapping[str, tuple[str, Trace]], earlier: Iterable[tuple[str, str, Trace]]) -> Iterator[Double]:
    """Yield each new roll that has a likely double, with the first such double.

    `new` has the place in the file and the trace of each new roll, by id. `earlier` has the id, the words for the
    entry, and the trace of each roll in the campaign.
    """
    compared, programs = _ComparedRolls(), dict[str, None]()
    for roll in earlier:
        _add(compared, programs, roll)
    for roll_id, (place, trace) in new.items():
        program = _program(roll_id)
        kinds = [(other, is_private) for other in programs for is_private in (False, True)]
        fitting = [kind for kind in kinds if kind[0] != program or kind[1] or trace.is_private]
        times = [int(trace.seconds // MOST_SECONDS_APART) + step for step in (-1, 0, 1)]
        keys = product(trace.content_hashes, times, fitting)
        others = (roll for key in keys for roll in compared.get(key, ()))
        found = next((where for other, where, its in others if _are_close(roll_id, trace, other, its)), None)
        if found is not None:
            yield Double(place, found)
        _add(compared, programs, (roll_id, place, trace))


def _program(roll_id: str) -> str:
    return roll_id.partition(":")[0]


def _add(compared: _ComparedRolls, programs: dict[str, None], roll: tuple[str, str, Trace]) -> None:
    roll_id, _, trace = roll
    programs[_program(roll_id)] = None
    for content_hash in trace.content_hashes:
        key = content_hash, int(trace.seconds // MOST_SECONDS_APART), (_program(roll_id), trace.is_private)
        alike = compared.setdefault(key, [])
        if len(alike) < MOST_EQUAL_ROLLS:
            alike.append(roll)


def _are_close(one_id: str, one: Trace, other_id: str, other: Trace) -> bool:
    """Return True if at most 10 seconds lie between two rolls, and they are in different messages."""
    is_other_message = one_id.rpartition(":")[0] != other_id.rpartition(":")[0]
    return is_other_message and abs(one.seconds - other.seconds) <= MOST_SECONDS_APART
