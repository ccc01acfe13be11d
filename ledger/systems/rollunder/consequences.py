"""The one kind of consequence in roll-under (a rolled check), and the text of each rule."""

from __future__ import annotations

from ledger.rules import Kind

CHECK_ROLLED = Kind(name="check-rolled", says="a d20 against a difficulty number", rule="ROL-01", in_steps=True)

PAGE = {
    "ROL-01": "An action succeeds if the d20 roll is at or below the difficulty number.",
    "ROL-02": "With a skill, the difficulty number is skill level + natural ability + difficulty factor. The natural"
    " ability is one characteristic, or the average of several.",
    "ROL-03": "Without a skill, the difficulty number is characteristic × complexity factor + difficulty factor.",
    "ROL-04": "The difficulty factor is the sum of all circumstances. It must be between −10 and +5.",
    "ROL-05": "A natural 20 is a critical failure unless the difficulty number is above 20.",
    "ROL-06": "The margin (difficulty number minus roll) sets the level of a success: average, medium, high, special or"
    " critical.",
    "ROL-07": "The GM chooses the table of success levels. A new table does not change old results.",
}
"""The game's rules: the text of each rule, by its ID."""
