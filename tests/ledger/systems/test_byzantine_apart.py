"""Contests of Byzantine whose sides commit apart: secret until they are resolved, held meanwhile (BYZ-21)."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from byzantine_city import adjust, asked, days, energies, follows, in_the_city, mark, play, row, says, score, step
from ledger.commands.at_table import Join, SetMarks
from ledger.commands.days import NextDay
from ledger.commands.play import PlayMove
from ledger.commands.sheet import table_of
from ledger.corrections.answers import Choose
from ledger.corrections.undoing import Undo, Void
from ledger.errors import BadInput, Held, LedgerError, Refused
from ledger.journal.book import Book
from ledger.rules.move import Move
from ledger.systems.byzantine.moves_contests import Commit, Contest, Resolve
from ledger.systems.byzantine.moves_days import Cancel, Dawn, Invest
from ledger.systems.byzantine.moves_fights import EnergyAttack
from ledger.systems.byzantine.moves_tasks import Attempt, Know, Task
from projections.questions import questions
from table import last, scribe
from terminal import Type

ABILITY = {"mara": "climbing", "brak": "guard"}
DUEL = Contest(contest="duel", acting=("mara",), against=("brak",), ability=ABILITY, kind="attack")
RACE = Contest(contest="race", acting=("mara",), against=("brak",), ability=ABILITY)


@pytest.fixture
def city() -> Iterator[Book]:
    """Mara has 10 energy, 8 in the general pool and 6 for climbing, which is her ability of 4; brak has 6, guard 3."""
    with in_the_city() as book:
        yield book


def committed(book: Book, contest: Contest, mara: Mapping[str, Any], brak: Mapping[str, Any]) -> None:
    """Open a contest to which both commit."""
    for move in (
        contest,
        Commit(who="mara", contest=contest.contest, **mara),
        Commit(who="brak", contest=contest.contest, **brak),
    ):
        play(book, move)


# What each commits is a secret


def test_byz_21_what_is_committed_apart_is_in_no_look_refusal_or_copy(folder: Path, type_in: Type) -> None:
    def typed(line: str) -> str:
        result = type_in(line)
        assert isinstance(result.exception, SystemExit | None)
        return str(result.output)

    typed("join mara byzantine energy=9000 general=20 project.siege=5000 ability.climbing=4")
    typed("join brak byzantine energy=9000 ability.guard=3")
    told = typed("byzantine contest duel --acting mara --against brak --ability mara=climbing,brak=guard --kind attack")
    told += typed("byzantine commit mara duel --energy 7321 --obscure 411 --project siege -v")
    for line in (
        "byzantine commit mara duel --energy 1",
        "byzantine commit brak duel --energy 9999",
        "byzantine attempt mara run --costs 1 --energy 8500",
        "byzantine attempt mara run --costs 1 --energy 8500 --overdraft",
        "byzantine invest mara 8500",
        "byzantine know brak duel --energy 3",
        "byzantine resolve duel",
        "byzantine resolve duel --dry-run",
        "day next",
        "byzantine commit brak duel --energy 6543 --dry-run",
        "byzantine commit brak duel --energy 6543 -v",
        "byzantine know brak duel --energy 3",
        "byzantine know brak duel --energy 8000 -v",
        "byzantine resolve duel --dry-run",
        "byzantine resolve duel --take 9999",
        *("sheets brak", "sheets --all", "sheets --json", "log", "log --json", "show 14", "show 14 --json"),
        *("questions", "chronicle", "chronicle --all"),
        *("why mara energy", "register mara energy", "replay", "audit", "diff 1 20", "export --for players copy"),
    ):
        told += typed(line)
    told += "".join(path.read_text() for path in folder.rglob("copy*") if path.is_file())
    numbers = ("7321", "411", "2732", "7325", "7732", "6543", "6546", "2457")
    assert [number for number in numbers if re.search(rf"(?<!\d){number}(?!\d)", told.replace(",", ""))] == []
    assert "The contest duel is waiting for brak" in told
    assert re.search("contest duel +committed", told)
    assert "7321" in typed("show 14 --secrets")
    typed("byzantine resolve duel --take 0")
    assert "7321 + 4 = 7325" in typed("show 22")


def test_byz_21_whoever_is_in_is_seen_and_the_last_ends_the_wait(city: Book) -> None:
    assert says(city, DUEL) == "mara against brak: duel is open"
    assert says(city, Commit(who="mara", contest="duel", energy=3)) == "is in; duel waits for brak"
    with pytest.raises(Refused, match=r"The contest duel is waiting for brak\."):
        play(city, Resolve(contest="duel"))
    assert says(city, Commit(who="brak", contest="duel", energy=3)) == "is in, and all are in"


def test_byz_21_how_somebody_dies_may_be_said_before_it_is_known_whether_anybody_does(city: Book) -> None:
    committed(city, DUEL, {"energy": 3}, {"energy": 3})
    before = city.head()
    play(city, Resolve(contest="duel", take=0, how="he falls"))
    assert city.head() > before


def test_byz_21_a_commitment_posts_nothing_and_is_not_changed_afterwards(city: Book) -> None:
    play(city, DUEL)
    assert follows(city, Commit(who="mara", contest="duel", energy=3)) == ["energy-committed"]
    assert energies(city, "mara", "energy", "general", "project.climb") == (10, 8, 6)
    with pytest.raises(Refused, match="mara has already committed to duel, and cannot change the commitment"):
        play(city, Commit(who="mara", contest="duel", energy=4))


# What each commits is held


@pytest.mark.parametrize(
    "move",
    [
        Attempt(who="mara", task="run", costs=1, energy=7),
        Attempt(who="mara", task="run", costs=1, energy=40, overdraft=True, how="x"),
        Attempt(who="brak", task="run", costs=1, energy=1, beside={"mara": 7}),
        EnergyAttack(who="brak", target="mara", energy=1, answer=7, take=0),
        EnergyAttack(who="brak", target="mara", energy=1, answer=19, owing=True, take=0),
        Invest(who="mara", energy=7),
        Commit(who="mara", contest="race", energy=7),
    ],
)
def test_byz_21_nothing_spends_what_is_committed(city: Book, move: Move) -> None:
    play(city, DUEL)
    play(city, RACE)
    play(city, Commit(who="mara", contest="duel", energy=12))
    with pytest.raises(
        Refused, match=r"^mara does not have that much free energy: some energy is committed to a contest\.$"
    ):
        play(city, move)


@pytest.mark.parametrize("energy", [6, 0])
def test_byz_21_what_is_not_committed_can_be_spent(city: Book, energy: int) -> None:
    play(city, DUEL)
    play(city, Commit(who="mara", contest="duel", energy=12))
    play(city, Attempt(who="mara", task="run", costs=1, energy=energy))


def test_byz_21_a_pool_is_held_for_its_own_project(city: Book) -> None:
    play(city, DUEL)
    play(city, Commit(who="mara", contest="duel", energy=6, project="climb"))
    play(city, Attempt(who="mara", task="run", costs=1, energy=18))
    for move in (
        Attempt(who="mara", task="climb", costs=1, energy=1, project="climb"),
        Cancel(who="mara", project="climb"),
    ):
        with pytest.raises(Refused, match="mara does not have that much free energy"):
            play(city, move)


def test_byz_13_a_contest_draws_first_from_the_project_of_its_own_name(city: Book) -> None:
    committed(city, RACE.replace(contest="climb"), {"energy": 7}, {"energy": 0})
    play(city, Resolve(contest="climb"))
    assert energies(city, "mara", "project.climb", "energy") == (0, 9)


def test_byz_21_a_pool_that_is_not_held_may_go(city: Book) -> None:
    play(city, DUEL)
    play(city, Commit(who="mara", contest="duel", energy=18))
    play(city, Cancel(who="mara", project="climb"))
    assert score(city, "mara", "general.recouped") == 2


def test_byz_21_what_an_attack_takes_meanwhile_is_owed(city: Book) -> None:
    adjust(city, "mara", general=-8)
    committed(city, RACE, {"energy": 10}, {"energy": 0})
    play(city, EnergyAttack(who="brak", target="mara", energy=5, ability="guard", take=2))
    resolved = scribe(city).write(PlayMove(system="byzantine", move=Resolve(contest="race")))
    assert "debt-incurred" in [entry.type for entry in resolved.entries]
    assert score(city, "mara", "energy") == -2


def test_byz_21_other_contests_do_not_hinder_that_one_is_resolved(city: Book) -> None:
    adjust(city, "mara", general=-8)
    play(city, DUEL.replace(contest="other"))
    play(city, Commit(who="mara", contest="other", energy=5))
    committed(city, RACE, {"energy": 5}, {"energy": 0})
    adjust(city, "mara", energy=-5)
    play(city, Resolve(contest="race"))
    assert score(city, "mara", "energy") == 0


@pytest.mark.parametrize("undone", [True, False])
def test_byz_21_called_off_or_taken_back_it_holds_nothing(city: Book, undone: bool) -> None:
    play(city, DUEL)
    play(city, Commit(who="mara", contest="duel", energy=18))
    if undone:
        scribe(city).write(Undo())
        scribe(city).write(Undo())
    else:
        assert says(city, Contest(contest="duel", off=True)) == "duel is called off"
    play(city, Attempt(who="mara", task="run", costs=1, energy=18))
    assert mark(city, "mara", "committed.duel") is None
    assert days(city)[0] == "day-begun"


def test_byz_21_what_was_committed_to_a_contest_that_is_taken_back_is_not_held_nor_in_the_next(city: Book) -> None:
    first = scribe(city).write(PlayMove(system="byzantine", move=DUEL)).entries[0].seq
    play(city, Commit(who="mara", contest="duel", energy=18))
    scribe(city).write(Void(strikes=first, why="another was meant"))
    with pytest.raises(Refused, match="A contest called duel was canceled, but mara still has a commitment to it"):
        play(city, DUEL)
    play(city, Attempt(who="mara", task="run", costs=1, energy=1))
    assert days(city)[0] == "day-begun"


def test_byz_21_a_new_day_names_an_open_contest_and_does_not_begin(city: Book) -> None:
    play(city, DUEL)
    before = city.head()
    with pytest.raises(Refused, match=r"^A new day cannot start while a contest is open: duel\.$"):
        days(city, 3)
    assert city.head() == before


def test_byz_21_no_dawn_ends_what_is_held(city: Book) -> None:
    scribe(city).write(NextDay(count=1, until=None))
    scribe(city).write(Join(who="zoe", system="byzantine", scores={"energy": 9}))
    play(city, RACE.replace(against=("zoe",), ability={}))
    play(city, Commit(who="zoe", contest="race", energy=9))
    with pytest.raises(Refused, match="A new day cannot start while a contest is open: race"):
        play(city, Dawn(who="zoe"))


def test_byz_21_what_is_being_resolved_is_not_called_off(city: Book) -> None:
    committed(city, DUEL, {"energy": 3}, {"energy": 0})
    question = asked(city, Resolve(contest="duel"))
    with pytest.raises(Refused, match="has an open question"):
        play(city, Contest(contest="duel", off=True))
    scribe(city).write(Choose(question=question, chosen={"take": 0}))


# Knowing


def test_byz_24_either_side_learns_what_the_other_brings_and_what_obscures_it_counts(city: Book) -> None:
    committed(city, DUEL, {"energy": 4, "obscure": 2}, {"energy": 2})
    assert says(city, Know(who="brak", task="duel", energy=1)) == "the cost of duel is not learned"  # 8: 6 and 2
    adjust(city, "brak", energy=+20)
    assert says(city, Know(who="brak", task="duel", energy=8)) == "the cost of duel is learned"
    cost = play(city, Know(who="mara", task="duel", energy=4))  # four fifths of 2 and 3
    assert cost["verdict"]["says"] == "the cost of duel is learned"
    with pytest.raises(Refused, match="brak already knows the cost of duel"):
        play(city, Know(who="brak", task="duel", energy=8))
    assert row(city, "brak", "knows duel") == "a secret cost"
    split = play(city, Know(who="brak", task="duel", energy=8, split=True))
    assert split["verdict"]["says"] == "the split of duel is learned"
    assert "salted" not in str(split["steps"])
    assert all(not isinstance(number, int) for number in split["steps"][-1]["numbers"])
    play(city, Resolve(contest="duel", take=0))
    assert (mark(city, "brak", "learned.duel"), mark(city, "mara", "learned.duel")) == (None, None)
    assert mark(city, "brak", "split.duel") is None


def test_byz_25_nobody_is_asked_later_what_obscures_a_contest(city: Book) -> None:
    play(city, DUEL)
    with pytest.raises(
        Refused, match=r"is waiting for mara, brak\. Try to learn the cost after everyone has committed"
    ):
        play(city, Know(who="brak", task="duel", energy=1))
    play(city, Commit(who="mara", contest="duel", energy=1))
    play(city, Commit(who="brak", contest="duel", energy=1))
    with pytest.raises(BadInput, match="opponents add --obscure to their own 'commit'"):
        play(city, Know(who="brak", task="duel", energy=1, obscured={"mara": 1}))


def test_byz_24_what_a_task_costs_by_itself_stays_known_when_its_contest_is_called_off(city: Book) -> None:
    play(city, Task(task="race", costs=6))
    play(city, Know(who="mara", task="race", energy=5))
    play(city, RACE)
    play(city, Commit(who="mara", contest="race", energy=1))
    play(city, Contest(contest="race", off=True))
    assert mark(city, "mara", "learned.race") == 6
    assert mark(city, "mara", "committed.race") is None


# Resolving


def test_byz_22_of_an_attack_the_side_that_brings_more_takes_and_all_is_spent(city: Book) -> None:
    committed(city, DUEL, {"energy": 3, "project": "climb"}, {"energy": 1, "obscure": 2})
    question = asked(city, Resolve(contest="duel"))
    with pytest.raises(Held):
        play(city, Attempt(who="brak", task="run", costs=1, energy=0))
    with pytest.raises(Refused, match=r"^mara wins and may take up to 5 energy\.$"):
        scribe(city).write(Choose(question=question, chosen={"take": 6}))
    done = last(scribe(city).write(Choose(question=question, chosen={"take": 5})), "move-played")
    assert done["verdict"] == {"says": "mara takes 5 from brak", "good": True, "margin": None}
    assert [step(done, name) for name in ("attack", "answer")] == ["3 + 4 = 7", "1 + 3 = 4"]
    assert energies(city, "mara", "energy", "project.climb") == (10, 3)
    assert (score(city, "brak", "energy"), mark(city, "brak", "sheet")) == (-2, True)
    with pytest.raises(Refused, match="There is no open contest called duel"):
        play(city, Resolve(contest="duel"))


@pytest.mark.parametrize(("against", "wins", "takes"), [(1, None, 0), (0, True, 1), (2, False, 1)])
def test_byz_15_the_gm_may_adjust_a_side(city: Book, against: int, wins: bool | None, takes: int) -> None:
    committed(city, DUEL, {"energy": 0}, {"energy": 0})
    done = play(city, Resolve(contest="duel", adjust_against=against, why="the dark" if against else None, take=takes))
    assert done["verdict"]["good"] is wins


@pytest.mark.parametrize(("energy", "good"), [(9, True), (8, False)])
def test_byz_21_a_task_costs_its_cost_and_what_the_other_side_brings(city: Book, energy: int, good: bool) -> None:
    play(city, Task(task="race", costs=6, opposed_energy={"crowd": 1}))
    committed(city, RACE, {"energy": energy}, {"energy": 3})
    done = play(city, Resolve(contest="race"))
    assert done["verdict"] == {"says": f"race is {'done' if good else 'not done'}", "good": good, "margin": None}
    assert [step(done, name) for name in ("total", "contest")] == [
        f"{energy} + 4 = {energy + 4}",
        f"{energy + 4} against 13",
    ]
    assert (score(city, "mara", "energy"), score(city, "brak", "energy")) == (10 - energy, 3)
    assert mark(city, "mara", "learned.race") == 7
    assert mark(city, "brak", "learned.race") is None


@pytest.mark.parametrize(
    ("adjust", "against", "told"), [(2, 0, "7 against 10"), (2, 1, "6 against 10"), (0, 1, "5 against 11")]
)
def test_byz_15_byz_21_what_the_gm_gives_either_side_of_a_task_counts(
    city: Book, adjust: int, against: int, told: str
) -> None:
    play(city, Task(task="race", costs=6))
    committed(city, RACE, {"energy": 1}, {"energy": 1})
    done = play(city, Resolve(contest="race", adjust=adjust, adjust_against=against, why="the wind"))
    assert step(done, "contest") == told


def test_byz_21_byz_25_what_obscures_a_contest_is_held_with_what_is_committed(city: Book) -> None:
    play(city, DUEL)
    with pytest.raises(Refused, match="mara does not have that much energy"):
        play(city, Commit(who="mara", contest="duel", energy=1, obscure=100))


@pytest.mark.parametrize(("energy", "dead"), [(39, True), (38, None)])
def test_byz_23_a_killing_costs_40_and_what_the_victim_brings(city: Book, energy: int, dead: bool | None) -> None:
    adjust(city, "mara", energy=+60)
    adjust(city, "brak", energy=-8)
    committed(city, RACE.replace(kind="kill"), {"energy": energy}, {"energy": 0})
    done = play(city, Resolve(contest="race", how="in the cistern" if dead else None))
    told = "race is done, and brak is dead" if dead else "race is not done"
    assert (done["verdict"]["good"], done["verdict"]["says"]) == (dead is True, told)
    assert mark(city, "brak", "dead") == dead


def test_byz_23_only_one_who_may_be_killed_is_killed_in_a_contest_apart(city: Book) -> None:
    killing = RACE.replace(kind="kill")
    with pytest.raises(Refused, match="brak cannot be killed"):
        play(city, killing)
    adjust(city, "brak", energy=-8)
    committed(city, killing, {"energy": 0}, {"energy": 0})
    adjust(city, "brak", energy=+8)
    with pytest.raises(Refused, match="brak cannot be killed"):
        play(city, Resolve(contest="race"))


def test_byz_15_byz_23_who_opposes_a_killing_ahead_comes_on_top_of_its_forty(city: Book) -> None:
    adjust(city, "brak", energy=-8)
    play(city, Task(task="kill.brak", opposed_ability={"a-guard": 2}))
    committed(city, RACE.replace(kind="kill"), {"energy": 0}, {"energy": 0})
    done = play(city, Resolve(contest="race"))
    assert step(done, "contest") == "4 against 45"
    assert mark(city, "mara", "learned.kill.brak") == 42


def test_byz_15_byz_23_nobody_is_asked_how_somebody_dies_while_who_opposes_it_cannot_pay(city: Book) -> None:
    adjust(city, "mara", energy=60)
    adjust(city, "brak", energy=-8)
    scribe(city).write(Join(who="zoe", system="byzantine", scores={"energy": 3}))
    play(city, Task(task="kill.brak", opposed_energy={"zoe": 4}))
    committed(city, RACE.replace(kind="kill"), {"energy": 60}, {"energy": 0})
    with pytest.raises(Refused, match="The opponents cannot spend that much energy"):
        play(city, Resolve(contest="race"))
    assert not city.questions()


def test_byz_07_a_debt_that_kills_is_meant_and_told_when_it_is_resolved(city: Book) -> None:
    play(city, RACE)
    deadly = Commit(who="brak", contest="race", energy=20, overdraft=True)
    with pytest.raises(Refused, match="This debt would kill"):
        play(city, deadly)
    play(city, deadly.replace(deadly=True))
    play(city, Commit(who="mara", contest="race", energy=0))
    question = asked(city, Resolve(contest="race"))
    scribe(city).write(Choose(question=question, chosen={"how": "his last breath"}))
    assert (score(city, "brak", "energy"), mark(city, "brak", "dead")) == (-14, True)


def test_byz_22_the_question_of_a_contest_says_who_won_and_who_dies(city: Book) -> None:
    play(city, DUEL)
    play(city, Commit(who="brak", contest="duel", energy=20, overdraft=True, deadly=True))
    play(city, Commit(who="mara", contest="duel", energy=0))
    question = asked(city, Resolve(contest="duel"))
    (waiting,) = questions(city)
    assert waiting.says.endswith("(brak wins and may take up to 15 energy; brak will die)")
    done = scribe(city).write(Choose(question=question, chosen={"take": 0, "how": "his last breath"}))
    assert last(done, "move-played")["verdict"]["says"] == "brak takes 0 from mara, and brak is dead"


def test_byz_21_several_on_a_side_add_up(city: Book) -> None:
    adjust(city, "mara", energy=-10, general=-8)
    play(
        city, Contest(contest="duel", acting=("brak",), against=("mara",), kind="attack", ability={"mara": "climbing"})
    )
    play(city, Commit(who="mara", contest="duel", energy=0))
    play(city, Commit(who="brak", contest="duel", energy=6))
    done = play(city, Resolve(contest="duel", take=0))
    assert [step(done, name) for name in ("attack", "answer")] == ["6 + 0 = 6", "0 + 4 = 4"]


# What is refused


@pytest.mark.parametrize(
    ("move", "why"),
    [
        (DUEL.replace(against=()), "A contest needs two sides"),
        (DUEL.replace(against=("mara",)), "You named mara more than once"),
        (DUEL.replace(ability={"mara": "guard"}), "mara has no ability.guard"),
        (DUEL.replace(contest="kill.brak"), "not a valid name"),
        (DUEL.replace(off=True), "Use --off without other options"),
        (Contest(contest="duel", off=True), "There is no open contest called duel"),
        (Commit(who="mara", contest="duel", energy=1), "There is no open contest called duel"),
        (Resolve(contest="duel"), "There is no open contest called duel"),
    ],
)
def test_what_is_refused_where_no_contest_is_open(city: Book, move: Move, why: str) -> None:
    with pytest.raises(LedgerError, match=why):
        play(city, move)


@pytest.mark.parametrize(
    ("move", "why"),
    [
        (RACE, "The contest race is already open"),
        (
            Commit(who="mara", contest="race", energy=1, project="mill"),
            "The project mill of mara has no energy to spend",
        ),
        (Commit(who="mara", contest="race", energy=19), "mara does not have that much energy"),
        (Commit(who="mara", contest="race", energy=1, deadly=True), "This debt does not kill"),
        (
            Commit(who="mara", contest="race", energy=1, order=("purse",)),
            "The order can list each of these at most once: project, day, general. You typed: purse",
        ),
        (Resolve(contest="race", take=1), "The contest race is waiting for mara, brak"),
    ],
)
def test_what_is_refused_of_an_open_contest(city: Book, move: Move, why: str) -> None:
    play(city, RACE)
    with pytest.raises(LedgerError, match=why):
        play(city, move)


@pytest.mark.parametrize(
    ("move", "why"),
    [
        (Resolve(contest="race", take=1), "race is not an attack, so leave out --take"),
        (Resolve(contest="race", adjust=1), "Use --adjust or --adjust-against together with --why"),
    ],
)
def test_what_is_refused_when_all_are_in(city: Book, move: Move, why: str) -> None:
    committed(city, RACE, {"energy": 1}, {"energy": 1})
    with pytest.raises(LedgerError, match=why):
        play(city, move)


@pytest.mark.parametrize("name", ["sides.duel", "committed.duel"])
def test_contests_are_no_marks_to_be_set(city: Book, name: str) -> None:
    with pytest.raises(BadInput, match="To open a contest, use 'campaign byzantine contest"):
        scribe(city).write(SetMarks(who="mara", values={f"byzantine/{name}": "x"}, why="x"))


def test_somebody_who_is_on_no_side_cannot_commit(city: Book) -> None:
    play(city, Contest(contest="duel", acting=("mara",), against=("brak",)))
    scribe(city).write(Join(who="zoe", system="byzantine", scores={"energy": 3}))
    with pytest.raises(Refused, match="zoe is not on either side of duel"):
        play(city, Commit(who="zoe", contest="duel", energy=1))
    with pytest.raises(Refused, match="You gave an ability for zoe, who is not on either side"):
        play(city, RACE.replace(ability={"zoe": "guard"}))


def test_what_a_copy_does_not_know_of_a_contest_it_does_not_tell(city: Book) -> None:
    resolve = Resolve(contest="duel")
    assert resolve.facts_text(table_of(city, "byzantine"), ()) == ""
    play(city, DUEL)
    assert resolve.facts_text(table_of(city, "byzantine"), ()) == ""
