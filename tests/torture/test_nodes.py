"""The check of a cluster's history finds each kind of problem. The cluster itself runs with `make ha`."""

from dataclasses import replace

import pytest

from torture.nodes.history import (
    READ,
    REFUSED,
    UNKNOWN,
    WRITTEN,
    Call,
    Final,
    began,
    calls,
    ended,
    longest_pause,
    old_reads,
    problems,
)

A1 = Call("a-1", "a", "road", began=1, ended=2, result=WRITTEN, seq=1)
B1 = Call("b-1", "b", "road", began=3, ended=4, result=WRITTEN, seq=2)
A2 = Call("a-2", "a", "road", began=5, ended=6, result=READ, seq=2, root="a-1 b-1")
HISTORY = [A1, B1, A2]
IDS = ("a-1", "b-1")


def final(*ids: str) -> Final:
    return Final(dict(enumerate(ids, 1)), {count: " ".join(ids[:count]) for count in range(len(ids) + 1)})


def found(history: list[Call], *ids: str) -> list[str]:
    return list(problems(history, {"road": final(*(ids or IDS))}))


def test_a_history_that_agrees_with_the_entries_has_no_problem() -> None:
    assert found(HISTORY) == []


def test_a_lost_entry_is_found() -> None:
    assert found([A1, B1], "a-1") == ["road: b-1 was acknowledged as #2, but #2 is nothing"]


def test_an_acknowledged_entry_that_another_one_replaced_is_found() -> None:
    other = Call("c-1", "c", "road", began=1)
    assert found([A1, B1, other], "a-1", "c-1") == ["road: b-1 was acknowledged as #2, but #2 is c-1"]


def test_a_duplicated_entry_is_found() -> None:
    assert found(HISTORY, *IDS, "a-1") == ["road: a-1 is there 2 times"]


def test_an_entry_that_nobody_sent_is_found() -> None:
    assert found(HISTORY, *IDS, "x-1") == ["road: nobody sent x-1"]


def test_an_entry_that_was_refused_is_found() -> None:
    refused = Call("c-1", "c", "road", began=7, ended=8, result=REFUSED)
    assert found([*HISTORY, refused], *IDS, "c-1") == ["road: c-1 is there, and was refused"]


@pytest.mark.parametrize("ids", [IDS, (*IDS, "c-1")])
def test_an_entry_of_a_call_without_an_answer_may_be_there_or_not(ids: tuple[str, ...]) -> None:
    assert found([*HISTORY, Call("c-1", "c", "road", began=7)], *ids) == []
    assert found([*HISTORY, Call("c-1", "c", "road", began=7, ended=8, result=UNKNOWN)], *ids) == []


def test_an_entry_with_another_number_than_the_reported_one_is_found() -> None:
    assert found([A1, replace(B1, seq=3)]) == ["road: b-1 was acknowledged as #3, but #3 is nothing"]


def test_an_error_that_the_program_did_not_expect_is_found() -> None:
    crashed = Call("c-1", "c", "road", began=7, ended=8, says="KeyError: 'x'")
    assert found([*HISTORY, crashed]) == ["c-1 ended with KeyError: 'x'"]


def test_entries_in_another_order_than_they_were_acknowledged_are_found() -> None:
    swapped = [replace(A1, seq=2), replace(B1, seq=1)]
    assert found(swapped, "b-1", "a-1") == ["road: b-1 is #1, but was sent after #2 was acknowledged"]


def test_entries_of_two_calls_at_the_same_time_may_have_either_order() -> None:
    early = replace(B1, began=1.5, seq=1)
    assert found([replace(A1, seq=2), early], "b-1", "a-1") == []


def test_a_read_that_shows_less_than_the_writer_read_before_is_found() -> None:
    back = Call("a-3", "a", "road", began=7, ended=8, result=READ, seq=1, root="a-1")
    assert found([*HISTORY, back]) == ["road: a-3 reads up to #1, after a knew of #2"]


def test_a_read_that_shows_less_than_the_writer_wrote_is_found() -> None:
    back = Call("b-2", "b", "road", began=5, ended=6, result=READ, seq=1, root="a-1")
    assert found([A1, B1, back]) == ["road: b-2 reads up to #1, after b knew of #2"]


def test_a_read_of_an_entry_that_is_lost_later_is_found() -> None:
    pending = Call("c-1", "c", "road", began=5)
    read = Call("b-2", "b", "road", began=6, ended=7, result=READ, seq=3, root="a-1 b-1 c-1")
    assert found([*HISTORY, pending, read]) == ["road: b-2 read entries up to #3 that are lost"]


def test_a_read_that_shows_less_than_somebody_else_knows_is_counted() -> None:
    old = Call("c-1", "c", "road", began=5, ended=6, result=READ, seq=1, root="a-1")
    assert found([*HISTORY, old]) == []
    assert old_reads([*HISTORY, old]) == 1
    assert old_reads(HISTORY) == 0


def test_a_campaign_that_is_not_intact_is_found() -> None:
    assert list(problems(HISTORY, {"road": replace(final(*IDS), damage="Entry 2 is wrong.")})) == [
        "road: Entry 2 is wrong."
    ]


def test_campaigns_are_checked_one_by_one() -> None:
    sea = Call("c-1", "c", "sea", began=7, ended=8, result=WRITTEN, seq=1)
    assert list(problems([*HISTORY, sea], {"road": final(*IDS), "sea": final()})) == [
        "sea: c-1 was acknowledged as #1, but #1 is nothing"
    ]


def test_the_lines_of_a_history_become_calls_and_a_cut_line_is_left_out() -> None:
    lines = [
        began("a-1", "a", "road", 1),
        ended("a-1", 2, WRITTEN, 1),
        began("b-1", "b", "road", 3),
        began("c-1", "c", "road", 5),
        ended("b-1", 4, WRITTEN, 2),
    ]
    assert calls([*(f"{line}\n" for line in lines), ended("c-1", 6, WRITTEN, 3)[:20]]) == [
        A1,
        B1,
        Call("c-1", "c", "road", began=5),
    ]


def test_the_longest_pause_is_between_two_acknowledged_entries() -> None:
    assert longest_pause([A1, replace(B1, ended=30), A2]) == 28
    assert longest_pause([]) == 0
