"""The scribe: one lock, one id a command, the clock never back, and what is reported is on disk."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from freezegun import freeze_time

from coin import Flip
from engine import connection_of
from ledger.audit.verify import verify
from ledger.commands.at_table import (
    Adjust,
    ChangeSettings,
    CloseSession,
    Join,
    Note,
    Open,
    OpenSession,
    SetMarks,
    SetScene,
)
from ledger.commands.custody import Erase, RotateKey
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.commands.seats import Seat
from ledger.commands.sheet import FLOW_ERRORS, check_flow
from ledger.corrections.answers import Choose, Decide, Dispute
from ledger.corrections.questions import asked_move, question_of
from ledger.corrections.undoing import Amend, Redo, Rewind, Undo, Void
from ledger.errors import BadInput, Busy, Held, LedgerError, OnceDiffers, OutOfRange, Refused, UnknownName, WrongFaces
from ledger.events.entry import LARGEST_ENTRY
from ledger.events.types import DiceThrown
from ledger.journal.book import Book, open_book
from ledger.rules.dice import Digits
from ledger.rules.rulings import Flow, Kind
from ledger.scribe import LONGEST_ONCE, Request, Scribe, requests_of
from ledger.systems import find
from ledger.systems.edge.moves import Rest
from ledger.systems.edge.moves_check import Check
from ledger.systems.edge.moves_fights import Damage
from ledger.tlog.note import make_skey
from ledger.values import MAX_SHEET_NUMBER
from table import EVENING, accounts_of, counting_dice, last, opened_book, scribe, seeded_salts

ROLL = PlayMove(system="edge", move=Check(who="mara", skill=11))
KEYS = [make_skey("campaign/road", seed * 32) for seed in (b"k", b"n")]
CHOICE = PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True))


def test_what_a_command_wrote_is_one_action_of_which_every_entry_names_the_first(book: Book) -> None:
    done = scribe(book, by="p2").write(CHOICE, faces=(7, 3, 7))
    first = done.entries[0].seq
    assert [(e.seq, e.act, e.cause, e.by) for e in done.entries] == [
        (first, first, None, "p2"),
        (first + 1, first, None, "p2"),
        (first + 2, first, first + 1, "p2"),
    ]
    assert [entry.seq for entry in book.action(first)] == [first, first + 1, first + 2]


def correcting_while_others_write(file: Path, times: int) -> list[str]:
    """Void a note; while that is decided, another hand writes as many notes, one a plan."""
    others = open_book(str(file))
    salts, left = seeded_salts(), [f"note {number}" for number in range(times)]
    with others, open_book(str(file)) as book:
        connection_of(others).execute("PRAGMA busy_timeout = 0")  # who finds the lock taken says so at once
        scribe(book).write(Note(text="x"))

        def salt_while_others_write() -> bytes:
            if left:
                scribe(others).write(Note(text=left.pop(0)))
            return salts()

        scribe(book, salts=salt_while_others_write).write(Void(strikes=book.head(), why="so"))
        types = [entry.type for entry in book.journal.entries(9)]
        verify(book)
    return types


def test_a_correction_is_planned_without_the_lock_and_again_if_others_wrote_meanwhile(file: Path) -> None:
    types = correcting_while_others_write(file, 4)
    assert types == ["note-written"] * 4 + ["action-struck"]


def test_a_correction_that_others_overtake_five_times_is_decided_under_the_lock(file: Path) -> None:
    with pytest.raises(Busy):
        correcting_while_others_write(file, 6)
    with open_book(str(file)) as book:
        assert [entry.type for entry in book.journal.entries(9)] == ["note-written"] * 5


CORRECTIONS: tuple[Command, ...] = (
    Undo(),
    Redo(),
    Void(strikes=8, why="so"),
    Rewind(to=7, why="so"),
    Amend(named=8, inputs={"amounts": {"edge/edge": -2}}, faces=None, cascade=False, why="so"),
    Decide(question=9, choice="void", why="so", inputs={}, faces=None, cascade=False),
)


def taking_the_lock(book: Book) -> Callable[[], datetime]:
    """Return a clock that takes the lock to write into another book, and says at once where somebody has it."""
    connection_of(book).execute("PRAGMA busy_timeout = 0")

    def clock() -> datetime:
        with book.journal.writing():
            return EVENING

    return clock


@pytest.mark.parametrize("correction", CORRECTIONS, ids=lambda correction: type(correction).__name__)
def test_whatever_may_take_long_is_decided_while_others_may_write(file: Path, correction: Command) -> None:
    """8 is an adjustment, 9 a dispute of it; before a redo it is undone."""
    with open_book(str(file)) as book, open_book(str(file)) as others:
        less = Adjust(who="mara", amounts={"edge/edge": -1}, why="so")
        before = (less, Dispute(about=8, player="p1", claim="no"), Undo())
        for command in before if isinstance(correction, Redo) else before[:2]:
            scribe(book).write(command)
        done = scribe(book, clock=taking_the_lock(others)).write(correction)
        assert book.head() == done.entries[-1].seq


def test_what_is_quick_or_goes_on_from_an_old_copy_is_decided_under_the_lock(file: Path) -> None:
    with open_book(str(file)) as book, open_book(str(file)) as others:
        hand = scribe(book, clock=taking_the_lock(others))
        scribe(book).write(Note(text="x"))
        for command, fork in ((Note(text="y"), False), (Undo(), True)):
            with pytest.raises(Busy):
                hand.write(command, fork=fork)
        hand.write(Undo())


def test_a_dry_run_takes_no_lock(file: Path) -> None:
    with open_book(str(file)) as book, open_book(str(file)) as other, other.journal.writing():
        done = scribe(book).write(Note(text="x"), dry=True)
        assert (done.dry, len(done.entries), book.head()) == (True, 1, other.head())


def test_progress_counts_the_commands_that_are_planned(book: Book) -> None:
    writer, counted = Scribe(book), list[int]()
    writer.progress = counted.append
    writer.write_all(requests_of((command, None) for command in [Undo()]))
    assert counted == [1]


def test_an_interrupted_plan_writes_nothing(book: Book) -> None:
    def interrupt(count: int) -> None:
        raise KeyboardInterrupt

    writer, before = Scribe(book), book.head()
    writer.progress = interrupt
    with pytest.raises(KeyboardInterrupt):
        writer.write_all(requests_of((command, None) for command in [Undo()]))
    assert book.head() == before


def test_time_never_runs_back(book: Book) -> None:
    early = datetime(2020, 1, 1, tzinfo=UTC)
    done = scribe(book, clock=lambda: early).write(Note(text="the clock was wrong"))
    assert done.entries[0].at == "2026-11-20T19:30:00Z"
    late = EVENING + timedelta(days=1)
    assert scribe(book, clock=lambda: late).write(Note(text="next day")).entries[0].at == "2026-11-21T19:30:00Z"


def test_time_never_runs_back_behind_what_another_hand_wrote_meanwhile(book: Book) -> None:
    hand = scribe(book)
    hand.write(Note(text="x"))
    scribe(book, clock=lambda: EVENING + timedelta(days=1)).write(Note(text="next day"))
    assert hand.write(Note(text="y")).entries[0].at == "2026-11-21T19:30:00Z"


def test_the_same_id_and_the_same_content_writes_nothing_and_answers_as_the_first_time(book: Book) -> None:
    first = scribe(book).write(ROLL, once="bot-1")
    again = scribe(book, seed=2).write(ROLL, once="bot-1")
    assert again.again
    assert again.entries == first.entries
    assert book.journal.head() == first.entries[-1].seq


def test_an_id_of_somebody_else_is_refused_though_the_content_is_the_same(book: Book) -> None:
    scribe(book).write(ROLL, once="bot-1")
    head = book.journal.head()
    with pytest.raises(OnceDiffers, match=r"Somebody else already used the ID 'bot-1', for #.*\. Nothing was written."):
        scribe(book, by="p2").write(ROLL, once="bot-1")
    assert book.journal.head() == head


@pytest.mark.parametrize(
    ("first", "faces", "other", "other_faces", "says"),
    [
        (ROLL, (7, 6), ROLL, (7, 7), "different dice: 7 6, not 7 7"),
        (ROLL, None, ROLL, (7, 6), "different dice: none, not 7 6"),
        (ROLL, None, ROLL.replace(move=Check(who="mara", skill=12)), None, "a different value for skill: 11, not 12"),
        (
            ROLL,
            None,
            ROLL.replace(move=Check(who="mara", skill=11, secret=True)),
            None,
            "a different value for secret: false, not true",
        ),
        (
            ROLL.replace(move=Check(who="mara", skill=11, target=30, secret=True)),
            None,
            ROLL.replace(move=Check(who="mara", skill=11, target=31, secret=True)),
            None,
            "with a different value for target. Nothing was written",
        ),
        (ROLL, None, Note(text="x"), None, "for a different command"),
        (Note(text="x"), None, Note(text="y"), None, 'a different value for text: "x", not "y"'),
        (Note(text="x"), None, ROLL, None, "for a different command"),
        (Note(text="x"), None, Open(title="x", gm="y"), None, "for a different command"),
        (Note(text="x"), None, Choose(question=1, chosen={}), None, "for a different command"),
        (
            Roll(who="mara", notation="3d6"),
            None,
            Roll(who="mara", notation="4d6"),
            None,
            "a different value for notation",
        ),
        (
            Seat(name="Bo", plays=(), gm=False),
            None,
            Seat(name="Bo", plays=("brak",), gm=False),
            None,
            "a different value for plays",
        ),
        (
            Adjust(who="mara", amounts={"edge/edge": -1}, why="x"),
            None,
            Adjust(who="mara", amounts={"edge/edge": -2}, why="x"),
            None,
            "a different value for edge/edge: -1, not -2",
        ),
        (
            RotateKey(new=KEYS[0], old=None, why="x"),
            None,
            RotateKey(new=KEYS[1], old=None, why="y"),
            None,
            "a different value for why",
        ),
    ],
)
def test_other_content_under_a_known_id_is_refused_naming_what_differs(
    book: Book, first: Command, faces: Any, other: Command, other_faces: Any, says: str
) -> None:
    scribe(book).write(first, faces=faces, once="bot-1")
    head = book.journal.head()
    assert scribe(book).write(first, faces=faces, once="bot-1").again
    with pytest.raises(OnceDiffers) as refused:
        scribe(book).write(other, faces=other_faces, once="bot-1")
    assert says in refused.value.sentence
    assert book.journal.head() == head


def test_words_compare_by_text_and_erased_ones_count_as_equal(book: Book) -> None:
    done = scribe(book).write(Note(text="x"), once="bot-1")
    scribe(book).write(Erase(entries=(done.entries[0].seq,)))
    assert scribe(book).write(Note(text="whatever it was"), once="bot-1").again


def test_an_answer_has_an_id_of_its_own(book: Book) -> None:
    asked = scribe(book).write(CHOICE, faces=(7, 3, 7), once="bot-1")
    choose = Choose(question=asked.entries[1].seq, chosen={"drop": 3})
    scribe(book).write(choose, once="bot-2")
    assert scribe(book).write(choose, once="bot-2").again
    with pytest.raises(OnceDiffers, match="a different value for drop: 3, not 7"):
        scribe(book).write(choose.replace(chosen={"drop": 7}), once="bot-2")
    with pytest.raises(OnceDiffers, match="for a different command"):
        scribe(book).write(CHOICE, once="bot-2")
    scribe(book).write(ROLL, faces=(7, 6), once="bot-3")
    with pytest.raises(OnceDiffers, match="for a different command"):
        scribe(book).write(choose, once="bot-3")
    assert scribe(book).write(CHOICE, faces=(7, 3, 7), once="bot-1").again


@pytest.mark.parametrize("once", ["", "x" * 201, "a\nb", "é"])
def test_an_id_is_short_and_plain(book: Book, once: str) -> None:
    with pytest.raises(BadInput):
        scribe(book).write(ROLL, once=once)


def test_a_dry_run_writes_nothing_and_throws_no_dice(book: Book) -> None:
    head, thrown = book.journal.head(), counting_dice()
    hand = scribe(book, chance=thrown)
    done = hand.write(CHOICE, dry=True)
    assert (str(done.pool), [dict(each.scores) for each in done.cost]) == ("3d10", [{"edge": -1}])
    assert hand.write(Roll(who="mara", notation="3d6"), dry=True).cost == ()
    assert (thrown.count, book.journal.head()) == (0, head)


def test_a_dry_run_with_typed_dice_shows_what_would_be_written(book: Book) -> None:
    head = book.journal.head()
    done = scribe(book).write(ROLL, faces=(7, 6), dry=True)
    assert [entry.type for entry in done.entries] == ["dice-thrown", "move-played"]
    assert book.journal.head() == head
    assert book.words.texts_of(head + 1) == {}


def test_a_plan_with_a_secret_is_the_same_plan_when_it_is_written(book: Book) -> None:
    said = ROLL.replace(move=Check(who="mara", skill=11, target=30, secret=True))
    plan = scribe(book).write(said, faces=(7, 6), dry=True)
    assert {entry.type for entry in plan.entries} >= {"dice-thrown", "move-played"}
    done = scribe(book, salts=lambda: b"s" * 32).write(said, faces=(7, 6), agreed=plan)
    assert book.head() == done.entries[-1].seq


def test_faces_for_a_command_that_throws_no_dice_are_refused(book: Book) -> None:
    with pytest.raises(WrongFaces, match="This command does not roll dice, so there are no dice to enter"):
        scribe(book).write(PlayMove(system="edge", move=Rest(who="mara", kind="short")), faces=(1,))


def test_what_is_returned_is_on_disk(book: Book) -> None:
    done = scribe(book).write(ROLL)
    ((_, _, file),) = connection_of(book).execute("PRAGMA database_list").fetchall()
    with open_book(file) as other:
        assert [entry.leaf for entry in other.action(done.entries[0].seq)] == [entry.leaf for entry in done.entries]


def test_an_entry_that_is_too_large_is_refused_whole(book: Book) -> None:
    head = book.journal.head()
    many = {f"skill.s{number}": 1 for number in range(2500)}
    with pytest.raises(BadInput, match="too long for one entry"):
        scribe(book).write(Join(who="zed", system="edge", scores=many))
    assert book.journal.head() == head


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (Seat(name="", plays=(), gm=False), BadInput),
        (Seat(name="x" * 81, plays=(), gm=False), BadInput),
        (Seat(name="Bo\nB", plays=(), gm=False), BadInput),
        (Seat(name="Bo\ud800", plays=(), gm=False), BadInput),
        (Seat(name="Bo", plays=("Mara",), gm=False), BadInput),
        (Seat(name="Bo", plays=("p1",), gm=False), BadInput),
        (Seat(name="ana", plays=(), gm=False), Refused),
        (Join(who="campaign", system="edge", scores={}), BadInput),
        (Join(who="x" * 33, system="edge", scores={}), BadInput),
        (Join(who="mara", system="edge", scores={}), Refused),
        (Join(who="zed", system="chess", scores={}), UnknownName),
        (Join(who="zed", system="edge", scores={"mana": 1}), UnknownName),
        (Join(who="zed", system="edge", scores={"skill.": 1}), UnknownName),
        (Join(who="zed", system="edge", scores={"edge": 1}), OutOfRange),
        (Join(who="zed", system="edge", scores={"maximum": -1}), LedgerError),
        (CloseSession(), Refused),
        (Open(title="Again", gm="Tom"), Refused),
        (SetScene(title="x"), Refused),
        (Adjust(who="mara", amounts={"edge/edge": -5}, why="x"), Refused),
        (Adjust(who="mara", amounts={"edge/maximum": -1}, why="x"), OutOfRange),
        (Adjust(who="mara", amounts={"edge/attack-dice": 3}, why="x"), OutOfRange),
        (Adjust(who="mara", amounts={"edge/mana": 3}, why="x"), UnknownName),
        (Adjust(who="mara", amounts={"chess/mana": 3}, why="x"), UnknownName),
        (Adjust(who="mara", amounts={"edge/edge": -1}, why=""), BadInput),
        (Adjust(who="zed", amounts={"edge/edge": 1}, why="x"), UnknownName),
        (Adjust(who="mara", amounts={"coin/rank": -1}, why="x"), OutOfRange),
        (SetMarks(who="mara", values={"edge/mood": "yes"}, why="x"), UnknownName),
        (SetMarks(who="mara", values={"edge/care": "maybe"}, why="x"), BadInput),
        (SetMarks(who="mara", values={"edge/armor": "Plate Mail"}, why="x"), BadInput),
        (ChangeSettings(system="edge", values={"luck": "1"}), UnknownName),
        (ChangeSettings(system="edge", values={"injuries": "a,a"}), BadInput),
        (ChangeSettings(system="edge", values={"injuries": ",".join(f"s{n}" for n in range(21))}), BadInput),
        (ChangeSettings(system="chess", values={}), UnknownName),
        (Roll(who="mara", notation="many"), UnknownName),
        (Choose(question=999, chosen={}), Refused),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence_and_nothing_is_written(
    book: Book, command: Command, error: type[LedgerError]
) -> None:
    head = book.journal.head()
    with pytest.raises(error) as refused:
        scribe(book).write(command)
    assert refused.value.sentence.endswith((".", "…."))
    assert "\n" not in refused.value.sentence
    assert book.journal.head() == head


def test_a_session_has_its_number_its_scenes_and_its_end(book: Book) -> None:
    hand = scribe(book)
    assert last(hand.write(OpenSession(title="One", present=("p2",))), "session-opened")["number"] == 1
    with pytest.raises(Refused, match="still open"):
        hand.write(OpenSession(title="Two", present=()))
    hand.write(SetScene(title="On the roof"))
    hand.write(CloseSession())
    assert last(hand.write(OpenSession(title="Two", present=())), "session-opened")["number"] == 2


def test_a_player_who_sits_already_can_play_others_and_become_a_gm(book: Book) -> None:
    done = scribe(book).write(Seat(name="ANA", plays=("brak",), gm=True))
    assert last(done, "player-seated")["player"] == "p2"
    assert (book.mark("brak", "player"), book.mark("p2", "gm")) == ("p2", True)
    assert last(scribe(book).write(Seat(name="Bo", plays=(), gm=False)), "player-seated")["player"] == "p3"


def test_undo_strikes_the_last_standing_action_and_two_undos_two(book: Book) -> None:
    hand = scribe(book)
    hand.write(Note(text="first"))
    hand.write(Adjust(who="mara", amounts={"edge/edge": -1}, why="x"))
    hand.write(Adjust(who="mara", amounts={"edge/edge": -2}, why="x"))
    hand.write(Undo())
    assert book.balance("mara", "edge/edge") == 3
    hand.write(Undo())
    assert book.balance("mara", "edge/edge") == 4
    hand.write(Adjust(who="mara", amounts={"edge/edge": -3}, why="x"))
    hand.write(Undo())
    assert book.balance("mara", "edge/edge") == 4
    assert last(hand.write(Undo()), "action-struck")["strikes"] == 8


def test_undoing_an_answer_opens_its_question_again_and_undoing_the_question_lets_go(book: Book) -> None:
    hand = scribe(book)
    asked = hand.write(CHOICE, faces=(7, 3, 7))
    question = asked.entries[1].seq
    assert question_of(book, asked.entries[0].seq).seq == question
    hand.write(Choose(question=question, chosen={"drop": 3}))
    assert book.questions() == []
    hand.write(Undo())
    assert (book.questions(), book.holding_question("mara")) == ([question], question)
    hand.write(Choose(question=question, chosen={"drop": 7}))
    hand.write(Undo())
    hand.write(Undo())
    assert (book.questions(), book.balance("mara", "hold"), book.balance("mara", "edge/edge")) == ([], 0, 4)
    with pytest.raises(Refused, match="was canceled"):
        hand.write(Choose(question=question, chosen={"drop": 3}))
    with pytest.raises(UnknownName, match="has no question"):
        question_of(book, 1)


def test_with_an_action_falls_the_answer_that_played_on_from_its_question(book: Book) -> None:
    hand = scribe(book)
    before = accounts_of(book)
    asked = hand.write(CHOICE.replace(move=Check(who="mara", skill=0, edge=True)), faces=(1, 1, 2))
    hand.write(Choose(question=asked.entries[1].seq, chosen={"drop": 2}))
    assert book.balance("mara", "edge/disadvantage.any") == 1
    gone = last(hand.write(Void(why="so", strikes=asked.entries[0].seq)), "action-struck")
    assert [mark["name"] for mark in gone["marks"]] == ["8", "11"]
    assert accounts_of(book) == before
    verify(book)


def test_a_strike_that_is_struck_lets_stand_again_and_so_on(book: Book) -> None:
    hand = scribe(book)
    hand.write(SetMarks(who="mara", values={"edge/armor": "chain"}, why="x"))
    hand.write(SetMarks(who="mara", values={"edge/armor": "plate"}, why="x"))
    asked = hand.write(CHOICE, faces=(7, 3, 7))
    before = accounts_of(book)
    hand.write(Choose(question=asked.entries[1].seq, chosen={"drop": 3}))
    hand.write(Adjust(who="mara", amounts={"edge/edge": -1}, why="x"))
    stood = accounts_of(book)
    first = hand.write(Void(why="so", strikes=asked.entries[0].seq)).entries[0].seq
    assert (book.balance("mara", "edge/edge"), book.balance("mara", "hold")) == (3, 0)
    second = hand.write(Void(why="so", strikes=first)).entries[0].seq
    assert accounts_of(book) == stood
    third = hand.write(Void(why="so", strikes=second)).entries[0].seq
    assert book.balance("mara", "edge/edge") == 3
    hand.write(Void(why="so", strikes=third))
    assert accounts_of(book) == stood
    assert before != stood
    hand.write(Void(why="so", strikes=9))
    assert book.mark("mara", "edge/armor") == "chain"
    verify(book)


def test_two_questions_may_hold_one_character_and_each_lets_go_of_its_own(book: Book) -> None:
    hand = scribe(book)
    first = hand.write(CHOICE, faces=(7, 3, 7)).entries[1].seq
    gone = hand.write(Undo()).entries[0].seq
    second = hand.write(CHOICE, faces=(7, 3, 7)).entries[1].seq
    hand.write(Void(why="so", strikes=gone))
    assert book.questions() == [first, second]
    hand.write(Choose(question=second, chosen={"drop": 3}))
    assert (book.questions(), book.balance("mara", "hold")) == ([first], 1)
    with pytest.raises(Held, match=f"open question: #{first}"):
        hand.write(ROLL)
    hand.write(Choose(question=first, chosen={"drop": 3}))
    assert book.balance("mara", "hold") == 0


def test_an_answer_is_ruled_by_the_settings_of_its_question(book: Book) -> None:
    asked = scribe(book).write(CHOICE, faces=(7, 3, 7)).entries[1].seq
    scribe(book).write(ChangeSettings(system="edge", values={"injuries": "a,b"}))
    answer = last(scribe(book).write(Choose(question=asked, chosen={"drop": 3})), "move-played")
    assert answer["settings"] == book.entry(asked).body["settings"]


def test_a_question_whose_words_were_erased_can_be_answered(book: Book) -> None:
    move = Check(who="mara", skill=11, edge=True, advantage=("a map",))
    asked = scribe(book).write(CHOICE.replace(move=move), faces=(7, 3, 7)).entries[1].seq
    scribe(book).write(Erase(entries=(asked,)))
    answer = last(scribe(book).write(Choose(question=asked, chosen={"drop": 3})), "move-played")
    assert answer["inputs"]["advantage"] == ["(erased)"]


def test_a_question_that_the_game_installed_here_does_not_know_is_refused(book: Book) -> None:
    asked = scribe(book).write(CHOICE, faces=(7, 3, 7)).entries[1]
    with pytest.raises(UnknownName, match="does not know"):
        asked_move(asked.replace(raw={**asked.raw, "move": "fly"}), {})


def test_a_score_beyond_its_limit_may_move_toward_it(book: Book) -> None:
    more = scribe(book).write(Adjust(who="mara", amounts={"edge/maximum": 2}, why="x")).entries[0].seq
    scribe(book).write(Adjust(who="mara", amounts={"edge/edge": 2}, why="x"))
    scribe(book).write(Void(why="so", strikes=more))
    assert (book.balance("mara", "edge/edge"), book.balance("mara", "edge/maximum")) == (6, 4)
    scribe(book).write(CHOICE.replace(move=Check(who="mara", skill=11, edge=True, drop=3)), faces=(7, 3, 7))
    assert book.balance("mara", "edge/edge") == 5
    with pytest.raises(OutOfRange):
        scribe(book).write(Adjust(who="mara", amounts={"edge/edge": 1}, why="x"))


def test_nobody_who_does_not_sit_at_the_table_writes(book: Book) -> None:
    with pytest.raises(UnknownName, match="Nobody called p9 sits at this table"):
        scribe(book, by="p9").write(Note(text="x"))


REFUSED_BEFORE_DICE: list[Command] = [
    ROLL.replace(move=Check(who="mara", skill=1, bonus=1, why="")),
    ROLL.replace(move=Check(who="mara", skill=1, advantage=("bell\a",))),
    ROLL.replace(move=Check(who="mara", skill=1, advantage=("x",) * 21)),
    ROLL.replace(move=Check(who="ghost", skill=1)),
    CHOICE.replace(move=Check(who="mara", skill=1, edge=True, drop=3)),
    PlayMove(system="edge", move=Damage(who="mara", weapon=1, modifier=0, edge=9)),
    PlayMove(system="coin", move=Flip(who="mara", stake=50)),
    Roll(who="ghost", notation="3d6"),
    Roll(who="mara", notation="1d6" + "+1" * 200),
]


@pytest.mark.parametrize("command", REFUSED_BEFORE_DICE, ids=repr)
def test_what_is_refused_is_refused_before_any_die_is_thrown(book: Book, command: Command) -> None:
    thrown = counting_dice()
    with pytest.raises(LedgerError):
        scribe(book, chance=thrown).write(command)
    assert thrown.count == 0


def test_the_greatest_numbers_that_may_be_said_can_be_ruled_on(book: Book) -> None:
    move = Check(
        who="mara", skill=-MAX_SHEET_NUMBER, bonus=-MAX_SHEET_NUMBER, why="x", target=MAX_SHEET_NUMBER, secret=True
    )
    scribe(book).write(ROLL.replace(move=move), faces=(1, 1))
    scribe(book).write(
        PlayMove(system="edge", move=Damage(who="mara", weapon=1, modifier=MAX_SHEET_NUMBER)), faces=(6,)
    )
    verify(book)


def test_a_seat_that_was_undone_is_never_given_to_somebody_else(book: Book) -> None:
    scribe(book).write(Seat(name="Bo", plays=(), gm=False))
    scribe(book).write(Undo())
    assert list(book.players()) == ["p1", "p2"]
    assert last(scribe(book).write(Seat(name="Cy", plays=(), gm=False)), "player-seated")["player"] == "p4"


@freeze_time("2027-01-02 03:04:05")
def test_by_itself_the_scribe_reads_the_clock_and_takes_chance_and_salts_from_the_machine(book: Book) -> None:
    first, second = (Scribe(book, clock_ok=True).write(Note(text="the same")).entries[0] for _ in range(2))
    assert first.at == "2027-01-02T03:04:05Z"
    texts = [entry.body["text"] for entry in (book.journal.entry(first.seq), book.journal.entry(second.seq))]
    assert texts[0] != texts[1]
    Scribe(book, clock_ok=True).write(Roll(who="mara", notation="3d6"))
    verify(book)


def test_a_consequence_cannot_post_against_its_flow() -> None:
    edge = find("edge")
    against: list[tuple[Flow, dict[str, int]]] = [("in", {"edge": -1}), ("out", {"edge": 1}), ("within", {"edge": 1})]
    for flow, scores in against:
        kind = Kind(name="x", says="x", rule="X-01", flow=flow)
        with pytest.raises(Refused, match=FLOW_ERRORS[flow].format(kind="x", unit="edge")):
            check_flow(edge, kind.of("mara", scores))
    check_flow(edge, Kind(name="x", says="x", rule="X-01").of("mara", {"injury.minor": 1, "injury.serious": -1}))
    with pytest.raises(Refused, match="no score called"):
        check_flow(edge, Kind(name="x", says="x", rule="X-01").of("mara", {"mana": 1}))


def test_an_entry_may_be_as_large_as_the_largest_and_no_larger() -> None:
    many = Seat(name="Zed", plays=tuple(f"n{number:030}" for number in range(568)), gm=False)

    def size(once: str) -> int:
        with opened_book() as book:
            seq = scribe(book).write(many, once=once).entries[0].seq
            return len(next(book.journal.storage.entries.stored(seq, seq)).body)

    spare = LARGEST_ENTRY - size("x")
    assert 0 < spare < LONGEST_ONCE - 2
    assert size("x" * (spare + 1)) == LARGEST_ENTRY
    with pytest.raises(BadInput, match="too long for one entry"):
        size("x" * (spare + 2))


ADJUST = Adjust(who="mara", amounts={"edge/edge": -1}, why="spent")


def test_several_commands_are_written_under_one_lock_each_as_an_action_of_its_own(book: Book) -> None:
    head = book.head()
    done = scribe(book).write_all([Request(command=ADJUST), Request(command=ROLL, faces=(7, 6))])
    assert [written.entries[0].act for written in done] == [head + 1, head + 2]
    assert book.balance("mara", "edge/edge") == 3
    verify(book)


def test_if_one_of_several_commands_is_refused_none_is_written_and_the_error_says_which(book: Book) -> None:
    head = book.head()
    with pytest.raises(WrongFaces, match="you typed 3 dice") as refused:
        scribe(book).write_all([Request(command=ADJUST), Request(command=ROLL, faces=(7, 6, 5))])
    assert (refused.value.place, book.head()) == (2, head)


def test_an_id_of_one_command_is_none_of_that_command_and_another(book: Book) -> None:
    scribe(book).write(ADJUST, once="a")
    head = book.head()
    with pytest.raises(
        OnceDiffers, match=r"The ID 'a' was already used for a list of commands that is shorter than this one\. Nothing"
    ):
        scribe(book).write_all([Request(command=ADJUST, once="a"), Request(command=ROLL, faces=(7, 6), once="b")])
    assert book.head() == head


def test_an_id_that_somebody_else_used_or_that_was_used_later_is_not_the_second_of_a_list(book: Book) -> None:
    scribe(book).write(Seat(name="Ben", plays=(), gm=False))
    first, later = scribe(book), EVENING + timedelta(minutes=1)
    for once, next_one in (("a", scribe(book, by="p2")), ("b", scribe(book, clock=lambda: later))):
        written = first.write(ADJUST, once=once)
        next_one.write(Note(text=once), once=f"{once}.2")
        assert first.write(ADJUST, once=once).entries == written.entries


NOTE = Note(text="x")


def test_a_typed_id_that_would_be_the_next_of_the_list_before_it_is_refused(book: Book) -> None:
    listed = requests_of([(NOTE, None), (NOTE, None)], "a")
    first, head = scribe(book).write_all(listed), book.head()
    with pytest.raises(BadInput, match=r"The ID 'a\.3' is reserved for command 3 of the list with the ID 'a'."):
        scribe(book).write(NOTE, once="a.3")
    assert book.head() == head
    scribe(book, clock=lambda: EVENING + timedelta(minutes=1)).write(NOTE, once="a.3")
    assert [one.entries for one in scribe(book).write_all(listed)] == [one.entries for one in first]


def test_numbered_ids_without_a_list_are_apart(book: Book) -> None:
    written = [scribe(book).write(NOTE, once=f"a.{number}").entries for number in (1, 2, 3)]
    assert [scribe(book).write(NOTE, once=f"a.{number}").entries for number in (1, 2, 3)] == written


def test_a_list_of_which_a_later_id_was_used_before_is_refused(book: Book) -> None:
    scribe(book).write(NOTE, once="a.2")
    with pytest.raises(
        OnceDiffers, match=r"This list needs the ID 'a\.2' for a later command, but that ID was already used\."
    ):
        scribe(book).write_all(requests_of([(NOTE, None), (NOTE, None)], "a"))


def test_several_corrections_are_planned_together_and_agreed_to_one_by_one(book: Book) -> None:
    scribe(book).write_all([Request(command=ADJUST), Request(command=ADJUST)])
    plans = scribe(book).write_all([Request(command=Undo()), Request(command=Undo())], dry=True)
    assert book.balance("mara", "edge/edge") == 2
    scribe(book).write_all([Request(command=Undo(), agreed=plan) for plan in plans])
    assert book.balance("mara", "edge/edge") == 4


@pytest.mark.parametrize(
    ("notation", "typed", "faces"),
    [
        ("3d10", "737", (7, 3, 7)),
        ("2d10", "70", (7, 10)),
        ("2d6", "56", (5, 6)),
        ("d20", "17", (17,)),
        ("d100", "56", (56,)),
        ("d100", "00", (100,)),
        ("d10", "10", (10,)),
    ],
)
def test_digits_are_a_face_each_where_there_are_as_many_as_dice(
    book: Book, notation: str, typed: str, faces: tuple[int, ...]
) -> None:
    command = Roll(who="mara", notation=notation)
    for again in (False, True):
        done = scribe(book).write(command, faces=Digits(text=typed), once="a")
        assert done.again == again
    dice = [die.face for entry in done.entries if isinstance(entry.event, DiceThrown) for die in entry.event.dice]
    assert tuple(dice) == faces


@pytest.mark.parametrize(("notation", "typed"), [("2d20", "56"), ("d10", "56"), ("2d10", "737"), ("3d10", "73")])
def test_digits_that_are_not_as_many_as_small_dice_are_one_number(book: Book, notation: str, typed: str) -> None:
    with pytest.raises(WrongFaces, match=r"you typed|cannot show"):
        scribe(book).write(Roll(who="mara", notation=notation), faces=Digits(text=typed))


def test_an_id_of_a_roll_by_the_computer_is_not_one_of_typed_digits(book: Book) -> None:
    scribe(book).write(ROLL, once="a")
    with pytest.raises(OnceDiffers, match="different dice"):
        scribe(book).write(ROLL, faces=Digits(text="73"), once="a")
