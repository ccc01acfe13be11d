"""SQLite: how a file is opened, and what SQLite says in words for a reader."""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from os import path

from ledger.errors import Busy, Damaged, NoRoom, NotACampaign

BUSY_SECONDS = 5


MAGIC = b"SQLite format 3\0"
"""What every file of SQLite begins with."""


@contextmanager
def plain_errors(file: str = "") -> Iterator[None]:
    """Turn what SQLite says into what a reader can act on."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_BUSY:
            raise Busy(BUSY_SECONDS) from error
        if code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}:
            raise NoRoom("The disk did not take it; nothing was written.") from error
        if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}:
            raise NoRoom("The campaign cannot be written here; nothing was written.") from error
        if file and code == sqlite3.SQLITE_NOTADB:
            raise NotACampaign(f"{file} is not a campaign.") from error
        if "no such table" in str(error):
            raise Damaged(f"there is {error}".replace("there is no such table: ", "it has no table ")) from error
        if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            raise Damaged("its pages do not fit together") from error
        if "Could not decode to UTF-8" in str(error):
            column = str(error).split("'")[1]
            raise Damaged(f"what stands in its column {column!r} is no text") from error
        if "JSON" in str(error):
            raise Damaged("what stands in an entry is no JSON") from error
        raise


def connect(file: str, query: str) -> sqlite3.Connection:
    """Open a file as SQLite; what is committed survives a power cut. Whoever writes waits five seconds for the lock."""
    quoted = path.abspath(file).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    uri = f"file:{quoted}?{query}"
    with plain_errors(file):
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_SECONDS)
        try:
            connection.execute("PRAGMA synchronous = EXTRA")  # the folder too, where a journal is removed
        except BaseException:
            connection.close()
            raise
    return connection


def header_of(file: str) -> bytes:
    """Return the first 72 bytes of a file as they are, for one that SQLite refuses or that may be none of SQLite's.

    Another process reads them. A process that opens a file and closes it gives up the locks that SQLite holds on it for
    the whole process: others would take themselves for the last, and remove the log that what was written lies in.
    """
    from subprocess import DEVNULL, run  # most files are read by SQLite

    program = "import sys; sys.stdout.buffer.write(open(sys.argv[1], 'rb').read(72))"
    command = [sys.executable, "-I", "-S", "-c", program, path.abspath(file)]
    return run(command, stdin=DEVNULL, capture_output=True, check=False).stdout  # noqa: S603  ours


def statements(script: str) -> Iterator[str]:
    """Yield the statements of a script, one by one."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
