"""Invariants: what each event may move, mark and bring with it in its action; all else is somebody else's."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ledger.events.subjects import CAMPAIGN, FORK, HOLD, KEY, OFFER, POLICY
from ledger.events.types import (
    LASTING,
    TYPES,
    ActionAmended,
    ActionStruck,
    CampaignOpened,
    CharacterJoined,
    DayBegun,
    DiceCounted,
    DiceThrown,
    DisputeRaised,
    HistoryForked,
    KeyRotated,
    MarksSet,
    MovePlayed,
    PlayerSeated,
    PlayRewound,
    PolicySet,
    QuestionAsked,
    QuestionDecided,
    SceneSet,
    ScoreAdjusted,
    ScoreAsserted,
    SecretRevealed,
    SessionClosed,
    SessionOpened,
    SettingsChanged,
    VerdictOverridden,
)
from ledger.rules.inputs import HANDLE, RESERVED

Body = Mapping[str, Any]
Marks = dict[tuple[str, str], Any]

ANYTHING = object()
"""The value of a mark that an event may give as it likes."""


FULL = re.compile(r"[^/]+/(?!sheet$)[^/]+")
"""The full name of a score or mark, with its game; that there is a sheet is said in no other way than by a join."""


def moves_its_own(body: Body) -> bool:
    """Whether an entry posts only to what its event speaks of; a consequence, to scores of its own game."""
    moved: dict[tuple[str, str], int] = {}
    for posting in body["postings"]:
        account = posting["who"], posting["score"]
        moved[account] = moved.get(account, 0) + posting["amount"]
    if body["type"] not in TYPES:
        return all(score.startswith(f"{body['system']}/") for _, score in moved)
    return MOVES.get(body["type"], _nothing)(body, moved)


def marks_its_own(body: Body) -> bool:
    """Whether an entry gives only the marks that its event speaks of; those of the journal's own are left aside."""
    given = {(mark["who"], mark["name"]): mark["value"] for mark in body["marks"] if mark["who"][0] != "#"}
    if body["type"] not in TYPES:
        return all(name.startswith(f"{body['system']}/") for _, name in given)
    may = MARKS.get(body["type"], _none)(body)
    fits = all(account in may and may[account] in (ANYTHING, value) for account, value in given.items())
    return fits and (body["type"] in OPTIONAL or given.keys() == may.keys())


def may_follow(first: str, kind: str) -> bool:
    """Whether an event may stand in an action that another one begins."""
    if first in BRINGING:
        return kind not in SPEAKING
    if kind in PLAYED or kind not in TYPES:
        return first in PLAYED or first == DayBegun.type
    return (first, kind) in TOGETHER


PLAYED = frozenset({MovePlayed.type, QuestionAsked.type, DiceThrown.type, DiceCounted.type})
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

SPEAKING = LASTING | {DisputeRaised.type, VerdictOverridden.type, ScoreAsserted.type}
"""What is said in an action of its own alone."""


# Scores


def _nothing(body: Body, moved: Mapping[tuple[str, str], int]) -> bool:
    return not moved


def _adjusted(body: Body, moved: Mapping[tuple[str, str], int]) -> bool:
    return _of_a_sheet(body["who"], body["amounts"]) and moved == {
        (body["who"], score): amount for score, amount in body["amounts"].items()
    }


def _of_a_sheet(who: str, names: Iterable[str]) -> bool:
    """Whether these are full names of what may stand on the sheet of a character."""
    own = HANDLE.fullmatch(who) and not RESERVED.fullmatch(who)
    return bool(own) and all(FULL.fullmatch(name) for name in names)


def _joined(body: Body, moved: Mapping[tuple[str, str], int]) -> bool:
    prefix = f"{body['system']}/"
    own = all(who == body["who"] and score.startswith(prefix) for who, score in moved)
    return own and all(moved.get((body["who"], prefix + name), 0) == held for name, held in body["scores"].items())


def _one(score: str) -> Callable[[Body, Mapping[tuple[str, str], int]], bool]:
    return lambda body, moved: moved == {(CAMPAIGN, score): 1}


def _holds(amount: int) -> Callable[[Body, Mapping[tuple[str, str], int]], bool]:
    return lambda body, moved: all(score == HOLD and held == amount for (_, score), held in moved.items())


MOVES: Mapping[str, Callable[[Body, Mapping[tuple[str, str], int]], bool]] = {
    ScoreAdjusted.type: _adjusted,
    CharacterJoined.type: _joined,
    SessionOpened.type: _one("session"),
    DayBegun.type: _one("day"),
    QuestionAsked.type: _holds(1),
    MovePlayed.type: _holds(-1),
}
"""What the events that are no consequences may move; all others move nothing."""


# Marks


def _none(body: Body) -> Marks:
    return {}


def _of_campaign(**marks: str) -> Callable[[Body], Marks]:
    """Return marks of the campaign that hold a field of the entry each."""
    return lambda body: {(CAMPAIGN, name): body[field] for name, field in marks.items()}


def _opened(body: Body) -> Marks:
    return {} if body.get("key") is None else {(CAMPAIGN, KEY): body["key"]}


def _seated(body: Body) -> Marks:
    plays = {(who, "player"): body["player"] for who in body["plays"]}
    return {**plays, (body["player"], "gm"): True} if body["gm"] else plays


def _named(body: Body) -> Marks:
    own = _of_a_sheet(body["who"], body["values"])
    return {(body["who"], name): ANYTHING for name in body["values"]} if own else {}


def _settled(body: Body) -> Marks:
    return {(CAMPAIGN, f"{body['system']}/{name}"): ANYTHING for name in body["values"]}


MARKS: Mapping[str, Callable[[Body], Marks]] = {
    CampaignOpened.type: _opened,
    PlayerSeated.type: _seated,
    CharacterJoined.type: lambda body: {(body["who"], f"{body['system']}/sheet"): True},
    SessionOpened.type: _of_campaign(session="number"),
    SessionClosed.type: lambda body: {(CAMPAIGN, "session"): None, (CAMPAIGN, "scene"): None},
    SceneSet.type: lambda body: {(CAMPAIGN, "scene"): ANYTHING},
    MarksSet.type: _named,
    SettingsChanged.type: _settled,
    MovePlayed.type: lambda body: {(body["who"], OFFER): ANYTHING},
    QuestionAsked.type: lambda body: {(body["who"], OFFER): None},
    KeyRotated.type: _of_campaign(**{KEY: "key"}),
    PolicySet.type: _of_campaign(**{POLICY: "seq"}),
    HistoryForked.type: _of_campaign(**{FORK: "root"}),
}
"""Which marks the events that are no consequences give, with their values; all others give none."""

OPTIONAL = frozenset({MovePlayed.type, QuestionAsked.type})
"""The events that give their marks only where there is an offer."""
