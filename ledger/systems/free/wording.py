"""The log's descriptions of the moves of a free sheet."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.rules import Wording

RESULT = ("{against}", ", margin {margin}", " ({count.addends})", "{total.addends}")

WORDINGS: Mapping[str, Wording] = {
    "check": Wording(act=("{roll}",), result=RESULT),
    "rest": Wording(bare=True),
}
