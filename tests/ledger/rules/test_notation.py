"""Dice notation: what each text rolls, how it is counted, and what is refused before anything is rolled."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import BadInput, WrongFaces
from ledger.rules.counting import MOST_ROLLED, Counted, check_values, count, pool_of
from ledger.rules.cursor import NotRead
from ledger.rules.dice import MOST_DICE, Pool, throw, typed_dice
from ledger.rules.expressions import score_words
from ledger.rules.modifiers import DISAGREEMENTS, MODIFIERS_BY_WORD
from ledger.rules.notation import MOST_REPEATED, read_notation
from paths import ROOT

SCORES = {"stealth": 4, "old-market": 2, "save.dex": -1}


def counted(text: str, *faces: int, scores: Mapping[str, int] = SCORES) -> Counted:
    """Count typed faces, which must be all dice of the roll."""
    notation = read_notation(text, scores)
    check_values(notation, scores)
    thrown = typed_dice(pool_of(notation), faces)
    return count(notation, thrown.faces, scores)


def refusal(text: str) -> BadInput:
    with pytest.raises(BadInput) as refused:
        counted(text)
    return refused.value


@pytest.mark.parametrize(
    ("text", "faces", "dropped", "total"),
    [
        ("3d6+2", [1, 2, 3], ["", "", ""], 8),
        ("4d6kh3", [6, 1, 5, 4], ["", "kh3", "", ""], 15),
        ("2d20kl1", [17, 4], ["kl1", ""], 4),
        ("2d20kh", [17, 17], ["kh1", ""], 17),
        ("3d10dh1", [7, 9, 9], ["", "dh1", ""], 16),
        ("4d6dl2", [2, 2, 2, 3], ["dl2", "dl2", "", ""], 5),
        ("4d6d1", [2, 4, 3, 1], ["", "", "", "d1"], 9),
        ("3d6kh5", [2, 4, 3], ["", "", ""], 9),
        ("(5d6kh3)kl1", [2, 4, 3, 6, 6], ["kh3", "", "kh3", "kl1", "kl1"], 4),
        ("4d6k==6", [6, 5, 6, 1], ["", "k==6", "", "k==6"], 12),
        ("4d6k>4", [6, 5, 4, 1], ["", "", "k>4", "k>4"], 11),
        ("4d6p1", [6, 1, 4, 1], ["", "p1", "", "p1"], 10),
        ("d%", [73], [""], 73),
        ("d100", [100], [""], 100),
        ("2d6-1d4+d8-3", [5, 6, 4, 8], ["", "", "", ""], 12),
        ("10-d6", [4], [""], 6),
        (" 2D6 + 1 ", [3, 4], ["", ""], 8),
        ("d2+d1000", [2, 1000], ["", ""], 1002),
        ("d6+999999999", [1], [""], 1_000_000_000),
        ("1d20−1", [20], [""], 19),
        ("d20 + 3 + -2 + 3", [10], [""], 14),
        ("d20 - -2", [10], [""], 12),
        ("-d4", [3], [""], -3),
        ("2d6[fire] + 1d4 [cold] [magic]", [3, 4, 2], ["", "", ""], 9),
        ("(2d6+3)*2", [1, 2], ["", ""], 12),
        ("2*-d6", [3], [""], -6),
        ("(1+1)d(2*3)", [5, 6], ["", ""], 11),
        ("d20+stealth", [11], [""], 15),
        ("d20+Old-Market-save.dex", [11], [""], 14),
        ("d20+5 adv", [9, 17], ["adv", ""], 22),
        ("d20 + 5 DIS", [9, 17], ["", "dis"], 14),
        ("2d6+d20 adv", [1, 2, 9, 17], ["", "", "adv", ""], 20),
        ("4dF", [1, 2, 3, 3], ["", "", "", ""], 1),
        ("2df.2", [1, 1], ["", ""], -2),
        ("4dFkh2", [1, 2, 3, 3], ["kh2", "kh2", "", ""], 2),
        ("4d6mi3", [1, 2, 3, 6], ["", "", "", ""], 15),
        ("4d6max4min2", [1, 2, 3, 6], ["", "", "", ""], 11),
        ("4d6sd", [1, 2, 3, 6], ["", "", "", ""], 12),
        ("{2d6, 8}kh1", [6, 1], ["kh1", "kh1"], 8),
        ("(2d6, d8)kh1", [6, 1, 5], ["", "", "kh1"], 7),
        ("((4d6)kh3)kl1", [6, 1, 5, 2], ["kl1", "kh3", "kl1", ""], 2),
        ("max(2d6, 8)+min(d4, 2)", [3, 2, 4], ["", "", ""], 10),
        ("abs(d4-4)+sign(2-d4)+pow(2, 3)", [1, 4], ["", ""], 10),
        ("ceil(2d6/4)+floor(d6/4)+round(d6/4)", [3, 2, 3, 2], ["", "", "", ""], 3),
        ("2d6*1.5", [3, 2], ["", ""], 7),
        ("60/d6", [4], [""], 15),
        ("60//-(2d6kh1)", [4, 3], ["", "kh1"], -15),
        ("d% % 10", [73], [""], 3),
        ("2^3^2+-d6**2", [4], [""], 496),
        ("12/2^2+d4", [1], [""], 4),
        ("(1-d4)^3", [3], [""], -8),
        ("sqrt(2d6+4)", [6, 6], ["", ""], 4),
        ("ceil(sqrt(2d6))", [6, 6], ["", ""], 4),
        ("floor(cos(0*d6))+sin(0)+log(1)+exp(0)", [6], [""], 2),
        ("sqrt(1+cos(0*d6))+sqrt(1-sin(0*d6))", [6, 6], ["", ""], 2),
        ("abs(-d6-1)", [6], [""], 7),
        ("round(d8/4)", [5], [""], 1),
        ("12/abs(d6-7)+12/abs(d6+0)", [4, 3], ["", ""], 8),
        ("3dF.1", [1, 3, 6], ["", "", ""], 0),
        ("5dFk2", [3, 3, 1, 2, 2], ["", "", "k2", "k2", "k2"], 2),
        ("{3d6}k1", [3, 5, 1], ["k1", "", "k1"], 5),
        ("{2d6, d8}sd", [3, 5, 1], ["", "", ""], 9),
        ("{2d6+3+d8}kh1", [3, 5, 1], ["kh1", "", "kh1"], 8),
        ("((d6, d8, 3))kh2", [1, 5], ["kh2", ""], 8),
        ("abs(d6-4)*2", [2], [""], 4),
        ("{3d6}d1", [3, 5, 1], ["", "", "d1"], 8),
        ("{3d6}sdkl1", [3, 5, 1], ["kl1", "kl1", ""], 1),
        ("4d20max-12", [3, 5, 1, 20], ["", "", "", ""], -48),
        ("3d6 # fire, 2 in all", [3, 5, 1], ["", "", ""], 9),
        ("3d6 /* fire */ + 1", [3, 5, 1], ["", "", ""], 10),
        ("3d6kh2dh1", [3, 5, 1], ["", "dh1", "kh2"], 3),
    ],
)
def test_a_roll_is_counted_as_typed(text: str, faces: list[int], dropped: list[str], total: int) -> None:
    result = counted(text, *faces)
    assert (list(result.dropped), result.total) == (dropped, total)
    assert sum(result.addends) == total


@pytest.mark.parametrize(
    ("text", "faces", "dropped", "total"),
    [
        ("2d6ro1", [1, 4, 1], ["ro1", "", ""], 5),
        ("2d6ro<=2", [1, 2, 2, 5], ["ro<=2", "ro<=2", "", ""], 7),
        ("2d6ro", [1, 4, 6], ["ro", "", ""], 10),
        ("2d6rr1", [1, 4, 1, 1, 3], ["rr1", "", "rr1", "rr1", ""], 7),
        ("3d6rr<3rr6", [1, 4, 6, 6, 5, 3], ["rr<3", "", "rr<3", "rr<3", "", ""], 12),
        ("3d6rol1", [3, 2, 5, 6], ["", "rol1", "", ""], 14),
        ("3d6!", [6, 2, 1, 6, 3], ["", "", "", "", ""], 18),
        ("3d6x>=5", [6, 2, 5, 1, 2], ["", "", "", "", ""], 16),
        ("2d6e6", [6, 2, 6, 1], ["", "", "", ""], 15),
        ("2d6!o", [6, 2, 6], ["", "", ""], 14),
        ("3d6ra6", [6, 6, 1, 6], ["", "", "", ""], 19),
        ("2d6!p", [6, 2, 6, 3], ["", "", "", ""], 15),
        ("4d6ro1kh3", [1, 4, 5, 2, 6], ["ro1", "", "", "kh3", ""], 15),
        ("2d6!kh2", [6, 2, 4], ["", "kh2", ""], 10),
        ("(2d6kh1)!", [6, 2, 4], ["", "kh1", ""], 10),
        ("4d6u", [3, 3, 1, 3, 1, 4, 1, 2], ["", "u", "u", "u", "", "", "u", ""], 10),
        ("4d6uo", [3, 3, 1, 3, 1, 3, 4], ["", "uo", "uo", "uo", "", "", ""], 11),
        ("4d6u<=2", [3, 3, 1, 1, 4], ["", "", "", "u<=2", ""], 11),
        ("d6!+d8!", [6, 8, 2, 3], ["", "", "", ""], 19),
    ],
)
def test_dice_that_are_rolled_again_follow_in_the_order_rolled(
    text: str, faces: list[int], dropped: list[str], total: int
) -> None:
    result = counted(text, *faces)
    assert (list(result.dropped), result.total) == (dropped, total)


def test_a_compound_explosion_is_added_to_its_die() -> None:
    assert counted("2d6!!", 6, 2, 6, 1).addends == (13, 2)
    assert counted("2d6!!p", 6, 2, 6, 1).addends == (11, 2)
    assert counted("2d6!!kh1", 2, 6, 3).dropped == ("kh1", "", "")


@pytest.mark.parametrize(("sort", "total"), [("sd", 5 + 3), ("sa", 6 + 3)])
def test_the_dice_of_compound_explosions_are_added_in_sorted_order(sort: str, total: int) -> None:
    assert counted(f"2d6{sort}!!>=5kh1", 5, 6, 1, 3).total == total


@pytest.mark.parametrize(
    ("text", "faces", "total"),
    [
        ("6d10>=7", [1, 7, 10, 8, 6, 2], 3),
        ("6d10==7", [1, 7, 10, 7, 6, 2], 2),
        ("6d10cs>=7", [1, 7, 10, 8, 6, 2], 3),
        ("4d10>=8f<=1", [1, 8, 10, 5], 1),
        ("4d10<>1", [1, 8, 10, 5], 3),
        ("3d10!>=8", [10, 8, 5, 9], 32),
        ("2d6>=5+1", [6, 1], 2),
        ("4dF>=0", [1, 2, 3, 3], 3),
        ("6d10kh3>=7", [1, 7, 10, 8, 6, 2], 3),
    ],
)
def test_successes_are_counted(text: str, faces: list[int], total: int) -> None:
    thrown = faces if "!>" not in text else [*faces, 1, 2, 3][: len(faces)]
    notation = read_notation(text)
    pool = pool_of(notation).after(thrown)
    if len(pool.sides) > len(thrown):
        thrown = [*thrown, *[1] * (len(pool.sides) - len(thrown))]
        total += len(pool.sides) - len(faces)
    assert count(notation, thrown, {}).total == total


@pytest.mark.parametrize(
    ("text", "says", "hint"),
    [
        ("", "'' is not complete", "Type dice like"),
        ("3", "'3' has no dice", "Type dice like"),
        ("0d6", "'0d6' has no dice", "Type dice like"),
        ("d", "'d' cannot be read", "Type dice like"),
        ("d20+", "'d20+' is not complete", "Type dice like"),
        ("d20 5", "In 'd20 5', '5' cannot be read", "Did you mean d20+5? To compare the total with 5, add --vs 5."),
        ("d20 5", "In 'd20 5', '5' cannot be read", "If you rolled 5 yourself, add --faces 5."),
        ("1d20 + 5 2", "In '1d20 + 5 2', '2' cannot be read", "Did you mean 1d20 + 5+2?"),
        ("2 0d6", "In '2 0d6', '0d6' cannot be read", "Type dice like"),
        ("4d6q3", "In '4d6q3', 'q3' cannot be read", "After the dice you can type kh, kl,"),
        ("3d6 2d6", "In '3d6 2d6', '2d6' cannot be read", "Did you mean 3d6+2d6?"),
        ("d20+steelth", "In 'd20+steelth', 'steelth' cannot be read", "Type dice like"),
        ("d20+@", "In 'd20+@', '@' cannot be read", "Type dice like"),
        ("٣d6", "In '٣d6', '٣' cannot be read", "Type dice like"),
        ("(1d6", "'(1d6' has no ) at its end", "Type ) at the end of this part."),
        ("d(6", "In 'd(6', '(6' has no ) at its end", "Type ) at the end of this part."),
        ("{1d6)", "In '{1d6)', ')' cannot be read", "Type dice like"),
        ("2d6[fire", "In '2d6[fire', '[' has no ] at its end", "Type ] after the label, like d20[fire]."),
        ("d0", "'d0' needs 1 to 100 dice with 1 to 1000 sides", "Type 1 to 1000 after the d, like d6."),
        (
            "d1001+2",
            "In 'd1001+2', 'd1001' needs 1 to 100 dice with 1 to 1000 sides",
            "Type 1 to 1000 after the d, like d6.",
        ),
        ("101d6", "'101d6' needs 1 to 100 dice", "Type 1 to 100 before the d, like 3d6."),
        ("60d6+60d6", "'60d6+60d6' has 120 dice", "Roll at most 100 dice at once."),
        ("d6+1000000000", "In 'd6+1000000000', '1000000000' has more than 9 digits", "Type a smaller number."),
        ("d6+1.23456789", "In 'd6+1.23456789', '1.23456789' has more than 9 digits", "Type a smaller number."),
        ("99999999999d6", "In '99999999999d6', '99999999999' has more than 9 digits", "Type a smaller number."),
        ("(d4)d6", "In '(d4)d6', '(d4)' needs plain numbers in the parentheses", "Type it like (2+1)d6."),
        ("d6f1", "In 'd6f1', 'f' must follow a count of successes", "6d10>=8f=1"),
        ("4d6kh3kl2", "In '4d6kh3kl2', 'kl2' means different dice to different players", "type (4d6kh3)kl2."),
        ("4d6mi", "In '4d6mi', 'mi' needs a number", "Type it like 4d6mi2."),
        ("4d6r<", "In '4d6r<', 'r<' needs a number", "Type a number after it."),
        ("4d6>=", "In '4d6>=', '>=' needs a number", "Type it like 4d6>=2."),
        ("max(d6)", "'max(d6)' needs two values, with a comma between them", "Type it like max(d6, 2)."),
        ("abs(d6,1)", "'abs(d6,1)' needs one value", "Type it like abs(d6)."),
        ("pow(2,d6)", "'pow(2,d6)' cannot have dice in its exponent", "Type a number as the exponent, like d6^2."),
        (
            "d6+pow(2,99)",
            "'pow(2,99)' needs an exponent from 0 to 60",
            "Type a whole number from 0 to 60 as the exponent.",
        ),
        ("12/(d6-1)", "'12/(d6-1)' could divide by 0", "After /, type a value that cannot be 0."),
        ("12/abs(d6-3)", "'12/abs(d6-3)' could divide by 0", "After /, type a value that cannot be 0."),
        ("12//2d6>=5", "'12//2d6>=5' could divide by 0", "After //, type a value that cannot be 0."),
        ("12/4d6k>4", "'12/4d6k>4' could divide by 0", "After /, type a value that cannot be 0."),
        ("12/(d6/2)", "'12/(d6/2)' could divide by 0", "After /, type a value that cannot be 0."),
        ("d6/(1-1)", "'d6/(1-1)' could divide by 0", "After /, type a value that cannot be 0."),
        ("(5/0)d6", "'5/0' could divide by 0", "After /, type a value that cannot be 0."),
        ("(d6-2)%4", "'(d6-2)%4' could divide a number below 0", "Before %, type a value that cannot be below 0."),
        ("d6%0", "'d6%0' could divide by 0 or less", "After %, type a number or dice that cannot be 0 or less."),
        (
            "sqrt(d6-2)",
            "'sqrt(d6-2)' could take the square root of a negative number",
            "Inside the parentheses, type a value that cannot be below 0, as in sqrt(d6).",
        ),
        (
            "log(d6-1)",
            "'log(d6-1)' could take the logarithm of 0 or less",
            "Type a number or dice that cannot be 0 or less, as in log(d6).",
        ),
        ("exp(5d6)", "'exp(5d6)' could be too large", "The number for exp can be at most 27."),
        (
            "sin(d6*999999999*999)",
            "The number in 'sin(d6*999999999*999)' could become too large",
            "The number for sin can be at most 1,000,000,000,000.",
        ),
        ("d6+(9^60)^60", "'(9^60)^60' could be too large", "Type smaller numbers."),
        ("2^d6", "'2^d6' cannot have dice in its exponent", "Type a number as the exponent, like d6^2."),
        ("d6^0.5", "'d6^0.5' needs an exponent from 0 to 60", "Type a whole number from 0 to 60 as the exponent."),
        ("(2d6+d8)kh2", "'(2d6+d8)kh2' has nothing to choose from", "To keep some dice of a sum, type {2d6+d8}kh2."),
        (
            "{d4+(d6,d8)dh1}kh2",
            "'{d4+(d6,d8)dh1}kh2' cannot choose dice a second time",
            "Leave out one of the two choices.",
        ),
        (
            "{d4+2d6kh1}kh2",
            "'{d4+2d6kh1}kh2' cannot choose dice a second time",
            "Leave out one of the two choices.",
        ),
        ("((d4+d6)*2)kl1+1", "In '((d4+d6)*2)kl1+1', '((d4+d6)*2)kl1' has nothing to choose", "To keep"),
        ("6d10>=8>=9", "In '6d10>=8>=9', '>=' counts the successes a second time", "Type one count, like 6d10>=8."),
        (
            "6d10>=8f<>9",
            "'6d10>=8f<>9' can count the same die as a success and as a failure",
            "Type two conditions so that no die can meet both, like 6d10>=8f==1.",
        ),
        (
            "d6!!>=6>=9f=9",
            "'d6!!>=6>=9f=9' can count the same die as a success and as a failure",
            "Type two conditions so that no die can meet both, like 6d10>=8f==1.",
        ),
        ("12dFu", "'12dFu' rolls dice again too often", "Reroll or explode fewer numbers."),
        ("2d6 /* fire", "In '2d6 /* fire', '/*' has no */ at its end", "Type */ after the label, like d20/*fire*/."),
        ("3d6 // fire", "In '3d6 // fire', 'fire' cannot be read", "Type dice like"),
        (
            "3d6 #2",
            "In '3d6 #2', '#2' cannot be read",
            "To add a comment, type a space, then # and a text, like d20 # attack. The text must start with a letter.",
        ),
        (
            "3d6# fire",
            "In '3d6# fire', '# fire' cannot be read",
            "To add a comment, type a space, then # and a text, like d20 # attack. The text must start with a letter.",
        ),
        (
            "d6*999999999*9999",
            "The result of 'd6*999999999*9999' could be too large",
            "A total can be at most 1,000,000,000,000.",
        ),
        ("2d20+5 adv", "In '2d20+5 adv', 'adv' needs exactly one d20 without modifiers", "Type d20+5 adv, or 2d20kh1."),
        ("0#d6", "In '0#d6', '0#' must be 1 to 20 rolls", "Type a number from 1 to 20 before the #, like 3#d20."),
        ("21#d6", "In '21#d6', '21#' must be 1 to 20 rolls", "Type a number from 1 to 20 before the #, like 3#d20."),
        ("d6rr<=6", "'d6rr<=6' rolls dice again too often", "Reroll or explode fewer numbers."),
        ("d6rrl1", "'d6rrl1' rolls dice again too often", "Reroll or explode fewer numbers."),
        ("d1!", "'d1!' rolls dice again too often", "Reroll or explode fewer numbers."),
        (
            "100d2!",
            "'100d2!' needs more than 150 dice on average",
            "Roll fewer dice, or reroll or explode fewer numbers.",
        ),
    ],
)
def test_a_refusal_marks_the_part_that_was_not_understood(text: str, says: str, hint: str) -> None:
    refused = refusal(text)
    assert refused.sentence.startswith(says)
    assert hint in refused.hint


def test_an_unknown_name_is_handed_on_so_that_the_sheet_can_be_searched() -> None:
    with pytest.raises(NotRead) as refused:
        read_notation("d20+steelth-1")
    assert refused.value.word == "steelth"


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("4d6k3", "4d6kh3", "4d6k==3"),
        ("4d6r1+2", "4d6ro1+2", "4d6rr1+2"),
        ("4d6r", "4d6ro", "4d6rr"),
        ("4d6r<3", "4d6ro<=2", "4d6rr<=3"),
        ("d20cs12", "d20==12", "d20"),
        ("d20cf>3", "d20>=4", "d20"),
        ("4d6ro<3", "4d6ro<=3", "4d6ro<=2"),
        ("4d6!>4", "4d6!>=4", "4d6!>=5"),
        ("4d6!!>4", "4d6!!>=4", "4d6!!>=5"),
        ("6d10>7", "6d10>=7", "6d10>=8"),
        ("6d10>=7f<2", "6d10>=7f<=2", "6d10>=7f<=1"),
        ("4dF>-1", "4dF>=-1", "4dF>=0"),
        ("4d10!=1", "4d10!1", "4d10<>1"),
        ("d20cs<>12", "d20<>12", "d20"),
        ("3+8d4kh4! ", "3+(8d4kh4)!", "3+8d4!kh4"),
        ("(8d4)dl1ro1", "((8d4)dl1)ro1", "(8d4)ro1dl1"),
        ("{d4,d6,d8}dl1kl1", "({d4,d6,d8}dl1)kl1", "{d4,d6,d8}kl1dl1"),
        ("3d6 kh2 dl1+4", "(3d6kh2)dl1+4", "3d6dl1kh2+4"),
    ],
)
def test_where_communities_disagree_both_readings_are_named(text: str, first: str, second: str) -> None:
    refused = refusal(text)
    assert "means different dice to different players" in refused.sentence
    assert [part.split(".")[0] for part in refused.hint.split("type ")[1:]] == [first, second]
    for typed in (first, second):
        read_notation(typed)  # both can be typed


def test_both_readings_of_two_keeps_are_named() -> None:
    refused = refusal("1+4d6kh3kl2-1")
    assert "'kl2' means different dice to different players if it follows kh3." in refused.sentence
    assert (
        "type 1+(4d6kh3)kl2-1. Avrae keeps every die that at least one of the two modifiers keeps. To do the same here, drop all other dice"
        in refused.hint
    )


def test_every_disagreement_is_about_modifiers_that_can_be_typed() -> None:
    assert all(row.words <= MODIFIERS_BY_WORD.keys() for row in DISAGREEMENTS)


def test_several_rolls_are_read_as_one_roll_and_how_often() -> None:
    notation = read_notation(f"{MOST_REPEATED}# d20 + 5")
    assert (notation.times, notation.text) == (MOST_REPEATED, "d20 + 5")
    assert str(pool_of(notation)) == "1d20"


def test_a_score_has_a_full_name_a_name_and_a_short_name() -> None:
    assert score_words("edge/skill.stealth") == ["edge/skill.stealth", "skill.stealth", "stealth"]


def test_a_notation_names_its_scores_in_order() -> None:
    assert read_notation("d20+stealth-(2, save.dex)kh1", SCORES).scores() == ["stealth", "save.dex"]


def test_notation_is_typed_in_200_characters_at_most() -> None:
    assert counted("d6" + "+1" * 99, 1).total == 100
    with pytest.raises(BadInput, match=r"at most 200 characters\. You typed 201"):
        read_notation("10d6" + "+1" * 98 + "0")


def test_parentheses_are_nested_at_most_20_deep() -> None:
    assert counted("(" * 20 + "d6" + ")" * 20, 3).total == 3
    assert "more than 20 parentheses inside each other" in refusal("(" * 21 + "d6" + ")" * 21).sentence


def test_a_pool_names_its_dice_in_the_order_rolled() -> None:
    assert str(pool_of(read_notation("2d6+1d8+3d6"))) == "2d6 + 1d8 + 3d6"
    assert len(pool_of(read_notation(f"{MOST_DICE}d6")).sides) == MOST_DICE


def test_typed_dice_are_asked_for_one_after_the_other() -> None:
    asked = pool_of(read_notation("3d6!"))
    for typed, needs in [
        ([6, 6, 2], "5d6 (the last 2d6 because of !), but you typed 3 dice."),
        ([6, 6, 2, 6], "5d6 (the last 2d6 because of !), but you typed 4 dice."),
        ([6, 6, 2, 6, 1], "6d6 (the last 1d6 because of !), but you typed 5 dice."),
        ([6, 6, 2, 6, 1, 4, 1], "6d6 (the last 1d6 because of !), but you typed 7 dice."),
    ]:
        with pytest.raises(WrongFaces) as refused:
            typed_dice(asked, typed)
        assert refused.value.sentence == f"This roll needs {needs}"
    assert typed_dice(asked, [6, 6, 2, 6, 1, 4]).faces == (6, 6, 2, 6, 1, 4)


def test_a_typed_0_on_a_d10_is_its_10_and_explodes() -> None:
    assert typed_dice(pool_of(read_notation("d10!")), [0, 0, 3]).faces == (10, 10, 3)


def test_the_computer_rolls_until_nothing_explodes() -> None:
    fallen = iter([5, 5, 0, 5, 3])  # a face is one more
    thrown = throw(pool_of(read_notation("3d6!o")), lambda sides: next(fallen))
    assert thrown.faces == (6, 6, 1, 6, 4)


def test_a_roll_ends_at_its_most_dice_whatever_falls() -> None:
    notation = read_notation("7d100rr<=95")
    thrown = throw(pool_of(notation), lambda sides: 0 if sides == 10 else 1)
    assert len(thrown.dice) == 7  # a 00 and a 0 are 100
    thrown = throw(pool_of(read_notation("7d20rr<=19")), lambda sides: 0)
    assert len(thrown.dice) == MOST_ROLLED
    thrown = throw(pool_of(read_notation("3d6u")), lambda sides: 0)
    assert len(thrown.dice) == MOST_ROLLED


PIECES = [
    *MODIFIERS_BY_WORD,
    "d6",
    "2d20",
    "4dF",
    "d%",
    "(",
    ")",
    "{",
    "}",
    ",",
    "+",
    "-",
    "*",
    "/",
    "//",
    "1",
    "3",
    "20",
    " ",
    "[a]",
]
PIECES += ["adv", "dis", "#", "max(", "stealth", ".5", ">=", "−"]


@given(pieces=st.lists(st.sampled_from(PIECES), max_size=12), data=st.data())
def test_any_text_is_refused_with_a_sentence_or_counts_all_of_its_dice(pieces: list[str], data: st.DataObject) -> None:
    text = "".join(pieces)
    try:
        notation = read_notation(text, SCORES)
        check_values(notation, SCORES)
    except BadInput:
        return
    asked: Pool = pool_of(notation)
    faces: list[int] = []
    while more := asked.after(faces).sides[len(faces) :]:
        faces += [data.draw(st.integers(1, sides)) for sides in more]
    result = count(notation, faces, SCORES)
    assert len(result.dropped) == len(faces) <= MOST_ROLLED
    assert sum(result.addends) == result.total
    assert _retyped(text, faces) == result


def _retyped(text: str, faces: Sequence[int]) -> Any:
    """The result if somebody types the same dice."""
    notation = read_notation(text, SCORES)
    return count(notation, typed_dice(pool_of(notation), faces).faces, SCORES)


SHOWN = re.compile(r"^\| `([^`]+)` \| ([^|`]+) \| `([^`]+)` \| ([^|`]+) \| `([^`]+)` \|$", re.MULTILINE)
"""A row of the page on dice: a text with two meanings, and for each of them what to type."""


def test_the_page_on_dice_shows_both_meanings_of_each_kind_of_disagreement() -> None:
    rows = SHOWN.findall((ROOT / "docs" / "dice.md").read_text(encoding="utf-8"))
    for typed, first, text, second, other in rows:
        with pytest.raises(NotRead, match="means different dice to different players") as refused:
            read_notation(typed)
        for meaning, clear in ((first, text), (second, other)):
            assert f"{meaning}, type {clear}." in str(refused.value.hint)
            assert read_notation(clear).text == clear
    for row in DISAGREEMENTS:
        if row.words == {"="}:
            continue  # at the command line, an equals sign starts typed dice
        assert any(word in typed for word in row.words for typed, *_ in rows), row


@pytest.mark.parametrize(
    ("text", "part", "hint"),
    [
        ("d20+5 d4", "5 d", "Put 5 directly before the d, or put + between 5 and the d."),
        ("d6 d4", "d4", "Did you mean d6+d4?"),
        ("2d6 1d4", "1d4", "Did you mean 2d6+1d4?"),
        ("2d6 1 d4", "1 d4", "After the dice you can type"),
        ("d20 advance", "advance", "After the dice you can type"),
    ],
)
def test_a_space_joins_no_dice_to_what_stands_before(text: str, part: str, hint: str) -> None:
    refused = refusal(text)
    assert f"{part!r}" in refused.sentence
    assert hint in str(refused.hint)


def test_a_space_after_the_first_number_is_the_only_one_before_a_d() -> None:
    assert counted("2 d20", 3, 4).total == 7


@pytest.mark.parametrize("text", ["d20+5 adv", "d20 adv+5", "d20 advantage + 5", "D20 Advantage+5"])
def test_advantage_may_stand_after_the_die_or_at_the_end(text: str) -> None:
    assert counted(text, 4, 17).total == 22


def test_a_second_advantage_is_not_read() -> None:
    assert "'dis' cannot be read" in refusal("d20 adv dis").sentence


@pytest.mark.parametrize("text", ["2d6d8", "2d6dl3", "4d6d4"])
def test_all_dice_cannot_be_dropped(text: str) -> None:
    assert "drops all dice" in refusal(text).sentence


def test_deducted_failures_are_those_of_foundry() -> None:
    assert counted("5d10cs>=8df==1", 8, 9, 1, 1, 5).total == 0


@pytest.mark.parametrize(("text", "total"), [("2d6×2", 6), ("2d6–1", 2), ("2d6−1", 2)])
def test_the_signs_of_a_phone_are_read(text: str, total: int) -> None:
    assert counted(text, 1, 2).total == total
