"""The moves of Byzantine."""

from __future__ import annotations

from ledger.systems.byzantine.moves_connections import Alter, Connect, Lend, Reclaim, Restore, Withhold
from ledger.systems.byzantine.moves_contests import Commit, Contest
from ledger.systems.byzantine.moves_days import Cancel, Dawn, Harm, Invest, Night
from ledger.systems.byzantine.moves_fights import EnergyAttack, Kill
from ledger.systems.byzantine.moves_resolving import Resolve
from ledger.systems.byzantine.moves_tasks import Attempt, Know, Task
from ledger.systems.byzantine.moves_ways import Found, Go, Map

MOVES = (
    Connect,
    Withhold,
    Restore,
    Lend,
    Reclaim,
    Alter,
    Night,
    Dawn,
    Invest,
    Cancel,
    Harm,
    Task,
    Attempt,
    Know,
    Map,
    Go,
    Found,
    EnergyAttack,
    Kill,
    Contest,
    Commit,
    Resolve,
)
NEW_DAY = Dawn
