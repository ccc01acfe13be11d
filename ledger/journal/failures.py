"""Failures: SQLite's errors as errors of this program."""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING

from ledger.errors import BadInput, Busy, Damaged, DiskRefused, ReadOnly, Run, TablesDiffer
from ledger.journal.records import NUMBER_TOO_LARGE

if TYPE_CHECKING:
    from types import TracebackType

BUSY_SECONDS = 5

DERIVED_TABLES = frozenset({"postings", "postings_late", "marks", "marks_seats", "waiting", "questions_wait", "nodes"})
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

DERIVED_COLUMNS = DERIVED_TABLES | {
    "who",
    "score",
    "name",
    "value",
    "since",
    "amount",
    "balance",
    "level",
    "place",
    "hash",
}

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


def moved_away(address: str) -> ReadOnly:
    """Return the error for a write to a campaign that has moved to another address."""
    from shlex import quote  # few campaigns move

    to = quote(address)
    hint = f"Use it there: {Run('-f', to, 'log')}. If the move was interrupted, repeat it: {Run('move', 'FROM', to)}"
    return ReadOnly(f"This campaign has moved to {address}", hint)


def password_in_address() -> BadInput:
    """Return the error for a password in the address of a database. The error does not repeat the address."""
    says = "An address must not contain a password, because others can see addresses."
    return BadInput(says, "Put the password into a password file (~/.pgpass) or a service file of PostgreSQL.")


class PlainErrors:
    """A context manager that converts each SQLite error in its block to an error of this program."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if isinstance(error, SQLITE_ERRORS):
            raise plain_error(error) from error


_PLAIN_ERRORS = PlainErrors()


def plain_errors() -> PlainErrors:
    """Convert each SQLite error in the block to an error of this program, with `plain_error`."""
    return _PLAIN_ERRORS  # every query needs it, and a generator would take as long as a short query
