"""Column types: the allowed types in each table. Reading a damaged value of another type is an error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ledger.errors import Damaged, NotWhole, TablesDiffer
from ledger.events.rows import MarkRow, PostingRow
from ledger.journal.failures import DERIVED
from ledger.journal.records import Backdated, StoredEntry, StoredNode, StoredWord
from ledger.values import Struct


class ColumnTypes(Struct):
    """The allowed types for some or all columns of a table, and the function that makes a record from a row."""

    table: str
    types: frozenset[tuple[type, ...]]
    make: Callable[[Iterable[Any]], Any] = tuple

    def checked(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows. For a value of another type, raise `TablesDiffer` in a derived table, otherwise `Damaged`."""
        for row in rows:
            if (*map(type, row),) not in self.types:
                raise self._wrong()
            yield row

    def value(self, value: Any) -> Any:
        """Return the value of a column, None if there was no row. Check its type like `checked`."""
        if value is not None and (type(value),) not in self.types:
            raise self._wrong()
        return value

    def _wrong(self) -> NotWhole:
        what = f"its table {self.table} has a value of the wrong type"
        return TablesDiffer(what) if self.table in DERIVED else Damaged(what)


def _kind(table: str, *types: type, make: Callable[[Iterable[Any]], Any] = tuple) -> ColumnTypes:
    return ColumnTypes(table=table, types=frozenset({types}), make=make)


ENTRY = _kind("entries", int, bytes, bytes, make=StoredEntry._make)
ENTRY_NUMBER = _kind("entries", int)
LEAF = _kind("entries", bytes)
POSTING = _kind("postings", str, str, int, int, int, int, make=PostingRow._make)
POSTED = _kind("postings", int)
LATE_POSTING = _kind("postings", str, str, int, make=Backdated._make)
SCORE = _kind("postings", str)
MARK = ColumnTypes(
    table="marks",
    types=frozenset({(str, str, int, int, str), (str, str, int, int, type(None))}),
    make=MarkRow._make,
)
MARKED = _kind("marks", int)
LATE_MARK = _kind("marks", str, str, int, make=Backdated._make)
MARK_NAME = _kind("marks", str)
WAITING = _kind("waiting", str)
WORD = _kind("words", int, str, bytes, str, make=StoredWord._make)
TEXT = _kind("words", str, str)
SALTED = _kind("words", str, bytes, str)
NODE = _kind("nodes", int, int, bytes, make=StoredNode._make)
NODE_HASH = _kind("nodes", bytes)
HEAD = _kind("checkpoints", int, str)
NOTE = _kind("checkpoints", str)
