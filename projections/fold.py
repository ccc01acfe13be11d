"""Fold: the accounts of a campaign, computed in memory from its entries, without its own tables."""

from __future__ import annotations

from ledger.journal.book import Book
from ledger.journal.memory import Recomputed
from ledger.journal.store import Journal


def folded(book: Book) -> Book:
    """The same campaign, with accounts computed from its entries. Refuses (`WrongEntry`) what is not an entry."""
    copy = Book(Journal(Recomputed(book.journal.storage)))
    for entry in book.journal.entries():
        entry.event  # noqa: B018  refuses what is no entry, before it is posted
        copy.accounts.post(entry.body)
    return copy
