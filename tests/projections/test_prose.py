"""The parts of sentences that are read aloud: numbers, lists and quotations."""

import pytest

from projections import prose


@pytest.mark.parametrize(("value", "words"), [(0, "zero"), (12, "twelve"), (13, "13"), (-2, "−2")])
def test_a_number_is_in_words_up_to_twelve(value: int, words: str) -> None:
    assert prose.number(value) == words


@pytest.mark.parametrize(("count", "words"), [(1, "once"), (2, "twice"), (3, "three times"), (20, "20 times")])
def test_how_often_is_in_words(count: int, words: str) -> None:
    assert prose.times_in_words(count) == words


@pytest.mark.parametrize(("parts", "text"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")])
def test_names_are_joined_as_people_say_them(parts: list[str], text: str) -> None:
    assert prose.listed(parts) == text


@pytest.mark.parametrize(
    ("text", "sentence"), [("he runs", "He runs."), ("run!", "Run!"), ("ßa", "ßa."), ("王", "王.")]
)
def test_a_sentence_has_a_capital_letter_and_a_period(text: str, sentence: str) -> None:
    assert prose.sentence(text) == sentence


def test_typed_words_are_quoted_with_their_own_ending() -> None:
    assert [prose.quoted_sentence(words) for words in ("up", "up?")] == ["“up.”", "“up?”"]


def test_quotes_in_typed_words_become_single_quotes() -> None:
    assert prose.quoted_sentence('"up" says “Mara”') == "“‘up’ says ‘Mara’.”"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("axe-damage", "axe damage"),
        ("bow adv", "bow with advantage"),
        ("d20+5 dis", "d20+5 with disadvantage"),
        ("d20-2", "d20-2"),
    ],
)
def test_a_roll_is_named_without_hyphens_and_short_forms(text: str, words: str) -> None:
    assert prose.notation_in_words(text) == words


@pytest.mark.parametrize(
    ("label", "one"), [("slots", "slot"), ("torches", "torch"), ("berries", "berry"), ("arrows", "arrow")]
)
def test_one_of_several_has_a_name(label: str, one: str) -> None:
    assert prose.singular(label) == one


@pytest.mark.parametrize(
    ("text", "better"),
    [
        ("made a axe roll", "made an axe roll"),
        ("made a unicorn roll", "made a unicorn roll"),
        ("made a bow with advantage roll", "made a bow roll with advantage"),
        ("rolled nine for 2d6", "rolled nine on 2d6"),
        ("won the contest “duel”. Brak died", "won the contest “duel.” Brak died"),
        ("bought two spare part for Brak", "bought two spare parts for Brak"),
        ("bought three potion of healing", "bought three potions of healing"),
        ("bought a rope for Brak", "bought a rope for Brak"),
        ("bought two efficiency", "bought two points of efficiency"),
        ("bought one lantern", "bought one lantern"),
        ("failed by one points", "failed by one point"),
        ("picked up the condition “blind”", "became blind"),
        ("picked up the condition “stunned”", "was stunned"),
        ("picked up the condition “greed”", "picked up the condition “greed”"),
    ],
)
def test_words_of_a_game_are_put_in_order(text: str, better: str) -> None:
    assert prose.tidied(text) == better


def test_a_quote_at_the_end_has_the_period_inside() -> None:
    assert prose.sentence("the task “wall”") == "The task “wall.”"


@pytest.mark.parametrize(
    ("one", "several"),
    [
        ("drowned", "drowned"),
        ("goblin", "goblins"),
        ("wolf", "wolves"),
        ("thief", "thieves"),
        ("watchman", "watchmen"),
        ("witch", "witches"),
        ("spy", "spies"),
        ("boy", "boys"),
    ],
)
def test_several_of_one_kind_have_a_name(one: str, several: str) -> None:
    assert prose.plural(one) == several
