"""A roll outside any game as text: its dice, its result and its calculation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.errors import MINUS, with_minus_sign
from ledger.events.types import DiceCounted

if TYPE_CHECKING:
    from ledger.rules.counting import Counted

FATE_FACES = {1: MINUS, 2: "0", 3: "+"}

SPECIAL_CHARACTERS = "/*.(fF["
"""Signs of rounding, Fate dice or labels in a notation. The result of such a roll is shown with more details."""


def dice_text(event: DiceCounted) -> str:
    """Return the faces of all dice. Dice that do not count are in parentheses, and Fate dice are −, 0 or +."""
    fate = _is_fate(event)
    faces = [FATE_FACES[die.face] if is_fate else str(die.face) for die, is_fate in zip(event.dice, fate, strict=True)]
    return " ".join(f"({face})" if die.dropped else face for die, face in zip(event.dice, faces, strict=True))


def result_text(event: DiceCounted) -> str:
    """Return the result, such as `rolls (2d6+1)/2 = 4, rounded down`, with the sum for each label."""
    result = f"rolls {event.notation} = {with_minus_sign(str(event.total))}"
    if _counts_again(event):
        counted = _count_again(event)
        labeled = [f"{label} {with_minus_sign(str(total))}" for label, total in counted.labeled.items()]
        result += ", rounded down" if counted.rounded else ""
        result += f" ({', '.join(labeled)})" if [*counted.labeled.values()] not in ([], [event.total]) else ""
    return f"{result}{event.purpose}"


def success_text(event: DiceCounted) -> str:
    """Return whether the total succeeds, such as `success against 15, margin +4`; "" without a number to reach."""
    if event.vs is None or event.margin is None:
        return ""
    outcome = "success" if event.margin >= 0 else "failure"
    target = f"{event.vs} or less" if event.at_most else event.vs
    return with_minus_sign(f"{outcome} against {target}, margin {event.margin:+d}")


def calculation(event: DiceCounted) -> list[tuple[str, str]]:
    """Return the calculation as pairs of name and text: the sum, the scores that it uses, and the dropped dice."""
    text = " + ".join(str(addend) for addend in event.addends) + f" = {event.total}"
    used = ", ".join(f"{full.partition('/')[2]} {value}" for full, value in event.scores.items())
    dropped = ", ".join(f"{die.face} ({die.dropped})" for die in event.dice if die.dropped)
    steps = [
        ("count", with_minus_sign(text).replace(f"+ {MINUS}", f"{MINUS} ")),
        ("scores", with_minus_sign(used)),
        ("dropped", dropped),
    ]
    return [step for step in steps if step[1]]


def _is_fate(event: DiceCounted) -> tuple[bool, ...]:
    return _count_again(event).fate if _counts_again(event) else (False,) * len(event.dice)


def _counts_again(event: DiceCounted) -> bool:
    return any(sign in event.notation for sign in SPECIAL_CHARACTERS)


def _count_again(event: DiceCounted) -> Counted:
    from ledger.rules.counting import count  # few rolls need it
    from ledger.rules.expressions import score_words
    from ledger.rules.notation import read_notation

    scores = {word: value for full, value in event.scores.items() for word in score_words(full)}
    return count(read_notation(event.notation, scores), [die.face for die in event.dice], scores)
