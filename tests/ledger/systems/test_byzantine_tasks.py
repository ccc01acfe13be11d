"""Byzantine at its tasks: costs and who knows them, ways through the city, fights."""

from collections.abc import Iterator

import pytest

from byzantine_city import adjust, days, energies, follows, in_the_city, mark, play, row, says, score, step
from ledger.commands.at_table import Adjust, Join, SetMarks
from ledger.commands.decider import Sketch
from ledger.commands.play import PlayMove
from ledger.corrections.answers import Choose
from ledger.errors import BadInput, NotEnough, Refused
from ledger.journal.book import Book
from ledger.rules.move import Move
from ledger.systems.byzantine.moves_connections import Alter, Connect, Withhold
from ledger.systems.byzantine.moves_fights import EnergyAttack, Kill
from ledger.systems.byzantine.moves_tasks import Attempt, Know, Task
from ledger.systems.byzantine.moves_ways import FindWay, Go, Map
from table import last, scribe


@pytest.fixture
def city() -> Iterator[Book]:
    """A campaign in which mara and brak have a sheet in this game alone; no day has begun."""
    with in_the_city() as book:
        yield book


@pytest.fixture
def morning(city: Book) -> Book:
    """The same on its first day, of which mara has a net of 4 and brak of 5."""
    days(city)
    return city


# Tasks


def test_byz_13_energy_is_drawn_from_the_project_the_day_and_the_general_pool(city: Book) -> None:
    climb = Attempt(who="mara", task="climb", costs=30, energy=20, project="climb", ability="climbing")
    assert says(city, climb) == "climb is not done"
    assert energies(city, "mara", "project.climb", "energy", "general") == (0, 0, 4)
    with pytest.raises(NotEnough, match="mara has 4 energy and needs 5"):
        play(city, climb.replace(project=None, energy=5))
    written = scribe(city).write(
        PlayMove(system="byzantine", move=climb.replace(project=None, energy=5, overdraft=True))
    )
    assert last(written, "energy-spent")["facts"] == {"energy": 5, "overdraft": 1}
    assert energies(city, "mara", "energy", "general") == (-1, 0)
    with pytest.raises(NotEnough, match="mara has 0 energy and needs 1"):
        play(city, climb.replace(project=None, energy=1))


def test_byz_13_the_player_names_another_order_and_what_is_not_named_follows_in_the_usual_one(city: Book) -> None:
    climb = Attempt(who="mara", task="climb", costs=30, energy=9, project="climb", order=("general",))
    play(city, climb)
    assert energies(city, "mara", "project.climb", "energy", "general") == (5, 10, 0)
    with pytest.raises(NotEnough, match=r"needs 16: project climb 5, day 10, general pool 0\."):
        play(city, climb.replace(energy=16))
    play(city, climb.replace(energy=12, order=("day", "general")))
    assert energies(city, "mara", "project.climb", "energy", "general") == (3, 0, 0)


def test_byz_13_a_task_draws_first_from_the_project_of_its_own_name(city: Book) -> None:
    climb = Attempt(who="mara", task="climb", costs=9, energy=4)
    play(city, climb)
    assert energies(city, "mara", "project.climb", "energy") == (2, 10)
    play(city, climb.replace(order=("day",)))
    assert energies(city, "mara", "project.climb", "energy") == (2, 6)
    play(city, climb)
    assert energies(city, "mara", "project.climb", "energy") == (0, 4)
    play(city, climb)
    assert energies(city, "mara", "project.climb", "energy") == (0, 0)


def test_byz_13_every_way_below_zero_is_an_event_of_its_own(morning: Book) -> None:
    adjust(morning, "mara", general=-7)
    run = Attempt(who="mara", task="run", costs=9, energy=5, overdraft=True)
    done = scribe(morning).write(PlayMove(system="byzantine", move=run)).entries
    posted = [(e.type, [p["amount"] for p in e.body["postings"]]) for e in done if e.body["postings"]]
    assert posted == [("energy-spent", [-4]), ("debt-incurred", [-1])]
    attack = EnergyAttack(who="mara", target="brak", energy=0, answer=6, owing=True, take=0)
    with pytest.raises(NotEnough, match="brak has 5 energy and needs 6"):
        play(morning, attack.replace(owing=False))
    assert follows(morning, attack) == ["energy-spent", "debt-incurred"]
    assert score(morning, "brak", "energy") == -1
    adjust(morning, "brak", energy=3)
    attack = EnergyAttack(who="brak", target="mara", energy=1, take=1)
    assert follows(morning, attack) == ["energy-spent", "energy-attacked", "debt-incurred"]
    assert (score(morning, "mara", "energy"), score(morning, "brak", "energy")) == (-2, 1)


@pytest.mark.parametrize(
    ("costs", "energy", "ability", "good"),
    [
        (7, 3, "climbing", True),
        (8, 3, "climbing", False),
        (4, 0, "climbing", True),
        (0, 0, None, True),
        (1, 0, None, False),
    ],
)
def test_byz_14_a_task_is_done_where_energy_and_ability_reach_its_cost(
    city: Book, costs: int, energy: int, ability: str | None, good: bool
) -> None:
    played = play(city, Attempt(who="mara", task="wall", costs=costs, energy=energy, ability=ability))
    assert played["verdict"]["good"] is good
    assert score(city, "mara", "energy") == 10 - energy


def test_byz_15_a_cost_that_was_set_is_kept_told_or_adjusted_with_a_reason(city: Book) -> None:
    task = Task(who="mara", task="climb", costs=9)
    assert says(city, task) == "climb has a cost"
    for wrong in (task, task.replace(costs=None)):
        with pytest.raises(BadInput):
            play(city, wrong)
    assert says(city, task.replace(costs=7, why="a rope")) == "climb has another cost"
    with pytest.raises(BadInput, match="climb already has a cost"):
        play(city, Attempt(who="mara", task="climb", costs=1, energy=3))
    assert step(play(city, Attempt(who="mara", task="climb", energy=7)), "task") == "7 against 7"
    with pytest.raises(BadInput, match="climb has no cost yet"):
        play(city, Attempt(who="mara", task="climb", energy=3))
    assert step(play(city, task.replace(told=True, why="the same wall")), "cost") == "9"


def test_byz_15_what_is_not_said_of_a_cost_that_is_adjusted_stays(city: Book) -> None:
    task = Task(who="mara", task="climb", costs=3, opposed_energy={"brak": 2, "a-crowd": 1}, told=True)
    assert step(play(city, task), "cost") == "6"
    harder = Task(who="mara", task="climb", costs=4, told=True, why="rain")
    assert step(play(city, harder), "cost") == "7"
    guarded = Task(who="mara", task="climb", opposed_ability={"brak": 3}, told=True, why="he is on guard")
    assert step(play(city, guarded), "cost") == "10"
    assert step(play(city, guarded.replace(opposed_ability={}, opposed_energy={"brak": 1})), "cost") == "9"
    assert step(play(city, guarded.replace(opposed_ability={"brak": 0}, opposed_energy={"brak": 2})), "cost") == "7"
    gone = Task(who="mara", task="climb", opposed_energy={"a-crowd": 0}, told=True, why="they go home")
    assert step(play(city, gone), "cost") == "6"
    play(city, Attempt(who="mara", task="climb", energy=2))
    assert score(city, "brak", "energy") == 4


def test_byz_21_opposition_adds_to_the_cost_and_spends_its_energy(city: Book) -> None:
    opposed = Task(who="mara", task="climb", opposed_energy={"brak": 4, "a-crowd": 9}, opposed_ability={"brak": 3})
    play(city, opposed.replace(costs=5))
    played = play(city, Attempt(who="mara", task="climb", energy=3))
    assert step(played, "cost") == "5 + 13 + 3 = 21"
    assert score(city, "brak", "energy") == 2
    play(city, Task(who="mara", task="climb", opposed_ability={"brak": 3}))
    assert step(play(city, Attempt(who="mara", task="climb", energy=3)), "cost") == "0 + 3 = 3"
    assert score(city, "brak", "energy") == 2


def test_byz_15_byz_21_a_refused_opposition_tells_nothing(city: Book) -> None:
    play(city, Task(who="mara", task="climb", opposed_energy={"brak": 713}))
    with pytest.raises(Refused, match=r"^The opponents cannot spend that much energy\.$") as refused:
        play(city, Attempt(who="mara", task="climb", energy=3))
    assert "713" not in str(refused.value.hint)
    adjust(city, "brak", energy=-7)
    play(city, Withhold(who="brak", connection="alms", why="a fine"))
    play(city, Task(who="mara", task="climb", opposed_energy={"brak": 1}, why="x"))
    with pytest.raises(Refused, match="The opponents cannot spend that much energy"):
        play(city, Attempt(who="mara", task="climb", energy=3))
    play(city, Task(who="mara", task="climb", opposed_ability={"brak": 1}, why="x"))
    scribe(city).write(SetMarks(who="brak", values={"byzantine/dead": "yes"}, why="a fever"))
    with pytest.raises(Refused, match="The opponents cannot spend that much energy"):
        play(city, Attempt(who="mara", task="climb", energy=3))


def test_byz_24_knowing_a_cost_is_a_task_of_its_own_at_four_fifths(city: Book) -> None:
    play(city, Task(who="mara", task="climb", costs=9))
    know = Know(who="mara", task="climb", energy=2, ability="climbing")
    missed = play(city, know)
    assert missed["verdict"]["says"] == "the cost of climb is not learned"
    assert list(missed["steps"][1]["numbers"][1]) == ["secret"]
    learned = play(city, know.replace(energy=3))
    assert learned["verdict"] == {"says": "the cost of climb is learned", "good": True, "margin": None}
    assert step(learned, "learned") == "the cost is 9"
    assert mark(city, "mara", "learned.climb") == 9
    with pytest.raises(Refused, match="mara already knows the cost of climb"):
        play(city, know)
    with pytest.raises(Refused, match="cannot learn how the cost is divided"):
        play(city, know.replace(split=True))
    play(city, Task(who="mara", task="climb", costs=10, why="rain"))
    assert mark(city, "mara", "learned.climb") is None
    assert play(city, know.replace(costs=99))["verdict"]["good"] is False
    assert play(city, know.replace(costs=0, energy=0))["verdict"]["good"] is True


def test_byz_25_of_a_contested_cost_one_learns_the_total_then_the_split_and_both_can_be_obscured(city: Book) -> None:
    play(city, Task(who="mara", task="climb", opposed_energy={"brak": 2}, opposed_ability={"brak": 3}))
    know = Know(who="mara", task="climb", energy=4)
    with pytest.raises(Refused, match="mara does not know its total cost yet"):
        play(city, know.replace(split=True))
    assert play(city, know.replace(obscured={"brak": 1}))["verdict"]["good"] is False
    assert score(city, "brak", "energy") == 5
    assert step(play(city, know), "learned") == "the cost is 5"
    with pytest.raises(Refused, match="The opponents cannot spend that much energy"):
        play(city, know.replace(split=True, obscured={"brak": 6}))
    assert play(city, know.replace(split=True, obscured={"brak": 1}))["verdict"]["good"] is False
    assert step(play(city, know.replace(split=True)), "learned") == "ability 3, energy 2"


def test_byz_25_a_split_that_was_learned_is_on_the_sheet_and_not_learned_twice(city: Book) -> None:
    play(city, Task(task="climb", costs=1, opposed_energy={"brak": 2}, opposed_ability={"brak": 3}))
    know = Know(who="mara", task="climb", energy=5)
    play(city, know)
    play(city, know.replace(split=True))
    assert mark(city, "mara", "split.climb") == {"cost": 6, "ability": 3, "energy": 2}
    assert row(city, "mara", "knows climb") == "costs 6 (ability 3, energy 2)"
    with pytest.raises(Refused, match="mara already knows how the cost of climb is divided"):
        play(city, know.replace(split=True))
    play(city, Task(task="climb", costs=2, why="rain"))
    adjust(city, "mara", energy=10)
    play(city, know.replace(energy=6))
    assert row(city, "mara", "knows climb") == "costs 7"
    play(city, know.replace(split=True, energy=6))
    assert row(city, "mara", "knows climb") == "costs 7 (ability 3, energy 2)"
    with pytest.raises(BadInput, match="To learn how a cost is divided, use"):
        scribe(city).write(SetMarks(who="mara", values={"byzantine/split.climb": "3"}, why="x"))


def test_byz_13_byz_25_whoever_obscures_a_cost_may_go_into_debt_for_it(city: Book) -> None:
    play(city, Task(task="climb", opposed_ability={"brak": 3}))
    know = Know(who="mara", task="climb", energy=9, obscured={"brak": 7})
    with pytest.raises(Refused, match="The opponents cannot spend that much energy"):
        play(city, know)
    with pytest.raises(BadInput, match="zoe is in --owing, but not in --obscured"):
        play(city, know.replace(owing=("zoe",)))
    assert follows(city, know.replace(owing=("brak",))) == [
        "energy-spent",
        "energy-spent",
        "debt-incurred",
        "cost-learned",
    ]
    assert score(city, "brak", "energy") == -1
    with pytest.raises(Refused, match="The opponents cannot spend that much energy"):
        play(city, know.replace(energy=0, costs=0, split=True, owing=("brak",)))


def test_a_learned_cost_is_set_by_hand_as_a_number_alone(city: Book) -> None:
    hand = scribe(city)
    hand.write(
        SetMarks(who="mara", values={"byzantine/learned.climb": "12", "byzantine/night": "little"}, why="a scholar")
    )
    assert mark(city, "mara", "learned.climb") == 12
    hand.write(SetMarks(who="mara", values={"byzantine/night": "none"}, why="a fever"))
    assert row(city, "mara", "tonight") == "sleep: none"
    for name, typed in (
        ("learned.climb", "-1"),
        ("learned.climb", "9" * 13),
        ("dawned", "3"),
        ("task.climb", "9"),
        ("night", "bad"),
    ):
        with pytest.raises(BadInput):
            hand.write(SetMarks(who="mara", values={f"byzantine/{name}": typed}, why="x"))


# Ways


@pytest.mark.parametrize(
    ("move", "cost"),
    [
        (Go(who="mara", place="market", energy=5), "5 = 5"),
        (Go(who="mara", place="market", energy=5, base=4, level=True), "4 + 1 = 5"),
        (Go(who="mara", place="market", energy=5, base=6, district=True), "6 + 2 = 8"),
        (Go(who="mara", place="market", energy=5, level=True, district=True), "5 + 1 + 2 = 8"),
        (Go(who="mara", place="market", energy=5, level=True, adjust=-6, why="a cart"), "5 + 1 + -6 = 0"),
    ],
)
def test_byz_17_a_move_has_a_base_and_what_changes_and_what_the_gm_adds(city: Book, move: Move, cost: str) -> None:
    assert step(play(city, move), "cost") == cost


def test_byz_18_a_daily_move_may_take_no_energy(city: Book) -> None:
    daily = Go(who="mara", place="market", energy=0, ability="climbing", base=4)
    with pytest.raises(Refused, match="at least 1 energy"):
        play(city, daily)
    assert says(city, daily.replace(daily=True)) == "in market"
    scribe(city).write(SetMarks(who="mara", values={"byzantine/daily.market": "yes"}, why="she sells fish"))
    assert says(city, daily) == "in market"
    assert row(city, "mara", "daily trips to") == "market"
    with pytest.raises(Refused, match="at least 1 energy"):
        play(city, daily.replace(place="docks"))


def test_byz_18_a_move_without_energy_is_refused_when_it_is_asked_for_its_dice(city: Book) -> None:
    with pytest.raises(Refused, match="at least 1 energy"):
        PlayMove(system="byzantine", move=Go(who="mara", place="market", energy=0)).ask(Sketch(city, city.head()))


def test_byz_19_a_failed_move_to_a_way_is_none_and_to_an_area_is_lost_until_they_move_on(city: Book) -> None:
    move = Go(who="mara", place="gate-stairs", energy=1, to="way")
    assert follows(city, move) == ["energy-spent"]
    assert mark(city, "mara", "place") is None
    assert says(city, move.replace(place="old-market", to="area")) == "in old-market, lost"
    assert says(city, move) == "does not get there"
    assert (mark(city, "mara", "place"), mark(city, "mara", "lost")) == ("old-market", True)
    assert says(city, move.replace(energy=5)) == "in gate-stairs"
    assert (mark(city, "mara", "place"), mark(city, "mara", "lost")) == ("gate-stairs", None)
    assert says(city, move.replace(place="docks", to="area")) == "in docks, lost"
    assert says(city, FindWay(who="mara", why="a lamplighter")) == "has found the way"
    assert mark(city, "mara", "lost") is None


MAP = (
    Map(place="market", level="streets", district="guilds"),
    Map(place="docks", level="streets", district="harbor"),
    Map(place="cistern", level="climbing", district="harbor"),
    Map(place="gate-stairs", level="climbing", district="guilds", way=True),
)


def test_byz_17_what_the_map_knows_is_not_said_again(city: Book) -> None:
    assert says(city, MAP[0]) == "market is an area, level streets, district guilds"
    for place in MAP[1:]:
        play(city, place)
    with pytest.raises(Refused, match="The map already shows docks with these values"):
        play(city, MAP[1])
    first = play(city, Go(who="mara", place="market"))
    assert (step(first, "total"), step(first, "cost"), first["verdict"]["says"]) == ("3 + 2 = 5", "5 = 5", "in market")
    other_district = play(city, Go(who="mara", place="docks", energy=1))
    assert (step(other_district, "cost"), step(other_district, "way")) == ("5 + 2 = 7", "3 against 7")
    other_level = play(city, Go(who="mara", place="cistern", base=4))
    assert (step(other_level, "total"), step(other_level, "cost")) == ("1 + 4 = 5", "4 + 1 = 5")
    adjust(city, "mara", energy=5)
    assert says(city, Go(who="mara", place="gate-stairs", energy=1)) == "does not get there"
    unknown = play(city, Go(who="mara", place="old-mill", energy=1, level=True, to="way"))
    assert step(unknown, "cost") == "5 + 1 = 6"
    assert step(play(city, Go(who="mara", place="docks", level=True)), "cost") == "5 + 1 = 6"


def test_byz_17_a_place_is_drawn_anew_and_taken_off_the_map(city: Book) -> None:
    play(city, MAP[0])
    play(city, MAP[0].replace(district="harbor"))
    assert city.mark("campaign", "byzantine/map.market") == {"way": False, "level": "streets", "district": "harbor"}
    with pytest.raises(Refused, match="Use --off without other options"):
        play(city, MAP[0].replace(off=True))
    assert says(city, Map(place="market", off=True)) == "market is off the map"
    assert step(play(city, Go(who="brak", place="market")), "total") == "5 + 0 = 5"
    with pytest.raises(BadInput, match="To put a place on the map"):
        scribe(city).write(SetMarks(who="mara", values={"byzantine/map.market": "x"}, why="x"))


def test_byz_17_byz_20_a_group_on_the_map_goes_by_the_best_ability_of_the_level(city: Book) -> None:
    play(city, MAP[0])
    play(city, MAP[2])
    assert step(play(city, Go(who="mara", place="market", among=("brak",))), "total") == "1 + 7 = 8"
    assert step(play(city, Go(who="brak", place="cistern", daily=True, ability="guard")), "total") == "2 + 3 = 5"


# Costs set ahead


def test_byz_15_a_cost_set_ahead_binds_whoever_attempts_it_and_stays_until_it_is_closed(city: Book) -> None:
    play(city, Task(task="climb", costs=9, ability="climbing"))
    climb = Attempt(who="mara", task="climb", energy=1)
    assert step(play(city, climb), "task") == "5 against 9"
    assert mark(city, "mara", "learned.climb") == 9
    assert step(play(city, climb.replace(who="brak")), "task") == "1 against 9"
    with pytest.raises(Refused, match="The GM has already chosen the ability for climb"):
        play(city, climb.replace(ability="streets"))
    with pytest.raises(Refused, match="mara already knows the cost of climb"):
        play(city, Know(who="mara", task="climb", energy=1))
    play(city, Task(task="climb", costs=10, why="rain"))
    assert play(city, Know(who="mara", task="climb", energy=8))["verdict"]["good"] is True
    assert says(city, Task(task="climb", close=True)) == "climb is closed"
    with pytest.raises(BadInput, match="climb has no cost yet"):
        play(city, climb)
    play(city, Task(task="climb", costs=10))
    with pytest.raises(Refused, match="Use --close without other options"):
        play(city, Task(task="climb", costs=10, close=True))


def test_byz_15_an_ability_set_ahead_counts_for_all_who_attempt_it_together(city: Book) -> None:
    scribe(city).write(Join(who="zoe", system="byzantine", scores={"energy": 3}))
    play(city, Task(task="wall", costs=20, ability="streets"))
    wall = Attempt(who="mara", task="wall", energy=1, beside={"brak": 2, "zoe": 3})
    assert step(play(city, wall), "total") == "1 + 2 + 3 + 2 + 7 + 0 = 15"
    with pytest.raises(Refused, match="The GM has already chosen the ability for wall"):
        play(city, wall.replace(beside_ability={"brak": "guard"}))
    with pytest.raises(BadInput, match="You gave brak an ability but no energy"):
        play(city, wall.replace(energy=0, beside={"zoe": 0}, beside_ability={"brak": "streets"}))


def test_byz_15_a_cost_set_ahead_is_the_whole_cost_of_a_way(city: Book) -> None:
    for place in MAP:
        play(city, place)
    play(city, Task(task="go.docks", costs=3, opposed_energy={"brak": 1}, opposed_ability={"brak": 1}))
    went = play(city, Go(who="mara", place="docks", energy=2))
    assert (step(went, "cost"), step(went, "way")) == ("3 + 1 + 1 = 5", "4 against 5")
    assert mark(city, "mara", "learned.go.docks") == 5
    assert score(city, "brak", "energy") == 5
    for said in ({"base": 4}, {"level": True}, {"adjust": 1, "why": "x"}):
        with pytest.raises(BadInput, match=r"go\.docks already has a cost"):
            play(city, Go(who="brak", place="docks", energy=2).replace(**said))
    assert step(play(city, Go(who="brak", place="docks", energy=1)), "way") == "8 against 3"


def test_byz_15_an_ability_or_opposition_set_ahead_without_a_cost_goes_with_the_usual_one(city: Book) -> None:
    for place in MAP:
        play(city, place)
    go = Go(who="mara", place="docks", energy=1, base=4, district=True, adjust=1, why="fog")
    assert step(play(city, Task(task="go.docks", ability="climbing", told=True)), "cost") == "0 more than usual"
    went = play(city, go)
    assert (step(went, "total"), step(went, "cost")) == ("1 + 4 = 5", "4 + 2 + 1 = 7")
    guarded = play(city, Task(task="go.docks", opposed_energy={"brak": 1}, opposed_ability={"brak": 2}, why="a guard"))
    assert guarded["steps"][0]["says"] == "{}"
    assert step(play(city, go), "cost") == "4 + 2 + 1 + 1 + 2 = 10"
    assert score(city, "brak", "energy") == 5
    with pytest.raises(Refused, match=r"go\.docks has no cost yet"):
        play(city, Know(who="mara", task="go.docks", energy=1))
    play(city, Task(task="alter.workshop.input", opposed_ability={"a-guild": 2}))
    alter = Alter(who="mara", connection="workshop", side="input", energy=1)
    assert step(play(city, alter), "cost") == "1 against 22"
    assert step(play(city, alter.replace(costs=3, why="a bribe")), "cost") == "1 against 5"
    adjust(city, "mara", energy=60)
    adjust(city, "brak", energy=-8)
    play(city, Task(task="kill.brak", opposed_ability={"a-guard": 2}))
    kill = Kill(who="mara", target="brak", energy=42, manner="in the cistern")
    assert step(play(city, kill), "cost") == "42 against 42"
    with pytest.raises(BadInput, match="A task needs a cost, opponents, or both"):
        play(city, Task(task="go.market", opposed_energy={"brak": 0}))


def test_byz_15_a_cost_set_ahead_is_the_whole_cost_of_an_alteration_and_a_killing(city: Book) -> None:
    play(city, Task(task="alter.workshop.input", costs=6, told=True))
    alter = Alter(who="mara", connection="workshop", side="input", energy=6)
    with pytest.raises(BadInput, match=r"alter\.workshop\.input already has a cost"):
        play(city, alter.replace(costs=3, why="x"))
    assert step(play(city, alter), "cost") == "6 against 6"
    assert row(city, "mara", "knows alter.workshop.input") == "costs 6"
    adjust(city, "mara", energy=60)
    adjust(city, "brak", energy=-8)
    play(city, Task(task="kill.brak", costs=50, opposed_ability={"a-guard": 2}))
    kill = Kill(who="mara", target="brak", energy=54, guard="guard", manner="in the cistern")
    assert step(play(city, kill), "cost") == "54 against 55"
    know = Know(who="brak", task="kill.brak", energy=0, costs=0)
    assert step(play(city, know), "learned") == "the cost is 52"


def test_byz_24_either_side_learns_the_cost_of_any_task(city: Book) -> None:
    play(city, Task(task="go.docks", costs=10, opposed_ability={"brak": 2}))
    assert step(play(city, Know(who="mara", task="go.docks", energy=10)), "learned") == "the cost is 12"
    assert mark(city, "mara", "learned.go.docks") == 12
    assert step(play(city, Know(who="brak", task="go.docks", energy=6, costs=6)), "learned") == "the cost is 10"


def test_byz_13_byz_21_an_opponent_may_go_into_debt_and_nobody_opposes_oneself(city: Book) -> None:
    wall = Task(task="wall", costs=2, opposed_energy={"brak": 7}, owing=("brak",))
    play(city, wall)
    attempt = Attempt(who="mara", task="wall", energy=1)
    assert follows(city, attempt) == ["energy-spent", "energy-spent", "debt-incurred", "task-resolved"]
    assert score(city, "brak", "energy") == -1
    assert step(play(city, attempt.replace(who="brak", energy=0)), "task") == "0 against 2"


def test_byz_20_a_led_group_goes_by_the_best_ability_and_each_commits_their_own_energy(city: Book) -> None:
    alone = Go(who="mara", place="old-market", energy=1, ability="streets", district=True)
    assert play(city, alone)["verdict"]["good"] is False
    assert play(city, alone.replace(among=("brak",)))["verdict"]["good"] is True
    assert (score(city, "mara", "energy"), score(city, "brak", "energy")) == (8, 6)
    assert play(city, alone.replace(who="brak", among=("mara",)))["verdict"]["good"] is True


# Fights


def test_byz_22_the_winner_takes_up_to_what_does_not_kill_and_both_have_spent(morning: Book) -> None:
    attack = EnergyAttack(who="mara", target="brak", energy=3, ability="climbing", answer=2, guard="guard")
    done = scribe(morning).write(PlayMove(system="byzantine", move=attack))
    assert [entry.type for entry in done.entries] == ["question-asked", "energy-spent", "energy-spent"]
    question = done.entries[0].seq
    with pytest.raises(Refused, match="mara wins and may take up to 5 energy"):
        scribe(morning).write(Choose(question=question, chosen={"take": 6}))
    assert last(scribe(morning).write(Choose(question=question, chosen={"take": 5})), "move-played")["verdict"] == {
        "says": "mara takes 5 from brak", "good": True, "margin": None
    }  # fmt: skip
    assert (score(morning, "mara", "energy"), score(morning, "brak", "energy")) == (1, -2)
    days(morning)
    assert (score(morning, "brak", "energy"), mark(morning, "brak", "dead")) == (1, None)


def test_byz_22_the_defender_may_win_and_a_tie_takes_nothing(city: Book) -> None:
    attack = EnergyAttack(who="mara", target="brak", energy=3)
    assert follows(city, attack.replace(answer=3)) == ["energy-spent", "energy-spent"]
    with pytest.raises(Refused, match="Nobody wins, so nothing can be taken"):
        play(city, attack.replace(answer=3, take=1))
    assert says(city, attack.replace(guard="guard", answer=1, take=2)) == "brak takes 2 from mara"
    assert score(city, "mara", "energy") == 2
    adjust(city, "brak", energy=-2)
    play(city, Withhold(who="brak", connection="alms", why="a fine"))
    assert says(city, attack.replace(energy=1)) == "mara takes 0 from brak"


def test_byz_21_byz_22_the_sides_of_an_attack_may_be_several_and_each_loses_at_most_their_own_limit(city: Book) -> None:
    scribe(city).write(Join(who="zoe", system="byzantine", scores={"energy": 4, "ability.guard": 2}))
    scribe(city).write(Join(who="sam", system="byzantine", scores={"energy": 3, "output.stall": 1}))
    attack = EnergyAttack(
        who="mara", target="brak", energy=3, answer=2, guard="guard", beside={"zoe": 1}, against={"sam": 1},
        beside_ability={"zoe": "guard"},
    )  # fmt: skip
    assert follows(city, attack.replace(take=0, energy=0)) == ["energy-spent"] * 3
    with pytest.raises(Refused, match="Nobody wins"):
        play(city, attack.replace(take=1))
    with pytest.raises(Refused, match="mara wins and may take up to 5 energy"):
        play(city, attack.replace(take=6, energy=4))
    played = play(city, attack.replace(take=5, energy=4))
    assert (step(played, "attack"), step(played, "answer")) == ("4 + 1 + 0 + 2 = 7", "2 + 1 + 3 + 0 = 6")
    assert played["verdict"]["says"] == "mara takes 5 from brak, sam"
    assert [score(city, who, "energy") for who in ("mara", "zoe", "brak", "sam")] == [6, 2, -2, 0]
    with pytest.raises(BadInput, match="You named brak more than once"):
        play(city, attack.replace(beside={"brak": 0}))
    with pytest.raises(BadInput, match="You gave sam an ability but no energy"):
        play(city, attack.replace(beside_ability={"sam": "guard"}))
    with pytest.raises(NotEnough, match="zoe has 2 energy and needs 5"):
        play(city, attack.replace(beside={"zoe": 5}))


def test_byz_15_the_gm_adjusts_one_side_of_an_attack_with_a_reason(city: Book) -> None:
    attack = EnergyAttack(who="mara", target="brak", energy=3, answer=3, take=0)
    tied = play(city, attack)
    assert (tied["verdict"]["says"], [each["name"] for each in tied["steps"]]) == ("nobody wins", ["attack", "answer"])
    above = play(city, attack.replace(energy=0, answer=0, adjust=1, why="from above"))
    assert (above["verdict"]["says"], step(above, "attack")) == ("mara takes 0 from brak", "0 + 0 + 1 = 1")
    wall = play(city, attack.replace(energy=0, answer=0, adjust=1, adjust_answer=2, why="a wall"))
    assert (wall["verdict"]["says"], step(wall, "answer")) == ("brak takes 0 from mara", "0 + 0 + 2 = 2")
    for wrong in (attack.replace(adjust=1), attack.replace(why="x")):
        with pytest.raises(BadInput, match="together with"):
            play(city, wrong)


def test_byz_21_the_acting_side_of_a_contest_adds_up(city: Book) -> None:
    play(city, Task(task="gate", costs=5, opposed_energy={"brak": 1, "a-crowd": 3}))
    gate = Attempt(who="mara", task="gate", energy=2, beside={"brak": 1}, beside_ability={"brak": "guard"})
    played = play(city, gate)
    assert (step(played, "total"), step(played, "task")) == ("2 + 1 + 0 + 3 = 6", "6 against 8")
    assert (score(city, "mara", "energy"), score(city, "brak", "energy")) == (8, 5)
    adjust(city, "mara", energy=60)
    adjust(city, "brak", energy=-7)
    scribe(city).write(Join(who="zoe", system="byzantine", scores={"energy": 9}))
    kill = Kill(who="mara", target="brak", energy=35, manner="in the cistern", beside={"zoe": 5})
    assert step(play(city, kill), "total") == "35 + 5 + 0 + 0 = 40"
    assert (mark(city, "brak", "dead"), score(city, "zoe", "energy")) == (True, 4)


@pytest.mark.parametrize(
    "move",
    [
        Attempt(who="mara", task="wall", costs=9, energy=1, beside={"brak": 7}),
        EnergyAttack(who="mara", target="zoe", energy=1, beside={"brak": 7}, take=0),
        Kill(who="mara", target="sam", energy=1, beside={"brak": 7}, manner="in the cistern"),
    ],
)
def test_byz_13_byz_21_an_overdraft_is_of_all_who_act(city: Book, move: Attempt | EnergyAttack | Kill) -> None:
    scribe(city).write(Join(who="zoe", system="byzantine", scores={"energy": 1}))
    scribe(city).write(Join(who="sam", system="byzantine", scores={"energy": -1, "output.stall": 2}))
    with pytest.raises(NotEnough, match="brak has 6 energy and needs 7"):
        play(city, move)
    play(city, move.replace(overdraft=True))
    assert (score(city, "mara", "energy"), score(city, "brak", "energy")) == (9, -1)
    with pytest.raises(Refused, match="brak cannot spend 9 energy: the debt would be deadly"):
        play(city, move.replace(overdraft=True, beside={"brak": 9}))


def test_byz_23_one_below_zero_whom_one_more_would_kill_may_be_killed_at_forty(city: Book) -> None:
    adjust(city, "mara", energy=60)
    kill = Kill(who="mara", target="brak", energy=39, guard="guard", manner="in the cistern")
    for energy in (-6, -1):
        adjust(city, "brak", energy=energy)
        with pytest.raises(Refused, match="brak cannot be killed"):
            play(city, kill)
    adjust(city, "brak", energy=-1)
    played = play(city, kill)
    assert (played["verdict"]["says"], step(played, "cost")) == ("brak lives", "39 against 43")
    adjust(city, "mara", energy=20)
    assert says(city, kill.replace(ability="climbing")) == "brak is dead"
    with pytest.raises(Refused, match="brak is dead"):
        play(city, kill.replace(energy=0))


def test_byz_20_the_leader_of_a_group_need_not_have_the_ability(city: Book) -> None:
    go = Go(who="mara", place="mill", energy=1, ability="guard", among=("brak",))
    assert play(city, go)["steps"][0]["numbers"] == [1, 3, 4]
    with pytest.raises(Refused, match=r"mara has no ability\.swimming"):
        play(city, go.replace(ability="swimming"))


def test_byz_23_one_who_can_still_spend_without_dying_is_not_killed(city: Book) -> None:
    scribe(city).write(Adjust(who="mara", amounts={"byzantine/energy": 60}, why="x"))
    scribe(city).write(Adjust(who="brak", amounts={"byzantine/energy": -9, "byzantine/general": 1}, why="x"))
    kill = Kill(who="mara", target="brak", energy=40, manner="x")
    assert score(city, "brak", "energy") == -3
    scribe(city).write(Adjust(who="brak", amounts={"byzantine/output.alms": -1}, why="x"))
    scribe(city).write(Adjust(who="brak", amounts={"byzantine/energy": 1}, why="x"))
    with pytest.raises(Refused, match="brak cannot be killed"):
        play(city, kill)
    scribe(city).write(Adjust(who="brak", amounts={"byzantine/general": -1}, why="x"))
    assert play(city, kill)["verdict"]["good"] is True


def test_byz_16_a_connection_that_is_altered_away_is_not_withheld_when_it_comes_again(city: Book) -> None:
    scribe(city).write(Adjust(who="brak", amounts={"byzantine/energy": 200}, why="x"))
    play(city, Withhold(who="brak", connection="alms", why="x"))
    play(city, Alter(who="brak", connection="alms", side="output", by=-5, energy=100))
    assert city.mark("brak", "byzantine/withheld.alms") is None
    play(city, Connect(who="brak", connection="alms", output=3))
    assert city.mark("brak", "byzantine/withheld.alms") is None
