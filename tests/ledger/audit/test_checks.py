"""Checks: each entry is read strictly from its bytes, and refused for what is found first, in one order."""

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from engine import connection_of
from entry_shapes import entry_shape
from evenings import evening
from examples import examples
from ledger import systems
from ledger.audit import check, report
from ledger.audit.check import NOTHING, Before, Check, Checks, refuse
from ledger.audit.rederive import Rulings
from ledger.audit.report import audit
from ledger.audit.structure import entry_of
from ledger.audit.verify import Words, checks, verify
from ledger.commands.play import Play
from ledger.commands.table import Note
from ledger.corrections.commands import Amend, Undo
from ledger.corrections.seals import Reveal, Sealed
from ledger.errors import Away, WrongEntry
from ledger.events.canonical import canonical_json, changed, nodes
from ledger.events.commitments import opened
from ledger.events.entry import about_of
from ledger.events.types import TYPES, Consequence
from ledger.journal.book import Book
from ledger.systems.edge.moves_check import Check as CheckMove
from ledger.tlog.tree import leaf_hash
from paths import GOLDEN
from table import every_game, opened_book, scribe
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
    return TypeAdapter(entry_shape(TYPES.get(name, Consequence)))


def bent(data: Any, body: dict[str, Any]) -> dict[str, Any]:
    """A body with one value changed, or left out, or put in."""
    path, held = data.draw(st.sampled_from([(path, held) for path, held in nodes(body) if path]))
    kind = data.draw(st.sampled_from(["changed", "changed", "left out", "put in"]))
    if kind == "changed":
        found: dict[str, Any] = changed(body, {path: data.draw(st.sampled_from([*OTHER, held]))})
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
    says = "has no type" if not isinstance(name, str) else f"is no {name} as this program knows it (see "
    first = where if name == whole["type"] else ""  # of another type there are several, in whatever order
    assert found.value.sentence.startswith(f"Entry {seq} {says}{first}")


def test_an_entry_is_known_by_where_it_is_kept_whatever_it_says_itself(book: Book) -> None:
    (kept,) = book.journal.stored(7, 7)
    with pytest.raises(WrongEntry, match="Entry 6 does not stand in its place"):
        entry_of(6, kept.body, kept.leaf)


def test_an_entry_is_refused_for_what_the_first_check_finds(book: Book) -> None:
    """Entry 8 has no time, was written by nobody, marks what cannot be, and has lost its words."""
    scribe(book).write(Note(text="x"))
    wrong = {
        "at": ("2026-19-30T10:00:00Z", "2026-11-20T19:30:00Z", "has no time"),
        "by": ("p9", "p1", "was written by p9"),
        "marks": ([{"who": "#players", "name": "x", "value": 8}], [], "marks what cannot be"),
        "text": ({"word": "0" * 64}, json.loads(book.journal.entry(8).stored)["text"], "was given other words"),
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

    class Noted(Check):
        def __init__(self, place: int) -> None:
            self.place = place

        def look(self, entry: Any, before: Before) -> Any:
            assert before.head == entry.seq - 1
            seen.append((entry.seq, self.place))
            yield from ()

    with every_game() as book:
        every = Checks((Noted(1), Noted(2)), book)
        for entry in book.journal.entries():
            refuse(every.look(entry))
        refuse(every.end())
        assert seen == [(seq, place) for seq in range(1, book.head() + 1) for place in (1, 2)]


def test_the_checks_of_one_entry_are_of_one_signature_and_none_is_there_twice() -> None:
    found = checks(Words(lambda seq: [], None))
    assert len({type(each) for each in found}) == len(found)
    with opened_book() as book:
        rulings = Rulings(book, systems.installed)
        of_the_audit = report.checks(book, "2026-11-22", lambda entry: True, rulings)
    assert len({type(each) for each in of_the_audit}) == len(of_the_audit)
    assert all(isinstance(each, Check) for each in (*found, *of_the_audit))


def test_what_stood_before_is_what_was_written_before(book: Book) -> None:
    """8 a note, 9 10 11 an amendment of it, 12 its undo; 13 a sealed roll, 14 15 16 its telling, with what follows."""
    hand = scribe(book)
    hand.write(Note(text="x"))
    hand.write(Amend(named=8, inputs={"text": "y"}, faces=None, cascade=False, why="so"))
    hand.write(Undo())
    hand.write(
        Sealed(said=Play(system="edge", move=CheckMove(who="mara", skill=11)), until=None, unseen=False), faces=(7, 6)
    )
    hand.write(Reveal(entry=13))
    before = Before(book)
    assert (before.head, before.entry(0).type, before.action(1).places) == (0, "", frozenset())
    for entry in book.journal.entries():
        assert entry.seq == before.head + 1
        assert before.mark("#revealed", "13") == (14 if before.head >= 14 else None)
        before.add(entry)
    assert before.seats == {"p1", "p2"}
    assert (about_of(before.entry(9).event), before.entry(10).act, before.entry(11).since) == (8, 9, 8)
    amended, undone, told = (before.action(act) for act in (9, 12, 14))
    assert (set(amended.strikes), set(amended.places)) == ({8}, {9, 10, 8})
    assert (set(undone.strikes), set(told.tells), set(told.places)) == ({9}, {13}, {14, 13})
    assert before.balance("mara", "edge/maximum") == book.balance("mara", "edge/maximum")


@given(data=st.data())
def test_what_stood_before_is_the_same_however_little_of_it_is_kept_at_hand(data: Any) -> None:
    with every_game() as book, pytest.MonkeyPatch.context() as patched:
        evening(data.draw, book, 9)
        all_at_hand, found = Before(book), audit(book, "2026-11-22")
        patched.setattr(check, "ENTRIES", 1)
        patched.setattr(check, "ACTIONS", 1)
        assert audit(book, "2026-11-22") == found
        little = Before(book)
        for entry in book.journal.entries():
            little.add(entry)
            all_at_hand.add(entry)
            for seq in range(book.head() + 1):
                assert little.entry(seq).stored == all_at_hand.entry(seq).stored
                one, other = little.action(seq), all_at_hand.action(seq)
                assert (one.places, one.strikes, one.answers, one.tells) == (
                    other.places,
                    other.strikes,
                    other.answers,
                    other.tells,
                )
        assert len(little._entries) == len(little._actions) == 1  # however many were looked at


def test_what_stood_before_holds_no_entry_that_comes_later(book: Book) -> None:
    before = Before(book)
    before.add(book.journal.entry(1))
    assert (before.entry(1).seq, before.entry(2), before.entry(-1)) == (1, NOTHING, NOTHING)
    assert before.action(2).places == frozenset()


def test_a_telling_of_which_a_secret_is_not_here_cannot_be_compared(book: Book) -> None:
    hand = scribe(book)
    move = CheckMove(who="mara", skill=11, target=25, secret=True)
    hand.write(Sealed(said=Play(system="edge", move=move), until=None, unseen=False), faces=(7, 6))
    hand.write(Reveal(entry=8))
    assert verify(book).away == 0
    unguarded("DELETE FROM words WHERE seq = 11 AND field = 'inputs.target'")(connection_of(book))
    with pytest.raises(Away, match="What #11 keeps is not in this file"):
        verify(book)


def test_a_secret_that_nobody_can_read_is_refused_also_where_it_is_opened() -> None:
    with pytest.raises(WrongEntry, match=r"Entry 8 keeps a secret that nobody can read \(inputs\)"):
        opened({"seq": 8, "inputs": {"secret": "0" * 64}}, {"inputs": "{"}, secrets=True)
