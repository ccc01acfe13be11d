"""Byzantine: energy by the day.

Begin with `sheet`, then `moves_days` (dawns, nights, what is put away) and `moves_spending`, which all other moves
stand on: connections, tasks and fights. Knows `ledger.rules` and its own files; `rules` are its numbers,
`consequences` what it leaves in the journal, and `audit` what must not be found there.
"""

from ledger.rules import Rulebook, System
from ledger.systems.byzantine import sheet


def _rulebook() -> Rulebook:
    from ledger.systems.byzantine import (
        audit,
        consequences,  # a look at a sheet plays nothing
        moves,
        moves_days,
        rules,
    )

    return Rulebook(
        moves=moves.MOVES,
        rules=rules.RULES,
        kinds=consequences.KINDS,
        page=consequences.PAGE,
        new_day=moves_days.Dawn,
        checks=audit.CHECKS,
    )


SYSTEM = System(
    name="byzantine",
    edition="byzantine/1",
    title="Byzantine: energy by the day",
    scores=sheet.SCORES,
    marks=sheet.MARKS,
    rulebook=_rulebook,
)
