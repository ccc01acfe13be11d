"""A check that a strike cancels only the corrected action and the actions that depend on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ledger.audit.check import EntryCheck, Fault, PastEntries
from ledger.events.correction_events import StrikeKind
from ledger.events.entry import Entry
from ledger.events.subjects import STRUCK, entry_number
from ledger.events.types import ActionAmended, ActionStruck, OfTheBook, PlayRewound

HOW_BY_CAUSE: Mapping[str, StrikeKind] = {ActionAmended.type: "amend", PlayRewound.type: "rewind"}
"""The value of `how` in a strike, by the type of correction that caused it. No other strike may have these values."""


class StrikesCheck(EntryCheck):
    """A check of each strike's cause and kind, and of the actions that it cancels."""

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        if isinstance(entry.event, ActionStruck):
            yield from ((entry.seq, says) for says in _errors(entry, entry.event, past))


def _errors(entry: Entry, event: ActionStruck, past: PastEntries) -> Iterator[str]:
    yield from _cause_errors(entry.cause or 0, event, past)
    if event.how == "undo" and entry.cause is None and not _is_of_line(entry, event, past):
        yield f"also undoes #{event.strikes}, which belongs to a different typed line"
    names = [mark.name for mark in event.marks if mark.who == STRUCK and mark.value == entry.seq]
    struck_acts = [act for act in map(entry_number, names) if 1 < act < entry.act and past.entry(act).act == act]
    if str(event.strikes) not in names or len(struck_acts) < len(names):
        yield "cancels something that is not an earlier action"
    if any(isinstance(past.entry(act).event, OfTheBook) for act in struck_acts):
        yield "cancels an entry that cannot be canceled"
    restored = past.entry(event.strikes).event
    if event.how == "redo" and not (isinstance(restored, ActionStruck) and restored.how == "undo"):
        yield "restores an action that was not undone"
    for act in struck_acts:
        if act != event.strikes and not _depends_on_any(act, {*struck_acts} - {act}, past):
            yield f"also cancels #{act}, which does not depend on #{event.strikes}"


def _is_of_line(entry: Entry, event: ActionStruck, past: PastEntries) -> bool:
    """Return True if a strike by an undo stays within one typed line.

    The first strike of an undo may cancel any line. Each further strike must cancel an action of the line that
    the first strike canceled.
    """
    first = past.entry(entry.act).event
    line = past.entry(event.strikes).line
    return not isinstance(first, ActionStruck) or line == past.entry(first.strikes).line is not None


def _cause_errors(cause: int, event: ActionStruck, past: PastEntries) -> Iterator[str]:
    """Yield an error if the correction that caused a strike has the wrong type, or corrects a different action."""
    expected = HOW_BY_CAUSE.get(past.entry(cause).type)
    completes = (expected, event.how) == ("amend", "void")  # the rest of an attack that the amendment made miss
    if not completes and (event.how if event.how in HOW_BY_CAUSE.values() else None) != expected:
        yield "does not match the correction that caused it"
    corrected_act = past.entry(past.entry(cause).about or 0).act
    if event.how == "amend" and event.strikes not in {corrected_act, *past.action(corrected_act).answers}:
        yield f"cancels #{event.strikes} for the correction #{cause}, but #{cause} does not correct #{event.strikes}"


def _depends_on_any(act: int, others: set[int], past: PastEntries) -> bool:
    reached, waiting = set(others), list(others)
    while waiting:
        more = past.action(waiting.pop()).strikes - reached
        reached |= more
        waiting += more
    return act in reached or not past.action(act).answers.isdisjoint(reached)
