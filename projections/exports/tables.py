"""Tables: the campaign as a new SQLite file, for Datasette, sqlite-utils and other programs that read SQLite."""

from __future__ import annotations

import gc
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import chain, groupby
from operator import itemgetter
from os import O_CREAT, O_EXCL, O_WRONLY, close, path
from os import open as open_new
from typing import Any

import orjson
from sqlite_utils import Database

from ledger.archive.export import lacks_secrets, may_read
from ledger.errors import Refused, Taken
from ledger.events import types as events
from ledger.events.commitments import CommittedText, Secret
from ledger.events.entry import SECRET_START, Entry, lead_of
from ledger.events.facts import HEADER_FIELDS
from ledger.events.subjects import CAMPAIGN, CAST, KEY, PLAYER, PLAYERS, is_npc
from ledger.journal.accounts import NOW
from ledger.journal.book import Book
from ledger.journal.failures import plain_errors
from ledger.journal.new_files import atomic_file, folder_lock, sync
from ledger.values import Struct
from projections.chronicle import session_spans
from projections.exports.tables_schema import SEARCH_COLUMN, TABLE_BY_NAME, TABLES, VIEWS, create_sql
from projections.fold import with_accounts_in_memory
from projections.import_phrases import opened_roll
from projections.log import Line, ShownVerdict, line, verdict_shown
from projections.luck import natural_dice, session_ranges
from projections.phrases import deed_words, tell_act
from projections.questions import due_questions
from projections.search import words_of
from projections.sheets import Sheet, sheets, table_sheets
from projections.wording import readable, score_label, sheet_value_text, type_words, typed_words

APPLICATION_ID = 0x43544142
"""The application id in the file's header: the letters `CTAB`. A file with this id may be replaced."""

SQLITE_MAGIC, ID_OFFSET, HEADER_SIZE = b"SQLite format 3\0", 68, 72
LOG_SUFFIXES = ("-wal", "-journal")
"""The suffixes of files in which SQLite keeps writes. SQLite would apply an old file's writes to the new tables."""

OWNER_MODE, PLAYERS_MODE = 0o600, 0o666
"""The permissions of a file with secrets, and of a file for players. The umask may reduce them."""

ROWS_AT_ONCE = 1000
FAST_PRAGMAS = ("journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE", "cache_size = -32768")
"""The settings of SQLite for a file that nobody else opens, and that is thrown away if anything fails."""

NOT_DETAILS = HEADER_FIELDS | {"postings", "marks", "leaf"}
"""The fields of an entry's JSON that have columns or tables of their own, or only serve the proofs."""

TOKENIZER = "unicode61 remove_diacritics 2"
WHOLE_TABLE = "the whole table"

Row = dict[str, Any]
Verdicts = Mapping[int, ShownVerdict | None]
"""The verdicts that a line shows, by the entry of the ruling."""

OnProgress = Callable[[int], object]


class TablesReport(Struct):
    """The counts of the tables. `secrets` counts the entries with secrets. Tables for players lack these secrets."""

    entries: int
    postings: int
    dice: int
    secrets: int


def make_tables(book: Book, file: str, *, players: bool = False, progress: OnProgress = abs) -> TablesReport:
    """Write the tables into a new file, which replaces earlier tables with the same name.

    With `players`, leave out the secrets and everything that would reveal them. The file shows the campaign at one
    moment. `progress` is called with the number of entries; each entry is counted twice. Raise `Taken` if `file` exists
    and is not an earlier export, `Refused` if another program is writing to the old tables, and `NotMade` or
    `DiskRefused` if the disk fails.
    """
    target = path.realpath(file)
    with folder_lock(target):
        _check_replaceable(target, file)
        with atomic_file(target, replace=True) as part:
            close(open_new(part, O_WRONLY | O_CREAT | O_EXCL, PLAYERS_MODE if players else OWNER_MODE))
            with (
                book.journal.reading(),
                _paused_gc(),
                plain_errors(),
                closing(Database(part, execute_plugins=False)) as database,
            ):
                report = _Tables(database, with_accounts_in_memory(book), progress, players=players).write()
            with open(part, "r+b") as written:  # Windows does not sync what is open only for reading
                sync(written.fileno())
        return report


@contextmanager
def _paused_gc() -> Iterator[None]:
    """Pause Python's search for reference cycles. The rows have no cycles, and without the search, this is faster."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _check_replaceable(target: str, file: str) -> None:
    """Raise `Taken` if `target` is not an earlier export, and `Refused` if a program is writing to it.

    The errors show `file`, the name that the user typed.
    """
    if path.lexists(target):
        header = b""
        if path.isfile(target):
            with open(target, "rb") as old:  # this process has no connection to it, so no locks are lost
                header = old.read(HEADER_SIZE)
        if not header.startswith(SQLITE_MAGIC) or header[ID_OFFSET:] != APPLICATION_ID.to_bytes(4, "big"):
            raise Taken(file, "Choose a different name. Only earlier tables are replaced.")
    for suffix in LOG_SUFFIXES:
        if path.lexists(target + suffix):
            raise Refused(f"Another program is writing to {file}.", "Close the other program, and try again.")


class _Tables:
    """The tables while they are written: rows are collected, and inserted many at once."""

    def __init__(self, database: Database, book: Book, progress: OnProgress, *, players: bool) -> None:
        self._database, self._book, self._progress, self._for_players = database, book, progress, players
        self._waiting: dict[str, list[Row]] = {table.name: [] for table in TABLES}
        self._spans = sorted(session_ranges(book, NOW))
        self._firsts = sorted(first for _, first, _ in self._spans)
        self._players = {**book.players(), **book.former_players()}
        self._characters: set[str] = set()
        self._entered_by: set[str] = set()
        self._overruled = dict(_overruled(book))
        self._secrets = 0

    def write(self) -> TablesReport:
        """Make the tables, fill them, and add the index, the views and the search."""
        for statement in (*FAST_PRAGMAS, f"application_id = {APPLICATION_ID}"):
            self._database.execute(f"PRAGMA {statement}").fetchall()
        for table in TABLES:
            self._database.execute(create_sql(table))
        for name, row in chain(self._action_rows(), self._account_rows(), self._dice_rows(), self._other_rows()):
            self._waiting[name].append(row)
            if len(self._waiting[name]) == ROWS_AT_ONCE:
                self._insert(name)
        for name in self._waiting:
            self._insert(name)
        self._database.index_foreign_keys()
        self._database.table("entries").enable_fts([SEARCH_COLUMN], tokenize=TOKENIZER)
        for view in VIEWS:
            self._database.create_view(view.name, view.sql)
        counts = {name: self._database.table(name).count for name in ("entries", "postings", "dice")}
        return TablesReport(**counts, secrets=self._secrets)

    def _insert(self, name: str) -> None:
        values = itemgetter(*(column.name for column in TABLE_BY_NAME[name].columns))
        places = ", ".join("?" * len(TABLE_BY_NAME[name].columns))
        # `insert_all` of sqlite-utils looks at every value, and takes twice as long
        with self._database.conn:  # commits at the end
            rows = map(values, self._waiting[name])
            self._database.conn.executemany(f'INSERT INTO "{name}" VALUES ({places})', rows)  # noqa: S608  our own name
        self._waiting[name].clear()

    # Entries

    def _action_rows(self) -> Iterator[tuple[str, Row]]:
        """Yield the rows of all actions: entries, rulings and imports."""
        for _, stored in groupby(self._book.journal.entries(1), key=lambda entry: entry.act):
            entries = [self._book.fill_words(entry, secrets=not self._for_players) for entry in stored]
            shown = line(self._book, entries)
            lead, verdicts = lead_of(entries), {move.seq: move.verdict for move in shown.further}
            if isinstance(lead.event, events.MovePlayed):
                verdicts[lead.seq] = shown.verdict
            for entry in entries:
                self._secrets += SECRET_START in entry.stored and not may_read(self._book, entry, Secret.KEY, None)
                self._entered_by.add(entry.by)
                own = self._line_facts(shown) if entry is lead else {"title": self._part_title(entry), "is_main": 0}
                yield "entries", {**NO_LINE, **self._entry_row(shown, entry), **own}
                yield from self._event_rows(shown, entry, verdicts)
            self._progress(len(entries))

    def _part_title(self, entry: Entry) -> str:
        """Return the title of an entry that is not the main entry of its action."""
        is_move = isinstance(entry.event, events.MovePlayed)
        return _title(line(self._book, [entry])) if is_move else type_words(entry.type)

    def _entry_row(self, shown: Line, entry: Entry) -> Row:
        return {
            "entry": entry.seq,
            "action": entry.act,
            "since": entry.since,
            "cause": entry.cause,
            "type": entry.type,
            "at": entry.at,
            "clock": entry.clock,
            "player": entry.by,
            "character": self._character(entry.event.subject),
            "session": self._session(entry.since),
            "canceled_by": shown.struck and shown.struck.by,
            "canceled": shown.struck and shown.struck.how,
            "details": _details(entry),
        }

    def _line_facts(self, shown: Line) -> Row:
        """Return the columns that only the main entry of an action has."""
        verdict = shown.verdict
        changes = (
            f"{shown.names[change.who]} {score_label(change.score)}"
            f" {sheet_value_text(change.before)} → {sheet_value_text(change.after)}"
            for change in shown.moved
        )
        return {
            "title": _title(shown),
            "is_main": 1,
            "deed": shown.deed or None,
            "verdict": verdict and verdict.says,
            "good": verdict and verdict.good,
            "result": (verdict and verdict.result_text) or None,
            "dice": shown.dice or None,
            "changes": ", ".join(changes) or None,
            SEARCH_COLUMN: " ".join(dict.fromkeys(filter(None, words_of(shown)))),
        }

    def _event_rows(self, shown: Line, entry: Entry, verdicts: Verdicts) -> Iterator[tuple[str, Row]]:
        match entry.event:
            case events.MovePlayed() | events.DiceCounted() as event:
                yield "rulings", self._ruling_row(shown, entry, event, verdicts)
            case events.LogImported() as event:
                yield (
                    "imports",
                    {
                        "entry": entry.seq,
                        "title": typed_words(event.file),
                        "format": event.form,
                        "first": event.first,
                        "last": event.last,
                        "counts": _json(event.counts),
                        "is_canceled": shown.struck is not None,
                    },
                )
            case events.RollImported() as event:
                yield "imported_rolls", self._imported_roll_row(shown, entry, opened_roll(event))

    def _ruling_row(
        self, shown: Line, entry: Entry, event: events.MovePlayed | events.DiceCounted, verdicts: Verdicts
    ) -> Row:
        verdict = verdicts.get(entry.seq) or verdict_shown(self._book, event)
        roll = event if isinstance(event, events.DiceCounted) else None
        margin = readable(event.verdict.margin) if isinstance(event, events.MovePlayed) else event.margin
        return {
            "entry": entry.seq,
            "title": verdict and verdict.says,
            "character": self._character(event.who),
            "game": event.system if isinstance(event, events.MovePlayed) else None,
            "move": event.move if isinstance(event, events.MovePlayed) else event.notation,
            "deed": deed_words(event) or None,
            "good": verdict and verdict.good,
            "total": roll and roll.total,
            "margin": margin if isinstance(margin, int) else None,
            "counts": shown.struck is None,
            "overruled_by": self._overruled.get(entry.seq),
        }

    def _imported_roll_row(self, shown: Line, entry: Entry, roll: events.RollImported) -> Row:
        if roll.player is not None:
            self._entered_by.add(roll.player)
        return {
            "entry": entry.seq,
            "title": tell_act(self._book, entry),
            "import": roll.log,
            "claimed_at": roll.claimed_at,
            "precision": roll.exact,
            "seen_by": roll.seen,
            "character": self._character(roll.who or ""),
            "player": roll.player,
            "speaker": None if roll.speaker is None else typed_words(roll.speaker),
            "purpose": None if roll.what is None else typed_words(roll.what),
            "formula": roll.formula or None,
            "dice": " ".join(die.shown for die in roll.dice) or None,
            "total": None if roll.total is None else float(roll.total),
            "dice_total": None if roll.comes_to is None else float(roll.comes_to),
            "is_canceled": shown.struck is not None,
        }

    def _session(self, seq: int) -> int | None:
        number, _, last = ((None, 0, 0), *self._spans)[bisect_right(self._firsts, seq)]
        return number if seq <= last else None

    def _character(self, who: str) -> str | None:
        """Return the handle of a character, or None if `who` is a player or "". Remember the character."""
        if not who or who in self._players:
            return None
        self._characters.add(who)
        return who

    # Scores and dice

    def _account_rows(self) -> Iterator[tuple[str, Row]]:
        balances: dict[tuple[str, str], int] = {}
        for number, row in enumerate(self._book.accounts.rows.postings(), 1):
            balances[row.who, row.score] = row.balance
            game, score = _game_and_name(row.score)
            yield (
                "postings",
                {
                    "id": number,
                    "entry": row.seq,
                    "since": row.since,
                    "character": row.who,
                    "game": game,
                    "score": score,
                    "amount": row.amount,
                    "balance": row.balance,
                },
            )
        cast, owned = self._book.accounts.mark_names(CAST), self._book.accounts.subjects_with("marks", PLAYER)
        self._characters |= {*cast, *owned, *(who for who, _ in balances)}
        pages = [*table_sheets(self._book), *sheets(self._book, sorted(self._characters - {CAMPAIGN}))]
        self._characters |= {page.who for page in pages}
        yield from _score_rows(pages, balances)
        for page in pages:
            for name, value in page.marks:
                yield "marks", {"character": page.who, "name": name, "game": page.system, "value": _mark_text(value)}

    def _dice_rows(self) -> Iterator[tuple[str, Row]]:
        number = 0
        for roll in natural_dice(self._book, self._spans, NOW, self._progress):
            self._entered_by.add(roll.player)
            for sides, face in roll.dice:
                number += 1
                yield (
                    "dice",
                    {
                        "id": number,
                        "entry": roll.entry,
                        "character": self._character(roll.who),
                        "player": roll.player,
                        "session": roll.session,
                        "sides": sides,
                        "face": face,
                        "source": roll.source,
                        "sealed": roll.sealed,
                        "replaced": roll.replaced,
                    },
                )

    # People, sessions and questions

    def _other_rows(self) -> Iterator[tuple[str, Row]]:
        """Yield the remaining rows. Call this last: the rows of people include everybody whom earlier rows name."""
        book, due = self._book, due_questions(self._book).first(facts=not self._for_players)
        for number, question in enumerate(due, 1):
            yield (
                "questions",
                {
                    "id": number,
                    "title": question.says,
                    "entry": question.seq,
                    "character": question.who if question.who in self._characters else None,
                    "type": question.type,
                    "game": question.system,
                    "move": question.move,
                    "next": question.then,
                },
            )
        yield from self._people()
        closing_entries = {number: last + 1 for number, _, last in self._spans if last < book.head()}
        for span in session_spans(book):
            closed = closing_entries.get(span.number)
            facts = {"number": span.number, "title": span.title, "opened": span.first, "closed": closed}
            yield "sessions", {**facts, "date": span.date}
        yield (
            "campaign",
            {
                "id": 1,
                "title": book.title(),
                "made_for": "players" if self._for_players or lacks_secrets(book) else "GM",
                "entries": book.head(),
                "fingerprint": book.root(book.head()).hex(),
                "signing_key": book.mark(CAMPAIGN, KEY),
                "day": book.balance(CAMPAIGN, "day") or 0,
                "session": book.mark(CAMPAIGN, "session"),
            },
        )
        for table in TABLES:
            for column in table.columns:
                facts = {"table": table.name, "name": column.name, "type": column.kind, "comment": column.comment}
                yield "columns", facts

    def _people(self) -> Iterator[tuple[str, Row]]:
        book, cast, seats = self._book, {*self._book.cast()}, {*self._book.players()}
        owners = {who: book.player_of(who) for who in self._characters}
        known = {*self._players, *book.accounts.names_ever_set(PLAYERS), *self._entered_by}
        for handle in sorted(known | {owner for owner in owners.values() if owner}):
            name, is_gm = self._players.get(handle, handle), bool(book.mark(handle, "gm"))
            yield "players", {"handle": handle, "name": name, "is_gm": is_gm, "at_table": handle in seats}
        for who, owner in sorted(owners.items()):
            facts = {"name": WHOLE_TABLE if who == CAMPAIGN else book.name_of(who), "player": owner}
            npc = is_npc(book.mark(CAST, who))
            yield "characters", {"handle": who, **facts, "is_npc": npc, "in_play": who in cast}


NO_LINE: Mapping[str, Any] = dict.fromkeys(("deed", "verdict", "good", "result", "dice", "changes", SEARCH_COLUMN))
"""The columns that are NULL for an entry that is not the main entry of its action."""


def _overruled(book: Book) -> Iterator[tuple[int, int]]:
    """Yield each overruled entry, and the entry that overruled it."""
    for entry in book.journal.search((events.VerdictOverridden.type,), 1, ("about",)):
        if entry.about is not None and not book.is_struck(entry.act):
            yield entry.about, entry.seq


def _title(shown: Line) -> str:
    """Return the title of an action: one line, without the dice."""
    text = " ".join(filter(None, ("" if shown.who == CAMPAIGN else shown.who, shown.says)))
    deed = f" ({shown.deed})" if shown.deed else ""
    return f"{text}{deed}{f': {shown.verdict.says}' if shown.verdict else ''}"


def _details(entry: Entry) -> str:
    """Return the fields of an entry's event as JSON. Erased texts and closed secrets are null."""
    body = entry.as_json() if entry.type == events.RollSealed.type else entry.body
    facts = {name: value for name, value in body.items() if name not in NOT_DETAILS}
    return _json(_without_commitments(facts) if entry.has_words else facts)


def _without_commitments(value: Any) -> Any:
    if isinstance(value, dict):
        is_closed = len(value) == 1 and not {CommittedText.KEY, Secret.KEY}.isdisjoint(value)
        return None if is_closed else {name: _without_commitments(part) for name, part in value.items()}
    return [_without_commitments(part) for part in value] if isinstance(value, list | tuple) else value


def _score_rows(pages: Sequence[Sheet], balances: Mapping[tuple[str, str], int]) -> Iterator[tuple[str, Row]]:
    """Yield each score on the sheets `pages`, with its maximum, and all other scores in `balances`."""
    listed = {(page.who, page.system, score.name): score for page in pages for score in page.scores}
    others = {(who, *_game_and_name(full)): value for (who, full), value in balances.items()}
    for who, game, name in sorted(others | listed):
        score = listed.get((who, game, name))
        facts = {"value": others.get((who, game, name)) if score is None else score.value}
        more = {"maximum": score and score.most, "on_sheet": score is not None}
        yield "scores", {"character": who, "name": name, "game": game, **facts, **more}


def _game_and_name(full: str) -> tuple[str, str]:
    """Split the full name of a score into the game and the name. A score outside all games has the game ''."""
    game, slash, name = full.partition("/")
    return (game, name) if slash else ("", full)


def _mark_text(value: Any) -> str | None:
    if isinstance(value, dict) and Secret.KEY in value:
        return None
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
