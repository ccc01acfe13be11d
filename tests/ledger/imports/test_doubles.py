"""Likely doubles: one roll in the logs of two programs is listed, and equal rolls of one program are not."""

from time import process_time
from typing import Any

import pytest

from ledger.imports.doubles import Trace, likely_doubles, trace_of

PLAIN: dict[str, Any] = {
    "claimed_at": "2025-03-07T19:42:11.518Z",
    "exact": "ms",
    "seen": "all",
    "speaker": "Nessa",
    "total": "17",
}
DICE = [(20, 14), (6, 3)]


def trace(*dice: tuple[int, int], who: str | None = None, **more: Any) -> Trace | None:
    values = {**PLAIN, **more}
    return trace_of(values, values, who, dice or DICE)


def doubles(
    new_id: str, new: Trace | None, earlier_id: str = "discord:1:0", earlier: Trace | None = None
) -> list[tuple[str, str]]:
    other = earlier or trace()
    assert new
    assert other
    return [*likely_doubles({new_id: ("message 1", new)}, [(earlier_id, "#9", other)])]


SAME: dict[str, Trace | None] = {
    "the same": trace(),
    "10 seconds later": trace(claimed_at="2025-03-07T19:42:21.518Z"),
    "earlier": trace(claimed_at="2025-03-07T19:42:05Z", exact="second"),
    "another order of dice": trace(*reversed(DICE)),
    "another spelling": trace(speaker="NESSA"),
    "a character of the mapping": trace(who="nessa"),
}


@pytest.mark.parametrize("what", SAME)
def test_a_roll_of_another_program_is_a_likely_double(what: str) -> None:
    assert doubles("foundry:a:0", SAME[what]) == [("message 1", "#9")]


OTHER: dict[str, Trace | None] = {
    "later": trace(claimed_at="2025-03-07T19:42:21.519Z"),
    "another face": trace((20, 13), (6, 4)),
    "another total": trace(total="18"),
    "another name": trace(speaker="Orrin"),
}


@pytest.mark.parametrize("what", OTHER)
def test_another_roll_is_no_double(what: str) -> None:
    assert doubles("foundry:a:0", OTHER[what]) == []


def test_two_names_of_one_character_are_the_same() -> None:
    one, other = trace(who="nessa", speaker="Nessa Quill"), trace(who="nessa", speaker="")
    assert doubles("foundry:a:0", one, earlier=other) == [("message 1", "#9")]


def test_equal_rolls_of_one_program_are_doubles_only_if_one_of_them_is_private() -> None:
    secret = trace(seen="gm")
    assert doubles("beyond:b:0", trace(), "beyond:a:0") == []
    assert doubles("beyond:b:0", secret, "beyond:a:0") == doubles("beyond:b:0", trace(), "beyond:a:0", secret) != []
    assert doubles("beyond:a:1", secret, "beyond:a:0") == [], "they are in one message"


def test_two_new_rolls_may_be_doubles() -> None:
    public, secret = trace(), trace(seen="gm")
    assert public
    assert secret
    new = {"beyond:a:0": ("message 1", public), "beyond:b:0": ("message 2", secret)}
    assert [*likely_doubles(new, ())] == [("message 2", "message 1")]


@pytest.mark.parametrize("more", [{"exact": "minute"}, {"exact": "day"}, {"speaker": ""}])
def test_a_roll_without_a_name_or_a_precise_time_has_no_trace(more: dict[str, str]) -> None:
    assert trace(**more) is None
    assert trace_of(PLAIN, PLAIN, None, ()) is None


@pytest.mark.parametrize("program", ["beyond", "discord"])
def test_thousands_of_equal_rolls_take_little_time(program: str) -> None:
    public, later = trace(), trace(claimed_at="2025-03-07T19:42:29Z")
    assert public
    assert later
    earlier = [(f"beyond:{number}:0", f"#{number}", public) for number in range(20_000)]
    before = process_time()
    new = {f"{program}:new-{number}:0": ("message", later) for number in range(20_000)}
    assert [*likely_doubles(new, earlier)] == []
    assert process_time() - before < 5
