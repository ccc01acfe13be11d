"""The tables of `campaign tables`: each table and column is declared once, with its comment.

The file, the comments inside it, and the reference in `docs/tables.md` are made from these declarations.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ledger.values import Struct

Kind = Literal["INTEGER", "REAL", "TEXT"]

SEARCH_COLUMN = "words"
"""The column of `entries` that the full-text index reads."""


class Column(Struct):
    """A column. If `refers` is a table, the value is a key of this table. A `required` value is never NULL."""

    name: str
    kind: Kind
    comment: str
    refers: str = ""
    required: bool = False


class DeclaredTable(Struct):
    """A table. `key` has the columns of its primary key."""

    name: str
    comment: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]

    @property
    def key_column(self) -> str:
        """The only column of the key. Tables that others refer to have one such column."""
        (name,) = self.key
        return name


class DeclaredView(Struct):
    """A view: a SELECT statement that is stored in the file."""

    name: str
    comment: str
    sql: str


def _required(name: str, kind: Kind, comment: str, refers: str = "") -> Column:
    return Column(name=name, kind=kind, comment=comment, refers=refers, required=True)


def _optional(name: str, kind: Kind, comment: str, refers: str = "") -> Column:
    return Column(name=name, kind=kind, comment=comment, refers=refers)


def _entry(comment: str) -> Column:
    return _required("entry", "INTEGER", comment, "entries")


CHARACTER_COLUMN = _optional("character", "TEXT", "the character", "characters")
OWNER_COLUMN = _required("character", "TEXT", "the character", "characters")
GAME_COLUMN = _required("game", "TEXT", "the game, or '' for numbers outside all games")

TABLES: tuple[DeclaredTable, ...] = (
    DeclaredTable(
        name="campaign",
        comment="The campaign. This table has one row.",
        key=("id",),
        columns=(
            _required("id", "INTEGER", "always 1"),
            _required("title", "TEXT", "the title of the campaign"),
            _required("made_for", "TEXT", "'players' if the GM's secrets were left out, otherwise 'GM'"),
            _required("entries", "INTEGER", "the number of entries in the record"),
            _required("fingerprint", "TEXT", "the hash of the whole record, in hexadecimal"),
            _optional("signing_key", "TEXT", "the public key that signs the campaign"),
            _required("day", "INTEGER", "the current day of the story, or 0"),
            _optional("session", "INTEGER", "the open session", "sessions"),
        ),
    ),
    DeclaredTable(
        name="players",
        comment="The people at the table, including the GM and players who left.",
        key=("handle",),
        columns=(
            _required("handle", "TEXT", "the short name in the record, such as p2"),
            _required("name", "TEXT", "the name"),
            _required("is_gm", "INTEGER", "1 if this player is a GM now, otherwise 0"),
            _required("at_table", "INTEGER", "1 if this player is at the table now, or 0 for a player who left"),
        ),
    ),
    DeclaredTable(
        name="characters",
        comment="The characters, including those who left. The row 'campaign' stands for the whole table.",
        key=("handle",),
        columns=(
            _required("handle", "TEXT", "the short name for typing"),
            _required("name", "TEXT", "the full name; the short name if there is no full name"),
            _optional("player", "TEXT", "the player who plays this character now", "players"),
            _required("is_npc", "INTEGER", "1 for a non-player character, otherwise 0"),
            _required("in_play", "INTEGER", "1 if the character is in play now, otherwise 0"),
        ),
    ),
    DeclaredTable(
        name="sessions",
        comment="The sessions that count.",
        key=("number",),
        columns=(
            _required("number", "INTEGER", "the number of the session"),
            _required("title", "TEXT", "the title of the session"),
            _required("opened", "INTEGER", "the entry that opened the session", "entries"),
            _optional("closed", "INTEGER", "the entry that closed the session; NULL if it is open", "entries"),
            _required("date", "TEXT", "the date on which the session was opened"),
        ),
    ),
    DeclaredTable(
        name="entries",
        comment="The entries of the record, in the order in which they were written.",
        key=("entry",),
        columns=(
            _required("entry", "INTEGER", "the number of the entry"),
            _required("title", "TEXT", "what happened, in one line"),
            _required("action", "INTEGER", "the first entry of the same action", "entries"),
            _required("is_main", "INTEGER", "1 for the main entry of an action, which has its line; otherwise 0"),
            _required("since", "INTEGER", "the entry from which this entry counts: earlier for corrections", "entries"),
            _optional("cause", "INTEGER", "the entry that this entry follows from", "entries"),
            _required("type", "TEXT", "the type of the entry"),
            _required("at", "TEXT", "the time in UTC; never earlier than the time of the previous entry"),
            _required("clock", "TEXT", "the time on the writer's clock, in UTC; usually the same"),
            _required("player", "TEXT", "the player who entered it", "players"),
            _optional("character", "TEXT", "the character whom it is about", "characters"),
            _optional("session", "INTEGER", "the session; NULL between sessions", "sessions"),
            _optional("deed", "TEXT", "what the character attempts"),
            _optional("verdict", "TEXT", "the verdict of the action"),
            _optional("good", "INTEGER", "1 for a success, 0 for a failure; NULL if there is nothing to win or lose"),
            _optional("result", "TEXT", "the total, the target and the dice of the verdict"),
            _optional("dice", "TEXT", "the dice of the action"),
            _optional("changes", "TEXT", "the scores that the action changed"),
            _optional("canceled_by", "INTEGER", "the entry that canceled the action; NULL if it counts", "entries"),
            _optional("canceled", "TEXT", "how the action was canceled, such as 'undone'"),
            _optional(SEARCH_COLUMN, "TEXT", "all words of the action's line, for the search"),
            _required("details", "TEXT", "everything else about the entry, as JSON; hidden values are null"),
        ),
    ),
    DeclaredTable(
        name="postings",
        comment="Every change to every score. A correction adds new rows, and never changes an old one.",
        key=("id",),
        columns=(
            _required("id", "INTEGER", "a running number"),
            _entry("the entry that changed the score"),
            _required("since", "INTEGER", "the entry from which the change counts: earlier for corrections", "entries"),
            OWNER_COLUMN,
            GAME_COLUMN,
            _required("score", "TEXT", "the name of the score"),
            _required("amount", "INTEGER", "the change"),
            _required("balance", "INTEGER", "the score after the change, as it was known then"),
        ),
    ),
    DeclaredTable(
        name="scores",
        comment="The scores as they are now, including those that no sheet lists.",
        key=("character", "game", "name"),
        columns=(
            OWNER_COLUMN,
            _required("name", "TEXT", "the name of the score"),
            GAME_COLUMN,
            _required("value", "INTEGER", "the value"),
            _optional("maximum", "INTEGER", "the maximum; NULL without a limit"),
            _required("on_sheet", "INTEGER", "1 if the sheet lists it; 0 for bookkeeping and unused scores"),
        ),
    ),
    DeclaredTable(
        name="marks",
        comment="The values on the sheets that are not scores, such as a weapon.",
        key=("character", "game", "name"),
        columns=(
            OWNER_COLUMN,
            _required("name", "TEXT", "the name of the value"),
            GAME_COLUMN,
            _optional("value", "TEXT", "the value as text, or as JSON if it has several parts; NULL if it is hidden"),
        ),
    ),
    DeclaredTable(
        name="dice",
        comment="Every die that was rolled, one row for each die, except sealed rolls that nobody revealed.",
        key=("id",),
        columns=(
            _required("id", "INTEGER", "a running number, in the order of the rolls"),
            _entry("the entry of the roll"),
            _optional("character", "TEXT", "the character; NULL if a player rolled for nobody", "characters"),
            _required("player", "TEXT", "the player of the character at that time, or else who entered it", "players"),
            _optional("session", "INTEGER", "the session; NULL between sessions", "sessions"),
            _required("sides", "INTEGER", "the number of sides"),
            _required("face", "INTEGER", "the number that the die shows"),
            _required("source", "TEXT", "'machine' if the computer rolled, or 'typed' for real dice"),
            _required("sealed", "INTEGER", "1 for dice of a sealed roll that was revealed, otherwise 0"),
            _required("replaced", "INTEGER", "1 for dice that were typed wrong, and replaced; otherwise 0"),
        ),
    ),
    DeclaredTable(
        name="rulings",
        comment="The results of moves and of plain rolls.",
        key=("entry",),
        columns=(
            _entry("the entry of the ruling"),
            _required("title", "TEXT", "the verdict, or the total of a plain roll"),
            CHARACTER_COLUMN,
            _optional("game", "TEXT", "the game; NULL for a plain roll"),
            _required("move", "TEXT", "the move, or the dice notation of a plain roll"),
            _optional("deed", "TEXT", "what the character attempts"),
            _optional("good", "INTEGER", "1 for a success, 0 for a failure; NULL if there is nothing to win or lose"),
            _optional("total", "INTEGER", "the total of a plain roll"),
            _optional("margin", "INTEGER", "how far the total is above or below the target; NULL if unknown"),
            _required("counts", "INTEGER", "1 if the ruling counts, or 0 if it was canceled"),
            _optional("overruled_by", "INTEGER", "the entry in which the GM overruled the result", "entries"),
        ),
    ),
    DeclaredTable(
        name="questions",
        comment="The open questions, the oldest first. Answered questions are only in the entries.",
        key=("id",),
        columns=(
            _required("id", "INTEGER", "a running number, the oldest question first"),
            _required("title", "TEXT", "the question"),
            _entry("the entry that asks, or that caused the task"),
            CHARACTER_COLUMN,
            _required("type", "TEXT", "the type of the question"),
            _optional("game", "TEXT", "the game"),
            _optional("move", "TEXT", "the move that waits for a choice"),
            _optional("next", "TEXT", "the command that comes next, without 'campaign'"),
        ),
    ),
    DeclaredTable(
        name="imports",
        comment="The imported logs of other programs.",
        key=("entry",),
        columns=(
            _entry("the entry of the import"),
            _required("title", "TEXT", "the name of the file"),
            _required("format", "TEXT", "the format of the file"),
            _optional("first", "TEXT", "the time of the first new public roll, in UTC"),
            _optional("last", "TEXT", "the time of the last new public roll, in UTC"),
            _required("counts", "TEXT", "the numbers of rolls and of other records, as JSON"),
            _required("is_canceled", "INTEGER", "1 if the import was canceled, otherwise 0"),
        ),
    ),
    DeclaredTable(
        name="imported_rolls",
        comment="The rolls that imported logs claim. They change no score.",
        key=("entry",),
        columns=(
            _entry("the entry of the roll"),
            _required("title", "TEXT", "the roll in one line"),
            _required("import", "INTEGER", "the import", "imports"),
            _optional("claimed_at", "TEXT", "the time in the file, in UTC"),
            _required("precision", "TEXT", "how precise that time is"),
            _required("seen_by", "TEXT", "who saw the roll: all, gm, whisper, blind or self"),
            _optional("character", "TEXT", "the character, if the mapping names one", "characters"),
            _optional("player", "TEXT", "the player, if the mapping names one", "players"),
            _optional("speaker", "TEXT", "the name in the file"),
            _optional("purpose", "TEXT", "what the roll was for"),
            _optional("formula", "TEXT", "the dice, such as 2d6+3"),
            _optional("dice", "TEXT", "the faces"),
            _optional("total", "REAL", "the total that the file claims"),
            _optional("dice_total", "REAL", "the total of the dice"),
            _required("is_canceled", "INTEGER", "1 if the roll was canceled, otherwise 0"),
        ),
    ),
    DeclaredTable(
        name="columns",
        comment="This description of all tables.",
        key=("table", "name"),
        columns=(
            _required("table", "TEXT", "the table"),
            _required("name", "TEXT", "the column"),
            _required("type", "TEXT", "the type of the values: INTEGER, REAL or TEXT"),
            _required("comment", "TEXT", "what the column means"),
        ),
    ),
)
"""The tables, in the order of the reference in `docs/tables.md`."""

TABLE_BY_NAME: dict[str, DeclaredTable] = {table.name: table for table in TABLES}

VIEWS: tuple[DeclaredView, ...] = (
    DeclaredView(
        name="log",
        comment="The log: one row for each action.",
        sql="""\
SELECT entries.entry, entries.clock, sessions.title AS session, entries.title, entries.verdict, entries.result,
  entries.dice, entries.changes, players.name AS entered_by, entries.canceled, entries.canceled_by
FROM entries
JOIN players ON players.handle = entries.player
LEFT JOIN sessions ON sessions.number = entries.session
WHERE entries.is_main
ORDER BY entries.entry""",
    ),
    DeclaredView(
        name="sheet",
        comment="The sheets as they are now: first the scores of a character, then the other values.",
        sql="""\
SELECT characters.handle AS character, characters.name, sheet.game, sheet.line, sheet.value, sheet.maximum
FROM (
  SELECT character, game, name AS line, value, maximum, 1 AS part FROM scores WHERE on_sheet
  UNION ALL
  SELECT character, game, name, value, NULL, 2 FROM marks
) AS sheet
JOIN characters ON characters.handle = sheet.character
ORDER BY characters.handle, sheet.game, sheet.part, sheet.line""",
    ),
    DeclaredView(
        name="register",
        comment="Every change to every score, with the balance at that time, and the balance after later corrections.",
        sql="""\
SELECT postings.entry, postings.since, postings.character, characters.name, postings.game, postings.score,
  postings.amount, postings.balance,
  sum(postings.amount) OVER (
    PARTITION BY postings.character, postings.game, postings.score
    ORDER BY postings.since, postings.entry, postings.id ROWS UNBOUNDED PRECEDING
  ) AS corrected_balance,
  entries.title AS changed_by
FROM postings
JOIN characters ON characters.handle = postings.character
JOIN entries ON entries.entry = postings.entry
ORDER BY postings.entry, postings.id""",
    ),
    DeclaredView(
        name="dice_counts",
        comment="How often each face came up, as `campaign luck` counts the dice.",
        sql="""\
SELECT players.name AS player, dice.sides, dice.source, dice.face, count(*) AS rolled
FROM dice
JOIN players ON players.handle = dice.player
WHERE NOT dice.replaced
GROUP BY dice.player, dice.sides, dice.source, dice.face""",
    ),
)


def create_sql(table: DeclaredTable) -> str:
    """Return the statement that makes a table. Each column has its comment, which SQLite keeps in the file."""
    key = ", ".join(f'"{name}"' for name in table.key)
    lines = [(_column_sql(column) + ",", column.comment) for column in table.columns]
    width = max(len(sql) for sql, _ in lines)
    rows = "\n".join(f"  {sql:<{width}}  -- {comment}" for sql, comment in lines)
    return f'CREATE TABLE "{table.name}" (\n  -- {table.comment}\n{rows}\n  PRIMARY KEY ({key})\n)'


def _column_sql(column: Column) -> str:
    needed = " NOT NULL" if column.required else ""
    refers = f' REFERENCES "{column.refers}" ("{TABLE_BY_NAME[column.refers].key_column}")' if column.refers else ""
    return f'"{column.name}" {column.kind}{needed}{refers}'


def reference() -> Iterator[str]:
    """Yield the lines of a reference of the exported tables and their columns, as Markdown."""
    for table in TABLES:
        yield from ("", f"### {table.name}", "", table.comment, "", "| column | type | meaning |", "|---|---|---|")
        for column in table.columns:
            kind = column.kind if column.required else f"{column.kind} or NULL"
            refers = f" → `{column.refers}`" if column.refers else ""
            yield f"| `{column.name}` | {kind} | {column.comment}{refers} |"
    yield from ("", "### Views", "", "| view | content |", "|---|---|")
    yield from (f"| `{view.name}` | {view.comment} |" for view in VIEWS)
