"""Reading ahead from PostgreSQL: one answer of the server covers many later questions.

Each question to a server takes about as long as twenty questions to a file. A snapshot never changes, so what was read
in it can be kept until it ends. While the program holds the lock of a campaign, nobody else can change it either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from itertools import groupby
from operator import itemgetter
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

MOST_EXPECTED_SUBJECTS = 16
"""The maximum number of subjects that a write reads in advance, because the last write needed them."""

COLUMNS = {
    "postings": {
        "table": "postings",
        "subjects": "$2",
        "name": "score",
        "columns": "who, score, seq, since, amount, balance, NULL::text",
        "order": "seq DESC, since DESC",
    },
    "marks": {
        "table": "marks",
        "subjects": "$3",
        "name": "name",
        "columns": "who, name, since, seq, NULL::bigint, NULL::bigint, value",
        "order": "since DESC, seq DESC",
    },
}
"""The parts of the queries for each table."""

RECORDS: Mapping[str, Callable[[Row], Any]] = {
    "postings": lambda row: PostingRow._make(row[1:7]),
    "marks": lambda row: MarkRow._make((*row[1:5], row[7])),
}
"""The functions that make a record from a row, which begins with the name of its table."""

LAST_ROWS_OF_TABLE = """
SELECT own.* FROM unnest((SELECT {subjects}::text[])) AS subject, LATERAL (
  SELECT '{table}', {columns} FROM {table}
  WHERE campaign = (SELECT $1::uuid) AND who = subject ORDER BY {name} DESC, {order} LIMIT $4
) AS own
"""

LAST_ROWS = "SELECT * FROM ({}) AS postings UNION ALL SELECT * FROM ({}) AS marks".format(
    *(LAST_ROWS_OF_TABLE.format(**parts) for parts in COLUMNS.values())
)
"""The rows of some subjects, from the last name to the first, and for each name from the newest to the oldest.

The planner cannot see the value of `(SELECT $2)`. So its plan is the same for all values, and PostgreSQL keeps it.
"""

NEWEST_ROWS = """
SELECT '{table}', newest.* FROM unnest($2::text[]) AS subject, LATERAL (
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

WAITING = """
SELECT name FROM (
  SELECT DISTINCT ON (name) name, value FROM (
    SELECT DISTINCT ON (name, since) name, since, value FROM marks
    WHERE campaign = (SELECT $1::uuid) AND who = '#questions' ORDER BY name DESC, since DESC, seq DESC
  ) AS last WHERE value IS NOT NULL ORDER BY name DESC, since DESC
) AS newest WHERE value = 'false'
"""
"""The open questions, as in `ledger.journal.schema.WAITING_QUERY`. It reads the rows of all questions once."""

ROWS_FOR_WRITING = f"""
SELECT rows.*, NULL::bytea[] FROM ({LAST_ROWS}) AS rows
UNION ALL
SELECT 'questions', NULL, name, NULL, NULL, NULL, NULL, NULL, NULL FROM ({WAITING}) AS waiting
UNION ALL
SELECT 'last', NULL, NULL, NULL, NULL, NULL, NULL,
  (SELECT note FROM checkpoints WHERE campaign = $1 AND size = $5),
  ARRAY[(SELECT leaf FROM entries WHERE campaign = $1 AND seq = $5)] || ARRAY(
    SELECT (SELECT hash FROM nodes WHERE campaign = $1 AND nodes.level = own.level AND nodes.place = own.place)
    FROM unnest($6::bigint[], $7::bigint[]) AS own(level, place)
  )
"""
"""The rows that most writes need: the last rows of some subjects, the open questions, and a row about the last entry.

The last row has the checkpoint at this entry, its leaf, and the nodes to which the next leaves are added.
"""

ENTRIES = "SELECT seq, body, leaf FROM entries WHERE campaign = $1 AND seq BETWEEN $2 AND $3 ORDER BY seq"
TEXTS = "SELECT seq, field, salt, text FROM words WHERE campaign = $1 AND seq BETWEEN $2 AND $3"

Subject = tuple[str, str]
"""The name of a table, and a subject that has rows in this table."""

Texts = Mapping[str, tuple[bytes, str]]
Method = TypeVar("Method", bound=Callable[..., Any])


class ReadAhead:
    """The rows and texts that were read ahead in the current snapshot, or while the campaign is locked.

    Outside both, each method returns None. With the lock, only the newest rows are read ahead, first those of the
    subjects that the last write needed. `head` is then the number of the last entry. `questions` has the open
    questions, or None after a change. `nodes` has the nodes that the next entries need, with the leaf of the last
    entry, and `checkpoints` has the checkpoint of the last entry.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._before = self._enough = 0
        self._expected: list[Subject] = []
        self._used: dict[Subject, None] = {}
        self.head: int | None = None
        self.questions: list[str] | None = None
        self.nodes: dict[tuple[int, int], bytes | None] = {}
        self.checkpoints: dict[int, str | None] = {}
        self.stop()

    def start(self) -> None:
        """Start to read ahead: a snapshot was taken."""
        self._reads_blocks = self._reads_newest = True
        self._before, self._enough = self._session.statements, LEAST_STATEMENTS

    def start_writing(self, head: int) -> None:
        """Start to read ahead: the program has locked the campaign, whose last entry is number `head`."""
        from ledger.tlog.tree import complete_subtrees  # only needed to write

        self._reads_newest = True
        self.head = head
        nodes = [node for node in complete_subtrees(head) if node[0]]
        levels, places = [level for level, _ in nodes], [place for _, place in nodes]
        rows = self._read_newest(ROWS_FOR_WRITING, self._expected, head, levels, places)
        self.questions = [row[2] for row in rows if row[0] == "questions"]
        ((checkpoint, hashes),) = (row[7:] for row in rows if row[0] == "last")
        self.checkpoints = {head: checkpoint}
        self.nodes = dict(zip([(0, head - 1), *nodes], hashes, strict=True))

    def stop(self) -> None:
        """Forget everything: the snapshot has ended, or the campaign is no longer locked."""
        if self.head is not None:
            self._expected = [*self._used] if len(self._used) <= MOST_EXPECTED_SUBJECTS else []
        self._used = {}
        self._reads_blocks = self._reads_newest = False
        self.head = None
        self.questions = None
        self.nodes, self.checkpoints = {}, {}
        self._entries: dict[int, list[StoredEntry]] = {}
        self._texts: dict[int, dict[int, Texts]] = {}
        self._newest: dict[Subject, dict[str, Any] | None] = {}
        self._rows: MemoryRows | None = None

    def forget_newest(self, table: Literal["postings", "marks"], who: str) -> None:
        """Forget the newest rows of a subject, because a row is added."""
        self._newest.pop((table, who), None)
        if who == QUESTIONS:
            self.questions = None

    def forget_all_newest(self) -> None:
        """Forget the newest rows of all subjects, because rows are deleted."""
        self._newest.clear()
        self.questions = None

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
        return self._newest_rows("postings", who)

    def newest_marks(self, who: str) -> Mapping[str, MarkRow] | None:
        """Return the first of the `mark_rows` of each mark of a subject, or None if the subject has too many marks."""
        return self._newest_rows("marks", who)

    def _newest_rows(self, table: str, who: str) -> dict[str, Any] | None:
        if not self._reads_newest or who in SUBJECTS_WITH_MANY_MARKS:
            return None
        self._used[table, who] = None
        if (table, who) not in self._newest:
            self._read_newest(LAST_ROWS, [("postings", who), ("marks", who)])
        return self._newest[table, who]

    def _read_newest(self, sql: str, wanted: Iterable[Subject], *values: object) -> list[Row]:
        """Read the newest rows of some subjects, and of those that most commands need. Return the rows of `sql`."""
        often = (("marks", who) for who in SUBJECTS_READ_TOGETHER)
        subjects = [subject for subject in dict.fromkeys((*wanted, *often)) if subject not in self._newest]
        names = {table: [who for of, who in subjects if of == table] for table in COLUMNS}
        rows = self._session.rows(sql, names["postings"], names["marks"], MOST_SCANNED_ROWS, *values)
        read = {subject: [*own] for subject, own in groupby(rows, key=itemgetter(0, 1))}
        for table, parts in COLUMNS.items():
            if long := [who for who in names[table] if len(read.get((table, who), ())) == MOST_SCANNED_ROWS]:
                newest = self._session.rows(NEWEST_ROWS.format(**parts), long, MOST_NAMES)
                read |= {subject: [*own] for subject, own in groupby(newest, key=itemgetter(0, 1))}
        for subject in subjects:
            # the first row of each name is the newest
            own = {row[2]: row for row in reversed(read.get(subject, ()))}
            records = {name: RECORDS[subject[0]](own[name]) for name in sorted(own)}
            self._newest[subject] = records if len(records) < MOST_NAMES else None
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
