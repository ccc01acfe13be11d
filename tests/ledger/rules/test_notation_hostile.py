"""Hostile dice notation: each of 200 texts ends at once, in a sentence or in dice to roll."""

import random
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import cycle

import pytest

from examples import some
from ledger.errors import BadInput
from ledger.rules.counting import MOST_ROLLED, check_values, count, pool_of
from ledger.rules.dice import MOST_DICE, throw
from ledger.rules.modifiers import MODIFIERS_BY_WORD
from ledger.rules.notation import FUNCTIONS, LONGEST_NOTATION, read_notation

SECONDS = 0.1 * (10 if sys.gettrace() else 1)
"""The maximum time of the processor for a text. Coverage makes everything slower."""
SIGNS = "+-*/%^,()[]{}#!<>=.~@$&|;:?_\\'\"`\0\x1b"


def repeated(*pieces: str) -> list[str]:
    """Repeat each piece until the text is as long as it may be."""
    return [(piece * LONGEST_NOTATION)[:LONGEST_NOTATION] for piece in pieces]


def nested(begin: str, end: str, inside: str = "d6") -> list[str]:
    """Nest an expression as deep as the text allows, as deep as is allowed, and without its ends."""
    deepest = (LONGEST_NOTATION - len(inside)) // (len(begin) + len(end))
    depths = [deepest, min(deepest, 20), min(deepest, 7)]
    return [*(begin * depth + inside + end * depth for depth in depths), (begin * LONGEST_NOTATION)[:LONGEST_NOTATION]]


HOSTILE = [
    # one character, or a few, again and again
    *repeated(*SIGNS),
    *repeated("d", "9", "0", "k", "kh", "rr", "!", "!!p", "e", "x", "u", "f", "s", "1d", "d1", "d6", "d%", "dF", "3#"),
    *repeated("d6 ", "d6\t", "1 ", "d6[", "d6]", "/*", "*/", "# a", "−", "adv", "1.", ".5", "1e9", "0x", "\n", "\u200b"),
    # digits and letters that only look like ours
    "٣d6", "３d６", "²d6", "d²", "d٦", "1d६", "𝟜d𝟞", "ⅳd6", "ｄ6", "1ԁ6", "dＦ", "d％", "4d6ⅼ1", "4d6𝗄h3", "d6\u202e+3", "d6\u0301",
    # nesting
    *nested("(", ")"), *nested("{", "}"), *nested("-(", ")"), *nested("abs(", ")"), *nested("2*(", ")^2"),
    *nested("pow(", ",60)", "9"), *nested("(", ")d4", "1"), *nested("1d(", ")", "4"), *nested("(", ",1)kh1"),
    *nested("{", "}dl1kl1"), *nested("exp(", ")", "27"), *nested("sqrt(", ")"), *nested("(", ")!kh1"), *nested("((", "))"),
    # huge numbers
    f"{'9' * 9}d6", f"d{'9' * 9}", f"d6*{'*'.join(['999999999'] * 18)}", f"{'9' * 180}d6", f"d{'9' * 190}", "d6^60^60",
    "999999999^60+d6", "0.000000001^60+d6", "d6/0.000000001", "d6%0.1", "+".join(["pow(9,60)"] * 20), "(d1000^60)^60",
    "d1000*d1000*d1000*d1000*d1000", "exp(27)*exp(27)*exp(27)+d6", "log(0.000000001)*d6", "1/(d6-d6)", "1/(1-1)d6",
    "sin(999999999*999999999*999999999)+d6", "-999999999*999999999d6", "d6-(0-1)^59", "0.1^(d6)", "2^-1+d6",
    # many dice, and dice that are rolled again without end
    "100d1000", "101d6", "+".join(["100d6"] * 30), "+".join(["d6"] * 67), "20#100d1000", "21#d6", "99999999#d6", "100d2!",
    "d1!", "d1rr1", "d2!>=1", "d20rr<=19", "7d20rr<=19", "7d100rr<=95", "7d100!<=95", "7d100!!p<=95", "7d20!!<=19",
    "7d100rr<=95!<=95", "100d1000" + "rr<=949" * 20, "d20!<=19!<=19!<=19", "100d100u", "50d60u", "9d10u", "100d1000u",
    "100d1000uo", "2d1u", "100dFu", "100dF.1rr", "100d6ro<=6ro<=6ro<=6ro<=6", "100d6ra6" * 3, "100d1000ro<=999",
    "60d6!>=5", "30d6!>=4!p>=4", "d6rrl1", "d6rol99", "d6!h1", "100d6" + "ro<=3" * 30, "100d6" + "ral1" * 40,
    # long chains
    "100d6" + "kh99" * 40, "100d6" + "dl1" * 60, "100d6" + "dl1dh1" * 30, "d6" + "mi1ma6" * 32, "100d6" + "s" * 190,
    "100d6" + "k>=1" * 40, "100d6>=5" + "f=1" * 60, "d6" + ">=1" * 66, "100d6" + "p1p2p3" * 30, "d6" + "[a]" * 66,
    "d6" + "/* */" * 39, "(" + ",".join(["d6"] * 66) + ")kh1", "{" + "+".join(["d6"] * 66) + "}kh1",
    "max(" + ",".join(["d6"] * 60) + ")", "d6" + "-" * 197 + "1", "d6" + "+1" * 99, "d6" + "//1" * 66, "d6" + "%9" * 99,
    "d6" + "**1" * 66, "d6" + "^1" * 99, "d6 " + "adv " * 49, "d20 adv dis", "+".join(["d20"] * 49) + " adv",
    # the wrong place
    "", " ", "d", "d6d6d6", "d6(2)", "(2)(3)d6", "d()", "()d6", "(,)d6", "d(d6)", "{}", "{}d6", "abs()", "max(,)", "[d6]",
    "#d6", "3#", "3##d6", "d6#", "d%%", "d%%%6", "%d6", "d.5", "1.5d6", "d6.5", "-d-6", "+", "d6+", "4d6kh-1", "4d6kh0",
    "4d6mi--1", "4d6k", "4d6rr<", "4d6!<", "4d6f1", "4d6kh3kl2dh1", "d6\0", "d6\ud800", "d6 # \x1b[31m", "x" * 10_000, "1" * 10_000,
]  # fmt: skip


def test_at_least_200_hostile_texts_are_tried() -> None:
    assert len({*HOSTILE}) >= 200


def outcome(text: str) -> str:
    """Return the dice that a text rolls, or the sentence that refuses it."""
    try:
        notation = read_notation(text, {})
        check_values(notation, {})
        pool = pool_of(notation)
    except BadInput as refused:
        return refused.sentence
    return str(pool) if 1 <= len(pool.sides) <= MOST_DICE else ""


@pytest.mark.parametrize("text", dict.fromkeys(HOSTILE), ids=range(len({*HOSTILE})))
def test_a_hostile_text_ends_at_once_in_a_sentence_or_in_dice(text: str) -> None:
    begun = time.process_time()
    assert outcome(text)
    assert time.process_time() - begun < SECONDS


def lowest_of(falls: Callable[[], int], sides: int) -> int:
    """Return the next number that falls, or the highest one that a die can show."""
    return min(falls(), sides - 1)


@pytest.mark.parametrize("steps", [[10**9], [0, 0, 1]], ids=["highest", "lowest"])
def test_a_roll_of_a_hostile_text_ends_whatever_falls(steps: list[int]) -> None:
    for text in some(HOSTILE):
        try:
            notation = read_notation(text, {})
            check_values(notation, {})
        except BadInput:
            continue
        falls = partial(next, cycle(steps))
        begun = time.process_time()
        thrown = throw(pool_of(notation), partial(lowest_of, falls))
        assert sum(count(notation, thrown.faces, {}).addends) == count(notation, thrown.faces, {}).total
        assert len(thrown.dice) <= MOST_ROLLED
        assert time.process_time() - begun < 10 * SECONDS, text


def test_5_000_random_texts_end_in_a_sentence_or_in_dice() -> None:
    chance = random.Random(1)  # noqa: S311  seeded on purpose
    pieces = [
        *MODIFIERS_BY_WORD,
        *(f"{name}(" for name in FUNCTIONS),
        *SIGNS,
        "d6",
        "9d20",
        "d%",
        "4dF",
        "1",
        "60",
        "999999999",
        " ",
    ]
    for _ in range(5000):
        text = "".join(chance.choices(pieces, k=chance.randint(1, 40)))
        begun = time.process_time()
        assert outcome(text), text
        assert time.process_time() - begun < SECONDS, text
