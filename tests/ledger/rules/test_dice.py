"""Dice and their notation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import WrongFaces
from ledger.events.facts import CountedDie
from ledger.rules.dice import Digits, Pool, is_valid_die, os_random, pool, stored_faces, throw, typed_dice
from table import seeded_dice

POOLS = st.lists(st.integers(2, 1000), min_size=1, max_size=20).map(lambda sides: Pool(sides=tuple(sides)))


@given(POOLS, st.integers())
def test_every_face_that_is_thrown_is_on_its_die(asked: Pool, seed: int) -> None:
    thrown = throw(asked, seeded_dice(seed))
    assert thrown.source == "machine"
    assert [die.sides for die in thrown.dice] == list(asked.sides)
    assert all(1 <= die.face <= die.sides for die in thrown.dice)


@given(POOLS, st.integers())
def test_what_a_machine_threw_a_hand_can_type(asked: Pool, seed: int) -> None:
    thrown = throw(asked, seeded_dice(seed))
    assert typed_dice(asked, thrown.faces) == thrown.replace(source="typed")


def test_the_dice_of_the_machine_reach_every_face_and_no_other() -> None:
    chance = os_random()
    assert {chance(3) for _ in range(500)} == {0, 1, 2}


@pytest.mark.parametrize(
    ("face", "digits"), [(1, (0, 1)), (9, (0, 9)), (10, (1, 0)), (73, (7, 3)), (99, (9, 9)), (100, (0, 0))]
)
def test_a_percentile_is_kept_as_tens_and_units(face: int, digits: tuple[int, int]) -> None:
    (die,) = typed_dice(Pool(sides=(100,)), [face]).dice
    assert die.digits == digits
    tens_and_units = iter(digits)
    assert throw(Pool(sides=(100,)), lambda _: next(tens_and_units)).dice == (die,)


def test_a_percentile_is_two_dice_of_ten_sides() -> None:
    assert throw(pool(1, 100), lambda sides: sides - 1).faces == (99,)
    assert throw(pool(1, 100), lambda sides: 0).faces == (100,)


@pytest.mark.parametrize(
    ("sides", "face", "digits", "fits"),
    [
        (6, 6, None, True),
        (6, 7, None, False),
        (6, 6, (0, 6), False),
        (100, 100, (0, 0), True),
        (100, 73, (7, 3), True),
        (100, 73, (3, 7), False),
        (100, 73, None, False),
        (10, 2, (2, 0), True),
        (10, 10, (0, 0), True),
        (10, 2, (0, 2), False),
        (10, 11, (1, 0), False),
    ],
)
def test_a_die_shows_one_of_its_faces_and_a_percentile_its_digits_too(
    sides: int, face: int, digits: tuple[int, int] | None, fits: bool
) -> None:
    assert is_valid_die(CountedDie(sides=sides, face=face, digits=digits, dropped=None)) is fits


@pytest.mark.parametrize(
    ("typed", "sides", "faces"),
    [
        ("737", (10, 10, 10), (7, 3, 7)),
        ("737", (1000,), (737,)),
        ("737", (10,), (737,)),
        ("16", (20,), (16,)),
        ("16", (6, 20), (16,)),
        ("16", (6, 8), (1, 6)),
        ("00", (100,), (100,)),
        ("00", (10, 10), (0, 0)),
    ],
)
def test_digits_are_a_face_each_where_there_are_as_many_small_dice_or_else_one_number(
    typed: str, sides: tuple[int, ...], faces: tuple[int, ...]
) -> None:
    assert Digits(text=typed).faces(Pool(sides=sides)) == faces


@pytest.mark.parametrize(
    ("faces", "says"),
    [
        ([], "no typed dice are left"),
        ([7], "you typed 1 die"),
        ([7, 6, 5], "you typed 3 dice"),
        ([11, 7], "a d10 cannot show 11"),
        ([2, 16], "a d10 cannot show 16"),
        ([-1, 3], "a d10 cannot show -1"),
        ([16], "a d10 cannot show 16"),
    ],
)
def test_faces_that_the_pool_cannot_show_are_refused_with_what_is_wrong(faces: list[int], says: str) -> None:
    with pytest.raises(WrongFaces, match=rf"^This roll needs 2d10, but {says}\.$") as refused:
        typed_dice(pool(2, 10), faces)
    assert refused.value.hint == "Type 2 numbers in the order rolled, with commas between them."


def test_no_die_of_a_throw_is_lost_on_the_way_to_who_threw_it() -> None:
    dice = throw(Pool(sides=(6, 8, 10), of=("mara", "brak", "mara")), lambda _: 0)
    assert [(name, len(own)) for name, own in dice.by_thrower("ilse")] == [("mara", 1), ("brak", 1), ("mara", 1)]
    assert [(name, len(own)) for name, own in dice.replace(of=()).by_thrower("ilse")] == [("ilse", 3)]
    with pytest.raises(ValueError, match="longer than argument"):
        dice.replace(of=("mara",)).by_thrower("ilse")


def test_a_refusal_of_faces_says_how_many_were_taken_before() -> None:
    with pytest.raises(WrongFaces, match=r"^This roll needs 1d6, but no typed dice are left\.$") as refused:
        typed_dice(pool(1, 6), [], earlier=2)
    assert (
        refused.value.hint == "Earlier rolls already used the first 2 numbers. For this roll, type 1 number after them."
    )


def test_the_zero_of_a_ten_sided_die_is_its_ten_and_no_other_die_has_one() -> None:
    assert typed_dice(pool(2, 10), [0, 7]).faces == (10, 7)
    assert (stored_faces([0, 7]), stored_faces(None)) == ((10, 7), None)
    for sides in (6, 12, 20, 100):
        with pytest.raises(WrongFaces, match=f"a d{sides} cannot show 0") as refused:
            typed_dice(pool(1, sides), [0])
        assert (refused.value.hint == "Type 00 for 100.") is (sides == 100)
    with pytest.raises(WrongFaces, match="a d100 cannot show 0") as refused:
        typed_dice(pool(2, 100), [0, 0])
    assert refused.value.hint == "Type 00 for 100."


TENS = Pool(sides=(100, 10), tens=True)


@pytest.mark.parametrize(
    ("typed", "face", "shown"),
    [(20, 2, "20"), (2, 2, "20"), (90, 9, "90"), (10, 1, "10"), (1, 1, "10"), (100, 10, "00"), (0, 10, "00")],
)
def test_a_second_tens_die_is_typed_and_shown_as_it_lies(typed: int, face: int, shown: str) -> None:
    dice = typed_dice(TENS, [75, typed]).dice
    assert ([die.face for die in dice], [die.shown for die in dice]) == ([75, face], ["75", shown])
    assert all(map(is_valid_die, dice))
    assert throw(TENS, lambda below: face - 1).dice[1] == dice[1]


@pytest.mark.parametrize("typed", [25, 11, 110, -1])
def test_a_number_that_no_tens_die_shows_is_refused_with_what_to_type(typed: int) -> None:
    with pytest.raises(WrongFaces, match=f"needs 1d100 . a second tens die, but a tens die cannot show {typed}") as no:
        typed_dice(TENS, [75, typed])
    assert str(no.value.hint).endswith("Type the number that a tens die shows, from 00 to 90.")


def test_a_refusal_of_00_names_what_was_typed() -> None:
    with pytest.raises(WrongFaces, match=r"a d10 cannot show 100 \(or 00\)"):
        typed_dice(pool(1, 10), [100])


def test_whoever_typed_a_wrong_face_of_one_die_hears_nothing_of_an_order() -> None:
    with pytest.raises(WrongFaces) as refused:
        typed_dice(pool(1, 20), [21])
    assert refused.value.hint == "Type the number that the die shows."
