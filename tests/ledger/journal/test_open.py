"""The campaign's file: made, opened, refused; and one file as each version left it."""

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from engine import connection_of, full_disk
from laid import nobody
from ledger import systems
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, Note, OpenSession
from ledger.commands.roll import Roll
from ledger.errors import (
    Busy,
    Damaged,
    DiskRefused,
    NewerCampaign,
    NoCampaign,
    NotACampaign,
    TablesDiffer,
    Unreadable,
    WrongEntry,
)
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book, open_book
from ledger.journal.opening import APPLICATION_ID
from ledger.journal.schema import NEWEST_VERSION, SCHEMA_VERSION
from ledger.journal.store import engine_for
from ledger.rebuild import rebuild
from paths import GOLDEN
from projections.log import lines
from projections.questions import questions
from projections.register import register_lines
from projections.sheets import sheets
from table import opened_book, scribe

SYNCED = ("synchronous", "fullfsync", "checkpoint_fullfsync")
"""On a Mac, `fsync` alone leaves what was written in the disk's own memory."""

KEPT = sorted((GOLDEN / "campaigns").glob("*.campaign"))


def test_a_new_file_is_a_campaign_in_wal_mode_with_full_syncs(book: Book) -> None:
    connection = connection_of(book)
    pragmas = {
        name: connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("application_id", "user_version", "journal_mode", *SYNCED)
    }
    assert pragmas == {
        "application_id": APPLICATION_ID,
        "user_version": SCHEMA_VERSION,
        "journal_mode": "wal",
        "synchronous": 3,
        "fullfsync": 1,
        "checkpoint_fullfsync": 1,
    }


def test_the_campaign_is_one_whole_file_whenever_nobody_writes(book: Book, tmp_path: Path) -> None:
    scribe(book).write(Note(text="x"))
    book.close()
    assert [path.name for path in tmp_path.iterdir()] == ["road.campaign"]
    with open_book(str(tmp_path / "road.campaign")) as again:
        verify(again)
    assert [path.name for path in tmp_path.iterdir()] == ["road.campaign"]


def test_what_is_no_campaign_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a database at all, but long enough to look like one" * 20)
    (tmp_path / "empty").write_bytes(b"")
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE t (x)")
    other.close()
    (tmp_path / "cut").write_bytes((tmp_path / "other.db").read_bytes()[:60])
    with pytest.raises(NoCampaign):
        open_book(str(tmp_path / "missing"))
    for name in ("text", "empty", "other.db", "cut", "."):
        with pytest.raises(NotACampaign):
            open_book(str(tmp_path / name))


def test_a_file_that_is_removed_while_it_is_opened_is_missing(
    book: Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book.close()
    file = tmp_path / "road.campaign"

    def removed(_: str, __: int) -> bool:
        file.unlink()
        return True

    monkeypatch.setattr("ledger.journal.opening.access", removed)
    with pytest.raises(NoCampaign):
        open_book(str(file))


def test_a_newer_file_than_the_program_is_refused_with_a_sentence(book: Book, tmp_path: Path) -> None:
    connection_of(book).execute(f"PRAGMA user_version = {NEWEST_VERSION + 1}")
    with pytest.raises(
        NewerCampaign,
        match=r"newer version of the program wrote this campaign \(format 6; this version reads formats up to 5\)\.",
    ):
        open_book(str(tmp_path / "road.campaign"))


def test_a_name_with_signs_that_mean_something_in_an_address_is_only_a_name(tmp_path: Path) -> None:
    file = str(tmp_path / "50%41 off? #1 & more.campaign")
    opened_book(file).close()
    assert [path.name for path in tmp_path.iterdir()] == ["50%41 off? #1 & more.campaign"]
    with open_book(file) as book:
        assert book.title() == "The salt road"


@pytest.fixture
def foreign(book: Book) -> Iterator[Path]:
    """A campaign in a folder where others may look."""
    ((_, _, file),) = connection_of(book).execute("PRAGMA database_list").fetchall()
    book.close()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "road.campaign"
        path.write_bytes(Path(file).read_bytes())
        Path(folder).chmod(0o755)
        yield path
        Path(folder).chmod(0o700)


def test_a_file_that_must_not_be_read_is_refused(foreign: Path) -> None:
    foreign.chmod(0)
    with nobody(), pytest.raises(NotACampaign, match="cannot be read"):
        open_book(str(foreign))


def test_a_campaign_that_the_disk_cannot_take_leaves_nothing_behind(tmp_path: Path) -> None:
    with full_disk(), pytest.raises(DiskRefused), engine_for(str(tmp_path / "a.campaign")).creating():
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_file_whose_pages_are_lost_is_not_whole(foreign: Path) -> None:
    stored = bytearray(foreign.read_bytes())
    stored[100:4096] = b"\xff" * 3996
    foreign.write_bytes(stored)
    with pytest.raises(Damaged):
        open_book(str(foreign))


def test_a_damaged_index_is_not_whole(book: Book, tmp_path: Path) -> None:
    ((page,),) = connection_of(book).execute("SELECT rootpage FROM sqlite_schema WHERE name = 'postings_late'")
    book.close()
    file = tmp_path / "road.campaign"
    stored = bytearray(file.read_bytes())
    stored[(page - 1) * 4096] = 99
    file.write_bytes(stored)
    with open_book(str(file)) as damaged, pytest.raises(TablesDiffer, match="internal structure is broken"):
        verify(damaged)


def test_somebody_else_who_holds_the_campaign_makes_a_command_wait_and_then_give_up(book: Book, tmp_path: Path) -> None:
    with open_book(str(tmp_path / "road.campaign")) as other, other.journal.writing():
        connection_of(book).execute("PRAGMA busy_timeout = 50")
        with pytest.raises(Busy, match="Nothing was written"):
            scribe(book).write(Note(text="x"))
    scribe(book).write(Note(text="x"))


def test_a_full_file_takes_nothing_and_says_so(book: Book) -> None:
    (pages,) = connection_of(book).execute("PRAGMA page_count").fetchone()
    connection_of(book).execute(f"PRAGMA max_page_count = {pages}")
    head = book.journal.head()
    with pytest.raises(DiskRefused, match="Nothing was written"):
        for _ in range(200):
            scribe(book).write(Note(text="x" * 9000))
    assert verify(book).entries == book.journal.head() >= head


@pytest.mark.parametrize("room", range(5))
def test_an_older_file_without_room_for_what_a_later_version_adds_stays_as_it_was(tmp_path: Path, room: int) -> None:
    file = str(shutil.copy(GOLDEN / "campaigns" / "v2.campaign", tmp_path))
    with open_book(file) as old:
        (pages,) = connection_of(old).execute("PRAGMA page_count").fetchone()
        connection_of(old).execute(f"PRAGMA max_page_count = {pages + room}")
        head = old.head()
        with suppress(DiskRefused), old.journal.writing():
            assert old.head() == head
        assert verify(old).entries == head


def test_an_older_file_that_lost_its_marks_can_be_made_whole(tmp_path: Path) -> None:
    file = str(shutil.copy(GOLDEN / "campaigns" / "v2.campaign", tmp_path))
    with open_book(file) as old:
        connection_of(old).execute("DROP TABLE marks")
        with old.journal.writing():
            head = old.head()
        with pytest.raises(TablesDiffer, match="it has no"):
            verify(old)
        rebuild(old)
        assert verify(old).entries == head


def test_an_entry_that_is_no_json_is_named(book: Book) -> None:
    connection = connection_of(book)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.execute("DROP TRIGGER entries_stay")
    connection.execute("DROP INDEX entries_once")
    connection.execute("DROP INDEX entries_late")
    connection.execute("DROP INDEX entries_clock")
    for body in ("nonsense", "[]"):
        connection.execute("UPDATE entries SET body = ? WHERE seq = 3", (body,))
        with pytest.raises(WrongEntry, match="Entry 3"):
            book.entry(3)


def test_an_error_of_sqlite_that_nobody_foresaw_is_not_hidden(book: Book) -> None:
    with pytest.raises(sqlite3.IntegrityError), book.journal.writing():
        connection_of(book).execute("DELETE FROM entries")
    assert not connection_of(book).in_transaction
    assert issubclass(NotACampaign, Unreadable)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_a_file_as_an_earlier_version_left_it_reads_as_it_did(path: Path, tmp_path: Path) -> None:
    file = tmp_path / path.name
    file.write_bytes(path.read_bytes())
    with open_book(str(file)) as book:
        whole = verify(book)
        kept = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        assert whole.__dict__ == {**kept["whole"], "away": 0}
        assert [entry.leaf.hex() for entry in book.journal.entries()] == kept["leaves"]
        found = {
            f"{s.who}/{s.system}": {score.name: score.value for score in s.scores} for s in sheets(book, book.cast())
        }
        assert found == kept["sheets"]
        assert [each.seq for each in questions(book)] == kept["questions"]
        assert audit(book, "2026-11-23").findings == ()


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_every_mark_and_score_that_an_earlier_version_wrote_is_declared_by_its_game(path: Path, tmp_path: Path) -> None:
    file = tmp_path / path.name
    file.write_bytes(path.read_bytes())
    with open_book(str(file)) as book:
        sql = "SELECT name FROM (SELECT name FROM marks UNION SELECT score FROM postings) WHERE name LIKE '%/%'"
        for (name,) in connection_of(book).execute(sql):
            system, _, short = name.partition("/")
            game = systems.find(system)
            settings = {setting.name for setting in game.settings}
            assert game.mark(short) or game.score(short) or short in {"sheet", *settings}, name


def test_two_times_are_read_by_a_seek(book: Book) -> None:
    hand = scribe(book)
    before = book.journal.head()
    hand.write(Adjust(who="mara", amounts={"edge/edge": -1}, why="x"))
    assert book.accounts.balance("mara", "edge/edge", AsOf(seq=before)) == 4
    assert book.accounts.balance("mara", "edge/edge", AsOf(seq=before, corrected=True)) == 4
    assert book.accounts.balance("mara", "edge/edge", AsOf(seq=1)) is None
    assert book.accounts.balance("mara", "edge/edge", AsOf(seq=1, corrected=True)) is None


def test_as_now_known_a_late_row_counts_since_where_it_belongs(book: Book) -> None:
    late = {
        "seq": 99,
        "since": 6,
        "type": "score-adjusted",
        "postings": [{"who": "mara", "score": "edge/edge", "amount": -1}],
        "marks": [],
    }
    with book.journal.writing():
        book.accounts.post(late)
    then, known = AsOf(seq=7), AsOf(seq=7, corrected=True)
    assert (book.accounts.balance("mara", "edge/edge", then), book.accounts.balance("mara", "edge/edge", known)) == (
        4,
        3,
    )
    rows = book.accounts.postings("mara", "edge/edge", AsOf(corrected=True))
    assert [(row.seq, row.since, row.amount) for row in rows] == [(4, 4, 4), (99, 6, -1)]


def test_a_struck_mark_lets_a_later_one_stay_and_an_earlier_one_show_through(book: Book) -> None:
    def marked(seq: int, since: int, value: object, kind: str = "marks-set") -> None:
        mark = {"who": "mara", "name": "edge/armor", "value": value}
        book.accounts.post({"seq": seq, "since": since, "type": kind, "postings": [], "marks": [mark]})

    with book.journal.writing():
        marked(50, 50, "leather")
        marked(51, 51, "chain")
        connection_of(book).execute("INSERT INTO marks VALUES ('mara', 'edge/armor', 51, 52, NULL)")
        assert book.mark("mara", "edge/armor") == "leather"
        marked(53, 53, "plate")
        assert book.mark("mara", "edge/armor") == "plate"
        assert book.accounts.mark("mara", "edge/armor", AsOf(seq=51)) == "chain"
        assert book.accounts.mark("mara", "edge/armor", AsOf(seq=51, corrected=True)) == "leather"
        assert book.accounts.last_value_entry("mara", "edge/armor", "chain") == (51, 52)
        assert book.accounts.last_value_entry("mara", "edge/armor", "plate") == (53, None)
        assert book.accounts.last_value_entry("mara", "edge/armor", "silk") is None


def test_a_register_and_a_log_are_of_any_point(book: Book) -> None:
    hand = scribe(book)
    hand.write(OpenSession(title="One", present=("p2",)))
    hand.write(Adjust(who="mara", amounts={"edge/edge": -1}, why="x"))
    assert [row.says for row in register_lines(book, "mara", "edge/edge")] == ["joined", "adjusted by hand"]
    told = lines(book, 2)
    assert [line.says for line in told] == ["session 1 opened: One, present: Ana", "adjusted by hand: x"]
    assert lines(book, None, AsOf(seq=3))[0].says == "campaign opened: The salt road"
    assert lines(book, None, waiting=True) == []
    hand.write(Roll(who="mara", notation="3d6"))
    assert lines(book, 1, AsOf(seq=10))[0].says == "rolls (computer)"
