"""A check that a strike cancels the corrected action, and otherwise only actions that depend on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ledger.audit.check import Before, EntryCheck, Fault
from ledger.events.correction_events import How
from ledger.events.entry import Entry
from ledger.events.subjects import STRUCK, entry_number
from ledger.events.types import ActionAmended, ActionStruck, OfTheBook, PlayRewound

BY_CAUSE: Mapping[str, How] = {ActionAmended.type: "amend", PlayRewound.type: "rewind"}
"""The value of `how` in the strikes of these corrections. No other strikes may have these values."""


class Strikes(EntryCheck):
    """A check that strikes cancel the right actions."""

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        if isinstance(entry.event, ActionStruck):
            yield from ((entry.seq, says) for says in _wrong(entry, entry.event, before))


def _wrong(entry: Entry, event: ActionStruck, before: Before) -> Iterator[str]:
    yield from _differs_from_cause(entry.cause or 0, event, before)
    names = [mark.name for mark in event.marks if mark.who == STRUCK and mark.value == entry.seq]
    earlier = [act for act in map(entry_number, names) if 1 < act < entry.act and before.entry(act).act == act]
    if str(event.strikes) not in names or len(earlier) < len(names):
        yield "cancels something that is not an earlier action"
    if any(isinstance(before.entry(act).event, OfTheBook) for act in earlier):
        yield "cancels an entry that cannot be canceled"
    restored = before.entry(event.strikes).event
    if event.how == "redo" and not (isinstance(restored, ActionStruck) and restored.how == "undo"):
        yield "restores an action that was not undone"
    for act in earlier:
        if act != event.strikes and not _falls_with(act, {*earlier} - {act}, before):
            yield f"also cancels #{act}, which does not depend on #{event.strikes}"


def _differs_from_cause(cause: int, event: ActionStruck, before: Before) -> Iterator[str]:
    """Yield an error if the correction that caused a strike is of the wrong kind, or about another action."""
    if (event.how if event.how in BY_CAUSE.values() else None) != BY_CAUSE.get(before.entry(cause).type):
        yield "does not match the correction that caused it"
    about = before.entry(before.entry(cause).about or 0).act
    if event.how == "amend" and event.strikes not in {about, *before.action(about).answers}:
        yield f"cancels #{event.strikes} because of the correction #{cause}, but #{cause} corrects a different entry"


def _falls_with(act: int, others: set[int], before: Before) -> bool:
    reached, waiting = set(others), list(others)
    while waiting:
        more = before.action(waiting.pop()).strikes - reached
        reached |= more
        waiting += more
    return act in reached or not before.action(act).answers.isdisjoint(reached)
