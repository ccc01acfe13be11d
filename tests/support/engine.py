"""The engine behind a campaign, for tests that look at its tables or tamper with them."""

import sqlite3

from ledger.journal.book import Book
from ledger.journal.sqlite import SQLite
from ledger.journal.store import Journal


def connection_of(campaign: Book | Journal) -> sqlite3.Connection:
    """The connection of the engine, behind its port."""
    storage = campaign.journal.storage if isinstance(campaign, Book) else campaign.storage
    assert isinstance(storage, SQLite)
    return storage.connection
