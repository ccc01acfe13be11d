"""A short share of the search: each kind of trial, and what a run keeps."""

from importlib import import_module

import pytest

from examples import THOROUGH
from torture import APART, DEEP, KINDS
from torture.page import PAGE, table
from torture.runs import Run
from torture.struck import COMPILER, NO_COMPILER

SHARE = {
    "evenings": 2,
    "seats": 4,
    "clocks": 10,
    "restores": 1,
    "replaced": 2,
    "old": 2,
    "readers": 2,
    "cheats": 1,
    "damaged": 1,
    "input": 1,
    "model": 2,
    "together": 1,
    "killed": 1,
    "bytes": 1,
    "processes": 1,
    "disk": 2,
}
"""The number of trials of each kind here; for those in `DEEP`, `make test-all` runs a tenth."""

LONG = {"mutants"}
"""Kinds of which nothing is run here, as they measure first, for minutes, what tests run which line."""

SLOW = {"disk"}
"""The kinds that need a program of the machine's, a C compiler."""


def test_every_kind_has_its_share() -> None:
    assert KINDS.keys() == SHARE.keys() | LONG


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=[pytest.mark.slow] * (kind in SLOW)) for kind in SHARE])
def test_a_short_share_of_the_search_finds_no_weakness(kind: str) -> None:
    if kind in SLOW and not COMPILER:
        pytest.skip(NO_COMPILER)
    trials = DEEP[kind] // 10 if THOROUGH and kind in DEEP else SHARE[kind]
    run = Run(kind, seed=1, most=trials)
    import_module(f"torture.{kind}").run(run)
    assert run.weaknesses == []
    assert run.counts["trials"] == trials


def test_a_trial_is_the_same_again_by_its_seed_and_number() -> None:
    def drawn(first: int, most: int) -> list[float]:
        return [trial.random.random() for trial in Run("evenings", seed=7, first=first, most=most).trials()]

    assert drawn(0, 3)[2:] == drawn(2, 1)


def test_the_page_has_the_sums_of_all_runs_that_are_kept_and_tells_of_every_kind() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert table() in text
    assert [kind for kind in KINDS | APART if f"**{kind}.**" not in text] == []
