"""The events of the table: who sits at it and plays, which evening and day it is, and what the GM decides by hand."""

from typing import Any, ClassVar

from ledger.events.commitments import Said
from ledger.events.facts import Event, Named, Seq


class PlayerSeated(Event):
    """A person at the table, new or not; `gm` and `plays` add to those of earlier entries."""

    type: ClassVar[str] = "player-seated"
    player: Named
    name: Said
    gm: bool
    plays: tuple[str, ...]


class CharacterJoined(Event):
    """A character got a sheet in one system; `scores` are those typed with it."""

    type: ClassVar[str] = "character-joined"
    who: Named
    system: Named
    edition: Named
    scores: dict[str, int]


class SessionOpened(Event):
    """An evening began."""

    type: ClassVar[str] = "session-opened"
    number: Seq
    title: Said
    present: tuple[str, ...]


class SessionClosed(Event):
    """An evening ended."""

    type: ClassVar[str] = "session-closed"
    number: Seq


class SceneSet(Event):
    """A part of a session began."""

    type: ClassVar[str] = "scene-set"
    title: Said


class ScoreAdjusted(Event):
    """The GM moved scores by hand."""

    type: ClassVar[str] = "score-adjusted"
    who: Named
    amounts: dict[str, int]
    why: Said


class MarksSet(Event):
    """The GM set marks by hand."""

    type: ClassVar[str] = "marks-set"
    who: Named
    values: dict[str, Any]
    why: Said


class NoteWritten(Event):
    """Somebody wrote something down."""

    type: ClassVar[str] = "note-written"
    text: Said


class SettingsChanged(Event):
    """The GM changed settings of a system, from this entry on."""

    type: ClassVar[str] = "settings-changed"
    system: Named
    values: dict[str, Any]
    why: Said | None = None


class DayBegun(Event):
    """A day of the campaign began; the first day of a command has the `count` or `until` that was typed."""

    type: ClassVar[str] = "day-begun"
    day: Seq
    count: Seq | None
    until: Seq | None
