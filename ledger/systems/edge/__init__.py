"""Edge: 2d10, skill and edge.

Read `sheet` first, then `moves_check` for the success check. `moves_fights` has damage, armor, and the attack, which
combines them with a check. `moves` has the other moves: for worn armor, healing, injuries, rest and edge.
"""

from __future__ import annotations

from ledger.rules import System, rulebook_of
from ledger.systems.edge import sheet, wording

SYSTEM = System(
    name="edge",
    edition="edge/3",
    title="Edge: 2d10, skill and edge",
    scores=sheet.SCORES,
    marks=sheet.MARKS,
    settings=sheet.SETTINGS,
    rows=sheet.rows,
    waits=("attacking", "dealt"),
    wordings=wording.WORDINGS,
    sentences=wording.SENTENCES,
    labels=wording.LABELS,
    outcomes=wording.OUTCOMES,
    units=wording.UNITS,
    wounds=wording.WOUNDS,
    change_verbs=wording.CHANGE_VERBS,
    tasks=wording.TASKS,
    main="check",
    rulebook=rulebook_of(__name__),
)
