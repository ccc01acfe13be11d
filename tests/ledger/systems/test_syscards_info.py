"""SySCards: what a card's info says, and what happens in a challenge."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ford import CLASH, DUEL, WAITING, at_the_ford, facts, mark, places, play, said
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import Join, SetMarks
from ledger.commands.sheet import table_of
from ledger.corrections.answers import Choose
from ledger.corrections.undoing import Amend
from ledger.errors import BadInput, Held, Refused
from ledger.journal.book import Book
from ledger.systems.syscards.moves import Deny
from ledger.systems.syscards.moves_acts import ThrowPercentile
from ledger.systems.syscards.moves_cards import Card
from ledger.systems.syscards.moves_challenges import Clash
from projections.questions import questions
from projections.sheets import sheet
from table import scribe
from terminal import Type, command, typed_at_a_terminal


@pytest.fixture
def ford() -> Iterator[Book]:
    """A campaign in which four have a card."""
    with at_the_ford() as book:
        yield book


def info(book: Book, who: str) -> str:
    """The info on the sheet."""
    return next(row.value for row in sheet(book, who, "syscards").rows if row.label == "info")


def test_sys_22_an_info_is_on_the_sheet_in_words_and_in_numbers_and_is_added_to(ford: Book) -> None:
    play(ford, Card(who="mara", info="a soft answer", forces={"brawl": 40}, over=("drunk",)))
    play(ford, Card(who="mara", forces={"brak": 0}, over=("brak",), rejects=True))
    numbers = "forces a rate on brak; forces 40 on brawl; has priority over brak; has priority over drunk"
    assert info(ford, "mara") == f"a soft answer; {numbers}; can reject challenges"
    typed = {"syscards/forces": "fist=30,brawl=20", "syscards/over": "none", "syscards/info": "hard"}
    scribe(ford).write(SetMarks(who="mara", values=typed, why="misread"))
    assert info(ford, "mara") == "hard; forces 20 on brawl; forces 30 on fist; can reject challenges"
    scribe(ford).write(SetMarks(who="mara", values={"syscards/forces": "none", "syscards/over": "brak"}, why="x"))
    assert info(ford, "mara") == "hard; has priority over brak; can reject challenges"


@pytest.mark.parametrize(
    "card",
    [
        Card(who="mara", info="two\nlines"),
        Card(who="mara", info=" "),
        Card(who="mara", info="x" * 501),
        Card(who="mara", over=("Two Words",)),
        Card(who="mara", forces={"Two Words": 3}),
        Card(who="mara", kind="Two Words"),
    ],
)
def test_sys_22_an_info_that_is_none_is_refused(ford: Book, card: Card) -> None:
    head = ford.head()
    with pytest.raises(BadInput):
        play(ford, card)
    assert ford.head() == head


@pytest.mark.parametrize("typed", ["brawl", "brawl=101", "=3", "brawl=x"])
def test_sys_22_rates_that_are_none_are_refused(ford: Book, typed: str) -> None:
    with pytest.raises(BadInput):
        scribe(ford).write(SetMarks(who="mara", values={"syscards/forces": typed}, why="x"))


def test_sys_22_a_challenge_takes_the_highest_rate_that_infos_force_and_says_whose(ford: Book) -> None:
    play(ford, Card(who="mara", forces={"brawl": 70, "dena": 9}))
    play(ford, Card(who="cara", forces={"brak": 60, "brawl": 50}))
    play(ford, Card(who="brak", kind="brawl"))
    done = play(ford, DUEL.replace(against=("brak", "cara"), wait=True))
    assert said(done) == "a forced challenge of mara, brak, cara; brak needs 70, info of mara"
    assert facts(done, "rate-declared") == {"brak": {"rate": 70, "reason": "info of mara"}}
    clash = play(ford, CLASH.replace(against=("brak", "cara")), 80, 60, 50)
    assert said(clash) == "mara, then brak (failure by 10), then cara"
    assert not audit(ford, "2026-11-22").findings
    assert not audit(ford, "2026-11-22").remarks


def test_sys_22_the_gm_names_another_rate_or_none(ford: Book) -> None:
    play(ford, Card(who="mara", forces={"brak": 70}))
    other = play(ford, DUEL.replace(rates={"brak": 50}, why="rain"), 80, 60)
    assert facts(other, "rate-declared") == {"brak": {"rate": 50}}
    for without in (DUEL.replace(no_info=True), DUEL.replace(indirect=True)):
        assert "rate-declared" not in [entry.type for entry in play(ford, without, 80, 60).entries]
    play(ford, Card(who="brak", velocity=2))
    assert said(play(ford, WAITING)) == "a challenge of mara, brak"


def test_sys_22_a_challenge_proposes_the_rates_that_infos_force(ford: Book) -> None:
    play(ford, Card(who="mara", info="a soft answer", forces={"brak": 40}))
    (proposal,) = DUEL.proposals(table_of(ford, "syscards"))
    assert (proposal.input, proposal.name, proposal.number) == ("rates", "brak", 40)
    play(ford, WAITING)
    with pytest.raises(Refused, match="is still open"):
        DUEL.proposals(table_of(ford, "syscards"))


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ([("The rate that the card of mara sets for brak [70]", "")], "brak needs 70 because of"),
        (
            [("[70]", "101"), ("101 is not between 1 and 100", "50")],
            "challenges brak (forced)  then",
        ),
    ],
)
def test_sys_22_a_terminal_asks_for_each_rate_that_an_info_forces_and_proposes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type, answers: list[tuple[str, str]], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in ("init Ford --gm Tom", "join mara syscards efficiency=40", "join brak syscards efficiency=40"):
        type_in(line)
    type_in("syscards card mara --forces brak=70")
    words = ["syscards", "challenge", "mara", "--against", "brak", "--faces", "80,60"]
    screen = typed_at_a_terminal(command(tmp_path / "ford.campaign", *words), answers)
    assert says in screen
    assert screen.endswith("exit 0")


def test_sys_22_a_proposed_rate_that_changes_before_the_answer_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in ("init Ford --gm Tom", "join mara syscards efficiency=40", "join brak syscards efficiency=40"):
        type_in(line)
    type_in("syscards card mara --forces brak=70")
    words = command(
        tmp_path / "ford.campaign", "syscards", "challenge", "mara", "--against", "brak", "--faces", "80,60"
    )

    def another_rate() -> str:
        type_in("syscards card mara --forces brak=30")
        return ""

    screen = typed_at_a_terminal(words, [("sets for brak [70]", another_rate)])
    assert "The sheets have changed since you were asked. Nothing was written." in screen
    assert screen.endswith("exit 3")


def test_sys_22_a_terminal_asks_which_rate_an_info_forces_that_does_not_say_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in ("init Ford --gm Tom", "join mara syscards efficiency=40", "join brak syscards efficiency=40"):
        type_in(line)
    type_in("syscards card mara --forces brak=0")
    words = command(tmp_path / "ford.campaign", "syscards", "challenge", "mara", "--against", "brak", "--wait")
    asks = "The rate that the card of mara sets for brak:"
    assert "you left one empty" in typed_at_a_terminal(words, [(asks, "")])
    assert "mara challenges brak (forced)" in typed_at_a_terminal(words, [(asks, "55")])
    refused = typed_at_a_terminal(words, [])
    assert "The challenge between mara and brak is still open." in refused


def test_sys_16_sys_22_where_the_info_names_no_rate_the_gm_does(ford: Book) -> None:
    play(ford, Card(who="mara", forces={"brak": 0}))
    with pytest.raises(Refused, match="The info of mara forces a rate on brak"):
        play(ford, DUEL, 80, 60)
    assert said(play(ford, DUEL.replace(rates={"brak": 50}, why="rain"), 80, 60)) == "mara, then brak (success)"
    assert said(play(ford, DUEL.replace(no_info=True), 80, 60)) == "mara, then brak"


def test_sys_20_sys_22_priority_by_info_is_a_sentence_unless_infos_are_left_out(ford: Book) -> None:
    play(ford, Card(who="mara", over=("brak",)))
    deny = Deny(who="mara", against=("brak",), why="x")
    assert said(play(ford, WAITING)) == (
        "a challenge of mara, brak; mara has priority over brak by its info, for you to rule"
    )
    play(ford, deny)
    assert said(play(ford, WAITING.replace(no_info=True))) == "a challenge of mara, brak"
    play(ford, deny)
    assert said(play(ford, WAITING.replace(indirect=True))) == "an indirect challenge of mara, brak"


def opposed(book: Book) -> None:
    """The infos of mara and brak are against each other, and mara forces a rate on brak."""
    play(book, Card(who="mara", over=("brak",), kind="witch", forces={"brak": 50}))
    play(book, Card(who="brak", over=("witch",)))


def test_sys_22_infos_against_each_other_are_a_question_that_waits_for_the_gm(ford: Book) -> None:
    opposed(ford)
    scribe(ford).write(Join(who="edda", system="syscards", scores={}))
    done = play(ford, DUEL.replace(against=("brak", "cara")))
    assert not [entry for entry in done.entries if entry.type == "dice-thrown"]
    (question,) = questions(ford)
    assert (question.says, question.asks) == (
        "challenge (the info of brak and the info of mara conflict)",
        ("first", "first_why"),
    )
    with pytest.raises(Held):
        play(ford, Clash(who="mara", against=("brak", "cara")), 60, 70, 80)
    with pytest.raises(Refused, match="The challenge between mara and brak and cara is still open"):
        play(ford, DUEL.replace(who="dena", against=("edda",)))
    for nobody in ("cara", "ghost"):
        with pytest.raises(Refused, match="--first must be one of these: brak, mara, none"):
            scribe(ford).write(Choose(question=question.seq, chosen={"first": nobody, "first_why": "so"}))
    done = scribe(ford).write(Choose(question=question.seq, chosen={"first": "brak", "first_why": "he is older"}))
    assert (
        said(done) == "a forced challenge of mara, brak, cara; brak needs 50, info of mara; brak first, as the GM rules"
    )
    assert places(ford) == ["brak", "cara", "mara"]
    assert (mark(ford, "mara", "priority"), mark(ford, "cara", "priority")) == (2, 2)
    assert said(play(ford, ThrowPercentile(who="brak"), 60)) == "success"
    assert verify(ford).entries == ford.head()
    assert not audit(ford, "2026-11-22").findings


def test_sys_22_the_dice_may_say_who_comes_first_where_infos_are_against_each_other(ford: Book) -> None:
    opposed(ford)
    play(ford, WAITING)
    (question,) = questions(ford)
    none = {"first": "none", "first_why": "they are even"}
    done = scribe(ford).write(Choose(question=question.seq, chosen=none))
    assert said(done).endswith("; brak needs 50, info of mara; the dice say who is first, as the GM rules")
    assert said(play(ford, CLASH, 60, 70)) == "brak (success), then mara"
    at_once = play(ford, DUEL.replace(first="none", first_why="they are even"), 80, 60)
    assert said(at_once) == "mara, then brak (success)"
    assert not ford.questions()
    play(ford, DUEL)
    done = scribe(ford).write(Choose(question=ford.questions()[0], chosen=none), faces=(80, 60))
    assert said(done) == "mara, then brak (success)"


def test_sys_22_who_comes_first_is_said_with_a_reason_and_only_where_infos_are_against_each_other(ford: Book) -> None:
    with pytest.raises(Refused, match="The cards' info does not conflict in this challenge"):
        play(ford, WAITING.replace(first="mara", first_why="so"))
    opposed(ford)
    with pytest.raises(BadInput, match="Use --first together with --first-why"):
        play(ford, DUEL.replace(first="mara"))
    done = play(ford, DUEL.replace(first="mara", first_why="so"))
    assert [entry.type for entry in done.entries if entry.type in {"dice-thrown", "question-asked"}] == []
    assert places(ford) == ["mara", "brak"]
    for without in (DUEL.replace(no_info=True), DUEL.replace(indirect=True)):
        play(ford, without, 80, 60)
    assert not ford.questions()


def test_sys_21_sys_22_a_rate_by_info_that_changes_after_its_throw_is_a_remark(ford: Book) -> None:
    card = play(ford, Card(who="mara", forces={"brak": 50}))
    done = play(ford, DUEL, 80, 60)
    wrong = Amend(named=card.entries[0].seq, inputs={"forces": {"brak": 70}}, faces=None, cascade=True, why="misread")
    scribe(ford).write(wrong)
    assert mark(ford, "brak", "failed") is True
    assert done.entries[0].seq < ford.head()
    assert not audit(ford, "2026-11-22").findings
    assert any("(SYS-21)" in remark.says for remark in audit(ford, "2026-11-22").remarks)


def test_sys_21_a_rate_by_info_stays_declared_when_only_the_dice_are_corrected(ford: Book) -> None:
    play(ford, Card(who="mara", forces={"brak": 50}))
    duel = play(ford, DUEL, 80, 60).entries[0].seq
    scribe(ford).write(Amend(named=duel, inputs={}, faces=(80, 61), cascade=False, why="misread"))
    assert not audit(ford, "2026-11-22").remarks


def test_sys_22_faces_that_are_typed_before_the_question_belong_to_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in ("init Ford --gm Tom", "join mara syscards efficiency=40", "join brak syscards efficiency=40"):
        type_in(line)
    type_in("syscards card mara --over brak")
    type_in("syscards card brak --over mara")
    refused = type_in("syscards challenge mara --against brak --faces 60,70")
    assert "This command first asks a question. It rolls the dice after the answer." in refused.output
    assert refused.exit_code == 3
    asked = type_in("syscards challenge mara --against brak")
    assert "campaign choose 9 --first NAME --first-why TEXT" in asked.output
    answered = type_in("choose 9 --first none --first-why even --faces 60,70")
    assert "brak, then mara  [mara: 60, brak: 70]" in answered.output
