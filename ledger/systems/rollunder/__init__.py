"""Roll-under d20: a difficulty number and five success levels.

The page's own table of levels is lost. The shipped ones are reconstructed, and say so wherever they are shown.
Begin with `sheet`, which has the tables, then `moves`. `rules` has the formulas, `consequences` the event that a check
causes, `audit` the check of a journal. Imports `ledger.rules` and its own files only.
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
    main="skill",
    rulebook=rulebook_of(__name__),
)
