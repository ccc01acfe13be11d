"""Recorded: an entry read back as the command that wrote it."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.commands.at_table import (
    Adjust,
    BeginDay,
    ChangeSettings,
    CloseSession,
    Join,
    KeepNote,
    Leave,
    Note,
    OpenSession,
    Return,
    Seat,
    SeatNpcs,
    SetMarks,
    SetScene,
)
from ledger.commands.decider import TableCommand
from ledger.commands.play import PlayMove, Roll
from ledger.commands.turns import AddTurn, BeginTurn, EndTurns, RollTurn
from ledger.events.entry import Entry

SAID: Mapping[str, type[TableCommand]] = {
    kind: command
    for command in (
        Seat,
        Join,
        SeatNpcs,
        Leave,
        Return,
        OpenSession,
        CloseSession,
        SetScene,
        BeginDay,
        Adjust,
        SetMarks,
        Note,
        KeepNote,
        ChangeSettings,
        AddTurn,
        RollTurn,
        BeginTurn,
        EndTurns,
        Roll,
        PlayMove,
    )
    for kind in command.writes
}
"""The commands that can be decided again, by the event that each writes first."""


def command_of_root(root: Entry) -> TableCommand:
    """The command that wrote the root of a part."""
    return SAID[root.type].from_entry(root)
