"""Words: texts that people typed go beside the entries, each with its salt; the entry keeps a commitment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ledger.events.canonical import substitute
from ledger.events.commitments import CommittedText, Salts, commitment
from ledger.journal.records import StoredWord


def put_away(seq: int, entry: dict[str, Any], salts: Salts) -> tuple[dict[str, Any], list[StoredWord]]:
    """An entry with commitments in place of its open words, and those words, to be kept beside it."""
    words = [(StoredWord(seq, field, salts(), said.text or ""), said.KEY) for field, said in _said_in(entry, "")]
    closed = {word.field: {key: commitment(word.salt, word.text)} for word, key in words}
    return substitute(entry, closed) if closed else entry, [word for word, _ in words]


def _said_in(value: Any, path: str) -> Iterator[tuple[str, CommittedText]]:
    """Yield the words in a part of an entry; it looks at lists and objects alone."""
    for name, child in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(child, CommittedText):
            yield f"{path}{name}", child
        elif isinstance(child, dict | list):
            yield from _said_in(child, f"{path}{name}.")
