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

LABELS: Mapping[str, str] = {
    "general": "general pool",
    "general.recouped": "recovered energy",
    "general.invested-today": "invested in the general pool today",
    "general.deposit": "general pool tomorrow",
    "project.*": "pool of {}",
    "invested-today.*": "invested in {} today",
    "deposit.*": "pool of {} tomorrow",
    "invested.*": "invested in {} so far",
    "input.*": "daily cost of {}",
    "output.*": "daily yield of {}",
    "ability.*": "{}",
    "nights.little": "nights with little sleep",
    "nights.none": "nights without sleep",
}
