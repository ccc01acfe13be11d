"""Spelling: names as people type them and as people read them, in any script."""

from __future__ import annotations

import re

IN_WORD = r"(?:\w|[^\x00-\x7f×–\u2212])"
"""A pattern for a character inside a word. Some scripts write vowels as accents, which `\\w` does not match."""

WORD_PATTERN = rf"[^\W\d]{IN_WORD}*"
"""A pattern for a word in any script."""

PLAIN_PUNCTUATION = str.maketrans("‘’‚ʼʹ`´“”„‐‑‒–—−", "'''''''\"\"\"------")
"""A table that replaces curly quotation marks and long dashes with the signs on every keyboard."""

LATIN_SPELLINGS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "ŋ": "ng", "þ": "th", "ŧ": "t"}
)
"""A table that replaces letters such as `æ` or `ø` with what people type for them on other keyboards."""

LOOKALIKES = str.maketrans(
    "авеѕһніјкӏморԁсԛтуѵԝх" + "αβγεζηικμνορτυχω" + "ɑɡı",
    "abeshhijklmopdcqtyvwx" + "abyeznikmvoptuxw" + "agi",
)
"""A table that replaces Cyrillic, Greek and rare Latin letters with common letters that look like them."""

UNSEEN_PATTERN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
"""A pattern for invisible characters, other than Unicode's format characters (category Cf)."""


def normalized(text: str) -> str:
    """Return a text in the form for comparisons.

    Two texts have the same form if they differ only in capitals, the number of spaces, invisible characters, or the
    kind of their quotation marks and dashes.
    """
    if not text.isascii():
        from unicodedata import category, normalize  # most names are ASCII

        shown = UNSEEN_PATTERN.sub("", normalize("NFKC", text).translate(PLAIN_PUNCTUATION))
        text = normalize("NFKC", "".join(each for each in shown if category(each) != "Cf").casefold())
    return " ".join(text.casefold().split())


def folded(text: str) -> str:
    """Return a text as people type it in a hurry: without capitals and accents."""
    text = normalized(text).translate(LATIN_SPELLINGS)
    return text if text.isascii() else _without_accents(text)


def has_word(text: str, word: str) -> bool:
    """Return True if a word of a text starts with `word`. Both must be `folded`."""
    at = text.find(word)
    while at > 0 and text[at - 1].isalnum():
        at = text.find(word, at + 1)
    return at >= 0


def _without_accents(text: str) -> str:
    from unicodedata import combining, normalize

    return "".join(each for each in normalize("NFKD", text) if not combining(each))


def number_name(text: str) -> str:
    """Return a number's name as written on sheets: without capitals, and without accents if all letters are Latin."""
    plain = folded(text)
    return plain if plain.isascii() else normalized(text)


def skeleton(text: str) -> str:
    """Return a text that is equal for all texts that look alike, such as `Mara` in Latin and in Cyrillic letters."""
    text = normalized(text)
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFC", normalize("NFD", text).translate(LOOKALIKES))


def slug(text: str) -> str:
    """Spell a text in lowercase Latin letters, digits and hyphens. Return "" if no character can be spelled."""
    return re.sub("[^a-z0-9]+", "-", folded(text).replace("'", "")).strip("-")


def count_letters(text: str) -> int:
    """Return the number of characters. A letter and its accent count as one, even if they were typed separately."""
    from unicodedata import normalize

    return len(normalize("NFC", text))
