"""The moves of Byzantine, in the order in which the help lists them: the most frequent ones first."""

from __future__ import annotations

from ledger.systems.byzantine import (
    moves_connections,
    moves_contests,
    moves_days,
    moves_fights,
    moves_tasks,
    moves_ways,
)

MOVES = (
    moves_tasks.Attempt,
    moves_ways.Go,
    moves_fights.EnergyAttack,
    moves_fights.Kill,
    moves_tasks.Know,
    moves_tasks.Task,
    moves_days.Invest,
    moves_days.Harm,
    moves_days.Night,
    moves_contests.Contest,
    moves_contests.Commit,
    moves_contests.Resolve,
    moves_connections.Connect,
    moves_connections.Alter,
    moves_connections.Withhold,
    moves_connections.Restore,
    moves_connections.Lend,
    moves_connections.Reclaim,
    moves_days.Cancel,
    moves_ways.Map,
    moves_ways.FindWay,
    moves_days.Dawn,
)
NEW_DAY = moves_days.Dawn
