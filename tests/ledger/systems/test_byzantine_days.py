"""Byzantine from day to day: connections, nights, dawns, debts, and what is put away."""

from collections.abc import Iterator

import pytest

from byzantine_city import MARA, adjust, days, energies, follows, in_the_city, mark, play, row, says, score, step
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, ChangeSettings, Join
from ledger.commands.days import NextDay
from ledger.commands.play import PlayMove
from ledger.corrections.answers import Choose, Decide
from ledger.corrections.undoing import Void
from ledger.errors import BadInput, Held, NotEnough, OutOfRange, Refused
from ledger.journal.book import Book
from ledger.rules.move import Move
from ledger.systems.byzantine.moves_connections import Alter, Connect, Lend, Reclaim, Restore, Withhold
from ledger.systems.byzantine.moves_contests import Commit, Contest
from ledger.systems.byzantine.moves_days import Cancel, Dawn, Harm, Invest, Night
from ledger.systems.byzantine.moves_fights import EnergyAttack, Kill
from ledger.systems.byzantine.moves_tasks import Attempt, Know, Task
from ledger.systems.byzantine.moves_ways import FindWay, Go
from projections.sheets import sheet
from table import last, scribe


def set_limits(book: Book, lowest: int, highest: int) -> None:
    values = {"lowest-input": str(lowest), "highest-output": str(highest)}
    scribe(book).write(ChangeSettings(system="byzantine", values=values))


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


def test_byz_01_the_gm_sets_how_much_a_connection_may_cost_and_yield(city: Book) -> None:
    set_limits(city, lowest=-7, highest=20)
    play(city, Connect(who="mara", connection="vein", input=-7, output=20))
    adjust(city, "mara", energy=10)
    assert says(city, Alter(who="mara", connection="workshop", side="output", energy=20)).endswith("is altered")
    scribe(city).write(Join(who="sam", system="byzantine", scores={"output.big": 20}))
    days(city)
    assert (score(city, "mara", "energy"), score(city, "sam", "energy")) == (-1 + 6 - 7 + 20, 20)
    with pytest.raises(OutOfRange, match="it cannot be above 20") as refused:
        adjust(city, "sam", output__big=1)
    assert refused.value.hint == "To change the limit: campaign settings byzantine highest-output=21"
    with pytest.raises(OutOfRange, match="it cannot be below −7") as refused:
        adjust(city, "sam", input__rent=-8)
    assert refused.value.hint == "To change the limit: campaign settings byzantine lowest-input=-8"
    assert verify(city).entries == city.head()


@pytest.mark.parametrize(
    ("input_", "output", "limits"),
    [(-6, 5, "lowest-input=-6"), (-5, 6, "highest-output=6"), (-9, 7, "lowest-input=-9 highest-output=7")],
)
def test_byz_01_the_hint_names_the_settings_that_allow_a_connection(
    city: Book, input_: int, output: int, limits: str
) -> None:
    with pytest.raises(Refused) as refused:
        play(city, Connect(who="mara", connection="vein", input=input_, output=output))
    assert refused.value.hint == f"To change the limit: campaign settings byzantine {limits}"


def test_byz_01_a_connection_from_before_a_lower_limit_counts_as_it_is_until_it_changes(city: Book) -> None:
    set_limits(city, lowest=-5, highest=20)
    adjust(city, "mara", output__workshop=4)
    set_limits(city, lowest=-5, highest=5)
    days(city)
    assert score(city, "mara", "energy") == 8
    play(city, Connect(who="mara", connection="ferry", output=1))
    with pytest.raises(Refused, match="The connection workshop of mara is outside the limits") as refused:
        play(city, Connect(who="mara", connection="workshop", output=8))
    assert refused.value.hint == "To change the limit: campaign settings byzantine highest-output=8"
    play(city, Connect(who="mara", connection="workshop", output=5))
    assert verify(city).entries == city.head()


def test_byz_01_an_input_that_a_correction_left_above_zero_stops_the_dawn(city: Book) -> None:
    low = scribe(city).write(Adjust(who="mara", amounts={"byzantine/input.workshop": -2}, why="x"))
    adjust(city, "mara", input__workshop=2 - score(city, "mara", "input.workshop") - 2)
    scribe(city).write(Void(strikes=low.entries[0].seq, why="x"))
    with pytest.raises(
        Refused, match=r"workshop of mara is outside the limits\. A connection needs an input from −5 to 0"
    ) as refused:
        days(city)
    assert "answer the open question first" in refused.value.hint


def test_byz_01_a_correction_beyond_the_limit_of_the_gm_asks_and_is_set_to_that_limit(city: Book) -> None:
    set_limits(city, lowest=-5, highest=20)
    adjust(city, "mara", output__workshop=10)
    low = scribe(city).write(Adjust(who="mara", amounts={"byzantine/output.workshop": -9}, why="x"))
    adjust(city, "mara", output__workshop=14)
    crossed = last(scribe(city).write(Void(strikes=low.entries[0].seq, why="x")), "limit-crossed")
    assert (crossed["value"], crossed["least"], crossed["most"]) == (29, 0, 20)
    (question,) = city.questions()
    scribe(city).write(Decide(question=question, choice="adjust", why="x", inputs={}, faces=None, cascade=False))
    assert score(city, "mara", "output.workshop") == 20


def test_byz_01_a_connection_that_ends_leaves_no_trace_of_being_lent_or_withheld(city: Book) -> None:
    play(city, Lend(who="mara", connection="bread", output=2, why="prison"))
    play(city, Withhold(who="mara", connection="bread", why="a fast"))
    assert says(city, Connect(who="mara", connection="bread", output=0)) == "bread ends, net +4"
    assert (mark(city, "mara", "lent.bread"), mark(city, "mara", "withheld.bread")) == (None, None)
    play(city, Lend(who="mara", connection="soup", output=2, why="a fever"))
    assert mark(city, "mara", "lent.soup") is True
    play(city, Connect(who="mara", connection="soup", output=1))
    assert mark(city, "mara", "lent.soup") is None
    play(city, Connect(who="mara", connection="soup", output=0))
    assert says(city, Connect(who="mara", connection="bread", output=1)) == "net +5"


def test_byz_03_what_is_withheld_does_not_count_and_of_an_output_alone_the_input_does(morning: Book) -> None:
    play(morning, Withhold(who="mara", connection="workshop", output=True, why="a siege"))
    days(morning)
    assert score(morning, "mara", "energy") == -1
    assert says(morning, Withhold(who="mara", connection="workshop", why="a cell")) == "workshop is withheld"
    assert {row.label: row.value for row in sheet(morning, "mara", "byzantine").rows}["net"] == "0 a day"
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
    assert says(city, altered) == "input of workshop is altered"
    assert score(city, "mara", "input.workshop") == 0
    assert says(city, altered.replace(by=-2, energy=35)) == "input of workshop is not altered"
    assert energies(city, "mara", "input.workshop", "energy") == (0, 19)
    cheap = altered.replace(by=-2, energy=0, costs=4, why="the guild helps")
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
            scribe(book).write(PlayMove(system="byzantine", move=Night(who="mara", sleep="little"))), "move-played"
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


OF_THE_DEAD = (
    Connect(who="mara", connection="guild", output=1),
    Alter(who="mara", connection="workshop", side="input", by=1, energy=1),
    Withhold(who="mara", connection="workshop", why="a siege"),
    Restore(who="mara", connection="workshop"),
    Lend(who="mara", connection="bread", output=1, why="prison"),
    Reclaim(who="mara", connection="bread"),
    Night(who="mara", sleep="full"),
    Dawn(who="mara"),
    Invest(who="mara", energy=1),
    Cancel(who="mara", project="climb"),
    Harm(who="mara", energy=1, why="a fall"),
    Task(who="mara", task="wall", costs=5),
    Attempt(who="mara", task="wall", costs=5, energy=1),
    Know(who="mara", task="hill", energy=1),
    Go(who="mara", place="docks", energy=5),
    FindWay(who="mara", why="a lantern"),
    EnergyAttack(who="mara", target="brak", energy=1),
    EnergyAttack(who="brak", target="mara", energy=1),
    Kill(who="mara", target="brak", energy=1, manner="a knife"),
    Kill(who="brak", target="mara", energy=1, manner="a knife"),
)


@pytest.mark.parametrize(("energy", "kills"), [(12, False), (13, True)])
def test_byz_07_a_debt_kills_where_its_double_is_more_than_the_next_morning_has(energy: int, kills: bool) -> None:
    with in_the_city(MARA | {"general": 0}) as book:  # 4 will be there
        play(book, Task(task="hill", costs=5))
        run = Attempt(who="mara", task="run", costs=5, energy=energy, overdraft=True)
        if not kills:
            assert says(book, run) == "run is done"
            days(book)
            assert energies(book, "mara", "energy") == (0,)
            return
        with pytest.raises(
            Refused,
            match="This would kill mara: a debt of 3 costs 6 energy at the next dawn, but only 4 will be available",
        ):
            play(book, run)
        done = scribe(book).write(PlayMove(system="byzantine", move=run.replace(how="she runs until her heart stops")))
        assert [entry.type for entry in done.entries] == [
            "move-played", "energy-spent", "debt-incurred", "died", "task-resolved"
        ]  # fmt: skip
        assert done.entries[0].body["verdict"]["says"] == "run is done, and mara is dead"
        assert mark(book, "mara", "dead") is True
        for move in OF_THE_DEAD:
            with pytest.raises(Refused, match="mara is dead"):
                play(book, move)
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
        attack = EnergyAttack(who="brak", target="mara", energy=1)
        assert step(play(book, attack.replace(take=0)), "most") == f"{there // 2} can be taken"


def test_byz_07_what_changes_no_debt_tests_none(morning: Book) -> None:
    adjust(morning, "mara", general=-7, energy=-6)
    play(morning, Withhold(who="mara", connection="workshop", why="a cell"))
    assert says(morning, Attempt(who="mara", task="look", costs=4, energy=0, ability="climbing")) == "look is done"
    assert (
        says(morning, Attempt(who="mara", task="climb", costs=9, energy=5, ability="climbing", project="climb"))
        == "climb is done"
    )
    with pytest.raises(
        Refused, match="This would kill mara: a debt of 3 costs 6 energy at the next dawn, but only 0 will be available"
    ):
        play(morning, Attempt(who="mara", task="run", costs=1, energy=1, overdraft=True))


def test_byz_07_who_spends_all_and_has_nothing_tomorrow_owes_nothing_and_lives(city: Book) -> None:
    play(city, Withhold(who="mara", connection="workshop", why="a cell"))
    assert says(city, Attempt(who="mara", task="run", costs=18, energy=18)) == "run is done"
    assert energies(city, "mara", "energy", "general") == (0, 0)


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
        for command in (
            PlayMove(system="byzantine", move=Night(who="mara", sleep="none")),
            NextDay(count=1, until=None),
        ):
            with pytest.raises(Held, match=f"mara has an open question: #{question}"):
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


def test_byz_07_a_death_at_dawn_is_a_bad_result(morning: Book) -> None:
    scribe(morning).write(Join(who="zoe", system="byzantine", scores={"input.rent": -3}))
    died = play(morning, Dawn(who="zoe", fate="dies", how="hunger"))
    assert died["verdict"]["good"] is False


def test_byz_07_of_a_new_debt_the_gm_lets_go_what_the_next_morning_cannot_repay(city: Book) -> None:
    adjust(city, "mara", general=-2, project__climb=-6, input__workshop=-3)
    play(city, Withhold(who="mara", connection="workshop", output=True, why="a siege"))
    done = scribe(city).write(NextDay(count=1, until=None))
    (question,) = city.questions()
    done = scribe(city).write(Choose(question=question, chosen={"fate": "lives", "how": "a neighbor"}))
    assert energies(city, "mara", "energy", "general") == (-2, 5)
    assert last(done, "debt-forgiven")["facts"] == {"due": 0, "owed": 2}


@pytest.mark.parametrize(
    ("debt", "net", "general", "energy", "written"),
    [
        (2, 0, 0, -2, ["debt-repaid"]),  # nothing is repaid, and all is still owed
        (5, 3, 0, -4, ["debt-repaid"]),  # 3 of the 10 due are repaid; 7 more would be 3½ owed
        (5, 3, 2, -3, ["energy-drawn", "debt-repaid"]),
        (2, -1, 0, -3, ["debt-repaid", "debt-incurred"]),  # the net below zero is a new debt
    ],
)
def test_byz_07_a_character_who_lives_and_still_owes_repays_what_there_is_and_owes_half_of_the_rest_due(
    debt: int, net: int, general: int, energy: int, written: list[str]
) -> None:
    sides = {"output.alms": max(0, net), "input.rent": min(0, net)}
    with in_the_city({"energy": -debt, "general": general + 1 if general else 0, **sides}) as book:
        days(book)
        (question,) = book.questions()
        done = scribe(book).write(Choose(question=question, chosen={"fate": "owes", "how": "a neighbor"}))
        told = last(done, "move-played")["verdict"]["says"]
        assert told == f"day 1: lives and still owes, as the GM rules; −{-energy} energy"
        kinds = [entry.type for entry in done.entries]
        assert kinds[kinds.index("dawn-broken") + 1 :] == written
        assert energies(book, "mara", "energy", "general") == (energy, 0)
        assert verify(book).entries == book.head()


def test_byz_07_a_new_debt_that_the_next_morning_cannot_repay_stays_if_the_character_still_owes_it(city: Book) -> None:
    adjust(city, "mara", general=-2, project__climb=-6, input__workshop=-3)
    play(city, Withhold(who="mara", connection="workshop", output=True, why="a siege"))
    scribe(city).write(NextDay(count=1, until=None))
    (question,) = city.questions()
    scribe(city).write(Choose(question=question, chosen={"fate": "owes", "how": "a neighbor"}))
    assert score(city, "mara", "energy") == -4


def test_byz_07_the_gm_may_rule_the_fate_at_once_where_there_is_one_to_rule_on(morning: Book) -> None:
    dawn = Dawn(who="mara", fate="lives", how="a neighbor")
    for move, why in (
        (dawn, "The dawn of day 1 has already come for mara"),
        (Dawn(who="mara", fate="lives"), "has already come for mara"),
    ):
        with pytest.raises(Refused, match=why):
            play(morning, move)
    scribe(morning).write(Join(who="sam", system="byzantine", scores={}))
    with pytest.raises(Refused, match="so leave out --fate and --how"):
        play(morning, dawn.replace(who="sam"))
    with pytest.raises(BadInput, match="together with"):
        play(morning, Dawn(who="sam", how="so"))
    scribe(morning).write(Join(who="zoe", system="byzantine", scores={"input.rent": -3}))
    play(morning, dawn.replace(who="zoe"))
    assert score(morning, "zoe", "energy") == 0


@pytest.mark.parametrize(
    ("energy", "there", "written"),
    [
        (2, 2, ["energy-lost"]),
        (4, 0, ["energy-lost"]),
        (6, -2, ["energy-lost", "debt-incurred"]),
        (9, -5, ["energy-lost", "debt-incurred", "died"]),
    ],
)
def test_byz_06_byz_07_what_befalls_somebody_is_owed_below_zero_and_may_kill(
    city: Book, energy: int, there: int, written: list[str]
) -> None:
    adjust(city, "mara", general=-8, project__climb=-6)
    days(city)
    harm = Harm(who="mara", energy=energy, why="a falling roof")
    if "died" in written:
        with pytest.raises(
            Refused,
            match="This would kill mara: a debt of 5 costs 10 energy at the next dawn, but only 4 will be available",
        ):
            play(city, harm)
        harm = harm.replace(how="under the roof")
    else:
        with pytest.raises(BadInput, match="mara does not die from this"):
            play(city, harm.replace(how="x"))
    assert follows(city, harm) == written
    assert (score(city, "mara", "energy"), mark(city, "mara", "dead")) == (there, "died" in written or None)


def test_byz_08_byz_09_byz_10_byz_11_what_is_invested_counts_from_the_next_dawn(morning: Book) -> None:
    adjust(morning, "mara", energy=20)
    assert says(morning, Invest(who="mara", energy=5)) == "1 into the general pool from the next dawn"
    election = Invest(who="mara", energy=10, project="election")
    assert follows(morning, election) == ["project-opened", "energy-invested"]
    played = play(morning, election.replace(energy=7, lose=True))
    assert played["verdict"]["says"] == "12 into the project election from the next dawn; 3 more make the next five"
    assert step(played, "stored") == "12 of 17 today, 3 missing to the next five"
    assert follows(morning, Invest(who="mara", energy=1)) == ["energy-invested"]
    there = ("energy", "general", "general.invested-today", "invested-today.election", "invested.election")
    assert energies(morning, "mara", *there) == (1, 7, 6, 17, 17)
    with pytest.raises(Refused, match="The project election of mara has no energy to spend"):
        play(morning, Attempt(who="mara", task="vote", costs=1, energy=1, project="election"))
    with pytest.raises(NotEnough, match=r"mara has 8 energy and needs 9: day 1, general pool 7\."):
        play(morning, Attempt(who="mara", task="vote", costs=1, energy=9))
    wrote = days(morning)
    assert (wrote.count("investment-counted"), wrote.count("energy-wasted")) == (2, 2)
    assert energies(morning, "mara", "general", "project.election", *there[2:]) == (7, 12, 0, 0, 17)
    days(morning)
    assert energies(morning, "mara", "general", "project.election") == (6, 11)


def test_byz_09_general_energy_can_be_invested_in_a_project(city: Book) -> None:
    adjust(city, "mara", general=-2, energy=-5)
    play(city, Invest(who="mara", energy=5, project="mill"))
    assert says(city, Invest(who="mara", energy=5, project="mill", from_pool="general")).startswith("8 into")
    assert energies(city, "mara", "energy", "general", "invested-today.mill", "invested.mill") == (0, 1, 10, 10)
    days(city)
    assert energies(city, "mara", "general", "project.mill") == (0, 8)


def test_byz_12_returned_energy_can_be_invested_after_the_rest_of_the_general_pool(city: Book) -> None:
    play(city, Cancel(who="mara", project="climb"))
    play(city, Invest(who="mara", energy=9, project="mill", from_pool="general"))
    assert energies(city, "mara", "energy", "general", "general.recouped") == (10, 0, 1)


def test_byz_07_general_energy_that_must_repay_a_debt_cannot_be_invested(city: Book) -> None:
    adjust(city, "mara", energy=-12)  # she owes 2, and has a net of 4
    play(city, Withhold(who="mara", connection="workshop", why="a siege"))
    invest = Invest(who="mara", energy=4, project="mill", from_pool="general")
    with pytest.raises(Refused, match="the debt of 2 takes 4 energy, and only 3 would be left to pay it"):
        play(city, invest)
    play(city, invest.replace(energy=3))
    days(city)
    assert energies(city, "mara", "energy", "general") == (0, 0)


def test_byz_21_general_energy_that_is_committed_to_a_contest_cannot_be_invested(city: Book) -> None:
    play(city, Contest(contest="duel", acting=("mara",), against=("brak",)))
    play(city, Commit(who="mara", contest="duel", energy=14))
    with pytest.raises(Refused, match="some energy is committed to a contest"):
        play(city, Invest(who="mara", energy=5, project="mill", from_pool="general"))
    play(city, Invest(who="mara", energy=4, project="mill", from_pool="general"))
    assert score(city, "mara", "general") == 4


def test_byz_12_a_project_of_which_no_five_was_full_is_on_the_sheet_with_what_was_put_in(city: Book) -> None:
    play(city, Invest(who="mara", energy=3, project="mill"))
    days(city)
    assert row(city, "mara", "project mill") == "0; 3 invested in total"


def test_byz_10_fives_are_counted_over_all_that_went_into_a_pool_on_one_day(morning: Book) -> None:
    adjust(morning, "mara", energy=16)
    for project in (None, "mill"):
        invest = Invest(who="mara", energy=3, project=project)
        assert says(morning, invest).endswith("; 2 more make the next five")
        assert not says(morning, invest.replace(energy=2)).endswith("five")
        assert says(morning, invest.replace(energy=4)).endswith("; 1 more make the next five")
    days(morning)
    assert energies(morning, "mara", "general", "project.mill") == (6 + 1, 4)
    play(morning, Invest(who="mara", energy=1, project="mill"))
    wrote = days(morning)
    assert (wrote.count("investment-counted"), wrote.count("energy-wasted")) == (0, 1)
    assert energies(morning, "mara", "project.mill", "invested.mill") == (3, 10)


def test_byz_10_what_the_first_edition_left_as_deposits_comes_in_at_the_next_dawn() -> None:
    with in_the_city(MARA | {"general.deposit": 2, "deposit.climb": 4, "deposit.mill": 8}) as book:
        play(book, Invest(who="mara", energy=5, project="mill"))
        assert says(book, Cancel(who="mara", project="mill")) == "0 comes back, 12 is lost"
        assert days(book).count("deposit-matured") == 2
        assert energies(book, "mara", "general", "project.climb", "deposit.climb") == (9, 9, 0)


def test_byz_10_who_dies_has_what_the_fives_of_the_day_gave(morning: Book) -> None:
    adjust(morning, "mara", energy=60)
    play(morning, Invest(who="mara", energy=7, project="mill"))
    adjust(morning, "mara", energy=-59)
    run = Attempt(who="mara", task="run", costs=5, energy=20, overdraft=True, how="she runs until her heart stops")
    assert follows(morning, run) == [
        "energy-spent", "debt-incurred", "investment-counted", "energy-wasted", "died", "task-resolved"
    ]  # fmt: skip
    assert energies(morning, "mara", "project.mill", "invested-today.mill", "energy") == (4, 0, -15)


def test_byz_11_a_large_pool_loses_five_percent_a_night_also_in_days_that_are_skipped(city: Book) -> None:
    adjust(city, "mara", general=33, project__climb=15)
    wrote = scribe(city).write(NextDay(count=3, until=None)).entries
    ticks = [e.body["facts"] for e in wrote if e.type == "decay-ticked" and e.body["facts"]["pool"] == "general"]
    assert [(each["held"], each["lost"]) for each in ticks] == [(41, 3), (38, 2), (36, 2)]
    assert energies(city, "mara", "general", "project.climb") == (34, 17)


def test_byz_13_an_attack_is_paid_first_by_the_project_that_was_named(city: Book) -> None:
    play(city, EnergyAttack(who="mara", target="brak", energy=4, project="climb", answer=0, take=0))
    assert energies(city, "mara", "project.climb", "energy") == (2, 10)


def test_byz_12_a_project_can_be_canceled_on_the_day_of_its_first_investment(city: Book) -> None:
    play(city, Invest(who="mara", energy=5, project="mill"))
    assert says(city, Cancel(who="mara", project="mill")) == "0 comes back, 4 is lost"


def test_byz_12_a_canceled_project_gives_back_what_can_be_spent_at_once_and_is_closed(city: Book) -> None:
    assert says(city, Cancel(who="mara", project="climb")) == "2 comes back, 6 is lost"
    assert energies(city, "mara", "project.climb", "general", "general.recouped") == (0, 8, 2)
    for move in (Invest(who="mara", energy=5, project="climb"), Cancel(who="mara", project="climb")):
        with pytest.raises(Refused, match="closed for good"):
            play(city, move)
    play(city, Attempt(who="mara", task="run", costs=1, energy=19))
    assert energies(city, "mara", "energy", "general", "general.recouped") == (0, 0, 1)
    days(city)
    assert energies(city, "mara", "general", "general.recouped") == (1, 0)


def test_byz_12_a_project_gives_back_by_what_was_ever_put_in_whatever_it_holds(city: Book) -> None:
    assert follows(city, Cancel(who="mara", project="climb")) == ["project-cancelled", "pool-lost", "energy-recouped"]
    play(city, Invest(who="mara", energy=7, project="mill"))
    assert follows(city, Cancel(who="mara", project="mill")) == [
        "investment-counted", "energy-wasted", "project-cancelled", "pool-lost"
    ]  # fmt: skip
    adjust(city, "brak", invested__bridge=35)
    assert says(city, Cancel(who="brak", project="bridge")) == "3 comes back, 0 is lost"
    assert score(city, "brak", "general.recouped") == 3
    adjust(city, "brak", project__mill=3)
    assert says(city, Cancel(who="brak", project="mill")) == "0 comes back, 3 is lost"


# The days of the campaign


def test_a_day_that_is_named_is_gone_to_once_and_never_back(city: Book) -> None:
    scribe(city).write(NextDay(count=None, until=4))
    head = city.head()
    for until in (4, 3, 0):
        with pytest.raises(Refused, match=r"It is (already )?day 4"):
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
    with pytest.raises(Refused, match="No day has started yet"):
        play(city, Dawn(who="mara"))
    days(city)
    scribe(city).write(Join(who="sam", system="byzantine", scores={}))
    assert step(play(city, Dawn(who="sam")), "net") == "0 = 0"
    with pytest.raises(Refused, match="The dawn of day 1 has already come for sam"):
        play(city, Dawn(who="sam"))
