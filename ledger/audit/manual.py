"""Manual: whether what was said apart from moves is what the program would have taken, and comes to what it writes."""

from collections.abc import Iterator, Mapping
from typing import Any

from ledger import systems
from ledger.commands.decider import Sketch
from ledger.commands.recorded import said_in
from ledger.errors import LedgerError
from ledger.events.entry import Entry, plain
from ledger.events.subjects import ABOUT
from ledger.events.types import (
    CharacterJoined,
    DayBegun,
    MarksSet,
    MovePlayed,
    QuestionAsked,
    SceneSet,
    ScoreAdjusted,
    SessionClosed,
    SessionOpened,
    SettingsChanged,
)
from ledger.journal.accounts import When
from ledger.journal.book import AsOfBook, Book

Body = Mapping[str, Any]

BY_HAND = frozenset(
    shape.type
    for shape in (
        CharacterJoined,
        SessionOpened,
        SessionClosed,
        SceneSet,
        DayBegun,
        ScoreAdjusted,
        MarksSet,
        SettingsChanged,
    )
)

NAMED: Mapping[str, str] = {ScoreAdjusted.type: "amounts", MarksSet.type: "values"}
"""Where the full names stand in what may be said of several games at once."""

COMES_TO: Mapping[str, str] = {
    "number": "another number",
    "day": "another day",
    "postings": "other scores",
    "marks": "other marks",
}
"""What is worked out from what was said, and how an error names it."""

SAID = ("who", "system", "scores", "amounts", "values")

GAMES = (CharacterJoined.type, MovePlayed.type, QuestionAsked.type)
"""The events that name the edition of a game."""


def by_hand(book: Book) -> Iterator[tuple[int, str, bool]]:
    """Yield what differs, with a sentence each, and whether it is certain: not where a game may have been another."""
    noted: dict[int, list[Body]] = {}
    for entry in (each for each in book.journal.naming(BY_HAND, 1, ("since",)) if each.type in BY_HAND):
        games = _games(entry.body)
        away = [name for name in games if not systems.known(name)]
        for name in away:
            yield entry.seq, f"The game {name} is not installed here.", False
        body = _but(entry.body, away)
        if body is not None:
            before = noted.setdefault(entry.since, [])
            says = "" if _shown(body, entry.seq) in before else _differs(book, entry, body)
            before.append(_shown(body, entry.seq))
            if says:
                yield entry.seq, says, all(_same_edition(book, name) for name in games if name not in away)


def _games(body: Body) -> list[str]:
    """Return the games that are named, each once."""
    named = body[NAMED[body["type"]]] if body["type"] in NAMED else {}
    return list(dict.fromkeys([*(each.partition("/")[0] for each in named), *filter(None, [body.get("system")])]))


def _but(body: Body, away: list[str]) -> Body | None:
    """Return an entry without what it says of games that are not installed; None where nothing is left."""
    if not away:
        return body
    if body["type"] not in NAMED:
        return None

    def here(full: str) -> bool:
        return full.partition("/")[0] not in away

    name = NAMED[body["type"]]
    said = {full: held for full, held in body[name].items() if here(full)}
    postings = [each for each in body["postings"] if here(each["score"])]
    marks = [each for each in body["marks"] if here(each["name"])]
    return {**body, name: said, "postings": postings, "marks": marks} if said else None


def _shown(body: Body, seq: int) -> Body:
    """Return what was said and what it came to, apart from its own number and from what others say about it."""
    marks = [{**mark, "value": "here"} if mark["value"] == seq else mark for mark in body["marks"]]
    return {name: body.get(name) for name in (*SAID, *COMES_TO)} | {
        "postings": sorted(body["postings"], key=lambda each: (each["who"], each["score"], each["amount"])),
        "marks": sorted((mark for mark in marks if mark["who"] != ABOUT), key=lambda each: (each["who"], each["name"])),
    }


def _differs(book: Book, entry: Entry, body: Body) -> str:
    """Return how what was said, in its place, comes to something else than stands written; nothing where it does not.

    What was put right was said in its old place, as that was known when it was written.
    """
    place = entry.since
    then = AsOfBook(book, When(seq=place - 1, corrected=place < entry.seq, known=entry.seq - 1))
    opened = book.entry(entry.seq, secrets=True)
    sketch = Sketch(then, entry.seq - 1)
    try:
        said = said_in(opened.but(body={**opened.body, **{name: body[name] for name in SAID if name in body}}))
        said.decide(sketch)
    except LedgerError as refused:
        return f"Today's rules refuse it: {refused.sentence}"
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
        return "Today's rules do not take what was said."
    (added,) = sketch.added
    was, now = _shown(body, entry.seq), _shown(plain(added.event), entry.seq)
    other = next((says for name, says in COMES_TO.items() if was[name] != now[name]), None)
    return "" if other is None else f"What was said comes to {other} than it writes."


def _same_edition(book: Book, name: str) -> bool:
    """Whether all that names the edition of a game names the one that is installed here."""
    named = (entry.body for entry in book.journal.naming(GAMES, 1, ("edition",)))
    return {body["edition"] for body in named if body["system"] == name} == {systems.find(name).edition}
