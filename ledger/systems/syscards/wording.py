"""The log's descriptions of the moves of SySCards."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.rules import Wording

VERDICT_ONLY = ("card", "mode", "round", "price", "rate", "means", "challenge", "cancel", "outright")
"""The moves for which the log shows only the verdict."""

WORDINGS: Mapping[str, Wording] = {
    **dict.fromkeys(VERDICT_ONLY, Wording(bare=True)),
    "buy": Wording(act=("buys {points} {item}", " for {card}")),
    "throw": Wording(act=("throw", " past {past}"), result=("{rate}",)),
    "act": Wording(act=("acts without dice against a rate of {rate}",)),
    "reject": Wording(act=("rejects challenges",)),
    "deny": Wording(act=("and {against}",)),
}

SENTENCES: Mapping[str, str] = {
    "a card": "is a card",
    "a card*": "is a card{}",
    "tale mode": "the table is in tale mode",
    "action mode": "the table is in action mode",
    "deal mode": "the table is in deal mode",
    "round *: begins": "round {} begins",
    "* costs 1": "{} costs 1 core point",
    "* costs *": "{} costs {} core points",
    "{} at {}: {} core points": "{} at {} each; core points: {}",
    "bought for 1 core points": "1 core point",
    "bought for * core points": "{} core points",
    "needs *, *": "needs {} ({})",
    "success, as the GM rules": "success by the GM's ruling",
    "a failure by * is told": "learns what the failure (degree {}) means",
    "a challenge of *, *": "challenges {1}",
    "a forced challenge of *, *": "challenges {1} (forced)",
    "an indirect challenge of *, *": "challenges {1} (order only)",
    "* needs *, info of *": "{} needs {} because of the info of {}",
    "* has priority over * by its info, for you to rule": "{} has priority over {} because of its info",
    "the dice say who is first, as the GM rules": "the GM rules that the dice decide who is first",
    "* first, as the GM rules": "{} is first by the GM's ruling",
    "priority over * and success, as the GM rules": "gets priority over {} and succeeds (GM's ruling)",
    "priority over *, as the GM rules": "gets priority over {} (GM's ruling)",
    "*, then *": "first {}, then {}",
    "no challenge of *": "challenge denied",
    "needless; it may raise": "not needed, but it can raise the efficiency",
    "action, from now on": "action mode from now on",
    "throw {}, efficiency {}: {}": "the higher of roll {} and efficiency {}: {}",
}

LABELS: Mapping[str, str] = {"core-points": "core points", "item.*": "{}"}
