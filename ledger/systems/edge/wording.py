"""The words that the log uses for Edge's moves."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.rules import Wording

CHECK_RESULT = ("{target} ({dice.addends}", "; {dropped} dropped", ")", ", double {double}")

SUCCESSES = ("complete success", "significant success", "marginal success", "success")
FAILURES = ("marginal failure", "significant failure", "complete failure", "failure")
HIT_OUTCOMES = {**dict.fromkeys(SUCCESSES, "hit"), **dict.fromkeys(FAILURES, "missed")}
WHICH_DIE = "{who} still has to choose which die to drop"
OTHER_DIE_WORDS = {"drop_instead": "paid one point of edge to drop a different die"}
WORSE_ARMOR = dict.fromkeys(("armor degraded", "armor degraded to *"), "had worse armor from then on")
ROLLED_DAMAGE = {"{amount} {kind} damage": "rolled {amount} {kind} damage", "{amount} damage": "rolled {amount} damage"}

WORDINGS: Mapping[str, Wording] = {
    "check": Wording(
        act=("{ranks}",),
        result=CHECK_RESULT,
        names_dice=True,
        did=("made a {ranks} roll",),
        choice=WHICH_DIE,
        offers=OTHER_DIE_WORDS,
    ),
    "grant": Wording(
        bare=True,
        story={
            "{what} on the next check related to {check}": "got {what} on the next roll for {check}",
            "{what} on the next check of any kind": "got {what} on the next roll",
            "{what} on the next related check": "got {what} on the next related roll",
        },
        appendix=True,
    ),
    "attack": Wording(
        bare=True,
        story={"attacks *": "attacked {whom} with the {weapon}", "goes on": ""},
        left_out={"goes on": "continued the attack"},
    ),
    "wear": Wording(
        bare=True, story={"wears {armor}": "put on the {armor}", "takes off the armor": "took off the armor"}
    ),
    "degrade": Wording(bare=True, story=WORSE_ARMOR, appendix=True),
    "heal": Wording(bare=True, story={"{amount} {kind} damage healed": "recovered from {amount} {kind} damage"}),
    "rest": Wording(bare=True, story={"short rest": "took a short rest", "long rest": "took a long rest"}),
    "award": Wording(bare=True, story={"award": "earned {amount} points of edge"}),
    "attack-roll": Wording(
        act=("rolls the attack", " with {ranks}"),
        result=CHECK_RESULT,
        names_dice=True,
        story=HIT_OUTCOMES,
        choice=WHICH_DIE,
        offers=OTHER_DIE_WORDS,
    ),
    "damage-roll": Wording(act=("rolls damage",), story={"* damage": ""}, left_out=ROLLED_DAMAGE),
    "damage": Wording(act=("rolls damage", " with {item}"), story=ROLLED_DAMAGE),
    "soak": Wording(
        act=("is hit",),
        story={
            "0 of * damage passes": "took no damage",
            "{amount} of * damage passes": "took {amount} damage",
            "stopped (* under *)": "took a hit, but the armor stopped it",
        },
    ),
    "injure": Wording(act=("is hurt",), story={"{severity} injury": "suffered a {severity} injury"}),
    "lessen": Wording(
        act=("recovers",),
        story={
            "{severity} injury is now {now}": "spent {edge} points of edge to turn a {severity} injury into a {now} one"
        },
    ),
    "burn": Wording(act=("burns edge",), story={"lives*": "burned edge for good and survived {against}"}),
}

OUTCOMES: Mapping[str, str] = {
    "complete success": "succeeded completely",
    "significant success": "clearly succeeded",
    "marginal success": "narrowly succeeded",
    "marginal failure": "narrowly failed",
    "significant failure": "failed badly",
    "complete failure": "failed completely",
}

UNITS: Mapping[str, tuple[str, str] | None] = {
    "edge": ("point of edge", "points of edge"),
    "damage.*": ("{name} damage", "{name} damage"),
    "injury.*": ("{name} injury", "{name} injuries"),
    "advantage.*": None,
    "disadvantage.*": None,
    "attack-dice": None,
    "hits.*": None,
}

CHANGE_VERBS: Mapping[str, tuple[str, str]] = {
    "damage.*": ("took", "recovered from"),
    "injury.*": ("suffered", "recovered from"),
}

UNFINISHED_ATTACK = "{who} hit {target} with the {weapon}, but the damage has not been rolled yet"

TASKS: Mapping[str, str] = {
    "attack: hit {target} with {weapon}; damage not rolled yet": UNFINISHED_ATTACK,
    "attack: hit {target} with {weapon}; damage not rolled yet, *": UNFINISHED_ATTACK,
    "incoming damage: {amount} {kind} from {by}, not yet checked against armor": (
        "{who} still has to check {amount} {kind} damage from {by} against the armor"
    ),
}

WOUNDS = frozenset(CHANGE_VERBS)

SENTENCES: Mapping[str, str] = {
    "advantage on the next {check}": "gets advantage on the next {check}",
    "disadvantage on the next {check}": "gets disadvantage on the next {check}",
    "goes on": "continues the attack",
    "stopped ({damage} under {threshold})": "armor stops the damage ({damage}, below the threshold of {threshold})",
    "{passed} of {damage} damage passes": "{passed} of {damage} damage gets through",
    "armor degraded": "now has worse armor",
    "armor degraded to {threshold}/{reduction}": "now has worse armor: threshold {threshold}, reduction {reduction}%",
    "{amount} {kind} damage healed": "heals {amount} {kind} damage",
    "{severity} injury is now {now}": "{severity} injury becomes {now}",
    "short rest": "takes a short rest",
    "long rest": "takes a long rest",
    "award": "earns edge",
    "lives, and needs care": "survives and needs medical care",
    "the lowest of three goes": "the lowest of three dice is dropped",
    "the highest of three goes": "the highest of three dice is dropped",
    "the player names the die that goes": "the player chooses which die to drop",
    "triumph  +5": "+5",
    "despair  −5": "−5",
}

LABELS: Mapping[str, str] = {
    "maximum": "maximum edge",
    "attribute.*": "{name}",
    "skill.*": "{name}",
    "advantage.any": "advantage on any check",
    "advantage.related": "advantage on a related check",
    "advantage.*": "advantage on {name}",
    "disadvantage.any": "disadvantage on any check",
    "disadvantage.related": "disadvantage on a related check",
    "disadvantage.*": "disadvantage on {name}",
    "attack-dice": "extra damage dice",
    "armor.threshold": "armor threshold",
    "armor.reduction": "armor reduction",
    "hits.*": "hits on {name}",
    "damage.physical": "physical damage",
    "damage.stun": "stun damage",
    "injury.*": "{name} injuries",
    "dealt": "damage before armor",
    "attacking": "last attack that hit",
}
