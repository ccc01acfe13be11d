"""Roll-under d20: a difficulty number and five success levels. What stands on a sheet; rules and moves are beside it.

The page's own table of levels is lost. The shipped ones are reconstructed, and say so wherever they are shown.
"""

from ledger.rules import Play, System
from ledger.systems.rollunder import sheet


def _play() -> Play:
    from ledger.systems.rollunder import checks, kinds, moves, rules  # a look at a sheet plays nothing

    return Play(moves=moves.MOVES, rules=rules.RULES, kinds=kinds.KINDS, page=kinds.PAGE, checks=checks.CHECKS)


SYSTEM = System(
    name="rollunder",
    edition="rollunder/1",
    title="Roll-under d20: a difficulty number and five success levels",
    scores=sheet.SCORES,
    settings=sheet.SETTINGS,
    play=_play,
)
