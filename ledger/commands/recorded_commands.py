"""Recorded: an entry read back as the command that wrote it."""

from __future__ import annotations

from ledger.commands import at_table  # noqa: F401  with what it imports, it defines every command of the table
from ledger.commands.decider import TableCommand, by_what_they_write
from ledger.events.entry import Entry

SAID = by_what_they_write(TableCommand)
"""The commands that can be decided again, by the event that each writes first: one command an event."""


def command_of_root(root: Entry) -> TableCommand:
    """The command that wrote the root of a part."""
    return SAID[root.type][0].from_entry(root)
