"""Byzantine at the table: what is refused, what follows from what, and what is typed and seen."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from byzantine_city import BRAK, MARA, adjust, days, in_the_city, play, score
from ledger.commands.at_table import Adjust, Join
from ledger.commands.play import PlayMove
from ledger.corrections.undoing import Amend
from ledger.errors import BadInput, LedgerError, NotEnough, Refused, UnknownName
from ledger.journal.book import Book
from ledger.rules import SheetView
from ledger.rules.move import Move
from ledger.systems.byzantine import SYSTEM, moves
from ledger.systems.byzantine.moves_connections import Alter, Connect, Lend, Reclaim, Restore, Withhold
from ledger.systems.byzantine.moves_contests import Commit, Contest, Resolve
from ledger.systems.byzantine.moves_days import Cancel, Dawn, Harm, Invest, Night
from ledger.systems.byzantine.moves_fights import EnergyAttack, Kill
from ledger.systems.byzantine.moves_tasks import Attempt, Know, Task
from ledger.systems.byzantine.moves_ways import FindWay, Go, Map
from ledger.systems.byzantine.sheet import rows as rows_of
from table import counting_dice, scribe, worked_out
from terminal import Type


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


# What is refused

RUN = Attempt(who="mara", task="run", costs=3, energy=1)
GO = Go(who="mara", place="docks", energy=5)
ALTER = Alter(who="mara", connection="workshop", side="input", by=1, energy=1)


@pytest.mark.parametrize(
    ("move", "error", "why"),
    [
        (Connect(who="mara", connection="workshop", input=-1, output=5), Refused, "already has these values"),
        (Connect(who="ghost", connection="workshop"), UnknownName, "ghost"),
        (Connect(who="mara", connection="mill", input=0), Refused, "already has these values"),
        (Connect(who="mara", connection="workshop"), BadInput, "A connection needs an input or an output. Add --input N, --output N or both"),
        (Alter(who="mara", connection="mill", side="output", by=1, energy=1), Refused, "mara has no connection called mill"),
        (ALTER.replace(by=0), Refused, "Change a connection by at least 1 point"),
        (ALTER.replace(by=2), Refused, "The connection workshop of mara is outside the limits. .* not 1 and 5"),
        (ALTER.replace(by=-5), Refused, "an input from −5 to 0 and an output from 0 to 5, not −6 and 5"),
        (ALTER.replace(side="output"), Refused, "an input from −5 to 0 and an output from 0 to 5, not −1 and 6"),
        (ALTER.replace(costs=5), BadInput, "together with"),
        (ALTER.replace(why="x"), BadInput, "together with"),
        (ALTER.replace(energy=19), NotEnough, "has 18 energy and needs 19"),
        (Withhold(who="mara", connection="mill", why="x"), Refused, "mara has no connection called mill"),
        (Withhold(who="mara", connection="workshop", why=" "), BadInput, "cannot be empty"),
        (Restore(who="mara", connection="workshop"), Refused, "is not withheld"),
        (Lend(who="mara", connection="bread", why="x"), BadInput, "--input N, --output N"),
        (Lend(who="mara", connection="workshop", output=1, why="x"), Refused, "already"),
        (Connect(who="mara", connection="mill", output=6), Refused, "mill of mara is outside the limits. .* not 0 and 6"),
        (Lend(who="mara", connection="bread", input=-6, why="x"), Refused, "bread of mara is outside the limits. .* not −6 and 0"),
        (Reclaim(who="mara", connection="workshop"), Refused, "mara has not borrowed a connection called workshop"),
        (Invest(who="mara", energy=11), NotEnough, "10 energy left today and needs 11"),
        (Invest(who="mara", energy=5, from_pool="general"), BadInput, "Energy from the general pool can only go into a project. Add --project NAME"),
        (Invest(who="mara", energy=9, project="mill", from_pool="general"), NotEnough, "mara has 8 energy in the general pool and needs 9"),
        (RUN.replace(order=("day", "day")), Refused, "The order can list each of these at most once: project, day, general. You typed: day, day"),
        (RUN.replace(order=("purse",)), Refused, "The order can list each of these at most once: project, day, general. You typed: purse"),
        (Cancel(who="mara", project="mill"), Refused, "mara has no project called mill"),
        (Task(who="mara", task="run"), BadInput, "A task needs a cost, opponents, or both"),
        (Task(who="mara", task="run", opposed_energy={"mara": 1}), Refused, "mara cannot oppose themselves"),
        (RUN.replace(costs=None), BadInput, "run has no cost yet"),
        (RUN.replace(ability="flying"), Refused, "no ability.flying on the sheet"),
        (RUN.replace(ability="flying", project="mill"), Refused, "no ability.flying on the sheet"),
        (RUN.replace(project="mill"), Refused, "The project mill of mara has no energy to spend"),
        (RUN.replace(energy=19), NotEnough, "has 18 energy and needs 19"),
        (RUN.replace(how="x"), BadInput, "does not die from this"),
        (RUN.replace(energy=99, overdraft=True), Refused, "This would kill mara: a debt of 81 costs 162 energy at the next dawn, but only 4 will be available"),
        (Know(who="mara", task="run", energy=1), Refused, "run has no cost yet"),
        (Task(task="run", close=True), Refused, "run has no cost yet"),
        (Task(task="swim.river", costs=3), BadInput, "cannot be the name of a task"),
        (Task(task="alter.mill.door", costs=3), BadInput, "cannot be the name of a task"),
        (Task(task="go.Old Market", costs=3), BadInput, "not a valid name"),
        (Task(task="go.market", opposed_energy={"brak": 0}), BadInput, "A task needs a cost, opponents, or both"),
        (Map(place="docks"), BadInput, "A place needs --level and --district"),
        (Map(place="docks", off=True), Refused, "docks is not on the map"),
        (GO.replace(base=3), Refused, "4, 5 or 6, not 3"),
        (GO.replace(base=7), Refused, "4, 5 or 6, not 7"),
        (GO.replace(energy=0), Refused, "at least 1 energy"),
        (GO.replace(adjust=1), BadInput, "together with"),
        (GO.replace(why="x"), BadInput, "together with"),
        (GO.replace(adjust=-6, why="x"), Refused, "A trip cannot cost less than 0 energy, but this trip would cost −1"),
        (GO.replace(among=("brak",)), BadInput, "To lead a group, add --ability NAME. The best rating in that ability counts"),
        (GO.replace(among=("ghost",), ability="streets"), UnknownName, "ghost"),
        (FindWay(who="mara", why="x"), Refused, "is not lost"),
        (EnergyAttack(who="mara", target="mara", energy=1), Refused, "mara cannot attack themselves"),
        (EnergyAttack(who="mara", target="brak", energy=99), NotEnough, "has 18 energy"),
        (EnergyAttack(who="mara", target="brak", energy=99, overdraft=True), Refused, "The debt for this attack would kill mara before the attack could take any energy"),
        (EnergyAttack(who="mara", target="brak", energy=1, answer=7), NotEnough, "brak has 6 energy and needs 7"),
        (EnergyAttack(who="mara", target="brak", energy=1, guard="flying"), Refused, "brak has no ability.flying"),
        (EnergyAttack(who="mara", target="brak", energy=1, take=9), Refused, "mara wins and may take up to 8 energy"),
        (Kill(who="mara", target="mara", energy=1, manner="x"), Refused, "mara cannot kill themselves"),
        (Kill(who="mara", target="brak", energy=1, manner="x"), Refused, "cannot be killed"),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_refused_and_nothing_is_written(
    city: Book, move: Move, error: type[LedgerError], why: str
) -> None:
    head, dice = city.head(), counting_dice()
    with pytest.raises(error, match=why) as refused:
        scribe(city, chance=dice).write(PlayMove(system="byzantine", move=move))
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
    with pytest.raises(Refused, match="brak cannot spend 3 energy: the debt would be deadly"):
        play(city, EnergyAttack(who="mara", target="brak", energy=1, answer=3))


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
    "byzantine.net_energy": [
        "connect",
        "lend",
        "alter",
        "dawn",
        "harm",
        "attempt",
        "know",
        "go",
        "attack",
        "kill",
        "commit",
        "resolve",
    ],
    "byzantine.sleep": ["alter", "dawn", "harm", "attempt", "know", "go", "attack", "kill", "commit", "resolve"],
    "byzantine.repay_debt": ["dawn"],
    "byzantine.dawn": ["dawn"],
    "byzantine.invest_general": [
        "alter",
        "dawn",
        "invest",
        "harm",
        "attempt",
        "know",
        "go",
        "attack",
        "kill",
        "commit",
        "resolve",
    ],
    "byzantine.invest_specific": ["dawn", "invest", "cancel"],
    "byzantine.decay": ["alter", "dawn", "harm", "attempt", "know", "go", "attack", "kill", "commit", "resolve"],
    "byzantine.rollover": ["alter", "dawn", "harm", "attempt", "know", "go", "attack", "kill", "commit", "resolve"],
    "byzantine.cancel_project": ["cancel"],
    "byzantine.commit": ["alter", "attempt", "know", "go", "kill", "resolve"],
    "byzantine.draw": ["alter", "harm", "attempt", "know", "go", "attack", "kill", "commit", "resolve"],
    "byzantine.move_cost": ["go"],
    "byzantine.move": ["go"],
    "byzantine.contest": ["task", "attempt", "know", "resolve"],
    "byzantine.attack": ["attack"],
    "byzantine.max_deduction": ["attack"],
    "byzantine.killable": ["kill"],
    "byzantine.kill_cost": ["kill"],
    "byzantine.knowing_cost": ["know"],
    "byzantine.alter_connection": ["alter"],
}


def called_by(book: Book, move: Move) -> list[str]:
    """Play a move, and watch which rules are worked out."""
    return worked_out(SYSTEM.rulebook().rules, lambda: scribe(book).write(PlayMove(system="byzantine", move=move)))


def test_every_rule_that_try_answers_is_called_by_the_moves_named_here(morning: Book) -> None:
    adjust(morning, "mara", energy=100)
    adjust(morning, "brak", energy=-7)
    scribe(morning).write(Join(who="sam", system="byzantine", scores={}))
    scribe(morning).write(Join(who="zoe", system="byzantine", scores={"energy": 10}))
    played: list[Move] = [
        Connect(who="mara", connection="guild", output=1),
        Withhold(who="mara", connection="guild", why="x"),
        Restore(who="mara", connection="guild"),
        Lend(who="mara", connection="bread", output=1, why="x"),
        Reclaim(who="mara", connection="bread"),
        Invest(who="mara", energy=5),
        ALTER,
        Night(who="mara", sleep="full"),
        Dawn(who="sam"),
        Invest(who="zoe", energy=5, project="mill"),
        Invest(who="zoe", energy=5),
        Dawn(who="zoe"),
        Invest(who="mara", energy=5),
        Invest(who="mara", energy=5, project="climb"),
        Cancel(who="mara", project="climb"),
        Harm(who="mara", energy=1, why="a fall"),
        Task(who="mara", task="climb", opposed_ability={"brak": 3}),
        Know(who="mara", task="climb", energy=3),
        Attempt(who="mara", task="climb", energy=3),
        GO.replace(energy=1),
        Map(place="docks", level="streets", district="harbor"),
        FindWay(who="mara", why="x"),
        EnergyAttack(who="mara", target="sam", energy=1),
        Contest(contest="duel", acting=("mara",), against=("zoe",)),
        Commit(who="mara", contest="duel", energy=1),
        Commit(who="zoe", contest="duel", energy=0),
        Resolve(contest="duel"),
        Kill(who="mara", target="brak", energy=40, manner="x"),
    ]
    assert {type(move) for move in played} == set(moves.MOVES)
    found: dict[str, set[str]] = {rule.name: set() for rule in SYSTEM.rulebook().rules}
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
    "chronicle --all",
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
        f"byzantine task climb --costs 12 --opposed-energy brak={KEPT}",
        f"byzantine task climb --costs {KEPT} --why rain --dry-run",
        f"byzantine task climb --costs {KEPT} --why rain --json",
        f"byzantine task climb --costs {KEPT} --opposed-energy brak={KEPT} --why wind -v --once w",
        f"byzantine task climb --costs {KEPT} --opposed-energy brak={KEPT} --why wind -v --once w",
        f"byzantine task climb --costs {KEPT} --opposed-ability brak=1 --why wind -v --once w",
        "byzantine attempt mara climb --energy 3",
        "byzantine attempt mara climb --energy 3 -v --dry-run",
        "byzantine attempt mara climb --energy 99",
        "byzantine attempt mara climb --energy 3 --costs 5",
        f"byzantine know mara climb --energy 3 --costs {KEPT} -v",
        f"byzantine know mara climb --energy 3 --obscured brak={KEPT}",
        "byzantine know mara climb --energy 3 --json",
        "byzantine task climb",
        f"amend 9 --costs {KEPT} --why typo --dry-run",
        "undo",
        "redo",
    )
    assert "the GM changes the cost of climb" in said
    assert KEPT not in said + seen(typed, *LOOKS)


def test_byz_15_the_question_that_an_amended_cost_raises_does_not_tell_it(typed: Type) -> None:
    said = seen(
        typed,
        "byzantine task climb --costs 5",
        "byzantine know mara climb --energy 6 -v",
        "byzantine task wall --costs 2",
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
    assert told.count("the result would be does not learn the cost") + told.count("the result would be failure") >= 2
    assert KEPT not in told


def test_byz_24_a_cost_that_is_learned_stands_on_the_sheet(typed: Type) -> None:
    said = seen(typed, "byzantine task climb --costs 5", "byzantine know mara climb --energy 6 -v", "sheets")
    assert "learned  the cost is 5" in said
    assert "knows climb          costs 5" in said
    assert re.search("task climb +cost known only to the GM", said)


def test_a_sheet_reads_in_rows_and_leaves_out_bookkeeping(typed: Type) -> None:
    for line in (
        "day next",
        "byzantine withhold mara workshop --output --why siege",
        "byzantine lend mara bread --output 2 --why x",
        "byzantine invest mara 3 --project climb",
        "adjust mara energy=+4 --why x",
        "byzantine invest mara 5",
        "adjust mara general.deposit=+2 --why x",
        "byzantine night mara little",
        "byzantine go brak market --energy 6 --overdraft",
        "byzantine go brak docks --energy 1 --overdraft --base 6 --level",
        "byzantine withhold brak alms --why siege",
        "adjust brak nights.none=+1 invested.mill=+12 --why x",
        "byzantine cancel brak mill",
        "set mara lost=yes --why x",
    ):
        assert typed(line).exit_code == 0, line
    assert typed("sheets mara").stdout.splitlines() == [
        "mara · byzantine",
        "  energy               0",
        "  net                  1 a day",
        "  connection bread     input 0, output 2, lent",
        "  connection workshop  input −1, output 5, output withheld",
        "  general pool         7; the 5 invested today will add 1 at the next dawn; 2 more energy at the next dawn",
        "  project climb        5; the 3 invested today will add 0 at the next dawn; 2 more energy completes the next set of 5; 28 invested in total",
        "  ability climbing     4",
        "  ability streets      2",
        "  tonight              sleep: little",
        "  place                unknown, lost",
    ]
    assert typed("sheets brak").stdout.splitlines() == [
        "brak · byzantine",
        "  energy           −2",
        "  debt             2; repay 4 at the next dawn",
        "  net              0 a day",
        "  connection alms  input 0, output 5, withheld",
        "  general pool     1",
        "  project mill     closed for good",
        "  ability guard    3",
        "  ability streets  7",
        "  bad nights       0 with little sleep, 1 without sleep",
        "  place            docks, lost",
    ]
    assert "dawned" in typed("sheets brak --all").output


@pytest.mark.parametrize("family", ["project", "invested-today", "deposit", "invested"])
def test_byz_11_a_project_of_which_there_is_anything_has_a_row(family: str) -> None:
    assert [
        row.label for row in rows_of(SheetView(scores={f"{family}.wall": 4}, marks={})) if row.label == "project wall"
    ]


def test_byz_07_a_dawn_that_cannot_be_paid_says_what_it_comes_to_when_it_asks(typed: Type) -> None:
    for line in (
        "day next",
        "adjust mara general=-7 energy=-6 --why x",
        "byzantine withhold mara workshop --output --why siege",
        "adjust brak input.rent=-5 output.alms=-5 --why x",
    ):
        assert typed(line).exit_code == 0, line
    said = typed("day next").output
    assert "mara dawn (net energy −1, debt 2, must repay 4, general pool 0, new debt 1); choice needed" in said
    assert "brak dawn (net energy −5, debt 0, must repay 0, general pool 0, new debt 5)" in typed("questions").output


def test_byz_07_a_new_day_that_waits_for_the_gm_prints_the_command_that_answers(typed: Type) -> None:
    lines = (
        "join m byzantine output.a=5 input.z=-1",
        "day next",
        "byzantine harm m 6 --why x",
        "byzantine withhold m a --why cell",
    )
    for line in lines:
        typed(line)
    assert "To choose" not in typed("day next --dry-run").output
    told = typed("day next").stderr
    (question,) = re.findall(r"campaign choose (\d+)", told)
    assert told.endswith(f"To choose, type: campaign choose {question} --fate dies|lives|owes --how TEXT\n")
    typed("undo")
    assert typed("day next --json").stderr == ""


def test_byz_07_the_question_of_a_dawn_names_no_new_debt_where_the_net_brings_none(typed: Type) -> None:
    for line in ("day next", "adjust mara general=-7 energy=-9 --why x", "day next"):
        typed(line)
    assert "mara dawn (net energy 4, debt 5, must repay 10, general pool 0)" in typed("questions").output


def test_byz_22_the_question_of_an_attack_says_who_won_and_what_may_be_taken(typed: Type) -> None:
    asked = typed("byzantine attack mara brak --energy 4 --ability climbing --answer 2 --guard guard").stderr
    assert asked.startswith("Mara wins and may take up to 6 energy.\nTo choose, type: campaign choose 6 --take N")
    assert "#6 mara attacks brak (mara wins and may take up to 6 energy); choice needed" in typed("questions").output


def test_byz_22_of_several_losers_the_question_says_what_may_be_taken_of_each(typed: Type) -> None:
    typed("join zoe byzantine energy=2 output.stall=3")
    asked = typed("byzantine attack mara brak --energy 8 --answer 2 --against zoe=1").stderr
    assert asked.startswith(
        "Mara wins and may take up to 8 energy: up to 6 energy from brak, then up to 2 energy from zoe."
    )


def test_byz_22_the_winner_of_an_attack_may_choose_to_take_nothing(typed: Type) -> None:
    typed("byzantine attack mara brak --energy 4")
    assert "mara takes 0 energy from brak" in typed("choose 6 --take 0").output


def test_a_choice_of_two_of_which_one_is_missing_names_it(typed: Type) -> None:
    for line in ("day next", "adjust mara general=-7 energy=-9 --why x", "day next"):
        typed(line)
    (question,) = re.findall("#([0-9]+) mara", typed("questions").output)
    assert "Add --how." in typed(f"choose {question} --fate dies").output


def test_what_a_question_says_is_of_when_it_was_asked(typed: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    for line in ("day next", "adjust mara general=-7 energy=-9 --why x", "day next"):
        typed(line)
    monkeypatch.setattr(Dawn, "facts_text", lambda dawn, table, faces: f"guard {table.score('brak', 'ability.guard')}")
    typed("adjust brak ability.guard=+5 --why x")
    assert "mara dawn (guard 3)" in typed("questions").output


def test_a_move_of_the_whole_table_is_named_without_a_character(typed: Type) -> None:
    typed("byzantine task climb --costs 5")
    assert "undoes #6 (the GM sets the cost of climb: a secret number)" in typed("undo").output
    for line in ("contest duel --acting mara --against brak --kind attack", "commit mara duel --energy 2"):
        typed(f"byzantine {line}")
    typed("byzantine commit brak duel --energy 0")
    typed("byzantine resolve duel")
    assert re.match(
        r"#[0-9]+ contest duel \(mara wins and may take up to 8 energy\); choice needed", typed("questions").output
    )


def test_byz_17_a_place_of_the_map_may_be_shortened_and_a_slip_for_one_is_refused(typed: Type) -> None:
    typed("byzantine map old-market --level streets --district guilds")
    assert "goes to old-market ✓ arrives" in typed("byzantine go mara old").output
    refused = typed("byzantine go mara old-makret").output
    assert "The table has map.old-market, so old-makret looks like a typo." in refused
    assert "goes to old-makret ✓ arrives" in typed("byzantine go mara old-makret --new").output
    assert "goes to old ✗ arrives, but is lost" in typed("byzantine go mara old --new --energy 2").output
    typed("byzantine map old-market --off")
    assert "goes to old-ma ✗ arrives, but is lost" in typed("byzantine go brak old-ma --energy 2").output


def test_a_name_that_begins_like_another_is_meant_with_new(typed: Type) -> None:
    assert "workshop 5 → 4" in typed("byzantine connect mara work --output 4").output
    assert "daily yield of work 0 → 3" in typed("byzantine connect mara work --output 3 --new").output


def test_the_working_of_several_characters_says_whose_each_line_is(typed: Type) -> None:
    said = typed("day next -v").output
    assert "      brak net  5 = 5\n      mara net  4 = 4\n" in said
