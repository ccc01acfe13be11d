"""The types of the answers from the interface for programs. Its description is made from these types.

The views make the answers. A test compares the answers with these types.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ledger.events.facts import Mark, Posting
from projections.questions import OpenQuestion
from projections.status import SeatedPlayer
from web.people import Person


class Problem(BaseModel):
    """A refused request, as in RFC 9457. Nothing was written."""

    type: str = Field(description="The kind of problem. The name of a kind never changes, so a program can check it.")
    title: str = Field(description="The meaning of the HTTP status.")
    status: int
    detail: str = Field(description="What is wrong, in a sentence to show to people.")
    hint: str | None = Field(
        None, description="What to do about the problem, in a sentence. Some problems have no hint."
    )


class EntryAnswer(BaseModel):
    """An entry of the record. Each type of entry has more fields of its own."""

    model_config = ConfigDict(extra="allow")

    seq: int = Field(description="The number of the entry.")
    act: int = Field(description="The first entry of the action. An attack with its damage is one action.")
    since: int = Field(
        description=(
            "This entry takes effect from the entry with this number on."
            " A correction can take effect from an earlier entry."
        )
    )
    at: str = Field(description="The time, in UTC.")
    by: str = Field(description="The player (such as `p2`) who wrote the entry.")
    cause: int | None = Field(
        None, description="The earlier entry that caused this entry. Both belong to the same action."
    )
    type: str = Field(description="The type, such as `note-written`, `dice-thrown` or `move-played`.")
    once: str | None = Field(None, description="The `Idempotency-Key` of the request.")
    leaf: str = Field(description="The hash of the entry, as 64 hex digits.")
    postings: list[Posting] = Field(description="The changed scores.")
    marks: list[Mark] = Field(description="The changed values that are not scores.")


class EntriesAnswer(BaseModel):
    """A page of entries, the oldest first."""

    entries: list[EntryAnswer]
    head: int = Field(description="The number of the last entry in the record.")
    next: int | None = Field(description="Send this number as `after` to get the next page. The last page has `null`.")


class WrittenAnswer(BaseModel):
    """The entries that a command wrote."""

    entries: list[EntryAnswer]
    lines: list[str] = Field(description="The line of each action, as the feed on the page shows it.")
    again: bool = Field(description="True if an earlier request with this `Idempotency-Key` wrote these entries.")
    dry: bool = Field(description="True if nothing was written.")
    note: str = Field(description="The result of signing, or an empty text.")
    plan: str | None = Field(None, description="The plan of a dry run. Send it as `agreed` to write these entries.")


class ActionAnswer(BaseModel):
    """An action: what somebody did at once, such as a roll with its result."""

    act: int = Field(description="The number of the first entry.")
    last: int = Field(description="The number of the last entry.")
    text: str = Field(description="The line that the feed on the page shows.")
    secrets: list[str] = Field(description="The secrets that only you, or you and the GM, may read.")
    entries: list[EntryAnswer]


class SheetAnswer(BaseModel):
    """The sheet of a character in a game. The sheet of the whole table has the character `campaign`."""

    who: str
    name: str
    system: str = Field(description="The game.")
    scores: dict[str, int]
    marks: dict[str, Any] = Field(description="The values that are not scores.")
    hold: int | None = Field(description="The open question that the character must answer first.")


class TotalOdds(BaseModel):
    """The probability of a total, and of this total or more."""

    total: int
    chance: float
    or_more: float


class OddsAnswer(BaseModel):
    """The odds of a roll of plain dice: the mean, the chance of success, and each possible total."""

    who: str | None
    pool: str = Field(description="The dice, as typed.")
    scores: dict[str, int] = Field(description="The scores of the sheet that the roll uses.")
    mean: float
    target: int | None
    at_most: bool = Field(description="True if a total of `target` or less is a success.")
    success: float | None
    totals: list[TotalOdds]


class TurnRow(BaseModel):
    """A place in the turn order."""

    who: str
    name: str
    number: int
    round: int
    turn: bool
    acted: bool


class StatusAnswer(BaseModel):
    """The state of play, and the person who asks."""

    campaign: str
    session: int | None
    title: str = Field(description="The title of the session.")
    scene: str
    day: int
    date: str = Field(description="The day's date in the calendar of the game world, or an empty text.")
    waiting: int = Field(description="The number of open questions.")
    here: list[SeatedPlayer] = Field(description="The players who are present.")
    turns: list[TurnRow]
    waits: list[OpenQuestion] = Field(description="The oldest open questions.")
    sealed: list[OpenQuestion] = Field(description="The oldest sealed rolls.")
    offers: list[OpenQuestion] = Field(description="The choices that characters may still make.")
    names: dict[str, str] = Field(description="The full name for each short name or handle.")
    head: int = Field(description="The number of the last entry.")
    you: Person = Field(description="Who sent the request.")


class DiceAnswer(BaseModel):
    """The number of dice of one kind, and the mean of their faces. `faces` counts the dice that showed each face."""

    faces: list[int]
    rolls: int
    mean: float


class PartAnswer(DiceAnswer):
    """The dice of one character in one session."""

    who: str
    name: str = Field(description="The name to show.")
    session: int | None


class DieTestAnswer(BaseModel):
    """The test of all rolls of one kind of die by one player. There is no verdict with fewer than `least` rolls."""

    rolls: int
    least: int
    missing: int
    verdict: str | None
    evidence: float
    limit: float


class LuckAnswer(DiceAnswer):
    """The dice of one kind that one player rolled, and their test."""

    player: str = Field(description="The player, such as `p2`.")
    name: str
    source: str = Field(description="`typed` for real dice, and `machine` for dice that a computer rolled.")
    sealed: int = Field(description="The number of dice in sealed rolls.")
    sides: int
    expected: float = Field(description="How often fair dice would show each face, on average.")
    expected_mean: float
    parts: list[PartAnswer]
    test: DieTestAnswer
