"""Edge: 2d10, skill and edge.

Begin with `sheet`, then `moves_check`, the success check; `moves_fights` has damage and what armor does to it,
`moves_gear` the weapons and armor of a sheet, `moves` injuries, rests and the burn. `rules` has the formulas,
`consequences` the events that moves cause, `audit` the checks of a journal. Imports `ledger.rules` and its own files
only.
"""

from __future__ import annotations

from ledger.rules import Rulebook, System
from ledger.systems.edge import sheet, wording


def _rulebook() -> Rulebook:
    from ledger.systems.edge import audit, consequences, moves, rules  # showing a sheet needs none

    return Rulebook(
        moves=moves.MOVES, rules=rules.RULES, kinds=consequences.KINDS, page=consequences.PAGE, checks=audit.CHECKS
    )


SYSTEM = System(
    name="edge",
    edition="edge/2",
    title="Edge: 2d10, skill and edge",
    scores=sheet.SCORES,
    marks=sheet.MARKS,
    settings=sheet.SETTINGS,
    rows=sheet.rows,
    waits=("attacking", "dealt"),
    wordings=wording.WORDINGS,
    sentences=wording.SENTENCES,
    labels=wording.LABELS,
    main="check",
    rulebook=_rulebook,
)
