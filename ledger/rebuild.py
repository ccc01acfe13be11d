"""Rebuild: postings, marks and nodes made anew from the entries."""

from ledger.audit.verify import Progress, Whole, Writer, check_entries, quiet
from ledger.journal.book import Book


def rebuild(book: Book, progress: Progress = quiet) -> Whole:
    """Make the derived tables anew, with their indexes, in one pass over the entries and in one transaction.

    Each entry is checked before its rows are written, and at last the signed heads, as `verify` does. A journal that is
    not whole is refused with the error of `verify`: then, or where it is interrupted, the file is as it was.
    """
    storage = book.journal.storage
    with book.journal.writing():
        storage.check_guards()
        storage.rows.clear()
        storage.nodes.clear()
        return check_entries(book, Writer(book), progress)
