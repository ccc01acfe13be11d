"""Corrections: whatever is said and put right, nothing is taken back, and the sheets are what stands."""

import re
import sys
from collections.abc import Callable
from itertools import islice
from typing import Any, Literal

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

import evenings
from evenings import by_hand, commands, corrections, evening
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, OpenSession
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove
from ledger.corrections import in_place
from ledger.corrections.in_place import knock_ons
from ledger.corrections.undoing import Amend, Redo, Rewind, Undo
from ledger.errors import LedgerError, Refused
from ledger.events import rows
from ledger.events.rows import BOUND
from ledger.journal.accounts import NOW, Accounts, AsOf
from ledger.journal.book import AsOfBook, Book
from ledger.systems.edge.moves import Rest
from ledger.systems.edge.moves_check import Check
from projections.chronicle import chronicle, full_chronicle, session_spans
from projections.log import lines
from projections.replay import corrected_actions, entries_between, replay_frame
from projections.why import why
from table import accounts_of, every_game, opened_book, scribe

CORRECTED = NOW.replace(corrected=True)


def sheets_of(book: Book, when: AsOf | None = None) -> dict[str, dict[str, Any]]:
    """What stands on the sheets of characters."""
    shown = accounts_of(book, when) if when else accounts_of(book)
    return {who: shown[who] for who in ("mara", "brak", "sam") if who in shown}


@given(data=st.data())
def test_undoing_all_that_was_done_gives_the_empty_sheets(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 6)
        with pytest.raises(Refused, match="nothing left to undo"):
            while True:
                scribe(book).write(Undo())
        assert book.cast() == []
        assert {who for who in accounts_of(book) if not who.startswith(("#", "p1"))} == set()
        verify(book)


@given(data=st.data())
def test_undo_takes_back_and_redo_brings_back_whatever_was_done(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 5)
        command = corrections(data.draw, book) if data.draw(st.booleans()) else commands(data.draw)
        assume(not isinstance(command, Undo | Redo))
        before = accounts_of(book)
        try:
            scribe(book).write(command)
        except LedgerError:
            return
        after = accounts_of(book)
        count = data.draw(st.integers(1, 3))
        for _ in range(count):
            scribe(book).write(Undo())
        for _ in range(count - 1):
            scribe(book).write(Redo())
        assert accounts_of(book) == before
        scribe(book).write(Redo())
        assert accounts_of(book) == after
        with pytest.raises(Refused, match="nothing to redo"):
            scribe(book).write(Redo())


@given(data=st.data())
def test_what_was_known_at_an_entry_never_changes(data: Any) -> None:
    with every_game() as book:
        seen: dict[int, Any] = {}
        for _ in range(data.draw(st.integers(1, 6))):
            evening(data.draw, book, 1)
            seen[book.head()] = accounts_of(book)
            assert accounts_of(book, AsOf(seq=book.head(), corrected=True)) == accounts_of(book)
        for seq, shown in seen.items():
            assert accounts_of(book, AsOf(seq=seq)) == shown


@given(data=st.data())
def test_to_amend_to_the_same_values_changes_nothing_but_the_record(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 5, correcting=False)
        before, waiting = sheets_of(book), book.questions()
        about = data.draw(st.integers(1, book.head()))
        same = Amend(named=about, inputs={}, faces=None, cascade=data.draw(st.booleans()), why="so")
        try:
            first = scribe(book).write(same)
            scribe(book).write(same.replace(named=first.entries[0].seq))
        except LedgerError:
            return
        assert sheets_of(book) == before
        assert len(book.questions()) == len(waiting)


@given(data=st.data())
def test_a_rewind_leaves_the_sheets_as_they_are_now_known_of_that_entry(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 8)
        to = data.draw(st.integers(7, book.head()))
        last = book.action(book.entry(to).act)[-1].seq
        stays = {"character-joined", "player-seated", "player-left"}  # a rewind does not cancel these
        assume(not any(entry.type in stays for entry in book.journal.entries(last + 1)))
        known = sheets_of(book, AsOf(seq=last, corrected=True))
        said = ""
        try:
            scribe(book).write(Rewind(to=to))
        except Refused as refused:
            said = refused.sentence
        assert said in {"", f"There is nothing to cancel after #{to}."}
        assert sheets_of(book) == known == sheets_of(book, AsOf(seq=last, corrected=True))
        verify(book)


KINDS: tuple[Literal["short", "long"], ...] = ("short", "long")

SAID = st.sampled_from(
    [
        *(Adjust(who="mara", amounts={"edge/edge": amount}, why="so") for amount in (-2, -1, 1)),
        *(PlayMove(system="edge", move=Rest(who="mara", kind=kind)) for kind in KINDS),
        PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True, drop=1)),
        PlayMove(system="edge", move=Check(who="mara", skill=0)),
    ]
)


@given(said=st.lists(SAID, min_size=3, max_size=9), place=st.integers(0, 8), amount=st.integers(-3, 1))
def test_a_cascade_comes_to_what_would_have_been_had_it_been_said_right_at_first(
    said: list[Command], place: int, amount: int
) -> None:
    with every_game() as book, every_game() as right:
        heads = [(seq, command) for command in said if (seq := written(book, command))]
        wrong = [(seq, command) for seq, command in heads if isinstance(command, Adjust)]
        assume(wrong)
        about, _ = wrong[place % len(wrong)]
        other = Adjust(who="mara", amounts={"edge/edge": amount}, why="so")
        try:
            amended = Amend(named=about, inputs={"amounts": other.amounts}, faces=None, cascade=True, why="so")
            scribe(book).write(amended)
        except LedgerError:
            assume(False)
        assume(not book.questions())
        assume(all(written(right, other if seq == about else command) for seq, command in heads))
        assert sheets_of(book) == sheets_of(right)


def written(book: Book, command: Command) -> int:
    """Say something, with typed dice; return its first entry, 0 where it was refused."""
    try:
        return scribe(book).write(command, faces=by_hand(book, command)).entries[0].seq
    except LedgerError:
        return 0


@given(data=st.data())
def test_whoever_is_held_is_held_by_a_question_that_waits(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 10)
        waiting = [book.entry(seq) for seq in book.questions()]
        for who in ("mara", "brak"):
            holds = [
                each for each in waiting if any(p["who"] == who and p["score"] == "hold" for p in each.body["postings"])
            ]
            assert (book.balance(who, "hold") or 0) == len(holds)
        assert all(book.mark("#struck", str(each.act)) is None for each in waiting)


@given(data=st.data())
def test_the_amounts_that_why_counts_add_up_to_the_number(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 6)
        for score in ("edge/edge", "edge/maximum", "coin/coins"):
            seq = data.draw(st.integers(1, book.head()))
            for when in (NOW, AsOf(seq=seq), AsOf(seq=seq, corrected=True)):
                found = why(book, "mara", score, when)
                assert found.value == (book.accounts.balance("mara", score, when) or 0)
        for line_ in lines(book, None):
            assert line_.says
        told = [
            replay_frame(book, [book.entry(seq)], AsOf(seq=BOUND, corrected=now))
            for now in (True, False)
            for seq in entries_between(book, 1, book.head(), AsOf(corrected=now))
        ]
        assert all(each.holds in {None, True, False} for each in told)
        for look in (chronicle, full_chronicle):
            assert all(each.first <= each.last for each in (*look(book), *look(book, CORRECTED)))


@given(data=st.data())
def test_a_story_that_is_read_in_small_parts_is_grouped_as_if_read_at_once(data: Any) -> None:
    with every_game() as book, pytest.MonkeyPatch.context() as patch:
        evening(data.draw, book, 8)
        first, last = sorted((data.draw(st.integers(1, book.head())), data.draw(st.integers(1, book.head()))))
        first = book.entry(first).act
        for when in (CORRECTED, AsOf(seq=last, corrected=True), AsOf(seq=last, corrected=True, known=last)):
            patch.setattr("projections.replay.ENTRIES_AT_ONCE", book.head())
            at_once = [*corrected_actions(book, first, last, when)]
            patch.setattr("projections.replay.ENTRIES_AT_ONCE", 1)
            assert [*corrected_actions(book, first, last, when)] == at_once


@given(data=st.data())
def test_a_session_that_is_asked_for_is_the_one_among_all_sessions(data: Any) -> None:
    with every_game() as book:
        scribe(book).write(OpenSession(title="One", present=()))
        evening(data.draw, book, 8)
        last = data.draw(st.integers(1, book.head()))
        for when in (NOW, CORRECTED, AsOf(seq=last), AsOf(seq=last, corrected=True)):
            spans = [*session_spans(book, when)]
            for number in range(5):
                assert [*session_spans(book, when, number)] == [each for each in spans if each.number == number]


# Planted bugs: small mistakes, as one makes them, which the properties above must find

Patch = pytest.MonkeyPatch


def a_struck_mark_goes_on_showing(patch: Patch) -> None:
    patch.setattr(rows, "_latest_value", _last)


def _last(past: rows.Past, key: tuple[str, str, int], stands: object) -> str | None:
    """The value that was given last, by whatever action."""
    given = ((mark, entry) for entry in past.entries_that_set_mark(*key) for mark in entry["marks"])
    return next(
        (
            rows._stored_value(mark, each["seq"])
            for mark, each in given
            if (mark["who"], mark["name"], each["since"]) == key
        ),
        None,
    )


def a_place_is_seen_with_its_own_entry(patch: Patch) -> None:
    patch.setattr(Book, "as_of", lambda self, place, known=None: AsOfBook(self, AsOf(seq=place, corrected=True)))


def the_knock_on_ends_with_the_first(patch: Patch) -> None:
    patch.setattr(in_place, "knock_ons", lambda *args: islice(knock_ons(*args), 1))


def what_was_put_right_late_is_left_out(patch: Patch) -> None:
    whole = Accounts.balance
    patch.setattr(
        Accounts,
        "balance",
        lambda self, who, score, when=NOW: whole(self, who, score, when.replace(corrected=False)),
    )


PLANTED: list[tuple[Callable[[Patch], None], Callable[[], None]]] = [
    (a_struck_mark_goes_on_showing, test_undo_takes_back_and_redo_brings_back_whatever_was_done),
    (a_place_is_seen_with_its_own_entry, test_to_amend_to_the_same_values_changes_nothing_but_the_record),
    (the_knock_on_ends_with_the_first, test_a_cascade_comes_to_what_would_have_been_had_it_been_said_right_at_first),
    (what_was_put_right_late_is_left_out, test_a_rewind_leaves_the_sheets_as_they_are_now_known_of_that_entry),
]  # fmt: skip


@pytest.mark.slow  # it looks at the tests above, not at the program
@pytest.mark.parametrize(("bug", "finds"), PLANTED, ids=[bug.__name__ for bug, _ in PLANTED])
def test_a_planted_bug_is_found(monkeypatch: Patch, bug: Callable[[Patch], None], finds: Callable[[], None]) -> None:
    monkeypatch.setattr(evenings, "MOVES", [each for each in evenings.MOVES if each[0] in {"edge", "coin"}])
    monkeypatch.setattr(evenings, "STARTS", evenings.STARTS[:1])  # of games that nobody plays here
    monkeypatch.setattr(
        evenings, "AT_TABLE", [each for each in evenings.AT_TABLE if not re.search("free|dex", str(each))]
    )
    monkeypatch.setattr(sys.modules[__name__], "every_game", opened_book)
    bug(monkeypatch)
    search = settings(max_examples=4000, phases=[Phase.generate], database=None, derandomize=True)(finds)
    with pytest.raises((AssertionError, LedgerError, BaseExceptionGroup)):
        search()
