"""Systems: the names that a game declares, and what a sheet answers its game."""

import pytest

from ledger.rules import MAX_SHEET_NUMBER, Kind, Row, Score, SheetView, total
from ledger.rules.rulings import ruling
from ledger.rules.system import DeclaredName, WrongStoredType, read_as
from ledger.systems import find


@pytest.mark.parametrize(
    ("declared", "name", "covered"),
    [
        ("edge", "edge", True),
        ("edge", "edges", False),
        ("edge", "edge.any", False),
        ("skill.*", "skill.ritual", True),
        ("skill.*", "skill.", False),
        ("skill.*", "skill", False),
        ("skill.*", "skills.ritual", False),
        ("skill.*", "xskill.ritual", False),
        ("skill.*", "skill.old.ritual", False),
        ("skill.*", "skill.Ritual", False),
        ("skill.*", "skill.*", False),
        ("skill.*", "rituals", False),
    ],
)
def test_a_pattern_covers_the_short_names_with_its_beginning_and_a_name_itself(
    declared: str, name: str, covered: bool
) -> None:
    assert DeclaredName(name=declared).covers(name) is covered
    assert DeclaredName(name=declared).is_pattern is (declared == "skill.*")


def test_what_a_score_says_nothing_of_is_0_at_least_and_at_first_and_has_no_limit_of_the_game() -> None:
    score = Score(name="luck", unit="luck", says="luck")
    assert (score.least, score.most, score.starts) == (0, MAX_SHEET_NUMBER, 0)
    assert score.limit(lambda name: 4) == MAX_SHEET_NUMBER
    assert score.replace(most="fate").limit({"fate": 4}.__getitem__) == 4


def test_a_game_answers_by_name_what_it_declares() -> None:
    edge, byzantine = find("edge"), find("byzantine")
    assert [score.name for score in edge.bounded_by("maximum")] == ["edge"]
    assert edge.bounded_by("edge") == ()
    for name in ("skill.ritual", "strength"):
        score = edge.score(name)
        assert score is not None
        assert score.covers(name)
    mark, setting, move = edge.mark("care"), edge.setting("injuries"), edge.move("check")
    assert mark is not None
    assert setting is not None
    assert move is not None
    assert (mark.name, setting.name, move.name()) == ("care", "injuries", "check")
    kind = edge.kind("edge-spent")
    assert kind is not None
    assert kind.name == "edge-spent"
    nothing = (edge.score("mood"), edge.mark("mood"), edge.setting("mood"), edge.move("mood"), edge.kind("mood"))
    assert nothing == (None,) * 5
    assert [byzantine.is_bookkeeping(name) for name in ("contest.tower", "energy", "mood")] == [True, False, False]


def test_a_sheet_is_read_by_families_and_has_0_of_what_is_not_on_it() -> None:
    sheet = SheetView(
        scores={"edge": 4, "skill.ritual": 2, "skills": 9}, marks={"on.ritual": ["wits"], "care": True, "on": 1}
    )
    assert (sheet.score("edge"), sheet.score("luck")) == (4, 0)
    assert (sheet.scores_of("skill"), sheet.marks_of("on")) == ({"ritual": 2}, {"ritual": ["wits"]})
    assert Row(label="edge", value="4", shows=("edge",)).then == ""


def test_a_value_of_another_type_than_it_should_have_is_a_misfit() -> None:
    assert read_as(int, 4) == 4
    with pytest.raises(WrongStoredType):
        read_as(int, "4")


def test_a_ruling_has_what_was_said_of_it_and_nothing_else() -> None:
    lost = Kind(name="edge-lost", says="lost", rule="x")
    assert (lost.flow, lost.in_steps) == ("within", False)
    effect = lost.of("mara", {"edge": -1}, marks={"care": True}, dice=3)
    assert (effect.scores, effect.marks, effect.facts) == ({"edge": -1}, {"care": True}, {"dice": 3})
    assert (lost.of("mara").scores, lost.of("mara").marks) == ({}, {})
    said = ruling("hit", True, total("dice", 3, 4, to=7), follows=[effect], margin=2, dropped={1: "lowest"})
    assert (said.verdict.says, said.verdict.good, said.verdict.margin) == ("hit", True, 2)
    assert [step.says.format(*step.numbers) for step in said.steps] == ["3 + 4 = 7"]
    assert (said.dropped, said.consequences) == ({1: "lowest"}, (effect,))
    assert (ruling("hit", True).dropped, ruling("hit", True).consequences) == ({}, ())
