"""The accounts of a campaign, computed in memory from its entries instead of read from its tables."""

from __future__ import annotations

from ledger.events.compiled import READ_ERRORS, reader
from ledger.events.facts import Event
from ledger.journal.book import Book
from ledger.journal.memory import RecomputedStorage
from ledger.journal.store import Journal, body_of, entry_of


def recomputed(book: Book) -> Book:
    """Return the same campaign, with accounts computed from its entries.

    Raise `WrongEntry` for invalid postings or marks. Other parts of the entries are not checked.
    """
    import orjson  # lazy import: rarely needed

    copy = Book(Journal(RecomputedStorage(book.journal.storage)))
    past, put, read = copy.accounts.running_state(), copy.accounts.rows.put, reader(Event, None)
    for stored in book.journal.stored():
        body = body_of(stored.seq, stored.body, orjson.loads)
        if body["postings"] or body["marks"]:
            try:
                read(body)
            except READ_ERRORS:
                entry_of(stored).event  # noqa: B018  raises the error with the reason
            put(*past.rows_of(body))
    return copy
