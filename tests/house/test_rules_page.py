"""The page of rules says what the code says, and every rule is played, or worked out, and tested."""

import pytest

from ledger import systems
from ledger.rules.system import Rulebook
from projections.wording import act_words
from rules_page import PAGE, named_by_rule, page, rules_named

RULES = [(name, rule) for name in systems.BUILT_IN_GAMES for rule in systems.find(name).rulebook().page]


def ids_of(rulebook: Rulebook) -> set[str]:
    return {rule for worked in rulebook.rules for rule in worked.ids} | {
        rule for move in rulebook.moves for rule in move.ids
    }


def test_the_page_of_rules_is_made_from_the_code() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "make it again with 'make pages'"


@pytest.mark.parametrize(("name", "rule"), RULES, ids=[rule for _, rule in RULES])
def test_every_rule_is_played_or_worked_out_and_has_a_test_that_names_it(name: str, rule: str) -> None:
    rulebook = systems.find(name).rulebook()
    assert rule in ids_of(rulebook)
    assert named_by_rule().get(rule), rule


@pytest.mark.parametrize("name", systems.BUILT_IN_GAMES)
def test_the_rules_of_a_game_are_numbered_without_gaps(name: str) -> None:
    ids = [int(rule.partition("-")[2]) for rule in systems.find(name).rulebook().page]
    assert ids == list(range(1, len(ids) + 1))


def test_a_test_says_which_rules_it_is_about_by_its_name() -> None:
    assert list(rules_named("test_edg_01_to_03_a_check")) == ["EDG-01", "EDG-02", "EDG-03"]
    assert list(rules_named("test_edg_06_byz_07_both")) == ["EDG-06", "BYZ-07"]
    assert list(rules_named("test_the_page")) == []


@pytest.mark.parametrize("name", systems.BUILT_IN_GAMES)
def test_the_page_of_a_game_has_an_example_of_every_move(name: str) -> None:
    text = (PAGE.parent / "games" / f"{name}.md").read_text(encoding="utf-8")
    moves = systems.find(name).rulebook().moves
    seen = {
        move.name(): f" {act_words(name, move.name(), {})} " if move.is_part else f"campaign {name} {move.name()} "
        for move in moves
    }
    assert [move for move, example in seen.items() if example not in text] == []
