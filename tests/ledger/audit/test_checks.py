"""Checks: each entry is read strictly from its bytes, and refused for what is found first, in one order."""

import json
import tracemalloc
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from engine import connection_of
from entry_shapes import entry_shape, pydantic_reader
from evenings import evening
from examples import examples
from ledger.audit import check, report
from ledger.audit.check import NO_ENTRY, Checks, EntryCheck, PastEntries, raise_first_fault
from ledger.audit.decided import Decided
from ledger.audit.report import audit
from ledger.audit.structure import entry_of
from ledger.audit.verify import RowReader, WordsCheck, entry_checks, verify
from ledger.commands.at_table import Adjust, Note
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.corrections.answers import Decide
from ledger.corrections.seals import Reveal, Sealed
from ledger.corrections.undoing import Amend, Undo, Void
from ledger.errors import SecretNotHere, WrongEntry
from ledger.events.canonical import canonical_json, substitute, walk
from ledger.events.commitments import commitment, with_words
from ledger.events.types import EVENTS, Consequence
from ledger.journal.book import Book
from ledger.rebuild import rebuild
from ledger.systems.edge.moves_check import Check as CheckMove
from ledger.tlog.tree import leaf_hash
from paths import GOLDEN
from table import every_game, hashed_anew, opened_book, scribe
from tampering import fields, fitted, rewritten, unguarded

WRITTEN = {path.stem: json.loads(path.read_bytes()) for path in sorted((GOLDEN / "events").glob("*.json"))}

OTHER: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2**53 - 1,
    "",
    "x",
    "x" * 101,
    [],
    {},
    [1],
    {"a": 1},
    {"word": "0" * 64},
)


@cache
def adapter(name: str) -> TypeAdapter[Any]:
    return pydantic_reader(entry_shape(EVENTS.get(name, Consequence)))


def bent(data: Any, body: dict[str, Any]) -> dict[str, Any]:
    """A body with one value changed, or left out, or put in."""
    path, held = data.draw(st.sampled_from([(path, held) for path, held in walk(body) if path]))
    kind = data.draw(st.sampled_from(["changed", "changed", "left out", "put in"]))
    if kind == "changed":
        found: dict[str, Any] = substitute(body, {path: data.draw(st.sampled_from([*OTHER, held]))})
        return found
    gone = data.draw(st.sampled_from(sorted(body))) if kind == "left out" else None
    return {name: each for name, each in body.items() if name != gone} | ({} if gone else {"more": 1})


@examples(3000)
@given(data=st.data())
def test_an_entry_is_read_from_its_bytes_where_pydantic_would_read_it(data: Any) -> None:
    whole = WRITTEN[data.draw(st.sampled_from(sorted(WRITTEN)))]
    body = bent(data, whole)
    stored, name, where = canonical_json(body), body.get("type"), ""
    try:
        adapter(str(name)).validate_json(stored)
    except ValidationError as refused:
        where = str(refused.errors()[0]["loc"][0])
    if not isinstance(name, str):
        where = "has no type"
    elif body.get("format") is True:
        where = "format"  # pydantic alone takes true for the literal 1
    seq = body["seq"] if type(body.get("seq")) is int else 17
    if not where:
        assert entry_of(seq, stored, leaf_hash(stored)).body == body
        return
    with pytest.raises(WrongEntry) as found:
        entry_of(seq, stored, leaf_hash(stored))
    assert found.value.seq == seq
    says = "has no type" if not isinstance(name, str) else f"is not a valid {name} entry (the problem is in "
    first = where if name == whole["type"] else ""  # of another type there are several, in whatever order
    assert found.value.sentence.startswith(f"Entry {seq} {says}{first}")


@pytest.mark.parametrize("missing", ["system", "who", "facts"])
def test_a_consequence_without_a_field_is_refused_by_the_name_of_the_field(missing: str) -> None:
    whole = WRITTEN["edge-burned"]
    stored = canonical_json({name: value for name, value in whole.items() if name != missing})
    with pytest.raises(WrongEntry, match=rf"\(the problem is in {missing}\)"):
        entry_of(whole["seq"], stored, leaf_hash(stored))


def test_an_entry_is_known_by_where_it_is_kept_whatever_it_says_itself(book: Book) -> None:
    (kept,) = book.journal.stored(7, 7)
    with pytest.raises(WrongEntry, match="Entry 6 is in the wrong place"):
        entry_of(6, kept.body, kept.leaf)


def test_an_entry_is_refused_for_what_the_first_check_finds(book: Book) -> None:
    """Entry 8 has no time, was written by nobody, sets a value that cannot exist, and has lost its text."""
    scribe(book).write(Note(text="x"))
    wrong = {
        "at": ("2026-19-30T10:00:00Z", "2026-11-20T19:30:00Z", "has no valid time"),
        "by": ("p9", "p1", "was written by p9"),
        "marks": ([{"who": "#players", "name": "x", "value": 8}], [], "sets a value that cannot exist"),
        "text": (
            {"word": "0" * 64},
            json.loads(book.journal.entry(8).stored)["text"],
            "has a text that differs from the original",
        ),
    }
    rewritten(8, fields(**{name: other for name, (other, _, _) in wrong.items()}))(connection_of(book))
    for name, (_, right, says) in wrong.items():
        with pytest.raises(WrongEntry, match=f"Entry 8 {says}"):
            verify(book)
        rewritten(8, fields(**{name: right}))(connection_of(book))
    fitted(book)
    assert verify(book).entries == 8


def test_each_check_looks_at_each_entry_once_in_the_order_in_which_they_are_listed() -> None:
    seen: list[tuple[int, int]] = []

    class Noted(EntryCheck):
        def __init__(self, place: int) -> None:
            self.place = place

        def check(self, entry: Any, before: PastEntries) -> Any:
            assert before.head == entry.seq - 1
            seen.append((entry.seq, self.place))
            yield from ()

    with every_game() as book:
        every = Checks((Noted(1), Noted(2)), PastEntries(book))
        for entry in book.journal.entries():
            raise_first_fault(every.check(entry))
        raise_first_fault(every.final_faults())
        assert seen == [(seq, place) for seq in range(1, book.head() + 1) for place in (1, 2)]


def test_the_checks_of_one_entry_are_of_one_signature_and_none_is_there_twice() -> None:
    found = entry_checks(WordsCheck(RowReader(iter(())), {}))
    of_the_audit = report.audit_checks("2026-11-22", Decided(), report.Outcomes(Decided()))
    assert len({type(each) for each in found}) == len(found)
    assert len({type(each) for each in of_the_audit}) == len(of_the_audit)
    assert all(isinstance(each, EntryCheck) for each in (*found, *of_the_audit))


def test_what_stood_before_is_what_was_written_before(book: Book) -> None:
    """8 a note, 9 10 11 an amendment of it, 12 its undo; 13 a sealed roll, 14 15 16 its telling, with what follows."""
    hand = scribe(book)
    hand.write(Note(text="x"))
    hand.write(Amend(named=8, inputs={"text": "y"}, faces=None, cascade=False, why="so"))
    hand.write(Undo())
    hand.write(
        Sealed(command=PlayMove(system="edge", move=CheckMove(who="mara", skill=11)), until=None, unseen=False),
        faces=(7, 6),
    )
    hand.write(Reveal(entry=13))
    before = PastEntries(book)
    assert (before.head, before.entry(0).type, before.action(1).places) == (0, "", frozenset())
    for entry in book.journal.entries():
        assert entry.seq == before.head + 1
        assert before.mark("#revealed", "13") == (14 if before.head >= 14 else None)
        before.add(entry)
    assert before.seats == {"p1", "p2"}
    assert (before.entry(9).about, before.entry(10).act, before.entry(11).since) == (8, 9, 8)
    amended, undone, told = (before.action(act) for act in (9, 12, 14))
    assert (set(amended.strikes), set(amended.places)) == ({8}, {9, 10, 8})
    assert (set(undone.strikes), set(told.reveals), set(told.places)) == ({9}, {13}, {14, 13})
    assert before.balance("mara", "edge/maximum") == book.balance("mara", "edge/maximum")


@examples(60)
@given(data=st.data())
def test_what_stood_before_is_the_same_however_little_of_it_is_kept_at_hand(data: Any) -> None:
    with every_game() as book, pytest.MonkeyPatch.context() as patched:
        evening(data.draw, book, 9)
        all_at_hand, found = PastEntries(book), audit(book, "2026-11-22")
        patched.setattr(check, "CACHED_ENTRIES", 1)
        patched.setattr(check, "CACHED_ACTIONS", 1)
        assert audit(book, "2026-11-22") == found
        little = PastEntries(book)
        for entry in book.journal.entries():
            little.add(entry)
            all_at_hand.add(entry)
        for seq in range(book.head() + 1):
            assert little.entry(seq).stored == all_at_hand.entry(seq).stored
            one, other = little.action(seq), all_at_hand.action(seq)
            assert (one.places, one.strikes, one.answers, one.reveals) == (
                other.places,
                other.strikes,
                other.answers,
                other.reveals,
            )
        assert len(little._entries) == len(little._actions) == 1  # however many were looked at


def test_what_stood_before_holds_no_entry_that_comes_later(book: Book) -> None:
    before = PastEntries(book)
    before.add(book.journal.entry(1))
    assert (before.entry(1).seq, before.entry(2), before.entry(-1)) == (1, NO_ENTRY, NO_ENTRY)
    assert before.action(2).places == frozenset()


def test_a_telling_of_which_a_secret_is_not_here_cannot_be_compared(book: Book) -> None:
    hand = scribe(book)
    move = CheckMove(who="mara", skill=11, target=25, secret=True)
    hand.write(Sealed(command=PlayMove(system="edge", move=move), until=None, unseen=False), faces=(7, 6))
    hand.write(Reveal(entry=8))
    assert verify(book).away == 0
    unguarded("DELETE FROM words WHERE seq = 11 AND field = 'inputs.target'")(connection_of(book))
    with pytest.raises(SecretNotHere, match="This command needs a secret of #11 that is not in this file"):
        verify(book)


def test_a_strike_that_takes_a_decision_with_it_is_refused(book: Book) -> None:
    """The void of an amendment strikes also what a GM decided on a question that it asked."""
    hand = scribe(book)
    adjusted = hand.write(Adjust(who="mara", amounts={"edge/edge": -1}, why="x")).entries[0].seq
    hand.write(PlayMove(system="edge", move=CheckMove(who="mara", skill=11, edge=True, drop=3)), faces=(7, 6, 3))
    changed_ = {"amounts": {"edge/edge": -4}}
    amended = hand.write(Amend(named=adjusted, inputs=changed_, faces=None, cascade=False, why="so")).entries[0].seq
    question = Decide(question=book.questions()[0], choice="stand", why="so", inputs={}, faces=None, cascade=False)
    decided = hand.write(question).entries[0].act
    strike = hand.write(Void(strikes=amended, why="so")).entries[0]
    assert verify(book).entries == book.head()
    marks = [*strike.body["marks"], {"who": "#struck", "name": str(decided), "value": strike.seq}]
    rewritten(strike.seq, fields(marks=marks))(connection_of(book))
    fitted(book)
    with pytest.raises(WrongEntry, match=f"also cancels #{decided}, which does not depend on #{amended}"):
        verify(book)


def sealed_anew(book: Book, field: str, change: Any) -> None:
    """Put something else into the roll that was sealed at #8, and commit to it."""
    connection = connection_of(book)
    where = "FROM words WHERE seq = 8 AND field = ?"
    salt, text = connection.execute(f"SELECT salt, text {where}", (field,)).fetchone()
    bent_ = canonical_json(change(json.loads(text))).decode()
    connection.execute("UPDATE words SET text = ? WHERE seq = 8 AND field = ?", (bent_, field))
    rewritten(8, fields(**{field: {"secret": commitment(salt, bent_)}}))(connection)
    hashed_anew(book.journal)


@pytest.mark.parametrize("mark", [("#questions", "x", 1), ("#questions", "8", [1]), ("mara", "offer", {"a": 1})])
@pytest.mark.parametrize("field", ["thrown", "ruling", "consequences"])
def test_a_roll_that_was_sealed_with_made_up_marks_ends_in_one_sentence(
    book: Book, field: str, mark: tuple[str, str, Any]
) -> None:
    hand = scribe(book)
    move = CheckMove(who="mara", skill=11, edge=True, drop=5)
    hand.write(Sealed(command=PlayMove(system="edge", move=move), until=None, unseen=False), faces=(7, 6, 5))
    hand.write(Reveal(entry=8))
    marks = [dict(zip(("who", "name", "value"), mark, strict=True))]
    sealed_anew(
        book,
        field,
        lambda held: [{**held[0], "marks": marks}, *held[1:]] if isinstance(held, list) else {**held, "marks": marks},
    )
    for whole in (verify, rebuild):
        with pytest.raises(WrongEntry, match="Entry 9 reveals something different from what #8 sealed"):
            whole(book)


def test_a_journal_is_refused_for_its_first_fault_whatever_an_erasure_holds(book: Book) -> None:
    hand = scribe(book)
    hand.write(Note(text="x"))
    rewritten(3, fields(at="2026-19-30T10:00:00Z"))(connection_of(book))
    for erasure in ({"erased": {"8": ["text"]}}, {"erased": {"8": ["text"]}, "marks": 1}, {"erased": 1}):
        rewritten(8, fields(type="words-erased", **erasure))(connection_of(book))
        hashed_anew(book.journal)
        with pytest.raises(WrongEntry, match="Entry 3 has no valid time"):
            verify(book)


def test_the_memory_of_verify_does_not_grow_with_the_journal() -> None:
    """Plain rolls, sealed rolls that are told, and notes, with little kept at hand."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(check, "CACHED_ENTRIES", 20)
        patched.setattr(check, "CACHED_ACTIONS", 20)
        peaks = []
        for turns in (20, 100):
            with opened_book() as book:
                hand = scribe(book)
                for _ in range(turns):
                    hand.write(PlayMove(system="edge", move=CheckMove(who="mara", skill=11)), faces=(7, 6))
                    sealed = Sealed(command=Roll(who="mara", notation="3d6"), until=None, unseen=False)
                    hand.write(Reveal(entry=hand.write(sealed, faces=(1, 2, 3)).entries[0].seq))
                    hand.write(Note(text="x" * 100))
                verify(book)
                tracemalloc.start()
                verify(book)
                peaks.append(tracemalloc.get_traced_memory()[1])
                tracemalloc.stop()
    assert peaks[1] - peaks[0] < 100_000  # of 640 entries more, whose bodies alone are 270,000 bytes


def test_a_secret_that_nobody_can_read_is_refused_also_where_it_is_opened() -> None:
    with pytest.raises(WrongEntry, match=r"Entry 8 contains a secret in an invalid format \(inputs\)"):
        with_words({"seq": 8, "inputs": {"secret": "0" * 64}}, {"inputs": "{"}, secrets=True)


def test_a_check_that_looks_at_nothing_finds_nothing(book: Book) -> None:
    nothing, before = EntryCheck(), PastEntries(book)
    assert [*nothing.check(book.journal.entry(1), before), *nothing.final_faults(before)] == []
