"""Games: what the journal must not show, game by game, and of dice and consequences whatever the game.

What was struck is no finding, and neither is what was put right; each game says for itself what may not be put right.
"""

from collections.abc import Iterable, Iterator, Mapping

from ledger import systems
from ledger.audit.check import Before
from ledger.audit.dice import Throws
from ledger.errors import Broken, LedgerError, WrongEntry
from ledger.events.entry import Entry
from ledger.events.subjects import STRUCK
from ledger.events.types import (
    AnyEvent,
    CharacterJoined,
    Consequence,
    DayBegun,
    MarksSet,
    MoveEvent,
    ScoreAdjusted,
    SettingsChanged,
    Unknown,
)
from ledger.journal.book import WORD, Book
from ledger.rules.system import Check, Misfit, Stands


def checked(book: Book) -> Iterator[tuple[int, str]]:
    """Yield the entries that are at fault, with a sentence each: those of all games, then each game's own.

    The journal is read once; each game is handed the entries that concern it. `Broken` where a check fails.
    """
    struck = {int(act) for act in book.accounts.marked(STRUCK) if book.mark(STRUCK, act) is not None}

    def stands(entry: Entry) -> bool:
        return entry.act not in struck

    games = _games_with_checks()
    concern: dict[str, list[Entry]] = {name: [] for name in games}
    yield from _kept_together(_sorted(book, concern), stands, Before(book.accounts))
    for name, checks in games.items():
        entries = concern.pop(name)
        for check in checks if entries else ():
            try:
                yield from check(entries, stands)
            except (Misfit, WrongEntry):
                yield entries[0].seq, f"The books of {name} from here on hold facts that no program of ours writes."
            except LedgerError:
                raise
            except Exception as bug:
                raise Broken(name, entries[0].seq, bug) from bug


def _games_with_checks() -> Mapping[str, tuple[Check, ...]]:
    found = {name: systems.find(name).play().checks for name in systems.names()}
    return {name: checks for name, checks in found.items() if checks}


def _sorted(book: Book, concern: Mapping[str, list[Entry]]) -> Iterator[Entry]:
    """Yield all entries, and lay each down, its words opened, for the games that it concerns.

    One that cannot be read may be of any game, and none after it is yielded.
    """
    readable = True
    for stored in book.journal.entries():
        entry = stored.but(texts=book.words.of(stored.seq)) if WORD in stored.stored else stored
        try:
            names = _concerned(entry.event, concern)
        except WrongEntry:
            names, readable = concern, False
        for name in names:
            if name in concern:
                concern[name].append(entry)
        if readable:
            yield entry


def _concerned(event: AnyEvent, games: Iterable[str]) -> Iterable[str]:
    """Return the games that an event concerns: its own, those whose scores or marks it moves by hand, or all."""
    if isinstance(event, DayBegun):
        return games
    if isinstance(event, ScoreAdjusted | MarksSet):
        full = [*(each.score for each in event.postings), *(each.name for each in event.marks)]
        return dict.fromkeys(name.partition("/")[0] for name in full)
    if isinstance(event, CharacterJoined | SettingsChanged | MoveEvent | Consequence):
        return [event.system]
    return []


def _kept_together(entries: Iterable[Entry], stands: Stands, before: Before) -> Iterator[tuple[int, str]]:
    """Find consequences apart from a ruling of their game, and dice that count otherwise than they were thrown."""
    seq, ruled = 0, None
    throws = Throws(stands)
    for entry in entries:
        event = entry.event
        if not isinstance(event, Consequence | Unknown):
            seq, ruled = entry.seq, event if isinstance(event, MoveEvent) else None
            yield from throws.look(entry, before)
        elif ruled is None or entry.cause != seq or isinstance(event, Unknown):
            yield entry.seq, f"What is written as {event.kind} follows from no ruling."
        elif event.system != ruled.system:
            yield entry.seq, f"What is written as {event.kind} follows from a ruling of another game."
        before.add(entry)
    yield from throws.end()
