"""Fold: the accounts of a campaign made from its entries alone, in memory; its own tables are not looked at."""

from ledger.journal.book import Book
from ledger.journal.memory import Anew
from ledger.journal.store import Journal


def folded(book: Book) -> Book:
    """The same campaign, with accounts that its entries make, by the function that writes them."""
    found = Book(Journal(Anew(book.journal.storage)))
    for entry in book.journal.entries():
        found.accounts.post(entry.body)
    return found
