"""The events of the table: who sits at it and plays, which evening, day and turn it is, what the GM decides by hand."""

from __future__ import annotations

from typing import Any, ClassVar

from ledger.events.commitments import CommittedText, Secret
from ledger.events.facts import Amount, Event, Named, Offset, Seq


class PlayerSeated(Event):
    """A person at the table, new or not; `gm` and `plays` add to those of earlier entries."""

    type: ClassVar[str] = "player-seated"
    player: Named
    name: CommittedText
    gm: bool
    plays: tuple[str, ...]


class CharacterJoined(Event):
    """A character got a sheet in one system; `scores` are those typed with it."""

    type: ClassVar[str] = "character-joined"
    who: Named
    system: Named
    edition: Named
    scores: dict[str, int]


class NpcsSeated(Event):
    """Non-player characters of the GM play until this session closes."""

    type: ClassVar[str] = "npcs-seated"
    session: Seq
    names: tuple[str, ...]


class CharacterLeft(Event):
    """A character plays no longer; the sheets are kept."""

    type: ClassVar[str] = "character-left"
    who: Named


class CharacterReturned(Event):
    """A character that left plays again, with the sheets that were kept."""

    type: ClassVar[str] = "character-returned"
    who: Named


class SessionOpened(Event):
    """An evening began."""

    type: ClassVar[str] = "session-opened"
    number: Seq
    title: CommittedText
    present: tuple[str, ...]
    offset: Offset | None = None
    """The time zone of the table: minutes east of UTC."""


class SessionClosed(Event):
    """An evening ended."""

    type: ClassVar[str] = "session-closed"
    number: Seq


class SceneSet(Event):
    """A part of a session began."""

    type: ClassVar[str] = "scene-set"
    title: CommittedText


class ScoreAdjusted(Event):
    """The GM moved scores by hand; `sets` are those that were set to a value, and `amounts` by how much all moved."""

    type: ClassVar[str] = "score-adjusted"
    who: Named
    amounts: dict[str, int]
    why: CommittedText | None
    sets: dict[str, int] = {}  # noqa: RUF012  no struct changes its fields


class MarksSet(Event):
    """The GM set marks by hand."""

    type: ClassVar[str] = "marks-set"
    who: Named
    values: dict[str, Any]
    why: CommittedText | None


class NoteWritten(Event):
    """Somebody wrote something down."""

    type: ClassVar[str] = "note-written"
    text: CommittedText


class NoteKept(NoteWritten):
    """The GM wrote something down that the players do not read until it is revealed."""

    type: ClassVar[str] = "note-kept"
    text: Secret


class SettingsChanged(Event):
    """The GM changed settings of a system, from this entry on."""

    type: ClassVar[str] = "settings-changed"
    system: Named
    values: dict[str, Any]
    why: CommittedText | None = None


class DayBegun(Event):
    """A day of the campaign began; the first day of a command has the `count` or `until` that was typed."""

    type: ClassVar[str] = "day-begun"
    day: Seq
    count: Seq | None
    until: Seq | None


class TurnAdded(Event):
    """A character has a place in the turn order, by a number."""

    type: ClassVar[str] = "turn-added"
    who: Named
    number: Amount


class TurnBegan(Event):
    """The next turn of the order began; `number` is that of the character whose turn it is."""

    type: ClassVar[str] = "turn-began"
    round: Seq
    who: Named
    number: Amount


class TurnsEnded(Event):
    """The turn order ended; `names` had a place in it."""

    type: ClassVar[str] = "turns-ended"
    names: tuple[str, ...]
