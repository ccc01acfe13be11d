"""The log's descriptions of the moves of Multicheck."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.rules import Wording

WORDINGS: Mapping[str, Wording] = {
    "test": Wording(
        act=("{what}",),
        result=("net successes {count.sum}",),
        did=("made a {what} roll",),
        offers={"reroll": "paid one karma point to roll again", "after": "paid one spiritual point"},
    ),
    "throw": Wording(
        act=("rolls extra dice",),
        story={
            "1d* for *: {total}": "rolled {total} on the extra die",
            "* for *: {total}": "rolled {total} on the extra dice",
        },
    ),
    "save": Wording(act=("{save} save",), result=("{save}",), did=("made a {save} save",)),
    "afflict": Wording(bare=True, story={"{condition}": "picked up the condition “{condition}”"}),
    "turn": Wording(
        act=("starts a turn",),
        story={
            "* lessened, * over": "partly recovered from {steps}",
            "1 lessened": "partly recovered from {steps}",
            "* lessened": "partly recovered from {steps}",
            "1 over": "recovered from {steps}",
            "* over": "recovered from {steps}",
            "nothing lessens": "",
        },
        appendix=True,
    ),
}

OUTCOMES: Mapping[str, str] = {
    "critical success: yes, and": "succeeded brilliantly",
    "major success: yes": "succeeded",
    "minor success: yes, but": "succeeded at a cost",
    "minor failure: no, but": "failed, although some good came of it",
    "major failure: no": "failed",
    "critical failure: no, and": "failed badly",
    "critical success": "succeeded brilliantly",
    "critical failure": "failed badly",
}

UNITS: Mapping[str, tuple[str, str] | None] = {
    "ps": ("spiritual point", "spiritual points"),
    "pk": ("karma point", "karma points"),
    "harm.*": ("{name}", "{name}"),
    "condition.*": ("charge of the condition “{name}”", "charges of the condition “{name}”"),
    "throw": None,
}

STATES: Mapping[str, str] = {"condition.*": "the condition “{name}”"}

EFFECTS: Mapping[str, str] = {"effect-suffered": "suffered {becomes} points of {effect}"}

CHANGE_VERBS: Mapping[str, tuple[str, str]] = {"harm.*": ("took", "recovered from")}

WOUNDS = frozenset({"condition.*", "harm.*"})

SENTENCES: Mapping[str, str] = {
    "critical success: yes, and": "critical success (yes, and …)",
    "major success: yes": "major success (yes)",
    "minor success: yes, but": "minor success (yes, but …)",
    "minor failure: no, but": "minor failure (no, but …)",
    "major failure: no": "major failure (no)",
    "critical failure: no, and": "critical failure (no, and …)",
    "{dice} for an earlier test: {total}": "{dice} = {total}, for an earlier test",
    "{dice} for the {outcome} of {roll}: {total}": "{dice} = {total}, for the {outcome} (roll {roll})",
    "1 lessened, {over} over": "1 condition weakened, {over} ended",
    "{weaker} lessened, {over} over": "{weaker} conditions weakened, {over} ended",
    "1 lessened": "1 condition weakened",
    "{weaker} lessened": "{weaker} conditions weakened",
    "1 over": "1 condition ended",
    "{over} over": "{over} conditions ended",
    "nothing lessens": "no change to any condition (no conditions, or no recovery)",
    "{skill} goes with {attribute} and is held against {defense}": (
        "{skill} uses {attribute}; the opponent defends with {defense}"
    ),
    "{skill} goes with {attribute}": "{skill} uses {attribute}",
    "{skill} is held against {defense}": "the opponent defends against {skill} with {defense}",
    "{} for and {} against cancel": "advantages {}, disadvantages {}: they cancel out",
    "{} for and {} against: the {which} of {} and {}": (
        "advantages {{}}, disadvantages {{}}: the {which} of {{}} and {{}}"
    ),
    "the first tens die, {}, is beaten; its units count": (
        "the second tens die counts, not the first one ({}0); the units stay the same"
    ),
    "{} does not count any more": "the first roll, {}, no longer counts",
    "none above 100: {}": "{}, because the attribute is not above 100",
    "{}, inverted, against {}: {}": "{} (digits swapped) against {}: {}",
    "{}, inverted, against {}: +{}": "{} (digits swapped) against {}: +{}",
    "{}, inverted, and no difficulty was said: {}": "{} (digits swapped), no difficulty given: {}",
    "{} die to throw": "{} extra die",
    "{} dice to throw": "{} extra dice",
    "malice, {grade}: {} + {} = {}": "malice plus grade ({grade}): {{}} + {{}} = {{}}",
    "no opponent, {grade}: {} + {} = {}": "base plus grade ({grade}), without an opponent: {{}} + {{}} = {{}}",
    "{} of {}": "{1} becomes {0}",
    "{} less {}: {}": "{} − {} = {}",
}

LABELS: Mapping[str, str] = {
    "attribute.*": "{name}",
    "skill.*": "{name} rank",
    "feat.*": "{name}",
    "mishap": "mishap value",
    "ps": "PS",
    "pk": "PK",
    "save.*": "{name} save",
    "malice.*": "{name} malice",
    "harm.*": "{name} suffered",
    "condition.*": "{name} charges",
    "throw": "extra dice",
}
