"""Words: what people typed, beside the entries, each with its salt; an entry holds only the commitment.

commitment = HMAC-SHA-256(salt, text), in small hexadecimal letters; the salt is 32 random bytes. `field` is the path
of the commitment in the entry, with dots (`inputs.advantage.0`). Without its salt a text cannot be guessed from the
commitment, so deleting the row erases the words and leaves every hash as it was.
"""

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ledger.errors import NotCanonical, WrongEntry
from ledger.events.canonical import canonical_json, changed, nodes, parse_json
from ledger.events.facts import ERASED, Said, Secret

SALT_BYTES = 32
COMMITMENT = re.compile("[0-9a-f]{64}")

Salts = Callable[[], bytes]


def random_salt() -> bytes:
    """Return a salt: 32 bytes from the operating system."""
    from os import urandom  # kept beside its only use

    return urandom(SALT_BYTES)


def commitment(salt: bytes, text: str) -> str:
    """Return what stands in the entry for a text."""
    from hmac import digest  # a look commits to nothing

    return digest(salt, text.encode(), "sha256").hex()


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


def opened(entry: Mapping[str, Any], texts: Mapping[str, str], *, secrets: bool = False) -> dict[str, Any]:
    """Return an entry with its words in their places, None where they were erased.

    Secrets stay closed, unless asked for; then erased words stand as their commitment, to be told from none.
    """
    told: dict[str, Any] = {}
    for field, kind, _ in commitments(entry):
        text = texts.get(field)
        if kind == Said.KEY and not (secrets and text is None):
            told[field] = text
        elif kind == Secret.KEY and secrets and text not in {None, ERASED}:
            told[field] = _told(entry["seq"], field, str(text))
    found: dict[str, Any] = changed(entry, told)
    return found


def check_words(
    seq: int, entry: Mapping[str, Any], kept: Mapping[str, tuple[bytes, str]], erased: Mapping[str, int]
) -> int:
    """Refuse (`WrongEntry`) words that are not those that an entry committed to; return how many secrets are not here.

    Of what was `erased`, by the entry that says so, nothing may be left; other words may not be missing.
    """
    away, committed = 0, {field: (kind, held) for field, kind, held in commitments(entry)}
    for field, (kind, held) in committed.items():
        if kind == Secret.KEY and field in erased:
            raise WrongEntry(seq, f"keeps a secret that #{erased[field]} says it erased ({field})")
        if field not in kept and kind == Said.KEY and field not in erased:
            raise WrongEntry(seq, f"has lost its words ({field})")
        if field in kept and field in erased:
            raise WrongEntry(seq, f"has words that #{erased[field]} erased ({field})")
        if field in kept and commitment(*kept[field]) != held:
            raise WrongEntry(seq, f"was given other words than were committed to ({field})")
        if field in kept and kind == Secret.KEY and kept[field][1] != ERASED:
            _told(seq, field, kept[field][1])
        away += field not in kept and kind == Secret.KEY
    more = kept.keys() - committed.keys()
    if more:
        raise WrongEntry(seq, f"has words that it never committed to ({min(more)})")
    return away


def is_away(said: Any) -> bool:
    """Whether anything that the GM keeps of what was said is not in this file, by what stands in an opened entry."""
    return any(kind == Secret.KEY for _, kind, _ in commitments({"said": said}))


def _told(seq: int, field: str, text: str) -> Any:
    """Return a secret by its text; refuses (`WrongEntry`) what is no canonical JSON."""
    try:
        told = parse_json(text)
        canonical = canonical_json(told).decode()
    except NotCanonical:
        canonical = ""
    if canonical != text:
        raise WrongEntry(seq, f"keeps a secret that nobody can read ({field})")
    return told


def commitments(entry: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the commitments in a stored entry: field, kind (`word` or `secret`), and the commitment itself."""
    for field, value in nodes(entry):
        if isinstance(value, dict) and len(value) == 1:
            ((kind, held),) = value.items()
            if kind in {Said.KEY, Secret.KEY} and isinstance(held, str) and COMMITMENT.fullmatch(held):
                yield field, kind, held
