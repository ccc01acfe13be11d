"""Check: one question that is asked of every entry, in one pass, beside what stood before it.

Several checks make a pass (`Checks`). `verify` refuses the file for their first fault; `audit` tells them all. What a
check needs of earlier entries, it asks `Before`, which reads them again where they are no longer at hand.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from ledger.corrections.questions import CHOICES
from ledger.errors import WrongEntry
from ledger.events.entry import Entry, chosen_after, struck_in
from ledger.events.subjects import FIRST_SEAT, Question
from ledger.events.types import (
    ActionAmended,
    ActionStruck,
    PlayerSeated,
    PlayRewound,
    QuestionAsked,
    RollSealed,
    ScoreAsserted,
    SecretRevealed,
    Unknown,
)
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book

T = TypeVar("T")

Fault = tuple[int, str]
"""The entry at fault, and what is wrong with it."""


class Remark(NamedTuple):
    """What is no fault for certain: the entry, and what is worth a look."""

    seq: int
    says: str


ENTRIES, ACTIONS = 500, 4000
"""How many entries and actions are kept at hand; older ones are read from the journal again."""


class Check:
    """One question, asked of one entry after the other."""

    def look(self, entry: Entry, before: "Before") -> Iterator[Fault]:
        """Yield what is wrong with an entry in which the checks before this one found nothing wrong.

        Who refuses an entry takes its first fault, and looks no further: what follows may rely on there being none.
        """
        yield from ()

    def end(self) -> Iterator[Fault]:
        """Yield what is wrong once there are no more entries."""
        yield from ()


class Checks:
    """Some checks as one pass over the entries, from the first to the last."""

    def __init__(self, checks: Sequence[Check], book: Book) -> None:
        self._checks = checks
        self._before = Before(book)

    def look(self, entry: Entry) -> Iterator[Fault]:
        """Yield the faults of an entry, in the order of the checks."""
        for check in self._checks:
            yield from check.look(entry, self._before)
        self._before.add(entry)

    def end(self) -> Iterator[Fault]:
        """Yield what is wrong with the journal that ends here."""
        for check in self._checks:
            yield from check.end()


def refuse(faults: Iterable[Fault]) -> None:
    """Refuse (`WrongEntry`) an entry for the first fault."""
    for seq, says in faults:
        raise WrongEntry(seq, says)


# What stood before


NOTHING = Entry(
    seq=0, since=0, at="", by="", act=0, cause=None, type="", closed={}, stored=b"", leaf=b"", told=False
).saying(Unknown(kind="", facts={}))
"""Stands for an entry that there is not."""


class Action:
    """What the entries of an action did so far.

    `places`: since when they count; `strikes`: the actions that they struck; `tells`: the sealed rolls that they told;
    `answers`: the actions whose questions they answered, by a choice.
    """

    __slots__ = ("answers", "places", "strikes", "tells")

    def __init__(self) -> None:
        self.places = self.strikes = self.tells = self.answers = frozenset[int]()


class Before:
    """What stood before an entry: the entries by number, their actions, who sits at the table, and the accounts.

    It is a view of the journal up to `last`, and holds only what was looked at last; and the seats. `freed` are the
    places of all that the action of `last` has struck so far.
    """

    def __init__(self, book: Book) -> None:
        self._book = book
        self._entries: dict[int, Entry] = {}
        self._actions: dict[int, Action] = {}
        self._action = (0, Action())
        self.freed = set[int]()
        self.last = NOTHING
        self.seats = {FIRST_SEAT}

    @property
    def head(self) -> int:
        """The number of the last entry, 0 where there is none."""
        return self.last.seq

    def entry(self, seq: int) -> Entry:
        """An earlier entry; what is none is like no other."""
        if not 0 < seq <= self.head:
            return NOTHING
        found = self._entries.get(seq) or self._book.journal.entry(seq)
        return _at_hand(self._entries, seq, found, ENTRIES)

    def action(self, act: int) -> Action:
        """What an action did so far; one that only begins did nothing."""
        if act == self._action[0]:
            return self._action[1]
        if act in self._actions or act > self.head:
            return self._actions.get(act) or Action()
        found = Action()
        for entry in self._book.journal.action(act) if act else ():
            self._did(found, entry)
        return _at_hand(self._actions, act, found, ACTIONS)

    def mark(self, who: str, name: str) -> Any:
        """The value of a mark, None where it has none."""
        return self._book.accounts.mark(who, name, AsOf(seq=self.head))

    def question(self, seq: int) -> Question:
        """What had become of a question."""
        return self._book.question(seq, AsOf(seq=self.head))

    def balance(self, who: str, score: str) -> int:
        """What a score stands at, 0 where nothing was ever posted to it."""
        return self._book.accounts.balance(who, score, AsOf(seq=self.head)) or 0

    def add(self, entry: Entry) -> None:
        """Take an entry among those before; nothing was found wrong with it."""
        event = entry.event
        if entry.act != self._action[0]:
            _at_hand(self._actions, *self._action, ACTIONS)
            self._action, self.freed = (entry.act, Action()), set()
        self._did(self._action[1], entry)
        match event:
            case ActionStruck():
                self.freed |= {place for act in struck_in(event) for place in self.action(act).places}
            case PlayerSeated(player=player):
                self.seats.add(player)
        self.last = _at_hand(self._entries, entry.seq, entry, ENTRIES)

    def _did(self, action: Action, entry: Entry) -> None:
        """Add to an action what an entry did in it."""
        event = entry.event
        asked = chosen_after(event)
        action.places |= {entry.since}
        if asked is not None:
            action.answers |= {self.entry(asked).act}
        match event:
            case ActionStruck():
                action.strikes |= frozenset(struck_in(event))
            case SecretRevealed(about=told) if self.entry(told).type == RollSealed.type:
                action.tells |= {told}


def _at_hand(held: dict[int, T], seq: int, value: T, most: int) -> T:
    """Keep a value at hand, in the place of the oldest where there are too many."""
    held[seq] = value
    if len(held) > most:
        del held[next(iter(held))]
    return value


# What an event says of others


Carrying = ActionAmended | PlayRewound
"""The events that take over questions which were settled in what they strike."""

ASKING = frozenset({QuestionAsked.type, RollSealed.type, *CHOICES})
"""The types of the events that may wait for an answer."""


def asks(entry: Entry) -> bool:
    """Whether an entry waits for an answer; an assertion does where the book says otherwise."""
    event = entry.event
    agreed = isinstance(event, ScoreAsserted) and event.claimed == event.stood
    return entry.type in ASKING and not agreed
