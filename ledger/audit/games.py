"""A check that runs the audit checks of each game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ledger import systems
from ledger.audit.check import Before, EntryCheck, Fault
from ledger.errors import Broken, LedgerError
from ledger.events import types as events
from ledger.events.entry import WORD, Entry
from ledger.rules.system import Misfit


class GameChecks(EntryCheck):
    """A check that runs each game's own checks on its entries. Raises `Broken` if one of them crashes."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._played: dict[str, None] = {}

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        games = games_of(entry.event)
        if games or isinstance(entry.event, OF_ALL):
            opened = entry.replace(texts=before.book.words.of(entry.seq)) if WORD in entry.stored else entry
            self._entries.append(opened)
            self._played |= dict.fromkeys(games)
        yield from ()

    def end(self, before: Before) -> Iterator[Fault]:
        for name in filter(systems.known, self._played):
            entries = [e for e in self._entries if isinstance(e.event, OF_ALL) or name in games_of(e.event)]
            first = next(entry.seq for entry in entries if not isinstance(entry.event, OF_ALL))
            for check in systems.find(name).rulebook().checks:
                try:
                    yield from check(entries, before.stands)
                except Misfit:
                    yield (first, f"From here on, entries of {name} contain data that this program never writes.")
                except LedgerError:
                    raise
                except Exception as bug:
                    raise Broken(name, first, bug) from bug


OF_ALL = (
    events.DayBegun,
    events.CharacterLeft,
    events.CharacterReturned,
    events.NpcsSeated,
    events.PlayerSeated,
    events.SessionClosed,
)
"""The events that concern all games: new days, closed sessions, and changes of the players and the cast."""


def games_of(event: events.Event) -> Iterable[str]:
    """Return the games that an event belongs to: its own, or those whose scores or marks it sets by hand."""
    match event:
        case events.ScoreAdjusted(amounts=full) | events.MarksSet(values=full):
            return dict.fromkeys(name.partition("/")[0] for name in full)
        case events.CharacterJoined() | events.SettingsChanged() | events.MoveEvent() | events.Consequence():
            return [event.system]
    return []
