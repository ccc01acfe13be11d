"""A check for rolls that were canceled and soon repeated with different dice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ledger.audit.check import EntryCheck, Fault, PastEntries
from ledger.events.entry import Entry
from ledger.events.subjects import STRUCK
from ledger.events.types import ActionStruck, DiceCounted, DiceThrown, MoveEvent
from ledger.rules.system import Remark
from ledger.times import seconds_of

SOON_SECONDS = 300
"""The longest time, in seconds, between a canceled roll and a new roll that is reported as its repetition."""

RolledFaces = tuple[tuple[int, int], ...]
"""The number of sides and the face of each die."""

DICE = re.compile(r"([0-9]{0,3})d([0-9]+|%|f)", re.IGNORECASE)


class OriginalRoll(NamedTuple):
    """A roll that is not a copy of an older one. `entry` is the ruling or the total.

    The check compares rolls of one `kind`: the name of a move, or the type and the dice of a plain roll.
    """

    entry: Entry
    who: str
    name: str
    kind: str | tuple[str, frozenset[tuple[str, int]]]
    dice: RolledFaces


class RepeatsCheck(EntryCheck):
    """A check for repeated rolls, and a count of canceled rolls. Rolls whose dice a correction kept are not counted."""

    def __init__(self, counts: Counter[str]) -> None:
        self._counts = counts
        self._last_throw: tuple[int, RolledFaces] = (0, ())  # the action and the dice of the last throw
        self._canceled: dict[object, OriginalRoll] = {}  # by character and kind, the last roll if it was canceled

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        act, dice = self._last_throw if self._last_throw[0] == entry.act else (entry.act, ())
        match entry.event:
            case DiceThrown(dice=thrown):
                self._last_throw = act, (*dice, *((die.sides, die.face) for die in thrown))
                return
            case MoveEvent(who=who, system=system, move=move):
                roll = OriginalRoll(entry, who, f"{system} {move}", f"{system} {move}", dice)
            case DiceCounted(who=who, notation=notation):
                dice = tuple(sorted(dice))
                roll = OriginalRoll(entry, who, notation, (entry.type, _kinds_of_dice(notation)), dice)
            case _:
                return
        if dice and entry.since == entry.seq:
            yield from self._compare(roll, past)
            self._last_throw = 0, ()

    def _compare(self, roll: OriginalRoll, past: PastEntries) -> Iterator[Fault]:
        canceled = self._canceled.pop((roll.who, roll.kind), None)
        if canceled is not None and canceled.dice != roll.dice:
            elapsed = seconds_of(roll.entry.at) - seconds_of(canceled.entry.at)
            if elapsed <= SOON_SECONDS:
                says = f"{roll.who} rolled {roll.name} again {_elapsed_in_words(elapsed)} after #{canceled.entry.seq}"
                yield Remark(roll.entry.seq, f"{says}, which was canceled. The dice are different.")
        if (player := _canceled_by(roll.entry, past)) is not None:
            self._counts[f"of {roll.who}'s rolls canceled by {player}"] += 1
            self._canceled[roll.who, roll.kind] = roll


def _kinds_of_dice(notation: str) -> frozenset[tuple[str, int]]:
    """Return how many dice of each kind a notation names. Rerolls and explosions do not count."""
    kinds = Counter[str]()
    for count, sides in DICE.findall(notation):
        kinds["100" if sides == "%" else sides.lower()] += int(count or 1)
    return frozenset(kinds.items())


def _canceled_by(entry: Entry, past: PastEntries) -> str | None:
    """Return the player who canceled a roll. Return `None` if nobody did, or if a correction kept the dice."""
    if past.is_in_force(entry):
        return None
    strike = past.book.journal.entry(past.book.mark(STRUCK, str(entry.act)))
    kept_dice = isinstance(strike.event, ActionStruck) and strike.event.how in {"amend", "choose"}
    return None if kept_dice else past.book.name_of(strike.by)


def _elapsed_in_words(seconds: int) -> str:
    minutes = seconds // 60
    if not minutes:
        return "within a minute"
    return "a minute" if minutes == 1 else f"{minutes} minutes"
