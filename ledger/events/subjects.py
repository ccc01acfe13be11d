"""Subjects: the names that the journal keeps for its own bookkeeping."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ledger.errors import Refused, Run
from ledger.values import Struct

CAMPAIGN = "campaign"
CAST, PLAYERS, QUESTIONS, STRUCK = "#cast", "#players", "#questions", "#struck"
ABOUT, ASSERTED, REVEALED = "#about", "#asserted", "#revealed"
"""Subjects of marks beside characters, players (`p1`) and `campaign`, so that the journal is never searched.

`#players` holds, by handle, the entry that brought them, and so does `#cast`; there it is `{"session": 2}` for whom the
GM plays until that session closes, and false for who left; `#questions`, by number, the entry that answered
it, or false; `#struck`, by action, the entry that strikes it; `#about`, by action and entry (`17:31`), that the entry
says something about the action; `#asserted`, by character and score (`mara:edge/edge`), the last assertion that held;
`#revealed`, by entry, the one that revealed its secrets.
"""

HOLD = "hold"
"""A character's score: the number of open questions that hold the character."""

OFFER = "offer"
"""A character's mark: the ruling after which something may still be chosen."""

PLAYER = "player"
"""A character's mark: the handle of the player who plays it."""

TURN = "turn"
"""A character's mark: the number in the turn order; the campaign's: the round, and whose turn it is."""

TURNS = "turns"
"""The campaign's mark: who was ever added to the turn order, first to last; without it there is none."""

KEY = "key"
"""The campaign's mark: the public half of the key that signs."""

POLICY = "policy"
"""The campaign's mark: the entry that says who witnesses it."""

FORK = "fork"
"""The campaign's mark: the root of another history that it left knowingly."""

CHOICE = "choice"
"""The kind of a question that waits for inputs chosen after the throw."""

ZONE = "zone"
"""The campaign's mark: the time zone of its last session, as minutes east of UTC."""

SEE_QUESTIONS = f"List the open questions with {Run('questions')}."

FIRST_SEAT = "p1"
"""The GM's seat, taken when a campaign is opened."""

LONGEST_NUMBER = 16


def is_npc(seat: Any) -> bool:
    """Return True if a mark of `#cast` is that of a non-player character."""
    return isinstance(seat, dict)


def in_cast(seat: Any, session: Any) -> bool:
    """Return True if a mark of `#cast` says that a character plays while this session (or none) is open."""
    return seat == {"session": session} if is_npc(seat) else seat is not None and seat is not False


def plays(mark: Callable[[str, str], Any], who: str) -> bool:
    """Return True if a character plays, by the marks at a point."""
    seat = mark(CAST, who)
    if in_cast(seat, mark(CAMPAIGN, "session")):
        return True
    player = mark(who, PLAYER)
    return seat is not False and isinstance(player, str) and mark(PLAYERS, player) is not None


def entry_number(name: str) -> int:
    """An entry's number from its name in a mark, 0 if the name is no number."""
    return int(name) if name.isascii() and name.isdigit() and len(name) <= LONGEST_NUMBER else 0


class Question(Struct):
    """The state of a question: it waits, or an entry answered it, or it was struck."""

    seq: int
    answered_by: int | None = None
    waits: bool = False

    @property
    def struck(self) -> bool:
        """Whether it neither waits nor was answered."""
        return not self.waits and self.answered_by is None

    def check_waits(self) -> None:
        """Refuse (`Refused`) a question that no longer waits."""
        if self.answered_by is not None:
            raise Refused(f"Question #{self.seq} was already answered by #{self.answered_by}.")
        if self.struck:
            raise Refused(f"Question #{self.seq} was canceled.", SEE_QUESTIONS)
