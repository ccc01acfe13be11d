"""The engine behind a campaign, for tests that look at its tables or tamper with them."""

import resource
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger.journal.book import Book
from ledger.journal.sqlite import SQLite
from ledger.journal.store import Journal
from paths import ROOT


def connection_of(campaign: Book | Journal) -> sqlite3.Connection:
    """The connection of the engine, behind its port."""
    storage = campaign.journal.storage if isinstance(campaign, Book) else campaign.storage
    assert isinstance(storage, SQLite)
    return storage.connection


def create_journal(file: str) -> Journal:
    """Make a campaign that has its name at once."""
    return Journal(SQLite.create(file))


@contextmanager
def full_disk(largest: int = 100) -> Iterator[None]:
    """Let this process write nothing beyond so many bytes of any file, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


WRITES = """
import sys
from time import sleep
from ledger.commands.at_table import Note
from ledger.journal.book import open_book
from ledger.scribe import Scribe
while True:
    with open_book(sys.argv[1]) as book:
        Scribe(book, clock_ok=True).write(Note(text="word " * 100))
        print(book.head(), flush=True)
    sleep(float(sys.argv[2]))
"""


@contextmanager
def written_meanwhile(file: Path, pause: float) -> Iterator[None]:
    """Let another process open a campaign, write a note and close it, over and over, with this pause in seconds."""
    command = [sys.executable, "-c", WRITES, str(file), str(pause)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()  # it has started to write
        try:
            yield
        finally:
            writer.kill()
