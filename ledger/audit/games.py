"""A check that runs the audit checks of each game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ledger import systems
from ledger.audit.check import Before, EntryCheck, Fault
from ledger.errors import Broken, LedgerError
from ledger.events import types as events
from ledger.events.entry import WORD, Entry
from ledger.journal.book import Book
from ledger.rules.system import Misfit, Stands


class GameChecks(EntryCheck):
    """A check that runs each game's own checks on its entries. Raises `Broken` if one of them crashes."""

    def __init__(self, book: Book, stands: Stands) -> None:
        self._book = book
        self._stands = stands
        self._concern: dict[str, list[Entry]] = {name: [] for name in systems.OURS}
        self._of_all: list[Entry] = []
        self._played: set[str] = set()

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        opened = entry.replace(texts=self._book.words.of(entry.seq)) if WORD in entry.stored else entry
        if isinstance(opened.event, OF_ALL):
            self._of_all.append(opened)
        for name in _games_of(opened.event, self._concern):
            if name not in self._concern and systems.known(name):  # `known` is slow for games of other packages
                self._concern[name] = [*self._of_all]
            if name in self._concern:
                self._concern[name].append(opened)
        self._played.update(_games_of(opened.event, ()))
        yield from ()

    def end(self) -> Iterator[Fault]:
        for name in [name for name in self._concern if name in self._played]:
            entries = self._concern.pop(name)
            first = next(entry.seq for entry in entries if not isinstance(entry.event, OF_ALL))
            for check in systems.find(name).rulebook().checks:
                try:
                    yield from check(entries, self._stands)
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


def _games_of(event: events.Event, games: Iterable[str]) -> Iterable[str]:
    """Return the games that an event concerns: its own, those whose scores or marks it changes, or all (`games`)."""
    if isinstance(event, OF_ALL):
        return games
    if isinstance(event, events.ScoreAdjusted | events.MarksSet):
        full = [*(posting.score for posting in event.postings), *(mark.name for mark in event.marks)]
        return dict.fromkeys(name.partition("/")[0] for name in full)
    if isinstance(event, events.CharacterJoined | events.SettingsChanged | events.MoveEvent | events.Consequence):
        return [event.system]
    return []
