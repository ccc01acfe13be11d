"""Foreign logs: a file and the log beside it belong together by their names alone, so what they say is compared.

After a crash a log stays. If somebody then puts another file in the place of its own, SQLite would read that file
through the log, and mix two histories; closing it would write the mixture into the file. So a file with a log is first
read alone: its last entry must be there with the log too, and every entry after it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from os import path, stat

from ledger.errors import Damaged, ForeignLog, LedgerError, TablesDiffer
from ledger.journal.failures import FAILURES, plain_errors

Connect = Callable[[str, str], sqlite3.Connection]

ALONE = "immutable=1"
"""To read a file without its log. What it says may be half-written, so it counts only if it is an entry."""


def check_log(file: str, connect: Connect) -> None:
    """Refuse (`ForeignLog`) a file with a log that is not its own; a log that cannot be compared passes."""
    if not _has_log(file):
        return
    last = _last_alone(file, connect)
    if last is None or _fits(file, connect, *last):
        return
    raise ForeignLog(path.basename(file))


def _has_log(file: str) -> bool:
    try:
        return stat(f"{file}-wal").st_size > 0
    except OSError:
        return False


def _last_alone(file: str, connect: Connect) -> tuple[int, bytes] | None:
    """The number and the leaf of the last entry in the file itself, None if nothing can be told."""
    from hashlib import sha256  # most files have no log when they are opened

    sql = "SELECT seq, CAST(body AS BLOB), leaf FROM entries ORDER BY seq DESC LIMIT 1"
    try:
        with closing(connect(file, ALONE)) as alone:
            for seq, body, leaf in alone.execute(sql).fetchall():
                if sha256(b"\0" + body).digest() == leaf:
                    return seq, leaf
    except (*FAILURES, LedgerError, TypeError):
        pass
    return None


def _fits(file: str, connect: Connect, seq: int, leaf: bytes) -> bool:
    """Whether the file, read with its log, continues an entry, or says that it left it for a backup.

    A connection that only reads leaves the log as it is when it is closed.
    """
    try:
        with closing(connect(file, "mode=ro")) as both, plain_errors():
            both.execute("BEGIN")
            ((head, after),) = both.execute("SELECT max(seq), sum(seq > ?) FROM entries WHERE seq >= ?", (seq, seq))
            at = both.execute("SELECT leaf FROM entries WHERE seq = ?", (seq,)).fetchone()
            return (at == (leaf,) and after == head - seq and _has_all(both, seq, head)) or _was_left(both, seq)
    except (Damaged, TablesDiffer):
        return False
    except LedgerError:
        return True


def _has_all(both: sqlite3.Connection, seq: int, head: int) -> bool:
    """True if the tree has the nodes that the entries after an entry complete, and the words are theirs."""
    ((latest,),) = both.execute("SELECT max(seq) FROM words")
    if (latest or 0) > head or _has_lost_words(both, seq):
        return False
    ((version,),) = both.execute("PRAGMA user_version")
    if version == 1:  # it has leaves alone
        return True
    return all(_nodes_after(both, level, seq >> level) == head >> level for level in range(1, head.bit_length()))


def _has_lost_words(both: sqlite3.Connection, seq: int) -> bool:
    """True if an entry after an entry has no words any more, and none of these entries erased any."""
    worded = 'seq > ?1 AND instr(body, \'{"word":"\') AND seq NOT IN (SELECT seq FROM words WHERE seq > ?1)'
    ((lost, erased),) = both.execute(
        f"SELECT EXISTS (SELECT 1 FROM entries WHERE {worded}),"  # noqa: S608  ours
        " EXISTS (SELECT 1 FROM entries WHERE seq > ?1 AND body ->> '$.type' = 'words-erased')",
        (seq,),
    )
    return bool(lost and not erased)


def _nodes_after(both: sqlite3.Connection, level: int, before: int) -> int:
    """How many nodes a level has: `before` that earlier entries completed, and those that are counted now."""
    ((after,),) = both.execute("SELECT count(*) FROM nodes WHERE level = ? AND place >= ?", (level, before))
    return before + int(after)


def _was_left(both: sqlite3.Connection, seq: int) -> bool:
    """Whether a backup was restored in place of a history that had this entry."""
    sql = (
        "SELECT max(body ->> '$.size') FROM entries WHERE body ->> '$.restored' IS NOT NULL AND seq IN"
        " (SELECT seq FROM marks WHERE who = 'campaign' AND name = 'fork')"
    )
    ((size,),) = both.execute(sql)
    return size is not None and size >= seq
