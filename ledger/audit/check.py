"""Check: one question that is asked of every entry, in one pass, beside what stood before it.

Several checks make a pass (`Checks`): each looks at an entry in its turn, and the first fault is the refusal. What more
than one of them asks about the entries before stands in `Before`, once; what a check alone asks, it keeps itself.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ledger.corrections.questions import CHOICES
from ledger.errors import WrongEntry
from ledger.events.entry import Entry, about_of, answered, throws_in
from ledger.events.subjects import FIRST_SEAT, STRUCK
from ledger.events.types import (
    ActionAmended,
    ActionStruck,
    DisputeRaised,
    KnockOnFound,
    PlayerSeated,
    PlayRewound,
    QuestionAsked,
    RollSealed,
    ScoreAsserted,
    SecretRevealed,
    VerdictOverridden,
)
from ledger.journal.accounts import Accounts, When

Fault = tuple[int, str]
"""The entry at fault, and what is wrong with it."""

LONGEST_NUMBER = 16


class Check(ABC):
    """One question, asked of one entry after the other."""

    @abstractmethod
    def look(self, entry: Entry, before: "Before") -> Iterator[Fault]:
        """Yield what is wrong with an entry in which the checks before this one found nothing wrong.

        Who refuses an entry takes its first fault, and looks no further: what follows may rely on there being none.
        """

    def end(self) -> Iterator[Fault]:
        """Yield what is wrong once there are no more entries."""
        yield from ()


class Checks:
    """Some checks as one pass over the entries, from the first to the last."""

    def __init__(self, checks: Sequence[Check], accounts: Accounts) -> None:
        self._checks = checks
        self._before = Before(accounts)

    def take(self, entry: Entry) -> None:
        """Refuse (`WrongEntry`) an entry for its first fault, in the order of the checks."""
        for check in self._checks:
            _refuse(check.look(entry, self._before))
        self._before.add(entry)

    def end(self) -> None:
        """Refuse (`WrongEntry`) what is wrong with the journal that ends here."""
        for check in self._checks:
            _refuse(check.end())


def _refuse(faults: Iterable[Fault]) -> None:
    for seq, says in faults:
        raise WrongEntry(seq, says)


# What stood before


class Written(NamedTuple):
    """What is kept of an entry for those after it: its type, its place, and which entry it is about."""

    type: str
    since: int
    act: int
    about: int | None


class Action:
    """What the entries of an action did so far.

    `places`: since when they count; `strikes`: the actions that they struck; `tells`: the sealed rolls that they told;
    `answers`: the actions whose questions they answered.
    """

    __slots__ = ("answers", "places", "strikes", "tells")

    def __init__(self) -> None:
        self.places = self.strikes = self.tells = self.answers = frozenset[int]()


class Before:
    """What stood before an entry: the entries by number, their actions, who sits at the table, and the accounts."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        self._entries = [Written(type="", since=0, act=0, about=None)]
        self._actions: dict[int, Action] = {}
        self.seats = {FIRST_SEAT}
        self.at = ""

    @property
    def head(self) -> int:
        """The number of the last entry, 0 where there is none."""
        return len(self._entries) - 1

    def __getitem__(self, seq: int) -> Written:
        """What was written as an entry; 0 is none, and like no other."""
        return self._entries[seq]

    def action(self, act: int) -> Action:
        """What an action did so far; one that only begins did nothing."""
        return self._actions.get(act) or Action()

    def mark(self, who: str, name: str) -> Any:
        """The value of a mark, None where it has none."""
        return self._accounts.mark(who, name, When(seq=self.head))

    def balance(self, who: str, score: str) -> int:
        """What a score stands at, 0 where nothing was ever posted to it."""
        return self._accounts.balance(who, score, When(seq=self.head)) or 0

    def add(self, entry: Entry) -> None:
        """Take an entry among those before; nothing was found wrong with it."""
        event, asked = entry.event, answered(entry.event)
        self.at = entry.at
        self._entries.append(Written(entry.type, entry.since, entry.act, about_of(event)))
        action = self._actions.setdefault(entry.act, Action())
        action.places |= {entry.since}
        if asked is not None:
            action.answers |= {self[asked].act}
        match event:
            case PlayerSeated(player=player):
                self.seats.add(player)
            case ActionStruck(marks=marks):
                action.strikes |= {number(mark.name) for mark in marks if mark.who == STRUCK}
            case SecretRevealed(about=told) if self[told].type == RollSealed.type:
                action.tells |= {told}


# What an event says of others


Carrying = ActionAmended | PlayRewound
"""The events that take over questions which were settled in what they strike."""

AboutOthers = ActionAmended | KnockOnFound | DisputeRaised | VerdictOverridden | SecretRevealed
"""The events that say which entry they are about."""

ASKING = frozenset({QuestionAsked.type, RollSealed.type, *CHOICES})
"""The types of the events that may wait for an answer."""


def asks(entry: Entry) -> bool:
    """Whether an entry waits for an answer; an assertion does where the book says otherwise."""
    event = entry.event
    agreed = isinstance(event, ScoreAsserted) and event.claimed == event.stood
    return entry.type in ASKING and not agreed


def place_of(entry: Entry, before: Before) -> int:
    """Since when an entry counts, or the dice that were thrown for it in its own action."""
    own = (before[throw].since for throw in throws_in(entry.event) if throw >= entry.act)
    return min([entry.since, *own])


def number(name: str) -> int:
    """The number of an entry by its name in a mark, 0 for what is none."""
    return int(name) if name.isascii() and name.isdigit() and len(name) <= LONGEST_NUMBER else 0
