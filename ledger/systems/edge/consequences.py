"""The kinds of consequence in Edge: what happens to edge, damage, armor, injuries and pending advantages."""

from __future__ import annotations

from ledger.rules import Kind

EDGE_SPENT = Kind(name="edge-spent", says="the character spends edge", rule="EDG-04", flow="out")
EDGE_GAINED = Kind(name="edge-gained", says="the character regains edge", rule="EDG-12", flow="in")
EDGE_BURNED = Kind(name="edge-burned", says="the character gives up edge for good", rule="EDG-14", flow="out")
ADVANTAGE_GRANTED = Kind(name="advantage-granted", says="a later check has advantage", rule="EDG-08", flow="in")
ADVANTAGE_USED = Kind(name="advantage-used", says="a check used the advantage", rule="EDG-08", flow="out")
DISADVANTAGE_GRANTED = Kind(
    name="disadvantage-granted", says="a later check has disadvantage", rule="EDG-08", flow="in"
)
DISADVANTAGE_USED = Kind(name="disadvantage-used", says="a check used the disadvantage", rule="EDG-08", flow="out")
ATTACK_DICE_GRANTED = Kind(name="attack-dice-granted", says="a good attack adds damage dice", rule="EDG-08", flow="in")
ATTACK_DICE_USED = Kind(name="attack-dice-used", says="a damage roll used the extra dice", rule="EDG-09", flow="out")
ATTACK_DICE_LAPSED = Kind(
    name="attack-dice-lapsed", says="unused extra damage dice are lost", rule="EDG-09", flow="out"
)
ATTACK_HIT = Kind(name="attack-hit", says="an attack hit; its damage is rolled next", rule="EDG-09")
ATTACK_MISSED = Kind(name="attack-missed", says="an attack missed and ended", rule="EDG-09")
ATTACK_ROLLED = Kind(name="attack-rolled", says="the damage of an attack was rolled", rule="EDG-09")
DAMAGE_DEALT = Kind(name="damage-dealt", says="the result of a damage roll", rule="EDG-09", in_steps=True)
DAMAGE_SOAKED = Kind(name="damage-soaked", says="armor stops some or all of the damage", rule="EDG-10", in_steps=True)
DAMAGE_TAKEN = Kind(name="damage-taken", says="damage gets through", rule="EDG-10", flow="in")
DAMAGE_HEALED = Kind(name="damage-healed", says="the character heals damage", rule="EDG-10", flow="out")
ARMOR_WORN = Kind(name="armor-worn", says="the character puts on or takes off armor", rule="EDG-10")
ARMOR_DEGRADED = Kind(name="armor-degraded", says="armor loses protection", rule="EDG-10", flow="out")
INJURY_TAKEN = Kind(name="injury-taken", says="the character is injured", rule="EDG-11", flow="in")
INJURY_LESSENED = Kind(name="injury-lessened", says="an injury becomes less severe", rule="EDG-11")

PAGE = {
    "EDG-01": "A check succeeds if 2d10 + skill bonus is at least the target number. The GM may hide that number.",
    "EDG-02": "A skill bonus is the sum of two attributes and the skill's ranks. The GM may add a bonus or a penalty.",
    "EDG-03": "Advantage: roll three dice, drop the lowest. Disadvantage: drop the highest. Together they cancel out.",
    "EDG-04": (
        "Spend 1 edge to remove a disadvantage, or to choose which die to drop. With advantage,"
        " you may spend it after the roll."
    ),
    "EDG-05": "The margin is the total minus the target number.",
    "EDG-06": "A double adds 5 to the margin of a success and subtracts 5 from the margin of a failure.",
    "EDG-07": "The margin sets the degree of success or failure. A simple check has no degrees.",
    "EDG-08": "A good attack adds damage dice. The GM can grant advantage on the next check, or on the next related"
    " check.",
    "EDG-09": (
        "Damage is several d6: the weapon, attack, burst and spent edge each add dice. A modifier or more dice can be"
        " added."
    ),
    "EDG-10": "Armor stops all damage below its threshold. It absorbs a percentage of any higher damage.",
    "EDG-11": "Each edge spent makes an injury one step less severe.",
    "EDG-12": "A short rest restores 1 edge. A long rest restores all edge.",
    "EDG-13": "The GM may award edge for an achievement or a setback.",
    "EDG-14": "A character may burn edge for good to survive certain death.",
    "EDG-15": "Edge stays between 0 and its maximum. A move spends edge only if the player says so.",
    "EDG-16": "The program calculates the exact odds of a check and of damage.",
}
