"""Rederive: what was written comes out again; what was not made by the rules is said, and no secret with it."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coin
from audits import checked, decided
from coin import Draw, Flip, Give
from engine import connection_of
from evenings import evening
from examples import examples
from ledger.audit.redecide import MOST_CACHED_VALUES, ValueCache
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, Note
from ledger.commands.custody import Erase
from ledger.commands.days import NextDay
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.commands.seats import Seat
from ledger.corrections.answers import AcceptOffer, Choose
from ledger.corrections.undoing import Amend, Void
from ledger.errors import Broken, WrongEntry
from ledger.events.canonical import canonical_json, parse_json, substitute, walk
from ledger.events.commitments import commitment
from ledger.events.facts import BOOK_EDITION
from ledger.journal.book import Book
from ledger.rules.dice import Pool
from ledger.rules.inputs import number
from ledger.rules.move import Move, Table
from ledger.rules.rulings import Ruling
from ledger.rules.system import Remark, Setting
from ledger.systems.byzantine.moves_tasks import Attempt
from ledger.systems.edge import SYSTEM, rules
from ledger.systems.edge.moves import Lessen
from ledger.systems.edge.moves_check import Check, Grant
from ledger.systems.multicheck.moves import Turn
from ledger.systems.multicheck.moves_d100 import Test as OneTest
from ledger.systems.rollunder.moves import Plain, Skill
from ledger.systems.syscards.moves_acts import Rate
from ledger.systems.syscards.moves_cards import Card, Round
from ledger.systems.syscards.moves_challenges import Challenge
from table import every_game, hashed_anew, scribe
from tampering import fields, rewritten

Change = Callable[[str], str]


@given(data=st.data())
def test_whatever_is_played_and_put_right_comes_out_again(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 9)
        assert decided(book)[0] == []


def test_what_was_read_is_remembered_until_an_entry_changes_it_and_never_too_much_of_it(played: Book) -> None:
    recent = ValueCache()
    recent.balances = {("mara", "edge/edge"): 3, ("jonas", "edge/edge"): 2}
    recent.marks = {("#players", str(place)): place for place in range(MOST_CACHED_VALUES - 2)}
    recent.forget(played.action(8))
    assert recent.balances == {("jonas", "edge/edge"): 2}
    recent.balances |= {("mara", "edge/edge"): 2, ("brak", "edge/edge"): 0}
    recent.forget(played.action(11))
    assert not recent.balances
    assert not recent.marks


@pytest.fixture
def played(book: Book) -> Book:
    """A campaign of 7 entries, then: 8 9 10 a check with edge, 11 12 dice, 13 14 15 a flip, 16 17 its call."""
    hand = scribe(book)
    hand.write(PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True, drop=3)), faces=(7, 3, 7))
    hand.write(Roll(who="mara", notation="4d6kh3-1"), faces=(2, 5, 2, 6))
    hand.write(PlayMove(system="coin", move=Flip(who="mara", stake=2)), faces=(1,))
    hand.write(Choose(question=14, chosen={"call": "heads"}))
    assert book.head() == 17
    assert [*decided(book)[1].values()] == ["again"] * 4
    return book


def swapped(was: str, now: str) -> Change:
    def change(body: str) -> str:
        assert was in body
        return body.replace(was, now, 1)

    return change


def of_another_edition(book: Book, at: int, change: Change = lambda body: body) -> None:
    """Let an entry, and all before it that name the edition of its game, name another one."""
    game = book.journal.entry(at).body["system"]
    for entry in list(book.journal.entries(1, at)):
        if entry.body.get("system") == game and "edition" in entry.body:
            rewritten(entry.seq, fields(edition=f"{game}/0"))(connection_of(book))
    rewritten(at, change)(connection_of(book))


def said(**changes: object) -> Change:
    """Change what was said; of an input that is left out, nothing stays."""

    def change(body: str) -> str:
        inputs = {**parse_json(body)["inputs"], **changes}
        return fields(inputs={name: held for name, held in inputs.items() if held != "left out"})(body)

    return change


def found(book: Book, seq: int) -> tuple[str, str]:
    """What came of a ruling when its action was decided again, and what is said of that action."""
    faults, outcomes = decided(book)
    act = {entry.seq for entry in book.journal.action(book.journal.entry(seq).act)}
    return outcomes[seq], next((fault[1] for fault in faults if fault[0] in act), "")


REWRITTEN: list[tuple[str, int, int, Change, str]] = [
    ("the verdict", 9, 9, swapped("complete success", "marginal success"), "The record has the verdict 'marginal success (+10), good', but today's rules give 'complete success (+10), good'."),
    ("a success", 9, 9, swapped('"good":true', '"good":false'), "The record has the verdict 'complete success (+10), bad', but today's rules give 'complete success (+10), good'."),
    ("the margin", 9, 9, swapped('"margin":10', '"margin":null'), "The record has the verdict 'complete success, good', but today's rules give 'complete success (+10), good'."),
    ("a number of the working", 9, 9, swapped('"numbers":[25,20]', '"numbers":[25,15]'), "The record has the calculation 'target  25 against 15', but today's rules give 'target  25 against 20'."),
    ("working that is missing", 9, 9, fields(steps=[]), "The record has no calculation, but today's rules give 'edge  the player names the die that goes'."),
    ("the die that goes", 9, 9, swapped('"dropped":"named"', '"dropped":"lowest"'), "The record has the list of dropped dice 'die 2 (lowest)', but today's rules give 'die 2 (named)'."),
    ("what was paid", 10, 9, swapped('"amount":-1', '"amount":-2'), "The record has the consequence 'edge-spent of mara, mara edge/edge −2', but today's rules give 'edge-spent of mara, mara edge/edge −1'."),
    ("what followed", 10, 9, fields(facts={"for": "fun"}, marks=[{"who": "mara", "name": "edge/care", "value": True}]), "The record has the consequence 'edge-spent of mara, mara edge/edge −1, mara edge/care = True, for fun', but today's rules give 'edge-spent of mara, mara edge/edge −1'."),
    ("facts that are a committed text", 10, 9, fields(facts={"word": "a" * 64}), "The record has the consequence 'edge-spent', but today's rules give 'edge-spent of mara, mara edge/edge −1'."),
    ("what does not follow from it", 10, 9, fields(cause=None), "The record has no cause, but today's rules give '9'."),
    ("the dice that were asked for", 9, 9, said(drop=None, edge=False), "Today's rules refuse this action: The roll needs 2d10, but the record has 3d10."),
    ("edge that was not there", 9, 9, swapped('"edge/edge":4', '"edge/edge":0'), "This ruling used a value for edge/edge of mara that differs from the record at that time."),
    ("nothing was looked at", 9, 9, fields(looked={}), "This ruling used a value for edge/edge of mara that differs from the record at that time."),
    ("a bonus that is no number", 9, 9, said(skill="11"), "Today's rules do not accept the input skill."),
    ("a face that no die has", 9, 9, said(drop=33), "Today's rules do not accept the input drop."),
    ("a list that is none", 9, 9, said(advantage=7), "Today's rules do not accept the input advantage."),
    ("whose it was", 9, 9, said(who="brak"), "The record has the character 'mara', but today's rules give 'brak'."),
    ("a posting of its own", 9, 9, fields(postings=[{"who": "mara", "score": "edge/edge", "amount": 3}]), "The record has the score change 'mara edge/edge +3', but today's rules give none."),
    ("a mark of its own", 9, 9, fields(marks=[{"who": "mara", "name": "edge/care", "value": True}]), "The record has the mark 'mara edge/care = True', but today's rules give none."),
    ("an offer", 9, 9, fields(marks=[{"who": "mara", "name": "offer", "value": 9}]), "The record has the mark 'mara offer = 9', but today's rules give none."),
    ("dice of other sides", 9, 9, swapped('"sides":10', '"sides":12'), "The record has the roll '1d12 + 2d10', but today's rules give '3d10'."),
    ("a sum", 12, 12, fields(total=13), "The record has the sum '13', but today's rules give '12'."),
    ("what is added", 12, 12, fields(addends=[2, 3]), "The record has the list of added numbers '2 + 3', but today's rules give '5 + 2 + 6 + −1'."),
    ("its place", 10, 9, fields(since=9), "The record has the first affected entry '9', but today's rules give '10'."),
    ("its cost was cut off", 10, 9, fields(act=10, cause=None), "The record has no consequence, but today's rules give 'edge-spent of mara, mara edge/edge −1'."),
    ("whether it is good", 9, 9, swapped('"good":true', '"good":null'), "The record has the verdict 'complete success (+10), neither good nor bad', but today's rules give 'complete success (+10), good'."),
    ("what was looked at, and what came of it", 9, 9, lambda body: swapped('"good":true', '"good":false')(swapped('"edge/edge":4', '"edge/edge":0')(body)), "This ruling used a value for edge/edge of mara that differs from the record at that time."),
    ("settings, and what came of them", 16, 16, fields(settings={"taxed": True}, postings=[]), "This ruling used a value for the setting taxed that differs from the record at that time."),
    ("whose it was, and what was looked at", 9, 9, lambda body: said(who="brak")(swapped('"edge/edge":4', '"edge/edge":0')(body)), "The record has the character 'mara', but today's rules give 'brak'."),
    ("other dice to count", 12, 12, fields(notation="4d6kh2-1"), "The record has the list of dropped dice 'die 1 (kh3)', but today's rules give 'die 1 (kh2), die 3 (kh2)'."),
    ("dice that nobody asked for", 12, 12, fields(notation="3d6"), "Today's rules refuse this action: The roll needs 3d6, but the record has 4d6."),
    ("no notation", 12, 12, fields(notation="x"), "Today's rules refuse this action: mara has no score called 'x'."),
    ("what is asked", 14, 14, fields(asks=["stake"]), "The record has the question 'stake', but today's rules give 'call'."),
    ("how it is asked", 14, 14, fields(kind="whim"), "The record has the kind of question 'whim', but today's rules give 'choice'."),
    ("whom it holds", 14, 14, fields(postings=[]), "The record has no score change, but today's rules give 'mara hold +1'."),
    ("what it cost", 15, 14, swapped('"amount":-2', '"amount":-1'), "The record has the consequence 'coins-lost of mara, mara coin/coins −1', but today's rules give 'coins-lost of mara, mara coin/coins −2'."),
    ("another stake at the answer", 16, 16, said(stake=9), """The record has the inputs '{"call":"heads","stake":9,"who":"mara"}', but today's rules give '{"call":"heads","stake":2,"who":"mara"}'."""),
    ("another die at the answer", 16, 16, swapped('"face":1', '"face":2'), "The record has the roll '2', but today's rules give '1'."),
    ("another look at the answer", 16, 16, fields(looked={"mara": {"coin/coins": 99}}), "This ruling used a value for coin/coins of mara that differs from the record at that time."),
    ("other settings at the answer", 16, 16, fields(settings={"taxed": True}), "This ruling used a value for the setting taxed that differs from the record at that time."),
    ("an answer to no question", 16, 16, fields(answers=12), "Today's rules refuse this action: Question #12 was canceled."),
    ("an answer that frees nobody", 16, 16, fields(postings=[]), "The record has no score change, but today's rules give 'mara hold −1'."),
    ("nobody was asked", 16, 16, lambda body: said(call=None)(fields(answers=None, looked={"mara": {"coin/coins": 9}})(body)), "Today's rules refuse this action: mara has an open question: #14."),
    ("a side that no coin has", 16, 16, said(call="edge"), "Today's rules do not accept the input call."),
]  # fmt: skip


def test_an_action_that_holds_more_than_its_command_writes_is_found_and_one_that_holds_less(book: Book) -> None:
    with every_game() as other:
        begun = scribe(other).write(NextDay(count=1, until=None)).entries
        rest = next(entry.seq for entry in begun if entry.type == "move-played" and entry.seq > begun[1].seq)
        for entry in begun:
            if entry.seq >= rest:
                rewritten(entry.seq, fields(act=rest))(connection_of(other))
        says = "An entry is missing here: today's rules would add one of type move-played."
        assert (rest - 1, says) in decided(other)[0]
    hand = scribe(book)
    adjusted = hand.write(Adjust(who="mara", amounts={"edge/edge": -1}, why="so")).entries[0].seq
    hand.write(Note(text="x"))
    rewritten(adjusted + 1, fields(act=adjusted))(connection_of(book))
    assert decided(book)[0] == [(adjusted + 1, "Under today's rules, this entry of type note-written would not exist.")]


def test_words_of_a_copy_that_are_not_those_of_its_amendment_are_found(book: Book) -> None:
    hand = scribe(book)
    hand.write(Note(text="x"))
    copy = hand.write(Amend(named=8, inputs={"text": "y"}, faces=None, cascade=False, why="so")).entries[-1].seq
    ((salt,),) = connection_of(book).execute("SELECT salt FROM words WHERE seq = ?", (copy,))
    was, now = (commitment(salt, text) for text in ("y", "z"))
    rewritten(copy, swapped(was, now))(connection_of(book))
    connection_of(book).execute("UPDATE words SET text = 'z' WHERE seq = ?", (copy,))
    assert decided(book)[0] == [(copy, "The record has the text 'z', but today's rules give 'y'.")]


@pytest.mark.parametrize("face", [1, 10])
def test_the_lowest_and_the_highest_number_that_may_be_said_come_out_again(book: Book, face: int) -> None:
    move = Check(who="mara", skill=11, edge=True, drop=face)
    scribe(book).write(PlayMove(system="edge", move=move), faces=(face, 3, 7))
    assert decided(book)[0] == []


def test_a_refusal_that_a_knock_on_quotes_may_be_worded_otherwise_by_another_edition(book: Book) -> None:
    grant = scribe(book).write(PlayMove(system="edge", move=Grant(who="mara", what="advantage", why="a map")))
    scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=11)), faces=(7, 3, 7))
    voided = scribe(book).write(Void(strikes=grant.entries[0].act, why="no map"))
    (knock_on,) = (entry for entry in voided.entries if entry.type == "knock-on-found")
    assert knock_on.body["finds"] == "other-dice"
    for edition, found in ((BOOK_EDITION, [knock_on.seq]), (3, [])):
        rewritten(knock_on.seq, fields(says="Other dice lie.", edition=edition))(connection_of(book))
        assert [seq for seq, _ in decided(book)[0]] == found


@pytest.mark.parametrize(("what", "at", "seq", "change", "says"), REWRITTEN, ids=[each[0] for each in REWRITTEN])
def test_what_was_written_otherwise_than_the_rules_say_is_named(
    played: Book, what: str, at: int, seq: int, change: Change, says: str
) -> None:
    rewritten(at, change)(connection_of(played))
    assert found(played, seq) == ("differs", says)


WORD = {"word": "a" * 64}


@pytest.mark.parametrize(
    ("at", "change", "where"),
    [
        (9, fields(looked={"mara": WORD}), "looked.mara"),
        (9, fields(looked={"brak": WORD}), "looked.brak"),
        (10, fields(facts=WORD), "facts"),
    ],
)
def test_an_entry_with_an_erased_text_in_place_of_numbers_is_not_whole(
    played: Book, at: int, change: Change, where: str
) -> None:
    rewritten(at, change)(connection_of(played))
    hashed_anew(played.journal)
    with pytest.raises(WrongEntry, match=rf"Entry {at} has lost its text \({where}\)"):
        verify(played)


@pytest.mark.parametrize(
    ("change", "outcome", "says"),
    [
        (fields(system="chess"), "unknown", "The game chess is not installed here."),
        (fields(move="parry"), "differs", "The installed version of edge has no move parry with these inputs."),
        (said(luck=11), "differs", "The installed version of edge has no move check with these inputs."),
        (said(who="left out"), "differs", "The installed version of edge has no move check with these inputs."),
    ],
    ids=["the game", "the move", "an input", "an input that is missing"],
)  # fmt: skip
def test_what_is_not_installed_here_is_not_known_and_what_no_edition_knew_differs(
    played: Book, change: Change, outcome: Any, says: str
) -> None:
    rewritten(9, change)(connection_of(played))
    assert found(played, 9) == (outcome, says)


def test_a_move_of_another_edition_is_not_known(played: Book) -> None:
    of_another_edition(played, 9, fields(move="parry"))
    says = "The installed version of edge has no move parry with these inputs."
    assert found(played, 9) == ("unknown", says)


def another_rule(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rules, "BANDS", ((12, "complete_success"), *rules.BANDS[1:]))


def test_a_rule_that_rules_otherwise_is_named_and_only_a_remark_under_another_edition(
    played: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    another_rule(monkeypatch)
    says = "The record has the verdict 'complete success (+10), good', but today's rules give 'significant success (+10), good'."
    assert found(played, 9) == ("differs", says)
    of_another_edition(played, 9)
    assert found(played, 9) == ("differs-edition", says)


def test_a_ruling_of_another_edition_that_comes_out_again_is_well(played: Book) -> None:
    of_another_edition(played, 9)
    assert found(played, 9)[0] == "again"


def test_inputs_and_looks_that_another_edition_did_not_know_are_no_difference_where_they_say_nothing(
    played: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    ruling = Check.ruling

    def looking_at_more(self: Check, table: Table, faces: Sequence[int]) -> Ruling:
        table.find("mara", "care")
        table.find("brak", "care")
        return ruling(self, table, faces)

    monkeypatch.setattr(Check, "ruling", looking_at_more)
    rewritten(9, said(secret="left out"))(connection_of(played))  # noqa: S106  no password
    assert found(played, 9)[0] == "differs"
    of_another_edition(played, 9)
    assert found(played, 9) == ("again", "")
    rewritten(9, said(edge="left out", drop="left out"))(connection_of(played))
    assert found(played, 9)[0] == "differs-edition"


def test_an_input_that_a_move_got_later_is_no_difference_in_an_older_entry(played: Book) -> None:
    rewritten(9, said(secret="left out"))(connection_of(played))  # noqa: S106  no password
    assert found(played, 9) == ("again", "")


def test_a_setting_that_another_edition_did_not_have_is_no_difference(
    played: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = Setting(name="cap", says="a later setting", default=5, read=number(0, 9))
    monkeypatch.setitem(SYSTEM.__dict__, "settings", (*SYSTEM.settings, added))
    assert found(played, 9) == (
        "differs",
        "This ruling used a value for the setting cap that differs from the record at that time.",
    )
    of_another_edition(played, 9)
    assert found(played, 9) == ("again", "")
    rewritten(9, fields(settings={"injuries": ["light"]}))(connection_of(played))
    assert found(played, 9)[0] == "differs-edition"


def test_a_look_that_another_edition_did_not_know_and_that_says_something_is_a_difference(
    played: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    ruling = Check.ruling

    def looking_at_more(self: Check, table: Table, faces: Sequence[int]) -> Ruling:
        table.find("brak", "maximum")
        return ruling(self, table, faces)

    monkeypatch.setattr(Check, "ruling", looking_at_more)
    of_another_edition(played, 9)
    assert found(played, 9)[0] == "differs-edition"


def test_a_rule_that_looks_at_more_than_it_did_never_sees_the_sheets_of_today(
    played: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Check, "_bonus", lambda self, table: (table.score("mara", "strength"), []))
    says = "This ruling used a value for edge/strength of mara that differs from the record at that time."
    assert found(played, 9) == ("differs", says)


@pytest.mark.parametrize("thrower", ["brak", "mara"], ids=["whose it was", "whose move it was"])
def test_the_only_die_of_a_challenge_is_read_in_whose_ever_name_another_edition_wrote_it(thrower: str) -> None:
    with every_game() as book:
        hand = scribe(book)
        hand.write(PlayMove(system="syscards", move=Card(who="brak", velocity=3)))
        challenge = Challenge(who="mara", against=("brak",), also=("brak",))
        done = hand.write(PlayMove(system="syscards", move=challenge), faces=(60,))
        (die,) = (each for each in done.entries if each.type == "dice-thrown")
        ruling = next(each.seq for each in done.entries if each.body.get("throws") == [die.seq])
        rewritten(die.seq, fields(who=thrower))(connection_of(book))
        assert found(book, ruling)[0] == ("again" if thrower == "brak" else "differs")
        of_another_edition(book, ruling)
        assert found(book, ruling)[0] == "again"


@pytest.fixture
def hidden(book: Book) -> tuple[Book, int]:
    """A lot drawn against a number that the GM keeps, 41."""
    done = scribe(book).write(PlayMove(system="coin", move=Draw(who="mara", number=41, secret=True)), faces=(73,))
    seq = done.entries[-1].seq
    assert found(book, seq)[0] == "again"
    return book, seq


def test_of_what_the_gm_keeps_only_the_part_that_differs_is_told(
    hidden: tuple[Book, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    book, seq = hidden
    monkeypatch.setattr(coin.draw, "work", lambda *, dice, number: coin.DrawOutcome(hit=True))
    assert found(book, seq) == ("differs", "The verdict in the record differs from today's rules.")
    monkeypatch.setattr(Draw, "dice", lambda self, table: (table.score("mara", "coins"), Pool(sides=(100,)))[1])
    assert found(book, seq)[1] == "This ruling used a value for something that differs from the record at that time."
    monkeypatch.setattr(Draw, "check_choice", lambda self, table, faces: coin.flip(dice=()))
    assert found(book, seq)[1] == "Today's rules refuse this action."


@pytest.mark.parametrize("field", ["inputs.number", "verdict.margin"])
def test_a_ruling_whose_secret_is_in_this_file_no_more_is_closed(hidden: tuple[Book, int], field: str) -> None:
    book, seq = hidden
    connection_of(book).execute("DELETE FROM words WHERE seq = ? AND field = ?", (seq, field))
    says = "This action needs a secret that is not in this file."
    assert found(book, seq) == ("away", says)


def test_erased_words_close_only_what_hangs_on_them(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    hand = scribe(book)
    check = Check(who="mara", skill=11, bonus=1, why="the fog", advantage=("high ground", "rain"))
    hand.write(PlayMove(system="edge", move=check), faces=(7, 3, 7))
    hand.write(PlayMove(system="coin", move=Give(who="mara", to=("brak",), why="a debt")))
    hand.write(Erase(entries=(9, 10)))
    assert [*decided(book)[1].values()] == ["again", "again"]
    another_rule(monkeypatch)
    assert found(book, 9)[0] == "differs"
    monkeypatch.setattr(Give, "dice", lambda self, table: Pool(sides=(2,)) if self.why == "a debt" else None)
    told = coin.Give.ruling
    monkeypatch.setattr(Give, "ruling", lambda self, table, faces: told(self.replace(each=len(self.why)), table, faces))
    assert found(book, 10) == ("erased", "This action depends on texts that were erased.")
    assert dict(audit(book, "2026-11-20").outcomes)[10] == "erased"


def test_a_player_whose_name_was_erased_is_not_looked_for_by_name(book: Book) -> None:
    hand = scribe(book)
    seated = hand.write(Seat(name="Cleo", plays=("sam",), gm=False)).entries[0].seq
    again = hand.write(Seat(name="Cleo", plays=("zed",), gm=False)).entries[0].seq
    assert decided(book)[0] == []
    connection_of(book).execute("DELETE FROM words WHERE seq >= ?", (seated,))
    assert decided(book)[0] == [Remark(again, "This action depends on texts that were erased.")]


def test_an_entry_with_another_clock_than_its_action_is_not_what_the_command_writes(book: Book) -> None:
    done = scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=11)), faces=(7, 6))
    rewritten(done.entries[-1].seq, fields(clock="2026-11-20T10:00:00Z"))(connection_of(book))
    assert decided(book)[0] != []


@pytest.mark.parametrize("erased", [0, 1])
def test_one_of_two_seatings_of_a_player_may_be_erased(book: Book, erased: int) -> None:
    hand = scribe(book)
    seated = hand.write(Seat(name="Cleo", plays=("sam",), gm=False)).entries[0].seq
    again = hand.write(Seat(name="Cleo", plays=("zed",), gm=False)).entries[0].seq
    hand.write(Erase(entries=((seated, again)[erased],)))
    assert decided(book)[0] == [Remark(again, "This action depends on texts that were erased.")]


def test_an_amendment_that_seats_a_player_by_a_name_that_is_erased_later_is_no_finding(book: Book) -> None:
    hand = scribe(book)
    cleo = hand.write(Seat(name="Cleo", plays=("sam",), gm=False)).entries[0].seq
    dora = hand.write(Seat(name="Dora", plays=("zed",), gm=False)).entries[0].seq
    hand.write(Amend(named=dora, inputs={"name": "Cleo"}, faces=None, cascade=False, why="a slip"))
    hand.write(Erase(entries=(cleo,)))
    assert [fault for fault in decided(book)[0] if not isinstance(fault, Remark)] == []


def test_what_a_game_cannot_take_after_something_was_found_is_no_bug_of_ours(
    played: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise KeyError

    monkeypatch.setattr(Flip, "ruling", failing)
    rewritten(9, swapped('"margin":10', '"margin":9'))(connection_of(played))
    assert found(played, 16) == (
        "unknown",
        "This entry cannot be checked, because earlier entries differ from the rules.",
    )


def test_an_answer_comes_out_again_when_the_words_of_its_question_were_erased(book: Book) -> None:
    hand = scribe(book)
    hand.write(
        PlayMove(system="edge", move=Check(who="mara", skill=11, advantage=("rain",), edge=True)), faces=(7, 3, 7)
    )
    hand.write(Choose(question=9, chosen={"drop": 3}))
    hand.write(Erase(entries=(9,)))
    assert [*decided(book)[1].values()] == ["again", "again"]


def test_a_forged_amendment_of_what_nobody_is_asked_is_a_finding_and_breaks_nothing() -> None:
    with every_game() as book:
        at = scribe(book).write(Seat(name="Cleo", plays=(), gm=False)).entries[0].seq
        forged = scribe(book).write(Amend(named=at, inputs={"name": "Clea"}, faces=None, cascade=False, why="so"))
        rewritten(forged.entries[0].seq, fields(inputs={"a": 1}))(connection_of(book))
        assert (forged.entries[0].seq, "Today's rules do not accept the input a.") in decided(book)[0]


def test_what_is_kept_amended_and_taken_up_comes_out_again() -> None:
    with every_game() as book:
        hand, head = scribe(book), book.head()
        hand.write(
            PlayMove(system="multicheck", move=OneTest(who="mara", attribute="cunning", difficulty=30)), faces=(80,)
        )
        hand.write(AcceptOffer(ruling=head + 2, chosen={"reroll": True}))
        hand.write(Note(text="a note"))
        at = book.head() + 1
        hand.write(PlayMove(system="syscards", move=Rate(who="mara", rate=60, why="fog", throw=True)), faces=(71,))
        hand.write(Amend(named=at, inputs={"rate": 70}, faces=None, cascade=False, why="so"))
        late = {seq: each for seq, each in decided(book)[1].items() if book.journal.entry(seq).since < seq}
        assert {*late.values()} == {"again"}
        assert {book.journal.entry(seq).body["move"] for seq in late} == {"test", "rate", "throw"}


@pytest.mark.parametrize(
    ("move", "change", "says"),
    [
        (Plain(who="mara", characteristic="cunning"), fields(settings={}), "This ruling used a value for the setting levels that differs from the record at that time."),
        (Plain(who="mara", characteristic="cunning", circumstance={"fog": -2}), said(circumstance={"fog": True}), "Today's rules do not accept the input circumstance."),
        (Plain(who="mara", characteristic="cunning"), said(factor="9"), "Today's rules do not accept the input factor."),
        (Plain(who="mara", characteristic="cunning"), said(characteristic=None), "Today's rules do not accept the input characteristic."),
        (Skill(who="mara", skill="deception", on=("cunning",)), said(on=[7]), "Today's rules do not accept the input on."),
    ],
    ids=["no settings", "yes among numbers", "no such choice", "nothing", "a number among names"],
)  # fmt: skip
def test_inputs_that_a_game_cannot_take_are_named(move: Any, change: Change, says: str) -> None:
    with every_game() as book:
        seq = scribe(book).write(PlayMove(system="rollunder", move=move), faces=(3,)).entries[1].seq
        assert found(book, seq)[0] == "again"
        rewritten(seq, change)(connection_of(book))
        assert found(book, seq) == ("differs", says)


def looked(full: str, value: object) -> Change:
    """Let a ruling have looked at another value, on all sheets that have one of that name."""

    def change(body: str) -> str:
        sheets = parse_json(body)["looked"]
        assert any(full in sheet for sheet in sheets.values())
        changed = {who: {**sheet, full: value} if full in sheet else sheet for who, sheet in sheets.items()}
        return fields(looked=changed)(body)

    return change


@pytest.mark.parametrize(
    ("system", "move", "faces", "change", "what"),
    [
        ("edge", Lessen(who="mara", severity="serious"), None, fields(settings={"injuries": 7, "burn-at-zero": "off"}), "the setting injuries"),
        ("edge", Lessen(who="mara", severity="serious"), None, fields(settings={"injuries": ["minor", 7], "burn-at-zero": "off"}), "the setting injuries"),
        ("multicheck", OneTest(who="mara", attribute="cunning", difficulty=30), (80,), fields(settings={"mishap": "90"}), "the setting mishap"),
        ("multicheck", Turn(who="brak"), None, looked("multicheck/condition.*", [[]]), "multicheck/condition.* of brak"),
        ("syscards", Round(phase="begin"), None, looked("syscards/in-challenge", [["mara"]]), "syscards/in-challenge of campaign"),
        ("byzantine", Attempt(who="mara", task="wall", costs=2, energy=3), None, looked("byzantine/task.wall", {"base": "2"}), "byzantine/task.wall of campaign"),
        ("byzantine", Attempt(who="mara", task="wall", costs=2, energy=3), None, looked("byzantine/night", []), "byzantine/night of mara"),
    ],
    ids=["no list", "a number among names", "no number", "no names", "no name", "no cost", "no night"],
)  # fmt: skip
def test_what_a_game_could_not_have_shown_is_named(
    system: str, move: Move, faces: tuple[int, ...] | None, change: Change, what: str
) -> None:
    with every_game() as book:
        entries = scribe(book).write(PlayMove(system=system, move=move), faces=faces).entries
        seq = next(each.seq for each in entries if each.type == "move-played")
        assert found(book, seq)[0] == "again"
        rewritten(seq, change)(connection_of(book))
        assert found(book, seq) == (
            "differs",
            f"This ruling used a value for {what} that differs from the record at that time.",
        )


@pytest.mark.parametrize("bug", [KeyError("x"), AssertionError(), RuntimeError("x")], ids=repr)
@pytest.mark.parametrize("what", ["dice", "ruling", "offers"])
def test_a_game_that_fails_is_a_bug_of_ours_and_no_difference(
    played: Book, monkeypatch: pytest.MonkeyPatch, bug: Exception, what: str
) -> None:
    def failing(*_: object) -> None:
        raise bug

    monkeypatch.setattr(Check, what, failing)
    says = f"The rules of edge failed at #9 \\({type(bug).__name__}\\): this is a bug in the program, not in your campaign."
    with pytest.raises(Broken, match=says) as broken:
        found(played, 9)
    assert broken.value.__cause__ is bug


VALUES: Sequence[Any] = (
    None,
    True,
    0,
    -1,
    7,
    10**12,
    "",
    "x",
    "mara",
    [],
    [1],
    ["x"],
    [[]],
    {},
    {"a": 1},
    {"word": "a" * 64},
    {"secret": "a" * 64},
)
WRITTEN_BY_ANYBODY = ("inputs", "looked", "settings", "facts", "marks", "values")


@examples(300)
@given(data=st.data())
def test_whatever_somebody_wrote_into_an_entry_it_breaks_no_game(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 6)
        entry = data.draw(st.sampled_from([each for each in book.journal.entries() if each.type != "day-begun"]))
        places = [path for name in WRITTEN_BY_ANYBODY if name in entry.body for path, _ in walk(entry.body[name], name)]
        bent = substitute(entry.body, {data.draw(st.sampled_from(places)): data.draw(st.sampled_from(VALUES))})
        rewritten(entry.seq, lambda _: canonical_json(bent).decode())(connection_of(book))
        try:
            book.journal.entry(entry.seq).event  # noqa: B018  verify refuses it
        except WrongEntry:
            return
        says = [each for _, each in (*checked(book), *decided(book)[0])]
        assert all(each.endswith(".") for each in says)
