"""One of several processes that write to a database at once: our moves, and then the same rows with plain psycopg.

It waits for a line of input before each part, and answers with the seconds of each transaction, as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import psycopg
from rows_moves import CHECK

from ledger.journal.book import open_book
from ledger.scribe import Scribe

ROWS = {
    "entries": "SELECT seq, body, leaf FROM entries WHERE campaign = %s AND seq = %s",
    "postings": "SELECT who, score, seq, since, amount, balance FROM postings WHERE campaign = %s AND seq = %s",
    "marks": "SELECT who, name, since, seq, value FROM marks WHERE campaign = %s AND seq = %s",
    "words": "SELECT seq, field, salt, text FROM words WHERE campaign = %s AND seq = %s",
    "nodes": "SELECT level, place, hash FROM nodes WHERE campaign = %s AND (place + 1) << level::integer = %s",
}
"""The rows of an entry, table by table."""

Rows = dict[str, list[tuple[Any, ...]]]


def main(address: str, place: str, ours: str, theirs: str, moves: str) -> None:
    """Write moves to the campaign `ours` at an address, and their rows to its copy `theirs`, over and over."""
    with open_book(address) as book, psycopg.connect(place, autocommit=True) as connection:
        scribe = Scribe(book)
        while sys.stdin.readline():
            head = book.head()
            heads = [head]
            waits = []
            for _ in range(int(moves)):
                began = time.perf_counter()
                scribe.write(CHECK)
                waits.append(time.perf_counter() - began)
                heads.append(book.head())
            print(json.dumps(waits), flush=True)
            rows = [rows_of(connection, ours, *pair) for pair in pairwise(heads)]
            see(connection, theirs)
            sys.stdin.readline()
            waits = []
            for own in rows:
                began = time.perf_counter()
                insert(connection, theirs, own)
                waits.append(time.perf_counter() - began)
            print(json.dumps(waits), flush=True)


def see(connection: psycopg.Connection, campaign: str) -> None:
    """Let a connection see the rows of a campaign."""
    connection.execute("SELECT set_config('ledger.campaign', %s, false)", (campaign,))


def rows_of(connection: psycopg.Connection, campaign: str, head: int, last: int) -> Rows:
    """Return the rows of the entries after `head`, up to `last`."""
    see(connection, campaign)
    numbers = range(head + 1, last + 1)
    return {
        table: [row for seq in numbers for row in connection.execute(sql, (campaign, seq))]
        for table, sql in ROWS.items()
    }


def insert(connection: psycopg.Connection, campaign: str, rows: Rows) -> None:
    """Write rows in one transaction, which locks the campaign, by one statement for each table."""
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute("UPDATE campaigns SET writes = writes + 1 WHERE campaign = %s", (campaign,))
        for table, own in rows.items():
            if own:
                cursor.executemany(INSERTS[table], [(campaign, *row) for row in own])
        cursor.execute("INSERT INTO commands VALUES (%s, gen_random_uuid(), true)", (campaign,))


def _insert(table: str, select: str) -> Any:
    columns: Sequence[str] = select.removeprefix("SELECT ").partition(" FROM ")[0].split(", ")
    values = ", ".join(["%s"] * (len(columns) + 1))
    return f"INSERT INTO {table} (campaign, {', '.join(columns)}) VALUES ({values})"  # noqa: S608  ours


INSERTS = {table: _insert(table, select) for table, select in ROWS.items()}

if __name__ == "__main__":
    main(*sys.argv[1:])
