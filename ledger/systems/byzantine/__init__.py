"""Byzantine: energy by the day.

Begin with `sheet`, then `moves_days` (dawns, nights, investments) and `moves_spending`, the base of all moves that
commit energy: `moves_costs` has costs set ahead, `moves_tasks`, `moves_ways`, `moves_connections`, `moves_fights` and
`moves_contests` what is done. `rules` has the formulas, `consequences` the events that moves cause, `audit` the checks
of a journal. Imports `ledger.rules` and its own files only.
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
