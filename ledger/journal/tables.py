"""Tables: the statements for the tables in SQLite. The port, `ledger.journal.storage`, describes the methods."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from ledger.events.rows import BOUND, MarkRow, PostingRow
from ledger.journal import column_types
from ledger.journal.column_types import ColumnTypes
from ledger.journal.failures import FAILURES, plain_error, plain_errors
from ledger.journal.records import Backdated, StoredEntry, StoredNode, StoredWord
from ledger.journal.schema import NODES_TABLE, ROWS_TABLES, WAITING, WAITING_TABLE, WITH_WAITING

ENTRY = "SELECT seq, CAST(body AS BLOB), leaf FROM entries"
POSTING = "SELECT who, score, seq, since, amount, balance FROM postings"
MARK = "SELECT who, name, since, seq, value FROM marks"


class Statements:
    """Statements on one connection. SQLite's errors are turned into ours."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def _do(self, sql: str, *values: Any) -> None:
        try:
            self.connection.execute(sql, values)
        except FAILURES as error:
            raise plain_error(error) from error

    def _one(self, sql: str, *values: Any) -> Any:
        """Return the first column of the first row, None if there is no row."""
        try:
            row = self.connection.execute(sql, values).fetchone()
        except FAILURES as error:
            raise plain_error(error) from error
        return None if row is None else row[0]

    def _each(self, sql: str, *values: Any) -> Iterator[Any]:
        try:
            for row in self.connection.execute(sql, values):  # noqa: UP028  unread rows are not closed after the file
                yield row
        except FAILURES as error:
            raise plain_error(error) from error

    def _records(self, types: ColumnTypes, sql: str, *values: Any) -> Iterator[Any]:
        return map(types.make, types.checked(self._each(sql, *values)))

    def _column(self, types: ColumnTypes, sql: str, *values: Any) -> Iterator[Any]:
        return (value for (value,) in types.checked(self._each(sql, *values)))

    def _script(self, script: str) -> None:
        for statement in statements(script):
            self._do(statement)


class SQLEntries(Statements):
    """The table `entries`: bodies and leaf hashes."""

    def head(self) -> int:
        return int(self._one("SELECT coalesce(max(seq), 0) FROM entries"))

    def append(self, entry: StoredEntry) -> None:
        self._do("INSERT INTO entries (seq, body, leaf) VALUES (?, ?, ?)", entry.seq, entry.body.decode(), entry.leaf)

    def stored(self, first: int = 1, last: int = BOUND) -> Iterator[StoredEntry]:
        return self._records(column_types.ENTRY, f"{ENTRY} WHERE seq BETWEEN ? AND ? ORDER BY seq", first, last)

    def once(self, once: str) -> int | None:
        found = self._one("SELECT seq FROM entries WHERE body ->> '$.once' = ?", once)
        seq: int | None = column_types.ENTRY_NUMBER.value(found)
        return seq

    def last_on_clock(self, moment: str, last: int = BOUND) -> int | None:
        clock = "body ->> '$.clock' IS NOT NULL AND body ->> '$.clock' <= ?1"  # uses `entries_clock`
        seq: int | None = self._one(f"SELECT max(seq) FROM entries WHERE {clock} AND +seq <= ?2", moment, last)  # noqa: S608  ours
        return seq

    def naming(
        self, types: Sequence[str], first: int, names: Iterable[str], last: int = BOUND
    ) -> Iterator[StoredEntry]:
        keys, typed = [f'"{name}":' for name in names], [f'"type":"{kind}"' for kind in types]
        (has_kind, one_kind), (has_key, one_key) = _has_one_of(typed), _has_one_of(keys)
        sql = f"{ENTRY} WHERE seq BETWEEN ? AND ? AND {has_kind} AND {has_key} ORDER BY seq"
        return self._records(column_types.ENTRY, sql, first, last, one_kind, one_key)

    def of_type(self, kind: str, seqs: Iterable[int]) -> Iterator[int]:
        from json import dumps  # not needed to show a sheet

        numbered = "seq IN (SELECT value FROM json_each(?))"
        sql = f"SELECT seq FROM entries WHERE {numbered} AND body ->> '$.type' = ? ORDER BY seq"  # noqa: S608  ours
        return self._column(column_types.ENTRY_NUMBER, sql, dumps(list(seqs)), kind)

    def late(self, first: int, last: int) -> Iterator[StoredEntry]:
        late = "body ->> '$.since' < seq AND body ->> '$.since' BETWEEN ?1 AND ?2"
        sql = f"{ENTRY} WHERE +seq > ?1 AND {late} ORDER BY seq"  # uses `entries_late`, if the file already has it
        return self._records(column_types.ENTRY, sql, first, last)


def _has_one_of(texts: list[str]) -> tuple[str, str]:
    """Return a condition that a body contains one of these texts, and the condition's value."""
    from json import dumps  # not needed to show a sheet

    if len(texts) == 1:
        return "instr(entries.body, ?)", texts[0]
    return "EXISTS (SELECT 1 FROM json_each(?) WHERE instr(entries.body, value))", dumps(texts)


class SQLRows(Statements):
    """The tables `postings` and `marks`, and `waiting`, which a trigger fills."""

    def put(self, postings: Iterable[PostingRow], marks: Iterable[MarkRow]) -> None:
        with plain_errors():
            self.connection.executemany("INSERT INTO postings VALUES (?, ?, ?, ?, ?, ?)", postings)
            self.connection.executemany("INSERT INTO marks VALUES (?, ?, ?, ?, ?)", marks)

    def balance_at(self, who: str, score: str, seq: int = BOUND) -> int | None:
        sql = (
            "SELECT balance FROM postings WHERE who = ? AND score = ? AND seq <= ?"
            " ORDER BY seq DESC, since DESC LIMIT 1"
        )
        balance: int | None = column_types.POSTED.value(self._one(sql, who, score, seq))
        return balance

    def late_sum(self, who: str, score: str, since: int, last: int) -> int | None:
        sql = (
            "SELECT sum(amount) FROM postings WHERE who = ?1 AND score = ?2 AND since <= ?3 AND since < seq"
            " AND +seq > ?3 AND +seq <= ?4"  # uses `postings_late`: corrections are few, later postings are many
        )
        amount: int | None = column_types.POSTED.value(self._one(sql, who, score, since, last))
        return amount

    def posting_rows(self, who: str, score: str, first: int = 1, last: int = BOUND) -> Iterator[PostingRow]:
        sql = f"{POSTING} WHERE who = ? AND score = ? AND seq BETWEEN ? AND ? ORDER BY seq, since"
        return self._records(column_types.POSTING, sql, who, score, first, last)

    def latest_rows(self, who: str, score: str, last: int = BOUND) -> Iterator[PostingRow]:
        sql = f"{POSTING} WHERE who = ? AND score = ? AND seq <= ? ORDER BY seq DESC, since DESC"
        return self._records(column_types.POSTING, sql, who, score, last)

    def original_count(self, who: str, score: str, last: int = BOUND) -> int:
        sql = "SELECT count(*) FROM postings WHERE who = ? AND score = ? AND seq <= ? AND since = seq"
        return int(self._one(sql, who, score, last))

    def late_rows(self, who: str, score: str, since: int = BOUND, last: int = BOUND) -> Iterator[PostingRow]:
        sql = (
            f"{POSTING} WHERE who = ? AND score = ? AND since <= ? AND since < seq AND +seq <= ?"
            " ORDER BY since DESC, seq DESC"
        )
        return self._records(column_types.POSTING, sql, who, score, since, last)

    def places(self, who: str, score: str, since: int = BOUND, last: int = BOUND) -> Iterator[int]:
        sql = (
            "SELECT since FROM postings WHERE who = ? AND score = ? AND since <= ? AND seq <= ?"
            " GROUP BY since HAVING sum(amount) <> 0 ORDER BY since"
        )
        return self._column(column_types.POSTED, sql, who, score, since, last)

    def effective_from(self, who: str, name: str, value: str) -> Iterator[int]:
        sql = "SELECT DISTINCT since FROM marks WHERE who = ? AND name = ? AND value = ? ORDER BY since"
        return self._column(column_types.MARKED, sql, who, name, value)

    def mark_rows(self, who: str, name: str, since: int = BOUND, last: int = BOUND) -> Iterator[MarkRow]:
        sql = f"{MARK} WHERE who = ? AND name = ? AND since <= ? AND seq <= ? ORDER BY since DESC, seq DESC"
        return self._records(column_types.MARK, sql, who, name, since, last)

    def marks_of(self, who: str, since: int = BOUND, last: int = BOUND) -> Iterator[MarkRow]:
        sql = f"{MARK} WHERE who = ? AND since <= ? AND seq <= ? ORDER BY name, since DESC, seq DESC"
        return self._records(column_types.MARK, sql, who, since, last)

    def names(self, table: Literal["postings", "marks"], who: str, prefix: str = "") -> Iterator[str]:
        column, kind = ("score", column_types.SCORE) if table == "postings" else ("name", column_types.MARK_NAME)
        sql = f"SELECT min({column}) FROM {table} WHERE who = ? AND {column}"  # noqa: S608  ours
        name = kind.value(self._one(f"{sql} >= ?", who, prefix))
        while name is not None and name.startswith(prefix):
            yield name
            name = kind.value(self._one(f"{sql} > ?", who, name))

    def subjects_with(self, table: Literal["postings", "marks"], prefix: str) -> Iterator[str]:
        column, kind = ("score", column_types.SCORE) if table == "postings" else ("name", column_types.MARK_NAME)
        sql = (
            f"WITH RECURSIVE subjects(who) AS (SELECT min(who) FROM {table} UNION ALL"  # noqa: S608  ours
            f" SELECT (SELECT min(who) FROM {table} WHERE who > subjects.who) FROM subjects WHERE who IS NOT NULL)"
            f" SELECT who FROM subjects WHERE substr((SELECT min({column}) FROM {table} WHERE who = subjects.who"
            f" AND {column} >= ?1), 1, length(?1)) = ?1"
        )
        return self._column(kind, sql, prefix)

    def named_with(self, who: str, least: str, most: str) -> Iterator[str]:
        seats = "who = '#cast' AND " if who == "#cast" else ""  # uses `marks_seats`, an index only for this subject
        sql = f"SELECT DISTINCT name FROM marks WHERE {seats}who = ? AND value BETWEEN ? AND ? ORDER BY name"  # noqa: S608  ours
        return self._column(column_types.MARK_NAME, sql, who, least, most)

    def waiting(self) -> Iterator[str]:
        has_table = self._one("PRAGMA user_version") >= WITH_WAITING
        sql = "SELECT name FROM waiting" if has_table else WAITING
        return self._column(column_types.WAITING, sql)

    def late(self, head: int, last: int = BOUND) -> Iterator[Backdated]:
        for kind, name in ((column_types.LATE_POSTING, "score"), (column_types.LATE_MARK, "name")):
            sql = (
                f"SELECT who, {name}, since FROM {kind.table}"  # noqa: S608  ours
                " WHERE since < seq AND since <= ?1 AND seq > ?1 AND seq <= ?2 AND who >= 'a'"
            )
            yield from self._records(kind, sql, head, last)

    def postings(self) -> Iterator[PostingRow]:
        return self._records(column_types.POSTING, f"{POSTING} ORDER BY seq, who, score, since")

    def marks(self) -> Iterator[MarkRow]:
        return self._records(column_types.MARK, f"{MARK} ORDER BY seq, who, name, since")

    def clear(self) -> None:
        for table in ("postings", "marks", "waiting"):
            self._do(f"DROP TABLE IF EXISTS {table}")
        self._script(ROWS_TABLES + WAITING_TABLE)


class SQLWords(Statements):
    """The statements on the table `words`: the texts of entries, which can be erased."""

    def keep(self, word: StoredWord) -> None:
        self._do("INSERT INTO words VALUES (?, ?, ?, ?)", *word)

    def of(self, seq: int) -> dict[str, str]:
        return dict(column_types.TEXT.checked(self._each("SELECT field, text FROM words WHERE seq = ?", seq)))

    def kept(self, seq: int) -> dict[str, tuple[bytes, str]]:
        rows = column_types.SALTED.checked(self._each("SELECT field, salt, text FROM words WHERE seq = ?", seq))
        return {field: (salt, text) for field, salt, text in rows}

    def delete(self, seq: int, fields: Iterable[str]) -> None:
        self._do("PRAGMA secure_delete = ON")
        for field in fields:
            self._do("DELETE FROM words WHERE seq = ? AND field = ?", seq, field)

    def all(self) -> Iterator[StoredWord]:
        return self._records(column_types.WORD, "SELECT seq, field, salt, text FROM words ORDER BY seq, field")


class SQLNodes(Statements):
    """The table `nodes`."""

    def get(self, level: int, place: int) -> bytes | None:
        digest: bytes | None
        if level:
            digest = column_types.NODE_HASH.value(
                self._one("SELECT hash FROM nodes WHERE level = ? AND place = ?", level, place)
            )
        else:
            digest = column_types.LEAF.value(self._one("SELECT leaf FROM entries WHERE seq = ?", place + 1))
        return digest

    def put(self, node: StoredNode) -> None:
        self._do("INSERT INTO nodes VALUES (?, ?, ?)", *node)

    def all(self) -> Iterator[StoredNode]:
        sql = "SELECT level, place, hash FROM nodes ORDER BY (place + 1) << level, level"
        return self._records(column_types.NODE, sql)

    def clear(self) -> None:
        self._script(f"DROP TABLE IF EXISTS nodes;\n{NODES_TABLE}")


class SQLCheckpoints(Statements):
    """The table `checkpoints`."""

    def get(self, size: int) -> str | None:
        note: str | None = column_types.NOTE.value(self._one("SELECT note FROM checkpoints WHERE size = ?", size))
        return note

    def put(self, size: int, note: str) -> None:
        self._do("INSERT OR REPLACE INTO checkpoints VALUES (?, ?)", size, note)

    def all(self) -> dict[int, str]:
        return dict(column_types.HEAD.checked(self._each("SELECT size, note FROM checkpoints ORDER BY size")))


def statements(script: str) -> Iterator[str]:
    """Yield the statements of a script, one by one."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
