"""The order of acts in a challenge, worked out by comparing pairs."""

from collections.abc import Sequence
from typing import Any

from ledger.systems.syscards.rules import RankedAct


def oracle(act: RankedAct, lowest: int, award: int) -> dict[str, Any]:
    """A throw worked out by counting up."""
    assert act.natural is not None
    reached = [point for point in range(1, 101) if point in {act.natural, act.efficiency}][-1]
    raises = act.natural in range(lowest, 101) and act.efficiency != 100
    after = [point for point in range(1, 101) if point <= act.efficiency + (award if raises else 0)][-1]
    lacking = None if act.necessary_rate is None else len(range(reached, act.necessary_rate))
    return {
        "result": reached,
        "success": None if lacking is None else not lacking,
        "degree_of_failure": lacking or None,
        "raised": raises,
        "efficiency_after": after,
    }


def comes_before(one: RankedAct, other: RankedAct, lowest: int, award: int) -> bool:
    """Whether an act has priority over another, by looking at these two alone."""
    if one.speed != other.speed:
        return one.speed > other.speed
    mine, theirs = oracle(one, lowest, award), oracle(other, lowest, award)
    if mine["result"] != theirs["result"]:
        return bool(mine["result"] > theirs["result"])
    return bool(mine["efficiency_after"] > theirs["efficiency_after"])


def ordered(acts: Sequence[RankedAct], lowest: int, award: int) -> list[list[str]]:
    """The order, by counting for each act how many come before it."""
    ahead: dict[int, list[str]] = {}
    for act in acts:
        count = sum(comes_before(other, act, lowest, award) for other in acts if other is not act)
        ahead.setdefault(count, []).append(act.id)
    return [sorted(ahead[count]) for count in sorted(ahead)]
