"""Lines for the group that left out a character, as a correction shows: asked about, or played in their places."""

from collections.abc import Iterator
from typing import Any

import pytest

from audits import checked
from forging import read
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, Give, Join, OpenSession, SetMarks
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.commands.seats import Leave, ReturnToTable, Seat
from ledger.corrections.actions import part_of
from ledger.corrections.answers import Decide
from ledger.corrections.undoing import Amend, Redo, Undo, Void
from ledger.errors import Refused
from ledger.events.entry import Entry
from ledger.events.types import LinesMissed
from ledger.journal.book import Book
from ledger.scribe import Request
from ledger.systems import find
from projections.log import line
from projections.questions import questions
from projections.recap import LEFT_OUT_WORDS, recap
from projections.side_effects import side_effects
from table import TODAY, accounts_of, opened_book, scribe

GOLD = "free/gold"
FIGHTER = {"edge": 3, "maximum": 3, "attribute.agility": 2, "attribute.might": 1, "skill.melee": 5}
PARTY = "mara", "brak", "sil"


@pytest.fixture
def trio() -> Iterator[Book]:
    """mara (p2), brak (p3) and sil (p4), each with a sheet without rules that has gold and hit points."""
    with opened_book(games=()) as book:
        seat_players(book)
        for who in PARTY:
            write(book, Join(who=who, system="free", scores={"gold": 0, "hp": 5}))
        yield book


def seat_players(book: Book) -> None:
    for name, who in (("Ben", "brak"), ("Cid", "sil")):
        write(book, Seat(name=name, plays=(who,), gm=False))


def join_tom(book: Book) -> None:
    write(book, Seat(name="Dot", plays=("tom",), gm=False))
    write(book, Join(who="tom", system="free", scores={"gold": 0}))


def write(book: Book, *commands: Command) -> list[Entry]:
    """Write one line: each command is an action of its own."""
    requests = [Request(command=command) for command in commands]
    return [entry for written in scribe(book).write_all(requests) for entry in written.entries]


def leave(book: Book, who: str = "mara") -> int:
    return write(book, Leave(who=who))[0].seq


def adjust(who: str, amount: int, score: str = GOLD) -> Adjust:
    return Adjust(who=who, amounts={score: amount}, why=None)


def move(system: str, name: str, **inputs: Any) -> PlayMove:
    kind = find(system).move(name)
    assert kind is not None
    return PlayMove(system=system, move=kind(**inputs))


def void(about: int, *, cascade: bool = False) -> Void:
    return Void(strikes=about, why="she stayed", cascade=cascade)


def decide(question: int, choice: str) -> Decide:
    return Decide(question=question, choice=choice, why="so", inputs={}, faces=None, cascade=False)


def asked(book: Book) -> list[tuple[str, tuple[int, ...]]]:
    """Return who was left out of which lines, by the open questions."""
    entries = [book.entry(question.seq) for question in questions(book) if question.type == "lines-missed"]
    return [(entry.body["who"], tuple(entry.body["lines"])) for entry in entries]


def sound(book: Book) -> None:
    verify(book)
    assert list(checked(book)) == []


def gold(book: Book) -> list[int | None]:
    return [book.balance(who, GOLD) for who in PARTY]


def test_a_voided_departure_asks_about_the_lines_for_the_group(trio: Book) -> None:
    departure = leave(trio)
    first = write(trio, adjust("brak", 10), adjust("sil", 10))[0].seq
    write(trio, void(departure))
    assert asked(trio) == [("mara", (first,))]
    assert gold(trio) == [0, 10, 10]
    sound(trio)


def test_a_void_of_an_earlier_edition_that_asked_about_no_line_is_remarked_on(
    trio: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    departure = leave(trio)
    write(trio, adjust("brak", 10), adjust("sil", 10))
    with monkeypatch.context() as before:
        before.setattr("ledger.corrections.left_out.left_out_parts", lambda *_: ())
        before.setattr("ledger.draft.BOOK_EDITION", 7)
        strike = write(trio, void(departure))[0].seq
    report = audit(trio, TODAY)
    assert report.findings == ()
    assert [remark.seq for remark in report.remarks] == [strike]


def test_a_cascade_gives_the_amount_in_its_place(trio: Book) -> None:
    departure = leave(trio)
    first = write(trio, adjust("brak", 10), adjust("sil", 10))[0].seq
    done = write(trio, void(departure, cascade=True))
    assert (asked(trio), gold(trio)) == ([], [10, 10, 10])
    parts = [entry for entry in done if entry.type == "score-adjusted" and entry.body["who"] == "mara"]
    assert [entry.since for entry in parts] == [first + 1]
    sound(trio)


def test_the_plan_names_each_part_that_it_plays(trio: Book) -> None:
    departure = leave(trio)
    first = write(trio, adjust("brak", 10), adjust("sil", 10))[0].seq
    done = scribe(trio).write(void(departure, cascade=True))
    says = [effect.says for effect in side_effects(trio, line(trio, done.entries))]
    assert says[-1].startswith("adds #")
    assert says[-1].endswith(f"(in effect from #{first + 1} on)")


def test_a_part_that_was_added_is_made_up_and_the_parts_of_the_line_are_not(trio: Book) -> None:
    departure = leave(trio)
    first = write(trio, adjust("brak", 10), adjust("sil", 10))[0].seq
    done = write(trio, void(departure, cascade=True))
    (part,) = [entry.seq for entry in done if entry.type == "score-adjusted" and entry.body["who"] == "mara"]
    assert [part_of(trio, seq)[1].is_added_by_correction for seq in (first, first + 1, part)] == [False, False, True]


def test_an_undo_takes_the_part_back_and_a_redo_brings_it_again(trio: Book) -> None:
    departure = leave(trio)
    write(trio, adjust("brak", 10), adjust("sil", 10))
    before = accounts_of(trio)
    write(trio, void(departure, cascade=True))
    after = accounts_of(trio)
    write(trio, Undo())
    assert accounts_of(trio)["mara"] == before["mara"]
    write(trio, Redo())
    assert accounts_of(trio)["mara"] == after["mara"]
    sound(trio)


def test_the_answer_play_adds_the_part_and_closes_the_question(trio: Book) -> None:
    departure = leave(trio)
    write(trio, adjust("brak", 10), adjust("sil", 10))
    write(trio, void(departure))
    write(trio, decide(questions(trio)[0].seq, "play"))
    assert (questions(trio), gold(trio)) == ([], [10, 10, 10])
    sound(trio)


def test_the_answer_keep_leaves_the_character_out(trio: Book) -> None:
    departure = leave(trio)
    write(trio, adjust("brak", 10), adjust("sil", 10))
    write(trio, void(departure))
    write(trio, decide(questions(trio)[0].seq, "stand"))
    assert (questions(trio), gold(trio)) == ([], [0, 10, 10])
    write(trio, Amend(named=departure + 1, inputs={"why": "x"}, faces=None, cascade=False, why="y"))
    assert questions(trio) == [], "no later correction asks again"
    sound(trio)


def test_a_roll_of_the_group_is_listed_and_never_rolled(trio: Book) -> None:
    departure = leave(trio)
    rolled = write(trio, *(Roll(who=who, notation="d20") for who in ("brak", "sil")))[0].line
    write(trio, void(departure, cascade=True))
    assert asked(trio) == [("mara", (rolled,))]
    with pytest.raises(Refused, match="These lines need dice or a choice, so mara's part cannot be played here"):
        write(trio, decide(questions(trio)[0].seq, "play"))
    sound(trio)


def test_the_answer_play_asks_again_about_the_lines_that_need_dice(trio: Book) -> None:
    departure = leave(trio)
    write(trio, adjust("brak", 10), adjust("sil", 10))
    rolled = write(trio, *(Roll(who=who, notation="d20") for who in ("brak", "sil")))[0].line
    write(trio, void(departure))
    write(trio, decide(questions(trio)[0].seq, "play"))
    assert (asked(trio), gold(trio)) == ([("mara", (rolled,))], [10, 10, 10])
    sound(trio)


def test_a_refill_is_played_in_its_place_and_later_spending_stays(trio: Book) -> None:
    for who in PARTY:
        write(trio, Adjust(who=who, amounts={"free/hp.max": 5}, why=None))
        write(trio, SetMarks(who=who, values={"free/refill": "hp"}, why=None))
        write(trio, adjust(who, -3, "free/hp"))
    departure = leave(trio)
    write(trio, move("free", "rest", who="brak"), move("free", "rest", who="sil"))
    write(trio, ReturnToTable(who="mara"))
    write(trio, adjust("mara", -1, "free/hp"))
    write(trio, void(departure, cascade=True))
    assert [trio.balance(who, "free/hp") for who in PARTY] == [4, 5, 5]
    sound(trio)


def test_a_gift_to_all_reaches_the_character_too(trio: Book) -> None:
    write(trio, adjust("brak", 30))
    departure = leave(trio)
    write(trio, Give(who="brak", to="sil", amounts={GOLD: 10}, why=None))
    join_tom(trio)
    write(trio, *(Give(who="brak", to=who, amounts={GOLD: 5}, why=None) for who in ("sil", "tom")))
    write(trio, void(departure, cascade=True))
    assert [*gold(trio), trio.balance("tom", GOLD)] == [5, 5, 15, 5]
    sound(trio)


def test_a_value_that_was_set_for_the_group_is_set_for_the_character_too(trio: Book) -> None:
    for who in PARTY:
        write(trio, Adjust(who=who, amounts={"free/hp.max": 5}, why=None))
    departure = leave(trio)
    write(trio, *(SetMarks(who=who, values={"free/refill": "hp"}, why=None) for who in ("brak", "sil")))
    write(trio, void(departure, cascade=True))
    assert trio.mark("mara", "free/refill") == trio.mark("brak", "free/refill")
    sound(trio)


def test_a_list_that_leaves_out_somebody_at_the_table_is_not_for_the_group(trio: Book) -> None:
    join_tom(trio)
    departure = leave(trio)
    write(trio, adjust("brak", 10), adjust("sil", 10))
    write(trio, void(departure))
    assert questions(trio) == []


def test_a_line_with_different_amounts_is_not_for_the_group(trio: Book) -> None:
    departure = leave(trio)
    write(trio, adjust("brak", 10), adjust("sil", 20))
    write(trio, void(departure))
    assert questions(trio) == []


def test_a_line_whose_amounts_were_corrected_differently_is_left_alone(trio: Book) -> None:
    departure = leave(trio)
    first = write(trio, adjust("brak", 10), adjust("sil", 10))[0].seq
    write(trio, Amend(named=first, inputs={"amounts": {GOLD: 20}}, faces=None, cascade=False, why="x"))
    write(trio, void(departure))
    assert questions(trio) == []


def test_a_line_that_no_longer_counts_is_left_alone_and_its_question_closes(trio: Book) -> None:
    departure = leave(trio)
    entries = write(trio, adjust("brak", 10), adjust("sil", 10))
    write(trio, void(departure))
    assert len(questions(trio)) == 1
    done = scribe(trio).write(Void(strikes=entries[0].seq, also=(entries[1].seq,), why="no gold"))
    says = [effect.says for effect in side_effects(trio, line(trio, done.entries))]
    assert says[-1].endswith("is closed: mara has not missed an action of the group after all")
    assert questions(trio) == []
    sound(trio)


def test_both_of_two_who_left_get_their_parts_one_after_the_other(trio: Book) -> None:
    join_tom(trio)
    first, second = leave(trio), leave(trio, "tom")
    write(trio, adjust("brak", 10), adjust("sil", 10))
    write(trio, void(first, cascade=True))
    write(trio, void(second, cascade=True))
    assert [*gold(trio), trio.balance("tom", GOLD)] == [10, 10, 10, 10]
    sound(trio)


def test_a_part_that_was_added_is_amended_like_any_other(trio: Book) -> None:
    departure = leave(trio)
    write(trio, adjust("brak", 10), adjust("sil", 10))
    done = write(trio, void(departure, cascade=True))
    (part,) = [entry.seq for entry in done if entry.type == "score-adjusted" and entry.body["who"] == "mara"]
    write(trio, Amend(named=part, inputs={"amounts": {GOLD: 7}}, faces=None, cascade=False, why="x"))
    assert gold(trio) == [7, 10, 10]
    sound(trio)


def test_the_sleep_of_a_voided_death_is_made_up() -> None:
    with opened_book(games=()) as book:
        seat_players(book)
        for who in PARTY:
            write(book, Join(who=who, system="byzantine", scores={"general": 20}))
        death = write(book, move("byzantine", "harm", who="mara", energy=60, how="crushed"))[0].seq
        write(book, *(move("byzantine", "night", who=who, sleep="none") for who in ("brak", "sil")))
        write(book, void(death, cascade=True))
        assert questions(book) == []
        assert book.mark("mara", "byzantine/night") == book.mark("brak", "byzantine/night")
        sound(book)


def test_a_player_who_was_present_after_all_gets_the_part(trio: Book) -> None:
    opened = write(trio, OpenSession(title="One", present=("p3", "p4")))[0].seq
    write(trio, adjust("brak", 10), adjust("sil", 10))
    inputs = {"present": ("p2", "p3", "p4")}
    write(trio, Amend(named=opened, inputs=inputs, faces=None, cascade=True, why="Ana was there"))
    assert (gold(trio), questions(trio)) == ([10, 10, 10], [])
    sound(trio)


def test_a_player_who_never_left_gets_the_part_too(trio: Book) -> None:
    departure = leave(trio, "p2")
    write(trio, adjust("brak", 10), adjust("sil", 10))
    write(trio, void(departure, cascade=True))
    assert (gold(trio), questions(trio)) == ([10, 10, 10], [])
    sound(trio)


def test_the_question_names_the_lines_and_the_recap_tells_it(trio: Book) -> None:
    write(trio, OpenSession(title="One", present=()))
    departure = leave(trio)
    first = write(trio, adjust("brak", 10), adjust("sil", 10))[0].seq
    write(trio, void(departure))
    (question,) = questions(trio)
    assert question.says == f"is missing from #{first} (brak adjusted by hand, gold +10), which was for the whole group"
    assert recap(trio).open == (f"Mara {LEFT_OUT_WORDS}. The GM has to decide.",)


def test_many_lines_are_counted(trio: Book) -> None:
    departure = leave(trio)
    for amount in range(1, 7):
        write(trio, adjust("brak", amount), adjust("sil", amount))
    write(trio, void(departure))
    assert questions(trio)[0].says.endswith(" and 3 more, which were for the whole group")


def test_a_line_in_a_game_that_is_not_installed_is_left_alone(trio: Book) -> None:
    for who in PARTY:
        write(trio, adjust(who, 5, "free/hp.max"))
        write(trio, SetMarks(who=who, values={"free/refill": "hp"}, why=None))
    departure = leave(trio)
    write(trio, *(move("free", "rest", who=who) for who in ("brak", "sil")))
    forged = read(trio)
    for body in forged.bodies:
        if body["type"] == "move-played":
            body["system"] = "chess"
    with_chess = forged.book()
    write(with_chess, void(departure, cascade=True))
    assert questions(with_chess) == []


def test_an_attack_of_the_group_is_listed_because_it_goes_on_by_choices(trio: Book) -> None:
    for who in PARTY:
        write(trio, Join(who=who, system="edge", scores=FIGHTER))
        values = {"edge/on.melee": "agility,might", "edge/weapon.knife": "1d6+2,skill=melee"}
        write(trio, SetMarks(who=who, values=values, why=None))
    departure = leave(trio)
    attack = {"weapon": "knife", "whom": "goblin", "target": 40}
    write(trio, Join(who="goblin", system="edge", scores={"edge": 3, "maximum": 3}))
    write(trio, *(move("edge", "attack", who=who, **attack) for who in ("brak", "sil")))
    write(trio, void(departure, cascade=True))
    assert [who for who, _ in asked(trio)] == ["mara"]


def test_a_line_that_does_several_things_is_not_for_the_group(trio: Book) -> None:
    departure = leave(trio)
    write(trio, adjust("brak", 10), adjust("sil", 10), Join(who="brak", system="byzantine", scores={}))
    write(trio, void(departure))
    assert questions(trio) == []


def test_a_correction_asks_about_the_characters_of_nobody_if_the_group_of_a_line_had_left() -> None:
    with opened_book(games=()) as book:
        write(book, Seat(name="Ben", plays=("brak",), gm=False))
        for who in PARTY:  # nobody plays sil
            write(book, Join(who=who, system="free", scores={"gold": 0, "hp": 5}))
        write(book, Leave(who="mara"), Leave(who="brak"))
        undone = write(book, Undo())[0].seq
        number = write(book, adjust("mara", 3), adjust("brak", 3))[0].seq
        written = write(book, Void(strikes=undone, why="they left after all", cascade=False))
        asked = [entry.event for entry in written if isinstance(entry.event, LinesMissed)]
        assert [(event.who, event.lines) for event in asked] == [("sil", (number,))]
