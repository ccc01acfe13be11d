"""A check for rolls that were canceled and soon repeated with different dice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ledger.audit.check import Before, EntryCheck, Fault
from ledger.events.entry import Entry
from ledger.events.subjects import STRUCK
from ledger.events.types import ActionStruck, DiceCounted, DiceThrown, MoveEvent
from ledger.rules.system import Remark
from ledger.times import seconds_of

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

    def __init__(self, counts: Counter[str]) -> None:
        self._counts = counts
        self._thrown: tuple[int, Dice] = (0, ())  # the action and the dice of the last throw
        self._canceled: dict[object, PlacedRoll] = {}  # by character and kind, the last roll, if it was canceled

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        act, dice = self._thrown if self._thrown[0] == entry.act else (entry.act, ())
        match entry.event:
            case DiceThrown(dice=thrown):
                self._thrown = act, (*dice, *((die.sides, die.face) for die in thrown))
                return
            case MoveEvent(who=who, system=system, move=move):
                roll = PlacedRoll(entry, who, f"{system} {move}", f"{system} {move}", dice)
            case DiceCounted(who=who, notation=notation):
                dice = tuple(sorted(dice))
                roll = PlacedRoll(entry, who, notation, tuple(sides for sides, _ in dice), dice)
            case _:
                return
        if dice and entry.since == entry.seq:
            yield from self._compare(roll, before)
            self._thrown = 0, ()

    def _compare(self, roll: PlacedRoll, before: Before) -> Iterator[Fault]:
        canceled = self._canceled.pop((roll.who, roll.kind), None)
        if canceled is not None and canceled.dice != roll.dice:
            passed = seconds_of(roll.entry.at) - seconds_of(canceled.entry.at)
            if passed <= SOON_SECONDS:
                says = f"{roll.who} rolled {roll.name} again {_in_words(passed)} after #{canceled.entry.seq}"
                yield Remark(roll.entry.seq, f"{says}, which was canceled. The dice are different.")
        if (player := _canceled_by(roll.entry, before)) is not None:
            self._counts[f"of {roll.who}'s rolls canceled by {player}"] += 1
            self._canceled[roll.who, roll.kind] = roll


def _canceled_by(entry: Entry, before: Before) -> str | None:
    """Return the player who canceled a roll. Return `None` if it is not canceled, or if its dice were kept."""
    if before.stands(entry):
        return None
    strike = before.book.journal.entry(before.book.mark(STRUCK, str(entry.act)))
    kept_dice = isinstance(strike.event, ActionStruck) and strike.event.how in {"amend", "choose"}
    return None if kept_dice else before.book.players().get(strike.by, strike.by)


def _in_words(seconds: int) -> str:
    minutes = seconds // 60
    if not minutes:
        return "within a minute"
    return "a minute" if minutes == 1 else f"{minutes} minutes"
