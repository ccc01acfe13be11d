"""Events about sessions, scenes, days, turns and notes, and changes that the GM makes by hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar

from ledger.events.commitments import CommittedText, Secret
from ledger.events.facts import Amount, Event, Mark, Offset, Position, Posting, Seq, ShortText, StateBefore, about_mark
from ledger.events.subjects import (
    CALENDAR,
    CAMPAIGN,
    EACH_ROUND,
    TURN,
    TURNS,
    ZONE,
)
from ledger.values import MAX_STORED_NUMBER, Within


def campaign_marks(values: dict[str, Any]) -> tuple[Mark, ...]:
    """Return one mark of the campaign for each name in `values`, with its value."""
    return tuple(Mark(who=CAMPAIGN, name=name, value=value) for name, value in values.items())


def _postings_adding_one(score: str) -> tuple[Posting, ...]:
    return (Posting(who=CAMPAIGN, score=score, amount=1),)


def turn_marks(
    event: Event, who: str, number: int, at: Position, before: StateBefore, *, ahead_of: str | None = None
) -> tuple[Mark, ...]:
    """Return the marks that add a character to the turn order, or change the character's number in it.

    Among characters with the same number, this character acts just before `ahead_of`. Without `ahead_of`, the
    character keeps the old place, or gets the last place if there is no old one.
    """
    names = event.given_value(CAMPAIGN, TURNS) if at.is_backdated else [*(before.mark(CAMPAIGN, TURNS) or ()), who]
    order = list(dict.fromkeys(name for name in names if isinstance(name, str))) if isinstance(names, list) else []
    if ahead_of in order and not at.is_backdated:
        order.remove(who)
        order.insert(order.index(ahead_of), who)
    return Mark(who=who, name=TURN, value=number), *campaign_marks({TURNS: order})


def _turns_ended_marks(names: Iterable[str]) -> tuple[Mark, ...]:
    return *campaign_marks({TURNS: None, TURN: None}), *(Mark(who=who, name=TURN, value=None) for who in names)


class SessionOpened(Event):
    """The start of a session. Everybody counts as present if `present` is empty."""

    type: ClassVar[str] = "session-opened"
    survives_rewind = True
    number: Seq
    title: CommittedText
    present: tuple[str, ...]
    offset: Offset | None = None
    """The time zone of the table: minutes east of UTC."""

    def own_postings(self) -> tuple[Posting, ...]:
        return _postings_adding_one("session")

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return campaign_marks({"session": self.number} | ({} if self.offset is None else {ZONE: self.offset}))


class SessionClosed(Event):
    """The end of a session. It also ends the scene and the turn order."""

    type: ClassVar[str] = "session-closed"
    phrase = "session {number} closed"
    chronicle_rule = "accompanied"
    survives_rewind = True
    number: Seq

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        names = before.mark(CAMPAIGN, TURNS)
        if at.is_backdated:
            is_ended = any(mark.name == TURNS for mark in self.marks)
            names = [mark.who for mark in self.marks if mark.who != CAMPAIGN] if is_ended else None
        return *campaign_marks({"session": None, "scene": None}), *(() if names is None else _turns_ended_marks(names))


class SceneSet(Event):
    """The start of a scene, which lasts until the next scene or the end of the session."""

    type: ClassVar[str] = "scene-set"
    phrase = "scene: {title}"
    survives_rewind = True
    title: CommittedText

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return campaign_marks({"scene": at.seq})


class ScoreAdjusted(Event):
    """A change of scores by the GM. `amounts` has all changes; `sets` has the scores that were set to a value."""

    type: ClassVar[str] = "score-adjusted"
    phrase = "adjusted by hand{why}"
    who: ShortText
    amounts: dict[str, int]
    why: CommittedText | None
    sets: dict[str, int] = {}  # noqa: RUF012  no struct changes its fields

    def own_postings(self) -> tuple[Posting, ...]:
        return tuple(Posting(who=self.who, score=name, amount=amount) for name, amount in self.amounts.items())


Gift = Annotated[int, Within(1, MAX_STORED_NUMBER)]
"""An amount that a character gives."""


class ScoresGiven(Event):
    """A transfer of scores, such as gold, from one character to another.

    `amounts` maps the full name of each score to the amount.
    """

    type: ClassVar[str] = "scores-given"
    who: ShortText
    to: ShortText
    amounts: dict[str, Gift]
    why: CommittedText | None

    def own_postings(self) -> tuple[Posting, ...]:
        sides = ((self.who, -1), (self.to, 1))
        return tuple(
            Posting(who=who, score=name, amount=sign * amount)
            for who, sign in sides
            for name, amount in self.amounts.items()
        )


class MarksSet(Event):
    """Marks that the GM set. `values` has the values as typed, and `marks` has them in the form that the game uses."""

    type: ClassVar[str] = "marks-set"
    chronicle_rule = "never"
    who: ShortText
    values: dict[str, Any]
    why: CommittedText | None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return tuple(Mark(who=self.who, name=name, value=self.given_value(self.who, name)) for name in self.values)


class NoteWritten(Event):
    """A note by a player or the GM. `about` is the entry that the note is about, or None."""

    type: ClassVar[str] = "note-written"
    survives_rewind = True
    text: CommittedText
    about: Seq | None = None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return () if self.about is None else (about_mark(before.entry(self.about).act, at),)


class NoteKept(NoteWritten):
    """A secret note. Until it is revealed, only its author, the GMs and `players` can read it."""

    type: ClassVar[str] = "note-kept"
    text: Secret
    players: tuple[str, ...] = ()


class SettingsChanged(Event):
    """New settings of a game. `values` has the values as typed, and `marks` has them in the form that the game uses."""

    type: ClassVar[str] = "settings-changed"
    chronicle_rule = "never"
    survives_rewind = True
    system: ShortText
    values: dict[str, Any]
    why: CommittedText | None = None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        names = (f"{self.system}/{name}" for name in self.values)
        return campaign_marks({name: self.given_value(CAMPAIGN, name) for name in names})


class CalendarSet(Event):
    """The calendar of the game's world, from now on. `calendar` is the text of a file; None removes the calendar."""

    type: ClassVar[str] = "calendar-set"
    chronicle_rule = "never"
    survives_rewind = True
    calendar: CommittedText | None
    why: CommittedText | None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return campaign_marks({CALENDAR: None if self.calendar is None else at.seq})


class DayBegun(Event):
    """The start of a campaign day. If a command starts several days, the first day has the typed `count` or `until`."""

    type: ClassVar[str] = "day-begun"
    phrase = "day {day} begins"
    day: Seq
    count: Seq | None
    until: Seq | None

    def own_postings(self) -> tuple[Posting, ...]:
        return _postings_adding_one("day")


class TurnAdded(Event):
    """A character's number in the turn order, as typed.

    `before` is a character with the same number who acts after this one.
    """

    type: ClassVar[str] = "turn-added"
    phrase = "has initiative {number}"
    chronicle_rule = "accompanied"
    who: ShortText
    number: Amount
    before: ShortText | None = None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return turn_marks(self, self.who, self.number, at, before, ahead_of=self.before)


class TurnBegan(Event):
    """The start of a character's turn. `number` is the character's number in the turn order.

    - `acted`: everybody who has had a turn in this round, this character included. Entries of earlier versions
      have None. For these, everybody up to this character in the turn order has acted.
    - `delayed`: everybody who began a turn in this round, and delayed it.
    """

    type: ClassVar[str] = "turn-began"
    phrase = "round {round}: {who}'s turn"
    chronicle_rule = "accompanied"
    round: Seq
    who: ShortText
    number: Amount
    acted: tuple[str, ...] | None = None
    delayed: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        return ""  # the phrase already names the character

    @property
    def by_round(self) -> bool:
        """True if the entry says who has had a turn in this round."""
        return self.acted is not None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        turn = {"number": self.number, "round": self.round, "who": self.who}
        return _turn_marks(turn, self.acted, self.delayed)


class TurnSkipped(TurnBegan):
    """A turn of the character `who` that is skipped. `turn` is the character who has the turn afterwards, or "".

    With `always`, `who` is out of the turn order from now on.
    """

    type: ClassVar[str] = "turn-skipped"
    phrase = "round {round}: {who}'s turn is skipped{why}"
    turn: str
    always: bool
    why: CommittedText | None = None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        turn = {"number": self.number, "round": self.round, "who": self.turn}
        out = (Mark(who=self.who, name=TURN, value=None),) if self.always else ()
        return *_turn_marks(turn, self.acted, self.delayed), *out


class TurnDelayed(Event):
    """The delay of a turn until later in the round. `number` is the character's new number in the turn order.

    Among characters with the same number, this character acts right after `after`. If `after` is None, the
    character acts last. The other fields are as in `TurnSkipped`.
    """

    type: ClassVar[str] = "turn-delayed"
    phrase = "acts later in round {round}, at {number}"
    chronicle_rule = "accompanied"
    who: ShortText
    number: Amount
    after: ShortText | None
    round: Seq
    turn: str
    acted: tuple[str, ...]
    delayed: tuple[str, ...]

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        number, order = turn_marks(self, self.who, self.number, at, before)
        if not at.is_backdated:
            names = [name for name in order.value if name != self.who]
            names.insert(names.index(self.after) + 1 if self.after in names else len(names), self.who)
            order = order.replace(value=names)
        turn = {"number": self.number, "round": self.round, "who": self.turn}
        return number, order, *_turn_marks(turn, self.acted, self.delayed)


class RoundBegan(Event):
    """The start of a round in which everybody gets a new number. `names`: the characters who lose their old numbers."""

    type: ClassVar[str] = "round-began"
    phrase = "round {round}: new initiative"
    chronicle_rule = "accompanied"
    by_round: ClassVar[bool] = True
    round: Seq
    names: tuple[str, ...]

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        numbers = (Mark(who=who, name=TURN, value=None) for who in self.names)
        return *_turn_marks({"number": 0, "round": self.round, "who": ""}, (), ()), *numbers


def _turn_marks(turn: dict[str, Any], acted: Iterable[str] | None, delayed: Iterable[str]) -> tuple[Mark, ...]:
    # in alphabetical order, as it is stored and compared
    lists = {} if acted is None else {"acted": [*acted], "delayed": [*delayed]}
    return campaign_marks({TURN: {**lists, **turn}})


class InitiativeSet(Event):
    """The setting for initiative: with `each_round`, everybody gets a new number at the start of each round."""

    type: ClassVar[str] = "initiative-set"
    chronicle_rule = "never"
    survives_rewind = True
    each_round: bool
    why: CommittedText | None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return campaign_marks({EACH_ROUND: True if self.each_round else None})


class TurnsEnded(Event):
    """The end of the turn order. `names` are the characters that were in it."""

    type: ClassVar[str] = "turns-ended"
    phrase = "the turn order ends"
    chronicle_rule = "accompanied"
    names: tuple[str, ...]

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return _turns_ended_marks(self.names)
