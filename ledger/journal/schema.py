"""Schema: the tables of a campaign's file in SQLite, and the additions of each version."""

from __future__ import annotations

import re

CAMPAIGN_SUFFIX = ".campaign"
"""The ending of a campaign file's name, by which it is found in a folder."""

VERSION_WITH_WAITING = 3
"""The first version with the table `waiting`."""

SCHEMA_VERSION = VERSION_WITH_CLOCKS = 4
"""The version that this program writes. Version 4 adds `clock` to entries.

Each write upgrades the file to this version. An older program then says that a newer one wrote the file, not that the
file is damaged. The first change of an entry's format after a release must increase the version.
`tests/golden/released.txt` has the released formats.
"""

NEWEST_VERSION = VERSION_WITH_NEW_ADDRESS = 5
"""The newest version that this program reads. Only a campaign that has moved to another address has this version.

So an older program refuses the old file of such a campaign, but reads all other files.
"""

ENTRIES_TABLE = """
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
"""

ROWS_TABLES = """
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
"""

WORDS_TABLE = """
CREATE TABLE words (
  seq   INTEGER NOT NULL,
  field TEXT NOT NULL,
  salt  BLOB NOT NULL CHECK (length(salt) = 32),
  text  TEXT NOT NULL,
  PRIMARY KEY (seq, field)
) STRICT, WITHOUT ROWID;
"""

NODES_TABLE = """
CREATE TABLE nodes (
  level INTEGER NOT NULL CHECK (level > 0),
  place INTEGER NOT NULL,
  hash  BLOB NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (level, place)
) STRICT, WITHOUT ROWID;
"""

CHECKPOINTS_TABLE = """
CREATE TABLE checkpoints (
  size INTEGER PRIMARY KEY CHECK (size > 0),
  note TEXT NOT NULL
) STRICT;
"""

WAITING_QUERY = """
SELECT name FROM marks AS given WHERE who = '#questions' AND value = 'false' AND NOT EXISTS (
    SELECT 1 FROM marks AS later WHERE later.who = given.who AND later.name = given.name AND (
      later.since = given.since AND later.seq > given.seq OR later.since > given.since AND later.value IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM marks AS last WHERE last.who = later.who AND last.name = later.name
        AND last.since = later.since AND last.seq > later.seq)
    )
  )
"""
"""The SQL for the open questions. The mark of an open question has a `false` row that no other row overrides."""

WAITING_TABLE = f"""
CREATE INDEX marks_seats ON marks (who, value, name) WHERE who = '#cast';
CREATE TABLE waiting (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TRIGGER questions_wait AFTER INSERT ON marks WHEN NEW.who = '#questions'
BEGIN
  DELETE FROM waiting WHERE name = NEW.name;
  INSERT INTO waiting {WAITING_QUERY} AND name = NEW.name;
END;
INSERT INTO waiting {WAITING_QUERY};
"""  # noqa: S608  ours

MOVED_TABLE = """
CREATE TABLE moved (address TEXT NOT NULL) STRICT;
CREATE TRIGGER entries_have_moved BEFORE INSERT ON entries WHEN EXISTS (SELECT 1 FROM moved)
BEGIN SELECT raise(ABORT, 'this campaign has moved to another address'); END;
"""

SCHEMAS = (
    ENTRIES_TABLE + ROWS_TABLES + WORDS_TABLE,
    NODES_TABLE + CHECKPOINTS_TABLE,
    "CREATE INDEX entries_late ON entries (body ->> '$.since') WHERE body ->> '$.since' < seq;",
    "CREATE INDEX entries_clock ON entries (body ->> '$.clock') WHERE body ->> '$.clock' IS NOT NULL;",
    MOVED_TABLE,
)
"""The tables and indexes that each version added."""

TABLES = frozenset(re.findall(r"CREATE TABLE (\w+)", "".join((*SCHEMAS, WAITING_TABLE))))
"""The names of all tables in a campaign's file."""
