"""Rounding of the values of dice notation."""

from __future__ import annotations

import pytest

from ledger.rules.counting import Counted, check_values, count, pool_of
from ledger.rules.dice import typed_dice
from ledger.rules.notation import read_notation


def counted(text: str, *faces: int) -> Counted:
    notation = read_notation(text)
    check_values(notation, {})
    return count(notation, typed_dice(pool_of(notation), faces).faces, {})


@pytest.mark.parametrize(
    ("text", "faces", "total", "rounded"),
    [
        ("7/2+d6", [1], 4, True),
        ("d6/2", [6], 3, False),
        ("-d6/2", [3], -1, True),
        ("d6//2*2", [3], 2, True),
        ("d20+0.14", [9], 9, True),
        ("ceil(d6/4)", [3], 1, False),
    ],
)
def test_divisions_round_down_and_say_so(text: str, faces: list[int], total: int, rounded: bool) -> None:
    result = counted(text, *faces)
    assert (result.total, result.rounded) == (total, rounded)


@pytest.mark.parametrize(
    ("text", "faces", "total", "rounded"),
    [
        ("d6-1/2", [3], 3, True),
        ("d6+-1/2", [3], 3, True),
        ("d6-(1/2)", [3], 3, True),
        ("10-(d6-2)", [4], 8, False),
        ("d6+7/-2", [3], 0, True),
        ("d6+0.5+0.5", [3], 4, False),
        ("d6+0.5", [3], 3, True),
        ("(d6+0.5)*2", [3], 7, False),
        ("0.5-d6-1", [3], -3, True),
        ("d6+2^(1.5-0.5)", [3], 5, False),
    ],
)
def test_a_sign_does_not_change_the_rounding_and_sums_are_exact(
    text: str, faces: list[int], total: int, rounded: bool
) -> None:
    result = counted(text, *faces)
    assert (result.total, result.rounded) == (total, rounded)
    assert sum(result.addends) == total
