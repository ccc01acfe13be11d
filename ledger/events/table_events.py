"""The events of the table: who sits at it and plays, which evening, day and turn it is, what the GM decides by hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from ledger.events.commitments import CommittedText, Secret
from ledger.events.facts import Amount, Event, Mark, Named, Offset, Position, Posting, Seq, StateBefore
from ledger.events.subjects import (
    CAMPAIGN,
    CAST,
    PLAYER,
    PLAYERS,
    TURN,
    TURNS,
    ZONE,
    in_cast,
    is_npc,
)


def of_campaign(values: dict[str, Any]) -> tuple[Mark, ...]:
    """Return marks of the campaign."""
    return tuple(Mark(who=CAMPAIGN, name=name, value=value) for name, value in values.items())


def _one_more(score: str) -> tuple[Posting, ...]:
    """Return the posting that counts a day or a session of the campaign."""
    return (Posting(who=CAMPAIGN, score=score, amount=1),)


def turn_taken(event: Event, who: str, number: int, at: Position, before: StateBefore) -> tuple[Mark, ...]:
    """Return the marks of a place in the turn order. A character who has one already gets the new number."""
    names = event.stated(CAMPAIGN, TURNS) if at.is_old else [*(before.mark(CAMPAIGN, TURNS) or ()), who]
    order = dict.fromkeys(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()
    return Mark(who=who, name=TURN, value=number), *of_campaign({TURNS: [*order]})


def _turns_ended(names: Iterable[str]) -> tuple[Mark, ...]:
    """Return the marks that end a turn order in which these names had a place."""
    return *of_campaign({TURNS: None, TURN: None}), *(Mark(who=who, name=TURN, value=None) for who in names)


class PlayerSeated(Event):
    """A person at the table, new or not; `gm` and `plays` add to those of earlier entries."""

    type: ClassVar[str] = "player-seated"
    story = "never"
    stays = True
    player: Named
    name: CommittedText
    gm: bool
    plays: tuple[str, ...]

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        played = (Mark(who=who, name=PLAYER, value=self.player) for who in self.plays)
        gm = (Mark(who=self.player, name="gm", value=True),) if self.gm else ()
        return *played, *gm, Mark(who=PLAYERS, name=self.player, value=at.seq)


class CharacterJoined(Event):
    """A character got a sheet in one system; `scores` are those typed with it.

    A command states the scores with which the sheet starts. A non-player character keeps its place in the cast.
    """

    type: ClassVar[str] = "character-joined"
    phrase = "joins {system}"
    story = "never"
    stays = True
    who: Named
    system: Named
    edition: Named
    scores: dict[str, int]

    def own_postings(self) -> tuple[Posting, ...]:
        prefix = f"{self.system}/"
        stated = (posting for posting in self.postings if posting.who == self.who)
        starts = {posting.score: posting.amount for posting in stated if posting.score.startswith(prefix)}
        starts |= {prefix + name: value for name, value in self.scores.items() if value or prefix + name in starts}
        return tuple(Posting(who=self.who, score=score, amount=amount) for score, amount in starts.items())

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        seat = self.stated(CAST, self.who) if at.is_old else before.mark(CAST, self.who)
        is_npcs = is_npc(seat) and {name: type(value) for name, value in seat.items()} == {"session": int}
        stays = is_npcs and (at.is_old or _is_played_by_gm(self.who, before))
        cast = Mark(who=CAST, name=self.who, value=seat if stays else at.seq)
        return cast, Mark(who=self.who, name=f"{self.system}/sheet", value=True)


def _is_played_by_gm(who: str, before: StateBefore) -> bool:
    """Return True for a non-player character whose session is open."""
    return in_cast(before.mark(CAST, who), before.mark(CAMPAIGN, "session")) and before.mark(who, PLAYER) is None


class NpcsSeated(Event):
    """Non-player characters of the GM play until this session closes."""

    type: ClassVar[str] = "npcs-seated"
    story = "never"
    stays = True
    session: Seq
    names: tuple[str, ...]

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return tuple(Mark(who=CAST, name=who, value={"session": self.session}) for who in self.names)


class CharacterLeft(Event):
    """A character plays no longer; the sheets are kept. A non-player character leaves no place in the cast."""

    type: ClassVar[str] = "character-left"
    phrase = "leaves the table"
    story = "never"
    stays = True
    who: Named

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        is_gms = is_npc(before.mark(CAST, self.who)) and before.mark(self.who, PLAYER) is None
        stays_out = self.stated(CAST, self.who) is not None if at.is_old else not is_gms
        return (Mark(who=CAST, name=self.who, value=False if stays_out else None),)


class CharacterReturned(Event):
    """A character that left plays again, with the sheets that were kept."""

    type: ClassVar[str] = "character-returned"
    phrase = "returns to the table"
    story = "never"
    stays = True
    who: Named

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return (Mark(who=CAST, name=self.who, value=at.seq),)


class SessionOpened(Event):
    """An evening began."""

    type: ClassVar[str] = "session-opened"
    stays = True
    number: Seq
    title: CommittedText
    present: tuple[str, ...]
    offset: Offset | None = None
    """The time zone of the table: minutes east of UTC."""

    def own_postings(self) -> tuple[Posting, ...]:
        return _one_more("session")

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return of_campaign({"session": self.number} | ({} if self.offset is None else {ZONE: self.offset}))


class SessionClosed(Event):
    """An evening ended, with its scene and its turn order."""

    type: ClassVar[str] = "session-closed"
    phrase = "session {number} closed"
    story = "accompanied"
    stays = True
    number: Seq

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        names = before.mark(CAMPAIGN, TURNS)
        if at.is_old:
            is_ended = any(mark.name == TURNS for mark in self.marks)
            names = [mark.who for mark in self.marks if mark.who != CAMPAIGN] if is_ended else None
        return *of_campaign({"session": None, "scene": None}), *(() if names is None else _turns_ended(names))


class SceneSet(Event):
    """A part of a session began."""

    type: ClassVar[str] = "scene-set"
    phrase = "scene: {title}"
    stays = True
    title: CommittedText

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return of_campaign({"scene": at.seq})


class ScoreAdjusted(Event):
    """The GM moved scores by hand; `sets` are those that were set to a value, and `amounts` by how much all moved."""

    type: ClassVar[str] = "score-adjusted"
    phrase = "adjusted by hand{why}"
    who: Named
    amounts: dict[str, int]
    why: CommittedText | None
    sets: dict[str, int] = {}  # noqa: RUF012  no struct changes its fields

    def own_postings(self) -> tuple[Posting, ...]:
        return tuple(Posting(who=self.who, score=name, amount=amount) for name, amount in self.amounts.items())


class MarksSet(Event):
    """The GM set marks by hand; `values` are as typed, and a command states what the game reads from them."""

    type: ClassVar[str] = "marks-set"
    story = "never"
    who: Named
    values: dict[str, Any]
    why: CommittedText | None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return tuple(Mark(who=self.who, name=name, value=self.stated(self.who, name)) for name in self.values)


class NoteWritten(Event):
    """Somebody wrote something down."""

    type: ClassVar[str] = "note-written"
    phrase = "note: {text}"
    stays = True
    text: CommittedText


class NoteKept(NoteWritten):
    """The GM wrote something down that the players do not read until it is revealed."""

    type: ClassVar[str] = "note-kept"
    text: Secret


class SettingsChanged(Event):
    """The GM changed settings of a system; `values` are as typed, and a command states what the game reads."""

    type: ClassVar[str] = "settings-changed"
    story = "never"
    stays = True
    system: Named
    values: dict[str, Any]
    why: CommittedText | None = None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        names = (f"{self.system}/{name}" for name in self.values)
        return of_campaign({name: self.stated(CAMPAIGN, name) for name in names})


class DayBegun(Event):
    """A day of the campaign began; the first day of a command has the `count` or `until` that was typed."""

    type: ClassVar[str] = "day-begun"
    phrase = "day {day} begins"
    day: Seq
    count: Seq | None
    until: Seq | None

    def own_postings(self) -> tuple[Posting, ...]:
        return _one_more("day")


class TurnAdded(Event):
    """A character has a place in the turn order, by a number."""

    type: ClassVar[str] = "turn-added"
    phrase = "has initiative {number}"
    story = "accompanied"
    who: Named
    number: Amount

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return turn_taken(self, self.who, self.number, at, before)


class TurnBegan(Event):
    """The next turn of the order began; `number` is that of the character whose turn it is."""

    type: ClassVar[str] = "turn-began"
    phrase = "round {round}: {who}'s turn"
    story = "accompanied"
    round: Seq
    who: Named
    number: Amount

    @property
    def subject(self) -> str:
        return ""  # the phrase has the name

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return of_campaign({TURN: {"number": self.number, "round": self.round, "who": self.who}})


class TurnsEnded(Event):
    """The turn order ended; `names` had a place in it."""

    type: ClassVar[str] = "turns-ended"
    phrase = "the turn order ends"
    story = "accompanied"
    names: tuple[str, ...]

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return _turns_ended(self.names)
