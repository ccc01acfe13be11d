"""Tables in PostgreSQL: the SQL statements. `ledger.journal.storage` describes the methods.

In every statement, `$1` is the id of the campaign.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, starmap
from typing import Literal

from ledger.events.rows import BOUND, MarkRow, PostingRow
from ledger.journal.memory import MemoryRows
from ledger.journal.postgres_ahead import BLOCK_ENTRIES, WAITING, ReadAhead, from_memory
from ledger.journal.postgres_schema import ERASER, PROGRAM, REBUILDER
from ledger.journal.postgres_session import Row, Session
from ledger.journal.records import Backdated, StoredEntry, StoredNode, StoredWord

ENTRIES = "SELECT seq, body, leaf FROM entries WHERE campaign = $1"
POSTINGS = "SELECT who, score, seq, since, amount, balance FROM postings WHERE campaign = $1"
MARKS = "SELECT who, name, since, seq, value FROM marks WHERE campaign = $1"
WORDS = "SELECT seq, field, salt, text FROM words WHERE campaign = $1"
NODE_ENTRY = "((place + 1) << level::integer)"


class PostgresTable:
    """The base class of the tables. It runs the statements of one session, and keeps the rows that it read ahead."""

    def __init__(self, session: Session, ahead: ReadAhead) -> None:
        self._session = session
        self._ahead = ahead

    def _run_as(self, role: str, sql: str, *values: object) -> None:
        """Run a statement as `role`, because the program's own role may not run it."""
        self._session.command(f"SET LOCAL ROLE {role}")
        self._session.run(sql, *values)
        self._session.command(f"SET LOCAL ROLE {PROGRAM}")


class PostgresEntries(PostgresTable):
    """The table `entries`. A trigger keeps the number of the last entry in the campaign's row."""

    def head(self) -> int:
        if self._ahead.head is not None:
            return self._ahead.head
        return int(self._session.value("SELECT head FROM campaigns WHERE campaign = $1"))

    def append(self, entry: StoredEntry) -> None:
        self._session.insert("entries", [(entry.seq, entry.body.decode(), entry.leaf)])
        if self._ahead.head is not None:
            self._ahead.head = entry.seq

    def stored(self, first: int = 1, last: int = BOUND) -> Iterator[StoredEntry]:
        entries = self._ahead.entries(first)
        if entries is not None:
            yield from (entry for entry in entries if entry.seq <= last)
            first += BLOCK_ENTRIES - (first - 1) % BLOCK_ENTRIES
        if first <= last:
            yield from self._entries("seq BETWEEN $2 AND $3", first, last)

    def _entries(self, condition: str, *values: object) -> Iterator[StoredEntry]:
        for seq, body, leaf in self._session.rows_in_pages(f"{ENTRIES} AND {condition}", [0], False, *values):
            yield StoredEntry(seq, body.encode(), leaf)

    def find_by_once_id(self, once: str) -> int | None:
        found: int | None = self._session.value("SELECT seq FROM entries WHERE campaign = $1 AND once = $2", once)
        return found

    def last_on_clock(self, moment: str, last: int = BOUND) -> int | None:
        # with max(seq), PostgreSQL might read all entries instead of using the index `entries_clock`
        sql = "SELECT max(seq + 0) FROM entries WHERE campaign = $1 AND clock <= $2 AND seq <= $3"
        found: int | None = self._session.value(sql, moment, last)
        return found

    def search(self, types: Sequence[str], first: int, keys: Iterable[str], last: int = BOUND) -> Iterator[StoredEntry]:
        has_key = "EXISTS (SELECT FROM unnest($5::text[]) AS key WHERE strpos(body, key) > 0)"
        condition = f"seq BETWEEN $2 AND $3 AND type = ANY($4::text[]) AND {has_key}"
        return self._entries(condition, first, last, list(types), [f'"{key}":' for key in keys])

    def of_type(self, kind: str, seqs: Iterable[int]) -> Iterator[int]:
        sql = "SELECT seq FROM entries WHERE campaign = $1 AND seq = ANY($2::bigint[]) AND type = $3 ORDER BY seq"
        yield from (seq for (seq,) in self._session.rows(sql, list(seqs), kind))

    def backdated_entries(self, first: int, last: int) -> Iterator[StoredEntry]:
        return self._entries("seq > $2 AND since < seq AND since BETWEEN $2 AND $3", first, last)


class PostgresRows(PostgresTable):
    """The tables `postings` and `marks`."""

    def rows_in_memory(self) -> MemoryRows | None:
        """Return all rows, or None if it is not worth reading them all; see `ReadAhead.rows`."""
        return self._ahead.rows(self)

    def put(self, postings: Iterable[PostingRow], marks: Iterable[MarkRow]) -> None:
        self._insert("postings", postings)
        self._insert("marks", marks)

    def _insert(self, table: Literal["postings", "marks"], rows: Iterable[PostingRow | MarkRow]) -> None:
        for row in rows:
            self._ahead.forget_newest(table, row.who)
            self._session.insert(table, [row])

    @from_memory
    def balance_at(self, who: str, score: str, seq: int = BOUND) -> int | None:
        newest = self._ahead.newest_postings(who)
        if newest is not None and (score not in newest or newest[score].seq <= seq):
            return newest[score].balance if score in newest else None
        given = "campaign = $1 AND who = $2 AND score = $3 AND seq <= $4"
        sql = f"SELECT balance FROM postings WHERE {given} ORDER BY seq DESC, since DESC LIMIT 1"
        found: int | None = self._session.value(sql, who, score, seq)
        return found

    @from_memory
    def posting_rows(self, who: str, score: str, first: int = 1, last: int = BOUND) -> Iterator[PostingRow]:
        select = f"{POSTINGS} AND who = $2 AND score = $3 AND seq BETWEEN $4 AND $5"
        return starmap(PostingRow, self._session.rows_in_pages(select, [2, 3], True, who, score, first, last))

    @from_memory
    def original_count(self, who: str, score: str, last: int = BOUND) -> int:
        given = "campaign = $1 AND who = $2 AND score = $3 AND seq <= $4 AND since = seq"
        return int(self._session.value(f"SELECT count(*) FROM postings WHERE {given}", who, score, last))

    @from_memory
    def corrections(self, who: str, score: str, since: int, first: int = 1, last: int = BOUND) -> Iterator[PostingRow]:
        given = "who = $2 AND score = $3 AND since <= $4 AND since < seq AND seq BETWEEN $5 AND $6"
        rows = self._session.rows_in_pages(f"{POSTINGS} AND {given}", [3, 2], True, who, score, since, first, last)
        return starmap(PostingRow, rows)

    @from_memory
    def mark_rows(
        self, who: str, name: str, since: int = BOUND, last: int = BOUND, first: int = 1
    ) -> Iterator[MarkRow]:
        select = f"{MARKS} AND who = $2 AND name = $3 AND since <= $4 AND seq BETWEEN $5 AND $6"
        rows = starmap(MarkRow, self._session.rows_in_pages(select, [2, 3], True, who, name, since, first, last))
        newest = self._ahead.newest_marks(who)
        if newest is None:
            return rows
        if name not in newest:
            return iter(())
        row = newest[name]
        is_first = row.since <= since and first <= row.seq <= last
        return chain([row], islice(rows, 1, None)) if is_first else rows  # most callers read no second row

    @from_memory
    def entries_with_value(self, who: str, name: str, value: str) -> Iterator[int]:
        select = f"{MARKS} AND who = $2 AND name = $3 AND value = $4"
        yield from (row[2] for row in self._session.rows_in_pages(select, [2, 3], True, who, name, value))

    @from_memory
    def marks_of(self, who: str, since: int = BOUND, last: int = BOUND) -> Iterator[MarkRow]:
        sql = f"{MARKS} AND who = $2 AND since <= $3 AND seq <= $4 ORDER BY name, since DESC, seq DESC"
        yield from starmap(MarkRow, self._session.rows(sql, who, since, last))

    @from_memory
    def names(self, table: Literal["postings", "marks"], who: str, prefix: str = "", suffix: str = "") -> Iterator[str]:
        newest = self._ahead.newest_postings(who) if table == "postings" else self._ahead.newest_marks(who)
        names = self._names(table, who, prefix) if newest is None else iter(newest)
        yield from (name for name in names if name.startswith(prefix) and name.endswith(suffix))

    def _names(self, table: Literal["postings", "marks"], who: str, prefix: str) -> Iterator[str]:
        column = "score" if table == "postings" else "name"
        least = f"SELECT min({column}) FROM {table} WHERE campaign = $1 AND who = $2 AND {column}"
        sql = (  # one seek for each name; also returns the first name after those with the prefix
            f"WITH RECURSIVE names(name) AS (({least} >= $3) UNION ALL"
            f" SELECT ({least} > names.name) FROM names WHERE starts_with(name, $3))"
            " SELECT name FROM names WHERE name IS NOT NULL"
        )
        yield from (name for (name,) in self._session.rows(sql, who, prefix))

    @from_memory
    def subjects_with(self, table: Literal["postings", "marks"], prefix: str) -> Iterator[str]:
        column = "score" if table == "postings" else "name"
        least = f"SELECT min(who) FROM {table} WHERE campaign = $1"
        sql = (
            f"WITH RECURSIVE subjects(who) AS (({least}) UNION ALL"
            f" SELECT ({least} AND who > subjects.who) FROM subjects WHERE who IS NOT NULL)"
            f" SELECT who FROM subjects WHERE starts_with((SELECT min({column}) FROM {table} WHERE campaign = $1"
            f" AND who = subjects.who AND {column} >= $2), $2)"
        )
        yield from (who for (who,) in self._session.rows(sql, prefix))

    @from_memory
    def mark_names_between(self, who: str, least: str, most: str) -> Iterator[str]:
        given = "campaign = $1 AND who = $2 AND value BETWEEN $3 AND $4"
        sql = f"SELECT DISTINCT name FROM marks WHERE {given} ORDER BY name"
        yield from (name for (name,) in self._session.rows(sql, who, least, most))

    def waiting(self) -> Iterator[str]:
        known = self._ahead.questions
        yield from (name for (name,) in self._session.rows(WAITING)) if known is None else known

    def backdated_rows(self, head: int, last: int = BOUND) -> Iterator[Backdated]:
        for table, column in (("postings", "score"), ("marks", "name")):
            given = "campaign = $1 AND since < seq AND since <= $2 AND seq > $2 AND seq <= $3 AND who >= 'a'"
            sql = f"SELECT who, {column}, since FROM {table} WHERE {given}"
            yield from starmap(Backdated, self._session.rows(sql, head, last))

    def postings(self, first: int | None = None) -> Iterator[PostingRow]:
        sql = f"{POSTINGS} AND seq >= $2 ORDER BY seq, who, score, since"
        return starmap(PostingRow, self._session.stream(sql, -BOUND if first is None else first))

    def marks(self, first: int | None = None) -> Iterator[MarkRow]:
        sql = f"{MARKS} AND seq >= $2 ORDER BY seq, who, name, since"
        return starmap(MarkRow, self._session.stream(sql, -BOUND if first is None else first))

    def clear(self) -> None:
        self._ahead.forget_all_newest()
        for table in ("postings", "marks"):
            self._run_as(REBUILDER, f"DELETE FROM {table} WHERE campaign = $1")


class PostgresWords(PostgresTable):
    """The table `words`: the texts of entries, which can be erased."""

    def keep(self, word: StoredWord) -> None:
        self._session.insert("words", [word])

    def texts_of(self, seq: int) -> dict[str, str]:
        return {field: text for field, (_, text) in self.salts_and_texts(seq).items()}

    def salts_and_texts(self, seq: int) -> dict[str, tuple[bytes, str]]:
        texts = self._ahead.texts(seq)
        if texts is not None:
            return {**texts}
        rows = self._session.rows("SELECT field, salt, text FROM words WHERE campaign = $1 AND seq = $2", seq)
        return {field: (salt, text) for field, salt, text in rows}

    def delete(self, seq: int, fields: Iterable[str]) -> None:
        sql = "DELETE FROM words WHERE campaign = $1 AND seq = $2 AND field = ANY($3::text[])"
        self._run_as(ERASER, sql, seq, list(fields))

    def all(self, first: int | None = None) -> Iterator[StoredWord]:
        select = f"{WORDS} AND seq >= $2"
        return starmap(
            StoredWord, self._session.rows_in_pages(select, [0, 1], False, -BOUND if first is None else first)
        )


class PostgresNodes(PostgresTable):
    """The table `nodes`: the hashes of inner nodes. The leaves are read from the table `entries`."""

    def get(self, level: int, place: int) -> bytes | None:
        key: tuple[int, ...]
        if level:
            table, key = "nodes", (level, place)
            sql = "SELECT hash FROM nodes WHERE campaign = $1 AND level = $2 AND place = $3"
        else:
            table, key = "entries", (place + 1,)
            sql = "SELECT leaf FROM entries WHERE campaign = $1 AND seq = $2"
        unsent = reversed(self._session.unsent[table])  # a new entry needs the newest nodes
        found: bytes | None = next((row[2] for row in unsent if row[: len(key)] == key), None)
        if found is None:
            found = self._ahead.nodes.get((level, place))
        if found is None:
            row = self._session.run_without_sending(sql, *key).fetchone()
            found = None if row is None else row[0]
        return found

    def put(self, node: StoredNode) -> None:
        self._session.insert("nodes", [node])

    def all(self, first: int | None = None, last: int = BOUND) -> Iterator[StoredNode]:
        given = f"campaign = $1 AND {NODE_ENTRY} BETWEEN $2 AND $3"
        sql = f"SELECT level, place, hash FROM nodes WHERE {given} ORDER BY {NODE_ENTRY}, level"
        return starmap(StoredNode, self._session.stream(sql, -BOUND if first is None else first, last))

    def clear(self) -> None:
        self._ahead.nodes.clear()
        self._run_as(REBUILDER, "DELETE FROM nodes WHERE campaign = $1")


class PostgresCheckpoints(PostgresTable):
    """The table `checkpoints`: the signed heads, as notes."""

    def get(self, size: int) -> str | None:
        if size in self._ahead.checkpoints:
            return self._ahead.checkpoints[size]
        note: str | None = self._session.value("SELECT note FROM checkpoints WHERE campaign = $1 AND size = $2", size)
        return note

    def put(self, size: int, note: str) -> None:
        self._ahead.checkpoints.pop(size, None)
        sql = "INSERT INTO checkpoints VALUES ($1, $2, $3) ON CONFLICT (campaign, size) DO UPDATE SET note = $3"
        self._session.run(sql, size, note)

    def all(self) -> dict[int, str]:
        sql = "SELECT size, note FROM checkpoints WHERE campaign = $1 ORDER BY size"
        return {int(size): str(note) for size, note in self._session.rows(sql)}


def rows_for_digest(session: Session, after: int, last: int) -> Iterator[Iterable[Row]]:
    """Yield the rows of each table, for the entries after `after`, up to `last`. Their order is always the same."""
    for select, seq, order in (
        (ENTRIES, "seq", "seq"),
        (POSTINGS, "seq", "seq, who, score, since"),
        (MARKS, "seq", "seq, who, name, since"),
        (WORDS, "seq", "seq, field"),
        ("SELECT level, place, hash FROM nodes WHERE campaign = $1", NODE_ENTRY, f"{NODE_ENTRY}, level"),
    ):
        yield session.stream(f"{select} AND {seq} > $2 AND {seq} <= $3 ORDER BY {order}", after, last)
