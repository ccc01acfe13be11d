"""Invariants: what each event may move, mark and bring into its action; all else belongs to another event."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, assert_never

from ledger.events import types as events
from ledger.events.canonical import ATOMS, canonical_json
from ledger.events.subjects import CAMPAIGN, FORK, HOLD, KEY, OFFER, POLICY, TURN, TURNS, ZONE
from ledger.rules.inputs import HANDLE, RESERVED

Account = tuple[str, str]
"""Whose score or mark it is, and its name."""

ANYTHING = object()
"""Takes the place of a mark's value that the event chooses freely."""

FULL_NAME = re.compile(r"[^/]+/(?!sheet$)[^/]+")
"""The full name of a score or mark, with its game. `sheet` is left out: only a join gives that mark."""


# Scores


def postings_fit(event: events.AnyEvent) -> bool:  # noqa: PLR0911  one case per event
    """Whether an event posts only what it speaks of; a consequence, only to scores of its own game."""
    moved: dict[Account, int] = {}
    for posting in event.postings:
        account = posting.who, posting.score
        moved[account] = moved.get(account, 0) + posting.amount
    match event:
        case events.ScoreAdjusted(who=who, amounts=amounts):
            own = {(who, score): amount for score, amount in amounts.items()}
            return _of_a_sheet(who, amounts) and moved == own
        case events.CharacterJoined():
            return _posts_its_scores(event, moved)
        case events.SessionOpened():
            return moved == {(CAMPAIGN, "session"): 1}
        case events.DayBegun():
            return moved == {(CAMPAIGN, "day"): 1}
        case events.QuestionAsked():
            return _holds(moved, 1)
        case events.MovePlayed():
            return _holds(moved, -1)
        case events.Consequence(system=system):
            return all(score.startswith(f"{system}/") for _, score in moved)
        case (
            events.CampaignOpened() | events.PlayerSeated() | events.NpcsSeated() | events.CharacterLeft()
            | events.CharacterReturned() | events.SessionClosed() | events.SceneSet() | events.MarksSet()
            | events.NoteWritten() | events.SettingsChanged() | events.TurnAdded() | events.TurnBegan()
            | events.TurnsEnded() | events.DiceThrown() | events.DiceCounted() | events.ActionStruck()
            | events.ActionAmended() | events.PlayRewound() | events.KnockOnFound() | events.LimitCrossed()
            | events.DisputeRaised() | events.QuestionDecided() | events.VerdictOverridden() | events.ScoreAsserted()
            | events.RollSealed() | events.SecretRevealed() | events.KeyRotated() | events.PolicySet()
            | events.PolicyAgreed() | events.HistoryForked() | events.WordsErased() | events.Unknown()
        ):  # fmt: skip
            return not moved
        case _:
            assert_never(event)


def _posts_its_scores(event: events.CharacterJoined, moved: Mapping[Account, int]) -> bool:
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


def marks_fit(seq: int, event: events.AnyEvent) -> bool:
    """Whether an event gives only the marks that it speaks of, apart from the journal's own (`#…`)."""
    marks = {(mark.who, mark.name): mark.value for mark in event.marks if mark.who[0] != "#"}
    if isinstance(event, events.Consequence):
        return all(name.startswith(f"{event.system}/") for _, name in marks)
    may = _marks(seq, event)
    fits = all(account in may and _is_value(may[account], value) for account, value in marks.items())
    return fits and (isinstance(event, events.MoveEvent) or marks.keys() == may.keys())


def _is_value(one: Any, other: Any) -> bool:
    """Whether a mark may have a value; true and 1 are two values."""
    if type(other) in ATOMS:
        return one is ANYTHING or (type(one) is type(other) and one == other)
    return one is ANYTHING or canonical_json(one) == canonical_json(other)


def _marks(seq: int, event: events.AnyEvent) -> dict[Account, Any]:  # noqa: C901, PLR0911, PLR0912  one case per event
    """The marks of an event, with their values; a move gives its mark only if there is an offer."""
    match event:
        case events.CampaignOpened(key=key):
            return {} if key is None else {(CAMPAIGN, KEY): key}
        case events.PlayerSeated(player=player, gm=gm, plays=plays):
            return {(who, "player"): player for who in plays} | ({(player, "gm"): True} if gm else {})
        case events.CharacterJoined(who=who, system=system):
            return {(who, f"{system}/sheet"): True}
        case events.SessionOpened(number=number, offset=offset):
            return {(CAMPAIGN, "session"): number} | ({} if offset is None else {(CAMPAIGN, ZONE): offset})
        case events.SessionClosed():
            ended = {(mark.who, mark.name): None for mark in event.marks if mark.name in {TURN, TURNS}}
            return {(CAMPAIGN, "session"): None, (CAMPAIGN, "scene"): None} | ended
        case events.SceneSet():
            return {(CAMPAIGN, "scene"): ANYTHING}
        case events.MarksSet(who=who, values=values):
            return {(who, name): ANYTHING for name in values} if _of_a_sheet(who, values) else {}
        case events.SettingsChanged(system=system, values=values):
            return {(CAMPAIGN, f"{system}/{name}"): ANYTHING for name in values}
        case events.TurnAdded(who=who, number=number) | events.TurnRolled(who=who, total=number):
            return {(who, TURN): number, (CAMPAIGN, TURNS): ANYTHING}
        case events.TurnBegan(round=turn, who=who, number=number):
            return {(CAMPAIGN, TURN): {"round": turn, "who": who, "number": number}}
        case events.TurnsEnded(names=names):
            return {(who, TURN): None for who in names} | {(CAMPAIGN, TURNS): None, (CAMPAIGN, TURN): None}
        case events.MovePlayed(who=who):
            return {(who, OFFER): ANYTHING}
        case events.QuestionAsked(who=who):
            return {(who, OFFER): None}
        case events.KeyRotated(key=key):
            return {(CAMPAIGN, KEY): key}
        case events.PolicySet():
            return {(CAMPAIGN, POLICY): seq}
        case events.HistoryForked(root=root):
            return {(CAMPAIGN, FORK): root}
        case (
            events.NpcsSeated() | events.CharacterLeft() | events.CharacterReturned() | events.ScoreAdjusted()
            | events.NoteWritten() | events.DayBegun() | events.DiceThrown() | events.DiceCounted()
            | events.ActionStruck() | events.ActionAmended() | events.PlayRewound() | events.KnockOnFound()
            | events.LimitCrossed() | events.DisputeRaised() | events.QuestionDecided() | events.VerdictOverridden()
            | events.ScoreAsserted() | events.RollSealed() | events.SecretRevealed() | events.PolicyAgreed()
            | events.WordsErased() | events.Consequence() | events.Unknown()
        ):  # fmt: skip
            return {}
        case _:
            assert_never(event)
