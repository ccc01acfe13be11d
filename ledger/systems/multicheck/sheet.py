"""The scores and settings of Multicheck."""

from ledger.rules import LARGEST, Score, Setting, number

MISHAP = 90
"""The default mishap value (MUL-06)."""

SAVES = ("toughness", "flexibility", "bravery", "composure", "intuition", "fortune", "opposition", "initiative")
"""The saves (MUL-16)."""

MALICES = ("physical", "mental", "social")
"""The kinds of malice, one for each kind of act (MUL-13)."""

MOST_RANK = 6

SCORES = (
    Score(name="attribute.*", unit="attribute", says="an attribute, luck among them (MUL-02, MUL-05, MUL-07)"),
    Score(name="skill.*", unit="rank", most=MOST_RANK, says="the rank in a skill (MUL-04)"),
    Score(name="feat.*", unit="feat", says="the value of a feat, in the place of luck (MUL-05)"),
    Score(name="ps", unit="ps", says="spiritual points (MUL-10)"),
    Score(name="pk", unit="pk", says="karma points (MUL-11)"),
    *(
        Score(name=f"save.{name}", unit="save", least=-LARGEST, says="a save; it may be negative (MUL-16)")
        for name in SAVES
    ),
    *(Score(name=f"malice.{name}", unit="malice", says="what others save against (MUL-13)") for name in MALICES),
    Score(name="recovery", unit="recovery", says="charges that each condition loses a turn (MUL-17)"),
    Score(name="condition.*", unit="charge", says="charges of a condition; at 0 it is over (MUL-17)"),
)


SETTINGS = (
    Setting(
        name="mishap",
        says="the roll from which on a success is lost (MUL-06)",
        default=MISHAP,
        read=number(1, 100),
        holds=int,
    ),
)
