"""The page of messages has every sentence that the program can print, and none of the words that nobody says."""

import re

import pytest

from messages import PAGE, page

NOT_SAID = (
    "the machine",
    "counts no more",
    "does not stand:",
    "stands alone",
    "is no handle",
    "dice lie",
    "uphold",
    "upheld",
)
"""Words of an older dialect; the glossary says what is said in their place."""


def test_the_page_of_messages_is_made_from_the_code() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "make it again with 'make pages'"


@pytest.mark.parametrize("words", NOT_SAID)
def test_no_message_has_the_words_that_nobody_says(words: str) -> None:
    said = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if re.search(rf"\b{words}\b", line)]
    assert said == []
