"""A count of imported rolls, and a check that their dice come to the totals that the files claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ledger.audit.check import EntryCheck, Fault, PastEntries, event_with_texts
from ledger.errors import count_of
from ledger.events import types as events
from ledger.events.commitments import ERASED
from ledger.events.entry import Entry

IMPORTED_ROLLS = "imported, claimed by "
"""The audit counts the imported rolls of each file under this text, followed by the name of the file."""


class ImportsCheck(EntryCheck):
    """A check that the dice of each imported roll come to the claimed total.

    It also counts the imported rolls of each file. Canceled rolls are left out. If private rolls
    come to another total, it reports only the number of such rolls.
    """

    kept = "_rolls", "_differing"

    def __init__(self, counts: Counter[str]) -> None:
        self._counts = counts
        self._rolls = Counter[tuple[int, bool]]()  # by import, those that everybody sees and those that are private
        self._differing = Counter[int]()

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        event = entry.event
        if isinstance(event, events.RollImported) and past.is_in_force(entry):
            self._rolls[event.log, event.seen == "all"] += 1
            if event.hidden is not None:
                opened = event_with_texts(past.book, entry)
                self._differing[event.log] += isinstance(opened, events.RollImported) and opened.differs
            elif event.differs:
                file = _file_of(event.log, past)
                yield entry.seq, f"{file} claims a total of {event.total}, but the dice come to {event.comes_to}."

    def final_faults(self, past: PastEntries) -> Iterator[Fault]:
        for (log, is_public), number in self._rolls.items():
            self._counts[f"{IMPORTED_ROLLS}{_file_of(log, past)}{'' if is_public else ' (private)'}"] += number
        for log, number in (+self._differing).items():
            says = "private roll does not come to the total", "private rolls do not come to the totals"
            yield log, f"{count_of(number, *says)} that {_file_of(log, past)} claims."


def _file_of(log: int, past: PastEntries) -> str:
    """Return the name of an imported file."""
    event = event_with_texts(past.book, past.entry(log))
    return (isinstance(event, events.LogImported) and event.file.text) or ERASED
