"""Recorded: an action of the journal read back as the command that wrote it."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.commands import custody, days  # noqa: F401  with the next two, they define every command
from ledger.commands.decider import Command, State, TableCommand, by_what_they_write
from ledger.corrections import answers, seals  # noqa: F401
from ledger.errors import Refused
from ledger.events.entry import Entry, lead_of

WRITERS = {
    # a day or a turn is part of what skips days, or plays what a turn does
    kind: sorted(commands, key=lambda command: issubclass(command, TableCommand))
    for kind, commands in by_what_they_write(Command).items()
}
"""The commands by the event that each writes first; of several for an action, the first one that `wrote` it."""


def command_of(state: State, entries: Sequence[Entry]) -> Command | None:
    """The command that wrote an action, its words and secrets open; `state` is the state before it.

    `None` where the file lacks what it came from: a private key, another history, words that were erased. Refuses
    (`Refused`) an action that no command begins like that, and (`UnknownName`) a move that is not known here.
    """
    first = lead_of(entries)
    command = next((command for command in WRITERS.get(first.type, ()) if command.wrote(first)), None)
    if command is None:
        raise Refused(f"{first.type} entries cannot be amended.")
    return command.from_action(state, entries)
