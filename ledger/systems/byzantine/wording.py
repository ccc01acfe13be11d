"""The log's descriptions of the moves of Byzantine."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.rules import Wording

WORDINGS: Mapping[str, Wording] = {
    "connect": Wording(deed=("{connection}",)),
    "night": Wording(deed=("sleep",)),
    "dawn": Wording(bare=True),
    "invest": Wording(deed=("invests",)),
    "cancel": Wording(deed=("cancels {project}",)),
    "harm": Wording(bare=True),
    "attempt": Wording(deed=("attempt",)),
    "go": Wording(deed=("is",)),
    "attack": Wording(deed=("attacks {target}",)),
    "kill": Wording(deed=("tries to kill {target}",)),
    "commit": Wording(deed=("commits to {contest}",)),
    "resolve": Wording(deed=("contest {contest}",)),
}
