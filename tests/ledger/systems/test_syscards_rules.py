"""SySCards, the rules: the vectors, the words of the source, each rule against an oracle, and what is refused."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acts import oracle, ordered
from cli import try_rule as trial
from examples import examples, tried
from ledger.errors import LedgerError, Refused
from ledger.events.entry import jsonable
from ledger.systems.syscards import SYSTEM, moves, rules
from ledger.systems.syscards import consequences as kinds
from ledger.systems.syscards.rules import RankedAct, ThrowOutcome, throwers

PERCENT = st.integers(1, 100)
EFFICIENCY = st.sampled_from([1, 40, 41, 97, 99, 100]) | PERCENT
NATURAL = st.sampled_from([1, 40, 80, 97, 100]) | PERCENT
AWARD = st.integers(1, 120)


def test_every_rule_of_the_page_is_said_and_kept_by_a_move_and_most_by_a_consequence() -> None:
    ids = [f"SYS-{n:02}" for n in range(1, 24)]
    assert list(kinds.PAGE) == ids
    assert {each for move in moves.MOVES for each in move.ids} == {*ids} - {"SYS-23"}
    assert {each for rule in SYSTEM.rulebook().rules for each in rule.ids} <= set(ids)
    assert {kind.rule for kind in SYSTEM.rulebook().kinds} <= set(ids)


# The source


def thrown(natural: int, efficiency: int, rate: int | None = None, lowest: int = 100, award: int = 1) -> Any:
    return rules.throw(
        natural=natural, efficiency=efficiency, necessary_rate=rate, raise_from=lowest, raise_award=award
    )


def order(*acts: tuple[int, int, int], ruling: tuple[str, ...] | None = None) -> str:
    """The order of acts, of efficiency, natural throw and velocity each, called a, b, c…"""
    made = tuple(
        RankedAct(id="abcdefgh"[place], efficiency=efficiency, natural=natural or None, velocity=velocity)
        for place, (efficiency, natural, velocity) in enumerate(acts)
    )
    return " ".join("+".join(group) for group in rules.challenge(acts=made, ruling=ruling).order)


def grade(rate: int) -> str:
    return rules.grade(rate=rate)


@pytest.mark.parametrize(
    ("name", "worked", "is_"),
    [
        ("novice, basic: 01-09 (SYS-07)", [grade(1), grade(9)], ["Novice"] * 2),
        ("adept, essential: 10-19 (SYS-07)", [grade(10), grade(19)], ["Adept"] * 2),
        ("master, fundamental: 20-29 (SYS-07)", [grade(20), grade(29)], ["Master"] * 2),
        ("qualified, proficient: 30-39 (SYS-07)", [grade(30), grade(39)], ["Qualified"] * 2),
        ("expert, expertise: 40-49 (SYS-07)", [grade(40), grade(49)], ["Expert"] * 2),
        ("specialist: 50-59 (SYS-07)", [grade(50), grade(59)], ["Specialist"] * 2),
        ("exceptional, mastery: 60-69 (SYS-07)", [grade(60), grade(69)], ["Exceptional"] * 2),
        ("excellent: 70-79 (SYS-07)", [grade(70), grade(79)], ["Excellent"] * 2),
        ("supreme: 80-89 (SYS-07)", [grade(80), grade(89)], ["Supreme"] * 2),
        ("ultimate: 90-100 (SYS-07)", [grade(90), grade(100)], ["Ultimate"] * 2),
        ("the rate is reached: success (SYS-05)", thrown(45, 1, 45).success, True),
        ("the rate is surpassed: success (SYS-05)", thrown(46, 1, 45).success, True),
        ("the rate is not reached: failure (SYS-05)", thrown(44, 1, 45).success, False),
        ("a lower throw is the efficiency, in a failure too (SYS-04)", thrown(12, 30, 50).result, 30),
        ("the degree of failure is rate less result (SYS-06)", thrown(12, 30, 50).degree_of_failure, 20),
        ("a throw of 100% raises by 1% (SYS-09)", thrown(100, 49).efficiency_after, 50),
        ("until it is 100% (SYS-09)", thrown(100, 100).raised, False),
        ("above 95%, a raise of 3%: 96 (SYS-10)", thrown(96, 10, lowest=96, award=3).efficiency_after, 13),
        ("above 95%: not 95 (SYS-10)", thrown(95, 10, lowest=96, award=3).raised, False),
        ("read: a raise looks at the natural throw, not at what stands in for it (SYS-09)", thrown(3, 97, lowest=96).raised, False),
        ("read: a raise needs no success (SYS-09)", thrown(97, 10, 99, lowest=96).raised, True),
        ("a rate that the efficiency reaches needs no throw (SYS-05)", rules.needs_throw(efficiency=50, necessary_rate=50).throw_required, False),
        ("the superior throw comes first (SYS-13)", order((5, 60, 1), (5, 70, 1)), "b a"),
        ("read: throws are compared once the efficiency stands in (SYS-04, SYS-13)", order((60, 20, 1), (5, 55, 1)), "a b"),
        ("equal throws: the highest efficiency (SYS-14)", order((30, 80, 1), (45, 80, 1)), "b a"),
        ("equal too: the game master decides (SYS-14)", order((30, 80, 1), (30, 80, 1)), "a+b"),
        ("a raise throw counts in it (SYS-14)", order((40, 100, 1), (40, 100, 1), (41, 99, 1)), "a+b c"),
        ("superior velocity comes first, whatever is thrown (SYS-15)", order((5, 100, 1), (5, 0, 2)), "b a"),
        ("read: priority and success are two; a forced act that fails keeps its place (SYS-16)", rules.challenge(acts=(RankedAct(id="a", efficiency=5, natural=70, necessary_rate=75), RankedAct(id="b", efficiency=5, natural=60))).order, (("a",), ("b",))),
    ],
    ids=lambda value: value if isinstance(value, str) and "SYS" in value else "",
)  # fmt: skip
def test_what_the_source_says_holds(name: str, worked: Any, is_: Any) -> None:
    assert worked == is_


# Each rule against an oracle


def must_throw(act: RankedAct, acts: Sequence[RankedAct]) -> bool:
    alone = all(other is act or other.speed != act.speed for other in acts)
    return not alone or (act.necessary_rate or 0) > act.efficiency


@st.composite
def challenges(draw: Callable[[st.SearchStrategy[Any]], Any]) -> tuple[list[RankedAct], int, int]:
    """Two to eight acts, and the settings of the raise."""
    names = draw(st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=8, unique=True))
    acts = [
        RankedAct(
            id=name,
            efficiency=draw(EFFICIENCY),
            natural=draw(NATURAL),
            velocity=draw(st.none() | st.integers(1, 3)),
            necessary_rate=draw(st.none() | PERCENT),
        )
        for name in names
    ]
    quiet = draw(st.sets(st.sampled_from(names)))
    acts = [act.replace(natural=None) if act.id in quiet and not must_throw(act, acts) else act for act in acts]
    return acts, draw(st.sampled_from([100, 96, 40, 1])), draw(AWARD)


def check_challenge(
    acts: list[RankedAct], lowest: int, award: int, shuffled: Callable[[list[str]], Sequence[str]]
) -> None:
    """Hold a challenge against the oracle: order, ties, who must throw, results, and the order that a GM gives."""
    expected = ordered(acts, lowest, award)
    tied = sorted(name for group in expected if len(group) > 1 for name in group)
    found = rules.challenge(acts=tuple(acts), raise_from=lowest, raise_award=award)
    assert [list(group) for group in found.order] == expected
    assert found.ruling_required is bool(tied)
    assert throwers(acts) == [act.id for act in acts if must_throw(act, acts)]
    assert jsonable(found.results) == {act.id: oracle(act, lowest, award) for act in acts if act.natural is not None}
    speeds = sorted({act.speed for act in acts}, reverse=True)
    together = [tuple(sorted(act.id for act in acts if act.speed == speed)) for speed in speeds]
    assert found.challenged == tuple(names for names in together if len(names) > 1)
    said = tuple(shuffled(tied))
    ruled = rules.challenge(acts=tuple(acts), raise_from=lowest, raise_award=award, ruling=said)
    assert not ruled.ruling_required
    one_by_one = [[name] for group in expected for name in sorted(group, key=[*said, *"abcdefgh"].index)]
    assert [list(group) for group in ruled.order] == one_by_one


def check_silence(acts: list[RankedAct], silent: RankedAct) -> None:
    """Hold an act that did not throw against the oracle: whether that is refused, by its name."""
    made = tuple(act.replace(natural=None) if act is silent else act for act in acts)
    if must_throw(silent, acts):
        with pytest.raises(Refused, match=rf"^These cards still have to roll: {silent.id}\.$"):
            rules.challenge(acts=made)
    else:
        assert silent.id not in rules.challenge(acts=made).results


@examples(200)
@given(made=challenges(), data=st.data())
def test_sys_13_to_16_a_challenge_is_what_comparing_pairs_says(
    made: tuple[list[RankedAct], int, int], data: st.DataObject
) -> None:
    acts, lowest, award = made
    check_challenge(acts, lowest, award, lambda tied: data.draw(st.permutations(tied)))
    check_silence(acts, data.draw(st.sampled_from(acts)))


def test_sys_13_to_16_thousands_of_challenges_are_what_comparing_pairs_says() -> None:
    chance = Random(13)  # noqa: S311  seeded on purpose
    seen = 0
    for _ in range(tried(4000)):
        acts = [
            RankedAct(
                id=name,
                efficiency=chance.choice([1, 40, 41, 97, 99, 100, chance.randint(1, 100)]),
                natural=chance.choice([1, 40, 80, 97, 100, chance.randint(1, 100)]),
                velocity=chance.choice([None, 1, 1, 2, 3]),
                necessary_rate=chance.choice([None, chance.randint(1, 100)]),
            )
            for name in chance.sample("abcdefgh", chance.randint(2, 8))
        ]
        acts = [act if must_throw(act, acts) or chance.random() < 0.5 else act.replace(natural=None) for act in acts]
        lowest, award = chance.choice([100, 96, 40, 1]), chance.randint(1, 120)
        check_challenge(acts, lowest, award, lambda tied: chance.sample(tied, len(tied)))
        check_silence(acts, chance.choice(acts))
        seen += rules.challenge(acts=tuple(acts), raise_from=lowest, raise_award=award).ruling_required
    assert seen > tried(500)


@examples(1000)
@given(natural=NATURAL, efficiency=EFFICIENCY, rate=st.none() | PERCENT, lowest=PERCENT, award=AWARD)
def test_sys_04_to_10_a_throw_is_what_counting_up_says(
    natural: int, efficiency: int, rate: int | None, lowest: int, award: int
) -> None:
    act = RankedAct(id="a", efficiency=efficiency, natural=natural, necessary_rate=rate)
    assert jsonable(thrown(natural, efficiency, rate, lowest, award)) == oracle(act, lowest, award)


def test_sys_02_tens_and_units_are_each_number_from_1_to_100_once() -> None:
    found = [rules.read_percentile(tens=tens, units=units) for tens in range(10) for units in range(10)]
    assert found == [100, *range(1, 100)]


def test_sys_05_sys_11_the_chance_is_what_the_hundred_throws_come_to() -> None:
    for efficiency in range(1, 101):
        for rate in range(1, 101, 3):
            came = [max(natural, efficiency) >= rate for natural in range(1, 101)]
            assert rules.chance(necessary_rate=rate, efficiency=efficiency) == sum(came)
            need = rules.needs_throw(efficiency=efficiency, necessary_rate=rate)
            assert (need.throw_required, need.success) == (not all(came), True if all(came) else None)


def told_by_both(
    act: RankedAct, order: Sequence[Sequence[str]], acts: Sequence[RankedAct], alone: ThrowOutcome
) -> bool | None:
    """Whether an act succeeds where forced acts need the first place too: by who is ahead of it, and who beside."""
    rivals = {other.id for other in acts if other.speed == act.speed and other is not act}
    own = next(place for place, group in enumerate(order) if act.id in group)
    if not rivals or not alone.success:
        return alone.success
    if any(rivals & {*group} for group in order[:own]):
        return False
    return None if rivals & {*order[own]} else True


@examples(200)
@given(made=challenges(), data=st.data())
def test_sys_16_forced_as_both_an_act_needs_the_first_place_too_and_nothing_else_changes(
    made: tuple[list[RankedAct], int, int], data: st.DataObject
) -> None:
    acts, lowest, award = made
    tied = [name for group in ordered(acts, lowest, award) if len(group) > 1 for name in group]
    for said in (None, tuple(data.draw(st.permutations(tied)))):
        alone, both = (
            rules.challenge(acts=tuple(acts), raise_from=lowest, raise_award=award, ruling=said, forced=forced)
            for forced in ("rate", "both")
        )
        succeed = {act.id: told_by_both(act, alone.order, acts, alone.results[act.id]) for act in acts if act.natural}
        assert {name: result.success for name, result in both.results.items()} == succeed
        expected = {name: result.replace(success=succeed[name]) for name, result in alone.results.items()}
        assert both == alone.replace(results=expected)


def check_odds(efficiency: int, against: int, lowest: int = 100, award: int = 1) -> None:
    """Hold the odds against every pair of throws, played."""
    counted: Counter[str] = Counter()
    for mine in range(1, 101):
        for theirs in range(1, 101):
            pair = (
                RankedAct(id="a", efficiency=efficiency, natural=mine),
                RankedAct(id="b", efficiency=against, natural=theirs),
            )
            order = rules.challenge(acts=pair, raise_from=lowest, raise_award=award).order
            counted[{("a",): "first", ("b",): "second", ("a", "b"): "tied"}[order[0]]] += 1
    found = rules.challenge_chance(efficiency=efficiency, against=against, raise_from=lowest, raise_award=award)
    assert found.of == 10_000
    assert found.ways == {way: counted[way] for way in ("first", "second", "tied")}


def test_sys_23_the_odds_of_a_challenge_are_what_all_pairs_of_throws_come_to() -> None:
    check_odds(40, 41, lowest=96, award=3)
    chance = Random(23)  # noqa: S311  seeded on purpose
    for _ in range(tried(4)):
        check_odds(chance.randint(1, 100), chance.randint(1, 100), chance.randint(1, 100), chance.randint(1, 120))


def test_sys_07_every_rate_has_the_grade_of_its_ten() -> None:
    names = [
        "Novice",
        "Adept",
        "Master",
        "Qualified",
        "Expert",
        "Specialist",
        "Exceptional",
        "Excellent",
        "Supreme",
        "Ultimate",
    ]
    assert [grade(rate) for rate in range(1, 101)] == [names[min(rate // 10, 9)] for rate in range(1, 101)]


@examples(1000)
@given(points=st.integers(0, 120), efficiency=PERCENT, price=st.integers(0, 5), bought=st.integers(0, 110))
def test_sys_12_a_purchase_is_what_buying_point_by_point_says(
    points: int, efficiency: int, price: int, bought: int
) -> None:
    left, stands = points, efficiency
    for _ in range(bought):
        left, stands = left - price, stands + 1
    if not bought or left < 0 or stands > 100:
        with pytest.raises(Refused):
            rules.purchase(core_points=points, efficiency=efficiency, price=price, points=bought)
    else:
        found = rules.purchase(core_points=points, efficiency=efficiency, price=price, points=bought)
        assert (found.core_points, found.efficiency) == (left, stands)


@given(velocity=st.integers(1, 60))
def test_sys_15_acts_come_at_the_middles_of_equal_parts(velocity: int) -> None:
    found = [Fraction(each) for each in rules.action_times(velocity=velocity)]
    assert found == [(Fraction(n, velocity) + Fraction(n + 1, velocity)) / 2 for n in range(velocity)]


# What is refused

A, B = {"id": "a", "efficiency": 40, "natural": 80}, {"id": "b", "efficiency": 40, "natural": 80}
THROW = {"natural": 50, "efficiency": 10}
BUY = {"core_points": 100, "efficiency": 5, "price": 3, "points": 20}


@pytest.mark.parametrize(
    ("rule", "given_", "why"),
    [
        ("read_percentile", {"tens": 10, "units": 0}, "A digit must be 0 to 9, not 10."),
        ("read_percentile", {"tens": 0, "units": 10}, "A digit must be 0 to 9, not 10."),
        ("read_percentile", {"tens": -1, "units": 0}, "'tens'"),
        ("read_percentile", {"tens": 1.0, "units": 0}, "whole number"),
        ("read_percentile", {"tens": True, "units": 0}, "whole number"),
        ("read_percentile", {"tens": 1}, "'units' is missing"),
        ("throw", {**THROW, "natural": 0}, "A d100 cannot show 0."),
        ("throw", {**THROW, "natural": 101}, "A d100 cannot show 101."),
        ("throw", {**THROW, "natural": None}, "whole number"),
        ("throw", {**THROW, "natural": "50"}, "whole number"),
        ("throw", {**THROW, "efficiency": 0}, "The efficiency must be 1 to 100, not 0."),
        ("throw", {**THROW, "efficiency": 101}, "The efficiency must be 1 to 100, not 101."),
        ("throw", {**THROW, "necessary_rate": 0}, "The necessary rate must be 1 to 100, not 0."),
        ("throw", {**THROW, "necessary_rate": 101}, "The necessary rate must be 1 to 100, not 101."),
        ("throw", {**THROW, "raise_from": 0}, "The lowest roll that raises the efficiency must be 1 to 100, not 0."),
        (
            "throw",
            {**THROW, "raise_from": 101},
            "The lowest roll that raises the efficiency must be 1 to 100, not 101.",
        ),
        ("throw", {**THROW, "raise_award": 0}, "raise_award"),
        ("throw", {**THROW, "raise_award": 10**30}, "raise_award"),
        ("throw", {**THROW, "luck": 1}, "'luck' is not an input of this rule"),
        ("needs_throw", {"efficiency": 50, "necessary_rate": 101}, "The necessary rate must be 1 to 100"),
        ("needs_throw", {"efficiency": 50}, "'necessary_rate' is missing"),
        ("challenge", {"acts": [A]}, "two cards or more"),
        ("challenge", {"acts": []}, "two cards or more"),
        ("challenge", {"acts": "ab"}, "must be a list"),
        ("challenge", {"acts": [A, A]}, "You named a card twice"),
        ("challenge", {"acts": [A, {**B, "natural": None}]}, "These cards still have to roll: b."),
        ("challenge", {"acts": [A, {**B, "natural": 0}]}, "A d100 cannot show 0."),
        ("challenge", {"acts": [A, {**B, "natural": 101}]}, "A d100 cannot show 101."),
        ("challenge", {"acts": [A, {**B, "efficiency": 0}]}, "The efficiency must be 1 to 100, not 0."),
        (
            "challenge",
            {"acts": [A, {**B, "velocity": 2, "natural": None, "efficiency": 0}]},
            "The efficiency must be 1",
        ),
        ("challenge", {"acts": [A, {**B, "velocity": 0}]}, "A velocity must be 1 or more, not 0."),
        ("challenge", {"acts": [A, {**B, "velocity": 2, "natural": None, "necessary_rate": 0}]}, "necessary rate"),
        (
            "challenge",
            {"acts": [A, {**B, "velocity": 2, "natural": None, "necessary_rate": 41}]},
            "These cards still have to roll: b.",
        ),
        ("challenge", {"acts": [A, {**B, "zeal": 2}]}, "acts.1.zeal"),
        ("challenge", {"acts": [A, {"id": "b", "natural": 3}]}, "acts.1.efficiency"),
        ("challenge", {"acts": [A, {**B, "id": 7}]}, "acts.1.id"),
        (
            "challenge",
            {"acts": [A, B], "raise_from": 0},
            "The lowest roll that raises the efficiency must be 1 to 100, not 0.",
        ),
        ("challenge", {"acts": [A, B], "raise_award": 0}, "raise_award"),
        ("challenge", {"acts": [A, B], "ruling": []}, "The order must name exactly the tied cards: a, b."),
        ("challenge", {"acts": [A, B], "ruling": ["a"]}, "exactly the tied cards"),
        ("challenge", {"acts": [A, B], "ruling": ["a", "a"]}, "exactly the tied cards"),
        ("challenge", {"acts": [A, B], "ruling": ["a", "b", "b"]}, "exactly the tied cards"),
        ("challenge", {"acts": [A, B], "ruling": ["a", "x"]}, "exactly the tied cards"),
        (
            "challenge",
            {"acts": [A, {**B, "natural": 79}], "ruling": ["a", "b"]},
            "The order must name exactly the tied cards: none.",
        ),
        ("challenge", {"acts": [A, B], "forced": "either"}, "'forced' must be 'rate' or 'both'."),
        ("challenge_chance", {"efficiency": 0, "against": 20}, "The efficiency must be 1 to 100, not 0."),
        ("challenge_chance", {"efficiency": 20, "against": 101}, "The efficiency must be 1 to 100, not 101."),
        (
            "challenge_chance",
            {"efficiency": 20, "against": 20, "raise_from": 0},
            "The lowest roll that raises the efficiency must be 1 to 100, not 0.",
        ),
        ("challenge_chance", {"efficiency": 20}, "'against' is missing"),
        ("grade", {"rate": 0}, "The rate must be 1 to 100, not 0."),
        ("grade", {"rate": 101}, "The rate must be 1 to 100, not 101."),
        ("grade", {"rate": "Novice"}, "whole number"),
        ("chance", {"necessary_rate": 0, "efficiency": 1}, "The necessary rate must be 1 to 100"),
        ("chance", {"necessary_rate": 1, "efficiency": 0}, "The efficiency must be 1 to 100"),
        ("purchase", {**BUY, "points": 0}, "Buy at least 1 point."),
        ("purchase", {**BUY, "points": 34}, "This purchase costs 102 core points, but only 100 are left."),
        ("purchase", {**BUY, "core_points": 1, "points": 1}, "This purchase costs 3 core points, but only 1 is left."),
        (
            "purchase",
            {**BUY, "price": 0, "points": 96},
            "This purchase would raise the efficiency to 101; the limit is 100.",
        ),
        ("purchase", {**BUY, "price": -1}, "price"),
        ("purchase", {**BUY, "efficiency": 0}, "The efficiency must be 1 to 100, not 0."),
        ("action_times", {"velocity": 0}, "velocity"),
        ("action_times", {"velocity": 10**9}, "velocity"),
    ],
)
def test_what_is_outside_is_refused_in_one_sentence_and_never_clamped(
    rule: str, given_: dict[str, Any], why: str
) -> None:
    with pytest.raises(LedgerError) as refused:
        trial.rule_outcome(f"syscards.{rule}", given_)
    assert why in refused.value.sentence


@pytest.mark.parametrize("left_out", ["necessary_rate", "raise_from", "raise_award"])
def test_a_field_with_a_default_may_be_left_out_or_null(left_out: str) -> None:
    full = {**THROW, "necessary_rate": None, "raise_from": 100, "raise_award": 1}
    assert trial.rule_outcome("syscards.throw", {**full, left_out: None}) == trial.rule_outcome("syscards.throw", full)
