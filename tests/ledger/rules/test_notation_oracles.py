"""Dice notation beside two other programs that read it: the same totals and the same number of dice."""

import random
from itertools import islice

import pytest

from dice_oracles import (
    AVRAE,
    RPG_DICE_ROLLER,
    Writer,
    compare,
    hand_of_d20,
    hand_of_rpg_dice_roller,
    roll_with_d20,
    roll_with_rpg_dice_roller,
)

MANY = 10_000


def random_rolls_equal_to_d20(number: int, seed: int) -> int:
    random.seed(seed)  # Avrae's program rolls its dice with this module
    rolled = roll_with_d20(Writer(seed, AVRAE).readable())
    rolls, dice = compare(islice(rolled, number), hand_of_d20)
    assert dice > number
    return rolls


def test_300_rolls_have_the_total_that_avrae_counts_for_the_same_dice() -> None:
    assert random_rolls_equal_to_d20(300, seed=1) == 300


@pytest.mark.slow
def test_10_000_rolls_have_the_total_that_avrae_counts_for_the_same_dice() -> None:
    assert random_rolls_equal_to_d20(MANY, seed=2) == MANY


@pytest.mark.slow
def test_10_000_rolls_have_the_total_that_rpg_dice_roller_counts_for_the_same_dice() -> None:
    texts = [*islice(Writer(3, RPG_DICE_ROLLER).readable(), 2 * MANY)]  # it does not take all of them
    rolls, dice = compare(roll_with_rpg_dice_roller(texts)[:MANY], hand_of_rpg_dice_roller)
    assert rolls == MANY < dice
