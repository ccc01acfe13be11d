"""The odds of a move: exact, from the sheets, of every game, and told before anybody rolls."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coin
from ledger.commands.play import PlayMove
from ledger.errors import Held, NotEnough, Refused
from ledger.journal.accounts import AsOf
from ledger.journal.book import AsOfBook, open_book
from ledger.rules import CAMPAIGN, Move, Pool, Ruling, Table, ruling
from ledger.systems.byzantine.moves_tasks import Task
from ledger.systems.edge import rules as edge
from ledger.systems.edge.moves import Burn
from ledger.systems.edge.moves_check import Check
from ledger.systems.edge.moves_fights import Attack, Damage
from ledger.systems.multicheck import rules as multicheck
from ledger.systems.multicheck.moves import Save
from ledger.systems.multicheck.moves_d100 import Test as MulticheckTest
from ledger.systems.rollunder import rules as rollunder
from ledger.systems.rollunder.moves import Plain
from ledger.systems.syscards import rules as syscards
from ledger.systems.syscards.moves_acts import Rate
from ledger.systems.syscards.moves_cards import Mode
from ledger.systems.syscards.moves_challenges import Challenge
from projections.odds import Odds, odds, percent
from table import every_game, opened_book, scribe
from terminal import Type, command, rows


def ways(counted: Odds) -> dict[str, int]:
    return {outcome.says: outcome.ways for outcome in counted.outcomes}


MODES: list[edge.Mode] = ["normal", "advantage", "disadvantage", "edge"]


@given(st.sampled_from(MODES), st.integers(-20, 40), st.integers(0, 60), st.booleans())
def test_the_odds_of_a_check_are_those_that_the_rule_counts(
    mode: edge.Mode, skill: int, target: int, secret: bool
) -> None:
    said: dict[str, Any] = {"edge": True} if mode == "edge" else {} if mode == "normal" else {mode: ("map",)}
    rule = edge.chance(mode=mode, bonus=skill, target_number=target)
    with opened_book() as book:
        counted = odds(book, "edge", Check(who="mara", skill=skill, target=target, secret=secret, **said))
    assert counted.throws == sum(ways(counted).values()) == rule.of
    assert counted.good == rule.success
    assert ways(counted) == {name.replace("_", " "): count for name, count in rule.ways.items() if count}
    assert counted.chosen == (("drop",) if mode == "edge" else ())
    assert counted.offered == (("drop_instead",) if mode == "advantage" else ())


@pytest.mark.parametrize(("factor", "number"), [("0.5", 4), ("1", 9), ("2", 18)])
def test_the_odds_under_a_number_are_those_that_the_rule_counts(factor: rollunder.Complexity, number: int) -> None:
    with every_game() as book:
        counted = odds(book, "rollunder", Plain(who="mara", characteristic="cunning", factor=factor))
    rule = rollunder.chance(difficulty_number=number)
    assert (counted.throws, counted.good, ways(counted)["critical failure"]) == (20, number, 1)
    assert (rule.of, rule.success, rule.critical_failure) == (20, number, 1)


@pytest.mark.parametrize("advantages", [0, 1])
def test_the_odds_of_a_test_are_those_that_the_rule_counts(advantages: int) -> None:
    said = MulticheckTest(
        who="mara", what="deception", attribute="cunning", difficulty=30, advantage=("x",) * advantages
    )
    with every_game() as book:
        counted = odds(book, "multicheck", said)
    rule = multicheck.chance(attribute=60, skill=30, feat=20, difficulty=30, advantages=advantages)
    found = {says.partition(":")[0].replace(" ", "_"): count for says, count in ways(counted).items()}
    assert counted.throws == rule.of
    assert found == {name: count for name, count in rule.ways.items() if count}


def test_the_odds_of_a_save_by_hand() -> None:
    """Against 15, with a save of 3, the faces from 12 to 20 succeed."""
    with every_game() as book:
        counted = odds(book, "multicheck", Save(who="mara", save="toughness"))
    assert (counted.throws, counted.good) == (20, 9)


def test_the_odds_of_a_throw_that_follows_its_rate_are_those_that_the_rule_counts() -> None:
    with every_game() as book:
        counted = odds(book, "syscards", Rate(who="mara", rate=55, why="fog", throw=True))
    assert (counted.throws, counted.good) == (100, syscards.chance(necessary_rate=55, efficiency=40))


def test_the_odds_of_a_challenge_are_those_that_the_rule_counts() -> None:
    with every_game() as book:
        scribe(book).write(PlayMove(system="syscards", move=Mode(mode="deal")))
        counted = odds(book, "syscards", Challenge(who="mara", against=("brak",)))
        with pytest.raises(Refused, match="rolls no dice in this situation"):
            odds(book, "syscards", Challenge(who="mara", against=("brak",), wait=True))
    rule = syscards.challenge_chance(efficiency=40, against=40)
    assert counted.pool.of == ("mara", "brak")
    assert counted.chosen == ("order", "why")
    assert (counted.good, counted.throws) == (None, rule.of)
    assert ways(counted) == {
        "mara, then brak": rule.ways["first"],
        "brak, then mara": rule.ways["second"],
        "choice needed": rule.ways["tied"],
    }


def test_verdicts_come_from_the_best_to_the_worst() -> None:
    with opened_book() as book:
        says = [outcome.says for outcome in odds(book, "edge", Check(who="mara", skill=9)).outcomes]
        damage = [outcome.says for outcome in odds(book, "edge", Damage(who="mara", weapon=1, modifier=2)).outcomes]
    assert says == [
        *("complete success", "significant success", "marginal success"),
        *("marginal failure", "significant failure", "complete failure"),
    ]
    assert damage == [f"{number} damage" for number in range(3, 9)]


def test_what_waits_on_the_sheet_counts_and_is_told(evening: Type) -> None:
    evening("edge grant mara disadvantage --why dark")
    with open_book("road.campaign") as book:
        counted = odds(book, "edge", Check(who="mara", skill=11, target=20))
        granted = book.last_gain_action("mara", "edge/disadvantage.any")
        assert AsOfBook(book, AsOf(seq=book.head())).last_gain_action("mara", "edge/disadvantage.any") == granted
        assert AsOfBook(book, AsOf(seq=granted - 1)).last_gain_action("mara", "edge/disadvantage.any") == 0
    assert counted.facts_text == f"mara has disadvantage from #{granted} on the next check of any kind"
    assert counted.good == edge.chance(mode="disadvantage", bonus=11).success


def test_the_odds_of_a_throw_are_what_comes_out_face_by_face(folder: Path, type_in: Type) -> None:
    type_in("join mara multicheck attribute.cunning=60 attribute.luck=20 skill.deception=3")
    line = "multicheck test mara cunning --skill deception --difficulty 30"
    (facts,) = rows(type_in(f"odds {line} --json").stdout)
    came: dict[str, int] = {}
    for face in range(1, 101):
        verdict = rows(type_in(f"{line} --faces {face} --dry-run --json").stdout)[1]["verdict"]
        came[verdict["says"]] = came.get(verdict["says"], 0) + 1
    assert {verdict["says"]: verdict["ways"] for verdict in facts["verdicts"]} == came
    assert (facts["throws"], facts["pool"], facts["good"]) == (100, [100], 51)


def test_of_an_attack_the_odds_are_those_of_its_check(evening: Type) -> None:
    evening("set mara weapon.knife=1d6+2 --why x")
    with open_book("road.campaign") as book:
        attack = odds(book, "edge", Attack(who="mara", weapon="knife", whom="brak", skill=11, target=25))
        check = odds(book, "edge", Check(who="mara", skill=11, target=25))
    assert attack.outcomes == check.outcomes


def test_a_game_of_another_package_has_odds_too() -> None:
    with opened_book() as book:
        drawn = odds(book, "coin", coin.Draw(who="mara", number=40, secret=True))
        assert [(each.says, each.good, each.ways) for each in drawn.outcomes] == [
            ("hit", True, 40),
            ("miss", False, 60),
        ]
        called = odds(book, "coin", coin.Flip(who="mara", stake=1))
        assert [(each.says, each.good, each.ways) for each in called.outcomes] == [
            ("heads", True, 1),
            ("tails", True, 1),
        ]
        assert called.chosen == ("call",)
        with pytest.raises(NotEnough):
            odds(book, "coin", coin.Flip(who="mara", stake=50))
        with pytest.raises(Refused, match="coin give rolls no dice in this situation"):
            odds(book, "coin", coin.Give(who="mara", to=("brak",)))


def test_no_odds_without_dice_nor_of_more_throws_than_can_be_counted() -> None:
    with opened_book() as book:
        with pytest.raises(Refused, match="edge burn rolls no dice in this situation"):
            odds(book, "edge", Burn(who="mara", against="fall"))
        with pytest.raises(
            Refused, match=r"7d6 has 279,936 possible results\. The program computes odds for at most 100,000"
        ):
            odds(book, "edge", Damage(who="mara", weapon=7, melee=True))


def test_whoever_waits_for_an_answer_has_no_odds() -> None:
    with opened_book() as book:
        scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True)))
        with pytest.raises(Held):
            odds(book, "edge", Check(who="mara", skill=11))


class Peek(Move):
    """Throw against a number that the GM keeps."""

    example: ClassVar[str] = "mara"
    chosen: ClassVar[tuple[str, ...]] = ("side", "often", "sure", "whom")
    who: str
    side: Literal["left", "right"] | None = None
    sure: bool | None = None
    often: int | None = None
    whom: tuple[str, ...] | None = None
    asks: str = ""
    peeks: bool = False

    def dice(self, table: Table) -> Pool:
        return Pool(sides=(4,))

    def choices(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        return (self.asks,) if self.asks and getattr(self, self.asks) is None else ()

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        if self.peeks:
            table.find(CAMPAIGN, "task.wall")
        good = {"left": False, "right": True}.get(self.side or "", self.sure)
        return ruling("seen" if good else "unseen", good)


def test_odds_that_would_tell_a_secret_are_refused() -> None:
    with every_game() as book:
        scribe(book).write(PlayMove(system="byzantine", move=Task(task="wall", costs=5)))
        assert ways(odds(book, "byzantine", Peek(who="mara"))) == {"unseen": 4}
        with pytest.raises(Refused, match="would reveal one of the GM's secrets"):
            odds(book, "byzantine", Peek(who="mara", peeks=True))


@pytest.mark.parametrize(
    ("asks", "says"),
    [("side", "seen"), ("sure", "seen"), ("often", "choice needed"), ("whom", "choice needed")],
)
def test_the_best_of_what_can_be_listed_is_chosen_and_all_else_waits(asks: str, says: str) -> None:
    with every_game() as book:
        assert ways(odds(book, "byzantine", Peek(who="mara", asks=asks))) == {says: 4}


@pytest.mark.parametrize("advantage", [(), ("map",)])
def test_the_odds_of_a_test_list_its_outcomes_from_the_best_to_the_worst(advantage: tuple[str, ...]) -> None:
    with every_game() as book:
        test = MulticheckTest(who="mara", attribute="cunning", skill="deception", difficulty=30, advantage=advantage)
        says = [*ways(odds(book, "multicheck", test))]
    assert says == [verdict for verdict in reversed(multicheck.VERDICTS.values()) if verdict in says]
    assert says[:3] == ["critical success: yes, and", "major success: yes", "minor success: yes, but"]


def test_the_progress_is_told_in_hundredths() -> None:
    told: list[int] = []
    with opened_book() as book:
        odds(book, "edge", Check(who="mara", skill=11), told.append)
    assert told == [1] * 100


def test_odds_are_a_line_and_bars_within_eighty_columns(folder: Path, type_in: Type) -> None:
    done = type_in("odds edge check mara --skill 11 --target 20 --edge")
    assert done.stdout.splitlines()[:3] == [
        "mara check, skill 11, target 20, edge: success 89.4 %.",
        "Of 1,000 rolls of 3d10, 894 succeed:",
        "  complete success      16.0 %  160  █████████████████",
    ]
    assert done.stdout.splitlines()[-1] == "These odds assume that the player makes the best choice (--drop)."
    assert max(map(len, done.stdout.splitlines())) <= 80
    secret = type_in("odds edge check mara --skill 11 --target 25 --secret --advantage map").stdout
    assert secret.startswith("mara check, skill 11, target secret, advantage map: success ")
    assert secret.endswith("These odds ignore choices that come after the result (--drop-instead).\n")
    named = type_in("odds edge check mara dec --attributes cunning,presence").stdout
    assert named.startswith("mara deception, attributes cunning, presence, target 20: success 94 %.\n")
    type_in("edge grant mara advantage --why map")
    assert "Mara has advantage from #8 on the next check" in type_in("odds edge check mara --skill 11").stdout


def test_bars_are_readable_where_there_are_no_blocks(file: Path) -> None:
    words = command(file, "odds", "edge", "check", "mara", "--skill", "11")
    plain = subprocess.run(words, capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": "latin-1"})
    assert b"significant failure    5.0 %   5  #####" in plain.stdout
    assert plain.stdout.isascii()


def test_of_many_verdicts_the_most_frequent_are_shown(folder: Path, type_in: Type) -> None:
    lines = type_in("odds edge damage mara --weapon 5 --melee").stdout.splitlines()
    assert lines[0].startswith("mara rolls damage, weapon 5, melee: the most likely result is 23 damage, 10.0 %.")
    assert sum("█" in line for line in lines) == 20
    assert lines[22] == "  6 other verdicts  0.5 %  42"


def test_odds_write_nothing_and_wait_for_nobody_who_writes(file: Path, type_in: Type) -> None:
    before = file.read_bytes()
    assert type_in(f"-f {file} odds edge check mara --skill 11").exit_code == 0
    assert file.read_bytes() == before
    with open_book(str(file)) as book, book.journal.writing():
        assert type_in(f"-f {file} odds edge check mara --skill 11").exit_code == 0


def test_odds_are_refused_in_a_sentence(folder: Path, type_in: Type) -> None:
    for words, code, says in (
        ("odds edge burn mara", 3, "edge burn does not roll dice."),
        ("odds edge attack-roll mara", 2, "No such command"),
        ("odds edge jump mara", 2, "No such command"),
        ("odds chess check mara", 2, "No such command"),
        ("odds edge check ghost --skill 3", 3, "Nobody called 'ghost'"),
        ("odds edge check mara --skill 3 --edge --drop 3", 3, "--drop can only be chosen after the roll"),
        ("odds edge check mara --skill 3 --faces 3,4", 2, "'campaign odds' does not roll dice."),
    ):
        done = type_in(words)
        assert (done.exit_code, says in done.stderr) == (code, True), (words, done.output)


@pytest.mark.parametrize(
    ("count", "of", "text"),
    [(0, 36, "0.0 %"), (1, 36, "2.8 %"), (36, 36, "100.0 %"), (1, 10_000, "<0.1 %"), (9_999, 10_000, ">99.9 %")],
)
def test_only_never_is_0_percent_and_only_always_100(count: int, of: int, text: str) -> None:
    assert percent(count, of) == text
