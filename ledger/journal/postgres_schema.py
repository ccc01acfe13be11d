"""Schema for PostgreSQL: the tables of all campaigns of a database, and the roles that use them.

Each table has the column `campaign`. Row-level security shows a connection only the rows of the campaign that its
setting `ledger.campaign` names, whatever a statement asks for. No statement changes an entry: the triggers refuse every
change, and the program's role has no right to make one.

| role | what it may do |
|---|---|
| `ledger_program` | read, and add rows; change the head of a campaign, the signed heads, and the page's logins |
| `ledger_eraser` | delete words |
| `ledger_rebuilder` | delete the rows that can be made again from the entries |
| `ledger_overview` | read the names and the heads of all campaigns; read and set their limits |
"""

from __future__ import annotations

PROGRAM, ERASER, REBUILDER, OVERVIEW = "ledger_program", "ledger_eraser", "ledger_rebuilder", "ledger_overview"

TABLES = """
CREATE SCHEMA ledger;
CREATE TABLE ledger.campaigns (
  campaign  uuid PRIMARY KEY,
  name      text COLLATE "C" NOT NULL UNIQUE CHECK (name <> ''),
  head      bigint NOT NULL DEFAULT 0,
  writes    bigint NOT NULL DEFAULT 0,
  version   integer NOT NULL,
  read_only boolean NOT NULL DEFAULT false,
  moved_to  text,
  busy_until timestamptz
) WITH (fillfactor = 40);
CREATE TABLE ledger.entries (
  campaign uuid NOT NULL,
  seq      bigint NOT NULL CHECK (seq > 0 AND seq = (body::json ->> 'seq')::bigint),
  body     text COLLATE "C" NOT NULL CHECK (octet_length(body) <= 60000),
  leaf     bytea NOT NULL CHECK (length(leaf) = 32),
  type     text COLLATE "C" GENERATED ALWAYS AS (body::json ->> 'type') STORED,
  since    bigint GENERATED ALWAYS AS ((body::json ->> 'since')::bigint) STORED,
  once     text COLLATE "C" GENERATED ALWAYS AS (body::json ->> 'once') STORED,
  clock    text COLLATE "C" GENERATED ALWAYS AS (body::json ->> 'clock') STORED,
  PRIMARY KEY (campaign, seq)
);
CREATE UNIQUE INDEX entries_once ON ledger.entries (campaign, once) WHERE once IS NOT NULL;
CREATE INDEX entries_late ON ledger.entries (campaign, since) WHERE since < seq;
CREATE INDEX entries_clock ON ledger.entries (campaign, clock) WHERE clock IS NOT NULL;
CREATE TABLE ledger.postings (
  campaign uuid NOT NULL,
  who      text COLLATE "C" NOT NULL,
  score    text COLLATE "C" NOT NULL,
  seq      bigint NOT NULL,
  since    bigint NOT NULL,
  amount   bigint NOT NULL,
  balance  bigint NOT NULL,
  PRIMARY KEY (campaign, who, score, seq, since)
);
CREATE INDEX postings_late ON ledger.postings (campaign, who, score, since) WHERE since < seq;
CREATE TABLE ledger.marks (
  campaign uuid NOT NULL,
  who      text COLLATE "C" NOT NULL,
  name     text COLLATE "C" NOT NULL,
  since    bigint NOT NULL,
  seq      bigint NOT NULL,
  value    text COLLATE "C",
  PRIMARY KEY (campaign, who, name, since, seq)
);
CREATE INDEX marks_late ON ledger.marks (campaign, since) WHERE since < seq;
CREATE TABLE ledger.words (
  campaign uuid NOT NULL,
  seq      bigint NOT NULL,
  field    text COLLATE "C" NOT NULL,
  salt     bytea NOT NULL CHECK (length(salt) = 32),
  text     text COLLATE "C" NOT NULL,
  PRIMARY KEY (campaign, seq, field)
);
CREATE TABLE ledger.nodes (
  campaign uuid NOT NULL,
  level    bigint NOT NULL CHECK (level > 0),
  place    bigint NOT NULL,
  hash     bytea NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (campaign, level, place)
);
CREATE TABLE ledger.checkpoints (
  campaign uuid NOT NULL,
  size     bigint NOT NULL CHECK (size > 0),
  note     text COLLATE "C" NOT NULL,
  PRIMARY KEY (campaign, size)
);
CREATE TABLE ledger.commands (
  campaign uuid NOT NULL,
  id       uuid NOT NULL,
  saved    boolean NOT NULL,
  PRIMARY KEY (campaign, id)
);
"""
"""The tables. `commands` has an id for each write: after a lost connection, it shows whether the write was saved."""

GUARDS = """
CREATE FUNCTION ledger.append_entries() RETURNS trigger LANGUAGE plpgsql SET search_path = ledger, pg_temp AS $$
DECLARE
  added record;
BEGIN
  FOR added IN SELECT campaign, min(seq) AS first, max(seq) AS last, count(*) AS entries FROM new_rows GROUP BY campaign
  LOOP
    UPDATE campaigns SET head = added.last WHERE campaign = added.campaign AND head = added.first - 1
      AND head + added.entries = added.last AND NOT read_only AND moved_to IS NULL;
    IF NOT FOUND THEN
      RAISE integrity_constraint_violation USING MESSAGE = 'an entry is appended after the last one';
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
CREATE FUNCTION ledger.keep_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE integrity_constraint_violation USING MESSAGE = 'an entry is never changed or deleted'; END $$;
CREATE TRIGGER entries_are_appended AFTER INSERT ON ledger.entries REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.append_entries();
CREATE TRIGGER entries_stay BEFORE UPDATE OR DELETE ON ledger.entries
  FOR EACH ROW EXECUTE FUNCTION ledger.keep_entries();
CREATE TRIGGER entries_remain BEFORE TRUNCATE ON ledger.entries
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.keep_entries();
"""

TABLE_NAMES = ("campaigns", "entries", "postings", "marks", "words", "nodes", "checkpoints", "commands")
TRIGGERS = ("entries_are_appended", "entries_stay", "entries_remain")

LOGINS = """
CREATE TABLE ledger.invitations (
  hash     text COLLATE "C" PRIMARY KEY,
  campaign uuid NOT NULL,
  role     text NOT NULL,
  seat     text NOT NULL,
  expires  bigint NOT NULL,
  uses     bigint NOT NULL
);
CREATE TABLE ledger.visits (
  hash     text COLLATE "C" PRIMARY KEY,
  campaign uuid NOT NULL,
  role     text NOT NULL,
  seat     text NOT NULL,
  begun    bigint NOT NULL,
  expires  bigint NOT NULL,
  device   text NOT NULL
);
CREATE TABLE ledger.tokens (
  hash     text COLLATE "C" PRIMARY KEY,
  campaign uuid NOT NULL,
  role     text NOT NULL,
  seat     text NOT NULL,
  begun    bigint NOT NULL,
  label    text NOT NULL
);
CREATE INDEX invitations_campaign ON ledger.invitations (campaign);
CREATE INDEX visits_campaign ON ledger.visits (campaign);
CREATE INDEX tokens_campaign ON ledger.tokens (campaign);
"""
"""The tables of the page's logins. They have hashes of the secrets only, and no campaign's check reads them."""

LOGIN_TABLES = ("invitations", "visits", "tokens")

LIMITS = """
CREATE TABLE ledger.limits (
  name    text COLLATE "C" PRIMARY KEY,
  entries bigint CHECK (entries > 0),
  writes  bigint CHECK (writes > 0),
  streams bigint CHECK (streams > 0)
);
ALTER TABLE ledger.limits ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON ledger.limits USING (name = current_setting('ledger.name', true));
"""
"""The limits that the host sets for a campaign. They belong to its name, so they stay if it is replaced by a backup."""

LIMITS_TABLE = "limits"

MAKE_ROLE = """
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}') THEN CREATE ROLE {role} NOLOGIN; END IF;
END $$;
"""

OWN_ROWS = """
ALTER TABLE ledger.{table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON ledger.{table}
  USING (campaign = nullif(current_setting('ledger.campaign', true), '')::uuid);
"""

RIGHTS = f"""
ALTER TABLE ledger.campaigns ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON ledger.campaigns
  USING (name = current_setting('ledger.name', true) OR campaign::text = current_setting('ledger.campaign', true));
CREATE POLICY all_heads ON ledger.campaigns FOR SELECT TO {OVERVIEW} USING (true);
CREATE POLICY all_limits ON ledger.limits TO {OVERVIEW} USING (true);
GRANT USAGE ON SCHEMA ledger TO {PROGRAM}, {ERASER}, {REBUILDER}, {OVERVIEW};
GRANT SELECT, INSERT, UPDATE (name, head, writes, version, read_only, moved_to, busy_until)
  ON ledger.campaigns TO {PROGRAM};
GRANT SELECT, INSERT ON ledger.entries, ledger.postings, ledger.marks, ledger.words, ledger.nodes, ledger.checkpoints,
  ledger.commands TO {PROGRAM};
GRANT SELECT, INSERT, DELETE ON ledger.invitations, ledger.visits, ledger.tokens TO {PROGRAM};
GRANT UPDATE (uses) ON ledger.invitations TO {PROGRAM};
GRANT UPDATE (note) ON ledger.checkpoints TO {PROGRAM};
GRANT SELECT, DELETE ON ledger.words TO {ERASER};
GRANT SELECT, DELETE ON ledger.postings, ledger.marks, ledger.nodes TO {REBUILDER};
GRANT SELECT (campaign, name, head) ON ledger.campaigns TO {OVERVIEW};
GRANT SELECT ON ledger.limits TO {PROGRAM};
GRANT SELECT, INSERT, UPDATE ON ledger.limits TO {OVERVIEW};
DO $$ BEGIN
  GRANT {PROGRAM}, {ERASER}, {REBUILDER} TO SESSION_USER;
EXCEPTION WHEN insufficient_privilege THEN NULL;  -- somebody else made the roles, for another database of the server
END $$;
"""

SCHEMA = "".join(
    (
        *(MAKE_ROLE.format(role=role) for role in (PROGRAM, ERASER, REBUILDER, OVERVIEW)),
        TABLES,
        LOGINS,
        LIMITS,
        GUARDS,
        *(OWN_ROWS.format(table=table) for table in (*TABLE_NAMES[1:], *LOGIN_TABLES)),
        RIGHTS,
    )
)
"""The script that the owner of a database runs once. `init` runs it if the database has no tables for campaigns."""
