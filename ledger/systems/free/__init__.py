"""Free: a sheet with any numbers by name, and no rules, for games that are not on the list.

It has no moves: `roll` throws dice and `adjust` changes numbers. So it has only one of the five files of a game,
`sheet`.
"""

from __future__ import annotations

from ledger.rules import Rulebook, System
from ledger.systems.free import sheet

SYSTEM = System(
    name="free",
    edition="free/1",
    title="Free: any numbers that you name, without rules",
    scores=sheet.SCORES,
    rulebook=lambda: Rulebook(moves=(), rules=(), kinds=(), page={}),
)
