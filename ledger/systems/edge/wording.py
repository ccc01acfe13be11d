"""The words that the log uses for Edge's moves."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.rules import Wording

CHECK_RESULT = ("{target} ({dice.addends}", "; {dropped} dropped", ")", ", double {double}")

SUCCESSES = ("complete success", "significant success", "marginal success", "success")
FAILURES = ("marginal failure", "significant failure", "complete failure", "failure")
HIT = {**dict.fromkeys(SUCCESSES, "hit"), **dict.fromkeys(FAILURES, "missed")}
WHICH_DIE = "{who} still has to choose which die to drop"
OTHER_DIE = {"drop_instead": "paid one point of edge to drop a different die"}
WORSE_ARMOR = dict.fromkeys(("armor degraded", "armor degraded to *"), "had worse armor from then on")
ROLLED_DAMAGE = {"* * damage": "rolled {} {} damage", "* damage": "rolled {} damage"}

WORDINGS: Mapping[str, Wording] = {
    "check": Wording(
        act=("{ranks}",),
        result=CHECK_RESULT,
        names_dice=True,
        did=("made a {ranks} roll",),
        choice=WHICH_DIE,
        offers=OTHER_DIE,
    ),
    "grant": Wording(bare=True, story={"* on the *": "had {} on the {}"}, appendix=True),
    "attack": Wording(bare=True, story={"attacks *": "attacked {whom} with the {weapon}", "goes on": ""}),
    "wear": Wording(bare=True, story={"wears *": "put on the {}", "takes off the armor": "took off the armor"}),
    "degrade": Wording(bare=True, story=WORSE_ARMOR, appendix=True),
    "heal": Wording(bare=True, story={"* * damage healed": "recovered from {} {} damage"}),
    "rest": Wording(bare=True, story={"short rest": "took a short rest", "long rest": "took a long rest"}),
    "award": Wording(bare=True, story={"award": "earned {amount} points of edge"}),
    "attack-roll": Wording(
        act=("rolls the attack", " with {ranks}"),
        result=CHECK_RESULT,
        names_dice=True,
        story=HIT,
        choice=WHICH_DIE,
        offers=OTHER_DIE,
    ),
    "damage-roll": Wording(act=("rolls damage",), story={"* damage": ""}),
    "damage": Wording(act=("rolls damage", " with {item}"), story=ROLLED_DAMAGE),
    "soak": Wording(
        act=("is hit",),
        story={
            "0 of * damage passes": "took no damage",
            "* of * damage passes": "took {} damage",
            "stopped (* under *)": "took a hit, but the armor stopped it",
        },
    ),
    "injure": Wording(act=("is hurt",), story={"* injury": "suffered one {} injury"}),
    "lessen": Wording(act=("recovers",), story={"* injury is now *": "recovered: one {} injury became {}"}),
    "burn": Wording(act=("burns edge",), story={"lives*": "burned edge for good and survived"}),
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
    "damage.*": ("{} damage", "{} damage"),
    "injury.*": ("{} injury", "{} injuries"),
    "advantage.*": None,
    "disadvantage.*": None,
    "attack-dice": None,
    "hits.*": None,
}

CHANGE_VERBS: Mapping[str, tuple[str, str]] = {
    "damage.*": ("took", "recovered from"),
    "injury.*": ("suffered", "recovered from"),
}

UNFINISHED = "{who} hit {} with the {}, but the damage has not been rolled yet"

TASKS: Mapping[str, str] = {
    "attack: hit * with *; damage not rolled yet": UNFINISHED,
    "attack: hit * with *; damage not rolled yet, *": UNFINISHED,
    "incoming damage: * * from *, not yet checked against armor": (
        "{who} still has to check the armor against {} {} damage from {}"
    ),
}

WOUNDS = frozenset(CHANGE_VERBS)

SENTENCES: Mapping[str, str] = {
    "advantage on the *": "gets advantage on the {}",
    "disadvantage on the *": "gets disadvantage on the {}",
    "goes on": "continues the attack",
    "stopped (* under *)": "armor stops it (damage {}, threshold {})",
    "* of * damage passes": "{} of {} damage gets through",
    "armor degraded": "now has worse armor",
    "armor degraded to */*": "now has worse armor: threshold {}, reduction {}%",
    "* * damage healed": "heals {} {} damage",
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
    "attribute.*": "{}",
    "skill.*": "{}",
    "advantage.any": "advantage on any check",
    "advantage.related": "advantage on a related check",
    "advantage.*": "advantage on {}",
    "disadvantage.any": "disadvantage on any check",
    "disadvantage.related": "disadvantage on a related check",
    "disadvantage.*": "disadvantage on {}",
    "attack-dice": "extra damage dice",
    "armor.threshold": "armor threshold",
    "armor.reduction": "armor reduction",
    "hits.*": "hits on {}",
    "damage.physical": "physical damage",
    "damage.stun": "stun damage",
    "injury.*": "{} injuries",
    "dealt": "damage before armor",
    "attacking": "last hit",
}
