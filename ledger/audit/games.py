"""A check that runs the audit checks of each game."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Self

from ledger import systems
from ledger.audit.check import EntryCheck, Fault, PastEntries
from ledger.audit.states import from_json, to_json
from ledger.errors import Broken, LedgerError
from ledger.events import types as events
from ledger.events.entry import WORD_START, Entry
from ledger.journal.book import Book
from ledger.rules.system import GameCheck, WrongStoredType

STRETCH_ENTRIES = 1000
"""The games' checks get a stretch of the journal at a time: this many entries, and the rest of the last action."""


class GamesCheck(EntryCheck):
    """A check that runs each game's own checks. It raises `Broken` if a game's check crashes.

    It collects the entries of a stretch, adds the later corrections that take effect there, and passes them to the
    games, action by action. After a stretch, it keeps only the numbers of the entries that concern all games. It reads
    these entries again for a game that starts later.
    """

    def __init__(self, stretch: int = STRETCH_ENTRIES) -> None:
        self.games: dict[str, ChecksOfGame] = {}
        self._length = stretch
        self._shared: list[list[int]] = []  # by action, the entries so far that concern all games
        self._first = 1  # the first entry of the stretch
        self._acts: list[int] = []  # the actions of the stretch
        self._stretch: list[Entry] = []

    def start(self, past: PastEntries) -> None:
        self._first = past.head + 1

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        if entry.seq == entry.act:
            if entry.seq - self._first >= self._length:
                yield from self._check_stretch(past)
            self._acts.append(entry.seq)
        if entry.since >= self._first and _concerns_games(entry):
            self._stretch.append(entry)

    def pause(self, past: PastEntries) -> Iterator[Fault]:
        yield from self._check_stretch(past)

    def state(self) -> Any:
        return {"shared": [*self._shared], "games": {name: game.state() for name, game in self.games.items()}}

    def resume(self, state: Any) -> None:
        self._shared = state["shared"]
        self.games = {name: ChecksOfGame.resumed(name, own) for name, own in state["games"].items()}

    def final_faults(self, past: PastEntries) -> Iterator[Fault]:
        yield from self._check_stretch(past)
        for game in self.games.values():
            yield from game.last_findings()

    def _check_stretch(self, past: PastEntries) -> Iterator[Fault]:
        later = filter(_concerns_games, past.book.journal.later_corrections(self._first, past.head))
        entries = sorted([*self._stretch, *later], key=lambda entry: (entry.since, entry.seq))
        for _, action in groupby(entries, key=lambda entry: bisect_right(self._acts, entry.since)):
            yield from self._check_action([_with_texts(entry, past.book) for entry in action], past)
        self._first, self._acts, self._stretch = past.head + 1, [], []

    def _check_action(self, entries: Sequence[Entry], past: PastEntries) -> Iterator[Fault]:
        shared = [entry.seq for entry in entries if isinstance(entry.event, SHARED_EVENTS)]
        played = {name: entry.seq for entry in reversed(entries) for name in games_of(entry.event)}
        for name, first in played.items():
            if name not in self.games:
                self.games[name] = ChecksOfGame(name, first)
                for seqs in self._shared:
                    earlier = [_with_texts(past.book.journal.entry(seq), past.book) for seq in seqs]
                    yield from self.games[name].check(earlier, past)
        for name in self.games if shared else played:
            yield from self.games[name].check([entry for entry in entries if _is_for(name, entry)], past)
        if shared:
            self._shared.append(shared)


class ChecksOfGame:
    """The checks of one game. A game that is not installed has none.

    If a check cannot read an entry (`WrongStoredType`), it gets no further entries, but its findings so far remain. One
    more finding, at the first entry of the game, reports the problem.
    """

    def __init__(self, name: str, first: int) -> None:
        self._name, self._first = name, first
        self._kinds = systems.find(name).rulebook().checks if systems.is_installed(name) else ()
        self.checks = [kind() for kind in self._kinds]
        self._is_readable = True

    def state(self) -> Any:
        """Return the state of the checks after an action, as JSON. Raise `TypeError` if its values are not plain."""
        checks = [(self._kinds.index(type(check)), to_json(vars(check))) for check in self.checks]
        return {"first": self._first, "is_readable": self._is_readable, "checks": checks}

    @classmethod
    def resumed(cls, name: str, state: Any) -> Self:
        """Return the checks of a game, with the state that they had after an action."""
        game = cls(name, state["first"])
        game._is_readable, game.checks = state["is_readable"], []
        for number, attributes in state["checks"]:
            game.checks.append(game._kinds[number]())
            vars(game.checks[-1]).update(from_json(attributes))
        return game

    def check(self, entries: Sequence[Entry], past: PastEntries) -> Iterator[Fault]:
        """Yield the findings of an action."""
        own = (entry.seq for entry in entries if not isinstance(entry.event, SHARED_EVENTS))
        self._first = min([self._first, *own])  # a correction can come before an entry with a lower number
        in_force = [entry for entry in entries if past.is_in_force(entry)]
        struck = [entry for entry in entries if not past.is_in_force(entry)]
        yield from self._run(lambda check: check.check(in_force, struck))

    def last_findings(self) -> Iterator[Fault]:
        """Yield the findings that are known only after the last entry."""
        yield from self._run(lambda check: check.last_findings())
        if not self._is_readable:
            says = f"From here on, entries of {self._name} contain data that this program never writes."
            yield self._first, says

    def _run(self, call: Callable[[GameCheck], Iterator[Fault]]) -> Iterator[Fault]:
        for check in [*self.checks]:
            try:
                yield from call(check)
            except WrongStoredType:
                self.checks.remove(check)
                self._is_readable = False
            except LedgerError:
                raise
            except Exception as bug:
                raise Broken(self._name, self._first, bug) from bug


def _with_texts(entry: Entry, book: Book) -> Entry:
    return entry.replace(texts=book.words.texts_of(entry.seq)) if WORD_START in entry.stored else entry


SHARED_EVENTS = (
    events.DayBegun,
    events.CharacterLeft,
    events.CharacterReturned,
    events.NpcsSeated,
    events.PlayerSeated,
    events.SessionClosed,
)
"""The events that concern all games: new days, closed sessions, and changes of the players and the cast."""


def _is_for(name: str, entry: Entry) -> bool:
    return isinstance(entry.event, SHARED_EVENTS) or name in games_of(entry.event)


def _concerns_games(entry: Entry) -> bool:
    return isinstance(entry.event, SHARED_EVENTS) or bool(games_of(entry.event))


def games_of(event: events.Event) -> Iterable[str]:
    """Return the games of an event. For an adjustment, these are the games with changed scores or marks."""
    match event:
        case events.ScoreAdjusted(amounts=names) | events.ScoresGiven(amounts=names) | events.MarksSet(values=names):
            return dict.fromkeys(name.partition("/")[0] for name in names)
        case events.CharacterJoined() | events.SettingsChanged() | events.MoveEvent() | events.Consequence():
            return [event.system]
    return []
