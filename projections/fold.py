"""Fold: the accounts of a campaign, computed in memory from its entries, without its own tables."""

from __future__ import annotations

from ledger.events.compiled import UNREAD, reader
from ledger.events.facts import Event
from ledger.journal.book import Book
from ledger.journal.memory import Recomputed
from ledger.journal.records import StoredEntry
from ledger.journal.store import Journal, body_of, entry_of


def folded(book: Book) -> Book:
    """The same campaign, with accounts computed from its entries.

    Refuse (`WrongEntry`) invalid postings and marks. `verify` checks the rest of an entry.
    """
    import orjson  # few sheets are worked out from the entries

    copy = Book(Journal(Recomputed(book.journal.storage)))
    past, put = copy.accounts.running(), copy.accounts.rows.put
    for stored in book.journal.stored():
        body = body_of(stored.seq, stored.body, orjson.loads)
        if body["postings"] or body["marks"]:
            _check_rows(stored, body)
            put(*past.rows_of(body))
    return copy


def _check_rows(stored: StoredEntry, body: dict[str, object]) -> None:
    """Refuse (`WrongEntry`) an entry whose postings or marks have another form."""
    try:
        reader(Event, None)(body)
    except UNREAD:
        entry_of(stored).event  # noqa: B018  it says what is wrong
