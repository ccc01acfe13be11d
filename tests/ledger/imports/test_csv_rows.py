"""Tables: one roll in each row."""

import pytest

from ledger.errors import BadInput
from ledger.imports import csv_rows
from ledger.imports.csv_rows import CsvReader
from ledger.imports.log_records import printable, shortest_decimal
from ledger.rules.inputs import LONGEST_TEXT
from logs import KEPT, records, rolls

HEAD = "when,player,character,roll,dice,total,how,note,id,seen\n"
READER = CsvReader()


def row(**cells: str) -> str:
    usual = {"when": "2025-03-07 19:42", "total": "17"}
    return ",".join({**dict.fromkeys(csv_rows.COLUMNS, ""), **usual, **cells}.values())


def wrong(content: str, zone: bool = True) -> str:
    (record,) = records(READER, content) if zone else records(READER, content, None)
    return record.wrong


def test_a_row_becomes_a_roll_with_its_dice() -> None:
    first, *_ = rolls(records(READER, (KEPT / "rolls.csv").read_bytes()))
    assert (first.claimed_at, first.exact) == ("2025-03-07T19:42:00Z", "minute")
    assert (first.user, first.speaker, first.what) == ("Ana", "Nessa Quill", "Listen at the door")
    assert [(die.sides, die.face, die.dropped) for die in first.dice] == [(20, 14, None), (20, 6, "kh1")]
    assert (first.formula, first.total, first.comes_to, first.natural, first.thrown) == (
        "2d20kh1+3",
        "17",
        "17",
        True,
        "manual",
    )


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_separator_is_found(separator: str) -> None:
    content = f"when{separator}total\n2025-03-07{separator}17\n"
    assert READER.recognizes(content.encode())
    assert rolls(records(READER, content))[0].total == "17"


def test_a_table_of_a_spreadsheet_with_a_mark_at_its_start_is_read() -> None:
    content = f"\ufeff{HEAD}{row()}\n\n".encode()
    assert READER.recognizes(content)
    assert len(rolls(records(READER, content))) == 1


def test_a_table_in_utf_16_is_recognized_and_refused_with_the_right_encoding() -> None:
    content = f"{HEAD}{row()}".encode("utf-16")
    assert READER.recognizes(content)
    with pytest.raises(BadInput) as refused:
        records(READER, content)
    assert refused.value.sentence == "The file is not text in the UTF-8 format (line 1)."


TIMES = {
    "": (None, "none"),
    "2025-03-07": ("2025-03-07", "day"),
    "2025-03-07 19:42": ("2025-03-07T19:42:00Z", "minute"),
    "2025-07-07 19:42": ("2025-07-07T18:42:00Z", "minute"),
    "2025-03-07T19:42:05": ("2025-03-07T19:42:05Z", "second"),
    "2025-03-07 19:42:05.250 +01:00": ("2025-03-07T18:42:05.250Z", "ms"),
    "2025-03-07T19:42Z": ("2025-03-07T19:42:00Z", "minute"),
    "2025-03-07 19:42 -02:00": ("2025-03-07T21:42:00Z", "minute"),
}


@pytest.mark.parametrize("typed", TIMES)
def test_a_time_is_as_precise_as_it_was_typed(typed: str) -> None:
    (roll,) = rolls(records(READER, HEAD + row(when=typed)))
    assert (roll.claimed_at, roll.exact) == TIMES[typed]


def test_a_time_without_any_zone_is_not_guessed() -> None:
    (roll,) = rolls(records(READER, HEAD + row(), None))
    assert (roll.claimed_at, roll.exact, roll.local_day) == (None, "none", "2025-03-07")


WRONG = {
    "the time is not a date": {"when": "7.3.2025"},
    "the time is not a date like": {"when": "2025-13-07"},
    "the time is not a date like 2025-03-07, or": {"when": "0001-01-01 00:00 +14:00"},
    "the time is not clear": {"when": "2025-10-26 01:30"},
    "the total is not a number": {"total": "natural 20"},
    "the total is not": {"total": "1" * 41},
    "column total: it is empty, and so is the column dice": {"total": ""},
    "column dice": {"dice": "14;6", "roll": "2d20"},
    "column dice: type": {"dice": "99999", "roll": "d20"},
    "the dice do not fit the roll": {"dice": "21", "roll": "d20"},
    "it has more than 500 dice": {"dice": " ".join("1" * 501), "roll": "d20"},
    "column id: use": {"id": "a b"},
}


@pytest.mark.parametrize("says", WRONG)
def test_a_wrong_cell_is_named_and_not_quoted(says: str) -> None:
    (record,) = records(READER, HEAD + row(**WRONG[says]))
    assert record.place == "line 2"
    assert record.wrong.startswith(says)


def test_a_row_with_dice_needs_no_total() -> None:
    (roll,) = rolls(records(READER, HEAD + row(total="", roll="2d6", dice="3 4")))
    assert (roll.total, roll.comes_to) == (None, "7")


def test_a_row_with_more_cells_is_wrong() -> None:
    assert wrong(f"{HEAD}{row()},x") == "it has 11 cells, but line 1 has 10"


FILES = {
    "when,total,mood\n": "Column 3, 'mood', is not known (line 1).",
    f"when,total,{'x' * 1000}\n": "Column 3, 'xxxxxxxxxxxxxxx",
    "note,when\n": "The column 'total' is missing (line 1).",
    "when,total,total\n": "The column 'total' is there twice (line 1).",
    "": "Column 1, '', is not known (line 1).",
    'when,total\n2025-03-07,"17\n': "Line 2 is not a valid row: ",
    f"when,total\n{'x' * 70_000}\n": "Line 2 is not a valid row",
}


@pytest.mark.parametrize("content", FILES, ids=range(len(FILES)))
def test_a_table_that_cannot_be_read_is_refused_with_its_line(content: str) -> None:
    with pytest.raises(BadInput) as refused:
        records(READER, content)
    assert refused.value.sentence.startswith(FILES[content])


@pytest.mark.parametrize(("typed", "near"), [("totl", "total"), ("charakter", "character"), ("Players", "player")])
def test_the_known_column_with_the_nearest_name_is_suggested(typed: str, near: str) -> None:
    with pytest.raises(BadInput) as refused:
        records(READER, f"when,{typed}\n")
    assert str(refused.value.hint).startswith(f"Did you mean '{near}'? The columns are: when, player, ")


def test_a_table_with_some_of_the_columns_is_recognized_so_that_the_others_can_be_named() -> None:
    assert READER.recognizes(b"when,player,result\n")
    assert not READER.recognizes(b"when,who,result\n")


def test_a_table_in_another_encoding_is_refused_with_its_line() -> None:
    with pytest.raises(BadInput) as refused:
        records(READER, f"{HEAD}{row(note='é')}".encode("latin-1"))
    assert "(line 2)" in refused.value.sentence


def test_equal_rows_are_different_rolls() -> None:
    first, second = rolls(records(READER, f"{HEAD}{row()}\n{row()}\n"))
    assert (first.id[:4], first.id[-2:], second.id) == ("csv:", ":0", first.id.replace(":0", ":1"))


def test_an_id_identifies_a_row_that_is_edited() -> None:
    before, after = (rolls(records(READER, HEAD + row(id="r1", total=total)))[0] for total in ("17", "18"))
    assert before.id == after.id == "csv:r1"


def test_two_rows_with_one_id_are_an_error() -> None:
    found = records(READER, f"{HEAD}{row(id='r1')}\n{row(id='r1')}")
    assert [record.wrong for record in found] == ["", "column id: another row has the same id"]


def test_the_id_of_a_private_row_tells_nothing_about_its_content() -> None:
    one, other = (rolls(records(READER, HEAD + row(seen="gm", total=total)))[0] for total in ("17", "18"))
    assert one.id == other.id


@pytest.mark.parametrize(("typed", "seen"), [("", "all"), ("GM", "gm"), ("whisper", "whisper"), ("friends", "gm")])
def test_an_unknown_visibility_is_private(typed: str, seen: str) -> None:
    assert rolls(records(READER, HEAD + row(seen=typed)))[0].seen == seen


@pytest.mark.parametrize("formula", ["stealth", "d20+stealth", "1000000000d6", "2#d20", "d1000^60"])
def test_a_formula_that_cannot_be_read_stays_as_words(formula: str) -> None:
    (roll,) = rolls(records(READER, HEAD + row(roll=formula, dice="4", note="Sneak")))
    assert (roll.formula, roll.dice, roll.natural, roll.what) == ("", (), False, f"Sneak · {formula} [4]")


@pytest.mark.parametrize(
    ("typed", "shortest"),
    [("017", "17"), ("-0.50", "-0.5"), ("-0", "0"), ("18.12", "18.12"), ("3.00", "3"), ("0.0", "0")],
)
def test_totals_have_their_shortest_form(typed: str, shortest: str) -> None:
    assert shortest_decimal(typed) == shortest


def test_texts_are_made_printable() -> None:
    assert printable("a\tb\x07\u202e") == "a b\\u0007\\u202e"
    assert printable("x" * 100_000) == "x" * (LONGEST_TEXT - 1) + "…"


def test_dice_that_do_not_belong_to_a_roll_stay_in_the_note() -> None:
    (first,) = rolls(records(READER, HEAD + row(roll="a natural 14", dice="14 6")))
    assert (first.dice, first.what) == ((), "a natural 14 [14 6]")
