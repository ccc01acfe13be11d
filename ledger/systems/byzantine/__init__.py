"""Byzantine: energy by the day. What stands on a sheet; the rules and the moves are beside it."""

from ledger.rules import Play, System
from ledger.systems.byzantine import sheet


def _play() -> Play:
    from ledger.systems.byzantine import checks, days, kinds, moves, rules  # a look at a sheet plays nothing

    return Play(
        moves=moves.MOVES,
        rules=rules.RULES,
        kinds=kinds.KINDS,
        page=kinds.PAGE,
        new_day=days.Dawn,
        checks=checks.CHECKS,
    )


SYSTEM = System(
    name="byzantine",
    edition="byzantine/1",
    title="Byzantine: energy by the day",
    scores=sheet.SCORES,
    marks=sheet.MARKS,
    play=_play,
)
