"""What an action settled and revealed stays so when its offer is taken up, it is amended, or play is rewound."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engine import connection_of
from ledger.archive.export import export
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, Note
from ledger.commands.decider import Sketch
from ledger.commands.play import PlayMove
from ledger.corrections.actions import part_of
from ledger.corrections.answers import AcceptOffer, Decide, Dispute
from ledger.corrections.in_place import InPlaceDraft
from ledger.corrections.seals import Reveal, Sealed
from ledger.corrections.undoing import Amend, Rewind, Undo, Void
from ledger.errors import Refused, WrongEntry
from ledger.journal.book import Book
from ledger.rules.rulings import Effect
from ledger.systems.edge.consequences import EDGE_SPENT
from ledger.systems.edge.moves_fights import Damage
from table import TODAY, hashed_anew, last, scribe
from tampering import fields, rewritten

HIT = PlayMove(system="edge", move=Damage(who="mara", weapon=2, modifier=2, edge=1))


class Previewed(Sketch):
    """A draft that keeps the costs that it was told to show."""

    costs: tuple[Effect, ...]

    def declare_secret(self, cost: tuple[Effect, ...] = ()) -> None:
        self.costs = cost


def revealed(book: Book) -> tuple[int, int]:
    """Seal a damage roll and reveal it; return the sealed roll and the ruling, which offers more edge."""
    sealed = scribe(book).write(Sealed(command=HIT, until=None, unseen=False), faces=(4, 2, 6)).entries[0].seq
    return sealed, last(scribe(book).write(Reveal(entry=sealed)), "move-played")["seq"]


def take(book: Book, ruling: int) -> int:
    """Take up the offer of a ruling; return the ruling in its place."""
    done = scribe(book).write(AcceptOffer(ruling=ruling, chosen={"boost": 1}), faces=(5,))
    return int(last(done, "move-played")["seq"])


def change(book: Book, ruling: int) -> int:
    """Amend a ruling; return the ruling in its place."""
    command = Amend(named=ruling, inputs={"modifier": 3}, faces=None, cascade=False, why="x")
    return int(last(scribe(book).write(command), "move-played")["seq"])


def rewind(book: Book, ruling: int) -> int:
    """Rewind what came after the seal; the revealed roll counts from there, and stays."""
    scribe(book).write(Adjust(who="brak", amounts={"edge/edge": 1}, why="x"))
    scribe(book).write(Rewind(to=int(book.entry(ruling).since)))
    return ruling


def no_finding(book: Book) -> bool:
    verify(book)
    return audit(book, TODAY).findings == ()


def test_the_player_of_the_character_takes_up_an_offer(book: Book) -> None:
    _, ruling = revealed(book)
    assert list(AcceptOffer(ruling=ruling, chosen={"boost": 1}).acting_characters(book, "p2")) == ["mara"]


@pytest.mark.parametrize("again", [take, change, rewind])
def test_a_revealed_roll_that_is_played_again_is_not_revealed_a_second_time(
    book: Book, again: Callable[[Book, int], int]
) -> None:
    sealed, ruling = revealed(book)
    again(book, ruling)
    for _ in ("played again", "and undone"):
        assert book.questions() == []
        assert book.revealed(sealed)
        with pytest.raises(Refused, match="was already answered by"):
            scribe(book).write(Reveal(entry=sealed))
        scribe(book).write(Undo())
    assert no_finding(book)


def test_it_stays_revealed_however_often_it_is_played_again(book: Book) -> None:
    sealed, ruling = revealed(book)
    change(book, take(book, change(book, ruling)))
    assert book.questions() == []
    assert book.revealed(sealed)
    assert no_finding(book)


def test_players_still_read_what_was_sealed(book: Book, tmp_path: Path) -> None:
    take(book, revealed(book)[1])
    assert export(book, str(tmp_path / "pl"), players=True).left_out == 0


def test_a_decision_stands_when_the_offer_of_what_it_amended_is_taken_up(book: Book) -> None:
    ruling = last(scribe(book).write(HIT, faces=(4, 2, 6)), "move-played")["seq"]
    dispute = scribe(book).write(Dispute(about=ruling, player="p2", claim="three")).entries[0].seq
    decision = Decide(question=dispute, choice="amend", why="so", inputs={"modifier": 3}, faces=None, cascade=False)
    take(book, last(scribe(book).write(decision), "move-played")["seq"])
    assert book.questions() == []
    assert no_finding(book)


def test_a_roll_that_an_earlier_program_let_wait_again_is_remarked_on(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr("ledger.corrections.answers.carried_marks", lambda *_: ())
        before.setattr("ledger.draft.BOOK_EDITION", 4)
        sealed, ruling = revealed(book)
        strike = book.head() + 1
        take(book, ruling)
    assert book.questions() == [sealed]
    verify(book)
    report = audit(book, TODAY)
    assert report.findings == ()
    assert [remark.seq for remark in report.remarks] == [strike]


def test_a_roll_that_is_told_to_be_revealed_and_was_not_is_found(book: Book) -> None:
    other = scribe(book).write(Sealed(command=HIT, until=None, unseen=False), faces=(1, 1, 1)).entries[0].seq
    sealed, ruling = revealed(book)
    strike = book.head() + 1
    take(book, ruling)
    assert no_finding(book)
    swap = (
        f'"name":"{sealed}","value":{strike},"who":"#revealed"',
        f'"name":"{other}","value":{strike},"who":"#revealed"',
    )
    rewritten(strike, lambda body: body.replace(*swap))(connection_of(book))
    hashed_anew(book.journal)
    with pytest.raises(WrongEntry, match=f"carries over a reveal of #{other}, but #{other} was never revealed"):
        verify(book)


def test_an_answer_that_is_taken_over_by_an_earlier_entry_is_found(book: Book) -> None:
    sealed, ruling = revealed(book)
    strike = book.head() + 1
    take(book, ruling)
    own, earlier = (f'"name":"{sealed}","value":{seq},"who":"#questions"' for seq in (strike, strike - 1))
    rewritten(strike, lambda body: body.replace(own, earlier))(connection_of(book))
    hashed_anew(book.journal)
    with pytest.raises(WrongEntry, match=f"marks question #{sealed} as settled, but does not answer it"):
        verify(book)


def test_a_void_that_settles_a_question_is_found(book: Book) -> None:
    sealed = scribe(book).write(Sealed(command=HIT, until=None, unseen=False), faces=(4, 2, 6)).entries[0].seq
    note = scribe(book).write(Note(text="x")).entries[0].seq
    strike = scribe(book).write(Void(strikes=note, why="y")).entries[0].seq
    settles = {"who": "#questions", "name": str(sealed), "value": strike}
    strikes = {"who": "#struck", "name": str(note), "value": strike}
    rewritten(strike, fields(marks=[settles, strikes]))(connection_of(book))
    hashed_anew(book.journal)
    with pytest.raises(WrongEntry, match=f"marks question #{sealed} as settled, but does not answer it"):
        verify(book)


@pytest.mark.parametrize("pays", [True, False])
def test_a_preview_of_a_secret_result_shows_only_costs_that_are_still_to_be_paid(book: Book, pays: bool) -> None:
    """With `pays`, an offer is accepted, which costs something now. Without it, the cost is already paid."""
    ruling = last(scribe(book).write(HIT, faces=(4, 2, 6)), "move-played")["seq"]
    cost = (EDGE_SPENT.of("mara", {"edge": -1}),)
    preview = Previewed(book, book.head())
    InPlaceDraft(book, part_of(book, ruling)[1], preview, rolls_missing_dice=pays).declare_secret(cost)
    assert preview.costs == (cost if pays else ())
