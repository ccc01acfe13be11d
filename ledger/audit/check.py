"""Check: one question, asked of every entry in one pass, with a view of the journal before it.

`Checks` runs several in one pass. `verify` refuses the file at their first fault; `audit` reports them all. A check
asks `Before` about earlier entries, which caches the recent ones and reads older ones again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, TypeVar

from ledger.errors import WrongEntry
from ledger.events import types as events
from ledger.events.entry import Entry
from ledger.events.subjects import FIRST_SEAT, PLAYERS, Question
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book

T = TypeVar("T")

Fault = tuple[int, str]
"""The entry at fault, and what is wrong with it; a `Remark`, where commands alone can bring it about."""


ENTRIES, ACTIONS = 500, 4000
"""How many entries and actions are cached; older ones are read from the journal again."""


class EntryCheck:
    """One question, asked of each entry in order; only of those whose events are `of` these types."""

    of: ClassVar[tuple[type[events.Event], ...]] = (events.Event,)

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Faults of an entry, after the earlier checks looked at it.

        `refuse` stops at the first fault, so what runs after a fault may rely on there being none.
        """
        yield from ()

    def end(self) -> Iterator[Fault]:
        """Faults that show only after the last entry."""
        yield from ()


class Checks:
    """Several checks in one pass over the entries, from the first to the last."""

    def __init__(self, checks: Sequence[EntryCheck], book: Book) -> None:
        self._checks = checks
        self._before = Before(book)
        self._looks: dict[type[events.Event], list[Callable[[Entry, Before], Iterator[Fault]]]] = {}

    def look(self, entry: Entry) -> Iterator[Fault]:
        """Faults of an entry, in the order of the checks."""
        kind = type(entry.event)
        if kind not in self._looks:
            self._looks[kind] = [check.look for check in self._checks if issubclass(kind, check.of)]
        for look in self._looks[kind]:
            yield from look(entry, self._before)
        self._before.add(entry)

    def end(self) -> Iterator[Fault]:
        """Faults of a journal that ends here."""
        for check in self._checks:
            yield from check.end()


def refuse(faults: Iterable[Fault]) -> None:
    """Refuse (`WrongEntry`) an entry for its first fault."""
    for seq, says in faults:
        raise WrongEntry(seq, says)


# The journal before an entry


NOTHING = Entry(
    seq=0, since=0, at="", by="", act=0, cause=None, type="", closed={}, stored=b"", leaf=b"", with_secrets=False
).saying(events.Unknown(kind="", facts={}))
"""Takes the place of an entry that does not exist."""


class ActionSoFar:
    """The effects of an action's entries so far.

    `places`: where they count from; `strikes`: the actions that they struck; `tells`: the sealed rolls that they
    revealed; `answers`: the actions whose questions they answered by a choice.
    """

    __slots__ = ("answers", "places", "strikes", "tells")

    def __init__(self) -> None:
        self.places = self.strikes = self.tells = self.answers = frozenset[int]()


class Before:
    """The journal before an entry: earlier entries by number, their actions, the seats, and the accounts.

    It is a view of the journal up to `last`. It caches the recent entries and actions, and all seats. `freed` are the
    places of everything that the action of `last` has struck so far.
    """

    def __init__(self, book: Book) -> None:
        self._book = book
        self._entries: dict[int, Entry] = {}
        self._actions: dict[int, ActionSoFar] = {}
        self._action = (0, ActionSoFar())
        self.freed = set[int]()
        self.last = NOTHING
        self.seats = {FIRST_SEAT}

    @property
    def head(self) -> int:
        """The number of the last entry, 0 if there is none."""
        return self.last.seq

    def entry(self, seq: int) -> Entry:
        """An earlier entry; `NOTHING` for any other number."""
        if not 0 < seq <= self.head:
            return NOTHING
        entry = self._entries.get(seq) or self._book.journal.entry(seq)
        return _cached(self._entries, seq, entry, ENTRIES)

    def action(self, act: int) -> ActionSoFar:
        """The effects of an action so far; empty if it has not begun."""
        if act == self._action[0]:
            return self._action[1]
        if act in self._actions or act > self.head:
            return self._actions.get(act) or ActionSoFar()
        action = ActionSoFar()
        for entry in self._book.journal.action(act) if act else ():
            self._did(action, entry)
        return _cached(self._actions, act, action, ACTIONS)

    def mark(self, who: str, name: str) -> Any:
        """The value of a mark, `None` if it has none."""
        return self._book.accounts.mark(who, name, AsOf(seq=self.head))

    def seating(self, place: int, player: str) -> int | None:
        """Return the entry that seats a player at a place, with the corrections so far."""
        seq: int | None = self._book.accounts.mark(PLAYERS, player, AsOf(seq=place, corrected=True, known=self.head))
        return seq

    def is_gm(self, seat: str) -> bool:
        """Return True if the seat was a GM's."""
        return bool(self.mark(seat, "gm"))

    def question(self, seq: int) -> Question:
        """The state of a question as it was before the entry under check."""
        return self._book.question(seq, AsOf(seq=self.head))

    def balance(self, who: str, score: str) -> int:
        """The balance of a score, 0 if nothing was ever posted to it."""
        return self._book.accounts.balance(who, score, AsOf(seq=self.head)) or 0

    def add(self, entry: Entry) -> None:
        """Add an entry, once all checks have looked at it."""
        event = entry.event
        if entry.act != self._action[0]:
            _cached(self._actions, *self._action, ACTIONS)
            self._action, self.freed = (entry.act, ActionSoFar()), set()
        self._did(self._action[1], entry)
        match event:
            case events.ActionStruck():
                self.freed |= {place for act in entry.targets for place in self.action(act).places}
            case events.PlayerSeated(player=player):
                self.seats.add(player)
        self.last = _cached(self._entries, entry.seq, entry, ENTRIES)

    def _did(self, action: ActionSoFar, entry: Entry) -> None:
        event = entry.event
        question = entry.answers
        if entry.since not in action.places:
            action.places |= {entry.since}
        if question is not None:
            action.answers |= {self.entry(question).act}
        match event:
            case events.ActionStruck():
                action.strikes |= frozenset(entry.targets)
            case events.SecretRevealed(about=sealed) if self.entry(sealed).type == events.RollSealed.type:
                action.tells |= {sealed}


def _cached(cache: dict[int, T], seq: int, value: T, most: int) -> T:
    """The value, now cached; the oldest one gives way if there are too many."""
    cache[seq] = value
    if len(cache) > most:
        del cache[next(iter(cache))]
    return value
