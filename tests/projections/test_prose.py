"""The parts of sentences that are read aloud: numbers, lists and quotations."""

import pytest

from projections import prose


@pytest.mark.parametrize(("value", "words"), [(0, "zero"), (12, "twelve"), (13, "13"), (-2, "−2")])
def test_a_number_is_in_words_up_to_twelve(value: int, words: str) -> None:
    assert prose.number(value) == words


@pytest.mark.parametrize(("count", "words"), [(1, "once"), (2, "twice"), (3, "three times"), (20, "20 times")])
def test_how_often_is_in_words(count: int, words: str) -> None:
    assert prose.times(count) == words


@pytest.mark.parametrize(("parts", "text"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")])
def test_names_are_joined_as_people_say_them(parts: list[str], text: str) -> None:
    assert prose.listed(parts) == text


@pytest.mark.parametrize(
    ("text", "sentence"), [("he runs", "He runs."), ("run!", "Run!"), ("ßa", "ßa."), ("王", "王.")]
)
def test_a_sentence_has_a_capital_letter_and_a_period(text: str, sentence: str) -> None:
    assert prose.sentence(text) == sentence


def test_typed_words_are_quoted_with_their_own_ending() -> None:
    assert [prose.quoted_sentence(words) for words in ("up", "up?", 'the "up"')] == ["“up.”", "“up?”", '“the "up".”']


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


def test_what_is_counted_is_gained_and_lost_and_other_numbers_rise_and_fall() -> None:
    changes = [("20 gold", "gold", 20), ("five hit points", "hp", -5), ("", "strength", 1), ("", "wits", -2)]
    assert prose.change_sentences("Mara", changes) == [
        "Mara gained 20 gold and lost five hit points.",
        "Mara's strength rose by one.",
        "Mara's wits fell by two.",
    ]


def test_two_gains_and_a_loss_are_kept_apart_by_a_comma() -> None:
    changes = [("one key", "key", 1), ("two ropes", "rope", 2), ("five hit points", "hp", -5)]
    assert prose.change_sentences("Mara", changes) == ["Mara gained one key and two ropes, and lost five hit points."]
