"""Rebuild: derived tables that were deleted, falsified or dropped come back as they were; a journal that is not whole
is never laundered.
"""

import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import connection_of
from evenings import evening
from examples import examples
from laid import FILE, PLAYED, laid_out
from ledger.audit.verify import verify
from ledger.commands.at_table import Note
from ledger.commands.play import PlayMove
from ledger.corrections.undoing import Undo
from ledger.errors import LedgerError, NotGuarded, WrongEntry
from ledger.events.canonical import canonical_json
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book, open_book
from ledger.rebuild import rebuild
from ledger.systems.edge.moves_check import Check
from paths import GOLDEN
from projections.fold import with_recomputed_accounts
from projections.sheets import sheets, table_sheets
from table import every_game, scribe
from tampering import fields, rewritten, unguarded

DERIVED = ("postings", "marks", "nodes")
KEPT = ("entries", "words", "checkpoints")

CORRECTED = (
    *PLAYED,
    "dispute 10 --claim no",
    'amend 10 --skill 12 --why "it was 12" --cascade --yes',
    'void 15 --why "not so" --yes',
    "undo",
    "key rotate",
    "checkpoint",
)


def tables_of(connection: sqlite3.Connection, names: tuple[str, ...] = (*DERIVED, *KEPT)) -> dict[str, list[Any]]:
    rows = {name: connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2, 3, 4").fetchall() for name in names[:2]}
    rows |= {name: connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in names[2:]}
    return {**rows, "schema": sorted(connection.execute("SELECT name, sql FROM sqlite_schema").fetchall(), key=str)}


@pytest.fixture
def road(tmp_path: Path) -> Path:
    return laid_out(tmp_path, *CORRECTED)


DAMAGE = {
    **{f"{name} emptied": (f"DELETE FROM {name}",) for name in DERIVED},
    **{f"{name} dropped": (f"DROP TABLE {name}",) for name in DERIVED},
    "all dropped": tuple(f"DROP TABLE {name}" for name in DERIVED),
    "balances falsified": ("UPDATE postings SET balance = 9",),
    "amounts falsified": ("UPDATE postings SET amount = amount + 1 WHERE seq > 5",),
    "marks falsified": ("UPDATE marks SET value = '7'",),
    "marks that cannot be read": ("UPDATE marks SET value = 'junk'",),
    "marks that are no text": ("UPDATE marks SET value = CAST(x'ff' AS TEXT)",),
    "nodes falsified": ("UPDATE nodes SET hash = zeroblob(32)",),
    "an index dropped": ("DROP INDEX postings_late",),
    "another index": ("DROP INDEX postings_late", "CREATE INDEX postings_late ON postings (who)"),
    "a question too many": ("INSERT INTO waiting VALUES ('99')",),
    "questions that do not wait any more": ("DROP TRIGGER questions_wait",),
    "some stored values belong to no entry": ("INSERT INTO postings VALUES ('mara', 'edge/edge', 99, 99, 5, 9)",),
    "another table": ("DROP TABLE marks", "CREATE TABLE marks (who, name, since, seq, value)"),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_derived_tables_come_back_as_they_were_to_the_letter(road: Path, what: str) -> None:
    with open_book(str(road)) as book:
        before, root = tables_of(connection_of(book)), book.root(book.head())
        for statement in DAMAGE[what]:
            connection_of(book).execute(statement)
        with pytest.raises(
            LedgerError,
            match="The entries are intact, but the scores and lists computed from them are not",
        ):
            verify(book)
        made = rebuild(book)
        assert tables_of(connection_of(book)) == before
        assert (verify(book), book.root(book.head())) == (made, root)


LOOKS = {
    "it has no table postings": ("DROP TABLE postings", "sheets", "register mara edge", "edge rest mara short", "why mara edge"),
    "it has no table marks": ("DROP TABLE marks", "sheets", "log", "questions", "note x"),
    "it has no table waiting": ("DROP TABLE waiting", "questions"),
    "it has no table nodes": ("DROP TABLE nodes", "checkpoint", "prove 9"),
    "the check value that protects entry": ("DELETE FROM nodes", "prove 9"),
    "the stored changes to edge/edge for mara do not add up": ("UPDATE postings SET balance = 9 WHERE seq = 14", "register mara edge", "why mara edge"),
    "the stored changes to edge/strength for mara do not add up": ("UPDATE postings SET amount = amount + 1 WHERE score = 'edge/strength'", "register mara strength", "why mara strength"),
    "cannot be read": ("UPDATE marks SET value = 'junk'", "sheets", "log"),
    "contains something other than text": ("UPDATE marks SET value = CAST(x'ff' AS TEXT)", "sheets"),
    "mara is marked as having an open question, but there is no such question": ("INSERT INTO postings VALUES ('mara', 'hold', 90, 90, 1, 1)", "sheets", "edge rest mara short"),
}  # fmt: skip


@pytest.mark.parametrize("says", LOOKS)
def test_what_meets_a_damaged_table_says_so_in_place_of_an_empty_sheet(
    road: Path, type_in: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, says: str
) -> None:
    monkeypatch.chdir(road.parent)
    statement, *commands = LOOKS[says]
    with open_book(str(road)) as book:
        connection_of(book).execute(statement)
    for words in commands:
        result = type_in(words)
        assert (result.exit_code, result.stdout) == (6, ""), (words, result.output)
        assert says in result.stderr
        assert "campaign rebuild" in result.stderr
        assert "campaign verify" in result.stderr
    rebuilt = type_in("rebuild")
    assert rebuilt.exit_code == 0, rebuilt.output
    for words in commands:
        assert type_in(f"{words} --dry-run" if words.endswith("short") else words).exit_code == 0


WRONG = {
    "an entry": (unguarded("UPDATE entries SET leaf = zeroblob(32) WHERE seq = 11"), WrongEntry),
    "a word": (unguarded("UPDATE words SET text = 'x' WHERE seq = 11"), WrongEntry),
    "a missing entry": (unguarded("DELETE FROM entries WHERE seq = 11"), WrongEntry),
    "an entry before a checkpoint": (
        rewritten(10, lambda body: body.replace('"margin":4', '"margin":5')),
        LedgerError,
    ),
    "a guard": (lambda connection: connection.execute("DROP TRIGGER entries_stay"), NotGuarded),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_journal_that_is_not_whole_is_refused_and_nothing_is_changed(road: Path, what: str) -> None:
    tamper, error = WRONG[what]
    with open_book(str(road)) as book:
        unguarded("DELETE FROM postings WHERE seq = 13")(connection_of(book))
        tamper(connection_of(book))
        before = tables_of(connection_of(book))
        with pytest.raises(error):
            rebuild(book)
        assert tables_of(connection_of(book)) == before


def test_a_rebuild_that_is_interrupted_changes_nothing(road: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(entries: int) -> None:
        raise KeyboardInterrupt

    with open_book(str(road)) as book:
        connection_of(book).execute("DELETE FROM marks")
        before = tables_of(connection_of(book))
        with pytest.raises(KeyboardInterrupt):
            rebuild(book, interrupted)
        assert tables_of(connection_of(book)) == before


KILLED = """
import os, signal, sys
from ledger.journal.book import open_book
from ledger.rebuild import rebuild
with open_book(sys.argv[1]) as book:
    rebuild(book, lambda entries: os.kill(os.getpid(), signal.SIGKILL))
"""


def test_a_rebuild_that_is_killed_changes_nothing(road: Path) -> None:
    with open_book(str(road)) as book:
        connection_of(book).execute("DELETE FROM marks")
        before = tables_of(connection_of(book))
    killed = subprocess.run([sys.executable, "-c", KILLED, str(road)], check=False)
    assert killed.returncode == -signal.SIGKILL
    with open_book(str(road)) as book:
        assert tables_of(connection_of(book)) == before


def test_a_file_of_the_first_version_is_rebuilt_into_one_of_this(tmp_path: Path) -> None:
    shutil.copy(GOLDEN / "campaigns" / "v1.campaign", tmp_path / FILE)
    with open_book(str(tmp_path / FILE)) as book:
        before, root = tables_of(connection_of(book), ("postings", "marks", "words")), book.root(52)
        connection_of(book).execute("DELETE FROM postings")
        with pytest.raises(
            LedgerError,
            match="The entries are intact, but the scores and lists computed from them are not",
        ):
            verify(book)
        rebuild(book)
        after = tables_of(connection_of(book), ("postings", "marks", "words"))
        assert {name: after[name] for name in ("postings", "marks", "words")} == {
            name: before[name] for name in ("postings", "marks", "words")
        }
        assert (verify(book).entries, book.root(52)) == (52, root)


@examples(60)
@given(data=st.data())
def test_what_random_evenings_wrote_is_made_again_from_their_entries(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 4)
        evening(data.draw, book, 2, correcting=True)
        before = tables_of(connection_of(book))
        connection_of(book).execute("DELETE FROM postings")
        connection_of(book).execute("UPDATE marks SET value = NULL")
        rebuild(book)
        assert tables_of(connection_of(book)) == before


@examples(60)
@given(data=st.data())
def test_sheets_are_the_same_when_they_are_folded_from_the_entries(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 6)
        anew = with_recomputed_accounts(book)
        for seq in (*data.draw(st.lists(st.integers(1, book.head()), max_size=3)), book.head()):
            for corrected in (False, True):
                when = AsOf(seq=seq, corrected=corrected)
                assert shown(anew, when) == shown(book, when)


def shown(book: Book, when: AsOf) -> tuple[Any, Any]:
    return sheets(book, book.cast(when), when), table_sheets(book, when)


@pytest.mark.parametrize("words", ["sheets", "sheets mara --at 12", "sheets --at 12 --corrected", "sheets --json"])
def test_sheets_from_entries_need_no_tables_and_show_the_same_bytes(
    road: Path, type_in: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.chdir(road.parent)
    before = type_in(words)
    assert before.exit_code == 0
    with open_book(str(road)) as book:
        for table in DERIVED:
            connection_of(book).execute(f"DROP TABLE {table}")
    after = type_in(f"{words} --from-entries")
    assert (after.exit_code, after.stdout) == (0, before.stdout)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"marks": [{"who": "#struck"}]}, "is not a valid action-struck entry"),
        ({"marks": [], "postings": [{"who": "a", "score": "b", "amount": "x"}]}, "is not a valid action-struck entry"),
        ({"type": ["x"]}, "is not in the form of an entry"),
        ({"since": "8"}, "is not in the form of an entry"),
        ({"cause": True}, "is not in the form of an entry"),
    ],
)
def test_an_entry_that_is_none_is_refused_where_sheets_are_folded(wrong: dict[str, Any], says: str) -> None:
    with every_game() as book:
        scribe(book).write(Note(text="x"))
        scribe(book).write(Undo())
        rewritten(book.head(), fields(**wrong))(connection_of(book))
        with pytest.raises(WrongEntry, match=f"Entry {book.head()} {says}"):
            with_recomputed_accounts(book)


def test_an_entry_without_one_of_its_fields_is_refused() -> None:
    with every_game() as book:
        scribe(book).write(Note(text="x"))
        rewritten(book.head(), lambda body: body.replace('"cause":', '"causf":'))(connection_of(book))
        with pytest.raises(WrongEntry, match="is not in the form of an entry"):
            book.journal.entry(book.head())


def test_a_strike_of_what_has_no_number_strikes_nothing_where_sheets_are_folded() -> None:
    with every_game() as book:
        scribe(book).write(Note(text="x"))
        scribe(book).write(Undo())
        mark = {"who": "#struck", "name": "x", "value": book.head()}
        rewritten(book.head(), fields(marks=[mark]))(connection_of(book))
        assert not with_recomputed_accounts(book).is_struck(book.head() - 1)


def test_amounts_beyond_all_that_is_kept_are_refused_before_they_are_written() -> None:
    with every_game() as book:
        scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=11)), faces=(7, 6))
        ruling = book.journal.entry(book.head())
        facts = {"type": "xx", "system": "q", "who": "m", "facts": {}, "marks": []}
        for seq, postings in ((ruling.seq + 1, 500), (ruling.seq + 2, 1000)):
            amounts = [{"who": "m", "score": "q/z", "amount": 2**53 - 1}] * postings
            place = {"seq": seq, "since": seq, "at": ruling.at, "by": "p1", "act": ruling.act, "cause": ruling.seq}
            stored = canonical_json({**place, **facts, "once": None, "postings": amounts})
            book.journal.append(seq, stored)
        for whole in (verify, rebuild):
            with pytest.raises(WrongEntry, match=f"Entry {ruling.seq + 2} makes a score too large to record"):
                whole(book)
