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

    def __init__(self, counts: Counter[str]) -> None:
        self._counts = counts
        self._files: dict[int, str] = {}
        self._differing = Counter[int]()

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        event = entry.event
        if isinstance(event, events.LogImported):
            log = event_with_texts(past.book, entry)
            assert isinstance(log, events.LogImported)  # noqa: S101  the same event with its texts
            self._files[entry.seq] = log.file.text or ERASED
        elif isinstance(event, events.RollImported) and past.is_in_force(entry):
            file = self._files.get(event.log, ERASED)
            self._counts[f"{IMPORTED_ROLLS}{file}{'' if event.seen == 'all' else ' (private)'}"] += 1
            if event.hidden is not None:
                opened = event_with_texts(past.book, entry)
                self._differing[event.log] += isinstance(opened, events.RollImported) and opened.differs
            elif event.differs:
                yield entry.seq, f"{file} claims a total of {event.total}, but the dice come to {event.comes_to}."

    def final_faults(self, past: PastEntries) -> Iterator[Fault]:
        for log, number in (+self._differing).items():
            says = "private roll does not come to the total", "private rolls do not come to the totals"
            yield log, f"{count_of(number, *says)} that {self._files.get(log, ERASED)} claims."
