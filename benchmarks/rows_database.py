"""A database with many campaigns: what our engine adds to plain psycopg, and what other campaigns cost."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

import pictures
from bed import Bed
from measuring import PAIRS, Row, milliseconds, ratios, row
from rows_moves import CHECK

from ledger.journal.book import Book, open_book
from ledger.journal.store import engine_for
from ledger.scribe import Scribe
from projections.sheets import sheet

if TYPE_CHECKING:
    import psycopg

    from postgres_server import Server

HERE = Path(__file__).parent

DURABLE = (
    *("fsync=on", "full_page_writes=on", "shared_buffers=512MB"),
    *("max_wal_size=8GB", "checkpoint_timeout=1h", "autovacuum=off"),
)
"""Settings of the server: a commit is on disk, as in real use."""

CROWDS = {"few": 200, "club": 20_000}
"""The number of campaigns in each database."""

WRITERS, MOVES = 4, 100
"""The number of processes that write at once, and of the moves that each of them writes in a round."""

TABLES = {
    "entries": "seq, body, leaf",
    "postings": "who, score, seq, since, amount, balance",
    "marks": "who, name, since, seq, value",
    "words": "seq, field, salt, text",
    "nodes": "level, place, hash",
}


def lengths_of(number: int, longest: int) -> dict[int, int]:
    """Return how many campaigns have which number of entries. The median is 100."""
    thousands = 2 + number // 200
    return {50: number * 49 // 100, 100: number * 51 // 100 - thousands - 2, 1_000: thousands, longest: 2}


def crowded(bed: Bed) -> Iterator[Row]:
    """Row 25: moves and sheets in databases with few and with many campaigns, against plain psycopg."""
    sys.path.append(str(HERE.parent / "tests" / "support"))
    from postgres_server import OWNER, allow, running_server  # the tests have it

    longest = min(bed.length, 100_000)
    with running_server(*DURABLE) as server, ExitStack() as opened:
        with server.connect() as superuser:
            superuser.execute(f"CREATE DATABASE few OWNER {OWNER}")
        for database, number in CROWDS.items():
            with engine_for(_address(server, database, "first", OWNER)).creating():
                pass
            allow(server)
            _fill(bed, server, database, lengths_of(number, longest))
        yield from _together(server)
        books = {
            (database, length): opened.enter_context(open_book(_address(server, database, f"{length}-1")))
            for database in CROWDS
            for length in (100, 1_000, longest)
        }
        few, many = books["few", 100], books["club", 100]
        sample = ratios(
            lambda: Scribe(many).write(CHECK), lambda: Scribe(few).write(CHECK), time.perf_counter, pairs=60
        )
        yield row("25", f"a move among {CROWDS['club']:,} campaigns, against {CROWDS['few']}", sample, 1.2)
        yield from _sheets(server, many)
        pictures.draw_database(dict(_costs(books)))


def _costs(books: Mapping[tuple[str, int], Book]) -> Iterator[tuple[str, dict[str, float]]]:
    """Measure a move and a sheet in each database. Yield a label, and the milliseconds by length of campaign."""
    for name, work in (("move", _move), ("sheet", _sheet)):
        for database, number in CROWDS.items():
            own = {str(length): book for (of, length), book in books.items() if of == database}
            yield (
                f"{name}, {number:,} campaigns",
                {
                    length: median(milliseconds(partial(work, book), 9, time.perf_counter))
                    for length, book in own.items()
                },
            )


def _move(book: Book) -> None:
    Scribe(book).write(CHECK)


def _sheet(book: Book) -> None:
    with book.journal.reading():
        assert sheet(book, "mara", "edge").scores


def _address(server: Server, database: str, campaign: str, login: str = "gm") -> str:
    return server.address(campaign, login).replace("/club?", f"/{database}?")


def _fill(bed: Bed, server: Server, database: str, lengths: dict[int, int]) -> None:
    """Make a campaign of each length, and copy its rows for the other campaigns of this length."""
    with server.connect(database=database) as superuser:
        superuser.execute(
            "SET search_path = ledger; SET session_replication_role = replica; SET synchronous_commit = off"
        )
        for length, number in lengths.items():
            engine = engine_for(_address(server, database, f"{length}-0"))
            with open_book(str(bed.campaign(length))) as book, engine.creating(book.journal.storage):
                pass
            superuser.execute("DROP TABLE IF EXISTS pg_temp.made")
            superuser.execute(
                "CREATE TEMP TABLE made AS SELECT gen_random_uuid() AS new, campaign AS old, number"
                " FROM campaigns, generate_series(1, %s) AS number WHERE name = %s",
                (number - 1, f"{length}-0"),
            )
            superuser.execute(
                "INSERT INTO campaigns (campaign, name, head, version)"
                " SELECT new, %s || number, head, version FROM made JOIN campaigns ON campaign = old",
                (f"{length}-",),
            )
            for table, columns in TABLES.items():
                superuser.execute(
                    f"INSERT INTO {table} (campaign, {columns}) SELECT new, {columns}"  # noqa: S608  ours
                    f" FROM (SELECT * FROM made ORDER BY new) AS made JOIN {table} ON campaign = old"
                )
        superuser.execute("VACUUM (ANALYZE)")
        superuser.execute("CHECKPOINT")


def _together(server: Server) -> Iterator[Row]:
    """Let several processes write at once, each to a campaign of its own."""
    with server.connect() as superuser:
        sql = "SELECT name, campaign::text FROM ledger.campaigns WHERE name LIKE '100-%'"
        ids: dict[str, str] = dict(superuser.execute(sql).fetchall())
    writers = [_writer(server, ids, f"100-{10 + 2 * number}", f"100-{11 + 2 * number}") for number in range(WRITERS)]
    shares, singles = list[float](), list[float]()
    for _ in range(1 + PAIRS):
        began = time.perf_counter()
        ours = _said(writers)
        middle = time.perf_counter()
        theirs = _said(writers)
        shares.append((time.perf_counter() - middle) / (middle - began))
        singles.append(fmean(ours) / fmean(theirs))
    for writer in writers:
        writer.communicate()
    name = f"{WRITERS} processes among {CROWDS['club']:,} campaigns"
    yield row("25", f"{name}: a move, against psycopg with its rows", singles[1:], 3.5)
    yield row("25", f"{name}: moves a second, against psycopg", shares[1:], 0.3, at_least=True)


def _writer(server: Server, ids: dict[str, str], ours: str, theirs: str) -> subprocess.Popen[str]:
    options = "-c role=ledger_program -c search_path=ledger"
    place = f"host={server.folder} port={server.port} dbname=club user=gm options='{options}'"
    words = [_address(server, "club", ours), place, ids[ours], ids[theirs], str(MOVES)]
    command = [sys.executable, str(HERE / "database_writer.py"), *words]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _said(writers: Sequence[subprocess.Popen[str]]) -> list[float]:
    """Let all processes do their next part, and return the seconds of each transaction."""
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    return [seconds for writer in writers for seconds in json.loads((writer.stdout or sys.stdin).readline())]


SHEET = (
    "SELECT DISTINCT ON (score) score, balance FROM postings WHERE campaign = %(campaign)s AND who = 'mara'"
    " ORDER BY score DESC, seq DESC, since DESC",
    "SELECT DISTINCT ON (who, name) who, name, value FROM marks WHERE campaign = %(campaign)s"
    " AND who IN ('mara', '#full-names', '#players') ORDER BY who DESC, name DESC, since DESC, seq DESC",
)
"""The rows of a sheet, each the last one of its score or mark. The last two subjects have the names.

As they are in two tables, they are read in one snapshot.
"""


def _sheets(server: Server, book: Book) -> Iterator[Row]:
    with _seeing(server, "100-1") as (connection, campaign):

        def select() -> None:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            for sql in SHEET:
                connection.execute(sql, {"campaign": campaign}).fetchall()
            connection.execute("ROLLBACK")

        sample = ratios(lambda: _sheet(book), select, time.perf_counter, pairs=30)
    yield row("25", f"a sheet among {CROWDS['club']:,} campaigns, against its rows", sample, 3)


@contextmanager
def _seeing(server: Server, name: str) -> Iterator[tuple[psycopg.Connection[Any], str]]:
    """Connect as the program does, but with plain psycopg. Yield the connection and the id of the campaign."""
    with server.connect("gm") as connection:
        connection.execute("SET ROLE ledger_program; SET search_path = ledger")
        connection.execute("SELECT set_config('ledger.name', %s, false)", (name,))
        ((campaign, _),) = connection.execute(
            "SELECT campaign::text, set_config('ledger.campaign', campaign::text, false) FROM campaigns"
        ).fetchall()
        yield connection, campaign
