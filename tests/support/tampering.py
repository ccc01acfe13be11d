"""Tampering: what somebody changes in a campaign's file, with its hashes made to fit."""

import sqlite3
from collections.abc import Callable
from hashlib import sha256

from engine import connection_of
from ledger.events.canonical import canonical_json, parse_json
from ledger.events.commitments import commitment
from ledger.journal.book import Book
from table import hashed_anew

Tamper = Callable[[sqlite3.Connection], object]


def unguarded(*statements: str) -> Tamper:
    """Take the triggers away, change something, and put them back."""

    def tamper(connection: sqlite3.Connection) -> None:
        triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, sql in triggers:
            connection.execute(sql)

    return tamper


def rewritten(seq: int, change: Callable[[str], str]) -> Tamper:
    """Change the body of an entry and hash it anew."""

    def tamper(connection: sqlite3.Connection) -> None:
        (body,) = connection.execute("SELECT body FROM entries WHERE seq = ?", (seq,)).fetchone()
        changed = change(body)
        leaf = sha256(b"\0" + changed.encode()).hexdigest()
        quoted = changed.replace("'", "''")
        unguarded(f"UPDATE entries SET body = '{quoted}', leaf = x'{leaf}' WHERE seq = {seq}")(connection)

    return tamper


def reworded(change: Callable[[str], str]) -> Tamper:
    """Change the words and secrets beside all entries, with the commitments to them."""

    def tamper(connection: sqlite3.Connection) -> None:
        for seq, field, salt, text in connection.execute("SELECT seq, field, salt, text FROM words").fetchall():
            old, new = commitment(salt, text), commitment(salt, change(text))
            if old != new:
                connection.execute("UPDATE words SET text = ? WHERE (seq, field) = (?, ?)", (change(text), seq, field))
                rewritten(seq, lambda body, old=old, new=new: body.replace(old, new))(connection)  # type: ignore[misc]  # bound now

    return tamper


def fields(**changes: object) -> Callable[[str], str]:
    """Change fields of a body, canonically."""
    return lambda body: canonical_json({**parse_json(body), **changes}).decode()


def fitted(book: Book) -> None:
    """Work the tree and the accounts of a file out anew, as somebody would who rewrote it throughout."""
    hashed_anew(book.journal)
    for table in ("postings", "marks", "waiting"):
        connection_of(book).execute(f"DELETE FROM {table}")
    for entry in list(book.journal.entries()):
        book.accounts.post(entry.body)
