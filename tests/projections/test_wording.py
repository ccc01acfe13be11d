"""The words of the games on the screen: labels of the sheet, lines of a calculation, and moves in the log."""

import pytest

from ledger.commands.days import NextDay
from ledger.commands.play import PlayMove
from ledger.events.types import MovePlayed
from ledger.rules import Step
from ledger.systems.byzantine.moves_days import Night
from ledger.systems.edge.moves_check import Check
from ledger.systems.multicheck import moves_d100
from ledger.systems.multicheck.moves import Afflict, Turn
from projections.log import line
from projections.move_words import outcome_words
from projections.phrases import tell
from projections.telling import clauses
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


@pytest.mark.parametrize(
    ("game", "says", "shown"),
    [
        ("byzantine", "{victim} is dead", "{victim} dies"),
        ("byzantine", "run ends, net 4", "ended; the net energy is now 4 a day"),
        ("byzantine", "net 4", "net energy 4 a day"),
        ("byzantine", "the output of mill is withheld", "output withheld"),
        ("byzantine", "mill is withheld", "withheld"),
        ("byzantine", "mill counts again", "restored"),
        ("byzantine", "mill is lent", "lent"),
        ("byzantine", "mill is gone", "loan ended"),
        ("byzantine", "a full night", "gets a full night's sleep tonight"),
        ("byzantine", "a night of no sleep", "gets no sleep tonight"),
        ("byzantine", "loses 4", "loses 4 energy"),
        ("byzantine", "loses 4, and is dead", "loses 4 energy and dies"),
        ("byzantine", "4 comes back, 2 is lost", "4 returned, 2 lost"),
        ("byzantine", "run has a cost", "the GM sets the cost of run"),
        ("byzantine", "run has another cost", "the GM changes the cost of run"),
        ("byzantine", "run is closed", "the GM closes the task run"),
        ("byzantine", "mill is off the map", "mill is removed from the map"),
        ("byzantine", "has found the way", "finds the way again"),
        ("byzantine", "is in, and all are in", "the amount is secret; everyone has committed"),
        ("multicheck", "critical success: yes, and", "critical success (yes, and …)"),
        ("multicheck", "major success: yes", "major success (yes)"),
        ("multicheck", "minor success: yes, but", "minor success (yes, but …)"),
        ("multicheck", "minor failure: no, but", "minor failure (no, but …)"),
        ("multicheck", "major failure: no", "major failure (no)"),
        ("multicheck", "critical failure: no, and", "critical failure (no, and …)"),
        ("multicheck", "1 lessened, 2 over", "1 condition weakened, 2 ended"),
        ("multicheck", "2 lessened, 2 over", "2 conditions weakened, 2 ended"),
        ("multicheck", "1 lessened", "1 condition weakened"),
        ("multicheck", "2 lessened", "2 conditions weakened"),
        ("multicheck", "1 over", "1 condition ended"),
        ("multicheck", "2 over", "2 conditions ended"),
        ("syscards", "a card", "is a card"),
        ("syscards", "tale mode", "the table is in tale mode"),
        ("syscards", "action mode", "the table is in action mode"),
        ("syscards", "deal mode", "the table is in deal mode"),
        ("syscards", "round 2: begins", "round 2 begins"),
        ("syscards", "needs 50, Specialist", "needs 50 (Specialist)"),
        ("syscards", "success, as the GM rules", "success by the GM's ruling"),
        ("syscards", "a challenge of mara, brak", "challenges brak"),
        ("syscards", "a forced challenge of mara, brak", "challenges brak (forced)"),
        ("syscards", "an indirect challenge of mara, brak", "challenges brak (order only)"),
    ],
)
def test_a_stored_sentence_of_a_game_has_better_words_on_the_screen(game: str, says: str, shown: str) -> None:
    assert sentence_shown(game, says) == shown


@pytest.mark.parametrize(
    ("game", "says", "good", "told"),
    [
        ("edge", "complete success", True, "succeeded completely"),
        ("edge", "significant success", True, "clearly succeeded"),
        ("edge", "marginal success", True, "narrowly succeeded"),
        ("edge", "marginal failure", False, "narrowly failed"),
        ("edge", "significant failure", False, "failed badly"),
        ("edge", "complete failure", False, "failed completely"),
        ("byzantine", "does not get there", False, "failed"),
        ("multicheck", "critical success: yes, and", True, "succeeded brilliantly"),
        ("multicheck", "minor success: yes, but", True, "succeeded at a cost"),
        ("multicheck", "minor failure: no, but", False, "failed, although some good came of it"),
        ("multicheck", "critical failure: no, and", False, "failed badly"),
        ("multicheck", "critical success", True, "succeeded brilliantly"),
        ("multicheck", "critical failure", False, "failed badly"),
        ("multicheck", "major success: yes", True, "succeeded"),
        ("multicheck", "major failure: no", False, "failed"),
        ("rollunder", "success, average (5)", True, "succeeded"),
        ("rollunder", "success, medium (4)", True, "clearly succeeded"),
        ("rollunder", "success, high (3)", True, "succeeded with ease"),
        ("rollunder", "success, special (2)", True, "succeeded brilliantly"),
        ("rollunder", "success, critical (1)", True, "succeeded perfectly"),
        ("rollunder", "critical failure", False, "failed badly"),
        ("syscards", "failure by 2", False, "failed"),
        ("syscards", "success, as the GM rules", True, "succeeded"),
        ("syscards", "priority over brak", True, "succeeded"),
    ],
)
def test_an_outcome_is_told_in_the_recap_by_a_verb(game: str, says: str, good: bool, told: str) -> None:
    with every_game() as book:
        played = scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=5)), faces=(9, 8))
        move = next(entry.event for entry in played.entries if isinstance(entry.event, MovePlayed))
    assert outcome_words(move.replace(system=game, verdict=move.verdict.replace(says=says, good=good))) == told


def test_a_new_condition_in_multicheck_is_told_by_its_result_alone() -> None:
    with every_game() as book:
        afflict = PlayMove(system="multicheck", move=Afflict(who="mara", condition="blind", charges=3, why="sand"))
        assert tell(book, scribe(book).write(afflict).entries[0]) == "blind"


def test_a_turn_in_multicheck_is_told_in_the_appendix() -> None:
    with every_game() as book:
        turn = scribe(book).write(PlayMove(system="multicheck", move=Turn(who="mara")))
        assert [clause.kind for clause in clauses(book, [line(book, turn.entries)])] == ["appendix"]


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
