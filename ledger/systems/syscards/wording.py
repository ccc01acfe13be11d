"""The log's descriptions of the moves of SySCards."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.rules import Wording

WORDINGS: Mapping[str, Wording] = {
    "card": Wording(bare=True, story={"*": "The card {who} was described"}, appendix=True),
    "mode": Wording(bare=True, story={"* mode": "The table changed to {} mode"}, appendix=True),
    "round": Wording(bare=True, story={"round *: begins": "Round {} began", "*": ""}, appendix=True),
    "price": Wording(bare=True, story={"*": "The price of {item} was set to {points} core points"}, appendix=True),
    "rate": Wording(bare=True, story={"*": ""}),
    "means": Wording(bare=True, story={"*": "learned what the failure meant"}),
    "challenge": Wording(bare=True, did=("challenged {against}",), choice="The GM still has to choose who comes first"),
    "cancel": Wording(bare=True, did=("canceled {target}'s act",)),
    "outright": Wording(
        bare=True, story={"* and success*": "went before {against} and succeeded", "*": "went before {against}"}
    ),
    "buy": Wording(
        act=("buys {points} {item}", " for {card}"), did=("bought {points} {item}", " for {card}"), story={}
    ),
    "throw": Wording(act=("throw", " past {past}"), result=("{rate}",), did=("rolled", " against {past}")),
    "clash": Wording(
        story={
            "*, then *, then *": "The challenge ended in this order: {}, then {}, then {}",
            "* (success), then * (success)": "In the challenge, {} was first and {} second, and both succeeded",
            "* (success), then * (failure*)": "In the challenge, {} was first and succeeded, and {} failed",
            "* (failure*), then * (failure*)": "In the challenge, {0} was first and {2} second, and both failed",
            "*": "The challenge ended in this order: {}",
        },
        choice="The GM still has to choose the order of the tied cards",
    ),
    "act": Wording(act=("acts without dice against a rate of {rate}",), did=("acted without dice",)),
    "reject": Wording(act=("rejects challenges",), did=("rejected challenges",)),
    "deny": Wording(act=("and {against}",), story={"*": "There was no challenge between {who} and {against}"}),
}

OUTCOMES: Mapping[str, str] = {"success*": "succeeded", "failure by *": "failed by {}", "priority over *": "succeeded"}

UNITS: Mapping[str, tuple[str, str] | None] = {
    "core-points": ("core point", "core points"),
    "item.*": ("{}", "{}"),
    "velocity": None,
}

TASKS: Mapping[str, str] = {
    "next roll: needs *": "{who} still has to roll",
    "challenge: *; waiting for its roll": "The challenge is not decided yet",
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
    "* has priority over * by its info, for you to rule": "the info of {0} gives {0} priority over {1}",
    "the dice say who is first, as the GM rules": "the GM rules that the dice decide who is first",
    "* first, as the GM rules": "{} is first by the GM's ruling",
    "priority over * and success, as the GM rules": "gets priority over {} and succeeds (GM's ruling)",
    "priority over *, as the GM rules": "gets priority over {} (GM's ruling)",
    "*, then *": "first {}, then {}",
    "no challenge of *": "challenge denied",
    "needless; it may raise": "no roll is needed, but a roll can raise the efficiency",
    "action, from now on": "action mode from now on",
    "throw {}, efficiency {}: {}": "the higher of roll {} and efficiency {}: {}",
}

LABELS: Mapping[str, str] = {"core-points": "core points", "item.*": "{}"}
