"""Consequences of the moves of Multicheck."""

from __future__ import annotations

from ledger.rules import Kind

TEST_ROLLED = Kind(name="test-rolled", says="what a test came to, check by check", rule="MUL-09", in_steps=True)
THROW_ROLLED = Kind(name="throw-rolled", says="the dice that a test lets one throw", rule="MUL-09", in_steps=True)
TEST_REROLLED = Kind(name="test-rerolled", says="the whole test was rolled again", rule="MUL-11", in_steps=True)
PS_SPENT = Kind(name="ps-spent", says="a PS raises the attribute", rule="MUL-10", flow="out", in_steps=True)
PK_SPENT = Kind(name="pk-spent", says="a karma point pays for another roll", rule="MUL-11", flow="out")
SAVE_ROLLED = Kind(name="save-rolled", says="what a save came to", rule="MUL-14", in_steps=True)
EFFECT_SUFFERED = Kind(name="effect-suffered", says="what a save leaves of it", rule="MUL-15", flow="in", in_steps=True)
EFFECT_TAKEN = Kind(name="effect-taken", says="what an effect takes off", rule="MUL-15", flow="out", in_steps=True)
CONDITION_APPLIED = Kind(name="condition-applied", says="a condition comes with charges", rule="MUL-17", flow="in")
CONDITION_LESSENED = Kind(name="condition-lessened", says="a turn takes charges off", rule="MUL-17", flow="out")
CONDITION_ENDED = Kind(name="condition-ended", says="a turn takes the last charges off", rule="MUL-17", flow="out")

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
    "MUL-01": "A test is one d100, its tens and units told apart; 00 and 0 is 100.",
    "MUL-02": "A roll at or below the attribute is a success; the sheet says which one a skill goes with.",
    "MUL-03": "An attribute above 100 is a success by itself; a roll at or below what is above is one more.",
    "MUL-04": "A roll at or below the skill value is a success: 10 a rank, 15 where specialised, ranks 0 to 6.",
    "MUL-05": "A roll at or below the feat value is a success: a feat by name, a number for one test, or else luck.",
    "MUL-06": "A roll at or above the mishap value takes a success; it is on the sheet, else the campaign's.",
    "MUL-07": "A roll whose digits, swapped, are below the difficulty takes a success.",
    "MUL-08": "One modifier of −30 to +30, all circumstances together, moves the attribute alone.",
    "MUL-09": "The count of successes names the outcome, and says how many dice may be thrown after the test.",
    "MUL-10": "One PS a test: 10 on the attribute before the roll, or 5 after it.",
    "MUL-11": "One PK a test, after it: all of it again; the new roll stands, the old dice stay on record.",
    "MUL-12": "Advantage takes the lower of two tens dice, disadvantage the higher; one cancels one.",
    "MUL-13": "A save is a d20 and a save value, against malice or 10, and the grade; no points, no modifiers.",
    "MUL-14": "A save is critical by more than 5 above or below; what is equal succeeds.",
    "MUL-15": "What a save is against counts half as much again, whole, half, or not at all; halves round down.",
    "MUL-16": "There are eight saves, from toughness to initiative; a value may be negative.",
    "MUL-17": "A condition has charges; each turn takes the recovery off them, and at 0 it is over.",
    "MUL-18": "The odds of a test and of a save are exact: all rolls are counted.",
}
"""Each rule in one line."""
