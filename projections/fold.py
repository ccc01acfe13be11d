"""The accounts of a campaign in memory: computed from its entries, or copied from its tables."""

from __future__ import annotations

from functools import partial

from ledger.events.compiled import READ_ERRORS, reader
from ledger.events.facts import Event
from ledger.journal.book import Book
from ledger.journal.memory import LoadedStorage, RecomputedStorage
from ledger.journal.store import Journal, body_of, entry_of


def with_recomputed_accounts(book: Book) -> Book:
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


def with_accounts_in_memory(book: Book) -> Book:
    """Return the same campaign, with its accounts in memory. A pass over all entries is then twice as fast."""
    import orjson

    return Book(Journal(LoadedStorage(book.journal.storage), partial(entry_of, parse=orjson.loads)))
