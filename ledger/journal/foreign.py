"""Foreign logs: a check for a log that belongs to another file. Only the names connect a file and its log.

A crash leaves a log. If somebody then replaces the file, SQLite reads the new file through the old log and mixes two
histories. When SQLite closes the file, it writes the mixture into the file. So the program first finds the last
entry of the file without its log. Then it reads the file with the log: this entry must be the same, and no later entry
may be missing.

An old log that contains every page would pass this check and bring the old content back. So each new file starts
SQLite's counter of table changes at a random number. SQLite adds 1 for each change and for each restore. The counter is
in the first page, which each write puts into the log. If the log's counter does not fit, the log is foreign.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from os import path

from ledger.errors import Damaged, ForeignLog, LedgerError, TablesDiffer
from ledger.journal.failures import SQLITE_ERRORS, plain_errors

Connect = Callable[[str, str], sqlite3.Connection]

WITHOUT_LOG_QUERY = "immutable=1"
"""The mode that reads a file without its log. The content may be incomplete, so check each entry before you use it."""

FIRST_COUNTERS = range(2**20, 2**30)
"""The range of the random number at which a new file's counter starts. Older files count from 0."""

MOST_CHANGES = 2**16
"""More table changes than any log has. If the counters differ by this number or more, the log is foreign."""


def check_log(file: str, connect: Connect) -> None:
    """Raise `ForeignLog` for a file with another file's log. A log that cannot be compared is accepted."""
    last = _last_entry_without_log(file, connect)
    if last is not None and not _belongs_to_file(file, connect, *last):
        raise ForeignLog(path.basename(file))


def _last_entry_without_log(file: str, connect: Connect) -> tuple[int, bytes, int] | None:
    """Read a file without its log. Return the last entry's number and leaf, and the file's counter.

    Return None if the last entry cannot be read, or is damaged.
    """
    from hashlib import sha256  # most files have no log when they are opened

    sql = "SELECT seq, CAST(body AS BLOB), leaf FROM entries ORDER BY seq DESC LIMIT 1"
    try:
        with closing(connect(file, WITHOUT_LOG_QUERY)) as connection:
            number = _counter(connection)
            for seq, body, leaf in connection.execute(sql).fetchall():
                if sha256(b"\0" + body).digest() == leaf:
                    return seq, leaf, number
    except (*SQLITE_ERRORS, LedgerError, TypeError):
        pass
    return None


def _counter(connection: sqlite3.Connection) -> int:
    ((number,),) = connection.execute("PRAGMA schema_version").fetchall()
    return int(number)


def _belongs_to_file(file: str, connect: Connect, seq: int, leaf: bytes, counter: int) -> bool:
    """Return True if the log continues from the file's last entry, or if a restored backup replaced this entry.

    `seq`, `leaf` and `counter` were read without the log.
    """
    try:
        with closing(connect(file, "mode=ro")) as both, plain_errors():  # closing it does not change the log
            both.execute("BEGIN")
            number = _counter(both)
            changes, numbered = number - counter, max(number, counter) >= FIRST_COUNTERS.start
            if numbered and not 0 <= changes < MOST_CHANGES:
                return False
            leaf_row = both.execute("SELECT leaf FROM entries WHERE seq = ?", (seq,)).fetchone()
            continues = leaf_row == (leaf,) and _has_all_entries(both, seq)
            return continues or _was_replaced(both, seq) or (numbered and changes > 0 and _has_all_entries(both, 0))
    except (Damaged, TablesDiffer):
        return False
    except LedgerError:
        return True


def _has_all_entries(with_log: sqlite3.Connection, seq: int) -> bool:
    """Return True if the file and its log have all entries after `seq`, with their tree nodes, rows and words."""
    ((head, after),) = with_log.execute("SELECT coalesce(max(seq), 0), count(*) FROM entries WHERE seq > ?", (seq,))
    head = max(head, seq)
    ((latest,),) = with_log.execute("SELECT max(seq) FROM words")
    if after != head - seq or (latest or 0) > head or _has_lost_words(with_log, seq) or _has_lost_rows(with_log, seq):
        return False
    ((version,),) = with_log.execute("PRAGMA user_version")
    if version == 1:  # version 1 stores only leaves
        return True
    nodes = "SELECT count(*) FROM nodes WHERE level = ? AND place >= ?"
    levels = ((level, seq >> level, head >> level) for level in range(1, head.bit_length()))
    return all(with_log.execute(nodes, (level, old)).fetchone() == (new - old,) for level, old, new in levels)


def _has_lost_words(both: sqlite3.Connection, seq: int) -> bool:
    """Return True if a text of an entry after `seq` is missing, although no entry after `seq` erased a text.

    `both` is a connection to the file and its log.
    """
    worded = 'seq > ?1 AND instr(body, \'{"word":"\') AND seq NOT IN (SELECT seq FROM words WHERE seq > ?1)'
    ((lost, erased),) = both.execute(
        f"SELECT EXISTS (SELECT 1 FROM entries WHERE {worded}),"  # noqa: S608  ours
        " EXISTS (SELECT 1 FROM entries WHERE seq > ?1 AND body ->> '$.type' = 'words-erased')",
        (seq,),
    )
    return bool(lost and not erased)


def _has_lost_rows(both: sqlite3.Connection, seq: int) -> bool:
    """Return True if `both` (file and log) lack the first or last posting or mark of an entry after `seq`."""
    return any(
        both.execute(
            f"SELECT EXISTS (SELECT 1 FROM entries AS e WHERE e.seq > ? AND e.body ->> '{fact}' IS NOT NULL"  # noqa: S608  ours
            f" AND NOT EXISTS (SELECT 1 FROM {table} WHERE who = e.body ->> '{fact}.who'"
            f" AND {name} = e.body ->> '{fact}.{name}' AND seq = e.seq AND since = e.body ->> '$.since'))",
            (seq,),
        ).fetchone()[0]
        for table, name in (("postings", "score"), ("marks", "name"))
        for fact in (f"$.{table}[0]", f"$.{table}[#-1]")
    )


def _was_replaced(both: sqlite3.Connection, seq: int) -> bool:
    """Return True if `both` (file and log) record a restored backup, in place of a history that had entry `seq`."""
    sql = (
        "SELECT max(body ->> '$.size') FROM entries WHERE body ->> '$.restored' IS NOT NULL AND seq IN"
        " (SELECT seq FROM marks WHERE who = 'campaign' AND name = 'fork')"
    )
    ((size,),) = both.execute(sql)
    return size is not None and size >= seq
