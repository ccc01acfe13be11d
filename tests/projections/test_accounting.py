"""Accounting: the files for hledger, ledger and Beancount say what the sheets say, and the three programs agree."""

import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ledger.commands.at_table import Adjust, Join
from ledger.corrections.undoing import Void
from ledger.journal.book import Book
from projections.exports.accounting import (
    Ledger,
    beancount_lines,
    hledger_lines,
    write_beancount,
    write_hledger,
)
from table import EVENING, opened_book, scribe

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("hledger", "ledger", "bean-check"))), reason="`make programs` installs them"
)

NEXT_EVENING = EVENING + timedelta(days=7)


def utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC)


@pytest.fixture
def book() -> Iterator[Book]:
    """A campaign with a correction on another day: the gift of the first evening is canceled a week later."""
    with opened_book(games=()) as book:
        scribe(book).write(Join(who="mara", system="free", scores={"gold": 5}))
        scribe(book).write(Adjust(who="mara", amounts={"free/gold": 3}, why="a gift"))
        later = scribe(book, clock=lambda: NEXT_EVENING)
        later.write(Void(strikes=book.head(), why="to brak"))
        yield book


def hledger_file(book: Book, folder: Path) -> Path:
    file = folder / "road.journal"
    write_hledger(book, str(file), players=False, reader=None, zone=utc, progress=abs)
    return file


def beancount_file(book: Book, folder: Path) -> Path:
    file = folder / "road.beancount"
    write_beancount(book, str(file), players=False, reader=None, zone=utc, progress=abs)
    return file


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)


def test_an_entry_that_changes_scores_is_a_transaction_for_hledger(book: Book) -> None:
    assert (
        "\n".join(hledger_lines(Ledger(book, utc)))
        == """\
; The salt road: the changes of all scores, by campaign export --format hledger
tag score
tag short-name
tag full-name
tag canceled-by
tag cancels
account Equity:Play

commodity "FREE_GOLD"
    ; score: free/gold

account Assets:Mara
    ; short-name: mara

2026-11-20 * (4) joined
    Assets:Mara  5 "FREE_GOLD" = 5 "FREE_GOLD"
    Equity:Play  -5 "FREE_GOLD"

2026-11-20 * (5) adjusted by hand | a gift
    ; canceled-by: 6
    Assets:Mara  3 "FREE_GOLD" = 8 "FREE_GOLD"
    Equity:Play  -3 "FREE_GOLD"

2026-11-27 * (6) canceled | to brak
    ; cancels: 5
    Assets:Mara  -3 "FREE_GOLD" = 5 "FREE_GOLD"  ; [=2026-11-20]
    Equity:Play  3 "FREE_GOLD"  ; [=2026-11-20]

2026-11-27 * all scores at the end of this file
    Assets:Mara  0 "FREE_GOLD" = 5 "FREE_GOLD\""""
    )


def test_an_entry_that_changes_scores_is_a_transaction_for_beancount(book: Book) -> None:
    assert (
        "\n".join(beancount_lines(Ledger(book, utc)))
        == """\
option "title" "The salt road"
2026-11-20 open Equity:Play

2026-11-20 commodity FREE_GOLD
  score: "free/gold"

2026-11-20 open Assets:Mara
  short-name: "mara"

2026-11-20 * "joined" ""
  entry: 4
  Assets:Mara  5 FREE_GOLD
  Equity:Play  -5 FREE_GOLD

2026-11-20 * "adjusted by hand" "a gift" #canceled
  entry: 5
  canceled-by: "6"
  Assets:Mara  3 FREE_GOLD
  Equity:Play  -3 FREE_GOLD

2026-11-27 balance Assets:Mara  8 FREE_GOLD

2026-11-27 * "canceled" "to brak"
  entry: 6
  cancels: "5"
  Assets:Mara  -3 FREE_GOLD
    effective: 2026-11-20
  Equity:Play  3 FREE_GOLD
    effective: 2026-11-20

2026-11-28 balance Assets:Mara  5 FREE_GOLD"""
    )
