"""Roll-under: the vectors, the words of the source, every rule against an oracle, and both moves."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli import try_rule as trial
from examples import examples
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, ChangeSettings, Join, SetMarks
from ledger.commands.play import PlayMove
from ledger.commands.sheet import settings_in_force
from ledger.corrections.undoing import Amend, Undo
from ledger.errors import BadInput, LedgerError, Refused, UnknownName
from ledger.events.entry import jsonable
from ledger.journal.book import Book
from ledger.rules.move import Move, Table
from ledger.systems import find
from ledger.systems.rollunder import SYSTEM, moves, rules, sheet
from ledger.systems.rollunder import consequences as kinds
from ledger.systems.rollunder.moves import Plain, Skill
from ledger.systems.rollunder.sheet import BUILT_IN_TABLES, LEVELS
from paths import TESTS
from projections.sheets import sheet as character_sheet
from table import counting_dice, last, opened_book, scribe, worked_out
from terminal import Type

SHEET = {
    "characteristic.agility": 9,
    "characteristic.wits": 12,
    "characteristic.luck": 8,
    "characteristic.strength": 11,
    "skill.stealth": 4,
    "skill.lore": 0,
    "skill.riding": 15,
}
MINE = "mine/1:1-10=0,2,4,6,8:11-40=0,4,8,12,16"
STEALTH = Skill(who="mara", skill="stealth", on=("agility", "wits"))


def on_the_hill() -> Book:
    book = opened_book(games=())
    scribe(book).write(Join(who="mara", system="rollunder", scores=SHEET))
    return book


@pytest.fixture
def hill() -> Iterator[Book]:
    """A campaign in which mara has a sheet in this game alone."""
    with on_the_hill() as book:
        yield book


def play(book: Book, move: Move, *faces: int) -> dict[str, Any]:
    """Play a move; return what its ruling wrote."""
    return last(scribe(book).write(PlayMove(system="rollunder", move=move), faces=faces or None), "move-played")


def facts(book: Book, move: Move, *faces: int) -> dict[str, Any]:
    """Play a move; return the facts of the check."""
    done = scribe(book).write(PlayMove(system="rollunder", move=move), faces=faces)
    found: dict[str, Any] = last(done, "check-rolled")["facts"]
    return found


def says(book: Book, move: Move, *faces: int) -> str:
    found: str = play(book, move, *faces)["verdict"]["says"]
    return found


def settle(book: Book, typed: str) -> None:
    scribe(book).write(ChangeSettings(system="rollunder", values={"levels": typed}))


def step(played: Mapping[str, Any], name: str) -> str:
    """A line of working, with its numbers in it."""
    (found,) = [each for each in played["steps"] if each["name"] == name]
    line: str = found["says"].format(*found["numbers"])
    return line


# The contract and the source


def checked(number: int, roll: int) -> str:
    return rules.check(difficulty_number=number, roll=roll).outcome


@pytest.mark.parametrize(
    ("name", "worked", "is_"),
    [
        ("equal to the number is a success (ROL-01)", checked(13, 13), "success"),
        ("above it the action fails (ROL-01)", checked(13, 14), "failure"),
        ("level plus natural ability, at a factor of 0 (ROL-02)", rules.skill_number(level=4, characteristics=(9,)), 13),
        ("an average of characteristics (ROL-02)", rules.skill_number(level=4, characteristics=(8, 12)), 14),
        ("x 0.5 (ROL-03)", rules.plain_number(characteristic=10, complexity_factor="0.5"), 5),
        ("x 1 (ROL-03)", rules.plain_number(characteristic=10, complexity_factor="1"), 10),
        ("x 1.5 (ROL-03)", rules.plain_number(characteristic=10, complexity_factor="1.5"), 15),
        ("x 2 (ROL-03)", rules.plain_number(characteristic=10, complexity_factor="2"), 20),
        ("a factor of -10 (ROL-04)", rules.skill_number(level=4, characteristics=(9,), difficulty_factor=-10), 3),
        ("a factor of +5 (ROL-04)", rules.skill_number(level=4, characteristics=(9,), difficulty_factor=5), 18),
        ("a natural 20 is always a critical failure (ROL-05)", checked(13, 20), "critical_failure"),
        ("none above 20; read: 20 itself is not above, though it is not below (ROL-05)", checked(20, 20), "critical_failure"),
        ("none above 20, so that a 20 succeeds at 21 (ROL-05)", checked(21, 20), "success"),
        ("read: a half is dropped at the end, below 0 too (ROL-03)", rules.plain_number(characteristic=3, complexity_factor="0.5", difficulty_factor=-9), -8),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_the_source_says_in_numbers_holds(name: str, worked: Any, is_: Any) -> None:
    assert is_ == worked


def test_rol_06_there_are_five_levels_from_the_least_to_the_best() -> None:
    assert LEVELS == ("average", "medium", "high", "special", "critical")
    low_rolls_first = [rules.check(difficulty_number=20, roll=roll).level for roll in range(1, 20)]
    assert list(dict.fromkeys(reversed(low_rolls_first))) == list(LEVELS)


def test_every_rule_of_the_page_is_said_and_kept_by_a_rule_and_a_move() -> None:
    ids = [f"ROL-0{n}" for n in range(1, 8)]
    assert list(kinds.PAGE) == ids
    assert {each for rule in SYSTEM.rulebook().rules for each in rule.ids} == set(ids)
    assert {each for move in moves.MOVES for each in move.ids} == set(ids)
    assert {kind.rule for kind in SYSTEM.rulebook().kinds} <= set(ids)


# Each rule against an oracle

SMALL = st.integers(0, 60)
FACTORS = st.integers(-10, 5)
NUMBERS = st.integers(-12, 60)


@examples(1000)
@given(level=SMALL, made=st.lists(SMALL, min_size=1, max_size=7), factor=FACTORS)
def test_rol_02_the_number_of_a_skill_is_what_fractions_say(level: int, made: list[int], factor: int) -> None:
    exact = level + Fraction(sum(made), len(made)) + factor
    found = rules.skill_number(level=level, characteristics=tuple(made), difficulty_factor=factor)
    assert found == floor(exact)


@examples(1000)
@given(characteristic=SMALL, complexity=st.sampled_from(["0.5", "1", "1.5", "2"]), factor=FACTORS)
def test_rol_03_the_number_without_a_skill_is_what_fractions_say(
    characteristic: int, complexity: rules.Complexity, factor: int
) -> None:
    exact = characteristic * Fraction(complexity) + factor
    found = rules.plain_number(characteristic=characteristic, complexity_factor=complexity, difficulty_factor=factor)
    assert found == floor(exact)


def graded(number: int, roll: int, table: str) -> str:
    """The oracle: the level of a success, by counting up to it."""
    if table == "bands4":
        return [*["average"] * 4, *["medium"] * 4, *["high"] * 4, *["special"] * 4, *["critical"] * 60][number - roll]
    fifth = next(fifth for fifth in range(1, 6) if Fraction(roll, number) <= Fraction(fifth, 5))
    return {1: "critical", 2: "special", 3: "high", 4: "medium", 5: "average"}[fifth]


@pytest.mark.parametrize("table", BUILT_IN_TABLES)
def test_rol_01_rol_05_rol_06_every_roll_at_every_number_is_what_the_oracle_says(table: str) -> None:
    for number in range(-12, 70):
        for roll in range(1, 21):
            found = rules.check(difficulty_number=number, roll=roll, table=table)
            if roll == 20 and number < 21:
                assert (found.outcome, found.margin, found.level) == ("critical_failure", None, None)
            elif roll in range(1, number + 1):
                assert (found.outcome, found.margin) == ("success", number - roll)
                assert found.level == graded(number, roll, table)
            else:
                assert (found.outcome, found.margin, found.level) == ("failure", None, None)


@given(number=NUMBERS)
def test_rol_05_the_chance_is_what_the_twenty_faces_come_to(number: int) -> None:
    came = [checked(number, roll) for roll in range(1, 21)]
    found = rules.chance(difficulty_number=number)
    assert (found.success, found.critical_failure, found.of) == (
        came.count("success"),
        came.count("critical_failure"),
        20,
    )


@st.composite
def own_tables(draw: Callable[[st.SearchStrategy[Any]], Any]) -> tuple[str, list[tuple[range, list[int]]]]:
    """A table as it is typed, and what it says: for which numbers which least margins."""
    first, rows = draw(st.integers(1, 4)), []
    for length in draw(st.lists(st.integers(1, 12), min_size=1, max_size=4)):
        margins = [0]
        for rise in draw(st.lists(st.integers(1, 6), min_size=4, max_size=4)):
            margins.append(margins[-1] + rise)
        rows.append((range(first, first + length), margins))
        first += length
    spans = [f"{numbers[0]}-{numbers[-1]}" for numbers, _ in rows]
    if draw(st.booleans()):
        spans[-1] = f"{rows[-1][0][0]}+"
        rows[-1] = (range(rows[-1][0][0], 1000), rows[-1][1])
    typed = ":".join(f"{span}={','.join(map(str, margins))}" for span, (_, margins) in zip(spans, rows, strict=True))
    return f"book-{draw(st.integers(1, 9))}/{draw(st.integers(1, 99))}:{typed}", rows


@examples(500)
@given(table=own_tables(), number=NUMBERS, roll=st.integers(1, 20))
def test_rol_07_a_table_of_the_gms_own_grades_as_its_rows_say(
    table: tuple[str, list[tuple[range, list[int]]]], number: int, roll: int
) -> None:
    typed, rows = table
    found = [margins for numbers, margins in rows if number in numbers]
    kept = json.loads(json.dumps(sheet.read_table(typed)))
    for said in (typed, kept):
        if number >= 1 and not found:
            with pytest.raises(Refused, match=f"has no row for a difficulty number of {number}"):
                rules.check(difficulty_number=number, roll=roll, table=said)
            continue
        outcome = rules.check(difficulty_number=number, roll=roll, table=said)
        if outcome.outcome != "success":
            assert outcome.level is None
            continue
        reached = sum(1 for margin in found[0] if margin <= number - roll)
        assert outcome.level == LEVELS[reached - 1]


# What is refused

ROW_PATTERN: dict[str, Any] = {"from": 1, "to": 40, "least": [0, 4, 8, 12, 16]}
OWN: dict[str, Any] = {"name": "mine", "version": 1, "rows": [ROW_PATTERN]}


@pytest.mark.parametrize(
    ("rule", "given", "why"),
    [
        ("skill_number", {"level": -1, "characteristics": [8]}, "level"),
        ("skill_number", {"level": 6, "characteristics": [-8]}, "characteristics"),
        ("skill_number", {"level": 6, "characteristics": []}, "at least one characteristic"),
        ("skill_number", {"level": 6}, "is missing"),
        ("skill_number", {"characteristics": [8]}, "is missing"),
        ("skill_number", {"level": "6", "characteristics": [8]}, "whole number"),
        ("skill_number", {"level": True, "characteristics": [8]}, "whole number"),
        ("skill_number", {"level": 6.5, "characteristics": [8]}, "whole number"),
        ("skill_number", {"level": 6.0, "characteristics": [8]}, "whole number"),
        ("skill_number", {"level": None, "characteristics": [8]}, "whole number"),
        ("skill_number", {"level": 6, "characteristics": 8}, "list"),
        ("skill_number", {"level": 6, "characteristics": [None]}, "whole number"),
        ("skill_number", {"level": 6, "characteristics": [8], "difficulty_factor": -11}, r"−10 to \+5, not −11"),
        ("skill_number", {"level": 6, "characteristics": [8], "difficulty_factor": 6}, r"−10 to \+5, not \+6"),
        ("skill_number", {"level": 6, "characteristics": [8], "factor": 0}, "not an input of this rule"),
        ("plain_number", {"characteristic": -1, "complexity_factor": "1"}, "characteristic"),
        ("plain_number", {"characteristic": 7, "complexity_factor": "0.75"}, "complexity_factor"),
        ("plain_number", {"characteristic": 7, "complexity_factor": 1}, "complexity_factor"),
        ("plain_number", {"characteristic": 7, "complexity_factor": 0.5}, "whole number"),
        ("plain_number", {"characteristic": 7}, "is missing"),
        ("plain_number", {"characteristic": 7, "complexity_factor": "1", "difficulty_factor": -11}, "−11"),
        ("plain_number", {"characteristic": 7, "complexity_factor": "1", "difficulty_factor": 6}, r"\+6"),
        ("check", {"difficulty_number": 10, "roll": 0}, "cannot show 0"),
        ("check", {"difficulty_number": 10, "roll": 21}, "cannot show 21"),
        ("check", {"difficulty_number": 10, "roll": -1}, "cannot show -1"),
        ("check", {"difficulty_number": 10, "roll": [5]}, "whole number"),
        ("check", {"difficulty_number": "10", "roll": 5}, "whole number"),
        ("check", {"difficulty_number": 2**60, "roll": 5}, "difficulty_number"),
        ("check", {"roll": 5}, "is missing"),
        ("check", {"difficulty_number": 10, "roll": 5, "table": "mine"}, "no table called 'mine'"),
        ("check", {"difficulty_number": 10, "roll": 5, "table": ""}, "no table called ''"),
        ("check", {"difficulty_number": 10, "roll": 5, "table": 5}, "or a JSON object with the fields 'name', 'version' and 'rows'"),
        ("check", {"difficulty_number": 10, "roll": 5, "table": [OWN]}, "or a JSON object with the fields 'name', 'version' and 'rows'"),
        ("check", {"difficulty_number": 41, "roll": 5, "table": OWN}, "mine/1 has no row for a difficulty number of 41"),
        ("chance", {}, "is missing"),
        ("chance", {"difficulty_number": "x"}, "whole number"),
        ("chance", {"difficulty_number": None}, "whole number"),
    ],
)  # fmt: skip
def test_what_is_outside_the_rules_is_refused_and_never_clamped(rule: str, given: dict[str, Any], why: str) -> None:
    with pytest.raises(Refused, match=why) as refused:
        trial.rule_outcome(f"rollunder.{rule}", given)
    assert refused.value.sentence.endswith(".")


@pytest.mark.parametrize("absent", [None, "left out"])
def test_what_has_a_default_may_be_null_or_left_out(absent: str | None) -> None:
    def outcome(rule: str, name: str, **given: Any) -> dict[str, Any]:
        return trial.rule_outcome(f"rollunder.{rule}", given | ({} if absent else {name: None}))

    assert outcome("skill_number", "difficulty_factor", level=1, characteristics=[2]) == {"difficulty_number": 3}
    assert outcome("check", "table", difficulty_number=9, roll=1)["level"] == "high"


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({}, "A table needs name and rows and version"),
        ({"name": "mine", "version": 1}, "A table needs rows"),
        (OWN | {"extra": 1}, "no field called 'extra'"),
        (OWN | {"shares": 5}, "no field called 'rows'"),
        (OWN | {"name": "Mine"}, "A table's name"),
        (OWN | {"name": 7}, "A table's name"),
        (OWN | {"name": "bands4"}, "bands4 is a built-in table"),
        (OWN | {"name": "fifths", "reconstructed": False}, "fifths is a built-in table"),
        (OWN | {"reconstructed": 1}, "true or false"),
        (OWN | {"version": 0}, "1 or higher"),
        (OWN | {"version": "1"}, "1 or higher"),
        (OWN | {"version": True}, "1 or higher"),
        (OWN | {"version": 10**13}, "1 or higher"),
        (OWN | {"rows": []}, "1 to 100 rows"),
        (OWN | {"rows": [ROW_PATTERN] * 101}, "1 to 100 rows"),
        (OWN | {"rows": "1-40"}, "1 to 100 rows"),
        (OWN | {"rows": [[1, 40]]}, "Send each row as a JSON object"),
        (OWN | {"rows": [{"from": 1}]}, "A row needs least"),
        (OWN | {"rows": [ROW_PATTERN | {"until": 9}]}, "A row has no field called 'until'"),
        (OWN | {"rows": [ROW_PATTERN | {"from": "1"}]}, "start and end with a whole number"),
        (OWN | {"rows": [ROW_PATTERN | {"to": True}]}, "start and end with a whole number"),
        (OWN | {"rows": [ROW_PATTERN | {"from": 0}]}, "starts below 1"),
        (OWN | {"rows": [ROW_PATTERN | {"from": 9, "to": 8}]}, "ends before it starts"),
        (OWN | {"rows": [ROW_PATTERN | {"least": 0}]}, "Each row needs 5 margins"),
        (OWN | {"rows": [ROW_PATTERN | {"least": [0, 4, 8, 12]}]}, "Each row needs 5 margins"),
        (OWN | {"rows": [ROW_PATTERN | {"least": [0, 4, 8, 12, "16"]}]}, "Each row needs 5 margins"),
        (OWN | {"rows": [ROW_PATTERN | {"least": [1, 4, 8, 12, 16]}]}, "The first margin must be 0, but in .* it is 1"),
        (OWN | {"rows": [ROW_PATTERN | {"least": [0, 4, 4, 12, 16]}]}, "increase from level to level"),
        (OWN | {"rows": [ROW_PATTERN | {"least": [0, 4, 3, 12, 16]}]}, "increase from level to level"),
        (OWN | {"rows": [ROW_PATTERN, ROW_PATTERN | {"from": 42, "to": 50}]}, "After the row from 1 to 40, the next row must start at 41, not 42"),
        (OWN | {"rows": [ROW_PATTERN, ROW_PATTERN | {"from": 40, "to": 50}]}, "the next row must start at 41, not 40"),
        (OWN | {"rows": [ROW_PATTERN | {"to": None}, ROW_PATTERN]}, "The row from 1 up has no end, so it must be the last"),
        ({"name": "mine", "version": 1, "shares": 4}, "the field 'shares' must be the number of levels: 5"),
        ({"name": "mine", "version": 1, "shares": True}, "the field 'shares' must be the number of levels: 5"),
    ],
)  # fmt: skip
def test_rol_07_what_is_no_table_is_refused_in_one_sentence(table: Any, why: str) -> None:
    with pytest.raises(Refused, match=why) as refused:
        trial.rule_outcome("rollunder.check", {"difficulty_number": 10, "roll": 5, "table": table})
    assert refused.value.sentence.count(".") == 1


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("mine", "There is no table called 'mine'; the built-in tables are bands4 and fifths"),
        ("Bands4", "no table called"),
        ("mine/1", "no table called"),
        ("mine:1-10=0,2,4,6,8", "no table called"),
        ("mine/1:", "'' is not a row of a table"),
        ("mine/1:1-10", "'1-10' is not a row"),
        ("mine/1:1-10=0,2,4,6,8:", "'' is not a row"),
        ("mine/1:1-10=0,2,4,6,8;11+=0,4,8,12,16", "is not a row"),
        ("mine/1:1-10=0,-2,4,6,8", "is not a row"),
        ("mine/1:²-10=0,2,4,6,8", "is not a row"),
        ("mine/1:1-9999999999999=0,2,4,6,8", "is not a row"),
        ("/1:1-10=0,2,4,6,8", "A table's name"),
        ("mine/x:1-10=0,2,4,6,8", "1 or higher"),
        ("mine/0:1-10=0,2,4,6,8", "1 or higher"),
        ("bands4/2:1-10=0,2,4,6,8", "a built-in table"),
        ("mine/1:0-10=0,2,4,6,8", "starts below 1"),
        ("mine/1:10-1=0,2,4,6,8", "ends before it starts"),
        ("mine/1:1-10=1,2,4,6,8", "first margin must be 0"),
        ("mine/1:1-10=0,2,2,6,8", "increase"),
        ("mine/1:1-10=0,2,4,6", "needs 5 margins"),
        ("mine/1:1-10=0,2,4,6,8:12-20=0,2,4,6,8", "must start at 11, not 12"),
        ("mine/1:1-10=0,2,4,6,8:10-20=0,2,4,6,8", "must start at 11, not 10"),
        ("mine/1:1+=0,2,4,6,8:10-20=0,2,4,6,8", "has no end"),
        ("mine/1:" + "1" * 9000, "is not a row"),
    ],
)  # fmt: skip
def test_rol_07_what_is_typed_and_is_no_table_changes_nothing(hill: Book, typed: str, why: str) -> None:
    head = hill.journal.head()
    with pytest.raises(BadInput, match=why) as refused:
        settle(hill, typed)
    assert refused.value.sentence.count(".") == 1
    assert hill.journal.head() == head


@pytest.mark.parametrize(
    ("move", "error", "why"),
    [
        (STEALTH.replace(skill="flying"), Refused, r"mara has no skill\.flying on the sheet"),
        (STEALTH.replace(skill="agility"), UnknownName, r"mara has no skill 'agility'\. Agility is a characteristic\."),
        (STEALTH.replace(on=("agility", "charm")), Refused, r"mara has no characteristic\.charm on the sheet"),
        (STEALTH.replace(on=()), BadInput, "--on CHARACTERISTIC"),
        (STEALTH.replace(on=("agility", "agility")), BadInput, "names the same characteristic twice"),
        (STEALTH.replace(circumstance={"fog": -11}), Refused, r"−10 to \+5, not −11"),
        (STEALTH.replace(circumstance={"sun": 3, "wind": 3}), Refused, r"−10 to \+5, not \+6"),
        (STEALTH.replace(circumstance={"Thick {} fog": -3}), BadInput, "is not a valid name"),
        (STEALTH.replace(who="brak"), LedgerError, "brak"),
        (STEALTH.replace(who="ghost"), UnknownName, "ghost"),
        (Plain(who="mara", characteristic="charm"), Refused, r"mara has no characteristic\.charm on the sheet"),
        (Plain(who="mara", characteristic="wits", circumstance={"fog": -11}), Refused, "not −11"),
        (Plain(who="mara", characteristic="wits", circumstance={"two words": 1}), BadInput, "is not a valid name"),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_refused_before_the_dice_and_nothing_is_written(
    hill: Book, move: Move, error: type[LedgerError], why: str
) -> None:
    head, dice = hill.journal.head(), counting_dice()
    with pytest.raises(error, match=why):
        scribe(hill, chance=dice).write(PlayMove(system="rollunder", move=move))
    assert (hill.journal.head(), dice.count) == (head, 0)


# The moves

CALLS: dict[str, list[str]] = {
    "rollunder.skill_number": ["skill"],
    "rollunder.plain_number": ["plain"],
    "rollunder.check": ["skill", "plain"],
    "rollunder.chance": [],
}
"""The chance is what a player asks with `try` before a roll; no move needs it."""


def test_every_rule_that_try_answers_is_called_by_the_moves_named_here(hill: Book) -> None:
    found: dict[str, list[str]] = {rule.name: [] for rule in SYSTEM.rulebook().rules}
    for move in (STEALTH, Plain(who="mara", characteristic="wits")):
        for rule in called_by(hill, move):
            found[rule].append(move.name())
    assert found == CALLS


def called_by(book: Book, move: Move) -> list[str]:
    """Play a move, and watch which rules are worked out."""
    return worked_out(
        SYSTEM.rulebook().rules, lambda: scribe(book).write(PlayMove(system="rollunder", move=move), faces=(7,))
    )


def test_a_move_throws_one_d20(hill: Book) -> None:
    for move in (STEALTH, Plain(who="mara", characteristic="wits")):
        assert [(die["sides"], die["dropped"]) for die in play(hill, move)["dice"]] == [(20, None)]


def test_rol_01_at_the_number_or_below_it_the_action_succeeds(hill: Book) -> None:
    move = Plain(who="mara", characteristic="wits")
    assert play(hill, move, 12)["verdict"] == {
        "says": "success, average (bands4, reconstructed)",
        "good": True,
        "margin": 0,
    }
    assert play(hill, move, 13)["verdict"] == {"says": "failure", "good": False, "margin": None}


@pytest.mark.parametrize(
    ("skill", "on", "says"),
    [
        ("riding", ("luck",), "15 + 8 = 23"),
        ("stealth", ("agility", "wits"), "4 + (9 + 12) / 2 = 14, rounded down"),
        ("stealth", ("luck", "wits"), "4 + (8 + 12) / 2 = 14"),
        ("stealth", ("agility", "wits", "strength"), "4 + (9 + 12 + 11) / 3 = 14, rounded down"),
        ("lore", ("wits",), "0 + 12 = 12"),
    ],
)
def test_rol_02_with_a_skill_it_is_the_level_and_the_natural_ability(
    hill: Book, skill: str, on: tuple[str, ...], says: str
) -> None:
    assert step(play(hill, Skill(who="mara", skill=skill, on=on), 3), "number") == says


@pytest.mark.parametrize(
    ("complexity", "says"),
    [
        ("0.5", "11 × 0.5 = 5, rounded down"),
        ("1", "11 × 1 = 11"),
        ("1.5", "11 × 1.5 = 16, rounded down"),
        ("2", "11 × 2 = 22"),
    ],
)
def test_rol_03_without_a_skill_it_is_a_characteristic_times_its_complexity(
    hill: Book, complexity: rules.Complexity, says: str
) -> None:
    move = Plain(who="mara", characteristic="strength", factor=complexity)
    assert step(play(hill, move, 3), "number") == says


def test_rol_04_circumstances_are_added_up_first_and_each_is_recorded(hill: Book) -> None:
    said = {"storm": -12, "rope": 4}
    played = play(hill, STEALTH.replace(circumstance=said), 3)
    assert played["inputs"]["circumstance"] == said
    assert step(played, "factor") == "rope 4 + storm -12 = -8"
    assert step(played, "number") == "4 + (9 + 12) / 2 + -8 = 6, rounded down"
    without = play(hill, Plain(who="mara", characteristic="agility", factor="0.5", circumstance=said), 3)
    assert step(without, "number") == "9 × 0.5 + -8 = -4, rounded down"


@pytest.mark.parametrize(("sum_", "number"), [(-10, 2), (5, 17)])
def test_rol_04_both_ends_are_inside(hill: Book, sum_: int, number: int) -> None:
    assert facts(hill, Plain(who="mara", characteristic="wits", circumstance={"x": sum_}), 20)["number"] == number


def test_rol_05_a_natural_20_is_a_critical_failure_unless_the_number_is_above_20(hill: Book) -> None:
    at_20 = play(hill, Skill(who="mara", skill="riding", on=("luck",), circumstance={"mud": -3}), 20)
    assert at_20["verdict"] == {"says": "critical failure", "good": False, "margin": None}
    assert step(at_20, "natural 20") == "critical: 20 is not above 20"
    above = play(hill, Skill(who="mara", skill="riding", on=("luck",), circumstance={"mud": -2}), 20)
    assert above["verdict"]["good"] is True
    assert above["verdict"]["margin"] == 1
    assert step(above, "natural 20") == "not critical: 21 is above 20"


def test_rol_05_below_1_nothing_succeeds_and_a_20_is_still_critical(hill: Book) -> None:
    hopeless = Skill(who="mara", skill="lore", on=("luck",), circumstance={"night": -10})
    assert [says(hill, hopeless, face) for face in (1, 19, 20)] == ["failure", "failure", "critical failure"]


def test_rol_06_margin_and_level_stand_on_a_success_alone(hill: Book) -> None:
    move = Skill(who="mara", skill="riding", on=("luck",))
    named = {face: facts(hill, move, face) for face in (20, 19, 15, 11, 7)}
    assert [each["level"] for each in named.values()] == list(LEVELS)
    assert [each["margin"] for each in named.values()] == [3, 4, 8, 12, 16]
    failed = facts(hill, STEALTH, 19)
    assert failed == {
        "roll": 19, "number": 14, "outcome": "failure", "table": "bands4", "version": 1, "reconstructed": True
    }  # fmt: skip
    assert [each["name"] for each in play(hill, STEALTH, 19)["steps"]] == ["number", "roll"]


def test_rol_07_each_outcome_records_the_table_that_graded_it_name_and_version_and_all(hill: Book) -> None:
    played = play(hill, STEALTH, 7)
    assert played["settings"]["levels"] == dict(BUILT_IN_TABLES["bands4"])
    settle(hill, MINE)
    own = play(hill, STEALTH.replace(circumstance={"fog": -4}), 4)
    assert own["settings"]["levels"] == {
        "name": "mine",
        "version": 1,
        "rows": [{"from": 1, "to": 10, "least": [0, 2, 4, 6, 8]}, {"from": 11, "to": 40, "least": [0, 4, 8, 12, 16]}],
    }
    assert own["verdict"] == {"says": "success, special (mine)", "good": True, "margin": 6}
    assert step(own, "level") == "special: the margin 6 is at least 6; by mine version 1"
    found = facts(hill, STEALTH, 19)
    assert (found["table"], found["version"], "reconstructed" in found) == ("mine", 1, False)


def test_rol_07_fifths_ships_beside_and_shows_its_share(hill: Book) -> None:
    settle(hill, "fifths")
    played = play(hill, STEALTH, 7)
    assert played["verdict"]["says"] == "success, high (fifths, reconstructed)"
    assert step(played, "level") == "high: 5 × 7 / 14, rounded up, is 3; by fifths version 1, reconstructed"
    settle(hill, "bands4")
    assert settings_in_force(hill, find("rollunder"))["levels"] == dict(BUILT_IN_TABLES["bands4"])


def test_rol_07_a_number_that_no_row_covers_is_refused_before_the_dice(hill: Book) -> None:
    settle(hill, "mine/3:5-10=0,2,4,6,8")
    dice = counting_dice()
    for number, circumstance in ((13, {"sun": 1}), (4, {"night": -8})):
        move = Plain(who="mara", characteristic="wits", circumstance=circumstance)
        with pytest.raises(Refused, match=rf"The table mine/3 has no row for a difficulty number of {number}\."):
            scribe(hill, chance=dice).write(PlayMove(system="rollunder", move=move))
    assert dice.count == 0
    hopeless = Plain(who="mara", characteristic="luck", circumstance={"night": -8})
    assert says(hill, hopeless, 1) == "failure"


def test_rol_07_an_old_roll_that_is_amended_is_graded_by_the_table_of_its_own_time(hill: Book) -> None:
    settle(hill, "fifths")
    done = scribe(hill).write(PlayMove(system="rollunder", move=STEALTH), faces=(4,))
    settle(hill, MINE)
    again = scribe(hill).write(
        Amend(named=done.entries[1].seq, inputs={"on": ("wits",)}, faces=None, cascade=False, why="x")
    )
    assert last(again, "move-played")["verdict"]["says"] == "success, special (fifths, reconstructed)"


PLAYED = st.tuples(st.sampled_from(["skill", "plain"]), FACTORS, st.integers(1, 20))
TABLES = st.sampled_from([*BUILT_IN_TABLES]) | own_tables().map(lambda table: table[0])
SAID = PLAYED | PLAYED | TABLES | st.just("undo")


@examples(100)
@given(said=st.lists(SAID, min_size=2, max_size=12))
def test_rol_07_to_change_the_table_later_changes_nothing_of_an_old_roll(said: list[Any]) -> None:
    with on_the_hill() as book:
        stood: dict[int, tuple[bytes, Any]] = {}
        actions = 0
        for each in said:
            head = book.head()
            if each == "undo":
                if actions:
                    scribe(book).write(Undo())
                    actions -= 1
            elif isinstance(each, tuple):
                stood |= rolled(book, *each)
                actions += book.head() > head
            else:
                settle(book, each)
                actions += 1
        for seq, (stored, in_force) in stood.items():
            entry = book.entry(seq)
            assert entry.stored == stored
            assert entry.body["settings"] == in_force
            assert worked_again(entry.body) == (entry.body["verdict"], entry.body["steps"])
        assert verify(book).entries == book.head()


def rolled(book: Book, name: str, factor: int, face: int) -> dict[int, tuple[bytes, Any]]:
    """Roll; return by its entry what was written, and the settings of then; nothing where the table has no row."""
    move = STEALTH if name == "skill" else Plain(who="mara", characteristic="strength", factor="1.5")
    in_force = settings_in_force(book, find("rollunder"))
    try:
        done = scribe(book).write(
            PlayMove(system="rollunder", move=move.replace(circumstance={"weather": factor - 1, "rope": 1})),
            faces=(face,),
        )
    except Refused:
        assert in_force["levels"]["name"] not in BUILT_IN_TABLES
        return {}
    return {entry.seq: (entry.stored, in_force) for entry in done.entries if entry.type == "move-played"}


def worked_again(body: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The verdict of a ruling and its working, from its entry alone."""
    move = find("rollunder").move(body["move"])
    assert move is not None
    table = Table("rollunder", lambda who, full: body["looked"][who][full], body["settings"])
    ruling = move.from_inputs(body["inputs"]).ruling(table, [die["face"] for die in body["dice"]])
    return jsonable(ruling.verdict), jsonable(ruling.steps)


def test_a_level_that_rises_later_changes_nothing_of_an_old_roll(hill: Book) -> None:
    before = facts(hill, STEALTH, 7)
    scribe(hill).write(Adjust(who="mara", amounts={"rollunder/skill.stealth": 2}, why="a winter of practice"))
    assert facts(hill, STEALTH, 7)["number"] == before["number"] + 2


# What is seen


def test_every_show_of_a_shipped_table_says_that_it_is_reconstructed_and_of_ones_own_never(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type
) -> None:
    monkeypatch.chdir(tmp_path)
    type_in("init Hill --gm Tom")
    type_in(["join", "mara", "rollunder", *(f"{name}={value}" for name, value in SHEET.items())])
    roll = "rollunder skill mara stealth --on agility,wits --faces 7 -v"
    for name in BUILT_IN_TABLES:
        type_in(f"settings rollunder levels={name}")
        headline, *_, level = type_in(roll).stdout.splitlines()
        assert f"({name}, reconstructed)" in headline
        assert f"{name}, version 1, reconstructed)" in level
        assert f"{name}, version 1, reconstructed" in type_in("settings rollunder").output
    type_in(f"settings rollunder levels={MINE}")
    assert "reconstructed" not in type_in(roll).output
    in_force, meaning = type_in("settings rollunder").output.splitlines()
    assert "reconstructed" not in in_force
    assert "are reconstructions" in meaning


def test_a_line_says_which_skill_or_characteristic_was_rolled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type
) -> None:
    monkeypatch.chdir(tmp_path)
    type_in("init Hill --gm Tom")
    type_in(["join", "mara", "rollunder", *(f"{name}={value}" for name, value in SHEET.items())])
    assert "mara lore ✗ failure" in type_in("rollunder skill mara lore --on wits --faces 19").stdout
    type_in("rollunder plain mara luck --faces 3")
    type_in("amend 5 --skill stealth --why misheard --yes")
    log = type_in("log -n all").stdout
    assert "mara luck ✓" in log
    assert "amends #5 (mara lore, failure): misheard; skill stealth" in log


# What the sheet knows


@pytest.fixture
def known(hill: Book) -> Book:
    """The sheet also says what two skills are based on."""
    marks = {"rollunder/on.stealth": "agility,wits", "rollunder/on.riding": "luck"}
    scribe(hill).write(SetMarks(who="mara", values=marks, why="her sheet"))
    return hill


def test_rol_02_what_a_skill_is_based_on_is_on_the_sheet(known: Book) -> None:
    played = play(known, Skill(who="mara", skill="stealth"), 14)
    assert step(played, "ability") == "stealth is based on agility, wits"
    assert step(played, "number") == "4 + (9 + 12) / 2 = 14, rounded down"
    assert played["looked"]["mara"]["rollunder/on.stealth"] == ["agility", "wits"]
    assert step(play(known, Skill(who="mara", skill="riding"), 14), "number") == "15 + 8 = 23"
    assert verify(known).entries == known.head()


def test_rol_02_what_is_said_overrides_the_sheet_for_one_check(known: Book) -> None:
    played = play(known, Skill(who="mara", skill="stealth", on=("strength",)), 14)
    assert step(played, "number") == "4 + 11 = 15"
    assert "ability" not in {each["name"] for each in played["steps"]}
    assert "rollunder/on.stealth" not in played["looked"]["mara"]


def test_rol_02_a_skill_without_a_natural_ability_is_refused_before_the_dice(known: Book) -> None:
    wrong = SetMarks(who="mara", values={"rollunder/on.stealth": "none", "rollunder/on.riding": "charm"}, why="x")
    scribe(known).write(wrong)
    head, thrown = known.head(), counting_dice()
    for skill, says in (
        ("stealth", "does not say which characteristic stealth uses"),
        ("riding", r"no characteristic\.charm"),
    ):
        with pytest.raises(LedgerError, match=says):
            scribe(known, chance=thrown).write(PlayMove(system="rollunder", move=Skill(who="mara", skill=skill)))
    assert (known.head(), thrown.count) == (head, 0)


def test_a_sheet_is_read_in_the_words_of_the_game(known: Book) -> None:
    scribe(known).write(Adjust(who="mara", amounts={"rollunder/skill.climbing": 2}, why="a summer"))
    scribe(known).write(SetMarks(who="mara", values={"rollunder/on.lore": "wits"}, why="her sheet"))
    shown = character_sheet(known, "mara", "rollunder")
    assert [(row.label, row.value) for row in shown.rows] == [
        ("agility", "9"),
        ("luck", "8"),
        ("strength", "11"),
        ("wits", "12"),
        ("climbing", "level 2"),
        ("lore", "12: level 0 and wits 12"),
        ("riding", "23: level 15 and luck 8"),
        ("stealth", "14: level 4 and the average of agility 9, wits 12"),
    ]
    assert shown.bare == ()


def test_rol_02_a_level_of_0_is_on_the_sheet_until_it_is_undone(hill: Book) -> None:
    def skills() -> list[tuple[str, str]]:
        rows = character_sheet(hill, "mara", "rollunder").rows
        return [(row.label, row.value) for row in rows if row.value.startswith("level")]

    assert skills() == [("lore", "level 0"), ("riding", "level 15"), ("stealth", "level 4")]
    scribe(hill).write(Adjust(who="mara", amounts={"rollunder/skill.lore": 2}, why="a lesson"))
    scribe(hill).write(Adjust(who="mara", amounts={"rollunder/skill.lore": -2}, why="forgotten"))
    scribe(hill).write(Adjust(who="mara", amounts={"rollunder/skill.flying": 3}, why="a slip"))
    scribe(hill).write(Undo())
    assert skills() == [("lore", "level 0"), ("riding", "level 15"), ("stealth", "level 4")]


def test_rol_02_a_sheet_counts_with_nothing_that_is_not_on_it(known: Book) -> None:
    marks = {"rollunder/on.riding": "luck,charm", "rollunder/on.flying": "wits"}
    scribe(known).write(SetMarks(who="mara", values=marks, why="her sheet"))
    shown = character_sheet(known, "mara", "rollunder")
    riding = "level 15, based on luck, charm; missing from the sheet: charm"
    assert [row.value for row in shown.rows if row.label in {"riding", "flying"}] == [riding]
    assert shown.bare == ("on.flying",)


def test_rol_02_what_the_first_sheets_left_is_played_on(folder: Path, type_in: Type) -> None:
    path = folder / "first.campaign"
    shutil.copy(TESTS / "golden" / "campaigns" / "first-editions.campaign", path)
    old = type_in(f"-f {path} rollunder skill mara deception --on cunning,presence --faces 4 --clock-ok")
    assert old.exit_code == 0, old.stderr
    assert type_in(f"-f {path} set mara rollunder/on.deception=cunning,presence --why 'her sheet'").exit_code == 0
    new = type_in(f"-f {path} rollunder skill mara deception --faces 4")
    assert old.stdout.partition("  ")[2].strip() in new.stdout
    audit = type_in(f"-f {path} audit").stdout
    assert ("No problems found." in audit, "rollunder" in audit) == (True, False)
