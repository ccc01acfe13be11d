"""Check: what an event says of other entries, for whoever checks it."""

from collections.abc import Sequence

from ledger.events.facts import CountedDie
from ledger.events.types import (
    ActionAmended,
    AnyEvent,
    DisputeRaised,
    KnockOnFound,
    LimitCrossed,
    MovePlayed,
    PlayRewound,
    QuestionAsked,
    RollSealed,
    ScoreAsserted,
    SecretRevealed,
    VerdictOverridden,
)

AboutOthers = ActionAmended | KnockOnFound | DisputeRaised | VerdictOverridden | SecretRevealed
"""The events that say which entry they are about."""


Natural = tuple[int, int, tuple[int, int] | None]
"""A die as it lies: its sides, its face, and its digits."""


def asks(event: AnyEvent) -> bool:
    """Whether an event waits for an answer: an assertion does where the book says otherwise."""
    if isinstance(event, ScoreAsserted):
        return event.claimed != event.stood
    return isinstance(event, QuestionAsked | RollSealed | DisputeRaised | KnockOnFound | LimitCrossed)


def may_be_about(event: AnyEvent, kind: str) -> bool:
    """Whether an event may speak about an entry of a type."""
    if isinstance(event, KnockOnFound):
        return kind in {MovePlayed.type, QuestionAsked.type}
    return not isinstance(event, VerdictOverridden) or kind == MovePlayed.type


def natural(dice: Sequence[CountedDie]) -> list[Natural]:
    """Return the dice that can lie as they do; what shows more than it has sides, nobody threw."""
    return [(die.sides, die.face, die.digits) for die in dice if die.face <= die.sides]


def spoken_about(event: AnyEvent) -> tuple[int, ...]:
    """Return the entries that an event speaks about, apart from a question that it answers."""
    match event:
        case ActionAmended(named=named, about=about):
            return about, named
        case PlayRewound(to=to):
            return (to,)
    return (event.about,) if isinstance(event, AboutOthers) else ()
