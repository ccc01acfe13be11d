"""Inputs: what people type is read, or refused in a sentence."""

import pytest

from ledger.errors import BadInput
from ledger.rules.inputs import MOST_NAMES, handles, worded


def test_as_many_names_as_a_list_may_have_are_read_and_one_more_is_refused() -> None:
    names = tuple(f"name{number}" for number in range(MOST_NAMES + 1))
    assert handles(",".join(names[:-1])) == names[:-1]
    with pytest.raises(BadInput, match="That is 21 names; 20 are the most"):
        handles(",".join(names))


REFUSED = (0x00, 0x1F, 0x7F, 0x9F, 0x200E, 0x200F, 0x202A, 0x202E, 0x2066, 0x2069, 0x2028, 0x2029, 0xFEFF)
TAKEN = (0x20, 0x7E, 0xA0, 0x200D, 0x2010, 0x2027, 0x202F, 0x2065, 0x206A, 0xFEFE, 0xFF00)


@pytest.mark.parametrize("point", [*REFUSED, *TAKEN], ids=hex)
def test_words_have_no_character_that_moves_the_cursor_or_turns_the_reading_direction(point: int) -> None:
    text = f"a{chr(point)}b"
    if point in TAKEN:
        assert worded("A note", text).text == text
    else:
        with pytest.raises(BadInput, match="A note cannot hold control characters"):
            worded("A note", text)
