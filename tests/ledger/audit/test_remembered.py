"""The memory of checks: entries that have not changed are not checked again, and whatever has changed is."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import connection_of
from evenings import evening
from examples import examples
from ledger import systems
from ledger.audit import remembered, report, states
from ledger.audit.check import Fault, PastEntries
from ledger.audit.program import current_digest
from ledger.audit.remembered import Memory
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import Note
from ledger.commands.custody import Erase
from ledger.corrections.undoing import Undo
from ledger.errors import LedgerError, TablesDiffer, WrongEntry
from ledger.events.entry import Entry
from ledger.journal.book import Book
from ledger.journal.memory import StorageWrapper
from ledger.journal.sqlite import SQLite
from table import every_game, scribe
from tampering import Tamper, fields, rewritten, unguarded

TODAY, LATER = "2026-11-22", "2026-11-29"


@pytest.fixture(autouse=True)
def _remembers_short_campaigns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "LEAST_ENTRIES", 3)


@pytest.fixture
def home(tmp_path: Path) -> str:
    return str(tmp_path / "home")


def more(book: Book) -> None:
    """Write three more entries."""
    scribe(book).write(Note(text="more"))
    scribe(book).write(Undo())
    scribe(book).write(Note(text="still more"))


def test_a_second_verify_checks_only_new_entries(book: Book, home: str) -> None:
    old = book.head()
    verify(book, memory=Memory(home, "verify", TODAY))
    more(book)
    seen: list[int] = []
    memory = Memory(home, "verify", LATER)
    assert verify(book, seen.append, memory) == verify(book)
    assert seen == [old, 1, 1, 1]
    assert memory.earlier_check is not None
    assert (memory.earlier_check.entries, memory.earlier_check.since) == (old, TODAY)


def test_what_was_checked_is_remembered_since_the_day_of_the_last_check(book: Book, home: str) -> None:
    for day in (TODAY, LATER, LATER):
        memory = Memory(home, "verify", day)
        verify(book, memory=memory)
        more(book)
    assert memory.earlier_check is not None
    assert (memory.earlier_check.entries, memory.earlier_check.since) == (book.head() - 6, LATER)


def test_a_check_that_recalls_nothing_is_remembered(book: Book, home: str) -> None:
    for _ in range(2):
        memory = Memory(home, "verify", TODAY, recalls=False)
        verify(book, memory=memory)
        assert memory.earlier_check is None
    assert Memory(home, "verify", TODAY).recall(book)


def test_a_second_audit_decides_only_new_actions(book: Book, home: str) -> None:
    old = book.head()
    audit(book, TODAY, memory=Memory(home, "audit", TODAY))
    more(book)
    seen: list[int] = []
    found = audit(book, LATER, seen.append, Memory(home, "audit", LATER))
    assert [count for count in seen if count] == [2 * old, *[1] * 6, old, *[1] * 3]
    assert found.earlier_check is not None
    assert found.replace(earlier_check=None) == audit(book, LATER)


@examples(60)
@given(data=st.data(), distance=st.integers(1, 20))
def test_an_audit_that_remembers_finds_what_an_audit_of_all_entries_finds(
    tmp_path_factory: pytest.TempPathFactory, data: Any, distance: int
) -> None:
    home = str(tmp_path_factory.mktemp("home"))
    with pytest.MonkeyPatch.context() as patch, every_game() as book:
        patch.setattr(states, "SHORTEST_DISTANCE", distance)
        for _ in range(4):
            evening(data.draw, book, 5)
            found = audit(book, TODAY, memory=Memory(home, "audit", TODAY))
            assert found.replace(earlier_check=None) == audit(book, TODAY)
        assert audit(book, LATER, memory=Memory(home, "audit", LATER)).replace(earlier_check=None) == audit(book, LATER)


@examples(24)
@given(data=st.data())
def test_a_kept_state_stays_right_until_a_later_entry_takes_effect_before_it(data: Any) -> None:
    with every_game() as book:
        for _ in range(3):
            last, before = book.head(), states_of(book)
            evening(data.draw, book, 5)
            first, after = report.first_changed_place(book, last), states_of(book)
            places = [place for place in before if place < first]
            assert [after[place] for place in places] == [before[place] for place in places]


def states_of(book: Book) -> dict[int, str]:
    """The state after each action of a book, from one audit."""
    kept: dict[int, str] = {}

    def note(_: Memory, book: Book, found: object, states: dict[int, object]) -> None:
        kept.update((place, json.dumps(state)) for place, state in states.items())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Memory, "keep", note)
        patch.setattr(report, "places_to_keep", lambda after, head: [*range(after + 1, head)])
        audit(book, TODAY, memory=Memory("", "audit", TODAY, recalls=False))
    return kept


@pytest.fixture
def states_kept(book: Book, home: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The entries after which an audit has kept its state, in order."""
    monkeypatch.setattr(states, "SHORTEST_DISTANCE", 2)
    audit(book, TODAY, memory=Memory(home, "audit", TODAY))
    return sorted(int(name.split(".")[2]) for name in os.listdir(Path(home) / "checked") if name.count(".") == 2)


def first_read(book: Book, home: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """The first entry that the other checks of an audit read again, or 0 if they read none."""
    read: list[int] = []

    def note(_: report.Outcomes, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        read.append(entry.seq)
        yield from ()

    with monkeypatch.context() as patch:
        patch.setattr(report.Outcomes, "check", note)
        audit(book, TODAY, memory=Memory(home, "audit", TODAY))
    return min(read, default=0)


def test_the_other_checks_go_on_after_the_last_entry(
    book: Book, home: str, states_kept: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (len(states_kept) > 1, states_kept[-1]) == (True, book.head())
    assert first_read(book, home, monkeypatch) == 0
    scribe(book).write(Note(text="more"))
    assert first_read(book, home, monkeypatch) == states_kept[-1] + 1


def test_the_other_checks_read_what_a_later_entry_strikes(
    book: Book, home: str, states_kept: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    scribe(book).write(Undo())
    assert first_read(book, home, monkeypatch) == states_kept[-2] + 1


@pytest.mark.parametrize("change", [Path.unlink, lambda file: file.write_text("x", encoding="utf-8")])
def test_the_other_checks_start_earlier_if_a_state_cannot_be_read(
    book: Book, home: str, states_kept: list[int], change: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at, place in enumerate(reversed(states_kept)):
        (file,) = (Path(home) / "checked").glob(f"*.audit.{place}")
        change(file)
        before = states_kept[: len(states_kept) - at - 1]
        assert first_read(book, home, monkeypatch) == (before[-1] if before else 0) + 1
        (file,) = (Path(home) / "checked").glob(f"*.audit.{book.head()}")
        file.unlink()


def test_a_state_that_is_not_plain_is_not_kept(book: Book, home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report.Outcomes, "state", states.to_json)
    for _ in range(2):
        found = audit(book, TODAY, memory=Memory(home, "audit", TODAY))
        assert found.replace(earlier_check=None) == audit(book, TODAY)
        assert len(os.listdir(Path(home) / "checked")) == 1


SCALARS = st.none() | st.booleans() | st.integers() | st.text()
KEYS = st.recursive(SCALARS, lambda keys: st.tuples(keys, keys) | st.frozensets(keys, max_size=3), max_leaves=4)
PLAIN = st.recursive(
    SCALARS | KEYS | st.dictionaries(KEYS, st.integers()).map(Counter),
    lambda values: st.lists(values) | st.tuples(values) | st.sets(KEYS) | st.dictionaries(KEYS, values),
)


@given(PLAIN)
def test_a_plain_value_comes_back_from_json(value: Any) -> None:
    assert repr_in_order(states.from_json(json.loads(json.dumps(states.to_json(value))))) == repr_in_order(value)


def repr_in_order(value: Any) -> str:
    """The text of a value, with its types; sets in order."""
    match value:
        case dict():
            return f"{type(value)} {[(repr_in_order(key), repr_in_order(own)) for key, own in value.items()]}"
        case list() | tuple():
            return f"{type(value)} {[*map(repr_in_order, value)]}"
        case set() | frozenset():
            return f"{type(value)} {sorted(map(repr_in_order, value))}"
    return repr(value)


def test_states_are_kept_at_a_few_places_that_become_rarer() -> None:
    assert states.places_to_keep(0, 40_000) == [8_000, 32_000, 38_000, 39_500]
    assert states.places_to_keep(33_000, 40_000) == [38_000, 39_500]
    places: list[int] = []
    for evening_end in range(200, 40_000, 200):
        places = states.places_still_kept([*places, evening_end], evening_end)
        assert places[-1] == evening_end
    assert len(places) < 10


def test_a_file_that_could_not_be_written_does_not_stay(book: Book, home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fill)
    verify(book, memory=Memory(home, "verify", TODAY))
    assert os.listdir(Path(home) / "checked") == []


def test_nothing_is_saved_in_a_home_that_others_can_open(book: Book, home: str) -> None:
    Path(home).mkdir(0o750)
    for _ in range(2):
        memory = Memory(home, "verify", TODAY)
        verify(book, memory=memory)
        assert (memory.earlier_check, memory.is_open) == (None, True)
    assert os.listdir(Path(home) / "checked") == []


TAMPERING: list[tuple[str, Tamper]] = [
    ("a body", rewritten(3, lambda body: body.replace("p2", "p1"))),
    ("a leaf", unguarded("UPDATE entries SET leaf = zeroblob(32) WHERE seq = 2")),
    ("the last leaf", unguarded("UPDATE entries SET leaf = zeroblob(32) WHERE seq = (SELECT max(seq) FROM entries)")),
    ("a score change", unguarded("UPDATE postings SET amount = amount + 1")),
    ("a score change too many", unguarded("INSERT INTO postings VALUES ('mara', 'edge/x', 2, 2, 1, 1)")),
    ("a score change before all entries", unguarded("INSERT INTO postings VALUES ('mara', 'edge/x', -5, -5, 1, 1)")),
    ("a score change after all entries", unguarded("INSERT INTO postings VALUES ('mara', 'edge/x', 99, 99, 1, 1)")),
    ("a mark", unguarded("UPDATE marks SET value = '7' WHERE seq = 5")),
    ("a mark too few", unguarded("DELETE FROM marks WHERE seq = 5")),
    ("a text", unguarded("UPDATE words SET text = text || '!'")),
    ("a text too few", unguarded("DELETE FROM words WHERE seq = 1")),
    ("a salt", unguarded("UPDATE words SET salt = zeroblob(32)")),
    ("a node", unguarded("UPDATE nodes SET hash = zeroblob(32) WHERE level = 1 AND place = 0")),
    ("a node too few", unguarded("DELETE FROM nodes WHERE level = 1 AND place = 0")),
    ("an entry too few", unguarded("DELETE FROM entries WHERE seq = 2")),
    ("the end", unguarded("DELETE FROM entries WHERE seq > 4")),
    ("a trigger", lambda connection: connection.execute("DROP TRIGGER entries_stay")),
]


@pytest.mark.parametrize(("what", "tamper"), TAMPERING)
@pytest.mark.parametrize("longer", [False, True])
def test_a_change_of_remembered_entries_is_found(
    book: Book, home: str, what: str, tamper: Tamper, longer: bool
) -> None:
    verify(book, memory=Memory(home, "verify", TODAY))
    audit(book, TODAY, memory=Memory(home, "audit", TODAY))
    if longer:
        more(book)
    tamper(connection_of(book))
    wrong = []
    for check in (
        lambda: verify(book),
        lambda: verify(book, memory=Memory(home, "verify", TODAY)),
        lambda: audit(book, TODAY, memory=Memory(home, "audit", TODAY)),
    ):
        with pytest.raises(LedgerError) as error:
            check()
        wrong.append((type(error.value), str(error.value)))
    assert wrong == [wrong[0]] * 3


def test_a_check_starts_from_the_beginning_if_the_last_action_goes_on(book: Book, home: str) -> None:
    audit(book, TODAY, memory=Memory(home, "audit", TODAY))
    last = book.head()
    scribe(book).write(Note(text="one more"))
    assert Memory(home, "audit", TODAY).recall(book)
    rewritten(last + 1, fields(act=last))(connection_of(book))
    assert not Memory(home, "audit", TODAY).recall(book)


def test_a_check_that_failed_is_not_remembered(book: Book, home: str) -> None:
    unguarded("UPDATE marks SET value = '7' WHERE seq = 5")(connection_of(book))
    for _ in range(2):
        memory = Memory(home, "verify", TODAY)
        with pytest.raises(TablesDiffer):
            verify(book, memory=memory)
        assert memory.earlier_check is None
    assert not Path(home).exists()


def test_a_text_that_was_erased_but_kept_is_found(book: Book, home: str) -> None:
    scribe(book).write(Note(text="secret"))
    note, stored = book.head(), connection_of(book)
    verify(book, memory=Memory(home, "verify", TODAY))
    (row,) = stored.execute("SELECT * FROM words WHERE seq = ?", (note,))
    scribe(book).write(Erase(entries=(note,)))
    stored.execute("INSERT INTO words VALUES (?, ?, ?, ?)", row)
    with pytest.raises(WrongEntry, match="still contains text"):
        verify(book, memory=Memory(home, "verify", TODAY))


def test_after_an_erasure_a_check_starts_from_the_beginning(book: Book, home: str) -> None:
    scribe(book).write(Note(text="secret"))
    verify(book, memory=Memory(home, "verify", TODAY))
    scribe(book).write(Erase(entries=(book.head(),)))
    memory = Memory(home, "verify", TODAY)
    verify(book, memory=memory)
    assert memory.earlier_check is None


def spoil(text: str) -> Any:
    def change(file: Path) -> None:
        file.write_text(text, encoding="utf-8")

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda file: file.unlink(),
        lambda file: file.write_bytes(file.read_bytes()[:-3]),
        lambda file: file.write_bytes(file.read_bytes().replace(b'"entries": ', b'"entries": 1')),
        lambda file: file.write_bytes(b"\xff\xfe"),
        lambda file: (file.unlink(), file.mkdir()),
        lambda file: file.parent.parent.chmod(0o750),
        lambda file: os.chown(file.parent.parent, 12345, 12345),
        spoil(""),
    ],
)
def test_a_check_starts_from_the_beginning_if_the_home_cannot_be_trusted(book: Book, home: str, change: Any) -> None:
    verify(book, memory=Memory(home, "verify", TODAY))
    (file,) = (Path(home) / "checked").iterdir()
    change(file)
    memory = Memory(home, "verify", TODAY)
    assert verify(book, memory=memory) == verify(book)
    assert memory.earlier_check is None


def test_another_program_starts_from_the_beginning(book: Book, home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    verify(book, memory=Memory(home, "verify", TODAY))
    monkeypatch.setattr(remembered, "program_digest", lambda: "another")
    memory = Memory(home, "verify", TODAY)
    verify(book, memory=memory)
    assert memory.earlier_check is None


@pytest.mark.parametrize("now", ["updated", ""])
def test_nothing_is_remembered_if_the_program_was_updated_or_cannot_be_read(
    book: Book, home: str, now: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "current_digest", lambda: now)
    if not now:
        monkeypatch.setattr(remembered, "program_digest", lambda: now)
    verify(book, memory=Memory(home, "verify", TODAY))
    assert not Path(home).exists()


def test_the_digest_of_the_program_covers_the_games_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    digests = []
    for packages in ([], ["evenings"], ["ledger.tlog"], ["no_such_game"]):  # a module, a package, and one that fails
        monkeypatch.setattr(systems, "other_packages", lambda packages=packages: packages)
        digests.append(current_digest())
    assert (len({*digests}), digests[-1]) == (4, "")


def test_a_home_that_cannot_be_written_remembers_nothing(book: Book, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for _ in range(2):
        memory = Memory(str(tmp_path / "file" / "home"), "verify", TODAY)
        assert verify(book, memory=memory) == verify(book)
        assert memory.earlier_check is None


def test_a_short_campaign_is_not_remembered(book: Book, home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "LEAST_ENTRIES", book.head() + 1)
    verify(book, memory=Memory(home, "verify", TODAY))
    assert not os.path.exists(home)


@examples(40)
@given(data=st.data())
def test_a_digest_does_not_depend_on_later_entries(data: Any) -> None:
    with every_game() as book:
        sizes = [book.head()]
        before = book.journal.storage.digests(sizes)
        evening(data.draw, book, 9)
        after = book.journal.storage.digests([*sizes, book.head()])
        assert after == [*before, *book.journal.storage.digests([book.head()])]


def test_a_file_of_the_first_version_has_a_digest(book: Book) -> None:
    with closing(SQLite.memory(1)) as storage:
        for entry in book.journal.stored():
            storage.entries.append(entry)
        first, second = storage.digests([3, 4])
        assert (first != second, storage.digests([4])) == (True, [second])


def test_a_storage_above_another_one_has_the_digest_of_that_one_and_no_address(book: Book) -> None:
    storage = StorageWrapper(book.journal.storage)
    assert storage.digests([3]) == book.journal.storage.digests([3])
    assert storage.address() is None
