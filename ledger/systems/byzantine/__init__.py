"""Byzantine: energy by the day.

Start with `sheet`, then `moves_days` (dawns, nights, investments) and `moves_spending`, the base of all moves that
commit energy. `moves_costs` has the base of moves with a cost that the GM can set in advance. These moves are in
`moves_tasks`, `moves_ways`, `moves_connections` and `moves_fights`; contests are in `moves_contests` and
`moves_resolving`. `rules` has the formulas, `consequences` the events that moves cause, and `audit` the audit checks.
"""

from __future__ import annotations

from ledger.rules import System, rulebook_of
from ledger.systems.byzantine import sheet, wording

SYSTEM = System(
    name="byzantine",
    edition="byzantine/2",
    title="Byzantine: energy by the day",
    scores=sheet.SCORES,
    marks=sheet.MARKS,
    rows=sheet.rows,
    waits=("contest.",),
    table_rows=sheet.table_rows,
    wordings=wording.WORDINGS,
    sentences=wording.SENTENCES,
    labels=wording.LABELS,
    main="attempt",
    rulebook=rulebook_of(__name__),
)
