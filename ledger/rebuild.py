"""Rebuild: postings, marks and nodes, made again from the entries."""

from __future__ import annotations

from ledger.audit.verify import OnProgress, RowWriter, Verified, check_entries, no_progress
from ledger.journal.book import Book
from ledger.trust.heads import check_own


def rebuild(book: Book, progress: OnProgress = no_progress) -> Verified:
    """Make the derived tables again, with their indexes, in one pass over the entries and in one transaction.

    It checks each entry before it writes its rows, and the signed heads at the end, as `verify` does. A journal that is
    not whole is refused with the error of `verify`. After a refusal or an interruption, the file is as it was.
    """
    storage = book.journal.storage
    with book.journal.writing():
        storage.check_guards()
        storage.rows.clear()
        storage.nodes.clear()
        done = check_entries(book, RowWriter(book), progress)
        check_own(book)
        return done
