"""Inputs: what people type is read, or refused in a sentence."""

import re

import pytest

from ledger.errors import BadInput
from ledger.rules.inputs import (
    LONGEST_NAME,
    LONGEST_TEXT,
    MOST_NAMES,
    checked_text,
    name_prefixes,
    number,
    one_of,
    read_handles,
    read_yes_no,
    sheet_tag,
)
from ledger.systems import find
from ledger.values import MAX_SHEET_NUMBER


def test_as_many_names_as_a_list_may_have_are_read_and_one_more_is_refused() -> None:
    names = tuple(f"name{number}" for number in range(MOST_NAMES + 1))
    assert read_handles(",".join(names[:-1])) == names[:-1]
    with pytest.raises(BadInput, match=r"That is 21 names. At most 20 are allowed"):
        read_handles(",".join(names))
    with pytest.raises(BadInput, match="'rope,lamp,rope' contains the same name twice"):
        read_handles("rope,lamp,rope")


REFUSED = (0x00, 0x1F, 0x7F, 0x9F, 0x202A, 0x202E, 0x2066, 0x2069, 0x2028, 0x2029, 0xFEFF)
TAKEN = (0x20, 0x7E, 0xA0, 0x200D, 0x200E, 0x200F, 0x2010, 0x2027, 0x202F, 0x2065, 0x206A, 0xFEFE, 0xFF00)


@pytest.mark.parametrize("point", [*REFUSED, *TAKEN], ids=hex)
def test_words_have_no_character_that_moves_the_cursor_or_turns_the_reading_direction(point: int) -> None:
    text = f"a{chr(point)}b"
    if point in TAKEN:
        assert checked_text("A note", text).text == text
    else:
        says = f"A note cannot contain invisible control characters. This one has U+{point:04X}."
        with pytest.raises(BadInput, match=re.escape(says)):
            checked_text("A note", text)


def test_yes_and_no_are_read_and_nothing_else() -> None:
    assert (read_yes_no("yes"), read_yes_no("no")) == (True, False)
    with pytest.raises(BadInput, match="'maybe' is not yes or no"):
        read_yes_no("maybe")


def test_a_number_is_read_from_the_least_to_the_most_and_a_name_if_it_is_in_the_list() -> None:
    assert [number(1, 6)(typed) for typed in ("1", "6")] == [1, 6]
    assert number(0, MAX_SHEET_NUMBER)(str(MAX_SHEET_NUMBER)) == MAX_SHEET_NUMBER
    for wrong in ("0", "7", "-1", "", "x", "٣", "9" * 5000):
        with pytest.raises(BadInput, match="is not a number from 1 to 6"):
            number(1, 6)(wrong)
    assert [number(-6, 0)(typed) for typed in ("-6", "−1", "0")] == [-6, -1, 0]
    for wrong in ("-7", "1", "-", "--1", "- 1"):
        with pytest.raises(BadInput, match="is not a number from −6 to 0"):
            number(-6, 0)(wrong)
    assert one_of(("rate", "roll"))("roll") == "roll"
    with pytest.raises(BadInput, match="'x' is not one of rate, roll"):
        one_of(("rate", "roll"))("x")


@pytest.mark.parametrize("longest", [LONGEST_NAME, LONGEST_TEXT])
def test_words_are_as_long_as_they_may_be_and_a_name_is_one_line(longest: int) -> None:
    assert checked_text("A title", "x" * longest, longest).text == "x" * longest
    with pytest.raises(BadInput, match=f"at most {longest:,} characters. This one has {longest + 1:,}"):
        checked_text("A title", "x" * (longest + 1), longest)
    for lines in ("one\ntwo", "one\ttwo"):
        if longest == LONGEST_TEXT:
            assert checked_text("A note", lines).text == lines
        else:
            with pytest.raises(BadInput, match="control characters"):
                checked_text("A title", lines, longest)


@pytest.mark.parametrize(
    ("move", "name", "begins", "marks", "whose", "setting"),
    [
        ("edge check", "target", (), False, "who", ""),
        ("edge check", "ranks", ("skill.",), False, "who", ""),
        ("edge attack", "weapon", ("weapon.",), True, "who", ""),
        ("edge injure", "severity", ("injury.",), False, "who", "injuries"),
        ("byzantine go", "place", ("map.",), True, "campaign", ""),
        ("multicheck test", "what", ("skill.", "attribute."), False, "who", ""),
        ("multicheck test", "defence", ("attribute.",), False, "against", ""),
        ("multicheck save", "to", ("",), False, "who", ""),
    ],
)
def test_an_input_tells_what_it_names_and_on_whose_sheet(
    move: str, name: str, begins: tuple[str, ...], marks: bool, whose: str, setting: str
) -> None:
    game, _, short = move.partition(" ")
    kind = find(game).move(short)
    assert kind is not None
    field = kind.fields()[name]
    tag = sheet_tag(field)
    assert (name_prefixes(field), tag.name == "mark", tag.whose, tag.setting) == (begins, marks, whose, setting)
