"""Questions: all that waits for somebody, in one list."""

from ledger import systems
from ledger.commands.sheet import Sheets
from ledger.events.entry import Entry
from ledger.journal.accounts import NOW, When
from ledger.journal.book import Book
from ledger.values import Shape
from projections.log import places_of, struck
from projections.phrases import number, person, short, tell


class Waiting(Shape):
    """A question: its number, its type, whom it is about, and what it says.

    Of a move that waits for a choice: the game, the move, the dice on the table, and what is missing.
    """

    seq: int
    at: str
    type: str
    who: str
    says: str
    about: int | None
    system: str | None
    move: str | None
    dice: tuple[int, ...]
    asks: tuple[str, ...]


def questions(book: Book, when: When = NOW) -> list[Waiting]:
    """Return what waits, the oldest first."""
    return [_waiting(book, book.entry(seq), when) for seq in book.questions(when) if seq <= when.seq]


def _waiting(book: Book, entry: Entry, when: When) -> Waiting:
    body = entry.body
    return Waiting(
        seq=entry.seq,
        at=entry.at,
        type=entry.type,
        who=person(book, body.get("who", body.get("player", ""))),
        says=tell(book, entry) + _now_known(book, entry) + _gone(book, entry, when),
        about=body.get("about"),
        system=body.get("system"),
        move=body.get("move"),
        dice=tuple(die["face"] for die in body.get("dice", [])),
        asks=tuple(body.get("asks", ())),
    )


def _looks_now(book: Book, entry: Entry) -> str:
    """Return what the ruling that a knock-on is about would look at now, where that is not what was found."""
    ruling = book.journal.entry(entry.body["about"])
    system = systems.installed(ruling.body["system"])
    if system is None:
        return ""
    sheets = Sheets(book.as_of(min(places_of(book, ruling))), system)
    told = [
        f"{who} {short(full)} {number(now)}"
        for who, names in entry.body["numbers"].items()
        for full, found in names.items()
        if isinstance(found, int) and (now := sheets.value(who, full)) != found
    ]
    return f"; it would look at {', '.join(told)} now" if told else ""


def _gone(book: Book, entry: Entry, when: When) -> str:
    """Return what became of the ruling that a question is about, where it stands no more."""
    about = entry.body.get("about")
    gone = struck(book, book.journal.entry(about).act, when) if about else None
    return f"; #{about} was {gone.how} by #{gone.by} since" if gone else ""


def _now_known(book: Book, entry: Entry) -> str:
    """Return what an assertion and a crossed limit have come to since."""
    if entry.type == "limit-crossed":
        value = book.balance(entry.body["who"], entry.body["score"]) or 0
        return "" if value == entry.body["value"] else f"; it stands at {number(value)} now"
    if entry.type == "knock-on-found":
        return _looks_now(book, entry)
    if entry.type != "score-asserted":
        return ""
    who, then = entry.body["who"], When(seq=entry.seq, corrected=True)
    known = {full: book.accounts.balance(who, full, then) or 0 for full in entry.body["claimed"]}
    changed = [f"{short(full)} {number(value)}" for full, value in known.items() if value != entry.body["stood"][full]]
    return f"; as now known of then, {', '.join(changed)}" if changed else ""
