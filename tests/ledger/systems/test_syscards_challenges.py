"""SySCards: challenges, ties that wait for the GM, cancellations, rejections, and what the GM rules outright."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acts import ordered
from examples import examples
from ford import (
    CLASH,
    DUEL,
    WAITING,
    Phase,
    at_the_ford,
    facts,
    kinds,
    mark,
    places,
    play,
    rate,
    rejecting,
    said,
    score,
    settle,
    shop,
    started,
    steps,
    tie,
)
from forging import read
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, Join
from ledger.commands.play import PlayMove
from ledger.corrections.answers import Choose
from ledger.corrections.undoing import Amend
from ledger.errors import BadInput, Held, Refused, WrongFaces
from ledger.journal.book import Book
from ledger.rules.move import Move
from ledger.scribe import Written
from ledger.systems.syscards import rules
from ledger.systems.syscards.moves import CancelAct, Deny, Outright, Reject
from ledger.systems.syscards.moves_acts import Act, Means, ThrowPercentile
from ledger.systems.syscards.moves_cards import Buy, Card, Mode, Round
from ledger.systems.syscards.moves_challenges import Challenge, Clash
from projections.log import line
from projections.questions import questions
from table import counting_dice, opened_book, scribe


@pytest.fixture
def ford() -> Iterator[Book]:
    """A campaign in which four have a card."""
    with at_the_ford() as book:
        yield book


def test_sys_13_the_highest_result_has_priority_and_dice_are_those_of_the_acts_in_order(ford: Book) -> None:
    done = play(ford, DUEL.replace(against=("cara", "dena")), 50, 70, 60)
    assert places(ford) == ["cara", "dena", "mara"]
    naturals = {who: each["natural"] for who, each in facts(done, "act-thrown").items()}
    assert naturals == {"mara": 50, "cara": 70, "dena": 60}
    assert kinds(done) == [
        "challenge-declared",
        *["challenge-entered"] * 3,
        "mode-changed",
        *["act-thrown"] * 3,
        *["challenge-settled"] * 3,
    ]
    by_machine = play(ford, DUEL.replace(against=("cara", "dena")))
    found = facts(by_machine, "act-thrown")
    assert thrown_by(by_machine) == [(who, found[who]["natural"]) for who in ("mara", "cara", "dena")]


def thrown_by(done: Written) -> list[tuple[str, int]]:
    """Who threw what, by the entries of the dice."""
    dice = [entry.body for entry in done.entries if entry.type == "dice-thrown"]
    return [(throw["who"], die["face"]) for throw in dice for die in throw["dice"]]


def test_sys_02_the_dice_of_each_thrower_are_an_entry_in_their_name_and_shown_beside_it(ford: Book) -> None:
    play(ford, Card(who="dena", velocity=3))
    done = play(ford, DUEL.replace(against=("brak", "dena")), 60, 70)
    assert thrown_by(done) == [("mara", 60), ("brak", 70)]
    alone = play(ford, DUEL.replace(against=("dena",), rates={"dena": 50}, why="far"), 60)
    assert thrown_by(alone) == [("dena", 60)]
    assert [line(ford, written.entries).further[0].dice for written in (done, alone)] == [
        "mara: 60, brak: 70",
        "dena: 60",
    ]
    assert verify(ford).entries == ford.head()
    assert not audit(ford, "2026-11-22").findings


def test_sys_14_raises_are_written_with_the_dice_though_the_tie_waits_and_once(ford: Book) -> None:
    done = play(ford, DUEL, 100, 100)
    assert kinds(done)[-5:] == ["question-asked", *["act-thrown", "raise-thrown"] * 2]
    assert (score(ford, "mara"), score(ford, "brak")) == (41, 41)
    (question,) = ford.questions()
    ruled = scribe(ford).write(Choose(question=question, chosen={"order": ("brak", "mara"), "why": "so"}))
    assert kinds(ruled) == ["challenge-settled"] * 2
    assert (score(ford, "mara"), places(ford)) == (41, ["brak", "mara"])
    amended = Amend(named=question, inputs={"order": ("mara", "brak")}, faces=None, cascade=True, why="misheard")
    scribe(ford).write(amended)
    assert (score(ford, "mara"), score(ford, "brak"), places(ford)) == (41, 41, ["mara", "brak"])
    assert verify(ford).entries == ford.head()
    assert not audit(ford, "2026-11-22").findings


def test_sys_02_dice_of_one_are_never_taken_for_those_of_another(ford: Book) -> None:
    play(ford, WAITING.replace(against=("brak", "cara")))
    clash = play(ford, CLASH.replace(against=("brak", "cara")), 60, 70, 80)
    swapped = {"who": "brak", "against": ("mara", "cara")}
    wrong = Amend(named=clash.entries[-1].cause or 0, inputs=swapped, faces=None, cascade=False, why="x")
    with pytest.raises(Refused, match="needs 3d100 of brak, mara, cara, but 3d100 of mara, brak, cara were rolled"):
        scribe(ford).write(wrong)
    scribe(ford).write(wrong.replace(faces=(70, 60, 80)))
    assert places(ford) == ["cara", "brak", "mara"]
    assert not audit(ford, "2026-11-22").findings


def test_sys_02_the_only_die_of_a_challenge_is_never_taken_for_that_of_another(ford: Book) -> None:
    play(ford, Card(who="dena", velocity=3))
    play(ford, WAITING.replace(against=("dena",)))
    clash = play(ford, CLASH.replace(against=("dena",), also=("mara",)), 60)
    wrong = Amend(named=clash.entries[-1].cause or 0, inputs={"also": ("dena",)}, faces=None, cascade=False, why="x")
    with pytest.raises(Refused, match="needs 1d100 of dena, but 1d100 of mara was rolled"):
        scribe(ford).write(wrong)


def test_sys_02_an_audit_finds_dice_in_the_name_of_another(ford: Book) -> None:
    play(ford, Card(who="dena", velocity=3))
    play(ford, WAITING.replace(against=("dena",)))
    play(ford, CLASH.replace(against=("dena",), also=("dena",)), 60)
    play(ford, DUEL, 60, 70)
    for throw, says in (
        ("dena", "'mara', but today's rules give 'dena'"),
        ("brak", "'mara', but today's rules give 'brak'"),
    ):
        forged = read(ford)
        (body,) = (body for body in forged.bodies if (body["type"], body.get("who")) == ("dice-thrown", throw))
        body["who"] = "mara"
        (finding,) = audit(forged.book(), "2026-11-22").findings
        assert says in finding.says
        body["who"] = "cara"  # no ruling looked at her
        assert "were rolled for something else" in audit(forged.book(), "2026-11-22").findings[1].says


def test_sys_13_a_challenge_that_waits_is_thrown_for_once_and_together(ford: Book) -> None:
    play(ford, WAITING.replace(rates={"mara": 90}, why="fog"))
    with pytest.raises(Refused, match="mara is in a challenge that has not been rolled yet"):
        play(ford, ThrowPercentile(who="mara"), 95)
    with pytest.raises(Refused, match="These cards are not in a challenge with each other"):
        play(ford, CLASH.replace(against=("brak", "cara")))
    play(ford, Clash(who="brak", against=("mara",)), 10, 95)
    assert places(ford) == ["mara", "brak"]
    with pytest.raises(Refused, match="This challenge is already settled"):
        play(ford, CLASH, 1, 2)


def test_sys_14_a_tie_goes_to_the_higher_efficiency_as_just_raised(ford: Book) -> None:
    play(ford, DUEL.replace(against=("cara",)), 80, 80)
    assert places(ford) == ["mara", "cara"]
    settle(ford, raise_from="80", award="30")
    play(ford, DUEL.replace(against=("cara",)), 79, 30)
    play(ford, DUEL.replace(against=("cara",)), 80, 80)
    assert (score(ford, "mara"), score(ford, "cara")) == (70, 50)


def test_sys_14_tied_in_both_is_a_question_that_holds_exactly_those_in_challenge(ford: Book) -> None:
    shop(ford)
    question = tie(ford)
    assert places(ford) == []
    held: list[Move] = [
        CancelAct(who="mara", target="brak", why="x"),
        CancelAct(who="cara", target="dena", why="x"),
        CancelAct(who="dena", target="mara", why="x"),
        rate("brak", 20),
        ThrowPercentile(who="mara"),
        Act(who="mara", rate=1, why="x"),
        Buy(who="brak", item="efficiency"),
        Outright(who="dena", against=("cara",), why="x"),
        DUEL.replace(who="dena", against=("mara",)),
    ]
    for move in held:
        head, dice = ford.head(), counting_dice()
        with pytest.raises(Held, match=f"open question: #{question}"):
            scribe(ford, chance=dice).write(PlayMove(system="syscards", move=move))
        assert (ford.head(), dice.count) == (head, 0)
    play(ford, rate("dena", 20), 30)
    scribe(ford).write(Choose(question=question, chosen={"order": ("brak", "mara"), "why": "so"}))
    assert places(ford) == ["cara", "brak", "mara"]
    play(ford, Mode(mode="deal"))
    play(ford, Buy(who="brak", item="efficiency"))
    play(ford, CancelAct(who="brak", target="mara", why="x"))


@pytest.mark.parametrize(
    "named",
    [(), ("mara",), ("mara", "mara"), ("mara", "cara"), ("cara", "brak", "mara"), ("mara", "dena"), ("mara", "ghost")],
)
def test_sys_14_an_order_that_does_not_name_the_tied_exactly_is_refused_and_the_question_stays(
    ford: Book, named: tuple[str, ...]
) -> None:
    question = tie(ford)
    head = ford.head()
    with pytest.raises(Refused, match="The order must name exactly the tied cards: brak, mara"):
        scribe(ford).write(Choose(question=question, chosen={"order": named, "why": "so"}))
    assert (ford.head(), ford.questions()) == (head, [question])


def test_sys_14_an_order_is_said_beside_typed_dice_alone_and_where_somebody_is_tied(ford: Book) -> None:
    play(ford, WAITING)
    said_early, head = CLASH.replace(order=("brak", "mara"), why="so"), ford.head()
    with pytest.raises(Refused, match="--order can only be chosen after the roll"):
        play(ford, said_early)
    with pytest.raises(Refused, match="The order must name exactly the tied cards: none"):
        play(ford, said_early, 70, 80)
    assert ford.head() == head
    play(ford, said_early, 80, 80)
    assert places(ford) == ["brak", "mara"]


def test_sys_14_the_question_says_who_is_tied_and_at_what(ford: Book) -> None:
    tie(ford)
    (question,) = questions(ford)
    assert question.says == "clash (brak and mara are tied, each with result 80 and efficiency 40)"


def test_sys_06_sys_14_the_question_about_a_tie_names_each_failure_that_no_order_can_change(ford: Book) -> None:
    forced = DUEL.replace(against=("brak", "cara", "dena"), rates={"cara": 75, "brak": 95})
    play(ford, forced, 80, 80, 60, 10)
    (question,) = questions(ford)
    assert question.says == (
        "clash (brak and mara are tied, each with result 80 and efficiency 40; brak fails by 15; cara fails by 15)"
    )


def test_sys_14_two_ties_at_once_are_one_question_that_names_both(ford: Book) -> None:
    play(ford, Card(who="brak", velocity=2))
    play(ford, Card(who="dena", velocity=2))
    scribe(ford).write(Adjust(who="dena", amounts={"syscards/efficiency": 35}, why="x"))
    scribe(ford).write(Adjust(who="cara", amounts={"syscards/efficiency": 20}, why="x"))
    play(ford, DUEL.replace(against=("brak", "cara", "dena")), 60, 70, 60, 70)
    (question,) = questions(ford)
    tied = "brak and dena are tied, each with result 70 and efficiency 40; cara and mara are tied, each with result 60 and efficiency 40"
    assert question.says == f"clash ({tied})"
    scribe(ford).write(Choose(question=question.seq, chosen={"order": ("mara", "dena", "brak", "cara"), "why": "so"}))
    assert places(ford) == ["dena", "brak", "mara", "cara"]


def test_sys_14_what_changes_while_a_tie_waits_changes_nothing_of_it(ford: Book) -> None:
    question = tie(ford)
    settle(ford, raise_from="1", award="9")
    done = scribe(ford).write(Choose(question=question, chosen={"order": ("mara", "brak"), "why": "so"}))
    assert "raise-thrown" not in kinds(done)
    assert score(ford, "mara", "efficiency") == 40


def test_sys_15_a_faster_act_comes_first_and_throws_only_where_it_must_or_wants_to(ford: Book) -> None:
    play(ford, Card(who="dena", velocity=3))
    done = play(ford, DUEL.replace(against=("brak", "dena")), 60, 70)
    assert places(ford) == ["dena", "brak", "mara"]
    assert "dena" not in facts(done, "act-thrown")
    done = play(ford, DUEL.replace(against=("brak", "dena"), also=("dena",)), 60, 70, 100)
    assert (places(ford), score(ford, "dena")) == (["dena", "brak", "mara"], 6)
    done = play(ford, DUEL.replace(against=("dena",), rates={"dena": 7}, why="far"), 6)
    assert said(done) == "dena (failure by 1), then mara"
    none = play(ford, DUEL.replace(against=("dena",), rates={"dena": 6}, why="far"))
    assert (said(none), facts(none, "act-thrown")) == ("dena (success), then mara", {})
    with pytest.raises(WrongFaces):
        play(ford, DUEL.replace(against=("dena",)), 60)


def test_sys_03_sys_15_a_rate_that_the_efficiency_reaches_without_a_throw_succeeds_and_is_used_up(ford: Book) -> None:
    play(ford, Card(who="brak", velocity=2))
    assert said(play(ford, DUEL.replace(rates={"brak": 40, "mara": 30}, why="fog"))) == (
        "brak (success), then mara (success)"
    )
    assert (mark(ford, "brak", "rate"), mark(ford, "mara", "rate")) == (None, None)
    with pytest.raises(Refused, match="brak has no declared rate"):
        play(ford, ThrowPercentile(who="brak"), 95)
    assert not audit(ford, "2026-11-22").findings


def test_sys_16_in_a_forced_challenge_a_failed_act_keeps_its_place_and_cancels_nothing(ford: Book) -> None:
    done = play(ford, DUEL.replace(against=("brak", "cara"), rates={"mara": 75, "brak": 12}, why="fog"), 71, 60, 50)
    assert said(done) == "mara (failure by 4), then brak (success), then cara"
    assert facts(done, "rate-declared") == {"mara": {"rate": 75}, "brak": {"rate": 12}}
    assert facts(done, "challenge-settled") == {
        who: {"priority": n} for n, who in enumerate(("mara", "brak", "cara"), 1)
    }
    assert done.entries[0].body["inputs"]["why"] == "fog"
    with pytest.raises(Refused, match="The act of mara failed or was canceled, so it cannot cancel another"):
        play(ford, CancelAct(who="mara", target="cara", why="x"))
    play(ford, CancelAct(who="brak", target="cara", why="x"))
    assert said(play(ford, Means(who="mara", words="she stumbles"))) == "a failure by 4 is told"


def test_sys_16_forced_as_both_only_the_first_that_reaches_its_rate_succeeds(ford: Book) -> None:
    settle(ford, forced="both")
    forced = DUEL.replace(against=("brak", "cara"), rates={"mara": 50, "brak": 60, "cara": 90}, why="fog")
    done = play(ford, forced, 80, 70, 60)
    assert said(done) == "mara (success), then brak (failure, without priority), then cara (failure by 30)"
    assert facts(done, "act-thrown")["brak"]["success"] is False
    assert "degree_of_failure" not in facts(done, "act-thrown")["brak"]
    settled = facts(done, "challenge-settled")
    assert {who: settled[who]["success"] for who in settled} == {"mara": True, "brak": False, "cara": False}
    assert mark(ford, "brak", "failed") is True
    with pytest.raises(Refused, match="The act of brak failed or was canceled, so it cannot cancel another"):
        play(ford, CancelAct(who="brak", target="cara", why="x"))
    play(ford, CancelAct(who="mara", target="cara", why="x"))
    with pytest.raises(Refused, match="brak has no failure to describe"):
        play(ford, Means(who="brak", words="x"))
    indirect = play(ford, forced.replace(indirect=True), 80, 70, 60)
    assert said(indirect) == "mara (success), then brak (success), then cara (failure by 30)"
    settle(ford, forced="rate")
    assert said(play(ford, forced, 80, 70, 60)) == said(indirect)
    with pytest.raises(BadInput, match="is not one of rate, both"):
        settle(ford, forced="either")


def test_sys_16_forced_as_both_the_order_that_the_gm_gives_decides_who_succeeds(ford: Book) -> None:
    settle(ford, forced="both")
    done = play(ford, DUEL.replace(rates={"mara": 50, "brak": 60}, why="fog"), 80, 80)
    (question,) = [entry.seq for entry in done.entries if entry.type == "question-asked"]
    settle(ford, forced="rate")
    done = scribe(ford).write(Choose(question=question, chosen={"order": ("brak", "mara"), "why": "so"}))
    assert said(done) == "brak (success), then mara (failure, without priority)"
    assert (mark(ford, "brak", "failed"), mark(ford, "mara", "failed")) == (None, True)
    assert verify(ford).entries == ford.head()


def test_sys_17_an_act_with_priority_cancels_another_a_slower_one_too_and_never_the_other_way(ford: Book) -> None:
    play(ford, Card(who="dena", velocity=3))
    cancel = CancelAct(who="dena", target="mara", why="she is quicker")
    with pytest.raises(Refused, match="dena and mara have no settled challenge in this round"):
        play(ford, cancel)
    play(ford, DUEL.replace(against=("brak", "dena")), 60, 70)
    done = play(ford, cancel)
    assert (said(done), facts(done, "act-cancelled")) == ("cancels the act of mara", {"mara": {"by": "dena"}})
    for move, why in (
        (cancel, "The act of mara is already canceled"),
        (CancelAct(who="mara", target="brak", why="x"), "mara has no priority over brak"),
        (CancelAct(who="brak", target="brak", why="x"), "no priority over brak"),
    ):
        with pytest.raises(Refused, match=why):
            play(ford, move)
    play(ford, CancelAct(who="dena", target="brak", why="x"))
    play(ford, DUEL.replace(against=("cara",)), 60, 70)
    with pytest.raises(Refused, match="dena and mara have no settled challenge in this round"):
        play(ford, CancelAct(who="dena", target="mara", why="x"))
    play(ford, CancelAct(who="cara", target="mara", why="x"))


def test_sys_17_a_canceled_act_cancels_nothing(ford: Book) -> None:
    play(ford, DUEL.replace(against=("brak", "cara")), 90, 80, 70)
    play(ford, CancelAct(who="mara", target="brak", why="x"))
    with pytest.raises(Refused, match="The act of brak failed or was canceled, so it cannot cancel another"):
        play(ford, CancelAct(who="brak", target="cara", why="x"))


def test_sys_18_an_indirect_challenge_orders_alike_and_cancels_nothing_whatever_comes_after_it(ford: Book) -> None:
    done = play(ford, DUEL.replace(indirect=True), 60, 70)
    assert facts(done, "challenge-declared") == {"campaign": {"number": 1, "indirect": True}}
    play(ford, Challenge(who="cara", against=("dena",)), 60, 70)
    assert places(ford) == ["brak", "dena", "cara", "mara"]
    with pytest.raises(Refused, match="An indirect challenge sets only the order"):
        play(ford, CancelAct(who="brak", target="mara", why="x"))
    play(ford, CancelAct(who="dena", target="cara", why="x"))


@pytest.mark.parametrize(("phases", "counts"), [((), 1), (("prep",), 2), (("prep", "action"), 2), (("post",), 2)])
def test_sys_19_a_rejection_counts_in_its_round_until_the_prep_time_is_under_way(
    ford: Book, phases: tuple[Phase, ...], counts: int
) -> None:
    done = rejecting(ford, *phases)
    assert facts(done, "rejection-announced") == {"brak": {"rate": 55, "round": counts}}
    past = ThrowPercentile(who="mara", past="brak")
    for number in (1, 2, 3):
        if number == counts:
            with pytest.raises(Refused, match="brak rejects challenges in this round"):
                play(ford, DUEL, 60, 70)
            assert said(play(ford, past, 54)) == "failure by 1"
            assert said(play(ford, past, 55)) == "success"
        else:
            play(ford, DUEL, 60, 70)
            with pytest.raises(Refused, match="brak does not reject challenges in this round"):
                play(ford, past, 55)
        started(ford)


def test_sys_19_a_rejection_for_the_next_round_leaves_that_of_this_one_as_it_is(ford: Book) -> None:
    rejecting(ford)
    play(ford, Round(phase="prep"))
    play(ford, Reject(who="brak", rate=80, why="he is tired"))
    assert said(play(ford, ThrowPercentile(who="mara", past="brak"), 55)) == "success"
    started(ford)
    assert said(play(ford, ThrowPercentile(who="mara", past="brak"), 55)) == "failure by 25"
    play(ford, Reject(who="brak", rate=70, why="a tree"))
    assert mark(ford, "brak", "rejections") == {"round-2": 70}


def test_sys_19_a_rejection_may_state_an_intensity_for_its_round(ford: Book) -> None:
    rejecting(ford)
    reject = Reject(who="brak", rate=60, why="a wall of shields", intensity=7)
    done = play(ford, reject)
    assert said(done) == "challengers need 60 in round 1, intensity 7"
    assert facts(done, "rejection-announced") == {"brak": {"rate": 60, "round": 1, "intensity": 7}}
    assert steps(play(ford, ThrowPercentile(who="mara", past="brak"), 60))["intensity"] == "7"
    play(ford, Round(phase="prep"))
    play(ford, reject.replace(rate=70, intensity=8))
    assert mark(ford, "brak", "intensities") == {"round-1": 7, "round-2": 8}
    assert mark(ford, "brak", "rejections") == {"round-1": 60, "round-2": 70}
    started(ford)
    play(ford, reject.replace(intensity=None))
    assert (mark(ford, "brak", "intensities"), mark(ford, "brak", "rejections")) == ({}, {"round-2": 60})
    assert "intensity" not in steps(play(ford, ThrowPercentile(who="mara", past="brak"), 60))


def test_sys_19_a_challenger_needs_that_rate_and_nothing_else_and_a_rate_of_its_own_is_kept(ford: Book) -> None:
    rejecting(ford)
    play(ford, rate("mara", 90, throw=False))
    assert steps(play(ford, ThrowPercentile(who="mara", past="brak"), 20))["rate"] == "40 against 55"
    assert said(play(ford, ThrowPercentile(who="mara"), 20)) == "failure by 50"


def test_sys_19_who_rejects_once_a_challenge_waits_is_not_thrown_against(ford: Book) -> None:
    play(ford, Card(who="brak", rejects=True))
    started(ford)
    play(ford, WAITING)
    play(ford, Reject(who="brak", rate=55, why="a shield"))
    with pytest.raises(Refused, match="brak rejects challenges in this round"):
        play(ford, CLASH, 60, 70)
    assert said(play(ford, ThrowPercentile(who="mara", past="brak"), 60)) == "success"


def test_sys_19_a_rejection_that_is_put_right_asks_about_the_throw_past_it(ford: Book) -> None:
    announced = rejecting(ford)
    play(ford, ThrowPercentile(who="mara", past="brak"), 60)
    wrong = announced.entries[0].seq
    done = scribe(ford).write(Amend(named=wrong, inputs={"rate": 65}, faces=None, cascade=False, why="misheard"))
    (asked,) = [entry for entry in done.entries if entry.type == "knock-on-found"]
    assert asked.body["verdict"]["says"] == "failure by 5"


def test_sys_19_only_a_card_that_is_able_to_rejects_and_in_a_round(ford: Book) -> None:
    reject = Reject(who="brak", rate=55, why="a shield")
    with pytest.raises(Refused, match="brak cannot reject challenges"):
        play(ford, reject)
    play(ford, Card(who="brak", rejects=True))
    with pytest.raises(Refused, match="No round has started yet"):
        play(ford, reject)
    with pytest.raises(Refused, match="No round has started yet"):
        play(ford, Round(phase="prep"))
    started(ford, "action")
    with pytest.raises(Refused, match="Round 1 is already in its action phase"):
        play(ford, Round(phase="prep"))
    assert said(play(ford, Round(phase="begin"))) == "round 2: begins"


def test_sys_20_the_gm_gives_priority_and_success_without_a_throw(ford: Book) -> None:
    play(ford, WAITING.replace(rates={"mara": 90}, why="fog"))
    done = play(ford, Outright(who="mara", against=("brak", "cara"), why="a ship against a man"))
    assert said(done) == "priority over brak, cara and success, as the GM rules"
    assert kinds(done) == ["priority-given", *["challenge-entered", "challenge-settled"] * 3]
    assert {who: mark(ford, who, "priority") for who in ("mara", "brak", "cara")} == {"mara": 1, "brak": 2, "cara": 2}
    with pytest.raises(Refused, match="mara has no declared rate"):
        play(ford, ThrowPercentile(who="mara"), 95)
    with pytest.raises(Refused, match="brak has no priority over cara"):
        play(ford, CancelAct(who="brak", target="cara", why="x"))
    play(ford, CancelAct(who="mara", target="cara", why="x"))
    with pytest.raises(Refused, match="This challenge is already settled"):
        play(ford, CLASH.replace(against=("brak", "cara")))


def test_sys_20_the_gm_gives_priority_alone_and_success_is_another_matter(ford: Book) -> None:
    done = play(ford, Outright(who="mara", against=("brak",), why="a longer reach", priority_only=True))
    assert said(done) == "priority over brak, as the GM rules"
    assert done.entries[0].body["verdict"]["good"] is None
    assert places(ford) == ["mara", "brak"]
    assert said(play(ford, rate("mara", 90), 60)) == "failure by 30"


def test_sys_20_a_challenge_that_is_denied_waits_no_longer_and_its_rates_are_gone(ford: Book) -> None:
    play(ford, WAITING.replace(rates={"mara": 90}, why="fog"))
    play(ford, Deny(who="mara", against=("cara",), why="they do not meet"))
    assert mark(ford, "mara", "rate") == 90
    done = play(ford, Deny(who="brak", against=("mara",), why="they do not meet"))
    assert (said(done), kinds(done)) == ("no challenge of brak, mara", ["challenge-denied"] * 3)
    with pytest.raises(Refused, match="These cards are not in a challenge with each other"):
        play(ford, CLASH, 60, 70)
    with pytest.raises(Refused, match="mara has no declared rate"):
        play(ford, ThrowPercentile(who="mara"), 95)


def test_a_velocity_that_is_put_right_after_a_clash_asks_about_it_and_breaks_nothing(ford: Book) -> None:
    card = play(ford, Card(who="brak", velocity=1))
    play(ford, DUEL, 60, 70)
    done = scribe(ford).write(
        Amend(named=card.entries[0].seq, inputs={"velocity": 2}, faces=None, cascade=False, why="misread")
    )
    assert [entry.body["finds"] for entry in done.entries if entry.type == "knock-on-found"] == ["other-dice"]


def test_a_challenge_that_is_put_right_asks_about_its_throw_and_says_who_was_in_it(ford: Book) -> None:
    done = play(ford, WAITING)
    play(ford, CLASH, 60, 70)
    wrong = Amend(
        named=done.entries[0].seq, inputs={"against": ("brak", "cara")}, faces=None, cascade=False, why="misheard"
    )
    scribe(ford).write(wrong)
    (question,) = questions(ford)
    assert (
        "used the table's in-challenge (then mara, brak; now mara, brak, cara); the rules would refuse this roll"
        in question.says
    )


# Many at once

FACE = st.sampled_from([1, 60, 80, 100]) | st.integers(1, 100)


@examples(40)
@given(data=st.data())
def test_sys_13_to_16_a_played_challenge_leaves_what_comparing_pairs_says(data: st.DataObject) -> None:
    names = [f"act-{letter}" for letter in "abcdefgh"[: data.draw(st.integers(2, 8))]]
    lowest, award = data.draw(st.sampled_from([100, 80])), data.draw(st.integers(1, 30))
    acts = [
        rules.RankedAct(
            id=name,
            efficiency=data.draw(st.sampled_from([40, 75, 100])),
            velocity=data.draw(st.sampled_from([1, 1, 2])),
            necessary_rate=data.draw(st.none() | st.integers(1, 100)),
        )
        for name in data.draw(st.permutations(names))
    ]
    throwing = rules.throwers(acts)
    faces = {name: data.draw(FACE) for name in throwing}
    acts = [act.replace(natural=faces.get(act.id)) for act in acts]
    with opened_book(games=()) as book:
        for act in acts:
            scores = {"efficiency": act.efficiency}
            scribe(book).write(Join(who=act.id, system="syscards", scores=scores))
            play(book, Card(who=act.id, velocity=act.speed))
        settle(book, raise_from=str(lowest), award=str(award))
        forced = {act.id: act.necessary_rate for act in acts if act.necessary_rate is not None}
        move = Challenge(
            who=acts[0].id,
            against=tuple(act.id for act in acts[1:]),
            rates=forced,
            why="the fog" if forced else None,
        )
        thrown = play(book, move, *(faces[name] for name in throwing))
        expected = ordered_with_silent(acts, lowest, award)
        tied = [name for group in expected if len(group) > 1 for name in group]
        assert len(book.questions()) == bool(tied)
        chosen = data.draw(st.permutations(tied))
        for question in book.questions():
            scribe(book).write(Choose(question=question, chosen={"order": tuple(chosen), "why": "so"}))
        flat = [name for group in expected for name in sorted(group, key=[*chosen, *names].index)]
        assert sorted(names, key=lambda who: mark(book, who, "priority")) == flat
        for act in acts:
            raised = act.natural is not None and act.natural >= lowest and act.efficiency < 100
            after = min(act.efficiency + award, 100) if raised else act.efficiency
            assert score(book, act.id) == after
            assert (act.id in facts(thrown, "raise-thrown")) is raised
            reached = act.natural is None or max(act.natural, act.efficiency) >= (act.necessary_rate or 0)
            assert mark(book, act.id, "failed") is (None if reached else True)
        assert verify(book).entries == book.head()


def ordered_with_silent(acts: list[rules.RankedAct], lowest: int, award: int) -> list[list[str]]:
    """The order by pairs; an act that did not throw is alone at its velocity, so that any throw will do."""
    return ordered([act if act.natural else act.replace(natural=1) for act in acts], lowest, award)


def test_sys_13_a_challenge_that_waits_is_thrown_or_denied_before_another_or_a_new_round(ford: Book) -> None:
    play(ford, WAITING)
    for move in (Challenge(who="cara", against=("dena",)), WAITING, Round(phase="begin")):
        with pytest.raises(Refused, match="The challenge between mara and brak is still open"):
            play(ford, move)
    play(ford, CLASH, 60, 70)
    play(ford, Round(phase="begin"))


def test_sys_17_sys_20_nothing_is_canceled_in_a_later_round_or_after_the_challenge_was_denied(ford: Book) -> None:
    cancel = CancelAct(who="brak", target="mara", why="x")
    play(ford, DUEL, 60, 70)
    play(ford, Deny(who="mara", against=("brak",), why="they did not meet"))
    with pytest.raises(Refused, match="brak and mara have no settled challenge in this round"):
        play(ford, cancel)
    play(ford, DUEL, 60, 70)
    started(ford)
    with pytest.raises(Refused, match="brak and mara have no settled challenge in this round"):
        play(ford, cancel)
    play(ford, DUEL, 60, 70)
    play(ford, cancel)


def test_sys_19_nobody_throws_past_their_own_rejection(ford: Book) -> None:
    rejecting(ford)
    with pytest.raises(Refused, match="brak cannot challenge themselves"):
        play(ford, ThrowPercentile(who="brak", past="brak"))
