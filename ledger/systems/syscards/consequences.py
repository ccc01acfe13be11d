"""The kinds of consequence that moves of SySCards can have, each with its label and its rule."""

from __future__ import annotations

from ledger.rules import Kind

CARD_CREATED = Kind(name="card-created", says="a card was described", rule="SYS-08", flow="in")
CAPACITY_LOST = Kind(name="capacity-lost", says="a card lost its capacity to act", rule="SYS-01", flow="out")
MODE_CHANGED = Kind(name="mode-changed", says="the table's mode changed", rule="SYS-11")
ROUND_MOVED = Kind(name="round-moved", says="a round started or continued", rule="SYS-19")
RATE_DECLARED = Kind(name="rate-declared", says="the GM declared a rate", rule="SYS-03")
ACT_PASSED = Kind(name="act-passed", says="an act succeeded without dice", rule="SYS-11")
ACT_THROWN = Kind(name="act-thrown", says="rolled", rule="SYS-04")
FAILURE_TOLD = Kind(name="failure-told", says="the GM described a failure", rule="SYS-06")
RAISE_THROWN = Kind(name="raise-thrown", says="a roll raised the efficiency", rule="SYS-09", flow="in")
PRICE_SET = Kind(name="price-set", says="the GM set a price", rule="SYS-12")
ITEM_BOUGHT = Kind(name="item-bought", says="something was bought from The Log", rule="SYS-12", flow="in")
POINTS_SPENT = Kind(name="points-spent", says="core points were paid for a card", rule="SYS-12", flow="out")
CHALLENGE_DECLARED = Kind(name="challenge-declared", says="a challenge was declared", rule="SYS-13")
CHALLENGE_ENTERED = Kind(name="challenge-entered", says="a card entered a challenge", rule="SYS-13")
CHALLENGE_SETTLED = Kind(name="challenge-settled", says="the order of a challenge was settled", rule="SYS-13")
CHALLENGE_DENIED = Kind(name="challenge-denied", says="the GM denied a challenge", rule="SYS-20")
PRIORITY_GIVEN = Kind(name="priority-given", says="an act got priority without a roll", rule="SYS-20")
ACT_CANCELLED = Kind(name="act-cancelled", says="an act canceled another act", rule="SYS-17")
REJECTION_ANNOUNCED = Kind(
    name="rejection-announced", says="a card announced that it rejects challenges", rule="SYS-19"
)

PAGE = {
    "SYS-01": "A card without capacity cannot roll or act.",
    "SYS-02": "A roll has a tens digit and a ones digit. 00 and 0 together count as 100.",
    "SYS-03": "A card rolls only after the GM declares a rate or a challenge.",
    "SYS-04": "The result is the roll or the efficiency, whichever is higher.",
    "SYS-05": "An act succeeds if the result reaches the rate. Success has no degrees.",
    "SYS-06": "A failure has a degree: the rate minus the result. The GM decides what the failure means.",
    "SYS-07": "Each rate and each efficiency has one of ten grades, from Novice to Ultimate.",
    "SYS-08": "Each card has an owner and an efficiency of 1 to 100.",
    "SYS-09": "A natural 100 raises the efficiency, to at most 100.",
    "SYS-10": ("The GM sets two numbers: the lowest roll that raises an efficiency, and the size of the raise."),
    "SYS-11": "Tale mode has no dice. Action mode has dice. Deal mode is for purchases. In every mode, an act needs no"
    " dice if its rate is at or below the efficiency.",
    "SYS-12": "In deal mode, core points buy efficiency and items at the GM's prices.",
    "SYS-13": "If acts affect each other, everyone involved rolls. The highest result comes first.",
    "SYS-14": "If results are tied, the higher efficiency comes first. If efficiencies are tied too, the GM decides.",
    "SYS-15": "A faster act comes first. The velocity sets how often and when a card acts in a round.",
    "SYS-16": "In a forced challenge, an act must reach its own rate. The GM may also require that the act comes first."
    " A failed act does nothing.",
    "SYS-17": "An act with priority may cancel a later act if the GM agrees.",
    "SYS-18": "An indirect challenge sets only the order. It cancels nothing.",
    "SYS-19": "A card can reject challenges. Then each challenger must reach a rate that the GM sets. The GM may add a"
    " second number, the intensity. If the rejection is announced before the prep time, it counts in"
    " this round. If it is announced later, it counts in the next round.",
    "SYS-20": "The GM may deny a challenge, or give an act priority without a roll. A GM who gives priority also"
    " decides whether the act succeeds.",
    "SYS-21": "The GM declares a rate before the roll. A reason is optional. An efficiency never changes a rate.",
    "SYS-22": "A card's info is on its sheet. Challenges use the rates and priorities in the info.",
    "SYS-23": "The odds of a challenge between two cards are exact: they count every pair of rolls.",
}
"""The game's rules: the text of each rule, by its ID."""
