"""The log: each action of the journal in one line, in words that need no system."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ledger.accounts import NOW, When
from ledger.book import Book
from ledger.entries import Entry
from ledger.events import PLAYERS, QUESTIONS, STRUCK
from ledger.shape import Shape


class Moved(Shape):
    """A score that an action moved."""

    who: str
    score: str
    before: int
    after: int


class Line(Shape):
    """One action: its headline, the number of the entry that holds it, what it moved, and what became of it."""

    seq: int
    act: int
    at: str
    by: str
    who: str
    says: str
    verdict: str
    good: bool | None
    dice: str
    moved: tuple[Moved, ...]
    waits: bool
    answered: int | None
    struck: int | None
    entries: tuple[Entry, ...]


def line(book: Book, entries: Sequence[Entry], when: When = NOW) -> Line:
    """Return the line of an action, from its opened entries; what became of it, as known at a point."""
    head = headline(entries)
    body = head.body
    told = TELLS.get(head.type, _tell_plainly)(body, book)
    verdict = body.get("verdict")
    answer = book.accounts.mark(QUESTIONS, str(head.seq), when) if head.type == "question-asked" else None
    return Line(
        seq=head.seq,
        act=head.act,
        at=head.at,
        by=head.by,
        who=_name(book, body.get("who", "")),
        says=told,
        verdict=_verdict(verdict) if verdict else "",
        good=verdict["good"] if verdict else None,
        dice=" ".join(str(die["face"]) for die in body.get("dice", [])),
        moved=tuple(_moved(book, entries)),
        waits=answer is False,
        answered=answer or None,
        struck=book.accounts.mark(STRUCK, str(head.act), when),
        entries=tuple(entries),
    )


def headline(entries: Sequence[Entry]) -> Entry:
    """Return the entry of an action by which it is told."""
    return next((entry for entry in entries if entry.cause is None and entry.type != "dice-thrown"), entries[0])


def lines(book: Book, most: int | None, when: When = NOW, *, waiting: bool = False) -> list[Line]:
    """Return the lines up to a point, the latest last, at most so many; perhaps those alone that wait."""
    found: list[Line] = []
    known = NOW if when.corrected else when
    for act in book.acts_backwards(min(when.seq, book.journal.head())):
        if most is not None and len(found) == most:
            break
        told = line(book, [entry for entry in book.action(act) if entry.seq <= when.seq], known)
        if told.waits or not waiting:
            found.append(told)
    return found[::-1]


def counting(entry: Entry) -> list[tuple[str, str]]:
    """Return the working of an entry, name and line: the steps of a ruling, or how loose dice were counted."""
    if entry.type == "dice-counted":
        told = " + ".join(str(each) for each in entry.body["addends"]) + f" = {entry.body['total']}"
        gone = [f"{die['face']} ({die['dropped']})" for die in entry.body["dice"] if die["dropped"]]
        count = ("count", told.replace("-", "−").replace("+ −", "− "))
        return [count, ("dropped", ", ".join(gone))] if gone else [count]
    return [(step["name"], sentence(step)) for step in entry.body.get("steps", [])]


def sentence(step: Mapping[str, Any]) -> str:
    """Return a line of working as it is read, with what the GM keeps secret left out."""
    numbers = ("secret" if isinstance(number, dict) else number for number in step["numbers"])
    text: str = step["says"].format(*(str(number).replace("-", "−") for number in numbers))
    return text.replace("+ −", "− ")


def _name(book: Book, who: str) -> str:
    """Return the name of a player by the handle; a character's handle is the name."""
    seat = book.mark(PLAYERS, who)
    return who if seat is None else book.words.of(seat).get("name", who)


def _verdict(verdict: Mapping[str, Any]) -> str:
    margin = verdict["margin"]
    told = "" if not isinstance(margin, int) else f" ({margin:+d})".replace("-", "−")
    return f"{verdict['says']}{told}"


def _moved(book: Book, entries: Sequence[Entry]) -> Iterator[Moved]:
    first: dict[tuple[str, str], int] = {}
    last: dict[tuple[str, str], int] = {}
    for row in book.accounts.moved(entries[0].seq, entries[-1].seq, _subjects(book, entries)):
        who, score, amount, balance = row
        first.setdefault((who, score), balance - amount)
        last[who, score] = balance
    for (who, score), before in first.items():
        if "/" in score and before != last[who, score]:
            yield Moved(who=who, score=score.partition("/")[2], before=before, after=last[who, score])


def _subjects(book: Book, entries: Sequence[Entry]) -> list[tuple[str, str]]:
    found: dict[tuple[str, str], None] = {}
    for entry in entries:
        found |= {(posting["who"], posting["score"]): None for posting in entry.body["postings"]}
        for mark in entry.body["marks"]:
            if mark["who"] == STRUCK and entry.type == "action-struck":
                found |= dict.fromkeys(_subjects(book, book.journal.action(int(mark["name"]))))
    return list(found)


# What each event says of itself


def _tell_move(body: Mapping[str, Any], book: Book) -> str:
    return f"{body['system']} {body['move']}"


def _tell_question(body: Mapping[str, Any], book: Book) -> str:
    return f"{body['system']} {body['move']}"


def _tell_opening(body: Mapping[str, Any], book: Book) -> str:
    return f"campaign opened: {_words(body['title'])}"


def _tell_seat(body: Mapping[str, Any], book: Book) -> str:
    plays = f", plays {', '.join(body['plays'])}" if body["plays"] else ""
    return f"{_words(body['name'])} sits at the table as {body['player']}{' (GM)' if body['gm'] else ''}{plays}"


def _tell_join(body: Mapping[str, Any], book: Book) -> str:
    return f"joins {body['system']}"


def _tell_session(body: Mapping[str, Any], book: Book) -> str:
    names = ", ".join(_name(book, who) for who in body["present"])
    present = f", present: {names}" if names else ""
    return f"session {body['number']} opened: {_words(body['title'])}{present}"


def _tell_close(body: Mapping[str, Any], book: Book) -> str:
    return f"session {body['number']} closed"


def _tell_scene(body: Mapping[str, Any], book: Book) -> str:
    return f"scene: {_words(body['title'])}"


def _tell_adjustment(body: Mapping[str, Any], book: Book) -> str:
    return f"adjusted by hand: {_words(body['why'])}"


def _tell_marks(body: Mapping[str, Any], book: Book) -> str:
    values = ", ".join(f"{name.partition('/')[2]} = {value}" for name, value in body["values"].items())
    return f"{values}: {_words(body['why'])}"


def _tell_note(body: Mapping[str, Any], book: Book) -> str:
    return f"note: {_words(body['text'])}"


def _tell_settings(body: Mapping[str, Any], book: Book) -> str:
    values = ", ".join(f"{name} = {value}" for name, value in body["values"].items())
    return f"settings of {body['system']}: {values}"


def _tell_roll(body: Mapping[str, Any], book: Book) -> str:
    return f"rolls {body['notation']} = {body['total']}"


def _tell_strike(body: Mapping[str, Any], book: Book) -> str:
    gone = line(book, book.action(body["strikes"]))
    told = ", ".join(part for part in (f"{gone.who} {gone.says}".strip(), gone.verdict) if part)
    return f"{body['how']} of #{gone.seq} ({told})"


def _tell_plainly(body: Mapping[str, Any], book: Book) -> str:
    return str(body["type"])


TELLS: Mapping[str, Callable[[Mapping[str, Any], Book], str]] = {
    "move-played": _tell_move,
    "question-asked": _tell_question,
    "campaign-opened": _tell_opening,
    "player-seated": _tell_seat,
    "character-joined": _tell_join,
    "session-opened": _tell_session,
    "session-closed": _tell_close,
    "scene-set": _tell_scene,
    "score-adjusted": _tell_adjustment,
    "marks-set": _tell_marks,
    "note-written": _tell_note,
    "settings-changed": _tell_settings,
    "dice-counted": _tell_roll,
    "action-struck": _tell_strike,
}
"""How an event is told; a consequence is told by its name."""


def _words(text: str | None) -> str:
    return "(erased)" if text is None else " ".join(text.split())
