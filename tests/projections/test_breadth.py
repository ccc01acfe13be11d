"""Large tables: the work grows linearly with the number of characters and questions."""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from types import FrameType

import pytest

from examples import some
from ledger.commands.at_table import Join, Note
from ledger.commands.seats import Seat
from ledger.corrections.answers import Dispute
from ledger.journal.book import open_book
from ledger.scribe import Request
from projections.questions import due_questions
from projections.status import status
from table import opened_book, scribe
from terminal import Type

FEW, MANY = 120, 480
MOST = 1.3 * MANY / FEW
"""Times as many calls may the larger table take."""


def large_table(file: Path, characters: int) -> Path:
    """Make a campaign with this many characters; half of them have a player."""
    with opened_book(str(file), games=("edge",)) as book:
        joins = [
            Join(who=f"c{number}", system="edge", scores={"maximum": 4, "edge": 3}) for number in range(characters)
        ]
        seats = [Seat(name=f"P{number}", plays=(f"c{number}",), gm=False) for number in range(characters // 2)]
        scribe(book).write_all([Request(command=command) for command in (*joins, *seats)])
    return file


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("large")
    return large_table(folder / "few.campaign", FEW), large_table(folder / "many.campaign", MANY)


def calls(do: Callable[[], object]) -> int:
    """Count the function calls of a piece of work."""
    counted = [0]

    def count(frame: FrameType, event: str, arg: object) -> None:
        counted[0] += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        do()
    finally:
        sys.setprofile(None)
    return counted[0]


LINES = ("roll all d20", "edge rest all short", "adjust all edge=-1 --why toll", "edge check all --skill 9 --target 20")
LOOKS = ("sheets --game edge --table", "sheets", "status", "questions", "players", "")


@pytest.mark.parametrize("words", some([*(f"{line} --dry-run" for line in LINES), *LOOKS]))
def test_a_line_for_all_and_a_look_take_time_in_proportion_to_the_characters(
    tables: tuple[Path, Path], type_in: Type, words: str
) -> None:
    type_in("systems")  # the first run imports modules
    type_in(f"-f {tables[0]} {words}")
    few, many = (calls(partial(type_in, f"-f {file} {words}")) for file in tables)
    assert many < MOST * few


def test_a_look_at_one_sheet_does_not_read_the_whole_table(tables: tuple[Path, Path], type_in: Type) -> None:
    type_in(f"-f {tables[0]} sheets c7")
    few, many = (calls(partial(type_in, f"-f {file} sheets c7")) for file in tables)
    assert many < 1.2 * few


@pytest.mark.slow
def test_the_table_of_ten_thousand_sheets_is_shown_in_seconds(tmp_path: Path, type_in: Type) -> None:
    file = str(tmp_path / "crowd.campaign")
    with opened_book(file, games=("edge",)) as book:
        joins = [Join(who=f"c{number}", system="edge", scores={"maximum": 4, "edge": 3}) for number in range(10_000)]
        scribe(book).write_all([Request(command=join) for join in joins])
    began = process_time()
    shown = type_in(f"-f {file} sheets --game edge --table")
    assert process_time() - began < 15  # 1.1 s here; 81 s before
    assert len(shown.stdout.splitlines()) > 10_000


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    """Make a campaign with sixty open disputes."""
    file = tmp_path / "asked.campaign"
    with opened_book(str(file)) as book:
        hand = scribe(book)
        for number in range(60):
            note = hand.write(Note(text=f"note {number}")).entries[0].seq
            hand.write(Dispute(about=note, player="p1", claim="no"))
    return file


def test_of_many_questions_the_oldest_fifty_are_shown_and_the_rest_counted(asked: Path, type_in: Type) -> None:
    shown = type_in(f"-f {asked} questions")
    assert shown.stdout.count("campaign decide") == 50
    assert shown.stderr == "Open questions that are not listed: 10. To see all: campaign questions -n all\n"


def test_all_questions_can_be_shown(asked: Path, type_in: Type) -> None:
    shown = type_in(f"-f {asked} questions -n all")
    assert (shown.stdout.count("campaign decide"), shown.stderr) == (60, "")
    assert len(type_in(f"-f {asked} questions --json").stdout.splitlines()) == 60


def test_questions_come_in_the_same_order_piece_by_piece(asked: Path) -> None:
    with open_book(str(asked)) as book:
        due = due_questions(book)
        pieces = [due.first(25, skip=skip) for skip in (0, 25, 50)]
        assert [each for piece in pieces for each in piece] == due.first()
        assert [len(piece) for piece in pieces] == [25, 25, 10]


def test_the_status_counts_all_questions_and_reads_few(asked: Path) -> None:
    with open_book(str(asked)) as book:
        now = status(book)
        assert (len(now.open_questions), now.more, now.now.waiting) == (5, 55, 60)
        assert calls(lambda: status(book)) < calls(lambda: due_questions(book).first()) / 2


def test_what_waits_on_the_sheets_of_a_large_table_is_found(tables: tuple[Path, Path], type_in: Type) -> None:
    file = tables[1]
    assert type_in(f"-f {file} edge damage c5 --weapon 2 --modifier 3 --to c400 --faces 3,4").exit_code == 0
    due, offer = map(json.loads, type_in(f"-f {file} questions --json").stdout.splitlines())
    assert (due["who"], offer["who"], offer["type"]) == ("c400", "c5", "offer")
