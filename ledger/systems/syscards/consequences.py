"""Consequences of the moves of SySCards."""

from __future__ import annotations

from ledger.rules import Kind

CARD_CREATED = Kind(name="card-created", says="an entity, as it was designed", rule="SYS-08", flow="in")
CAPACITY_LOST = Kind(name="capacity-lost", says="a card that does not throw", rule="SYS-01", flow="out")
MODE_CHANGED = Kind(name="mode-changed", says="tale, action or deal", rule="SYS-11")
ROUND_MOVED = Kind(name="round-moved", says="where the round is", rule="SYS-19")
RATE_DECLARED = Kind(name="rate-declared", says="what a throw needs to reach, before it", rule="SYS-03")
ACT_PASSED = Kind(name="act-passed", says="an act without dice", rule="SYS-11")
ACT_THROWN = Kind(name="act-thrown", says="a throw and its result", rule="SYS-04")
FAILURE_TOLD = Kind(name="failure-told", says="what a failure means", rule="SYS-06")
RAISE_THROWN = Kind(name="raise-thrown", says="a throw that raises the efficiency", rule="SYS-09", flow="in")
PRICE_SET = Kind(name="price-set", says="The Log, a price", rule="SYS-12")
ITEM_BOUGHT = Kind(name="item-bought", says="what was bought from The Log", rule="SYS-12", flow="in")
POINTS_SPENT = Kind(name="points-spent", says="what was paid for it", rule="SYS-12", flow="out")
CHALLENGE_DECLARED = Kind(name="challenge-declared", says="acts that interact", rule="SYS-13")
CHALLENGE_ENTERED = Kind(name="challenge-entered", says="an act in challenge, with no place yet", rule="SYS-13")
CHALLENGE_SETTLED = Kind(name="challenge-settled", says="which act comes when", rule="SYS-13")
CHALLENGE_DENIED = Kind(name="challenge-denied", says="there is no challenge", rule="SYS-20")
PRIORITY_GIVEN = Kind(name="priority-given", says="priority without a throw, with success or not", rule="SYS-20")
ACT_CANCELLED = Kind(name="act-cancelled", says="an act with priority undid it", rule="SYS-17")
REJECTION_ANNOUNCED = Kind(name="rejection-announced", says="a rate in place of a challenge", rule="SYS-19")

KINDS = (
    CARD_CREATED,
    CAPACITY_LOST,
    MODE_CHANGED,
    ROUND_MOVED,
    RATE_DECLARED,
    ACT_PASSED,
    ACT_THROWN,
    FAILURE_TOLD,
    RAISE_THROWN,
    PRICE_SET,
    ITEM_BOUGHT,
    POINTS_SPENT,
    CHALLENGE_DECLARED,
    CHALLENGE_ENTERED,
    CHALLENGE_SETTLED,
    CHALLENGE_DENIED,
    PRIORITY_GIVEN,
    ACT_CANCELLED,
    REJECTION_ANNOUNCED,
)

PAGE = {
    "SYS-01": "A card without capacity does not throw, and acts in no other way.",
    "SYS-02": "A throw is tens and units; 00 and 0 is 100.",
    "SYS-03": "The GM asks for a throw: a rate or a challenge is declared before it.",
    "SYS-04": "The result is the larger of the throw and the efficiency.",
    "SYS-05": "An act succeeds where the result reaches the rate; there are no degrees of success.",
    "SYS-06": "A failure has a degree, and the GM says what it means.",
    "SYS-07": "Ten grades name a rate or an efficiency.",
    "SYS-08": "An efficiency is 1 to 100, and belongs to a card and its owner.",
    "SYS-09": "A natural 100 raises the efficiency, until it is 100.",
    "SYS-10": "The GM sets what a raise throw awards, and from where on it is one.",
    "SYS-11": "Tale goes without dice, action with them, deal is for purchases; what efficiency reaches needs none.",
    "SYS-12": "In deal mode core points buy efficiency and items at the GM's prices.",
    "SYS-13": "Acts that interact throw; the highest result comes first.",
    "SYS-14": "Of tied results the higher efficiency comes first; of those tied in both the GM rules.",
    "SYS-15": "A faster act comes first; velocity says when in the round.",
    "SYS-16": "In a forced challenge an act has a rate of its own, and may need priority; a failed one does nothing.",
    "SYS-17": "An act with priority may cancel another, where the GM says so.",
    "SYS-18": "An indirect challenge orders timing alone.",
    "SYS-19": "A rejection announced before the prep time puts a rate, or an intensity too, in place of a challenge.",
    "SYS-20": "The GM may deny a challenge, or give an act priority outright, with success or without.",
    "SYS-21": "An efficiency never moves a rate; a rate is declared before, with its reason.",
    "SYS-22": "What a card's info says is on its sheet, and enters its challenges.",
    "SYS-23": "The odds of a challenge of two are exact: every throw of both is counted.",
}
"""Each rule in one line."""
