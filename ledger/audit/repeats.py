"""A check for rolls that were canceled and soon repeated with different dice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ledger.audit.check import EntryCheck, Fault, PastEntries
from ledger.commands.play import installed_move
from ledger.events.commitments import with_texts
from ledger.events.entry import Entry
from ledger.events.subjects import STRUCK
from ledger.events.types import ActionStruck, DiceCounted, DiceThrown, MoveEvent, RulingEvent
from ledger.rules.inputs import BARE, CAST, name_prefixes
from ledger.rules.system import Remark
from ledger.times import seconds_of

SOON_SECONDS = 60
"""The longest time, in seconds, between a canceled roll and a new roll that is reported as its repetition."""

RolledFaces = tuple[tuple[int, int], ...]
"""The number of sides and the face of each die."""

DICE = re.compile(r"([0-9]{0,3})d([0-9]+|%|f)", re.IGNORECASE)


class OriginalRoll(NamedTuple):
    """A roll that is not a copy of an older one. `entry` is the ruling or the total.

    The check compares rolls of one `attempt`: the same move or dice, deed, skill, target and target number.
    """

    entry: Entry
    who: str
    name: str
    attempt: str
    dice: RolledFaces


class RepeatsCheck(EntryCheck):
    """A check for repeated rolls, and a count of canceled rolls. Rolls whose dice a correction kept are not counted."""

    def __init__(self, counts: Counter[str]) -> None:
        self._counts = counts
        self._last_throw: tuple[int, RolledFaces] = (0, ())  # the action and the dice of the last throw
        # by character and attempt, the last roll if it was canceled, and the strike
        self._canceled: dict[tuple[str, str], tuple[OriginalRoll, Entry]] = {}

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        act, dice = self._last_throw if self._last_throw[0] == entry.act else (entry.act, ())
        match entry.event:
            case DiceThrown(dice=thrown):
                self._last_throw = act, (*dice, *((die.sides, die.face) for die in thrown))
                return
            case MoveEvent(who=who, system=system, move=move) as event:
                roll = OriginalRoll(
                    entry, who, f"{system} {move}", _attempt_key(past, entry, _purpose_key(event)), dice
                )
            case DiceCounted(who=who, notation=notation) as event:
                dice = tuple(sorted(dice))
                what = [sorted(_kinds_of_dice(notation)), sorted(event.scores), event.vs]
                roll = OriginalRoll(entry, who, notation, _attempt_key(past, entry, what), dice)
            case _:
                return
        if dice and entry.since == entry.seq:
            yield from self._compare(roll, past)
            self._last_throw = 0, ()

    def _compare(self, roll: OriginalRoll, past: PastEntries) -> Iterator[Fault]:
        canceled, strike = self._canceled.pop((roll.who, roll.attempt), (None, None))
        if (
            canceled
            and strike
            and strike.seq < roll.entry.seq
            and canceled.dice != roll.dice
            and _is_soon(canceled, roll)
        ):
            says = (
                f"{roll.who} rolled {roll.name} again within a minute after #{canceled.entry.seq}, which"
                " was canceled. The dice are different."
            )
            yield Remark(roll.entry.seq, says)
        if (strike := _strike_of(roll.entry, past)) is not None:
            self._counts[f"of {roll.who}'s rolls canceled by {past.book.name_of(strike.by)}"] += 1
            self._canceled[roll.who, roll.attempt] = roll, strike


def _is_soon(canceled: OriginalRoll, roll: OriginalRoll) -> bool:
    return seconds_of(roll.entry.at) - seconds_of(canceled.entry.at) <= SOON_SECONDS


def _attempt_key(past: PastEntries, entry: Entry, what: object) -> str:
    """Return a text that identifies the attempt of a roll by the type of entry, the deed, and `what` was rolled."""
    event = past.book.entry(entry.seq).event
    assert isinstance(event, RulingEvent)  # noqa: S101  both kinds of rolls are rulings
    return repr((entry.type, event.deed and event.deed.text, what))


def _purpose_key(event: MoveEvent) -> object:
    """Return the game, the move, and the inputs that name the purpose of a roll.

    Such an input is a skill, a target or a target number.
    """
    move = installed_move(event)
    fields = move.fields().values() if move else ()
    named = [field.name for field in fields if CAST in field.tags or BARE in field.tags or name_prefixes(field)]
    return event.system, event.move, [with_texts(event.inputs.get(name)) for name in named]


def _kinds_of_dice(notation: str) -> frozenset[tuple[str, int]]:
    """Return how many dice of each kind a notation names. Rerolls and explosions do not count."""
    kinds = Counter[str]()
    for count, sides in DICE.findall(notation):
        kinds["100" if sides == "%" else sides.lower()] += int(count or 1)
    return frozenset(kinds.items())


def _strike_of(entry: Entry, past: PastEntries) -> Entry | None:
    """Return the entry that canceled a roll. Return `None` if there is none, or if the correction kept the dice."""
    if past.is_in_force(entry):
        return None
    strike = past.book.journal.entry(past.book.mark(STRUCK, str(entry.act)))
    kept_dice = isinstance(strike.event, ActionStruck) and strike.event.how in {"amend", "choose"}
    return None if kept_dice else strike
