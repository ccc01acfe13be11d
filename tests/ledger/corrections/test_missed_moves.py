"""Dawns and turns that a correction shows to be missing: asked about, or made up in their places."""

from collections.abc import Iterator
from typing import Any

import pytest

from audits import checked
from forging import read
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, Join, OpenSession
from ledger.commands.days import NextDay
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove
from ledger.commands.seats import Leave
from ledger.commands.turns import AddTurn, DelayTurn, NextTurn, SkipTurn
from ledger.corrections.actions import replacement_of
from ledger.corrections.answers import Decide
from ledger.corrections.undoing import Amend, Redo, Undo, Void
from ledger.errors import BadInput, OnceDiffers, Refused
from ledger.events.entry import Entry
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.systems import find
from projections.log import line
from projections.questions import questions
from projections.side_effects import side_effects
from table import accounts_of, opened_book, scribe


@pytest.fixture
def town() -> Iterator[Book]:
    """mara and brak with a general pool of 20."""
    with opened_book(games=()) as book:
        for who in ("mara", "brak"):
            write(book, Join(who=who, system="byzantine", scores={"general": 20}))
        yield book


def write(book: Book, command: Command) -> list[Entry]:
    return list(scribe(book).write(command).entries)


def played(book: Book, name: str, system: str = "byzantine", **inputs: Any) -> int:
    move = find(system).move(name)
    assert move is not None
    done = write(book, PlayMove(system=system, move=move(**inputs)))
    return next(entry.seq for entry in done if entry.type == "move-played")


def die(book: Book) -> int:
    return played(book, "harm", who="mara", energy=60, how="crushed")


def days(book: Book, count: int) -> list[int]:
    return [entry.seq for entry in write(book, NextDay(count=count)) if entry.type == "day-begun"]


def void(about: int, *, cascade: bool = False) -> Void:
    return Void(strikes=about, why="it never fell", cascade=cascade)


def decide(question: int, choice: str, *, cascade: bool = False) -> Decide:
    return Decide(question=question, choice=choice, why="so", inputs={}, faces=None, cascade=cascade)


def general(book: Book) -> dict[str, int | None]:
    return {who: book.balance(who, "byzantine/general") for who in ("mara", "brak")}


def sound(book: Book) -> None:
    verify(book)
    assert list(checked(book)) == []


def test_a_voided_death_asks_about_the_days_that_had_no_dawn(town: Book) -> None:
    death, starts = die(town), days(town, 2)
    write(town, void(death))
    (asked,) = questions(town)
    assert (asked.type, asked.who, asked.says) == ("moves-missed", "mara", "missed the dawn on day 1 and day 2")
    assert list(town.entry(asked.seq).body["starts"]) == starts
    assert general(town) == {"mara": 20, "brak": 18}
    sound(town)


@pytest.mark.parametrize(("cascade", "pools"), [(False, {"mara": 20, "brak": 18}), (True, {"mara": 18, "brak": 18})])
def test_a_voided_departure_has_the_missed_dawns_too(town: Book, *, cascade: bool, pools: dict[str, int]) -> None:
    departure = write(town, Leave(who="mara"))[0].seq
    days(town, 2)
    write(town, void(departure, cascade=cascade))
    asked = [(question.type, question.says) for question in questions(town)]
    assert asked == ([] if cascade else [("moves-missed", "missed the dawn on day 1 and day 2")])
    assert general(town) == pools
    sound(town)


def test_a_cascade_plays_the_missed_dawns_in_their_places(town: Book) -> None:
    death, starts = die(town), days(town, 2)
    done = write(town, void(death, cascade=True))
    dawns = [entry for entry in done if entry.type == "move-played" and entry.body["who"] == "mara"]
    assert [entry.since for entry in dawns] == starts
    assert general(town) == {"mara": 18, "brak": 18}
    then = [town.accounts.balance("mara", "byzantine/general", AsOf(seq=day, corrected=True)) for day in starts]
    assert then == [19, 18]
    assert questions(town) == []
    sound(town)


def test_the_plan_of_a_cascade_names_each_dawn_that_it_plays(town: Book) -> None:
    death = die(town)
    (start,) = days(town, 1)
    done = scribe(town).write(void(death, cascade=True))
    says = [effect.says for effect in side_effects(town, line(town, done.entries))]
    assert f"(in effect from #{start} on)" in says[-1]
    assert says[-1].startswith("adds #")


def test_an_undo_takes_the_dawns_back_with_the_void_and_a_redo_brings_both(town: Book) -> None:
    death = die(town)
    days(town, 2)
    before = accounts_of(town)
    write(town, void(death, cascade=True))
    after = accounts_of(town)
    write(town, Undo())
    assert accounts_of(town)["mara"] == before["mara"]
    write(town, Redo())
    assert accounts_of(town)["mara"] == after["mara"]
    sound(town)


def test_the_answer_to_the_question_plays_the_dawns_too(town: Book) -> None:
    death = die(town)
    days(town, 2)
    write(town, void(death))
    write(town, decide(questions(town)[0].seq, "play"))
    assert general(town) == {"mara": 18, "brak": 18}
    assert questions(town) == []
    sound(town)


@pytest.mark.parametrize("cascade", [False, True])
def test_the_answer_play_is_repeated_with_its_id(town: Book, *, cascade: bool) -> None:
    death = die(town)
    days(town, 2)
    write(town, void(death))
    question = questions(town)[0].seq
    scribe(town).write(decide(question, "play", cascade=cascade), once="one")
    assert scribe(town).write(decide(question, "play", cascade=cascade), once="one").again
    with pytest.raises(OnceDiffers, match="cascade"):
        scribe(town).write(decide(question, "play", cascade=not cascade), once="one")
    sound(town)


@pytest.mark.parametrize(("cascade", "asked"), [(False, ["knock-on-found"]), (True, [])])
def test_the_answer_play_redoes_later_results_only_with_a_cascade(
    town: Book, *, cascade: bool, asked: list[str]
) -> None:
    write(town, Adjust(who="mara", amounts={"byzantine/general": 1}, why="x"))
    death = die(town)
    days(town, 1)
    write(town, void(death))
    days(town, 1)  # with 21 in the pool, this dawn costs 2; after the missed dawn, 1
    write(town, decide(questions(town)[0].seq, "play", cascade=cascade))
    assert [question.type for question in questions(town)] == asked
    sound(town)


def test_the_answer_keep_leaves_the_days_without_dawns(town: Book) -> None:
    death = die(town)
    days(town, 1)
    write(town, void(death))
    write(town, decide(questions(town)[0].seq, "stand"))
    assert (general(town)["mara"], questions(town)) == (20, [])
    sound(town)


def test_only_amend_void_and_play_may_cascade(town: Book) -> None:
    death = die(town)
    days(town, 1)
    write(town, void(death))
    with pytest.raises(BadInput, match="--cascade works only with 'amend', 'void' and 'play'"):
        write(town, decide(questions(town)[0].seq, "stand", cascade=True))


def test_a_dawn_that_needs_a_choice_is_not_played_and_neither_are_the_later_ones() -> None:
    """What the GM would have chosen is not guessed."""
    with opened_book(games=()) as book:
        write(book, Join(who="mara", system="byzantine", scores={"ability.streets": 4}))
        played(book, "connect", who="mara", connection="workshop", input=-1, output=5)
        days(book, 1)
        played(book, "attempt", who="mara", task="climb", costs=1, energy=6, overdraft=True)
        played(book, "withhold", who="mara", connection="workshop", why="a cell")
        death = die(book)
        days(book, 2)
        write(book, void(death, cascade=True))
        (missed,) = questions(book)
        assert (missed.type, missed.says) == ("moves-missed", "missed the dawn on day 2 and day 3")
        with pytest.raises(Refused, match="mara's dawn needs a choice, so it cannot be played here"):
            write(book, decide(missed.seq, "play"))
        verify(book)


def test_a_made_up_dawn_is_asked_about_and_amended_like_any_other(town: Book) -> None:
    moved, death = write(town, Adjust(who="mara", amounts={"byzantine/general": 10}, why="x"))[0].seq, die(town)
    write(town, Adjust(who="brak", amounts={"byzantine/general": 80}, why="x"))
    days(town, 2)
    write(town, void(death, cascade=True))
    assert general(town)["mara"] == 26
    write(town, change(moved, 30))
    assert [question.type for question in questions(town)] == ["knock-on-found", "knock-on-found"]
    while asked := town.questions():
        write(town, decide(asked[0], "amend"))
    sound(town)
    again = replacement_of(town, moved)
    assert again is not None
    write(town, change(again, 80, cascade=True))
    assert general(town)["mara"] == general(town)["brak"]
    assert questions(town) == []
    sound(town)


def change(about: int, amount: int, *, cascade: bool = False) -> Amend:
    return Amend(named=about, inputs={"amounts": {"byzantine/general": amount}}, faces=None, cascade=cascade, why="x")


def test_a_dawn_that_was_played_by_hand_since_is_not_missing(town: Book) -> None:
    death = die(town)
    days(town, 1)
    write(town, void(death))
    played(town, "dawn", who="mara")
    write(
        town,
        Amend(
            named=write(town, Adjust(who="brak", amounts={"byzantine/general": 1}, why="x"))[0].seq,
            inputs={"why": "y"},
            faces=None,
            cascade=False,
            why="x",
        ),
    )
    assert questions(town) == [], "the question is closed, because nothing is missing"
    sound(town)


def test_a_voided_cure_asks_about_the_turns_without_recovery() -> None:
    with opened_book(games=()) as book:
        write(book, Join(who="mara", system="multicheck", scores={"recovery": 1}))
        write(book, OpenSession(title="One", present=()))
        write(book, AddTurn(who="mara", number=20))
        played(book, "afflict", "multicheck", who="mara", condition="blind", charges=5)
        cure = write(book, Adjust(who="mara", amounts={"multicheck/condition.blind": -5}, why="x"))[0].seq
        for _ in range(2):
            write(book, NextTurn())
        write(book, void(cure))
        assert [question.says for question in questions(book)] == ["missed the turn in round 1 and round 2"]
        write(book, Undo())
        write(book, void(cure, cascade=True))
        assert book.balance("mara", "multicheck/condition.blind") == 3
        sound(book)


def test_a_voided_day_closes_the_question_about_its_dawn(town: Book) -> None:
    death = die(town)
    (start,) = days(town, 1)
    write(town, void(death))
    done = write(town, void(start))
    assert last_of(done, "question-closed")["reason"] == "settled"
    assert questions(town) == []
    sound(town)


def test_many_days_are_counted(town: Book) -> None:
    death = die(town)
    days(town, 6)
    write(town, void(death))
    assert questions(town)[0].says == "missed the dawn on day 1, day 2, day 3 and 3 more"


def last_of(entries: list[Entry], kind: str) -> dict[str, Any]:
    return [entry.body for entry in entries if entry.type == kind][-1]


def cured(book: Book) -> int:
    """Put mara and brak in the turn order, and cure mara of a condition; return the entry of the cure."""
    for who in ("mara", "brak"):
        write(book, Join(who=who, system="multicheck", scores={"recovery": 1}))
    write(book, OpenSession(title="One", present=()))
    for who, number in (("mara", 20), ("brak", 10)):
        write(book, AddTurn(who=who, number=number))
    played(book, "afflict", "multicheck", who="mara", condition="blind", charges=5)
    return write(book, Adjust(who="mara", amounts={"multicheck/condition.blind": -5}, why="x"))[0].seq


def test_a_delayed_turn_that_goes_on_has_no_second_recovery() -> None:
    with opened_book(games=()) as book:
        cure = cured(book)
        write(book, NextTurn())
        write(book, DelayTurn(who="mara"))
        for _ in range(2):
            write(book, NextTurn())
        write(book, void(cure, cascade=True))
        assert (book.balance("mara", "multicheck/condition.blind"), questions(book)) == (4, [])
        sound(book)


def test_a_skipped_turn_has_a_recovery_unless_the_character_takes_no_more_turns() -> None:
    with opened_book(games=()) as book:
        cure = cured(book)
        write(book, SkipTurn(who="mara"))
        write(book, NextTurn())
        write(book, SkipTurn(who="mara", always=True))
        write(book, void(cure, cascade=True))
        assert (book.balance("mara", "multicheck/condition.blind"), questions(book)) == (4, [])
        sound(book)


def test_a_dawn_that_the_rules_refuse_in_its_place_stays_a_question_and_the_earlier_one_is_played(town: Book) -> None:
    death = die(town)
    days(town, 1)
    low = write(town, Adjust(who="mara", amounts={"byzantine/input.workshop": -2}, why="x"))[0].seq
    write(town, Adjust(who="mara", amounts={"byzantine/input.workshop": 2}, why="x"))
    (refused,) = days(town, 1)
    write(town, void(low))
    write(town, void(death))
    (missed,) = [question.seq for question in questions(town) if question.type == "moves-missed"]
    assert len(town.entry(missed).body["starts"]) == 2
    done = write(town, decide(missed, "play"))
    assert "mara" in [entry.body["who"] for entry in done if entry.type == "move-played"]
    assert [len(entry.body["starts"]) for entry in done if entry.type == "moves-missed"] == [1]
    assert town.entry(refused).type == "day-begun"
    verify(town)


def test_no_dawn_is_missing_for_a_character_whose_contest_is_open_again(town: Book) -> None:
    played(town, "contest", contest="duel", acting=("mara",), against=("brak",))
    off = played(town, "contest", contest="duel", off=True)
    days(town, 1)
    write(town, void(off))
    assert "moves-missed" not in [question.type for question in questions(town)]


def test_a_question_about_missed_moves_of_a_game_that_is_not_installed_stays_open(town: Book) -> None:
    moved, death = write(town, Adjust(who="brak", amounts={"byzantine/general": 1}, why="x"))[0].seq, die(town)
    days(town, 1)
    write(town, void(death))
    forged = read(town)
    (asked,) = [body for body in forged.bodies if body["type"] == "moves-missed"]
    asked["system"] = "chess"
    with_chess = forged.book()
    write(with_chess, void(moved, cascade=True))
    assert asked["seq"] in with_chess.questions()
