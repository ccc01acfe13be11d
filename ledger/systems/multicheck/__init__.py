"""Multicheck: one d100, six checks, and saves.

Begin with `sheet`, then `moves_d100`, the test; `moves` has saves, conditions and turns. `rules` has the formulas,
`consequences` the events that moves cause, `audit` the checks of a journal. Imports `ledger.rules` and its own files
only.
"""

from __future__ import annotations

from ledger.rules import Rulebook, System
from ledger.systems.multicheck import sheet, wording


def _rulebook() -> Rulebook:
    from ledger.systems.multicheck import audit, consequences, moves, rules  # showing a sheet needs none

    return Rulebook(
        moves=moves.MOVES,
        rules=rules.RULES,
        kinds=consequences.KINDS,
        page=consequences.PAGE,
        new_turn=moves.Turn,
        checks=audit.CHECKS,
    )


SYSTEM = System(
    name="multicheck",
    edition="multicheck/2",
    title="Multicheck: one d100, six checks, and saves",
    scores=sheet.SCORES,
    marks=sheet.MARKS,
    settings=sheet.SETTINGS,
    rows=sheet.rows,
    wordings=wording.WORDINGS,
    sentences=wording.SENTENCES,
    labels=wording.LABELS,
    main="test",
    rulebook=_rulebook,
)
