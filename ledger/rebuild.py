"""Rebuild: the derived tables (postings, marks and nodes), computed again from the entries."""

from __future__ import annotations

from ledger.audit.check import OnProgress, no_progress
from ledger.audit.verify import FileCounts, RowWriter, check_entries
from ledger.journal.book import Book
from ledger.trust.heads import check_own_heads


def rebuild(book: Book, progress: OnProgress = no_progress) -> FileCounts:
    """Compute the derived tables and their indexes again. After an error or an interruption, the file is as it was.

    Entries are checked before their rows are written. Raise the errors of `verify` for a damaged journal.
    """
    storage = book.journal.storage
    with book.journal.writing():
        storage.check_guards()
        storage.rows.clear()
        storage.nodes.clear()
        done = check_entries(book, RowWriter(book).take, progress)
        check_own_heads(book)
        return done
