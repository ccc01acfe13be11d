"""Words: what people typed, beside the entries, each with its salt; an entry holds only the commitment.

commitment = HMAC-SHA-256(salt, text), in small hexadecimal letters; the salt is 32 random bytes. `field` is the path
of the commitment in the entry, with dots (`inputs.advantage.0`). Without its salt a text cannot be guessed from the
commitment, so deleting the row erases the words and leaves every hash as it was.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ledger.events import Said, Secret, open_leaves

SALT_BYTES = 32

Salts = Callable[[], bytes]


def random_salt() -> bytes:
    """Return a salt: 32 bytes from the operating system."""
    from os import urandom  # noqa: PLC0415  kept beside its only use

    return urandom(SALT_BYTES)


def commitment(salt: bytes, text: str) -> str:
    """Return what stands in the entry for a text."""
    from hmac import digest  # noqa: PLC0415  a look commits to nothing

    return digest(salt, text.encode(), "sha256").hex()


class Words:
    """The table of words in an open campaign file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def keep(self, seq: int, entry: dict[str, Any], salts: Salts) -> dict[str, Any]:
        """Put the open words of an entry away; return the entry with commitments in their places."""
        rows = []
        closed: dict[str, Any] = {}
        for field, said in open_leaves(entry):
            salt, text = salts(), said.text or ""
            closed[field] = {said.KEY: commitment(salt, text)}
            rows.append((seq, field, salt, text))
        if rows:
            self._connection.executemany("INSERT INTO words VALUES (?, ?, ?, ?)", rows)
            replaced = _replace(entry, closed)
            assert isinstance(replaced, dict)  # noqa: S101  an entry is an object
            return replaced
        return entry

    def of(self, seq: int) -> dict[str, str]:
        """Return the words of an entry that are still there, by field."""
        found = self._connection.execute("SELECT field, text FROM words WHERE seq = ?", (seq,))
        return dict(found.fetchall())

    def rows(self) -> Iterator[tuple[int, str, bytes, str]]:
        """Yield all words: entry, field, salt, text."""
        yield from self._connection.execute("SELECT seq, field, salt, text FROM words ORDER BY seq, field")


def opened(entry: Mapping[str, Any], texts: Mapping[str, str], *, secrets: bool = False) -> dict[str, Any]:
    """Return an entry with its words in their places, None where they were erased.

    Secrets stay closed, unless asked for; then erased words stand as their commitment, to be told from none.
    """
    return {name: _open(held, name, texts, secrets) for name, held in entry.items()}


def commitments(value: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield the commitments in a stored entry: field, kind (`word` or `secret`), and the commitment itself."""
    closed = _closed(value)
    if closed is not None:
        yield path, *closed
    elif isinstance(value, dict):
        for name, held in value.items():
            yield from commitments(held, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for place, held in enumerate(value):
            yield from commitments(held, f"{path}.{place}")


def _closed(value: Any) -> tuple[str, str] | None:
    if isinstance(value, dict) and len(value) == 1:
        ((key, held),) = value.items()
        if key in {Said.KEY, Secret.KEY} and isinstance(held, str):
            return key, held
    return None


def _open(value: Any, path: str, texts: Mapping[str, str], secrets: bool) -> Any:
    closed = _closed(value)
    if closed is not None:
        text = texts.get(path)
        if closed[0] == Secret.KEY:
            return int(text) if secrets and text is not None else value
        return value if secrets and text is None else text
    if isinstance(value, dict):
        return {name: _open(held, f"{path}.{name}", texts, secrets) for name, held in value.items()}
    if isinstance(value, list):
        return [_open(held, f"{path}.{place}", texts, secrets) for place, held in enumerate(value)]
    return value


def _replace(value: Any, closed: Mapping[str, Any], path: str = "") -> Any:
    if isinstance(value, Said):
        return closed[path]
    if isinstance(value, dict):
        return {name: _replace(held, closed, f"{path}.{name}" if path else name) for name, held in value.items()}
    if isinstance(value, list):
        return [_replace(held, closed, f"{path}.{place}") for place, held in enumerate(value)]
    return value
