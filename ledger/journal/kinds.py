"""Kinds: the types of the values in each table; damage leaves others, and they are refused where they are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ledger.errors import Damaged, NotWhole, TablesDiffer
from ledger.journal.failures import DERIVED


class Kind(NamedTuple):
    """What rows of a table are, or some of their columns: the types that their values may have."""

    table: str
    types: frozenset[tuple[type, ...]]

    def checked(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows. Refuses a value of another type: `TablesDiffer` in a derived table, else `Damaged`."""
        for row in rows:
            if (*map(type, row),) not in self.types:
                raise self._wrong()
            yield row

    def value(self, value: Any) -> Any:
        """A value of a column, or None for no row; refuses others like `checked`."""
        if value is not None and (type(value),) not in self.types:
            raise self._wrong()
        return value

    def _wrong(self) -> NotWhole:
        what = f"its table {self.table} holds a value of a wrong type"
        return TablesDiffer(what) if self.table in DERIVED else Damaged(what)


def _kind(table: str, *types: type) -> Kind:
    return Kind(table, frozenset({types}))


ENTRY = _kind("entries", int, bytes, bytes)
ENTRY_NUMBER = _kind("entries", int)
LEAF = _kind("entries", bytes)
POSTING = _kind("postings", str, str, int, int, int, int)
POSTED = _kind("postings", int)
LATE_POSTING = _kind("postings", str, str, int)
SCORE = _kind("postings", str)
MARK = Kind("marks", frozenset({(str, str, int, int, str), (str, str, int, int, type(None))}))
MARKED = _kind("marks", int)
LATE_MARK = _kind("marks", str, str, int)
MARK_NAME = _kind("marks", str)
WAITING = _kind("waiting", str)
WORD = _kind("words", int, str, bytes, str)
TEXT = _kind("words", str, str)
SALTED = _kind("words", str, bytes, str)
NODE = _kind("nodes", int, int, bytes)
NODE_HASH = _kind("nodes", bytes)
HEAD = _kind("checkpoints", int, str)
NOTE = _kind("checkpoints", str)
