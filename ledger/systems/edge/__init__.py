"""Edge: 2d10, skill and edge.

Begin with `sheet`, then `moves_check`, the success check; `moves_fights` has damage and what armor does to it,
`moves_gear` the weapons and armor of a sheet, `moves` injuries, rests and the burn. `rules` has the formulas,
`consequences` the events that moves cause, `audit` the checks of a journal. Imports `ledger.rules` and its own files
only.
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
