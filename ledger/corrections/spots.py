"""The spot of a part: the entry at which the part takes effect, and facts that tell parts at the same entry apart."""

from __future__ import annotations

from collections.abc import Callable

from ledger.events import types as events
from ledger.events.entry import Entry

Spot = tuple[int, str, str]
"""The entry at which a part takes effect, a character, and a game.

The last two are "" unless the function `is_added_by_correction` returns True for the part.

The character and the game are needed because several added parts can take effect at the same entry.
"""

START_TYPES = frozenset({events.DayBegun.type, events.TurnBegan.type, events.TurnSkipped.type})
"""The types of entries that start a day or a turn. Games may add moves there."""


GROUP_EVENTS = (events.ScoreAdjusted, events.ScoresGiven, events.MarksSet)
"""The events, except moves and rolls, that a line may write for each character of the group."""


def target_of(event: events.Event) -> str:
    """Return the character for whom a line wrote an event. For a gift, this is the receiver."""
    return event.to if isinstance(event, events.ScoresGiven) else event.subject


def is_added_by_correction(root: Entry, lookup: Callable[[int], Entry]) -> bool:
    """Return True if a correction added the part with this root to a day, to a turn, or to a line for a group.

    In a day or turn, the part is a move that takes effect right after the start. In a line, the part takes effect
    right after the line's last entry.
    """
    root = root if root.answers is None else lookup(root.answers)
    if root.since == root.seq:
        return False
    place = lookup(root.since)
    if place.type in START_TYPES:
        return isinstance(root.event, events.MoveEvent)
    return place.line is not None and _shares_its_place(root, lookup)


def _shares_its_place(root: Entry, lookup: Callable[[int], Entry]) -> bool:
    """Return True if the correction that wrote this root had already written another part in the same place."""
    earlier = map(lookup, range((root.cause or root.seq) + 1, root.seq))
    parts = (entry for entry in earlier if not isinstance(entry.event, events.DiceThrown))
    return any((part.cause, part.since) == (root.cause, root.since) for part in parts)


def spot_of(root: Entry, lookup: Callable[[int], Entry]) -> Spot:
    """Return the spot of the part that begins with `root`. `lookup` returns the entry with a number."""
    whose = (
        (target_of(root.event), getattr(root.event, "system", "")) if is_added_by_correction(root, lookup) else ("", "")
    )
    return root.earliest_place(lookup), *whose
