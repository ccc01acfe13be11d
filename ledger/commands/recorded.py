"""Recorded: an entry read back as the command that was said."""

from collections.abc import Mapping
from typing import Any

from ledger import systems
from ledger.commands.decider import Command
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
from ledger.events.types import MovePlayed, QuestionAsked
from ledger.rules.dice import Die
from ledger.rules.move import Move

SAID: Mapping[str, type[Command]] = {
    kind: command
    for command in (Seat, Join, OpenSession, CloseSession, SetScene, BeginDay, Adjust, SetMarks, Note, Settle, Roll)
    for kind in command.writes
}
"""What is said apart from moves, by the event that it writes first."""


def said_in(root: Entry) -> Command:
    """Return what was said, as the root of a part, opened, has it."""
    if root.type in {MovePlayed.type, QuestionAsked.type}:
        system = root.body["system"]
        return Play(system=system, move=move_of(root).revived(told(root.body["inputs"])))
    command = SAID[root.type]
    held = {name: root.body.get(name) for name in command._fields}  # an earlier version had fewer
    return command(**{name: _listed(told(value)) for name, value in held.items()})


def move_of(entry: Entry) -> type[Move]:
    """Return the move that an entry is about; refuses one that the game, as it is installed here, does not know."""
    move = systems.find(entry.body["system"]).move(entry.body["move"])
    if move is None or not entry.body["inputs"].keys() <= move.fields().keys():
        raise UnknownName(f"The {entry.body['system']} that is installed here does not know the move of #{entry.seq}.")
    return move


def _listed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def revived(die: Mapping[str, Any]) -> Die:
    """Return a die as an entry holds it."""
    digits = die["digits"]
    return Die(sides=die["sides"], face=die["face"], digits=None if digits is None else (digits[0], digits[1]))
