"""Manual: whether the program takes what was said by hand, apart from moves, and comes to the same result."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, assert_never, get_args

from ledger import systems
from ledger.audit.check import Before, Check, Fault, Remark
from ledger.audit.declared import may_hold
from ledger.commands.decider import Sketch
from ledger.commands.recorded import said_in
from ledger.errors import Broken, LedgerError
from ledger.events.entry import Entry, plain
from ledger.events.subjects import ABOUT
from ledger.events.types import (
    RULINGS,
    CharacterJoined,
    DayBegun,
    Event,
    MarksSet,
    MoveEvent,
    SceneSet,
    ScoreAdjusted,
    SessionClosed,
    SessionOpened,
    SettingsChanged,
)
from ledger.journal.accounts import AsOf
from ledger.journal.book import AsOfBook, Book

ByHand = (
    CharacterJoined | SessionOpened | SessionClosed | SceneSet | DayBegun | ScoreAdjusted | MarksSet | SettingsChanged
)

BY_HAND = frozenset(shape.type for shape in get_args(ByHand))

COMES_TO: Mapping[str, str] = {
    "number": "another number",
    "day": "another day",
    "postings": "other scores",
    "marks": "other marks",
}
"""Results that are computed from what was said, and how an error names them."""

SAID = ("who", "system", "scores", "amounts", "values")

GAMES = RULINGS | {CharacterJoined.type}
"""The events that name the edition of a game."""


class ManualEntries(Check):
    """Whether what was said by hand comes to what is written; a remark if the game may have been another then."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._noted: dict[int, list[Mapping[str, Any]]] = {}

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """How an entry differs, and games that are not installed here."""
        if entry.type not in BY_HAND:
            return
        opened = self._book.opened(entry, secrets=True)
        whole = opened.event
        assert isinstance(whole, ByHand)  # noqa: S101  `BY_HAND` has their types
        games = _games(whole)
        away = [name for name in games if not systems.known(name)]
        for name in away:
            yield Remark(entry.seq, f"The game {name} is not installed here.")
        event = _without(whole, away)
        if event is not None:
            noted = self._noted.setdefault(entry.since, [])
            facts = _facts(event, entry.seq)
            says = "" if facts in noted else _difference(self._book, opened, event, facts)
            noted.append(facts)
            if says:
                same = all(_same_edition(self._book, name) for name in games if name not in away)
                yield (entry.seq, says) if same else Remark(entry.seq, says)


def _games(event: ByHand) -> list[str]:
    """The games that an event names, each once."""
    match event:
        case ScoreAdjusted():
            return list(dict.fromkeys(full.partition("/")[0] for full in event.amounts))
        case MarksSet():
            return list(dict.fromkeys(full.partition("/")[0] for full in event.values))
        case CharacterJoined() | SettingsChanged():
            return [event.system]
        case SessionOpened() | SessionClosed() | SceneSet() | DayBegun():
            return []
        case _:
            assert_never(event)


def _without(event: ByHand, away: Collection[str]) -> ByHand | None:
    """The event without the parts of games that are not installed; `None` if nothing is left."""
    if not away:
        return event

    def here(full: str) -> bool:
        return full.partition("/")[0] not in away

    postings = tuple(posting for posting in event.postings if here(posting.score))
    marks = tuple(mark for mark in event.marks if here(mark.name))
    if isinstance(event, ScoreAdjusted):
        amounts = {full: amount for full, amount in event.amounts.items() if here(full)}
        return event.replace(amounts=amounts, postings=postings, marks=marks) if amounts else None
    if isinstance(event, MarksSet):
        values = {full: value for full, value in event.values.items() if here(full)}
        return event.replace(values=values, postings=postings, marks=marks) if values else None
    return None


def _facts(event: Event, seq: int) -> Mapping[str, Any]:
    """The inputs and results of an event, without its number and without what others say about it."""
    marks = [mark.replace(value="here" if mark.value == seq else plain(mark.value)) for mark in event.marks]
    return {name: getattr(event, name, None) for name in (*SAID, *COMES_TO)} | {
        "postings": sorted(event.postings, key=lambda posting: (posting.who, posting.score, posting.amount)),
        "marks": sorted((mark for mark in marks if mark.who != ABOUT), key=lambda mark: (mark.who, mark.name)),
    }


def _difference(book: Book, entry: Entry, event: ByHand, was: Mapping[str, Any]) -> str:
    """How what was said, said again in its place, comes to something else than is written; "" if it does not.

    The place of a correction is the old one, as it was known when the correction was written.
    """
    place = entry.since
    then = AsOfBook(book, AsOf(seq=place - 1, corrected=place < entry.seq, known=entry.seq - 1))
    sketch = Sketch(then, entry.seq - 1)
    command = said_in(entry.saying(event))
    if not all(may_hold(field, getattr(command, name)) for name, field in command.fields().items()):
        return "Today's rules do not take what was said."
    try:
        command.decide(sketch)
    except LedgerError as refusal:
        return f"Today's rules refuse it: {refusal.sentence}"
    except Exception as bug:
        raise Broken(" and ".join(_games(event)) or "the table", entry.seq, bug) from bug
    (added,) = sketch.added
    now = _facts(added.event, entry.seq)
    other = next((says for name, says in COMES_TO.items() if was[name] != now[name]), None)
    return "" if other is None else f"What was said comes to {other} than it writes."


def _same_edition(book: Book, name: str) -> bool:
    """Whether all entries that name an edition of the game name the one that is installed here."""
    events = (entry.event for entry in book.journal.naming(GAMES, 1, ("edition",)))
    own = (event for event in events if isinstance(event, CharacterJoined | MoveEvent) and event.system == name)
    return {event.edition for event in own} == {systems.find(name).edition}
