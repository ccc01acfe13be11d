"""Places: whether an entry stands in its place, and takes only a place that was made free."""

import re
from collections.abc import Iterator
from datetime import date

from ledger.audit.check import Before, Check, Fault
from ledger.audit.invariants import may_follow
from ledger.events.entry import Entry, chosen_after, place_of, places_of
from ledger.events.types import CampaignOpened, Consequence, Correction, DiceThrown, MoveEvent

MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z")


class Places(Check):
    """Whether an entry belongs to its action, follows from its cause, comes in its time, and counts since its place."""

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Yield what is wrong with the place of an entry."""
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
    """Whether the action of an entry struck what counts since its place, or told the roll that was sealed there."""
    now = entry.act == before.last.act
    return entry.since in before.action(entry.act).tells or (now and entry.since in before.freed)


class Retakes(Check):
    """Whether what counts since an earlier place takes the place of something of its kind."""

    def __init__(self) -> None:
        self._told: dict[int, set[str]] = {}  # by sealed roll, the kinds of what was told of it

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Yield that nothing like an entry was said in its place."""
        event = entry.event
        if isinstance(event, Correction | DiceThrown | Consequence) or chosen_after(event) is not None:
            return
        place = place_of(entry, before.entry)
        if place in before.action(entry.act).tells:
            self._told.setdefault(place, set()).add(_kind(entry))
        elif place < entry.act and _kind(entry) not in {_said_at(place, before), *self._told.get(place, ())}:
            yield entry.seq, f"counts since #{place}, where nothing like it was said"


def _said_at(place: int, before: Before) -> str:
    """The kind of what was first said in a place, also where dice were thrown for it before; "" where nothing was."""
    entry = before.entry(place)
    while isinstance(entry.event, DiceThrown):
        entry = before.entry(entry.seq + 1)
    return _kind(entry) if place in places_of(entry, before.entry) else ""


def _kind(entry: Entry) -> str:
    return "move" if isinstance(entry.event, MoveEvent) else entry.type
