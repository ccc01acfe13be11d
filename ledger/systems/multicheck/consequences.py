"""Consequences of the moves of Multicheck."""

from __future__ import annotations

from ledger.rules import Kind

TEST_ROLLED = Kind(name="test-rolled", says="the result of a test, check by check", rule="MUL-09", in_steps=True)
THROW_ROLLED = Kind(name="throw-rolled", says="the extra dice after a test", rule="MUL-09", in_steps=True)
TEST_REROLLED = Kind(name="test-rerolled", says="the whole test was rolled again", rule="MUL-11", in_steps=True)
PS_SPENT = Kind(name="ps-spent", says="a PS raises the attribute", rule="MUL-10", flow="out", in_steps=True)
PK_SPENT = Kind(name="pk-spent", says="a PK pays for a reroll", rule="MUL-11", flow="out")
SAVE_ROLLED = Kind(name="save-rolled", says="the result of a save", rule="MUL-14", in_steps=True)
EFFECT_SUFFERED = Kind(
    name="effect-suffered", says="the character suffers an effect", rule="MUL-15", flow="in", in_steps=True
)
EFFECT_TAKEN = Kind(name="effect-taken", says="an effect lowers a score", rule="MUL-15", flow="out", in_steps=True)
CONDITION_APPLIED = Kind(name="condition-applied", says="a condition starts or gains charges", rule="MUL-17", flow="in")
CONDITION_LESSENED = Kind(name="condition-lessened", says="a turn lowers a condition", rule="MUL-17", flow="out")
CONDITION_ENDED = Kind(name="condition-ended", says="a turn ends a condition", rule="MUL-17", flow="out")

KINDS = (
    TEST_ROLLED,
    THROW_ROLLED,
    TEST_REROLLED,
    PS_SPENT,
    PK_SPENT,
    SAVE_ROLLED,
    EFFECT_SUFFERED,
    EFFECT_TAKEN,
    CONDITION_APPLIED,
    CONDITION_LESSENED,
    CONDITION_ENDED,
)

PAGE = {
    "MUL-01": "A test is one d100 with a tens digit and a units digit. 00 and 0 is 100.",
    "MUL-02": "A roll at or below the attribute is a success. The sheet has the attribute of each skill.",
    "MUL-03": "An attribute above 100 is a success by itself. A roll at or below the part above 100 is one more.",
    "MUL-04": "A roll at or below the skill value is a success. It is 10 per rank (0 to 6), or 15 if specialized.",
    "MUL-05": "A roll at or below the feat value is a success. It is a named feat, a number for one test, or luck.",
    "MUL-06": "A roll at or above the mishap value removes a success. The value is from the sheet or the setting.",
    "MUL-07": "If the roll with its digits swapped is below the difficulty, it removes a success.",
    "MUL-08": "One modifier of −30 to +30, for all circumstances together, changes only the attribute.",
    "MUL-09": "The number of successes sets the outcome and the number of extra dice after the test.",
    "MUL-10": "One PS per test adds 10 to the attribute before the roll, or 5 after it.",
    "MUL-11": "One PK per test rerolls all of it. The new roll counts; the old dice stay on record.",
    "MUL-12": "Advantage takes the lower of two tens dice, disadvantage the higher. They cancel one for one.",
    "MUL-13": "A save is d20 + save value against malice (or 10) + grade, without points or modifiers.",
    "MUL-14": "A save succeeds at or above the difficulty. A difference of more than 5 is critical.",
    "MUL-15": "The save's result multiplies an effect by 1.5, 1, 0.5 or 0, rounded down.",
    "MUL-16": "There are eight saves, from toughness to initiative. A value may be negative.",
    "MUL-17": "A condition has charges. Each turn subtracts the recovery. At 0 charges, the condition ends.",
    "MUL-18": "The odds of a test and of a save are exact.",
}
"""Each rule in one line."""
