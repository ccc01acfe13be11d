"""Byzantine: the vectors, the words of the source, and every rule against an oracle."""

from fractions import Fraction
from math import ceil, floor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli import try_rule as trial
from examples import examples
from ledger.errors import Refused
from ledger.systems.byzantine import SYSTEM, moves, rules
from ledger.systems.byzantine import consequences as kinds
from ledger.systems.byzantine.rules import Side

# The source


def worked(rule: str, **given: Any) -> dict[str, Any]:
    return trial.rule_outcome(f"byzantine.{rule}", given)


@pytest.mark.parametrize(
    ("name", "found", "says"),
    [
        ("25% for a day of little sleep (BYZ-04)", worked("sleep", net=8, nights_little=1), {"available": 6}),
        ("50% for a day of none (BYZ-04)", worked("sleep", net=8, nights_none=1), {"available": 4}),
        ("per day, so that days add up (BYZ-04)", worked("sleep", net=8, nights_little=2), {"available": 4}),
        ("read: the loss is rounded up, as in decay (BYZ-04)", worked("sleep", net=5, nights_none=1), {"available": 2}),
        ("repaid the next day at double (BYZ-06)", worked("repay_debt", debt=2, available=5), {"due": 4, "alive": True, "left": 1}),
        ("dead where it cannot be paid off (BYZ-07)", worked("repay_debt", debt=3, available=5), {"due": 6, "alive": False, "left": None}),
        ("for every 5, 1 more the next day (BYZ-08)", worked("invest_general", energy=5), {"stored": 1, "wasted": 0}),
        ("for every 5, 4 in the project (BYZ-09)", worked("invest_specific", energy=5), {"added": 4, "wasted": 0}),
        ("decay of 1 a day (BYZ-11)", worked("decay", pool=12), {"lost": 1}),
        ("or 5%, whichever is more (BYZ-11)", worked("decay", pool=60), {"lost": 3}),
        ("read: taken literally and rounded up, 21 loses 2 (BYZ-11)", worked("decay", pool=21), {"lost": 2}),
        ("read: what was invested today does not decay tonight, or 5 would give 0 (BYZ-11)", worked("rollover", opening=0, spent=0, deposited=1), {"decay": 0, "closing": 1}),
        ("1 for every full 10 of a cancelled project (BYZ-12)", worked("cancel_project", invested=25, pool=20), {"recouped": 2}),
        ("read: by the letter, also of an empty pool (BYZ-12)", worked("cancel_project", invested=25, pool=0), {"recouped": 2}),
        ("about 20 a point of an input or output (BYZ-16)", worked("alter_connection", points=1), {"cost": 20}),
        ("one area takes 5, typically (BYZ-17)", worked("move_cost"), {"cost": 5}),
        ("one more to another level (BYZ-17)", worked("move_cost", level_change=True), {"cost": 6}),
        ("two more to another district (BYZ-17)", worked("move_cost", district_change=True), {"cost": 7}),
        ("read: both together are three more (BYZ-17)", worked("move_cost", level_change=True, district_change=True), {"cost": 8}),
        ("the opposition's total commitment is the cost (BYZ-21)", worked("contest", opposition=[{"energy": 5, "ability": 5}]), {"cost": 10}),
        ("or raises the cost (BYZ-21)", worked("contest", base=12, opposition=[{"energy": 3, "ability": 2}]), {"cost": 17}),
        ("a base of 40 to kill (BYZ-23)", worked("kill_cost", victim_ability=3, victim_energy=0), {"cost": 43}),
        ("about 20% less to know a cost (BYZ-24)", worked("knowing_cost", cost=40), {"suggested": 32}),
        ("equal to the cost succeeds (BYZ-14)", worked("commit", ability=4, energy=3, cost=7), {"total": 7, "success": True, "spent": 3}),
        ("read: to invest more in an attack counts ability, and is strict (BYZ-22)", worked("attack", attacker={"energy": 6, "ability": 4}, defender={"energy": 5, "ability": 5}), {"winner": None}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_the_source_says_in_numbers_holds(name: str, found: dict[str, Any], says: dict[str, Any]) -> None:
    assert found == says


def test_every_rule_of_the_page_is_said_and_kept() -> None:
    ids = [f"BYZ-{n:02}" for n in range(1, 26)]
    assert list(kinds.PAGE) == ids
    assert {each for move in moves.MOVES for each in move.ids} | {
        each for rule in SYSTEM.rulebook().rules for each in rule.ids
    } == set(ids)
    assert {kind.rule for kind in SYSTEM.rulebook().kinds} <= set(ids)


# Each rule against an oracle

SMALL = st.integers(0, 90)
NET = st.integers(-30, 60)
MANY = examples(1000)


@MANY
@given(sides=st.lists(st.tuples(st.integers(-5, 0), st.integers(0, 5)), max_size=9))
def test_byz_01_the_net_is_all_that_comes_less_all_that_goes(sides: list[tuple[int, int]]) -> None:
    found = rules.net_energy(connections=tuple(sides))
    assert found.net == sum(got for _, got in sides) - sum(-given for given, _ in sides)
    poor = [-given - got for given, got in sides if -given > got]
    assert found.negatives == -sum(poor)
    assert found.valid_at_creation is not (found.net > 5 or sum(poor) > 20)


@MANY
@given(net=NET, little=st.integers(0, 6), none=st.integers(0, 4))
def test_byz_04_sleep_takes_quarters_of_the_net_rounded_up_four_at_most(net: int, little: int, none: int) -> None:
    quarters = sorted([0, little + 2 * none, 4])[1]
    lost = ceil(Fraction(max(net, 0) * quarters, 4))
    assert rules.sleep(net=net, nights_little=little, nights_none=none) == net - lost


@MANY
@given(net=NET, little=st.integers(0, 4), none=st.integers(0, 2), debt=st.integers(0, 40), general=SMALL)
def test_byz_05_byz_06_a_dawn_is_paid_unit_by_unit(net: int, little: int, none: int, debt: int, general: int) -> None:
    day, pool, due = rules.sleep(net=net, nights_little=little, nights_none=none), general, 2 * debt
    while due and (day > 0 or pool):
        if day > 0:
            day -= 1
        else:
            pool -= 1
        due -= 1
    found = rules.dawn(net=net, nights_little=little, nights_none=none, debt=debt, general=general)
    assert (found.alive, found.due) == (due == 0, 2 * debt)
    assert (found.available, found.general) == ((None, None) if due else (day, pool))


@MANY
@given(debt=st.integers(0, 50), available=st.integers(-20, 100))
def test_byz_07_a_debt_kills_where_its_double_is_more_than_there_is(debt: int, available: int) -> None:
    found = rules.repay_debt(debt=debt, available=available)
    alive = debt + debt <= available or debt == 0
    assert (found.alive, found.left) == (alive, available - debt - debt if alive else None)
    assert rules.lethal(debt, available) is not alive


@MANY
@given(energy=st.integers(1, 500))
def test_byz_08_byz_09_byz_10_each_full_five_counts_and_the_rest_is_lost(energy: int) -> None:
    fives = len(range(5, energy + 1, 5))
    general, project = rules.invest_general(energy=energy), rules.invest_specific(energy=energy)
    assert (general.stored, project.added) == (fives, fives * 4)
    assert general.wasted == project.wasted == energy - 5 * fives


@MANY
@given(opening=st.integers(0, 500), spent=st.integers(0, 500), deposited=SMALL)
def test_byz_11_a_pool_loses_five_percent_and_at_least_one_of_what_is_not_spent(
    opening: int, spent: int, deposited: int
) -> None:
    if spent > opening:
        with pytest.raises(Refused, match=f"The pool started the day with {opening} energy, so it cannot pay {spent}"):
            rules.rollover(opening=opening, spent=spent, deposited=deposited)
        return
    carried = opening - spent
    lost = max(ceil(Fraction(5 * carried, 100)), 1) if carried else 0
    found = rules.rollover(opening=opening, spent=spent, deposited=deposited)
    assert (found.decay, found.closing) == (lost, carried - lost + deposited)
    assert rules.decay(pool=carried) == lost


@MANY
@given(invested=st.integers(0, 400), pool=st.integers(0, 60))
def test_byz_12_a_canceled_project_gives_back_a_tenth_whatever_it_holds(invested: int, pool: int) -> None:
    assert rules.cancel_project(invested=invested, pool=pool) == len(range(10, invested + 1, 10))


@MANY
@given(
    commit=SMALL,
    pools=st.tuples(st.integers(0, 30), st.integers(-20, 30), st.integers(0, 30)),
    order=st.permutations(rules.SOURCES),
    named=st.integers(0, 3),
    over=st.booleans(),
)
def test_byz_13_energy_is_drawn_unit_by_unit_from_the_project_the_day_the_general_pool(
    commit: int, pools: tuple[int, int, int], order: list[str], named: int, over: bool
) -> None:
    project, day, general = pools
    held = dict(zip(rules.SOURCES, pools, strict=True))
    first = order[:named]
    units = [name for name in [*first, *(name for name in held if name not in first)] for _ in range(held[name])]
    taken = units[:commit]
    if commit > len(units) and not over:
        with pytest.raises(Refused, match=f"^Only {len(units)} energy is available, and {commit} is needed"):
            rules.draw(commit=commit, project=project, day=day, general=general, order=tuple(first))
        return
    found = rules.draw(commit=commit, project=project, day=day, general=general, order=tuple(first), overdraft=over)
    assert (found.project, found.day, found.general) == tuple(map(taken.count, ("project", "day", "general")))
    assert found.debt == commit - len(taken)


@MANY
@given(ability=SMALL, energy=SMALL, cost=SMALL)
def test_byz_14_a_task_is_done_where_nothing_is_left_of_the_cost(ability: int, energy: int, cost: int) -> None:
    found = rules.commit(ability=ability, energy=energy, cost=cost)
    assert (found.total, found.spent) == (energy + ability, energy)
    assert found.success is (cost - ability - energy <= 0)


@MANY
@given(
    cost=st.integers(0, 20),
    ability=st.integers(0, 12),
    energy=st.integers(0, 12),
    daily=st.booleans(),
    way=st.booleans(),
)
def test_byz_18_byz_19_a_way_is_taken_or_not_and_an_area_is_reached_perhaps_lost(
    cost: int, ability: int, energy: int, daily: bool, way: bool
) -> None:
    said: dict[str, Any] = {"cost": cost, "ability": ability, "commit": energy, "daily": daily}
    if energy == 0 and not daily:
        with pytest.raises(Refused, match="at least 1 energy"):
            rules.travel(**said, destination="way" if way else "area")
        return
    found = rules.travel(**said, destination="way" if way else "area")
    there = {(True, True): "there", (True, False): "there", (False, True): "here", (False, False): "lost"}
    came = there[ability + energy >= cost, way]
    assert (found.moved, found.lost, found.success) == (came != "here", came == "lost", came == "there")
    assert found.spent == energy


@MANY
@given(base=st.none() | SMALL, sides=st.lists(st.tuples(SMALL, SMALL), min_size=1, max_size=5))
def test_byz_21_opposition_adds_all_that_it_brings(base: int | None, sides: list[tuple[int, int]]) -> None:
    found = rules.contest(base=base, opposition=tuple(Side(energy=e, ability=a) for e, a in sides))
    assert found == sum(map(sum, sides), base or 0)


@MANY
@given(one=st.tuples(SMALL, SMALL), other=st.tuples(SMALL, SMALL))
def test_byz_22_whoever_brings_strictly_more_wins(one: tuple[int, int], other: tuple[int, int]) -> None:
    found = rules.attack(attacker=Side(energy=one[0], ability=one[1]), defender=Side(energy=other[0], ability=other[1]))
    assert found == {1: "attacker", -1: "defender", 0: None}[(sum(one) > sum(other)) - (sum(one) < sum(other))]


@MANY
@given(energy=st.integers(-20, 30), there=st.integers(-10, 40))
def test_byz_22_the_most_that_is_taken_is_the_last_that_does_not_kill(energy: int, there: int) -> None:
    most = rules.max_deduction(energy=energy, next_available=there)
    alive = [taken for taken in range(100) if rules.repay_debt(debt=max(0, taken - energy), available=there).alive]
    assert most == max(alive, default=0)


@MANY
@given(energy=st.integers(-20, 5), there=st.integers(-10, 40))
def test_byz_23_one_below_zero_whom_one_more_would_kill_may_be_killed(energy: int, there: int) -> None:
    one_more = rules.repay_debt(debt=max(0, 1 - energy), available=there)
    assert rules.killable(energy=energy, next_available=there) is (energy < 0 and not one_more.alive)


@MANY
@given(cost=st.integers(0, 4000))
def test_byz_24_knowing_is_suggested_at_four_fifths_to_the_nearest(cost: int) -> None:
    assert rules.knowing_cost(cost=cost) == floor(Fraction(4 * cost, 5) + Fraction(1, 2))


@MANY
@given(
    points=st.integers(1, 10),
    ability=SMALL,
    energy=SMALL,
    base=st.sampled_from([4, 5, 6]),
    level=st.booleans(),
    district=st.booleans(),
)
def test_byz_16_byz_17_byz_23_costs_are_counted_up(
    points: int, ability: int, energy: int, base: int, level: bool, district: bool
) -> None:
    assert rules.alter_connection(points=points) == sum([20] * points)
    assert rules.kill_cost(victim_ability=ability, victim_energy=energy) == 40 + ability + energy
    assert rules.kill_cost(victim_ability=ability, victim_energy=energy, base=base) == base + ability + energy
    cost = rules.travel_cost(base=base, level_change=level, district_change=district)
    assert cost == len([*range(base), *["level"] * level, *["a", "b"] * district])


# What is refused

SIDE = {"energy": 1, "ability": 1}


@pytest.mark.parametrize(
    ("rule", "given", "why"),
    [
        ("net_energy", {"connections": [[-6, 0]]}, "not −6 and 0"),
        ("net_energy", {"connections": [[0, 6]]}, "not 0 and 6"),
        ("net_energy", {"connections": [[0, -1]]}, "not 0 and −1"),
        ("net_energy", {"connections": [[0]]}, "is missing|required"),
        ("net_energy", {"connections": 5}, "must be a list"),
        ("net_energy", {}, "is missing"),
        ("sleep", {"net": 5, "nights_little": -1}, "nights_little"),
        ("sleep", {"net": "5"}, "must be a whole number"),
        ("sleep", {"net": 5.0}, "must be a whole number"),
        ("sleep", {"net": True}, "must be a whole number"),
        ("sleep", {"net": 5, "nights": 1}, "is not an input of this rule"),
        ("dawn", {"net": 5, "debt": -1, "general": 0}, "debt"),
        ("dawn", {"net": 5, "debt": 0, "general": -1}, "general"),
        ("dawn", {"net": 5, "debt": 0}, "is missing"),
        ("repay_debt", {"debt": -1, "available": 5}, "debt"),
        ("repay_debt", {"debt": None, "available": 5}, "must be a whole number"),
        ("invest_general", {"energy": 0}, "energy"),
        ("invest_general", {"energy": -5}, "energy"),
        ("invest_specific", {"energy": 0}, "energy"),
        ("decay", {"pool": -1}, "pool"),
        ("decay", {"pool": 2**60}, "pool"),
        ("rollover", {"opening": 4, "spent": 5, "deposited": 0}, "it cannot pay 5"),
        ("rollover", {"opening": 4, "spent": 0, "deposited": -1}, "deposited"),
        ("cancel_project", {"invested": -1, "pool": 0}, "invested"),
        ("commit", {"ability": -1, "energy": 0, "cost": 0}, "ability"),
        ("commit", {"ability": 0, "energy": -1, "cost": 0}, "energy"),
        ("commit", {"ability": 0, "energy": 0, "cost": -1}, "cost"),
        ("draw", {"commit": 9, "project": 1, "day": 2, "general": 3}, "Only 6 energy is available, and 9"),
        ("draw", {"commit": 9, "project": 1, "day": -5, "general": 3}, "Only 4 energy is available, and 9"),
        ("draw", {"commit": 9, "project": -1, "day": 0, "general": 3}, "project"),
        ("draw", {"commit": 1, "project": 0, "day": 0, "general": 3, "overdraft": 1}, "true or false|boolean"),
        ("draw", {"commit": 1, "project": 0, "day": 1, "general": 3, "order": ["purse"]}, "You typed: purse"),
        ("draw", {"commit": 1, "project": 0, "day": 1, "general": 3, "order": "day"}, "must be a list"),
        ("move_cost", {"base": 3}, "4, 5 or 6, not 3"),
        ("move_cost", {"base": 7}, "4, 5 or 6, not 7"),
        ("move_cost", {"base": 5, "level_change": "yes"}, "level_change"),
        ("move", {"cost": 5, "ability": 9, "commit": 0, "destination": "way"}, "at least 1 energy"),
        ("move", {"cost": -1, "ability": 0, "commit": 1, "destination": "way"}, "cost"),
        ("move", {"cost": 5, "ability": 0, "commit": 1, "destination": "roof"}, "destination"),
        ("move", {"cost": 5, "ability": 0, "commit": 1}, "is missing"),
        ("contest", {"base": 5, "opposition": []}, "needs opponents"),
        ("contest", {"opposition": []}, "needs opponents"),
        ("contest", {"base": -1, "opposition": [SIDE]}, "base"),
        ("contest", {"opposition": [{"energy": 1}]}, "opposition"),
        ("contest", {"opposition": [SIDE | {"luck": 1}]}, "opposition"),
        ("contest", {"opposition": [{"energy": 2**53 - 1, "ability": 5}]}, r"\d"),
        ("attack", {"attacker": SIDE}, "is missing"),
        ("attack", {"attacker": SIDE, "defender": 5}, "defender"),
        ("attack", {"attacker": SIDE, "defender": {"energy": -1, "ability": 0}}, "energy"),
        ("max_deduction", {"energy": "x", "next_available": 1}, "must be a whole number"),
        ("killable", {"energy": -1}, "is missing"),
        ("kill_cost", {"victim_ability": -1, "victim_energy": 0}, "victim_ability"),
        ("knowing_cost", {"cost": -1}, "cost"),
        ("alter_connection", {"points": 0}, "points"),
        ("alter_connection", {"points": -2}, "points"),
    ],
)  # fmt: skip
def test_what_is_outside_the_rules_is_refused_and_never_clamped(rule: str, given: dict[str, Any], why: str) -> None:
    with pytest.raises(Refused, match=why) as refused:
        worked(rule, **given)
    assert refused.value.sentence.endswith(".")


@pytest.mark.parametrize("absent", [{"said": None}, {}])
def test_what_has_a_default_may_be_null_or_left_out(absent: dict[str, None]) -> None:
    def null(*names: str) -> dict[str, None]:
        return dict.fromkeys(names) if absent else {}

    assert worked("sleep", net=5, **null("nights_little", "nights_none")) == {"available": 5}
    assert worked("move_cost", **null("base", "level_change", "district_change")) == {"cost": 5}
    assert worked("contest", opposition=[SIDE], **null("base")) == {"cost": 2}
    assert worked("draw", commit=1, project=1, day=0, general=0, **null("overdraft"))["project"] == 1
    assert worked("move", cost=1, ability=0, commit=1, destination="way", **null("daily"))["moved"] is True
