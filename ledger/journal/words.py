"""Words: texts that people typed go beside the entries, each with its salt; the entry keeps a commitment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ledger.events.canonical import substitute, walk
from ledger.events.commitments import Said, Salts, commitment
from ledger.journal.stored import StoredWord

if TYPE_CHECKING:
    from ledger.journal.storage import WordTable


def put_away(words: WordTable, seq: int, entry: dict[str, Any], salts: Salts) -> dict[str, Any]:
    """Keep the open words of an entry, and put commitments in their places. The write lock is held."""
    closed: dict[str, Any] = {}
    for field, value in walk(entry):
        if isinstance(value, Said):
            salt, text = salts(), value.text or ""
            closed[field] = {value.KEY: commitment(salt, text)}
            words.keep(StoredWord(seq, field, salt, text))
    body: dict[str, Any] = substitute(entry, closed) if closed else entry
    return body
