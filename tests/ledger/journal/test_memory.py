"""Memory: rows and nodes in plain lists answer like those of an engine."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from ledger.commands.at_table import Note
from ledger.errors import Refused
from ledger.events.rows import BOUND, MarkRow, PostingRow
from ledger.journal.accounts import AsOf
from ledger.journal.book import AsOfBook, Book
from ledger.journal.memory import MemoryRows, RecomputedStorage
from ledger.journal.records import StoredNode
from ledger.journal.sqlite import SQLite
from ledger.journal.storage import RowTable
from ledger.journal.store import Journal
from projections.fold import with_recomputed_accounts
from table import scribe

WHO, NAMES = ("Z", "a", "brak", "#struck"), ("a", "a.b", "b", "é")


@st.composite
def entries(draw: Any) -> list[tuple[list[PostingRow], list[MarkRow]]]:
    """Rows of a few entries, as they are put: in the order of their keys, each key once."""
    found = []
    for seq in range(1, draw(st.integers(1, 12)) + 1):
        since = st.integers(1, seq)
        keys = sorted(draw(st.sets(st.tuples(st.sampled_from(WHO), st.sampled_from(NAMES), since), max_size=4)))
        amounts = st.integers(-9, 9)
        postings = [PostingRow(who, name, seq, count, draw(amounts), draw(amounts)) for who, name, count in keys]
        marks = [MarkRow(who, name, count, seq, draw(st.sampled_from(["1", None]))) for who, name, count in keys]
        found.append((postings, marks))
    return found


def answers(rows: RowTable, point: int, last: int) -> Iterator[Any]:
    yield list(rows.postings())
    yield list(rows.marks())
    yield sorted(rows.backdated_rows(point))
    for who in WHO:
        yield list(rows.mark_names_between(who, "", "1")), list(rows.mark_names_between(who, "1", "null"))
        yield list(rows.names("postings", who)), list(rows.names("marks", who, "a"))
        for name in NAMES:
            yield rows.balance_at(who, name, point), rows.balance_at(who, name)
            yield list(rows.corrections(who, name, point, 2, last)), rows.original_count(who, name, last)
            yield list(rows.posting_rows(who, name, point, last)), list(rows.mark_rows(who, name, point, last))
            yield list(rows.mark_rows(who, name)), list(rows.mark_rows(who, name, first=point))
            yield list(rows.entries_with_value(who, name, "1")), list(rows.entries_with_value(who, name, "null"))


@examples(200)
@given(written=entries(), point=st.integers(0, 13), last=st.integers(0, 13))
def test_rows_in_memory_answer_like_those_of_the_engine(
    written: list[tuple[list[PostingRow], list[MarkRow]]], point: int, last: int
) -> None:
    engine, memory = SQLite.memory(), MemoryRows()
    for postings, marks in written:
        engine.rows.put(postings, marks)
        memory.put(postings, marks)
    assert list(answers(memory, point, last)) == list(answers(engine.rows, point, last))
    memory.clear()
    engine.rows.clear()
    assert list(answers(memory, point, last)) == list(answers(engine.rows, point, last))
    engine.close()


def test_a_campaign_made_anew_is_the_other_with_tables_of_its_own(book: Book) -> None:
    anew = RecomputedStorage(book.journal.storage)
    journal = Journal(anew)
    for seq, _, leaf in list(book.journal.stored()):
        journal.store_nodes(seq, leaf)
    assert list(journal.nodes()) == list(book.journal.nodes())
    assert journal.root(7) == book.root(7)
    assert (anew.check_guards(), anew.upgrade(), anew.has_nodes()) == ("", False, True)
    assert journal.checkpoints() == {}
    with anew.writing():
        anew.nodes.put(StoredNode(9, 9, b"x" * 32))
    with anew.reading():
        assert anew.nodes.get(9, 9) == b"x" * 32
    anew.nodes.clear()
    assert anew.nodes.get(1, 0) is None
    anew.scrub()
    anew.close()
    assert book.head() == 7
    assert with_recomputed_accounts(book).title() == "The salt road"


def test_as_of_a_point_each_question_is_answered_as_it_stood_then(book: Book) -> None:
    head = book.head()
    scribe(book).write(Note(text="x"))
    then, now = AsOfBook(book, AsOf(seq=head)), AsOfBook(book, AsOf(seq=BOUND))
    assert (then.balance("mara", "edge/edge"), then.balance("mara", "hold")) == (4, 0)
    assert then.scores("mara", "edge/skill.") == ["deception"]
    assert (then.is_struck(head), then.question(head).is_open, then.questions()) == (False, False, [])
    assert then.entry(1).seq == then.action(1)[0].seq == 1
    assert then.players() == then.current_players() == now.players()
    assert (then.last_handle_number(), then.sheets()) == (2, now.sheets())
    assert AsOfBook(book, AsOf(seq=3)).sheets() == []
    with pytest.raises(Refused, match="was canceled"):
        then.question(head).check_open()


def test_a_question_waits_in_memory_too() -> None:
    rows = MemoryRows()
    rows.put([], [MarkRow("#questions", "3", 3, 3, "false"), MarkRow("mara", "3", 3, 3, "false")])
    assert list(rows.waiting()) == ["3"]
