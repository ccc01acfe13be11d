"""Digests of what an SQLite file stores for its first entries."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

ROWS_AT_ONCE = 500

Rows = list[tuple[Any, ...]]


def _entry_bytes(rows: Rows) -> bytes:
    return b"".join(b"%d %d %d " % (seq, len(body), len(leaf)) + body + leaf for seq, body, leaf in rows)


def _row_bytes(rows: Rows) -> bytes:
    return "".join(map(repr, rows)).encode()


ENTRY_OF_ROW, ENTRY_OF_NODE = "seq", "(place + 1) << level"
"""SQL for the number of the entry to which a row or a tree node belongs."""

TABLES: Sequence[tuple[str, str, Callable[[Rows], bytes]]] = (
    (ENTRY_OF_ROW, "SELECT seq, CAST(body AS BLOB), leaf FROM entries WHERE {} ORDER BY seq", _entry_bytes),
    (ENTRY_OF_ROW, "SELECT * FROM postings WHERE {} ORDER BY seq, who, score, since", _row_bytes),
    (ENTRY_OF_ROW, "SELECT * FROM marks WHERE {} ORDER BY seq, who, name, since", _row_bytes),
    (ENTRY_OF_ROW, "SELECT * FROM words WHERE {} ORDER BY seq, field", _row_bytes),
    (ENTRY_OF_NODE, "SELECT * FROM nodes WHERE {} ORDER BY (place + 1) << level, level", _row_bytes),
)
"""For each table: the number of a row's entry, a query that sorts all rows, and a function from rows to bytes."""


def digests(connection: sqlite3.Connection, sizes: Sequence[int], *, has_nodes: bool) -> list[str]:
    """Return a digest of the rows of the first entries, for each size. See `ledger.journal.storage.Storage.digests`."""
    of_sizes = [sha256() for _ in sizes]
    for entry, query, bytes_of in TABLES if has_nodes else TABLES[:-1]:
        hashed, after = sha256(), None
        for of_size, size in zip(of_sizes, sizes, strict=True):
            # rows with impossible numbers below 1 belong to the first size, too
            new = f"{entry} <= {size:d}" if after is None else f"{entry} > {after:d} AND {entry} <= {size:d}"
            rows = connection.execute(query.format(new))
            while chunk := rows.fetchmany(ROWS_AT_ONCE):
                hashed.update(bytes_of(chunk))
            of_size.update(hashed.digest())
            after = size
    return [of_size.hexdigest() for of_size in of_sizes]
