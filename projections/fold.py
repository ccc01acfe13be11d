"""Fold: the accounts of a campaign made from its entries alone, in memory; its own tables are not looked at."""

from ledger.journal.book import Book
from ledger.journal.memory import Anew
from ledger.journal.store import Journal


def folded(book: Book) -> Book:
    """The same campaign, with accounts that its entries make; refuses (`WrongEntry`) what is no entry."""
    found = Book(Journal(Anew(book.journal.storage)))
    for entry in book.journal.entries():
        entry.event  # noqa: B018  refuses what is no entry, before it is posted
        found.accounts.post(entry.body)
    return found
