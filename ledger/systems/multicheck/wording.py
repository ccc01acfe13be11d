"""The log's descriptions of the moves of Multicheck."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.rules import Wording

WORDINGS: Mapping[str, Wording] = {
    "test": Wording(deed=("{what}",)),
    "throw": Wording(deed=("extra dice",)),
    "save": Wording(deed=("{save} save",), result=("{save}",)),
    "afflict": Wording(bare=True),
    "turn": Wording(deed=("conditions",)),
}

SENTENCES: Mapping[str, str] = {
    "critical success: yes, and": "critical success (yes, and …)",
    "major success: yes": "major success (yes)",
    "minor success: yes, but": "minor success (yes, but …)",
    "minor failure: no, but": "minor failure (no, but …)",
    "major failure: no": "major failure (no)",
    "critical failure: no, and": "critical failure (no, and …)",
    "nothing lessens": "no condition changes",
    "{} does not count any more": "{} no longer counts",
}
