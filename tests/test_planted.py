"""Planted bugs: the properties of corrections find them. Each is a small mistake, as one makes them."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, settings

import evenings
import test_corrections as properties
from ledger.corrections import aftermath
from ledger.corrections import knock_on as later
from ledger.errors import LedgerError
from ledger.journal.accounts import NOW, Accounts, When
from ledger.journal.book import Book, Then
from table import opened_book

Patch = pytest.MonkeyPatch


def a_struck_mark_goes_on_showing(patch: Patch) -> None:
    patch.setattr(Accounts, "_shown", lambda self, who, name, since, standing: _last(self, who, name, since))


def _last(accounts: Accounts, who: str, name: str, since: int) -> Any:
    sql = "SELECT value FROM marks WHERE who = ? AND name = ? AND since = ? ORDER BY seq DESC"
    return accounts._connection.execute(sql, (who, name, since)).fetchone()[0]


def a_place_is_seen_with_its_own_entry(patch: Patch) -> None:
    patch.setattr(Book, "at", lambda self, place, known=None: Then(self, When(seq=place, corrected=True)))


def the_knock_on_ends_with_the_first(patch: Patch) -> None:
    whole = later.knock_on
    patch.setattr(aftermath, "knock_on", lambda stands, head, places=(): list(whole(stands, head, places))[:1])


def what_was_put_right_late_is_left_out(patch: Patch) -> None:
    whole = Accounts.balance
    patch.setattr(
        Accounts,
        "balance",
        lambda self, who, score, when=NOW: whole(self, who, score, when.but(corrected=False)),
    )


PLANTED: list[tuple[Callable[[Patch], None], Callable[[], None]]] = [
    (a_struck_mark_goes_on_showing, properties.test_undo_takes_back_and_redo_brings_back_whatever_was_done),
    (a_place_is_seen_with_its_own_entry, properties.test_to_amend_to_the_same_values_changes_nothing_but_the_record),
    (the_knock_on_ends_with_the_first, properties.test_a_cascade_comes_to_what_would_have_been_had_it_been_said_right_at_first),
    (what_was_put_right_late_is_left_out, properties.test_a_rewind_leaves_the_sheets_as_they_are_now_known_of_that_entry),
]  # fmt: skip


@pytest.mark.parametrize(("bug", "finds"), PLANTED, ids=[bug.__name__ for bug, _ in PLANTED])
def test_a_planted_bug_is_found(monkeypatch: Patch, bug: Callable[[Patch], None], finds: Callable[[], None]) -> None:
    monkeypatch.setattr(evenings, "MOVES", [each for each in evenings.MOVES if each[0] in {"edge", "coin"}])
    monkeypatch.setattr(properties, "every_game", opened_book)
    bug(monkeypatch)
    search = settings(max_examples=2000, phases=[Phase.generate], database=None, derandomize=True)(finds)
    with pytest.raises((AssertionError, LedgerError, BaseExceptionGroup)):
        search()
