"""The words of the games on the screen: labels of the sheet, lines of a calculation, and moves in the log."""

import pytest

from ledger.commands.days import NextDay
from ledger.commands.play import PlayMove
from ledger.rules import Step
from ledger.systems.byzantine.moves_days import Night
from ledger.systems.edge.moves_check import Check
from ledger.systems.multicheck import moves_d100
from ledger.systems.multicheck.moves import Afflict
from projections.log import line
from projections.phrases import tell
from projections.wording import score_label, sentence_shown, step_text
from table import every_game, scribe


@pytest.mark.parametrize(
    ("name", "label"),
    [("attribute.mind", "mind"), ("skill.stealth", "stealth rank"), ("feat.iron-will", "iron-will")],
)
def test_a_score_of_a_family_is_called_by_its_own_name(name: str, label: str) -> None:
    assert score_label(f"multicheck/{name}") == label


@pytest.mark.parametrize(("says", "shown"), [("triumph  +5", "+5"), ("despair  −5", "−5")])
def test_a_double_in_edge_is_shown_by_what_it_adds(says: str, shown: str) -> None:
    assert step_text("edge", Step(name="double", says=says)) == shown


@pytest.mark.parametrize(
    ("says", "shown"),
    [
        ("bought for 1 core points", "1 core point"),
        ("bought for 6 core points", "6 core points"),
        ("lantern costs 1", "lantern costs 1 core point"),
        ("lantern costs 12", "lantern costs 12 core points"),
    ],
)
def test_a_price_in_syscards_is_one_core_point_or_several(says: str, shown: str) -> None:
    assert sentence_shown("syscards", says) == shown


@pytest.mark.parametrize(
    ("says", "shown"),
    [
        ("input of mill is altered", "success"),
        ("input of mill is not altered", "failure"),
        ("run is done", "success"),
        ("run is not done", "failure"),
        ("the cost of run is learned", "learns the cost"),
        ("the cost of run is not learned", "does not learn the cost"),
        ("the split of run is learned", "learns how the cost is divided"),
        ("the split of run is not learned", "does not learn how the cost is divided"),
        ("in mill, lost", "arrives, but is lost"),
        ("in mill", "arrives"),
        ("does not get there", "does not arrive"),
        ("nobody wins", "nobody wins"),
    ],
)
def test_a_verdict_in_byzantine_may_also_say_who_is_dead(says: str, shown: str) -> None:
    assert sentence_shown("byzantine", says) == shown
    assert sentence_shown("byzantine", f"{says}, and brak is dead") == f"{shown}, and brak dies"


def test_a_new_condition_in_multicheck_is_told_by_its_result_alone() -> None:
    with every_game() as book:
        afflict = PlayMove(system="multicheck", move=Afflict(who="mara", condition="blind", charges=3, why="sand"))
        assert tell(book, scribe(book).write(afflict).entries[0]) == "blind"


def test_a_night_and_a_dawn_are_told_by_their_result_alone() -> None:
    with every_game() as book:
        night = scribe(book).write(PlayMove(system="byzantine", move=Night(who="mara", sleep="little")))
        begun = scribe(book).write(NextDay(count=1, until=None))
        dawns = [tell(book, entry) for entry in begun.entries if entry.type == "move-played"]
        assert tell(book, night.entries[0]) == "gets little sleep tonight"
        assert dawns == ["day 2: 7 energy", "day 2: 5 energy"]


def test_a_line_of_the_log_shows_the_dice_unless_the_result_of_the_move_has_them() -> None:
    with every_game() as book:
        edge = PlayMove(system="edge", move=Check(who="mara", skill=5))
        d100 = PlayMove(system="multicheck", move=moves_d100.Test(who="mara", attribute="cunning"))
        played = [scribe(book).write(edge, faces=(9, 8)), scribe(book).write(d100, faces=(98,))]
        assert [line(book, done.entries).dice for done in played] == ["", "98"]
