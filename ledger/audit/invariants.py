"""Invariants: what each event may move, mark and bring into its action; all else belongs to another event."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, assert_never

from ledger.events.canonical import ATOMS, canonical_json
from ledger.events.subjects import CAMPAIGN, FORK, HOLD, KEY, OFFER, POLICY, TURN, TURNS, ZONE
from ledger.events.types import (
    ActionAmended,
    ActionStruck,
    AnyEvent,
    CampaignOpened,
    CharacterJoined,
    CharacterLeft,
    CharacterReturned,
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
    NpcsSeated,
    PlayerSeated,
    PlayRewound,
    PolicyAgreed,
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
    TurnAdded,
    TurnBegan,
    TurnRolled,
    TurnsEnded,
    Unknown,
    VerdictOverridden,
    WordsErased,
)
from ledger.rules.inputs import HANDLE, RESERVED

Account = tuple[str, str]
"""Whose score or mark it is, and its name."""

ANYTHING = object()
"""Takes the place of a mark's value that the event chooses freely."""

FULL_NAME = re.compile(r"[^/]+/(?!sheet$)[^/]+")
"""The full name of a score or mark, with its game. `sheet` is left out: only a join gives that mark."""


# Scores


def postings_fit(event: AnyEvent) -> bool:  # noqa: PLR0911  one case per event
    """Whether an event posts only what it speaks of; a consequence, only to scores of its own game."""
    moved: dict[Account, int] = {}
    for posting in event.postings:
        account = posting.who, posting.score
        moved[account] = moved.get(account, 0) + posting.amount
    match event:
        case ScoreAdjusted(who=who, amounts=amounts):
            own = {(who, score): amount for score, amount in amounts.items()}
            return _of_a_sheet(who, amounts) and moved == own
        case CharacterJoined():
            return _posts_its_scores(event, moved)
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
            | NpcsSeated()
            | CharacterLeft()
            | CharacterReturned()
            | SessionClosed()
            | SceneSet()
            | MarksSet()
            | NoteWritten()
            | SettingsChanged()
            | TurnAdded()
            | TurnBegan()
            | TurnsEnded()
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
            | PolicyAgreed()
            | HistoryForked()
            | WordsErased()
            | Unknown()
        ):
            return not moved
        case _:
            assert_never(event)


def _posts_its_scores(event: CharacterJoined, moved: Mapping[Account, int]) -> bool:
    prefix = f"{event.system}/"
    own = all(who == event.who and score.startswith(prefix) for who, score in moved)
    return own and all(moved.get((event.who, prefix + name), 0) == value for name, value in event.scores.items())


def _holds(moved: Mapping[Account, int], amount: int) -> bool:
    return all(score == HOLD and total == amount for (_, score), total in moved.items())


def _of_a_sheet(who: str, names: Iterable[str]) -> bool:
    """Whether these full names may be on a character's sheet."""
    own = HANDLE.fullmatch(who) and not RESERVED.fullmatch(who)
    return bool(own) and all(FULL_NAME.fullmatch(name) for name in names)


# Marks


def marks_fit(seq: int, event: AnyEvent) -> bool:
    """Whether an event gives only the marks that it speaks of, apart from the journal's own (`#…`)."""
    marks = {(mark.who, mark.name): mark.value for mark in event.marks if mark.who[0] != "#"}
    if isinstance(event, Consequence):
        return all(name.startswith(f"{event.system}/") for _, name in marks)
    may = _marks(seq, event)
    fits = all(account in may and _is_value(may[account], value) for account, value in marks.items())
    return fits and (isinstance(event, MoveEvent) or marks.keys() == may.keys())


def _is_value(one: Any, other: Any) -> bool:
    """Whether a mark may have a value; true and 1 are two values."""
    if type(other) in ATOMS:
        return one is ANYTHING or (type(one) is type(other) and one == other)
    return one is ANYTHING or canonical_json(one) == canonical_json(other)


def _marks(seq: int, event: AnyEvent) -> dict[Account, Any]:  # noqa: C901, PLR0911, PLR0912  one case per event
    """The marks of an event, with their values; a move gives its mark only if there is an offer."""
    match event:
        case CampaignOpened(key=key):
            return {} if key is None else {(CAMPAIGN, KEY): key}
        case PlayerSeated(player=player, gm=gm, plays=plays):
            return {(who, "player"): player for who in plays} | ({(player, "gm"): True} if gm else {})
        case CharacterJoined(who=who, system=system):
            return {(who, f"{system}/sheet"): True}
        case SessionOpened(number=number, offset=offset):
            return {(CAMPAIGN, "session"): number} | ({} if offset is None else {(CAMPAIGN, ZONE): offset})
        case SessionClosed():
            ended = {(mark.who, mark.name): None for mark in event.marks if mark.name in {TURN, TURNS}}
            return {(CAMPAIGN, "session"): None, (CAMPAIGN, "scene"): None} | ended
        case SceneSet():
            return {(CAMPAIGN, "scene"): ANYTHING}
        case MarksSet(who=who, values=values):
            return {(who, name): ANYTHING for name in values} if _of_a_sheet(who, values) else {}
        case SettingsChanged(system=system, values=values):
            return {(CAMPAIGN, f"{system}/{name}"): ANYTHING for name in values}
        case TurnAdded(who=who, number=number) | TurnRolled(who=who, total=number):
            return {(who, TURN): number, (CAMPAIGN, TURNS): ANYTHING}
        case TurnBegan(round=turn, who=who, number=number):
            return {(CAMPAIGN, TURN): {"round": turn, "who": who, "number": number}}
        case TurnsEnded(names=names):
            return {(who, TURN): None for who in names} | {(CAMPAIGN, TURNS): None, (CAMPAIGN, TURN): None}
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
            NpcsSeated()
            | CharacterLeft()
            | CharacterReturned()
            | ScoreAdjusted()
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
            | PolicyAgreed()
            | WordsErased()
            | Consequence()
            | Unknown()
        ):
            return {}
        case _:
            assert_never(event)
