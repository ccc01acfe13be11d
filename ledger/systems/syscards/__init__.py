"""SySCards: percentile, reach or surpass.

Begin with `sheet`, then `moves_acts` (a rate and its throw), `moves_cards`, and `moves_challenges`, where several
act at once. Knows `ledger.rules` and its own files; `rules` are its numbers, `consequences` what it leaves in the
journal, and `audit` what must not be found there.
"""

from ledger.rules import Rulebook, System
from ledger.systems.syscards import sheet


def _rulebook() -> Rulebook:
    from ledger.systems.syscards import (
        audit,
        consequences,  # a look at a card plays nothing
        moves,
        rules,
    )

    return Rulebook(
        moves=moves.MOVES, rules=rules.RULES, kinds=consequences.KINDS, page=consequences.PAGE, checks=audit.CHECKS
    )


SYSTEM = System(
    name="syscards",
    edition="syscards/1",
    title="SySCards: percentile, reach or surpass",
    scores=sheet.SCORES,
    marks=sheet.MARKS,
    settings=sheet.SETTINGS,
    rulebook=_rulebook,
)
