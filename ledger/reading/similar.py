"""Similar words: suggestions for a mistyped word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

SIMILARITY = 0.75
"""The similarity that a suggested word needs. 1 means equal to the typed word."""

MOST_SIMILAR = 5
"""The maximum number of similar names to suggest."""


def parts_of_names(cast: Iterable[str]) -> dict[str, list[str]]:
    """Map each name and each part of a name to the characters: `thug` to `dona-thug`, `thug-1` and `thug-2`."""
    parts = dict[str, list[str]]()
    for who in cast:
        for part in dict.fromkeys([who, *who.split("-")]):
            if not part.isdecimal():
                parts.setdefault(part, []).append(who)
    return parts


def similar_names(parts: Mapping[str, Sequence[str]], typed: str) -> list[str]:
    """Return the characters with a part of the name that is similar to the typed word. See `parts_of_names`."""
    near = get_close_matches(typed, parts, n=MOST_SIMILAR, cutoff=SIMILARITY)
    return [*dict.fromkeys(who for part in near for who in parts[part])][:MOST_SIMILAR]


def suggestions(typed: str, likely: Mapping[str, str], cast: Iterable[str]) -> list[str]:
    """Return suggestions for a mistyped word: one text of `likely`, or all characters with a similar name.

    `likely` maps words to the texts to type.
    """
    parts = parts_of_names(cast)
    best = get_close_matches(typed, {**likely, **parts}, n=1, cutoff=SIMILARITY)
    return similar_names(parts, typed) if best and best[0] not in likely else [likely[word] for word in best]
