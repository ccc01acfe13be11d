"""Free: a sheet for any named numbers, without rules, for games that this program does not know.

It has no moves, so `sheet` is its only file. People use `roll` for dice and `adjust` to change numbers.
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
