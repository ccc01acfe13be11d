"""The log's descriptions of the moves of a free sheet."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.rules import Wording

RESULT = ("{against}", " ({target}'s {number})", ", margin {margin}", " ({count.addends})", "{total.addends}")

WORDINGS: Mapping[str, Wording] = {
    "check": Wording(
        act=("{roll}",),
        result=RESULT,
        did=("made a {roll} roll",),
        story={"{total}": "rolled {total} for {roll}"},
    ),
    "rest": Wording(bare=True, story={"rests": "rested", "rests, *": "rested"}),
}

UNITS: Mapping[str, tuple[str, str] | None] = {
    "hp": ("hit point", "hit points"),
    "xp": ("experience point", "experience points"),
    "gold": ("gold", "gold"),
    "cash": ("cash", "cash"),
    "money": ("money", "money"),
    "gp": ("gold piece", "gold pieces"),
    "silver": ("silver", "silver"),
    "copper": ("copper", "copper"),
    **{
        thing: (thing, f"{thing}{'es' if thing == 'torch' else 's'}")
        for thing in (
            "arrow",
            "bolt",
            "bullet",
            "coin",
            "gem",
            "key",
            "lantern",
            "potion",
            "ration",
            "rope",
            "scroll",
            "torch",
        )
    },
}

CONSUMABLES = (
    "arrow", "bolt", "bullet", "charge", "dose", "potion", "ration", "scroll", "slot", "spell-slot", "torch", "use",
)  # fmt: skip
HARMS = ("bruise", "scar", "wound")

CONDITION_MARKS = ("condition", "conditions", "state", "status")

CHANGE_VERBS: Mapping[str, tuple[str, str]] = {
    form: verbs
    for things, verbs in ((CONSUMABLES, ("gained", "used")), (HARMS, ("took", "recovered from")))
    for thing in things
    for form in (thing, f"{thing}es" if thing == "torch" else f"{thing}s", f"{thing}s.*")
}

WOUNDS = frozenset({"hp", *HARMS, *(f"{harm}s" for harm in HARMS)})
