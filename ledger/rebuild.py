"""Rebuild: the derived tables (postings, marks and nodes), computed again from the entries."""

from __future__ import annotations

from ledger.audit.verify import FileCounts, OnProgress, RowWriter, check_entries, no_progress
from ledger.journal.book import Book
from ledger.trust.heads import check_own


def rebuild(book: Book, progress: OnProgress = no_progress) -> FileCounts:
    """Compute the derived tables and their indexes again, in one pass over the entries and in one transaction.

    Check each entry before its rows are written, and the signed heads at the end. Raise the errors of `verify` for a
    damaged journal. After an error or an interruption, the file is as it was.
    """
    storage = book.journal.storage
    with book.journal.writing():
        storage.check_guards()
        storage.rows.clear()
        storage.nodes.clear()
        done = check_entries(book, RowWriter(book).take, progress)
        check_own(book)
        return done
