"""Why: the entries that made a number what it is, with the corrections of each."""

from ledger.accounts import NOW, When
from ledger.book import Book
from ledger.entries import Entry
from ledger.shape import Shape
from projections.log import Line, Struck, about, line, struck
from projections.tells import named, tell


class Reason(Shape):
    """One entry that moved the number: by how much, to what, the action that it belongs to, and what was said since."""

    seq: int
    since: int
    amount: int
    balance: int
    event: str
    thrown: str
    line: Line
    spoken: tuple[str, ...]
    replaced: tuple[str, ...]


class Gone(Shape):
    """One entry that counts no more, and what became of it."""

    seq: int
    amount: int
    says: str
    struck: Struck


class Why(Shape):
    """A number, and all that made it: what counts, in the order in which it counts, and what counts no more."""

    who: str
    score: str
    value: int
    reasons: tuple[Reason, ...]
    gone: tuple[Gone, ...]


def why(book: Book, who: str, score: str, when: When = NOW) -> Why:
    """Return why a score (by its full name) stands where it does, or stood.

    The amounts of what counts add up to the number; what a correction turned round is told apart.
    """
    known = When(seq=when.known if when.corrected else when.seq)
    reasons: list[Reason] = []
    gone: list[Gone] = []
    balance = 0
    rows = sorted(book.accounts.register(who, score, when), key=lambda row: (row.since, row.seq))
    for row in rows:
        entry = book.journal.entry(row.seq)
        if entry.type == "action-struck":
            continue
        fallen = struck(book, entry.act, known)
        if fallen is not None:
            gone.append(Gone(seq=row.seq, amount=row.amount, says=named(book, row.seq), struck=fallen))
            continue
        balance += row.amount
        reasons.append(_reason(book, entry, row.amount, balance, known))
    return Why(who=who, score=score, value=balance, reasons=tuple(reasons), gone=tuple(gone))


def _reason(book: Book, entry: Entry, amount: int, balance: int, known: When) -> Reason:
    entries = [each for each in book.action(entry.act) if each.seq <= known.seq]
    return Reason(
        seq=entry.seq,
        since=entry.since,
        amount=amount,
        balance=balance,
        event=entry.type,
        thrown=next((each.body["source"] for each in entries if each.type == "dice-thrown"), ""),
        line=line(book, entries, known),
        spoken=tuple(f"#{each.seq} {tell(book, each)}" for each in about(book, entry.act, known)),
        replaced=tuple(_replaced(book, entry)),
    )


def _replaced(book: Book, entry: Entry) -> list[str]:
    """Return what an entry that was played again stands in the place of, the latest first."""
    found = []
    while entry.since < entry.seq:
        amendments = [each for each in book.action(entry.act) if each.type == "action-amended"]
        place = entry.since
        fitting = [each for each in amendments if each.body["about"] >= place]
        if not fitting:
            break
        found.append(f"in place of {named(book, fitting[0].body['about'])}")
        entry = book.journal.entry(fitting[0].body["about"])
    return found
