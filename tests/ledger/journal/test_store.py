"""The journal's tree: its proofs are those over the leaves, and a few rows are read for them."""

import shutil
from collections.abc import Callable, Iterator
from math import log2
from pathlib import Path

import pytest

from engine import connection_of, create_journal
from examples import some
from leaves import consistency_proof, inclusion_proof, root
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, Note
from ledger.corrections.undoing import Undo
from ledger.errors import Damaged, NotACampaign, Refused, TablesDiffer, Unproven, WrongEntry
from ledger.events.canonical import canonical_json
from ledger.journal.accounts import AsOf
from ledger.journal.book import AsOfBook, Book, open_book
from ledger.journal.records import StoredEntry
from ledger.journal.store import Journal, entry_of, memory_journal
from ledger.tlog.tree import verify_consistency, verify_inclusion
from paths import GOLDEN
from table import scribe

V1 = GOLDEN / "campaigns" / "v1.campaign"

MANY = 3000


@pytest.fixture(params=["new", "old", "brought over"])
def journal(request: pytest.FixtureRequest, book: Book, tmp_path: Path) -> Iterator[Journal]:
    """A campaign of this version, one as the first version left it, and the same once it was written to."""
    if request.param == "new":
        for number in range(30):
            scribe(book).write(Note(text=f"{number}"))
        yield book.journal
        return
    shutil.copy(V1, tmp_path / "old.campaign")
    with open_book(str(tmp_path / "old.campaign")) as old:
        if request.param == "brought over":
            scribe(old).write(Note(text="x"))
        assert old.journal.storage.has_nodes() is (request.param == "brought over")
        yield old.journal


def test_roots_and_proofs_of_all_sizes_are_those_over_the_leaves(journal: Journal) -> None:
    leaves = [entry.leaf for entry in journal.entries()]
    assert len(leaves) == journal.head() > 20
    for size in some(range(len(leaves) + 1)):
        assert journal.root(size) == root(leaves[:size])
        for index in range(size):
            proof = journal.inclusion_proof(index, size)
            assert proof == inclusion_proof(leaves, index, size)
            verify_inclusion(leaves[index], index, size, proof, journal.root(size))
        for earlier in range(1, size + 1):
            proof = journal.consistency_proof(earlier, size)
            assert proof == consistency_proof(leaves, earlier, size)
            verify_consistency(earlier, size, journal.root(earlier), journal.root(size), proof)


def test_there_is_no_tree_of_more_entries_than_there_are(journal: Journal) -> None:
    head = journal.head()
    asks: list[Callable[[], object]] = [
        lambda: journal.root(head + 1),
        lambda: journal.root(-1),
        lambda: journal.inclusion_proof(0, head + 1),
        lambda: journal.consistency_proof(1, head + 1),
    ]
    for ask in asks:
        with pytest.raises(Refused, match=f"The last one is #{head}"):
            ask()
    with pytest.raises(Unproven):
        journal.inclusion_proof(head, head)
    with pytest.raises(Unproven):
        journal.consistency_proof(head, head - 1)


@pytest.fixture(scope="module")
def long() -> Iterator[Journal]:
    with Book(memory_journal()) as made:
        for seq in range(1, MANY + 1):
            made.journal.append(seq, f'{{"seq":{seq}}}'.encode())
        yield made.journal


@pytest.mark.parametrize("size", [1, 1023, 1024, 1025, 2047, MANY - 1, MANY])
def test_a_root_or_a_proof_reads_a_few_rows_however_long_the_journal_is(long: Journal, size: int) -> None:
    most = 2 * log2(MANY) + 2
    for ask in (
        lambda: long.root(size),
        lambda: long.inclusion_proof(size // 2, size),
        lambda: long.inclusion_proof(size - 1, size),
        lambda: long.consistency_proof(max(1, size // 3), size),
        lambda: long.consistency_proof(size, MANY),
    ):
        read: list[str] = []
        connection_of(long).set_trace_callback(read.append)
        ask()
        connection_of(long).set_trace_callback(None)
        rows = [statement for statement in read if statement.startswith("SELECT")]
        assert 0 < len(rows) <= most, rows
        for statement in rows:
            steps = connection_of(long).execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
            assert not any("SCAN" in step[3] for step in steps), steps


def test_an_entry_stores_the_nodes_that_it_completes(long: Journal) -> None:
    leaves = [leaf for _, _, leaf in long.stored()]
    for level, place, held in long.nodes():
        assert held == root(leaves[place << level : (place + 1) << level])
    assert len(list(long.nodes())) == MANY - bin(MANY).count("1")


def test_a_node_that_was_lost_is_named_by_the_entry_that_completed_it(book: Book) -> None:
    connection_of(book).execute("DELETE FROM nodes WHERE level = 1 AND place = 1")
    with pytest.raises(TablesDiffer, match="the check value that protects entry 4 is missing"):
        book.journal.inclusion_proof(0, 6)
    with pytest.raises(TablesDiffer, match="the fingerprints \\(hashes\\) stored with entry 4 do not match"):
        verify(book)
    connection_of(book).execute("INSERT INTO nodes VALUES (1, 1, zeroblob(32))")
    with pytest.raises(TablesDiffer, match="the fingerprints \\(hashes\\) stored with entry 4 do not match"):
        verify(book)
    connection_of(book).execute("INSERT INTO nodes VALUES (9, 9, zeroblob(32))")
    with pytest.raises(TablesDiffer, match="the fingerprints \\(hashes\\) stored with entry 4 do not match"):
        verify(book)


def test_an_entry_is_found_by_its_own_type_and_not_by_what_it_holds(book: Book) -> None:
    place = {"since": 8, "at": "2026-11-20T19:30:00Z", "by": "p1", "act": 8, "cause": None, "postings": [], "marks": []}
    held = {"type": "note-written", "text": 1}
    book.journal.append(8, canonical_json({"seq": 8, **place, "type": "marks-set", "values": held}))
    scribe(book).write(Note(text="x"))
    assert [entry.seq for entry in book.journal.search(("note-written",), 1, ("text",))] == [9]


def test_a_look_within_a_look_sees_the_same(book: Book) -> None:
    with book.journal.reading(), book.journal.reading():
        assert verify(book).entries == 7
    assert not connection_of(book).in_transaction


def test_a_point_has_its_players_and_its_seats(book: Book) -> None:
    then = AsOfBook(book, AsOf(seq=2))
    assert (then.players(), then.last_handle_number()) == ({"p1": "Tom"}, 1)
    assert (book.players(), book.last_handle_number()) == ({"p1": "Tom", "p2": "Ana"}, 2)


def test_a_file_whose_first_entry_was_never_written_is_no_campaign(tmp_path: Path) -> None:
    create_journal(str(tmp_path / "a.campaign")).storage.close()
    with pytest.raises(NotACampaign, match="its first entry was never written"):
        open_book(str(tmp_path / "a.campaign"))


def test_what_is_read_is_the_file_as_it_was_when_reading_began(file: Path) -> None:
    with open_book(str(file)) as book, open_book(str(file)) as other:
        with book.journal.reading():
            scribe(other).write(Note(text="meanwhile"))
            assert (book.head(), other.head()) == (7, 8)
        assert book.head() == 8


def placed(seq: int, /, **changes: object) -> bytes:
    """An entry without facts in a place."""
    place = {"seq": seq, "since": seq, "act": seq, "cause": None, "at": "2026-11-20T19:30:00Z", "by": "p1"}
    return canonical_json({**place, "type": "note-written", "postings": [], "marks": [], **changes})


@pytest.mark.parametrize(
    ("name", "places", "nowhere"),
    [("seq", [5], [4, 6]), ("since", [1, 5], [0, 6]), ("act", [1, 5], [0, 6]), ("cause", [None, 1, 4], [0, 5])],
)
def test_an_entry_counts_from_and_follows_from_what_was_written_and_belongs_to_an_action_that_began(
    name: str, places: list[int | None], nowhere: list[int]
) -> None:
    for place in places:
        assert entry_of(StoredEntry(5, placed(5, **{name: place}), b"")).raw[name] == place
    for place in nowhere:
        with pytest.raises(WrongEntry, match="Entry 5 is in the wrong place"):
            entry_of(StoredEntry(5, placed(5, **{name: place}), b""))


def test_the_last_entry_by_a_moment_is_found_at_before_and_between_entries() -> None:
    with Book(memory_journal()) as book:
        assert book.journal.last_entry_at("09") == 0
        for seq, at in enumerate(("10", "11", "11", "13", "14"), 1):
            book.journal.append(seq, placed(seq, at=at))
        moments = ("09", "10", "11", "12", "13", "14", "15")
        assert [book.journal.last_entry_at(moment) for moment in moments] == [0, 1, 3, 3, 4, 5, 5]


def test_the_last_entry_by_a_moment_uses_the_clock_if_it_was_behind() -> None:
    with Book(memory_journal()) as book:
        for seq, (at, clock) in enumerate((("10", None), ("30", None), ("30", "11"), ("30", "12"), ("31", None)), 1):
            book.journal.append(seq, placed(seq, at=at, clock=clock))
        moments = ("09", "10", "11", "12", "30", "31")
        assert [book.journal.last_entry_at(moment) for moment in moments] == [0, 1, 3, 4, 4, 5]


def test_a_number_that_no_entry_has_is_refused_and_one_that_is_lost_is_damage(book: Book) -> None:
    for seq in (-1, 0, 8):
        with pytest.raises(Refused, match=f"There is no entry #{seq}. The last one is #7"):
            book.journal.entry(seq)
    connection_of(book).execute("DROP TRIGGER entries_remain")
    connection_of(book).execute("DELETE FROM entries WHERE seq = 1")
    with pytest.raises(Damaged, match="entry 1 is missing"):
        book.journal.entry(1)


def test_a_score_was_gained_where_it_last_rose_by_something_that_stands(book: Book) -> None:
    for amount in (-2, 1, 1):
        scribe(book).write(Adjust(who="mara", amounts={"edge/edge": amount}, why="a bargain"))
    assert book.last_gain_action("mara", "edge/edge") == 10
    scribe(book).write(Undo())
    assert book.last_gain_action("mara", "edge/edge") == 9
    assert book.last_gain_action("mara", "edge/luck") == 0


def test_what_counts_from_a_stretch_of_the_journal_is_each_entry_once_also_what_came_later() -> None:
    with Book(memory_journal()) as book:
        for seq, since in enumerate((1, 2, 2, 1, 3, 4), 1):
            book.journal.append(seq, placed(seq, since=since))
        assert [entry.seq for entry in book.journal.entries_since(2, 3)] == [2, 3, 5]
        assert [entry.seq for entry in book.journal.entries_since(1, 1)] == [1, 4]


def test_in_a_file_without_clocks_the_last_entry_by_a_moment_is_found_by_its_order() -> None:
    with open_book(str(GOLDEN / "campaigns" / "v3.campaign")) as old:
        assert old.journal.last_entry_at("9999-12-31T23:59:59Z") == old.head()


def test_a_reading_that_is_paused_sees_afterward_what_was_written_meanwhile(tmp_path: Path) -> None:
    file = str(shutil.copy(GOLDEN / "campaigns" / "v4.campaign", tmp_path))
    with open_book(file) as book, open_book(file) as other, book.journal.reading():
        head = book.head()
        with book.journal.paused():
            scribe(other).write(Note(text="meanwhile"))
        assert book.head() == head + 1
