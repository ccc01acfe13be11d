"""Repeats: rolls that were canceled, and the same roll made again soon after with other dice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from ledger.audit.check import Before, Check, Fault
from ledger.events.entry import Entry
from ledger.events.subjects import STRUCK
from ledger.events.types import ActionStruck, DiceCounted, DiceThrown, MoveEvent
from ledger.journal.book import Book
from ledger.rules.system import Remark, Stands

SOON_SECONDS = 300
"""A roll made again within this time of the canceled one is named."""


class Roll(NamedTuple):
    """A roll in its own place: its first entry with an outcome, who rolled what, and the faces."""

    entry: Entry
    who: str
    name: str
    faces: tuple[int, ...]


class Repeats(Check):
    """Count the rolls that were canceled, and name those that were rolled again soon after.

    An amendment keeps the dice, and so cancels no roll. The same dice typed again are a correction too.
    """

    of = (DiceThrown, MoveEvent, DiceCounted)

    def __init__(self, book: Book, stands: Stands, counts: Counter[str]) -> None:
        self._book = book
        self._stands = stands
        self._counts = counts
        self._thrown: tuple[int, tuple[int, ...]] = (0, ())  # the action and the faces of the throw that was read last
        self._canceled: dict[tuple[str, str], Roll] = {}  # by who rolled what, the last roll if it was canceled

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Yield a remark for a roll that repeats a canceled one."""
        if isinstance(entry.event, DiceThrown):
            act, faces = self._thrown if self._thrown[0] == entry.act else (entry.act, ())
            self._thrown = act, (*faces, *(die.face for die in entry.event.dice))
        elif self._thrown[0] == entry.act and entry.since == entry.seq:
            yield from self._compare(self._roll(entry))
            self._thrown = 0, ()

    def _roll(self, entry: Entry) -> Roll:
        event = entry.event
        if isinstance(event, MoveEvent):
            return Roll(entry, event.who, f"{event.system} {event.move}", self._thrown[1])
        assert isinstance(event, DiceCounted)  # noqa: S101  nothing else is looked at
        return Roll(entry, event.who, event.notation, self._thrown[1])

    def _compare(self, roll: Roll) -> Iterator[Fault]:
        canceled = self._canceled.pop((roll.who, roll.name), None)
        if canceled is not None and canceled.faces != roll.faces:
            passed = _seconds(roll.entry) - _seconds(canceled.entry)
            if passed <= SOON_SECONDS:
                says = f"{roll.who} rolled {roll.name} again {_in_words(passed)} after #{canceled.entry.seq}"
                yield Remark(roll.entry.seq, f"{says}, which was canceled. The dice are different.")
        if (player := self._canceled_by(roll.entry)) is not None:
            self._counts[f"of {roll.who}'s rolls canceled by {player}"] += 1
            self._canceled[roll.who, roll.name] = roll

    def _canceled_by(self, entry: Entry) -> str | None:
        """The player who canceled a roll and did not replace it by an amendment, `None` if nobody did."""
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
