"""Accounting: the files for hledger, ledger and Beancount say what the sheets say, and the three programs agree."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from stat import S_IMODE
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bookkeepers import DAY, INSTALLED, PAGE, READERS, complaints, falsified, output, replayed_page
from engine import connection_of
from evenings import evening
from examples import THOROUGH
from ledger.commands.at_table import Adjust, CloseSession, Give, Join, OpenSession
from ledger.commands.custody import Erase
from ledger.commands.naming import Rename
from ledger.corrections.undoing import Void
from ledger.errors import LedgerError, Refused, TablesDiffer, Taken
from ledger.events.rows import PostingRow
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book, open_book
from ledger.reading.points import Days, read_point
from ledger.scribe import Request
from projections.exports.accounting import (
    RESERVED_COMMODITIES,
    Codes,
    Ledger,
    account,
    beancount_lines,
    commodity,
    hledger_lines,
    one_line,
    write_beancount,
    write_hledger,
)
from projections.sheets import sheets, table_sheets
from table import EVENING, every_game, opened_book, scribe
from terminal import Type

programs = pytest.mark.skipif(not INSTALLED, reason="`make programs` installs hledger, ledger and Beancount")

WRITERS = {"road.journal": write_hledger, "road.beancount": write_beancount}


def utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC)


@pytest.fixture
def book() -> Iterator[Book]:
    """A campaign with a correction on another day: the gift of the first evening is canceled a week later."""
    with opened_book(games=()) as book:
        scribe(book).write(Join(who="mara", system="free", scores={"gold": 5}))
        scribe(book).write(Adjust(who="mara", amounts={"free/gold": 3}, why="a gift"))
        scribe(book, clock=lambda: EVENING + 7 * DAY).write(Void(strikes=book.head(), why="to brak"))
        yield book


def written(book: Book, folder: Path, name: str, **whom: Any) -> Path:
    file = folder / name
    options = {"players": False, "reader": None, "zone": utc, "progress": abs, **whom}
    WRITERS[name](book, str(file), **options)
    return file


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


# The programs agree with the sheets


def balances(book: Book, when: AsOf) -> dict[tuple[str, str], int]:
    """Return what the book says at a point, by account and commodity; the sheets say the same."""
    pairs = dict.fromkeys((row.who, row.score) for row in book.accounts.rows.postings())
    numbers = {pair: book.accounts.balance(*pair, when) or 0 for pair in pairs}
    for sheet in [*sheets(book, book.cast(when), when), *table_sheets(book, when)]:
        for score in sheet.scores:
            assert numbers[sheet.who, f"{sheet.system}/{score.name}".removeprefix("/")] == score.value
    codes = Ledger(book, utc)
    for _ in codes.transactions():
        pass
    return {codes.key(*pair): number for pair, number in numbers.items() if number}


def check_with_programs(book: Book, folder: Path) -> None:
    """Every program accepts its file, and says of each day what the book says, as known and as corrected."""
    days = sorted({Days(book, utc).date_of(entry.seq) for entry in book.journal.entries()})
    days = [day + more * DAY for day in days for more in (0, 1)]
    days = sorted({*days})
    expected = {
        corrected: [balances(book, read_point(book, str(day), corrected, utc)) for day in days]
        for corrected in (False, True)
    }
    assert expected[False][-1] == expected[True][-1] == balances(book, NOW)
    for name in WRITERS:
        file = written(book, folder, name)
        assert [*complaints(file)] == [""] * len(READERS[file.suffix[1:]])
        for corrected in (False, True):
            for reader in READERS[file.suffix[1:]]:
                assert [*reader(file, days, corrected=corrected)] == expected[corrected], (reader, corrected)


@programs
def test_the_programs_say_what_the_sheets_say(book: Book, tmp_path: Path) -> None:
    check_with_programs(book, tmp_path)


MOMENTS = st.lists(st.integers(0, 40 * 24), min_size=1, max_size=4).map(
    lambda hours: [EVENING + timedelta(hours=hour) for hour in hours]
)
"""The moments of evenings. A later evening may have an earlier moment, because a clock may be wrong."""


@pytest.mark.slow
@programs
@settings(max_examples=60 if THOROUGH else 5)
@given(st.data())
def test_the_programs_say_what_the_sheets_say_on_every_day_as_known_and_as_corrected(data: st.DataObject) -> None:
    with every_game() as book, TemporaryDirectory() as folder:
        for moment in data.draw(MOMENTS):
            offset = data.draw(st.sampled_from([None, -720, -300, 0, 60, 840]))
            opened = OpenSession(title="An evening", present=(), offset=offset)
            for command in (CloseSession(), opened):
                with suppress(LedgerError):
                    scribe(book, clock=lambda now=moment: now).write(command)
            evening(data.draw, book, 6, now=moment)
        check_with_programs(book, Path(folder))


@programs
@pytest.mark.parametrize("name", WRITERS)
def test_each_program_finds_each_amount_that_was_changed(name: str, book: Book, tmp_path: Path) -> None:
    file = written(book, tmp_path, name)
    altered = [*falsified(file.read_text())]
    assert len(altered) == {"road.journal": 11, "road.beancount": 8}[name]
    for text in altered:
        file.write_text(text)
        assert all(complaints(file)), text


# Dates


@settings(max_examples=300 if THOROUGH else 20)
@given(st.lists(st.tuples(st.integers(0, 99), st.sampled_from([None, -1439, -300, 60, 840])), min_size=1, max_size=6))
def test_an_entry_has_the_first_date_whose_at_includes_it(sessions: list[tuple[int, int | None]]) -> None:
    with opened_book(games=()) as book:
        for hours, offset in sessions:
            opened = OpenSession(title="An evening", present=(), offset=offset)
            evening = scribe(book, clock=lambda hours=hours: EVENING + timedelta(hours=hours))
            evening.write_all([Request(command=command) for command in (opened, CloseSession())])
        days = Days(book, utc)
        dates = [days.date_of(seq) for seq in range(1, book.head() + 1)]
        assert dates == sorted(dates) == [days.date_of(seq) for seq in range(1, book.head() + 1)]
        for seq, day in enumerate(dates, 1):
            assert read_point(book, str(day), False, utc).seq >= seq
            try:
                assert read_point(book, str(day - DAY), False, utc).seq < seq
            except Refused:
                assert day == dates[0]


@programs
def test_the_last_day_that_there_is_has_no_assertion_after_it(tmp_path: Path) -> None:
    with opened_book(games=()) as book:
        last = scribe(book, clock=lambda: datetime(9999, 12, 31, 23, 59, tzinfo=UTC))
        last.write(OpenSession(title="The end", present=(), offset=-300))
        scribe(book, clock=lambda: datetime(9999, 12, 31, 23, 59, tzinfo=UTC)).write(
            Join(who="mara", system="free", scores={"gold": 5})
        )
        assert Days(book, utc).date_of(book.head()) == date.max
        for name in WRITERS:
            assert not any(complaints(written(book, tmp_path, name)))


def test_a_campaign_without_scores_has_no_transaction(tmp_path: Path) -> None:
    with opened_book(games=()) as book:
        connection_of(book).execute("DELETE FROM postings")
        assert [*Ledger(book, utc).transactions()] == []
        assert not INSTALLED or not any(text for name in WRITERS for text in complaints(written(book, tmp_path, name)))


# Names and texts


@pytest.mark.parametrize(
    ("make", "name", "code"),
    [
        (account, "mara", "Assets:Mara"),
        (account, "gob-1", "Assets:Gob-1"),
        (account, "王小明", "Assets:X-王小明"),
        (account, "éowyn", "Assets:X-éowyn"),
        (account, "3", "Assets:3"),
        (account, 'a:b "c"\n', "Assets:A-b--c"),
        (account, "-", "Assets:X"),
        (commodity, "edge/edge", "EDGE_EDGE"),
        (commodity, "coin/debt.bank", "COIN_DEBT.BANK"),
        (commodity, "free/hit-points", "FREE_HIT-POINTS"),
        (commodity, "free/épée", "FREE_EPEE"),
        (commodity, "free/金", "FREE_U91D1"),
        (commodity, "day", "DAY"),
        (commodity, "d", "XD0"),
        (commodity, "9 lives", "X9U20LIVES0"),
        (commodity, "true", "TRUE-2"),
        (commodity, "byzantine/connection.workshop", "BYZANTINE_CONNECTION.WOR"),
    ],
)
def test_a_name_becomes_one_that_all_three_programs_accept(make: Any, name: str, code: str) -> None:
    assert Codes(make, 24, RESERVED_COMMODITIES).code_of(name) == code


def test_two_names_never_have_the_same_code() -> None:
    names = [f"byzantine/connection.workshop{end}" for end in ("", *map(str, range(11)))]
    codes = Codes(commodity, 24)
    assert [codes.code_of(name) for name in names][:2] == ["BYZANTINE_CONNECTION.WOR", "BYZANTINE_CONNECTION.W-2"]
    assert len({codes.code_of(name) for name in names}) == len(names)


TAGS = (", type:Z", ", date:2020-01-01", ", cancels: 4")
"""What hledger reads as a further tag after the value of a tag."""

NAMES = st.builds(
    "{}{}".format,
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=100),
    st.sampled_from(["", *TAGS]),
)


@programs
@settings(max_examples=20 if THOROUGH else 2, deadline=None)
@given(st.lists(st.tuples(NAMES, NAMES), min_size=20, max_size=20, unique=True))
def test_the_programs_accept_all_names(names: list[tuple[str, str]]) -> None:
    with every_game() as book, TemporaryDirectory() as folder:
        rows = [*book.accounts.rows.postings()]
        connection_of(book).execute("DELETE FROM postings")
        forged = [
            PostingRow(who, score, row.seq, row.since, row.amount, row.amount)
            for row, (who, score) in zip(rows, names, strict=False)
        ]
        book.accounts.rows.put(sorted(forged, key=lambda row: (row.seq, row.who, row.score)), ())
        for name in WRITERS:
            file = written(book, Path(folder), name)
            assert not any(complaints(file))
            for reader in READERS[file.suffix[1:]]:
                (read,) = reader(file, [EVENING.date()], corrected=False)
                assert len(read) == sum(row.amount != 0 for row in forged)


NASTY = (
    'so "it" is; [=1999-01-01] \\" x\n2026-11-20 * thief\n    Assets:Mara  99 "FREE_GOLD"\n    Equity:Play\n'
    "2026-11-20 open Assets:Thief\u2028include x\u202e\x00\t  ; date:1999-01-01 | {} #tag ^link @@ 5 = 7 (a) :: x"
    f"{''.join(TAGS)}"
)


@programs
@pytest.mark.parametrize("name", WRITERS)
def test_a_typed_text_adds_no_line_and_no_directive(name: str, book: Book, tmp_path: Path) -> None:
    scribe(book).write(Rename(who="mara", name="Mara Amaranth"))
    plain = written(book, tmp_path, name).read_text()
    connection_of(book).execute("UPDATE words SET text = ? WHERE seq > 2 OR field = 'title'", (NASTY,))
    (tmp_path / "nasty").mkdir()
    file = written(book, tmp_path / "nasty", name)
    assert file.read_text().count("thief") == 4
    assert file.read_text().count("\n") == plain.count("\n")
    assert not any(complaints(file))
    for reader in READERS[file.suffix[1:]]:
        for corrected in (False, True):
            days = [EVENING.date(), EVENING.date() + 7 * DAY]
            same = reader(tmp_path / name, days, corrected=corrected)
            assert [*reader(file, days, corrected=corrected)] == [*same]


@programs
def test_a_name_adds_no_tag(book: Book, tmp_path: Path) -> None:
    tags = ("hledger", "tags", "-f", written(book, tmp_path, "road.journal"))
    before = output(*tags)
    scribe(book).write(Join(who="brak", system="free", scores={"gold": 2}))
    scribe(book).write(Rename(who="brak", name="Brak"))
    connection_of(book).execute("UPDATE words SET text = ? WHERE text = 'Brak'", (f"Brak{''.join(TAGS)}, forged: 1",))
    (tmp_path / "named").mkdir()
    file = written(book, tmp_path / "named", "road.journal")
    assert output("hledger", "tags", "-f", file).split() == sorted([*before.split(), "full-name"])
    assert output("hledger", "tags", "-f", file, "cancels", "--values") == "5\n"
    assert "    ; full-name: Brak， type：Z， date：" in file.read_text()


def test_an_unprintable_letter_is_written_as_its_number() -> None:
    assert one_line("a\u202eb\ud800c\x00") == "a\\u202eb\\ud800c\\u0000"


def test_an_erased_reason_is_not_in_the_file(book: Book) -> None:
    scribe(book).write(Erase(entries=(5,)))
    assert "a gift" not in "".join(hledger_lines(Ledger(book, utc)))


def test_a_gift_needs_no_other_side(book: Book) -> None:
    scribe(book).write(Join(who="brak", system="free", scores={"gold": 5}))
    scribe(book).write(Give(who="mara", to="brak", amounts={"free/gold": 2}))
    *_, gift = Ledger(book, utc).transactions()
    assert [line.account for line in gift.lines] == ["Assets:Brak", "Assets:Mara"]


def test_a_change_by_a_move_names_the_move_and_the_deed(type_in: Type, folder: Path) -> None:
    type_in("edge check mara --skill 3 --target 20 --faces 7,3,7 --drop 3 --edge --for 'talks past the guard'")
    assert type_in("export --format hledger out.journal").exit_code == 0
    assert ") edge spent | edge check: talks past the guard\n" in Path("out.journal").read_text()


def test_a_line_for_two_sheets_is_canceled_by_the_entry_that_the_log_names(type_in: Type, folder: Path) -> None:
    for line in ("join brak free edge=4", "adjust mara,brak edge=-1", "undo", "export --format hledger out.journal"):
        assert type_in(line).exit_code == 0, line
    by = re.findall(r"undone by #(\d+)", type_in("log").stdout)
    assert len(by) == 2
    assert re.findall(r"canceled-by: (\d+)", Path("out.journal").read_text()) == by


# Whom a file is for


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("whom", [{}, {"players": True}, {"players": True, "reader": "p2"}])
def test_a_file_has_no_secret_whoever_it_is_for(name: str, whom: dict[str, Any], type_in: Type, folder: Path) -> None:
    secrets = ("Zanzibar", "Quicksilver", "Nightjar")
    assert type_in(f"note {secrets[0]} --secret").exit_code == 0
    assert (
        type_in(
            f"edge check mara --skill 3 --target 20 --edge --secret --for {secrets[1]} --faces 7,3,7 --drop 3"
        ).exit_code
        == 0
    )
    assert type_in(f"edge check mara --skill 3 --target 20 --for {secrets[2]} --faces 7,6 --seal").exit_code == 0
    with open_book("road.campaign") as book:
        text = written(book, folder, name, **whom).read_text()
    assert "edge spent" in text
    assert not [secret for secret in secrets if secret in text]


def test_only_a_file_for_all_players_can_be_read_by_others(book: Book, tmp_path: Path) -> None:
    modes, readers = [], list[dict[str, Any]]([{}, {"players": True, "reader": "p2"}, {"players": True}])
    for place, whom in enumerate(readers):
        (tmp_path / str(place)).mkdir()
        modes.append(S_IMODE(written(book, tmp_path / str(place), "road.journal", **whom).stat().st_mode) & 0o044)
    assert modes == [0, 0, 0o044]


# Refusals


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_is_never_replaced(name: str, book: Book, tmp_path: Path) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(Taken):
        written(book, tmp_path, name)
    assert [*tmp_path.iterdir()] == [tmp_path / name]
    assert (tmp_path / name).read_text() == "mine"


@pytest.mark.parametrize("name", WRITERS)
def test_balances_that_do_not_add_up_are_refused_and_leave_no_file(name: str, book: Book, tmp_path: Path) -> None:
    connection_of(book).execute("UPDATE postings SET balance = 9 WHERE seq = 5")
    with pytest.raises(TablesDiffer, match="free/gold for mara"):
        written(book, tmp_path, name)
    assert [*tmp_path.iterdir()] == []


@programs
def test_the_page_shows_what_the_programs_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert replayed_page() == PAGE.read_text(encoding="utf-8")
