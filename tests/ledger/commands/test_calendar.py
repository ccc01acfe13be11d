"""The calendar: the dates of days, what is wrong in a file, and where dates are shown."""

from pathlib import Path

import pytest

from audits import decided
from ledger.archive.export import export
from ledger.archive.import_ import import_export
from ledger.audit.verify import verify
from ledger.commands.calendar import SetCalendar, date_in, read_calendar
from ledger.commands.custody import Erase
from ledger.commands.days import NextDay
from ledger.corrections.undoing import Rewind, Undo
from ledger.errors import BadInput, Refused
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book, open_book
from projections.log import lines
from projections.status import moment
from table import scribe
from terminal import Type

HARN = """\
# The months of the first valley
weekdays = ["Firstday", "Secondday", "Thirdday"]
first = { day = 30, month = "Harvest", year = 1021, weekday = "Thirdday" }

[months]
Thaw = 2
Harvest = 30
Frost = 3
"""


@pytest.mark.parametrize(
    ("day", "date"),
    [
        (1, "Thirdday, 30 Harvest 1021"),
        (2, "Firstday, 1 Frost 1021"),
        (4, "Thirdday, 3 Frost 1021"),
        (5, "Firstday, 1 Thaw 1022"),
        (6, "Secondday, 2 Thaw 1022"),
        (7, "Thirdday, 1 Harvest 1022"),
        (36, "Secondday, 30 Harvest 1022"),
        (36 + 350, "Firstday, 30 Harvest 1032"),
    ],
)
def test_a_day_has_the_date_that_counting_on_from_the_first_one_gives(day: int, date: str) -> None:
    assert read_calendar(HARN).date(day) == date


def test_a_world_may_have_no_weekdays_and_years_before_its_first() -> None:
    text = 'first = {day = 2, month = "Only", year = -1}\nmonths = {Only = 2}'
    assert [read_calendar(text).date(day) for day in (1, 2, 3, 4)] == ["2 Only -1", "1 Only 0", "2 Only 0", "1 Only 1"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("Thaw = 2", "Thaw = = 2", "Line 6 of the calendar is not valid TOML."),
        ("Frost = 3\n", "Frost = 3\nx = '''", "Line 9 of the calendar is not valid TOML."),
        ("Frost = 3\n", f"Frost = {'[' * 5000}", "Line 8 of the calendar is not valid TOML."),
        ("Thaw = 2", "Thaw = 0", "Line 6 of the calendar needs a number from 1 to 1,000."),
        ("Thaw = 2", "Thaw = true", "Line 6 of the calendar needs a number from 1 to 1,000."),
        ("Thaw = 2", "Thaw = 1001", "Line 6 of the calendar needs a number from 1 to 1,000."),
        ("Thaw = 2", '"" = 2', "Line 5 of the calendar: a name cannot be empty."),
        ("Thaw = 2", f"{'T' * 81} = 2", "Line 6 of the calendar: a name can have at most 80 characters."),
        ("[months]", "[moons]", "Line 5 of the calendar has an unknown part called 'moons'."),
        ("[months]\nThaw = 2\nHarvest = 30\nFrost = 3\n", "", "The calendar needs months."),
        ("[months]\nThaw = 2\nHarvest = 30\nFrost = 3\n", "months = 3", "Line 5 of the calendar needs months."),
        ('["Firstday", "Secondday", "Thirdday"]', '"Firstday"', "Line 2 of the calendar needs weekdays with"),
        ('"Secondday"', '"Firstday"', "Line 2 of the calendar needs weekdays with different names."),
        ('"Secondday"', "2", "Line 2 of the calendar needs a name in quotes."),
        (
            'first = { day = 30, month = "Harvest", year = 1021, weekday = "Thirdday" }',
            "",
            "The calendar needs the date",
        ),
        ("day = 30", "day = 31", "Line 3 of the calendar needs a number from 1 to 30."),
        ("day = 30, ", "", "Line 3 of the calendar needs a number from 1 to 30."),
        ("year = 1021", 'year = "1021"', "Line 3 of the calendar needs a number from"),
        ('month = "Harvest"', 'month = "Moon"', "Line 3 of the calendar needs a month from the list."),
        (', weekday = "Thirdday"', "", "Line 3 of the calendar needs a weekday from the list."),
        ("year =", "era = 3, year =", "Line 3 of the calendar has an unknown part called 'era'."),
        (
            'weekdays = ["Firstday", "Secondday", "Thirdday"]',
            "",
            "Line 3 of the calendar has an unknown part called 'weekday'.",
        ),
        (HARN, " ", "A calendar cannot be empty."),
    ],
)
def test_a_wrong_calendar_is_refused_with_its_line(book: Book, old: str, new: str, says: str) -> None:
    assert old in HARN
    head = book.head()
    with pytest.raises(BadInput) as refused:
        scribe(book).write(SetCalendar(calendar=HARN.replace(old, new)))
    assert refused.value.sentence.startswith(says)
    assert book.head() == head


def test_what_no_program_can_read_as_a_calendar_gives_no_dates() -> None:
    assert [date_in(text, 3) for text in (None, "(lost)", HARN)] == ["", "", "Secondday, 2 Frost 1021"]


def says(book: Book) -> str:
    return lines(book, 1)[0].says


def test_days_are_shown_with_their_dates_until_the_calendar_is_removed_or_erased(book: Book) -> None:
    scribe(book).write(NextDay())
    assert (says(book), moment(book).date) == ("day 1 begins", "")
    set_at = scribe(book).write(SetCalendar(calendar=HARN, why="a new map")).entries[0].seq
    assert says(book) == "calendar: day 1 is Thirdday, 30 Harvest 1021: a new map"
    scribe(book).write(NextDay())
    assert (says(book), moment(book).date) == ("day 2: Firstday, 1 Frost 1021", "Firstday, 1 Frost 1021")
    assert moment(book, AsOf(seq=set_at - 1)).date == ""
    assert book.named_at(AsOf(seq=set_at - 1)).calendar() is None
    scribe(book).write(SetCalendar(calendar=None, why="lost"))
    assert says(book) == "the calendar is removed: lost"
    assert (lines(book, 2)[0].says, moment(book).date) == ("day 2 begins", "")
    with pytest.raises(Refused, match="This campaign has no calendar"):
        scribe(book).write(SetCalendar(calendar=None))
    scribe(book).write(Undo())
    assert moment(book).date == "Firstday, 1 Frost 1021"
    verify(book)
    assert decided(book)[0] == []
    scribe(book).write(Erase(entries=(set_at,)))
    assert moment(book).date == ""
    assert lines(book, None)[set_at - book.head() - 1].says.startswith("calendar: (erased)")
    verify(book)


def test_a_rewind_keeps_the_calendar(book: Book) -> None:
    before = book.head()
    scribe(book).write(SetCalendar(calendar=HARN))
    scribe(book).write(NextDay())
    scribe(book).write(Rewind(to=before, why=None))
    assert moment(book).day == 0
    assert book.calendar() == HARN


def test_a_calendar_comes_back_from_an_export(book: Book, tmp_path: Path) -> None:
    scribe(book).write(SetCalendar(calendar=HARN))
    export(book, str(tmp_path / "out"), players=True)
    import_export(str(tmp_path / "out"), str(tmp_path / "new.campaign"))
    with open_book(str(tmp_path / "new.campaign")) as again:
        assert again.calendar() == HARN


def test_the_gm_sets_and_sees_the_calendar_at_the_terminal(folder: Path, type_in: Type) -> None:
    (folder / "harn.toml").write_text(HARN)
    assert "This campaign has no calendar. To set one:" in type_in("settings campaign").stderr
    assert "Dry run" in type_in("settings campaign calendar=harn.toml --dry-run").stderr
    assert type_in("settings campaign calendar=harn.toml --why map").exit_code == 0
    assert type_in("settings campaign").stdout == HARN
    assert type_in("settings campaign --json").stdout.startswith('{"settings": {"calendar": "# The months')
    type_in("day next --count 4")
    assert type_in("day next").stdout.endswith("day 5: Firstday, 1 Thaw 1022\n")
    assert "  day      5: Firstday, 1 Thaw 1022\n" in type_in("status").stdout
    assert "Day 4 (Thirdday, 3 Frost 1021) began." in type_in("chronicle").stdout
    assert type_in("settings campaign calendar=none").stdout.endswith("the calendar is removed\n")
    assert type_in("day next").stdout.endswith("day 6 begins\n")
    refused = type_in("settings campaign moon=2")
    assert (refused.exit_code, refused.stderr) == (
        3,
        "Error: The campaign has no setting called 'moon'.\nHint: The campaign has these settings: calendar, initiative.\n",
    )
    (folder / "bad.toml").write_text(HARN.replace("Thaw = 2", "Thaw: 2"))
    assert type_in("settings campaign calendar=bad.toml").stderr.startswith(
        "Error: Line 6 of the calendar is not valid"
    )
