"""Subjects: the names that the journal keeps for its own bookkeeping."""

from ledger.errors import Refused
from ledger.values import Struct

CAMPAIGN = "campaign"
CAST, PLAYERS, QUESTIONS, STRUCK = "#cast", "#players", "#questions", "#struck"
ABOUT, ASSERTED, REVEALED = "#about", "#asserted", "#revealed"
"""Subjects of marks beside characters, players (`p1`) and `campaign`, so that the journal is never searched.

`#cast` and `#players` hold, by handle, the entry that brought them; `#questions`, by number, the entry that answered
it, or false; `#struck`, by action, the entry that strikes it; `#about`, by action and entry (`17:31`), that the entry
says something about the action; `#asserted`, by character and score (`mara:edge/edge`), the last assertion that held;
`#revealed`, by entry, the one that told what the GM had kept of it.
"""

HOLD = "hold"
"""The score of a character that says how many questions wait for an answer and hold whoever they name."""

OFFER = "offer"
"""The mark of a character that names the ruling after which something may still be chosen."""

KEY = "key"
"""The mark of the campaign that is the public half of the key that signs."""

POLICY = "policy"
"""The mark of the campaign that names the entry which says who witnesses it."""

FORK = "fork"
"""The mark of the campaign that is the root of another history, from which it went apart knowingly."""

CHOICE = "choice"
"""The kind of a question that waits for inputs which are chosen once the dice lie."""

SEE_QUESTIONS = "See what waits with 'campaign questions'."

FIRST_SEAT = "p1"
"""The seat that is taken when a campaign is opened: the GM's."""

LONGEST_NUMBER = 16


def number(name: str) -> int:
    """The number of an entry by its name in a mark, 0 for what is none."""
    return int(name) if name.isascii() and name.isdigit() and len(name) <= LONGEST_NUMBER else 0


class Question(Struct):
    """What became of a question: it waits, or an entry answered it, or it was struck."""

    seq: int
    answered_by: int | None = None
    waits: bool = False

    @property
    def struck(self) -> bool:
        """Whether it neither waits nor was answered."""
        return not self.waits and self.answered_by is None

    def check_waits(self) -> None:
        """Refuse a question that waits no more."""
        if self.answered_by is not None:
            raise Refused(f"Question #{self.seq} was answered by #{self.answered_by}.")
        if self.struck:
            raise Refused(f"Question #{self.seq} was struck.", SEE_QUESTIONS)
