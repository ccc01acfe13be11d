"""Roll-under d20: a difficulty number and five success levels.

The game's original table of success levels is lost. The built-in tables are reconstructions, and every view says so.
Start with `sheet`, which has the tables, then read `moves`.
"""

from __future__ import annotations

from ledger.rules import System, rulebook_of
from ledger.systems.rollunder import sheet, wording

SYSTEM = System(
    name="rollunder",
    edition="rollunder/1",
    title="Roll-under d20: a difficulty number and five success levels",
    scores=sheet.SCORES,
    marks=sheet.MARKS,
    settings=sheet.SETTINGS,
    rows=sheet.rows,
    wordings=wording.WORDINGS,
    sentences=wording.SENTENCES,
    labels=wording.LABELS,
    outcomes=wording.OUTCOMES,
    main="skill",
    rulebook=rulebook_of(__name__),
)
