"""Words: texts that people entered. Each is stored outside its entry, with a salt. The entry has a commitment to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ledger.events.canonical import ATOMIC_TYPES, substitute
from ledger.events.commitments import CommittedText, SaltSource, commitment
from ledger.journal.records import StoredWord


def separate_words(seq: int, entry: dict[str, Any], salts: SaltSource) -> tuple[dict[str, Any], list[StoredWord]]:
    """Replace the words in an entry with commitments. Return the new entry, and the words to store beside it."""
    words = [(StoredWord(seq, field, salts(), typed.text or ""), typed.KEY) for field, typed in _words_in(entry, "")]
    closed = {word.field: {key: commitment(word.salt, word.text)} for word, key in words}
    return substitute(entry, closed) if closed else entry, [word for word, _ in words]


def _words_in(value: Any, path: str) -> Iterator[tuple[str, CommittedText]]:
    """Yield the path and the text of each word in an object or a list."""
    for name, child in value.items() if isinstance(value, dict) else enumerate(value):
        if type(child) in ATOMIC_TYPES:
            continue
        if isinstance(child, CommittedText):
            yield f"{path}{name}", child
        elif isinstance(child, dict | list):
            yield from _words_in(child, f"{path}{name}.")
