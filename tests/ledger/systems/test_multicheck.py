"""Multicheck: the vectors, the examples of the text, and every move."""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli import try_rule as trial
from examples import examples
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, ChangeSettings, Join, Open, SetMarks
from ledger.commands.play import PlayMove
from ledger.corrections.answers import AcceptOffer
from ledger.corrections.undoing import Amend, Redo, Undo, Void
from ledger.errors import BadInput, LedgerError, NotEnough, OnceDiffers, OtherDice, OutOfRange, Refused, UnknownName
from ledger.journal.book import Book
from ledger.journal.store import memory_journal
from ledger.rules.move import Move
from ledger.scribe import Written
from ledger.systems.multicheck import SYSTEM, moves, rules
from ledger.systems.multicheck import consequences as kinds
from ledger.systems.multicheck import moves_d100 as checked
from ledger.systems.multicheck.sheet import Malice, SaveName
from ledger.values import MAX_SHEET_NUMBER
from paths import TESTS
from projections.questions import open_offers
from projections.sheets import sheet
from table import accounts_of, counting_dice, last, scribe, worked_out
from terminal import Type

SHEETS = {
    "aribeth": {
        "attribute.agility": 60,
        "attribute.luck": 20,
        "attribute.might": 120,
        "skill.melee": 3,
        "feat.cleave": 35,
        "ps": 2,
        "pk": 2,
        "save.toughness": 3,
        "save.fortune": -2,
        "recovery": 2,
    },
    "goblin": {"attribute.dexterity": 30},
    "bandit": {"malice.physical": 8, "malice.mental": 0, "attribute.luck": 1, "attribute.agility": 40},
}


@pytest.fixture
def isle() -> Iterator[Book]:
    """A campaign in memory, where three have a sheet."""
    with Book(memory_journal()) as book:
        scribe(book).write(Open(title="The lost isle", gm="Tom"))
        for who, scores in SHEETS.items():
            scribe(book).write(Join(who=who, system="multicheck", scores=scores))
        yield book


def write(book: Book, move: Move, faces: Sequence[int] | None = None) -> Written:
    return scribe(book).write(PlayMove(system="multicheck", move=move), faces=faces)


def play(book: Book, move: Move, faces: Sequence[int] | None = None) -> dict[str, Any]:
    """Play a move; return what its ruling wrote."""
    return last(write(book, move, faces), "move-played")


def take(book: Book, faces: Sequence[int] | None = None, ruling: int | None = None, **chosen: bool) -> dict[str, Any]:
    """Take up what the last test offers; return what its ruling wrote."""
    return last(
        scribe(book).write(AcceptOffer(ruling=ruling or offered(book) or 0, chosen=chosen), faces=faces), "move-played"
    )


def offered(book: Book) -> int | None:
    """The ruling after which aribeth may still choose something."""
    found: int | None = book.mark("aribeth", "offer")
    return found


def followed(done: Written) -> dict[str, dict[str, Any]]:
    """The facts of what followed, by kind."""
    return {entry.type: entry.body["facts"] for entry in done.entries if "facts" in entry.body}


def has(book: Book, name: str, who: str = "aribeth") -> int:
    return book.balance(who, f"multicheck/{name}") or 0


def numbers(played: dict[str, Any], name: str) -> list[Any]:
    (step,) = [step for step in played["steps"] if step["name"] == name]
    found: list[Any] = step["numbers"]
    return found


def checks(played: dict[str, Any]) -> list[int]:
    """What each check added or took."""
    return [numbers(played, name)[-1] for name in rules.Contributions.fields()]


def attack(**inputs: Any) -> checked.Test:
    """The attack of the text, unless said otherwise."""
    given: dict[str, Any] = {"attribute": "agility", "skill": "melee", "specialised": True, "difficulty": 30}
    return checked.Test(who="aribeth", **(given | inputs))


# The rules


DIGITS = st.integers(0, 9)
VALUES = st.integers(0, 130)


@examples(1500)
@given(
    DIGITS, DIGITS, VALUES, st.integers(-30, 30), st.sampled_from([0, 5, 10]), VALUES, VALUES, st.integers(1, 101), VALUES
)  # fmt: skip
def test_mul_02_to_mul_09_a_test_is_what_its_words_say(
    tens: int,
    units: int,
    attribute: int,
    modifier: int,
    bonus: int,
    skill: int,
    feat: int,
    mishap: int,
    difficulty: int,
) -> None:
    found = rules.six_checks(
        tens=tens,
        units=units,
        attribute=attribute,
        modifier=modifier,
        bonus=bonus,
        skill=skill,
        feat=feat,
        mishap=mishap,
        difficulty=difficulty,
    )
    shown = f"{tens}{units}"
    roll, swapped = (100 if text == "00" else int(text) for text in (shown, shown[::-1]))
    marks = {
        "attribute": roll in range(1, attribute + modifier + bonus + 1),
        "excess": roll in range(1, attribute + modifier + bonus - 99),
        "skill": not skill < roll,
        "feat": not feat < roll,
        "mishap": mishap in range(roll + 1),
        "difficulty": difficulty in range(swapped + 1, 1000),
    }
    taken = {"mishap", "difficulty"}
    count = sum(1 for name in marks.keys() - taken if marks[name]) - sum(1 for name in taken if marks[name])
    names = ["critical_failure", "major_failure", "minor_failure", "minor_success", "major_success", "critical_success"]
    assert (found.roll, found.inverse, found.successes) == (roll, swapped, count)
    assert {name: abs(each) for name, each in found.checks.__dict__.items()} == marks
    assert found.outcome == [*names, "critical_success"][count + 2]
    assert found.throw_dice == [None, None, 0, 1, 2, 3, 3][count + 2]


@examples(500)
@given(DIGITS, DIGITS, DIGITS, st.integers(0, 4), st.integers(0, 4))
def test_mul_12_whole_rolls_are_compared_after_one_cancels_one(
    first: int, second: int, units: int, advantages: int, disadvantages: int
) -> None:
    found = rules.advantage(tens=(first, second), units=units, advantages=advantages, disadvantages=disadvantages)
    rolls = [int(f"{tens}{units}") or 100 for tens in (first, second)]
    better, worse = sorted(rolls)
    assert found == (better if advantages > disadvantages else worse if advantages < disadvantages else rolls[0])
    if advantages == disadvantages:
        assert found == rules.advantage(tens=(first,), units=units)


@examples(1000)
@given(st.integers(1, 20), st.integers(-30, 30), st.sampled_from(sorted(rules.GRADES)), st.none() | st.integers(0, 20))
def test_mul_13_mul_14_a_save_is_ruled_by_how_far_it_is_from_its_difficulty(
    natural: int, save: int, grade: rules.Grade, malice: int | None
) -> None:
    difficulty = rules.save_difficulty(grade=grade, malice=malice)
    found = rules.save_outcome(natural=natural, save=save, difficulty=difficulty)
    base = malice if isinstance(malice, int) else 10
    away = natural + save - base - ["easy", "normal", "hard", "extreme"].index(grade) * 5
    assert found.total - difficulty == away
    assert (found.outcome == "critical_success") is (away > 5)
    assert (found.outcome == "success") is (0 <= away <= 5)
    assert (found.outcome == "failure") is (-5 <= away < 0)
    assert (found.outcome == "critical_failure") is (away < -5)


@examples(500)
@given(st.integers(0, 10**6))
def test_mul_15_halves_are_rounded_down(charges: int) -> None:
    def left(outcome: rules.SaveResult) -> int:
        return rules.save_effect(charges=charges, outcome=outcome)

    half = len(range(0, charges - 1, 2))
    assert (left("critical_failure"), left("failure")) == (charges + half, charges)
    assert (left("success"), left("critical_success")) == (half, 0)


@examples(500)
@given(st.integers(0, 200), st.integers(0, 50))
def test_mul_17_turns_take_a_condition_down_to_nothing_and_no_further(charges: int, recovery: int) -> None:
    left = rules.recover(charges=charges, recovery=recovery)
    assert left == charges - min(charges, recovery)


@examples(20)
@given(VALUES, VALUES, VALUES, VALUES, st.integers(-30, 30), st.integers(1, 101), st.integers(-1, 1))
def test_mul_18_the_odds_of_a_test_are_its_outcomes_counted(
    attribute: int, skill: int, feat: int, difficulty: int, modifier: int, mishap: int, net: int
) -> None:
    values = {"attribute": attribute, "skill": skill, "feat": feat, "difficulty": difficulty, "mishap": mishap}
    found = rules.chance(**values, modifier=modifier, advantages=2 + max(net, 0), disadvantages=2 + max(-net, 0))
    pick: dict[int, Callable[[tuple[int, int]], int]] = {-1: max, 0: lambda pair: pair[0], 1: min}
    rolls = [
        pick[net]((int(f"{a}{u}") or 100, int(f"{b}{u}") or 100))
        for a in range(10)
        for b in range(10)
        for u in range(10)
    ]
    outcomes = Counter(
        rules.six_checks(tens=roll // 10 % 10, units=roll % 10, **values, modifier=modifier).outcome for roll in rolls
    )
    assert (found.of, sum(found.ways.values())) == (1000 if net else 100,) * 2
    assert {name: count * (1000 // found.of) for name, count in found.ways.items() if count} == outcomes


@examples(100)
@given(st.integers(-30, 30), st.integers(0, 40))
def test_mul_18_the_odds_of_a_save_are_its_faces_counted(save: int, difficulty: int) -> None:
    found = rules.save_chance(save=save, difficulty=difficulty)
    faces = [rules.save_outcome(natural=face, save=save, difficulty=difficulty).outcome for face in range(1, 21)]
    assert (found.of, {name: count for name, count in found.ways.items() if count}) == (20, Counter(faces))


@pytest.mark.parametrize("rank", range(7))
def test_mul_04_a_skill_value_is_ten_a_rank_and_half_as_much_again_where_specialised(rank: int) -> None:
    assert rules.skill_value(rank=rank) == int(f"{rank}0")
    assert rules.skill_value(rank=rank, specialised=True) == sum([15] * rank)


@pytest.mark.parametrize(
    "refused",
    [
        lambda: rules.join_digits(10, 0),
        lambda: rules.join_digits(0, -1),
        lambda: rules.inverse(roll=0),
        lambda: rules.inverse(roll=101),
        lambda: rules.advantage(tens=(), units=1),
        lambda: rules.advantage(tens=(1, 2, 3), units=1),
        lambda: rules.advantage(tens=(1,), units=1, advantages=1),
        lambda: rules.advantage(tens=(1, 10), units=1, disadvantages=1),
        lambda: rules.skill_value(rank=7),
        lambda: rules.skill_value(rank=-1),
        lambda: rules.spirit_bonus(before=True, after=True),
        lambda: rules.modified_attribute(60, 31, 0),
        lambda: rules.modified_attribute(60, -31, 0),
        lambda: rules.modified_attribute(60, 0, 7),
        lambda: rules.save_outcome(natural=0, save=0, difficulty=10),
        lambda: rules.save_outcome(natural=21, save=0, difficulty=10),
    ],
)
def test_what_is_outside_the_rules_is_refused_and_never_clamped(refused: Callable[[], object]) -> None:
    with pytest.raises(Refused):
        refused()


CHANCE = {"attribute": 60, "skill": 45, "feat": 20, "difficulty": 30}
WHOLE_TEST = {"tens": 5, "units": 6, "attribute": 60, "skill": 45, "feat": 20, "difficulty": 30}


@pytest.mark.parametrize(
    ("name", "given"),
    [
        *(("test", {n: held for n, held in WHOLE_TEST.items() if n != left_out}) for left_out in WHOLE_TEST),
        *(("test", WHOLE_TEST | {name: wrong}) for name in WHOLE_TEST for wrong in (None, "5", 5.0, True, -1, [5], 2**53)),
        *(("test", WHOLE_TEST | {"modifier": wrong}) for wrong in (31, -31, "1", 1.5)),
        *(("test", WHOLE_TEST | {"bonus": wrong}) for wrong in (-5, 1, 15)),
        ("test", WHOLE_TEST | {"mishap": -1}),
        ("test", WHOLE_TEST | {"luck": 1}),
        ("test", []),
        ("inverse", {}),
        ("inverse", {"roll": "5"}),
        ("advantage", {"tens": [1], "units": 1, "advantages": -1}),
        ("advantage", {"tens": 1, "units": 1}),
        ("advantage", {"tens": [1, True], "units": 1}),
        ("advantage", {"tens": [1, 2]}),
        ("skill_value", {"rank": 3, "specialised": 1}),
        ("skill_value", {"specialised": True}),
        ("spirit_bonus", {"before": "yes"}),
        ("save", {"natural": 11, "save": 3}),
        ("save", {"natural": 11, "save": 3, "difficulty": -1}),
        ("save", {"natural": 11, "save": 2**53, "difficulty": 1}),
        ("save_difficulty", {"malice": -1}),
        ("save_difficulty", {"malice": 2**53 - 1}),
        ("save_difficulty", {"grade": "Normal"}),
        ("save_effect", {"charges": -1, "outcome": "success"}),
        ("save_effect", {"charges": 2**53 - 1, "outcome": "critical_failure"}),
        ("save_effect", {"charges": 4, "outcome": "minor_success"}),
        ("save_effect", {"charges": 4}),
        ("chance", CHANCE | {"modifier": 31}),
        ("chance", CHANCE | {"bonus": 7}),
        ("chance", CHANCE | {"tens": 1}),
        *(("chance", {n: held for n, held in CHANCE.items() if n != left_out}) for left_out in CHANCE),
        ("save_chance", {"save": 3}),
        ("save_chance", {"difficulty": 3}),
        ("save_chance", {"save": 3, "difficulty": -1}),
        ("recover", {"charges": 1, "recovery": -1}),
        ("recover", {"charges": 1.0, "recovery": 1}),
    ],
)  # fmt: skip
def test_a_wrong_input_is_refused_with_a_sentence(name: str, given: Any) -> None:
    with pytest.raises(Refused, match=r"\.$"):
        trial.rule_outcome(f"multicheck.{name}", given)


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("test", WHOLE_TEST | {"modifier": None, "bonus": None, "mishap": None}, "minor_success"),
        ("advantage", {"tens": [7], "units": 5, "advantages": None}, 75),
        ("skill_value", {"rank": 3, "specialised": None}, 30),
        ("spirit_bonus", {}, 0),
        ("save_difficulty", {"grade": None}, 15),
        ("chance", CHANCE | {"modifier": None, "mishap": None, "advantages": None}, 100),
    ],
)
def test_what_has_a_default_may_be_left_out_or_null(name: str, given: dict[str, Any], says: object) -> None:
    assert says in trial.rule_outcome(f"multicheck.{name}", given).values()


# The moves and the rules


CALLS: dict[str, list[str]] = {
    "multicheck.test": ["test"],
    "multicheck.inverse": ["test"],
    "multicheck.advantage": ["test"],
    "multicheck.skill_value": ["test"],
    "multicheck.spirit_bonus": ["test"],
    "multicheck.save": ["save"],
    "multicheck.save_difficulty": ["save"],
    "multicheck.save_effect": ["save"],
    "multicheck.recover": ["turn"],
    "multicheck.chance": [],
    "multicheck.save_chance": [],
}


def test_every_rule_that_try_answers_is_called_by_the_moves_named_here(isle: Book) -> None:
    examples: list[tuple[Move, Sequence[int] | None]] = [
        (attack(), (56,)),
        (checked.Throw(who="aribeth", sides=6), (5,)),
        (moves.Save(who="aribeth", save="toughness", condition="blind", charges=4), (11,)),
        (moves.Afflict(who="aribeth", condition="slow", charges=1, why="tar"), None),
        (moves.Turn(who="aribeth"), None),
    ]
    assert [type(move) for move, _ in examples] == list(moves.MOVES)
    found: dict[str, list[str]] = {rule.name: [] for rule in SYSTEM.rulebook().rules}
    for move, faces in examples:
        for rule in called_by(isle, move, faces):
            found[rule].append(move.name())
    assert found == CALLS


def called_by(book: Book, move: Move, faces: Sequence[int] | None) -> list[str]:
    """Play a move, and watch which rules are worked out."""
    return worked_out(SYSTEM.rulebook().rules, lambda: write(book, move, faces))


def test_every_rule_of_the_page_is_kept_by_a_move_and_worked_out_by_a_rule_or_said_of_the_sheet() -> None:
    page = {f"MUL-{number:02}" for number in range(1, 19)}
    assert set(kinds.PAGE) == page
    assert page - {each for move in moves.MOVES for each in move.ids} == {"MUL-18"}
    assert page - {each for rule in SYSTEM.rulebook().rules for each in rule.ids} == {"MUL-11", "MUL-16"}


# Tests


@pytest.mark.parametrize(
    ("face", "counted", "says", "dice"),
    [
        (56, [1, 0, 0, 0, 0, 0], "minor success: yes, but", 1),
        (51, [1, 0, 0, 0, 0, -1], "minor failure: no, but", 0),
        (5, [1, 0, 1, 1, 0, 0], "critical success: yes, and", 3),
    ],
    ids=["case 1", "case 2", "case 3"],
)
def test_the_three_cases_of_the_text_are_ruled_as_it_says(
    isle: Book, face: int, counted: list[int], says: str, dice: int
) -> None:
    done = write(isle, attack(difficulty=None, against="goblin", defence="dexterity"), (face,))
    played = last(done, "move-played")
    assert checks(played) == counted
    assert played["verdict"] == {"says": says, "good": dice > 0, "margin": None}
    assert numbers(played, "skill")[:4] == [face, 3, 15, 45]
    facts = followed(done)["test-rolled"]
    assert (facts["successes"], facts["throw_dice"], facts["difficulty"]) == (sum(counted), dice, counted[-1])
    assert played["looked"]["goblin"] == {"multicheck/attribute.dexterity": 30}


def test_mul_07_where_nobody_says_a_difficulty_nothing_is_lost_to_it(isle: Book) -> None:
    played = play(isle, attack(difficulty=None), (5,))
    assert checks(played)[-1] == 0
    assert numbers(played, "difficulty") == [50, 0]
    assert "no difficulty was said" in next(step["says"] for step in played["steps"] if step["name"] == "difficulty")


def test_mul_01_the_digits_of_the_roll_are_written_and_00_and_0_is_100(isle: Book) -> None:
    played = play(isle, attack(), (100,))
    assert played["dice"] == [{"sides": 100, "face": 100, "digits": [0, 0], "dropped": None}]
    assert numbers(played, "attribute") == [100, 60, 0]
    assert numbers(played, "difficulty") == [100, 30, 0]


@pytest.mark.parametrize(("face", "result"), [(60, 1), (61, 0), (1, 1)])
def test_mul_02_a_roll_at_or_below_the_attribute_is_a_success(isle: Book, face: int, result: int) -> None:
    assert checks(play(isle, attack(), (face,)))[0] == result


@pytest.mark.parametrize(("face", "results"), [(20, [1, 1]), (21, [1, 0]), (100, [1, 0])])
def test_mul_03_an_attribute_above_100_is_a_success_and_its_excess_is_tested(
    isle: Book, face: int, results: list[int]
) -> None:
    played = play(isle, attack(attribute="might"), (face,))
    assert checks(played)[:2] == results
    assert numbers(played, "excess")[:2] == [face, 20]


def test_mul_03_modifier_and_bonus_come_before_what_is_above_100(isle: Book) -> None:
    move = attack(attribute="might", modifier=-30, why="rain", ps=True)
    assert numbers(play(isle, move, (100,)), "attribute") == [100, 120, -30, 10, 100, 1]
    assert checks(play(isle, move.replace(ps=False), (91,)))[:2] == [0, 0]


@pytest.mark.parametrize(
    ("inputs", "face", "told"),
    [
        ({}, 45, [45, 3, 15, 45, 1]),
        ({"specialised": False}, 45, [45, 3, 10, 30, 0]),
        ({"specialised": False}, 30, [30, 3, 10, 30, 1]),
        ({"skill": None, "specialised": False}, 1, [1, 0, 10, 0, 0]),
    ],
)
def test_mul_04_the_skill_value_comes_from_the_rank_on_the_sheet(
    isle: Book, inputs: dict[str, Any], face: int, told: list[int]
) -> None:
    assert numbers(play(isle, attack(**inputs), (face,)), "skill") == told


def test_mul_04_a_rank_above_6_never_comes_on_a_sheet(isle: Book) -> None:
    with pytest.raises(OutOfRange):
        scribe(isle).write(Adjust(who="aribeth", amounts={"multicheck/skill.melee": 4}, why="x"))


@pytest.mark.parametrize(("feat", "told"), [(None, [35, 20, 0]), ("cleave", [35, 35, 1])])
def test_mul_05_the_feat_is_the_one_named_and_else_luck(isle: Book, feat: str | None, told: list[int]) -> None:
    assert numbers(play(isle, attack(feat=feat), (35,)), "feat") == told


def test_mul_06_a_mishap_is_from_90_on_unless_the_gm_moved_it(isle: Book) -> None:
    assert [checks(play(isle, attack(), (face,)))[4] for face in (89, 90)] == [0, -1]
    assert [checks(play(isle, attack(mishap=95), (face,)))[4] for face in (94, 95)] == [0, -1]
    scribe(isle).write(ChangeSettings(system="multicheck", values={"mishap": "80"}))
    played = play(isle, attack(), (80,))
    assert (numbers(played, "mishap"), played["settings"]) == ([80, 80, -1], {"mishap": 80})
    assert checks(play(isle, attack(mishap=90), (80,)))[4] == 0


@pytest.mark.parametrize("typed", ["0", "101", "-1", "ten", "1000", "٩", ""])
def test_mul_06_a_mishap_value_is_what_a_d100_can_show(isle: Book, typed: str) -> None:
    with pytest.raises(BadInput):
        scribe(isle).write(ChangeSettings(system="multicheck", values={"mishap": typed}))


@pytest.mark.parametrize(("face", "told"), [(13, [31, 30, 0]), (3, [30, 30, 0]), (92, [29, 30, -1]), (50, [5, 30, -1])])
def test_mul_07_the_digits_swapped_are_held_against_the_difficulty(isle: Book, face: int, told: list[int]) -> None:
    assert numbers(play(isle, attack(), (face,)), "difficulty") == told
    move = attack(difficulty=None, against="goblin", defence="dexterity")
    assert numbers(play(isle, move, (face,)), "difficulty") == told


def test_mul_07_a_difficulty_that_the_gm_keeps_stands_nowhere_in_what_is_written(isle: Book) -> None:
    done = write(isle, attack(difficulty=1234, secret=True), (56,))
    again = scribe(isle).write(AcceptOffer(ruling=offered(isle) or 0, chosen={"reroll": True}), faces=(78,))
    for written in (done, again):
        played = last(written, "move-played")
        assert list(played["inputs"]["difficulty"]) == ["secret"]
        assert list(numbers(played, "difficulty")[1]) == ["secret"]
        assert numbers(played, "difficulty")[2] == -1
        assert b"1234" not in b"".join(entry.stored for entry in written.entries)


@pytest.mark.parametrize(("agility", "says"), [(80, "none above 100"), (81, "{} against {}")])
def test_mul_08_an_attribute_of_100_after_its_modifier_has_no_excess(isle: Book, agility: int, says: str) -> None:
    scribe(isle).write(Adjust(who="aribeth", amounts={"multicheck/attribute.agility": agility - 60}, why="x"))
    (step,) = [step for step in play(isle, attack(modifier=20, why="x"), (45,))["steps"] if step["name"] == "excess"]
    assert step["says"].startswith(says)


def test_mul_08_a_modifier_moves_the_attribute_alone(isle: Book) -> None:
    plain = play(isle, attack(), (45,))
    played = play(isle, attack(modifier=-20, why="knee-deep in water"), (45,))
    assert numbers(played, "attribute") == [45, 60, -20, 40, 0]
    assert checks(played) == [0, *checks(plain)[1:]]


@pytest.mark.parametrize(
    ("inputs", "face", "says", "good", "dice"),
    [
        ({"difficulty": 100}, 95, "critical failure: no, and", False, None),
        ({}, 98, "major failure: no", False, None),
        ({}, 77, "minor failure: no, but", False, 0),
        ({}, 56, "minor success: yes, but", True, 1),
        ({}, 34, "major success: yes", True, 2),
        ({}, 19, "critical success: yes, and", True, 3),
        ({"attribute": "might"}, 19, "critical success: yes, and", True, 3),
    ],
)
def test_mul_09_the_count_names_the_outcome_and_the_dice_to_throw(
    isle: Book, inputs: dict[str, Any], face: int, says: str, good: bool, dice: int | None
) -> None:
    done = write(isle, attack(**inputs), (face,))
    assert last(done, "move-played")["verdict"] == {"says": says, "good": good, "margin": None}
    assert followed(done)["test-rolled"].get("throw_dice") == dice


@pytest.mark.parametrize(
    ("face", "faces", "says"),
    [
        (56, (5,), "1d6 for the minor success of 56: 5"),
        (34, (5, 2), "2d6 for the major success of 34: 7"),
        (19, (1, 6, 6), "3d6 for the critical success of 19: 13"),
    ],
)
def test_mul_09_as_many_dice_as_the_outcome_says_are_thrown_once_and_name_their_test(
    isle: Book, face: int, faces: tuple[int, ...], says: str
) -> None:
    play(isle, attack(), (face,))
    done = write(isle, checked.Throw(who="aribeth", sides=6), faces)
    played = last(done, "move-played")
    assert (played["verdict"]["says"], [die["sides"] for die in played["dice"]]) == (says, [6] * len(faces))
    test = played["looked"]["aribeth"]["multicheck/throw"]
    assert (test["roll"], test["dice"], numbers(played, "test")) == (face, len(faces), [face])
    assert followed(done)["throw-rolled"]["total"] == sum(faces)
    with pytest.raises(Refused, match=r"^aribeth has no extra dice to roll\.$"):
        write(isle, checked.Throw(who="aribeth", sides=6))
    assert verify(isle).entries == isle.head()


@pytest.mark.parametrize(("inputs", "face"), [({"difficulty": 100}, 95), ({}, 98), ({}, 77)])
def test_mul_09_nothing_is_thrown_without_a_success_and_the_dice_of_an_earlier_test_lapse(
    isle: Book, inputs: dict[str, Any], face: int
) -> None:
    play(isle, attack(), (19,))
    assert sheet(isle, "aribeth", "multicheck").rows[-1].value == "3, for the critical success (roll 19)"
    play(isle, attack(**inputs), (face,))
    head, thrown = isle.head(), counting_dice()
    with pytest.raises(Refused, match="no extra dice to roll"):
        scribe(isle, chance=thrown).write(PlayMove(system="multicheck", move=checked.Throw(who="aribeth", sides=6)))
    assert (isle.head(), thrown.count) == (head, 0)


def test_mul_09_dice_of_an_earlier_test_are_thrown_as_the_gm_says_and_those_of_the_last_one_wait(isle: Book) -> None:
    play(isle, attack(), (19,))
    play(isle, attack(), (56,))
    move = checked.Throw(who="aribeth", sides=6, count=3, of="the blow before she parried")
    done = write(isle, move, (2, 5, 4))
    assert last(done, "move-played")["verdict"]["says"] == "3d6 for an earlier test: 11"
    assert followed(done) == {"throw-rolled": {"sides": 6, "total": 11}}
    assert sheet(isle, "aribeth", "multicheck").rows[-1].value == "1, for the minor success (roll 56)"
    play(isle, checked.Throw(who="aribeth", sides=6), (5,))
    write(isle, move, (1, 1, 1))
    for wrong in (move.replace(count=None), move.replace(of=None)):
        with pytest.raises(BadInput, match=r"^Use --count together with --of, or leave out both\.$"):
            write(isle, wrong)


def test_mul_09_mul_11_after_the_throw_the_test_is_settled(isle: Book) -> None:
    play(isle, attack(), (56,))
    first = offered(isle)
    play(isle, checked.Throw(who="aribeth", sides=8), (8,))
    with pytest.raises(Refused, match="has expired"):
        take(isle, (1,), first, reroll=True)


def test_mul_09_mul_11_a_reroll_gives_other_dice_to_throw(isle: Book) -> None:
    play(isle, attack(), (56,))
    take(isle, (19,), reroll=True)
    assert len(play(isle, checked.Throw(who="aribeth", sides=8), (8, 1, 2))["dice"]) == 3


def test_mul_09_a_test_that_is_amended_after_its_dice_were_thrown_asks_the_gm_about_them(isle: Book) -> None:
    named = play(isle, attack(), (56,))["seq"]
    thrown = play(isle, checked.Throw(who="aribeth", sides=6), (4,))["seq"]
    amend = Amend(named=named, inputs={"feat_value": 99, "feat_of": "a charm"}, faces=None, cascade=False, why="so")
    scribe(isle).write(amend)
    assert [isle.entry(question).body["about"] for question in isle.questions()] == [thrown]


def test_mul_09_dice_to_throw_are_not_set_by_hand(isle: Book) -> None:
    with pytest.raises(BadInput, match="Only a move can set this"):
        put(isle, throw="3")


def test_mul_10_a_ps_before_is_10_on_the_attribute_and_leaves_none_for_after(isle: Book) -> None:
    done = write(isle, attack(ps=True), (70,))
    played = last(done, "move-played")
    assert numbers(played, "attribute") == [70, 60, 10, 70, 1]
    assert (has(isle, "ps"), followed(done)["ps-spent"]) == (1, {"bonus": 10})
    with pytest.raises(Refused, match="spend only 1 PS"):
        take(isle, after=True)


def test_mul_10_a_ps_after_is_5_on_the_attribute_with_the_dice_kept(isle: Book) -> None:
    assert play(isle, attack(), (65,))["verdict"]["good"] is False
    played = take(isle, after=True)
    assert numbers(played, "attribute") == [65, 60, 5, 65, 1]
    assert [die["face"] for die in played["dice"]] == [65]
    assert (played["verdict"]["good"], has(isle, "ps")) == (True, 1)


@pytest.mark.parametrize("score", ["ps", "pk"])
def test_mul_10_mul_11_points_that_are_not_there_are_neither_offered_nor_spent(isle: Book, score: str) -> None:
    scribe(isle).write(Adjust(who="aribeth", amounts={f"multicheck/{score}": -2}, why="x"))
    thrown = counting_dice()
    if score == "ps":
        with pytest.raises(NotEnough, match=r"^aribeth has 0 ps and needs 1\.$"):
            scribe(isle, chance=thrown).write(PlayMove(system="multicheck", move=attack(ps=True)))
    play(isle, attack(), (65,))
    head = isle.head()
    with pytest.raises(NotEnough, match=rf"^aribeth has 0 {score} and needs 1\.$"):
        scribe(isle, chance=thrown).write(
            AcceptOffer(ruling=offered(isle) or 0, chosen={{"ps": "after", "pk": "reroll"}[score]: True})
        )
    assert (isle.head(), thrown.count) == (head, 0)


def test_mul_10_points_that_a_correction_left_below_zero_stop_nobody_from_a_test_without_any(isle: Book) -> None:
    given = scribe(isle).write(Adjust(who="aribeth", amounts={"multicheck/ps": 1}, why="so")).entries[0].seq
    for _ in range(3):
        play(isle, attack(ps=True), (65,))
    scribe(isle).write(Void(strikes=given, why="misread"))
    assert has(isle, "ps") == -1
    with pytest.raises(NotEnough, match=r"^aribeth has −1 ps and needs 1\.$"):
        play(isle, attack(ps=True), (65,))
    play(isle, attack(), (65,))


def test_mul_10_mul_11_nothing_is_offered_to_one_who_has_no_points(isle: Book) -> None:
    play(isle, checked.Test(who="bandit", attribute="agility", difficulty=10), (50,))
    assert isle.mark("bandit", "offer") is None


def test_mul_11_a_reroll_rolls_all_of_it_again_and_the_old_dice_stay_on_record(isle: Book) -> None:
    play(isle, attack(disadvantage=("wounded",)), (91, 2))
    done = scribe(isle).write(AcceptOffer(ruling=offered(isle) or 0, chosen={"reroll": True}), faces=(23, 3))
    played = last(done, "move-played")
    assert [(die["face"], die["dropped"]) for die in played["dice"]] == [
        (91, "rerolled"),
        (2, "rerolled"),
        (23, None),
        (3, None),
    ]
    assert (numbers(played, "rerolled"), numbers(played, "attribute")[0]) == ([91], 33)
    assert followed(done)["test-rerolled"] == {"roll": 91}
    assert has(isle, "pk") == 1


def test_mul_11_the_machine_throws_only_the_new_dice(isle: Book) -> None:
    thrown = counting_dice()
    play(isle, attack(), (91,))
    done = scribe(isle, chance=thrown).write(AcceptOffer(ruling=offered(isle) or 0, chosen={"reroll": True}))
    assert [die["face"] for die in last(done, "dice-thrown")["dice"]] == [100]
    assert thrown.count == 2


def test_mul_11_a_ps_that_was_spent_still_counts_after_a_reroll(isle: Book) -> None:
    play(isle, attack(ps=True), (99,))
    assert numbers(take(isle, (70,), reroll=True), "attribute") == [70, 60, 10, 70, 1]
    assert (has(isle, "ps"), has(isle, "pk"), offered(isle)) == (1, 1, None)


@pytest.mark.parametrize("order", [("after", "reroll"), ("reroll", "after")])
def test_mul_10_mul_11_a_ps_after_and_a_reroll_may_both_be_taken_in_either_order(
    isle: Book, order: tuple[str, str]
) -> None:
    play(isle, attack(), (99,))
    for name in order:
        played = take(isle, (65,) if name == "reroll" else None, **{name: True})
    assert numbers(played, "attribute") == [65, 60, 5, 65, 1]
    assert [die["face"] for die in played["dice"]] == [99, 65]
    assert (has(isle, "ps"), has(isle, "pk"), offered(isle)) == (1, 1, None)


def test_mul_11_both_may_be_taken_at_once(isle: Book) -> None:
    play(isle, attack(), (99,))
    played = take(isle, (65,), after=True, reroll=True)
    assert numbers(played, "attribute") == [65, 60, 5, 65, 1]
    assert (has(isle, "ps"), has(isle, "pk"), offered(isle)) == (1, 1, None)


def test_mul_11_a_second_pk_is_refused_where_nothing_else_is_offered(isle: Book) -> None:
    play(isle, attack(ps=True), (99,))
    rerolled = scribe(isle).write(AcceptOffer(ruling=offered(isle) or 0, chosen={"reroll": True}), faces=(88,))
    head = isle.head()
    ruling = next(entry.seq for entry in rerolled.entries if entry.type == "move-played")
    with pytest.raises(Refused, match="has expired"):
        take(isle, (1,), ruling, reroll=True)
    assert (isle.head(), has(isle, "pk")) == (head, 1)


def test_mul_11_a_second_pk_is_refused_while_a_ps_is_still_offered(isle: Book) -> None:
    play(isle, attack(), (99,))
    take(isle, (88,), reroll=True)
    head = isle.head()
    with pytest.raises(Refused):
        take(isle, reroll=True)
    assert (isle.head(), has(isle, "pk")) == (head, 1)


def test_mul_10_mul_11_what_is_chosen_after_the_ruling_is_refused_before_it(isle: Book) -> None:
    for inputs in ({"after": True}, {"reroll": True}):
        with pytest.raises(Refused, match="chosen between the roll and"):
            play(isle, attack(**inputs))


@pytest.mark.parametrize(
    ("inputs", "faces", "roll", "dropped", "beaten"),
    [
        ({"advantage": ("a",)}, (75, 2), 25, [None, None], True),
        ({"advantage": ("a",)}, (25, 7), 25, [None, "higher"], False),
        ({"advantage": ("a",)}, (25, 2), 25, [None, "equal"], False),
        ({"disadvantage": ("a",)}, (25, 7), 75, [None, None], True),
        ({"disadvantage": ("a",)}, (75, 2), 75, [None, "lower"], False),
        ({"advantage": ("a", "b"), "disadvantage": ("c",)}, (75, 2), 25, [None, None], True),
        ({"advantage": ("a",), "disadvantage": ("b",)}, (75,), 75, [None], False),
        ({"advantage": ("a",)}, (100, 3), 30, [None, None], True),
        ({"disadvantage": ("a",)}, (30, 100), 100, [None, None], True),
        ({"advantage": ("a",)}, (35, 0), 5, [None, None], True),
    ],
)
def test_mul_12_a_second_tens_die_is_thrown_where_the_net_is_not_zero(
    isle: Book, inputs: dict[str, Any], faces: Sequence[int], roll: int, dropped: list[str | None], beaten: bool
) -> None:
    played = play(isle, attack(**inputs), faces)
    assert numbers(played, "attribute")[0] == roll
    assert [die["dropped"] for die in played["dice"]] == dropped
    assert ("tens" in {step["name"] for step in played["steps"]}) is beaten
    assert numbers(played, "advantage")[:2] == [len(inputs.get(n, ())) for n in ("advantage", "disadvantage")]


def test_mul_12_the_second_die_of_a_reroll_is_dropped_in_its_own_place(isle: Book) -> None:
    play(isle, attack(advantage=("high ground",)), (91, 2))
    played = take(isle, (23, 3), reroll=True)
    assert [die["dropped"] for die in played["dice"]] == ["rerolled", "rerolled", None, "higher"]
    assert numbers(played, "rerolled") == [21]


@pytest.mark.parametrize(
    ("move", "error"),
    [
        (attack(difficulty=30, against="goblin", defence="dexterity"), BadInput),
        (attack(against="goblin", defence="dexterity"), BadInput),
        (attack(difficulty=None, against="goblin"), BadInput),
        (attack(defence="dexterity"), BadInput),
        (attack(difficulty=None, against="goblin", defence="dexterity", secret=True), BadInput),
        (attack(difficulty=None, against="goblin", defence="*"), BadInput),
        (attack(difficulty=None, against="goblin", defence="agility"), Refused),
        (attack(difficulty=None, against="nobody", defence="agility"), UnknownName),
        (attack(skill=None), BadInput),
        (attack(modifier=10), BadInput),
        (attack(why="no modifier"), BadInput),
        (attack(modifier=31, why="x"), Refused),
        (attack(modifier=-31, why="x"), Refused),
        (attack(attribute="flying"), Refused),
        (attack(skill="flying"), Refused),
        (attack(feat="flying"), Refused),
        (attack(advantage=(" ",)), BadInput),
        (attack(advantage=("x",) * 21), BadInput),
        (checked.Test(who="goblin", attribute="dexterity", difficulty=1), Refused),
        (moves.Save(who="aribeth", save="toughness", against="bandit"), BadInput),
        (moves.Save(who="aribeth", save="toughness", malice="physical"), BadInput),
        (moves.Save(who="aribeth", save="toughness", against="bandit", malice="physical", malice_value=1), BadInput),
        (moves.Save(who="aribeth", save="toughness", against="bandit", malice="social"), Refused),
        (moves.Save(who="aribeth", save="toughness", against="ghost", malice="social"), UnknownName),
        (moves.Save(who="aribeth", save="toughness", condition="blind"), BadInput),
        (moves.Save(who="aribeth", save="toughness", charges=1), BadInput),
        (moves.Save(who="aribeth", save="toughness", condition="Blind!", charges=1), BadInput),
        (moves.Afflict(who="aribeth", condition="*", charges=1, why="x"), BadInput),
        (moves.Afflict(who="aribeth", condition="blind", charges=1, why=" "), BadInput),
        (moves.Turn(who="ghost"), UnknownName),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_refused_and_nothing_is_thrown_or_written(
    isle: Book, move: Move, error: type[LedgerError]
) -> None:
    head, thrown = isle.head(), counting_dice()
    with pytest.raises(error):
        scribe(isle, chance=thrown).write(PlayMove(system="multicheck", move=move))
    assert (isle.head(), thrown.count) == (head, 0)


# What the sheet knows


@pytest.fixture
def known(isle: Book) -> Book:
    """The sheet of aribeth also says what her skills go with."""
    more = {"multicheck/skill.ride": 2, "multicheck/skill.might": 1}
    scribe(isle).write(Adjust(who="aribeth", amounts=more, why="her sheet"))
    put(isle, **{"on.melee": "agility", "specialization.melee": "polearms,swords"})
    return isle


def put(book: Book, **marks: str) -> None:
    values = {f"multicheck/{name}": typed for name, typed in marks.items()}
    scribe(book).write(SetMarks(who="aribeth", values=values, why="her sheet"))


def test_mul_02_mul_04_a_skill_by_its_place_is_tested_with_the_attribute_of_the_sheet(known: Book) -> None:
    played = play(known, checked.Test(who="aribeth", what="melee", difficulty=30), (30,))
    assert (numbers(played, "attribute"), numbers(played, "skill")) == ([30, 60, 1], [30, 3, 10, 30, 1])
    assert played["steps"][0] == {"name": "tested", "says": "melee goes with agility", "numbers": []}
    assert played["inputs"]["attribute"] is None
    assert played["looked"]["aribeth"]["multicheck/on.melee"] == "agility"


@pytest.mark.parametrize(
    ("inputs", "attribute", "rank"),
    [
        ({"what": "agility"}, 60, 0),
        ({"what": "agility", "skill": "melee"}, 60, 3),
        ({"what": "might", "skill": "melee"}, 120, 3),
        ({"what": "might", "skill": "might"}, 120, 1),
        ({"what": "might", "attribute": "might"}, 120, 1),
        ({"what": "melee", "attribute": "might"}, 120, 3),
        ({"attribute": "agility", "skill": "melee"}, 60, 3),
        ({"attribute": "might"}, 120, 0),
        ({"skill": "melee"}, 60, 3),
    ],
)
def test_mul_02_mul_04_what_is_said_of_a_test_overrides_the_sheet(
    known: Book, inputs: dict[str, Any], attribute: int, rank: int
) -> None:
    played = play(known, checked.Test(who="aribeth", difficulty=30, **inputs), (50,))
    assert (numbers(played, "attribute")[1], numbers(played, "skill")[1]) == (attribute, rank)


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({}, "Name a skill or an attribute"),
        ({"what": "mel"}, "no skill or attribute called mel on the sheet"),
        ({"what": "might"}, "a skill and an attribute called might"),
        ({"what": "melee", "skill": "ride", "attribute": "agility"}, "You gave three names"),
        ({"what": "melee", "skill": "ride"}, r"no attribute\.melee on the sheet"),
        ({"what": "agility", "attribute": "might"}, r"no skill\.agility on the sheet"),
        ({"what": "ride"}, "The sheet does not say which attribute ride uses"),
        ({"skill": "flying"}, r"no skill\.flying on the sheet"),
        ({"what": "agility", "specialization": "polearms"}, "--specialised and --specialization need a skill"),
        (
            {"what": "melee", "specialization": "axes"},
            "no specialization axes in melee. The sheet has: polearms, swords",
        ),
        (
            {"what": "agility", "skill": "ride", "specialization": "axes"},
            "no specialization axes in ride. The sheet has: nothing",
        ),
    ],
)
def test_mul_02_mul_04_a_name_is_never_guessed(known: Book, inputs: dict[str, Any], says: str) -> None:
    with pytest.raises(LedgerError, match=says):
        write(known, checked.Test(who="aribeth", difficulty=30, **inputs))


def test_mul_07_a_skill_knows_the_attribute_that_it_is_held_against(known: Book) -> None:
    put(known, **{"defence.melee": "dexterity"})
    move = checked.Test(who="aribeth", what="melee", against="goblin")
    played = play(known, move, (13,))
    assert numbers(played, "difficulty") == [31, 30, 0]
    assert played["steps"][0]["says"] == "melee goes with agility and is held against dexterity"
    assert (played["inputs"]["defence"], played["looked"]["aribeth"]["multicheck/defence.melee"]) == (None, "dexterity")
    named = play(known, move.replace(attribute="might"), (13,))
    assert named["steps"][0]["says"] == "melee is held against dexterity"
    scribe(known).write(Adjust(who="goblin", amounts={"multicheck/attribute.might": 50}, why="x"))
    said = play(known, move.replace(defence="might"), (13,))
    assert (numbers(said, "difficulty"), said["steps"][0]["says"]) == ([31, 50, -1], "melee goes with agility")
    for skill in ("ride", None):
        with pytest.raises(BadInput, match=r"^The sheet does not say which attribute goblin defends with\.$"):
            write(known, checked.Test(who="aribeth", attribute="agility", skill=skill, against="goblin"))


def test_mul_02_the_attribute_that_a_skill_goes_with_is_on_the_sheet_too(known: Book) -> None:
    put(known, **{"on.melee": "dexterity"})
    with pytest.raises(Refused, match=r"^aribeth has no attribute\.dexterity on the sheet\.$"):
        write(known, checked.Test(who="aribeth", what="melee", difficulty=30))
    put(known, **{"on.melee": "none"})
    with pytest.raises(Refused, match="does not say which attribute melee uses"):
        write(known, checked.Test(who="aribeth", what="melee", difficulty=30))


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({"specialization": "swords"}, [45, 3, 15, 45, 1]),
        ({"specialised": True}, [45, 3, 15, 45, 1]),
        ({"specialization": "swords", "specialised": True}, [45, 3, 15, 45, 1]),
        ({}, [45, 3, 10, 30, 0]),
    ],
)
def test_mul_04_a_specialization_is_a_name_on_the_sheet(known: Book, inputs: dict[str, Any], told: list[int]) -> None:
    assert (
        numbers(play(known, checked.Test(who="aribeth", what="melee", difficulty=30, **inputs), (45,)), "skill") == told
    )


def test_mul_05_a_number_in_place_of_the_feat_says_whose_it_is(isle: Book) -> None:
    move = attack(feat_value=43, feat_of="the luck of the goblin")
    played = play(isle, move, (43,))
    assert numbers(played, "feat") == [43, 43, 1]
    assert "multicheck/attribute.luck" not in played["looked"]["aribeth"]
    for wrong in (move.replace(feat_of=None), move.replace(feat_value=None), move.replace(feat="cleave")):
        with pytest.raises(BadInput):
            write(isle, wrong)
    assert numbers(play(isle, attack(feat_value=0, feat_of="nothing helps"), (1,)), "feat") == [1, 0, 0]


def test_mul_06_a_mishap_value_of_ones_own_goes_before_that_of_the_campaign(isle: Book) -> None:
    scribe(isle).write(Adjust(who="aribeth", amounts={"multicheck/mishap": 95}, why="her sheet"))
    scribe(isle).write(ChangeSettings(system="multicheck", values={"mishap": "80"}))
    played = play(isle, attack(), (94,))
    assert (numbers(played, "mishap"), played["looked"]["aribeth"]["multicheck/mishap"]) == ([94, 95, 0], 95)
    assert numbers(play(isle, attack(mishap=85), (94,)), "mishap") == [94, 85, -1]
    scribe(isle).write(Adjust(who="aribeth", amounts={"multicheck/mishap": -95}, why="it is gone"))
    assert numbers(play(isle, attack(), (94,)), "mishap") == [94, 80, -1]


def test_a_sheet_is_read_in_the_words_of_the_game(known: Book) -> None:
    scores = {"mishap": 95, "malice.social": 4, "condition.blind": 4, "condition.slow": 1, "harm.damage": 7}
    scribe(known).write(
        Adjust(who="aribeth", amounts={f"multicheck/{name}": value for name, value in scores.items()}, why="x")
    )
    put(known, **{"on.flying": "agility", "defence.ride": "dexterity"})
    shown = sheet(known, "aribeth", "multicheck")
    assert [(row.label, row.value) for row in shown.rows] == [
        ("agility", "60"),
        ("luck", "20"),
        ("might", "120"),
        ("melee", "30, rank 3 of 6, with agility 60; 45 in polearms, swords"),
        ("might", "10, rank 1 of 6"),
        ("ride", "20, rank 2 of 6, against dexterity"),
        ("flying", "0, rank 0 of 6, with agility 60"),
        ("cleave", "35, a feat"),
        ("mishap", "95 and up"),
        ("PS", "2"),
        ("PK", "2"),
        ("saves", "toughness 3, fortune −2"),
        ("malice", "social 4"),
        ("recovery", "2 per turn"),
        ("damage", "7 suffered"),
        ("blind", "4 charges"),
        ("slow", "1 charge"),
    ]
    assert shown.bare == ()
    assert [(row.label, row.value) for row in sheet(known, "goblin", "multicheck").rows] == [("dexterity", "30")]


def test_mul_10_mul_11_points_that_are_spent_are_on_the_sheet_as_0_and_points_never_had_are_not(isle: Book) -> None:
    scribe(isle).write(Adjust(who="aribeth", amounts={"multicheck/ps": -2, "multicheck/pk": -2}, why="x"))
    shown = {row.label: row.value for row in sheet(isle, "aribeth", "multicheck").rows}
    assert (shown["PS"], shown["PK"]) == ("0", "0")
    assert "PS" not in {row.label for row in sheet(isle, "goblin", "multicheck").rows}


# Offers and corrections


def test_undo_of_a_reroll_lets_the_first_ruling_stand_again_with_its_offer(isle: Book) -> None:
    play(isle, attack(), (65,))
    first, before = offered(isle), accounts_of(isle)
    take(isle, (1,), reroll=True)
    scribe(isle).write(Undo())
    assert (accounts_of(isle), offered(isle)) == (before, first)
    played = take(isle, after=True)
    assert (played["verdict"]["good"], has(isle, "pk"), has(isle, "ps")) == (True, 2, 1)
    assert verify(isle).entries == isle.head()


def test_redo_of_an_undone_reroll_takes_the_point_again(isle: Book) -> None:
    play(isle, attack(ps=True), (65,))
    take(isle, (1,), reroll=True)
    after = accounts_of(isle)
    scribe(isle).write(Undo())
    scribe(isle).write(Redo())
    assert accounts_of(isle) == after


def test_voiding_a_reroll_lets_the_first_ruling_stand_and_voiding_that_gives_all_points_back(isle: Book) -> None:
    before = accounts_of(isle)
    first = write(isle, attack(ps=True), (65,)).entries[0].act
    done = scribe(isle).write(AcceptOffer(ruling=offered(isle) or 0, chosen={"reroll": True}), faces=(1,))
    scribe(isle).write(Void(strikes=done.entries[0].act, why="she kept it"))
    assert (has(isle, "ps"), has(isle, "pk")) == (1, 2)
    scribe(isle).write(Void(strikes=first, why="the wrong day"))
    assert (accounts_of(isle), offered(isle)) == (before, None)


def test_a_rerolled_test_is_amended_with_all_its_dice_kept(isle: Book) -> None:
    play(isle, attack(), (99,))
    take(isle, (65,), reroll=True)
    named = offered(isle) or 0
    done = scribe(isle).write(
        Amend(named=named, inputs={"modifier": 5, "why": "a map"}, faces=None, cascade=False, why="misheard")
    )
    played = last(done, "move-played")
    assert [(die["face"], die["dropped"]) for die in played["dice"]] == [(99, "rerolled"), (65, None)]
    assert numbers(played, "attribute") == [65, 60, 5, 65, 1]
    assert (has(isle, "pk"), has(isle, "ps"), offered(isle)) == (1, 2, played["seq"])
    assert numbers(take(isle, after=True), "attribute") == [65, 60, 5, 5, 70, 1]
    assert verify(isle).entries == isle.head()


def test_a_reroll_is_amended_away_only_with_the_dice_that_were_thrown(isle: Book) -> None:
    play(isle, attack(), (99,))
    take(isle, (65,), reroll=True)
    amend = Amend(named=offered(isle) or 0, inputs={"reroll": False}, faces=None, cascade=False, why="she kept it")
    with pytest.raises(OtherDice, match="needs 1d100, but 2d100 were rolled"):
        scribe(isle).write(amend)
    played = last(scribe(isle).write(amend.replace(faces=(99,))), "move-played")
    assert ([die["face"] for die in played["dice"]], has(isle, "pk")) == ([99], 2)


@pytest.mark.parametrize(
    "then", [moves.Turn(who="aribeth"), checked.Test(who="aribeth", attribute="agility", difficulty=1)]
)
def test_an_offer_lapses_with_the_next_move_of_the_character_alone(isle: Book, then: Move) -> None:
    play(isle, attack(), (65,))
    first = offered(isle) or 0
    play(isle, moves.Turn(who="goblin"))
    assert offered(isle) == first
    play(isle, then, (50,) if then.may_roll() else None)
    head = isle.head()
    with pytest.raises(Refused, match="has expired"):
        take(isle, ruling=first, after=True)
    assert isle.head() == head


@pytest.mark.parametrize(
    "then",
    [
        moves.Save(who="aribeth", save="toughness", condition="blind", charges=2),
        moves.Afflict(who="aribeth", condition="blind", charges=2, why="sand"),
    ],
)
def test_mul_13_what_befalls_a_character_is_no_move_of_hers_and_ends_no_offer(isle: Book, then: Move) -> None:
    play(isle, attack(), (65,))
    play(isle, then, (9,) if then.may_roll() else None)
    played = take(isle, after=True)
    assert (played["verdict"]["good"], has(isle, "ps"), has(isle, "condition.blind")) == (True, 1, 2)
    assert verify(isle).entries == isle.head()


def test_an_amended_test_offers_nothing_once_the_character_has_played_on(isle: Book) -> None:
    scribe(isle).write(Adjust(who="aribeth", amounts={"multicheck/ps": -1, "multicheck/pk": -2}, why="x"))
    named = play(isle, attack(ps=True), (65,))["seq"]
    play(isle, moves.Turn(who="aribeth"))
    amended = scribe(isle).write(Amend(named=named, inputs={"ps": False}, faces=None, cascade=False, why="she kept it"))
    again = next(entry.seq for entry in amended.entries if entry.type == "move-played")
    with pytest.raises(Refused, match=f"The offer from #{again} has expired."):
        scribe(isle).write(AcceptOffer(ruling=again, chosen={"after": True}))
    assert open_offers(isle) == []


def test_what_a_test_offers_is_taken_up_where_a_cascade_played_it_again(isle: Book) -> None:
    raised = scribe(isle).write(Adjust(who="aribeth", amounts={"multicheck/attribute.agility": -20}, why="a wound"))
    play(isle, attack(), (35,))
    amend = Amend(
        named=raised.entries[0].seq,
        inputs={"amounts": {"multicheck/attribute.agility": -30}},
        faces=None,
        cascade=True,
        why="it was worse",
    )
    scribe(isle).write(Adjust(who="aribeth", amounts={"multicheck/pk": 1}, why="a gift"))
    done = scribe(isle).write(amend)
    assert [entry.type for entry in done.entries].count("move-played") == 1
    assert take(isle, (5,), ruling=offered(isle), reroll=True)["verdict"]["good"] is True
    assert has(isle, "attribute.agility") == SHEETS["aribeth"]["attribute.agility"] - 30
    assert verify(isle).entries == isle.head()


def test_the_same_id_takes_up_an_offer_once(isle: Book) -> None:
    ruling = play(isle, attack(), (99,))["seq"]
    command = AcceptOffer(ruling=ruling, chosen={"reroll": True})
    scribe(isle).write(command, faces=(15,), once="a")
    head = isle.head()
    assert scribe(isle).write(command, faces=(15,), once="a").again
    with pytest.raises(OnceDiffers, match="with different dice: 15, not 16"):
        scribe(isle).write(command, faces=(16,), once="a")
    with pytest.raises(OnceDiffers, match="a different command"):
        scribe(isle).write(command.replace(ruling=1), faces=(15,), once="a")
    scribe(isle).write(Adjust(who="aribeth", amounts={"multicheck/pk": 1}, why="x"), once="b")
    with pytest.raises(OnceDiffers, match="a different command"):
        scribe(isle).write(command, faces=(15,), once="b")
    assert isle.head() == head + 1


def test_a_choice_with_dice_that_cannot_be_writes_nothing(isle: Book) -> None:
    play(isle, attack(), (65,))
    head, before = isle.head(), accounts_of(isle)
    for faces in ((101,), (5, 5), (0,)):
        with pytest.raises(Refused):
            take(isle, faces, reroll=True)
    with pytest.raises(Refused):
        take(isle, (5,), after=True)
    assert (isle.head(), accounts_of(isle)) == (head, before)


# Saves and conditions


def test_the_save_of_the_text_leaves_half_of_the_charges(isle: Book) -> None:
    move = moves.Save(
        who="aribeth", save="toughness", against="bandit", malice="physical", condition="blind", charges=8
    )
    done = write(isle, move, (11,))
    played = last(done, "move-played")
    assert played["verdict"] == {"says": "success", "good": True, "margin": 1}
    assert (numbers(played, "difficulty"), numbers(played, "toughness")) == ([8, 5, 13], [11, 3, 14])
    assert followed(done) == {
        "save-rolled": {"total": 14, "difficulty": 13, "outcome": "success"},
        "condition-applied": {},
    }
    assert has(isle, "condition.blind") == 4


@pytest.mark.parametrize(
    ("grade", "malice", "difficulty"),
    [
        ("easy", None, 10),
        ("normal", None, 15),
        ("hard", None, 20),
        ("extreme", None, 25),
        ("easy", 8, 8),
        ("normal", 8, 13),
        ("hard", 8, 18),
        ("extreme", 8, 23),
        ("hard", 0, 10),
    ],
)
def test_mul_13_easy_hard_and_extreme_are_steps_of_five_also_against_malice_where_the_text_prints_them_all_equal(
    isle: Book, grade: rules.Grade, malice: int | None, difficulty: int
) -> None:
    done = write(isle, moves.Save(who="goblin", save="bravery", grade=grade, malice_value=malice), (10,))
    assert followed(done)["save-rolled"]["difficulty"] == difficulty


def test_mul_13_a_malice_of_0_on_the_sheet_is_an_opponent(isle: Book) -> None:
    done = write(isle, moves.Save(who="goblin", save="bravery", against="bandit", malice="mental"), (10,))
    assert followed(done)["save-rolled"]["difficulty"] == 5


def test_mul_13_a_save_takes_no_points_and_decides_nothing(isle: Book) -> None:
    never = {"ps", "pk", "modifier", "advantage", "disadvantage", "after", "reroll", "skill", "secret"}
    assert not never & set(moves.Save.fields())
    assert (moves.Save.offered, moves.Save.chosen) == ({}, ())
    play(isle, moves.Save(who="aribeth", save="toughness"), (1,))
    assert (has(isle, "ps"), has(isle, "pk"), offered(isle)) == (2, 2, None)


@pytest.mark.parametrize(
    ("natural", "says", "margin"),
    [
        (4, "critical failure", -6),
        (5, "failure", -5),
        (9, "failure", -1),
        (10, "success", 0),
        (15, "success", 5),
        (16, "critical success", 6),
    ],
)
def test_mul_14_the_garbled_bands_mirror_each_other_and_an_equal_total_succeeds(
    isle: Book, natural: int, says: str, margin: int
) -> None:
    verdict = play(isle, moves.Save(who="goblin", save="bravery", grade="easy"), (natural,))["verdict"]
    assert verdict == {"says": says, "good": margin >= 0, "margin": margin}


@pytest.mark.parametrize(("natural", "charges"), [(4, 7), (5, 5), (10, 2), (16, 0)])
def test_mul_15_mul_17_the_save_decides_how_many_charges_a_condition_has(
    isle: Book, natural: int, charges: int
) -> None:
    move = moves.Save(who="goblin", save="bravery", grade="easy", condition="blind", charges=5)
    done = write(isle, move, (natural,))
    assert ("condition-applied" in followed(done)) is (charges > 0)
    assert numbers(last(done, "move-played"), "charges") == [charges, 5]
    assert has(isle, "condition.blind", "goblin") == charges


@pytest.mark.parametrize(("natural", "becomes"), [(4, 13), (5, 9), (10, 4), (16, 0)])
def test_mul_15_a_save_halves_an_effect_of_any_kind_and_posts_it_where_that_is_said(
    isle: Book, natural: int, becomes: int
) -> None:
    move = moves.Save(who="goblin", save="bravery", grade="easy", effect={"damage": 9})
    done = write(isle, move, (natural,))
    assert followed(done)["effect-suffered"] == {"effect": "damage", "was": 9, "becomes": becomes}
    assert numbers(last(done, "move-played"), "damage") == [becomes, 9]
    assert has(isle, "harm.damage", "goblin") == 0
    write(isle, move.replace(to="harm.damage"), (natural,))
    assert has(isle, "harm.damage", "goblin") == becomes
    write(isle, move.replace(effect={"fear": 9}, to="condition.afraid"), (natural,))
    assert has(isle, "condition.afraid", "goblin") == becomes
    write(isle, move.replace(effect={"weakness": 9}, to="attribute.dexterity"), (natural,))
    assert has(isle, "attribute.dexterity", "goblin") == 30 - becomes
    assert verify(isle).entries == isle.head()


def test_mul_15_an_effect_takes_off_a_score_what_is_there_and_no_more(isle: Book) -> None:
    move = moves.Save(who="aribeth", save="fortune", effect={"drain": 9}, to="ps")
    for spent in (2, 0):
        assert followed(write(isle, move, (1,)))["effect-taken"] == {"effect": "drain", "was": 9, "becomes": 13}
        assert has(isle, "ps") == 0, spent
    write(isle, move.replace(to="save.fortune"), (1,))
    assert has(isle, "save.fortune") == -15


def test_mul_15_several_effects_are_halved_each_by_itself(isle: Book) -> None:
    move = moves.Save(
        who="goblin", save="bravery", grade="easy", effect={"fear": 5, "cold": 3}, condition="blind", charges=7
    )
    done = write(isle, move, (10,))
    becomes = {
        entry.body["facts"]["effect"]: entry.body["facts"]["becomes"]
        for entry in done.entries
        if entry.type == "effect-suffered"
    }
    assert (becomes, has(isle, "condition.blind", "goblin")) == ({"cold": 1, "fear": 2}, 3)


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({"to": "harm.damage"}, "--to needs exactly one --effect"),
        ({"effect": {"fear": 1, "cold": 1}, "to": "harm.damage"}, "--to needs exactly one --effect"),
        ({"effect": {"fear": 1}, "to": "wounds"}, "multicheck has no score called 'wounds'"),
        ({"effect": {"fear": 1}, "to": "harm.*"}, "multicheck has no score called"),
        ({"effect": {"FEAR": 1}}, "not a valid name"),
        ({"effect": {"fear": 1}, "to": "attribute.agil"}, r"^goblin has no attribute\.agil on the sheet\.$"),
        (
            {"effect": {"fear": 1}, "to": "condition.a", "condition": "a", "charges": 1},
            "--charges already changes that condition",
        ),
        ({"effect": {"fear": 4}, "to": "harm.fear"}, "it cannot be above"),
    ],
)
def test_mul_15_what_no_effect_can_be_is_refused_before_the_dice(isle: Book, inputs: dict[str, Any], says: str) -> None:
    scribe(isle).write(Adjust(who="goblin", amounts={"multicheck/harm.fear": MAX_SHEET_NUMBER - 4}, why="x"))
    head, thrown = isle.head(), counting_dice()
    with pytest.raises(LedgerError, match=says):
        scribe(isle, chance=thrown).write(
            PlayMove(system="multicheck", move=moves.Save(who="goblin", save="bravery", **inputs))
        )
    assert (isle.head(), thrown.count) == (head, 0)


@pytest.mark.parametrize("name", get_args(SaveName))
def test_mul_16_each_of_the_eight_saves_is_a_score_of_its_own_and_may_be_negative(isle: Book, name: Any) -> None:
    scribe(isle).write(Join(who="ogre", system="multicheck", scores={f"save.{name}": -4}))
    assert numbers(play(isle, moves.Save(who="ogre", save=name), (10,)), name) == [10, -4, 6]


def test_mul_16_there_are_eight_saves_and_no_other(isle: Book) -> None:
    assert moves.Save.fields()["save"].choices == get_args(SaveName)
    assert moves.Save.fields()["malice"].choices == get_args(Malice)
    assert len([score for score in SYSTEM.scores if score.name.startswith("save.")]) == 8
    with pytest.raises(UnknownName):
        scribe(isle).write(Adjust(who="aribeth", amounts={"multicheck/save.reflexes": 1}, why="x"))


def test_mul_17_each_turn_all_conditions_go_down_by_the_recovery_and_at_0_they_are_over(isle: Book) -> None:
    for condition, charges in {"blind": 5, "slow": 2, "deaf": 1}.items():
        play(isle, moves.Afflict(who="aribeth", condition=condition, charges=charges, why="tar"))
    done = write(isle, moves.Turn(who="aribeth"))
    lost = {
        posting["score"]: (entry.type, posting["amount"])
        for entry in done.entries[1:]
        for posting in entry.body["postings"]
    }
    assert lost == {
        "multicheck/condition.blind": ("condition-lessened", -2),
        "multicheck/condition.deaf": ("condition-ended", -1),
        "multicheck/condition.slow": ("condition-ended", -2),
    }
    assert last(done, "move-played")["verdict"]["says"] == "1 lessened, 2 over"
    play(isle, moves.Turn(who="aribeth"))
    assert play(isle, moves.Turn(who="aribeth"))["verdict"]["says"] == "1 over"
    assert play(isle, moves.Turn(who="aribeth"))["verdict"]["says"] == "nothing lessens"


def test_mul_17_without_recovery_nothing_lessens_and_the_same_condition_adds_up(isle: Book) -> None:
    for _ in range(2):
        play(isle, moves.Afflict(who="goblin", condition="blind", charges=3, why="sand"))
    assert len(write(isle, moves.Turn(who="goblin")).entries) == 1
    assert has(isle, "condition.blind", "goblin") == 6


def test_mul_17_a_condition_beyond_what_a_sheet_holds_is_refused_before_the_dice(isle: Book) -> None:
    scribe(isle).write(Adjust(who="goblin", amounts={"multicheck/condition.blind": MAX_SHEET_NUMBER - 4}, why="x"))
    thrown = counting_dice()
    for move in (
        moves.Save(who="goblin", save="bravery", condition="blind", charges=4),
        moves.Afflict(who="goblin", condition="blind", charges=5, why="x"),
    ):
        with pytest.raises(OutOfRange):
            scribe(isle, chance=thrown).write(PlayMove(system="multicheck", move=move))
    assert thrown.count == 0
    write(isle, moves.Afflict(who="goblin", condition="blind", charges=4, why="x"))
    assert has(isle, "condition.blind", "goblin") == MAX_SHEET_NUMBER


def test_mul_17_a_condition_below_0_through_a_correction_is_left_alone_by_a_turn(isle: Book) -> None:
    done = write(isle, moves.Afflict(who="aribeth", condition="blind", charges=2, why="sand"))
    play(isle, moves.Turn(who="aribeth"))
    scribe(isle).write(Void(strikes=done.entries[0].act, why="it was the goblin"))
    assert has(isle, "condition.blind") == -2
    assert len(write(isle, moves.Turn(who="aribeth")).entries) == 1


def test_a_dry_run_of_a_second_throw_says_what_it_costs(isle: Book) -> None:
    ruling = play(isle, attack(), (99,))["seq"]
    done = scribe(isle).write(AcceptOffer(ruling=ruling, chosen={"reroll": True}), dry=True)
    assert done.pool is not None
    assert done.pool.sides == (100,)
    assert [dict(each.scores) for each in done.cost] == [{"pk": -1}]


@pytest.mark.parametrize("inputs", [{"secret": False}, {"specialised": False}, {"modifier": 10, "why": "x"}])
def test_no_preview_of_an_amendment_tells_what_the_gm_keeps(isle: Book, inputs: dict[str, Any]) -> None:
    named = play(isle, attack(secret=True, difficulty=37), (56,))["seq"]
    amend = Amend(named=named, inputs=inputs, faces=None, cascade=False, why="x")
    head = isle.head()
    done = scribe(isle).write(amend, dry=True)
    assert (done.entries, isle.head()) == ((), head)
    assert scribe(isle).write(amend, agreed=done).entries[0].type == "action-amended"


# What the first edition left


@pytest.fixture
def left(folder: Path) -> Path:
    """A copy of the campaign that the first editions of all games left."""
    path = folder / "first.campaign"
    shutil.copy(TESTS / "golden" / "campaigns" / "first-editions.campaign", path)
    return path


def test_a_test_of_the_first_edition_is_amended_by_the_rules_of_the_second(left: Path, type_in: Type) -> None:
    type_in(f"-f {left} set mara multicheck/on.deception=cunning --why 'her sheet' --clock-ok")
    done = type_in(f"-f {left} amend 94 --difficulty 70 --why misheard --yes --json")
    played = [entry for entry in map(json.loads, done.stdout.splitlines()) if entry["type"] == "move-played"]
    assert [entry["edition"] for entry in played] == [SYSTEM.edition], done.stderr
    new = type_in(f"-f {left} -v multicheck test mara deception --difficulty 30 --faces 25")
    assert (new.exit_code, "25 against 3 × 10 = 30: +1" in new.stdout) == (0, True), new.stderr
    assert "No problems found." in type_in(f"-f {left} audit").stdout


def test_a_condition_that_the_first_edition_left_lessens(left: Path, type_in: Type) -> None:
    type_in(f"-f {left} adjust mara recovery=+3 --why 'her sheet' --clock-ok")
    assert "slowed charges 4 → 1" in type_in(f"-f {left} multicheck turn mara").stdout
