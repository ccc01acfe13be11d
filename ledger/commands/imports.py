"""The commands that write an import: first its log, then the rolls of each evening, then the numbers of sheets.

`ledger.imports` makes them from a file. They are written together, as one line for several actions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ledger.commands.at_table import Adjust
from ledger.commands.decider import BookDraft, Command, Draft
from ledger.errors import Refused, quoted
from ledger.events.entry import Entry
from ledger.events.subjects import IMPORTED, LAST_LOG
from ledger.events.types import LogImported, RollImported

MOST_ROLLS = 500
"""The maximum number of rolls in one action."""


class ImportLog(Command):
    """A command that records the file of an import."""

    writes: ClassVar[tuple[str, ...]] = (LogImported.type,)
    planned = True
    is_kept = False  # the journal does not have the file
    log: LogImported

    def decide(self, draft: BookDraft) -> None:
        draft.add(self.log)


class ImportRolls(Command):
    """A command that records rolls of the last import.

    `decide` sets `log` in the rolls, because the log's entry number is not known before. Raise `Refused` if another
    import has added one of the rolls since this import was planned.
    """

    writes: ClassVar[tuple[str, ...]] = (RollImported.type,)
    planned = True
    is_kept = False  # as above
    rolls: tuple[RollImported, ...]

    def decide(self, draft: BookDraft) -> None:
        log, first = draft.mark(IMPORTED, LAST_LOG), draft.next
        for roll in self.rolls:
            if draft.mark(IMPORTED, roll.id) is not None:
                raise Refused("Another import has added some of these rolls.", "Repeat the command.")
            draft.add(roll.replace(log=log), None if draft.next == first else first)

    def entries_to_report(self, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        """Return only the first and the last entry, because a large import has too many for the memory."""
        return entries[:: max(len(entries) - 1, 1)]


class ImportSheet(Adjust):
    """A command that sets numbers of a free sheet to those of a file.

    `shown` has the balances that the user saw. Raise `Refused` if one of them has changed since.
    """

    form = None
    is_kept = False  # as above
    shown: Mapping[str, int | None] = {}

    def decide(self, draft: Draft) -> None:
        for full, balance in self.shown.items():
            if draft.balance(self.who, full) != balance:
                says = f"The score {quoted(full.partition('/')[2])} of {self.who} has changed."
                raise Refused(says, "Repeat the command.")
        super().decide(draft)
