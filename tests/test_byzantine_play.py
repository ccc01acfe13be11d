"""Byzantine at the table: every move, what it refuses, and what it keeps from the players."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from ledger.answers import Choose
from ledger.audit import verify
from ledger.book import Book
from ledger.campaign import Adjust, Join, SetMarks
from ledger.corrections import Amend
from ledger.days import NextDay
from ledger.errors import BadInput, Held, LedgerError, NotEnough, OutOfRange, Refused, UnknownName
from ledger.play import Play
from ledger.rules import Move
from ledger.systems.byzantine import moves, rules
from ledger.systems.byzantine.connections import Alter, Connect, Lend, Reclaim, Restore, Withhold
from ledger.systems.byzantine.days import Cancel, Dawn, Invest, Night
from ledger.systems.byzantine.fights import Attack, Kill
from ledger.systems.byzantine.tasks import Attempt, Found, Go, Know, Task
from table import counting_dice, last, opened_book, scribe
from terminal import Type

MARA = {
    "energy": 10,
    "general": 8,
    "project.climb": 6,
    "invested.climb": 25,
    "input.workshop": -1,
    "output.workshop": 5,
    "ability.climbing": 4,
    "ability.streets": 2,
}
BRAK = {"energy": 6, "output.alms": 5, "ability.guard": 3, "ability.streets": 7}


def in_the_city(mara: Mapping[str, int] = MARA, brak: Mapping[str, int] = BRAK) -> Book:
    book = opened_book(games=())
    scribe(book).write(Join(who="mara", system="byzantine", scores=mara))
    scribe(book).write(Join(who="brak", system="byzantine", scores=brak))
    return book


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


def play(book: Book, move: Move) -> dict[str, Any]:
    """Play a move; return what its ruling wrote."""
    return last(scribe(book).write(Play(system="byzantine", move=move)), "move-played")


def says(book: Book, move: Move) -> str:
    found: str = play(book, move)["verdict"]["says"]
    return found


def follows(book: Book, move: Move) -> list[str]:
    """Play a move; return the consequences, by name."""
    done = scribe(book).write(Play(system="byzantine", move=move))
    return [entry.type for entry in done.entries if entry.cause is not None]


def days(book: Book, count: int = 1) -> list[str]:
    """Begin so many days; return what was written, by name."""
    return [entry.type for entry in scribe(book).write(NextDay(count=count, until=None)).entries]


def score(book: Book, who: str, name: str) -> int:
    return book.balance(who, f"byzantine/{name}") or 0


def energies(book: Book, who: str, *names: str) -> tuple[int, ...]:
    return tuple(score(book, who, name) for name in names)


def mark(book: Book, who: str, name: str) -> Any:
    return book.mark(who, f"byzantine/{name}")


def adjust(book: Book, who: str, **amounts: int) -> None:
    full = {f"byzantine/{name.replace('__', '.')}": amount for name, amount in amounts.items()}
    scribe(book).write(Adjust(who=who, amounts=full, why="so it is"))


def asked(book: Book, move: Move) -> int:
    """Play a move that must ask; return the question."""
    done = scribe(book).write(Play(system="byzantine", move=move))
    return next(entry.seq for entry in done.entries if entry.type == "question-asked")


def step(played: Mapping[str, Any], name: str) -> str:
    """A line of working, with its numbers in it."""
    (found,) = [each for each in played["steps"] if each["name"] == name]
    line: str = found["says"].format(*found["numbers"])
    return line


# Connections


def test_byz_01_a_connection_beyond_a_new_character_is_said_and_not_refused(city: Book) -> None:
    played = play(city, Connect(who="mara", connection="guild", input=-2, output=3))
    assert played["verdict"]["says"] == "net +5"
    assert step(played, "net") == "4 + 1 = 5"
    assert step(played, "creation") == "net 5, of which below zero 0: a new character may have that"
    rich = play(city, Connect(who="mara", connection="vein", output=5))
    assert step(rich, "creation") == "net 10, of which below zero 0: more than a new character may have"
    assert score(city, "mara", "output.vein") == 5


def test_byz_01_a_value_outside_is_refused_always(city: Book) -> None:
    for name, amount in (("output__workshop", 1), ("input__workshop", -5), ("input__workshop", 2)):
        with pytest.raises(OutOfRange):
            adjust(city, "mara", **{name: amount})


def test_byz_01_a_connection_that_ends_leaves_no_trace_of_being_lent_or_withheld(city: Book) -> None:
    play(city, Lend(who="mara", connection="bread", output=2, why="prison"))
    play(city, Withhold(who="mara", connection="bread", why="a fast"))
    assert says(city, Connect(who="mara", connection="bread")) == "bread ends, net +4"
    assert (mark(city, "mara", "lent.bread"), mark(city, "mara", "withheld.bread")) == (None, None)
    assert says(city, Connect(who="mara", connection="bread", output=1)) == "net +5"


def test_byz_03_what_is_withheld_does_not_count_and_of_an_output_alone_the_input_does(morning: Book) -> None:
    play(morning, Withhold(who="mara", connection="workshop", output=True, why="a siege"))
    days(morning)
    assert score(morning, "mara", "energy") == -1
    assert says(morning, Withhold(who="mara", connection="workshop", why="a cell")) == "workshop is withheld"
    assert says(morning, Connect(who="mara", connection="workshop", input=-2, output=5)) == "net 0"
    days(morning)
    assert score(morning, "mara", "energy") == 0
    play(morning, Restore(who="mara", connection="workshop"))
    days(morning)
    assert score(morning, "mara", "energy") == 3


def test_byz_03_what_is_lent_counts_until_it_is_reclaimed(morning: Book) -> None:
    play(morning, Lend(who="brak", connection="bread", input=-1, output=3, why="prison"))
    days(morning)
    assert score(morning, "brak", "energy") == 7
    play(morning, Reclaim(who="brak", connection="bread"))
    days(morning)
    assert score(morning, "brak", "energy") == 5
    assert energies(morning, "brak", "input.bread", "output.bread") == (0, 0)


def test_byz_16_an_alteration_costs_twenty_a_point_or_what_the_gm_asks_with_a_reason(city: Book) -> None:
    adjust(city, "mara", energy=60)
    altered = Alter(who="mara", connection="workshop", side="input", by=1, energy=16, ability="climbing")
    assert says(city, altered) == "altered"
    assert score(city, "mara", "input.workshop") == 0
    assert says(city, altered.but(by=-2, energy=35)) == "not altered"
    assert energies(city, "mara", "input.workshop", "energy") == (0, 19)
    cheap = altered.but(by=-2, energy=0, costs=4, why="the guild helps")
    assert step(play(city, cheap), "cost") == "4 against 4"
    assert score(city, "mara", "input.workshop") == -2


# Days


def test_byz_02_each_dawn_brings_the_net_and_what_is_left_lapses_as_an_event(morning: Book) -> None:
    assert energies(morning, "mara", "energy", "general", "project.climb") == (4, 7, 5)
    wrote = days(morning)
    mara = ["move-played", "energy-lapsed", "decay-ticked", "decay-ticked", "dawn-broken"]
    assert wrote == ["day-begun", "move-played", "energy-lapsed", "dawn-broken", *mara]


def test_byz_04_bad_nights_add_up_and_a_full_one_clears_them(morning: Book) -> None:
    energy = []
    for sleep in ("little", "none", "little", None, "none", "full"):
        if sleep:
            play(morning, Night(who="brak", sleep=sleep))
        days(morning)
        energy.append(score(morning, "brak", "energy"))
    assert energy == [3, 1, 0, 5, 2, 5]


def test_byz_04_a_night_that_is_taken_back_counts_as_full_and_none_is_taken_below_zero(morning: Book) -> None:
    play(morning, Night(who="brak", sleep="none"))
    play(morning, Night(who="brak", sleep="full"))
    play(morning, Withhold(who="mara", connection="workshop", output=True, why="a siege"))
    play(morning, Night(who="mara", sleep="none"))
    days(morning)
    assert (score(morning, "brak", "energy"), score(morning, "mara", "energy")) == (5, -1)


def test_byz_05_byz_06_a_debt_is_repaid_at_double_first_from_the_day_then_from_the_general_pool(morning: Book) -> None:
    play(morning, Attempt(who="mara", task="run", costs=1, energy=13, overdraft=True))
    assert energies(morning, "mara", "energy", "general") == (-2, 0)
    with in_the_city(MARA | {"general": 0, "general.deposit": 5}) as book:
        adjust(book, "mara", energy=-13)
        played = last(
            scribe(book).write(Play(system="byzantine", move=Night(who="mara", sleep="little"))), "move-played"
        )
        assert played["verdict"]["says"] == "a night of little sleep"
        done = scribe(book).write(NextDay(count=1, until=None))
        wrote = [entry.type for entry in done.entries if entry.body.get("who") == "mara"]
        assert wrote == ["move-played", "decay-ticked", "deposit-matured", "dawn-broken", "energy-drawn", "debt-repaid"]
        ruling = next(
            entry.body for entry in done.entries if entry.type == "move-played" and entry.body["who"] == "mara"
        )
        assert [step(ruling, name) for name in ("net", "sleep", "debt")] == [
            "4 = 4",
            "3 of 4 left; nights of little sleep 1, of none 0",
            "3 owed, 6 due",
        ]
        assert energies(book, "mara", "energy", "general") == (0, 2)


def test_byz_05_the_general_pool_is_not_drawn_for_a_net_below_zero(city: Book) -> None:
    play(city, Withhold(who="mara", connection="workshop", output=True, why="a siege"))
    assert "debt-incurred" in days(city)
    assert energies(city, "mara", "energy", "general") == (-1, 7)


@pytest.mark.parametrize(("energy", "kills"), [(12, False), (13, True)])
def test_byz_07_a_debt_kills_where_its_double_is_more_than_the_next_morning_has(energy: int, kills: bool) -> None:
    with in_the_city(MARA | {"general": 0}) as book:  # 4 will be there
        run = Attempt(who="mara", task="run", costs=5, energy=energy, overdraft=True)
        if not kills:
            assert says(book, run) == "done"
            days(book)
            assert energies(book, "mara", "energy") == (0,)
            return
        with pytest.raises(Refused, match="It would kill mara: 3 is owed, twice that is due, and 4 will be there"):
            play(book, run)
        done = scribe(book).write(Play(system="byzantine", move=run.but(how="she runs until her heart stops")))
        assert [entry.type for entry in done.entries] == ["move-played", "energy-spent", "died", "task-resolved"]
        assert done.entries[0].body["verdict"]["says"] == "done, and mara is dead"
        assert mark(book, "mara", "dead") is True
        with pytest.raises(Refused, match="mara is dead"):
            play(book, Night(who="mara", sleep="full"))
        assert [
            e.body["who"] for e in scribe(book).write(NextDay(count=1, until=None)).entries if e.type == "move-played"
        ] == ["brak"]


@pytest.mark.parametrize(
    ("before", "there"),
    [
        ((), 4 + 7),
        ((Withhold(who="mara", connection="workshop", why="a cell"),), 7),
        ((Withhold(who="mara", connection="workshop", output=True, why="a siege"),), 7),
        ((Night(who="mara", sleep="none"),), 2 + 7),
        ((Lend(who="mara", connection="bread", output=1, why="prison"),), 5 + 7),
        ((Invest(who="mara", energy=10),), 4 + 7 + 2),
        ((Cancel(who="mara", project="climb"),), 4 + 7 + 2),
    ],
)
def test_byz_07_what_will_be_there_is_the_morning_as_it_is_known_now(before: tuple[Move, ...], there: int) -> None:
    with in_the_city() as book:
        for move in before:
            play(book, move)
        adjust(book, "mara", energy=-score(book, "mara", "energy"))
        attack = Attack(who="brak", target="mara", energy=1)
        assert step(play(book, attack.but(take=0)), "most") == f"{there // 2} can be taken"


def test_byz_07_what_changes_no_debt_tests_none(morning: Book) -> None:
    adjust(morning, "mara", general=-7, energy=-6)
    play(morning, Withhold(who="mara", connection="workshop", why="a cell"))
    assert says(morning, Attempt(who="mara", task="look", costs=4, energy=0, ability="climbing")) == "done"
    assert (
        says(morning, Attempt(who="mara", task="climb", costs=9, energy=5, ability="climbing", project="climb"))
        == "done"
    )
    with pytest.raises(Refused, match="It would kill mara: 3 is owed"):
        play(morning, Attempt(who="mara", task="run", costs=1, energy=1, overdraft=True))


@pytest.mark.parametrize(
    ("fate", "withheld", "energy"),
    [("lives", False, 0), ("lives", True, 0), ("dies", False, None), ("dies", True, None)],
)
def test_byz_07_a_morning_poorer_than_was_known_is_put_to_the_gm(fate: str, withheld: bool, energy: int | None) -> None:
    with in_the_city(MARA | {"general": 0, "project.climb": 0, "input.workshop": -4}) as book:
        days(book)
        adjust(book, "mara", energy=-3)  # of a net of 1, two are owed
        play(book, Withhold(who="mara", connection="workshop", output=withheld, why="a siege"))
        wrote = scribe(book).write(NextDay(count=5, until=None))
        assert [entry.type for entry in wrote.entries if entry.cause is None].count("day-begun") == 1
        assert {e.body["who"] for e in wrote.entries if e.type in {"question-asked", "dawn-broken"}} == {"mara", "brak"}
        (question,) = book.questions()
        for command in (Play(system="byzantine", move=Night(who="mara", sleep="none")), NextDay(count=1, until=None)):
            with pytest.raises(Held, match=f"#{question} holds mara"):
                scribe(book).write(command)
        done = scribe(book).write(Choose(question=question, chosen={"fate": fate, "how": "hunger"}))
        kinds = [entry.type for entry in done.entries]
        assert ("died" in kinds, "debt-forgiven" in kinds) == (fate == "dies", fate == "lives")
        assert (mark(book, "mara", "dead") is True) == (fate == "dies")
        if energy is not None:
            assert score(book, "mara", "energy") == energy
            assert last(done, "move-played")["verdict"]["says"] == "day 2: lives, as the GM rules; 0 energy"
            assert not withheld or days(book)
        assert verify(book).entries == book.head()


def test_byz_07_the_gm_may_rule_the_fate_at_once_where_there_is_one_to_rule_on(morning: Book) -> None:
    dawn = Dawn(who="mara", fate="lives", how="a neighbour")
    for move, why in (
        (dawn, "has seen the dawn of day 1"),
        (Dawn(who="mara", fate="lives"), "has seen the dawn"),
    ):
        with pytest.raises(Refused, match=why):
            play(morning, move)
    scribe(morning).write(Join(who="sam", system="byzantine", scores={}))
    with pytest.raises(Refused, match="no fate to rule on"):
        play(morning, dawn.but(who="sam"))
    with pytest.raises(BadInput, match="go together"):
        play(morning, Dawn(who="sam", how="so"))
    scribe(morning).write(Join(who="zoe", system="byzantine", scores={"input.rent": -3}))
    play(morning, dawn.but(who="zoe"))
    assert score(morning, "zoe", "energy") == 0


def test_byz_08_byz_09_byz_10_byz_11_what_is_invested_counts_from_the_next_dawn(morning: Book) -> None:
    adjust(morning, "mara", energy=20)
    assert says(morning, Invest(who="mara", energy=5)) == "1 into the general pool from the next dawn"
    assert follows(morning, Invest(who="mara", energy=10, project="election")) == [
        "project-opened", "energy-invested", "energy-wasted"
    ]  # fmt: skip
    with pytest.raises(Refused, match=r"Each full 5 count; of 7, 2 would be lost\.") as told:
        play(morning, Invest(who="mara", energy=7, project="election"))
    assert told.value.hint == "Invest 5, or say --lose."
    played = play(morning, Invest(who="mara", energy=7, project="election", lose=True))
    assert step(played, "stored") == "4 of 7, 2 over"
    assert follows(morning, Invest(who="mara", energy=1, lose=True)) == ["energy-invested", "energy-wasted"]
    assert energies(morning, "mara", "energy", "general", "general.deposit", "deposit.election", "invested.election") == (
        1, 7, 1, 12, 17
    )  # fmt: skip
    with pytest.raises(Refused, match="nothing to spend in the project election"):
        play(morning, Attempt(who="mara", task="vote", costs=1, energy=1, project="election"))
    with pytest.raises(NotEnough, match="mara has 8 energy and needs 9"):
        play(morning, Attempt(who="mara", task="vote", costs=1, energy=9))
    days(morning)
    assert energies(morning, "mara", "general", "general.deposit", "project.election", "deposit.election") == (
        7,
        0,
        12,
        0,
    )
    days(morning)
    assert energies(morning, "mara", "general", "project.election") == (6, 11)


def test_byz_11_a_large_pool_loses_five_percent_a_night_also_in_days_that_are_skipped(city: Book) -> None:
    adjust(city, "mara", general=33, project__climb=15)
    wrote = scribe(city).write(NextDay(count=3, until=None)).entries
    ticks = [e.body["facts"] for e in wrote if e.type == "decay-ticked" and e.body["facts"]["pool"] == "general"]
    assert [(each["held"], each["lost"]) for each in ticks] == [(41, 3), (38, 2), (36, 2)]
    assert energies(city, "mara", "general", "project.climb") == (34, 17)


def test_byz_12_a_cancelled_project_gives_back_what_can_be_spent_at_once_and_is_closed(city: Book) -> None:
    assert says(city, Cancel(who="mara", project="climb")) == "2 of 6 comes back"
    assert energies(city, "mara", "project.climb", "general", "general.recouped") == (0, 8, 2)
    for move in (Invest(who="mara", energy=5, project="climb"), Cancel(who="mara", project="climb")):
        with pytest.raises(Refused, match="closed for good"):
            play(city, move)
    play(city, Attempt(who="mara", task="run", costs=1, energy=19))
    assert energies(city, "mara", "energy", "general", "general.recouped") == (0, 0, 1)
    days(city)
    assert energies(city, "mara", "general", "general.recouped") == (1, 0)


def test_byz_12_what_was_invested_today_is_in_the_pool_that_is_cancelled(city: Book) -> None:
    play(city, Invest(who="mara", energy=5, project="mill"))
    assert follows(city, Cancel(who="mara", project="mill")) == ["project-cancelled", "energy-wasted"]
    play(city, Invest(who="mara", energy=5, project="bridge"))
    adjust(city, "mara", invested__bridge=35, project__bridge=1)
    assert says(city, Cancel(who="mara", project="bridge")) == "4 of 5 comes back"
    adjust(city, "brak", project__well=0, invested__well=0)
    adjust(city, "brak", project__mill=3)
    assert says(city, Cancel(who="brak", project="mill")) == "0 of 3 comes back"
    adjust(city, "brak", invested__tower=3)
    assert follows(city, Cancel(who="brak", project="tower")) == ["project-cancelled"]


# Tasks


def test_byz_13_energy_is_drawn_from_the_project_the_day_and_the_general_pool(city: Book) -> None:
    climb = Attempt(who="mara", task="climb", costs=30, energy=20, project="climb", ability="climbing")
    assert says(city, climb) == "not done"
    assert energies(city, "mara", "project.climb", "energy", "general") == (0, 0, 4)
    with pytest.raises(NotEnough, match="mara has 4 energy and needs 5"):
        play(city, climb.but(project=None, energy=5))
    play(city, climb.but(project=None, energy=5, overdraft=True))
    assert energies(city, "mara", "energy", "general") == (-1, 0)
    with pytest.raises(NotEnough, match="mara has 0 energy and needs 1"):
        play(city, climb.but(project=None, energy=1))


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
    played = play(city, Attempt(who="mara", task="climb", costs=costs, energy=energy, ability=ability))
    assert played["verdict"]["good"] is good
    assert score(city, "mara", "energy") == 10 - energy


def test_byz_15_a_cost_that_was_set_is_kept_told_or_adjusted_with_a_reason(city: Book) -> None:
    task = Task(who="mara", task="climb", costs=9)
    assert says(city, task) == "climb has a cost"
    for wrong in (task, task.but(costs=None)):
        with pytest.raises(BadInput):
            play(city, wrong)
    assert says(city, task.but(costs=7, why="a rope")) == "climb has another cost"
    with pytest.raises(BadInput, match="climb has a cost already"):
        play(city, Attempt(who="mara", task="climb", costs=1, energy=3))
    assert step(play(city, Attempt(who="mara", task="climb", energy=7)), "task") == "7 against 7"
    with pytest.raises(BadInput, match="Nobody said what climb costs"):
        play(city, Attempt(who="mara", task="climb", energy=3))
    with pytest.raises(BadInput, match="a new one has none"):
        play(city, task.but(why="too late"))
    assert step(play(city, task.but(told=True)), "cost") == "9"


def test_byz_21_opposition_adds_to_the_cost_and_spends_its_energy(city: Book) -> None:
    opposed = Task(who="mara", task="climb", opposed_energy={"brak": 4, "a-crowd": 9}, opposed_ability={"brak": 3})
    play(city, opposed.but(costs=5))
    played = play(city, Attempt(who="mara", task="climb", energy=3))
    assert step(played, "cost") == "5 + 13 + 3 = 21"
    assert score(city, "brak", "energy") == 2
    play(city, Task(who="mara", task="climb", opposed_ability={"brak": 3}))
    assert step(play(city, Attempt(who="mara", task="climb", energy=3)), "cost") == "0 + 3 = 3"
    assert score(city, "brak", "energy") == 2


def test_byz_15_byz_21_a_refused_opposition_tells_nothing(city: Book) -> None:
    play(city, Task(who="mara", task="climb", opposed_energy={"brak": 713}))
    with pytest.raises(Refused, match=r"^The opposition cannot spend what the GM says it does\.$") as refused:
        play(city, Attempt(who="mara", task="climb", energy=3))
    assert "713" not in str(refused.value.hint)
    adjust(city, "brak", energy=-7)
    play(city, Withhold(who="brak", connection="alms", why="a fine"))
    play(city, Task(who="mara", task="climb", opposed_energy={"brak": 1}, why="x"))
    with pytest.raises(Refused, match="The opposition cannot spend"):
        play(city, Attempt(who="mara", task="climb", energy=3))


def test_byz_24_knowing_a_cost_is_a_task_of_its_own_at_four_fifths(city: Book) -> None:
    play(city, Task(who="mara", task="climb", costs=9))
    know = Know(who="mara", task="climb", energy=2, ability="climbing")
    missed = play(city, know)
    assert missed["verdict"]["says"] == "nothing learned"
    assert list(missed["steps"][1]["numbers"][1]) == ["secret"]
    learned = play(city, know.but(energy=3))
    assert learned["verdict"] == {"says": "learned", "good": True, "margin": None}
    assert step(learned, "learned") == "the cost is 9"
    assert mark(city, "mara", "learned.climb") == 9
    with pytest.raises(Refused, match="What climb costs is known"):
        play(city, know)
    with pytest.raises(Refused, match="contested cost whose total is known"):
        play(city, know.but(split=True))
    play(city, Task(who="mara", task="climb", costs=10, why="rain"))
    assert mark(city, "mara", "learned.climb") is None
    assert play(city, know.but(costs=99))["verdict"]["good"] is False
    assert play(city, know.but(costs=0, energy=0))["verdict"]["good"] is True


def test_byz_25_of_a_contested_cost_one_learns_the_total_then_the_split_and_both_can_be_obscured(city: Book) -> None:
    play(city, Task(who="mara", task="climb", opposed_energy={"brak": 2}, opposed_ability={"brak": 3}))
    know = Know(who="mara", task="climb", energy=4)
    with pytest.raises(Refused, match="whose total is known"):
        play(city, know.but(split=True))
    assert play(city, know.but(obscured={"brak": 1}))["verdict"]["good"] is False
    assert score(city, "brak", "energy") == 5
    assert step(play(city, know), "learned") == "the cost is 5"
    with pytest.raises(Refused, match="Only the opposition obscures"):
        play(city, know.but(split=True, obscured={"mara": 1}))
    with pytest.raises(Refused, match="The opposition cannot spend"):
        play(city, know.but(split=True, obscured={"brak": 6}))
    assert play(city, know.but(split=True, obscured={"brak": 1}))["verdict"]["good"] is False
    assert step(play(city, know.but(split=True)), "learned") == "ability 3, energy 2"


def test_a_learned_cost_is_set_by_hand_as_a_number_alone(city: Book) -> None:
    hand = scribe(city)
    hand.write(
        SetMarks(who="mara", values={"byzantine/learned.climb": "12", "byzantine/night": "little"}, why="a scholar")
    )
    assert mark(city, "mara", "learned.climb") == 12
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
    assert says(city, daily.but(daily=True)) == "in market"


def test_byz_19_a_failed_move_to_a_way_is_none_and_to_an_area_is_lost_until_the_gm_says_otherwise(city: Book) -> None:
    move = Go(who="mara", place="gate-stairs", energy=1, to="way")
    assert follows(city, move) == ["energy-spent"]
    assert mark(city, "mara", "place") is None
    assert says(city, move.but(place="old-market", to="area")) == "in old-market, lost"
    assert says(city, move.but(energy=5)) == "in gate-stairs, lost"
    assert (mark(city, "mara", "place"), mark(city, "mara", "lost")) == ("gate-stairs", True)
    assert says(city, Found(who="mara", why="a lamplighter")) == "has found the way"
    assert says(city, move.but(place="docks", energy=5)) == "in docks"
    assert mark(city, "mara", "lost") is None


def test_byz_20_a_led_group_goes_by_the_best_ability_and_each_commits_their_own_energy(city: Book) -> None:
    alone = Go(who="mara", place="old-market", energy=1, ability="streets", district=True)
    assert play(city, alone)["verdict"]["good"] is False
    assert play(city, alone.but(among=("brak",)))["verdict"]["good"] is True
    assert (score(city, "mara", "energy"), score(city, "brak", "energy")) == (8, 6)
    assert play(city, alone.but(who="brak", among=("mara",)))["verdict"]["good"] is True


# Fights


def test_byz_22_the_winner_takes_up_to_what_does_not_kill_and_both_have_spent(morning: Book) -> None:
    attack = Attack(who="mara", target="brak", energy=3, ability="climbing", answer=2, guard="guard")
    done = scribe(morning).write(Play(system="byzantine", move=attack))
    assert [entry.type for entry in done.entries] == ["question-asked", "energy-spent", "energy-spent"]
    question = done.entries[0].seq
    with pytest.raises(Refused, match="At most 5 can be taken"):
        scribe(morning).write(Choose(question=question, chosen={"take": 6}))
    assert last(scribe(morning).write(Choose(question=question, chosen={"take": 5})), "move-played")["verdict"] == {
        "says": "mara takes 5 from brak", "good": True, "margin": None
    }  # fmt: skip
    assert (score(morning, "mara", "energy"), score(morning, "brak", "energy")) == (1, -2)
    days(morning)
    assert (score(morning, "brak", "energy"), mark(morning, "brak", "dead")) == (1, None)


def test_byz_22_the_defender_may_win_and_a_tie_takes_nothing(city: Book) -> None:
    attack = Attack(who="mara", target="brak", energy=3)
    assert follows(city, attack.but(answer=3)) == ["energy-spent", "energy-spent"]
    with pytest.raises(Refused, match="At most 0 can be taken"):
        play(city, attack.but(answer=3, take=1))
    assert says(city, attack.but(guard="guard", answer=1, take=2)) == "brak takes 2 from mara"
    assert score(city, "mara", "energy") == 2
    adjust(city, "brak", energy=-2)
    play(city, Withhold(who="brak", connection="alms", why="a fine"))
    assert says(city, attack.but(energy=1)) == "mara takes 0 from brak"


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
    assert says(city, kill.but(ability="climbing")) == "brak is dead"
    with pytest.raises(Refused, match="brak is dead"):
        play(city, kill.but(energy=0))


# The days of the campaign


def test_a_day_that_is_named_is_gone_to_once_and_never_back(city: Book) -> None:
    scribe(city).write(NextDay(count=None, until=4))
    head = city.head()
    for until in (4, 3, 0):
        with pytest.raises(Refused, match="It is day 4; a day that is over does not come back"):
            scribe(city).write(NextDay(count=None, until=until))
    assert city.head() == head
    assert (mark(city, "mara", "dawned"), score(city, "mara", "general")) == (4, 4)


def test_byz_02_whoever_joins_in_the_middle_sees_no_dawn_of_before(morning: Book) -> None:
    days(morning, 2)
    scribe(morning).write(Join(who="sam", system="byzantine", scores={"energy": 3, "output.mill": 2, "general": 9}))
    assert mark(morning, "sam", "dawned") is None
    days(morning)
    assert (mark(morning, "sam", "dawned"), *energies(morning, "sam", "energy", "general")) == (4, 2, 8)


def test_byz_02_no_dawn_breaks_before_the_first_day_and_none_twice(city: Book) -> None:
    with pytest.raises(Refused, match="No day has begun"):
        play(city, Dawn(who="mara"))
    days(city)
    scribe(city).write(Join(who="sam", system="byzantine", scores={}))
    assert step(play(city, Dawn(who="sam")), "net") == "0 = 0"
    with pytest.raises(Refused, match="sam has seen the dawn of day 1"):
        play(city, Dawn(who="sam"))


# What is refused

RUN = Attempt(who="mara", task="run", costs=3, energy=1)
GO = Go(who="mara", place="docks", energy=5)
ALTER = Alter(who="mara", connection="workshop", side="input", by=1, energy=1)


@pytest.mark.parametrize(
    ("move", "error", "why"),
    [
        (Connect(who="mara", connection="workshop", input=-1, output=5), Refused, "is so already"),
        (Connect(who="ghost", connection="workshop"), UnknownName, "ghost"),
        (Connect(who="mara", connection="mill"), Refused, "is so already"),
        (Alter(who="mara", connection="mill", side="output", by=1, energy=1), Refused, "no connection mill"),
        (ALTER.but(by=0), Refused, "1 point at least"),
        (ALTER.but(by=2), Refused, r"An input is −5 to 0; 1 it cannot be"),
        (ALTER.but(by=-5), Refused, "−6 it cannot be"),
        (ALTER.but(side="output"), Refused, r"0 to 5; 6 it cannot be"),
        (ALTER.but(costs=5), BadInput, "go together"),
        (ALTER.but(why="x"), BadInput, "go together"),
        (ALTER.but(energy=19), NotEnough, "has 18 energy and needs 19"),
        (Withhold(who="mara", connection="mill", why="x"), Refused, "no connection mill"),
        (Withhold(who="mara", connection="workshop", why=" "), BadInput, "cannot be empty"),
        (Restore(who="mara", connection="workshop"), Refused, "is not withheld"),
        (Lend(who="mara", connection="bread", why="x"), BadInput, "--input N, --output N"),
        (Lend(who="mara", connection="workshop", output=1, why="x"), Refused, "already"),
        (Reclaim(who="mara", connection="workshop"), Refused, "was not lent"),
        (Invest(who="mara", energy=11), NotEnough, "10 energy left today and needs 11"),
        (Invest(who="mara", energy=3), Refused, "of 3, 3 would be lost"),
        (Cancel(who="mara", project="mill"), Refused, "has no project mill"),
        (Task(who="mara", task="run"), BadInput, "Say what it costs"),
        (Task(who="mara", task="run", opposed_energy={"mara": 1}), Refused, "does not oppose"),
        (RUN.but(costs=None), BadInput, "Nobody said what run costs"),
        (RUN.but(ability="flying"), Refused, "no ability flying on the sheet"),
        (RUN.but(project="mill"), Refused, "nothing to spend in the project mill"),
        (RUN.but(energy=19), NotEnough, "has 18 energy and needs 19"),
        (RUN.but(how="x"), BadInput, "does not die of it"),
        (RUN.but(energy=99, overdraft=True), Refused, "It would kill mara: 81 is owed"),
        (Know(who="mara", task="run", energy=1), Refused, "Nobody set what run costs"),
        (GO.but(base=3), Refused, "4, 5 or 6, not 3"),
        (GO.but(base=7), Refused, "4, 5 or 6, not 7"),
        (GO.but(energy=0), Refused, "at least 1 energy"),
        (GO.but(adjust=1), BadInput, "go together"),
        (GO.but(why="x"), BadInput, "go together"),
        (GO.but(adjust=-6, why="x"), Refused, "0 or more, not −1"),
        (GO.but(among=("brak",)), BadInput, "the best --ability among them"),
        (GO.but(among=("ghost",), ability="streets"), UnknownName, "ghost"),
        (Found(who="mara", why="x"), Refused, "is not lost"),
        (Attack(who="mara", target="mara", energy=1), Refused, "does not attack"),
        (Attack(who="mara", target="brak", energy=99), NotEnough, "has 18 energy"),
        (Attack(who="mara", target="brak", energy=99, overdraft=True), Refused, "would be dead of it"),
        (Attack(who="mara", target="brak", energy=1, answer=7), NotEnough, "brak has 6 energy and needs 7"),
        (Attack(who="mara", target="brak", energy=1, guard="flying"), Refused, "brak has no ability flying"),
        (Attack(who="mara", target="brak", energy=1, take=9), Refused, "At most 8 can be taken"),
        (Kill(who="mara", target="mara", energy=1, manner="x"), Refused, "does not kill"),
        (Kill(who="mara", target="brak", energy=1, manner="x"), Refused, "cannot be killed"),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_refused_and_nothing_is_written(
    city: Book, move: Move, error: type[LedgerError], why: str
) -> None:
    head, dice = city.head(), counting_dice()
    with pytest.raises(error, match=why) as refused:
        scribe(city, chance=dice).write(Play(system="byzantine", move=move))
    assert refused.value.sentence.endswith(".")
    assert (city.head(), dice.count) == (head, 0)


def test_what_is_done_twice_is_refused(city: Book) -> None:
    for move in (
        Withhold(who="mara", connection="workshop", why="x"),
        Lend(who="mara", connection="bread", output=1, why="x"),
    ):
        play(city, move)
        with pytest.raises(Refused, match="already"):
            play(city, move)


def test_an_answer_that_would_kill_is_refused(city: Book) -> None:
    adjust(city, "brak", energy=-9, general=4)  # 3 owed, 5 + 3 will be there
    with pytest.raises(Refused, match="brak cannot spend 3 more: it would be death"):
        play(city, Attack(who="mara", target="brak", energy=1, answer=3))


def test_a_correction_that_leaves_a_pool_below_zero_stops_nobody_from_playing(city: Book) -> None:
    put = scribe(city).write(
        Adjust(who="brak", amounts={"byzantine/general": 6, "byzantine/ability.climbing": 2}, why="x")
    )
    play(city, Attempt(who="brak", task="run", costs=1, energy=12))
    scribe(city).write(
        Amend(
            named=put.entries[0].seq, inputs={"amounts": {"byzantine/general": 1}}, faces=None, cascade=False, why="x"
        )
    )
    assert score(city, "brak", "general") == -5
    assert days(city).count("dawn-broken") == 2
    assert score(city, "brak", "energy") == 5


# What follows from what


CALLS: dict[str, list[str]] = {
    "byzantine.net_energy": ["connect", "alter", "dawn", "attempt", "know", "go", "attack", "kill"],
    "byzantine.sleep": ["alter", "dawn", "attempt", "know", "go", "attack", "kill"],
    "byzantine.repay_debt": ["dawn"],
    "byzantine.dawn": ["dawn"],
    "byzantine.invest_general": ["invest"],
    "byzantine.invest_specific": ["invest"],
    "byzantine.decay": ["alter", "dawn", "attempt", "know", "go", "attack", "kill"],
    "byzantine.rollover": ["alter", "dawn", "attempt", "know", "go", "attack", "kill"],
    "byzantine.cancel_project": ["cancel"],
    "byzantine.commit": ["alter", "attempt", "know", "kill"],
    "byzantine.draw": ["alter", "attempt", "know", "go", "attack", "kill"],
    "byzantine.move_cost": ["go"],
    "byzantine.move": ["go"],
    "byzantine.contest": ["task", "attempt", "know"],
    "byzantine.attack": ["attack"],
    "byzantine.max_deduction": ["attack"],
    "byzantine.killable": ["kill"],
    "byzantine.kill_cost": ["kill"],
    "byzantine.knowing_cost": ["know"],
    "byzantine.alter_connection": ["alter"],
}


def called_by(book: Book, move: Move) -> list[str]:
    """Play a move, and watch which rules are worked out."""
    codes: set[CodeType] = set()

    def watch(frame: FrameType, event: str, arg: object) -> None:
        codes.add(frame.f_code)

    sys.setprofile(watch)
    try:
        scribe(book).write(Play(system="byzantine", move=move))
    finally:
        sys.setprofile(None)
    return [rule.name for rule in rules.RULES if rule.work.__code__ in codes]


def test_every_rule_that_try_answers_is_called_by_the_moves_named_here(morning: Book) -> None:
    adjust(morning, "mara", energy=100)
    adjust(morning, "brak", energy=-7)
    scribe(morning).write(Join(who="sam", system="byzantine", scores={}))
    played: list[Move] = [
        Connect(who="mara", connection="guild", output=1),
        Withhold(who="mara", connection="guild", why="x"),
        Restore(who="mara", connection="guild"),
        Lend(who="mara", connection="bread", output=1, why="x"),
        Reclaim(who="mara", connection="bread"),
        ALTER,
        Night(who="mara", sleep="full"),
        Dawn(who="sam"),
        Invest(who="mara", energy=5),
        Invest(who="mara", energy=5, project="climb"),
        Cancel(who="mara", project="climb"),
        Task(who="mara", task="climb", opposed_ability={"brak": 3}),
        Know(who="mara", task="climb", energy=3),
        Attempt(who="mara", task="climb", energy=3),
        GO.but(energy=1),
        Found(who="mara", why="x"),
        Attack(who="mara", target="sam", energy=1),
        Kill(who="mara", target="brak", energy=40, manner="x"),
    ]
    assert {type(move) for move in played} == set(moves.MOVES)
    found: dict[str, set[str]] = {rule.name: set() for rule in rules.RULES}
    for move in played:
        for rule in called_by(morning, move):
            found[rule].add(move.name())
    assert found == {name: set(called) for name, called in CALLS.items()}


# What is typed and seen

KEPT = "791919379"
"""A cost that stands nowhere else."""


def seen(type_in: Type, *lines: str) -> str:
    """What all of these show, on both channels."""
    return "".join(type_in(line).output for line in lines)


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type) -> Type:
    """A campaign at the terminal, in which mara and brak have a sheet."""
    monkeypatch.chdir(tmp_path)
    type_in("init City --gm Tom")
    type_in("player Ana --plays mara")
    for who, scores in (("mara", MARA), ("brak", BRAK)):
        type_in(["join", who, "byzantine", *(f"{name}={value}" for name, value in scores.items())])
    return type_in


LOOKS = (
    "log -n all",
    "log -n all -v",
    "log --json",
    "sheets",
    "sheets mara",
    "sheets --json",
    "questions",
    "questions --json",
    "chronicle",
    "replay",
    "diff 1 9",
    "register mara energy",
    "why mara energy",
    "verify",
    *(f"show {seq}" for seq in range(1, 16)),
    *(f"show {seq} --json" for seq in range(1, 16)),
)


def test_byz_15_a_cost_is_told_by_no_command_before_it_is_resolved(typed: Type) -> None:
    said = seen(
        typed,
        f"byzantine task mara climb --costs 12 --opposed-energy brak={KEPT}",
        f"byzantine task mara climb --costs {KEPT} --why rain --dry-run",
        f"byzantine task mara climb --costs {KEPT} --why rain --json",
        f"byzantine task mara climb --costs {KEPT} --opposed-energy brak={KEPT} --why wind -v --once w",
        f"byzantine task mara climb --costs {KEPT} --opposed-energy brak={KEPT} --why wind -v --once w",
        f"byzantine task mara climb --costs {KEPT} --opposed-ability brak=1 --why wind -v --once w",
        "byzantine attempt mara climb --energy 3",
        "byzantine attempt mara climb --energy 3 -v --dry-run",
        "byzantine attempt mara climb --energy 99",
        "byzantine attempt mara climb --energy 3 --costs 5",
        f"byzantine know mara climb --energy 3 --costs {KEPT} -v",
        f"byzantine know mara climb --energy 3 --obscured brak={KEPT}",
        "byzantine know mara climb --energy 3 --json",
        "byzantine task mara climb",
        f"amend 9 --costs {KEPT} --why typo --dry-run",
        "undo",
        "redo",
    )
    assert "climb has another cost" in said
    assert KEPT not in said + seen(typed, *LOOKS)


def test_byz_15_the_question_that_an_amended_cost_raises_does_not_tell_it(typed: Type) -> None:
    said = seen(
        typed,
        "byzantine task mara climb --costs 5",
        "byzantine know mara climb --energy 6 -v",
        "byzantine task brak wall --costs 2",
        "byzantine attempt brak wall --energy 3 -v",
    )
    assert "the cost is 5" in said
    assert "3 against 2" in said
    told = seen(
        typed,
        f"amend 6 --costs {KEPT} --why typo --dry-run",
        f"amend 6 --costs {KEPT} --why typo --yes",
        f"amend 11 --costs {KEPT} --why typo --yes",
        "questions",
        "questions --json",
        *LOOKS,
    )
    assert told.count("it would be nothing learned") + told.count("it would be not done") >= 2
    assert KEPT not in told


def test_byz_24_a_cost_that_is_learned_stands_on_the_sheet(typed: Type) -> None:
    said = seen(typed, "byzantine task mara climb --costs 5", "byzantine know mara climb --energy 6 -v", "sheets mara")
    assert "learned  the cost is 5" in said
    assert "learned.climb     5" in said
    assert "task.climb        kept secret by the GM" in said


BEFORE: Mapping[type[Move], tuple[str, ...]] = {
    Restore: ('byzantine withhold mara workshop --why "in a cell"',),
    Reclaim: ('byzantine lend mara prison-food --output 2 --why "bread and water"',),
    Cancel: ("byzantine invest mara 10 --project election",),
    Know: ("byzantine task mara climb --costs 12",),
    Found: ("byzantine go mara old-market --energy 1",),
    Kill: ("adjust mara energy=+40 --why x", "adjust brak energy=-8 --why x"),
    Alter: ("adjust mara energy=+40 --why x", "byzantine connect mara workshop --output 4"),
    Connect: ("byzantine connect mara workshop",),
}


@pytest.mark.parametrize("move", moves.MOVES, ids=lambda move: move.name())
def test_the_example_in_the_help_of_a_move_runs(typed: Type, move: type[Move]) -> None:
    if move is Dawn:
        typed("day next")
        typed("join sam byzantine energy=1")
        typed("byzantine dawn sam")
        assert "has seen the dawn of day 1" in typed(f"byzantine dawn {move.example}").output
        return
    for line in BEFORE.get(move, ()):
        assert typed(line).exit_code == 0, line
    result = typed(f"byzantine {move.name()} {move.example}")
    assert result.exit_code == 0, result.output
    assert move.example in " ".join(typed(f"byzantine {move.name()} --help").output.split())


def test_a_skip_to_a_day_begins_each_and_says_so(typed: Type) -> None:
    assert "day 3 begins" in typed("day to 3").output
    written = typed("log -n all").output
    for line, code in (("day to 3", 0), ("day to 2", 3), ("day to x", 2)):
        assert typed(line).exit_code == code
    assert typed("log -n all").output == written
    assert "day 4 begins" in typed("day next --dry-run").output
    assert "day 4 begins" in typed("day to 4").output
