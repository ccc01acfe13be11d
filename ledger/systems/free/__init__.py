"""Free: a sheet with any numbers by name, and no rules. For every game that is not on the list.

It has no moves: dice are thrown with `roll`, and numbers are moved with `adjust`. So of the five files of a game it has
only `sheet`.
"""

from __future__ import annotations

from ledger.rules import Rulebook, System
from ledger.systems.free import sheet

SYSTEM = System(
    name="free",
    edition="free/1",
    title="Free: any numbers by name, without rules",
    scores=sheet.SCORES,
    rulebook=lambda: Rulebook(moves=(), rules=(), kinds=(), page={}),
)
