"""Spelling: names are compared as people type and read them."""

import pytest

from ledger.rules.inputs import LONGEST_NAME, checked_text
from ledger.rules.spelling import count_letters, folded, has_word, normalized, skeleton, slug

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
WALES = "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Mara", "MARA"),
        ("Zoë", "Zoe\u0308"),
        ("O’Malley", "O'Malley"),
        ("Sir\u00a0Galahad", "Sir  Galahad "),
        ("Jean–Luc", "Jean-Luc"),
        ("Ma\u200bra", "Mara"),
        ("Ma\u034fra", "Mara"),
        ("Ｍａｒａ", "Mara"),
        ("Straße", "STRASSE"),
        ("שלום\u200f", "שלום"),
        ("❤️", "❤"),
    ],
)
def test_two_ways_to_type_a_name_are_one_name(one: str, other: str) -> None:
    assert normalized(one) == normalized(other)
    assert skeleton(one) == skeleton(other)


def test_accents_make_two_names_but_people_may_leave_them_out() -> None:
    assert normalized("Zoë") != normalized("Zoe")
    assert skeleton("Zoë") != skeleton("Zoe")
    assert [folded(typed) for typed in ("Zoë", "ZOE", "Łukasz Ærø", "Ñandú")] == ["zoe", "zoe", "lukasz aero", "nandu"]


@pytest.mark.parametrize("typed", ["Mаrа", "Маrа", "ΜΑRΑ", "mɑrɑ"])
def test_letters_of_other_scripts_that_look_like_latin_ones_count_as_these(typed: str) -> None:
    assert normalized(typed) != "mara"
    assert skeleton(typed) == "mara"


def test_names_in_other_scripts_stay_apart() -> None:
    names = ["王小明", "王小红", "Тара", "Мара", "مريم", "سارة", "सीता", "गीता", "Ωρίων"]
    assert len({skeleton(name) for name in names}) == len(names)


def test_a_short_name_is_offered_in_plain_letters() -> None:
    typed = ("O'Malley", "Sir Galahad", "Zoë", "王小明", "Anna 2", "--")
    assert [slug(name) for name in typed] == ["omalley", "sir-galahad", "zoe", "", "anna-2", ""]


@pytest.mark.parametrize(
    "text",
    [
        FAMILY,
        WALES,
        "❤️",
        "שלום\u200f!",
        "می\u200cروم",
        "a\u00a0b",
        "Zoe\u0308",
        "“smart” quotes, it’s fine",
        "王小明",
        "ठीक है",
    ],
)
def test_texts_are_accepted_and_kept_as_phones_and_computers_type_them(text: str) -> None:
    assert checked_text("A note", text).text == text
    assert checked_text("A name", text, LONGEST_NAME).text == text


def test_line_breaks_of_a_browser_become_plain_ones() -> None:
    assert checked_text("A note", "one\r\ntwo").text == "one\ntwo"


def test_a_letter_and_its_accent_count_as_one_character() -> None:
    assert count_letters("e\u0308" * 80) == 80
    assert checked_text("A name", "e\u0308" * 80, LONGEST_NAME).text == "e\u0308" * 80


@pytest.mark.parametrize(
    ("text", "word", "has"),
    [
        ("the river", "river", True),
        ("rivers", "river", True),
        ("driver rivers", "river", True),
        ("driver", "river", False),
        ("the sea", "river", False),
        ("(river)", "river", True),
        ("3d6+2", "d6", False),
    ],
)
def test_a_text_has_a_word_from_its_first_letter(text: str, word: str, has: bool) -> None:
    assert has_word(text, word) == has
