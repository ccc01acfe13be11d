"""Consequences of the moves of Edge."""

from __future__ import annotations

from ledger.rules import Kind

EDGE_SPENT = Kind(name="edge-spent", says="edge is spent where a rule allows it", rule="EDG-04", flow="out")
EDGE_GAINED = Kind(name="edge-gained", says="edge comes back by rest or award", rule="EDG-12", flow="in")
EDGE_BURNED = Kind(name="edge-burned", says="edge is given up for good to live", rule="EDG-14", flow="out")
ADVANTAGE_GRANTED = Kind(name="advantage-granted", says="waits for a check", rule="EDG-08", flow="in")
ADVANTAGE_USED = Kind(name="advantage-used", says="a check used what waited", rule="EDG-08", flow="out")
DISADVANTAGE_GRANTED = Kind(name="disadvantage-granted", says="waits for a check", rule="EDG-08", flow="in")
DISADVANTAGE_USED = Kind(name="disadvantage-used", says="a check used what waited", rule="EDG-08", flow="out")
ATTACK_DICE_GRANTED = Kind(name="attack-dice-granted", says="a good attack adds damage dice", rule="EDG-08", flow="in")
ATTACK_DICE_USED = Kind(name="attack-dice-used", says="the damage throw took them", rule="EDG-09", flow="out")
ATTACK_DICE_LAPSED = Kind(name="attack-dice-lapsed", says="another attack came first", rule="EDG-09", flow="out")
ATTACK_HIT = Kind(name="attack-hit", says="an attack hit, and its damage follows", rule="EDG-09")
ATTACK_MISSED = Kind(name="attack-missed", says="an attack missed, and is over", rule="EDG-09")
ATTACK_ROLLED = Kind(name="attack-rolled", says="the damage of an attack was rolled", rule="EDG-09")
DAMAGE_DEALT = Kind(name="damage-dealt", says="what a damage throw came to", rule="EDG-09")
DAMAGE_SOAKED = Kind(name="damage-soaked", says="what armor stopped, and what passed", rule="EDG-10")
DAMAGE_TAKEN = Kind(name="damage-taken", says="what passed armor is taken", rule="EDG-10", flow="in")
DAMAGE_HEALED = Kind(name="damage-healed", says="damage taken is healed", rule="EDG-10", flow="out")
ARMOR_WORN = Kind(name="armor-worn", says="another piece of armor is worn, or none", rule="EDG-10")
ARMOR_DEGRADED = Kind(name="armor-degraded", says="armor that was hit often is worth less", rule="EDG-10", flow="out")
INJURY_TAKEN = Kind(name="injury-taken", says="an injury of a severity", rule="EDG-11", flow="in")
INJURY_LESSENED = Kind(name="injury-lessened", says="an injury is a lesser one", rule="EDG-11")

KINDS = (
    EDGE_SPENT,
    EDGE_GAINED,
    EDGE_BURNED,
    ADVANTAGE_GRANTED,
    ADVANTAGE_USED,
    DISADVANTAGE_GRANTED,
    DISADVANTAGE_USED,
    ATTACK_DICE_GRANTED,
    ATTACK_DICE_USED,
    ATTACK_DICE_LAPSED,
    ATTACK_HIT,
    ATTACK_MISSED,
    ATTACK_ROLLED,
    DAMAGE_DEALT,
    DAMAGE_SOAKED,
    DAMAGE_TAKEN,
    DAMAGE_HEALED,
    ARMOR_WORN,
    ARMOR_DEGRADED,
    INJURY_TAKEN,
    INJURY_LESSENED,
)

PAGE = {
    "EDG-01": "2d10 and the skill bonus meet a target number, said or named; the GM may keep it.",
    "EDG-02": "A skill bonus is the two attributes that it stands on, the ranks, and what the GM gives or takes.",
    "EDG-03": "Advantage drops the lowest of three dice, disadvantage the highest; both are neither.",
    "EDG-04": "One edge gains or removes a disadvantage before the dice, or names the die to drop, also after them.",
    "EDG-05": "The margin is the total less the target number.",
    "EDG-06": "A double widens the margin by 5, for better or for worse.",
    "EDG-07": "The margin says how well or how badly; a simple check knows success and failure alone.",
    "EDG-08": "A good attack adds damage dice; what is granted waits for the check that it is related to, or for any.",
    "EDG-09": "Damage is the d6s of weapon, attack, burst and edge, and a modifier; edge may add dice after the throw.",
    "EDG-10": "Worn armor stops what is below its threshold, and soaks a share of the rest; what passes is taken.",
    "EDG-11": "Edge lessens an injury, a step for each.",
    "EDG-12": "A short rest gives 1 edge back, a long one all.",
    "EDG-13": "The GM gives edge for an achievement or a setback.",
    "EDG-14": "Edge is burned for good to survive outright death.",
    "EDG-15": "Edge never goes below 0 or above the maximum, and is spent where a rule allows it.",
    "EDG-16": "The exact odds of a check and of damage are counted.",
}
"""Each rule in one line."""
