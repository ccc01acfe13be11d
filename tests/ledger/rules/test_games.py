"""All games at one table: what holds for each of them, and that they do not meet."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.try_rule import run_cases
from ledger import systems
from ledger.commands.at_table import Adjust, ChangeSettings
from ledger.commands.decider import State
from ledger.commands.play import PlayMove
from ledger.commands.sheet import settings_in_force
from ledger.errors import BadInput
from ledger.events.canonical import canonical_json, parse_json
from ledger.events.subjects import CAMPAIGN
from ledger.rules.system import SheetView
from ledger.systems import find
from paths import DATA
from table import accounts_of, every_game, last, scribe
from terminal import Type

WITH_RULES = [name for name in systems.BUILT_IN_GAMES if find(name).rulebook().rules]


@pytest.mark.parametrize("name", WITH_RULES)
def test_every_case_of_the_contract_holds_by_try(name: str) -> None:
    listed = parse_json((DATA / f"{name}.json").read_bytes())
    answers = parse_json(run_cases(canonical_json(listed)))
    for case, answer in zip(listed, answers, strict=True):
        if case["expect"].get("refused"):
            assert answer["refused"] is True
            assert answer["why"].endswith((".", "?")), case["id"]
        else:
            assert answer == case["expect"], case["id"]


@pytest.mark.parametrize("name", WITH_RULES)
@pytest.mark.parametrize("given", [[], "x", 1, None, {"dice": 1.5}, {"no such": 1}], ids=repr)
def test_what_is_no_input_of_a_rule_is_refused_and_never_a_traceback(name: str, given: Any) -> None:
    for rule in find(name).rulebook().rules:
        (answer,) = parse_json(run_cases(json.dumps([{"rule": rule.name, "given": given}]).encode()))
        assert answer["refused"] is True


def test_scores_of_the_same_name_do_not_meet() -> None:
    with every_game() as book:
        games = [name for name in systems.BUILT_IN_GAMES if book.balance("mara", f"{name}/skill.deception") is not None]
        assert len(games) >= 3
        before = accounts_of(book)["mara"]
        scribe(book).write(Adjust(who="mara", amounts={f"{games[0]}/skill.deception": 1}, why="x"))
        after = accounts_of(book)["mara"]
        assert {name for name in after if after[name] != before.get(name)} == {f"{games[0]}/skill.deception"}


@pytest.mark.parametrize("name", systems.names())
def test_a_game_reads_and_moves_its_own_scores_and_those_of_the_campaign_alone(name: str) -> None:
    with every_game() as book:
        for entry in (book.entry(seq) for seq in range(1, book.head() + 1)):
            if entry.type == "move-played" and entry.body["system"] == name:
                for sheet in entry.body["looked"].values():
                    assert all(full.startswith(f"{name}/") or "/" not in full for full in sheet)


def settled(book: State, name: str) -> dict[str, Any]:
    return settings_in_force(book, find(name))


@pytest.mark.parametrize(
    ("name", "setting", "typed", "value"),
    [
        ("edge", "injuries", "light,heavy", ["light", "heavy"]),
        ("syscards", "raise_from", "96", 96),
        ("syscards", "award", "3", 3),
        ("multicheck", "mishap", "95", 95),
    ],
)
def test_a_setting_is_in_force_from_its_entry_on(name: str, setting: str, typed: str, value: Any) -> None:
    with every_game() as book:
        before = settled(book, name)
        head = book.head()
        done = scribe(book).write(ChangeSettings(system=name, values={setting: typed}))
        assert settled(book, name) == {**before, setting: value}
        assert settled(book.as_of(head + 1), name) == before
        assert last(done, "settings-changed")["marks"] == [
            {"who": CAMPAIGN, "name": f"{name}/{setting}", "value": value}
        ]


@pytest.mark.parametrize(
    ("name", "setting", "typed"),
    [
        *(("syscards", "raise_from", typed) for typed in ("0", "101", "-1", "x", "", "9" * 30, "٥")),
        ("syscards", "award", "0"),
        *(("multicheck", "mishap", typed) for typed in ("0", "101", "x", "1.5")),
    ],
)
def test_a_setting_that_cannot_be_is_refused_and_nothing_is_written(name: str, setting: str, typed: str) -> None:
    with every_game() as book:
        head = book.head()
        with pytest.raises(BadInput):
            scribe(book).write(ChangeSettings(system=name, values={setting: typed}))
        assert book.head() == head


def test_every_setting_explains_itself_and_its_default_can_be_written() -> None:
    for name in systems.names():
        for setting in find(name).settings:
            assert setting.says
            assert settled_default(name)[setting.name] is not None


def settled_default(name: str) -> dict[str, Any]:
    with every_game() as book:
        return settled(book, name)


def test_every_ruling_names_the_settings_that_it_was_made_by() -> None:
    move = find("syscards").move("card")
    assert move is not None
    with every_game() as book:
        scribe(book).write(ChangeSettings(system="syscards", values={"award": "2"}))
        first = last(scribe(book).write(PlayMove(system="syscards", move=move(who="mara"))), "move-played")
        scribe(book).write(ChangeSettings(system="syscards", values={"award": "5"}))
        assert first["settings"] == {"raise_from": 100, "forced": "rate", "award": 2, "core-points": 100}
        assert book.entry(first["seq"]).body["settings"] == first["settings"]


def test_a_change_of_settings_may_say_why(folder: Path, type_in: Type) -> None:
    assert type_in(["settings", "edge", "injuries=light,heavy", "--why", "our own book"]).exit_code == 0
    assert type_in("log -n 1").stdout.rstrip().endswith("injuries = light,heavy: our own book")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("syscards challenge mara --against brak --rates mara=50 --rates m=70 --why x", 2, "names mara twice"),
        ("syscards challenge mara --against brak --rates mara=101 --why x", 2, "must be 1 to 100"),
        (
            "syscards challenge mara --against brak --rates mara --why x",
            2,
            "is not a name and a value for --rates, like mara=2",
        ),
        ("syscards challenge mara --against brak --rates ghost=5 --why x", 3, "Nobody called 'ghost'"),
        ("byzantine task climb --opposed-energy Old_Crowd=5", 2, "not a valid name"),
        ("multicheck choose 1", 2, "No such command"),
        ("choose 3 --drop 3", 3, "has no question"),
    ],
)
def test_numbers_by_name_that_cannot_be_are_refused(
    folder: Path, type_in: Type, words: str, code: int, says: str
) -> None:
    for game in ("syscards", "byzantine"):
        for who in ("mara", "brak"):
            assert type_in(f"join {who} {game}").exit_code == 0
    result = type_in(words)
    assert (result.exit_code, says in result.stderr) == (code, True), result.stderr


def test_a_score_of_two_games_is_typed_with_its_game(folder: Path, type_in: Type) -> None:
    type_in("join mara rollunder skill.deception=2")
    result = type_in("adjust mara skill.deception=+1 --why x")
    assert "Hint: Include the game, like edge/skill.deception." in result.stderr
    assert type_in("adjust mara rollunder/skill.deception=+1 --why x").exit_code == 0


def test_what_is_chosen_after_a_ruling_is_typed_once(folder: Path, type_in: Type) -> None:
    type_in("join mara multicheck attribute.agility=60 attribute.luck=20 pk=2")
    rolled = type_in("multicheck test mara agility --difficulty 30 --faces 99")
    seq = json.loads(type_in("log -n 1 --json").stdout.splitlines()[1])["seq"]
    says = f"Before the next move, mara may still roll again (1 PK). Type: campaign choose {seq} --reroll\n"
    assert rolled.stderr.endswith(f"TITLE\n{says}")
    assert "--reroll" in type_in(f"choose {seq} --help").stdout
    assert type_in(f"choose {seq}").exit_code == 2
    dry = type_in(f"choose {seq} --reroll --dry-run")
    assert "The cost is the same for every result: mara pk −1" in dry.stdout
    assert "Until" not in dry.stderr
    words = f"choose {seq} --reroll --faces 15 --once a"
    assert type_in(words).exit_code == 0
    again = type_in(words)
    assert (again.exit_code, "already written" in again.stderr) == (0, True)
    late = type_in(f"choose {seq} --reroll")
    assert (late.exit_code, late.stderr) == (3, f"Error: The offer from #{seq} has expired.\n")


def test_a_table_of_settings_that_is_voided_is_told_in_words(folder: Path, type_in: Type) -> None:
    type_in("join mara rollunder characteristic.agility=9")
    type_in("settings rollunder levels=fifths")
    changed = json.loads(type_in("log -n 1 --json").stdout)["seq"]
    type_in("rollunder plain mara agility --faces 2")
    told = type_in(f"void {changed} --why x --yes").stdout
    assert "used the table's levels (" in told


@pytest.mark.parametrize(
    ("rolled", "chosen"),
    [
        ("edge check mara --skill 10 --edge --target 14 --secret --faces 7,3,7", "--drop 3"),
        ("multicheck test mara agility --difficulty 37 --secret --faces 50", "--after"),
        ("multicheck test mara agility --difficulty 37 --secret --faces 50", "--reroll --faces 73"),
    ],
)
def test_a_dry_run_of_a_choice_does_not_try_a_hidden_number(
    folder: Path, type_in: Type, rolled: str, chosen: str
) -> None:
    type_in("join mara multicheck attribute.agility=60 attribute.luck=20 pk=2 ps=1")
    type_in(rolled)
    seq = next(json.loads(line)["seq"] for line in type_in("log -n 1 --json").stdout.splitlines()[1:])
    told = type_in(f"choose {seq} {chosen} --dry-run").stdout
    assert told.startswith("This reveals one of the GM's secrets")
    assert "success" not in told + type_in(f"choose {seq} {chosen} --dry-run --json").stdout
    assert type_in(f"choose {seq} {chosen}").exit_code == 0


def test_names_that_were_chosen_are_the_same_when_they_are_said_again(folder: Path, type_in: Type) -> None:
    for who in ("mara", "brak"):
        type_in(f"join {who} syscards efficiency=40")
    type_in("syscards challenge mara --against brak --faces 50,50")
    words = f"choose {json.loads(type_in('log -n 1 --json').stdout.splitlines()[-1])['seq']} --order brak,mara --why so --once q"
    assert type_in(words).exit_code == 0
    assert "already written" in type_in(words).stderr
    assert type_in(words.replace("brak,mara", "mara,brak")).exit_code == 3


def test_a_reason_without_a_setting_is_a_wrong_command_line(folder: Path, type_in: Type) -> None:
    assert type_in("settings edge --why x").exit_code == 2


def test_a_game_that_says_no_rows_for_the_whole_table_has_none() -> None:
    nobodys = SheetView(scores={}, marks={"frozen": True})
    assert find("edge").table_rows(nobodys, lambda who: nobodys) == ()


def test_a_negative_setting_has_a_minus_sign_in_the_log(folder: Path, type_in: Type) -> None:
    assert type_in("settings byzantine lowest-input=-6").stdout.endswith("settings of byzantine: lowest-input = −6\n")
