"""Edge: 2d10, skill and edge. What stands on a sheet; the rules and the moves are beside it."""

from ledger.rules import Play, System
from ledger.systems.edge import sheet


def _play() -> Play:
    from ledger.systems.edge import (
        audit,
        consequences,  # a look at a sheet plays nothing
        moves,
        rules,
    )

    return Play(
        moves=moves.MOVES, rules=rules.RULES, kinds=consequences.KINDS, page=consequences.PAGE, checks=audit.CHECKS
    )


SYSTEM = System(
    name="edge",
    edition="edge/1",
    title="Edge: 2d10, skill and edge",
    scores=sheet.SCORES,
    marks=sheet.MARKS,
    settings=sheet.SETTINGS,
    play=_play,
)
