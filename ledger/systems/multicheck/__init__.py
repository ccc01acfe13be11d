"""Multicheck: one d100, six checks, and saves.

Begin with `sheet`, then `moves_d100`, the test; `moves` are saves, conditions and turns. Knows `ledger.rules` and
its own files; `rules` are its numbers, `consequences` what it leaves in the journal, and `audit` what must not be
found there.
"""

from ledger.rules import Rulebook, System
from ledger.systems.multicheck import sheet


def _rulebook() -> Rulebook:
    from ledger.systems.multicheck import (
        audit,
        consequences,  # a look at a sheet plays nothing
        moves,
        rules,
    )

    return Rulebook(
        moves=moves.MOVES, rules=rules.RULES, kinds=consequences.KINDS, page=consequences.PAGE, checks=audit.CHECKS
    )


SYSTEM = System(
    name="multicheck",
    edition="multicheck/1",
    title="Multicheck: one d100, six checks, and saves",
    scores=sheet.SCORES,
    settings=sheet.SETTINGS,
    rulebook=_rulebook,
)
