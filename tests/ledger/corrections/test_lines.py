"""Lines for several characters: one action each, which undo and redo take together."""

from typing import Any

import pytest

from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, Note
from ledger.commands.roll import Roll
from ledger.corrections.undoing import UNDO_SEARCH_LIMIT, Redo, Undo, Void
from ledger.errors import Refused
from ledger.events.entry import entry_json
from ledger.journal.book import Book
from ledger.scribe import requests_of
from projections.phrases import describe_entry, tell
from table import TODAY, scribe

EVERYBODY = ("brak", "mara")


def no_finding(book: Book) -> bool:
    verify(book)
    report = audit(book, TODAY)
    return not (report.findings or report.remarks)


def adjust(book: Book, amount: int, *, by: str = "p1", once: str | None = None, dry: bool = False) -> list[int]:
    """Adjust the edge of everybody in one line, and return the first entries of its actions."""
    commands = [(Adjust(who=who, amounts={"edge/edge": amount}, why="x"), None) for who in EVERYBODY]
    written = scribe(book, by=by).write_all(requests_of(commands, once), dry=dry)
    return [done.entries[0].seq for done in written]


def edges(book: Book) -> list[int | None]:
    return [book.balance(who, "edge/edge") for who in EVERYBODY]


def test_every_entry_of_a_line_for_several_names_its_first_entry(book: Book) -> None:
    before = book.head()
    rolls = [(Roll(who=who, notation="d20"), (5,)) for who in EVERYBODY]
    scribe(book).write_all(requests_of(rolls))
    lines = {book.entry(seq).line for seq in range(before + 1, book.head() + 1)}
    assert lines == {before + 1}
    assert len({book.entry(seq).act for seq in range(before + 1, book.head() + 1)}) == len(EVERYBODY)
    assert no_finding(book)


def test_a_line_for_one_names_no_line(book: Book) -> None:
    written = scribe(book).write(Note(text="x"))
    assert written.entries[0].raw["line"] is None


def test_undo_and_redo_take_the_whole_line(book: Book) -> None:
    before = edges(book)
    acts = adjust(book, -1)
    after = edges(book)
    undone = scribe(book).write(Undo()).entries
    assert edges(book) == before
    assert sorted(entry.body["strikes"] for entry in undone) == acts
    scribe(book).write(Redo())
    assert edges(book) == after
    scribe(book).write(Undo())
    assert edges(book) == before
    assert no_finding(book)


def test_undo_takes_only_what_is_left_of_a_line(book: Book) -> None:
    before = edges(book)
    first, second = adjust(book, -1)
    scribe(book).write(Void(strikes=second, why="not she"))
    scribe(book).write(Undo())  # the void is the last action
    scribe(book).write(Void(strikes=first, why="not he"))
    scribe(book).write(Note(text="later"))
    scribe(book).write(Undo())
    void = book.entry(book.mark("#struck", str(first))).act
    assert not book.is_struck(void)
    scribe(book).write(Undo())
    scribe(book).write(Undo())
    assert edges(book) == before
    assert no_finding(book)


def test_two_lines_for_several_are_two_undos(book: Book) -> None:
    before = edges(book)
    adjust(book, -1)
    between = edges(book)
    adjust(book, 1)
    scribe(book).write(Undo())
    assert edges(book) == between
    scribe(book).write(Undo())
    assert edges(book) == before


def test_undo_steps_over_the_line_of_somebody_else(book: Book) -> None:
    mine = scribe(book, by="p2").write(Note(text="mine")).entries[0].seq
    adjust(book, -1)
    after = edges(book)
    scribe(book, by="p2").write(Undo())
    assert book.is_struck(mine)
    assert edges(book) == after
    assert no_finding(book)


def test_an_undo_of_a_line_may_be_agreed_to_before(book: Book) -> None:
    before = edges(book)
    adjust(book, -1)
    plan = scribe(book).write(Undo(), dry=True)
    assert len(plan.entries) == len(EVERYBODY)
    scribe(book).write(Undo(), agreed=plan)
    assert edges(book) == before


def test_a_repeated_line_is_the_same_line(book: Book) -> None:
    acts = adjust(book, -1, once="x")
    assert adjust(book, -1, once="x") == acts


def test_a_plan_of_a_line_names_the_line_as_it_will_be(book: Book) -> None:
    planned = adjust(book, -1, dry=True)
    assert planned == adjust(book, -1)


def test_an_entry_of_a_version_without_lines_is_undone_alone(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    def older(*args: Any) -> dict[str, Any]:
        return {name: value for name, value in entry_json(*args).items() if name != "line"}

    with monkeypatch.context() as before:
        before.setattr("ledger.draft.entry_json", older)
        acts = adjust(book, -1)
    scribe(book).write(Undo())
    assert [book.is_struck(act) for act in acts] == [False, True]
    scribe(book).write(Undo())
    assert all(map(book.is_struck, acts))
    assert no_finding(book)


def test_a_line_that_starts_before_the_limit_of_undo_is_not_cut(book: Book) -> None:
    before = edges(book)
    acts = adjust(book, -1, by="p2")
    gm = scribe(book)
    gm.write_all(requests_of([(Note(text="x"), None)] * (UNDO_SEARCH_LIMIT - 1)))
    scribe(book, by="p2").write(Undo())
    assert all(map(book.is_struck, acts))
    assert edges(book) == before


def test_a_line_beyond_the_limit_of_undo_is_not_found(book: Book) -> None:
    adjust(book, -1, by="p2")
    scribe(book).write_all(requests_of([(Note(text="x"), None)] * UNDO_SEARCH_LIMIT))
    with pytest.raises(Refused, match="nothing left to undo"):
        scribe(book, by="p2").write(Undo())


def test_a_correction_of_several_names_one_and_counts_the_others(book: Book) -> None:
    first, second = adjust(book, -1)
    undo = scribe(book).write(Undo()).entries
    assert describe_entry(book, undo[0].seq) == f"#{undo[0].seq} (undoes #{first} and #{second})"
    assert describe_entry(book, undo[1].seq) == f"#{undo[1].seq} (undoes #{first})"
    redo = scribe(book).write(Redo()).entries[0].seq
    assert describe_entry(book, redo) == f"#{redo} (redoes #{first} and #{second})"
    notes = [(Note(text="x"), None)] * 3
    first = scribe(book).write_all(requests_of(notes))[0].entries[0].seq
    undo = scribe(book).write(Undo()).entries
    assert describe_entry(book, undo[0].seq) == f"#{undo[0].seq} (undoes #{first} and 2 more)"


def test_a_correction_of_many_counts_them(book: Book) -> None:
    acts = [done.entries[0].seq for done in scribe(book).write_all(requests_of([(Note(text="x"), None)] * 4))]
    undo = scribe(book).write(Undo()).entries[0]
    assert tell(book, undo) == f"undoes 4 actions from #{acts[0]} to #{acts[-1]}"
