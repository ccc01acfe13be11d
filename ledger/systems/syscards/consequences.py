"""Consequences of the moves of SySCards."""

from __future__ import annotations

from ledger.rules import Kind

CARD_CREATED = Kind(name="card-created", says="card described", rule="SYS-08", flow="in")
CAPACITY_LOST = Kind(name="capacity-lost", says="capacity lost", rule="SYS-01", flow="out")
MODE_CHANGED = Kind(name="mode-changed", says="mode changed", rule="SYS-11")
ROUND_MOVED = Kind(name="round-moved", says="round moved", rule="SYS-19")
RATE_DECLARED = Kind(name="rate-declared", says="rate declared", rule="SYS-03")
ACT_PASSED = Kind(name="act-passed", says="success without dice", rule="SYS-11")
ACT_THROWN = Kind(name="act-thrown", says="thrown", rule="SYS-04")
FAILURE_TOLD = Kind(name="failure-told", says="failure described", rule="SYS-06")
RAISE_THROWN = Kind(name="raise-thrown", says="raised by a throw", rule="SYS-09", flow="in")
PRICE_SET = Kind(name="price-set", says="price set", rule="SYS-12")
ITEM_BOUGHT = Kind(name="item-bought", says="bought from The Log", rule="SYS-12", flow="in")
POINTS_SPENT = Kind(name="points-spent", says="paid in core points", rule="SYS-12", flow="out")
CHALLENGE_DECLARED = Kind(name="challenge-declared", says="challenge declared", rule="SYS-13")
CHALLENGE_ENTERED = Kind(name="challenge-entered", says="challenge entered", rule="SYS-13")
CHALLENGE_SETTLED = Kind(name="challenge-settled", says="challenge settled", rule="SYS-13")
CHALLENGE_DENIED = Kind(name="challenge-denied", says="challenge denied", rule="SYS-20")
PRIORITY_GIVEN = Kind(name="priority-given", says="priority without a throw", rule="SYS-20")
ACT_CANCELLED = Kind(name="act-cancelled", says="act canceled", rule="SYS-17")
REJECTION_ANNOUNCED = Kind(name="rejection-announced", says="rejection announced", rule="SYS-19")

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
    "SYS-01": "A card without capacity cannot throw or act.",
    "SYS-02": "A throw is a tens digit and a units digit; 00 and 0 is 100.",
    "SYS-03": "The GM asks for a throw by declaring a rate or a challenge first.",
    "SYS-04": "The result is the higher of the throw and the efficiency.",
    "SYS-05": "An act succeeds if the result reaches the rate. Success has no degrees.",
    "SYS-06": "A failure has a degree, and the GM decides what it means.",
    "SYS-07": "Ten grades name the ranges of rates and efficiencies.",
    "SYS-08": "An efficiency is 1 to 100. It belongs to a card and its owner.",
    "SYS-09": "A natural 100 raises the efficiency, up to 100.",
    "SYS-10": "The GM sets how much a raise adds and from which throw on it happens.",
    "SYS-11": "Tale mode has no dice, action mode has. A rate within the efficiency needs none. Deal mode is to buy.",
    "SYS-12": "In deal mode, core points buy efficiency and items at the GM's prices.",
    "SYS-13": "If acts affect each other, everyone involved rolls. The highest result comes first.",
    "SYS-14": "If results are tied, the higher efficiency comes first. If those are tied too, the GM decides.",
    "SYS-15": "A faster act comes first. The velocity says when in the round a card acts.",
    "SYS-16": "In a forced challenge, an act has its own rate and may also need priority. A failed act does nothing.",
    "SYS-17": "An act with priority may cancel another if the GM agrees.",
    "SYS-18": "An indirect challenge only orders timing.",
    "SYS-19": "A rejection announced before the prep time replaces a challenge with a rate, and perhaps an intensity.",
    "SYS-20": "The GM may deny a challenge, or give an act priority with or without success.",
    "SYS-21": "An efficiency never changes a rate. A rate is declared before the throw, with its reason.",
    "SYS-22": "A card's sheet contains its info, and its challenges use it.",
    "SYS-23": "The odds of a challenge of two are exact: they count every pair of throws.",
}
"""Each rule in one line."""
