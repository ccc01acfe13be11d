"""Voids of several actions, and the moves that complete what is voided."""

import pytest

from ledger.audit.redecide import command_of
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import Note, SetMarks
from ledger.commands.play import PlayMove
from ledger.corrections.answers import Decide, Dispute
from ledger.corrections.undoing import Amend, Undo, Void
from ledger.errors import OnceDiffers, Refused
from ledger.journal.book import Book, EarlierBook
from ledger.systems.edge.moves_fights import Damage, Soak
from table import TODAY, scribe


def note(book: Book, text: str = "x") -> int:
    return scribe(book).write(Note(text=text)).entries[0].seq


def void(book: Book, *acts: int) -> int:
    first, *others = acts
    return scribe(book).write(Void(strikes=first, also=tuple(others), why="so")).entries[0].seq


def no_finding(book: Book) -> bool:
    verify(book)
    report = audit(book, TODAY)
    return not (report.findings or report.remarks)


def damage(book: Book, by: str = "p1", amount: int = 12) -> tuple[int, int]:
    """Let mara damage brak, and check brak's armor; return both actions."""
    hit = PlayMove(system="edge", move=Damage(who="mara", weapon=2, modifier=amount - 2, to="brak"))
    first = scribe(book, by=by).write(hit, faces=(1, 1)).entries[0].act
    soak = PlayMove(system="edge", move=Soak(who="brak", threshold=0, reduction=0))
    return first, scribe(book).write(soak).entries[0].act


def ruling_in(book: Book, act: int) -> int:
    return next(entry.seq for entry in book.action(act) if entry.type == "move-played")


def amend(book: Book, about: int) -> int:
    """Amend damage: it was for nobody."""
    return (
        scribe(book).write(Amend(named=about, inputs={"to": None}, faces=None, cascade=False, why="x")).entries[0].seq
    )


def test_each_action_has_its_strike_and_the_first_has_the_reason(book: Book) -> None:
    acts = [note(book) for _ in range(3)]
    first = void(book, *acts)
    strikes = [book.entry(seq) for seq in range(first, book.head() + 1)]
    assert [strike.body["strikes"] for strike in strikes] == acts[::-1]
    assert [strike.body["why"] is None for strike in strikes] == [False, True, True]
    assert no_finding(book)


def test_a_voided_void_and_what_it_canceled_are_both_canceled(book: Book) -> None:
    kept = note(book)
    taken_back = void(book, kept)
    void(book, taken_back, kept)
    assert book.is_struck(taken_back)
    assert book.is_struck(kept)
    assert no_finding(book)


def test_a_void_is_made_again_from_its_entries(book: Book) -> None:
    kept, other = note(book), note(book)
    taken_back = void(book, kept)
    act = void(book, taken_back, kept, other)
    command = command_of(EarlierBook(book, act - 1), book.action(act, secrets=True))
    assert isinstance(command, Void)
    assert command.acts == [taken_back, other, kept]
    assert command.why == "so"


def test_only_first_entries_of_actions_can_be_named(book: Book) -> None:
    _, soak = damage(book)
    with pytest.raises(Refused, match=f"#{soak + 1} is not the first entry of its action"):
        void(book, note(book), soak + 1)


def test_the_armor_check_of_a_voided_damage_is_voided_with_it(book: Book) -> None:
    hit, soak = damage(book)
    assert book.balance("brak", "edge/damage.physical") == 12
    act = void(book, hit)
    assert [entry.body["strikes"] for entry in book.action(act)] == [hit, soak]
    assert book.balance("brak", "edge/damage.physical") == 0
    assert book.questions() == []
    assert no_finding(book)
    scribe(book).write(Undo())
    assert book.balance("brak", "edge/damage.physical") == 12
    assert no_finding(book)


def test_the_armor_check_of_a_damage_that_an_amendment_takes_away_is_voided(book: Book) -> None:
    hit, soak = damage(book)
    act = amend(book, ruling_in(book, hit))
    strikes = [entry.body["strikes"] for entry in book.action(act) if entry.type == "action-struck"]
    assert strikes == [hit, soak]
    assert book.balance("brak", "edge/damage.physical") == 0
    assert book.questions() == []
    assert no_finding(book)


def test_a_decision_to_amend_damage_away_voids_its_armor_check_too(book: Book) -> None:
    hit, soak = damage(book)
    ruling = ruling_in(book, hit)
    dispute = scribe(book).write(Dispute(about=ruling, claim="no", player="p1")).entries[0].seq
    decision = Decide(question=dispute, choice="amend", why="x", inputs={"to": None}, faces=None, cascade=False)
    scribe(book).write(decision)
    assert book.is_struck(soak)
    assert no_finding(book)


def test_the_armor_check_of_another_damage_stays(book: Book) -> None:
    hit, soak = damage(book)
    _, other = damage(book)
    void(book, hit)
    assert book.is_struck(soak)
    assert not book.is_struck(other)
    assert no_finding(book)


def test_an_armor_check_with_typed_damage_stays_with_a_question(book: Book) -> None:
    hit = PlayMove(system="edge", move=Damage(who="mara", weapon=2, modifier=10, to="brak"))
    first = scribe(book).write(hit, faces=(1, 1)).entries[0].act
    soak = PlayMove(system="edge", move=Soak(who="brak", damage=20, threshold=0, reduction=0))
    second = scribe(book).write(soak).entries[0].act
    void(book, first)
    assert not book.is_struck(second)
    assert audit(book, TODAY).findings == ()


def test_undoing_an_attack_after_others_played_cancels_its_damage_too(book: Book) -> None:
    hit, soak = damage(book, by="p2")
    done = scribe(book, by="p2").write(Undo())
    assert book.is_struck(hit)
    assert book.is_struck(soak)
    assert done.entries[1].cause == done.entries[0].seq
    assert no_finding(book)


def test_a_ruling_that_would_be_refused_for_another_reason_asks(book: Book) -> None:
    weapon = SetMarks(who="mara", values={"edge/weapon.pistol": "2d6+4"}, why="x")
    set_by_hand = scribe(book).write(weapon).entries[0].act
    hit = PlayMove(system="edge", move=Damage(who="mara", item="pistol"))
    scribe(book).write(hit, faces=(1, 1))
    void(book, set_by_hand)
    assert len(book.questions()) == 1


def test_a_void_does_not_repeat_a_different_command_with_its_id(book: Book) -> None:
    scribe(book).write(Note(text="x"), once="a")
    with pytest.raises(OnceDiffers, match="for a different command"):
        scribe(book).write(Void(strikes=book.head(), why="x"), once="a")
