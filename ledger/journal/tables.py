"""Tables: the SQL statements for the tables in SQLite. `ledger.journal.storage` describes the methods.

Only damage can put a value of the wrong type into a column. So reading such a value is an error.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from json import dumps
from typing import Any, Literal, TypeVar

from ledger.errors import Damaged, NotWhole, TablesDiffer
from ledger.events.rows import BOUND, MarkRow, PostingRow
from ledger.journal.failures import DERIVED_TABLES, plain_errors
from ledger.journal.records import Backdated, StoredEntry, StoredNode, StoredWord
from ledger.journal.schema import NODES_TABLE, ROWS_TABLES, VERSION_WITH_WAITING, WAITING_QUERY, WAITING_TABLE

T = TypeVar("T", int, str, bytes)


class Columns:
    """The columns of a table. Each row must match one of the tuples in `types`. `make` turns a row into a record."""

    def __init__(self, table: str, names: str, record: type[tuple[Any, ...]], *types: tuple[type, ...]) -> None:
        self.table = table
        self.names = names
        self.make = partial(tuple.__new__, record)  # `_make` would count the fields again
        self.types = types


ENTRY_COLUMNS = Columns("entries", "seq, CAST(body AS BLOB), leaf", StoredEntry, (int, bytes, bytes))
POSTING_COLUMNS = Columns(
    "postings", "who, score, seq, since, amount, balance", PostingRow, (str, str, int, int, int, int)
)
MARK_COLUMNS = Columns(
    "marks",
    "who, name, since, seq, value",
    MarkRow,
    (str, str, int, int, str),
    (str, str, int, int, type(None)),
)
LATE_POSTING_COLUMNS = Columns("postings", "who, score, since", Backdated, (str, str, int))
LATE_MARK_COLUMNS = Columns("marks", "who, name, since", Backdated, (str, str, int))
WORD_COLUMNS = Columns("words", "seq, field, salt, text", StoredWord, (int, str, bytes, str))
NODE_COLUMNS = Columns("nodes", "level, place, hash", StoredNode, (int, int, bytes))


class Statements:
    """The base class of the tables: statements on one connection. SQLite's errors are turned into ours."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def _run(self, sql: str, *values: Any) -> None:
        with plain_errors():
            self.connection.execute(sql, values)

    def _scalar(self, sql: str, *values: Any) -> Any:
        """Return the first column of the first row, None if there is no row."""
        with plain_errors():
            row = self.connection.execute(sql, values).fetchone()
        return None if row is None else row[0]

    def _value(self, table: str, kind: type[T], sql: str, *values: Any) -> T | None:
        """Return the first column of the first row, None if there is no row.

        For a value of the wrong type, raise `TablesDiffer` in a derived table, and `Damaged` in any other table.
        """
        value: T | None = self._scalar(sql, *values)
        if value is not None and type(value) is not kind:
            raise _wrong_type(table)
        return value

    def _typed_rows(self, table: str, types: tuple[tuple[type, ...], ...], sql: str, *values: Any) -> Iterator[Any]:
        """Yield the rows of a query, after checking the types of their values.

        For a value of the wrong type, raise `TablesDiffer` in a derived table, and `Damaged` in any other table.
        """
        with plain_errors():
            for row in self.connection.execute(sql, values):
                if (*map(type, row),) not in types:
                    raise _wrong_type(table)
                yield row

    def _column(self, table: str, kind: type[T], sql: str, *values: Any) -> Iterator[T]:
        return (value for (value,) in self._typed_rows(table, ((kind,),), sql, *values))

    def _records(self, columns: Columns, condition: str, *values: Any) -> Iterator[Any]:
        sql = f"SELECT {columns.names} FROM {columns.table} {condition}"  # noqa: S608  ours
        return map(columns.make, self._typed_rows(columns.table, columns.types, sql, *values))

    def _run_script(self, script: str) -> None:
        for statement in statements(script):
            self._run(statement)


def _wrong_type(table: str) -> NotWhole:
    what = f"its table {table} has a value of the wrong type"
    return TablesDiffer(what) if table in DERIVED_TABLES else Damaged(what)


class SQLEntries(Statements):
    """The table `entries`: bodies and leaf hashes."""

    def head(self) -> int:
        return int(self._scalar("SELECT coalesce(max(seq), 0) FROM entries"))

    def append(self, entry: StoredEntry) -> None:
        self._run("INSERT INTO entries (seq, body, leaf) VALUES (?, ?, ?)", entry.seq, entry.body.decode(), entry.leaf)

    def stored(self, first: int = 1, last: int = BOUND) -> Iterator[StoredEntry]:
        return self._records(ENTRY_COLUMNS, "WHERE seq BETWEEN ? AND ? ORDER BY seq", first, last)

    def find_by_once_id(self, once: str) -> int | None:
        return self._value("entries", int, "SELECT seq FROM entries WHERE body ->> '$.once' = ?", once)

    def last_on_clock(self, moment: str, last: int = BOUND) -> int | None:
        # uses `entries_clock`, but with max(seq), SQLite would read all entries instead, the last first
        clock = "body ->> '$.clock' IS NOT NULL AND body ->> '$.clock' <= ?1"
        return self._value("entries", int, f"SELECT max(+seq) FROM entries WHERE {clock} AND +seq <= ?2", moment, last)  # noqa: S608  ours

    def search(self, types: Sequence[str], first: int, keys: Iterable[str], last: int = BOUND) -> Iterator[StoredEntry]:
        has_kind, one_kind = _any_text_condition([f'"type":"{kind}"' for kind in types])
        has_key, one_key = _any_text_condition([f'"{key}":' for key in keys])
        condition = f"WHERE seq BETWEEN ? AND ? AND {has_kind} AND {has_key} ORDER BY seq"
        return self._records(ENTRY_COLUMNS, condition, first, last, one_kind, one_key)

    def of_type(self, kind: str, seqs: Iterable[int]) -> Iterator[int]:
        numbered = "seq IN (SELECT value FROM json_each(?))"
        sql = f"SELECT seq FROM entries WHERE {numbered} AND body ->> '$.type' = ? ORDER BY seq"  # noqa: S608  ours
        return self._column("entries", int, sql, dumps(list(seqs)), kind)

    def backdated_entries(self, first: int, last: int) -> Iterator[StoredEntry]:
        late = "body ->> '$.since' < seq AND body ->> '$.since' BETWEEN ?1 AND ?2"
        condition = f"WHERE +seq > ?1 AND {late} ORDER BY seq"  # uses `entries_late`, if the file already has it
        return self._records(ENTRY_COLUMNS, condition, first, last)


def _any_text_condition(texts: list[str]) -> tuple[str, str]:
    """Return an SQL condition that is true if a body contains one of these texts, and the parameter to bind to it."""
    if len(texts) == 1:
        return "instr(entries.body, ?)", texts[0]
    return "EXISTS (SELECT 1 FROM json_each(?) WHERE instr(entries.body, value))", dumps(texts)


class SQLRows(Statements):
    """The tables `postings` and `marks`, and `waiting`, which a trigger fills.

    Queries of marks have `who = +?`. With `who = ?`, SQLite would plan the query again for each new subject, because of
    the index `marks_seats`.
    """

    def put(self, postings: Iterable[PostingRow], marks: Iterable[MarkRow]) -> None:
        with plain_errors():
            self.connection.executemany("INSERT INTO postings VALUES (?, ?, ?, ?, ?, ?)", postings)
            self.connection.executemany("INSERT INTO marks VALUES (?, ?, ?, ?, ?)", marks)

    def balance_at(self, who: str, score: str, seq: int = BOUND) -> int | None:
        latest = "who = ? AND score = ? AND seq <= ? ORDER BY seq DESC, since DESC LIMIT 1"
        sql = f"SELECT balance FROM postings WHERE {latest}"  # noqa: S608  ours
        return self._value("postings", int, sql, who, score, seq)

    def posting_rows(self, who: str, score: str, first: int = 1, last: int = BOUND) -> Iterator[PostingRow]:
        condition = "WHERE who = ? AND score = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC, since DESC"
        return self._records(POSTING_COLUMNS, condition, who, score, first, last)

    def original_count(self, who: str, score: str, last: int = BOUND) -> int:
        sql = "SELECT count(*) FROM postings WHERE who = ? AND score = ? AND seq <= ? AND since = seq"
        return int(self._scalar(sql, who, score, last))

    def corrections(self, who: str, score: str, since: int, first: int = 1, last: int = BOUND) -> Iterator[PostingRow]:
        given = "who = ? AND score = ? AND since <= ? AND since < seq AND +seq BETWEEN ? AND ?"  # uses `postings_late`
        return self._records(
            POSTING_COLUMNS, f"WHERE {given} ORDER BY since DESC, seq DESC", who, score, since, first, last
        )

    def mark_rows(
        self, who: str, name: str, since: int = BOUND, last: int = BOUND, first: int = 1
    ) -> Iterator[MarkRow]:
        condition = "WHERE who = +? AND name = ? AND since <= ? AND seq BETWEEN ? AND ? ORDER BY since DESC, seq DESC"
        return self._records(MARK_COLUMNS, condition, who, name, since, first, last)

    def entries_with_value(self, who: str, name: str, value: str) -> Iterator[int]:
        sql = "SELECT since FROM marks WHERE who = +? AND name = ? AND value = ? ORDER BY since DESC, seq DESC"
        return self._column("marks", int, sql, who, name, value)

    def marks_of(self, who: str, since: int = BOUND, last: int = BOUND) -> Iterator[MarkRow]:
        condition = "WHERE who = +? AND since <= ? AND seq <= ? ORDER BY name, since DESC, seq DESC"
        return self._records(MARK_COLUMNS, condition, who, since, last)

    def names(self, table: Literal["postings", "marks"], who: str, prefix: str = "", suffix: str = "") -> Iterator[str]:
        column = "score" if table == "postings" else "name"
        least = f"SELECT min({column}) FROM {table} WHERE who = +?1 AND {column}"  # noqa: S608  ours
        sql = (  # one seek for each name; also returns the first name after those with the prefix
            f"WITH RECURSIVE names(name) AS ({least} >= ?2 UNION ALL"  # noqa: S608  ours
            f" SELECT ({least} > names.name) FROM names WHERE substr(name, 1, length(?2)) = ?2)"
            " SELECT name FROM names WHERE name IS NOT NULL"
        )
        names = self._column(table, str, sql, who, prefix)
        return (name for name in names if name.startswith(prefix) and name.endswith(suffix))

    def subjects_with(self, table: Literal["postings", "marks"], prefix: str) -> Iterator[str]:
        column = "score" if table == "postings" else "name"
        sql = (
            f"WITH RECURSIVE subjects(who) AS (SELECT min(who) FROM {table} UNION ALL"  # noqa: S608  ours
            f" SELECT (SELECT min(who) FROM {table} WHERE who > subjects.who) FROM subjects WHERE who IS NOT NULL)"
            f" SELECT who FROM subjects WHERE substr((SELECT min({column}) FROM {table} WHERE who = subjects.who"
            f" AND {column} >= ?1), 1, length(?1)) = ?1"
        )
        return self._column(table, str, sql, prefix)

    def mark_names_between(self, who: str, least: str, most: str) -> Iterator[str]:
        seats = "who = '#cast' AND " if who == "#cast" else ""  # uses `marks_seats`, an index only for this subject
        sql = f"SELECT DISTINCT name FROM marks WHERE {seats}who = +? AND value BETWEEN ? AND ? ORDER BY name"  # noqa: S608  ours
        return self._column("marks", str, sql, who, least, most)

    def waiting(self) -> Iterator[str]:
        has_table = self._scalar("PRAGMA user_version") >= VERSION_WITH_WAITING
        sql = "SELECT name FROM waiting" if has_table else WAITING_QUERY
        return self._column("waiting", str, sql)

    def backdated_rows(self, head: int, last: int = BOUND) -> Iterator[Backdated]:
        condition = "WHERE since < seq AND since <= ?1 AND seq > ?1 AND seq <= ?2 AND who >= 'a'"
        for columns in (LATE_POSTING_COLUMNS, LATE_MARK_COLUMNS):
            yield from self._records(columns, condition, head, last)

    def postings(self, first: int | None = None) -> Iterator[PostingRow]:
        return self._records(POSTING_COLUMNS, "WHERE ?1 IS NULL OR seq >= ?1 ORDER BY seq, who, score, since", first)

    def marks(self, first: int | None = None) -> Iterator[MarkRow]:
        return self._records(MARK_COLUMNS, "WHERE ?1 IS NULL OR seq >= ?1 ORDER BY seq, who, name, since", first)

    def clear(self) -> None:
        for table in ("postings", "marks", "waiting"):
            self._run(f"DROP TABLE IF EXISTS {table}")
        self._run_script(ROWS_TABLES + WAITING_TABLE)


class SQLWords(Statements):
    """The statements on the table `words`: the texts of entries, which can be erased."""

    def keep(self, word: StoredWord) -> None:
        self._run("INSERT INTO words VALUES (?, ?, ?, ?)", *word)

    def texts_of(self, seq: int) -> dict[str, str]:
        return dict(self._typed_rows("words", ((str, str),), "SELECT field, text FROM words WHERE seq = ?", seq))

    def salts_and_texts(self, seq: int) -> dict[str, tuple[bytes, str]]:
        rows = self._typed_rows("words", ((str, bytes, str),), "SELECT field, salt, text FROM words WHERE seq = ?", seq)
        return {field: (salt, text) for field, salt, text in rows}

    def delete(self, seq: int, fields: Iterable[str]) -> None:
        self._run("PRAGMA secure_delete = ON")
        for field in fields:
            self._run("DELETE FROM words WHERE seq = ? AND field = ?", seq, field)

    def all(self, first: int | None = None) -> Iterator[StoredWord]:
        return self._records(WORD_COLUMNS, "WHERE ?1 IS NULL OR seq >= ?1 ORDER BY seq, field", first)


class SQLNodes(Statements):
    """The table `nodes`: the hashes of inner nodes. The leaves are read from the table `entries`."""

    def get(self, level: int, place: int) -> bytes | None:
        if not level:
            return self._value("entries", bytes, "SELECT leaf FROM entries WHERE seq = ?", place + 1)
        return self._value("nodes", bytes, "SELECT hash FROM nodes WHERE level = ? AND place = ?", level, place)

    def put(self, node: StoredNode) -> None:
        self._run("INSERT INTO nodes VALUES (?, ?, ?)", *node)

    def all(self, first: int | None = None, last: int = BOUND) -> Iterator[StoredNode]:
        entry = "(place + 1) << level"
        condition = f"WHERE (?1 IS NULL OR {entry} >= ?1) AND {entry} <= ?2 ORDER BY {entry}, level"
        return self._records(NODE_COLUMNS, condition, first, last)

    def clear(self) -> None:
        self._run_script(f"DROP TABLE IF EXISTS nodes;\n{NODES_TABLE}")


class SQLCheckpoints(Statements):
    """The table `checkpoints`: the signed heads, as notes."""

    def get(self, size: int) -> str | None:
        return self._value("checkpoints", str, "SELECT note FROM checkpoints WHERE size = ?", size)

    def put(self, size: int, note: str) -> None:
        self._run("INSERT OR REPLACE INTO checkpoints VALUES (?, ?)", size, note)

    def all(self) -> dict[int, str]:
        return dict(self._typed_rows("checkpoints", ((int, str),), "SELECT size, note FROM checkpoints ORDER BY size"))


def statements(script: str) -> Iterator[str]:
    """Split an SQL script, because `executescript` would commit the open transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
