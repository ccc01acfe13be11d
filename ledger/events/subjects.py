"""Names of marks and scores that the book itself uses, and functions that read these marks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ledger.errors import Refused, Run
from ledger.values import Struct

CAMPAIGN = "campaign"
CAST, PLAYERS, QUESTIONS, STRUCK = "#cast", "#players", "#questions", "#struck"
FULL_NAMES, SHORT_NAMES = "#full-names", "#short-names"
ABOUT, ASSERTED, REVEALED = "#about", "#asserted", "#revealed"
IMPORTED, LAST_LOG = "#imported", "log"
"""The subjects of the book's own marks, with mark names and values. The marks make journal searches unnecessary.

- `#players`, by handle: the entry that added the player.
- `#cast`, by character: the entry that added the character; `{"session": 2}` if the GM plays the character until
  session 2 closes; false if the character left.
- `#full-names`, by character or player handle: the entry with the full name.
- `#short-names`, by additional short name: the character.
- `#questions`, by number: the entry that answered the question, or false if the question is open.
- `#struck`, by action: the entry that strikes it.
- `#about`, by action and entry (`17:31`): true if the entry is about the action.
- `#asserted`, by character and score (`mara:edge/edge`): the last entry in which paper and book agreed on the score.
- `#revealed`, by entry: the entry that revealed its secrets.
- `#imported`, by the id of a roll in its file: the entry with the roll; by `log`: the last import.
"""

HOLD = "hold"
"""A character's score: the number of open questions that hold the character."""

OFFER = "offer"
"""A character's mark: the last ruling, if it offers a choice."""

PLAYER = "player"
"""A character's mark: the handle of the player to whom it belongs."""

LENT = "player-lent"
"""A character's mark: the `player` who plays the character until this `session` closes, in place of its owner."""

LEFT = "left"
"""A player's mark: true if the player left the table."""

TURN = "turn"
"""A character's mark: the number in the turn order. As a mark of the campaign: the round, and whose turn it is.

The campaign's mark also lists who has acted in the round, except in entries of earlier versions.
"""

TURNS = "turns"
"""The campaign's mark: a list of everyone added to the turn order. Characters with equal numbers act in its order."""

EACH_ROUND = "initiative-each-round"
"""The campaign's mark: true if everybody gets a new number in the turn order each round."""

INITIATIVE = {False: "once", True: "each-round"}
"""The words that people type for the values of `EACH_ROUND`."""

KEY = "key"
"""The campaign's mark: the public signing key."""

POLICY = "policy"
"""The campaign's mark: the entry with its policy, which names the witnesses."""

FORK = "fork"
"""The campaign's mark: the root of a history that somebody abandoned on purpose."""

PRESENT = "present"
"""A player's mark: the last session for which a `PlayersPresent` event names the player."""

CHOICE = "choice"
"""The `kind` of a `QuestionAsked` that the player answers with an input, which is chosen after the throw."""

CALENDAR = "calendar"
"""The campaign's mark: the entry with the calendar of the game's world."""

ZONE = "zone"
"""The campaign's mark: the time zone of its last session, as minutes east of UTC."""

QUESTIONS_HINT = f"List the open questions with {Run('questions')}."

FIRST_GM_HANDLE = "p1"
"""The GM's handle, assigned when the campaign is created."""

LONGEST_NUMBER = 16


def is_npc(cast_value: Any) -> bool:
    """Return True if this value of a `#cast` mark belongs to a non-player character."""
    return isinstance(cast_value, dict)


def in_cast(cast_value: Any, session: Any) -> bool:
    """Return True if a character with this `#cast` value plays. `session` is the open session, or None."""
    return (
        cast_value == {"session": session} if is_npc(cast_value) else cast_value is not None and cast_value is not False
    )


def plays(mark: Callable[[str, str], Any], who: str) -> bool:
    """Return True if a character plays. `mark` looks up marks at one point of the journal."""
    seat = mark(CAST, who)
    if in_cast(seat, mark(CAMPAIGN, "session")):
        return True
    player = player_of(mark, who)
    return seat is not False and isinstance(player, str) and is_seated(mark, player)


def is_seated(mark: Callable[[str, str], Any], player: str) -> bool:
    """Return True if this player is at the table, at the point of the journal where `mark` looks up marks."""
    return mark(PLAYERS, player) is not None and mark(player, LEFT) is None


def player_of(mark: Callable[[str, str], Any], who: str) -> Any:
    """Return the handle of the player who plays a character, or `None` if nobody does.

    `mark` returns the marks at one entry; the answer is for this entry. A borrowed character belongs to the borrower
    until the session of the loan closes.
    """
    match mark(who, LENT):
        case {"player": str(player), "session": int(session)}:
            if session == mark(CAMPAIGN, "session") and is_seated(mark, player):
                return player
    return mark(who, PLAYER)


def entry_number(name: str) -> int:
    """Return the entry number in the name of a mark, or 0 if the name is not a number."""
    return int(name) if name.isascii() and name.isdigit() and len(name) <= LONGEST_NUMBER else 0


class Question(Struct):
    """The state of a question: open (`is_open`), answered, or canceled (`canceled`)."""

    seq: int
    answered_by: int | None
    is_open: bool

    @property
    def canceled(self) -> bool:
        """True if the question is neither open nor answered."""
        return not self.is_open and self.answered_by is None

    def check_open(self) -> None:
        """Raise `Refused` if the question is not open."""
        if self.answered_by is not None:
            hint = f"To answer it again, cancel that answer first: {Run('void', self.answered_by, why='TEXT')}"
            raise Refused(f"Question #{self.seq} was already answered by #{self.answered_by}.", hint)
        if self.canceled:
            raise Refused(f"Question #{self.seq} was canceled.", QUESTIONS_HINT)
