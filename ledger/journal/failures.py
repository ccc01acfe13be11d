"""Failures: SQLite's errors as errors of this program."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from ledger.errors import Busy, Damaged, DiskRefused, TablesDiffer
from ledger.journal.records import NUMBER_TOO_LARGE

BUSY_SECONDS = 5

DERIVED = frozenset({"postings", "postings_late", "marks", "marks_seats", "waiting", "questions_wait", "nodes"})
"""The tables, indexes and the trigger that can be made again from the entries."""

WRITE_FAILURES = {
    sqlite3.SQLITE_FULL: "The disk could not save the data. Nothing was written.",
    sqlite3.SQLITE_IOERR: "The disk could not save the data. Nothing was written.",
    sqlite3.SQLITE_READONLY: "This campaign file is read-only. Nothing was written.",
    sqlite3.SQLITE_CANTOPEN: "The campaign cannot be saved here. Nothing was written.",
}

DAMAGE_MESSAGES = (
    ("malformed database schema", "its internal structure is broken"),
    ("no such table: (?P<name>.*)", "it has no table {name}"),
    ("no such column: (?P<name>.*)", "it has no column {name}"),
    (r"table (?P<name>\w+) has \d+ columns? but", "its table {name} has the wrong columns"),
    (r"UNIQUE constraint failed: (?P<name>\w+)\.", "its table {name} has rows for entries that do not exist yet"),
    ("Could not decode to UTF-8 column '(?P<name>[^']*)'", "its column '{name}' contains something other than text"),
    ("JSON", "an entry is not JSON"),
    ("malformed|not a database|unsupported file format|codec", "its internal structure is broken"),
)
"""Patterns of SQLite's messages about a damaged file, each with our text."""

DERIVED_COLUMNS = DERIVED | {"who", "score", "name", "value", "since", "amount", "balance", "level", "place", "hash"}

SQLITE_ERRORS = (sqlite3.Error, UnicodeDecodeError, OverflowError)
"""The exceptions that SQLite calls raise. The last two are for unreadable messages and numbers that are too large."""


def plain_error(error: Exception) -> Exception:
    """Convert an SQLite error to an error of this program. Return the error unchanged if the file did not cause it."""
    code, says = getattr(error, "sqlite_errorcode", 0) & 0xFF, str(error)
    if code == sqlite3.SQLITE_BUSY:
        return Busy(BUSY_SECONDS)
    if code in WRITE_FAILURES:
        return DiskRefused(WRITE_FAILURES[code])
    if isinstance(error, OverflowError) or "integer overflow" in says:
        return TablesDiffer(NUMBER_TOO_LARGE)
    for pattern, sentence in DAMAGE_MESSAGES:
        if match := re.search(pattern, says):
            damage = sentence.format(**match.groupdict())
            return TablesDiffer(damage) if DERIVED_COLUMNS & set(match.groups()) else Damaged(damage)
    return error


@contextmanager
def plain_errors() -> Iterator[None]:
    """Convert each SQLite error in the block to an error of this program, with `plain_error`."""
    try:
        yield
    except SQLITE_ERRORS as error:
        raise plain_error(error) from error
