"""Sealed rolls, and the telling of what the GM kept."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits import decided
from cli.render.story import recap_lines
from engine import connection_of
from ford import CLASH, WAITING, at_the_ford, play
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, CloseSession, Note, OpenSession
from ledger.commands.custody import Erase
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.corrections.answers import Choose, Decide
from ledger.corrections.seals import Reveal, Sealed, parse_reveal_date
from ledger.corrections.undoing import Amend, Rewind, Undo
from ledger.errors import BadInput, OnceDiffers, Refused, WrongEntry
from ledger.journal.book import Book
from ledger.systems.byzantine.moves_tasks import Attempt, Task
from ledger.systems.edge.moves import Rest
from ledger.systems.edge.moves_check import Check
from ledger.systems.syscards.moves_acts import Rate
from projections.chronicle import chronicle, full_chronicle
from projections.log import lines
from projections.questions import questions
from projections.recap import recap
from projections.sheets import sheets
from table import accounts_of, counting_dice, every_game, hashed_anew, last, opened_book, scribe
from tampering import fields, rewritten, unguarded
from terminal import Type, head

FAILING: Mapping[str, Any] = {"who": "mara", "skill": 5, "target": 30, "edge": True, "drop": 3}


def seal(book: Book, *, faces: tuple[int, ...] = (3, 2, 3), unseen: bool = False, **said: Any) -> int:
    """Seal a check, and return its entry; a failure leaves a disadvantage, and edge is spent."""
    move = Check(**{**FAILING, **said})
    done = scribe(book).write(
        Sealed(command=PlayMove(system="edge", move=move), until=None, unseen=unseen), faces=faces
    )
    return done.entries[0].seq


def test_a_sealed_roll_posts_nothing_and_is_a_question_that_waits(book: Book) -> None:
    before = accounts_of(book)
    sealed = seal(book)
    after = accounts_of(book)
    assert after.pop("#questions") == {str(sealed): False}
    assert after == before
    body = book.entry(sealed).body
    assert [set(body[name]) for name in ("thrown", "ruling", "consequences")] == [{"secret"}] * 3
    assert [each.says.partition(" by ")[0] for each in questions(book)] == ["sealed roll"]
    assert verify(book).entries == sealed


def test_revealed_it_is_what_it_would_have_been_counting_since_it_was_sealed() -> None:
    open_, closed = opened_book(), opened_book()
    with open_, closed:
        scribe(open_).write(PlayMove(system="edge", move=Check(**FAILING)), faces=(3, 2, 3))
        sealed = seal(closed)
        scribe(closed).write(Reveal(entry=sealed))
        told, plain = accounts_of(closed), accounts_of(open_)
        told.pop("#questions"), told.pop("#revealed")
        assert told == plain
        assert {entry.since for entry in closed.journal.entries(sealed + 2)} == {sealed}
        assert verify(closed).entries == sealed + 1 + len(list(open_.journal.entries(sealed)))
        for row in closed.accounts.postings("mara", "edge/edge")[1:]:
            assert row.since == sealed


def test_a_roll_is_revealed_once(book: Book) -> None:
    sealed = seal(book)
    scribe(book).write(Reveal(entry=sealed))
    with pytest.raises(Refused, match="was already answered by"):
        scribe(book).write(Reveal(entry=sealed))
    scribe(book).write(Undo())
    assert book.questions() == [sealed]
    scribe(book).write(Reveal(entry=sealed))
    verify(book)


def test_a_revealed_roll_that_was_amended_is_not_revealed_again(book: Book) -> None:
    sealed = seal(book)
    done = scribe(book).write(Reveal(entry=sealed))
    ruling = last(done, "move-played")["seq"]
    scribe(book).write(Amend(named=ruling, inputs={"skill": 6}, faces=None, cascade=False, why="six"))
    with pytest.raises(Refused, match="was already answered by"):
        scribe(book).write(Reveal(entry=sealed))
    verify(book)


def test_a_rewind_strikes_a_sealed_roll_and_a_struck_one_cannot_be_revealed(book: Book) -> None:
    scribe(book).write(PlayMove(system="edge", move=Rest(who="mara", kind="short")))
    place = book.head()
    sealed = seal(book)
    scribe(book).write(Rewind(to=place))
    assert book.questions() == []
    with pytest.raises(Refused, match="was canceled"):
        scribe(book).write(Reveal(entry=sealed))
    verify(book)


def test_what_cannot_be_paid_by_then_is_a_question(book: Book) -> None:
    sealed = seal(book)
    edge = book.balance("mara", "edge/edge") or 0
    scribe(book).write(Adjust(who="mara", amounts={"edge/edge": -edge}, why="spent elsewhere"))
    done = scribe(book).write(Reveal(entry=sealed))
    assert last(done, "limit-crossed")["value"] == -1
    verify(book)


def test_later_rulings_that_would_have_seen_it_are_asked_about(book: Book) -> None:
    sealed = seal(book, skill=0)
    scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=11, target=20)), faces=(7, 6))
    done = scribe(book).write(Reveal(entry=sealed))
    assert any(entry.type == "knock-on-found" for entry in done.entries)
    verify(book)


def test_a_choice_after_the_dice_waits_until_the_seal_is_open(book: Book) -> None:
    move = Check(who="mara", skill=11, target=20, edge=True)
    done = scribe(book).write(Sealed(command=PlayMove(system="edge", move=move), until=None, unseen=False))
    assert [entry.type for entry in done.entries] == ["roll-sealed"]
    scribe(book).write(PlayMove(system="edge", move=Rest(who="mara", kind="short")))
    told = scribe(book).write(Reveal(entry=done.entries[0].seq))
    asked = last(told, "question-asked")["seq"]
    assert asked in book.questions()
    verify(book)


def test_loose_dice_are_sealed_too(book: Book) -> None:
    done = scribe(book).write(Sealed(command=Roll(who="mara", notation="3d6+2"), until=None, unseen=False))
    told = scribe(book).write(Reveal(entry=done.entries[0].seq))
    assert last(told, "dice-counted")["notation"] == "3d6+2"
    verify(book)


def test_a_revealed_roll_of_several_characters_keeps_who_rolled_which_die() -> None:
    with at_the_ford() as book:
        play(book, WAITING)
        command = PlayMove(system="syscards", move=CLASH)
        sealed = scribe(book).write(Sealed(command=command, until=None, unseen=False), faces=(60, 70)).entries[0].seq
        revealed = scribe(book).write(Reveal(entry=sealed))
        throws = [entry for entry in revealed.entries if entry.type == "dice-thrown"]
        assert [(entry.body["who"], entry.body["dice"][0]["face"]) for entry in throws] == [("mara", 60), ("brak", 70)]
        assert last(revealed, "move-played")["throws"] == [entry.seq for entry in throws]
        verify(book)


def test_what_is_told_otherwise_than_it_was_sealed_is_not_whole(book: Book) -> None:
    sealed = seal(book)
    scribe(book).write(Reveal(entry=sealed))
    told = next(entry for entry in book.journal.entries(sealed) if entry.type == "move-played")
    rewritten(told.seq, lambda body: body.replace("failure", "success"))(connection_of(book))
    hashed_anew(book.journal)
    with pytest.raises(WrongEntry, match=f"reveals something different from what #{sealed} sealed"):
        verify(book)


def test_a_seal_that_is_told_in_another_place_is_not_whole(book: Book) -> None:
    sealed = seal(book)
    scribe(book).write(Reveal(entry=sealed))
    told = next(entry for entry in book.journal.entries(sealed) if entry.type == "move-played")
    rewritten(told.seq, fields(since=told.seq))(connection_of(book))
    hashed_anew(book.journal)
    with pytest.raises(WrongEntry, match=f"Entry {told.seq - 1} does not belong in its action"):
        verify(book)


def test_words_of_a_told_seal_that_were_erased_are_no_other_words(book: Book) -> None:
    sealed = seal(book, bonus=1, why="the cloak")
    told = last(scribe(book).write(Reveal(entry=sealed)), "move-played")["seq"]
    scribe(book).write(Erase(entries=(told,)))
    verify(book)


def test_a_seal_whose_text_was_exchanged_is_not_opened(book: Book) -> None:
    sealed = seal(book)
    unguarded(f"UPDATE words SET text = '[]' WHERE seq = {sealed} AND field = 'thrown'")(connection_of(book))
    with pytest.raises(WrongEntry, match="a text that differs from the original"):
        scribe(book).write(Reveal(entry=sealed))


def test_what_is_not_in_the_file_cannot_be_told_from_it(book: Book) -> None:
    sealed = seal(book)
    unguarded(f"DELETE FROM words WHERE seq = {sealed}")(connection_of(book))
    with pytest.raises(Refused, match="is not in this file"):
        scribe(book).write(Reveal(entry=sealed))
    assert verify(book).away == 3


def test_a_telling_of_what_was_told_already_is_not_whole(book: Book) -> None:
    roll = scribe(book).write(
        PlayMove(system="edge", move=Check(who="mara", skill=9, target=31, secret=True)), faces=(7, 8)
    )
    ruling = last(roll, "move-played")["seq"]
    scribe(book).write(Reveal(entry=ruling))
    second = scribe(book).write(Note(text="x")).entries[0].seq
    told = book.journal.entry(second - 1).stored.decode()
    unguarded(f"DELETE FROM words WHERE seq = {second}")(connection_of(book))
    rewritten(second, lambda _: told.replace(str(second - 1), str(second)))(connection_of(book))
    hashed_anew(book.journal)
    with pytest.raises(WrongEntry, match=f"reveals #{ruling}, which was already revealed"):
        verify(book)


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (
            Sealed(command=PlayMove(system="edge", move=Rest(who="mara", kind="short")), until=None, unseen=False),
            "does not roll dice",
        ),
        (
            Sealed(command=PlayMove(system="edge", move=Check(who="mara", skill=5)), until="session-end", unseen=False),
            "No session is open",
        ),
        (Reveal(entry=1), "#1 has no secret"),
    ],
    ids=["no dice", "no session", "no secret"],
)
def test_what_cannot_be_sealed_or_told_is_refused_before_any_die_is_thrown(
    book: Book, command: Sealed | Reveal, says: str
) -> None:
    dice, head = counting_dice(), book.head()
    with pytest.raises(Refused, match=says):
        scribe(book, chance=dice).write(command)
    assert (dice.count, book.head()) == (0, head)


def test_a_move_that_leads_to_others_cannot_be_sealed() -> None:
    with every_game() as book:
        move = Rate(who="mara", rate=45, why="fog", throw=True)
        with pytest.raises(Refused, match="leads to other rolls") as refused:
            scribe(book).write(Sealed(command=PlayMove(system="syscards", move=move), until=None, unseen=False))
        assert refused.value.hint == "Make the rolls one by one, and seal the one you want to hide."


@pytest.mark.parametrize("typed", ["tomorrow", "2026-13-01", "", "2026-1-1"])
def test_until_is_the_end_of_the_session_or_a_date(typed: str) -> None:
    assert (parse_reveal_date("session-end"), parse_reveal_date("2026-12-31")) == ("session-end", "2026-12-31")
    with pytest.raises(BadInput, match="is not a date"):
        parse_reveal_date(typed)


def test_the_same_seal_under_the_same_id_is_written_once(book: Book) -> None:
    said = Sealed(
        command=PlayMove(system="edge", move=Check(**FAILING, advantage=("high ground",))), until=None, unseen=False
    )
    first = scribe(book).write(said, faces=(3, 2, 3), once="a")
    assert scribe(book).write(said, faces=(3, 2, 3), once="a").entries == first.entries
    for other, faces in (
        (said.replace(unseen=True), (3, 2, 3)),
        (said, (3, 3, 3)),
        (said.replace(command=Roll(who="mara", notation="2d6")), (3, 3)),
        (said.replace(command=PlayMove(system="edge", move=Check(**FAILING, advantage=("low",)))), (3, 2, 3)),
    ):
        with pytest.raises(Refused, match="already used"):
            scribe(book).write(other, faces=faces, once="a")
    with pytest.raises(Refused, match="a different command"):
        scribe(book).write(said.command, faces=(3, 2, 3), once="a")


def test_a_hidden_target_is_told_and_shown_from_then_on(folder: Path, type_in: Type) -> None:
    roll = json.loads(
        type_in("edge check mara --skill 9 --target 31 --secret --faces 7,8 --json").stdout.splitlines()[1]
    )
    assert "31" not in type_in(f"show {roll['seq']}").stdout.partition("leaf")[0].replace(":31", "")
    told = type_in(f"reveal {roll['seq']}").stdout
    assert "target 31" in told
    assert "against 31" in type_in(f"show {roll['seq']}").stdout
    assert "has no secret" in type_in(f"reveal {roll['seq']}").stderr


def test_players_see_that_a_roll_was_sealed_or_nothing_by_choice() -> None:
    with opened_book() as book:
        scribe(book).write(OpenSession(title="x", present=()))
        seal(book)
        hidden = seal(book, unseen=True)
        for look in (chronicle, full_chronicle):
            told = [line.says for chapter in look(book) for line in chapter.lines]
            assert told.count("sealed roll") == 1
        assert [line.seq for line in lines(book, 1)] == [hidden]


def seen(book: Book) -> str:
    """All that players are shown, commitments and hashes aside."""
    told = [line.replace(entries=(), at="") for line in lines(book, None)]
    chapters = [*chronicle(book), *full_chronicle(book)]
    story = [line.replace(entries=(), at="") for chapter in chapters for line in chapter.lines]
    played = any(chapter.lines for chapter in chapters if chapter.number)
    page = list(recap_lines("x", recap(book))) if played else []
    return repr((told, page, story, [each.says for each in questions(book)], accounts_without_secrets(book)))


def accounts_without_secrets(book: Book) -> Any:
    found = accounts_of(book)
    return {who: {n: v for n, v in held.items() if not n.startswith("byzantine/task.")} for who, held in found.items()}


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=5), st.integers(0, 1000))
def test_campaigns_that_differ_in_secret_numbers_alone_look_the_same_to_players(
    rolls: list[tuple[int, int]], seed: int
) -> None:
    books = [opened_book(), opened_book()]
    with books[0], books[1]:
        for book in books:
            scribe(book).write(OpenSession(title="x", present=()))
        for place, (one, other) in enumerate(rolls):
            verdicts = []
            for book, target in zip(books, (one, other), strict=True):
                move = Check(who="mara", skill=9, target=target, secret=True)
                done = scribe(book, seed + place).write(PlayMove(system="edge", move=move))
                verdicts.append((last(done, "move-played")["verdict"]["says"], len(done.entries)))
            if verdicts[0] != verdicts[1]:
                for book in books:
                    scribe(book).write(Undo())
                return
            assert seen(books[0]) == seen(books[1])


def test_sealed_rolls_look_the_same_whatever_they_came_to() -> None:
    books = [opened_book(), opened_book()]
    with books[0], books[1]:
        seal(books[0], faces=(3, 2, 3))
        seal(books[1], faces=(10, 3, 10), skill=30)
        for book in books:
            scribe(book).write(OpenSession(title="x", present=()))
            scribe(book).write(CloseSession())
        assert seen(books[0]) == seen(books[1])


def test_a_cost_that_was_kept_is_on_the_sheet_once_it_is_told() -> None:
    with every_game() as book:
        done = scribe(book).write(PlayMove(system="byzantine", move=Task(who="mara", task="bribe", costs=6)))
        (shown,) = [dict(each.marks) for each in sheets(book, ["mara"]) if each.system == "byzantine"]
        assert "secret" in shown["task.bribe"]
        scribe(book).write(Reveal(entry=done.entries[0].seq))
        (shown,) = [dict(each.marks) for each in sheets(book, ["mara"]) if each.system == "byzantine"]
        assert "secret" not in shown["task.bribe"]
        assert verify(book).entries == book.head()


def test_hidden_numbers_of_opponents_stay_secret_when_they_are_amended() -> None:
    with every_game() as book:
        task = Task(who="mara", task="bribe", costs=6, opposed_energy={"brak": 2})
        written = scribe(book).write(PlayMove(system="byzantine", move=task)).entries[0].seq
        changes = {"opposed_energy": {"brak": 3}}
        again = scribe(book).write(Amend(named=written, inputs=changes, faces=None, cascade=False, why="so")).entries
        (amended,) = (entry for entry in again if entry.type == "action-amended")
        assert amended.body["inputs"].keys() == {"opposed_energy"}
        assert amended.body["inputs"]["opposed_energy"].keys() == {"secret"}
        assert decided(book)[0] == []


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 18))
def test_a_cost_looks_the_same_to_players_until_somebody_attempts_the_task(one: int, other: int, energy: int) -> None:
    books = [every_game(), every_game()]
    with books[0], books[1]:
        for book, cost in zip(books, (one, other), strict=True):
            scribe(book).write(PlayMove(system="byzantine", move=Task(who="mara", task="bribe", costs=cost)))
        assert seen(books[0]) == seen(books[1])
        for book, cost in zip(books, (one, other), strict=True):
            attempt = Attempt(who="mara", task="bribe", energy=energy, ability="cunning")
            scribe(book).write(PlayMove(system="byzantine", move=attempt))
            assert f" against {cost} " in seen(book)


def test_a_sealed_roll_may_keep_a_target_too_which_stays_secret_when_it_is_revealed(
    folder: Path, type_in: Type
) -> None:
    rolled = type_in("edge check mara --skill 9 --target 31 --secret --faces 7,8 --seal --json").stdout
    sealed = json.loads(rolled)["seq"]
    told = [json.loads(line) for line in type_in(f"reveal {sealed} --json").stdout.splitlines()]
    ruling = next(each for each in told if each["type"] == "move-played")
    assert set(ruling["inputs"]["target"]) == {"secret"}
    assert '"31"' not in type_in(f"show {sealed} --json").stdout
    assert "target 31" in type_in(f"reveal {ruling['seq']}").stdout
    assert type_in("verify").exit_code == 0


def test_a_sealed_roll_is_not_amended(book: Book) -> None:
    sealed = seal(book)
    with pytest.raises(Refused, match=f"#{sealed} is sealed and cannot be amended."):
        scribe(book).write(Amend(named=sealed, inputs={"target": 2}, faces=None, cascade=False, why="so"))
    assert book.head() == sealed


def test_a_dry_run_of_a_reveal_opens_nothing(book: Book) -> None:
    done = scribe(book).write(Reveal(entry=seal(book)), dry=True)
    assert done.entries == ()


def test_a_sealed_roll_that_was_revealed_is_put_right_by_what_that_wrote(folder: Path, type_in: Type) -> None:
    for words in ("edge check mara --skill 11 --target 20 --faces 9,4 --seal", "player Ana --plays sam"):
        assert type_in(words).exit_code == 0
    sealed = head(folder) - 1
    told = sealed + 2
    assert type_in(f"reveal {sealed}").exit_code == 0
    assert f"revealed by #{told}" in type_in("log").stdout
    for words in (
        f"amend {sealed} --skill 3 --why x --yes",
        f"void {sealed} --why x --yes",
        f"override {sealed} success --why x",
        f"--by Ana dispute {sealed} --claim x",
    ):
        refused = type_in(words)
        assert refused.exit_code == 3
        assert (
            f"#{sealed} was revealed by #{told}. The revealed roll is the one that counts." in refused.stderr
            or "is not a roll" in refused.stderr
        )
    assert type_in(f"void {told} --why x --yes").exit_code == 0


def test_a_seal_said_twice_under_one_id_is_written_once_and_its_term_is_part_of_it(book: Book) -> None:
    said = Sealed(command=PlayMove(system="edge", move=Check(who="mara", skill=11)), until="2026-12-31", unseen=False)
    done = scribe(book).write(said, once="a")
    assert scribe(book).write(said, once="a").entries == done.entries
    for other in (said.replace(until=None), said.replace(unseen=True)):
        with pytest.raises(OnceDiffers):
            scribe(book).write(other, once="a")


def test_a_seal_is_not_until_a_day_that_is_over(folder: Path, type_in: Type) -> None:
    refused = type_in("edge check mara --skill 11 --faces 9,4 --seal --until 2019-05-05")
    assert (refused.exit_code, refused.stderr) == (2, "Error: 2019-05-05 is in the past.\n")
    assert type_in("edge check mara --skill 11 --faces 9,4 --seal --until 2026-11-20").exit_code == 0


def test_a_sealed_roll_is_neither_chosen_nor_decided(book: Book) -> None:
    hand = scribe(book)
    hand.write(Sealed(command=PlayMove(system="edge", move=Check(who="mara", skill=11)), until=None, unseen=False))
    with pytest.raises(Refused, match="#8 does not ask for a choice"):
        hand.write(Choose(question=8, chosen={}))
    with pytest.raises(Refused, match="#8 needs no decision"):
        hand.write(Decide(question=8, choice="stand", why="x", inputs={}, faces=None, cascade=False))
    assert book.head() == 8
