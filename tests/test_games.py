"""All games at one table: what holds for each of them, and that they do not meet."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.trial import cases
from ledger import systems
from ledger.book import Book
from ledger.campaign import Adjust, Settle
from ledger.canonical import canonical_json, parse_json
from ledger.errors import BadInput
from ledger.events import CAMPAIGN
from ledger.play import Play, settings_in_force
from ledger.systems import find
from table import accounts_of, every_game, last, scribe

DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize("name", systems.OURS)
def test_every_case_of_the_contract_holds_by_try(name: str) -> None:
    listed = parse_json((DATA / f"{name}.json").read_bytes())
    answers = parse_json(cases(canonical_json(listed)))
    for case, answer in zip(listed, answers, strict=True):
        if case["expect"].get("refused"):
            assert answer["refused"] is True
            assert answer["why"].endswith((".", "?")), case["id"]
        else:
            assert answer == case["expect"], case["id"]


@pytest.mark.parametrize("name", systems.OURS)
@pytest.mark.parametrize("given", [[], "x", 1, None, {"dice": 1.5}, {"no such": 1}], ids=repr)
def test_what_is_no_input_of_a_rule_is_refused_and_never_a_traceback(name: str, given: Any) -> None:
    for rule in find(name).play().rules:
        (answer,) = parse_json(cases(json.dumps([{"rule": rule.name, "given": given}]).encode()))
        assert answer["refused"] is True


def test_scores_of_the_same_name_do_not_meet() -> None:
    with every_game() as book:
        games = [name for name in systems.OURS if book.balance("mara", f"{name}/skill.deception") is not None]
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


def settled(book: Book, name: str) -> dict[str, Any]:
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
        done = scribe(book).write(Settle(system=name, values={setting: typed}))
        assert settled(book, name) == {**before, setting: value}
        assert settled(book.at(head + 1), name) == before
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
            scribe(book).write(Settle(system=name, values={setting: typed}))
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
        scribe(book).write(Settle(system="syscards", values={"award": "2"}))
        first = last(scribe(book).write(Play(system="syscards", move=move(who="mara"))), "move-played")
        scribe(book).write(Settle(system="syscards", values={"award": "5"}))
        assert first["settings"] == {"raise_from": 100, "award": 2}
        assert book.entry(first["seq"]).body["settings"] == first["settings"]
