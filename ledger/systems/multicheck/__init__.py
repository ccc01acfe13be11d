"""Multicheck: one d100, six checks, and saves. Start with `sheet`, then `moves_d100` (the test) and `moves`."""

from __future__ import annotations

from ledger.rules import System, rulebook_of
from ledger.systems.multicheck import sheet, wording

SYSTEM = System(
    name="multicheck",
    edition="multicheck/3",
    title="Multicheck: one d100, six checks, and saves",
    scores=sheet.SCORES,
    marks=sheet.MARKS,
    settings=sheet.SETTINGS,
    rows=sheet.rows,
    wordings=wording.WORDINGS,
    sentences=wording.SENTENCES,
    labels=wording.LABELS,
    outcomes=wording.OUTCOMES,
    units=wording.UNITS,
    wounds=wording.WOUNDS,
    states=wording.STATES,
    effects=wording.EFFECTS,
    change_verbs=wording.CHANGE_VERBS,
    main="test",
    rulebook=rulebook_of(__name__),
)
