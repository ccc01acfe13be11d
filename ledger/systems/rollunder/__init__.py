"""Roll-under d20: a difficulty number and five success levels. What stands on a sheet; rules and moves are beside it.

The page's own table of levels is lost. The shipped ones are reconstructed, and say so wherever they are shown.
"""

from ledger.rules import Play, Score, Setting, System
from ledger.systems.rollunder.levels import BANDS4, read, shown


def _play() -> Play:
    from ledger.systems.rollunder import checks, kinds, moves, rules  # a look at a sheet plays nothing

    return Play(moves=moves.MOVES, rules=rules.RULES, kinds=kinds.KINDS, page=kinds.PAGE, checks=checks.CHECKS)


SYSTEM = System(
    name="rollunder",
    edition="rollunder/1",
    title="Roll-under d20: a difficulty number and five success levels",
    scores=(
        Score(name="characteristic.*", unit="characteristic", says="what a natural ability is made of (ROL-02)"),
        Score(name="skill.*", unit="level", says="the level in a skill, from 0 (ROL-02)"),
    ),
    settings=(
        Setting(
            name="levels",
            says="the table of success levels (ROL-07): bands4 or fifths, both reconstructed,"
            " or your own book's, like mine/1:1-10=0,2,4,6,8:11+=0,4,8,12,16",
            default=BANDS4,
            read=read,
            shows=shown,
        ),
    ),
    play=_play,
)
