"""The scores, marks and settings of SySCards, of cards and of the table."""

from ledger.rules import LARGEST, BadInput, MarkSpec, Score, Setting, handle, number, yes_no


def _by_a_move(typed: str) -> str:
    raise BadInput("A move says that; it is not set by hand.")


SCORES = (
    Score(name="efficiency", unit="efficiency", most=100, starts=1, says="what it does without failure (SYS-08)"),
    Score(name="velocity", unit="act", tally=True, starts=1, says="how often it acts in a round (SYS-15)"),
    Score(name="core-points", unit="core point", says="what buys from The Log (SYS-12)"),
    Score(name="item.*", unit="item", says="what was bought (SYS-12)"),
)


MARKS = (
    MarkSpec(name="owner", says="whose card it is (SYS-08)", read=handle),
    MarkSpec(name="incapable", says="without capacity to act (SYS-01)", read=yes_no),
    MarkSpec(name="rejects", says="able to reject a challenge (SYS-19)", read=yes_no),
    MarkSpec(name="rate", says="the rate declared for the next throw (SYS-03)", read=number(0, 100)),
    MarkSpec(name="failure", says="degree of the last failure, until it is told (SYS-06)", read=number(0, 99)),
    MarkSpec(
        name="rejections",
        says="what a challenger needs, round by round (SYS-19)",
        read=_by_a_move,
        holds=dict[str, int],
    ),
    MarkSpec(name="challenge", says="the number of the last challenge (SYS-13)", read=number(0, LARGEST)),
    MarkSpec(name="indirect", says="that challenge is for timing alone (SYS-18)", read=yes_no),
    MarkSpec(name="entered", says="the round of the last challenge (SYS-17)", read=number(0, LARGEST)),
    MarkSpec(name="priority", says="the place in it, 1 the first (SYS-13)", read=number(0, LARGEST)),
    MarkSpec(name="failed", says="the act failed, and does nothing (SYS-16)", read=yes_no),
    MarkSpec(name="cancelled", says="the act was cancelled (SYS-17)", read=yes_no),
    MarkSpec(name="mode", says="of the table: tale, action or deal (SYS-11)", read=_by_a_move),
    MarkSpec(name="round", says="of the table: the round (SYS-19)", read=_by_a_move),
    MarkSpec(name="challenges", says="of the table: challenges declared (SYS-13)", read=_by_a_move),
    MarkSpec(name="phase", says="of the table: where the round is (SYS-19)", read=_by_a_move),
    MarkSpec(name="price.*", says="of the table: The Log, a price list (SYS-12)", read=_by_a_move),
    MarkSpec(
        name="in-challenge", says="of the table: the acts in challenge (SYS-13)", read=_by_a_move, holds=tuple[str, ...]
    ),
)


SETTINGS = (
    Setting(
        name="raise_from",
        says="the lower end of the raise range, 1 to 100 (SYS-10)",
        default=100,
        read=number(1, 100),
        holds=int,
    ),
    Setting(name="award", says="what a raise throw awards (SYS-10)", default=1, read=number(1, LARGEST), holds=int),
)
