"""The register: every posting of one score, with the running balance and the entry that made it."""

from ledger.accounts import NOW, When
from ledger.book import Book
from ledger.shape import Shape
from projections.log import headline


class Posted(Shape):
    """One posting. `since` differs from `seq` only where something was put right."""

    seq: int
    since: int
    amount: int
    balance: int
    says: str


def register(book: Book, who: str, score: str, when: When = NOW) -> list[Posted]:
    """Return the postings of a score (by its full name), the oldest first.

    As now known they stand in the order in which they count, and the balance runs in that order.
    """
    found = []
    balance = 0
    for row in book.accounts.register(who, score, when):
        balance += row.amount
        says = _cause(book, row.seq)
        found.append(Posted(seq=row.seq, since=row.since, amount=row.amount, balance=balance, says=says))
    return found


def _cause(book: Book, seq: int) -> str:
    entry = book.journal.entry(seq)
    if entry.cause is None:
        strikes = entry.body.get("strikes")
        return f"{entry.body['how']} of #{headline(book.journal.action(strikes)).seq}" if strikes else entry.type
    cause = book.journal.entry(entry.cause)
    return f"{entry.type}, by {cause.body['system']} {cause.body['move']} #{cause.seq}"
