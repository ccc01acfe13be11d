"""A check for rolls that were canceled and soon repeated with different dice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256

from ledger.audit.check import EntryCheck, Fault, PastEntries
from ledger.commands.play import installed_move
from ledger.events.commitments import with_texts
from ledger.events.entry import Entry
from ledger.events.subjects import STRUCK
from ledger.events.types import ActionStruck, DiceCounted, DiceThrown, MoveEvent, RulingEvent
from ledger.rules.inputs import BARE, CAST, name_prefixes
from ledger.rules.system import Remark
from ledger.times import seconds_of

REPEAT_SECONDS = 60
"""The longest time, in seconds, between a canceled roll and a new roll that is reported as its repetition."""

RolledFaces = tuple[tuple[int, int], ...]
"""The number of sides and the face of each die."""

DICE = re.compile(r"([0-9]{0,3})d([0-9]+|%|f)", re.IGNORECASE)


CanceledRoll = tuple[int, str, RolledFaces, int]
"""A canceled roll that is not a copy of an older one: the ruling or the total, its time, its dice, and the strike."""


class RepeatsCheck(EntryCheck):
    """A check for repeated rolls, and a count of canceled rolls. Rolls whose dice a correction kept are not counted.

    It compares rolls of one attempt: the same move or dice, deed, skill, target and target number.
    """

    kept = "_number_canceled", "_canceled"

    def __init__(self, counts: Counter[str]) -> None:
        self._counts = counts
        self._number_canceled = Counter[tuple[str, str]]()  # by character, and by the player who canceled the rolls
        self._last_throw: tuple[int, RolledFaces] = (0, ())  # the action and the dice of the last throw
        # by character and attempt, the last roll if it was canceled, and if a later roll may come soon after it
        self._canceled: dict[tuple[str, str], CanceledRoll] = {}

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        act, dice = self._last_throw if self._last_throw[0] == entry.act else (entry.act, ())
        match entry.event:
            case DiceThrown(dice=thrown):
                self._last_throw = act, (*dice, *((die.sides, die.face) for die in thrown))
                return
            case MoveEvent(who=who, system=system, move=move):
                name = f"{system} {move}"
            case DiceCounted(who=who, notation=notation):
                name, dice = notation, tuple(sorted(dice))
            case _:
                return
        if dice and entry.since == entry.seq:
            yield from self._compare(entry, who, name, dice, past)
            self._last_throw = 0, ()

    def _compare(self, entry: Entry, who: str, name: str, dice: RolledFaces, past: PastEntries) -> Iterator[Fault]:
        strike = _strike_of(entry, past)
        if self._canceled:  # times never decrease
            self._canceled = {key: roll for key, roll in self._canceled.items() if _is_soon(roll[1], entry)}
        if strike is None and not self._canceled:
            return
        attempt = _attempt_key(past, entry)
        if canceled := self._canceled.pop((who, attempt), None):
            seq, _, canceled_dice, canceled_by = canceled
            if canceled_by < entry.seq and canceled_dice != dice:
                says = (
                    f"{who} rolled {name} again within a minute after #{seq}, which was canceled. The dice are"
                    " different."
                )
                yield Remark(entry.seq, says)
        if strike is not None:
            self._number_canceled[who, strike.by] += 1
            self._canceled[who, attempt] = entry.seq, entry.at, dice, strike.seq

    def final_faults(self, past: PastEntries) -> Iterator[Fault]:
        for (who, by), number in self._number_canceled.items():
            self._counts[f"of {who}'s rolls canceled by {past.book.name_of(by)}"] += number
        yield from ()


def _is_soon(at: str, entry: Entry) -> bool:
    return seconds_of(entry.at) - seconds_of(at) <= REPEAT_SECONDS


def _attempt_key(past: PastEntries, entry: Entry) -> str:
    """Return a text that identifies the attempt of a roll: the type of entry, the deed, and what was rolled."""
    event, filled = entry.event, past.book.entry(entry.seq).event
    assert isinstance(event, MoveEvent | DiceCounted) and isinstance(filled, RulingEvent)  # noqa: S101, PT018  see `check`
    what = _purpose_key(event) if isinstance(event, MoveEvent) else _dice_key(event)
    # a hash, because a memory of checks must not keep the words of a deed, which somebody may erase
    return sha256(repr((entry.type, filled.deed and filled.deed.text, what)).encode()).hexdigest()


def _dice_key(event: DiceCounted) -> object:
    return [sorted(_kinds_of_dice(event.notation)), sorted(event.scores), event.vs]


def _purpose_key(event: MoveEvent) -> object:
    """Return the game, the move, and the inputs that name the purpose of a roll.

    Such an input is a skill, a target or a target number.
    """
    move = installed_move(event)
    fields = move.fields().values() if move else ()
    named = [field.name for field in fields if CAST in field.tags or BARE in field.tags or name_prefixes(field)]
    return event.system, event.move, [with_texts(event.inputs.get(name)) for name in named]


def _kinds_of_dice(notation: str) -> frozenset[tuple[str, int]]:
    """Return how many dice of each kind a notation names. Ignore rerolls and explosions."""
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
