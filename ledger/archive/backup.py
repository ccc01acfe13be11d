"""Backup: a checked copy of a campaign. Other processes may write to the campaign meanwhile."""

from __future__ import annotations

from ledger.audit.check import OnProgress, no_progress
from ledger.audit.verify import FileCounts, verify
from ledger.journal.book import Book
from ledger.journal.store import Journal, engine_for


def backup(book: Book, address: str, progress: OnProgress = no_progress) -> FileCounts:
    """Copy a campaign to a new address, and check the copy. After an error, no file remains.

    Raise `Taken` if the name is in use, `DiskRefused` if the copy cannot be written there, and the errors of `verify`
    for a damaged campaign.
    """
    with engine_for(address).creating(book.journal.storage) as copy:
        return verify(Book(Journal(copy)), progress)
