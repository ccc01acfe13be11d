"""Verify: tampering of every kind is found, and named by its first entry."""

import sqlite3
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import connection_of
from evenings import evening
from examples import examples
from ledger.archive.backup import backup
from ledger.audit.report import audit
from ledger.audit.verify import FileCounts, verify, verify_part
from ledger.commands.at_table import Adjust, Note
from ledger.commands.custody import Erase
from ledger.commands.play import PlayMove
from ledger.corrections.answers import AssertScores, Decide, Dispute, Override
from ledger.corrections.undoing import Amend, Redo, Rewind, Undo, Void
from ledger.errors import Damaged, LedgerError, NotGuarded, TablesDiffer, WrongEntry
from ledger.events.canonical import canonical_json
from ledger.journal.book import Book, open_book
from ledger.rebuild import rebuild
from ledger.systems.edge.moves_check import Check
from table import every_game, hashed_anew, scribe
from tampering import Tamper, fields, rewritten, unguarded


@pytest.fixture
def played(book: Book) -> Book:
    """A campaign of 7 entries, then: 8 9 notes, 10 11 12 a check with edge, 13 an adjustment, 14 its undo, 15 a note."""
    hand = scribe(book)
    hand.write(Note(text="eight"))
    hand.write(Note(text="nine"))
    hand.write(PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True, drop=3)), faces=(7, 3, 7))
    hand.write(Adjust(who="mara", amounts={"edge/edge": -1}, why="thirteen"))
    hand.write(Undo())
    hand.write(Note(text="fifteen"))
    assert book.journal.head() == 15
    return book


def found_at(book: Book, tamper: Tamper, seq: int, says: str) -> None:
    """Tamper with a book; `verify` names the entry, and says what is wrong with it."""
    tamper(connection_of(book))
    with pytest.raises(WrongEntry) as found:
        verify(book)
    assert (found.value.seq, says in found.value.sentence) == (seq, True), found.value.sentence


TAMPERING: list[tuple[str, Tamper, int, str]] = [
    ("a body", unguarded("UPDATE entries SET body = replace(body, 'mara', 'brak') WHERE seq = 11"), 11, "hash"),
    ("a leaf", unguarded("UPDATE entries SET leaf = zeroblob(32) WHERE seq = 11"), 11, "hash"),
    ("a mark hashed anew", rewritten(5, lambda b: b.replace('"value":true', '"value":false')), 5, "stored values"),
    ("an entry in the middle", unguarded("DELETE FROM entries WHERE seq = 11"), 11, "missing"),
    ("the first entry", unguarded("DELETE FROM entries WHERE seq = 1"), 1, "missing"),
    ("the tail", unguarded("DELETE FROM entries WHERE seq >= 14"), 14, "text for entry 15"),
    ("the tail, which had only words", unguarded("DELETE FROM entries WHERE seq = 15"), 15, "text for entry 15"),
    ("everything", unguarded("DELETE FROM entries", "DELETE FROM postings", "DELETE FROM marks"), 1, "the record has no entries"),
    ("white space", rewritten(9, lambda b: b.replace(":", ": ", 1)), 9, "not in the program's exact format"),
    ("a key twice", rewritten(9, lambda b: b.replace('"act"', '"act":9,"act"', 1)), 9, "cannot be read, because it breaks the rules of the file format"),
    ("a float", rewritten(13, lambda b: b.replace('"amount":-1', '"amount":-1.0')), 13, "it breaks the rules"),
    ("the clock", rewritten(15, fields(at="2026-11-20T19:29:59Z")), 15, "an earlier time"),
    ("a clock that agrees", rewritten(15, fields(clock="2026-11-20T19:30:00Z")), 15, "has an invalid clock reading"),
    ("a clock that is not a time", rewritten(15, fields(clock="0" * 20)), 15, "has an invalid clock reading"),
    ("a clock within an action", rewritten(12, fields(clock="2026-11-20T19:29:00Z")), 12, "has a clock reading that differs from the rest"),
    ("a line of an earlier action", rewritten(15, fields(line=13)), 15, "is recorded as part of a typed line that it does not belong to"),
    ("a line that is not the whole action's", rewritten(12, fields(line=11)), 12, "belongs to a different typed line than the rest of its action"),
    ("a line that is not a number", rewritten(15, fields(line="x")), 15, "is not"),
    ("an unknown field", rewritten(15, fields(more=1)), 15, "is not a valid note-written entry"),
    ("a field of another type", rewritten(13, fields(who=7)), 13, "is not a valid score-adjusted entry"),
    ("the type", rewritten(15, fields(type="session-closed")), 15, "is not a valid session-closed entry"),
    ("no type", rewritten(15, fields(type=7)), 15, "has no type"),
    ("its action", rewritten(11, fields(act=9)), 11, "does not belong to the current action"),
    ("its since", rewritten(11, fields(since=12)), 11, "takes effect from a later entry"),
    ("its cause", rewritten(12, fields(cause=12)), 12, "names a cause that does not come earlier in the same action"),
    ("words", unguarded("UPDATE words SET text = 'ten' WHERE seq = 9"), 9, "has a text that differs"),
    ("a salt", unguarded("UPDATE words SET salt = zeroblob(32) WHERE seq = 9"), 9, "has a text that differs"),
    ("words that are gone", unguarded("DELETE FROM words WHERE seq = 9"), 9, "lost its text"),
    ("words too many", unguarded("INSERT INTO words VALUES (11, 'why', zeroblob(32), 'x')"), 11, "has an extra text that does not belong to it (why)"),
    ("two things", unguarded("UPDATE words SET text = 'x' WHERE seq = 15", "UPDATE postings SET amount = 9 WHERE seq = 12"), 15, "has a text that differs"),
    ("its title", rewritten(1, lambda b: b.replace("campaign-opened", "scene-set").replace('"format":1,"key":null,', "")), 1, "should open the campaign, but does not"),
    ("a second opening", rewritten(15, lambda b: b.replace("note-written", "campaign-opened").replace('"text":', '"format":1,"title":').replace("once", "once")), 15, "not in the program's exact format"),
    ("the hand that wrote", rewritten(15, fields(by="p9")), 15, "who is not a player here"),
    ("what a strike strikes", rewritten(14, fields(strikes=11)), 14, "not an earlier action"),
    ("a strike of nothing", rewritten(14, lambda b: b.replace('"name":"13"', '"name":"x"')), 14, "not an earlier action"),
    ("a strike of itself", rewritten(14, lambda b: b.replace('"name":"13"', '"name":"14"').replace('"strikes":13', '"strikes":14')), 14, "not an earlier action"),
    ("the throw of a ruling", rewritten(11, fields(throws=[12])), 11, "dice that were not rolled"),
    ("the face of a die", rewritten(11, lambda b: b.replace('"face":3', '"face":4')), 11, "dice that were not rolled"),
    ("a face that no die has", rewritten(10, lambda b: b.replace('"face":3', '"face":33')), 10, "has a die that shows an impossible number"),
    ("what it answers", rewritten(11, fields(answers=1)), 11, "not a question"),
    ("a cause elsewhere", rewritten(12, fields(cause=1)), 12, "does not come earlier in the same action"),
    ("a time that is none", rewritten(15, fields(at="z" * 20)), 15, "has no valid time"),
    ("a seat that is none", rewritten(3, lambda b: b.replace('"p2"', '"pX"')), 3, "sets a value that cannot exist"),
    ("an earlier since", rewritten(15, fields(since=2)), 15, "added the GM"),
]  # fmt: skip


@pytest.fixture
def corrected(played: Book) -> Book:
    """The same, then: 16 a dispute of 11, 17 18 19 20 an amendment of it, 21 an assertion, 22 a rewind, 23 its strike."""
    hand = scribe(played)
    hand.write(Dispute(about=11, player="p2", claim="no"))
    hand.write(Amend(named=11, inputs={"skill": 12}, faces=None, cascade=False, why="so"))
    hand.write(AssertScores(who="mara", claimed={"edge/edge": 3}))
    hand.write(Rewind(to=9))
    assert played.journal.head() == 23
    return played


CORRECTIONS: list[tuple[str, Tamper, int, str]] = [
    ("a place that was not struck", rewritten(19, fields(since=9)), 19, "takes the place of an earlier entry, but its action did not cancel that entry"),
    ("a note that counts earlier", rewritten(16, fields(since=10)), 16, "takes the place of an earlier entry, but its action did not cancel that entry"),
    ("a dispute of what comes later", rewritten(16, fields(about=17)), 16, "refers to itself or to a later entry"),
    ("an amendment of nothing", rewritten(17, fields(about=17)), 17, "refers to itself or to a later entry"),
    ("a rewind into the future", rewritten(22, fields(to=22)), 22, "refers to itself or to a later entry"),
    ("an assertion of what did not stand", rewritten(21, fields(stood={"edge/edge": 4}, claimed={"edge/edge": 4})), 21, "was 4, but it was not"),
    ("an assertion of something else", rewritten(21, fields(stood={"edge/maximum": 4})), 21, "has stored values that do not match its content"),
    ("an amended die", rewritten(19, lambda b: b.replace('"face":3', '"face":4')), 19, "dice that were not rolled"),
    ("a dispute that does not wait", rewritten(16, fields(marks=[])), 16, "has stored values that do not match its content"),
    ("a dispute of nobody", rewritten(16, fields(player="p77")), 16, "p77, who is not a player here"),
    ("an amendment that strikes nothing", unguarded("DELETE FROM entries WHERE seq > 17", "DELETE FROM words WHERE seq > 17", "DELETE FROM postings WHERE seq > 17", "DELETE FROM marks WHERE seq > 17"), 17, "is a correction, but cancels nothing"),
    ("an amendment without its strike", rewritten(18, fields(cause=None)), 18, "does not match the correction that caused it"),
    ("an assertion that held and did not", rewritten(21, lambda b: b.replace('"claimed":{"edge/edge":3}', '"claimed":{"edge/edge":2}')), 21, "has stored values that do not match its content"),
    ("an assertion marked otherwise", rewritten(21, fields(marks=[])), 21, "stored values that do not match its content"),
    ("an assertion of another score", rewritten(21, fields(stood={"edge/maximum": 3}, marks=[{"who": "#questions", "name": "21", "value": False}])), 21, "compares two different scores: one on the paper sheet, another in the record"),
    ("a strike under another number", rewritten(18, lambda b: b.replace('"value":18', '"value":17')), 18, "not an earlier action"),
    ("a mark that is not its own", rewritten(16, lambda b: b.replace("#about", "#struck").replace("10:16", "10")), 16, "has stored values that do not match its content (#about 10:16)"),
    ("a note about what comes later", rewritten(15, fields(about=16)), 15, "refers to itself or to a later entry"),
    ("a note about another entry", rewritten(15, fields(about=11)), 15, "has stored values that do not match its content (#about 10:15)"),
    ("whom a dispute is about", rewritten(16, lambda b: b.replace('"10:16"', '"10-16"')), 16, "sets a value that cannot exist"),
]  # fmt: skip


@pytest.mark.parametrize("players", [["p77"], ["p2", "p2"]])
def test_a_secret_note_for_nobody_or_for_somebody_twice_is_found(played: Book, players: list[str]) -> None:
    scribe(played).write(Note(text="sixteen", players=("p2",)))
    says = "names a player twice, or names somebody who is not a player here"
    found_at(played, rewritten(16, fields(players=players)), 16, says)


@pytest.mark.parametrize(("what", "tamper", "seq", "says"), CORRECTIONS, ids=[each[0] for each in CORRECTIONS])
def test_tampering_with_corrections_is_found(corrected: Book, what: str, tamper: Tamper, seq: int, says: str) -> None:
    assert verify(corrected).entries == 23
    found_at(corrected, tamper, seq, says)


@pytest.mark.parametrize(("what", "tamper", "seq", "says"), TAMPERING, ids=[each[0] for each in TAMPERING])
def test_tampering_is_found_and_named_by_its_first_entry(
    played: Book, what: str, tamper: Tamper, seq: int, says: str
) -> None:
    assert verify(played).entries == 15
    tamper(connection_of(played))
    with pytest.raises(WrongEntry) as found:
        verify(played)
    assert (found.value.seq, says in found.value.sentence) == (seq, True), found.value.sentence
    ending = f"; the last good entry is {seq - 1}." if seq > 1 else "; there is no earlier entry."
    assert found.value.sentence.startswith(f"Entry {seq} ")
    assert found.value.sentence.endswith(ending)


GUARDS: list[tuple[str, Tamper, str]] = [
    ("a trigger", lambda c: c.execute("DROP TRIGGER entries_stay"), "entries_stay"),
    ("a weaker trigger", lambda c: (c.execute("DROP TRIGGER entries_stay"), c.execute("CREATE TRIGGER entries_stay BEFORE UPDATE ON entries WHEN 0 BEGIN SELECT 1; END")), "entries_stay"),
    ("a guard and an entry", lambda c: (c.execute("DROP TRIGGER entries_stay"), c.execute("UPDATE entries SET leaf = zeroblob(32) WHERE seq = 11")), "entries_stay"),
    ("a foreign trigger", lambda c: c.execute("CREATE TRIGGER mine AFTER INSERT ON words BEGIN SELECT 1; END"), "mine"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "tamper", "name"), GUARDS, ids=[each[0] for each in GUARDS])
def test_a_file_whose_guards_were_changed_is_said_to_be_so(played: Book, what: str, tamper: Tamper, name: str) -> None:
    tamper(connection_of(played))
    with pytest.raises(NotGuarded, match=name):
        verify(played)


ENDLESS = "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT"
VIEWS: dict[str, tuple[str, ...]] = {
    "nodes": ("DROP TABLE nodes", f"CREATE VIEW nodes(level, place, hash) AS {ENDLESS} n, n, zeroblob(32) FROM x"),
    "checkpoints": ("DROP TABLE checkpoints", f"CREATE VIEW checkpoints(size, note) AS {ENDLESS} n, '' FROM x"),
    "entries": (
        "ALTER TABLE entries RENAME TO mine",
        f"CREATE VIEW Entries(seq, body, leaf) AS {ENDLESS} n, '{{}}', zeroblob(32) FROM x",
    ),
}


@pytest.mark.parametrize("what", VIEWS)
def test_a_view_without_an_end_in_the_place_of_a_table_is_not_read(played: Book, what: str) -> None:
    connection = connection_of(played)
    ((_, _, file),) = connection.execute("PRAGMA database_list").fetchall()
    for statement in VIEWS[what]:
        connection.execute(statement)
    with pytest.raises(NotGuarded):
        verify(played)
    connection.close()
    with pytest.raises(NotGuarded):
        open_book(file)


def test_an_added_view_does_not_stop_verify(played: Book, tmp_path: Path) -> None:
    ((_, _, file),) = connection_of(played).execute("PRAGMA database_list").fetchall()
    connection_of(played).executescript("CREATE VIEW mine AS SELECT * FROM postings; ANALYZE")
    with open_book(file) as again:
        assert verify(again).entries == 15
        assert rebuild(again).entries == 15
        assert backup(again, str(tmp_path / "copy")).entries == 15
        assert audit(again, "2026-11-22").also_holds == ("mine", "sqlite_stat1")
    with open_book(str(tmp_path / "copy")) as copy:
        assert copy.journal.storage.foreign_names() == ["mine", "sqlite_stat1"]


def schema_of(connection: sqlite3.Connection, table: str) -> str:
    (sql,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    return str(sql)


def said_of(connection: sqlite3.Connection, name: str, sql: str) -> None:
    """Say of a table or an index that it was made so, whatever it is; who opens the file next believes it."""
    connection.execute("PRAGMA writable_schema = RESET")
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, name))
    connection.execute("PRAGMA writable_schema = RESET")


def loosened(table: str, script: str) -> Tamper:
    """Let a table take what it does not take, and say then that it never did."""

    def tamper(connection: sqlite3.Connection) -> None:
        sql = schema_of(connection, table)
        said_of(connection, table, sql.replace("STRICT, WITHOUT", "WITHOUT").replace(") STRICT", ")"))
        connection.execute("PRAGMA ignore_check_constraints = ON")
        unguarded(*script.split("; "))(connection)
        connection.execute("PRAGMA ignore_check_constraints = OFF")
        said_of(connection, table, sql)

    return tamper


def keyed_otherwise(connection: sqlite3.Connection) -> None:
    """Lay the rows of the accounts in another order than they are looked for, so that a sheet shows another number."""
    table, index = schema_of(connection, "postings"), schema_of(connection, "postings_late")
    rows = connection.execute("SELECT * FROM postings").fetchall()
    connection.execute("DROP TABLE postings")
    connection.execute(table.replace("score, seq, since)", "score, seq DESC, since)"))
    connection.executemany("INSERT INTO postings VALUES (?, ?, ?, ?, ?, ?)", rows)
    connection.execute(index)
    said_of(connection, "postings", table)


def no_json(connection: sqlite3.Connection) -> None:
    names = ("entries_once", "entries_late", "entries_clock")
    indexes = [schema_of(connection, name) for name in names]
    gone, back = (f"DROP INDEX {name}" for name in names), (f"CREATE INDEX {name} ON entries (seq)" for name in names)
    loosened("entries", "; ".join([*gone, "UPDATE entries SET body = 'nonsense' WHERE seq = 15", *back]))(connection)
    for name, index in zip(names, indexes, strict=True):
        said_of(connection, name, index)


def indexed_otherwise(connection: sqlite3.Connection) -> None:
    index = schema_of(connection, "postings_late")
    connection.execute("DROP INDEX postings_late")
    connection.execute(index.replace("since < seq", "since > seq"))
    said_of(connection, "postings_late", index)


DAMAGE: list[tuple[str, Tamper, str]] = [
    ("words that are no text", unguarded("UPDATE words SET text = CAST(x'ff' AS TEXT) WHERE seq = 9"), "column 'text' contains something other than text"),
    ("a checkpoint that is no text", unguarded("INSERT INTO checkpoints VALUES (9, CAST(x'ff' AS TEXT))"), "column 'note' contains something other than text"),
    ("a salt that is a number", loosened("words", "UPDATE words SET salt = 7 WHERE seq = 9"), "words"),
    ("words that are bytes", loosened("words", "UPDATE words SET text = x'00' WHERE seq = 9"), r"non-TEXT value in words\.text"),
    ("a body that is no JSON", no_json, "an entry is not JSON"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "tamper", "says"), DAMAGE, ids=[each[0] for each in DAMAGE])
def test_what_lies_in_the_file_otherwise_than_its_tables_say_is_damage(
    played: Book, what: str, tamper: Tamper, says: str
) -> None:
    assert verify(played).entries == 15
    tamper(connection_of(played))
    with pytest.raises(Damaged, match=says):
        verify(played)


DERIVED: list[tuple[str, Tamper, str]] = [
    ("a posting hashed anew", rewritten(12, lambda b: b.replace('"amount":-1', '"amount":-2')), "the score changes stored for entry 12 do not match this entry"),
    ("a balance", unguarded("UPDATE postings SET balance = 9 WHERE seq = 12"), "the score changes stored for entry 12 do not match this entry"),
    ("an amount", unguarded("UPDATE postings SET amount = 9 WHERE seq = 13"), "the score changes stored for entry 13 do not match this entry"),
    ("a posting that was never written", unguarded("INSERT INTO postings VALUES ('mara', 'edge/edge', 11, 11, 5, 9)"), "the score changes stored for entry 11 do not match this entry"),
    ("a posting that was deleted", unguarded("DELETE FROM postings WHERE seq = 14"), "the score changes stored for entry 14 do not match this entry"),
    ("a mark", unguarded("UPDATE marks SET value = '7' WHERE seq = 14"), "the values stored for entry 14 do not match this entry"),
    ("a mark that was never written", unguarded("INSERT INTO marks VALUES ('mara', 'edge/care', 12, 12, 'true')"), "the values stored for entry 12 do not match this entry"),
    ("a mark that is no JSON", unguarded("UPDATE marks SET value = 'junk' WHERE seq = 4"), "the values stored for entry 4 do not match this entry"),
    ("a mark that is no text", unguarded("UPDATE marks SET value = CAST(x'ff' AS TEXT) WHERE seq = 4"), "column 'value' contains something other than text"),
    ("a name that is no text", unguarded("UPDATE postings SET who = CAST(x'ff' AS TEXT) WHERE seq = 12"), "column 'who' contains something other than text"),
    ("a level that is a text", loosened("nodes", "UPDATE nodes SET level = 'x' WHERE level = 2"), r"non-INTEGER value in nodes\.level"),
    ("an amount that is a text", loosened("postings", "UPDATE postings SET amount = 'x' WHERE seq = 12"), r"non-INTEGER value in postings\.amount"),
    ("rows in another order", keyed_otherwise, "its internal structure is broken"),
    ("an index of other rows", indexed_otherwise, "its internal structure is broken"),
    ("a node", unguarded("UPDATE nodes SET hash = zeroblob(32) WHERE level = 1 AND place = 1"), "the fingerprints \\(hashes\\) stored with entry 4 do not match"),
    ("a node of no leaf", unguarded("INSERT INTO nodes VALUES (9, 9, zeroblob(32))"), "some stored values belong to no entry"),
    ("a posting of no entry", unguarded("INSERT INTO postings VALUES ('mara', 'edge/edge', 99, 99, 5, 9)"), "some stored values belong to no entry"),
    ("no postings", lambda c: c.execute("DROP TABLE postings"), "it has no table postings"),
    ("a question that waits", unguarded("INSERT INTO waiting VALUES ('9')"), "its list of open questions does not match the questions that are marked as open"),
    ("no trigger", lambda c: c.execute("DROP TRIGGER questions_wait"), "it has no trigger questions_wait"),
    ("no index", lambda c: c.execute("DROP INDEX postings_late"), "it has no index postings_late"),
    ("another index", lambda c: (c.execute("DROP INDEX postings_late"), c.execute("CREATE INDEX postings_late ON postings (who)")), "the index postings_late was changed"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "tamper", "says"), DERIVED, ids=[each[0] for each in DERIVED])
def test_derived_tables_that_differ_are_told_from_a_journal_that_is_not_whole(
    played: Book, what: str, tamper: Tamper, says: str
) -> None:
    assert verify(played).entries == 15
    tamper(connection_of(played))
    with pytest.raises(
        TablesDiffer,
        match=f"The entries are intact, but the scores and lists computed from them are not: .*{says}",
    ):
        verify(played)
    unguarded("UPDATE words SET text = 'ten' WHERE seq = 9")(connection_of(played))
    with pytest.raises(WrongEntry, match="Entry 9 has a text that differs from the original"):
        verify(played)


def test_strikes_of_strikes_are_worked_out_in_a_few_looks_each(book: Book) -> None:
    scribe(book).write(Note(text="x"))
    first, chain = book.head(), 60
    read: list[str] = []
    with book.journal.writing():
        for seq in range(first + 1, first + 1 + chain):
            place = {"seq": seq, "since": seq, "act": seq, "cause": None, "by": "p1", "once": None}
            strike = {"type": "action-struck", "strikes": seq - 1, "how": "void", "why": None, "postings": []}
            mark = {"who": "#struck", "name": str(seq - 1), "value": seq}
            body = {**place, **strike, "at": "2026-11-20T19:30:00Z", "marks": [mark]}
            book.journal.append(seq, canonical_json(body))
            connection_of(book).set_trace_callback(read.append if seq == first + chain else None)
            book.accounts.post(body)
        connection_of(book).set_trace_callback(None)
    assert chain < sum(line.startswith("SELECT") for line in read) < 10 * chain
    stands = [book.mark("#struck", str(act)) is None for act in range(first, first + 1 + chain)]
    assert stands == [act % 2 == chain % 2 for act in range(1 + chain)]
    assert verify(book).entries == first + chain


def test_sums_beyond_all_numbers_are_named_by_their_entry(played: Book) -> None:
    posting = {"who": "m", "score": "edge/s", "amount": 2**53 - 1}
    found_at(played, rewritten(12, fields(postings=[posting] * 513)), 12, "makes a score too large to record")


@pytest.mark.parametrize("table", ["entries", "words", "checkpoints"])
def test_a_table_that_cannot_be_made_again_and_is_gone_is_damage(played: Book, table: str) -> None:
    connection_of(played).execute(f"DROP TABLE {table}")
    with pytest.raises(Damaged, match=f"it has no table {table}"):
        verify(played)


def test_words_whose_table_is_gone_are_not_read(played: Book) -> None:
    connection_of(played).execute("DROP TABLE words")
    with pytest.raises(Damaged, match="it has no table words"), played.journal.reading():
        played.words.texts_of(9)


def test_verify_sees_the_file_as_it_was_when_it_began(played: Book) -> None:
    ((_, _, file),) = connection_of(played).execute("PRAGMA database_list").fetchall()
    with open_book(file) as other:
        notes = iter([Note(text="meanwhile")])

        def meanwhile(entries: int) -> None:
            for note in notes:
                scribe(other).write(note)

        assert verify(played, meanwhile).entries == 15
    assert verify(played).entries == 16


def test_what_was_rewritten_throughout_is_whole_too(played: Book) -> None:
    """The limit that `verify` states: only what others keep of the file can prove more."""
    for seq in (10, 11):
        rewritten(seq, lambda body: body.replace('"face":7', '"face":8'))(connection_of(played))
    with pytest.raises(TablesDiffer, match="the fingerprints \\(hashes\\) stored with entry 10 do not match"):
        verify(played)
    hashed_anew(played.journal)
    assert verify(played).entries == 15


def test_a_damaged_page_is_found(played: Book, tmp_path: Path) -> None:
    ((_, _, file),) = connection_of(played).execute("PRAGMA database_list").fetchall()
    connection_of(played).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    played.close()
    stored = bytearray(Path(file).read_bytes())
    stored[4096 : 4096 + 512] = b"\xff" * 512
    damaged = tmp_path / "damaged.campaign"
    damaged.write_bytes(stored)
    with pytest.raises(Damaged), open_book(str(damaged)) as book:
        verify(book)


def test_verify_says_how_far_it_is(played: Book) -> None:
    seen: list[int] = []
    hand = scribe(played)
    with connection_of(played):
        for _ in range(1000):
            hand.write(Note(text="on and on"))
    assert verify(played, seen.append).words == 1007
    assert seen == [1] * 1015


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET body = body",
        "DELETE FROM entries WHERE seq = 9",
        "INSERT OR REPLACE INTO entries SELECT * FROM entries WHERE seq = 9",
        "INSERT INTO entries VALUES (17, '{\"seq\":17}', zeroblob(32))",
        "INSERT INTO entries VALUES (16, '{\"seq\":17}', zeroblob(32))",
        "INSERT INTO entries VALUES (16, '{\"seq\":16}', zeroblob(31))",
        "REPLACE INTO entries VALUES (15, '{\"seq\":15}', zeroblob(32))",
    ],
)
def test_the_file_keeps_honest_programs_honest(played: Book, statement: str) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        connection_of(played).execute(statement)
    assert verify(played).entries == 15


@pytest.fixture
def asked(book: Book) -> Book:
    """8 9 10 a check with edge, 11 its dispute, 12 the decision; 13 an adjustment, 14 15 16 it is amended, 17 and 18 what that asks."""
    hand = scribe(book)
    hand.write(PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True, drop=3)), faces=(7, 3, 7))
    hand.write(Dispute(about=9, player="p2", claim="no"))
    hand.write(Decide(question=11, choice="uphold", why="so", inputs={}, faces=None, cascade=False))
    hand.write(Adjust(who="brak", amounts={"edge/maximum": 1}, why="so"))
    hand.write(Adjust(who="brak", amounts={"edge/edge": 2}, why="so"))
    hand.write(Void(strikes=13, why="so"))
    hand.write(Undo())
    hand.write(Redo())
    hand.write(Override(about=9, verdict="x", good=None, why="so"))
    return book


FORGED: list[tuple[str, Tamper, int, str]] = [
    ("a decision that nobody knows", rewritten(12, fields(choice="foo")), 12, "gives a decision that the question does not allow"),
    ("a decision of no question", rewritten(12, fields(question=10)), 12, "answers an entry that is not a question"),
    ("a decision made twice", rewritten(12, fields(question=13)), 12, "not a question"),
    ("a limit that was not crossed", rewritten(16, fields(value=9)), 16, "was 9, but it was not"),
    ("a redo of what was not undone", rewritten(18, lambda b: b.replace('"strikes":17', '"strikes":14').replace('"name":"17"', '"name":"14"')), 18, "restores an action that was not undone"),
    ("an override of a note", rewritten(19, fields(about=8)), 19, "is about an entry of the wrong type (dice-thrown)"),
    ("a strike of the opening", rewritten(15, lambda b: b.replace('"strikes":13', '"strikes":1').replace('"name":"13"', '"name":"1"')), 15, "not an earlier action"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "tamper", "seq", "says"), FORGED, ids=[each[0] for each in FORGED])
def test_forged_decisions_are_found(asked: Book, what: str, tamper: Tamper, seq: int, says: str) -> None:
    assert verify(asked).entries == 19
    found_at(asked, tamper, seq, says)


def test_a_question_that_was_answered_is_not_answered_again(asked: Book) -> None:
    hand = scribe(asked)
    hand.write(Dispute(about=9, player="p2", claim="no"))
    hand.write(Decide(question=20, choice="uphold", why="so", inputs={}, faces=None, cascade=False))
    rewritten(21, lambda b: b.replace('"question":20', '"question":11').replace('"name":"20"', '"name":"11"'))(
        connection_of(asked)
    )
    with pytest.raises(WrongEntry, match="answers #11, which was not open"):
        verify(asked)


# In parts


def parts(book: Book, cuts: list[int]) -> list[FileCounts]:
    """Verify the parts between these entries, each of which starts an action."""
    firsts = [1, *cuts]
    lasts = [*(cut - 1 for cut in cuts), None]
    return [verify_part(book, first, last) for first, last in zip(firsts, lasts, strict=True)]


def sums(counted: list[FileCounts]) -> FileCounts:
    """The counts of all parts together."""
    return FileCounts(**{name: sum(getattr(each, name) for each in counted) for name in vars(counted[0])})


@examples(60)
@given(data=st.data())
def test_the_parts_of_an_intact_file_are_intact_and_their_counts_add_up(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 9)
        starts = [entry.seq for entry in book.journal.entries(2) if entry.act == entry.seq]
        cuts = sorted(data.draw(st.sets(st.sampled_from(starts), max_size=4)))
        assert sums(parts(book, cuts)) == verify(book)


@pytest.mark.parametrize(("what", "tamper"), [(row[0], row[1]) for row in (*TAMPERING, *CORRECTIONS)])
def test_what_one_pass_finds_is_found_in_parts(corrected: Book, what: str, tamper: Tamper) -> None:
    starts = [entry.seq for entry in corrected.journal.entries(2) if entry.act == entry.seq]
    tamper(connection_of(corrected))
    with pytest.raises(LedgerError):
        verify(corrected)
    for seed in range(8):
        random = Random(seed)  # noqa: S311  not for secrets
        cuts = sorted(random.sample(starts, random.randint(1, 4)))
        with pytest.raises(LedgerError):
            parts(corrected, cuts)


def test_a_node_whose_number_is_too_large_for_a_column_belongs_to_a_part(played: Book) -> None:
    assert verify_part(played, 1, 4).entries == 4
    connection_of(played).execute(f"INSERT INTO nodes VALUES (2, {2**62}, zeroblob(32))")  # 4 in 64 bits
    with pytest.raises(TablesDiffer, match="belong to no entry"):
        verify_part(played, 1, 4)


def test_a_part_knows_the_texts_that_were_erased_before_it(played: Book) -> None:
    for seq in (8, 9):
        scribe(played).write(Erase(entries=(seq,)))
    assert verify_part(played, 17).entries == 1
    rewritten(17, lambda body: body.replace('"9":', '"8":'))(connection_of(played))
    with pytest.raises(WrongEntry, match="erases texts that #8 did not have"):
        verify_part(played, 17)
