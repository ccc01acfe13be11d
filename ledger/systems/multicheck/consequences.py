"""The kinds of consequence in Multicheck: what happens to points, extra dice, conditions and damage."""

from __future__ import annotations

from ledger.rules import Kind

TEST_ROLLED = Kind(name="test-rolled", says="the result of a test, check by check", rule="MUL-09", in_steps=True)
THROW_ROLLED = Kind(name="throw-rolled", says="extra dice were rolled after a test", rule="MUL-09", in_steps=True)
TEST_REROLLED = Kind(name="test-rerolled", says="the whole test was rolled again", rule="MUL-11", in_steps=True)
PS_SPENT = Kind(
    name="ps-spent", says="a spiritual point (PS) raises the attribute", rule="MUL-10", flow="out", in_steps=True
)
PK_SPENT = Kind(name="pk-spent", says="a karma point (PK) pays for a reroll", rule="MUL-11", flow="out")
SAVE_ROLLED = Kind(name="save-rolled", says="the result of a save", rule="MUL-14", in_steps=True)
EFFECT_SUFFERED = Kind(
    name="effect-suffered", says="the character suffers an effect", rule="MUL-15", flow="in", in_steps=True
)
EFFECT_TAKEN = Kind(name="effect-taken", says="an effect lowers a score", rule="MUL-15", flow="out", in_steps=True)
CONDITION_APPLIED = Kind(
    name="condition-applied", says="a condition starts, or it gains charges", rule="MUL-17", flow="in"
)
CONDITION_LESSENED = Kind(
    name="condition-lessened", says="a turn lowers the charges of a condition", rule="MUL-17", flow="out"
)
CONDITION_ENDED = Kind(name="condition-ended", says="a turn ends a condition", rule="MUL-17", flow="out")

PAGE = {
    "MUL-01": "A test is one d100 roll: a tens digit and a ones digit. A 0 on both is 100.",
    "MUL-02": "A roll at or below the attribute is a success. The sheet shows which attribute a skill uses.",
    "MUL-03": "If the attribute is above 100, the test always gets one success. A roll at or below the attribute minus"
    " 100 adds a second success.",
    "MUL-04": "A roll at or below the skill value is a success. The skill value is 10 per rank, or 15 per rank if"
    " specialized.",
    "MUL-05": "A roll at or below the feat value is a success. The feat value comes from a feat, a typed number, or"
    " luck.",
    "MUL-06": "The mishap value is 90 by default. A roll at or above it removes a success.",
    "MUL-07": "Swap the digits of the roll: if the result is below the difficulty, the test loses a success.",
    "MUL-08": "The GM combines all circumstances into one modifier, −30 to +30. It changes only the attribute.",
    "MUL-09": "The number of successes sets the outcome. It also sets the number of extra dice after the test.",
    "MUL-10": "One spiritual point (PS) per test adds 10 to the attribute before the roll, or 5 after it.",
    "MUL-11": (
        "Once per test, a karma point (PK) pays for rolling the test again. The new roll counts;"
        " the old dice stay on record."
    ),
    "MUL-12": (
        "For advantage, roll two tens dice and use the lower one. For disadvantage, use the"
        " higher one. Each advantage cancels one disadvantage."
    ),
    "MUL-13": (
        "A save is d20 + save value. The difficulty is the opponent's malice + grade. Without an"
        " opponent, it is 10 + grade. PS, PK and modifiers do not apply."
    ),
    "MUL-14": "A save succeeds if the total is at least the difficulty. A difference of more than 5 is critical.",
    "MUL-15": "The result of a save multiplies the effect by 1.5, 1, 0.5 or 0, rounded down.",
    "MUL-16": "There are eight saves, from toughness to initiative. A save value may be negative.",
    "MUL-17": "A condition has charges. Each turn lowers them by the character's recovery. At 0 charges, the condition"
    " ends.",
    "MUL-18": "The program calculates the exact odds of a test and of a save.",
}
"""The game's rules: the text of each rule, by its ID."""
