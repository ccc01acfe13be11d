"""Luck: which dice count and for whom, and a verdict that is hardly ever wrong, however often people look."""

import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement
from math import exp, factorial, log, prod
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import luck_page
from engine import connection_of
from ledger.commands.at_table import CloseSession, OpenSession
from ledger.commands.play import PlayMove
from ledger.corrections.undoing import Amend
from ledger.errors import NeverReached
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book, open_book
from ledger.journal.store import memory_journal
from ledger.systems.edge.moves_check import Check
from projections.luck import FALSE_ALARM_RATE, LEAST_ROLLS, Die, DieLuck, die_tests, evidence, limit_of, luck
from table import opened_book, scribe
from terminal import Type, head

FAIR, UNFAIR = "consistent with fair dice", "not consistent with fair dice"


def dice(folder: Path, **asked: Any) -> dict[tuple[str, str, int], list[int]]:
    """The faces that are counted, in order, by the name of the player, the source and the sides."""
    found = {(die.name, die.source, die.sides): die for die in looked(folder, **asked)}
    return {key: faces(die) for key, die in found.items()}


def looked(folder: Path, **asked: Any) -> list[DieLuck]:
    with open_book(str(folder / "road.campaign")) as book:
        return luck(book, **asked)


def faces(die: DieLuck) -> list[int]:
    return [*Counter(dict(enumerate(die.faces, 1))).elements()]


ANA_D6 = ("Ana", "typed", 6)


# Which dice count


def test_every_natural_die_counts_even_a_dropped_or_canceled_one(folder: Path, type_in: Type) -> None:
    type_in("roll mara 4d6kh3 --faces 6,5,4,1")
    type_in("roll mara 2d6 --faces 2,2")
    type_in("undo")
    assert dice(folder) == {ANA_D6: [1, 2, 2, 4, 5, 6]}


def test_rerolled_and_exploded_dice_count_and_a_d1_does_not(folder: Path, type_in: Type) -> None:
    for words in ("2d6rr1 --faces 1,4,5", "2d6! --faces 6,3,2", "4dF --faces 1,2,3,3", "d1"):
        type_in(f"roll mara {words}")
    found = dice(folder)
    assert found == {("Ana", "typed", 3): [1, 2, 3, 3], ANA_D6: [1, 2, 3, 4, 5, 6]}


def test_dice_count_by_player_source_and_die(folder: Path, type_in: Type) -> None:
    type_in("roll mara d6+d8 --faces 3,8")
    type_in("roll mara 3d6")
    type_in("roll Ana d6 --faces 4")
    type_in("roll brak d6 --faces 5")
    type_in("npc gob")
    type_in("session open One")
    type_in("npc gob")
    type_in("roll gob d6 --faces 6")
    found = dice(folder)
    assert [*found] == [("Tom", "typed", 6), ("Ana", "machine", 6), ANA_D6, ("Ana", "typed", 8)]
    assert (found["Tom", "typed", 6], found[ANA_D6]) == ([5, 6], [3, 4])
    assert len(found["Ana", "machine", 6]) == 3
    assert [(part.who, part.session) for die in looked(folder) for part in die.parts if die.sides == 8] == [
        ("mara", None)
    ]


def test_dice_count_for_the_player_of_that_time(folder: Path, type_in: Type) -> None:
    type_in("roll brak d6 --faces 5")
    type_in("player Ben --plays brak")
    type_in("roll brak d6 --faces 4")
    assert dice(folder) == {("Tom", "typed", 6): [5], ("Ben", "typed", 6): [4]}


def test_a_look_at_a_character_a_player_a_die_or_a_session_shows_only_these(folder: Path, type_in: Type) -> None:
    type_in("roll mara d6 --faces 1")
    type_in("session open One")
    type_in("roll mara d6 --faces 2")
    type_in("roll Ana d8 --faces 3")
    type_in("session close")
    type_in("roll mara d6 --faces 4")
    type_in("session open Two")
    type_in("roll mara d6 --faces 5")
    assert dice(folder, who="mara") == {ANA_D6: [1, 2, 4, 5]}
    assert dice(folder, who="p2", sides=8) == {("Ana", "typed", 8): [3]}
    assert dice(folder, session=1) == {ANA_D6: [2], ("Ana", "typed", 8): [3]}
    assert dice(folder, session=2) == {ANA_D6: [5]}
    assert [(part.session, part.faces.index(1) + 1, part.rolls) for part in looked(folder, sides=6)[0].parts] == [
        (None, 1, 2),
        (1, 2, 1),
        (2, 5, 1),
    ]
    assert [die.test.rolls for die in looked(folder, session=2)] == [4]
    with pytest.raises(NeverReached, match="never reached session 3"):
        looked(folder, session=3)


def test_a_canceled_session_is_none(folder: Path, type_in: Type) -> None:
    type_in("session open One")
    type_in("undo")
    type_in("roll mara d6 --faces 2")
    assert [part.session for die in looked(folder) for part in die.parts] == [None]


def test_a_campaign_without_dice_has_no_luck(folder: Path) -> None:
    assert looked(folder) == []


def test_a_look_at_an_earlier_point_shows_the_dice_of_then(folder: Path, type_in: Type) -> None:
    type_in("roll mara d6 --faces 1")
    then = head(folder)
    type_in("roll mara d6 --faces 2")
    type_in(f"amend {then} --faces 3 --why typo --yes")
    assert dice(folder, when=AsOf(seq=then)) == {ANA_D6: [1]}
    assert dice(folder, when=AsOf(seq=then, corrected=True)) == {ANA_D6: [3]}
    assert dice(folder) == {ANA_D6: [2, 3]}


def test_progress_is_told_in_entries(folder: Path, type_in: Type) -> None:
    type_in("roll mara d6")
    type_in("roll mara d6")
    read = list[int]()
    looked(folder, progress=read.append)
    assert sum(read) == head(folder) - 1
    assert len(read) == 2


@cache
def long_campaign(evenings: int) -> bytes:
    with opened_book() as book:
        for _ in range(evenings):
            write = scribe(book).write
            write(OpenSession(title="An evening", present=()))
            for _ in range(4):
                ruled = write(PlayMove(system="edge", move=Check(who="mara", skill=11)), faces=(7, 6)).entries[-1]
            write(Amend(named=ruled.seq, inputs={}, faces=(8, 6), cascade=False, why="typo"))
            write(CloseSession())
        return connection_of(book).serialize()


def calls(evenings: int) -> int:
    """The number of function calls of a look at a campaign."""
    journal, counted = memory_journal(), [0]

    def count(frame: FrameType, event: str, arg: object) -> None:
        counted[0] += event in {"call", "c_call"}

    with Book(journal) as book:
        connection_of(book).deserialize(long_campaign(evenings))
        sys.setprofile(count)
        try:
            luck(book)
        finally:
            sys.setprofile(None)
    return counted[0]


def test_a_look_takes_time_in_proportion_to_the_rolls() -> None:
    calls(1)  # imports what it needs
    assert calls(40) <= 1.3 * 4 * calls(10)


# Corrections


def test_dice_that_an_amendment_types_again_replace_the_ones_before(folder: Path, type_in: Type) -> None:
    type_in("edge check mara --skill 11 --faces 7,6")
    ruled = head(folder)
    shown = dict[str, list[int]]()
    for words in (
        f"amend {ruled} --faces 8,5 --why typo --yes",
        f"amend {ruled + 4} --faces 9,4 --why typo --yes",
        "undo",
        "redo",
        "undo",
        "undo",
        "undo",
    ):
        assert type_in(words).exit_code == 0, words
        shown[f"{len(shown)} {words.split()[0]}"] = dice(folder)["Ana", "typed", 10]
    assert shown == {
        "0 amend": [5, 8],
        "1 amend": [4, 9],
        "2 undo": [5, 8],
        "3 redo": [4, 9],
        "4 undo": [5, 8],
        "5 undo": [6, 7],
        "6 undo": [6, 7],
    }


@pytest.mark.parametrize(
    ("canceled", "counted"), [(("rewind --to 7",), [5, 8]), (("void 10",), [6, 7]), (("void 10", "void 9"), [6, 7])]
)
def test_canceled_dice_count_as_they_were_typed_last(
    canceled: tuple[str, ...], counted: list[int], folder: Path, type_in: Type
) -> None:
    """To void an amendment brings back what it amended."""
    assert head(folder) == 7
    type_in("edge check mara --skill 11 --faces 7,6")
    type_in("amend 9 --faces 8,5 --why typo --yes")
    for words in canceled:
        assert type_in(f"{words} --why gone --yes").exit_code == 0
    assert dice(folder) == {("Ana", "typed", 10): counted}


def test_an_amendment_of_other_inputs_keeps_the_dice(folder: Path, type_in: Type) -> None:
    type_in("edge check mara --skill 11 --faces 7,6")
    ruled = head(folder)
    type_in(f"amend {ruled} --skill 12 --why cloak --yes")
    assert dice(folder) == {("Ana", "typed", 10): [6, 7]}
    type_in(f"amend {head(folder)} --faces 8,5 --why typo --yes")
    type_in(f"amend {head(folder)} --skill 13 --why cloak --yes")
    assert dice(folder) == {("Ana", "typed", 10): [5, 8]}


def test_dice_that_a_choice_adds_later_count_beside_the_ones_before(folder: Path, type_in: Type) -> None:
    type_in("join mara multicheck attribute.body=40 attribute.luck=30 skill.melee=3 pk=1")
    type_in("set mara on.melee=body --why s")
    type_in("multicheck test mara melee --difficulty 30 --faces 91")
    assert type_in(f"choose {head(folder)} --reroll --faces 12").exit_code == 0
    assert dice(folder) == {("Ana", "typed", 100): [12, 91]}
    assert type_in(f"amend {head(folder)} --faces 92,13 --why typo --yes").exit_code == 0
    assert dice(folder) == {("Ana", "typed", 100): [13, 92]}
    type_in("undo")
    assert dice(folder) == {("Ana", "typed", 100): [12, 91]}


# Sealed rolls


def test_a_sealed_roll_is_shown_after_it_is_revealed_and_never_tested(folder: Path, type_in: Type) -> None:
    type_in("roll mara 2d6 --seal --faces 6,6")
    sealed = head(folder)
    type_in("roll mara d6 --faces 1")
    assert dice(folder) == {ANA_D6: [1]}
    for words in (f"reveal {sealed}", "undo", f"reveal {sealed}"):
        assert type_in(words).exit_code == 0, words
    (die,) = looked(folder)
    assert (faces(die), die.sealed, die.test.rolls) == ([1, 6, 6], 2, 1)


def test_a_sealed_roll_typed_again_counts_once(folder: Path, type_in: Type) -> None:
    type_in("session open One")
    type_in("roll mara 2d6 --seal --faces 6,6")
    sealed = head(folder)
    type_in("session close")
    type_in(f"reveal {sealed}")
    assert type_in(f"amend {head(folder)} --faces 6,5 --why typo --yes").exit_code == 0
    (die,) = looked(folder)
    assert (faces(die), [part.session for part in die.parts]) == ([5, 6], [1])
    assert (die.sealed, die.test.rolls) == (2, 0)


# The test of a die


def test_the_first_dice_rolled_have_the_lowest_limits_whatever_falls(folder: Path, type_in: Type) -> None:
    for words in ("mara d8 --faces 1", "brak d6 --faces 6", "mara d6", "brak d4 --faces 1"):
        type_in(f"roll {words}")
    before = {(die.name, die.source, die.sides): die.test.limit for die in looked(folder)}
    assert before["Ana", "typed", 8] == round(log(200) / log(10), 2)
    assert sorted(before.values()) == [round(limit_of(place) / log(10), 2) for place in (1, 2, 3, 4)]
    assert [*before.values()] == [before[key] for key in sorted(before, key=[*before].index)]
    type_in(f"amend {head(folder) - 6} --faces 8 --why typo --yes")
    type_in("roll mara 30d6 --faces " + ",".join("6" * 30))
    after = {(die.name, die.source, die.sides): die.test.limit for die in looked(folder, who="p2")}
    assert {key: limit for key, limit in after.items() if key in before} == {
        key: limit for key, limit in before.items() if key[0] == "Ana"
    }


def test_no_verdict_before_five_times_as_many_rolls_as_the_die_has_sides() -> None:
    few, enough = [0] * 6, [0] * 6
    few[5], enough[5] = 29, 30
    tests = die_tests({("p2", 6, "typed"): few, ("p2", 6, "machine"): enough, ("p3", 6, "typed"): [5] * 6})
    assert [(test.verdict, test.missing) for test in tests.values()] == [(None, 1), (UNFAIR, 0), (FAIR, 0)]


def test_the_limits_allow_for_any_number_of_dice() -> None:
    assert sum(exp(-limit_of(place)) for place in range(1, 100_000)) < FALSE_ALARM_RATE


@pytest.mark.parametrize(("sides", "rolls"), [(2, 12), (3, 9), (4, 8), (6, 6)])
def test_the_evidence_of_fair_dice_is_one_on_average(sides: int, rolls: int) -> None:
    """All sequences of rolls, by how often each face falls."""
    total = 0.0
    for shown in combinations_with_replacement(range(sides), rolls):
        counts = [shown.count(face) for face in range(sides)]
        sequences = factorial(rolls) / prod(map(factorial, counts))
        total += sequences * exp(evidence(counts)) / sides**rolls
    assert total == pytest.approx(1)


@given(st.lists(st.integers(0, 400), min_size=2, max_size=20))
def test_a_fair_die_does_not_change_the_evidence_on_average(counts: list[int]) -> None:
    """The factor by which the next roll changes the evidence, over all faces: what Ville's inequality needs."""
    nexts = ([count + (face == place) for place, count in enumerate(counts)] for face in range(len(counts)))
    factors = [exp(evidence(after) - evidence(counts)) for after in nexts]
    assert sum(factors) / len(counts) == pytest.approx(1)


# Simulated campaigns

PLAYERS, EVENINGS = 4, 12
AN_EVENING = {20: 20, 6: 12, 10: 8}
"""The number of rolls of each die that a player makes in an evening."""


def evenings(random: Random) -> Iterator[dict[Die, list[int]]]:
    """A campaign of fair dice: what was rolled until the end of each evening. Each die is a player's."""
    rolled: dict[Die, list[int]] = {
        (f"p{player}", sides, "machine"): [0] * sides for player in range(PLAYERS) for sides in AN_EVENING
    }
    for _ in range(EVENINGS):
        for (_, sides, _), counts in rolled.items():
            for face in random.choices(range(sides), k=AN_EVENING[sides]):
                counts[face] += 1
        yield rolled


def called_unfair(campaigns: int, seed: int) -> int:
    """Count the campaigns in which any die is called unfair after any evening."""
    random = Random(seed)  # noqa: S311  seeded on purpose
    return sum(
        any(test.verdict == UNFAIR for rolled in evenings(random) for test in die_tests(rolled).values())
        for _ in range(campaigns)
    )


def test_of_fair_campaigns_hardly_any_is_ever_called_unfair() -> None:
    assert called_unfair(60, seed=1) <= 1


@pytest.mark.slow
def test_of_10_000_fair_campaigns_at_most_one_in_100_is_ever_called_unfair() -> None:
    """Four players with three dice each, looked at after each of twelve evenings: 480 rolls a player."""
    unfair = called_unfair(10_000, seed=2)
    assert unfair <= 10_000 * FALSE_ALARM_RATE
    assert f"In {unfair}\n  of these campaigns" in luck_page.PAGE.read_text(encoding="utf-8")


def test_a_doubled_top_face_is_found_in_500_rolls() -> None:
    assert luck_page.share(6, 500) >= 0.99
    assert luck_page.share(20, 500) >= 0.5


def test_the_numbers_in_the_document_are_those_of_the_simulation() -> None:
    page = luck_page.PAGE.read_text(encoding="utf-8")
    assert luck_page.with_tables(page) == page
    assert all(f"| d{sides} | {LEAST_ROLLS * sides} |" in page for sides in luck_page.DICE)


def test_a_look_at_now_is_the_usual_one(folder: Path, type_in: Type) -> None:
    type_in("roll mara d6")
    assert looked(folder) == looked(folder, when=NOW)
