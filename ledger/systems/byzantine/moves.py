"""The moves of Byzantine, in the order in which the help lists them."""

from __future__ import annotations

from ledger.rules import Move
from ledger.systems.byzantine import (
    moves_connections,
    moves_contests,
    moves_days,
    moves_fights,
    moves_tasks,
    moves_ways,
)

MODULES = (moves_connections, moves_days, moves_tasks, moves_ways, moves_fights, moves_contests)
MOVES = tuple(
    value
    for module in MODULES
    for value in vars(module).values()
    if isinstance(value, type) and issubclass(value, Move) and value.__module__ == module.__name__
    if hasattr(value, "example")  # base classes have none
)
NEW_DAY = moves_days.Dawn
