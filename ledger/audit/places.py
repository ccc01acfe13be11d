"""A check of an entry's place. An entry may count from an earlier place only if its action freed that place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from ledger.audit.check import Before, EntryCheck, Fault
from ledger.corrections.actions import OPENING
from ledger.events.entry import Entry
from ledger.events.types import ActionAmended, CampaignOpened, PlayerSeated

MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z")


class Places(EntryCheck):
    """A check that an entry's action, cause and time are valid, and that the place from which it counts is free."""

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        seq, act = entry.seq, entry.act
        if entry.since > seq:
            yield seq, "takes effect from an entry that comes after it"
        if act not in (seq, before.last.act):
            yield seq, "does not belong to the current action"
        if entry.cause is not None and not act <= entry.cause < seq:
            yield seq, "names a cause that is not an earlier entry in the same action"
        if entry.at != before.last.at and not _is_moment(entry.at):
            yield seq, "has no valid time"
        clock = entry.closed.get("clock")
        if clock is not None and not (clock < entry.at == before.last.at and _is_moment(clock)):
            yield seq, "has an invalid clock reading"
        if entry.act == before.last.act and clock != before.last.closed.get("clock"):
            yield seq, "has a different clock reading than the rest of its action"
        if entry.at < before.last.at:
            yield seq, "has an earlier time than the previous entry"
        if isinstance(entry.event, CampaignOpened) is not (seq == 1):
            yield seq, "does not open the campaign" if seq == 1 else "opens the campaign again"
        if entry.since < seq:
            yield from _check_earlier_place(entry, before)


def _is_moment(at: str) -> bool:
    try:
        return bool(MOMENT.fullmatch(at) and date.fromisoformat(at[:10]))
    except ValueError:
        return False


def _check_earlier_place(entry: Entry, before: Before) -> Iterator[Fault]:
    if before.entry(entry.since).act == OPENING and not _is_same_seat(entry, before):
        yield entry.seq, "replaces the entry that added the GM, but changes the GM's player number"
    freed = before.freed if entry.act == before.last.act else ()
    is_free = entry.since in freed or entry.since in before.action(entry.act).reveals
    if not is_free and not _amends_the_opening(entry, before):
        yield entry.seq, "takes effect from an entry that should have been canceled by the same action, but was not"


def _amends_the_opening(entry: Entry, before: Before) -> bool:
    """Return True if an amendment replaces a player's seat entry with this one. The old entry is never struck."""
    amendment, event = before.entry(entry.cause or 0).event, entry.event
    if not isinstance(amendment, ActionAmended) or not isinstance(event, PlayerSeated):
        return False
    return amendment.about == entry.since == before.seating(entry.since, event.player)


def _is_same_seat(entry: Entry, before: Before) -> bool:
    """Return True if an entry has the same player, GM status and characters as the entry that it replaces."""
    now, then = entry.event, before.entry(entry.since).event
    if not isinstance(now, PlayerSeated) or not isinstance(then, PlayerSeated):
        return False
    return (now.player, now.gm, now.plays) == (then.player, then.gm, then.plays)
