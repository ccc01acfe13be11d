"""Backup: a checked copy of a campaign, made while others may write."""

from __future__ import annotations

from ledger.audit.verify import OnProgress, Verified, no_progress, verify
from ledger.journal.book import Book
from ledger.journal.store import Journal, engine_for


def backup(book: Book, address: str, progress: OnProgress = no_progress) -> Verified:
    """Copy a campaign as it is now to a new address, which it gets once the copy is checked and on disk.

    Refuses a name that is in use (`Taken`), a place that takes no file (`NoRoom`), and a campaign that is not whole,
    like `verify`. A refusal leaves nothing.
    """
    with engine_for(address).creating(book.journal.storage) as copy:
        return verify(Book(Journal(copy)), progress)
