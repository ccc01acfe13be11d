"""Floors: the least that the same work could cost, in raw `sqlite3`, `hashlib` and `json`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

ORDER = {"entries": "seq", "postings": "seq", "marks": "seq", "words": "seq"}
"""The tables whose rows belong to an entry."""

Rows = Mapping[str, Sequence[tuple[Any, ...]]]


def raw(file: Path) -> sqlite3.Connection:
    """A file opened as the program opens it: a commit is on disk."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA synchronous = EXTRA")
    return connection


def insert(connection: sqlite3.Connection, rows: Rows) -> None:
    """Write rows in one transaction, by one statement a table."""
    connection.execute("BEGIN IMMEDIATE")
    for table, own in rows.items():
        if own:
            places = ",".join("?" * len(own[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({places})", own)  # noqa: S608  ours
    connection.execute("COMMIT")


def rows_since(file: Path, head: int, level_counts: Mapping[int, int]) -> Rows:
    """The rows that the entries after `head` have in each table, and the nodes that they completed."""
    with closing(raw(file)) as connection:
        rows = {table: _all(connection, f"SELECT * FROM {table} WHERE {seq} > ?", head) for table, seq in ORDER.items()}  # noqa: S608  ours
        nodes = _all(connection, "SELECT * FROM nodes")
        rows["nodes"] = [node for node in nodes if node[1] >= level_counts.get(node[0], 0)]
        return rows


def all_rows(file: Path) -> Rows:
    """All rows of a file, table by table."""
    return rows_since(file, 0, {})


def _all(connection: sqlite3.Connection, sql: str, *values: object) -> list[tuple[Any, ...]]:
    return connection.execute(sql, values).fetchall()


def schema_of(file: Path) -> list[str]:
    """The statements that make the tables, indexes and triggers of a file."""
    with closing(raw(file)) as connection:
        tables = "SELECT sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY rowid"
        return [sql for (sql,) in _all(connection, tables)]


def empty_copy(schema: Sequence[str], file: Path) -> sqlite3.Connection:
    """A new file with the same tables, indexes and triggers, and no rows."""
    connection = raw(file)
    connection.execute("PRAGMA journal_mode = WAL")
    for statement in schema:
        connection.execute(statement)
    return connection


def hash_rows(connection: sqlite3.Connection) -> None:
    """Read the entries, and hash each."""
    for _, body, _ in connection.execute("SELECT seq, CAST(body AS BLOB), leaf FROM entries ORDER BY seq"):
        sha256(b"\x00" + body).digest()


def parse_rows(connection: sqlite3.Connection) -> None:
    """Read the entries, and parse each."""
    for _, body, _ in connection.execute("SELECT seq, CAST(body AS BLOB), leaf FROM entries ORDER BY seq"):
        json.loads(body)


def read_rows(connection: sqlite3.Connection) -> None:
    """Read the entries."""
    for _ in connection.execute("SELECT seq, CAST(body AS BLOB), leaf FROM entries ORDER BY seq"):
        pass


def over(file: Path, floor: Callable[[sqlite3.Connection], None]) -> Callable[[], None]:
    """A floor over a file, opened anew each time."""

    def work() -> None:
        with closing(raw(file)) as connection:
            floor(connection)

    return work
