"""Free: any named numbers, without rules or moves. People roll dice with `roll`, and change numbers with `adjust`."""

from __future__ import annotations

from ledger.rules import Rulebook, System
from ledger.systems.free import sheet

SYSTEM = System(
    name="free",
    edition="free/1",
    title="Free: any numbers that you name, without rules",
    scores=sheet.SCORES,
    rows=sheet.rows,
    rulebook=lambda: Rulebook(moves=(), rules=(), kinds=(), page={}),
)
