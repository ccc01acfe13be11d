"""SySCards: percentile, reach or surpass. What stands on a card and on the table; rules and moves are beside it."""

from ledger.rules import Play, System
from ledger.systems.syscards import sheet


def _play() -> Play:
    from ledger.systems.syscards import (
        audit,
        consequences,  # a look at a card plays nothing
        moves,
        rules,
    )

    return Play(
        moves=moves.MOVES, rules=rules.RULES, kinds=consequences.KINDS, page=consequences.PAGE, checks=audit.CHECKS
    )


SYSTEM = System(
    name="syscards",
    edition="syscards/1",
    title="SySCards: percentile, reach or surpass",
    scores=sheet.SCORES,
    marks=sheet.MARKS,
    settings=sheet.SETTINGS,
    play=_play,
)
