"""The words that the log uses for Edge's moves."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.rules import Wording

CHECK_RESULT = ("{target} ({dice.addends}", "; {dropped} dropped", ")", ", double {double}")

WORDINGS: Mapping[str, Wording] = {
    "check": Wording(act=("{ranks}",), result=CHECK_RESULT, names_dice=True),
    **dict.fromkeys(("grant", "attack", "wear", "degrade", "heal", "rest", "award"), Wording(bare=True)),
    "attack-roll": Wording(act=("rolls the attack", " with {ranks}"), result=CHECK_RESULT, names_dice=True),
    "damage-roll": Wording(act=("rolls damage",)),
    "damage": Wording(act=("rolls damage", " with {item}")),
    "soak": Wording(act=("is hit",)),
    "injure": Wording(act=("is hurt",)),
    "lessen": Wording(act=("recovers",)),
    "burn": Wording(act=("burns edge",)),
}

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
