"""A check of the places and times of entries.

The new entries of an action may take the places of earlier entries that this action struck or revealed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from ledger.audit.check import EntryCheck, Fault, PastEntries
from ledger.corrections.actions import OPENING_SEQ
from ledger.events.entry import Entry
from ledger.events.types import ActionAmended, CampaignOpened, PlayerSeated

TIME_PATTERN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z")


class PlacesCheck(EntryCheck):
    """A check that an entry's action, cause and time are valid, and that its place is free."""

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        seq, act = entry.seq, entry.act
        if entry.since > seq:
            yield seq, "takes effect from a later entry"
        if act not in (seq, past.last.act):
            yield seq, "does not belong to the current action"
        if entry.cause is not None and not act <= entry.cause < seq:
            yield seq, "names a cause that does not come earlier in the same action"
        if entry.at != past.last.at and not _is_time(entry.at):
            yield seq, "has no valid time"
        clock = entry.raw.get("clock")
        if clock is not None and not (clock < entry.at == past.last.at and _is_time(clock)):
            yield seq, "has an invalid clock reading"
        if entry.act == past.last.act and clock != past.last.raw.get("clock"):
            yield seq, "has a clock reading that differs from the rest of its action"
        yield from _check_line(entry, past.last)
        if entry.at < past.last.at:
            yield seq, "has an earlier time than the previous entry"
        if isinstance(entry.event, CampaignOpened) is not (seq == 1):
            yield seq, "should open the campaign, but does not" if seq == 1 else "opens the campaign again"
        if entry.since < seq:
            yield from _check_earlier_place(entry, past)


def _check_line(entry: Entry, last: Entry) -> Iterator[Fault]:
    """Yield a fault if an entry does not belong to the typed line that it names.

    All entries of an action name the same line. A new action continues the line of the previous entry if both
    have the same author. Otherwise it starts a line of its own, or names no line.
    """
    continues = entry.line == last.line and entry.by == last.by
    if entry.act == last.act and entry.line != last.line:
        yield entry.seq, "belongs to a different typed line than the rest of its action"
    elif entry.act == entry.seq and not (continues or entry.line in {None, entry.seq}):
        yield entry.seq, "is recorded as part of a typed line that it does not belong to"


def _is_time(at: str) -> bool:
    try:
        return bool(TIME_PATTERN.fullmatch(at) and date.fromisoformat(at[:10]))
    except ValueError:
        return False


def _check_earlier_place(entry: Entry, past: PastEntries) -> Iterator[Fault]:
    if past.entry(entry.since).act == OPENING_SEQ and not _is_same_seat(entry, past):
        yield entry.seq, "amends the entry that added the GM, and gives the GM another player number"
    freed = past.freed_places if entry.act == past.last.act else ()
    is_free = entry.since in freed or entry.since in past.action(entry.act).reveals
    if not is_free and not _amends_the_opening(entry, past):
        yield entry.seq, "takes the place of an earlier entry, but its action did not cancel that entry"


def _amends_the_opening(entry: Entry, past: PastEntries) -> bool:
    """Return True if `entry` replaces the seat entry from the opening of the campaign.

    An amendment may replace this seat entry without a strike, because the opening cannot be struck.
    """
    amendment, event = past.entry(entry.cause or 0).event, entry.event
    if not isinstance(amendment, ActionAmended) or not isinstance(event, PlayerSeated):
        return False
    return amendment.about == entry.since == past.seat_entry(entry.since, event.player)


def _is_same_seat(entry: Entry, past: PastEntries) -> bool:
    """Return True if an entry keeps the player, GM status and characters of the entry that it replaces."""
    new, old = entry.event, past.entry(entry.since).event
    if not isinstance(new, PlayerSeated) or not isinstance(old, PlayerSeated):
        return False
    return (new.player, new.gm, new.plays) == (old.player, old.gm, old.plays)
