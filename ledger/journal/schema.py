"""The schema: the tables and guards of the SQLite file that holds a campaign.

`entries` hold the truth, the canonical bytes of each entry and their leaf hash; `postings`, `marks` and `words` lie
beside it, and so do the nodes of the tree and the signed heads. Three triggers keep honest programs honest: an entry is
appended after the last, none is changed, none is deleted. The hashes are for the others.
"""

import sqlite3
from typing import Any

from ledger.errors import Damaged, NotGuarded
from ledger.journal.sqlite import plain_errors, statements

APPLICATION_ID = 0x43414D50
"""`CAMP`: the file's application id."""

VERSION = 2
"""The schema that this program writes, and the newest that it reads."""


SCHEMA = """
CREATE TABLE entries (
  seq   INTEGER PRIMARY KEY CHECK (seq > 0 AND seq = body ->> '$.seq'),
  body  TEXT NOT NULL CHECK (length(CAST(body AS BLOB)) <= 60000),
  leaf  BLOB NOT NULL CHECK (length(leaf) = 32)
) STRICT;
CREATE UNIQUE INDEX entries_once ON entries (body ->> '$.once') WHERE body ->> '$.once' IS NOT NULL;
CREATE TRIGGER entries_are_appended BEFORE INSERT ON entries
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entries)
BEGIN SELECT raise(ABORT, 'an entry is appended after the last one'); END;
CREATE TRIGGER entries_stay BEFORE UPDATE ON entries
BEGIN SELECT raise(ABORT, 'an entry is never changed'); END;
CREATE TRIGGER entries_remain BEFORE DELETE ON entries
BEGIN SELECT raise(ABORT, 'an entry is never deleted'); END;
CREATE TABLE postings (
  who     TEXT NOT NULL,
  score   TEXT NOT NULL,
  seq     INTEGER NOT NULL,
  since   INTEGER NOT NULL,
  amount  INTEGER NOT NULL,
  balance INTEGER NOT NULL,
  PRIMARY KEY (who, score, seq, since)
) STRICT, WITHOUT ROWID;
CREATE INDEX postings_late ON postings (who, score, since) WHERE since < seq;
CREATE TABLE marks (
  who   TEXT NOT NULL,
  name  TEXT NOT NULL,
  since INTEGER NOT NULL,
  seq   INTEGER NOT NULL,
  value TEXT,
  PRIMARY KEY (who, name, since, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE words (
  seq   INTEGER NOT NULL,
  field TEXT NOT NULL,
  salt  BLOB NOT NULL CHECK (length(salt) = 32),
  text  TEXT NOT NULL,
  PRIMARY KEY (seq, field)
) STRICT, WITHOUT ROWID;
"""

SCHEMA_2 = """
CREATE TABLE nodes (
  level INTEGER NOT NULL CHECK (level > 0),
  place INTEGER NOT NULL,
  hash  BLOB NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (level, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoints (
  size INTEGER PRIMARY KEY CHECK (size > 0),
  note TEXT NOT NULL
) STRICT;
"""
"""Beside the leaves the inner nodes of the tree (RFC 6962), each stored when its last leaf is; and the signed heads."""


SCHEMAS = (SCHEMA, SCHEMA_2)

TABLES = frozenset({"entries", "postings", "marks", "words", "nodes", "checkpoints"})


def prepare(database: Any, version: int = VERSION) -> None:
    """Give an empty sqlite-utils database the tables, triggers and numbers of a campaign."""
    connection = database.conn
    for schema in SCHEMAS[:version]:
        for statement in statements(schema):
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {version}")


def check_guards(connection: sqlite3.Connection) -> None:
    """Refuse a file whose tables or triggers are not ours (`NotGuarded`), or whose pages are damaged (`Damaged`).

    The names come first: what is no table of ours may be without an end. Then all is read once, the order of the rows
    too (`integrity_check`; `quick_check` would not look at it), so that no sheet lies under entries that are whole.
    """
    from sqlite_utils import Database  # only verify asks

    (version,) = connection.execute("PRAGMA user_version").fetchone()
    fresh = Database(memory=True, execute_plugins=False)
    prepare(fresh, version)
    expected, found = (
        set(each.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall())
        for each in (fresh.conn, connection)
    )
    fresh.close()
    if expected != found:
        changed = min(name for name, _ in expected ^ found)
        if changed in TABLES - dict(found).keys():
            raise Damaged(f"it has no table {changed}")
        raise NotGuarded(changed)
    with plain_errors():
        (answer,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if answer != "ok":
        raise Damaged(f"its pages do not fit together ({answer.splitlines()[-1]})")


def check_tables(connection: sqlite3.Connection) -> None:
    """Refuse (`NotGuarded`) a file that has something else, which may be without an end, in the place of a table."""
    sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'table'"
    for (name,) in connection.execute(sql):
        if name.lower() in TABLES:
            raise NotGuarded(name)
