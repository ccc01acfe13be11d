"""Days: everybody's dawn, skips that end where somebody must be asked, and what corrections make of them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from audits import checked
from ledger import systems
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, Join
from ledger.commands.days import NextDay, campaign_day
from ledger.commands.play import PlayMove
from ledger.corrections.answers import Choose
from ledger.corrections.undoing import Amend, Undo, Void
from ledger.errors import Held, OnceDiffers, Refused
from ledger.events.types import MovePlayed
from ledger.journal.book import Book
from ledger.systems import find
from ledger.systems.edge.moves_check import Check
from projections.questions import questions
from table import accounts_of, opened_book, scribe
from terminal import Type, rows

ONE = NextDay(count=1, until=None)


@pytest.fixture
def city(tmp_path: Path) -> Iterator[Book]:
    """Two characters with a workshop each, on day 1."""
    with opened_book(str(tmp_path / "city.campaign"), games=()) as book:
        for who in ("mara", "brak"):
            scribe(book).write(Join(who=who, system="byzantine", scores={"ability.streets": 4}))
            played(book, "connect", who=who, connection="workshop", input=-1, output=5)
        scribe(book).write(ONE)
        yield book


def played(book: Book, name: str, **inputs: Any) -> int:
    move = find("byzantine").move(name)
    assert move is not None
    done = scribe(book).write(PlayMove(system="byzantine", move=move(**inputs)))
    return next(entry.seq for entry in done.entries if entry.type == MovePlayed.type)


def test_a_skip_is_one_action_with_a_dawn_a_day_for_everybody(city: Book) -> None:
    done = scribe(city).write(NextDay(count=3, until=None))
    assert [entry.type for entry in done.entries].count("day-begun") == 3
    assert [entry.type for entry in done.entries].count("dawn-broken") == 6
    assert {entry.act for entry in done.entries} == {done.entries[0].seq}
    assert campaign_day(city) == 4
    before = accounts_of(city)
    scribe(city).write(Undo())
    assert campaign_day(city) == 1
    assert accounts_of(city) != before


def test_days_taken_one_by_one_come_to_what_a_skip_comes_to(city: Book, tmp_path: Path) -> None:
    with opened_book(str(tmp_path / "other.campaign"), games=()) as other:
        for who in ("mara", "brak"):
            scribe(other).write(Join(who=who, system="byzantine", scores={"ability.streets": 4}))
            played(other, "connect", who=who, connection="workshop", input=-1, output=5)
        scribe(other).write(ONE)
        for book in (city, other):
            played(book, "invest", who="mara", energy=4, project="election", lose=True)
        scribe(city).write(NextDay(count=None, until=5))
        for _ in range(4):
            scribe(other).write(ONE)
        shown = [accounts_of(book) for book in (city, other)]
        for each in shown:
            for subject in ("#cast", "#players"):
                each.pop(subject)
        assert shown[0] == shown[1]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (NextDay(count=None, until=1), "It is already day 1"),
        (NextDay(count=None, until=0), "It is day 1"),
        (NextDay(count=401, until=None), "at once, not 401"),
        (NextDay(count=None, until=900), "at once, not 899"),
    ],
)
def test_a_day_that_is_over_or_too_far_away_is_refused(city: Book, command: NextDay, says: str) -> None:
    head = city.head()
    with pytest.raises(Refused, match=says):
        scribe(city).write(command)
    assert city.head() == head


def test_days_are_begun_one_by_one_or_up_to_400_at_once() -> None:
    with opened_book(games=()) as book:
        assert campaign_day(book) == 0
        scribe(book).write(NextDay(count=None, until=None))
        assert campaign_day(book) == 1
        scribe(book).write(Undo())
        scribe(book).write(NextDay(count=None, until=3))
        assert campaign_day(book) == 3
        scribe(book).write(NextDay(count=400, until=None))
        assert campaign_day(book) == 403


def test_a_skip_ends_with_the_day_that_asks_and_nobody_is_left_behind(city: Book) -> None:
    played(city, "attempt", who="mara", task="climb", costs=1, energy=6, overdraft=True)
    assert city.balance("mara", "byzantine/energy") == -2
    played(city, "withhold", who="mara", connection="workshop", why="a cell")
    done = scribe(city).write(NextDay(count=5, until=None))
    assert campaign_day(city) == 2
    assert city.mark("brak", "byzantine/dawned") == 2
    question = next(entry.seq for entry in done.entries if entry.type == "question-asked")
    with pytest.raises(Held, match="mara has an open question"):
        scribe(city).write(ONE)
    assert list(checked(city)) == [], "who waits for an answer has not missed the dawn"
    scribe(city).write(Choose(question=question, chosen={"fate": "lives", "how": "a neighbor pays"}))
    scribe(city).write(ONE)
    assert list(checked(city)) == []
    assert city.mark("mara", "byzantine/dawned") == 3
    assert verify(city).entries == city.head()


def test_an_answer_within_a_day_that_is_amended_twice_is_kept_once(city: Book) -> None:
    """Copied into the amended day, an answer is in the action of what it answers; it heads no part of its own."""
    for who in ("mara", "brak"):
        played(city, "attempt", who=who, task="climb", costs=1, energy=6, overdraft=True)
        played(city, "withhold", who=who, connection="workshop", why="a cell")
    for question in [entry.seq for entry in scribe(city).write(ONE).entries if entry.type == "question-asked"]:
        said = scribe(city).write(Choose(question=question, chosen={"fate": "lives", "how": "a neighbor pays"}))
    named = said.entries[0].seq
    for how in ("a stranger pays", "nobody asks"):
        done = scribe(city).write(Amend(named=named, inputs={"how": how}, faces=None, cascade=False, why="x")).entries
        played_again = [entry for entry in done if entry.type == MovePlayed.type]
        assert [entry.body["who"] for entry in played_again] == ["brak", "mara"]
        named = played_again[-1].seq
    assert verify(city).entries == city.head()


def test_the_dead_see_no_dawn(city: Book) -> None:
    played(city, "attempt", who="mara", task="climb", costs=1, energy=40, overdraft=True, how="she will not let go")
    done = scribe(city).write(ONE)
    assert [entry.body["who"] for entry in done.entries if entry.type == "dawn-broken"] == ["brak"]


def test_the_same_id_begins_the_days_once(city: Book) -> None:
    three = NextDay(count=3, until=None)
    scribe(city).write(three, once="a")
    assert scribe(city).write(three, once="a").again
    assert campaign_day(city) == 4
    with pytest.raises(OnceDiffers, match="a different value for count: 3, not 2"):
        scribe(city).write(NextDay(count=2, until=None), once="a")
    with pytest.raises(OnceDiffers, match="a different command"):
        scribe(city).write(Adjust(who="mara", amounts={"byzantine/energy": 1}, why="x"), once="a")
    scribe(city).write(Adjust(who="mara", amounts={"byzantine/energy": 1}, why="x"), once="b")
    with pytest.raises(OnceDiffers, match="a different command"):
        scribe(city).write(three, once="b")


def test_a_connection_that_is_put_right_in_its_place_asks_about_the_dawns_that_did_not_see_it(city: Book) -> None:
    named = played(city, "connect", who="mara", connection="family", output=2)
    scribe(city).write(ONE)
    assert city.balance("mara", "byzantine/energy") == 6
    again = Amend(named=named, inputs={"connection": "school"}, faces=None, cascade=False, why="x")
    assert scribe(city).write(again).entries[-1].type != "knock-on-found", (
        "the sum is the same, so it comes out the same"
    )
    voided = scribe(city).write(Void(strikes=city.entry(city.head()).act, why="x"))
    assert all(entry.type != "knock-on-found" for entry in voided.entries)
    gone = scribe(city).write(Void(strikes=city.entry(named).act, why="never there"))
    asked = [entry.body["numbers"] for entry in gone.entries if entry.type == "knock-on-found"]
    assert asked == [{"mara": {"byzantine/output.*": ["workshop"], "byzantine/output.family": 0}}]


def test_in_a_cascade_the_dawns_are_broken_again(city: Book) -> None:
    named = played(city, "connect", who="mara", connection="family", output=2)
    scribe(city).write(NextDay(count=2, until=None))
    scribe(city).write(Amend(named=named, inputs={"output": 5}, faces=None, cascade=True, why="x"))
    assert city.balance("mara", "byzantine/energy") == 9
    assert verify(city).entries == city.head()


def test_days_are_typed_and_looked_at(folder: Path, type_in: Type) -> None:
    assert "day 1 begins" in type_in("day next").stdout
    reached = type_in("day to 1")
    assert (reached.exit_code, reached.stderr.splitlines()[0]) == (3, "Error: It is already day 1.")
    assert type_in("day to 0").exit_code == 2
    assert type_in("day to 4 --json").exit_code == 0
    refused = type_in("day to 2")
    assert (refused.exit_code, "It is day 4" in refused.stderr) == (3, True)
    assert "day 4 begins" in type_in("log -n 1").stdout or " more" in type_in("log -n 1").stdout
    shown = [json.loads(line) for line in type_in("log --at day:1 --json").stdout.splitlines()]
    assert shown[-1]["type"] == "day-begun"
    assert type_in("sheets --at day:9").exit_code == 3
    assert type_in("sheets campaign").stdout == "campaign\n  day  4\n"
    assert type_in("sheets").stdout.startswith("campaign\n  day  4\n")
    assert "day" not in type_in("sheets mara").stdout
    assert json.loads(type_in("sheets campaign --json").stdout)["scores"] == {"day": 4}
    type_in("syscards mode deal")
    assert type_in("sheets campaign").stdout.endswith("\ncampaign · syscards\n  mode  deal\n")
    assert "Day 1 began." in type_in("chronicle").stdout
    assert "Day 1 began." in type_in("replay --from 1 --to 99").stdout + type_in("replay").stdout


def test_a_question_about_a_game_that_is_not_installed_any_more_is_told_without_it(
    city: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = played(city, "connect", who="mara", connection="family", output=2)
    scribe(city).write(ONE)
    scribe(city).write(Void(strikes=city.entry(named).act, why="never there"))
    assert "used mara's" in questions(city)[0].says
    monkeypatch.setattr(systems, "installed", lambda name: None)
    assert "used mara's" in questions(city)[0].says


def test_a_cascade_ends_with_the_dawn_that_asks_and_asks_about_those_after_it(city: Book) -> None:
    named = played(city, "connect", who="mara", connection="family", output=2)
    scribe(city).write(ONE)
    played(city, "attempt", who="mara", task="climb", costs=1, energy=9, overdraft=True)
    scribe(city).write(NextDay(count=2, until=None))
    assert city.balance("mara", "byzantine/energy") == 6
    voided = scribe(city).write(Amend(named=named, inputs={"input": -5}, faces=None, cascade=True, why="x"))
    asked = [entry.type for entry in voided.entries if entry.type in {"question-asked", "knock-on-found"}]
    assert sorted(set(asked)) == ["knock-on-found", "question-asked"]
    assert asked.count("question-asked") == 1
    assert verify(city).entries == city.head()


def test_a_day_within_a_skip_is_looked_at_as_it_was(folder: Path, type_in: Type) -> None:
    for words in ("join mara byzantine output.work=5 project.election=9", "day next --count 4"):
        assert type_in(words).exit_code == 0
    found = [
        type_in(f"register mara project.election --at day:{day}").stdout.count("decay ticked") for day in (1, 2, 3)
    ]
    assert found == [1, 2, 3]
    assert "dawned            2" in type_in("sheets mara --all --at day:2").stdout
    told = type_in("replay --from day:2 --to day:3").stdout
    assert ("Day 2 began." in told, "Day 1 began." in told, "Day 4 began." in told) == (True, False, False)
    refused = type_in("sheets --at day:9")
    assert (refused.exit_code, refused.stderr) == (
        3,
        "Error: This campaign never reached day:9; the current day is 4.\n",
    )
    assert type_in("replay --from day:9").exit_code == 3


def test_a_day_ends_where_the_next_began_also_after_a_later_dawn_was_amended(folder: Path, type_in: Type) -> None:
    for words in ("join mara byzantine output.work=5", "day next", "byzantine night mara little", "day next"):
        assert type_in(words).exit_code == 0
    then = type_in("sheets mara --at day:1").stdout
    assert "energy           5" in then
    night = rows(type_in("log --at day:1 -n 1 --json").stdout)[0]
    assert (night["type"], type_in(f"void {night['seq']} --why x --yes").exit_code) == ("move-played", 0)
    (question,) = (row["seq"] for row in rows(type_in("questions --json").stdout))
    assert type_in(f"decide {question} amend --why x --yes").exit_code == 0
    assert type_in("sheets mara --at day:1").stdout == then
    assert (
        then.replace("  tonight          sleep: little\n", "") == type_in("sheets mara --at day:1 --corrected").stdout
    )
    assert "energy           5" in type_in("sheets mara --at day:2 --corrected").stdout
    assert rows(type_in("log --at day:1 -n 1 --json").stdout)[0]["seq"] == night["seq"]


def test_a_day_that_was_taken_back_ends_there_and_one_begun_anew_takes_its_number(folder: Path, type_in: Type) -> None:
    for words in ("join mara byzantine output.work=5", "day next", "day next", "note one", "undo", "undo"):
        assert type_in(words).exit_code == 0
    assert "one" in type_in("log --at day:2").stdout
    for words in ("note two", "day next", "note three"):
        assert type_in(words).exit_code == 0
    assert "two" in type_in("log --at day:1").stdout
    assert "three" in type_in("log --at day:2").stdout
    assert "three" not in type_in("log --at day:1").stdout


def test_a_skip_is_amended_in_its_parts_and_not_in_how_far_it_went(folder: Path, type_in: Type) -> None:
    type_in("join mara byzantine output.work=5")
    begun = json.loads(type_in("day next --json").stdout.splitlines()[0])["seq"]
    refused = type_in(f"amend {begun} --count 5 --why x --yes")
    assert (refused.exit_code, "No such option" in refused.stderr) == (2, True)


def test_somebody_else_whom_a_question_holds_is_not_named(city: Book) -> None:
    scribe(city).write(Join(who="brak", system="edge", scores={"maximum": 3}))
    played(city, "task", who="mara", task="climb", costs=9, opposed_energy={"brak": 1})
    scribe(city).write(PlayMove(system="edge", move=Check(who="brak", skill=1, edge=True)))
    with pytest.raises(Refused) as refused:
        played(city, "attempt", who="mara", task="climb", energy=1)
    assert "brak" not in refused.value.sentence
    assert "has an open question" in refused.value.sentence
