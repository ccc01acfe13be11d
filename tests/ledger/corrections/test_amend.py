"""Played again: amendments and what they touch, decisions, and what is refused."""

from typing import Any

import pytest

from audits import decided
from coin import Flip
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, ChangeSettings, CloseSession, Join, Note, OpenSession, SetMarks, SetScene
from ledger.commands.custody import Erase
from ledger.commands.decider import BookDraft, Command
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.commands.seats import Seat
from ledger.corrections import actions as again
from ledger.corrections.actions import part_of
from ledger.corrections.answers import AcceptOffer, AssertScores, Choose, Decide, Dispute, Override
from ledger.corrections.in_place import knock_ons
from ledger.corrections.questions import question_of
from ledger.corrections.seals import Reveal, Sealed
from ledger.corrections.undoing import UNDO_SEARCH_LIMIT, Amend, Redo, Rewind, Undo, Void
from ledger.errors import BadInput, OnceDiffers, OtherDice, OutOfRange, Refused, ResultChanged, UnknownName, WrongFaces
from ledger.events.commitments import with_texts
from ledger.events.entry import Entry
from ledger.events.types import LimitCrossed
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.reading.points import session_span
from ledger.systems.edge.moves import Award, Injure, Lessen, Rest
from ledger.systems.edge.moves_check import Check, Grant
from ledger.systems.edge.moves_fights import Damage
from ledger.systems.multicheck.moves_d100 import Test as OneTest
from ledger.systems.syscards.moves_acts import Rate
from projections.chronicle import chronicle, full_chronicle
from projections.log import line
from projections.phrases import describe_entry, tell
from projections.questions import questions
from projections.why import why
from table import accounts_of, every_game, last, opened_book, scribe


def check(**inputs: Any) -> PlayMove:
    return PlayMove(system="edge", move=Check(who="mara", **inputs))


def edge(move: Any) -> PlayMove:
    return PlayMove(system="edge", move=move)


def typed(book: Book, command: Command, *faces: int) -> int:
    """Write a command, with typed dice where it throws; return the entry that is its headline."""
    done = scribe(book).write(command, faces=faces or None)
    return line(book, done.entries).seq


def amend(about: int, *faces: int, cascade: bool = False, **inputs: Any) -> Amend:
    return Amend(named=about, inputs=inputs, faces=faces or None, cascade=cascade, why="so")


def decide(question: int, choice: str, **inputs: Any) -> Decide:
    return Decide(question=question, choice=choice, why="so", inputs=inputs, faces=None, cascade=False)


def adjust(**amounts: int) -> Adjust:
    return Adjust(who="mara", amounts={f"edge/{name}": amount for name, amount in amounts.items()}, why="so")


def asked(book: Book) -> list[Entry]:
    return [book.entry(seq) for seq in book.questions()]


def test_a_move_amended_counts_since_its_old_place_with_the_sheets_as_now_known_of_it(book: Book) -> None:
    first = typed(book, check(skill=11, edge=True, drop=3), 7, 3, 7)
    typed(book, adjust(edge=-1))
    done = scribe(book).write(amend(first, skill=0))
    again = last(done, "move-played")
    assert again["verdict"] == {"says": "complete failure", "good": False, "margin": -11}
    assert again["looked"]["mara"]["edge/edge"] == 4
    assert {entry.since for entry in done.entries if entry.cause is not None} == {done.entries[1].seq, first - 1}
    assert again["throws"] == [first - 1]
    assert book.balance("mara", "edge/disadvantage.any") == 1
    assert book.accounts.balance("mara", "edge/disadvantage.any", AsOf(seq=first + 1)) is None
    assert book.accounts.balance("mara", "edge/disadvantage.any", AsOf(seq=first + 1, corrected=True)) == 1
    verify(book)


def test_typed_dice_can_be_corrected_and_those_of_the_machine_are_kept(book: Book) -> None:
    by_hand = typed(book, check(skill=11), 7, 6)
    by_machine = typed(book, check(skill=11))
    done = scribe(book).write(amend(by_hand, 7, 9))
    assert [die["face"] for die in last(done, "move-played")["dice"]] == [7, 9]
    with pytest.raises(Refused, match="so you cannot change them"):
        scribe(book).write(amend(by_machine, 7, 9))
    with pytest.raises(OtherDice, match="needs 3d10, but 2d10 were rolled"):
        scribe(book).write(amend(by_machine, edge=True))
    with pytest.raises(WrongFaces, match="2d10"):
        scribe(book).write(amend(done.entries[0].seq, 7))
    with pytest.raises(OtherDice, match="needs no dice, but 2d6 were rolled"):
        scribe(book).write(amend(typed(book, edge(Damage(who="mara", weapon=2, modifier=0)), 1, 1), weapon=0))
    rest = typed(book, edge(Rest(who="mara", kind="short")))
    for without_dice in (rest, typed(book, adjust(edge=-1))):
        with pytest.raises(WrongFaces, match="rolled no dice"):
            scribe(book).write(amend(without_dice, 7))


def test_a_hand_that_forgot_a_die_may_type_all_three(book: Book) -> None:
    wrong = typed(book, check(skill=11), 7, 6)
    done = scribe(book).write(amend(wrong, 7, 3, 6, edge=True, drop=3))
    assert last(done, "move-played")["verdict"]["says"] == "marginal success"
    assert book.balance("mara", "edge/edge") == 3


def test_an_answer_is_amended_with_the_move_that_asked(book: Book) -> None:
    question = typed(book, check(skill=11, edge=True), 7, 3, 7)
    answer = typed(book, Choose(question=question, chosen={"drop": 7}))
    assert part_of(book, question) == part_of(book, answer)
    done = scribe(book).write(amend(answer, skill=12, drop=3))
    assert last(done, "move-played")["inputs"]["drop"] == 3
    assert (book.balance("mara", "hold"), book.balance("mara", "edge/edge"), book.questions()) == (0, 3, [])
    with pytest.raises(Refused, match=f"#{question} was canceled by #{done.entries[0].seq}"):
        scribe(book).write(amend(answer, drop=7))
    verify(book)


def test_a_question_that_waits_is_amended_and_asks_again(book: Book) -> None:
    question = typed(book, check(skill=11, edge=True), 7, 3, 7)
    done = scribe(book).write(amend(question, skill=14))
    assert last(done, "question-asked")["inputs"]["skill"] == 14
    (waiting,) = book.questions()
    assert waiting != question
    typed(book, Choose(question=waiting, chosen={"drop": 3}))
    assert book.balance("mara", "hold") == 0
    verify(book)


def test_an_amendment_is_amended_by_its_own_number(book: Book) -> None:
    first = typed(book, check(skill=11), 7, 6)
    second = typed(book, amend(first, skill=12))
    third = scribe(book).write(amend(second, skill=20))
    assert last(third, "move-played")["since"] == first - 1
    assert last(third, "action-amended")["about"] == second + 2
    typed(book, Undo())
    assert part_of(book, second)[1].command == check(skill=12)
    assert book.mark("#struck", str(first - 1)) is not None
    verify(book)


def test_what_else_is_said_is_amended_with_its_own_inputs(book: Book) -> None:
    seat = typed(book, Seat(name="Bne", plays=("brak",), gm=False))
    opened = typed(book, OpenSession(title="The odl market", present=("p2",)))
    scene = typed(book, SetScene(title="At teh gate"))
    note = typed(book, Note(text="teh guide"))
    rolled = typed(book, Roll(who="mara", notation="2d6"), 3, 4)
    scribe(book).write(amend(seat, name="Ben"))
    scribe(book).write(amend(opened, title="The old market", present=("p2", "p3")))
    scribe(book).write(amend(scene, title="At the gate"))
    scribe(book).write(amend(note, text="the guide"))
    scribe(book).write(amend(rolled, notation="2d6+1"))
    assert book.players() == {"p1": "Tom", "p2": "Ana", "p3": "Ben"}
    assert (book.mark("campaign", "session"), book.balance("campaign", "session")) == (1, 1)
    assert book.entry(book.mark("campaign", "scene")).body["title"] == "At the gate"
    assert [entry.body["total"] for entry in book.journal.entries() if entry.type == "dice-counted"] == [7, 8]
    verify(book)


def test_names_with_values_are_amended_one_by_one(book: Book) -> None:
    joined = next(entry.seq for entry in book.journal.entries() if entry.body.get("system") == "edge")
    scribe(book).write(amend(joined, scores={"strength": 7}))
    assert (book.balance("mara", "edge/strength"), book.balance("mara", "edge/maximum")) == (7, 4)
    moved = typed(book, adjust(edge=-2, strength=-1))
    scribe(book).write(amend(moved, amounts={"edge/edge": -1}))
    assert (book.balance("mara", "edge/strength"), book.balance("mara", "edge/edge")) == (6, 3)


def test_the_knock_on_of_an_amendment_is_asked_about_and_nothing_is_struck_by_itself(book: Book) -> None:
    moved = typed(book, adjust(edge=-1))
    spent = typed(book, check(skill=11, edge=True, drop=3), 7, 3, 7)
    rest = typed(book, edge(Rest(who="mara", kind="long")))
    same = typed(book, check(skill=11, edge=True, drop=3), 7, 3, 7)
    scribe(book).write(amend(moved, amounts={"edge/edge": -4}))
    found = [(each.type, each.body["about"], each.body["finds"]) for each in asked(book) if "about" in each.body]
    assert found == [("knock-on-found", spent, "refused"), ("knock-on-found", rest, "otherwise")]
    assert same not in [about for _, about, _ in found]
    refused = asked(book)[0].body
    assert (refused["numbers"], refused["says"]) == ({"mara": {"edge/edge": 0}}, "mara has 0 edge and needs 1.")
    assert all(book.mark("#struck", str(book.entry(seq).act)) is None for seq in (spent, rest, same))
    verify(book)


def test_a_correction_that_leaves_a_score_as_far_beyond_its_limit_asks_no_second_question(book: Book) -> None:
    first, _ = typed(book, adjust(edge=-1)), typed(book, adjust(edge=-3))
    amended = scribe(book).write(amend(first, amounts={"edge/edge": -2}))
    assert [entry.type for entry in asked(book)] == ["limit-crossed"]
    scribe(book).write(decide(book.questions()[0], "stand"))
    scribe(book).write(amend(amended.entries[0].seq))
    assert (book.balance("mara", "edge/edge"), book.questions()) == (-1, [])


def test_a_cascade_amends_in_order_what_would_be_ruled_otherwise(book: Book) -> None:
    moved = typed(book, adjust(edge=-2))
    rest = typed(book, edge(Rest(who="mara", kind="long")))
    done = scribe(book).write(amend(moved, amounts={"edge/edge": -1}, cascade=True))
    assert [entry.body["about"] for entry in done.entries if entry.type == "action-amended"] == [moved, rest]
    assert (book.balance("mara", "edge/edge"), book.questions()) == (4, [])
    scribe(book).write(Undo())
    assert part_of(book, rest)[1].place == rest
    verify(book)


def test_settings_are_amended_at_their_own_entry_and_rulings_under_them_are_found(book: Book) -> None:
    settled = typed(book, ChangeSettings(system="edge", values={"injuries": "minor,serious,deadly"}))
    typed(book, edge(Injure(who="mara", severity="deadly", why="a fall")))
    lessened = typed(book, edge(Lessen(who="mara", severity="deadly")))
    scribe(book).write(amend(settled, values={"injuries": "minor,serious,critical,deadly"}))
    assert [(each.body["about"], each.body["finds"]) for each in asked(book)] == [(lessened, "otherwise")]
    assert asked(book)[0].body["numbers"] == {"campaign": {"edge/injuries": ["minor", "serious", "critical", "deadly"]}}
    scribe(book).write(decide(book.questions()[0], "amend"))
    assert (book.balance("mara", "edge/injury.critical"), book.balance("mara", "edge/injury.serious")) == (1, 1)
    verify(book)


def test_a_ruling_that_read_several_of_the_changed_numbers_is_asked_about_once(book: Book) -> None:
    settled = typed(book, ChangeSettings(system="edge", values={"injuries": "minor,serious,deadly"}))
    typed(book, edge(Injure(who="brak", severity="deadly", why="a fall")))
    typed(book, Adjust(who="brak", amounts={"edge/edge": 1}, why="so"))
    first, second = (typed(book, edge(Lessen(who="brak", severity=each))) for each in ("deadly", "serious"))
    done = scribe(book).write(amend(settled, cascade=True, values={"injuries": "minor,serious,critical,deadly"}))
    assert [entry.body["about"] for entry in done.entries if entry.type == "action-amended"] == [settled, first]
    found = [entry.body for entry in done.entries if entry.type == "knock-on-found"]
    assert [(each["about"], each["finds"]) for each in found] == [(second, "refused")]


def test_a_corrected_score_beyond_its_limits_is_a_question_not_an_error(book: Book) -> None:
    joined = next(entry.seq for entry in book.journal.entries() if entry.body.get("system") == "edge")
    scribe(book).write(amend(joined, scores={"edge": 4, "maximum": 4}))
    moved = typed(book, adjust(maximum=1))
    typed(book, adjust(edge=1))
    scribe(book).write(Void(strikes=moved, why="so"))
    (crossed,) = asked(book)
    assert (crossed.body["score"], crossed.body["value"], crossed.body["most"]) == ("edge/edge", 5, 4)
    scribe(book).write(decide(crossed.seq, "adjust"))
    assert (book.balance("mara", "edge/edge"), book.questions()) == (4, [])
    with pytest.raises(Refused, match="was already answered by"):
        scribe(book).write(decide(crossed.seq, "stand"))
    verify(book)


def test_a_rewind_turns_round_what_was_played_and_leaves_what_was_only_said(book: Book) -> None:
    question = typed(book, check(skill=11, edge=True), 7, 3, 7)
    before = accounts_of(book)
    typed(book, Choose(question=question, chosen={"drop": 3}))
    typed(book, OpenSession(title="One", present=()))
    typed(book, Note(text="stays"))
    typed(book, edge(Grant(who="brak", what="advantage", why="so")))
    dispute = typed(book, Dispute(about=question, player="p2", claim="no"))
    done = scribe(book).write(Rewind(to=question))
    assert [entry.body["strikes"] for entry in done.entries[1:]] == [question + 2, question + 5]
    after = accounts_of(book)
    assert book.questions() == [question, dispute]
    assert {who: after[who] for who in ("mara", "brak")} == {who: before[who] for who in ("mara", "brak")}
    assert after["campaign"]["session"] == 1
    with pytest.raises(Refused, match="nothing to cancel"):
        scribe(book).write(Rewind(to=question))
    verify(book)


def test_a_rewind_into_the_middle_of_a_cascade_keeps_what_was_put_right_before_it(book: Book) -> None:
    moved = typed(book, adjust(edge=-2))
    between = typed(book, Note(text="here"))
    rest = typed(book, edge(Rest(who="mara", kind="long")))
    scribe(book).write(amend(moved, amounts={"edge/edge": -1}, cascade=True))
    scribe(book).write(Rewind(to=between))
    assert book.balance("mara", "edge/edge") == 3
    assert {book.mark("#struck", str(act)) is None for act in (moved, rest)} == {False}
    scribe(book).write(Undo())
    assert book.balance("mara", "edge/edge") == 4
    verify(book)


def test_what_cannot_be_struck_or_amended_says_so(book: Book) -> None:
    note = typed(book, Note(text="one"))
    by = typed(book, Void(strikes=note, why="so"))
    with pytest.raises(Refused, match="cannot cancel the start of the campaign"):
        scribe(book).write(Void(strikes=1, why="so"))
    with pytest.raises(Refused, match=r"#2 is not the first entry of its action. The action starts with #1\."):
        scribe(book).write(Void(strikes=2, why="so"))
    with pytest.raises(Refused, match="cannot cancel the start of the campaign"):
        scribe(book).write(amend(1, title="x"))
    with pytest.raises(Refused, match=f"canceled by #{by}"):
        scribe(book).write(Void(strikes=note, why="so"))
    with pytest.raises(Refused, match="is a correction, and corrections cannot be amended"):
        scribe(book).write(amend(by))
    with pytest.raises(Refused, match="nothing to redo"):
        scribe(book).write(Redo())
    with pytest.raises(Refused, match="is not a roll"):
        scribe(book).write(Override(about=note, verdict="x", good=None, why="so"))
    with pytest.raises(UnknownName, match="p9"):
        scribe(book).write(Dispute(about=note, player="p9", claim="x"))


def test_an_undo_names_its_limit_only_if_the_campaign_has_more_actions_than_it_searches(book: Book) -> None:
    player, gm = scribe(book, by="p2"), scribe(book)
    for _ in range(UNDO_SEARCH_LIMIT + 1 - len([*book.acts_backwards()])):
        gm.write(Note(text="one more"))
    with pytest.raises(Refused, match="nothing left to undo") as refused:
        player.write(Undo())
    assert refused.value.hint == ""
    gm.write(Note(text="one more"))
    with pytest.raises(Refused, match="nothing left to undo") as refused:
        player.write(Undo())
    assert refused.value.hint.startswith("'undo' searches only the last 1,000 actions.")


def test_a_dispute_is_open_until_it_is_decided_and_linked_for_ever(book: Book) -> None:
    ruling = typed(book, check(skill=11), 7, 6)
    first, second, third = (typed(book, Dispute(about=ruling, player="p2", claim=each)) for each in "abc")
    assert line(book, book.action(ruling - 1)).disputed == (first, second, third)
    with pytest.raises(Refused, match=r"'stand' is not a valid decision for question #[0-9]+. Use keep, amend or void"):
        scribe(book).write(decide(first, "stand"))
    scribe(book).write(decide(first, "uphold"))
    amended = scribe(book).write(decide(second, "amend", skill=12))
    assert last(amended, "move-played")["inputs"]["skill"] == 12
    again = scribe(book).write(amend(amended.entries[0].seq, skill=13))
    assert last(again, "move-played")["inputs"]["skill"] == 13
    assert book.mark("#questions", str(second)) == again.entries[0].seq
    assert book.questions() == [third]
    with pytest.raises(BadInput, match="work only with 'amend'"):
        scribe(book).write(decide(third, "uphold", skill=1))
    assert [entry.type for entry in scribe(book).write(decide(third, "amend")).entries] == ["question-decided"]
    other = typed(book, Dispute(about=again.entries[-1].seq, player="p2", claim="d"))
    voided = scribe(book).write(decide(other, "void"))
    assert [entry.type for entry in voided.entries] == ["question-decided", "action-struck"]
    assert book.mark("#struck", str(amended.entries[0].seq)) is None
    verify(book)


def test_a_choice_is_not_decided(book: Book) -> None:
    question = typed(book, check(skill=11, edge=True), 7, 3, 7)
    with pytest.raises(Refused, match="is waiting for a choice"):
        scribe(book).write(decide(question, "uphold"))


def test_a_dispute_of_what_was_canceled_is_voided_and_not_amended(book: Book) -> None:
    ruling = typed(book, check(skill=11), 7, 6)
    dispute = typed(book, Dispute(about=ruling, player="p2", claim="no"))
    scribe(book).write(Void(strikes=ruling - 1, why="so"))
    with pytest.raises(Refused, match=f"#{ruling} was canceled, so you cannot amend it") as refused:
        scribe(book).write(decide(dispute, "amend", skill=12))
    assert refused.value.hint == f"Decide 'void' instead: campaign decide {dispute} void --why TEXT"
    assert [entry.type for entry in scribe(book).write(decide(dispute, "void")).entries] == ["question-decided"]


def test_to_void_a_disputed_roll_also_cancels_the_choice_that_changed_it() -> None:
    with every_game() as book:
        before = accounts_of(book)["mara"]
        ruling = typed(
            book, PlayMove(system="multicheck", move=OneTest(who="mara", attribute="cunning", difficulty=30)), 80
        )
        dispute = typed(book, Dispute(about=ruling, player="p2", claim="no"))
        changed = scribe(book).write(AcceptOffer(ruling=ruling, chosen={"reroll": True}), faces=(1,)).entries[0].seq
        voided = scribe(book).write(decide(dispute, "void"))
        assert [entry.type for entry in voided.entries] == ["question-decided", "action-struck"]
        assert {book.is_struck(act) for act in (ruling - 1, changed)} == {True}
        assert (accounts_of(book)["mara"], book.questions()) == (before, [])
        assert [each.says for each in audit(book, "2026-11-22").findings] == []


def test_to_void_a_disputed_roll_also_cancels_its_amendments_but_brings_back_what_they_changed_besides(
    book: Book,
) -> None:
    moved = typed(book, adjust(edge=-2))
    rest = typed(book, edge(Rest(who="mara", kind="long")))
    dispute = typed(book, Dispute(about=moved, player="p2", claim="no"))
    first = scribe(book).write(amend(moved, amounts={"edge/edge": -1}, cascade=True)).entries[0].seq
    scribe(book).write(amend(first, amounts={"edge/edge": -3}))
    scribe(book).write(decide(dispute, "void"))
    assert (book.is_struck(moved), book.is_struck(rest), book.balance("mara", "edge/edge")) == (True, False, 6)
    assert [each.says for each in audit(book, "2026-11-22").findings] == []


def test_a_disputed_entry_that_a_rewind_kept_is_not_voided_because_that_would_cancel_the_rewind(book: Book) -> None:
    moved = typed(book, adjust(edge=-2))
    between = typed(book, Note(text="here"))
    typed(book, edge(Rest(who="mara", kind="long")))
    dispute = typed(book, Dispute(about=moved, player="p2", claim="no"))
    scribe(book).write(amend(moved, amounts={"edge/edge": -1}, cascade=True))
    rewound = scribe(book).write(Rewind(to=between)).entries
    kept = next(entry.seq for entry in rewound if entry.type == "score-adjusted")
    with pytest.raises(Refused, match=f"#{kept} replaced #{moved}") as refused:
        scribe(book).write(decide(dispute, "void"))
    assert refused.value.hint == f"Amend #{kept}, or void #{kept} first."


def test_an_assertion_that_differs_is_a_question_and_can_be_made_true(book: Book) -> None:
    held = typed(book, AssertScores(who="mara", claimed={"edge/edge": 4}))
    assert (book.questions(), book.mark("#asserted", "mara:edge/edge")) == ([], held)
    with pytest.raises(UnknownName, match="has no question"):
        question_of(book, held)
    false = typed(book, AssertScores(who="mara", claimed={"edge/edge": 2, "edge/maximum": 4}))
    assert book.entry(false).body["stood"] == {"edge/edge": 4, "edge/maximum": 4}
    scribe(book).write(decide(false, "adjust"))
    assert (book.balance("mara", "edge/edge"), book.questions()) == (2, [])
    assert [(reason.amount, reason.replaced) for reason in why(book, "mara", "edge/edge").reasons] == [
        (4, ()),
        (-2, ()),
    ]
    beyond = typed(book, AssertScores(who="mara", claimed={"edge/edge": 9}))
    with pytest.raises(OutOfRange):
        scribe(book).write(decide(beyond, "adjust"))
    scribe(book).write(decide(beyond, "stand"))
    assert (book.balance("mara", "edge/edge"), book.questions()) == (2, [])
    verify(book)


def test_a_correction_said_twice_under_one_id_is_written_once(book: Book) -> None:
    ruling = typed(book, check(skill=11), 7, 6)
    dispute = typed(book, Dispute(about=ruling, player="p2", claim="no"))
    commands: list[Command] = [
        Amend(named=ruling, inputs={"skill": 12}, faces=(7, 7), cascade=False, why="so"),
        Undo(),
        Redo(),
        decide(dispute, "uphold"),
        Void(strikes=next(book.acts_backwards()), why="so"),
        Rewind(to=ruling - 2, why="so"),
        AssertScores(who="mara", claimed={"edge/edge": 4}),
    ]
    for place, command in enumerate(commands):
        done = scribe(book).write(command, once=f"id {place}")
        again = scribe(book).write(command, once=f"id {place}")
        assert (again.again, again.entries) == (True, done.entries)
        with pytest.raises(OnceDiffers):
            scribe(book).write(Note(text="x"), once=f"id {place}")
    with pytest.raises(OnceDiffers, match="a different value for skill: 12, not 13"):
        scribe(book).write(commands[0].replace(inputs={"skill": 13}), once="id 0")


def test_a_decision_to_amend_said_twice_under_one_id_is_written_once(book: Book) -> None:
    ruling = typed(book, check(skill=11), 7, 6)
    dispute = typed(book, Dispute(about=ruling, player="p2", claim="no"))
    said = decide(dispute, "amend", skill=14)
    done = scribe(book).write(said, once="a")
    assert scribe(book).write(said, once="a").entries == done.entries
    with pytest.raises(OnceDiffers, match="a different value for skill: 14, not 15"):
        scribe(book).write(decide(dispute, "amend", skill=15), once="a")


def test_a_choice_said_twice_under_one_id_is_written_once_and_is_of_one_ruling() -> None:
    with every_game() as book:
        test = PlayMove(system="multicheck", move=OneTest(who="mara", attribute="cunning", difficulty=30))
        ruling = scribe(book).write(test, faces=(80,)).entries[1].seq
        said = AcceptOffer(ruling=ruling, chosen={"reroll": True})
        done = scribe(book).write(said, faces=(1,), once="a")
        assert scribe(book).write(said, faces=(1,), once="a").entries == done.entries
        for other in (done.entries[0].seq, ruling - 2):
            with pytest.raises(OnceDiffers):
                scribe(book).write(said.replace(ruling=other), faces=(1,), once="a")


def test_a_decision_to_amend_the_dice_said_twice_under_one_id_is_written_once(book: Book) -> None:
    dispute = typed(book, Dispute(about=typed(book, check(skill=11), 7, 6), player="p2", claim="it was 8"))
    said = decide(dispute, "amend").replace(faces=(8, 6))
    scribe(book).write(said, once="a")
    assert scribe(book).write(said, once="a").again
    with pytest.raises(OnceDiffers, match="a different value for faces"):
        scribe(book).write(said.replace(faces=(9, 6)), once="a")


def test_a_plan_is_worked_out_again_and_written_only_if_it_is_the_same(book: Book) -> None:
    moved = typed(book, adjust(edge=-1))
    said = amend(moved, amounts={"edge/edge": -4})
    agreed = scribe(book).write(said, dry=True)
    typed(book, Note(text="meanwhile"))
    again = scribe(book).write(said, dry=True, agreed=agreed)
    assert again.gist == agreed.gist
    ruling = typed(book, check(skill=11, edge=True, drop=3), 7, 3, 7)
    head = book.head()
    with pytest.raises(
        ResultChanged, match=f"somebody wrote #{head - 3} to #{head}.*a question about #{ruling}, not no further entry"
    ):
        scribe(book).write(said, agreed=agreed)
    assert book.head() == head


def test_of_a_plan_that_changed_the_first_difference_is_named(book: Book) -> None:
    moved = typed(book, adjust(edge=-1, maximum=1))
    spent = typed(book, check(skill=11, edge=True, drop=3), 7, 3, 7)
    place, rest, less = spent - 1, edge(Rest(who="mara", kind="long")), {"edge/edge": -2}
    again = f"a different result for #{place}"
    plans: list[tuple[Command, Command, str, str]] = [
        (Undo(), rest, "a cancellation of #{}", f"a cancellation of #{place}"),
        (amend(moved, amounts=less, cascade=True), rest, "an amendment of #{}", "no further entry"),
        (
            Void(strikes=moved, why="so"),
            adjust(edge=3),
            "a question about a score beyond its limits",
            "no further entry",
        ),
        (amend(spent, skill=12), amend(moved, amounts=less), again, again),
        (edge(Rest(who="mara", kind="short")), adjust(edge=-1), "a different result", "a different result"),
    ]
    for said, meanwhile, now, was in plans:
        agreed = scribe(book).write(said, dry=True)
        written = typed(book, meanwhile)
        other = "" if now == was else f": {now.format(written)}, not {was}"
        with pytest.raises(ResultChanged, match=f"would now do something else{other}\\. Nothing was written"):
            scribe(book).write(said, agreed=agreed)
        typed(book, Undo())


def test_an_amendment_keeps_what_was_erased_as_erased(book: Book) -> None:
    note = typed(book, Note(text="a name"))
    ruling = typed(book, check(skill=11, bonus=1, why="a name", advantage=("a name",)), 7, 6, 5)
    scribe(book).write(Erase(entries=(note, ruling)))
    assert last(scribe(book).write(amend(note)), "note-written")["text"] == "(erased)"
    again = last(scribe(book).write(amend(ruling, skill=12)), "move-played")
    assert (again["inputs"]["why"], again["inputs"]["advantage"]) == ("(erased)", ["(erased)"])
    assert with_texts(5) == 5


def test_a_move_that_the_installed_game_does_not_know_is_not_played_again(book: Book, monkeypatch: Any) -> None:
    ruling = typed(book, PlayMove(system="coin", move=__import__("coin").Wait(who="mara")))
    monkeypatch.setattr("ledger.rules.system.System.move", lambda self, name: None)
    with pytest.raises(UnknownName, match="does not know the move of"):
        scribe(book).write(amend(ruling))


def test_a_closed_session_has_nothing_to_amend_but_can_be_played_again(book: Book) -> None:
    typed(book, OpenSession(title="One", present=()))
    closed = typed(book, CloseSession())
    scribe(book).write(amend(closed))
    assert book.mark("campaign", "session") is None
    assert isinstance(part_of(book, closed)[1].command, CloseSession)


def test_a_character_who_joins_later_is_not_there_before(book: Book) -> None:
    joined = typed(book, Join(who="sam", system="edge", scores={"maximum": 2}))
    assert book.as_of(joined).mark("#cast", "sam") is None
    assert (book.as_of(joined).last_handle_number(), book.as_of(joined + 1).balance("sam", "hold")) == (2, 0)


def test_a_decision_under_an_id_is_not_another_command(book: Book) -> None:
    typed(book, AssertScores(who="mara", claimed={"edge/edge": 9}))
    scribe(book).write(Note(text="x"), once="a")
    with pytest.raises(OnceDiffers, match="for a different command"):
        scribe(book).write(decide(book.questions()[0], "stand"), once="a")


def test_of_several_questions_one_is_named(book: Book) -> None:
    moved = typed(book, adjust(edge=-1))
    typed(book, check(skill=11, edge=True, drop=3), 7, 3, 7)
    typed(book, edge(Rest(who="mara", kind="long")))
    done = scribe(book).write(amend(moved, amounts={"edge/edge": -4}))
    first, second = book.questions()
    with pytest.raises(UnknownName, match=f"has several questions: #{first}, #{second}") as refused:
        question_of(book, done.entries[0].seq)
    assert refused.value.hint == "Type the number of the question that you mean."
    assert question_of(book, book.questions()[1]).seq == book.questions()[1]


def test_dice_and_what_followed_belong_to_the_part_of_their_ruling(book: Book) -> None:
    ruling = typed(book, check(skill=11, edge=True, drop=3), 7, 3, 7)
    parts = {part_of(book, seq)[1].root for seq in (ruling - 1, ruling, ruling + 1)}
    assert parts == {ruling}


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (Rewind(to=8), "undoes #10 (rewind to #8)"),
        (Dispute(about=9, player="p2", claim="no"), "undoes #10 (dispute of #9)"),
        (Override(about=9, verdict="x", good=None, why="so"), "undoes #10 (override of #9)"),
        (AssertScores(who="mara", claimed={"edge/edge": 4}), "undoes #10 (mara's paper sheet)"),
        (Void(strikes=8, why="so"), "undoes #10 (voids #9)"),
        (amend(9, skill=12), "undoes #10 (amendment of #9)"),
    ],
    ids=lambda each: str(each)[:20],
)
def test_an_undone_correction_is_named_in_a_few_words(book: Book, command: Command, says: str) -> None:
    typed(book, check(skill=11), 7, 6)
    head = book.head()
    if isinstance(command, Rewind):
        command = Rewind(to=head - 2)
        says = f"undoes #10 (rewind to #{head - 2})"
    scribe(book).write(command)
    assert line(book, scribe(book).write(Undo()).entries).says == says


def test_a_ruling_that_would_now_ask_says_so(book: Book) -> None:
    body = {
        "about": typed(book, check(skill=11), 7, 6),
        "finds": "otherwise",
        "numbers": {},
        "verdict": None,
        "says": None,
        "postings": [],
        "marks": [],
    }
    entry = book.journal.entry(1).replace(type="knock-on-found", raw=body)
    assert tell(book, entry).endswith("; the player would have to choose")


def test_an_answer_falls_once_with_what_asked_when_both_are_rewound(book: Book) -> None:
    before = accounts_of(book)
    question = typed(book, check(skill=0, edge=True), 1, 1, 2)
    typed(book, Choose(question=question, chosen={"drop": 2}))
    done = scribe(book).write(Rewind(to=7))
    assert [entry.body["strikes"] for entry in done.entries[1:]] == [question - 1]
    assert accounts_of(book) == before
    verify(book)


def test_what_a_rewind_kept_of_a_cascade_is_still_told_why(book: Book) -> None:
    moved = typed(book, adjust(edge=-2))
    between = typed(book, Note(text="here"))
    typed(book, edge(Rest(who="mara", kind="long")))
    scribe(book).write(amend(moved, amounts={"edge/edge": -1}, cascade=True))
    scribe(book).write(Rewind(to=between))
    found = why(book, "mara", "edge/edge")
    assert [(reason.amount, reason.since) for reason in found.reasons] == [(4, 4), (-1, moved)]
    assert found.value == 3


def test_a_ruling_of_which_only_what_follows_would_be_otherwise_says_so(book: Book) -> None:
    moved = typed(book, adjust(edge=-2))
    typed(book, edge(Rest(who="mara", kind="long")))
    scribe(book).write(amend(moved, amounts={"edge/edge": -1}))
    waiting, _ = questions(book)
    assert waiting.says.endswith(
        "(mara takes a long rest) used mara's edge (then 2; now 3); later results would change"
    )
    scribe(book).write(decide(waiting.seq, "void"))
    assert line(book, scribe(book).write(Undo()).entries).says.endswith(f"(decision on #{waiting.seq})")


def test_the_knock_on_of_a_long_journal_is_looked_for_by_name(book: Book) -> None:
    moved = typed(book, adjust(edge=-1))
    typed(book, check(skill=11), 7, 6)
    head = book.head()
    scribe(book).write(amend(moved, amounts={"edge/edge": -2}))
    assert list(book.corrected_rows(head)) == [("mara", "edge/edge", moved), ("mara", "edge/edge", moved)]
    assert list(knock_ons(book, head, {})) == []
    assert [entry.seq for entry in book.search(["score-adjusted"], 1, ["amounts"])] == [moved, head + 3]


class Both(Command):
    """Two moves under one lock, as one action."""

    one: Command
    other: Command

    def decide(self, draft: BookDraft) -> None:
        self.one.decide(draft)
        self.other.decide(draft)


def test_of_an_action_of_several_moves_the_one_that_is_named_is_amended(book: Book) -> None:
    typed(book, adjust(edge=-3))
    award = Award(who="mara", amount=1, why="well done")
    done = scribe(book).write(Both(one=edge(award), other=edge(Rest(who="mara", kind="short"))))
    first, second = (entry.seq for entry in done.entries if entry.type == "move-played")
    assert book.balance("mara", "edge/edge") == 3
    amended = scribe(book).write(amend(second, kind="long"))
    assert [entry.since for entry in amended.entries if entry.type == "move-played"] == [first, second]
    assert (book.balance("mara", "edge/edge"), book.questions()) == (4, [])
    again = scribe(book).write(amend(amended.entries[0].seq, kind="short"))
    assert [entry.body["inputs"].get("kind") for entry in again.entries if entry.type == "move-played"] == [
        None,
        "short",
    ]
    third = scribe(book).write(amend(next(e.seq for e in again.entries if e.type == "move-played"), amount=2))
    assert last(third, "action-amended")["inputs"] == {"amount": 2}
    assert (book.balance("mara", "edge/edge"), book.questions()) == (4, [])
    found = why(book, "mara", "edge/edge")
    assert [(reason.amount, reason.since) for reason in found.reasons[2:]] == [(2, first), (1, second)]
    assert [len(reason.replaced) for reason in found.reasons[2:]] == [3, 3]
    assert [reason.replaced[-1].split(" because")[0] for reason in found.reasons[2:]] == [
        f"replaced #{first} (mara earns edge)",
        f"replaced #{second} (mara takes a short rest)",
    ]
    for _ in range(4):
        scribe(book).write(Undo())
    assert book.balance("mara", "edge/edge") == 1
    verify(book)


def skilled(**inputs: Any) -> PlayMove:
    """A check whose bonus stands on the sheet: cunning 5, presence 6, deception 4."""
    return check(ranks="deception", attributes=("cunning", "presence"), **inputs)


def test_an_answer_falls_also_when_its_question_falls_by_a_strike_of_a_strike(book: Book) -> None:
    question = typed(book, check(skill=11, edge=True), 7, 3, 7)
    typed(book, Undo())
    redone = typed(book, Redo())
    typed(book, Choose(question=question, chosen={"drop": 3}))
    scribe(book).write(Void(strikes=redone, why="so"))
    assert (book.balance("mara", "hold"), book.balance("mara", "edge/edge"), book.questions()) == (0, 4, [])
    verify(book)


def test_what_an_amendment_asked_is_asked_again_when_it_is_amended(book: Book) -> None:
    moved = typed(book, adjust(edge=-1))
    spent = typed(book, check(skill=11, edge=True, drop=3), 7, 3, 7)
    first = typed(book, amend(moved, amounts={"edge/edge": -4}))
    kinds = [each.type for each in asked(book)]
    assert kinds == ["knock-on-found", "limit-crossed"]
    scribe(book).write(Amend(named=first, inputs={"why": "another reason"}, faces=None, cascade=False, why="so"))
    assert [each.type for each in asked(book)] == kinds
    assert asked(book)[0].body["about"] == spent
    verify(book)


def cascade_of_two(book: Book) -> tuple[int, int, int, int]:
    """Two adjustments, a check that both touch, a note, another: the second is amended in a cascade, with both checks."""
    first = typed(book, adjust(edge=-1))
    second = typed(book, adjust(**{"skill.deception": 1}))
    ruling = typed(book, skilled(edge=True, drop=3), 7, 3, 7)
    noted = typed(book, Note(text="here"))
    later = typed(book, skilled(edge=True, drop=3), 7, 3, 7)
    done = scribe(book).write(amend(second, amounts={"edge/skill.deception": 2}, cascade=True))
    assert [entry.body["about"] for entry in done.entries if entry.type == "action-amended"] == [second, ruling, later]
    return first, done.entries[0].seq, ruling, noted


def test_a_rewind_keeps_what_was_ruled_even_where_it_would_now_be_refused(book: Book) -> None:
    first, _, _, noted = cascade_of_two(book)
    scribe(book).write(amend(first, amounts={"edge/edge": -4}))
    assert [each.body["finds"] for each in asked(book) if each.type == "knock-on-found"] == ["refused", "refused"]
    known = accounts_of(book, AsOf(seq=noted, corrected=True))["mara"]
    done = scribe(book).write(Rewind(to=noted))
    assert accounts_of(book)["mara"] == known
    kept = [
        entry for entry in done.entries if entry.since < entry.seq and entry.type in {"score-adjusted", "move-played"}
    ]
    assert [entry.type for entry in kept] == ["score-adjusted", "move-played"]
    assert [each.body["finds"] for each in asked(book) if each.type == "knock-on-found"] == ["refused"]
    assert last(done, "question-closed")["reason"] == "canceled"
    verify(book)


def test_to_amend_one_part_of_a_cascade_keeps_the_others_as_they_were_ruled(book: Book) -> None:
    first, cascaded, _, _ = cascade_of_two(book)
    scribe(book).write(amend(first, amounts={"edge/edge": -4}))
    again = scribe(book).write(amend(cascaded, amounts={"edge/skill.deception": 3}))
    assert [entry.body["verdict"]["margin"] for entry in again.entries if entry.type == "move-played"] == [16, 16]
    found = [each.body for each in asked(book) if each.type == "knock-on-found"]
    assert [each["finds"] for each in found] == ["refused", "refused"]
    assert again.entries[0].seq + 3 in [each["about"] for each in found]
    verify(book)


def test_a_cascade_rules_otherwise_on_the_other_parts_of_an_amendment_too(book: Book) -> None:
    _, cascaded, _, _ = cascade_of_two(book)
    again = scribe(book).write(amend(cascaded, amounts={"edge/skill.deception": -1}, cascade=True))
    assert [entry.body["verdict"]["margin"] for entry in again.entries if entry.type == "move-played"] == [13, 13]
    assert book.questions() == []
    verify(book)


def test_a_kept_part_takes_the_answer_to_its_question_along(book: Book) -> None:
    question = typed(book, PlayMove(system="coin", move=Flip(who="mara", stake=2)), 1)
    typed(book, Choose(question=question, chosen={"call": "heads"}))
    before = accounts_of(book)["mara"]
    both = scribe(book).write(Both(one=adjust(edge=-1), other=edge(Rest(who="mara", kind="short"))))
    scribe(book).write(amend(both.entries[0].seq, amounts={"edge/edge": -2}))
    assert accounts_of(book)["mara"]["edge/edge"] == 3
    assert {name: held for name, held in before.items() if name != "edge/edge"}.items() <= accounts_of(book)[
        "mara"
    ].items()


def test_a_rewind_into_a_cascade_leaves_who_joined_and_what_was_settled(book: Book) -> None:
    settled = typed(book, ChangeSettings(system="edge", values={"injuries": "minor,serious,deadly"}))
    typed(book, edge(Injure(who="mara", severity="deadly", why="a fall")))
    typed(book, edge(Lessen(who="mara", severity="deadly")))
    scribe(book).write(amend(settled, values={"injuries": "minor,serious,critical,deadly"}, cascade=True))
    scribe(book).write(Rewind(to=7))
    assert book.mark("campaign", "edge/injuries") == ["minor", "serious", "critical", "deadly"]
    assert (book.balance("mara", "edge/injury.critical") or 0, book.balance("mara", "edge/edge")) == (0, 4)
    verify(book)


def test_a_session_whose_title_was_amended_is_where_it_was(book: Book) -> None:
    opened = typed(book, OpenSession(title="Oen", present=()))
    scene = typed(book, SetScene(title="Gaet"))
    ruling = typed(book, check(skill=11), 7, 6)
    closed = typed(book, CloseSession())
    typed(book, OpenSession(title="Two", present=()))
    scribe(book).write(amend(opened, title="One"))
    scribe(book).write(amend(scene, title="Gate"))
    assert session_span(book, 1) == (opened, closed)
    for when in (NOW, NOW.replace(corrected=True)):
        for look in (chronicle, full_chronicle):
            one = next(each for each in look(book, when) if each.number == 1)
            assert (one.title, [each.title for each in one.scenes]) == ("One", ["Gate"])
            assert [each.seq for each in one.lines] == [ruling]
    typed(book, Undo())
    typed(book, Undo())
    for look in (chronicle, full_chronicle):
        assert next(each for each in look(book) if each.number == 1).title == "Oen"
    scribe(book).write(Void(strikes=closed, why="so"))
    assert session_span(book, 1)[0] == opened


def test_an_override_is_of_one_ruling_and_not_of_what_was_amended_with_it(book: Book) -> None:
    _, cascaded, ruling, _ = cascade_of_two(book)
    rulings = [entry for entry in book.action(cascaded) if entry.type == "move-played"]
    scribe(book).write(Override(about=rulings[0].seq, verdict="she falls", good=False, why="so"))
    assert line(book, book.action(cascaded)).overridden is None
    assert line(book, [rulings[0]]).overridden is not None
    with pytest.raises(Refused, match="was canceled by"):
        scribe(book).write(Override(about=ruling, verdict="x", good=None, why="so"))


def test_an_id_of_an_amendment_is_not_one_of_a_command_that_it_played_again(book: Book) -> None:
    said = adjust(edge=-1)
    moved = typed(book, said)
    ruling = typed(book, check(skill=11), 7, 6)
    scribe(book).write(amend(moved, amounts={"edge/edge": -2}), once="a")
    with pytest.raises(OnceDiffers, match="for a different command"):
        scribe(book).write(adjust(edge=-2), once="a")
    dice = amend(ruling - 1, skill=12)
    assert scribe(book).write(dice, once="b").entries == scribe(book).write(dice, once="b").entries
    with pytest.raises(OnceDiffers, match="for a different command"):
        scribe(book).write(check(skill=12), faces=(7, 6), once="b")


def test_to_adjust_goes_to_what_the_paper_says_also_after_the_book_was_put_right(book: Book) -> None:
    moved = typed(book, adjust(edge=-2))
    false = typed(book, AssertScores(who="mara", claimed={"edge/edge": 3}))
    second = typed(book, AssertScores(who="mara", claimed={"edge/edge": 3}))
    scribe(book).write(amend(moved, amounts={"edge/edge": -1}))
    for question in (false, second):
        with pytest.raises(Refused, match="There is nothing left to adjust") as refused:
            scribe(book).write(decide(question, "adjust"))
        assert refused.value.hint == f"To keep the scores as they are: campaign decide {question} keep --why TEXT"


def test_a_seat_is_not_amended_to_a_name_that_somebody_has(book: Book) -> None:
    typed(book, Seat(name="Ben", plays=(), gm=False))
    with pytest.raises(Refused, match="Ben is already at the table, as p3"):
        scribe(book).write(amend(3, name="ben"))


def test_a_question_about_what_was_struck_meanwhile_is_decided_as_it_is(book: Book) -> None:
    moved = typed(book, adjust(edge=-1))
    rest = typed(book, edge(Rest(who="mara", kind="long")))
    dispute = typed(book, Dispute(about=rest, player="p2", claim="no"))
    scribe(book).write(amend(moved, amounts={"edge/edge": -2}))
    (found,) = [each.seq for each in asked(book) if each.type == "knock-on-found"]
    voided = scribe(book).write(Void(strikes=rest, why="so"))
    assert [entry.body["question"] for entry in voided.entries if entry.type == "question-closed"] == [found]
    (waiting,) = questions(book)
    assert waiting.says.endswith(f"; #{rest} was voided by #{found + 1}")
    with pytest.raises(Refused, match="was canceled, so you cannot amend it"):
        scribe(book).write(decide(dispute, "amend"))
    scribe(book).write(decide(dispute, "void"))
    assert book.questions() == []
    verify(book)


def test_a_later_correction_asks_about_a_ruling_in_place_of_the_earlier_one(book: Book) -> None:
    moved = typed(book, adjust(edge=-1))
    rest = typed(book, edge(Rest(who="mara", kind="long")))
    first = typed(book, amend(moved, amounts={"edge/edge": -2}))
    scribe(book).write(amend(first, amounts={"edge/edge": -3}))
    assert [each.body["about"] for each in asked(book) if each.type == "knock-on-found"] == [rest]
    typed(book, adjust(strength=1))
    typed(book, Undo())
    typed(book, Undo())
    assert len([each for each in asked(book) if each.type == "knock-on-found"]) == 1
    verify(book)


def test_what_is_dropped_from_a_move_so_that_it_asks_is_told(book: Book) -> None:
    question = typed(book, check(skill=11, edge=True), 7, 3, 7)
    answer = typed(book, Choose(question=question, chosen={"drop": 7}))
    done = scribe(book).write(amend(answer, drop=None))
    (waiting,) = book.questions()
    assert line(book, done.entries).waits == (waiting,)
    assert questions(book)[0].asks == ("drop",)
    verify(book)


def test_a_copy_of_what_was_said_keeps_what_the_journal_holds_by_its_number(book: Book) -> None:
    typed(book, OpenSession(title="One", present=()))
    scribe(book).write(Both(one=SetScene(title="Gate"), other=adjust(edge=-1)))
    done = scribe(book).write(amend(book.head(), amounts={"edge/edge": -2}))
    scene = next(entry.seq for entry in done.entries if entry.type == "scene-set")
    assert book.mark("campaign", "scene") == scene
    assert book.entry(scene).body["title"] == "Gate"
    other = Adjust(who="brak", amounts={"edge/strength": 1}, why="so")
    asks = scribe(book).write(Both(one=PlayMove(system="coin", move=Flip(who="mara")), other=other))
    question = next(entry.seq for entry in asks.entries if entry.type == "question-asked")
    typed(book, Choose(question=question, chosen={"call": "heads"}))
    before = accounts_of(book)["mara"]
    scribe(book).write(amend(asks.entries[-1].seq, amounts={"edge/strength": 2}))
    assert accounts_of(book)["mara"] == before
    assert book.questions() == []
    copied = [entry for entry in book.journal.entries() if entry.body.get("answers")]
    assert [entry.body["answers"] for entry in copied] == [question, copied[1].seq - 2]


def test_a_question_that_was_copied_with_its_answer_is_copied_with_it_again(book: Book) -> None:
    strength = Adjust(who="brak", amounts={"edge/strength": 1}, why="so")
    asks = scribe(book).write(Both(one=PlayMove(system="coin", move=Flip(who="mara")), other=strength))
    question = next(entry.seq for entry in asks.entries if entry.type == "question-asked")
    typed(book, Choose(question=question, chosen={"call": "heads"}))
    before = accounts_of(book)["mara"]
    first = scribe(book).write(amend(asks.entries[-1].seq, amounts={"edge/strength": 2}))
    second = scribe(book).write(amend(first.entries[-1].seq, amounts={"edge/strength": 3}))
    asked, answer = (entry.seq for entry in second.entries if entry.type in {"question-asked", "move-played"})
    assert book.entry(answer).body["answers"] == asked
    assert (accounts_of(book)["mara"], book.questions()) == (before, [])


def test_an_entry_that_nothing_can_be_made_of_is_not_played_again(book: Book, monkeypatch: Any) -> None:
    moved = typed(book, adjust(edge=-1))
    amended = typed(book, amend(moved, amounts={"edge/edge": -2}))
    whole = again.action_of
    monkeypatch.setattr(
        again, "action_of", lambda stands, act: whole(stands, act) if act == moved else again.Action(act=act, parts=())
    )
    for entry in (amended, amended + 2):
        with pytest.raises(Refused, match="cannot be amended"):
            part_of(book, entry)


def test_every_event_that_speaks_about_others_can_be_spoken_about(book: Book) -> None:
    moved = typed(book, adjust(edge=-1))
    typed(book, check(skill=11, edge=True, drop=3), 7, 3, 7)
    scribe(book).write(amend(moved, amounts={"edge/edge": -4}))
    kinds = {each.type: each.seq for each in asked(book)}
    assert kinds.keys() == {"knock-on-found", "limit-crossed"}
    for seq in kinds.values():
        dispute = typed(book, Dispute(about=seq, player="p2", claim="no"))
        assert describe_entry(book, dispute) == f"#{dispute} (dispute of #{seq})"
        assert tell(book, book.entry(dispute)).startswith("Ana disputes #")
        with pytest.raises(Refused, match="is a correction, and corrections cannot be amended"):
            scribe(book).write(amend(seq))


def test_what_is_copied_keeps_the_override_and_the_dispute(book: Book) -> None:
    _, cascaded, _, _ = cascade_of_two(book)
    ruling = next(entry for entry in book.action(cascaded) if entry.type == "move-played")
    scribe(book).write(Override(about=ruling.seq, verdict="she falls", good=False, why="so"))
    dispute = typed(book, Dispute(about=ruling.seq, player="p2", claim="no"))
    again_ = scribe(book).write(amend(cascaded, amounts={"edge/skill.deception": 3}))
    copy = next(entry for entry in again_.entries if entry.type == "move-played")
    told_ = line(book, [book.entry(copy.seq)])
    assert told_.overridden is not None
    assert told_.disputed == (dispute,)
    done = scribe(book).write(decide(dispute, "amend", target=30))
    assert next(entry for entry in done.entries if entry.type == "move-played").body["inputs"]["target"] == 30
    verify(book)


def test_a_dispute_stays_tied_to_its_ruling_however_often_its_action_is_amended(book: Book) -> None:
    _, cascaded, _, _ = cascade_of_two(book)
    ruling = next(entry for entry in book.action(cascaded) if entry.type == "move-played")
    dispute = typed(book, Dispute(about=ruling.seq, player="p2", claim="no"))
    for number in (3, 2, 1):
        done = scribe(book).write(amend(cascaded, amounts={"edge/skill.deception": number}))
        cascaded = done.entries[0].seq
        copy = next(entry for entry in done.entries if entry.type == "move-played")
        assert line(book, [book.entry(copy.seq)]).disputed == (dispute,)
    verify(book)


def test_a_rewind_keeps_the_decision_of_what_it_keeps(book: Book) -> None:
    moved = typed(book, adjust(**{"skill.deception": -1}))
    noted = typed(book, Note(text="here"))
    typed(book, skilled(), 7, 6)
    dispute = typed(book, Dispute(about=moved, player="p2", claim="no"))
    said = decide(dispute, "amend", amounts={"edge/skill.deception": 1})
    scribe(book).write(said.replace(cascade=True))
    scribe(book).write(Rewind(to=noted))
    assert (book.questions(), book.balance("mara", "edge/skill.deception")) == ([], 5)
    typed(book, Undo())
    assert book.questions() == []
    verify(book)


def test_a_ruling_that_stands_again_is_looked_at_again(book: Book) -> None:
    moved = typed(book, adjust(**{"skill.deception": -3}))
    ruling = typed(book, skilled(), 7, 6)
    amended = typed(book, amend(ruling, target=10))
    scribe(book).write(Void(strikes=moved, why="so"))
    assert [each.body["about"] for each in asked(book)] == [amended + 2]
    scribe(book).write(Void(strikes=amended, why="so"))
    assert [each.body["about"] for each in asked(book)] == [ruling]
    verify(book)


def test_a_question_about_a_ruling_with_dice_is_asked_once(book: Book) -> None:
    moved = typed(book, adjust(**{"skill.deception": -3}))
    ruling = typed(book, skilled(), 7, 6)
    scribe(book).write(Void(strikes=moved, why="so"))
    scribe(book).write(amend(ruling, target=10))
    joined = next(entry.seq for entry in book.journal.entries() if entry.body.get("system") == "edge")
    scribe(book).write(amend(joined, scores={"skill.deception": 9}))
    assert len(asked(book)) == 1


def test_a_plan_that_names_its_own_entries_is_the_same_after_a_note(book: Book) -> None:
    _, cascaded, _, _ = cascade_of_two(book)
    said = amend(cascaded, amounts={"edge/skill.deception": 3})
    agreed = scribe(book).write(said, dry=True)
    assert [entry.type for entry in agreed.entries].count("knock-on-found") == 2
    typed(book, Note(text="meanwhile"))
    assert scribe(book).write(said, agreed=agreed).gist == agreed.gist


def test_an_answer_does_not_stand_again_beside_a_later_one(book: Book) -> None:
    question = typed(book, check(skill=11, edge=True), 7, 3, 7)
    first = typed(book, Choose(question=question, chosen={"drop": 3}))
    undone = typed(book, Undo())
    second = typed(book, Choose(question=question, chosen={"drop": 7}))
    says = rf"#{question} already has an answer \(#{second}\), so #{first} cannot be restored"
    with pytest.raises(Refused, match=says):
        scribe(book).write(Void(strikes=undone, why="so"))
    typed(book, Undo())
    typed(book, Void(strikes=undone, why="so"))
    assert (book.balance("mara", "hold"), book.questions()) == (0, [])
    verify(book)


def test_a_decision_stands_again_when_what_took_it_over_is_voided_again(book: Book) -> None:
    moved = typed(book, adjust(edge=-1))
    question = typed(book, Dispute(about=moved, player="p2", claim="two"))
    decided = typed(book, decide(question, "amend", amounts={"edge/edge": -2}))
    taken_over = typed(book, amend(book.journal.head(), amounts={"edge/edge": -3}))
    undone = [typed(book, Void(strikes=taken_over, why="no")), typed(book, Undo())][1]
    typed(book, Void(strikes=undone, why="after all"))
    assert (book.balance("mara", "edge/edge"), book.is_struck(book.entry(decided).act), book.questions()) == (
        2,
        False,
        [],
    )
    verify(book)


def test_of_two_amendments_of_one_entry_only_one_counts(book: Book) -> None:
    moved = typed(book, adjust(edge=-1))
    first = typed(book, amend(moved, amounts={"edge/edge": -2}))
    voided = typed(book, Void(strikes=book.entry(first).act, why="so"))
    second = typed(book, amend(moved, amounts={"edge/edge": -3}))
    with pytest.raises(Refused, match=f"#{first} and #{second} both replace #{moved}"):
        scribe(book).write(Void(strikes=voided, why="the first was right"))
    assert book.balance("mara", "edge/edge") == 1
    typed(book, Undo())
    typed(book, Void(strikes=voided, why="the first was right"))
    assert book.balance("mara", "edge/edge") == 2
    verify(book)


def test_a_sheet_does_not_stand_again_beside_a_later_one(book: Book) -> None:
    typed(book, Join(who="zed", system="edge", scores={"maximum": 3}))
    undone = typed(book, Undo())
    second = typed(book, Join(who="zed", system="edge", scores={"maximum": 2}))
    with pytest.raises(Refused, match=f"A newer sheet for zed in edge was made at #{second}"):
        scribe(book).write(Void(strikes=undone, why="so"))
    typed(book, Undo())
    typed(book, Void(strikes=undone, why="so"))
    assert book.balance("zed", "edge/maximum") == 3
    verify(book)


def test_a_sealed_roll_counts_once_however_often_it_was_revealed(book: Book) -> None:
    seal = typed(book, Sealed(command=check(skill=11, edge=True, drop=7), until=None, unseen=False), 7, 3, 7)
    first = typed(book, Reveal(entry=seal))
    voided = typed(book, Void(strikes=first, why="so"))
    second = typed(book, Reveal(entry=seal))
    with pytest.raises(Refused, match=f"#{first} and #{second} both replace #{seal}"):
        scribe(book).write(Void(strikes=voided, why="so"))
    assert book.balance("mara", "edge/edge") == 3
    verify(book)


def test_a_question_that_an_earlier_edition_left_open_says_what_the_ruling_would_look_at_now(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ledger.corrections.reasons.close_questions", lambda draft, cause: None)
    moved = typed(book, adjust(edge=-1))
    between = typed(book, adjust(strength=1))
    ruling = typed(book, check(skill=11, edge=True, drop=3), 7, 3, 7)
    scribe(book).write(amend(moved, amounts={"edge/edge": -4}))
    assert "; by now" not in questions(book)[0].says
    scribe(book).write(amend(between, amounts={"edge/edge": 2}))
    (stale,) = [each for each in questions(book) if each.about == ruling]
    assert stale.says.endswith("; now mara's edge is 2")
    verify(book)
    monkeypatch.undo()
    scribe(book).write(amend(typed(book, Note(text="teh end")), text="the end"))
    assert questions(book) == [], "the next correction closes it"
    verify(book)


def test_a_part_that_is_copied_keeps_the_place_of_its_dice_however_often_its_action_is_amended() -> None:
    """A rate and its throw are two parts; the throw is disputed, and the rate is amended twice."""
    with every_game() as book:
        hand = scribe(book)
        rate = book.head() + 1
        hand.write(PlayMove(system="syscards", move=Rate(who="mara", rate=60, why="fog", throw=True)), faces=(71,))
        throw = parts_of(book, rate)[1]
        dispute = hand.write(Dispute(about=throw.root, player="p2", claim="no")).entries[0].seq
        for why_ in ("rain", "snow"):
            done = hand.write(amend(parts_of(book, rate)[0].root, why=why_))
            rate = done.entries[0].seq
            copy = parts_of(book, rate)[1]
            assert copy.place == throw.place
            assert book.comments_on(rate) == [dispute]
        hand.write(decide(dispute, "amend"))
        assert verify(book).entries == book.head()
        assert [each.says for each in audit(book, "2026-11-22").findings] == []


def parts_of(book: Book, act: int) -> list[again.ActionPart]:
    return list(again.action_of(book, act).parts)


def test_a_rewind_asks_about_a_score_that_only_later_play_had_kept_within_its_limit() -> None:
    with opened_book() as book:
        hand = scribe(book)
        spent = hand.write(Adjust(who="mara", amounts={"edge/edge": -2}, why="a ferry")).entries[0].seq
        hand.write(Adjust(who="mara", amounts={"edge/edge": 2}, why="a rest"))
        point = book.head()
        hand.write(Adjust(who="mara", amounts={"edge/edge": -3}, why="a fight"))
        less = Amend(named=spent, inputs={"amounts": {"edge/edge": -1}}, faces=None, cascade=False, why="less")
        assert not any(isinstance(entry.event, LimitCrossed) for entry in hand.write(less).entries)
        rewound = hand.write(Rewind(to=point, why="again"))
        (crossed,) = (entry.event for entry in rewound.entries if isinstance(entry.event, LimitCrossed))
        assert (crossed.score, crossed.value, crossed.most) == ("edge/edge", 5, 4)


def test_a_decision_to_amend_what_was_amended_before_is_repeated_by_its_id_and_writes_nothing() -> None:
    with opened_book() as book:
        hand = scribe(book)
        spent = hand.write(Adjust(who="mara", amounts={"edge/edge": -2}, why="a ferry")).entries[0].seq
        question = hand.write(Dispute(about=spent, player="p1", claim="it was 1")).entries[0].seq
        hand.write(Amend(named=spent, inputs={"amounts": {"edge/edge": -1}}, faces=None, cascade=False, why="so"))
        decide = Decide(question=question, choice="amend", why="as said", inputs={}, faces=None, cascade=False)
        assert [entry.type for entry in hand.write(decide, once="k").entries] == ["question-decided"]
        head = book.head()
        assert hand.write(decide, once="k").again
        assert book.head() == head
        with pytest.raises(OnceDiffers, match="already used"):
            hand.write(decide.replace(inputs={"amounts": {"edge/edge": -3}}), once="k")
        assert book.head() == head
        assert decided(book)[0] == []


def test_a_score_that_a_correction_brings_to_its_limit_is_no_question(book: Book) -> None:
    gained = typed(book, Adjust(who="brak", amounts={"edge/edge": 1}, why="so"))
    typed(book, Adjust(who="brak", amounts={"edge/edge": -1}, why="so"))
    typed(book, Adjust(who="brak", amounts={"edge/edge": -1}, why="so"))
    spent = typed(book, Adjust(who="brak", amounts={"edge/edge": 1}, why="so"))
    typed(book, Note(text="x"))
    scribe(book).write(Void(strikes=gained, why="so"))
    assert (book.balance("brak", "edge/edge"), asked(book)) == (0, [])
    scribe(book).write(Undo())
    scribe(book).write(amend(spent, amounts={"edge/edge": 2}))
    assert (book.balance("brak", "edge/edge"), asked(book)) == (2, [])


def test_a_character_of_the_shortest_name_is_asked_about_too(book: Book) -> None:
    typed(book, Join(who="a", system="edge", scores={"maximum": 4, "edge": 4}))
    spent = typed(book, Adjust(who="a", amounts={"edge/edge": -1}, why="so"))
    ruling = typed(book, PlayMove(system="edge", move=Check(who="a", skill=11, edge=True, drop=3)), 7, 3, 7)
    scribe(book).write(amend(spent, amounts={"edge/edge": -4}))
    assert [entry.body["about"] for entry in asked(book) if entry.type == "knock-on-found"] == [ruling]


@pytest.mark.parametrize("otherwise", [{"inputs": {"skill": 12}}, {"faces": (7, 7)}, {"cascade": True}], ids=str)
def test_a_decision_to_keep_says_nothing_otherwise(book: Book, otherwise: dict[str, Any]) -> None:
    dispute = typed(book, Dispute(about=typed(book, check(skill=11), 7, 6), player="p2", claim="no"))
    with pytest.raises(BadInput, match="only with 'amend'"):
        scribe(book).write(decide(dispute, "uphold").replace(**otherwise))


def test_what_was_undone_twice_is_brought_back_twice_and_not_more_often(book: Book) -> None:
    for _ in range(2):
        typed(book, adjust(edge=-1))
    for command, stands in ((Undo(), 3), (Undo(), 4), (Redo(), 3), (Redo(), 2)):
        scribe(book).write(command)
        assert book.balance("mara", "edge/edge") == stands
    with pytest.raises(Refused, match="There is nothing to redo"):
        scribe(book).write(Redo())


def test_a_mark_among_the_corrected_values_hides_no_score_beyond_its_limit(book: Book) -> None:
    start = book.head()
    scribe(book).write(SetMarks(who="mara", values={"edge/care": "yes"}, why="x"))
    scribe(book).write(Adjust(who="mara", amounts={"edge/edge": -4}, why="x"))
    rewind = scribe(book).write(Rewind(to=start, why="x")).entries[0].seq
    scribe(book).write(Adjust(who="mara", amounts={"edge/edge": -1}, why="x"))
    restored = scribe(book).write(Void(strikes=rewind, why="x"))
    assert last(restored, "limit-crossed")["score"] == "edge/edge"
