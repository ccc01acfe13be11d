"""SySCards, a game in which a card rolls a d100 to reach or beat a rate.

Start with `sheet`, then `moves_acts` (a rate and its roll), `moves_cards`, `moves_challenges` (several acts at once),
and `moves` (the GM's decisions about challenges).
"""

from __future__ import annotations

from ledger.rules import System, rulebook_of
from ledger.systems.syscards import sheet, wording

SYSTEM = System(
    name="syscards",
    edition="syscards/3",
    title="SySCards: reach or beat a rate with a d100",
    scores=sheet.SCORES,
    marks=sheet.MARKS,
    settings=sheet.SETTINGS,
    rows=sheet.rows,
    waits=("rate",),
    table_rows=sheet.table_rows,
    wordings=wording.WORDINGS,
    sentences=wording.SENTENCES,
    labels=wording.LABELS,
    outcomes=wording.OUTCOMES,
    units=wording.UNITS,
    tasks=wording.TASKS,
    main="throw",
    main_with_number="rate --throw",
    rulebook=rulebook_of(__name__),
)
