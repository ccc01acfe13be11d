"""SySCards: a single act, modes and The Log, what is refused, and the moves."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ford import (
    CAST,
    CLASH,
    DUEL,
    WAITING,
    at_the_ford,
    facts,
    kinds,
    mark,
    play,
    rate,
    said,
    score,
    settle,
    shop,
    steps,
)
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, Join, SetMarks
from ledger.commands.play import PlayMove
from ledger.corrections.undoing import Amend, Undo
from ledger.errors import BadInput, LedgerError, NotEnough, OutOfRange, Refused, UnknownName, WrongFaces
from ledger.journal.book import Book
from ledger.rules.move import Move
from ledger.systems.syscards import SYSTEM, moves
from ledger.systems.syscards.moves import CancelAct, Deny, Outright, Reject
from ledger.systems.syscards.moves_acts import Act, Means, Rate, ThrowPercentile
from ledger.systems.syscards.moves_cards import Buy, Card, Mode, Price, Round
from ledger.systems.syscards.moves_challenges import Challenge, Clash
from table import accounts_of, counting_dice, scribe, worked_out
from terminal import Type


@pytest.fixture
def ford() -> Iterator[Book]:
    """A campaign in which four have a card."""
    with at_the_ford() as book:
        yield book


# A single act


def test_sys_01_a_card_without_capacity_does_not_throw_or_act_in_any_way(ford: Book) -> None:
    play(ford, DUEL, 60, 50)
    done = play(ford, Card(who="mara", incapable=True))
    assert (said(done), kinds(done)) == ("a card, without capacity", ["card-created", "capacity-lost"])
    assert score(ford, "mara") == 0
    asked: list[Move] = [rate("mara", 20), DUEL, DUEL.replace(who="brak", against=("mara",))]
    for move in asked:
        with pytest.raises(Refused, match="mara has no capacity to act"):
            play(ford, move, 50)
    outright = Outright(who="mara", against=("brak",), why="x")
    without_dice: list[Move] = [
        Act(who="mara", rate=1, why="x"),
        Act(who="mara", rate=1, why="x", passes=True),
        outright,
        outright.replace(who="brak", against=("mara",)),
        CancelAct(who="mara", target="brak", why="x"),
        Reject(who="mara", rate=20, why="x"),
    ]
    for move in without_dice:
        with pytest.raises(Refused, match="mara has no capacity to act"):
            play(ford, move)
    scribe(ford).write(SetMarks(who="mara", values={"syscards/incapable": "no"}, why="she wakes"))
    assert kinds(play(ford, Card(who="mara"))) == ["card-created"]
    assert score(ford, "mara") == 1


@pytest.mark.parametrize(("face", "digits"), [(100, [0, 0]), (5, [0, 5]), (50, [5, 0]), (99, [9, 9])])
def test_sys_02_a_throw_is_recorded_as_tens_and_units(ford: Book, face: int, digits: list[int]) -> None:
    (dice,) = [entry for entry in play(ford, rate("mara", 20), face).entries if entry.type == "dice-thrown"]
    assert dice.body["dice"] == [{"sides": 100, "face": face, "digits": digits, "dropped": None}]


def test_sys_03_a_throw_without_a_rate_or_a_challenge_is_refused_and_a_rate_is_for_one_throw(ford: Book) -> None:
    for _ in range(2):
        with pytest.raises(Refused, match=r"^mara has no declared rate\.$"):
            play(ford, ThrowPercentile(who="mara"), 50)
        play(ford, rate("mara", 45, throw=False))
        play(ford, ThrowPercentile(who="mara"), 50)
    with pytest.raises(Refused, match="These cards are not in a challenge with each other"):
        play(ford, CLASH, 50, 60)


def test_sys_03_a_throw_in_a_challenge_has_no_rate_even_where_one_was_declared_before(ford: Book) -> None:
    play(ford, rate("mara", 90, throw=False))
    done = play(ford, DUEL, 70, 60)
    assert facts(done, "act-thrown")["mara"] == {"natural": 70, "efficiency": 40, "result": 70}
    assert said(done) == "mara, then brak"
    with pytest.raises(Refused, match="mara has no declared rate"):
        play(ford, ThrowPercentile(who="mara"))


def test_sys_04_the_result_is_the_larger_of_throw_and_efficiency_and_all_is_recorded(ford: Book) -> None:
    done = play(ford, rate("mara", 50), 12)
    assert facts(done, "act-thrown")["mara"] == {
        "natural": 12,
        "efficiency": 40,
        "result": 40,
        "rate": 50,
        "success": False,
        "degree_of_failure": 10,
    }
    assert steps(done) == {"result": "throw 12, efficiency 40: 40", "rate": "40 against 50"}


@pytest.mark.parametrize(("face", "says"), [(44, "failure by 1"), (45, "success"), (100, "success")])
def test_sys_05_the_rate_is_to_be_reached_and_there_are_no_degrees_of_success(ford: Book, face: int, says: str) -> None:
    assert said(play(ford, rate("mara", 45), face)) == says


def test_sys_05_a_needless_throw_is_not_refused_and_may_raise(ford: Book) -> None:
    done = play(ford, rate("mara", 30), 100)
    assert done.entries[0].body["steps"] == [{"name": "throw", "says": "needless; it may raise", "numbers": []}]
    assert (said(done), score(ford, "mara")) == ("success", 41)


def test_sys_06_a_failure_is_told_once_in_the_words_of_the_gm_with_its_degree(ford: Book) -> None:
    means = Means(who="mara", words="the rope slips")
    with pytest.raises(Refused, match="mara has no failure to describe"):
        play(ford, means)
    play(ford, rate("mara", 100), 60)
    done = play(ford, means)
    assert said(done) == "a failure by 40 is told"
    assert facts(done, "failure-told") == {"mara": {"degree_of_failure": 40}}
    assert done.entries[0].body["inputs"]["words"] == "the rope slips"
    with pytest.raises(Refused, match="mara has no failure to describe"):
        play(ford, means)
    play(ford, rate("mara", 100), 60)
    play(ford, rate("mara", 50), 60)
    with pytest.raises(Refused, match="mara has no failure to describe"):
        play(ford, means)


def test_sys_07_a_rate_is_named_by_its_grade(ford: Book) -> None:
    assert said(play(ford, rate("mara", 29, throw=False))) == "needs 29, Master"
    assert said(play(ford, rate("mara", 90, throw=False))) == "needs 90, Ultimate"


def test_sys_08_a_card_has_an_owner_and_starts_at_1_and_what_is_not_said_of_it_stays(ford: Book) -> None:
    scribe(ford).write(Join(who="aikido", system="syscards", scores={"efficiency": 0}))
    with pytest.raises(Refused, match="The efficiency of aikido is 0, but must be 1 to 100"):
        play(ford, rate("aikido", 20), 30)
    done = play(ford, Card(who="aikido", owner="mara", velocity=3, rejects=True, info=None))
    assert said(done) == "a card of mara, able to reject challenges"
    assert steps(done) == {"acts": "at 1/6, 1/2, 5/6 of a round"}
    play(ford, Card(who="aikido", velocity=2))
    assert (mark(ford, "aikido", "owner"), mark(ford, "aikido", "rejects")) == ("mara", True)
    play(ford, Card(who="aikido", owner="brak"))
    assert (score(ford, "aikido"), score(ford, "aikido", "velocity")) == (1, 2)
    assert (mark(ford, "aikido", "owner"), score(ford, "aikido", "core-points")) == ("brak", 0)
    with pytest.raises(OutOfRange):
        scribe(ford).write(Adjust(who="mara", amounts={"syscards/efficiency": 61}, why="x"))


def test_sys_09_a_raise_throw_is_an_event_of_its_own_that_follows_from_the_ruling(ford: Book) -> None:
    done = play(ford, rate("mara", 100), 100)
    ruling = [entry for entry in done.entries if entry.type == "move-played"][-1]
    (raised,) = [entry for entry in done.entries if entry.type == "raise-thrown"]
    assert raised.cause == ruling.seq
    assert [(each["score"], each["amount"]) for each in raised.body["postings"]] == [("syscards/efficiency", 1)]
    assert facts(done, "act-thrown")["mara"]["success"] is True
    scribe(ford).write(Adjust(who="mara", amounts={"syscards/efficiency": 59}, why="x"))
    assert "raise-thrown" not in kinds(play(ford, rate("mara", 100), 100))
    assert score(ford, "mara") == 100


def test_sys_10_the_award_and_the_range_are_settings_and_stand_in_each_ruling(ford: Book) -> None:
    before = play(ford, rate("mara", 99), 97).entries
    settle(ford, raise_from="96", award="3")
    done = play(ford, rate("mara", 99), 97)
    assert (said(done), score(ford, "mara")) == ("failure by 2", 43)
    play(ford, DUEL, 95, 96)
    assert (score(ford, "mara"), score(ford, "brak")) == (43, 43)
    scribe(ford).write(Adjust(who="mara", amounts={"syscards/efficiency": 56}, why="x"))
    play(ford, rate("mara", 99), 96)
    assert score(ford, "mara") == 100
    settle(ford, raise_from="1", award="9")
    found = [entry.body["settings"] for entry in (*before, *done.entries) if entry.type == "move-played"]
    assert found == [
        {"raise_from": 100, "forced": "rate", "award": 1, "core-points": 100},
        {"raise_from": 100, "forced": "rate", "award": 1, "core-points": 100},
        {"raise_from": 96, "forced": "rate", "award": 3, "core-points": 100},
        {"raise_from": 96, "forced": "rate", "award": 3, "core-points": 100},
    ]
    assert [ford.entry(entry.seq).stored for entry in before] == [entry.stored for entry in before]
    amended = scribe(ford).write(
        Amend(named=before[-1].act, inputs={"rate": 97}, faces=None, cascade=True, why="misheard")
    )
    assert said(amended) == "success"
    assert "raise-thrown" not in kinds(amended)


# Modes and The Log


def test_sys_11_a_tale_goes_without_dice_up_to_the_efficiency_and_above_it_where_the_gm_says_so(ford: Book) -> None:
    reached = play(ford, Act(who="mara", rate=40, why="a low wall"))
    assert (said(reached), facts(reached, "act-passed")) == ("success", {"mara": {"rate": 40, "ruled": False}})
    with pytest.raises(Refused, match=r"41 is above the efficiency of mara \(40\)\."):
        play(ford, Act(who="mara", rate=41, why="a wall"))
    with pytest.raises(BadInput, match="--passes needs --why"):
        play(ford, Act(who="mara", rate=41, passes=True))
    passed = play(ford, Act(who="mara", rate=41, why="all day long", passes=True))
    assert (said(passed), facts(passed, "act-passed")["mara"]["ruled"]) == ("success, as the GM rules", True)


def test_sys_11_what_the_efficiency_reaches_needs_no_dice_in_any_mode_and_nothing_passes_outside_tale(
    ford: Book,
) -> None:
    above = Act(who="mara", rate=41, why="all day long", passes=True)
    for mode in ("action", "deal"):
        play(ford, Mode(mode=mode))
        assert kinds(play(ford, above.replace(rate=40))) == ["act-passed"]
        for move in (above, above.replace(passes=False)):
            with pytest.raises(
                Refused, match=rf"41 is above .* mara .40.. In tale mode, .* but the table is in {mode} mode"
            ):
                play(ford, move)


def test_sys_11_a_rate_above_the_efficiency_or_a_challenge_begins_action_by_an_event_of_its_own(ford: Book) -> None:
    assert "mode-changed" not in kinds(play(ford, rate("mara", 40), 50))
    done = play(ford, rate("mara", 41, throw=False))
    assert kinds(done) == ["rate-declared", "mode-changed"]
    assert facts(done, "mode-changed") == {"campaign": {"before": "tale", "mode": "action"}}
    assert steps(done) == {"throw": "needed", "mode": "action, from now on"}
    assert "mode-changed" not in kinds(play(ford, rate("mara", 41, throw=False)))
    assert "mode-changed" not in kinds(play(ford, WAITING))
    play(ford, Deny(who="mara", against=("brak",), why="x"))
    assert kinds(play(ford, Mode(mode="tale"))) == ["mode-changed"]
    with pytest.raises(Refused, match="The table is already in tale mode"):
        play(ford, Mode(mode="tale"))
    assert "mode-changed" in kinds(play(ford, WAITING))
    play(ford, Deny(who="mara", against=("brak",), why="x"))
    for move in (rate("mara", 99, throw=False), WAITING):
        play(ford, Mode(mode="deal"))
        assert "mode-changed" not in kinds(play(ford, rate("mara", 40, throw=False)))
        assert facts(play(ford, move), "mode-changed") == {"campaign": {"before": "deal", "mode": "action"}}


def test_sys_12_a_player_starts_with_100_core_points_once_and_a_card_of_another_has_none(ford: Book) -> None:
    shop(ford)
    play(ford, Card(who="brak", velocity=2))
    assert (score(ford, "brak", "core-points"), score(ford, "cara", "core-points")) == (100, 0)


def test_sys_12_the_core_points_of_a_new_player_are_a_setting(ford: Book) -> None:
    settle(ford, **{"core-points": "30"})
    play(ford, Card(who="mara"))
    settle(ford, **{"core-points": "0"})
    play(ford, Card(who="brak"))
    assert [score(ford, who, "core-points") for who in ("mara", "brak")] == [30, 0]
    assert not audit(ford, "2026-11-22").findings


@pytest.mark.parametrize(
    ("price", "points", "left", "stands"),
    [(5, 20, 0, 60), (3, 33, 1, 73), (1, 60, 40, 100), (0, 60, 100, 100), (100, 1, 0, 41)],
)
def test_sys_12_all_the_points_or_exactly_100_is_allowed(
    ford: Book, price: int, points: int, left: int, stands: int
) -> None:
    shop(ford, price)
    done = play(ford, Buy(who="brak", item="efficiency", points=points))
    assert kinds(done) == [*(["points-spent"] if price else []), "item-bought"]
    assert (score(ford, "brak", "core-points"), score(ford, "brak")) == (left, stands)


def test_sys_12_efficiency_is_for_a_card_of_ones_own_and_an_item_is_kept_by_name(ford: Book) -> None:
    shop(ford)
    done = play(ford, Buy(who="brak", item="efficiency", points=2, card="cara"))
    assert (said(done), steps(done)) == ("bought for 6 core points", {"price": "2 at 3: 6 core points"})
    assert (score(ford, "cara"), score(ford, "brak")) == (22, 40)
    play(ford, Buy(who="brak", item="extra-life", points=2))
    assert (score(ford, "brak", "item.extra-life"), score(ford, "brak", "core-points")) == (2, 14)


@pytest.mark.parametrize(
    ("buy", "error", "why"),
    [
        (Buy(who="brak", item="efficiency", points=34), NotEnough, "has 100 core points and needs 102"),
        (Buy(who="brak", item="efficiency", points=61), NotEnough, "needs 183"),
        (Buy(who="brak", item="efficiency", points=81, card="cara"), NotEnough, "needs 243"),
        (Buy(who="brak", item="extra-life", points=3), NotEnough, "needs 120"),
        (Buy(who="brak", item="sword"), Refused, "The Log has no price for sword"),
        (Buy(who="brak", item="efficiency", card="mara"), Refused, "mara does not belong to brak"),
        (Buy(who="cara", item="efficiency"), NotEnough, "cara has 0 core points"),
        (Buy(who="brak", item="Extra Life"), BadInput, "not a valid name"),
        (Price(item="Extra Life", points=1), BadInput, "not a valid name"),
    ],
)
def test_sys_12_what_cannot_be_bought_is_refused_and_not_clamped(
    ford: Book, buy: Move, error: type[LedgerError], why: str
) -> None:
    shop(ford)
    head = ford.head()
    with pytest.raises(error, match=why):
        play(ford, buy)
    assert ford.head() == head


def test_sys_12_who_has_no_core_points_since_no_card_was_said_is_told_how_to_get_them(ford: Book) -> None:
    shop(ford)
    with pytest.raises(Refused, match="The card mara has no owner yet, so it has no core points") as refused:
        play(ford, Buy(who="mara", item="efficiency"))
    assert refused.value.hint == "Set the owner: campaign syscards card mara --owner mara"
    play(ford, Card(who="mara", owner="mara"))
    play(ford, Buy(who="mara", item="efficiency"))


def test_sys_12_beyond_100_or_outside_deal_mode_or_without_capacity_nothing_is_bought(ford: Book) -> None:
    shop(ford, 1)
    with pytest.raises(Refused, match="This purchase would raise the efficiency to 101; the limit is 100"):
        play(ford, Buy(who="brak", item="efficiency", points=61))
    play(ford, Card(who="cara", incapable=True))
    with pytest.raises(Refused, match="cara has no capacity"):
        play(ford, Buy(who="brak", item="efficiency", card="cara"))
    play(ford, Buy(who="brak", item="extra-life", card="cara"))
    play(ford, Mode(mode="action"))
    with pytest.raises(Refused, match="You can buy only in deal mode"):
        play(ford, Buy(who="brak", item="efficiency"))


# Rates and the record


def test_sys_21_a_rate_and_its_throw_are_one_action_the_rate_before_the_dice_and_undone_together(ford: Book) -> None:
    before = accounts_of(ford)
    done = play(ford, rate("mara", 45), 100)
    assert [entry.type for entry in done.entries] == [
        "move-played", "rate-declared", "mode-changed", "dice-thrown", "move-played", "act-thrown", "raise-thrown"
    ]  # fmt: skip
    assert [entry.seq for entry in done.entries] == list(range(done.entries[0].seq, ford.head() + 1))
    assert {entry.act for entry in done.entries} == {done.entries[0].seq}
    assert done.entries[0].body["inputs"]["why"] == "the fog"
    scribe(ford).write(Undo())
    assert accounts_of(ford) == before


def test_sys_21_a_rate_needs_no_reason(ford: Book) -> None:
    assert said(play(ford, Rate(who="mara", rate=45, throw=True), 44)) == "failure by 1"
    assert said(play(ford, DUEL.replace(rates={"mara": 50}), 60, 40)) == "mara (success), then brak"
    assert said(play(ford, Act(who="mara", rate=1))) == "success"
    assert not audit(ford, "2026-11-22").findings


def test_sys_21_a_rate_that_is_changed_after_its_throw_asks_about_the_throw_unless_both_were_one_action(
    ford: Book,
) -> None:
    together, apart = play(ford, rate("mara", 45), 50), play(ford, rate("brak", 45, throw=False))
    play(ford, ThrowPercentile(who="brak"), 50)
    wrong = Amend(named=together.entries[0].seq, inputs={"rate": 55}, faces=None, cascade=False, why="misheard")
    assert said(scribe(ford).write(wrong)) == "failure by 5"
    done = scribe(ford).write(wrong.replace(named=apart.entries[0].seq))
    (asked,) = [entry for entry in done.entries if entry.type == "knock-on-found"]
    assert (asked.body["verdict"]["says"], asked.body["says"]) == ("failure by 5", None)
    assert verify(ford).entries == ford.head()


# What is refused


@pytest.mark.parametrize(
    ("move", "error", "why"),
    [
        (Challenge(who="mara", against=()), Refused, "two cards or more"),
        (Challenge(who="mara", against=("brak", "mara")), Refused, "You named a card twice"),
        (DUEL.replace(why="fog"), BadInput, "--why needs --rates"),
        (Clash(who="mara", against=("brak",), order=("brak", "mara")), BadInput, "--order together with --why"),
        (DUEL.replace(rates={"cara": 50}, why="fog"), Refused, "--rates can name only cards in the challenge"),
        (DUEL.replace(also=("cara",)), Refused, "--also can name only cards in the challenge"),
        (WAITING.replace(also=("mara",)), BadInput, "You cannot use --also before the roll"),
        (DUEL.replace(against=("ghost",)), UnknownName, "ghost"),
        (Outright(who="mara", against=(), why="x"), Refused, "two cards or more"),
        (Deny(who="mara", against=("mara",), why="x"), Refused, "You named a card twice"),
        (rate("mara", 50).replace(why=" "), BadInput, "cannot be empty"),
        (ThrowPercentile(who="mara", past="brak"), Refused, "brak does not reject challenges in this round"),
        (Card(who="mara", owner="ghost"), UnknownName, "ghost"),
        (Means(who="ghost", words="x"), UnknownName, "ghost"),
    ],
)
def test_what_cannot_be_played_is_refused_before_the_dice_and_nothing_is_written(
    ford: Book, move: Move, error: type[LedgerError], why: str
) -> None:
    head, dice = ford.head(), counting_dice()
    with pytest.raises(error, match=why):
        scribe(ford, chance=dice).write(PlayMove(system="syscards", move=move))
    assert (ford.head(), dice.count) == (head, 0)


@pytest.mark.parametrize("faces", [(50,), (50, 60, 70), (0, 60), (50, 101)])
def test_dice_that_cannot_lie_are_refused_with_the_whole_action(ford: Book, faces: tuple[int, ...]) -> None:
    head = ford.head()
    with pytest.raises(WrongFaces):
        play(ford, DUEL, *faces)
    assert ford.head() == head


@pytest.mark.parametrize(
    "typed", [{"raise_from": "0"}, {"raise_from": "101"}, {"award": "0"}, {"award": "-1"}, {"award": "1" * 30}]
)
def test_sys_10_a_setting_that_is_none_changes_nothing(ford: Book, typed: dict[str, str]) -> None:
    with pytest.raises(BadInput, match="is not a number from 1 to"):
        settle(ford, **typed)


@pytest.mark.parametrize(
    ("name", "typed"),
    [("mode", "sleep"), ("in-challenge", "mara"), ("rate", "101"), ("owner", "Two Words"), ("rejects", "maybe")],
)
def test_a_mark_that_cannot_be_is_refused(ford: Book, name: str, typed: str) -> None:
    with pytest.raises(BadInput):
        scribe(ford).write(SetMarks(who="mara", values={f"syscards/{name}": typed}, why="x"))


# The moves

CALLS: dict[str, list[str]] = {
    "syscards.read_percentile": [],
    "syscards.throw": ["rate", "throw", "challenge", "clash"],
    "syscards.needs_throw": ["rate", "act"],
    "syscards.challenge": ["challenge", "clash"],
    "syscards.grade": ["rate"],
    "syscards.chance": [],
    "syscards.challenge_chance": [],
    "syscards.purchase": ["buy"],
    "syscards.action_times": ["card"],
}
"""Digits are read where every game has its dice; the odds are what somebody asks with `try`."""


def prepared(book: Book, move: Move) -> Book:
    """Bring the table to where a move can be played."""
    for needed in NEEDS.get(type(move), ()):
        play(book, needed)
    return book


NEEDS: dict[type[Move], tuple[Move, ...]] = {
    ThrowPercentile: (rate("mara", 45, throw=False),),
    Means: (rate("mara", 100),),
    Clash: (WAITING,),
    CancelAct: (Outright(who="mara", against=("brak",), why="x"),),
    Reject: (Card(who="mara", rejects=True), Round(phase="begin")),
    Buy: (Card(who="mara"), Price(item="efficiency", points=3), Mode(mode="deal")),
}

EXAMPLES: tuple[Move, ...] = (
    Card(who="mara", velocity=2),
    Mode(mode="deal"),
    rate("mara", 45),
    ThrowPercentile(who="mara"),
    Act(who="mara", rate=1, why="x"),
    Means(who="mara", words="x"),
    DUEL,
    CLASH,
    CancelAct(who="mara", target="brak", why="x"),
    Round(phase="begin"),
    Reject(who="mara", rate=40, why="x"),
    Outright(who="mara", against=("brak",), why="x"),
    Deny(who="mara", against=("brak",), why="x"),
    Price(item="efficiency", points=3),
    Buy(who="mara", item="efficiency", points=2),
)


def test_every_rule_that_try_answers_is_called_by_the_moves_named_here() -> None:
    assert {type(move) for move in EXAMPLES} == set(moves.MOVES)
    found: dict[str, list[str]] = {rule.name: [] for rule in SYSTEM.rulebook().rules}
    for move in EXAMPLES:
        with at_the_ford() as book:
            for rule in called_by(prepared(book, move), move):
                found[rule].append(move.name())
    assert found == CALLS


def called_by(book: Book, move: Move) -> list[str]:
    """Play a move, and watch which rules are worked out."""
    return worked_out(SYSTEM.rulebook().rules, lambda: play(book, move))


def test_names_are_typed_with_commas_and_a_tie_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type
) -> None:
    monkeypatch.chdir(tmp_path)
    type_in("init Ford --gm Tom")
    for who, efficiency in CAST.items():
        type_in(f"join {who} syscards efficiency={efficiency}")
    asked = type_in("syscards challenge mara --against brak,cara --faces 80,80,90").output
    question = asked.partition("campaign choose ")[2].split()[0]
    assert type_in(f"choose {question} --order brak --why so").exit_code == 3
    assert "cara, then brak, then mara" in type_in(f"choose {question} --order brak,mara --why so").output


def test_show_says_whose_throw_is_whose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type) -> None:
    monkeypatch.chdir(tmp_path)
    for line in ("init Ford --gm Tom", "join mara syscards efficiency=40", "join brak syscards efficiency=20"):
        type_in(line)
    type_in("syscards challenge mara --against brak --faces 100,60")
    shown = type_in("show 5").output
    for line in ("act thrown, natural: 100", "brak act thrown, natural: 60", "brak challenge settled, priority: 2"):
        assert f"      {line}\n" in shown
    assert "      dice typed in\n      dice typed in, brak\n" in shown


def test_the_line_of_a_challenge_names_whose_raise_is_whose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in ("init Ford --gm Tom", "join mara syscards efficiency=40", "join brak syscards efficiency=41"):
        type_in(line)
    both = type_in("syscards challenge mara --against brak --faces 100,100").output
    assert "   efficiency 40 → 41, brak efficiency 41 → 42\n" in both


def test_a_challenge_says_who_throws_in_which_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in ("init Ford --gm Tom", "join mara syscards", "join brak syscards", "join cara syscards velocity=2"):
        type_in(line)
    challenge = "syscards challenge mara --against cara,brak"
    assert "This command rolls 2d100 of mara, brak." in type_in(f"{challenge} --dry-run").output
    refused = type_in(f"{challenge} --faces 50,60,70")
    assert "This roll needs 2d100 of mara, brak, but " in refused.output
