"""The consequence of a roll-under move, and the page of rules."""

from __future__ import annotations

from ledger.rules import Kind

CHECK_ROLLED = Kind(name="check-rolled", says="a d20 against a difficulty number", rule="ROL-01", in_steps=True)

KINDS = (CHECK_ROLLED,)

PAGE = {
    "ROL-01": "An action succeeds if 1d20 shows the difficulty number or less.",
    "ROL-02": "With a skill, the number is level + natural ability (one characteristic or an average) + factor.",
    "ROL-03": "Without a skill, the number is characteristic × complexity + factor.",
    "ROL-04": "The factor is the sum of all circumstances. It must be between −10 and +5.",
    "ROL-05": "A natural 20 is a critical failure unless the number is above 20.",
    "ROL-06": "The margin of a success gives one of five levels, average to critical.",
    "ROL-07": "The GM sets the table of levels. Each outcome keeps the table that graded it.",
}
"""Each rule in one line."""
