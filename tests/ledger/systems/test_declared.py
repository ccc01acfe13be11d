"""What entries hold, what each game declares, and what its examples write, is as it was kept: a change shows."""

import re
from string import Formatter

import pytest

from declarations import KEPT, SHAPES, declarations, shapes, written
from ledger import systems


@pytest.mark.parametrize("name", systems.BUILT_IN_GAMES)
def test_a_game_declares_what_it_declared(name: str) -> None:
    """`make pages` keeps what is declared now."""
    assert declarations(systems.find(name)) == (KEPT / f"{name}.txt").read_text(encoding="utf-8")


LONG = {"byzantine", "multicheck", "syscards"}
"""The games whose examples take many seconds to play."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in systems.BUILT_IN_GAMES]
)
def test_the_examples_of_a_game_write_what_they_wrote(name: str) -> None:
    assert written(systems.find(name)) == (KEPT / f"{name}-examples.txt").read_text(encoding="utf-8")


def test_entries_hold_what_they_held() -> None:
    assert shapes() == SHAPES.read_text(encoding="utf-8")


def test_nothing_is_kept_of_a_game_that_there_is_not() -> None:
    assert {path.stem.partition("-")[0] for path in KEPT.iterdir()} == set(systems.BUILT_IN_GAMES)


@pytest.mark.parametrize("system", systems.BUILT_IN_GAMES)
def test_better_words_are_for_moves_and_sentences_that_exist(system: str) -> None:
    game = systems.find(system)
    assert set(game.wordings) <= {move.name() for move in game.rulebook().moves}
    for stored, shown in game.sentences.items():
        names = dict.fromkeys(re.findall(r"\{(\w+)\}", stored), "x")
        text = shown.format_map(names) if names else shown
        assert len([name for _, name, _, _ in Formatter().parse(text) if name is not None]) == stored.count("{}")
    declared = [one.name for one in (*game.scores, *game.marks)]
    assert all(any(name.startswith(label.rstrip("*")) for name in declared) for label in game.labels)
