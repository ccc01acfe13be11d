"""Observations: whether the values that rulings read really stood in their place."""

from collections.abc import Iterator, Sequence
from typing import Any

from ledger.audit.check import Before, Check, Fault
from ledger.audit.rederive import GameByName
from ledger.commands.sheet import settings_in_force, shown
from ledger.errors import Away
from ledger.events.commitments import is_closed, revealed
from ledger.events.entry import Entry, filled_in, place_of, throws_in
from ledger.events.types import RULINGS, MoveEvent
from ledger.journal.accounts import AsOf
from ledger.journal.book import AsOfBook, Book
from ledger.rules.system import System


class Observations(Check):
    """Whether the values that rulings read stood in their place."""

    def __init__(self, book: Book, game: GameByName) -> None:
        self._book = book
        self._game = game
        self._noted: dict[int, list[MoveEvent]] = {}

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """A ruling that read a value that did not stand there."""
        if entry.type not in RULINGS:
            return
        event = filled_in(self._book.opened(entry, secrets=True))
        assert isinstance(event, MoveEvent)  # noqa: S101  no other event reads anything
        system = self._game(event.system)
        if system is not None:
            place = place_of(entry, before.entry)
            noted = self._noted.setdefault(place, [])
            if difference := _difference(self._book, entry, event, place, system, noted):
                yield entry.seq, f"This ruling looked at {difference}, which did not stand there."
            noted.append(event)


def _difference(
    book: Book, entry: Entry, event: MoveEvent, place: int, system: System, earlier: Sequence[MoveEvent]
) -> str:
    """The first name that a ruling read otherwise than it stood in each place that it may have read; else ""."""
    states = list(_states(book, entry, place))
    in_force = [settings_in_force(state, system) for state in states]
    if event.settings.keys() != {setting.name for setting in system.settings}:
        return "other settings than the game has"
    for name, value in event.settings.items():
        if all(settings.get(name) != value for settings in (*in_force, *(other.settings for other in earlier))):
            return f"the setting {name}"
    for who, sheet in event.looked.items():
        for full, value in sheet.items():
            copied = any(other.looked.get(who, {}).get(full, ...) == value for other in earlier)
            if is_closed(value) or copied:
                continue
            if not any(_stood_at(state, system, who, full, value) for state in states):
                return f"{full} of {who}"
    return ""


def _states(book: Book, entry: Entry, place: int) -> Iterator[AsOfBook]:
    """The states that a ruling may have read: before its own dice, and in the place where it counts."""
    own = (seq for seq in throws_in(entry.event) if book.journal.entry(seq).act == entry.act)
    first = min([entry.seq, *own])
    yield AsOfBook(book, AsOf(seq=first - 1))
    if place < first:
        yield AsOfBook(book, AsOf(seq=place - 1))
        yield AsOfBook(book, AsOf(seq=place - 1, corrected=True, known=first - 1))


def _stood_at(state: AsOfBook, system: System, who: str, full: str, value: Any) -> bool:
    """Whether a value stood there; a secret that is not in this file may have been any."""
    try:
        return bool(revealed(shown(state, system, who, full)) == value)
    except Away:
        return True
