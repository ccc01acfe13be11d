"""The storage port: what every storage promises, tried on the engine on disk and in memory; and overlays."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenings import evening
from examples import examples
from ledger.commands.at_table import Adjust
from ledger.commands.play import PlayMove
from ledger.corrections.answers import Choose
from ledger.corrections.undoing import Undo
from ledger.errors import (
    Busy,
    Damaged,
    DiskRefused,
    NewerCampaign,
    NoCampaign,
    NotACampaign,
    NotGuarded,
    Refused,
    TablesDiffer,
    Unscrubbed,
)
from ledger.events.canonical import canonical_json
from ledger.events.rows import BOUND, MarkRow, PostingRow
from ledger.journal import postgres_ahead
from ledger.journal.accounts import Accounts, AsOf
from ledger.journal.book import Book
from ledger.journal.failures import plain_error
from ledger.journal.files import FileEngine
from ledger.journal.memory import RecomputedStorage, StorageWrapper
from ledger.journal.opening import connect
from ledger.journal.overlay import OpenQuestions, Overlay
from ledger.journal.records import Backdated, StoredEntry, StoredNode, StoredWord
from ledger.journal.schema import NEWEST_VERSION
from ledger.journal.sqlite import SQLite
from ledger.journal.storage import Storage
from ledger.journal.store import Journal, engine_for
from ledger.systems.edge.moves_check import Check
from ledger.tlog.tree import completed_nodes
from table import every_game, opened_book, scribe

if TYPE_CHECKING:
    from postgres_server import Server

BYTEWISE = ("A", "Z", "_", "a", "a/b", "aa", "e\u0301", "z", "\u00c9", "\u00e9", "\uff5e", "\U00010000", "\U0001f600")
"""Names in order of their bytes in UTF-8; UTF-16 has the last two before `\uff5e`, a dictionary has é after e."""

SCRAMBLED = (*BYTEWISE[1::2], *BYTEWISE[::2][::-1])


class Held(NamedTuple):
    """What a storage is to hold before a test begins."""

    entries: Sequence[StoredEntry] = ()
    postings: Sequence[PostingRow] = ()
    marks: Sequence[MarkRow] = ()
    words: Sequence[StoredWord] = ()
    nodes: Sequence[StoredNode] = ()
    notes: Sequence[tuple[int, str]] = ()

    def of(self, seqs: range) -> "Held":
        """What is of these entries, in the order in which it is written."""

        def some(rows: Sequence[Any]) -> list[Any]:
            return sorted((row for row in rows if row.seq in seqs), key=lambda row: (row.seq, row[:4]))

        return Held(*map(some, (self.entries, self.postings, self.marks, self.words)))

    def put_into(self, storage: Storage) -> None:
        with storage.writing():
            for entry in self.entries:
                storage.entries.append(entry)
            storage.rows.put(self.postings, self.marks)
            for word in self.words:
                storage.words.keep(word)
            for node in self.nodes:
                storage.nodes.put(node)
            for note in self.notes:
                storage.checkpoints.put(*note)


Holding = Callable[..., Storage]


@pytest.fixture(scope="module")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty campaign on disk, to be copied: to make one takes longer than most of the tests."""
    file = tmp_path_factory.mktemp("blank") / "blank.campaign"
    SQLite.create(str(file)).close()
    return file


@pytest.fixture
def on_disk(blank: Path, tmp_path: Path) -> SQLite:
    engine = SQLite(connect(str(shutil.copy(blank, tmp_path / "a.campaign")), "mode=rw"))
    engine.connection.execute("PRAGMA synchronous = OFF")  # nothing here has to survive a power cut
    return engine


@pytest.fixture
def on_server(postgres: "Server") -> Storage:
    address = engine_for(postgres.address(str(uuid4())))
    with address.creating():
        pass
    return address.open()


@pytest.fixture(params=["disk", "memory", "server"])
def engine(request: pytest.FixtureRequest) -> Iterator[Storage]:
    """An engine of each kind, with nothing in it."""
    of_memory = request.param == "memory"
    engine: Storage = SQLite.memory() if of_memory else request.getfixturevalue(f"on_{request.param}")
    yield engine
    engine.close()


@pytest.fixture
def holding(engine: Storage) -> Holding:
    """Makes an engine of each kind that holds what it is told."""

    def make(**told: Any) -> Storage:
        Held(**told).put_into(engine)
        return engine

    return make


@pytest.fixture(params=["engine", "snapshot", "rows in memory", "overlay"])
def reading(request: pytest.FixtureRequest, engine: Storage, monkeypatch: pytest.MonkeyPatch) -> Iterator[Holding]:
    """Makes a storage that holds what it is told of entries, rows and words; an overlay has the later half added.

    In a snapshot, a database reads ahead, and at last all rows into memory.
    """
    if request.param == "rows in memory":
        monkeypatch.setattr(postgres_ahead, "LEAST_STATEMENTS", 0)
    snapshots = ExitStack()

    def make(**told: Any) -> Storage:
        held = Held(**told)
        if request.param != "overlay":
            held.put_into(engine)
            if request.param != "engine":
                snapshots.enter_context(engine.reading())
            return engine
        middle = max((row.seq for rows in held[:4] for row in cast(Any, rows)), default=0) // 2
        held.of(range(middle + 1)).put_into(engine)
        over = Overlay(engine, middle)
        held.of(range(middle + 1, BOUND)).put_into(over)
        return over

    with snapshots:
        yield make


def hash_of(number: int) -> bytes:
    return number.to_bytes(32, "big")


def entry(seq: int, kind: str = "note-written", **more: object) -> StoredEntry:
    return StoredEntry(seq, canonical_json({"seq": seq, "since": seq, "type": kind, **more}), hash_of(seq))


def posting(seq: int, amount: int = 1, balance: int = 0, since: int = 0, **named: str) -> PostingRow:
    """A posting to mara's edge, unless it is said otherwise; it counts since it was written."""
    return PostingRow(named.get("who", "mara"), named.get("score", "edge"), seq, since or seq, amount, balance)


def mark(seq: int, value: str | None = "1", since: int = 0, **named: str) -> MarkRow:
    """A row of mara's armor, unless it is said otherwise; it counts since it was written."""
    return MarkRow(named.get("who", "mara"), named.get("name", "armor"), since or seq, seq, value)


def word(seq: int, field: str = "text", text: str = "x") -> StoredWord:
    return StoredWord(seq, field, hash_of(seq), text)


def everything(storage: Storage) -> list[object]:
    return [
        list(storage.entries.stored()),
        list(storage.rows.postings()),
        list(storage.rows.marks()),
        list(storage.words.all()),
        list(storage.nodes.all()) if storage.has_nodes() else None,
        storage.checkpoints.all() if storage.has_nodes() else None,
    ]


FULL = Held(
    entries=[entry(1), entry(2)],
    postings=[posting(1), posting(2)],
    marks=[mark(1), mark(2)],
    words=[word(1), word(2)],
    nodes=[StoredNode(1, 0, hash_of(12))],
    notes=[(1, "one"), (2, "two")],
)
MORE = Held(
    entries=[entry(3), entry(4)],
    postings=[posting(3)],
    marks=[mark(3)],
    words=[word(3)],
    nodes=[StoredNode(1, 1, hash_of(34)), StoredNode(2, 0, hash_of(14))],
    notes=[(2, "two again"), (3, "three")],
)


def write_to_every_table(storage: Storage) -> None:
    """Add something everywhere, and take away what can be taken away; the write lock is held."""
    storage.rows.clear()
    storage.nodes.clear()
    storage.words.delete(1, ["text"])
    for each in MORE.entries:
        storage.entries.append(each)
    storage.rows.put(MORE.postings, MORE.marks)
    storage.words.keep(word(3))
    storage.nodes.put(MORE.nodes[0])
    storage.checkpoints.put(2, "two again")


# Entries


def test_the_head_is_the_number_of_the_last_entry_and_0_where_there_is_none(holding: Holding) -> None:
    storage = holding()
    assert storage.entries.head() == 0
    with storage.writing():
        storage.entries.append(entry(1))
        assert storage.entries.head() == 1
        storage.entries.append(entry(2))
    assert storage.entries.head() == 2


def test_entries_come_in_order_from_the_first_to_the_last_both_included(reading: Holding) -> None:
    entries = [entry(seq) for seq in range(1, 6)]
    storage = reading(entries=entries)
    assert list(storage.entries.stored()) == entries
    for first in range(8):
        assert list(storage.entries.stored(first)) == entries[max(first - 1, 0) :]
        for last in range(8):
            assert list(storage.entries.stored(first, last)) == entries[max(first - 1, 0) : last]


def test_a_body_comes_back_as_the_same_bytes(reading: Holding) -> None:
    texts = [
        "Zoë",
        "e\u0301",
        "\U0001f600\uff5e",
        'it\'s "so"',
        "\\ \\u00e9 \x01\x7f\r\n\u2028",
        "\ufeff%?:",
        "x" * 9000,
    ]
    entries = [entry(seq, text=text, id=f"{text}\"'") for seq, text in enumerate(texts, 1)]
    entries.append(StoredEntry(8, b' { "seq":8, "Z" :"\\u00e9\\/", "a": 1.0 }\n', hash_of(2**255)))
    assert list(reading(entries=entries).entries.stored()) == entries


def test_an_entry_is_found_by_its_idempotency_key(reading: Holding) -> None:
    keys = ["a", "\U0001f600", 'it\'s "so"']
    storage = reading(entries=[entry(1), *(entry(seq, once=once) for seq, once in enumerate(keys, 2)), entry(5)])
    assert [storage.entries.find_by_once_id(once) for once in keys] == [2, 3, 4]
    assert [storage.entries.find_by_once_id(once) for once in ("A", "b", "", "null", "a\u0301")] == [None] * 5


NAMED = [
    entry(1, "move-played", looked={"edge/edge": 4}),
    entry(2, "note-written", looked={"edge/edge": 4}),
    entry(3, "question-asked", looked={"edge/luck": 4}),
    entry(4, "move-played", looked={"edge/edge.most": 4}),
    entry(5, "question-asked", looked={"edge/edge": 4, "edge/luck": 1}),
]


RULED = ("move-played", "question-asked")


def test_candidates_are_the_entries_of_any_of_the_types_with_any_of_the_keys_in_order(reading: Holding) -> None:
    naming = reading(entries=NAMED).entries.search
    for types, first, names, found in (
        (RULED[:1], 1, ["edge/edge"], [1]),
        (RULED, 1, ["edge/edge"], [1, 5]),
        (RULED, 2, ["edge/edge"], [5]),
        (RULED, 1, ["edge/luck", "edge/edge"], [1, 3, 5]),
        (RULED, 5, ["edge/luck", "edge/edge"], [5]),
        (RULED, 6, ["edge/luck", "edge/edge"], []),
        (["roll-made"], 1, ["edge/edge"], []),
        (RULED, 1, ["é"], []),
        (RULED, 1, [], []),
        ([], 1, ["edge/edge"], []),
    ):
        assert [each.seq for each in naming(types, first, iter(names))] == found, (types, first, names)
    for first in range(1, 7):
        for last in range(1, 7):
            found = [seq for seq in (1, 2, 5) if first <= seq <= last]
            kinds = (*RULED, "note-written")
            assert [each.seq for each in naming(kinds, first, ["edge/edge"], last)] == found, (first, last)


def test_no_candidate_is_missed_because_its_key_stands_deep_in_it(reading: Holding) -> None:
    entries = [entry(1), entry(2, "action-amended", steps=[{"of": {"about": 1}}])]
    naming = reading(entries=entries).entries.search
    assert list(naming(["action-amended"], 1, ["about"])) == entries[1:]
    assert list(naming(["action-amended"], 1, ["about"], 1)) == []


def test_entries_written_after_the_one_from_which_they_count_come_in_order(reading: Holding) -> None:
    entries = [entry(1), entry(2), entry(3, since=2), entry(4), entry(5, since=2), entry(6, since=1)]
    entries.append(entry(7, since=6))
    storage = reading(entries=entries)
    found = {place: [each.seq for each in storage.entries.backdated_entries(place, place)] for place in range(1, 8)}
    assert found == {1: [6], 2: [3, 5], 3: [], 4: [], 5: [], 6: [7], 7: []}
    assert [each.seq for each in storage.entries.backdated_entries(1, 2)] == [3, 5, 6]
    assert [each.seq for each in storage.entries.backdated_entries(1, 5)] == [3, 5, 6]
    assert [each.seq for each in storage.entries.backdated_entries(2, 1)] == []


# Postings and marks


def test_a_balance_is_that_after_the_last_posting_up_to_an_entry_itself_included(reading: Holding) -> None:
    storage = reading(postings=[posting(2, 5, 5), posting(4, -2, 3), posting(7, 1, 4)])
    found = [storage.rows.balance_at("mara", "edge", seq) for seq in range(9)]
    assert found == [None, None, 5, 5, 3, 3, 3, 4, 4]
    assert storage.rows.balance_at("mara", "edge") == 4


def test_a_balance_of_0_is_not_the_same_as_none(reading: Holding) -> None:
    storage = reading(postings=[posting(1, 0, 0)])
    assert (storage.rows.balance_at("mara", "edge"), storage.rows.balance_at("mara", "luck")) == (0, None)


def test_of_the_postings_of_one_entry_the_one_with_the_greatest_since_is_the_last(reading: Holding) -> None:
    storage = reading(postings=[posting(9, 1, 3, since=8), posting(9, 1, 2, since=4), posting(9, 1, 1, since=2)])
    assert storage.rows.balance_at("mara", "edge", 9) == 3
    assert [row.since for row in storage.rows.posting_rows("mara", "edge")] == [8, 4, 2]


def test_a_name_is_its_bytes_and_nothing_that_looks_like_it(reading: Holding) -> None:
    rows = reading(postings=[posting(1), posting(1, who="e\u0301")], marks=[mark(1)]).rows
    for other in ("Mara", "mar", "mara2", "mära", "MARA", ""):
        assert not [*rows.posting_rows(other, "edge"), *rows.mark_rows(other, "armor"), *rows.names("marks", other)]
        assert rows.balance_at(other, "edge") is None
    assert (rows.balance_at("e\u0301", "edge"), rows.balance_at("\u00e9", "edge")) == (0, None)


def test_a_corrected_balance_adds_what_was_written_later_and_counts_from_the_point_or_before(reading: Holding) -> None:
    own = [posting(3, 7), posting(5, 10, since=2), posting(6, 100, since=2), posting(6, 1000, since=3), posting(7, 5)]
    storage = reading(postings=[*own, posting(1, 7, who="brak"), posting(6, 7, since=2, score="luck")])
    accounts = Accounts(storage.rows, storage.entries)
    balances = {
        (1, BOUND): None,  # nothing counts from 1 or before
        (2, 4): None,  # 5 is written later
        (2, 5): 10,
        (2, 6): 110,
        (3, 6): 1110,
        (4, 6): 1110,
        (4, 5): 10,
        (5, 6): 1100,  # 5 is not written after itself
        (6, BOUND): 0,
    }
    for (seq, known), balance in balances.items():
        assert accounts.balance("mara", "edge", AsOf(seq=seq, corrected=True, known=known)) == balance


def test_a_corrected_balance_of_corrections_that_cancel_out_is_0_and_not_none(reading: Holding) -> None:
    storage = reading(postings=[posting(5, 3, since=2), posting(6, -3, since=2)])
    accounts, then = Accounts(storage.rows, storage.entries), AsOf(seq=2, corrected=True, known=6)
    assert (accounts.balance("mara", "edge", then), accounts.balance("mara", "luck", then)) == (0, None)


def test_the_places_of_a_score_are_those_whose_postings_do_not_cancel_out(reading: Holding) -> None:
    own = [posting(2, 1, 1), posting(4, 1, 2), posting(5, -1, 1, since=2), posting(6, 1, 2, since=4), posting(7, 1, 3)]
    storage = reading(postings=[*own, posting(3, 1, who="brak")], marks=[mark(4, "7"), mark(6, "7", since=2), mark(7)])
    accounts = Accounts(storage.rows, storage.entries)
    assert accounts.change_entries("mara", "edge") == [4, 7]
    assert accounts.change_entries("mara", "edge", AsOf(seq=4, corrected=True)) == [4]
    assert accounts.change_entries("mara", "edge", AsOf(corrected=True, known=4)) == [2, 4]
    assert accounts.entries_with_value("mara", "armor", "7") == {2, 4}


def test_the_latest_postings_of_a_score_come_first_both_bounds_included(reading: Holding) -> None:
    rows = [posting(2), posting(3, since=1), posting(3, since=3), posting(5, since=4), posting(8)]
    storage = reading(postings=[*rows[::-1], posting(3, who="brak"), posting(3, score="luck")])
    assert list(storage.rows.posting_rows("mara", "edge")) == rows[::-1]
    assert list(storage.rows.posting_rows("mara", "edge", 3, 5)) == rows[3:0:-1]
    assert list(storage.rows.posting_rows("mara", "edge", last=2)) == rows[:1]
    assert list(storage.rows.posting_rows("mara", "edge", 6)) == rows[4:]
    assert list(storage.rows.posting_rows("mara", "edge", 5, 4)) == []


def test_the_corrections_of_a_score_come_with_those_of_the_latest_place_first(reading: Holding) -> None:
    rows = [posting(2), posting(3, since=1), posting(3, since=3), posting(5, since=4), posting(7, since=1), posting(8)]
    storage = reading(postings=[*rows[::2], *rows[1::2], posting(3, who="brak"), posting(3, score="luck")])
    assert list(storage.rows.corrections("mara", "edge", BOUND)) == [rows[3], rows[4], rows[1]]
    assert list(storage.rows.corrections("mara", "edge", 3)) == [rows[4], rows[1]]
    assert list(storage.rows.corrections("mara", "edge", BOUND, last=6)) == [rows[3], rows[1]]
    assert [storage.rows.original_count("mara", "edge", last) for last in (1, 2, 3, 7, BOUND)] == [0, 1, 2, 2, 3]


def test_names_with_a_value_are_those_of_marks_that_ever_had_one_in_the_range(reading: Holding) -> None:
    marks = [mark(1, "7", name="b"), mark(2, "false", name="b"), mark(3, '{"session":2}', name="a"), mark(4, None)]
    rows = reading(marks=[*marks, mark(5, "7", who="brak", name="c")]).rows
    assert list(rows.mark_names_between("mara", "", "z")) == ["b"]
    assert list(rows.mark_names_between("mara", '{"session":2}', '{"session":2}')) == ["a"]
    assert list(rows.mark_names_between("mara", "false", "~")) == ["a", "b"]
    assert list(rows.mark_names_between("mara", "8", "9")) == []


def test_subjects_that_ever_had_a_name_are_found_by_its_first_letters(reading: Holding) -> None:
    names = [
        ("mara", "edge/dealt"),
        ("brak", "edge/"),
        ("brak", "zeal"),
        ("é", "edge/x"),
        ("#cast", "edge"),
        ("a", "Edge/x"),
    ]
    storage = reading(
        postings=[posting(seq, who=who, score=name) for seq, (who, name) in enumerate(names, 1)],
        marks=[mark(seq, who=who, name=name) for seq, (who, name) in enumerate(names, 1)],
    )
    for table in ("postings", "marks"):
        assert list(storage.rows.subjects_with(table, "edge/")) == ["brak", "mara", "é"]
        assert list(storage.rows.subjects_with(table, "edge")) == ["#cast", "brak", "mara", "é"]
        assert list(storage.rows.subjects_with(table, "%")) == []


def test_the_entries_of_a_type_are_returned_in_order(reading: Holding) -> None:
    entries = [
        entry(seq, kind) for seq, kind in enumerate(("note-written", "roll-sealed", "roll-sealed", "scene-set"), 1)
    ]
    held = reading(entries=entries).entries
    assert list(held.of_type("roll-sealed", [3, 1, 2, 9])) == [2, 3]
    assert list(held.of_type("roll-sealed", [1, 4])) == []
    assert list(held.of_type("scene-set", [4])) == [4]
    assert list(held.of_type("scene-set", [])) == []


def test_a_question_waits_until_an_entry_that_counts_answers_it(reading: Holding) -> None:
    asked: Any = {"who": "#questions", "name": "3"}
    marks = [mark(3, "false", **asked), mark(4, "false", who="#questions", name="4"), mark(5, "7", who="brak")]
    assert {*reading(marks=[*marks, mark(5, "5", **asked), mark(6, None, since=5, **asked)]).rows.waiting()} == {
        "3",
        "4",
    }


def test_sqlite_keeps_the_questions_that_wait_and_no_others() -> None:
    engine = SQLite.memory()
    asked: Any = {"who": "#questions", "name": "3"}
    engine.rows.put([], [mark(3, "false", **asked), mark(4, "false", who="#questions", name="4")])
    for row, waiting in (
        (mark(5, "5", **asked), ["4"]),
        (mark(6, None, since=5, **asked), ["3", "4"]),
        (mark(7, "5", since=5, **asked), ["4"]),
        (mark(8, "8", since=2, **asked), ["4"]),
        (mark(9, None, since=5, **asked), ["3", "4"]),
        (mark(10, None, since=3, **asked), ["4"]),
    ):
        engine.rows.put([], [row])
        assert sorted(engine.rows.waiting()) == waiting, row
        assert engine.check_guards() == ""
    engine.close()


def test_rows_of_a_mark_come_with_the_greatest_since_first_then_the_greatest_seq(reading: Holding) -> None:
    rows = [mark(8), mark(9, None, since=5), mark(6, since=5), mark(5), mark(7, since=2), mark(2)]
    others = [mark(3, who="brak"), mark(3, name="Armor")]
    storage = reading(marks=[*rows[::2], *others, *rows[1::2]])
    assert list(storage.rows.mark_rows("mara", "armor")) == rows
    assert list(storage.rows.mark_rows("mara", "armor", 5)) == rows[1:]
    assert list(storage.rows.mark_rows("mara", "armor", 4)) == rows[4:]
    assert list(storage.rows.mark_rows("mara", "armor", last=6)) == [rows[2], rows[3], rows[5]]
    assert list(storage.rows.mark_rows("mara", "armor", 2, 7)) == rows[4:]
    assert list(storage.rows.mark_rows("mara", "armor", 2, 6)) == rows[5:]
    assert list(storage.rows.mark_rows("mara", "armor", 1)) == []
    assert list(storage.rows.mark_rows("mara", "armor", 5, 9, 6)) == [rows[1], rows[2], rows[4]]


def test_entries_with_a_value_come_latest_first_even_if_the_value_was_canceled(reading: Holding) -> None:
    rows = [mark(8), mark(9, None, since=5), mark(6, "6", since=5), mark(5, "6"), mark(2, "6")]
    storage = reading(marks=[*rows, mark(3, "6", who="brak"), mark(3, "6", name="Armor")])
    assert list(storage.rows.entries_with_value("mara", "armor", "6")) == [5, 5, 2]
    assert list(storage.rows.entries_with_value("mara", "armor", "nothing")) == []


def test_rows_of_all_marks_come_mark_by_mark_as_those_of_one(reading: Holding) -> None:
    armor = [mark(8), mark(6, since=5), mark(5)]
    other = [mark(7, None, since=3, name="Armor"), mark(3, name="Armor")]
    storage = reading(marks=[*armor[::2], *other, mark(4, who="brak"), armor[1]])
    assert list(storage.rows.marks_of("mara")) == [*other, *armor]
    assert list(storage.rows.marks_of("mara", 5)) == [*other, *armor[1:]]
    assert list(storage.rows.marks_of("mara", last=5)) == [other[1], armor[2]]
    assert list(storage.rows.marks_of("mar")) == []


def test_rows_come_back_as_they_were_put(reading: Holding) -> None:
    postings = [posting(seq, amount, -amount) for seq, amount in enumerate((0, -1, 2**53, -(2**53)), 1)]
    values = [None, "null", '"\U0001f600 it\'s \\"so\\""', '{"secret":"ab","at":4}', "é" * 9000]
    marks = [mark(seq, value) for seq, value in enumerate(values, 1)]
    storage = reading(postings=postings, marks=marks)
    assert (list(storage.rows.postings()), list(storage.rows.marks())) == (postings, marks)


def test_rows_are_put_out_of_an_iterator_too(holding: Holding) -> None:
    storage = holding()
    with storage.writing():
        storage.rows.put(iter([posting(1)]), (mark(seq) for seq in (1, 2)))
    assert (list(storage.rows.postings()), list(storage.rows.marks())) == ([posting(1)], [mark(1), mark(2)])


def test_names_come_in_order_of_their_bytes_each_once(reading: Holding) -> None:
    assert (
        list(BYTEWISE)
        == sorted(BYTEWISE, key=str.encode)
        != sorted(BYTEWISE, key=lambda each: each.encode("utf-16-be"))
    )
    storage = reading(
        postings=[posting(seq, score=name) for seq in (2, 1) for name in SCRAMBLED],
        marks=[mark(seq, name=name) for seq in (2, 1) for name in SCRAMBLED[3:]],
    )
    assert list(storage.rows.names("postings", "mara")) == list(BYTEWISE)
    assert list(storage.rows.names("marks", "mara")) == [name for name in BYTEWISE if name in SCRAMBLED[3:]]
    assert list(storage.rows.names("postings", "Mara")) == []


def test_names_that_begin_with_a_prefix_are_those_that_begin_with_its_bytes(reading: Holding) -> None:
    names = ["edge", "edge/", "edge/a", "edge/é", "edge0", "Edge/a", "e\u0301", "\U0001f600", "\U0001f600a", "%", "z"]
    storage = reading(postings=[posting(1, score=name) for name in names], marks=[mark(1, name=name) for name in names])
    for prefix, found in (
        ("edge/", ["edge/", "edge/a", "edge/é"]),
        ("edge/é", ["edge/é"]),
        ("e", ["edge", "edge/", "edge/a", "edge/é", "edge0", "e\u0301"]),
        ("E", ["Edge/a"]),
        ("\U0001f600", ["\U0001f600", "\U0001f600a"]),
        ("%", ["%"]),
        ("_", []),
        ("*", []),
        ("zz", []),
    ):
        assert list(storage.rows.names("postings", "mara", prefix)) == found
        assert list(storage.rows.names("marks", "mara", prefix)) == found
    assert list(storage.rows.names("marks", "mara", suffix="/a")) == ["Edge/a", "edge/a"]
    assert list(storage.rows.names("postings", "mara", "e", "/a")) == ["edge/a"]


def test_all_rows_come_by_seq_then_by_names_bytewise_then_by_since(reading: Holding) -> None:
    postings = [
        posting(seq, who=who, score=name, since=since)
        for seq in (2, 3)
        for who in BYTEWISE
        for name in BYTEWISE[::4]
        for since in (1, seq)
    ]
    marks = [mark(row.seq, since=row.since, who=row.who, name=row.score) for row in postings]
    storage = reading(postings=[*postings[1::2], *postings[::2]], marks=[*marks[1::2], *marks[::2]])
    assert list(storage.rows.postings()) == postings
    assert list(storage.rows.marks()) == marks


def test_late_are_the_rows_written_after_an_entry_that_count_from_it_or_before(reading: Holding) -> None:
    storage = reading(
        postings=[posting(1), posting(4), posting(5, since=2)],
        marks=[mark(1), mark(6, None, since=3), mark(5, since=2, who="campaign", name="pool")],
    )
    pool, armor, edge = Backdated("campaign", "pool", 2), Backdated("mara", "armor", 3), Backdated("mara", "edge", 2)
    assert {head: sorted(storage.rows.backdated_rows(head)) for head in range(1, 8)} == {
        1: [],
        2: [pool, edge],
        3: [pool, armor, edge],
        4: [pool, armor, edge],
        5: [armor],
        6: [],
        7: [],
    }


def test_late_are_no_rows_of_subjects_that_begin_with_a_number_sign(reading: Holding) -> None:
    whose = ["#struck", "#", "##", "mara", "é", "\U0001f600", "a#", "#cast", "#é"]
    storage = reading(
        postings=[posting(3, since=1, who=who) for who in whose],
        marks=[mark(3, since=1, who=who) for who in whose],
    )
    found = [(late.who, late.name) for late in storage.rows.backdated_rows(2)]
    assert sorted(found) == [(who, name) for who in ("a#", "mara", "é", "\U0001f600") for name in ("armor", "edge")]


def test_rows_that_were_cleared_are_gone_and_may_be_put_anew(holding: Holding) -> None:
    storage = holding(entries=[entry(1)], postings=[posting(1), posting(2, since=1)], marks=[mark(1), mark(2, since=1)])
    with storage.writing():
        storage.rows.clear()
        assert not [*storage.rows.postings(), *storage.rows.marks(), *storage.rows.backdated_rows(1)]
        assert storage.rows.balance_at("mara", "edge") is None
        assert not [*storage.rows.names("postings", "mara"), *storage.rows.names("marks", "mara")]
        storage.rows.put([posting(1, 4, 4)], [])
    assert list(storage.rows.postings()) == [posting(1, 4, 4)]
    assert storage.entries.head() == 1


# Words


def test_the_texts_of_an_entry_come_by_field(reading: Holding) -> None:
    words = [word(2, "why", "b"), word(2, "text", "a"), word(3, "text", ""), word(12, "text", "c")]
    storage = reading(words=words)
    assert [storage.words.texts_of(seq) for seq in (1, 2, 3)] == [{}, {"text": "a", "why": "b"}, {"text": ""}]
    assert [storage.words.salts_and_texts(seq) for seq in (1, 2)] == [
        {},
        {"text": (hash_of(2), "a"), "why": (hash_of(2), "b")},
    ]


def test_a_text_and_its_salt_come_back_as_they_were(reading: Holding) -> None:
    texts = ["é", "e\u0301", "\U0001f600\uff5e", 'it\'s "so"', "\x01\r\n\u2028\ufeff", "x" * 9000]
    words = [StoredWord(1, f"steps.{at}", bytes([at, 0, 255]) * 10 + b"\0\n", text) for at, text in enumerate(texts)]
    assert list(reading(words=words).words.all()) == words


def test_all_texts_come_by_seq_then_by_field_bytewise(reading: Holding) -> None:
    words = [word(seq, field) for seq in (1, 2, 10) for field in BYTEWISE]
    assert list(reading(words=[*words[1::2], *words[::2]]).words.all()) == words


def test_texts_are_deleted_by_entry_and_field_and_no_others(holding: Holding) -> None:
    storage = holding(words=[word(seq, field) for seq in (1, 2) for field in ("Text", "text", "text.1", "why")])
    with storage.writing():
        storage.words.delete(1, iter(["text.1", "text", "none"]))
        storage.words.delete(9, ["text"])
        storage.words.delete(2, [])
    left = [(1, "Text"), (1, "why"), (2, "Text"), (2, "text"), (2, "text.1"), (2, "why")]
    assert [(each.seq, each.field) for each in storage.words.all()] == left
    assert storage.words.texts_of(1).keys() == storage.words.salts_and_texts(1).keys() == {"Text", "why"}


def test_a_text_that_was_deleted_may_be_kept_anew(holding: Holding) -> None:
    storage = holding(words=[word(1)])
    with storage.writing():
        storage.words.delete(1, ["text"])
        storage.words.keep(word(1, text="anew"))
        storage.words.delete(2, ["text"])
    assert storage.words.texts_of(1) == {"text": "anew"}


# Nodes


def tree_of(leaves: int) -> list[StoredNode]:
    """The inner nodes over so many leaves, in the order in which the leaves complete them."""
    places = [place for index in range(leaves) for place in completed_nodes(index)]
    return [StoredNode(level, place, hash_of(1000 * level + place)) for level, place in places]


def test_a_node_is_found_by_its_level_and_place(holding: Holding) -> None:
    nodes = tree_of(11)
    storage = holding(nodes=nodes)
    assert [storage.nodes.get(level, place) for level, place, _ in nodes] == [node.hash for node in nodes]
    assert [storage.nodes.get(level, place) for level, place in ((1, 5), (2, 2), (4, 0), (9, 9))] == [None] * 4


def test_level_0_is_the_leaves_of_the_entries(holding: Holding) -> None:
    storage = holding(entries=[entry(seq) for seq in (1, 2, 3, 4)])
    assert [storage.nodes.get(0, place) for place in range(5)] == [*(hash_of(seq) for seq in (1, 2, 3, 4)), None]


def test_all_nodes_come_in_the_order_in_which_leaves_complete_them(holding: Holding) -> None:
    nodes = tree_of(23)
    assert list(holding(nodes=sorted(nodes, reverse=True)).nodes.all()) == nodes
    assert nodes != sorted(nodes)


def test_nodes_that_were_cleared_are_gone_and_may_be_put_anew(holding: Holding) -> None:
    storage = holding(entries=[entry(seq) for seq in (1, 2, 3, 4)], nodes=tree_of(4), notes=[(4, "four")])
    with storage.writing():
        storage.nodes.clear()
        assert (storage.nodes.get(1, 0), list(storage.nodes.all())) == (None, [])
        storage.nodes.put(StoredNode(1, 0, hash_of(99)))
    assert list(storage.nodes.all()) == [StoredNode(1, 0, hash_of(99))]
    assert (storage.nodes.get(0, 3), storage.checkpoints.get(4)) == (hash_of(4), "four")


# Signed heads


def test_a_note_is_found_by_its_size(holding: Holding) -> None:
    storage = holding(notes=[(10, "ten\n— é\n"), (2, "two")])
    assert [storage.checkpoints.get(size) for size in (2, 10, 1, 3)] == ["two", "ten\n— é\n", None, None]


def test_a_note_takes_the_place_of_an_earlier_one_of_the_same_size(holding: Holding) -> None:
    storage = holding(notes=[(2, "two"), (3, "three")])
    with storage.writing():
        storage.checkpoints.put(2, "two again")
        storage.checkpoints.put(2, "and again")
    assert storage.checkpoints.get(2) == "and again"
    assert storage.checkpoints.all() == {2: "and again", 3: "three"}


def test_all_notes_come_in_order_of_their_sizes(holding: Holding) -> None:
    assert list(holding(notes=[(10, "c"), (9, "b"), (100, "d"), (1, "a")]).checkpoints.all()) == [1, 9, 10, 100]


# Writing and reading


def test_what_was_written_is_there_when_writing_ends(holding: Holding) -> None:
    storage = holding(**FULL._asdict())
    MORE.put_into(storage)
    assert everything(storage) == [
        [entry(seq) for seq in (1, 2, 3, 4)],
        [posting(seq) for seq in (1, 2, 3)],
        [mark(seq) for seq in (1, 2, 3)],
        [word(seq) for seq in (1, 2, 3)],
        [*FULL.nodes, *MORE.nodes],
        {1: "one", 2: "two again", 3: "three"},
    ]


@pytest.mark.parametrize("why", [RuntimeError, KeyboardInterrupt])
def test_an_error_while_writing_leaves_nothing_of_what_was_written(holding: Holding, why: type[BaseException]) -> None:
    storage = holding(**FULL._asdict())
    before = everything(storage)
    with pytest.raises(why), storage.writing():
        write_to_every_table(storage)
        assert everything(storage) != before
        raise why
    assert everything(storage) == before
    MORE.put_into(storage)
    assert storage.entries.head() == 4


def test_whoever_writes_reads_what_was_written_so_far(holding: Holding) -> None:
    storage = holding()
    with storage.writing():
        storage.entries.append(entry(1))
        with storage.reading():
            assert storage.entries.head() == 1
        storage.entries.append(entry(2))
    assert storage.entries.head() == 2


def test_reading_within_reading_is_one_reading(holding: Holding) -> None:
    storage = holding(**FULL._asdict())
    with storage.reading():
        with storage.reading():
            before = everything(storage)
        assert everything(storage) == before
    MORE.put_into(storage)


def test_an_overlay_finds_an_entry_on_a_clock_among_those_that_were_added_and_those_below(engine: Storage) -> None:
    def on_clock(seq: int, clock: str) -> StoredEntry:
        return StoredEntry(seq, canonical_json({"seq": seq, "since": seq, "once": None, "clock": clock}), b"l" * 32)

    with engine.writing():
        engine.entries.append(on_clock(1, "2026-11-20"))
    over = Overlay(engine)
    over.entries.append(on_clock(2, "2026-11-22"))
    assert [over.entries.last_on_clock(day) for day in ("2026-11-19", "2026-11-21", "2026-11-23")] == [None, 1, 2]
    assert over.version() == engine.version()


def test_a_storage_finds_the_last_entry_on_a_clock_up_to_an_entry(holding: Holding) -> None:
    storage = holding(**FULL._asdict())
    with storage.writing():
        head = storage.entries.head()
        for number, clock in enumerate(("2026-11-21", None, "2026-11-20", "2026-11-22"), 1):
            body = {"seq": head + number, "since": head + number, "once": None, "clock": clock}
            storage.entries.append(StoredEntry(head + number, canonical_json(body), b"l" * 32))
        found = [storage.entries.last_on_clock(day) for day in ("2026-11-19", "2026-11-20", "2026-11-21", "2026-11-22")]
        assert found == [None, head + 3, head + 3, head + 4]
        assert storage.entries.last_on_clock("2026-11-22", head + 2) == head + 1


def test_a_storage_of_this_version_has_room_for_nodes_and_needs_no_upgrade(holding: Holding) -> None:
    storage = holding(**FULL._asdict())
    before = everything(storage)
    with storage.writing():
        assert (storage.has_nodes(), storage.upgrade()) == (True, False)
    assert everything(storage) == before


def test_the_guards_of_a_storage_are_as_they_were_made_whatever_was_written(holding: Holding) -> None:
    storage = holding(**FULL._asdict())
    with storage.writing():
        write_to_every_table(storage)
    assert storage.check_guards() == ""


@pytest.fixture
def old() -> Iterator[Storage]:
    """A storage of the first version, which had no nodes and no signed heads."""
    engine = SQLite.memory(1)
    FULL._replace(nodes=(), notes=()).put_into(engine)
    yield engine
    engine.close()


def test_a_storage_of_the_first_version_has_room_for_nodes_once_it_was_upgraded(old: Storage) -> None:
    assert (old.has_nodes(), old.check_guards()) == (False, "")
    before = everything(old)
    with old.writing():
        assert (old.upgrade(), old.has_nodes(), old.upgrade()) == (True, True, False)
        old.nodes.put(FULL.nodes[0])
        old.checkpoints.put(2, "two")
    assert everything(old) == [*before[:4], [FULL.nodes[0]], {2: "two"}]
    assert (old.has_nodes(), old.check_guards()) == (True, "")


def test_an_upgrade_is_undone_with_all_else(old: Storage) -> None:
    before = everything(old)
    with pytest.raises(RuntimeError), old.writing():
        assert (old.upgrade(), old.has_nodes()) == (True, True)
        raise RuntimeError
    assert (old.has_nodes(), everything(old)) == (False, before)
    with old.writing():
        assert old.upgrade()


def test_a_storage_of_the_second_version_had_nodes_and_keeps_them() -> None:
    engine = SQLite.memory(2)
    FULL.put_into(engine)
    before = everything(engine)
    with engine.writing():
        assert (engine.has_nodes(), engine.upgrade()) == (True, False)
    assert everything(engine) == before
    engine.close()


# The engine alone


@pytest.fixture
def address(tmp_path: Path) -> str:
    return str(tmp_path / "a.campaign")


@pytest.fixture
def made(on_disk: SQLite) -> Iterator[SQLite]:
    """A campaign on disk that has something in every table."""
    FULL.put_into(on_disk)
    yield on_disk
    on_disk.close()


def schema_of(engine: SQLite) -> list[object]:
    return engine.connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").fetchall()


def quick(engine: SQLite) -> SQLite:
    """Wait 20 ms for others, and not five seconds."""
    engine.connection.execute("PRAGMA busy_timeout = 20")
    return engine


def test_a_writer_waits_for_another_each_time_as_long_as_the_first(made: SQLite, address: str) -> None:
    other = quick(SQLite.open(address))
    with made.writing():
        for _ in range(2):
            began = monotonic()
            with pytest.raises(Busy), other.writing():
                pass
            assert monotonic() - began >= 0.02
    other.close()


def test_a_campaign_that_was_closed_is_opened_as_it_was(made: SQLite, address: str) -> None:
    before = everything(made)
    made.close()
    opened = SQLite.open(address)
    assert everything(opened) == before
    opened.close()


def test_what_was_written_is_seen_by_whoever_opens_the_campaign_before_it_is_closed(made: SQLite, address: str) -> None:
    other = SQLite.open(address)
    MORE.put_into(made)
    assert everything(other) == everything(made)
    other.close()


def test_a_closed_campaign_is_one_file(made: SQLite, tmp_path: Path) -> None:
    made.close()
    assert [path.name for path in tmp_path.iterdir()] == ["a.campaign"]


def test_a_new_campaign_is_empty_and_there_for_whoever_opens_it_once_it_has_an_entry(address: str) -> None:
    engine = SQLite.create(address)
    assert everything(engine) == [[], [], [], [], [], {}]
    FULL.put_into(engine)
    other = SQLite.open(address)
    assert everything(other) == everything(engine)
    engine.close()
    other.close()


def test_no_campaign_is_made_over_something_or_where_there_is_no_room(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    for name, refusal in (("mine", Refused), (".", Refused), ("nowhere/a.campaign", DiskRefused)):
        with pytest.raises(refusal), FileEngine(str(tmp_path / name)).creating():
            pass
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("mine", "mine")]


def test_a_copy_holds_what_was_written_and_nothing_of_what_is_being_written(
    made: SQLite, address: str, tmp_path: Path
) -> None:
    other, copy = SQLite.open(address), str(tmp_path / "copy.campaign")
    before = everything(made)
    with other.writing():
        other.entries.append(entry(3))
        with FileEngine(copy).creating(made) as copied:
            assert (everything(copied), schema_of(copied)) == (before, schema_of(made))
    with pytest.raises(Refused, match="already exists"), FileEngine(copy).creating(made):
        pass
    with pytest.raises(DiskRefused), FileEngine(str(tmp_path / "nowhere" / "copy.campaign")).creating(made):
        pass
    other.close()


def test_what_is_no_campaign_or_a_newer_one_is_not_opened(made: SQLite, address: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("campaign: The salt road\n")
    SQLite.create(str(tmp_path / "empty.campaign")).close()
    for name, refusal in (
        ("none", NoCampaign),
        ("text", NotACampaign),
        (".", NotACampaign),
        ("empty.campaign", NotACampaign),
    ):
        with pytest.raises(refusal):
            SQLite.open(str(tmp_path / name))
    made.connection.execute(f"PRAGMA user_version = {NEWEST_VERSION + 1}")
    with pytest.raises(NewerCampaign):
        SQLite.open(address)


def test_campaigns_in_memory_are_apart_and_leave_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    one, other = SQLite.memory(), SQLite.memory()
    FULL.put_into(one)
    assert (one.entries.head(), other.entries.head(), list(tmp_path.iterdir())) == (2, 0, [])
    one.close()
    other.close()


def test_a_campaign_is_recognized_and_a_text_is_not(made: SQLite, address: str, tmp_path: Path) -> None:
    made.close()
    (tmp_path / "text").write_text("SQLite is what it speaks of\n")
    assert FileEngine(address).looks_like_campaign()
    assert not any(FileEngine(str(tmp_path / name)).looks_like_campaign() for name in ("text", ".", "none"))


def test_an_entry_that_is_not_the_next_is_refused(made: SQLite) -> None:
    for seq in (0, 1, 2, 4):
        with pytest.raises(sqlite3.IntegrityError), made.writing():
            made.entries.append(entry(seq))
    with pytest.raises(sqlite3.IntegrityError), made.writing():
        made.entries.append(StoredEntry(3, entry(4).body, hash_of(3)))
    assert list(made.entries.stored()) == FULL.entries


def test_tables_that_were_cleared_are_made_anew_to_the_letter(made: SQLite) -> None:
    before = schema_of(made)
    with made.writing():
        made.rows.clear()
        made.nodes.clear()
    assert schema_of(made) == before
    made.connection.execute("DROP INDEX postings_late")
    for table in ("marks", "nodes"):
        made.connection.execute(f"DROP TABLE {table}")
    with made.writing():
        made.rows.clear()
        made.nodes.clear()
    assert schema_of(made) == before
    assert made.check_guards() == ""


def test_whoever_finds_the_lock_held_is_refused_and_writes_nothing(made: SQLite, address: str) -> None:
    other = quick(SQLite.open(address))
    with made.writing():
        made.entries.append(entry(3))
        with pytest.raises(Busy), other.writing():
            raise AssertionError("nobody comes in here")
        assert other.entries.head() == 2
    MORE._replace(entries=[entry(4)]).put_into(other)
    assert made.entries.head() == 4
    other.close()


def test_reading_sees_the_campaign_as_it_was_whoever_writes_meanwhile(made: SQLite, address: str) -> None:
    other = SQLite.open(address)
    before = everything(made)
    with other.reading():  # nothing was read yet
        with made.writing():
            write_to_every_table(made)
        assert everything(other) == before
        with made.writing():
            made.rows.put([posting(4)], [mark(4)])
            made.words.delete(2, ["text"])
        assert everything(other) == before
    assert everything(other) == everything(made) != before
    other.close()


PARTS_OF_FTS5 = ("", "_config", "_content", "_data", "_docsize", "_idx")


def test_a_pause_in_reading_does_not_delay_writes_and_then_shows_them(made: SQLite, address: str) -> None:
    other = SQLite.open(address)
    over = StorageWrapper(other)
    with other.reading():
        before = other.entries.head()
        with over.paused():
            MORE.put_into(made)
            made.scrub()
        assert other.entries.head() > before
    with over.paused():
        made.scrub()
    other.close()


@pytest.mark.parametrize(
    ("statement", "refusal"),
    [
        ("DROP TRIGGER entries_stay", NotGuarded),
        ("DROP INDEX entries_once", NotGuarded),
        ("CREATE TABLE json_each (x)", NotGuarded),
        ("CREATE TRIGGER mine AFTER INSERT ON words BEGIN DELETE FROM words; END", NotGuarded),
        ("CREATE TABLE mine (x); CREATE TRIGGER yours AFTER INSERT ON mine BEGIN SELECT 1; END", NotGuarded),
        (
            "CREATE VIEW mine AS SELECT 1; CREATE TRIGGER yours INSTEAD OF INSERT ON mine BEGIN SELECT 1; END",
            NotGuarded,
        ),
        ("ALTER TABLE words ADD COLUMN mine TEXT", NotGuarded),
        ("DROP TABLE words; CREATE VIEW words AS SELECT 1", NotGuarded),
        ("DROP TABLE nodes; CREATE VIRTUAL TABLE nodes USING fts5(x)", NotGuarded),
        (
            "CREATE TABLE pragma_table_list (name, schema, type); DROP TABLE nodes; CREATE VIEW nodes AS SELECT 1",
            NotGuarded,
        ),
        ("DROP TABLE words", Damaged),
    ],
)
def test_guards_that_are_not_as_they_were_made_are_refused(statement: str, refusal: type[Exception]) -> None:
    engine = SQLite.memory()
    engine.connection.executescript(statement)
    with pytest.raises(refusal):
        engine.check_guards()
    engine.close()


@pytest.mark.parametrize(
    ("script", "names"),
    [
        ("ANALYZE", ["sqlite_stat1"]),
        ("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)", ["_litestream_seq"]),
        ("CREATE VIEW mine AS SELECT * FROM postings; CREATE INDEX by_who ON marks (name)", ["by_who", "mine"]),
        ("CREATE VIRTUAL TABLE found USING fts5(text)", [f"found{part}" for part in PARTS_OF_FTS5]),
    ],
)
def test_tables_of_other_programs_are_listed_and_are_not_damage(script: str, names: list[str]) -> None:
    engine = SQLite.memory()
    FULL.put_into(engine)
    engine.connection.executescript(script)
    assert (engine.check_guards(), engine.foreign_names()) == ("", names)
    engine.close()


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("DROP INDEX postings_late", "it has no index postings_late"),
        ("DROP TABLE postings", "it has no table postings"),
        ("DROP TABLE marks", "it has no table marks"),
        ("DROP TABLE nodes", "it has no table nodes"),
        ("ALTER TABLE marks ADD COLUMN mine TEXT", "the table marks was changed"),
    ],
)
def test_tables_that_can_be_made_anew_are_told_of_and_not_refused(statement: str, says: str) -> None:
    engine = SQLite.memory()
    FULL.put_into(engine)
    engine.connection.execute(statement)
    assert engine.check_guards() == says
    with engine.writing():
        engine.rows.clear()
        engine.nodes.clear()
    assert engine.check_guards() == ""
    engine.close()


@pytest.mark.parametrize(
    ("table", "columns", "row", "read", "refusal"),
    [
        ("entries", "seq, body, leaf", (1, None, bytes(32)), lambda storage: storage.entries.stored(), Damaged),
        ("words", "seq, field, salt, text", (None, "why", b"", "x"), lambda storage: storage.words.all(), Damaged),
        (
            "words",
            "seq, field, salt, text",
            (1, "why", "", "x"),
            lambda storage: storage.words.salts_and_texts(1),
            Damaged,
        ),
        ("words", "seq, field, salt, text", (1, "why", b"", 3), lambda storage: storage.words.texts_of(1), Damaged),
        ("nodes", "level, place, hash", (1, 0, "hash"), lambda storage: storage.nodes.all(), TablesDiffer),
        ("nodes", "level, place, hash", (1, 0, "hash"), lambda storage: [storage.nodes.get(1, 0)], TablesDiffer),
        ("checkpoints", "size, note", (1, 3), lambda storage: storage.checkpoints.all(), Damaged),
        ("waiting", "name", (3,), lambda storage: storage.rows.waiting(), TablesDiffer),
    ],
)
def test_a_value_of_a_wrong_type_is_refused_when_it_is_read(
    table: str,
    columns: str,
    row: tuple[object, ...],
    read: Callable[[Storage], Iterator[object]],
    refusal: type[Exception],
) -> None:
    engine = SQLite.memory()
    engine.connection.execute(f"DROP TABLE {table}")
    engine.connection.execute(f"CREATE TABLE {table} ({columns})")
    engine.connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
    with pytest.raises(refusal, match=f"its table {table} has a value of the wrong type"):
        list(read(engine))
    engine.close()


def test_a_sum_that_fits_no_column_is_a_table_that_differs_whoever_notices() -> None:
    for noticed in (OverflowError("Python int too large"), sqlite3.OperationalError("integer overflow")):
        assert isinstance(plain_error(noticed), TablesDiffer)


def columns(engine: SQLite, table: str) -> set[str]:
    return {name for (name,) in engine.connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}


def test_a_missing_column_is_damage_only_if_no_table_that_has_it_can_be_made_anew() -> None:
    engine = SQLite.memory()
    anew = set[str]().union(*(columns(engine, table) for table in ("postings", "marks", "nodes")))
    kept = set[str]().union(*(columns(engine, table) for table in ("entries", "words", "checkpoints")))
    for name in anew | kept:
        error = plain_error(sqlite3.OperationalError(f"no such column: {name}"))
        assert type(error) is (TablesDiffer if name in anew - kept else Damaged), name
    engine.close()


PLAIN = "nobody may ever read this again, it is too long for one page " * 100


def test_of_a_text_that_was_deleted_nothing_is_left_in_the_pages(made: SQLite, address: str) -> None:
    with made.writing():
        made.words.keep(word(3, text=PLAIN))
        made.words.keep(word(4, text=PLAIN[:70]))
    made.close()
    assert PLAIN[:60].encode() in Path(address).read_bytes()
    opened = SQLite.open(address)
    with opened.writing():
        opened.words.delete(3, ["text"])
        opened.words.delete(4, ["text"])
    opened.close()
    assert b"read this" not in Path(address).read_bytes()


@pytest.mark.parametrize("over", [False, True], ids=["itself", "by a storage over it"])
def test_scrubbing_leaves_nothing_of_what_was_deleted_in_any_file(made: SQLite, tmp_path: Path, over: bool) -> None:
    def found() -> list[str]:  # it gives up locks that SQLite holds, but nobody else is there
        return [path.name for path in tmp_path.iterdir() if b"read this" in path.read_bytes()]

    with made.writing():
        made.words.keep(word(3, text=PLAIN))
    with made.writing():
        made.words.delete(3, ["text"])
    before = everything(made)
    assert found() == ["a.campaign-wal"]
    (RecomputedStorage(made) if over else made).scrub()
    assert (found(), everything(made)) == ([], before)


def test_nothing_is_scrubbed_while_somebody_reads(made: SQLite, address: str) -> None:
    other = SQLite.open(address)
    with other.reading():
        FULL._replace(entries=[entry(3)], postings=[], marks=[], words=[word(3)], nodes=[]).put_into(made)
        with pytest.raises(Unscrubbed):
            quick(made).scrub()
    made.scrub()
    other.close()


# An overlay


def test_nothing_of_an_overlay_reaches_the_storage_below_and_no_lock_is_taken(made: SQLite, address: str) -> None:
    before, other = everything(made), SQLite.open(address)
    over = Overlay(other)
    with over.reading(), made.writing(), over.writing():
        over.entries.append(entry(3, text="a plan"))
        over.rows.put([PostingRow("mara", "edge/edge", 3, 3, 1, 5)], [MarkRow("mara", "care", 3, 3, "true")])
        over.words.keep(StoredWord(3, "text", bytes(32), "a plan"))
        over.words.delete(1, ["text"])
        assert list(over.entries.stored(3)) == [entry(3, text="a plan")]
        assert (over.words.texts_of(3), over.words.texts_of(1)) == ({"text": "a plan"}, {})
    assert everything(made) == before
    other.close()


def test_a_correction_that_is_planned_on_an_overlay_is_the_one_that_is_written_later() -> None:
    with opened_book() as book:
        for amount in (-1, -2):
            scribe(book).write(Adjust(who="mara", amounts={"edge/edge": amount}, why="a bargain"))
        before = everything(book.journal.storage)
        planned = Book(Journal(Overlay(book.journal.storage)))
        scribe(planned).write(Undo())
        plan = everything(planned.journal.storage)
        assert (planned.balance("mara", "edge/edge"), everything(book.journal.storage)) == (3, before)
        scribe(book).write(Undo())
        after = everything(book.journal.storage)
        assert after[:4] == plan[:4] != before[:4]


def test_an_overlay_takes_no_lock_and_forgets_its_rows_when_it_is_told_to(made: SQLite) -> None:
    over = Overlay(made)
    with made.writing(), over.writing():
        over.rows.put([PostingRow("mara", "edge/edge", 3, 3, 1, 5)], [])
    over.rows.clear()
    assert (list(over.rows.postings()), list(over.rows.marks())) == ([], [])


def test_an_overlay_finds_what_was_added_as_it_finds_what_is_below(made: SQLite) -> None:
    over = Overlay(made, 1)
    over.entries.append(entry(2, once="mine", type="note-written", text="x"))
    over.entries.append(entry(3, since=1, type="note-written", text="x"))
    assert (over.entries.find_by_once_id("mine"), over.entries.find_by_once_id("x"), over.entries.head()) == (
        2,
        None,
        3,
    )
    assert [each.seq for each in over.entries.backdated_entries(1, 2)] == [3]
    assert [each.seq for each in over.entries.search(["note-written"], 3, ["text"])] == [3]
    assert [each.seq for each in over.entries.search(["note-written"], 2, ["text"], 2)] == [2]
    assert (over.has_nodes(), over.upgrade(), over.check_guards(), over.foreign_names()) == (False, False, "", [])
    over.scrub()
    over.close()


@given(data=st.data())
@examples(40)
def test_who_goes_through_a_campaign_knows_which_questions_wait_at_every_entry(data: st.DataObject) -> None:
    with every_game() as book:
        evening(data.draw, book, 9)
        storage = book.journal.storage
        waiting = OpenQuestions(storage.rows)
        for last in range(book.head() + 1):
            reached = data.draw(st.integers(0, last + 1))
            waiting.advance_to(reached)
            overlay = Book(Journal(Overlay(storage, last, waiting)))
            assert overlay.questions() == Book(Journal(Overlay(storage, last))).questions()
        assert overlay.questions() == book.questions()


WHOSE = st.sampled_from(["mara", "brak", "é", "#cast"])
NAMES = st.sampled_from(["Z", "a", "a/b", "é", "\uff5e", "\U0001f600"])
PLACES = st.integers(1, 6).flatmap(lambda seq: st.tuples(st.just(seq), st.integers(1, seq)))
KEYS = st.lists(st.tuples(WHOSE, NAMES, PLACES), max_size=25, unique=True)

Keys = list[tuple[str, str, tuple[int, int]]]


@given(postings=KEYS, marks=KEYS, last=st.integers(0, 6), unseen=KEYS)
@examples(60)
def test_an_engine_and_an_overlay_over_its_first_entries_answer_alike_whatever_rows_they_have(
    postings: Keys, marks: Keys, last: int, unseen: Keys
) -> None:
    engine, below = SQLite.memory(), SQLite.memory()
    over = Overlay(below, last)
    for at, (who, name, (seq, since)) in enumerate(sorted(postings, key=lambda key: key[2])):
        posting_row = PostingRow(who, name, seq, since, at - 9, at)
        engine.rows.put([posting_row], [])
        (below if seq <= last else over).rows.put([posting_row], [])
    for at, (who, name, (seq, since)) in enumerate(sorted(marks, key=lambda key: key[2])):
        mark_row = MarkRow(who, name, since, seq, str(at) if at % 3 else None)
        engine.rows.put([], [mark_row])
        (below if seq <= last else over).rows.put([], [mark_row])
    for who, name, (seq, since) in unseen:  # written after the entry at which the overlay begins
        below.rows.put(
            [PostingRow(who, name, last + seq, since, 99, 99)], [MarkRow(who, name, since, last + seq, "99")]
        )
    assert answers(over) == answers(engine)
    engine.close()
    below.close()


def answers(storage: Storage) -> list[object]:
    """What a storage says of all rows, of every name that has any, and of every point."""
    rows, points = storage.rows, range(8)
    found: list[object] = [
        list(rows.postings()),
        list(rows.marks()),
        [sorted(rows.backdated_rows(head)) for head in points],
    ]
    for who in ("mara", "brak", "é", "#cast", "nobody"):
        scores, names = list(rows.names("postings", who)), list(rows.names("marks", who))
        found += [scores, names, list(rows.names("postings", who, "a")), list(rows.names("marks", who, "é"))]
        for score in scores:
            found += [rows.balance_at(who, score, seq) for seq in (*points, BOUND)]
            found += [list(rows.posting_rows(who, score, first, last)) for first in points for last in (2, 4, BOUND)]
            found += [list(rows.corrections(who, score, since, 2, last)) for since in points for last in (2, 4, BOUND)]
            found += [rows.original_count(who, score, last) for last in (*points, BOUND)]
        found += [list(rows.marks_of(who, since, last)) for since in points for last in (2, 4, BOUND)]
        for name in names:
            found += [list(rows.mark_rows(who, name, since, last)) for since in points for last in (2, 4, BOUND)]
            found += [list(rows.mark_rows(who, name, first=first)) for first in points]
            found += [list(rows.entries_with_value(who, name, value)) for value in ("1", "null", '"x"')]
    return found


def test_a_writer_whose_file_an_interruption_closed_ends_as_it_was_interrupted() -> None:
    engine = SQLite.memory()
    with pytest.raises(KeyboardInterrupt), engine.writing():
        engine.close()
        raise KeyboardInterrupt


def test_a_full_disk_is_the_reason_why_traces_of_a_text_remain(made: SQLite, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def execute(self, _: str) -> None:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error

    with monkeypatch.context() as patch, pytest.raises(Unscrubbed, match="because the disk is full"):
        patch.setattr(made, "connection", Full())
        made.scrub()


def test_a_question_is_open_before_the_entry_that_answers_it(book: Book) -> None:
    check = PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True))
    question = scribe(book).write(check, faces=(7, 3, 7)).entries[1].seq
    answer = scribe(book).write(Choose(question=question, chosen={"drop": 3})).entries[0].seq
    storage = book.journal.storage
    waiting = OpenQuestions(storage.rows)
    waiting.advance_to(answer)
    assert [*Book(Journal(Overlay(storage, answer - 1, waiting))).questions()] == [question]
