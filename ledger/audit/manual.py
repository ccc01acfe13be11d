"""Manual: whether what was said apart from moves is what the program would have taken, and comes to what it writes."""

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
"""What is worked out from what was said, and how an error names it."""

SAID = ("who", "system", "scores", "amounts", "values")

GAMES = RULINGS | {CharacterJoined.type}
"""The events that name the edition of a game."""


class ManualEntries(Check):
    """Whether what was said by hand comes to what it writes; a remark where a game may have been another then."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._noted: dict[int, list[Mapping[str, Any]]] = {}

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Yield how an entry differs."""
        if entry.type not in BY_HAND:
            return
        opened = self._book.opened(entry, secrets=True)
        said = opened.event
        assert isinstance(said, ByHand)  # noqa: S101  these are the types of them
        games = _games(said)
        away = [name for name in games if not systems.known(name)]
        for name in away:
            yield Remark(entry.seq, f"The game {name} is not installed here.")
        event = _but(said, away)
        if event is not None:
            noted = self._noted.setdefault(entry.since, [])
            shown = _shown(event, entry.seq)
            says = "" if shown in noted else _differs(self._book, opened, event, shown)
            noted.append(shown)
            if says:
                same = all(_same_edition(self._book, name) for name in games if name not in away)
                yield (entry.seq, says) if same else Remark(entry.seq, says)


def _games(event: ByHand) -> list[str]:
    """The games that are named, each once."""
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


def _but(event: ByHand, away: Collection[str]) -> ByHand | None:
    """The event without the parts of games that are not installed; None if nothing is left."""
    if not away:
        return event

    def here(full: str) -> bool:
        return full.partition("/")[0] not in away

    postings = tuple(each for each in event.postings if here(each.score))
    marks = tuple(each for each in event.marks if here(each.name))
    if isinstance(event, ScoreAdjusted):
        amounts = {full: amount for full, amount in event.amounts.items() if here(full)}
        return event.replace(amounts=amounts, postings=postings, marks=marks) if amounts else None
    if isinstance(event, MarksSet):
        values = {full: value for full, value in event.values.items() if here(full)}
        return event.replace(values=values, postings=postings, marks=marks) if values else None
    return None


def _shown(event: Event, seq: int) -> Mapping[str, Any]:
    """The inputs and results of an event, without its number and without what others say about it."""
    marks = [mark.replace(value="here" if mark.value == seq else plain(mark.value)) for mark in event.marks]
    return {name: getattr(event, name, None) for name in (*SAID, *COMES_TO)} | {
        "postings": sorted(event.postings, key=lambda each: (each.who, each.score, each.amount)),
        "marks": sorted((mark for mark in marks if mark.who != ABOUT), key=lambda each: (each.who, each.name)),
    }


def _differs(book: Book, entry: Entry, event: ByHand, was: Mapping[str, Any]) -> str:
    """How what was said, in its place, comes to something else than stands written; nothing where it does not.

    What was put right was said in its old place, as that was known when it was written.
    """
    place = entry.since
    then = AsOfBook(book, AsOf(seq=place - 1, corrected=place < entry.seq, known=entry.seq - 1))
    sketch = Sketch(then, entry.seq - 1)
    said = said_in(entry.saying(event))
    if not all(may_hold(field, getattr(said, name)) for name, field in said.fields().items()):
        return "Today's rules do not take what was said."
    try:
        said.decide(sketch)
    except LedgerError as refused:
        return f"Today's rules refuse it: {refused.sentence}"
    except Exception as bug:
        raise Broken(" and ".join(_games(event)) or "the table", entry.seq, bug) from bug
    (added,) = sketch.added
    now = _shown(added.event, entry.seq)
    other = next((says for name, says in COMES_TO.items() if was[name] != now[name]), None)
    return "" if other is None else f"What was said comes to {other} than it writes."


def _same_edition(book: Book, name: str) -> bool:
    """Whether all that names the edition of a game names the one that is installed here."""
    named = (entry.event for entry in book.journal.naming(GAMES, 1, ("edition",)))
    found = {each.edition for each in named if isinstance(each, CharacterJoined | MoveEvent) and each.system == name}
    return found == {systems.find(name).edition}
