"""Game checks: what a cheat of each game's bookkeeping would leave behind is found, and honest play is not."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coin
from audits import checked, checked_by_games
from engine import connection_of
from evenings import evening
from ledger.commands.at_table import ChangeSettings, CloseSession, Join, OpenSession, SetMarks
from ledger.commands.days import NextDay
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.commands.seats import Leave, ReturnToTable, Seat, SeatNpcs
from ledger.corrections.answers import AcceptOffer, Choose
from ledger.corrections.seals import Reveal, Sealed
from ledger.corrections.undoing import Amend, Rewind, Undo, Void
from ledger.errors import Broken, NotEnough
from ledger.events.entry import Entry
from ledger.journal.book import Book
from ledger.rules.system import GameCheck, Remark
from ledger.systems import find
from ledger.systems.byzantine.moves_tasks import Attempt, Task
from ledger.systems.edge.moves import Burn, Rest
from ledger.systems.edge.moves_check import Check
from ledger.systems.multicheck.moves import Save
from ledger.systems.multicheck.moves_d100 import Test as OneTest
from ledger.systems.rollunder.moves import Plain
from ledger.systems.syscards.moves import Reject
from ledger.systems.syscards.moves_acts import Act, Rate, ThrowPercentile
from ledger.systems.syscards.moves_cards import Round
from ledger.systems.syscards.moves_challenges import Challenge
from table import every_game, opened_book, scribe
from tampering import fields, rewritten

Found = list[tuple[int, str]]


@given(data=st.data())
def test_honest_play_without_corrections_has_no_finding(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 12, correcting=False)
        assert list(checked(book)) == []


@given(data=st.data())
def test_corrections_bring_about_remarks_alone(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 12)
        assert [fault for fault in checked(book) if not isinstance(fault, Remark)] == []


@given(data=st.data(), stretch=st.integers(1, 30))
def test_stretches_of_any_length_come_to_the_same_findings(data: Any, stretch: int) -> None:
    with every_game() as book:
        evening(data.draw, book, 12)
        assert sorted(checked_by_games(book, stretch)[0]) == sorted(checked_by_games(book)[0])


@given(data=st.data())
def test_a_check_keeps_plain_values_alone(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 12)
        _, check = checked_by_games(book)
        assert all(is_plain(vars(each)) for game in check.games.values() for each in game.checks)


def is_plain(value: object) -> bool:
    match value:
        case dict():
            return is_plain([*value.items()])
        case tuple() | list() | set():
            return all(map(is_plain, value))
    return value is None or isinstance(value, int | str)


def play(book: Book, *moves: tuple[Any, tuple[int, ...] | None] | Command) -> int:
    """Play moves of any game, with what their dice show; return the entry before them."""
    head = book.head()
    for each in moves:
        if isinstance(each, Command):
            scribe(book).write(each)
        else:
            move, faces = each
            scribe(book).write(PlayMove(system=type(move).__module__.split(".")[2], move=move), faces=faces)
    return head


def tampered(book: Book, seq: int, **changes: object) -> None:
    rewritten(seq, fields(**changes))(connection_of(book))


def inputs(book: Book, seq: int, **changes: object) -> None:
    tampered(book, seq, inputs={**book.journal.entry(seq).body["inputs"], **changes})


def entry(book: Book, kind: str) -> int:
    """The last entry of a type."""
    return max(each.seq for each in book.journal.entries() if each.type == kind)


# SySCards


RATE = Rate(who="mara", rate=60, why="fog", throw=True)


def amended(seq: int, **changes: Any) -> Amend:
    return Amend(named=seq, inputs=changes, faces=None, cascade=False, why="so")


def test_a_rate_that_was_changed_after_its_throw_is_found() -> None:
    with every_game() as book:
        head = play(book, (RATE, (55,)))
        assert list(checked(book)) == []
        play(book, amended(head + 1, rate=50))
        again = max(each.seq for each in book.journal.entries() if each.body.get("move") == "rate")
        assert list(checked(book)) == [(again, "The rate of mara was changed to 50 after the roll (SYS-21).")]
        play(book, Undo())
        assert list(checked(book)) == []


def test_a_rate_that_was_put_right_before_its_throw_is_well_declared() -> None:
    with every_game() as book:
        head = play(book, (RATE.replace(throw=False), None))
        play(
            book, amended(head + 1, rate=50), (ThrowPercentile(who="mara"), (55,)), amended(book.head() + 1, why="mist")
        )
        assert list(checked(book)) == []


def test_a_rate_that_was_taken_back_after_its_throw_is_found() -> None:
    with every_game() as book:
        play(book, (RATE.replace(throw=False), None))
        rate = book.head()
        play(book, (RATE.replace(rate=70, throw=False), None))
        late = entry(book, "rate-declared")
        play(book, (ThrowPercentile(who="mara"), (55,)))
        throw = entry(book, "act-thrown")
        assert list(checked(book)) == []
        play(book, Void(strikes=book.journal.entry(late).act, why="so"))
        assert list(checked(book)) == [
            (throw, "mara rolled against a rate of 70, but the declared rate is 60 (SYS-21).")
        ]
        play(book, Void(strikes=book.journal.entry(rate).act, why="so"))
        says = "mara rolled against a rate of 70, which was not declared (SYS-03)."
        assert list(checked(book)) == [(throw, says)]


def test_a_rate_that_was_set_by_hand_with_a_reason_is_declared() -> None:
    with every_game() as book:
        by_hand = SetMarks(who="mara", values={"syscards/rate": "60", "syscards/rejects": "yes"}, why="fog")
        play(book, by_hand, (ThrowPercentile(who="mara"), (55,)))
        play(book, (Reject(who="brak", rate=40, why="ducks"), None)) if book.mark(
            "campaign", "syscards/round"
        ) else None
        assert list(checked(book)) == []


def test_a_throw_past_a_rejection_and_one_in_a_challenge_need_no_rate_of_their_own() -> None:
    with every_game() as book:
        able = SetMarks(who="brak", values={"syscards/rejects": "yes"}, why="so")
        play(book, able, (Round(phase="begin"), None), (Reject(who="brak", rate=40, why="ducks"), None))
        play(
            book,
            (ThrowPercentile(who="mara", past="brak"), (55,)),
            (Round(phase="prep"), None),
            (Round(phase="begin"), None),
        )
        play(book, (Challenge(who="mara", against=("brak",), rates={"brak": 80}, why="fog"), (55, 12)))
        assert list(checked(book)) == []


@pytest.mark.parametrize("why", ["her efficiency is low", "EFC", "the Efficiency-table"])
def test_a_reason_that_names_an_efficiency_is_found(why: str) -> None:
    with every_game() as book:
        head = play(book, (Act(who="mara", rate=30, why=why), None), (RATE.replace(why=why), (55,)))
        rates = [head + 1, head + 3]
        play(book, (Challenge(who="mara", against=("brak",), rates={"brak": 80}, why=why), (55, 12)))
        rates.append(max(each.seq for each in book.journal.entries() if each.body.get("move") == "challenge"))
        able = SetMarks(who="mara", values={"syscards/rejects": "yes"}, why="so")
        rates.append(play(book, able, (Round(phase="begin"), None), (Reject(who="mara", rate=40, why=why), None)) + 4)
        play(book, SetMarks(who="mara", values={"syscards/rate": "60"}, why=why))
        says = "The reason for mara's rate mentions an efficiency, but an efficiency never changes a rate (SYS-21)."
        assert list(checked(book)) == [(seq, says) for seq in [*rates, book.head()]]
        play(book, Undo(), amended(rates[0], why="fog"))
        assert [seq for seq, _ in checked(book)] == rates[1:]


def test_a_reason_that_was_erased_or_only_sounds_like_one_is_no_finding() -> None:
    with every_game() as book:
        play(book, (RATE.replace(why="inefficiency"), (55,)), (RATE.replace(why="efc"), (55,)))
        connection_of(book).execute("DELETE FROM words WHERE text = 'efc'")
        assert list(checked(book)) == []


def test_a_raise_without_a_throw_for_it_is_found() -> None:
    with every_game() as book:
        play(book, (RATE, (100,)))
        assert list(checked(book)) == []
        tampered(book, book.head(), facts={"natural": 97})
        assert list(checked(book)) == [(book.head(), "The efficiency of mara was raised without a roll (SYS-09).")]


# Edge


def test_edge_that_is_spent_otherwise_than_was_said_is_found() -> None:
    with every_game() as book:
        head = play(book, (Check(who="mara", skill=11, edge=True), (7, 3, 7)))
        play(book, Choose(question=head + 2, chosen={"drop": 3}), (Rest(who="mara", kind="short"), None))
        assert list(checked(book)) == []
        inputs(book, head + 2, edge=False)
        assert list(checked(book)) == [(head + 2, "mara spent 1 edge, but this move should cost 0 (EDG-15).")]


def test_a_burn_that_names_no_death_is_found() -> None:
    with every_game() as book:
        head = play(book, (Burn(who="mara", against="the fall"), None))
        assert list(checked(book)) == []
        inputs(book, head + 1, against=None)
        assert list(checked(book)) == [
            (head + 2, "mara burned edge, but the entry does not say what would have killed mara (EDG-14).")
        ]


def test_a_burn_is_named_also_where_its_words_were_erased() -> None:
    with every_game() as book:
        head = play(book, (Burn(who="mara", against="the fall"), None))
        connection_of(book).execute("DELETE FROM words WHERE seq = ?", (head + 1,))
        assert list(checked(book)) == []


# Byzantine


def test_days_that_were_taken_back_played_again_or_skipped_are_well() -> None:
    with every_game() as book:
        head = play(book, NextDay(count=3, until=None), Undo(), NextDay(count=2, until=None), Rewind(to=book.head()))
        play(book, NextDay(count=1, until=None))
        day = entry(book, "day-begun")
        play(book, NextDay(count=2, until=None), Void(strikes=day, why="so"), NextDay(count=2, until=None))
        assert book.head() > head
        assert list(checked(book)) == []


def test_a_dawn_that_was_seen_twice_or_never_is_found() -> None:
    with every_game() as book:
        play(book, NextDay(count=3, until=None))
        dawns = [each for each in book.journal.entries() if each.type == "dawn-broken" and each.body["who"] == "mara"]
        second = next(each for each in dawns if each.body["facts"]["day"] == 2)
        tampered(book, second.seq, facts={**second.body["facts"], "day": 1})
        third = next(each for each in dawns if each.body["facts"]["day"] == 3)
        assert list(checked(book)) == [
            (second.seq, "mara had two dawns on day 1 (BYZ-02)."),
            (third.seq, "mara missed the dawn of day 2 (BYZ-02)."),
        ]


def test_a_last_dawn_that_is_missing_is_found_except_of_the_dead_and_of_those_who_came_back() -> None:
    with every_game() as book:
        play(book, NextDay(count=1, until=None))
        dead = {"dead": "yes"}
        play(book, SetMarks(who="mara", values={f"byzantine/{name}": held for name, held in dead.items()}, why="so"))
        play(book, NextDay(count=2, until=None))
        assert list(checked(book)) == []
        play(book, SetMarks(who="mara", values={"byzantine/dead": "no"}, why="so"))
        assert list(checked(book)) == []
        play(book, SetMarks(who="brak", values={"byzantine/dead": "no"}, why="so"))
        last = [each for each in book.journal.entries() if each.type == "dawn-broken"][-1]
        begun = entry(book, "day-begun")
        assert (last.body["who"], last.body["facts"]["day"]) == ("brak", 4)
        tampered(book, last.seq, facts={**last.body["facts"], "day": 3})
        assert [says for _, says in checked(book)] == [
            "brak had two dawns on day 3 (BYZ-02).",
            "brak missed the dawn of day 4 (BYZ-02).",
        ]
        assert [seq for seq, _ in checked(book)] == [last.seq, begun]


def test_a_character_who_left_misses_no_dawn() -> None:
    with every_game() as book:
        play(book, NextDay(count=1, until=None), Leave(who="mara"), NextDay(count=2, until=None))
        assert list(checked(book)) == []
        play(book, ReturnToTable(who="mara"))
        assert list(checked(book)) == []
        play(book, NextDay(count=1, until=None))
        assert list(checked(book)) == []


def test_a_dawn_of_a_day_away_may_be_missing() -> None:
    with every_game() as book:
        play(
            book,
            NextDay(count=1, until=None),
            Leave(who="mara"),
            NextDay(count=2, until=None),
            ReturnToTable(who="mara"),
        )
        play(book, NextDay(count=1, until=None))
        *_, last_away, _ = [e for e in book.journal.entries() if e.type == "dawn-broken" and e.body["who"] == "mara"]
        tampered(book, last_away.seq, facts={**last_away.body["facts"], "day": 3})
        assert [says for _, says in checked(book)] == ["mara had two dawns on day 3 (BYZ-02)."]


def test_a_dead_character_who_left_and_returned_misses_no_dawn() -> None:
    with every_game() as book:
        play(book, NextDay(count=1, until=None), SetMarks(who="mara", values={"byzantine/dead": "yes"}, why="so"))
        play(
            book,
            Leave(who="mara"),
            NextDay(count=1, until=None),
            ReturnToTable(who="mara"),
            NextDay(count=1, until=None),
        )
        assert list(checked(book)) == []


def test_a_non_player_character_misses_no_dawn_after_its_session() -> None:
    with every_game() as book:
        sheet = Join(who="wolf", system="byzantine", scores={})
        play(book, OpenSession(title="One", present=()), SeatNpcs(names=("wolf", "bear")), sheet)
        play(book, NextDay(count=1, until=None), CloseSession())
        play(book, NextDay(count=1, until=None))
        assert list(checked(book)) == []
        play(book, Seat(name="Ben", plays=("wolf",), gm=False), NextDay(count=1, until=None))
        assert list(checked(book)) == []
        play(book, OpenSession(title="Two", present=()), SeatNpcs(names=("bear",)), NextDay(count=1, until=None))
        assert list(checked(book)) == []


def test_a_missing_last_dawn_of_a_non_player_character_whom_a_player_took_over_is_found() -> None:
    with every_game() as book:
        sheet = Join(who="wolf", system="byzantine", scores={})
        play(book, OpenSession(title="One", present=()), SeatNpcs(names=("wolf",)), sheet, NextDay(count=1, until=None))
        play(book, CloseSession(), NextDay(count=1, until=None), Seat(name="Ben", plays=("wolf",), gm=False))
        taken_over = play(book, NextDay(count=1, until=None))
        for each in book.journal.entries(taken_over):
            if each.type == "dawn-broken" and each.body["who"] == "wolf":
                tampered(book, each.seq, who="brak")
        missed = [says for _, says in checked(book) if says.startswith("wolf missed")]
        assert missed == ["wolf missed the dawn of day 4 (BYZ-02)."]


def test_a_dawn_that_was_amended_into_that_of_another_is_found() -> None:
    with every_game() as book:
        dawn = next(e for e in book.journal.entries() if e.type == "move-played" and e.body["move"] == "dawn")
        assert dawn.body["who"] == "brak"
        play(book, amended(dawn.seq, who="mara"))
        assert [says for _, says in checked(book)] == ["mara had two dawns on day 1 (BYZ-02)."]


def test_a_pool_that_ticks_twice_or_at_no_dawn_is_found() -> None:
    with every_game() as book:
        play(book, NextDay(count=1, until=None))
        ticks = [e for e in book.journal.entries() if e.type == "decay-ticked" and e.body["who"] == "mara"]
        one, other, *_ = ticks
        tampered(book, other.seq, facts={**other.body["facts"], "pool": one.body["facts"]["pool"]})
        says = "The pool general of mara shrank twice at one dawn (BYZ-11)."
        assert list(checked(book)) == [(other.seq, says)]
        tampered(book, one.cause or 0, move="night")
        assert (one.seq, "The pool general of mara shrank without a dawn (BYZ-11).") in list(checked(book))


def test_a_task_that_was_attempted_though_nobody_said_what_it_costs_is_found() -> None:
    with every_game() as book:
        head = play(book, (Task(who="mara", task="wall", costs=3), None))
        play(
            book,
            (Attempt(who="mara", task="wall", energy=3), None),
            (Attempt(who="mara", task="gate", costs=2, energy=3), None),
        )
        attempt = head + 3
        assert list(checked(book)) == []
        play(book, Void(strikes=head + 1, why="so"))
        assert list(checked(book)) == []
        inputs(book, attempt, task="roof")
        says = "mara attempted roof before its cost was set (BYZ-15)."
        assert list(checked(book)) == [(attempt, says)]


def test_a_cost_counts_for_an_amended_attempt_if_it_was_said_before_the_amendment() -> None:
    with every_game() as book:
        head = play(book, (Attempt(who="mara", task="gate", costs=2, energy=3), None))
        play(book, (Task(who="mara", task="wall", costs=3), None), amended(head + 1, energy=4))
        attempt = max(each.seq for each in book.journal.entries() if each.body.get("move") == "attempt")
        inputs(book, attempt, task="wall", costs=None)
        assert list(checked(book)) == []
        play(book, (Task(who="mara", task="roof", costs=3), None))
        inputs(book, attempt, task="roof", costs=None)
        assert list(checked(book)) == [(attempt, "mara attempted roof before its cost was set (BYZ-15).")]


# Multicheck and roll-under


TEST = OneTest(who="mara", attribute="cunning", difficulty=30)


@pytest.mark.parametrize("spent", ["ps", "after", "reroll"])
def test_points_that_are_paid_as_they_were_declared_are_well(spent: str) -> None:
    with every_game() as book:
        head = play(book, (TEST.replace(ps=spent == "ps"), (80,)))
        if spent != "ps":
            play(book, AcceptOffer(ruling=head + 2, chosen={spent: True}))
        assert list(checked(book)) == []


def test_a_reroll_that_was_chosen_of_no_test_or_not_paid_is_found() -> None:
    with every_game() as book:
        head = play(book, (TEST, (80,)))
        play(book, AcceptOffer(ruling=head + 2, chosen={"reroll": True}))
        again = entry(book, "move-played")
        assert list(checked(book)) == []
        paid = entry(book, "pk-spent")
        for seq in (again, paid):
            tampered(book, seq, since=seq)
        assert list(checked(book)) == [
            (again, f"The dice of #{head + 1} were rolled for something else."),
            (again, "mara used --reroll before the roll. It is possible only after the roll (MUL-11)."),
        ]
        for seq in (again, paid):
            tampered(book, seq, since=head + 1)
        tampered(book, paid, postings=[])
        assert list(checked(book)) == [(again, "mara paid 0 PK, but this move should cost 1 (MUL-10).")]


def test_two_saves_of_one_throw_are_found_and_dice_that_nobody_counted() -> None:
    with every_game() as book:
        head = play(book, (Save(who="mara", save="toughness"), (11,)), (Save(who="mara", save="bravery"), (11,)))
        assert list(checked(book)) == []
        tampered(book, head + 5, throws=[head + 1])
        assert list(checked(book)) == [
            (head + 5, f"The dice of #{head + 1} are used twice: #{head + 2} already used them."),
            (head + 4, "These dice were rolled, but no result uses them."),
        ]


def test_a_roll_that_was_graded_anew_by_another_table_is_found() -> None:
    with every_game() as book:
        head = play(book, ChangeSettings(system="rollunder", values={"levels": "bands4"}))
        play(
            book,
            (Plain(who="mara", characteristic="cunning"), (3,)),
            ChangeSettings(system="rollunder", values={"levels": "fifths"}),
        )
        play(book, (Plain(who="mara", characteristic="cunning"), (3,)))
        assert list(checked(book)) == []
        play(book, Amend(named=head + 1, inputs={"values": {"levels": "fifths"}}, faces=None, cascade=True, why="so"))
        again = entry(book, "move-played")
        says = "mara rolled once, but the result was computed again with a different table of success levels (ROL-07)."
        assert list(checked(book)) == [(again, says)]


# Whatever the game


def test_dice_that_corrections_keep_or_type_otherwise_are_well_counted() -> None:
    with every_game() as book:
        head = play(book, (TEST, (80,)))
        typed = Amend(named=head + 2, inputs={}, faces=(70,), cascade=False, why="so")
        play(book, amended(head + 2, difficulty=20), Undo(), typed, Undo())
        play(
            book,
            amended(head + 2, difficulty=30),
            Undo(),
            AcceptOffer(ruling=head + 2, chosen={"reroll": True}),
            Undo(),
        )
        play(book, Rewind(to=head, why=None), Undo())
        rest = play(book, Sealed(command=Roll(who="mara", notation="d6"), until=None, unseen=False)) + 1
        play(book, Reveal(entry=rest), Undo(), Reveal(entry=rest))
        play(book, Amend(named=book.head(), inputs={"notation": "d6+1"}, faces=None, cascade=False, why="so"))
        assert list(checked(book)) == []


def test_dice_that_a_question_was_asked_about_are_well_counted_by_the_answer() -> None:
    with every_game() as book:
        play(book, (Check(who="mara", skill=11, edge=True), (7, 3, 7)))
        play(book, Choose(question=entry(book, "question-asked"), chosen={"drop": 3}))
        answer = entry(book, "move-played")
        play(book, amended(answer, skill=12), Undo(), amended(answer, skill=10))
        assert list(checked(book)) == []


def test_dice_that_were_replaced_are_found_where_they_stand() -> None:
    with every_game() as book:
        head = play(book, (TEST, (80,)))
        play(book, Amend(named=head + 2, inputs={}, faces=(70,), cascade=False, why="so"))
        amendment, throw, again = entry(book, "action-amended"), entry(book, "dice-thrown"), entry(book, "move-played")
        found = [(again, f"This entry replaced the dice of #{head + 1}, which is not allowed.")]
        for faces in (None, [60]):
            tampered(book, amendment, faces=faces)
            assert list(checked(book)) == found
        tampered(book, amendment, faces=[70])
        for thrown in (head + 1, throw):
            tampered(book, thrown, source="machine")
            assert list(checked(book)) == found
            tampered(book, thrown, source="typed")
        tampered(book, amendment, faces=None)
        play(book, amended(again, difficulty=20))
        assert list(checked(book)) == [(entry(book, "move-played"), found[0][1])]
        play(book, Undo(), Undo())
        assert list(checked(book)) == []


def test_a_choice_that_was_never_offered_is_found_where_it_stands() -> None:
    with every_game() as book:
        head = play(book, (TEST, (80,)))
        play(book, AcceptOffer(ruling=head + 2, chosen={"reroll": True}))
        tampered(book, head + 2, marks=[])
        found = (entry(book, "action-struck"), "This choice was never offered.")
        assert list(checked(book)) == [found]
        play(book, Undo())
        assert list(checked(book)) == []


def test_a_throw_that_says_which_dice_drop_is_found_where_it_stands() -> None:
    with every_game() as book:
        head = play(book, Roll(who="mara", notation="d6"))
        dice = book.journal.entry(head + 1).body["dice"]
        tampered(book, head + 1, dice=[{**dice[0], "dropped": "named"}])
        says = "Dice of this roll were marked as dropped before the roll had a result. Only a result can drop dice."
        assert list(checked(book)) == [(head + 1, says)]
        play(book, Undo())
        assert list(checked(book)) == []


def test_facts_that_no_check_can_read_are_a_finding_and_no_crash() -> None:
    with every_game() as book:
        head = play(book, (Rate(who="mara", rate=50, why="fog", throw=False), None))
        tampered(book, head + 1, inputs={})
        found = "From here on, entries of syscards contain data that this program never writes."
        assert found in {says for _, says in checked(book)}


def books_of(game: str) -> str:
    return f"From here on, entries of {game} contain data that this program never writes."


@pytest.mark.parametrize(
    ("kind", "facts", "game"),
    [
        ("dawn-broken", {"day": "2"}, "byzantine"),
        ("dawn-broken", {}, "byzantine"),
        ("decay-ticked", {"pool": []}, "byzantine"),
        ("task-set", {"task": None}, "byzantine"),
        ("act-thrown", {"natural": [55], "rate": 60}, "syscards"),
    ],
)
def test_facts_of_another_type_than_a_check_reads_are_a_finding(kind: str, facts: dict[str, Any], game: str) -> None:
    with every_game() as book:
        play(book, (Task(who="mara", task="wall", costs=3), None), (RATE, (55,)), NextDay(count=1, until=None))
        assert list(checked(book)) == []
        tampered(book, entry(book, kind), facts=facts)
        first = next(each.seq for each in book.journal.entries() if each.body.get("system") == game)
        assert (first, books_of(game)) in list(checked(book))


def test_what_was_found_before_facts_that_a_check_cannot_read_stays_and_other_checks_go_on() -> None:
    with every_game() as book:
        play(book, NextDay(count=3, until=None))
        dawns = [each for each in book.journal.entries() if each.type == "dawn-broken" and each.body["who"] == "mara"]
        second, third = dawns[-2:]
        tampered(book, second.seq, facts={**second.body["facts"], "day": 1})
        tampered(book, third.seq, facts={})
        tick = book.journal.entry(entry(book, "decay-ticked"))
        tampered(book, tick.cause or 0, move="night")
        found = list(checked(book))
        assert (second.seq, "mara had two dawns on day 1 (BYZ-02).") in found
        assert (tick.seq, f"The pool {tick.body['facts']['pool']} of mara shrank without a dawn (BYZ-11).") in found
        assert found[-1][1] == books_of("byzantine")


@pytest.mark.parametrize(
    ("move", "faces", "said", "game"),
    [
        (Check(who="mara", skill=11), (7, 3), {"edge": "x"}, "edge"),
        (Attempt(who="mara", task="wall", costs=2, energy=3), None, {"task": ["wall"]}, "byzantine"),
        (RATE.replace(throw=False), None, {"rate": [60]}, "syscards"),
        (Challenge(who="mara", against=("brak",), wait=True), None, {"rates": 7}, "syscards"),
    ],
    ids=["edge", "task", "rate", "rates"],
)
def test_inputs_of_another_type_than_a_check_reads_are_a_finding(
    move: Any, faces: tuple[int, ...] | None, said: dict[str, Any], game: str
) -> None:
    with every_game() as book:
        head = play(book, (move, faces))
        assert list(checked(book)) == []
        seq = next(each.seq for each in book.journal.entries(head + 1) if each.type == "move-played")
        inputs(book, seq, **said)
        first = next(each.seq for each in book.journal.entries() if each.body.get("system") == game)
        assert set(checked(book)) == {(first, books_of(game))}


def test_a_check_that_fails_is_a_bug_of_ours_and_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    bug = ZeroDivisionError()

    class Failing(GameCheck):
        def check(self, entries: Sequence[Entry], struck: Sequence[Entry]) -> Iterator[tuple[int, str]]:
            yield 1, "It found something before."
            raise bug

    class Refusing(GameCheck):
        def check(self, entries: Sequence[Entry], struck: Sequence[Entry]) -> Iterator[tuple[int, str]]:
            raise NotEnough("mara", "edge", has=0, needs=1)

    monkeypatch.setitem(find("edge").rulebook().__dict__, "checks", (Failing,))
    with every_game() as book:
        first = next(each.seq for each in book.journal.entries() if each.body.get("system") == "edge")
        found = checked(book)
        assert next(found) == (1, "It found something before.")
        with pytest.raises(
            Broken, match=f"The rules of edge failed at #{first} .ZeroDivisionError.: this is"
        ) as broken:
            next(found)
        assert broken.value.__cause__ is bug
        monkeypatch.setitem(find("edge").rulebook().__dict__, "checks", (Refusing,))
        with pytest.raises(NotEnough):
            list(checked(book))


def test_a_game_that_nobody_plays_is_not_checked() -> None:
    with opened_book(games=("coin",)) as book:
        assert list(checked(book)) == []


class Telling(GameCheck):
    """Tells at the end what it got: an action each, and after a bar what of it was struck."""

    def __init__(self) -> None:
        self._got: list[str] = []

    def check(self, entries: Sequence[Entry], struck: Sequence[Entry]) -> Iterator[tuple[int, str]]:
        parts = [[f"{each.type} {each.seq}" for each in some] for some in (entries, struck)]
        self._got.append(" | ".join(", ".join(part) for part in parts if part or part is parts[0]))
        yield from ()

    def last_findings(self) -> Iterator[tuple[int, str]]:
        yield from enumerate(self._got)


def told(book: Book, stretch: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a check of the game of others gets."""
    rulebook = coin.SYSTEM.rulebook().replace(checks=(Telling,))
    monkeypatch.setattr(coin, "SYSTEM", coin.SYSTEM.replace(rulebook=lambda: rulebook))
    return [says for _, says in checked_by_games(book, stretch)[0]]


@pytest.mark.parametrize("stretch", [1, 1000])
def test_a_game_of_others_gets_its_entries_and_those_of_all_games_before_them(
    stretch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened_book(games=("edge",)) as book:
        play(book, NextDay(count=1, until=None), Join(who="mara", system="coin", scores={"coins": 3}))
        play(book, PlayMove(system="coin", move=coin.Wait(who="mara")), (Rest(who="mara", kind="short"), None))
        assert told(book, stretch, monkeypatch) == [
            "player-seated 2",
            "player-seated 3",
            "day-begun 6",
            "character-joined 7",
            "move-played 8",
        ]


@pytest.mark.parametrize("stretch", [1, 1000])
def test_a_check_gets_an_action_with_what_was_played_in_its_place_later_and_what_was_struck(
    stretch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn, waited = (PlayMove(system="coin", move=move) for move in (coin.Draw(who="mara"), coin.Wait(who="mara")))
    with opened_book(games=("coin",)) as book:
        head = play(book, drawn, waited)
        play(book, amended(head + 2, number=60))
        again = f"move-played {book.head()} | move-played {head + 2}"
        assert told(book, stretch, monkeypatch)[-2:] == [again, f"move-played {head + 3}"]
