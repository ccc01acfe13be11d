"""The log's descriptions of the moves of Roll-under."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.rules import Wording

ROLLED = ("rolled {roll}",)

WORDINGS: Mapping[str, Wording] = {
    "skill": Wording(deed=("{skill}",), result=ROLLED, names_dice=True),
    "plain": Wording(deed=("{characteristic}",), result=ROLLED, names_dice=True),
}
