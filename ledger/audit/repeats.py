"""A check for rolls that were canceled and soon repeated with different dice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from ledger.audit.check import Before, EntryCheck, Fault
from ledger.events.entry import Entry
from ledger.events.subjects import STRUCK
from ledger.events.types import ActionStruck, DiceCounted, DiceThrown, MoveEvent
from ledger.journal.book import Book
from ledger.rules.system import Remark, Stands

SOON_SECONDS = 300
"""The longest time between a canceled roll and a reported repetition."""


Dice = tuple[tuple[int, int], ...]
"""The number of sides and the face of each die."""


class PlacedRoll(NamedTuple):
    """A roll that is not a copy: its first entry with an outcome, the character, the name of the roll, and the dice.

    Only rolls of the same `kind` are compared. For a move, that is its name; for other rolls, the sides of the dice.
    """

    entry: Entry
    who: str
    name: str
    kind: str | tuple[int, ...]
    dice: Dice


class Repeats(EntryCheck):
    """A counter of canceled rolls, and a check for repetitions. Amendments do not count, because they keep the dice."""

    of = (DiceThrown, MoveEvent, DiceCounted)

    def __init__(self, book: Book, stands: Stands, counts: Counter[str]) -> None:
        self._book = book
        self._stands = stands
        self._counts = counts
        self._thrown: tuple[int, Dice] = (0, ())  # the action and the dice of the last throw
        self._canceled: dict[object, PlacedRoll] = {}  # by character and kind, the last roll, if it was canceled

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        if isinstance(entry.event, DiceThrown):
            act, dice = self._thrown if self._thrown[0] == entry.act else (entry.act, ())
            self._thrown = act, (*dice, *((die.sides, die.face) for die in entry.event.dice))
        elif self._thrown[0] == entry.act and entry.since == entry.seq:
            yield from self._compare(self._roll(entry))
            self._thrown = 0, ()

    def _roll(self, entry: Entry) -> PlacedRoll:
        event, dice = entry.event, self._thrown[1]
        if isinstance(event, MoveEvent):
            name = f"{event.system} {event.move}"
            return PlacedRoll(entry, event.who, name, name, dice)
        assert isinstance(event, DiceCounted)  # noqa: S101  see `of`
        dice = tuple(sorted(dice))
        return PlacedRoll(entry, event.who, event.notation, tuple(sides for sides, _ in dice), dice)

    def _compare(self, roll: PlacedRoll) -> Iterator[Fault]:
        canceled = self._canceled.pop((roll.who, roll.kind), None)
        if canceled is not None and canceled.dice != roll.dice:
            passed = _seconds(roll.entry) - _seconds(canceled.entry)
            if passed <= SOON_SECONDS:
                says = f"{roll.who} rolled {roll.name} again {_in_words(passed)} after #{canceled.entry.seq}"
                yield Remark(roll.entry.seq, f"{says}, which was canceled. The dice are different.")
        if (player := self._canceled_by(roll.entry)) is not None:
            self._counts[f"of {roll.who}'s rolls canceled by {player}"] += 1
            self._canceled[roll.who, roll.kind] = roll

    def _canceled_by(self, entry: Entry) -> str | None:
        """Return the player who canceled a roll. Return `None` if it is not canceled, or if its dice were kept."""
        if self._stands(entry):
            return None
        strike = self._book.journal.entry(self._book.mark(STRUCK, str(entry.act)))
        kept_dice = isinstance(strike.event, ActionStruck) and strike.event.how in {"amend", "choose"}
        return None if kept_dice else self._book.players().get(strike.by, strike.by)


def _seconds(entry: Entry) -> int:
    return int(datetime.fromisoformat(entry.at).timestamp())


def _in_words(seconds: int) -> str:
    minutes = seconds // 60
    if not minutes:
        return "within a minute"
    return "a minute" if minutes == 1 else f"{minutes} minutes"
