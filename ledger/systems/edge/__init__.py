"""Edge: 2d10, skill and edge.

Begin with `sheet`, then `moves_check`, the success check that most else hangs on; `moves` are damage, armor, rests
and the burn. Knows `ledger.rules` and its own files; `rules` are its numbers, `consequences` what it leaves in the
journal, and `audit` what must not be found there.
"""

from ledger.rules import Rulebook, System
from ledger.systems.edge import sheet


def _rulebook() -> Rulebook:
    from ledger.systems.edge import (
        audit,
        consequences,  # a look at a sheet plays nothing
        moves,
        rules,
    )

    return Rulebook(
        moves=moves.MOVES, rules=rules.RULES, kinds=consequences.KINDS, page=consequences.PAGE, checks=audit.CHECKS
    )


SYSTEM = System(
    name="edge",
    edition="edge/1",
    title="Edge: 2d10, skill and edge",
    scores=sheet.SCORES,
    marks=sheet.MARKS,
    settings=sheet.SETTINGS,
    rulebook=_rulebook,
)
