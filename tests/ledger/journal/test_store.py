"""The journal's tree: its proofs are those over the leaves, and a few rows are read for them."""

import shutil
from collections.abc import Callable, Iterator
from math import log2
from pathlib import Path

import pytest

from engine import connection_of
from examples import some
from ledger.audit.verify import verify
from ledger.commands.table import Note
from ledger.errors import NotACampaign, Refused, TablesDiffer, Unproven
from ledger.events.canonical import canonical_json
from ledger.journal.accounts import AsOf
from ledger.journal.book import AsOfBook, Book, open_book
from ledger.journal.store import Journal, create_journal, memory_journal
from ledger.tlog.tree import consistency_proof, inclusion_proof, root, verify_consistency, verify_inclusion
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
        with pytest.raises(Refused, match=f"the last one is {head}"):
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
    with pytest.raises(TablesDiffer, match="entry 4 has lost a node of the tree"):
        book.journal.inclusion_proof(0, 6)
    with pytest.raises(TablesDiffer, match="entry 4 has other nodes"):
        verify(book)
    connection_of(book).execute("INSERT INTO nodes VALUES (1, 1, zeroblob(32))")
    with pytest.raises(TablesDiffer, match="entry 4 has other nodes"):
        verify(book)
    connection_of(book).execute("INSERT INTO nodes VALUES (9, 9, zeroblob(32))")
    with pytest.raises(TablesDiffer, match="entry 4 has other nodes"):
        verify(book)


def test_an_entry_is_found_by_its_own_type_and_not_by_what_it_holds(book: Book) -> None:
    place = {"since": 8, "at": "2026-11-20T19:30:00Z", "by": "p1", "act": 8, "cause": None, "postings": [], "marks": []}
    held = {"type": "note-written", "text": 1}
    book.journal.append(8, canonical_json({"seq": 8, **place, "type": "marks-set", "values": held}))
    scribe(book).write(Note(text="x"))
    assert [entry.seq for entry in book.journal.naming(("note-written",), 1, ("text",))] == [9]


def test_a_look_within_a_look_sees_the_same(book: Book) -> None:
    with book.journal.reading(), book.journal.reading():
        assert verify(book).entries == 7
    assert not connection_of(book).in_transaction


def test_a_point_has_its_players_and_its_seats(book: Book) -> None:
    then = AsOfBook(book, AsOf(seq=2))
    assert (then.players(), then.seats()) == ({"p1": "Tom"}, 1)
    assert (book.players(), book.seats()) == ({"p1": "Tom", "p2": "Ana"}, 2)


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
