"""Reading ahead from PostgreSQL: one answer of the server covers many later questions.

Each question to a server takes about as long as twenty questions to a file. A snapshot never changes, so what was read
in it can be kept until it ends. While the program holds the lock of a campaign, nobody else can change it either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Literal, TypeVar, cast

from ledger.events.rows import BOUND, MarkRow, PostingRow
from ledger.events.subjects import (
    ABOUT,
    ASSERTED,
    CAMPAIGN,
    CAST,
    FULL_NAMES,
    IMPORTED,
    PLAYERS,
    QUESTIONS,
    REVEALED,
    STRUCK,
)
from ledger.journal.memory import MemoryRows
from ledger.journal.postgres_session import Row, Session
from ledger.journal.records import StoredEntry
from ledger.journal.storage import RowTable

BLOCK_ENTRIES = 100
"""The number of entries in a block. All entries of a block are read at once, and so are all their texts."""

MOST_BLOCKS = 40
"""The maximum number of blocks to keep. For one more block, the program forgets the oldest."""

MOST_NAMES = 300
"""The maximum number of scores or marks of a subject that are read together."""

SUBJECTS_WITH_MANY_MARKS = {ABOUT, ASSERTED, IMPORTED, QUESTIONS, REVEALED, STRUCK}
"""The subjects that have a mark for each of many entries. Few of these marks are needed together."""

LEAST_STATEMENTS, ENTRIES_PER_STATEMENT = 200, 40
"""After `LEAST_STATEMENTS` statements in a snapshot, the program reads all rows into memory.

A long campaign needs more statements: one for each `ENTRIES_PER_STATEMENT` entries. One statement takes about as long
as reading the rows of that many entries.
"""

MOST_ENTRIES = 200_000
"""The maximum number of entries of a campaign whose rows are read into memory. More would need too much memory."""

SUBJECTS_READ_TOGETHER = (CAMPAIGN, CAST, FULL_NAMES, PLAYERS)
"""The subjects whose marks most commands need. They are read with the marks of the first subject."""

MOST_SCANNED_ROWS = 200
"""The maximum number of rows of a subject that are all read to find the newest ones. For more, seeks take less time."""

LAST_ROWS = """
SELECT own.* FROM unnest($2::text[]) AS subject, LATERAL (
  SELECT {columns} FROM {table} WHERE campaign = $1 AND who = subject ORDER BY {name} DESC, {order} LIMIT $3
) AS own
"""
"""The rows of some subjects, from the last name to the first, and for each name from the newest to the oldest."""

NEWEST_ROWS = """
SELECT newest.* FROM unnest($2::text[]) AS subject, LATERAL (
  WITH RECURSIVE names(name) AS (
    (SELECT min({name}) FROM {table} WHERE campaign = $1 AND who = subject)
    UNION ALL
    SELECT (SELECT min({name}) FROM {table} WHERE campaign = $1 AND who = subject AND {name} > names.name)
    FROM names WHERE name IS NOT NULL
  )
  SELECT name FROM names LIMIT $3
) AS first, LATERAL (
  SELECT {columns} FROM {table} WHERE campaign = $1 AND who = subject AND {name} = first.name ORDER BY {order} LIMIT 1
) AS newest
"""
"""The newest row of each score or mark of some subjects, in the order of the names: two seeks in an index for each."""

COLUMNS = {
    "postings": {
        "table": "postings",
        "name": "score",
        "columns": "who, score, seq, since, amount, balance",
        "order": "seq DESC, since DESC",
    },
    "marks": {
        "table": "marks",
        "name": "name",
        "columns": "who, name, since, seq, value",
        "order": "since DESC, seq DESC",
    },
}
"""The parts of the queries for each table."""

ENTRIES = "SELECT seq, body, leaf FROM entries WHERE campaign = $1 AND seq BETWEEN $2 AND $3 ORDER BY seq"
TEXTS = "SELECT seq, field, salt, text FROM words WHERE campaign = $1 AND seq BETWEEN $2 AND $3"

Texts = Mapping[str, tuple[bytes, str]]
Method = TypeVar("Method", bound=Callable[..., Any])


class ReadAhead:
    """The rows and texts that were read ahead in the current snapshot, or while the campaign is locked.

    Outside both, each method returns None. With the lock, only the newest rows are read ahead. `head` is then the
    number of the last entry. `leaves` and `checkpoints` have the leaf and the checkpoint of the last entry before the
    write, or nothing if the write had to wait for another one.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._before = self._enough = 0
        self.head: int | None = None
        self.leaves: dict[int, bytes | None] = {}
        self.checkpoints: dict[int, str | None] = {}
        self.stop()

    def start(self) -> None:
        """Start to read ahead: a snapshot was taken."""
        self._reads_blocks = self._reads_newest = True
        self._before, self._enough = self._session.statements, LEAST_STATEMENTS

    def start_writing(self, head: int, leaves: dict[int, bytes | None], checkpoints: dict[int, str | None]) -> None:
        """Start to read ahead: the program has locked the campaign, whose last entry is number `head`."""
        self._reads_newest = True
        self.head = head
        self.leaves, self.checkpoints = leaves, checkpoints

    def stop(self) -> None:
        """Forget everything: the snapshot has ended, or the campaign is no longer locked."""
        self._reads_blocks = self._reads_newest = False
        self.head = None
        self.leaves, self.checkpoints = {}, {}
        self._entries: dict[int, list[StoredEntry]] = {}
        self._texts: dict[int, dict[int, Texts]] = {}
        self._newest: dict[tuple[str, str], dict[str, Any] | None] = {}
        self._rows: MemoryRows | None = None

    def forget_newest(self, table: Literal["postings", "marks"], who: str) -> None:
        """Forget the newest rows of a subject, because a row is added."""
        self._newest.pop((table, who), None)

    def forget_all_newest(self) -> None:
        """Forget the newest rows of all subjects, because rows are deleted."""
        self._newest.clear()

    def entries(self, seq: int) -> list[StoredEntry] | None:
        """Return the entries from `seq` to the end of its block."""
        if not self._reads_blocks or seq < 1:
            return None
        block = (seq - 1) // BLOCK_ENTRIES
        if block not in self._entries:
            rows = self._session.rows(ENTRIES, block * BLOCK_ENTRIES + 1, (block + 1) * BLOCK_ENTRIES)
            _keep(self._entries, block, [StoredEntry(seq, body.encode(), leaf) for seq, body, leaf in rows])
        return [entry for entry in self._entries[block] if entry.seq >= seq]

    def texts(self, seq: int) -> Texts | None:
        """Return the salts and texts of an entry, by field."""
        if not self._reads_blocks:
            return None
        block = (seq - 1) // BLOCK_ENTRIES
        if block not in self._texts:
            texts: dict[int, dict[str, tuple[bytes, str]]] = {}
            for entry, field, salt, text in self._session.rows(
                TEXTS, block * BLOCK_ENTRIES + 1, (block + 1) * BLOCK_ENTRIES
            ):
                texts.setdefault(entry, {})[field] = salt, text
            _keep(self._texts, block, texts)
        return self._texts[block].get(seq, {})

    def newest_postings(self, who: str) -> Mapping[str, PostingRow] | None:
        """Return the newest posting of each score of a subject, or None if the subject has too many scores."""
        return self._newest_rows("postings", PostingRow, who)

    def newest_marks(self, who: str) -> Mapping[str, MarkRow] | None:
        """Return the first of the `mark_rows` of each mark of a subject, or None if the subject has too many marks."""
        return self._newest_rows("marks", MarkRow, who)

    def _newest_rows(
        self, table: Literal["postings", "marks"], record: Callable[..., Any], who: str
    ) -> dict[str, Any] | None:
        if not self._reads_newest or who in SUBJECTS_WITH_MANY_MARKS:
            return None
        if (table, who) not in self._newest:
            others = SUBJECTS_READ_TOGETHER if table == "marks" else ()
            subjects = [who, *(other for other in others if other != who and (table, other) not in self._newest)]
            newest: dict[str, dict[str, Any]] = {subject: {} for subject in subjects}
            for row in self._rows_with_newest(table, subjects):
                if row[1] not in newest[row[0]]:
                    newest[row[0]][row[1]] = record(*row)
            for subject, rows in newest.items():
                self._newest[table, subject] = dict(sorted(rows.items())) if len(rows) < MOST_NAMES else None
        return self._newest[table, who]

    def _rows_with_newest(self, table: str, subjects: Sequence[str]) -> list[Row]:
        """Return rows of subjects in which the first of each name is the newest."""
        rows = self._session.rows(LAST_ROWS.format(**COLUMNS[table]), subjects, MOST_SCANNED_ROWS)
        counts = Counter(row[0] for row in rows)
        long = [subject for subject in subjects if counts[subject] == MOST_SCANNED_ROWS]
        if long:
            rows = [row for row in rows if row[0] not in long]
            rows += self._session.rows(NEWEST_ROWS.format(**COLUMNS[table]), long, MOST_NAMES)
        return rows

    def rows(self, table: RowTable) -> MemoryRows | None:
        """Return all rows of `table`, or None if there were too few questions in this snapshot to be worth it."""
        if self._rows is None and self._reads_blocks and self._session.statements - self._before >= self._enough:
            head = self._session.value("SELECT head FROM campaigns WHERE campaign = $1")
            if head > MOST_ENTRIES:
                self._enough = BOUND
            elif head > self._enough * ENTRIES_PER_STATEMENT:
                self._enough = head // ENTRIES_PER_STATEMENT + 1
            else:
                self._rows = MemoryRows()
                self._rows.put(table.postings(), table.marks())
        return self._rows


def _keep(blocks: dict[int, Any], block: int, content: object) -> None:
    blocks[block] = content
    if len(blocks) > MOST_BLOCKS:
        del blocks[next(iter(blocks))]


def from_memory(method: Method) -> Method:
    """Let a method of `PostgresRows` use the rows in memory, once all rows are in memory."""

    @wraps(method)
    def read(table: Any, *values: Any, **named: Any) -> Any:
        rows = table.rows_in_memory()
        return method(table, *values, **named) if rows is None else getattr(rows, method.__name__)(*values, **named)

    return cast(Method, read)
