"""A check that runs the audit checks of each game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ledger import systems
from ledger.audit.check import EntryCheck, Fault, PastEntries
from ledger.errors import Broken, LedgerError
from ledger.events import types as events
from ledger.events.entry import WORD, Entry
from ledger.rules.system import WrongStoredType


class GamesCheck(EntryCheck):
    """A check that runs each game's own checks. It raises `Broken` if a game's check crashes."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._games: dict[str, None] = {}

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        games = games_of(entry.event)
        if games or isinstance(entry.event, SHARED_EVENTS):
            readable = entry.replace(texts=past.book.words.texts_of(entry.seq)) if WORD in entry.stored else entry
            self._entries.append(readable)
            self._games |= dict.fromkeys(games)
        yield from ()

    def final_faults(self, past: PastEntries) -> Iterator[Fault]:
        for name in filter(systems.is_installed, self._games):
            entries = [e for e in self._entries if isinstance(e.event, SHARED_EVENTS) or name in games_of(e.event)]
            first = next(entry.seq for entry in entries if not isinstance(entry.event, SHARED_EVENTS))
            for check in systems.find(name).rulebook().checks:
                try:
                    yield from check(entries, past.is_in_force)
                except WrongStoredType:
                    yield (first, f"From here on, entries of {name} contain data that this program never writes.")
                except LedgerError:
                    raise
                except Exception as bug:
                    raise Broken(name, first, bug) from bug


SHARED_EVENTS = (
    events.DayBegun,
    events.CharacterLeft,
    events.CharacterReturned,
    events.NpcsSeated,
    events.PlayerSeated,
    events.SessionClosed,
)
"""The events that concern all games: new days, closed sessions, and changes of the players and the cast."""


def games_of(event: events.Event) -> Iterable[str]:
    """Return the games of an event. For an adjustment, these are the games with changed scores or marks."""
    match event:
        case events.ScoreAdjusted(amounts=names) | events.ScoresGiven(amounts=names) | events.MarksSet(values=names):
            return dict.fromkeys(name.partition("/")[0] for name in names)
        case events.CharacterJoined() | events.SettingsChanged() | events.MoveEvent() | events.Consequence():
            return [event.system]
    return []
