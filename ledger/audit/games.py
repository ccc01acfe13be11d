"""Games: what the journal must not show, game by game, and of dice and consequences whatever the game.

What was struck is no finding, and neither is what was put right; each game says for itself what may not be put right.
"""

from collections.abc import Iterable, Iterator, Mapping

from ledger import systems
from ledger.audit.dice import Throws
from ledger.events.canonical import changed
from ledger.events.commitments import ERASED, Said, commitments
from ledger.events.entry import Entry
from ledger.events.subjects import STRUCK
from ledger.events.types import TYPES, DayBegun, MarksSet, MovePlayed, QuestionAsked, ScoreAdjusted
from ledger.journal.book import Book
from ledger.rules.system import Check, Stands


def checked(book: Book) -> Iterator[tuple[int, str]]:
    """Yield the entries that are at fault, with a sentence each: those of all games, then each game's own.

    The journal is read once; each game is handed the entries that concern it.
    """
    struck = {int(act) for act in book.accounts.marked(STRUCK) if book.mark(STRUCK, act) is not None}

    def stands(entry: Entry) -> bool:
        return entry.act not in struck

    games = _games_with_checks()
    concern: dict[str, list[Entry]] = {name: [] for name in games}
    yield from _kept_together(_sorted(book, concern), stands)
    for name, checks in games.items():
        entries = concern.pop(name)
        for check in checks:
            try:
                yield from check(entries, stands)
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                yield entries[0].seq, f"The books of {name} from here on hold facts that no program of ours writes."


def _games_with_checks() -> Mapping[str, tuple[Check, ...]]:
    found = {name: systems.find(name).play().checks for name in systems.names()}
    return {name: checks for name, checks in found.items() if checks}


def _sorted(book: Book, concern: Mapping[str, list[Entry]]) -> Iterator[Entry]:
    """Yield all entries, and lay each down, its words opened, for the games that it concerns."""
    for entry in book.journal.entries():
        names = [name for name in concerned(entry, concern) if name in concern]
        if names:
            texts = book.words.of(entry.seq)
            said = (field for field, kind, _ in commitments(entry.body) if kind == Said.KEY)
            opened = entry.but(body=changed(entry.body, {field: texts.get(field, ERASED) for field in said}))
            for name in names:
                concern[name].append(opened)
        yield entry


def concerned(entry: Entry, games: Iterable[str]) -> Iterable[str]:
    """Return the games that an entry concerns: its own, those whose scores or marks it moves by hand, or all."""
    if entry.type == DayBegun.type:
        return games
    if entry.type in {ScoreAdjusted.type, MarksSet.type}:
        full = [*(each["score"] for each in entry.body["postings"]), *(each["name"] for each in entry.body["marks"])]
        return dict.fromkeys(name.partition("/")[0] for name in full)
    return [entry.body["system"]] if "system" in entry.body else []


def _kept_together(entries: Iterable[Entry], stands: Stands) -> Iterator[tuple[int, str]]:
    """Find consequences apart from a ruling of their game, and dice that count otherwise than they were thrown."""
    heads: Entry | None = None
    throws = Throws(stands)
    for entry in entries:
        if entry.type in TYPES:
            heads = entry if entry.type in {MovePlayed.type, QuestionAsked.type} else None
            yield from throws.look(entry)
        elif heads is None or entry.cause != heads.seq:
            yield entry.seq, f"What is written as {entry.type} follows from no ruling."
        elif entry.body["system"] != heads.body["system"]:
            yield entry.seq, f"What is written as {entry.type} follows from a ruling of another game."
    yield from throws.end()
