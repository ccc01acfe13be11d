"""The log's descriptions of the moves of Roll-under."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.rules import Wording

ROLL_RESULT = ("rolled {roll}",)

WORDINGS: Mapping[str, Wording] = {
    "skill": Wording(act=("{skill}",), result=ROLL_RESULT, names_dice=True, did=("made a {skill} roll",)),
    "plain": Wording(
        act=("{characteristic}",), result=ROLL_RESULT, names_dice=True, did=("made a {characteristic} roll",)
    ),
}

OUTCOMES: Mapping[str, str] = {
    "success, average (*)": "succeeded",
    "success, medium (*)": "clearly succeeded",
    "success, high (*)": "succeeded with ease",
    "success, special (*)": "succeeded brilliantly",
    "success, critical (*)": "succeeded perfectly",
    "critical failure": "failed badly",
}

SENTENCES: Mapping[str, str] = {
    "{level}: the margin {} is at least {}; by {table} version {version}": (
        "{level}: margin {{}}, needs {{}} or more ({table}, version {version})"
    ),
    "{level}: 5 × {} / {}, rounded up, is {}; by {table} version {version}": (
        "{level}: 5 × {{}} / {{}}, rounded up, is {{}} (1 is critical, 5 is average; {table}, version {version})"
    ),
    "critical: {} is not above {}": "a critical failure, because the difficulty number {} is not above {}",
    "not critical: {} is above {}": "no critical failure, because the difficulty number {} is above {}",
}

LABELS: Mapping[str, str] = {"characteristic.*": "{name}", "skill.*": "{name}"}
