"""Edge: 2d10, skill and edge. What stands on a sheet; the rules and the moves are beside it."""

from ledger.rules import Play, System
from ledger.systems.edge import sheet


def _play() -> Play:
    from ledger.systems.edge import checks, kinds, moves, rules  # a look at a sheet plays nothing

    return Play(moves=moves.MOVES, rules=rules.RULES, kinds=kinds.KINDS, page=kinds.PAGE, checks=checks.CHECKS)


SYSTEM = System(
    name="edge",
    edition="edge/1",
    title="Edge: 2d10, skill and edge",
    scores=sheet.SCORES,
    marks=sheet.MARKS,
    settings=sheet.SETTINGS,
    play=_play,
)
