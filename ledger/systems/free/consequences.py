"""The one kind of consequence on a free sheet (a rest), and the text of each rule."""

from __future__ import annotations

from ledger.rules import Kind

REFILLED = Kind(name="refilled", says="a rest sets numbers to their maximum", rule="FRE-02", flow="in")

PAGE = {
    "FRE-01": (
        "A check compares the total with a number. It succeeds if the total is at least the"
        " number. With the setting success=at-most, it succeeds if the total is at most the"
        " number. The margin is the difference."
    ),
    "FRE-02": "A rest sets each number in the sheet's refill list to its maximum.",
}
"""The rules of a free sheet: the text of each rule, by its ID."""
