"""Dice notation that is refused before anything is rolled: what each sentence marks, and what its hint says to type."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import BadInput
from ledger.rules.counting import check_values, pool_of
from ledger.rules.cursor import NotRead
from ledger.rules.expressions import DiceTerm, Operation
from ledger.rules.inputs import UNPRINTABLE
from ledger.rules.modifiers import DISAGREEMENTS
from ledger.rules.notation import read_notation


def refusal(text: str, scores: Mapping[str, int] | None = None) -> BadInput:
    with pytest.raises(BadInput) as refused:
        notation = read_notation(text, scores or {})
        check_values(notation, scores or {})
        pool_of(notation)
    return refused.value


def refusal_if_any(text: str) -> BadInput | None:
    try:
        check_values(read_notation(text), {})
    except BadInput as refused:
        return refused
    return None


UNSTORED = sorted({*UNPRINTABLE, *"\t\n\r\x1b\x85\xa0\u2028\u200b\u202e\u2066\ud800"})


@pytest.mark.parametrize("letter", UNSTORED, ids=map(ascii, UNSTORED))
def test_a_character_that_is_not_printable_is_refused_wherever_it_is(letter: str) -> None:
    for text in (
        f"d6{letter}+1",
        f"d6[a{letter}b]",
        f"d6/*{letter}*/",
        f"d6 # a{letter}b",
        f"{letter}d6",
        f"d6{letter}",
    ):
        refused = refusal(text)
        assert isinstance(refused, NotRead)
        assert f"{letter!r} is not allowed: use only printable characters and plain spaces." in refused.sentence
        assert refused.sentence.isprintable()
        assert refused.hint in {None, ""}


def test_a_refusal_shows_no_private_key() -> None:
    assert "a private key" in refusal("d6 PRIVATE+KEY+abc").sentence


SHEET = {
    "str": 3,
    "str-2": 9,
    "edge/str": 3,
    "edge/str-2": 9,
    "sneak": 1,
    "attack": 2,
    "sneak-attack": 5,
    "old-market": 2,
}


def test_a_score_with_a_hyphen_that_could_be_a_subtraction_is_refused_with_both_readings() -> None:
    refused = refusal("d20+str-2+1", SHEET)
    assert "'str-2' could be the score str-2, or str minus 2" in refused.sentence
    assert refused.hint == (
        "To subtract 2 from str, type d20+str - 2+1. To use the score str-2, type d20+edge/str-2+1."
    )
    assert read_notation("d20+str - 2+1", SHEET).scores() == ["str"]
    assert read_notation("d20+edge/str-2+1", SHEET).scores() == ["edge/str-2"]
    assert refusal("d20+sneak-attack", SHEET).hint == "To subtract attack from sneak, type d20+sneak - attack."


@pytest.mark.parametrize(
    ("text", "names"),
    [("d20+str-20", ["str"]), ("str-2d6", ["str"]), ("d20+old-market", ["old-market"]), ("d20+str-1", ["str"])],
)
def test_a_score_with_a_hyphen_that_has_one_reading_is_taken(text: str, names: list[str]) -> None:
    assert read_notation(text, SHEET).scores() == names
    assert read_notation("d20+str-2", {"str-2": 9}).scores() == ["str-2"]


@pytest.mark.parametrize(
    ("text", "number"), [("4dFro-1", -1), ("4dFrr-1", -1), ("4dF!-1", -1), ("4dFx−1", -1), ("4dF!-2", 1), ("d6!-1", 6)]
)
def test_a_minus_1_right_after_a_modifier_is_a_number_on_fate_dice(text: str, number: int) -> None:
    of = read_notation(text).of
    dice = of.left if isinstance(of, Operation) else of
    assert isinstance(dice, DiceTerm)
    assert dice.modifiers[0].number == number


@pytest.mark.parametrize("word", ["ro", "rr", "x", "u"])
def test_a_minus_right_after_a_word_that_rolls_dice_again_is_refused(word: str) -> None:
    refused = refusal(f"2d6{word}-1+3")
    assert f"'{word}-1' could be a number below 0, or a subtraction" in refused.sentence
    assert refused.hint == f"To subtract, type 2d6{word} - 1+3."
    assert refusal("2d6r-1").hint.endswith("type 2d6rr - 1.")


def test_rerolls_that_are_applied_together_are_limited_together() -> None:
    assert "rolls dice again too often" in refusal("d20rr<=10rr>=11").sentence
    assert len(pool_of(read_notation("100d6rr6rr6rr6")).sides) == 100
    assert "needs too many dice" in refusal("10d4uu").sentence or "rolls dice again" in refusal("10d4uu").sentence


@pytest.mark.parametrize("comment", ["attack = 4", "attack =4, 5", "attack=4 5 "])
def test_typed_dice_inside_a_comment_are_refused(comment: str) -> None:
    refused = refusal(f"d20 # {comment}")
    assert "is inside the comment" in refused.sentence
    assert refused.hint == "Put the typed dice before the comment."


@pytest.mark.parametrize("text", ["3d6!=6 2 1 5", "3d6=6 2 1", "3d6!o=6, 2, 1", "d20+5=6 2"])
def test_typed_dice_that_are_joined_to_the_roll_need_spaces(text: str) -> None:
    assert refusal(text).hint == "For typed dice, put spaces around =."


AFTER_MODIFIERS = ["", " 2 1 5", "+2", "-1", " # fire", " k3", "kh3!", " adv"]
TWO_MEANINGS = [
    f"4d6{before}{word}{compare if word != compare else ''}{number}{after}"
    for row in DISAGREEMENTS
    for word in sorted(row.words)
    for compare in sorted(row.compares)
    for number in ("3", "")
    for before in ("", ">=4")
    for after in AFTER_MODIFIERS
]
TWO_ORDERS = [
    f"2+{dice}{after}"
    for dice in ("4d6kh3!", "4d6kh3kl2", "8d4kh4dl1", "(8d4)dl1ro1", "{d4,d6,d8}dl1kl1")
    for after in AFTER_MODIFIERS
]
TYPED = re.compile(r"(?:, type|Type it like|Did you mean|comment, type) (.+?)(?:[.?](?= |$)| or )")


@pytest.mark.parametrize("texts", [TWO_MEANINGS, TWO_ORDERS], ids=["meanings", "orders"])
def test_each_text_that_a_hint_says_to_type_can_be_read(texts: list[str]) -> None:
    found = 0
    for text in texts:
        try:
            read_notation(text)
        except BadInput as refused:
            for typed in TYPED.findall(refused.hint):
                read_notation(typed)
                found += 1
    assert found > 30


PIECES = (
    *("d6", "2d6", "d20", "kh1", "dl9", "ro1", "mi2", "mi", "!", "f=1", ">=3", "=3", "[x]", "adv", "k", "u", "x", "d"),
    *("(", ")", "{", "}", ",", "+", "-", "*", "/", "//", "%", "^", "#", " ", "max(", "sqrt(", "log(", "exp("),
    *("0", "5", "1.5", "99", "999999999", "9999999999", "stealth"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=7).map("".join))
def test_each_refusal_quotes_a_part_of_the_text_and_says_what_to_type(text: str) -> None:
    if (refused := refusal_if_any(text)) is not None:
        assert any(part in text for part in re.findall("'(.*?)'", refused.sentence))
        assert refused.hint


def test_a_hint_says_what_to_change_if_the_rest_cannot_be_read_either() -> None:
    assert refusal("4d6k3 2 1").hint == (
        "To keep the highest 3 (Foundry and Roll20), use kh3 for k3."
        " To keep all dice that show 3 (Avrae), use k==3 for k3."
    )
    assert "add up all dice (Roll20), leave out cs6." in refusal("4d6cs6 2 1").hint
    assert "use (4d6kh3)!6." in refusal("4d6kh3!6 2 1").hint


def test_letters_without_a_number_that_they_need_are_refused() -> None:
    refused = refusal("3d6p")
    assert (refused.sentence, refused.hint) == ("In '3d6p', 'p' needs a number.", "Type it like 3d6p2.")


@pytest.mark.parametrize("text", ["{d6,}kh1", "(d6,)", "(d6, )+1", "max(d6,)"])
def test_a_comma_with_nothing_after_it_is_refused(text: str) -> None:
    assert "',' has nothing after it" in refusal(text).sentence


@pytest.mark.parametrize(
    ("text", "part", "hint"),
    [
        ("adv d20", "adv d20", "Type d20 adv."),
        ("disadvantage d20+5", "disadvantage d20+5", "Type d20+5 dis."),
        ("adv", "adv", ""),
        ("d20+5 to hit", "to hit", "For a comment, type d20+5 # to hit or d20+5[to hit]. Type dice like"),
        ("d20 for stealth", "for stealth", "For a comment, type d20 # for stealth or d20[for stealth]. After the dice"),
    ],
)
def test_words_in_the_wrong_place_have_a_hint(text: str, part: str, hint: str) -> None:
    refused = refusal(text)
    assert refused.sentence.endswith(f"{part!r} cannot be read.")
    assert refused.hint.startswith(hint)


def test_a_square_root_of_exactly_a_million_millions_is_not_too_large() -> None:
    assert refusal_if_any("d6+sqrt(10^12)") is None
    assert "could become too large" in str(refusal_if_any("d6+sqrt(10^12+1)"))


def test_a_power_of_exactly_4000_binary_digits_is_not_too_large() -> None:
    assert refusal_if_any("d6+min(1,(2^59*2^40)^40)") is None
    assert "could be too large" in str(refusal_if_any("d6+min(1,(2^59*2^41)^40)"))
