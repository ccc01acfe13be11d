"""The register: every posting of one score, each with its entry and the running balance."""

from __future__ import annotations

from itertools import islice

from ledger.events.entry import lead_of
from ledger.events.types import CORRECTION_TYPES, ActionStruck, MoveEvent
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.values import Struct
from projections.phrases import describe_correction
from projections.wording import type_words


class RegisterLine(Struct):
    """A posting and the resulting balance. A correction takes effect at entry `since`, which is before `seq`."""

    seq: int
    since: int
    amount: int
    balance: int
    says: str


def register_lines(
    book: Book, who: str, score: str, when: AsOf = NOW, *, after: int = 0, most: int | None = None
) -> list[RegisterLine]:
    """Return the last `most` postings of a score (default: all) after entry `after`, the oldest first.

    If `when` includes corrections, each posting takes effect at its `since`: this decides the order and the balances.
    """
    rows, balance = list[RegisterLine](), book.accounts.balance(who, score, when) or 0
    for row in islice(book.accounts.latest_postings(who, score, when), most):
        if row.seq > after:
            says = cause_of(book, row.seq)
            rows.append(RegisterLine(seq=row.seq, since=row.since, amount=row.amount, balance=balance, says=says))
        balance -= row.amount
    return rows[::-1]


def cause_of(book: Book, seq: int) -> str:
    """Return the reason why an entry changed a score, in a few words."""
    entry = book.journal.entry(seq)
    if entry.type == ActionStruck.type:
        return describe_correction(book, entry)
    if entry.cause is None:
        return type_words(entry.type)
    cause = book.journal.entry(entry.cause)
    if cause.type in CORRECTION_TYPES:
        return f"{type_words(entry.type)}, {describe_correction(book, lead_of(book.journal.action(entry.act)))}"
    ruling = cause.event
    assert isinstance(ruling, MoveEvent)  # noqa: S101  causes are corrections or moves
    return f"{type_words(entry.type)}, by {ruling.system} {ruling.move} #{cause.seq}"
