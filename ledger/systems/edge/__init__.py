"""Edge: 2d10, skill and edge.

Start with `sheet`, then `moves_check`, which has the success check. `moves_fights` has damage and armor in a fight,
`moves_gear` the weapons and armor of a sheet, and `moves` injuries, rests and the burn. `rules` has the formulas,
`consequences` the events that moves cause, and `audit` the audit checks.
"""

from __future__ import annotations

from ledger.rules import System, rulebook_of
from ledger.systems.edge import sheet, wording

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
    rulebook=rulebook_of(__name__),
)
