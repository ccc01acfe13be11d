"""The scores, marks and settings of Edge."""

from ledger.rules import MarkSpec, Score, Setting, handle, handles, yes_no

SEVERITIES = ("minor", "serious", "critical", "life-threatening")
"""The default severities of an injury, from the least (EDG-11)."""

TARGETS = {
    "very-easy": 10,
    "easy": 15,
    "moderate": 20,
    "challenging": 25,
    "difficult": 30,
    "very-difficult": 35,
    "near-impossible": 40,
}
"""The target numbers by their names (EDG-01)."""

SCORES = (
    Score(name="edge", unit="edge", most="maximum", starts="maximum", says="what can be spent (EDG-15)"),
    Score(name="maximum", unit="edge", says="the most edge one can hold; a burn lowers it for good (EDG-14)"),
    Score(name="strength", unit="strength", says="the wielder's modifier in melee (EDG-09)"),
    Score(name="attribute.*", unit="attribute", says="an attribute; two of them govern a skill (EDG-02)"),
    Score(name="skill.*", unit="rank", says="ranks in a skill (EDG-02)"),
    Score(name="advantage.any", unit="advantage", says="waits for the next check of any kind (EDG-08)"),
    Score(name="advantage.related", unit="advantage", says="waits for the next related check (EDG-08)"),
    Score(name="disadvantage.any", unit="disadvantage", says="waits for the next check of any kind (EDG-08)"),
    Score(name="disadvantage.related", unit="disadvantage", says="waits for the next related check (EDG-08)"),
    Score(name="attack-dice", unit="die", most=2, says="d6s that the last attack adds to its damage (EDG-08)"),
    Score(name="armor.threshold", unit="damage", says="damage below it does nothing (EDG-10)"),
    Score(name="armor.reduction", unit="percent", most=100, says="percent of damage that is soaked (EDG-10)"),
    Score(name="injury.*", unit="injury", says="injuries of a severity (EDG-11)"),
)


MARKS = (
    MarkSpec(name="armor", says="the armor that is worn", read=handle),
    MarkSpec(name="care", says="lives after a burn, and needs care (EDG-14)", read=yes_no),
)


SETTINGS = (
    Setting(
        name="injuries",
        says="the severities of an injury, from the least (EDG-11)",
        default=SEVERITIES,
        read=handles,
        holds=tuple[str, ...],
    ),
)
