"""Dice and their notation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import BadInput, WrongFaces
from ledger.events.facts import CountedDie
from ledger.rules.dice import MOST_DICE, Digits, Pool, is_valid_die, os_random, pool, stored_faces, throw, typed_dice
from ledger.rules.notation import read_notation
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
    assert Digits(text=typed).faces(sides) == faces


@pytest.mark.parametrize(
    ("faces", "says"),
    [
        ([], "no typed dice are left for it"),
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
    with pytest.raises(WrongFaces, match=r"^This roll needs 1d6, but no typed dice are left for it\.$") as refused:
        typed_dice(pool(1, 6), [], earlier=2)
    assert (
        refused.value.hint == "After the 2 already used, type 1 number in the order rolled, with commas between them."
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


def test_whoever_typed_a_wrong_face_of_one_die_hears_nothing_of_an_order() -> None:
    with pytest.raises(WrongFaces) as refused:
        typed_dice(pool(1, 20), [21])
    assert refused.value.hint == "Type the number that the die shows."


@pytest.mark.parametrize(
    ("text", "faces", "dropped", "total"),
    [
        ("3d6+2", [1, 2, 3], ["", "", ""], 8),
        ("4d6kh3", [6, 1, 5, 4], ["", "kh3", "", ""], 15),
        ("2d20kl1", [17, 4], ["kl1", ""], 4),
        ("2d20kh", [17, 17], ["kh1", ""], 17),
        ("3d10dh1", [7, 9, 9], ["", "dh1", ""], 16),
        ("4d6dl2", [2, 2, 2, 3], ["dl2", "dl2", "", ""], 5),
        ("d%", [73], [""], 73),
        ("d100", [100], [""], 100),
        ("2d6-1d4+d8-3", [5, 6, 4, 8], ["", "", "", ""], 12),
        ("10-d6", [4], [""], 6),
        (" 2D6 + 1 ", [3, 4], ["", ""], 8),
        ("2d6kh2", [3, 4], ["", ""], 7),
        ("d2+d1000", [2, 1000], ["", ""], 1002),
        ("d6+999999999", [1], [""], 1_000_000_000),
    ],
)
def test_a_pool_is_counted_as_it_is_typed(text: str, faces: list[int], dropped: list[str], total: int) -> None:
    notation = read_notation(text)
    assert len(notation.pool.sides) == len(faces)
    count = notation.count(faces)
    assert (list(count.dropped), count.total) == (dropped, total)
    assert sum(count.addends) == total


@pytest.mark.parametrize(
    "text",
    ["", "3", "d", "3d", "d0", "1d1", "0d6", "d1001", "101d6", "60d6+60d6", "4d6kh0", "4d6kh5", "4d6xx", "3d6 2d6"]
    + ["d6+1000000000", "٣d6", "1_0d6", "3d6++2", "3d6+", "99999999999d6", "d6.5", "-", "kh3", "3d6é"],
)
def test_what_is_no_pool_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        read_notation(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [("d20 5", "d20+5"), ("1d20 + 5 2", "1d20+5+2"), ("1d6 2", "1d6+2"), ("2 0d6", "2+0d6"), ("d20\t5", "d20+5")],
)
def test_a_space_never_joins_two_numbers_into_one(text: str, meant: str) -> None:
    with pytest.raises(BadInput, match="has a space between two digits") as refused:
        read_notation(text)
    assert refused.value.sentence.endswith(f". Did you mean {meant}?")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("1d20−1", "1d20-1"),
        ("d20 + 3 + -2 + 3", "d20+3-2+3"),
        ("d20 +−2", "d20-2"),
        ("4d6 kh3", "4d6kh3"),
        ("2 d20", "2d20"),
    ],
)
def test_both_minus_signs_are_read_and_a_plus_before_one_is_a_minus(text: str, kept: str) -> None:
    assert read_notation(text).text == kept


@pytest.mark.parametrize(
    ("text", "unread"), [("d20 adv", "adv"), ("4d6k3", "k3"), ("2d6!+1", "!+1"), ("d20 - -2", "--2"), ("d20+", "+")]
)
def test_a_refused_pool_names_the_part_that_was_not_read(text: str, unread: str) -> None:
    with pytest.raises(BadInput, match="is not valid dice notation") as refused:
        read_notation(text)
    assert f": the problem starts at {unread!r}." in refused.value.sentence


def test_a_pool_is_typed_in_200_characters_at_most() -> None:
    assert read_notation("d6" + "+1" * 99).count([1]).total == 100
    with pytest.raises(BadInput, match=r"at most 200 characters\. You typed 201"):
        read_notation("10d6" + "+1" * 98 + "0")


def test_a_pool_names_its_dice_in_the_order_thrown() -> None:
    assert str(read_notation("2d6+1d8+3d6").pool) == "2d6 + 1d8 + 3d6"
    assert str(Pool(sides=())) == "no dice"
    assert len(read_notation(f"{MOST_DICE}d6").pool.sides) == MOST_DICE
