"""Recorded: an entry read back as the command that was said."""

from collections.abc import Mapping

from ledger import systems
from ledger.commands.decider import TableCommand
from ledger.commands.play import Play, Roll
from ledger.commands.table import (
    Adjust,
    BeginDay,
    CloseSession,
    Join,
    Note,
    OpenSession,
    Seat,
    SetMarks,
    SetScene,
    Settle,
)
from ledger.errors import UnknownName
from ledger.events.commitments import told
from ledger.events.entry import Entry
from ledger.events.types import MoveEvent
from ledger.rules.move import Move

SAID: Mapping[str, type[TableCommand]] = {
    kind: command
    for command in (Seat, Join, OpenSession, CloseSession, SetScene, BeginDay, Adjust, SetMarks, Note, Settle, Roll)
    for kind in command.writes
}
"""What is said apart from moves, by the event that it writes first."""


def said_in(root: Entry) -> TableCommand:
    """Return what was said, as the root of a part, opened, has it."""
    event = root.event
    if isinstance(event, MoveEvent):
        return Play(system=event.system, move=move_of(root).revived(told(event.inputs)))
    command = SAID[root.type]
    return command(**{name: told(getattr(event, name)) for name in command._fields})


def move_of(entry: Entry) -> type[Move]:
    """Return the move that an entry is about; refuses one that the game, as it is installed here, does not know."""
    event = entry.event
    assert isinstance(event, MoveEvent)  # noqa: S101  nothing else is about a move
    move = systems.find(event.system).move(event.move)
    if move is None or not event.inputs.keys() <= move.fields().keys():
        raise UnknownName(f"The {event.system} that is installed here does not know the move of #{entry.seq}.")
    return move
