"""The consequence of a rest, and the page of rules."""

from __future__ import annotations

from ledger.rules import Kind

REFILLED = Kind(name="refilled", says="numbers at their maximum again", rule="FRE-02", flow="in")

PAGE = {
    "FRE-01": "A check succeeds if the total is the number or more. With the setting success=at-most, it succeeds if"
    " the total is the number or less. The margin is the difference.",
    "FRE-02": "A rest sets the numbers that the sheet names under refill to their maximum.",
}
"""The rules of a free sheet: the text of each rule, by its ID."""
