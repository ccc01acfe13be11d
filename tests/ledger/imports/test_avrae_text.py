"""Avrae's texts: each roll of its dice engine is read as it was rolled, and nothing else is a roll."""

from random import Random

import d20
import pytest

from ledger.imports.avrae_text import printed_rolls
from ledger.imports.log_records import WrongRecord

TEXTS = {
    "1d20 (14) + 5 = `19`": ("1d20 + 5", "14", "19"),
    "2d20kh1 (14, ~~6~~) + 5 = `19`": ("2d20kh1 + 5", "14 ~6", "19"),
    "2d20kl1 (~~**20**~~, **1**) = `1`": ("2d20kl1", "~20 1", "1"),
    "4d6e6 (3, **1**, 2, **6!**, 5) = `17`": ("4d6e6", "3 1 2 6 5", "17"),
    "2d6mi3 (2 -> 3, **1 -> 3**) = `6`": ("2d6mi3", "2 1", "6"),
    "2d6rr<3 (4, **~~1~~**, **6**) = `10`": ("2d6rr<3", "4 ~1 6", "10"),
    "4d6rr1kh3 (~~**1**, 3~~, **6**, 5, 5) = `16`": ("4d6rr1kh3", "~1 ~3 6 5 5", "16"),
    "(1d4 (2) + 1, ~~2d6 (2, 5)~~)kl1 = `3`": ("(1d4 + 1, 2d6)kl1", "2 ~2 ~5", "3"),
    "(1d6 (**1**), ~~1d4 (**4**)~~) = `1`": ("(1d6, 1d4)", "1 ~4", "1"),
    "1d8 (4) [fire] + 2 [magic] = `6`": ("1d8 [fire] + 2 [magic]", "4", "6"),
    "-(1d6 (5) + -1) * 2 = `-8`": ("-(1d6 + -1) * 2", "5", "-8"),
    "1d6 (5) / 2 = `2`": ("1d6 / 2", "5", "2"),
    "1d6 (5) + 0.5 = `5`": ("1d6 + 0.5", "5", "5"),
    "1d20 (9) == 3 = `0`": ("1d20 == 3", "9", "0"),
}


def shown(text: str) -> tuple[str, str, str, str | None]:
    """The formula, the faces (`~` marks one that does not count), the claimed total, and the one worked out."""
    ((_, total, roll),) = printed_rolls(text)
    faces = " ".join(f"{'~' * bool(die.dropped)}{die.face}" for die in roll.dice)
    return roll.formula or roll.rest, faces, total, roll.comes_to


@pytest.mark.parametrize("text", TEXTS)
def test_a_result_is_read_with_its_dice(text: str) -> None:
    assert shown(text) == (*TEXTS[text], TEXTS[text][2])


def test_a_set_of_one_item_is_read() -> None:
    assert shown("(1d6 (4),) = `4`") == ("(1d6,)", "4", "4", "4")


@pytest.mark.parametrize("total", ["\n**Total**: 19", "\n**Total:** 19", " = `19`"])
def test_the_total_can_have_a_line_of_its_own(total: str) -> None:
    ((label, claimed, roll),) = printed_rolls(f"@Ana  :game_die:\n**Result**: 1d20 (14) + 5{total}")
    assert (label, claimed, roll.formula, roll.comes_to) == ("Result", "19", "1d20 + 5", "19")


def test_a_label_is_the_bold_text_before_the_roll() -> None:
    text = "**To Hit**: 1d20 (14) = `14`\n**DEX Save:** 1d20 (2) = `2`; Failure!\n1d4 (3) = `3`"
    assert [label for label, _, _ in printed_rolls(text)] == ["To Hit", "DEX Save", ""]


def test_a_roll_is_found_inside_a_sentence() -> None:
    text = "I attack 2 - (1d20 (3) + 1 = `4`) and then 2 - 1d6 (5) = `5`"
    assert [roll.formula for _, _, roll in printed_rolls(text)] == ["1d20 + 1", "1d6"]


def test_a_total_that_differs_from_the_dice_is_kept_beside_it() -> None:
    assert shown("1d20 (14) + 5 = `25`") == ("1d20 + 5", "14", "25", "19")


@pytest.mark.parametrize("text", ["12 [fixed] = `12`", "1d20 (14)", "**Damage**: 5 = `5`", "HP: `5`"])
def test_a_text_without_dice_or_a_total_is_no_roll(text: str) -> None:
    assert [*printed_rolls(text)] == []


UNREADABLE = (
    "2d6",
    "2d6 (3",
    "2d6 (3, x)",
    "1d6 (2) + ",
    "1d6 (2) + y",
    "1d6 (2) / 0",
    "(1d6 (2), 3",
    "(~~1d6 (2))",
    "(~~(~~1d6 (2)~~)~~)",
    "(" * 30 + "1d6 (2)" + ")" * 30,
    "1d6 (2)...",
)


@pytest.mark.parametrize("text", UNREADABLE)
def test_a_roll_that_cannot_be_read_keeps_its_total_and_its_text(text: str) -> None:
    ((_, total, roll),) = printed_rolls(f"**Damage**: {text} = `7`")
    assert (total, roll.formula, roll.dice, roll.comes_to) == ("7", "", (), None)
    assert roll.rest == text[text.index("d6") - 1 :]


def test_a_percent_die_shows_no_natural_face() -> None:
    ((_, total, roll),) = printed_rolls("1d% (90) = `90`")
    assert (total, roll.dice, roll.comes_to, roll.rest) == ("90", (), "90", "[90]")


def test_too_many_dice_are_refused() -> None:
    with pytest.raises(WrongRecord):
        list(printed_rolls(f"600d6 ({', '.join('2' * 600)}) = `1200`"))


OPERATIONS = ("", "", "", "kh1", "kl1", "e6", "rr1", "ro<3", "ra6", "mi2", "ma4", "p1", "k>2")


def expression(random: Random, depth: int = 0) -> str:
    """A random expression of Avrae's dice engine."""
    if depth == 3 or random.random() < 0.4:
        dice = f"{random.randint(1, 4)}d{random.choice((4, 6, 8, 20))}{random.choice(OPERATIONS)}"
        return random.choice((dice, dice, dice, str(random.randint(1, 9)), f"{dice} [fire]"))
    inside = [expression(random, depth + 1) for _ in range(random.randint(1, 3))]
    if random.random() < 0.3:
        return f"({', '.join(inside)}){random.choice(('', 'kh1', 'kl1'))}"
    return f" {random.choice(('+', '+', '-', '*', '//', '<'))} ".join(inside)


def test_what_the_dice_engine_prints_comes_to_its_total() -> None:
    random, compared = Random(43), 0  # noqa: S311  no secret
    for _ in range(2000):
        try:
            rolled = d20.roll(expression(random))
            expected = str(int(rolled.total))
        except d20.RollError:  # it divides by zero, or rerolls for ever
            continue
        if dice := dice_in(rolled.expr):
            ((_, total, roll),) = printed_rolls(rolled.result)
            assert (total, roll.comes_to) == (expected, expected), rolled.result
            assert len(roll.dice) == sum(len(die.values) for die in dice), rolled.result
            compared += 1
    assert compared > 1500


def dice_in(node: d20.Number) -> list[d20.Die]:
    if isinstance(node, d20.Dice):
        return list(node.values)
    return [die for child in node.children for die in dice_in(child)]
