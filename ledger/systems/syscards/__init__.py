"""SySCards: percentile, reach or surpass. What stands on a card and on the table; rules and moves are beside it."""

from ledger.rules import Play, System
from ledger.systems.syscards import sheet


def _play() -> Play:
    from ledger.systems.syscards import checks, kinds, moves, rules  # a look at a card plays nothing

    return Play(moves=moves.MOVES, rules=rules.RULES, kinds=kinds.KINDS, page=kinds.PAGE, checks=checks.CHECKS)


SYSTEM = System(
    name="syscards",
    edition="syscards/1",
    title="SySCards: percentile, reach or surpass",
    scores=sheet.SCORES,
    marks=sheet.MARKS,
    settings=sheet.SETTINGS,
    play=_play,
)
