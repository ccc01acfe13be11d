"""Words: the table of what people typed, beside the entries, each with its salt."""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from ledger.events.canonical import changed, nodes
from ledger.events.commitments import Said, Salts, commitment


class Words:
    """The table of words in an open campaign file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def keep(self, seq: int, entry: dict[str, Any], salts: Salts) -> dict[str, Any]:
        """Put the open words of an entry away; return the entry with commitments in their places."""
        closed: dict[str, Any] = {}
        for field, said in nodes(entry):
            if isinstance(said, Said):
                salt, text = salts(), said.text or ""
                closed[field] = {said.KEY: commitment(salt, text)}
                self._connection.execute("INSERT INTO words VALUES (?, ?, ?, ?)", (seq, field, salt, text))
        kept: dict[str, Any] = changed(entry, closed) if closed else entry
        return kept

    def restore(self, seq: int, field: str, salt: bytes, text: str) -> None:
        """Put words back as they were kept, after they were checked against their entry; the write lock is held."""
        self._connection.execute("INSERT INTO words VALUES (?, ?, ?, ?)", (seq, field, salt, text))

    def of(self, seq: int) -> dict[str, str]:
        """Return the words of an entry that are still there, by field."""
        found = self._connection.execute("SELECT field, text FROM words WHERE seq = ?", (seq,))
        return dict(found.fetchall())

    def erase(self, seq: int, fields: Iterable[str]) -> None:
        """Delete words with their salts, so that nothing of them is left in the page; the write lock is held."""
        self._connection.execute("PRAGMA secure_delete = ON")
        for field in fields:
            self._connection.execute("DELETE FROM words WHERE seq = ? AND field = ?", (seq, field))

    def kept(self, seq: int) -> dict[str, tuple[bytes, str]]:
        """Return salt and text of the words of an entry that are still there, by field."""
        found = self._connection.execute("SELECT field, salt, text FROM words WHERE seq = ?", (seq,))
        return {field: (salt, text) for field, salt, text in found}

    def rows(self) -> Iterator[tuple[int, str, bytes, str]]:
        """Yield all words: entry, field, salt, text."""
        yield from self._connection.execute("SELECT seq, field, salt, text FROM words ORDER BY seq, field")
