"""The log's descriptions of the moves of SySCards."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.rules import Wording

MODES = {
    "tale mode": "From then on, nobody acted in rounds",
    "action mode": "From then on, everybody acted in rounds",
    "deal mode": "From then on, everybody could spend core points",
}

WORDINGS: Mapping[str, Wording] = {
    "card": Wording(bare=True, story={"*": "The card of {who} was described"}, appendix=True),
    "mode": Wording(bare=True, story=MODES, appendix=True),
    "round": Wording(bare=True, story={"round {number}: begins": "Round {number} began", "*": ""}, appendix=True),
    "price": Wording(
        bare=True, story={"*": "The price of \u201c{item}\u201d was set to {points} core points"}, appendix=True
    ),
    "rate": Wording(bare=True, story={"*": ""}, left_out={"needs {rate}, {grade}": "needed {rate} ({grade})"}),
    "means": Wording(
        bare=True, did=("learned what the failure meant",), story={"*": "So this happened: \u201c{words}\u201d"}
    ),
    "challenge": Wording(bare=True, did=("challenged {against}",), choice="The GM still has to choose who comes first"),
    "cancel": Wording(bare=True, did=("stopped {target}",)),
    "outright": Wording(
        bare=True, story={"* and success*": "acted before {against} and succeeded", "*": "acted before {against}"}
    ),
    "buy": Wording(
        act=("buys {points} {item}", " for {card}"), did=("bought {points} {item}", " for {card}"), story={}
    ),
    "throw": Wording(
        act=("throw", " past {past}"), result=("{rate}",), did=("rolled", " against {past}"), deed_from="rate"
    ),
    "clash": Wording(
        story={
            "{first}, then {second}, then {third}": (
                "In the challenge, {first} came first, then {second}, then {third}"
            ),
            "{first} (success), then {second} (success)": (
                "In the challenge, {first} was first and {second} second, and both succeeded"
            ),
            "{first} (success), then {second} (failure*)": (
                "In the challenge, {first} was first and succeeded, and {second} failed"
            ),
            "{first} (failure*), then {second} (failure*)": (
                "In the challenge, {first} was first and {second} second, and both failed"
            ),
            "{first} (failure*), then {second} (success)": (
                "In the challenge, {first} came first but failed, and {second} came second and succeeded"
            ),
            "{first} (failure*), then {second}": "In the challenge, {first} acted first and failed, then came {second}",
            "{first} (success), then {second}": "In the challenge, {first} acted first and succeeded, before {second}",
            "{first}, then {second} (failure*)": "In the challenge, {first} acted first, and {second} failed",
            "{first}, then {second} (success)": "In the challenge, {first} acted first, and then {second} succeeded",
            "{first}, then {second}": "In the challenge, {first} beat {second}",
            "{order}": "The order in the challenge was {order}",
        },
        choice="The GM still has to choose the order of the tied cards",
    ),
    "act": Wording(act=("acts without dice against a rate of {rate}",), did=("acted without dice",), certain=True),
    "reject": Wording(act=("rejects challenges",), did=("rejected challenges",)),
    "deny": Wording(act=("and {against}",), story={"*": "There was no challenge between {who} and {against}"}),
}

OUTCOMES: Mapping[str, str] = {
    "success*": "succeeded",
    "failure by *": "failed",
    "priority over *": "succeeded",
}

UNITS: Mapping[str, tuple[str, str] | None] = {
    "core-points": ("core point", "core points"),
    "item.*": ("{name}", "{name}s"),
    "velocity": None,
}

TASKS: Mapping[str, str] = {
    "next roll: needs *": "{who} still has to roll",
    "challenge: *; waiting for its roll": "The challenge is not decided yet",
}

SENTENCES: Mapping[str, str] = {
    "a card": "is a card",
    "a card{more}": "is a card{more}",
    "tale mode": "the table is in tale mode",
    "action mode": "the table is in action mode",
    "deal mode": "the table is in deal mode",
    "round {number}: begins": "round {number} begins",
    "{item} costs 1": "{item} costs 1 core point",
    "{item} costs {price}": "{item} costs {price} core points",
    "{} at {}: {} core points": "{} for {} core points each, {} core points in total",
    "bought for 1 core points": "1 core point",
    "bought for {price} core points": "{price} core points",
    "needs {rate}, {grade}": "needs {rate} ({grade})",
    "success, as the GM rules": "success by the GM's ruling",
    "a failure by {degree} is told": "learns what the failure (degree {degree}) means",
    "a challenge of *, {against}": "challenges {against}",
    "a forced challenge of *, {against}": "challenges {against} (forced)",
    "an indirect challenge of *, {against}": "challenges {against} (order only)",
    "{who} needs {rate}, info of {by}": "{who} needs {rate} because of the info of {by}",
    "{who} has priority over {against} by its info, for you to rule": (
        "the info of {who} gives {who} priority over {against}"
    ),
    "the dice say who is first, as the GM rules": "the GM lets the dice decide who is first",
    "{who} first, as the GM rules": "{who} is first by the GM's ruling",
    "priority over {against} and success, as the GM rules": "gets priority over {against} and succeeds (GM's ruling)",
    "priority over {against}, as the GM rules": "gets priority over {against} (GM's ruling)",
    "{first}, then {second}": "first {first}, then {second}",
    "no challenge of *": "the GM denies the challenge",
    "needless; it may raise": "no roll is needed, but a roll can raise the efficiency",
    "action, from now on": "action mode from now on",
    "throw {}, efficiency {}: {}": "the higher of {} (roll) and {} (efficiency): {}",
}

LABELS: Mapping[str, str] = {"core-points": "core points", "item.*": "{name}"}
