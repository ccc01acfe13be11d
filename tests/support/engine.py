"""The engine behind a campaign, for tests that look at its tables or tamper with them."""

import resource
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from ledger.journal.book import Book
from ledger.journal.sqlite import SQLite
from ledger.journal.store import Journal


def connection_of(campaign: Book | Journal) -> sqlite3.Connection:
    """The connection of the engine, behind its port."""
    storage = campaign.journal.storage if isinstance(campaign, Book) else campaign.storage
    assert isinstance(storage, SQLite)
    return storage.connection


@contextmanager
def full_disk(largest: int = 100) -> Iterator[None]:
    """Let this process write nothing beyond so many bytes of any file, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
