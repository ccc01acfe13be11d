"""The log's descriptions of the moves of SySCards."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.rules import Wording

RATED = ("{rate}",)

WORDINGS: Mapping[str, Wording] = {
    "throw": Wording(result=RATED),
    "cancel": Wording(bare=True),
    "buy": Wording(deed=("{item}",)),
}

LABELS: Mapping[str, str] = {"core-points": "core points", "item.*": "{}"}
