"""Byzantine, a game about each day's energy.

Read `sheet` first, then `moves_days`, then `moves_spending`, which has the base class of moves that commit energy.
`moves_costs` has the base class of moves whose cost the GM can set in advance. Such moves are in `moves_tasks`,
`moves_ways`, `moves_fights` and `moves_connections`. Contests are in `moves_contests`. `rules` has the formulas. The
modules import `ledger.rules` as `game`.
"""

from __future__ import annotations

from ledger.rules import System, rulebook_of
from ledger.systems.byzantine import sheet, wording

SYSTEM = System(
    name="byzantine",
    edition="byzantine/3",
    title="Byzantine: daily energy",
    scores=sheet.SCORES,
    marks=sheet.MARKS,
    settings=sheet.SETTINGS,
    rows=sheet.rows,
    waits=("contest.",),
    table_rows=sheet.table_rows,
    wordings=wording.WORDINGS,
    sentences=wording.SENTENCES,
    labels=wording.LABELS,
    outcomes=wording.OUTCOMES,
    units=wording.UNITS,
    tasks=wording.TASKS,
    totals=wording.TOTAL_CHANGE_SENTENCES,
    main="attempt",
    rulebook=rulebook_of(__name__),
)
