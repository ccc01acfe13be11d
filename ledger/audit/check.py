"""The base class of checks; `Checks`, which runs several checks in one pass; and `PastEntries`, for earlier entries.

`verify` stops at the first fault; `audit` reports all faults.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Any, ClassVar, TypeVar

from ledger.audit.states import from_json, to_json
from ledger.errors import WrongEntry
from ledger.events import types as events
from ledger.events.commitments import CommittedText, Secret
from ledger.events.entry import Entry
from ledger.events.subjects import FIRST_GM_HANDLE, PLAYERS, Question
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book

T = TypeVar("T")

Root = events.MovePlayed | events.QuestionAsked | events.DiceCounted
"""The events that can be the main entry (root) of a play: rulings, questions and totals. Each names its throws."""

Fault = tuple[int, str]
"""The number of a wrong entry, and the message. A `Remark` is a fault that correct commands can also cause."""

OnProgress = Callable[[int], None]
"""A function that is called with the number of entries checked since the last call."""

CACHED_ENTRIES, CACHED_ACTIONS = 500, 4000
"""The sizes of the two caches. Entries and actions that are no longer in them are read from the journal again."""


class EntryCheck:
    """A check that runs on each entry in order.

    `kept` names the attributes with everything that the check needs after an entry. Their values are plain: see
    `ledger.audit.states.to_json`.
    """

    kept: ClassVar[tuple[str, ...]] = ()

    def start(self, past: PastEntries) -> None:
        """Get ready for a pass that starts after the entry `past.last`, or at the first entry. Default: do nothing."""

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        """Yield an entry's faults. `verify` stops at the first fault, so the code after a `yield` may never run."""
        yield from ()

    def pause(self, past: PastEntries) -> Iterator[Fault]:
        """Yield the faults of the entries so far that `check` has not yielded yet. `past.last` must end an action."""
        yield from ()

    def state(self) -> Any:
        """Return the state of the check after a pause, as JSON. Raise `TypeError` if its values are not plain."""
        return {name: to_json(getattr(self, name)) for name in self.kept}

    def resume(self, state: Any) -> None:
        """Continue after the pause that had this state. The result is the same as without the pause."""
        for name in self.kept:
            setattr(self, name, from_json(state[name]))

    def final_faults(self, past: PastEntries) -> Iterator[Fault]:
        """Yield the faults that are known only after the last entry."""
        yield from ()


class Checks:
    """Several checks in one pass over the entries after `past.last`, up to the last one."""

    def __init__(self, checks: Sequence[EntryCheck], past: PastEntries) -> None:
        self._checks = checks
        self._past = past
        for check in checks:
            check.start(past)

    def check(self, entry: Entry) -> Iterator[Fault]:
        """Yield the faults of an entry, in the order of the checks."""
        for check in self._checks:
            yield from check.check(entry, self._past)
        self._past.add(entry)

    def pause(self) -> Iterator[Fault]:
        """Yield the remaining faults of the entries so far. See `EntryCheck.pause`."""
        for check in self._checks:
            yield from check.pause(self._past)

    def states(self) -> list[Any]:
        """Return the state of each check, so that `resume` can continue from it. Call `pause` first."""
        return [check.state() for check in self._checks]

    def resume(self, states: Sequence[Any]) -> None:
        """Continue after a pause, with the result of `states`."""
        for check, state in zip(self._checks, states, strict=True):
            check.resume(state)

    def final_faults(self) -> Iterator[Fault]:
        """Yield the faults that are known only after the last entry."""
        for check in self._checks:
            yield from check.final_faults(self._past)


def no_progress(entries: int) -> None:
    """Ignore progress. The default for `OnProgress` arguments."""


def faults(
    past: PastEntries, checks: Sequence[EntryCheck], progress: OnProgress = no_progress, last: int | None = None
) -> Iterator[Fault]:
    """Yield the faults of all entries up to `last`, and then the faults that are known only after the last entry."""
    all_checks = Checks(checks, past)
    for entry in past.book.journal.entries(past.head + 1, last):
        yield from all_checks.check(entry)
        progress(1)
    yield from all_checks.final_faults()


def event_with_texts(book: Book, entry: Entry) -> events.Event:
    """Return an entry's event with the texts and secrets that the file has."""
    texts = book.words.texts_of(entry.seq) if entry.has_words else {}
    return book.fill_words(entry, texts, secrets=True).event


def is_same(one: Any, other: Any) -> bool:
    """Return True if two values from `jsonable` are equal. A text that the file lacks is equal to any text."""
    if isinstance(one, CommittedText) and type(one) is type(other):
        return one.text == other.text or STATE_IF_MISSING[type(one)] in {one.state, other.state}
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    return type(one) is type(other) and bool(one == other)


STATE_IF_MISSING = {CommittedText: "erased", Secret: "away"}
"""For each class, the state of a text that the file lacks. For an erased secret, the file has the text `ERASED`."""


def raise_first_fault(faults: Iterable[Fault]) -> None:
    """Raise `WrongEntry` for the first fault, if there is one."""
    for seq, says in faults:
        raise WrongEntry(seq, says)


# The journal before an entry


NO_ENTRY = Entry(
    seq=0, since=0, at="", by="", act=0, cause=None, type="", raw={}, stored=b"", leaf=b"", with_secrets=False
).with_event(events.Unknown(kind="", facts={}))
"""A placeholder for an entry that does not exist."""


class ActionSoFar:
    """The effects of an action's entries so far. All four fields are sets of entry numbers.

    - `places`: the `since` of each entry.
    - `strikes`: the struck actions.
    - `reveals`: the revealed sealed rolls.
    - `answers`: the actions that asked the answered questions.
    """

    __slots__ = ("answers", "places", "reveals", "strikes")

    def __init__(self) -> None:
        self.places = self.strikes = self.reveals = self.answers = frozenset[int]()


class PastEntries:
    """The entries before the entry under check. `last` is the previous entry.

    - `seats`: the handles of all players so far.
    - `freed_places`: the places that new entries may use, because the action of `last` has struck the actions there.
    - `struck`: the actions that are struck at the end of the book. During `verify`, it is empty.
    """

    def __init__(self, book: Book, struck: Container[int] = (), after: int = 0) -> None:
        """Start with the state after entry `after`, which must end an action. With 0, there are no earlier entries."""
        self.book = book
        self._struck = struck
        self._entries = OrderedDict[int, Entry]()
        self._actions = OrderedDict[int, ActionSoFar]()
        self._action = (0, ActionSoFar())
        self.freed_places = set[int]()
        self.last = book.journal.entry(after) if after else NO_ENTRY
        self.seats = {FIRST_GM_HANDLE, *book.accounts.names_ever_set(PLAYERS, AsOf(seq=after))}

    @property
    def head(self) -> int:
        """The number of the last entry, or 0 if there is none."""
        return self.last.seq

    def is_in_force(self, entry: Entry) -> bool:
        """Return True if an entry's action is not struck at the end of the book."""
        return entry.act not in self._struck

    def entry(self, seq: int) -> Entry:
        """Return an earlier entry, or `NO_ENTRY` for any other number."""
        if not 0 < seq <= self.head:
            return NO_ENTRY
        entry = self._entries.get(seq) or self.book.journal.entry(seq)
        return _add_to_cache(self._entries, seq, entry, CACHED_ENTRIES)

    def action(self, act: int) -> ActionSoFar:
        """Return the effects of an action so far. They are empty if the action has not started yet."""
        if act == self._action[0]:
            return self._action[1]
        if act in self._actions or act > self.head:
            return self._actions.get(act) or ActionSoFar()
        action = ActionSoFar()
        for entry in self.book.journal.action(act) if act else ():
            self._add_effects(action, entry)
        return _add_to_cache(self._actions, act, action, CACHED_ACTIONS)

    def mark(self, who: str, name: str) -> Any:
        """Return the value of a mark, or `None` if the mark is not set."""
        return self.book.accounts.mark(who, name, AsOf(seq=self.head))

    def seat_entry(self, place: int, player: str) -> int | None:
        """Return the entry that last seated this player, as of entry `place`. Apply the corrections made so far."""
        seq: int | None = self.book.accounts.mark(PLAYERS, player, AsOf(seq=place, corrected=True, known=self.head))
        return seq

    def is_gm(self, seat: str) -> bool:
        """Return True if the player with this handle is a GM."""
        return bool(self.mark(seat, "gm"))

    def question(self, seq: int) -> Question:
        """Return the state of a question before the entry under check."""
        return self.book.question(seq, AsOf(seq=self.head))

    def balance(self, who: str, score: str) -> int:
        """Return the balance of a score, or 0 if it has no postings."""
        return self.book.accounts.balance(who, score, AsOf(seq=self.head)) or 0

    def add(self, entry: Entry) -> None:
        """Add an entry after all checks have run on it."""
        event = entry.event
        if entry.act != self._action[0]:
            _add_to_cache(self._actions, *self._action, CACHED_ACTIONS)
            self._action, self.freed_places = (entry.act, ActionSoFar()), set()
        self._add_effects(self._action[1], entry)
        match event:
            case events.ActionStruck():
                self.freed_places |= {place for act in entry.targets for place in self.action(act).places}
            case events.PlayerSeated(player=player):
                self.seats.add(player)
        self.last = _add_to_cache(self._entries, entry.seq, entry, CACHED_ENTRIES)

    def _add_effects(self, action: ActionSoFar, entry: Entry) -> None:
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
                action.reveals |= {sealed}


def _add_to_cache(cache: OrderedDict[int, T], seq: int, value: T, most: int) -> T:
    """Add a value to the cache, and return it. If the cache then has more than `most` values, drop the oldest one."""
    cache[seq] = value
    if len(cache) > most:
        cache.popitem(last=False)  # a `dict` would look for the oldest one among the places of all dropped ones
    return value
