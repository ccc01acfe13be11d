"""Questions that a correction asked, and that a later correction closes because their reasons are gone."""

import sys
from typing import Any

import pytest

from audits import checked, decided
from coin import Give as GiveCoins
from forging import read
from ledger import systems
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, Give, Join, Note
from ledger.commands.play import PlayMove
from ledger.corrections.answers import AssertScores, Decide, Dispute
from ledger.corrections.seals import Sealed
from ledger.corrections.undoing import Amend, Rewind, Undo, Void
from ledger.errors import Refused
from ledger.events.entry import Entry
from ledger.journal.book import Book
from ledger.systems.edge.moves import Rest
from ledger.systems.edge.moves_check import Check
from projections.log import line
from projections.phrases import tell
from projections.questions import questions
from table import scribe


def adjust(book: Book, **amounts: int) -> int:
    named = {f"edge/{name}": amount for name, amount in amounts.items()}
    return scribe(book).write(Adjust(who="mara", amounts=named, why="x")).entries[0].seq


def check(book: Book) -> int:
    move = Check(who="mara", skill=11, edge=True, drop=3)
    return scribe(book).write(PlayMove(system="edge", move=move), faces=(7, 3, 7)).entries[1].seq


def amend(book: Book, about: int, *, cascade: bool = False, **amounts: int) -> list[Entry]:
    inputs = {"amounts": {f"edge/{name}": amount for name, amount in amounts.items()}}
    return list(scribe(book).write(Amend(named=about, inputs=inputs, faces=None, cascade=cascade, why="x")).entries)


def closed(book: Book) -> list[tuple[int, str, str]]:
    found = [entry for entry in book.journal.entries() if entry.type == "question-closed"]
    return [(entry.body["question"], entry.body["reason"], tell(book, entry)) for entry in found]


def sound(book: Book) -> None:
    verify(book)
    assert list(checked(book)) == []


def test_a_question_about_a_ruling_closes_if_the_numbers_are_again_what_the_ruling_used(book: Book) -> None:
    moved, other, ruling = adjust(book, edge=-1), adjust(book, edge=-1), check(book)
    (question,) = [entry.seq for entry in amend(book, moved, edge=-3) if entry.type == "knock-on-found"]
    amend(book, other, edge=1)
    assert (question, "settled") in [each[:2] for each in closed(book)]
    assert f"#{ruling}" in closed(book)[0][2]
    assert questions(book) == []
    sound(book)


def test_an_undo_opens_the_question_again(book: Book) -> None:
    moved, other, _ = adjust(book, edge=-1), adjust(book, edge=-1), check(book)
    amend(book, moved, edge=-3)
    waiting = book.questions()
    amend(book, other, edge=1)
    assert (len(waiting), book.questions()) == (2, [])
    scribe(book).write(Undo())
    assert book.questions() == waiting
    sound(book)


def test_a_question_about_a_canceled_ruling_closes(book: Book) -> None:
    moved, ruling = adjust(book, edge=-1), check(book)
    amend(book, moved, edge=-4)
    scribe(book).write(Void(strikes=ruling - 1, why="x"))
    assert [each[1] for each in closed(book)] == ["canceled", "settled"]
    assert closed(book)[0][2].endswith("no longer counts")
    assert closed(book)[1][2].endswith("mara's edge is within its limits again")
    sound(book)


def test_a_dispute_and_a_seal_stay_open_whatever_is_corrected(book: Book) -> None:
    moved, ruling = adjust(book, edge=-1), check(book)
    scribe(book).write(Dispute(about=ruling, player="p2", claim="no"))
    move = Check(who="mara", skill=11)
    scribe(book).write(Sealed(command=PlayMove(system="edge", move=move), until=None, unseen=False), faces=(7, 6))
    waiting = book.questions()
    amend(book, moved, edge=-2)
    scribe(book).write(Void(strikes=ruling - 1, why="x"))
    assert book.questions() == waiting
    sound(book)


def test_a_closed_question_cannot_be_decided(book: Book) -> None:
    moved, other, _ = adjust(book, edge=-1), adjust(book, edge=-1), check(book)
    amend(book, moved, edge=-3)
    question = book.questions()[0]
    amend(book, other, edge=1)
    with pytest.raises(Refused, match=f"Question #{question} was already answered"):
        scribe(book).write(Decide(question=question, choice="stand", why="x", inputs={}, faces=None, cascade=False))


def test_a_void_with_a_cascade_redoes_what_used_the_voided_numbers(book: Book) -> None:
    moved = adjust(book, edge=-2)
    rest = scribe(book).write(PlayMove(system="edge", move=Rest(who="mara", kind="long"))).entries[0].seq
    done = scribe(book).write(Void(strikes=moved, why="x", cascade=True))
    assert [entry.body["about"] for entry in done.entries if entry.type == "action-amended"] == [rest]
    assert book.questions() == []
    sound(book)


def test_a_decision_to_void_may_cascade(book: Book) -> None:
    moved = adjust(book, edge=-2)
    rest = scribe(book).write(PlayMove(system="edge", move=Rest(who="mara", kind="long"))).entries[0].seq
    scribe(book).write(Dispute(about=moved, player="p2", claim="no"))
    command = Decide(question=book.questions()[0], choice="void", why="x", inputs={}, faces=None, cascade=True)
    done = scribe(book).write(command, once="one")
    assert [entry.body["about"] for entry in done.entries if entry.type == "action-amended"] == [rest]
    assert scribe(book).write(command, once="one").again
    assert book.questions() == []
    sound(book)


def gold(book: Book, **held: int) -> list[int]:
    """Give characters a free sheet with gold; return the entry of the first adjustment of each."""
    for who in held:
        scribe(book).write(Join(who=who, system="free", scores={"gold": 0}))
    moved = ((who, {"free/gold": amount}) for who, amount in held.items())
    return [scribe(book).write(Adjust(who=who, amounts=by, why="x")).entries[0].seq for who, by in moved]


def give(book: Book, amount: int) -> int:
    return scribe(book).write(Give(who="mara", to="brak", amounts={"free/gold": amount})).entries[0].seq


def change(book: Book, about: int, amount: int) -> list[Any]:
    inputs = {"amounts": {"free/gold": amount}}
    return list(scribe(book).write(Amend(named=about, inputs=inputs, faces=None, cascade=False, why="x")).entries)


def says(book: Book) -> list[str]:
    return [question.says for question in questions(book)]


def test_a_gift_that_a_correction_leaves_without_cover_is_asked_about(book: Book) -> None:
    loot, _ = gold(book, mara=25, brak=1)
    gift = give(book, 20)
    change(book, loot, 5)
    assert f"gave 20 gold in #{gift}, but had only 5" in says(book)
    sound(book)


def test_a_gift_question_closes_if_the_giver_had_enough_after_all(book: Book) -> None:
    loot, _ = gold(book, mara=25, brak=1)
    more = scribe(book).write(Adjust(who="mara", amounts={"free/gold": 1}, why="x")).entries[0].seq
    gift = give(book, 20)
    change(book, loot, 5)
    change(book, more, 30)
    assert says(book) == []
    assert f"mara had enough for #{gift}" in " ".join(text for _, _, text in closed(book))
    sound(book)


@pytest.mark.parametrize(("choice", "inputs"), [("void", {}), ("amend", {"amounts": {"free/gold": 3}})])
def test_a_gift_question_is_answered_with_a_void_or_an_amendment(
    book: Book, choice: str, inputs: dict[str, Any]
) -> None:
    loot, _ = gold(book, mara=25, brak=1)
    give(book, 20)
    change(book, loot, 5)
    (question,) = [each.seq for each in questions(book) if each.type == "gift-uncovered"]
    command = Decide(question=question, choice=choice, why="x", inputs=inputs, faces=None, cascade=False)
    scribe(book).write(command)
    assert says(book) == []
    assert book.balance("mara", "free/gold") == (5 if choice == "void" else 2)
    sound(book)


def test_the_question_about_a_voided_gift_closes(book: Book) -> None:
    loot, _ = gold(book, mara=25, brak=1)
    gift = give(book, 20)
    change(book, loot, 5)
    scribe(book).write(Void(strikes=gift, why="x"))
    assert "canceled" in [reason for _, reason, _ in closed(book)]
    assert says(book) == []
    sound(book)


def test_a_correction_that_contradicts_an_agreed_paper_sheet_opens_a_question(book: Book) -> None:
    moved = adjust(book, edge=-1)
    agreed = scribe(book).write(AssertScores(who="mara", claimed={"edge/edge": 3})).entries[0].seq
    amend(book, moved, edge=-2)
    assert says(book) == [f"edge was 3 on paper and in the record (#{agreed}), but the corrected record has 2"]
    assert questions(book)[0].about == agreed
    sound(book)


def below_zero(book: Book) -> int:
    """Move mara's edge to −1 with an amendment. Return the question about it."""
    moved = adjust(book, edge=-1)
    adjust(book, edge=-1)
    (crossed,) = [entry.seq for entry in amend(book, moved, edge=-4) if entry.type == "limit-crossed"]
    return crossed


def test_a_plain_change_closes_a_question_whose_reason_it_removes_and_an_undo_opens_it_again(book: Book) -> None:
    crossed = below_zero(book)
    first = adjust(book, edge=1)
    assert [entry.type for entry in book.action(first)] == ["score-adjusted", "question-closed"]
    assert closed(book) == [
        (crossed, "settled", f"question #{crossed} is closed: mara's edge is within its limits again")
    ]
    sound(book)
    scribe(book).write(Undo())
    assert book.questions() == [crossed]
    sound(book)


def test_an_amended_change_closes_the_question_again(book: Book) -> None:
    crossed = below_zero(book)
    change = adjust(book, edge=1)
    amend(book, change, edge=2)
    assert [each[:2] for each in closed(book)] == [(crossed, "settled")] * 2
    assert book.questions() == []
    sound(book)


def test_a_move_closes_a_question_too(book: Book) -> None:
    crossed = below_zero(book)
    scribe(book).write(PlayMove(system="edge", move=Rest(who="mara", kind="long")))
    assert [each[0] for each in closed(book)] == [crossed]
    sound(book)


def test_play_of_another_character_leaves_the_question_open(book: Book) -> None:
    crossed = below_zero(book)
    scribe(book).write(Adjust(who="brak", amounts={"edge/damage.physical": 1}, why="x"))
    assert book.questions() == [crossed]
    sound(book)


def test_play_leaves_a_question_of_an_older_edition_open(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ledger.draft.BOOK_EDITION", 5)
    crossed = below_zero(book)
    adjust(book, edge=1)
    assert book.questions() == [crossed]
    decision = Decide(question=crossed, choice="adjust", why="x", inputs={}, faces=None, cascade=False)
    with pytest.raises(Refused, match="There is nothing left to adjust"):
        scribe(book).write(decision)


def test_an_undo_leaves_a_question_open_that_still_has_its_reason(book: Book) -> None:
    crossed = below_zero(book)
    scribe(book).write(Note(text="x"))
    scribe(book).write(Undo())
    assert book.questions() == [crossed]
    sound(book)


def test_the_question_that_an_undo_closes_names_the_strike_as_its_cause(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ledger.draft.BOOK_EDITION", 5)  # play did not close questions then
    crossed = below_zero(book)
    adjust(book, edge=1)
    scribe(book).write(Note(text="x"))
    strike, end = scribe(book).write(Undo()).entries
    assert [each[:2] for each in closed(book)] == [(crossed, "settled")]
    assert end.cause == strike.seq


def answered_with_adjust(book: Book) -> tuple[int, int]:
    """Move mara's edge below 0 with an amendment, and adjust it. Return the amended entry, and the decision."""
    moved = adjust(book, edge=-1)
    adjust(book, edge=-1)
    adjust(book, edge=-1)
    entries = amend(book, moved, edge=-4)
    moved = entries[2].seq
    (crossed,) = [entry.seq for entry in entries if entry.type == "limit-crossed"]
    decision = Decide(question=crossed, choice="adjust", why="x", inputs={}, faces=None, cascade=False)
    return moved, scribe(book).write(decision).entries[0].seq


def test_an_adjustment_that_a_correction_makes_unneeded_opens_a_question(book: Book) -> None:
    moved, decision = answered_with_adjust(book)
    amend(book, moved, edge=-1)
    assert says(book) == [f"edge: the change by +2 in #{decision} is no longer needed"]
    assert questions(book)[0].about == decision
    sound(book)


def test_voiding_an_unneeded_adjustment_leaves_the_number_that_was_played(book: Book) -> None:
    moved, decision = answered_with_adjust(book)
    amend(book, moved, edge=-1)
    (question,) = book.questions()
    scribe(book).write(Decide(question=question, choice="void", why="x", inputs={}, faces=None, cascade=False))
    assert book.is_struck(book.entry(decision).act)
    assert book.balance("mara", "edge/edge") == 1
    assert says(book) == []
    sound(book)


def test_the_question_about_an_adjustment_closes_if_it_is_needed_again(book: Book) -> None:
    other = book.head() + 2
    moved, decision = answered_with_adjust(book)
    amend(book, moved, edge=-1)
    amend(book, other, edge=-3)
    assert closed(book)[-1][1] == "settled"
    assert closed(book)[-1][2].endswith(f"mara's edge needs #{decision} (decision on #{decision - 1}) again")
    sound(book)


def test_the_question_about_an_adjustment_closes_if_the_adjustment_is_voided(book: Book) -> None:
    moved, decision = answered_with_adjust(book)
    amend(book, moved, edge=-1)
    scribe(book).write(Void(strikes=book.entry(decision).act, why="x"))
    assert closed(book)[-1][1] == "canceled"
    assert says(book) == []
    sound(book)


def test_an_unneeded_adjustment_to_a_paper_sheet_opens_a_question(book: Book) -> None:
    moved = adjust(book, edge=-1)
    scribe(book).write(AssertScores(who="mara", claimed={"edge/edge": 3}))
    replaced = amend(book, moved, edge=-2)[2].seq
    (question,) = book.questions()
    scribe(book).write(Decide(question=question, choice="adjust", why="x", inputs={}, faces=None, cascade=False))
    decision = book.head() - 1
    amend(book, replaced, edge=-1)
    assert questions(book)[0].about == decision
    sound(book)


def test_an_adjustment_to_a_paper_sheet_that_differed_at_once_is_never_unneeded(book: Book) -> None:
    moved = adjust(book, edge=-1)
    scribe(book).write(AssertScores(who="mara", claimed={"edge/edge": 4}))
    (question,) = book.questions()
    scribe(book).write(Decide(question=question, choice="adjust", why="x", inputs={}, faces=None, cascade=False))
    assert "adjustment-unneeded" not in [entry.type for entry in amend(book, moved, edge=-2)]
    sound(book)


def test_the_answer_adjust_brings_the_record_to_the_paper(book: Book) -> None:
    moved = adjust(book, edge=-1)
    scribe(book).write(AssertScores(who="mara", claimed={"edge/edge": 3}))
    amend(book, moved, edge=-2)
    command = Decide(question=book.questions()[0], choice="adjust", why="x", inputs={}, faces=None, cascade=False)
    scribe(book).write(command)
    assert (book.balance("mara", "edge/edge"), says(book)) == (3, [])
    sound(book)


def test_the_question_about_paper_closes_if_paper_and_record_agree_again(book: Book) -> None:
    moved, other = adjust(book, edge=-1), adjust(book, edge=-1)
    scribe(book).write(AssertScores(who="mara", claimed={"edge/edge": 2}))
    amend(book, moved, edge=-3)
    amend(book, other, edge=1)
    assert says(book) == []
    assert closed(book)[0][2].endswith("mara's edge agrees with the paper sheet again")
    sound(book)


def test_the_question_about_paper_closes_if_the_agreement_is_voided(book: Book) -> None:
    moved = adjust(book, edge=-1)
    agreed = scribe(book).write(AssertScores(who="mara", claimed={"edge/edge": 3})).entries[0].seq
    amend(book, moved, edge=-2)
    scribe(book).write(Void(strikes=agreed, why="x"))
    assert [reason for _, reason, _ in closed(book)] == ["canceled"]
    sound(book)


def test_a_newer_agreement_settles_the_question_about_the_older_one(book: Book) -> None:
    moved = adjust(book, edge=-1)
    scribe(book).write(AssertScores(who="mara", claimed={"edge/edge": 3}))
    amend(book, moved, edge=-2)
    scribe(book).write(AssertScores(who="mara", claimed={"edge/edge": 2}))
    amend(book, adjust(book, strength=1), strength=2)
    assert says(book) == []
    sound(book)


def test_a_newer_agreement_closes_the_question_about_the_older_one_at_once(book: Book) -> None:
    moved = adjust(book, edge=-1)
    older = scribe(book).write(AssertScores(who="mara", claimed={"edge/edge": 3})).entries[0].seq
    amend(book, moved, edge=-2)
    (question,) = book.questions()
    scribe(book).write(AssertScores(who="mara", claimed={"edge/edge": 2}))
    assert (book.entry(question).body["about"], book.questions()) == (older, [])
    sound(book)


def test_a_rewind_asks_about_no_paper_sheet_of_the_time_that_it_cancels(book: Book) -> None:
    start = book.head()
    adjust(book, edge=-1)
    scribe(book).write(AssertScores(who="mara", claimed={"edge/edge": 3}))
    done = scribe(book).write(Rewind(to=start))
    assert "assertion-broken" not in [entry.type for entry in done.entries]
    sound(book)


def test_a_question_about_a_limit_of_a_game_that_is_not_installed_stays_open(book: Book) -> None:
    moved, other = adjust(book, edge=-1), adjust(book, edge=-1)
    amend(book, moved, edge=-4)
    forged = read(book)
    (asked,) = [body for body in forged.bodies if body["type"] == "limit-crossed"]
    asked["score"] = "chess/edge"
    with_chess = forged.book()
    amend(with_chess, other, edge=2)
    assert with_chess.questions() == [asked["seq"]]


def test_a_closed_question_that_no_correction_asked_is_told_without_a_reason(book: Book) -> None:
    moved, other, ruling = adjust(book, edge=-1), adjust(book, edge=-1), check(book)
    disputed = scribe(book).write(Dispute(about=ruling, player="p2", claim="no")).entries[0].seq
    amend(book, moved, edge=-3)
    amend(book, other, edge=1)
    forged = read(book)
    odd = next(body for body in forged.bodies if body["type"] == "question-closed")
    odd["question"] = disputed
    assert closed(forged.book())[0] == (
        disputed,
        "settled",
        f"question #{disputed} is closed: there is nothing left to decide",
    )


def test_the_line_of_a_question_about_a_ruling_shows_the_verdict_that_it_would_have(book: Book) -> None:
    skills = {"skill.deception": 4, "attribute.wits": 2, "attribute.will": 2}
    learned = adjust(book, **skills)
    move = Check(who="mara", ranks="deception", attributes=("wits", "will"))
    scribe(book).write(PlayMove(system="edge", move=move), faces=(7, 9))
    done = amend(book, learned, cascade=False, **skills | {"skill.deception": 5})
    asked = next(entry for entry in done if entry.type == "knock-on-found")
    assert line(book, [asked]).verdict is not None


def test_a_question_about_a_ruling_of_a_game_that_is_not_installed_stays_open(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = scribe(book).write(Adjust(who="mara", amounts={"coin/coins": 5}, why="x")).entries[0].seq
    scribe(book).write(PlayMove(system="coin", move=GiveCoins(who="mara", to=("brak",), each=12)))
    scribe(book).write(Void(strikes=moved, why="x"))
    waiting = book.questions()
    note = scribe(book).write(Note(text="x")).entries[0].seq
    with monkeypatch.context() as patch:
        patch.setattr(sys, "path", [place for place in sys.path if not place.endswith("games")])
        assert not systems.is_installed("coin")
        scribe(book).write(Void(strikes=note, why="x"))
    assert (len(waiting), book.questions()) == (2, waiting)
    assert decided(book)[0] == []
    sound(book)
