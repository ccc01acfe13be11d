"""Rederive: what was written comes out again; what was not made by the rules is said, and no secret with it."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coin
from audits import by_hand, checked, reworked
from coin import Draw, Flip, Give
from engine import connection_of
from evenings import evening
from examples import examples
from ledger.audit import rederive
from ledger.audit.rederive import REWORKED, Reworked, rework
from ledger.commands.play import PlayMove, Roll
from ledger.commands.table import Note
from ledger.corrections.answers import Choose, Take
from ledger.corrections.commands import Amend
from ledger.errors import Broken, WrongEntry
from ledger.events.canonical import canonical_json, changed, nodes, parse_json
from ledger.events.commitments import Said, Secret
from ledger.events.facts import Verdict
from ledger.events.types import MovePlayed, NoteWritten
from ledger.journal.book import Book
from ledger.rules.dice import Pool
from ledger.rules.move import Move
from ledger.systems.byzantine.moves_tasks import Attempt
from ledger.systems.edge import rules
from ledger.systems.edge.moves import Lessen
from ledger.systems.edge.moves_check import Check
from ledger.systems.multicheck.moves import Turn
from ledger.systems.multicheck.moves_d100 import Test as OneTest
from ledger.systems.rollunder.moves import Plain, Skill
from ledger.systems.syscards.moves_acts import Rate
from ledger.systems.syscards.moves_cards import Round
from table import every_game, scribe
from tampering import fields, rewritten

Change = Callable[[str], str]


@given(data=st.data())
def test_whatever_is_played_and_put_right_comes_out_again(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 9)
        assert [each for each in reworked(book) if each.outcome != "again"] == []


@pytest.fixture
def played(book: Book) -> Book:
    """A campaign of 7 entries, then: 8 9 10 a check with edge, 11 12 dice, 13 14 15 a flip, 16 17 its call."""
    hand = scribe(book)
    hand.write(PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True, drop=3)), faces=(7, 3, 7))
    hand.write(Roll(who="mara", notation="4d6kh3-1"), faces=(2, 5, 2, 6))
    hand.write(PlayMove(system="coin", move=Flip(who="mara", stake=2)), faces=(1,))
    hand.write(Choose(question=14, chosen={"call": "heads"}))
    assert book.head() == 17
    assert [each.outcome for each in reworked(book)] == ["again"] * 4
    return book


def swapped(was: str, now: str) -> Change:
    def change(body: str) -> str:
        assert was in body
        return body.replace(was, now, 1)

    return change


def said(**changes: object) -> Change:
    """Change what was said; of an input that is left out, nothing stays."""

    def change(body: str) -> str:
        inputs = {**parse_json(body)["inputs"], **changes}
        return fields(inputs={name: held for name, held in inputs.items() if held != "left out"})(body)

    return change


def found(book: Book, seq: int) -> Reworked:
    return rework(book, book.journal.entry(seq))


REWRITTEN: list[tuple[str, int, int, Change, str]] = [
    ("the verdict", 9, 9, swapped("complete success", "marginal success"), "The verdict was 'marginal success (+10), good', today's rules say 'complete success (+10), good'."),
    ("a success", 9, 9, swapped('"good":true', '"good":false'), "The verdict was 'complete success (+10), bad', today's rules say 'complete success (+10), good'."),
    ("the margin", 9, 9, swapped('"margin":10', '"margin":null'), "The verdict was 'complete success, good', today's rules say 'complete success (+10), good'."),
    ("a number of the working", 9, 9, swapped('"numbers":[25,20]', '"numbers":[25,15]'), "The working was 'target  25 against 15', today's rules say 'target  25 against 20'."),
    ("working that is missing", 9, 9, fields(steps=[]), "The working was nothing, today's rules say 'edge  the player names the die that goes'."),
    ("the die that goes", 9, 9, swapped('"dropped":"named"', '"dropped":"lowest"'), "The choice of dice was 'die 2 (lowest)', today's rules say 'die 2 (named)'."),
    ("what was paid", 10, 9, swapped('"amount":-1', '"amount":-2'), "The consequence was 'edge-spent of mara, mara edge/edge −2', today's rules say 'edge-spent of mara, mara edge/edge −1'."),
    ("what followed", 10, 9, fields(facts={"for": "fun"}, marks=[{"who": "mara", "name": "edge/care", "value": True}]), "The consequence was 'edge-spent of mara, mara edge/edge −1, mara edge/care = True, for fun', today's rules say 'edge-spent of mara, mara edge/edge −1'."),
    ("what does not follow from it", 10, 9, fields(cause=None), "The consequence was nothing, today's rules say 'edge-spent of mara, mara edge/edge −1'."),
    ("the dice that were asked for", 9, 9, said(drop=None, edge=False), "The throw was '3d10', today's rules say '2d10'."),
    ("edge that was not there", 9, 9, swapped('"edge/edge":4', '"edge/edge":0'), "Today's rules refuse it: mara has 0 edge and needs 1."),
    ("nothing was looked at", 9, 9, fields(looked={}), "Today's rules look at more than was noted: at edge/advantage.any of mara."),
    ("a bonus that is no number", 9, 9, said(skill="11"), "Today's rules do not take what was said as skill."),
    ("a face that no die has", 9, 9, said(drop=33), "Today's rules do not take what was said as drop."),
    ("a list that is none", 9, 9, said(advantage=7), "Today's rules do not take what was said as advantage."),
    ("whose it was", 9, 9, said(who="brak"), "The character was 'mara', today's rules say 'brak'."),
    ("a posting of its own", 9, 9, fields(postings=[{"who": "mara", "score": "edge/edge", "amount": 3}]), "The own posting was 'mara edge/edge +3', today's rules say nothing."),
    ("a mark of its own", 9, 9, fields(marks=[{"who": "mara", "name": "edge/care", "value": True}]), "The own mark was 'mara edge/care = True', today's rules say nothing."),
    ("an offer", 9, 9, fields(marks=[{"who": "mara", "name": "offer", "value": 9}]), "The offer was 'made', today's rules say nothing."),
    ("a sum", 12, 12, fields(total=13), "The sum was '5 + 2 + 6 + −1 = 13', today's rules say '5 + 2 + 6 + −1 = 12'."),
    ("other dice to count", 12, 12, fields(notation="4d6kh2-1"), "The choice of dice was 'die 1 (kh3)', today's rules say 'die 1 (kh2), die 3 (kh2)'."),
    ("dice that nobody asked for", 12, 12, fields(notation="3d6"), "The throw was '4d6', today's rules say '3d6'."),
    ("no notation", 12, 12, fields(notation="x"), "Today's rules refuse it: 'x' is no pool of dice."),
    ("what is asked", 14, 14, fields(asks=["stake"]), "The question was 'stake', today's rules say 'call'."),
    ("how it is asked", 14, 14, fields(kind="whim"), "The kind of question was 'whim', today's rules say 'choice'."),
    ("whom it holds", 14, 14, fields(postings=[]), "The own posting was nothing, today's rules say 'mara hold +1'."),
    ("what it cost", 15, 14, swapped('"amount":-2', '"amount":-1'), "The consequence was 'coins-lost of mara, mara coin/coins −1', today's rules say 'coins-lost of mara, mara coin/coins −2'."),
    ("another stake at the answer", 16, 16, said(stake=9), "The question that it answers was asked with other inputs."),
    ("another die at the answer", 16, 16, swapped('"face":1', '"face":2'), "The question that it answers was asked with other dice."),
    ("another look at the answer", 16, 16, fields(looked={"mara": {"coin/coins": 99}}), "The question that it answers was asked with other numbers on the sheets."),
    ("other settings at the answer", 16, 16, fields(settings={"taxed": True}), "The question that it answers was asked with other settings."),
    ("an answer to no question", 16, 16, fields(answers=12), "Today's rules look at more than was noted: at coin/coins of mara."),
    ("an answer that frees nobody", 16, 16, fields(postings=[]), "The own posting was nothing, today's rules say 'mara hold −1'."),
    ("nobody was asked", 16, 16, lambda body: said(call=None)(fields(answers=None, looked={"mara": {"coin/coins": 9}})(body)), "The question was 'none', today's rules say 'call'."),
    ("a side that no coin has", 16, 16, said(call="edge"), "Today's rules do not take what was said as call."),
]  # fmt: skip


@pytest.mark.parametrize(("what", "at", "seq", "change", "says"), REWRITTEN, ids=[each[0] for each in REWRITTEN])
def test_what_was_written_otherwise_than_the_rules_say_is_named(
    played: Book, what: str, at: int, seq: int, change: Change, says: str
) -> None:
    rewritten(at, change)(connection_of(played))
    assert found(played, seq) == Reworked(seq=seq, outcome="differs", says=says)


@pytest.mark.parametrize(
    ("change", "outcome", "says"),
    [
        (fields(system="chess"), "unknown", "The game chess is not installed here."),
        (fields(move="parry", edition="edge/0"), "unknown", "The edge that is installed here does not know the move parry as it was made."),
        (fields(move="parry"), "differs", "The edge that is installed here does not know the move parry as it was made."),
        (said(luck=11), "differs", "The edge that is installed here does not know the move check as it was made."),
        (said(who="left out"), "differs", "The edge that is installed here does not know the move check as it was made."),
    ],
    ids=["the game", "a move of another edition", "the move", "an input", "an input that is missing"],
)  # fmt: skip
def test_what_is_not_installed_here_is_not_known_and_what_no_edition_knew_differs(
    played: Book, change: Change, outcome: Any, says: str
) -> None:
    rewritten(9, change)(connection_of(played))
    assert found(played, 9) == Reworked(seq=9, outcome=outcome, says=says)


def another_rule(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rules, "BANDS", ((12, "complete_success"), *rules.BANDS[1:]))


def test_a_rule_that_rules_otherwise_is_named_and_only_a_remark_under_another_edition(
    played: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    another_rule(monkeypatch)
    says = "The verdict was 'complete success (+10), good', today's rules say 'significant success (+10), good'."
    assert found(played, 9) == Reworked(seq=9, outcome="differs", says=says)
    rewritten(9, fields(edition="edge/0"))(connection_of(played))
    assert found(played, 9) == Reworked(seq=9, outcome="differs-edition", says=says)


def test_a_ruling_of_another_edition_that_comes_out_again_is_well(played: Book) -> None:
    rewritten(9, fields(edition="edge/0"))(connection_of(played))
    assert found(played, 9).outcome == "again"


def test_a_rule_that_looks_at_more_than_it_did_never_sees_the_sheets_of_today(
    played: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Check, "worked_bonus", lambda self, table: table.score("mara", "strength"))
    says = "Today's rules look at more than was noted: at edge/strength of mara."
    assert found(played, 9) == Reworked(seq=9, outcome="differs", says=says)


@pytest.fixture
def hidden(book: Book) -> tuple[Book, int]:
    """A lot drawn against a number that the GM keeps, 41."""
    done = scribe(book).write(PlayMove(system="coin", move=Draw(who="mara", number=41, secret=True)), faces=(73,))
    seq = done.entries[-1].seq
    assert found(book, seq).outcome == "again"
    return book, seq


def test_of_what_the_gm_keeps_only_the_part_that_differs_is_told(
    hidden: tuple[Book, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    book, seq = hidden
    monkeypatch.setattr(coin.draw, "work", lambda *, dice, number: coin.DrawOutcome(hit=True))
    assert found(book, seq) == Reworked(seq=seq, outcome="differs", says="The verdict differs.")
    monkeypatch.setattr(Draw, "ruling", lambda self, table, faces: table.score("mara", "coins"))
    assert found(book, seq).says == "Today's rules look at more than was noted."
    monkeypatch.setattr(Draw, "agree", lambda self, table, faces: coin.flip(dice=()))
    assert found(book, seq).says == "Today's rules refuse it."


@pytest.mark.parametrize("field", ["inputs.number", "verdict.margin"])
def test_a_ruling_whose_secret_is_in_this_file_no_more_is_closed(hidden: tuple[Book, int], field: str) -> None:
    book, seq = hidden
    connection_of(book).execute("DELETE FROM words WHERE seq = ? AND field = ?", (seq, field))
    says = "What the GM keeps secret of it is in this file no more."
    assert found(book, seq) == Reworked(seq=seq, outcome="away", says=says)


def test_erased_words_close_only_what_hangs_on_them(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    hand = scribe(book)
    check = Check(who="mara", skill=11, bonus=1, why="the fog", advantage=("high ground", "rain"))
    hand.write(PlayMove(system="edge", move=check), faces=(7, 3, 7))
    hand.write(PlayMove(system="coin", move=Give(who="mara", to=("brak",), why="a debt")))
    connection_of(book).execute("DELETE FROM words WHERE seq > 7")
    assert [each.outcome for each in reworked(book)] == ["again", "again"]
    another_rule(monkeypatch)
    assert next(reworked(book)).outcome == "differs"
    monkeypatch.setattr(Give, "dice", lambda self, table: Pool(sides=(2,)) if self.why == "a debt" else None)
    told = coin.Give.ruling
    monkeypatch.setattr(Give, "ruling", lambda self, table, faces: told(self.replace(each=len(self.why)), table, faces))
    *_, last = reworked(book)
    assert last == Reworked(seq=10, outcome="erased", says="It hangs on words that were erased.")


def test_an_answer_comes_out_again_when_the_words_of_its_question_were_erased(book: Book) -> None:
    hand = scribe(book)
    hand.write(
        PlayMove(system="edge", move=Check(who="mara", skill=11, advantage=("rain",), edge=True)), faces=(7, 3, 7)
    )
    hand.write(Choose(question=9, chosen={"drop": 3}))
    connection_of(book).execute("DELETE FROM words WHERE seq = 9")
    assert [each.outcome for each in reworked(book)] == ["again", "again"]


def test_what_is_kept_amended_and_taken_up_comes_out_again() -> None:
    with every_game() as book:
        hand, head = scribe(book), book.head()
        hand.write(
            PlayMove(system="multicheck", move=OneTest(who="mara", attribute="cunning", difficulty=30)), faces=(80,)
        )
        hand.write(Take(ruling=head + 2, chosen={"reroll": True}))
        hand.write(Note(text="a note"))
        at = book.head() + 1
        hand.write(PlayMove(system="syscards", move=Rate(who="mara", rate=60, why="fog", throw=True)), faces=(71,))
        hand.write(Amend(named=at, inputs={"rate": 70}, faces=None, cascade=False, why="so"))
        late = [each for each in reworked(book) if book.journal.entry(each.seq).since < each.seq]
        assert {each.outcome for each in late} == {"again"}
        assert {book.journal.entry(each.seq).body["move"] for each in late} == {"test", "rate", "throw"}


@pytest.mark.parametrize(
    ("move", "change", "says"),
    [
        (Plain(who="mara", characteristic="cunning"), fields(settings={}), "Today's rules cannot be worked out from what was noted."),
        (Plain(who="mara", characteristic="cunning", circumstance={"fog": -2}), said(circumstance={"fog": True}), "Today's rules do not take what was said as circumstance."),
        (Plain(who="mara", characteristic="cunning"), said(factor="9"), "Today's rules do not take what was said as factor."),
        (Plain(who="mara", characteristic="cunning"), said(characteristic=None), "Today's rules do not take what was said as characteristic."),
        (Skill(who="mara", skill="deception", on=("cunning",)), said(on=[7]), "Today's rules do not take what was said as on."),
    ],
    ids=["no settings", "yes among numbers", "no such choice", "nothing", "a number among names"],
)  # fmt: skip
def test_inputs_that_a_game_cannot_take_are_named(move: Any, change: Change, says: str) -> None:
    with every_game() as book:
        seq = scribe(book).write(PlayMove(system="rollunder", move=move), faces=(3,)).entries[1].seq
        assert found(book, seq).outcome == "again"
        rewritten(seq, change)(connection_of(book))
        assert found(book, seq) == Reworked(seq=seq, outcome="differs", says=says)


CANNOT = "Today's rules cannot be worked out from what was noted."


def looked(full: str, value: object) -> Change:
    """Let a ruling have looked at another value, on all sheets that have one of that name."""

    def change(body: str) -> str:
        sheets = parse_json(body)["looked"]
        assert any(full in sheet for sheet in sheets.values())
        return fields(looked={who: {**sheet, full: value} for who, sheet in sheets.items()})(body)

    return change


@pytest.mark.parametrize(
    ("system", "move", "faces", "change"),
    [
        ("edge", Lessen(who="mara", severity="serious"), None, fields(settings={"injuries": 7})),
        ("edge", Lessen(who="mara", severity="serious"), None, fields(settings={"injuries": ["minor", 7]})),
        ("multicheck", OneTest(who="mara", attribute="cunning", difficulty=30), (80,), fields(settings={"mishap": "90"})),
        ("multicheck", Turn(who="brak"), None, looked("multicheck/condition.*", [[]])),
        ("syscards", Round(phase="begin"), None, looked("syscards/in-challenge", [["mara"]])),
        ("byzantine", Attempt(who="mara", task="wall", costs=2, energy=3), None, looked("byzantine/task.wall", {"base": "2"})),
        ("byzantine", Attempt(who="mara", task="wall", costs=2, energy=3), None, looked("byzantine/night", [])),
    ],
    ids=["no list", "a number among names", "no number", "no names", "no name", "no cost", "no night"],
)  # fmt: skip
def test_what_a_game_could_not_have_shown_is_named(
    system: str, move: Move, faces: tuple[int, ...] | None, change: Change
) -> None:
    with every_game() as book:
        entries = scribe(book).write(PlayMove(system=system, move=move), faces=faces).entries
        seq = next(each.seq for each in entries if each.type == "move-played")
        assert found(book, seq).outcome == "again"
        rewritten(seq, change)(connection_of(book))
        assert found(book, seq) == Reworked(seq=seq, outcome="differs", says=CANNOT)


@pytest.mark.parametrize("bug", [KeyError("x"), AssertionError(), RuntimeError("x")], ids=repr)
@pytest.mark.parametrize("what", ["dice", "ruling", "offers"])
def test_a_game_that_fails_is_a_bug_of_ours_and_no_difference(
    played: Book, monkeypatch: pytest.MonkeyPatch, bug: Exception, what: str
) -> None:
    def failing(*_: object) -> None:
        raise bug

    monkeypatch.setattr(Check, what, failing)
    says = f"The rules of edge failed at #9 \\({type(bug).__name__}\\): this is a bug of ours, not of the journal."
    with pytest.raises(Broken, match=says) as broken:
        found(played, 9)
    assert broken.value.__cause__ is bug
    assert found(played, 12).outcome == "again"


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
        places = [
            path for name in WRITTEN_BY_ANYBODY if name in entry.body for path, _ in nodes(entry.body[name], name)
        ]
        bent = changed(entry.body, {data.draw(st.sampled_from(places)): data.draw(st.sampled_from(VALUES))})
        rewritten(entry.seq, lambda _: canonical_json(bent).decode())(connection_of(book))
        try:
            book.journal.entry(entry.seq).event  # noqa: B018  verify refuses it
        except WrongEntry:
            return
        if entry.type in REWORKED:
            assert found(book, entry.seq).outcome
        says = [each for _, each in checked(book)] + [each for _, each, _ in by_hand(book)]
        assert all(each.endswith(".") for each in says)


def test_what_no_ruling_of_ours_notes_is_told_from_a_difference() -> None:
    note = NoteWritten(text=Said(text="x"))
    hidden = Verdict(says="x", good=None, margin=Secret(state="away"))
    with pytest.raises(rederive._NotNoted):
        rederive._verdict(hidden)
    with pytest.raises(rederive._NotNoted):
        rederive._facts(note)
    with pytest.raises(rederive._NotNoted):
        list(rederive._other_than_asked(MovePlayed.__new__(MovePlayed), note))
