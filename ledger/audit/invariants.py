"""Invariants: what each event may move, mark and bring with it in its action; all else is somebody else's."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, assert_never

from ledger.events.subjects import CAMPAIGN, FORK, HOLD, KEY, OFFER, POLICY
from ledger.events.types import (
    RULINGS,
    ActionAmended,
    ActionStruck,
    AnyEvent,
    CampaignOpened,
    CharacterJoined,
    Consequence,
    DayBegun,
    DiceCounted,
    DiceThrown,
    DisputeRaised,
    HistoryForked,
    KeyRotated,
    KnockOnFound,
    LimitCrossed,
    MarksSet,
    MoveEvent,
    MovePlayed,
    NoteWritten,
    OfTheBook,
    PlayerSeated,
    PlayRewound,
    PolicySet,
    QuestionAsked,
    QuestionDecided,
    RollSealed,
    SceneSet,
    ScoreAdjusted,
    ScoreAsserted,
    SecretRevealed,
    SessionClosed,
    SessionOpened,
    SettingsChanged,
    Unknown,
    VerdictOverridden,
    WordsErased,
)
from ledger.rules.inputs import HANDLE, RESERVED

Account = tuple[str, str]
"""Whose score or mark it is, and its name."""

ANYTHING = object()
"""The value of a mark that an event may give as it likes."""

FULL = re.compile(r"[^/]+/(?!sheet$)[^/]+")
"""The full name of a score or mark, with its game; that there is a sheet is said in no other way than by a join."""


# Actions


PLAYED = RULINGS | {DiceThrown.type, DiceCounted.type}
"""What a move or a roll writes, apart from its consequences."""

BRINGING = frozenset(
    {ActionAmended.type, ActionStruck.type, PlayRewound.type, QuestionDecided.type, SecretRevealed.type}
)
"""The corrections with which others come: what is struck, what is played again, and what is asked then."""

TOGETHER = frozenset(
    {
        (CampaignOpened.type, PlayerSeated.type),
        (DayBegun.type, DayBegun.type),
        (HistoryForked.type, HistoryForked.type),  # as they were once written; each has an action of its own now
    }
)
"""What else begins an action, with what may stand in it."""


def may_follow(first: str, event: AnyEvent) -> bool:
    """Whether an event may stand in an action that an event of another type begins."""
    if first in BRINGING:
        return not isinstance(event, OfTheBook | DisputeRaised | VerdictOverridden | ScoreAsserted)
    if isinstance(event, Consequence | Unknown) or event.type in PLAYED:
        return first in PLAYED or first == DayBegun.type
    return (first, event.type) in TOGETHER


# Scores


def moves_its_own(event: AnyEvent) -> bool:  # noqa: PLR0911  one case an event
    """Whether an event posts only to what it speaks of; a consequence, to scores of its own game."""
    moved: dict[Account, int] = {}
    for posting in event.postings:
        account = posting.who, posting.score
        moved[account] = moved.get(account, 0) + posting.amount
    match event:
        case ScoreAdjusted(who=who, amounts=amounts):
            own = {(who, score): amount for score, amount in amounts.items()}
            return _of_a_sheet(who, amounts) and moved == own
        case CharacterJoined():
            return _joined(event, moved)
        case SessionOpened():
            return moved == {(CAMPAIGN, "session"): 1}
        case DayBegun():
            return moved == {(CAMPAIGN, "day"): 1}
        case QuestionAsked():
            return _holds(moved, 1)
        case MovePlayed():
            return _holds(moved, -1)
        case Consequence(system=system):
            return all(score.startswith(f"{system}/") for _, score in moved)
        case (
            CampaignOpened()
            | PlayerSeated()
            | SessionClosed()
            | SceneSet()
            | MarksSet()
            | NoteWritten()
            | SettingsChanged()
            | DiceThrown()
            | DiceCounted()
            | ActionStruck()
            | ActionAmended()
            | PlayRewound()
            | KnockOnFound()
            | LimitCrossed()
            | DisputeRaised()
            | QuestionDecided()
            | VerdictOverridden()
            | ScoreAsserted()
            | RollSealed()
            | SecretRevealed()
            | KeyRotated()
            | PolicySet()
            | HistoryForked()
            | WordsErased()
            | Unknown()
        ):
            return not moved
        case _:
            assert_never(event)


def _joined(event: CharacterJoined, moved: Mapping[Account, int]) -> bool:
    prefix = f"{event.system}/"
    own = all(who == event.who and score.startswith(prefix) for who, score in moved)
    return own and all(moved.get((event.who, prefix + name), 0) == held for name, held in event.scores.items())


def _holds(moved: Mapping[Account, int], amount: int) -> bool:
    return all(score == HOLD and held == amount for (_, score), held in moved.items())


def _of_a_sheet(who: str, names: Iterable[str]) -> bool:
    """Whether these are full names of what may stand on the sheet of a character."""
    own = HANDLE.fullmatch(who) and not RESERVED.fullmatch(who)
    return bool(own) and all(FULL.fullmatch(name) for name in names)


# Marks


def marks_its_own(seq: int, event: AnyEvent) -> bool:
    """Whether an event gives only the marks that it speaks of; those of the journal's own are left aside."""
    given = {(mark.who, mark.name): mark.value for mark in event.marks if mark.who[0] != "#"}
    if isinstance(event, Consequence):
        return all(name.startswith(f"{event.system}/") for _, name in given)
    may = _marks(seq, event)
    fits = all(account in may and may[account] in (ANYTHING, value) for account, value in given.items())
    return fits and (isinstance(event, MoveEvent) or given.keys() == may.keys())


def _marks(seq: int, event: AnyEvent) -> dict[Account, Any]:  # noqa: C901, PLR0911, PLR0912  one case an event
    """The marks of an event, with their values; of a move, those that it gives only where there is an offer."""
    match event:
        case CampaignOpened(key=key):
            return {} if key is None else {(CAMPAIGN, KEY): key}
        case PlayerSeated(player=player, gm=gm, plays=plays):
            return {(who, "player"): player for who in plays} | ({(player, "gm"): True} if gm else {})
        case CharacterJoined(who=who, system=system):
            return {(who, f"{system}/sheet"): True}
        case SessionOpened(number=number):
            return {(CAMPAIGN, "session"): number}
        case SessionClosed():
            return {(CAMPAIGN, "session"): None, (CAMPAIGN, "scene"): None}
        case SceneSet():
            return {(CAMPAIGN, "scene"): ANYTHING}
        case MarksSet(who=who, values=values):
            return {(who, name): ANYTHING for name in values} if _of_a_sheet(who, values) else {}
        case SettingsChanged(system=system, values=values):
            return {(CAMPAIGN, f"{system}/{name}"): ANYTHING for name in values}
        case MovePlayed(who=who):
            return {(who, OFFER): ANYTHING}
        case QuestionAsked(who=who):
            return {(who, OFFER): None}
        case KeyRotated(key=key):
            return {(CAMPAIGN, KEY): key}
        case PolicySet():
            return {(CAMPAIGN, POLICY): seq}
        case HistoryForked(root=root):
            return {(CAMPAIGN, FORK): root}
        case (
            ScoreAdjusted()
            | NoteWritten()
            | DayBegun()
            | DiceThrown()
            | DiceCounted()
            | ActionStruck()
            | ActionAmended()
            | PlayRewound()
            | KnockOnFound()
            | LimitCrossed()
            | DisputeRaised()
            | QuestionDecided()
            | VerdictOverridden()
            | ScoreAsserted()
            | RollSealed()
            | SecretRevealed()
            | WordsErased()
            | Consequence()
            | Unknown()
        ):
            return {}
        case _:
            assert_never(event)
