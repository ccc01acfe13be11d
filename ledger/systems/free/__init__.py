"""Free: any named numbers, rolls by name, and rests, for games whose rules the program does not know."""

from __future__ import annotations

from ledger.rules import System, rulebook_of
from ledger.systems.free import sheet, wording

SYSTEM = System(
    name="free",
    edition="free/1",
    title="Free: you name the numbers, and there are no rules",
    scores=sheet.SCORES,
    marks=sheet.MARKS,
    settings=sheet.SETTINGS,
    rows=sheet.rows,
    wordings=wording.WORDINGS,
    units=wording.UNITS,
    condition_marks=wording.CONDITION_MARKS,
    change_verbs=wording.CHANGE_VERBS,
    wounds=wording.WOUNDS,
    main="check",
    secondary=True,
    low_totals_succeed=lambda settings: settings["success"] == sheet.AT_MOST,
    rulebook=rulebook_of(__name__),
)
