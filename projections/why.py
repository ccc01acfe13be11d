"""Why: the entries that made a number what it is, with the corrections of each."""

from ledger.events.entry import Entry, head_of
from ledger.events.types import (
    CORRECTING,
    ActionAmended,
    ActionStruck,
    AnyEvent,
    Correction,
    DiceThrown,
    MoveEvent,
    PlayRewound,
    QuestionDecided,
)
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.values import Struct
from projections.log import Line, Struck, about, line, struck
from projections.phrases import because, named, tell


class Reason(Struct):
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


class Gone(Struct):
    """One entry that counts no more, and what became of it."""

    seq: int
    amount: int
    says: str
    struck: Struck


class Why(Struct):
    """A number, and all that made it: what counts, in the order in which it counts, and what counts no more."""

    who: str
    score: str
    value: int
    reasons: tuple[Reason, ...]
    gone: tuple[Gone, ...]


def why(book: Book, who: str, score: str, when: AsOf = NOW) -> Why:
    """Return why a score (by its full name) stands where it does, or stood.

    The amounts of what counts add up to the number; what a correction turned round is told apart.
    """
    known = AsOf(seq=when.known if when.corrected else when.seq)
    reasons: list[Reason] = []
    gone: list[Gone] = []
    balance = 0
    rows = sorted(book.accounts.register(who, score, when), key=lambda row: (row.since, row.seq))
    for row in rows:
        entry = book.journal.entry(row.seq)
        if entry.type == ActionStruck.type:
            continue
        fallen = struck(book, entry.act, known)
        if fallen is not None:
            gone.append(Gone(seq=row.seq, amount=row.amount, says=named(book, row.seq), struck=fallen))
            continue
        balance += row.amount
        reasons.append(_reason(book, entry, row.amount, balance, known))
    return Why(who=who, score=score, value=balance, reasons=tuple(reasons), gone=tuple(gone))


def _reason(book: Book, entry: Entry, amount: int, balance: int, known: AsOf) -> Reason:
    entries = _part(book, entry)
    return Reason(
        seq=entry.seq,
        since=entry.since,
        amount=amount,
        balance=balance,
        event=entry.type,
        thrown=_thrown(book, entries[0]),
        line=line(book, entries, AsOf(corrected=True, known=known.seq)),
        spoken=tuple(f"#{each.seq} {tell(book, each)}" for each in about(book, entry.act, known)),
        replaced=tuple(_replaced(book, entries[0])),
    )


def _part(book: Book, entry: Entry) -> list[Entry]:
    """The root of an entry, and what followed from it: all that one command said."""
    root = entry
    while root.cause is not None and book.journal.entry(root.cause).type not in CORRECTING:
        root = book.journal.entry(root.cause)
    return [each for each in book.action(root.act) if root.seq in {each.seq, each.cause}]


def _thrown(book: Book, root: Entry) -> str:
    throws = root.event.throws if isinstance(root.event, MoveEvent) else ()
    dice = [book.journal.entry(seq).event for seq in throws[:1]]
    return next((each.source for each in dice if isinstance(each, DiceThrown)), "")


def _replaced(book: Book, root: Entry) -> list[str]:
    """The entries that a replayed part replaced, the latest first."""
    found = []
    before: Entry | None = root
    while before is not None and before.cause is not None:
        strike = book.journal.entry(before.cause)
        head = head_of(book.action(before.act))
        amendment = book.entry(strike.cause or strike.seq)
        acts = book.action(strike.event.strikes) if isinstance(strike.event, ActionStruck) else []
        played = (each for each in acts if not isinstance(each.event, DiceThrown | Correction))
        roots = (each for each in played if _part(book, each)[0] == each)
        again = before
        before = next((each for each in roots if book.same_part(each, again)), None)
        if before is not None:
            reason = _because(amendment.event) or _because(head.event)
            found.append(f"in place of {named(book, before.seq)}, by {named(book, head.seq)}{reason}")
    return found


def _because(event: AnyEvent) -> str:
    return because(
        event.why if isinstance(event, ActionStruck | ActionAmended | PlayRewound | QuestionDecided) else None
    )
