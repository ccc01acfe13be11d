"""The expressions in the test suites of two other dice libraries: at least 95 in 100 of them are taken.

`notation_suites.json` has the valid expressions with dice of both suites. Two kinds do not count: those whose text means
different dice to different players, so that this program asks (`ASKED`), and those beyond the limits of a roll
(`BEYOND_LIMITS`).
"""

import json
from pathlib import Path

import pytest

from dice_oracles import compare, hand_of_d20, hand_of_rpg_dice_roller, read, roll_with_d20, roll_with_rpg_dice_roller
from ledger.errors import BadInput
from ledger.rules.counting import check_values, pool_of
from ledger.rules.notation import read_notation

SUITES = json.loads(Path(__file__).with_name("notation_suites.json").read_text(encoding="utf-8"))

ASKED = {
    "d20": {
        "10d6k1k2k3": "k1 keeps the highest die, or all that show 1",
        "10d6k1ph1": "k1 keeps the highest die, or all that show 1",
    },
    "rpg-dice-roller": {
        "1d8cf<4": "cf counts dice, or only marks them",
        "3dF.1cf>8": "cf counts dice, or only marks them",
        "8d45=21": "= counts dice, or comes before dice rolled by hand",
        "8d45cs=12": "cs counts dice, or only marks them",
        "36d152cs!=45": "cs counts dice, or only marks them",
        "3d50cs<>365": "cs counts dice, or only marks them",
        "5d10r": "r rerolls once, or until it no longer applies",
        "12dFr": "r rerolls once, or until it no longer applies",
        "2d%r>80": "r rerolls once, or until it no longer applies",
        "10d8dh2r!=5kl3": "r rerolls once, or until it no longer applies",
        "4d10!!p/(23*d12r)": "r rerolls once, or until it no longer applies",
        "4d%>50f<40": ">50 includes 50, or not",
        "4d6>5f<=2": ">5 includes 5, or not",
        "4d6>5f<=2+2d6": ">5 includes 5, or not",
        "42d2!=6!!>4!p<5": "!=6 explodes dice that show 6, or counts dice that do not",
        "3d6kh2dl1": "dl1 drops one of the two dice that are kept, or one of all three dice",
        "8d4kh4!": "the four dice that are kept explode, or all dice do",
    },
}
BEYOND_LIMITS = {
    "d20": {},
    "rpg-dice-roller": {
        "360d%!!p<50": "more than 100 dice",
        "12d% /* A comment with a \n line break */": "a line break cannot be stored",
        "{12d%} /* A comment with a \n line break */": "a line break cannot be stored",
        "897d2kh1": "more than 100 dice",
        "450dF.1>0f!=1": "more than 100 dice",
        "450dF.1>0f<>1": "more than 100 dice",
        "999d6": "more than 100 dice",
        "d40601k1": "more than 1,000 sides",
        "d9999999999": "more than 1,000 sides",
        "999d9999999999": "more than 100 dice, and more than 1,000 sides",
        "dF.1!!<=1": "every die explodes, without end",
        "4d%!<>45": "99 of 100 dice explode",
        "12dFu": "12 Fate dice cannot all show different faces",
    },
}
NOT_TAKEN = {
    "d20": {
        "0d6": "it rolls no dice, so there is nothing to record",
        "0d%": "it rolls no dice, so there is nothing to record",
    },
    "rpg-dice-roller": {
        "6d%max50.45": "a die counts as a whole number",
        "6d%min50.45": "a die counts as a whole number",
        "tan(4d6/3)": "a tangent has no largest value",
        "(4.56^3dF)*6.7-(10d45/(2*3))": "an exponent cannot have dice",
        "3d6 // fire": "// divides, and fire could be a score; labels are typed [fire], /* fire */ or # fire",
        "{3d6} // fire": "// divides, and fire could be a score; labels are typed [fire], /* fire */ or # fire",
    },
}
REAL = ("cos(", "exp(", "log(", "sin(", "sqrt(")


def refusal(text: str) -> str:
    try:
        notation = read_notation(text)
        check_values(notation, {})
        pool_of(notation)
    except BadInput as refused:
        return refused.sentence
    return ""


@pytest.mark.parametrize("name", SUITES)
def test_at_least_95_in_100_expressions_of_another_test_suite_are_taken(name: str) -> None:
    expressions = SUITES[name]["expressions"]
    refused = {text: sentence for text in expressions if (sentence := refusal(text))}
    asked = {text for text, sentence in refused.items() if "means different dice to different players" in sentence}
    assert refused.keys() == {*ASKED[name], *BEYOND_LIMITS[name], *NOT_TAKEN[name]}
    assert asked == ASKED[name].keys()
    one_meaning = len(expressions) - len(asked) - len(BEYOND_LIMITS[name])
    assert len(expressions) - len(refused) >= 0.95 * one_meaning


def comparable(name: str) -> list[str]:
    """Return the expressions that are taken, without divisions and `d%`, which Avrae reads as 0 to 90."""
    left_out = ("/", *REAL, *(["%"] if name == "d20" else []))
    return [text for text in SUITES[name]["expressions"] if read(text) and not any(sign in text for sign in left_out)]


def test_what_is_taken_of_the_suite_of_d20_means_the_same() -> None:
    texts = comparable("d20")
    rolls, _ = compare(roll_with_d20(20 * texts), hand_of_d20)
    assert rolls == 20 * len(texts) >= 600


@pytest.mark.slow
def test_what_is_taken_of_the_suite_of_rpg_dice_roller_means_the_same() -> None:
    texts = comparable("rpg-dice-roller")
    rolls, _ = compare(roll_with_rpg_dice_roller(20 * texts), hand_of_rpg_dice_roller)
    assert rolls == 20 * len(texts) >= 2000
