"""Byzantine: energy by the day. What stands on a sheet; the rules and the moves are beside it."""

from ledger.rules import Play, System
from ledger.systems.byzantine import sheet


def _play() -> Play:
    from ledger.systems.byzantine import (
        audit,
        consequences,  # a look at a sheet plays nothing
        moves,
        moves_days,
        rules,
    )

    return Play(
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
    play=_play,
)
