"""The consequence of a roll-under move, and the page of rules."""

from __future__ import annotations

from ledger.rules import Kind

CHECK_ROLLED = Kind(name="check-rolled", says="a d20 was thrown against a difficulty number", rule="ROL-01")

KINDS = (CHECK_ROLLED,)

PAGE = {
    "ROL-01": "An action succeeds where 1d20 shows the difficulty number or less.",
    "ROL-02": "With a skill the number is level, natural ability (as the sheet has it: one or an average) and factor.",
    "ROL-03": "Without a skill it is a characteristic times its complexity, and the factor.",
    "ROL-04": "The factor is the sum of all circumstances, −10 to +5; what lies outside is refused.",
    "ROL-05": "A natural 20 is a critical failure, unless the number is above 20.",
    "ROL-06": "The margin of a success gives one of five levels, average to critical.",
    "ROL-07": "The table of levels is the GM's to set; each outcome keeps the one that graded it.",
}
"""Each rule in one line."""
