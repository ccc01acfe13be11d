"""Places: whether an entry is in its place, and takes an earlier place only if its action freed it."""

import re
from collections.abc import Iterator
from datetime import date

from ledger.audit.check import Before, Check, Fault
from ledger.audit.invariants import may_follow
from ledger.events.entry import Entry, chosen_after, place_of, places_of
from ledger.events.types import CampaignOpened, Consequence, Correction, DiceThrown, MoveEvent

MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z")


class Places(Check):
    """Whether an entry's action, cause and time are right, and the place that it counts from is free."""

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Faults of an entry's place."""
        seq, act = entry.seq, entry.act
        if entry.since > seq:
            yield seq, "does not stand in its place"
        if act not in {seq, before.last.act}:
            yield seq, "belongs to no action"
        if act != seq and not may_follow(before.entry(act).type, entry.event):
            yield seq, f"stands in an action that it does not belong to (#{act})"
        if entry.cause is not None and not act <= entry.cause < seq:
            yield seq, "does not follow from an earlier entry of its action"
        if not _is_moment(entry.at):
            yield seq, "has no time"
        if entry.at < before.last.at:
            yield seq, "is dated before the entry before it"
        if isinstance(entry.event, CampaignOpened) is not (seq == 1):
            yield seq, "is no opening" if seq == 1 else "opens the campaign again"
        if entry.since < seq and not _is_free(entry, before):
            yield seq, "counts since a place that its action did not strike"


def _is_moment(at: str) -> bool:
    try:
        return bool(MOMENT.fullmatch(at) and date.fromisoformat(at[:10]))
    except ValueError:
        return False


def _is_free(entry: Entry, before: Before) -> bool:
    """Whether an entry's action struck what counts from its place, or revealed the roll that was sealed there."""
    current = entry.act == before.last.act
    return entry.since in before.action(entry.act).tells or (current and entry.since in before.freed)


class Retakes(Check):
    """Whether an entry that counts from an earlier place replaces something of its kind."""

    def __init__(self) -> None:
        self._told: dict[int, set[str]] = {}  # by sealed roll, the kinds of the entries that tell it

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """An entry that takes a place where nothing like it was said."""
        event = entry.event
        if isinstance(event, Correction | DiceThrown | Consequence) or chosen_after(event) is not None:
            return
        place = place_of(entry, before.entry)
        if place in before.action(entry.act).tells:
            self._told.setdefault(place, set()).add(_kind(entry))
        elif place < entry.act and _kind(entry) not in {_kind_at(place, before), *self._told.get(place, ())}:
            yield entry.seq, f"counts since #{place}, where nothing like it was said"


def _kind_at(place: int, before: Before) -> str:
    """The kind of the first entry in a place, after any dice that were thrown for it; "" if there is none."""
    entry = before.entry(place)
    while isinstance(entry.event, DiceThrown):
        entry = before.entry(entry.seq + 1)
    return _kind(entry) if place in places_of(entry, before.entry) else ""


def _kind(entry: Entry) -> str:
    return "move" if isinstance(entry.event, MoveEvent) else entry.type
